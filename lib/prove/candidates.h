/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The places that a pending section fits, for assign.c. */
#ifndef SDTLINK_CANDIDATES_H
#define SDTLINK_CANDIDATES_H

#include "proof.h"

/*
 * Looks for all places of all NPENDING sections, and keeps those that are
 * right. Returns -1 on trouble, diagnosed, as do the others.
 */
int candidates_find_all(struct proof *all, size_t n, size_t npending);

/*
 * Drops the places of S that were given to other sections, if that leaves any;
 * but not where S may have been folded into another one, as its name or the
 * table tells. Without a name, S is not in the middle of another one, nor the
 * start of a longer one, either way.
 */
void candidates_drop_occupied(const struct proof *p, struct pending *s,
			      const struct occupied *occupied);

/* Has S such a place now, which are dropped the next time? */
bool candidates_have_part(const struct proof *p, const struct pending *s);

/*
 * Sections are looked for where their alignment allows. A linker script may
 * have another one for them (SUBALIGN): what was not found is looked for once
 * more where entries of the table are that have no section yet.
 */
int candidates_seek_by_entries(struct proof *all, size_t n, bool *has_found);

#endif
