/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the source lines of findings: in the partial if the finding is about
 * one of its sections, else at the address in the final.
 */
#ifndef SDTLINK_FINDING_LINES_H
#define SDTLINK_FINDING_LINES_H

#include "base/finding.h"
#include "source/source.h"

/* A file's debug information is only opened when a finding needs it. */
struct finding_lines {
	const struct object *objs; /* partials, then the final */
	size_t n;		   /* partials */
	const char *debug_file;	   /* of the final, or NULL */
	struct source **sources;   /* one for each, or NULL; owned */
	bool *is_tried;		   /* owned */
};

/*
 * Returns -1 if memory ran out, diagnosed. Call finding_lines_close either way.
 */
int finding_lines_open(struct diag *d, const struct object *objs, size_t n,
		       const char *debug_file, struct finding_lines *lines);
void finding_lines_close(struct finding_lines *lines);

/*
 * Finds the source of F. If it is unknown, there are no frames, and no message.
 * Strings live until LINES is closed. Call source_chain_free.
 */
void finding_lines_find(struct finding_lines *lines, const struct finding *f,
			struct source_chain *chain);

#endif
