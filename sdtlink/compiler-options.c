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
	const char *output, *source;
	size_t nsources;
	bool compiles; /* -c, and nothing that ends it before */
	bool ends_before;
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
		line->source = word;
		line->nsources++;
		return 1;
	}
	line->compiles |= strcmp(word, "-c") == 0 ||
			  strcmp(word, "--compile") == 0;
	line->ends_before |= ends_before(word);
	if (word[1] == 'o')
		line->output = word[2] != '\0' ? word + 2 : next;
	if (strncmp(word, "--output=", 9) == 0)
		line->output = word + 9;
	if (strcmp(word, "--output") == 0)
		line->output = next;
	return takes_word(word) || strcmp(word, "--output") == 0 ? 2 : 1;
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

static char *find_object(const struct string_list *all)
{
	struct line line = { 0 };

	for (size_t i = 0; i < all->n;)
		i += read_word(&line, all->items[i],
			       i + 1 < all->n ? all->items[i + 1] : NULL);
	if (!line.compiles || line.ends_before)
		return NULL;
	if (line.output != NULL)
		return strdup(line.output);
	return line.nsources == 1 ? object_of(line.source) : NULL;
}

char *compiler_object(char *const *argv)
{
	struct diag quiet = { .sink = diag_ignore };
	struct argument_list args;
	char *object = NULL;
	int n = 0;

	while (argv[n] != NULL)
		n++;
	/* A compiler that cannot read them writes no object. */
	if (response_expand(&quiet, n, (char **)argv, &args) == 0)
		object = find_object(&args.words);
	response_free(&args);
	return object;
}
