/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes all JSON. The stream is complete when the outermost bracket is closed.
 * It remembers write errors.
 */
#ifndef SDTLINK_JSON_H
#define SDTLINK_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct json {
	struct text text;
	unsigned depth;
	bool needs_comma;
	bool after_key;
};

void json_open(struct json *json, char bracket);
void json_close(struct json *json, char bracket);
void json_key(struct json *json, const char *key);

/* KEY is NULL for a member of an array. A VALUE of NULL writes null. */
void json_string(struct json *json, const char *key, const char *value);
void json_number(struct json *json, const char *key, uint64_t value);

/* null if !IS_PRESENT. */
void json_bool(struct json *json, const char *key, bool is_present, bool value);

/* A hex string, or null if !IS_PRESENT. */
void json_hex(struct json *json, const char *key, bool is_present,
	      uint64_t value);

#endif
