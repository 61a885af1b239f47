/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of scan: does anything refer to an unnamed range? Relocations count, and
 * the targets of the branch form, and branches and operands without a
 * relocation. Tables that only describe code do not count.
 */
#ifndef SDTLINK_UNNAMED_H
#define SDTLINK_UNNAMED_H

#include "base/diag.h"
#include "elf/object.h"

struct site_set;

/* Code without a name between two symbols, behind a sized one. */
struct unnamed_range {
	uint32_t shndx;
	uint64_t function; /* where the symbol before it begins */
	uint64_t start;
	uint64_t end;
	bool is_referenced;
	int64_t nranges; /* the number of references that begin here, less
			  * those that end before it: see mark_range */
};

/*
 * Sets is_referenced of the N UNNAMED ranges, which are sorted by section and
 * start and do not overlap. Padding at the end of the code before such a range
 * becomes part of it.
 */
int unnamed_judge(struct diag *d, const struct object *obj,
		  const struct site_set *set, struct unnamed_range *unnamed,
		  size_t n);

#endif
