/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What probes cost, in bytes of a file. */
#ifndef SDTLINK_COST_H
#define SDTLINK_COST_H

#include "listing.h"

#define COST_LINE 64 /* bytes of a cache line */

/* The columns of every row. */
enum cost_column {
	COST_SITES,
	COST_HOT,   /* bytes where the function runs */
	COST_NOP,   /* of these, in NOPs */
	COST_LINES, /* cache lines with such bytes */
	COST_COLD,  /* bytes out of line */
	COST_STUB,  /* bytes of the stub */
	COST_TABLE, /* bytes of the site table and of records that are loaded */
	COST_NOTES, /* bytes of metadata, not loaded */
	COST_SIZE,  /* only for functions: bytes of the function itself */
	COST_SPLIT, /* and of its cold part, if that has its own symbol */
	COST_COLUMNS,
};

/* A probe, a function, or all. */
struct cost {
	const char *name; /* of the probe function, or of the function */
	const struct listed_probe *probe; /* or NULL */
	uint64_t column[COST_COLUMNS];
};

struct costs {
	struct cost total;
	struct cost *probes; /* by name; owned */
	size_t nprobes;
	struct cost *functions; /* with sites, by name; owned */
	size_t nfunctions;
	uint64_t text, data, bss; /* as size(1) counts */
};

/*
 * Measures FILE, which is open, and the functions of PEER unless that is NULL.
 * Functions of one name are measured as one. Returns -1 if memory ran out,
 * diagnosed. Call costs_free either way.
 */
int costs_measure(struct diag *d, const struct listed_file *file,
		  const struct options *options, const struct costs *peer,
		  struct costs *costs);
void costs_free(struct costs *costs);

/* A row for two builds. One is NULL if that build lacks the name. */
struct cost_pair {
	const struct cost *own, *other;
};

/*
 * Joins the rows of two lists by name. Fills PAIRS, which has room for NOWN +
 * NOTHER, and returns the number of pairs.
 */
size_t cost_join(const struct cost *own, size_t nown, const struct cost *other,
		 size_t nother, struct cost_pair *pairs);

/* The difference to the other build, as a signed number. */
int64_t cost_difference(const struct cost_pair *pair, enum cost_column column);

/*
 * Writes an SVG with a bar for each probe of COSTS and, unless that is NULL, of
 * OTHER.
 */
void cost_chart(FILE *stream, const char *path, const struct costs *costs,
		const char *other_path, const struct costs *other,
		const struct cost_pair *pairs, size_t npairs);

#endif
