/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <inttypes.h>
#include <string.h>

#include "json.h"

/* One line per object down to this depth, so that diffs are of use. */
#define LINES_DEPTH 5

static void separate(struct json *json)
{
	if (json->after_key) {
		json->after_key = false;
		return;
	}
	if (json->needs_comma)
		fputs(json->depth < LINES_DEPTH ? "," : ", ", json->stream);
	if (json->depth > 0 && json->depth < LINES_DEPTH) {
		fputc('\n', json->stream);
		for (unsigned i = 0; i < json->depth; i++)
			fputc(' ', json->stream);
	}
	json->needs_comma = true;
}

void json_open(struct json *json, char bracket)
{
	separate(json);
	fputc(bracket, json->stream);
	json->depth++;
	json->needs_comma = false;
}

void json_close(struct json *json, char bracket)
{
	json->depth--;
	fputc(bracket, json->stream);
	json->needs_comma = true;
	if (json->depth == 0)
		fputc('\n', json->stream);
}

/*
 * The length of the well-formed UTF-8 character of several bytes at P, 0 if
 * there is none (RFC 3629: no overlong forms, no surrogates, at most U+10FFFF).
 */
static size_t utf8_length(const unsigned char *p)
{
	size_t length = p[0] < 0xc2   ? 0
			: p[0] < 0xe0 ? 2
			: p[0] < 0xf0 ? 3
			: p[0] < 0xf5 ? 4
				      : 0;

	for (size_t i = 1; i < length; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return length;
}

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* The first byte at or behind P that does not stand for itself. */
static const unsigned char *skip_plain(const unsigned char *p)
{
	size_t length;

	do {
		while (is_plain(*p))
			p++;
		length = utf8_length(p);
		p += length;
	} while (length > 0);
	return p;
}

/* Names are bytes; what is no UTF-8 appears as U+DCxx, as in PEP 383. */
static void put_string(struct json *json, const char *value)
{
	const unsigned char *p = (const unsigned char *)value;

	fputc('"', json->stream);
	for (;;) {
		const unsigned char *end = skip_plain(p);

		fwrite(p, 1, end - p, json->stream);
		if (*end == '\0')
			break;
		fprintf(json->stream, *end < 0x80 ? "\\u%04x" : "\\udc%02x",
			*end);
		p = end + 1;
	}
	fputc('"', json->stream);
}

void json_key(struct json *json, const char *key)
{
	separate(json);
	if (key == NULL)
		return;
	put_string(json, key);
	fputs(": ", json->stream);
	json->after_key = true;
}

void json_string(struct json *json, const char *key, const char *value)
{
	json_key(json, key);
	json->after_key = false;
	if (value == NULL)
		fputs("null", json->stream);
	else
		put_string(json, value);
}

void json_number(struct json *json, const char *key, uint64_t value)
{
	json_key(json, key);
	json->after_key = false;
	fprintf(json->stream, "%" PRIu64, value);
}

void json_bool(struct json *json, const char *key, bool is_present, bool value)
{
	json_key(json, key);
	json->after_key = false;
	fputs(!is_present ? "null" : value ? "true" : "false", json->stream);
}

void json_hex(struct json *json, const char *key, bool is_present,
	      uint64_t value)
{
	json_key(json, key);
	json->after_key = false;
	if (is_present)
		fprintf(json->stream, "\"0x%" PRIx64 "\"", value);
	else
		fputs("null", json->stream);
}
