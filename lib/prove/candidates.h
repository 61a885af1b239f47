/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The places that a pending section fits. */
#ifndef SDTLINK_CANDIDATES_H
#define SDTLINK_CANDIDATES_H

#include "proof.h"

/*
 * Finds all places of all NPENDING sections, and keeps those at which sites and
 * table are right. Returns -1 on trouble, diagnosed, as do the others.
 */
int candidates_find_all(struct proof *all, size_t n, size_t npending);

/*
 * Drops the places of S that other sections have, unless S has no other place.
 * Keeps a place if the name of S, or the table, shows that S may have been
 * folded into the section there. Where S has no name of its own, also
 * drops places in the middle of another section, and those where S would be the
 * start of a longer one.
 */
void candidates_drop_occupied(const struct proof *p, struct pending *s,
			      const struct occupied *occupied);

/*
 * At the present place of S: is a site off that has no record, though there are
 * records?
 */
bool candidates_lack_records(const struct proof *p, const struct pending *s);

/* Does a name imply a place of S? */
bool candidates_are_named(const struct pending *s);

/* Has S a place now that candidates_drop_occupied would drop? */
bool candidates_have_part(const struct proof *p, const struct pending *s);

#endif
