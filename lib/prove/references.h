/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: a branch between two sections of a partial shows where one of
 * them is if the place of the other is known. The linker has put the address
 * there, names or no names.
 */
#ifndef SDTLINK_REFERENCES_H
#define SDTLINK_REFERENCES_H

#include "proof.h"

/*
 * Drops the places of pending sections that such branches deny, and sets
 * is_referenced where branches confirm all places that are left. Sets
 * *HAS_CHANGED if it did anything. Returns -1 on trouble, diagnosed.
 */
int references_apply(struct proof *all, size_t n, bool *has_changed);

#endif
