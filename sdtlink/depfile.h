/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SDTLINK_DEPFILE_H
#define SDTLINK_DEPFILE_H

#include "command.h"
#include "output.h"

/* PATH is none of the inputs; otherwise diagnosed, and -1. */
int check_output(struct diag *d, const struct command *cmd, const char *path);

/* The depfile's path if -MF does not name one; for free(). */
char *depfile_default_path(const char *output);

/*
 * Writes the make rule that -MD and its kin ask for, if they do, to OUT, which
 * the caller commits after its own output. output_close is due either way.
 */
int depfile_prepare(struct diag *d, const struct command *cmd,
		    struct output *out);

#endif
