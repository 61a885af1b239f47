/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of verify: reports sites that the table lacks. */
#include <config.h>

#include "match.h"

/*
 * Reports an offsets table without any of the N sites of the section of SITE.
 */
static void report_section(struct proof *p, const struct proof_site *site,
			   size_t n)
{
	struct finding f = report_at_site(site, CAUSE_TABLE_MISMATCH);

	f.remedy = REMEDY_SAME_SECTIONS;
	report_finding(p, &f,
		       "the table has no site of this section, which has %zu",
		       n);
}

static void report_unmatched(struct proof *p, const struct proof_site *site)
{
	struct finding f = report_at_site(site, unmatched_entry_cause(p, site));

	report_finding(p, &f, "this site of %s is not in the table",
		       site->symbol);
}

/*
 * Reports that all N sites of the section of SITE are missing from the anchored
 * table. Their entries were in a section of their own, which the image lacks.
 */
static void report_dropped(struct proof *p, const struct proof_site *site,
			   size_t n)
{
	bool is_comdat = p->partial->sections[site->shndx].comdat != 0;
	struct finding f =
		report_at_site(site, is_comdat ? CAUSE_COMDAT : CAUSE_GC);

	if (is_comdat)
		report_finding(
			p, &f,
			"the image has a copy of this section without entries "
			"in the table");
	else {
		f.remedy = REMEDY_KEEP_ENTRIES;
		report_finding(
			p, &f,
			"the final link dropped all entries of this section, "
			"which has %zu site%s",
			n, n == 1 ? "" : "s");
	}
}

static bool is_unmatched(const struct proof_site *site, size_t nentries)
{
	return nentries == 0 && !site->is_target && !site->is_excluded &&
	       site->is_placed && !site->is_folded && !site->is_dead &&
	       !site->is_suspect && !site->is_absent;
}

/* Checks the sites [FIRST, END), which are those of one section. */
static void check_section(struct proof *p, const size_t *nentries, size_t first,
			  size_t end)
{
	const struct proof_site *unmatched = NULL;
	size_t nunmatched = 0, n = 0;

	for (size_t i = first; i < end; i++) {
		const struct proof_site *site = &p->list.items[i];

		n += nentries[i];
		if (nentries[i] == 0 && !site->is_excluded &&
		    !site->is_folded && !site->is_target) {
			p->run->v->ngone += site->is_absent;
			if (site->is_absent)
				report_lost(p, site, LOST_DROPPED);
			p->run->v->ndead += !site->is_absent && site->is_dead;
		}
		if (is_unmatched(site, nentries[i]) && nunmatched++ == 0)
			unmatched = site;
	}
	if (nunmatched > 0 && n == 0 && p->run->table.nentries > 0) {
		if (p->run->table.form == TABLE_ANCHORED)
			report_dropped(p, unmatched, nunmatched);
		else
			report_section(p, unmatched, nunmatched);
		return;
	}
	for (size_t i = first; i < end; i++)
		if (is_unmatched(&p->list.items[i], nentries[i]))
			report_unmatched(p, &p->list.items[i]);
}

/*
 * Has the table not one entry of the partial, which has sites? Then it was
 * not injected, or the table is of another one.
 */
static bool is_unknown(struct proof *p, const size_t *nentries)
{
	const struct proof_site *unmatched = NULL;
	struct finding f;

	for (size_t i = 0; i < p->list.n; i++) {
		if (nentries[i] > 0)
			return false;
		if (unmatched == NULL && is_unmatched(&p->list.items[i], 0))
			unmatched = &p->list.items[i];
	}
	if (unmatched == NULL)
		return false;
	f = report_at_site(unmatched, CAUSE_TABLE_MISMATCH);
	if (p->run->table.form == TABLE_ANCHORED)
		f.remedy = REMEDY_INJECT_ALL;
	report_finding(p, &f, "the table has none of the sites");
	return true;
}

void unmatched_site_check(struct proof *p, const size_t *nentries)
{
	if (p->run->table.nentries > 0 &&
	    p->run->table.form == TABLE_ANCHORED && is_unknown(p, nentries))
		return;
	for (size_t first = 0, end; first < p->list.n; first = end) {
		end = lookup_section_end(p, first);
		check_section(p, nentries, first, end);
	}
}
