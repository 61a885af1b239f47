/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of verify: sites that the table has not. */
#include <config.h>

#include "match.h"

/* An offsets table without any of the N sites of the section of W. */
static void report_section(struct proof *p, const struct witness *w, size_t n)
{
	struct finding f = at_witness(w, CAUSE_TABLE_MISMATCH);

	f.remedy = REMEDY_SAME_SECTIONS;
	find(p, &f, "the table has no site of this section, which has %zu", n);
}

static void report_missing(struct proof *p, const struct witness *w)
{
	struct finding f = at_witness(w, mismatch_cause(p, w));

	find(p, &f, "this site of %s is not in the table", w->symbol);
}

/*
 * All N sites of the section of W are missing from an anchored table that is
 * there: its entries have a section of their own, which is not.
 */
static void report_dropped(struct proof *p, const struct witness *w, size_t n)
{
	bool is_comdat = p->partial->sections[w->shndx].group != 0;
	struct finding f = at_witness(w, is_comdat ? CAUSE_COMDAT : CAUSE_GC);

	if (is_comdat)
		find(p, &f,
		     "the image has a copy of this section without entries "
		     "in the table");
	else {
		f.remedy = REMEDY_KEEP_ENTRIES;
		find(p, &f,
		     "the final link dropped all entries of this section, "
		     "which has %zu site%s",
		     n, n == 1 ? "" : "s");
	}
}

static bool is_missing(const struct witness *w, size_t nentries)
{
	return nentries == 0 && !w->is_target && !w->is_excluded &&
	       w->is_placed && !w->is_folded && !w->is_dead && !w->is_suspect &&
	       !w->is_absent;
}

/* The witnesses [FIRST, END) are those of one section. */
static void check_section(struct proof *p, const size_t *nentries, size_t first,
			  size_t end)
{
	const struct witness *missing = NULL;
	size_t nmissing = 0, n = 0;

	for (size_t i = first; i < end; i++) {
		const struct witness *w = &p->list.items[i];

		n += nentries[i];
		if (nentries[i] == 0 && !w->is_excluded && !w->is_folded &&
		    !w->is_target) {
			p->run->v->ngone += w->is_absent;
			if (w->is_absent)
				report_lost(p, w, LOST_DROPPED);
			p->run->v->ndead += !w->is_absent && w->is_dead;
		}
		if (is_missing(w, nentries[i]) && nmissing++ == 0)
			missing = w;
	}
	if (nmissing > 0 && n == 0 && p->run->table.nentries > 0) {
		if (p->run->table.form == TABLE_ANCHORED)
			report_dropped(p, missing, nmissing);
		else
			report_section(p, missing, nmissing);
		return;
	}
	for (size_t i = first; i < end; i++)
		if (is_missing(&p->list.items[i], nentries[i]))
			report_missing(p, &p->list.items[i]);
}

/*
 * Has the table not one entry of the partial, which has sites? Then it was
 * not injected, or the table is of another one.
 */
static bool is_unknown(struct proof *p, const size_t *nentries)
{
	const struct witness *missing = NULL;
	struct finding f;

	for (size_t i = 0; i < p->list.n; i++) {
		if (nentries[i] > 0)
			return false;
		if (missing == NULL && is_missing(&p->list.items[i], 0))
			missing = &p->list.items[i];
	}
	if (missing == NULL)
		return false;
	f = at_witness(missing, CAUSE_TABLE_MISMATCH);
	if (p->run->table.form == TABLE_ANCHORED)
		f.remedy = REMEDY_INJECT_ALL;
	find(p, &f, "the table has none of the sites");
	return true;
}

void check_missing(struct proof *p, const size_t *nentries)
{
	if (p->run->table.nentries > 0 &&
	    p->run->table.form == TABLE_ANCHORED && is_unknown(p, nentries))
		return;
	for (size_t first = 0, end; first < p->list.n; first = end) {
		for (end = first + 1;
		     end < p->list.n &&
		     p->list.items[end].shndx == p->list.items[first].shndx;
		     end++)
			;
		check_section(p, nentries, first, end);
	}
}
