/* SPDX-License-Identifier: BSD-2-Clause */
/* The serial line, and QEMU's isa-debug-exit device. */
#include <stdarg.h>

#include "kernel.h"

#define COM1 0x3f8
#define COM1_LSR (COM1 + 5)
#define LSR_THRE 0x20 /* ready for the next character */
#define DEBUG_EXIT 0xf4

static uint8_t port_read(uint16_t port)
{
	uint8_t value;

	__asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

static void port_write(uint16_t port, uint8_t value)
{
	__asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static void put_char(char c)
{
	while (!(port_read(COM1_LSR) & LSR_THRE))
		;
	port_write(COM1, (uint8_t)c);
}

static void put_text(const char *text)
{
	while (*text != '\0')
		put_char(*text++);
}

static void put_number(unsigned long number, unsigned int base,
		       unsigned int width)
{
	char text[24];
	char *at = text + sizeof(text);

	*--at = '\0';
	do {
		*--at = "0123456789abcdef"[number % base];
		number /= base;
	} while (number > 0 || at > text + sizeof(text) - 1 - width);
	put_text(at);
}

void console_print(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	for (; *format != '\0'; format++) {
		if (*format != '%') {
			put_char(*format);
			continue;
		}
		switch (*++format) {
		case 's':
			put_text(va_arg(args, const char *));
			break;
		case 'u':
			put_number(va_arg(args, unsigned int), 10, 1);
			break;
		case 'l':
			put_number(va_arg(args, unsigned long),
				   *++format == 'x' ? 16 : 10, 1);
			break;
		case '0': /* %02x */
			put_number(va_arg(args, unsigned int), 16, 2);
			format += 2;
			break;
		}
	}
	va_end(args);
}

void machine_exit(unsigned int code)
{
	/* QEMU exits with code << 1 | 1. */
	__asm__ volatile("outl %0, %1"
			 :
			 : "a"(code), "Nd"((uint16_t)DEBUG_EXIT));
	for (;;)
		__asm__ volatile("hlt");
}
