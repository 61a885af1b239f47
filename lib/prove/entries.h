/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The entries of the table, by address. */
#ifndef SDTLINK_ENTRIES_H
#define SDTLINK_ENTRIES_H

#include "proof.h"

/* Sorts the entries of the table, which all share, by address. */
int entries_sort(struct verify_run *run);

/* The first entry whose address is not below ADDR: an index in that order. */
size_t entries_below(const struct proof *p, uint64_t addr);

/* Has entry I, in that order, the address ADDR? */
bool entries_is_at(const struct proof *p, size_t i, uint64_t addr);

/* How many entries has PROBE at ADDR? Needs entries_sort. */
size_t entries_count_at(const struct proof *p, uint64_t addr,
			const char *probe);

/* The first site of S that the table must have, or NULL. */
const struct proof_site *entries_first_site(const struct proof *p,
					    const struct pending *s);

#endif
