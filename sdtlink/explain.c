/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --explain: what a code, a cause or a verdict means. Several may have one
 * name.
 */
#include <config.h>

#include <stdbool.h>
#include <string.h>

#include "command.h"

static const struct explanation {
	const char *name;
	const char *severity;
	const char *meaning;
	const char *program; /* that shows it, and commands; or empty */
	const char *remedy;
} explanations[] = {
#include "sdtlink/explain-texts.inc"
};

#define NEXPLANATIONS (sizeof(explanations) / sizeof(explanations[0]))

static void print_indented(FILE *stream, const char *text)
{
	bool is_start = true;

	for (; *text != '\0'; text++) {
		if (is_start)
			fputs("    ", stream);
		fputc(*text, stream);
		is_start = *text == '\n';
	}
}

static void print(FILE *stream, const struct explanation *e)
{
	fprintf(stream, "%s (%s)\n\n%s\n", e->name, e->severity, e->meaning);
	if (e->program[0] != '\0') {
		fputs("This shows it:\n\n", stream);
		print_indented(stream, e->program);
		fputc('\n', stream);
	}
	fprintf(stream, "What to do:\n\n%s", e->remedy);
}

/* In the format of other options' errors, so that completion gets the list. */
static int refuse(const char *name)
{
	fputs("sdtlink: '", stderr);
	print_escaped(stderr, name);
	fputs("' is not a value of --explain; it takes", stderr);
	for (size_t i = 0; i < NEXPLANATIONS; i++)
		fprintf(stderr, " %s", explanations[i].name);
	fputc('\n', stderr);
	return EXIT_TROUBLE;
}

int command_explain(const struct command *cmd, struct report *report)
{
	FILE *stream = report->out.stream;
	size_t nfound = 0;

	for (size_t i = 0; i < NEXPLANATIONS; i++) {
		if (strcmp(explanations[i].name, cmd->explained) != 0)
			continue;
		if (nfound++ > 0)
			fputc('\n', stream);
		print(stream, &explanations[i]);
	}
	return nfound > 0 ? EXIT_YES : refuse(cmd->explained);
}
