/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* Fails with a diagnostic if a part of the rule cannot be written. */
static int check_rule(struct diag *d, const struct command *cmd)
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

static void put_rule(FILE *f, const struct command *cmd)
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

static const char *depfile_path(const struct command *cmd)
{
	return cmd->depfile_path != NULL ? cmd->depfile_path
					 : cmd->default_depfile;
}

/* Looks up PATH. Sets *EXISTS. */
static int look_at(struct diag *d, const char *path, struct stat *st,
		   bool *exists)
{
	*exists = stat(path, st) == 0;
	if (*exists || errno == ENOENT || errno == ENOTDIR)
		return 0;
	return diag_file(d, path, "cannot-write", "cannot look at it: %s",
			 strerror(errno));
}

/* Sets *IS_SAME. Fails with a diagnostic if that cannot be determined. */
static int compare_files(struct diag *d, const char *a, const char *b,
			 bool *is_same)
{
	struct stat x, y;
	bool a_exists, b_exists;

	*is_same = strcmp(a, b) == 0;
	if (*is_same)
		return 0;
	if (look_at(d, a, &x, &a_exists) || look_at(d, b, &y, &b_exists))
		return -1;
	*is_same = a_exists && b_exists && x.st_dev == y.st_dev &&
		   x.st_ino == y.st_ino;
	return 0;
}

static int check_list(struct diag *d, const struct string_list *inputs,
		      const char *path)
{
	bool is_same;

	for (size_t i = 0; i < inputs->n; i++) {
		if (compare_files(d, path, inputs->items[i], &is_same))
			return -1;
		if (is_same)
			return diag_file(d, path, "output-is-input",
					 "would overwrite its input: name "
					 "another output");
	}
	return 0;
}

/* Fails with a diagnostic if PATH is one of the inputs. */
static int check_output(struct diag *d, const struct command *cmd,
			const char *path)
{
	if (check_list(d, &cmd->inputs, path))
		return -1;
	return check_list(d, &cmd->response_files, path);
}

/* Writes the rule, without putting it in place. */
static int open_rule(struct diag *d, const struct command *cmd,
		     struct output *rule)
{
	const char *path = depfile_path(cmd);
	bool is_same;

	if (path == NULL)
		return diag_nomem(d, cmd->output);
	if (compare_files(d, path, cmd->output, &is_same))
		return -1;
	if (is_same)
		return diag_file(d, path, "output-is-input",
				 "would be both the output and its make rule: "
				 "name another with -MF");
	if (check_rule(d, cmd) || check_output(d, cmd, path) ||
	    output_open(d, path, rule))
		return -1;
	put_rule(rule->stream, cmd);
	return 0;
}

int result_open(struct diag *d, const struct command *cmd,
		struct result *result)
{
	const char *path = cmd->output != NULL ? cmd->output : "-";

	*result = (struct result){ 0 };
	if (check_output(d, cmd, path) || output_open(d, path, &result->out))
		return -1;
	if (!cmd->depfile && cmd->depfile_path == NULL)
		return 0;
	return open_rule(d, cmd, &result->rule);
}

int result_finish(struct diag *d, struct result *result)
{
	if (output_finish(d, &result->out))
		return -1;
	return result->rule.stream != NULL ? output_finish(d, &result->rule)
					   : 0;
}

int result_commit(struct diag *d, struct result *result)
{
	/* If only one of them is put in place, make must see an old output. */
	struct output *const outs[] = { &result->rule, &result->out };
	bool has_rule = result->rule.path != NULL;

	return output_commit(d, has_rule ? outs : outs + 1, has_rule ? 2 : 1);
}

void result_close(struct diag *d, struct result *result)
{
	output_close(d, &result->rule);
	output_close(d, &result->out);
}
