/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: a branch from a section whose place is known shows where the
 * section is that it calls. The linker has put the address there, names or no
 * names. This settles what fits, sites and table leave open.
 */
#ifndef SDTLINK_REFERENCES_H
#define SDTLINK_REFERENCES_H

#include "proof.h"

/*
 * Drops the places of pending sections to which the branches of their callers
 * do not lead, and sets is_referenced where the places that are left are all
 * called. *HAS_CHANGED is set if it did anything. Returns -1 on trouble,
 * diagnosed.
 */
int references_apply(struct proof *all, size_t n, bool *has_changed);

void references_free(struct references *references);

#endif
