/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SDTLINK_DEPFILE_H
#define SDTLINK_DEPFILE_H

#include "command.h"
#include "output.h"

/* The depfile's path if -MF does not name one; for free(). */
char *depfile_default_path(const char *output);

/* What a mode writes: its output, and the make rule that -MD asks for. */
struct result {
	struct output out;
	struct output rule; /* without a stream if there is none */
};

/*
 * Opens both; fails with a diagnostic if one is an input or cannot be
 * written. Without -o it is standard output. result_close is due either way.
 */
int result_open(struct diag *d, const struct command *cmd,
		struct result *result);

/* Both files are whole before either is put in its place. */
int result_commit(struct diag *d, struct result *result);
void result_close(struct result *result);

#endif
