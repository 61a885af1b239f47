/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --summary: a line for each probe, function, module or section. */
#ifndef SDTLINK_DUMP_SUMMARY_H
#define SDTLINK_DUMP_SUMMARY_H

#include "command.h"
#include "listing.h"

struct summed_site;

struct summary {
	struct summed_site *sites; /* owned */
	size_t n;
	const char **strings; /* a hash table of those seen; owned */
	size_t nstrings;
	size_t nbuckets;
};

/* Adds the sites of LISTING. Returns -1 if memory ran out. */
int summary_add(struct diag *d, const struct command *cmd,
		const struct listing *listing, struct summary *summary);

/*
 * Prints lines. If JSON is not NULL, writes members of its open object instead.
 */
int summary_print(struct diag *d, const struct command *cmd,
		  struct summary *summary, struct report *report,
		  struct json *json);
void summary_free(struct summary *summary);

#endif
