/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "depfile.h"

/* Does a backslash before this character make it an ordinary one? */
static bool is_quotable(char c)
{
	return c == ' ' || c == '#' || c == ':';
}

/*
 * Writes a path in the syntax of make and ninja. A backslash is an ordinary
 * character, except before characters that it quotes.
 */
static void put_path(FILE *f, const char *path)
{
	while (*path != '\0') {
		size_t n = strspn(path, "\\");
		size_t quoted = is_quotable(path[n]) ? 2 * n + 1 : n;

		for (size_t i = 0; i < quoted; i++)
			fputc('\\', f);
		path += n;
		if (*path == '$')
			fputc('$', f);
		if (*path != '\0')
			fputc(*path++, f);
	}
}

/* If PATH begins a line, does make read it as a directive? */
static bool is_directive(const char *path)
{
	static const char *const words[] = {
		"-include", "-load",	"define",   "else",	"endef",
		"endif",    "export",	"ifdef",    "ifeq",	"ifndef",
		"ifneq",    "include",	"load",	    "override", "private",
		"sinclude", "undefine", "unexport", "vpath",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(path, words[i]) == 0)
			return true;
	return false;
}

/*
 * Does make misread a part of PATH in any position? In a target, a percent sign
 * makes a pattern.
 */
static bool is_unwritable(const char *path, bool is_target)
{
	size_t length = strlen(path);
	char last = length > 0 ? path[length - 1] : '\0';

	return strpbrk(path, "\t\n\v\f\r;=|") != NULL || path[0] == '~' ||
	       (is_target &&
		(strchr(path, '%') != NULL || is_directive(path))) ||
	       last == '\\' || last == ' ' ||
	       (last == ')' && strchr(path, '(') != NULL);
}

static int check_paths(struct diag *d, const struct string_list *files,
		       bool is_target)
{
	for (size_t i = 0; i < files->n; i++)
		if (is_unwritable(files->items[i], is_target))
			return diag_report(
				d, SEVERITY_TROUBLE,
				&(struct place){ .file = files->items[i] },
				"make-rule", "rename it, or leave -MD out",
				"no make rule can have this name");
	return 0;
}

int depfile_check(struct diag *d, const struct command *cmd)
{
	const char *output[] = { cmd->output };
	struct string_list outputs = { output, 1 };

	if (cmd->targets.n == 0 && check_paths(d, &outputs, true))
		return -1;
	return check_paths(d, &cmd->inputs, cmd->phony) ||
			       check_paths(d, &cmd->response_files, cmd->phony)
		       ? -1
		       : 0;
}

/* An empty rule for each input, so that make does not stop if it is deleted. */
static void put_phony(FILE *f, const struct command *cmd,
		      const struct string_list *files)
{
	for (size_t i = 0; cmd->phony && i < files->n; i++) {
		put_path(f, files->items[i]);
		fputs(":\n", f);
	}
}

void depfile_put(FILE *f, const struct command *cmd)
{
	if (cmd->targets.n == 0)
		put_path(f, cmd->output);
	/* -MT is taken as it is: the user may want make's variables in it. */
	for (size_t i = 0; i < cmd->targets.n; i++)
		fprintf(f, i ? " %s" : "%s", cmd->targets.items[i]);
	fputc(':', f);
	for (size_t i = 0; i < cmd->inputs.n; i++) {
		fputc(' ', f);
		put_path(f, cmd->inputs.items[i]);
	}
	for (size_t i = 0; i < cmd->response_files.n; i++) {
		fputc(' ', f);
		put_path(f, cmd->response_files.items[i]);
	}
	fputc('\n', f);
	put_phony(f, cmd, &cmd->inputs);
	put_phony(f, cmd, &cmd->response_files);
}

/* As gcc does: the name of the output with suffix .d. */
char *depfile_default_path(const char *output)
{
	const char *slash = strrchr(output, '/');
	const char *dot = strrchr(slash != NULL ? slash : output, '.');
	size_t length = dot != NULL ? (size_t)(dot - output) : strlen(output);
	char *path = malloc(length + 3);

	if (path != NULL) {
		memcpy(path, output, length);
		strcpy(path + length, ".d");
	}
	return path;
}
