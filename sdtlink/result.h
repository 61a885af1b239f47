/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that a mode writes, and its end. */
#ifndef SDTLINK_RESULT_H
#define SDTLINK_RESULT_H

#include "base/output.h"
#include "command.h"

struct object;
struct site_set;

/* What a mode writes: its output, and the make rule for -MD. */
struct result {
	struct output out;
	struct output rule; /* without a stream if there is none */
};

/*
 * Opens both. Fails with a diagnostic if one is an input or cannot be written,
 * or if that cannot be determined. Without -o, the output is standard output.
 * Call result_end either way.
 */
int result_open(struct diag *d, const struct command *cmd,
		struct result *result);

/* Completes both. Afterwards only the last step can fail. */
int result_finish(struct diag *d, struct result *result);

/*
 * Ends a mode that writes a file. Prints the messages, and the bins or the JSON
 * document. Once that has arrived, puts RESULT, which is finished, in place. If
 * there was an error, or OBJ has changed, nothing is put in place, and RESULT
 * is closed. SET is NULL if no sites are listed.
 */
void result_end(const struct command *cmd, struct report *report,
		const struct object *obj, const struct site_set *set,
		struct result *result);

#endif
