/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of verify: which symbols of a partial cover which bytes of its text. */
#ifndef SDTLINK_EXTENTS_H
#define SDTLINK_EXTENTS_H

#include "proof-site.h"

struct extents {
	struct extent *items; /* by section, then start; owned */
	size_t n;
};

/* Returns -1 without memory, diagnosed. Call extents_free either way. */
int extents_list(struct diag *d, const struct object *obj,
		 struct extents *extents);

/*
 * Sets the function of each site of LIST, and is_unnamed where no symbol covers
 * it. Uses up EXTENTS. Returns -1 without memory, diagnosed.
 */
int extents_mark(struct diag *d, const struct object *obj,
		 struct extents *extents, struct proof_site_list *list);

void extents_free(struct extents *extents);

#endif
