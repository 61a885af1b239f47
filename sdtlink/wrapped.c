/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "linker-options.h"
#include "program.h"
#include "wrapped.h"

#define FLAGS_VARIABLE "SDTLINK_FLAGS"

static int nomem(void)
{
	fputs("sdtlink: out of memory\n", stderr);
	return -1;
}

/* Quotes each character of WORD that is special to a shell. */
static char *quote(char *to, const char *word)
{
	*to++ = ' ';
	for (; *word != '\0'; word++) {
		*to++ = '\\';
		*to++ = *word;
	}
	return to;
}

static bool is_mode(const char *word)
{
	return strcmp(word, "--link") == 0 || strcmp(word, "--cc") == 0;
}

/*
 * Joins the N options at ARGV, without the mode itself, and those of the
 * environment.
 */
static int join_flags(struct wrapped *w, char **argv, int n)
{
	size_t size = 2 + (w->flags != NULL ? strlen(w->flags) : 0);
	char *to;

	for (int i = 0; i < n; i++)
		size += 2 * strlen(argv[i]) + 1;
	w->all_flags = to = malloc(size);
	if (to == NULL)
		return nomem();
	for (int i = 0; i < n; i++)
		if (!is_mode(argv[i]))
			to = quote(to, argv[i]);
	*to++ = ' ';
	strcpy(to, w->flags != NULL ? w->flags : "");
	return 0;
}

static bool has_mode(char **argv, int n)
{
	for (int i = 1; i < n; i++)
		if (is_mode(argv[i]))
			return true;
	return false;
}

/* At the first -- behind one of the two modes. */
static int cut(struct wrapped *w, int *argc, char **argv)
{
	int i = 1;

	while (i < *argc && strcmp(argv[i], "--") != 0)
		i++;
	if (!has_mode(argv, i))
		return 0;
	w->flags = getenv(FLAGS_VARIABLE);
	if (i < *argc)
		w->program = argv + i + 1;
	*argc = i;
	return join_flags(w, argv + 1, i - 1);
}

static bool is_source(const char *word)
{
	const char *dot = strrchr(word, '.');

	return word[0] != '-' && dot != NULL &&
	       (strcmp(dot, ".c") == 0 || strcmp(dot, ".cc") == 0 ||
		strcmp(dot, ".cpp") == 0);
}

/* A source that is not the value of an option, such as -T. */
static const char *find_source(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (is_source(argv[i]) && (i == 1 || argv[i - 1][0] != '-' ||
					   strcmp(argv[i - 1], "-c") == 0))
			return argv[i];
	return NULL;
}

/* As after make CC=sdtlink-ld. */
static int refuse_source(const char *source)
{
	fprintf(stderr,
		"sdtlink: error: sdtlink-ld runs ld, which cannot compile %s; "
		"name the compiler: CC='sdtlink-ld cc'\n",
		source);
	return -1;
}

/*
 * Is WORD the name of a program that is not here? A linker would take it for an
 * input that it cannot find, and say so. Inputs have a dot in their names.
 */
static bool is_missing_program(const char *word)
{
	const char *slash = strrchr(word, '/');

	if (word[0] == '-' || word[0] == '@' || access(word, F_OK) == 0)
		return false;
	return strchr(slash != NULL ? slash : word, '.') == NULL ||
	       is_linker_name(word) || is_compiler_name(word);
}

/*
 * As after sdtlink-ld --nop cc: a linker would know neither. Such a word may be
 * an option of linkers, too, but not before a program that is no input.
 */
static int refuse_option(const struct wrapped *w, char **argv)
{
	const char *name = strrchr(argv[0], '/');
	int i = 1;

	while (argv[i] != NULL && arguments_is_option(argv[i]))
		i++;
	if (w->in_driver || i == 1 || argv[i] == NULL || !program_is(argv[i]) ||
	    access(argv[i], F_OK) == 0)
		return 0;
	name = name != NULL ? name + 1 : argv[0];
	fprintf(stderr,
		"sdtlink: error: %s is an option of sdtlink, and goes into "
		"SDTLINK_FLAGS; or write sdtlink --%s %s -- %s\n",
		argv[1], strcmp(name, "sdtlink-cc") == 0 ? "cc" : "link",
		argv[1], argv[i]);
	return -1;
}

/*
 * "sdtlink-ld cc main.o" comes from a launcher. "sdtlink-ld main.o" comes from
 * LD=sdtlink-ld; then NAME is run.
 */
static int add_name(struct wrapped *w, int argc, char **argv, const char *name)
{
	const char *variable = w->in_driver ? "SDTLINK_LD" : NULL;
	const char *source = NULL;

	if (!w->in_driver && argc > 1 &&
	    (program_is(argv[1]) || is_missing_program(argv[1]))) {
		w->program = argv + 1;
		return 0;
	}
	if (variable == NULL)
		variable = strcmp(name, "cc") == 0 ? "SDTLINK_CC"
						   : "SDTLINK_LD";
	if (getenv(variable) != NULL && getenv(variable)[0] != '\0') {
		name = w->name = strdup(getenv(variable));
		if (name == NULL)
			return nomem();
		/* A compiler must not run itself as its linker. */
		if (!w->in_driver)
			unsetenv(variable);
	} else if (strcmp(name, "ld") == 0 && !w->in_driver)
		source = find_source(argc, argv);
	if (source != NULL)
		return refuse_source(source);
	w->program = calloc(argc + 1, sizeof(argv[0]));
	if (w->program == NULL)
		return nomem();
	w->owned = w->program;
	memcpy(w->program, argv, argc * sizeof(argv[0]));
	w->program[0] = (char *)name;
	return 0;
}

static int take_name(struct wrapped *w, int *argc, char ***argv,
		     const char *name, const char *mode)
{
	static char *words[3];

	w->flags = getenv(FLAGS_VARIABLE);
	if (refuse_option(w, *argv) || add_name(w, *argc, *argv, name) ||
	    join_flags(w, NULL, 0))
		return -1;
	words[0] = (*argv)[0];
	words[1] = (char *)mode;
	*argv = words;
	*argc = 2;
	return 0;
}

int wrapped_read(struct wrapped *w, int *argc, char ***argv)
{
	const char *slash, *name;

	*w = (struct wrapped){ 0 };
	if (*argc < 1)
		return 0;
	slash = strrchr((*argv)[0], '/');
	name = slash != NULL ? slash + 1 : (*argv)[0];
	if (strcmp(name, "sdtlink-cc") == 0)
		return take_name(w, argc, argv, "cc", "--cc");
	if (strcmp(name, "sdtlink-ld") == 0)
		return take_name(w, argc, argv, "ld", "--link");
	if (strcmp(name, "ld") != 0 && strncmp(name, "ld.", 3) != 0)
		return cut(w, argc, *argv);
	w->in_driver = true;
	return take_name(w, argc, argv, name, "--link");
}

void wrapped_free(struct wrapped *w)
{
	free(w->all_flags);
	free(w->owned);
	free(w->name);
}
