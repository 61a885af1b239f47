/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "strings.h"

char *strings_join(const char *a, const char *b, const char *c, const char *e)
{
	size_t size = strlen(a) + strlen(b) + strlen(c) + strlen(e) + 1;
	char *joined = malloc(size);

	if (joined != NULL)
		snprintf(joined, size, "%s%s%s%s", a, b, c, e);
	return joined;
}

const char *strings_next(struct strings *strings)
{
	const char *text = (const char *)strings->bytes + strings->at;
	size_t left = strings->size - strings->at;
	size_t length = strnlen(text, left);

	if (length == left)
		return NULL;
	strings->at += length + 1;
	return text;
}

bool strings_next_line(struct strings *strings, uint32_t *line)
{
	const char *text = strings_next(strings);

	*line = 0;
	if (text == NULL || text[0] == '\0' || strlen(text) > 9)
		return false;
	for (; *text >= '0' && *text <= '9'; text++)
		*line = *line * 10 + (uint32_t)(*text - '0');
	return *text == '\0';
}
