/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The JSON writer: what it escapes, and where its commas are. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "unit.h"

static char *text;
static size_t size;

static struct json start(void)
{
	return (struct json){ .text.stream = open_memstream(&text, &size) };
}

static void finish(struct json *json, const char *expected)
{
	text_flush(&json->text);
	fclose(json->text.stream);
	CHECK_STR(text, expected);
	free(text);
}

static void check_string(const char *value, const char *expected)
{
	struct json json = start();

	json_string(&json, NULL, value);
	finish(&json, expected);
}

static void test_escapes(void)
{
	check_string("", "\"\"");
	check_string("a b", "\"a b\"");
	check_string("\"\\/", "\"\\u0022\\u005c/\"");
	check_string("\x01\n\t\x1f", "\"\\u0001\\u000a\\u0009\\u001f\"");
	check_string("\x7f", "\"\\u007f\"");
	/* U+0080 and U+009F are controls, U+00A0 is none. */
	check_string("\xc2\x80\xc2\x9f", "\"\\u0080\\u009f\"");
	check_string("\xc2\xa0", "\"\xc2\xa0\"");
}

/* Around the size of what the writer gives to the stream at once. */
static void test_long(void)
{
	enum { BUFFER = 1 << 14 };
	static char value[2 * BUFFER], expected[2 * BUFFER + 2];

	for (size_t n = BUFFER - 3; n < BUFFER + 3; n++) {
		memset(value, 'a', n);
		strcpy(value + n, "\xc3\xa9");
		snprintf(expected, sizeof(expected), "\"%s\"", value);
		check_string(value, expected);
	}
}

static void test_utf8(void)
{
	/* The last and first of each length. */
	check_string("\xc2\x80\xdf\xbf", "\"\\u0080\xdf\xbf\"");
	check_string("\xe0\xa0\x80\xef\xbf\xbf", "\"\xe0\xa0\x80\xef\xbf\xbf\"");
	check_string("\xf0\x90\x80\x80", "\"\xf0\x90\x80\x80\"");
	check_string("\xf4\x8f\xbf\xbf", "\"\xf4\x8f\xbf\xbf\"");
	check_string("\xed\x9f\xbf\xee\x80\x80", "\"\xed\x9f\xbf\xee\x80\x80\"");
}

static void test_invalid_utf8(void)
{
	check_string("\x80", "\"\\udc80\"");
	check_string("a\xff z", "\"a\\udcff z\"");
	/* Overlong, surrogates, beyond U+10FFFF, cut off. */
	check_string("\xc0\x80", "\"\\udcc0\\udc80\"");
	check_string("\xc1\xbf", "\"\\udcc1\\udcbf\"");
	check_string("\xe0\x9f\xbf", "\"\\udce0\\udc9f\\udcbf\"");
	check_string("\xed\xa0\x80", "\"\\udced\\udca0\\udc80\"");
	check_string("\xf0\x8f\xbf\xbf", "\"\\udcf0\\udc8f\\udcbf\\udcbf\"");
	check_string("\xf4\x90\x80\x80", "\"\\udcf4\\udc90\\udc80\\udc80\"");
	check_string("\xf5\x80\x80\x80", "\"\\udcf5\\udc80\\udc80\\udc80\"");
	check_string("\xe2\x82", "\"\\udce2\\udc82\"");
	check_string("\xc3(", "\"\\udcc3(\"");
}

static void test_numbers(void)
{
	struct json json = start();

	json_open(&json, '[');
	json_number(&json, NULL, 0);
	json_number(&json, NULL, UINT64_MAX);
	json_hex(&json, NULL, true, 0);
	json_hex(&json, NULL, true, UINT64_MAX);
	json_hex(&json, NULL, false, 7);
	json_bool(&json, NULL, true, true);
	json_bool(&json, NULL, true, false);
	json_bool(&json, NULL, false, true);
	json_string(&json, NULL, NULL);
	json_close(&json, ']');
	finish(&json, "[\n 0,\n 18446744073709551615,\n \"0x0\",\n "
		      "\"0xffffffffffffffff\",\n null,\n true,\n false,\n null,\n null]\n");
}

static void test_nesting(void)
{
	struct json json = start();

	json_open(&json, '{');
	json_key(&json, "a");
	json_open(&json, '[');
	json_close(&json, ']');
	json_key(&json, "b\n");
	json_open(&json, '{');
	json_number(&json, "c", 1);
	json_number(&json, "d", 2);
	json_close(&json, '}');
	json_close(&json, '}');
	finish(&json, "{\n \"a\": [],\n \"b\\u000a\": {\n  \"c\": 1,\n  "
		      "\"d\": 2}}\n");
}

int main(void)
{
	test_escapes();
	test_long();
	test_utf8();
	test_invalid_utf8();
	test_numbers();
	test_nesting();
	return unit_status();
}
