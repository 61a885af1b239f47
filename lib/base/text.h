/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Collects output without format strings, and gives it to a stream in pieces:
 * tables and listings have at least a line for each site. The stream remembers
 * write errors.
 */
#ifndef SDTLINK_TEXT_H
#define SDTLINK_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct text {
	FILE *stream;
	size_t n;
	char bytes[1 << 14];
};

/* The stream has all that was added. */
void text_flush(struct text *text);

/* The slow path of text_add. */
void text_add_long(struct text *text, const char *bytes, size_t n);

static inline void text_add(struct text *text, const char *bytes, size_t n)
{
	if (n > sizeof(text->bytes) - text->n) {
		text_add_long(text, bytes, n);
		return;
	}
	memcpy(text->bytes + text->n, bytes, n);
	text->n += n;
}

static inline void text_put(struct text *text, const char *string)
{
	text_add(text, string, strlen(string));
}

static inline void text_char(struct text *text, char c)
{
	text_add(text, &c, 1);
}

/* Adds the PLAIN bytes at the start of STRING. Returns the rest. */
static inline const char *text_plain(struct text *text, const char *string,
				     bool (*plain)(char c))
{
	size_t n, room;

	do {
		char *to = text->bytes + text->n;

		room = sizeof(text->bytes) - text->n;
		for (n = 0; n < room && plain(string[n]); n++)
			to[n] = string[n];
		text->n += n;
		string += n;
		if (n == room)
			text_flush(text);
	} while (n == room);
	return string;
}

/* As "0x%x" and "%u". */
void text_hex(struct text *text, uint64_t value);
void text_decimal(struct text *text, uint64_t value);

void text_format(struct text *text, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

#endif
