/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * interpose.c sees what the linker opens. So of its command line, only the
 * output must be known, and whether that is an image. For that, one must know
 * which options take the next word.
 */
#include <config.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "linker-options.h"
#include "response.h"

/*
 * Options of GNU ld 2.40, gold 1.16, lld 22 and mold 1.10 whose value may be a
 * separate word. Long ones have one or two dashes. A word that begins with a
 * letter and is longer is an option with its value (-lc), or another option.
 */
static const char letters[] = "AabcefFGhIlLmoOPRTuYyz";

static const char *const words[] = {
	"Map",
	"Tbss",
	"Tdata",
	"Tldata-segment",
	"Trodata-segment",
	"Ttext",
	"Ttext-segment",
	"architecture",
	"assert",
	"audit",
	"auxiliary",
	"base-file",
	"call-graph-ordering-file",
	"chroot",
	"compress-debug-sections",
	"default-script",
	"defsym",
	"depaudit",
	"dependency-file",
	"dynamic-linker",
	"dynamic-list",
	"emulation",
	"entry",
	"error-handling-script",
	"exclude-libs",
	"export-dynamic-symbol",
	"export-dynamic-symbol-list",
	"filter",
	"fini",
	"format",
	"hash-style",
	"ignore-unresolved-symbol",
	"init",
	"input-format",
	"just-symbols",
	"keep-unique",
	"library",
	"library-path",
	"mllvm",
	"mri-script",
	"oformat",
	"orphan-handling",
	"out-implib",
	"output",
	"plugin",
	"plugin-opt",
	"remap-inputs",
	"remap-inputs-file",
	"require-defined",
	"retain-symbols-file",
	"rpath",
	"rpath-link",
	"script",
	"section-ordering-file",
	"section-start",
	"soname",
	"sort-section",
	"spare-dynamic-tags",
	"symbol-ordering-file",
	"sysroot",
	"task-link",
	"thread-count",
	"trace-symbol",
	"undefined",
	"undefined-glob",
	"unresolved-symbols",
	"version-exports-section",
	"version-script",
	"wrap",
};

static bool takes_word(const char *name)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(name, words[i]) == 0)
			return true;
	return false;
}

/*
 * If WORD is NAME=VALUE, returns VALUE. If it is NAME, returns "". Else NULL.
 */
static const char *value_of(const char *word, const char *name)
{
	size_t n = strlen(name);

	if (strncmp(word, name, n) != 0)
		return NULL;
	if (word[n] == '=')
		return word + n + 1;
	return word[n] == '\0' ? word + n : NULL;
}

static void set_output(struct linker_options *options, const char *output)
{
	free(options->output);
	options->output = strdup(output);
}

/* Reads -b FORMAT, or NULL if WORD is none; the value may be NEXT. */
static const char *format_of(const char *word, const char *next, bool is_long)
{
	static const char *const names[] = { "format", "input-format" };
	const char *name = word + 1 + is_long, *value;

	for (size_t i = 0; i < 2; i++) {
		value = value_of(name, names[i]);
		if (value != NULL)
			return value[0] == '\0' ? next : value;
	}
	if (is_long || name[0] != 'b')
		return NULL;
	return name[1] == '\0' ? next : name + 1;
}

static void add_data(struct linker_options *options, const char *word)
{
	char *name = strdup(word);

	if (name == NULL || string_list_add(&options->data, name))
		free(name);
}

/*
 * Reads WORD, and NEXT, which may be NULL. Returns the number of words taken.
 */
static size_t read_word(struct linker_options *options, const char *word,
			const char *next)
{
	bool is_long = word[0] == '-' && word[1] == '-';
	const char *name = word + 1 + is_long, *value;

	if (word[0] != '-' && options->is_data)
		add_data(options, word);
	if (word[0] != '-' || name[0] == '\0')
		return 1;
	value = format_of(word, next, is_long);
	if (value != NULL)
		options->is_data = strcmp(value, "binary") == 0;
	options->is_partial |= strcmp(name, "relocatable") == 0 ||
			       strcmp(name, "Ur") == 0 ||
			       (!is_long && (strcmp(name, "r") == 0 ||
					     strcmp(name, "i") == 0));
	value = is_long ? value_of(name, "output") : NULL;
	/* -omagic is an output of that name. */
	if (!is_long && name[0] == 'o')
		value = name + 1;
	if (value != NULL && value[0] == '\0')
		value = next;
	if (value != NULL)
		set_output(options, value);
	if (!is_long && name[1] == '\0')
		return strchr(letters, name[0]) != NULL ? 2 : 1;
	return takes_word(name) ? 2 : 1;
}

/* To linkers, "@NAME" is a file name if there is no such response file. */
static bool expand(char *word, struct argument_list *args)
{
	struct diag quiet = { .sink = diag_ignore };

	return word[0] == '@' && response_expand(&quiet, 1, &word, args) == 0;
}

static void append(struct string_list *all, struct argument_list *args,
		   char *word)
{
	*args = (struct argument_list){ 0 };
	if (!expand(word, args)) {
		string_list_add(all, word);
		return;
	}
	for (size_t i = 0; i < args->words.n; i++)
		string_list_add(all, args->words.items[i]);
}

void linker_options_read(char *const *argv, struct linker_options *options)
{
	struct argument_list *args;
	struct string_list all = { 0 };
	size_t n = 0;

	*options = (struct linker_options){ 0 };
	while (argv[n] != NULL)
		n++;
	args = calloc(n + 1, sizeof(args[0]));
	if (args == NULL)
		return;
	for (size_t i = 0; i < n; i++)
		append(&all, &args[i], argv[i]);
	set_output(options, "a.out");
	for (size_t i = 0; i < all.n;)
		i += read_word(options, all.items[i],
			       i + 1 < all.n ? all.items[i + 1] : NULL);
	string_list_free(&all);
	for (size_t i = 0; i < n; i++)
		response_free(&args[i]);
	free(args);
}

void linker_options_free(struct linker_options *options)
{
	for (size_t i = 0; i < options->data.n; i++)
		free((char *)options->data.items[i]);
	string_list_free(&options->data);
	free(options->output);
}

/* Is one of LIST, which NULL ends, a word of NAME? */
static bool has_word(const char *name, const char *const *list)
{
	const char *slash = strrchr(name, '/');

	for (name = slash != NULL ? slash + 1 : name; *name != '\0';) {
		size_t n = 0;

		while (isalnum((unsigned char)name[n]) || name[n] == '+')
			n++;
		for (size_t i = 0; list[i] != NULL; i++)
			if (n == strlen(list[i]) &&
			    strncmp(name, list[i], n) == 0)
				return true;
		name += n + (name[n] != '\0');
	}
	return false;
}

/* Is one of its parts ld, as in riscv64-linux-gnu-ld.bfd and ld.lld-19? */
bool is_linker_name(const char *name)
{
	static const char *const list[] = { "ld", "lld", "gold", "mold", NULL };

	return has_word(name, list);
}

bool is_compiler_name(const char *name)
{
	static const char *const list[] = { "cc",    "c++",	"gcc", "g++",
					    "clang", "clang++", NULL };

	return has_word(name, list);
}
