/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Findings of --verify as places in the source: in that of the partial, if they
 * are about one of its sections; else of the address in the final.
 */
#ifndef SDTLINK_FINDING_LINES_H
#define SDTLINK_FINDING_LINES_H

#include "base/finding.h"
#include "source/source.h"

/* The debug information of a file is looked for when a finding is about it. */
struct finding_lines {
	const struct object *objs; /* partials, then the final */
	size_t n;		   /* partials */
	const char *debug_file;	   /* of the final, or NULL */
	struct source **sources;   /* one for each, or NULL; owned */
	bool *is_tried;		   /* owned */
};

/* Returns -1 without memory, diagnosed. finding_lines_close is due either way.
 */
int finding_lines_open(struct diag *d, const struct object *objs, size_t n,
		       const char *debug_file, struct finding_lines *lines);
void finding_lines_close(struct finding_lines *lines);

/*
 * The source of F: no frames if it is not known, which is not said. Strings
 * live until LINES are closed; source_chain_free is due.
 */
void finding_lines_find(struct finding_lines *lines, const struct finding *f,
			struct source_chain *chain);

#endif
