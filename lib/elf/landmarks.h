/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lists the symbols of a partial for which a final can be searched, by section:
 * those with a name and an address. Mapping symbols and assembler labels do not
 * count.
 */
#ifndef SDTLINK_LANDMARKS_H
#define SDTLINK_LANDMARKS_H

#include "object.h"

struct landmarks {
	const struct object *obj;
	uint32_t *symbols; /* indices, by section, then ascending; owned */
	size_t *first;	   /* by section index: the index in symbols; the
			    * last entry is the number of symbols; owned */
};

/* Returns -1 if memory ran out, diagnosed. Call landmarks_free either way. */
int landmarks_read(struct diag *d, const struct object *obj,
		   struct landmarks *landmarks);
void landmarks_free(struct landmarks *landmarks);

/* Those of section SHNDX, *N of them. */
const uint32_t *landmarks_list(const struct landmarks *landmarks,
			       uint32_t shndx, size_t *n);

/* The distance from the start of section SHNDX to its first landmark, or 0. */
uint64_t landmarks_first(const struct landmarks *landmarks, uint32_t shndx);

/*
 * The next landmark of section SHNDX. *I counts those that were returned, and
 * begins as 0. Returns the index of a symbol, or 0 behind the last one.
 */
uint32_t landmarks_next(const struct landmarks *landmarks, uint32_t shndx,
			size_t *i, struct symbol *sym);

#endif
