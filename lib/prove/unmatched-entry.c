/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of verify: explains entries of the table that are about no site. */
#include <config.h>

#include <inttypes.h>
#include <string.h>

#include "match.h"
#include "namesakes.h"

bool unmatched_entry_same_probe(const struct proof *p,
				const struct table_entry *entry,
				const struct proof_site *site)
{
	const char *symbol = site->symbol;

	if (p->run->table.form == TABLE_LINKER_SET &&
	    strncmp(symbol, "__dtrace_", 9) == 0)
		symbol += 9;
	return strcmp(entry->probe, symbol) == 0;
}

enum cause unmatched_entry_cause(const struct proof *p,
				 const struct proof_site *site)
{
	return p->run->table.form != TABLE_ANCHORED &&
			       p->partial->sections[site->shndx].relaxes
		       ? CAUSE_RELAXATION
		       : CAUSE_TABLE_MISMATCH;
}

/* Where the table should have the site SITE. */
static uint64_t entry_addr(const struct proof *p, const struct proof_site *site)
{
	return image_wrap(&p->run->img, p->run->table.form == TABLE_LINKER_SET
						? site->addr + site->field
						: site->addr);
}

/*
 * The site that entry I means if the table has the order of the partial. This
 * distinguishes a displaced table from a wrong one.
 */
static const struct proof_site *counterpart(const struct proof *p, size_t i)
{
	size_t n = 0;

	for (size_t k = 0; k < p->list.n; k++) {
		const struct proof_site *site = &p->list.items[k];

		if (site->is_excluded || site->is_unnamed || !site->is_placed ||
		    site->is_folded || site->is_target)
			continue;
		if (n++ == i)
			return site;
	}
	return NULL;
}

/*
 * Why the table has SITE elsewhere. Only a linker set measures all sites from
 * one place.
 */
static enum cause displacement_cause(const struct proof *p,
				     const struct proof_site *site)
{
	enum cause cause = unmatched_entry_cause(p, site);

	return cause == CAUSE_TABLE_MISMATCH &&
			       p->run->table.form == TABLE_LINKER_SET
		       ? CAUSE_REORDER
		       : cause;
}

const struct proof_site *
unmatched_entry_find_dropped(const struct proof *p,
			     const struct table_entry *entry)
{
	for (size_t i = 0; i < p->list.n; i++) {
		const struct proof_site *site = &p->list.items[i];

		if (site->is_absent && !site->is_excluded && !site->is_target &&
		    unmatched_entry_same_probe(p, entry, site))
			return site;
	}
	return NULL;
}

/*
 * Is ENTRY left over from a section that the final link dropped? Not if the
 * branch is there: then the section may be there without its symbols.
 */
static const struct proof_site *find_dropped(const struct proof *p,
					     const struct table_entry *entry)
{
	struct branch branch;

	if (lookup_placed_at(p, entry->addr) != NULL ||
	    (decode_at(p, entry->addr, &branch) &&
	     stub_at(p, branch.target) != NULL))
		return NULL;
	return unmatched_entry_find_dropped(p, entry);
}

/*
 * Could another component define the symbol that ENTRY is measured from? Then
 * the loader decides where that is, or it is a PLT entry.
 */
static bool has_open_base(const struct proof *p,
			  const struct table_entry *entry)
{
	struct branch branch = { .target = entry->base };

	return p->run->table.form == TABLE_OFFSETS &&
	       (image_find_reloc(&p->run->img, entry->base_at) != NULL ||
		reach_is_hop(p, &branch));
}

/*
 * Did the linker fold and then shorten the section of SITE, so that SITE is
 * there?
 */
static bool is_shortened_and_folded(const struct proof *p,
				    const struct proof_site *site)
{
	return p->run->table.form == TABLE_ANCHORED &&
	       p->partial->sections[site->shndx].relaxes &&
	       folded_count(p, site) > 1;
}

static void report_displaced(struct proof *p, const struct table_entry *entry,
			     const struct proof_site *site)
{
	struct finding f = report_at_site(site, displacement_cause(p, site));

	if (has_open_base(p, entry))
		f.remedy = REMEDY_HIDE_BASE;
	else if (is_shortened_and_folded(p, site))
		f.remedy = REMEDY_NO_ICF;
	f.has_displacement = true;
	f.displacement = (int64_t)(entry_addr(p, site) - entry->addr);
	report_finding(p, &f,
		       "the table has this site of %s at 0x%" PRIx64
		       ", and it is at 0x%" PRIx64,
		       site->symbol, entry->addr, entry_addr(p, site));
}

/*
 * Is a branch of ENTRY's probe at its address, outside the partial's sections
 * with sites?
 */
static bool is_elsewhere(const struct proof *p, const struct table_entry *entry)
{
	const struct stub *stub = stub_find(p, entry->probe);
	struct branch branch;

	return p->run->table.form == TABLE_ANCHORED && stub != NULL &&
	       lookup_placed_at(p, entry->addr) == NULL &&
	       decode_at(p, entry->addr, &branch) &&
	       reach_goes_to(p, entry->addr, &branch, stub);
}

/* Does a given partial define the function of the image that ADDR is in? */
static bool has_function_of(const struct proof *p, uint64_t addr)
{
	struct symbol function;

	return !image_function(&p->run->img, addr, &function) ||
	       namesakes_count(p, function.name) > 0;
}

bool unmatched_entry_is_foreign(const struct proof *p,
				const struct table_entry *entry)
{
	struct branch branch;
	struct symbol stub;

	if (lookup_placed_at(p, entry->addr) != NULL ||
	    has_function_of(p, entry->addr))
		return false;
	return p->run->table.form == TABLE_ANCHORED ||
	       (decode_at(p, entry->addr, &branch) &&
		image_function(&p->run->img, branch.target, &stub) &&
		stub.value == branch.target &&
		strcmp(stub.name, entry->probe) == 0);
}

/*
 * Reports one function of an anchored table, or once all of an offsets table.
 */
static void report_foreign(struct proof *p, const struct table_entry *entry)
{
	bool is_anchored = p->run->table.form == TABLE_ANCHORED;
	struct finding f = { .cause = CAUSE_TABLE_MISMATCH,
			     .has_address = true,
			     .address = entry->addr };
	struct symbol function;

	image_function(&p->run->img, entry->addr, &function);
	if (p->foreign != NULL &&
	    (!is_anchored || strcmp(p->foreign, function.name) == 0))
		return;
	p->foreign = function.name;
	if (is_elsewhere(p, entry))
		f.cause = CAUSE_EXTRA_SITE;
	f.remedy = is_anchored ? REMEDY_GIVE_DEFINITION : REMEDY_GIVE_PARTIAL;
	report_finding(
		p, &f,
		"the table has a site of %s, in a function of none of the "
		"partials given",
		entry->probe);
}

/* ENTRY is about no site, and nobody knows which one it was meant for. */
static void report_nothing(struct proof *p, const struct table_entry *entry)
{
	struct finding f = { .cause = CAUSE_TABLE_MISMATCH,
			     .has_address = true,
			     .address = entry->addr };
	const struct placed *placed;

	/* Only once: other entries have the same reason. */
	if (lookup_may_be_unnamed(p, entry->addr)) {
		if (p->has_unnamed)
			return;
		p->has_unnamed = true;
		f.cause = CAUSE_UNPLACED;
		report_finding(
			p, &f,
			"the table has a site of %s, and no symbol shows whether "
			"it is one",
			entry->probe);
		return;
	}
	if (is_elsewhere(p, entry)) {
		f.cause = CAUSE_EXTRA_SITE;
		report_finding(
			p, &f,
			"the table has a site of %s, which is none of the partial",
			entry->probe);
		return;
	}
	placed = lookup_placed_at(p, entry->addr);
	if (placed != NULL &&
	    is_shortened_and_folded(
		    &p->run->proofs[placed->k],
		    &p->run->proofs[placed->k].list.items[placed->first]))
		f.remedy = REMEDY_NO_ICF;
	report_finding(p, &f, "the table has a site of %s, where there is none",
		       entry->probe);
}

const struct proof_site *unmatched_entry_report(struct proof *p, size_t i)
{
	const struct table_entry *entry = &p->run->table.entries[i];
	const struct proof_site *site = NULL;

	if (lookup_is_explained(p, entry->addr))
		return NULL;
	if (p->run->v->nfindings >= FINDINGS_MAX) {
		p->run->v->nfindings++;
		return NULL;
	}
	site = find_dropped(p, entry);
	if (site != NULL) {
		struct finding f = report_at_site(site, CAUSE_GC);

		report_finding(
			p, &f,
			"the table has this site of %s, which the final link "
			"dropped",
			entry->probe);
		return site;
	}
	if (unmatched_entry_is_foreign(p, entry)) {
		report_foreign(p, entry);
		return NULL;
	}
	site = counterpart(p, i);
	if (site != NULL && unmatched_entry_same_probe(p, entry, site)) {
		report_displaced(p, entry, site);
		return site;
	}
	report_nothing(p, entry);
	return NULL;
}
