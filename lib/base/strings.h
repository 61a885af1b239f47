/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Strings put together, and strings that follow one another in a section. */
#ifndef SDTLINK_STRINGS_H
#define SDTLINK_STRINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The four, one behind the other; the caller's. NULL without memory. */
char *strings_join(const char *a, const char *b, const char *c, const char *e);

/* SIZE bytes, of which those before AT have been read; AT <= SIZE. */
struct strings {
	const uint8_t *bytes;
	size_t size, at;
};

/* The next one, which ends with a NUL within the bytes; or NULL. */
const char *strings_next(struct strings *strings);

/* The next one as the number of a line: one to nine digits; or false. */
bool strings_next_line(struct strings *strings, uint32_t *line);

#endif
