/* SPDX-License-Identifier: BSD-2-Clause */
/* live_print() for bare machines. */
#include <stdarg.h>

#include "bare.h"

static void put_text(const char *text)
{
	while (*text != '\0')
		bare_put(*text++);
}

static void put_number(unsigned long number, unsigned int base)
{
	char text[24];
	char *at = text + sizeof(text);

	*--at = '\0';
	do {
		*--at = "0123456789abcdef"[number % base];
		number /= base;
	} while (number > 0);
	put_text(at);
}

void live_print(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	for (; *format != '\0'; format++) {
		if (*format != '%') {
			bare_put(*format);
			continue;
		}
		switch (*++format) {
		case 's':
			put_text(va_arg(args, const char *));
			break;
		case 'u':
			put_number(va_arg(args, unsigned int), 10);
			break;
		case 'l':
			put_number(va_arg(args, unsigned long),
				   *++format == 'x' ? 16 : 10);
			break;
		}
	}
	va_end(args);
}
