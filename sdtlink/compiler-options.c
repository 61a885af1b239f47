/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "compiler-options.h"
#include "response.h"

/* Options of gcc 12 and clang 22 whose value may be a separate word. */
static const char letters[] = "ABDFGILTUVbelouxz";

static const char *const words[] = {
	"-MF",
	"-MJ",
	"-MQ",
	"-MT",
	"--param",
	"--serialize-diagnostics",
	"--sysroot",
	"--target",
	"-Xanalyzer",
	"-Xassembler",
	"-Xclang",
	"-Xlinker",
	"-Xpreprocessor",
	"-arch",
	"-aux-info",
	"-cxx-isystem",
	"-dumpbase",
	"-dumpbase-ext",
	"-dumpdir",
	"-framework",
	"-gcc-toolchain",
	"-idirafter",
	"-imacros",
	"-imultilib",
	"-include",
	"-include-pch",
	"-iprefix",
	"-iquote",
	"-isysroot",
	"-isystem",
	"-isystem-after",
	"-ivfsoverlay",
	"-iwithprefix",
	"-iwithprefixbefore",
	"-iwithsysroot",
	"-mllvm",
	"-specs",
	"-target",
	"-working-directory",
	"-wrapper",
};

struct line {
	const char *output;
	struct string_list inputs;
	bool compiles; /* -c, and nothing that ends it before */
	bool ends_before;
	bool names_language; /* -x */
};

static bool takes_word(const char *word)
{
	if (word[2] == '\0')
		return strchr(letters, word[1]) != NULL;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(word, words[i]) == 0)
			return true;
	return false;
}

/*
 * Does the compiler stop before it writes an object? -MD and -MMD do not stop
 * it.
 */
static bool ends_before(const char *word)
{
	static const char *const all[] = { "-E",	   "-S",
					   "-M",	   "-MM",
					   "-###",	   "-fsyntax-only",
					   "--preprocess", "--assemble",
					   "-emit-llvm" };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(word, all[i]) == 0)
			return true;
	return false;
}

static size_t read_word(struct line *line, const char *word, const char *next)
{
	/* - alone is standard input. */
	if (word[0] != '-' || word[1] == '\0') {
		string_list_add(&line->inputs, word);
		return 1;
	}
	line->compiles |= strcmp(word, "-c") == 0 ||
			  strcmp(word, "--compile") == 0;
	line->ends_before |= ends_before(word);
	line->names_language |= word[1] == 'x';
	if (word[1] == 'o')
		line->output = word[2] != '\0' ? word + 2 : next;
	if (strncmp(word, "--output=", 9) == 0)
		line->output = word + 9;
	if (strcmp(word, "--output") == 0)
		line->output = next;
	return takes_word(word) || strcmp(word, "--output") == 0 ? 2 : 1;
}

static bool has_suffix(const char *name, const char *const *suffixes)
{
	const char *dot = strrchr(name, '.');

	for (; dot != NULL && *suffixes != NULL; suffixes++)
		if (strcmp(dot + 1, *suffixes) == 0)
			return true;
	return false;
}

/* With -c, a compiler leaves them alone, and takes all else for a source. */
static bool is_for_linker(const char *name)
{
	static const char *const suffixes[] = { "o", "a", "so", NULL };

	return has_suffix(name, suffixes);
}

/* Without -c, it passes on to the linker what it does not know. */
static bool is_source(const char *name)
{
	static const char *const suffixes[] = {
		"c",   "i",   "cc",  "cp",  "cxx", "cpp", "CPP", "c++",
		"C",   "ii",  "s",   "S",   "sx",  "m",	  "mi",	 "mm",
		"M",   "mii", "f",   "for", "ftn", "F",	  "FOR", "fpp",
		"FPP", "FTN", "f90", "f95", "f03", "f08", "F90", "F95",
		"F03", "F08", "adb", "ads", "d",   "go",  NULL
	};

	return has_suffix(name, suffixes);
}

/* The object that -c without -o makes of a source, in the current directory. */
static char *object_of(const char *source)
{
	const char *slash = strrchr(source, '/');
	const char *name = slash != NULL ? slash + 1 : source;
	const char *dot = strrchr(name, '.');
	size_t length = dot != NULL ? (size_t)(dot - name) : strlen(name);
	char *object = malloc(length + 3);

	if (object == NULL)
		return NULL;
	memcpy(object, name, length);
	strcpy(object + length, ".o");
	return object;
}

static void add_object(struct compilation *c, char *object)
{
	if (object != NULL && string_list_add(&c->objects, object) != 0)
		free(object);
}

static void judge_line(const struct line *line, struct compilation *c)
{
	if (line->ends_before)
		return;
	if (line->compiles && line->output != NULL)
		add_object(c, strdup(line->output));
	for (size_t i = 0; i < line->inputs.n; i++) {
		const char *input = line->inputs.items[i];

		if (!line->compiles)
			c->links |= line->names_language || is_source(input);
		else if (line->output == NULL && !is_for_linker(input))
			add_object(c, object_of(input));
	}
}

void compilation_read(char *const *argv, struct compilation *c)
{
	struct diag quiet = { .sink = diag_ignore };
	const struct string_list *all;
	struct argument_list args;
	struct line line = { 0 };
	int n = 0;

	*c = (struct compilation){ 0 };
	while (argv[n] != NULL)
		n++;
	/* A compiler that cannot read them writes no object. */
	if (response_expand(&quiet, n, (char **)argv, &args) == 0) {
		all = &args.words;
		for (size_t i = 0; i < all->n;)
			i += read_word(&line, all->items[i],
				       i + 1 < all->n ? all->items[i + 1]
						      : NULL);
		judge_line(&line, c);
	}
	string_list_free(&line.inputs);
	response_free(&args);
}

void compilation_free(struct compilation *c)
{
	for (size_t i = 0; i < c->objects.n; i++)
		free((char *)c->objects.items[i]);
	string_list_free(&c->objects);
}
