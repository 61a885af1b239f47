/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An output file that appears whole or not at all: it is written beside its
 * place and renamed. Until then, and after any failure or signal, what stood
 * there before stands.
 */
#ifndef SDTLINK_OUTPUT_H
#define SDTLINK_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "diag.h"

struct output {
	const char *path; /* as given; not owned */
	char *temporary;  /* owned; NULL if it is written directly */
	FILE *stream;	  /* NULL when it is finished */
	char *buffer;	  /* of the stream; owned */
	bool is_same;	  /* as what stands there */
};

/*
 * PATH "-" is standard output; a device or pipe is written directly.
 * output_close is due either way.
 */
int output_open(struct diag *d, const char *path, struct output *out);

/*
 * Everything that can fail but the last step: the bytes are in the temporary
 * file. output_commit does it if nobody has.
 */
int output_finish(struct diag *d, struct output *out);

/*
 * Puts the file in place. A regular file that has these very bytes already
 * is left alone, time stamp and all.
 */
int output_commit(struct diag *d, struct output *out);

/* Removes what was not committed. */
void output_close(struct output *out);

/* Removes all that is not committed; for signal handlers. */
void output_abandon(void);

#endif
