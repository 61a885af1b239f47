/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The entries of the table, by address. */
#ifndef SDTLINK_ENTRIES_H
#define SDTLINK_ENTRIES_H

#include "proof.h"

/* Sorts the entries of the table, which all share, by address. */
int entries_sort(struct verify_run *run);

/* The first entry of the table for ADDR, or for a site behind it. */
size_t entries_below(const struct proof *p, uint64_t addr);

/* Is entry I, in that order, for ADDR? */
bool entries_is_at(const struct proof *p, size_t i, uint64_t addr);

/* The entries of the table for PROBE at ADDR. Needs entries_by_addr of the run.
 */
size_t entries_count_at(const struct proof *p, uint64_t addr,
			const char *probe);

/* The first site of S that is to be in the table, if there is any. */
const struct proof_site *entries_first_site(const struct proof *p,
					    const struct pending *s);

#endif
