/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdarg.h>

#include "text.h"

void text_flush(struct text *text)
{
	fwrite(text->bytes, 1, text->n, text->stream);
	text->n = 0;
}

void text_add_long(struct text *text, const char *bytes, size_t n)
{
	text_flush(text);
	fwrite(bytes, 1, n, text->stream);
}

/* Adds N digits. Behind them, 20 - N more bytes must be readable. */
static void add_digits(struct text *text, const char *digits, size_t n)
{
	if (sizeof(text->bytes) - text->n < 20)
		text_flush(text);
	/* Copying a fixed number of bytes is faster. */
	memcpy(text->bytes + text->n, digits, 20);
	text->n += n;
}

void text_hex(struct text *text, uint64_t value)
{
	char digits[2 * 20] = "";
	size_t n = 20;

	do {
		digits[--n] = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (value != 0);
	text_add(text, "0x", 2);
	add_digits(text, digits + n, 20 - n);
}

void text_decimal(struct text *text, uint64_t value)
{
	char digits[2 * 20] = "";
	size_t n = 20;

	do {
		digits[--n] = '0' + value % 10;
		value /= 10;
	} while (value != 0);
	add_digits(text, digits + n, 20 - n);
}

void text_format(struct text *text, const char *format, ...)
{
	va_list args;

	text_flush(text);
	va_start(args, format);
	vfprintf(text->stream, format, args);
	va_end(args);
}
