/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Response files: their words are those that gcc and ld would read. */
#include <config.h>

#include <stdlib.h>
#include <unistd.h>

#include "response.h"
#include "unit.h"

static char path[] = "unit-response.XXXXXX";
static struct unit_heard heard;

static void write_file(const char *text)
{
	FILE *f = fopen(path, "w");

	if (CHECK(f != NULL)) {
		fputs(text, f);
		fclose(f);
	}
}

/* The words, with a bar behind each; "!" for a failure. */
static const char *expand(const char *argument)
{
	static char joined[4096];
	char name[] = "sdtlink", arg[64];
	char *argv[] = { name, arg };
	struct argument_list args;
	struct diag d = { .sink = unit_hear, .ctx = &heard };
	size_t used = 0;

	snprintf(arg, sizeof(arg), "%s", argument);
	heard = (struct unit_heard){ .code = "" };
	joined[0] = '\0';
	if (response_expand(&d, 2, argv, &args))
		used += snprintf(joined, sizeof(joined), "!");
	for (size_t i = 1; joined[0] != '!' && i < args.words.n; i++)
		used += snprintf(joined + used, sizeof(joined) - used, "%s|",
				 args.words.items[i]);
	response_free(&args);
	return joined;
}

static const char *expand_text(const char *text)
{
	char argument[64];

	write_file(text);
	snprintf(argument, sizeof(argument), "@%s", path);
	return expand(argument);
}

static void test_words(void)
{
	CHECK_STR(expand("plain"), "plain|");
	CHECK_STR(expand("@"), "@|");
	CHECK_STR(expand_text(""), "");
	CHECK_STR(expand_text(" \t\r\n\f\v "), "");
	CHECK_STR(expand_text("a b\tc\nd\n"), "a|b|c|d|");
	CHECK_STR(expand_text("no-newline"), "no-newline|");
}

static void test_quotes(void)
{
	CHECK_STR(expand_text("'a b' \"c d\""), "a b|c d|");
	CHECK_STR(expand_text("-p'x y'z"), "-px yz|");
	CHECK_STR(expand_text("'' \"\" a"), "||a|");
	CHECK_STR(expand_text("'a\"b' \"c'd\""), "a\"b|c'd|");
	CHECK_STR(expand_text("a\\ b \\'c \\\\ \\\""), "a b|'c|\\|\"|");
	CHECK_STR(expand_text("\"a\\\"b\" 'c\\'d'"), "a\"b|c'd|");
	CHECK_STR(expand_text("a\\\nb"), "a\nb|");
	CHECK_STR(expand_text("'open end"), "open end|");
	CHECK_STR(expand_text("end\\"), "end\\|");
}

static void test_failures(void)
{
	char text[64];

	CHECK_STR(expand("@no/such/file"), "!");
	CHECK_STR(heard.code, "cannot-read");
	snprintf(text, sizeof(text), "a @%s", path);
	CHECK_STR(expand_text(text), "!");
	CHECK_STR(heard.text, "response files are nested too deeply");
}

int main(void)
{
	int fd = mkstemp(path);

	if (!CHECK(fd >= 0))
		return unit_status();
	close(fd);
	test_words();
	test_quotes();
	test_failures();
	unlink(path);
	return unit_status();
}
