/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * For the files that compare the table with the sites:
 *   match.c    each entry against the site that it is about
 *   unmatched-entry.c  entries that are about none
 *   unmatched-site.c  sites without an entry
 */
#ifndef SDTLINK_MATCH_H
#define SDTLINK_MATCH_H

#include "proof.h"

/* Are ENTRY and SITE of the same probe? */
bool unmatched_entry_same_probe(const struct proof *p,
				const struct table_entry *entry,
				const struct proof_site *site);

/* Why the table lacks SITE: offsets cannot be right in text that relaxes. */
enum cause unmatched_entry_cause(const struct proof *p,
				 const struct proof_site *site);

/* The first site of ENTRY's probe whose section is not in the image. */
const struct proof_site *
unmatched_entry_find_dropped(const struct proof *p,
			     const struct table_entry *entry);

/*
 * Is ENTRY right as far as the image shows, and about a site of a partial that
 * was not given? An anchored table cannot be displaced, and its sites may be
 * NOPs.
 */
bool unmatched_entry_is_foreign(const struct proof *p,
				const struct table_entry *entry);

/*
 * Reports entry I, which is about no site. Returns the site that it was meant
 * for, or NULL if that is not known.
 */
const struct proof_site *unmatched_entry_report(struct proof *p, size_t i);

/* Reports sites without an entry. NENTRIES: how many entries each site has. */
void unmatched_site_check(struct proof *p, const size_t *nentries);

#endif
