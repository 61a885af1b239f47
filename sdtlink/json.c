/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "json.h"

/* Down to this depth, each object begins a line, so that diffs are readable. */
#define LINES_DEPTH 5

static void separate(struct json *json)
{
	if (json->after_key) {
		json->after_key = false;
		return;
	}
	if (json->needs_comma)
		text_put(&json->text, json->depth < LINES_DEPTH ? "," : ", ");
	if (json->depth > 0 && json->depth < LINES_DEPTH) {
		text_char(&json->text, '\n');
		for (unsigned i = 0; i < json->depth; i++)
			text_char(&json->text, ' ');
	}
	json->needs_comma = true;
}

void json_open(struct json *json, char bracket)
{
	separate(json);
	text_char(&json->text, bracket);
	json->depth++;
	json->needs_comma = false;
}

void json_close(struct json *json, char bracket)
{
	json->depth--;
	text_char(&json->text, bracket);
	json->needs_comma = true;
	if (json->depth == 0) {
		text_char(&json->text, '\n');
		text_flush(&json->text);
	}
}

/*
 * The length of a well-formed UTF-8 character of several bytes, or 0 (RFC 3629:
 * no overlong forms, no surrogates, at most U+10FFFF).
 */
static size_t utf8_length(const char *string)
{
	const unsigned char *p = (const unsigned char *)string;
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

static bool is_plain(char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/*
 * A control character of the second set: terminals treat U+009B as an escape,
 * too.
 */
static bool is_c1(const char *p)
{
	return (unsigned char)p[0] == 0xc2 && (unsigned char)p[1] < 0xa0;
}

/* Names are bytes. A byte that is not UTF-8 becomes U+DCxx, as in PEP 383. */
static void put_string(struct json *json, const char *value)
{
	text_char(&json->text, '"');
	while (*(value = text_plain(&json->text, value, is_plain)) != '\0') {
		unsigned char c = *value;
		size_t length = utf8_length(value);

		if (length == 0)
			text_format(&json->text,
				    c < 0x80 ? "\\u%04x" : "\\udc%02x", c);
		else if (is_c1(value))
			text_format(&json->text, "\\u%04x",
				    (unsigned char)value[1]);
		else
			text_add(&json->text, value, length);
		value += length > 0 ? length : 1;
	}
	text_char(&json->text, '"');
}

void json_key(struct json *json, const char *key)
{
	separate(json);
	if (key == NULL)
		return;
	put_string(json, key);
	text_put(&json->text, ": ");
	json->after_key = true;
}

void json_string(struct json *json, const char *key, const char *value)
{
	json_key(json, key);
	json->after_key = false;
	if (value == NULL)
		text_put(&json->text, "null");
	else
		put_string(json, value);
}

void json_number(struct json *json, const char *key, uint64_t value)
{
	json_key(json, key);
	json->after_key = false;
	text_decimal(&json->text, value);
}

void json_bool(struct json *json, const char *key, bool is_present, bool value)
{
	json_key(json, key);
	json->after_key = false;
	text_put(&json->text, !is_present ? "null" : value ? "true" : "false");
}

void json_hex(struct json *json, const char *key, bool is_present,
	      uint64_t value)
{
	json_key(json, key);
	json->after_key = false;
	if (!is_present) {
		text_put(&json->text, "null");
		return;
	}
	text_char(&json->text, '"');
	text_hex(&json->text, value);
	text_char(&json->text, '"');
}
