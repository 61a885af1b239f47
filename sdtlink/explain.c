/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --explain: what a code, a cause or a verdict means. Several may have one
 * name.
 */
#include <config.h>

#include <stdbool.h>
#include <stdlib.h>
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

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A code and a cause may have one name. */
static void print_names(void)
{
	const char *names[NEXPLANATIONS];

	for (size_t i = 0; i < NEXPLANATIONS; i++)
		names[i] = explanations[i].name;
	qsort(names, NEXPLANATIONS, sizeof(names[0]), compare_names);
	for (size_t i = 0; i < NEXPLANATIONS; i++)
		if (i == 0 || strcmp(names[i], names[i - 1]) != 0)
			fprintf(stderr, " %s", names[i]);
}

#define NAME_MAX_LENGTH 40

/* How many characters were mistyped, left out or added, at least? */
static size_t distance(const char *a, const char *b)
{
	size_t row[NAME_MAX_LENGTH + 1], n = strlen(b);

	if (n > NAME_MAX_LENGTH)
		return n;
	for (size_t k = 0; k <= n; k++)
		row[k] = k;
	for (size_t i = 0; a[i] != '\0'; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t k = 0; k < n; k++) {
			size_t best = diagonal + (a[i] != b[k]);

			diagonal = row[k + 1];
			if (best > diagonal + 1)
				best = diagonal + 1;
			if (best > row[k] + 1)
				best = row[k] + 1;
			row[k + 1] = best;
		}
	}
	return row[n];
}

/* What NAME was meant to be, or NULL: a third of it may be wrong. */
static const char *find_nearest(const char *name)
{
	size_t length = strlen(name), least = length / 3 + 1;
	const char *nearest = NULL;

	for (size_t i = 0; i < NEXPLANATIONS; i++) {
		size_t n = distance(name, explanations[i].name);

		if (n < least) {
			least = n;
			nearest = explanations[i].name;
		}
	}
	return nearest;
}

/*
 * Of '?', in the format of other options' errors, so that completion gets the
 * list.
 */
static int refuse(const char *name)
{
	const char *nearest = find_nearest(name);

	fputs("sdtlink: '", stderr);
	print_escaped(stderr, name);
	fputs("' is not a value of --explain; ", stderr);
	if (strcmp(name, "?") == 0) {
		fputs("it takes", stderr);
		print_names();
	} else if (nearest != NULL)
		fprintf(stderr, "did you mean '%s'?", nearest);
	else
		fputs("'--explain=?' lists them", stderr);
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
