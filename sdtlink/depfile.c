/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "depfile.h"
#include "output.h"

/* A path as make and ninja read it. */
static void put_path(FILE *f, const char *path)
{
	for (; *path != '\0'; path++) {
		if (*path == ' ' || *path == '#')
			fputc('\\', f);
		else if (*path == '$')
			fputc('$', f);
		fputc(*path, f);
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
	fputc('\n', f);
	for (size_t i = 0; cmd->phony && i < cmd->inputs.n; i++) {
		put_path(f, cmd->inputs.items[i]);
		fputs(":\n", f);
	}
}

/* As gcc does: the output's name with .d for its suffix. */
static char *default_path(const char *output)
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

int depfile_write(struct diag *d, const struct command *cmd)
{
	struct output out = { 0 };
	char *path = cmd->depfile_path ? strdup(cmd->depfile_path)
				       : default_path(cmd->output);
	int ret = -1;

	if (path == NULL)
		return diag_nomem(d, cmd->output);
	if (output_open(d, path, &out) == 0) {
		put_rule(out.stream, cmd);
		ret = output_commit(d, &out);
	}
	output_close(&out);
	free(path);
	return ret;
}
