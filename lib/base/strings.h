/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Concatenates strings, and reads strings that follow one another in a section.
 */
#ifndef SDTLINK_STRINGS_H
#define SDTLINK_STRINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Concatenates the four. The caller frees the result. NULL if memory ran out.
 */
char *strings_join(const char *a, const char *b, const char *c, const char *e);

/* SIZE bytes, of which the first AT have been read. */
struct strings {
	const uint8_t *bytes;
	size_t size, at;
};

/* The next string, if it ends within the bytes, or NULL. */
const char *strings_next(struct strings *strings);

/* Reads the next string as a line number of one to nine digits. */
bool strings_next_line(struct strings *strings, uint32_t *line);

#endif
