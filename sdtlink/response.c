/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "response.h"

/* Deeper nesting is a cycle. */
#define DEPTH_MAX 10
/* Ten files that each name the next one ten times never end in practice. */
#define FILES_MAX 1000

static int own(struct argument_list *args, char *text)
{
	char **owned =
		realloc(args->owned, (args->nowned + 1) * sizeof(owned[0]));

	if (owned == NULL) {
		free(text);
		return -1;
	}
	args->owned = owned;
	owned[args->nowned++] = text;
	return 0;
}

static char *read_text(struct diag *d, const char *path)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;
	ssize_t length;

	if (f == NULL) {
		diag_file(d, path, "cannot-read",
			  "cannot open the response file: %s", strerror(errno));
		return NULL;
	}
	/*
	 * Reads up to a NUL byte, which no argument can contain: the whole
	 * file.
	 */
	length = getdelim(&text, &size, '\0', f);
	if (length > 0 && text[length - 1] == '\0') {
		diag_file(d, path, "cannot-read",
			  "a NUL byte in the response file");
		free(text);
		text = NULL;
	} else if (length < 0) {
		/*
		 * At the end of a file, getdelim may leave TEXT without a NUL.
		 */
		free(text);
		text = NULL;
		if (!feof(f))
			diag_file(d, path, "cannot-read",
				  "cannot read the response file: %s",
				  strerror(errno));
		else if ((text = strdup("")) == NULL)
			diag_nomem(d, path);
	}
	fclose(f);
	return text;
}

/*
 * Takes the next word off *TEXT, and removes its quotes in place. White space
 * separates words, single and double quotes group, and a backslash quotes any
 * character.
 */
static char *next_word(char **text)
{
	char *p = *text + strspn(*text, " \t\r\n\f\v");
	char *word = p, *to = p;
	char quote = '\0';

	if (*p == '\0')
		return NULL;
	for (;
	     *p != '\0' && (quote != '\0' || strchr(" \t\r\n\f\v", *p) == NULL);
	     p++) {
		if (*p == '\\' && p[1] != '\0')
			*to++ = *++p;
		else if (quote != '\0' && *p == quote)
			quote = '\0';
		else if (quote == '\0' && (*p == '\'' || *p == '"'))
			quote = *p;
		else
			*to++ = *p;
	}
	*text = *p == '\0' ? p : p + 1;
	*to = '\0';
	return word;
}

static int add_word(struct diag *d, struct argument_list *args, char *word,
		    unsigned depth)
{
	char *text, *path = word + 1;

	if (word[0] != '@' || word[1] == '\0') {
		if (string_list_add(&args->words, word))
			return diag_nomem(d, "sdtlink");
		return 0;
	}
	if (depth == DEPTH_MAX)
		return diag_file(d, path, "usage",
				 "response files are nested too deeply");
	if (args->files.n == FILES_MAX)
		return diag_file(d, path, "usage", "too many response files");
	text = read_text(d, path);
	if (text == NULL)
		return -1;
	if (own(args, text) || string_list_add(&args->files, path))
		return diag_nomem(d, path);
	while ((word = next_word(&text)) != NULL)
		if (add_word(d, args, word, depth + 1))
			return -1;
	return 0;
}

int response_expand(struct diag *d, int argc, char **argv,
		    struct argument_list *args)
{
	*args = (struct argument_list){ 0 };
	for (int i = 0; i < argc; i++)
		if (add_word(d, args, argv[i], 0))
			return -1;
	return 0;
}

int response_add(struct diag *d, const char *text, struct argument_list *args)
{
	char *copy = strdup(text), *word;

	if (copy == NULL || own(args, copy))
		return diag_nomem(d, "sdtlink");
	while ((word = next_word(&copy)) != NULL)
		if (add_word(d, args, word, 0))
			return -1;
	return 0;
}

void response_free(struct argument_list *args)
{
	for (size_t i = 0; i < args->nowned; i++)
		free(args->owned[i]);
	free(args->owned);
	string_list_free(&args->words);
	string_list_free(&args->files);
}
