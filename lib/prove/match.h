/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * For the files that compare the table with the sites:
 *   match.c    each entry against the site that it is about
 *   stray.c    entries that are about none
 *   missing.c  sites without an entry
 */
#ifndef SDTLINK_MATCH_H
#define SDTLINK_MATCH_H

#include "proof.h"

/* The options that say which sites count. */
bool same_probe(const struct proof *p, const struct table_entry *entry,
		const struct witness *w);

/* The table has not what W is. Offsets in text that relaxes are wrong. */
enum cause mismatch_cause(const struct proof *p, const struct witness *w);

/* The first site of ENTRY's probe whose section is not in the image. */
const struct witness *find_absent(const struct proof *p,
				  const struct table_entry *entry);

/*
 * Is ENTRY right, as far as the image tells, and of a partial that was not
 * given? An anchored table is not displaced, and its sites may be NOPs.
 */
bool is_foreign(const struct proof *p, const struct table_entry *entry);

/*
 * Reports entry I, which is about no site. Returns the site that it was meant
 * for, if that can be told.
 */
const struct witness *report_stray(struct proof *p, size_t i);

/* Reports sites without an entry; NENTRIES has the number of each. */
void check_missing(struct proof *p, const size_t *nentries);

#endif
