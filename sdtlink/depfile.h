/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SDTLINK_DEPFILE_H
#define SDTLINK_DEPFILE_H

#include "command.h"
#include "base/output.h"

struct object;
struct site_set;

/* The depfile's path if -MF does not name one; for free(). */
char *depfile_default_path(const char *output);

/* What a mode writes: its output, and the make rule that -MD asks for. */
struct result {
	struct output out;
	struct output rule; /* without a stream if there is none */
};

/*
 * Opens both; fails with a diagnostic if one is an input or cannot be
 * written, or if that cannot be told. Without -o it is standard output.
 * result_close is due either way.
 */
int result_open(struct diag *d, const struct command *cmd,
		struct result *result);

/* Both are whole: all that can fail, but the last step. */
int result_finish(struct diag *d, struct result *result);

/* Puts both in place, or none: see output_commit. */
int result_commit(struct diag *d, struct result *result);
void result_close(struct diag *d, struct result *result);

/*
 * The end of a mode that writes a file: says what there is to say, the bins or
 * the JSON document, and when that has arrived, puts RESULT, which is finished,
 * in place. Nothing is, and all of RESULT is closed, if there is a diagnostic
 * that is an error, or OBJ has changed. SET is NULL where no sites are listed.
 */
void result_end(const struct command *cmd, struct report *report,
		const struct object *obj, const struct site_set *set,
		struct result *result);

#endif
