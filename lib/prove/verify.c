/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The proof, in the order of its steps:
 *   gather    read what the partials and the final say by themselves
 *   collect   the sites of the partial; refuse what is not a branch
 *   stubs     where each probe's stub is in the final
 *   place     each section with sites, and compare its bytes
 *   decode    the branch at each site in the final: does it reach the stub?
 *   table     does it name these sites and no others?
 *   extra     does any other branch in the final reach a stub?
 *   relocs    if the final kept its relocations: do they agree?
 *   flashed   has the file that is flashed the same bytes?
 */
#include <config.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "described.h"
#include "implied.h"
#include "elf/check.h"
#include "elf/functions.h"
#include "entries.h"
#include "gather.h"
#include "kinds.h"
#include "named.h"
#include "namesakes.h"
#include "siteless.h"
#include "proof.h"

/* --- Relocations ------------------------------------------------------- */

static void check_unrelocated(struct proof *p, uint64_t addr, uint64_t size,
			      const char *what)
{
	const struct image_reloc *r =
		image_first_reloc(&p->run->img, addr, size);
	struct finding f = { .cause = CAUSE_TABLE_MISMATCH,
			     .has_address = true };

	if (r == NULL)
		return;
	f.address = r->addr;
	if (r->is_defined && stub_called(p, r) != NULL)
		f.remedy = REMEDY_HIDE_STUB;
	else if (r->is_defined && p->run->table.form == TABLE_OFFSETS)
		f.remedy = REMEDY_HIDE_BASE;
	report_finding(p, &f, "a run-time relocation would change %s", what);
}

/* The loader must not change a site or the table. */
void verify_check_site_relocs(struct proof *p)
{
	for (size_t i = 0; i < p->sites->n; i++) {
		const struct proof_site *site = p->sites->items[i];

		check_unrelocated(p, site->addr, site->length, "a site");
	}
}

static void check_entry_relocs(struct proof *p, const struct table_entry *entry)
{
	check_unrelocated(p, entry->descriptor, entry->descriptor_size,
			  "a probe's descriptor");
	if (entry->form == FORM_BRANCH)
		check_unrelocated(p, entry->jump, 8, "where a site jumps to");
}

/*
 * Has the partial a relocation of all bytes that R changes in PL? Where the
 * linker deletes code, any one that is as wide will do.
 */
static bool is_wanted(const struct proof *p, const struct placed *pl,
		      const struct image_reloc *r)
{
	const struct section_relocs *relocs = &pl->relocs;
	uint64_t offset = r->addr - pl->addr;
	size_t i = pl->is_relaxed ? 0 : section_relocs_reaching(relocs, offset);

	if (r->addr < pl->addr)
		return false;
	for (; i < relocs->n; i++) {
		const struct reloc *own = &relocs->relocs[i];
		uint64_t end = own->offset +
			       arch_reloc_width(p->partial->arch, own->type);

		if (pl->is_relaxed
			    ? end - own->offset >= r->width
			    : own->offset <= offset && offset + r->width <= end)
			return true;
		if (!pl->is_relaxed && own->offset > offset)
			break;
	}
	return false;
}

/* The loader changes text only where the partial has a relocation, too. */
static void check_text_relocs(struct proof *p)
{
	const struct image *img = &p->run->img;

	for (size_t i = 0; i < p->nplaced; i++) {
		const struct placed *pl = &p->placed[i];
		const struct image_reloc *r =
			image_first_reloc(img, pl->addr, pl->size);
		struct finding f = { .cause = CAUSE_TEXT_DIFFERS,
				     .shndx = pl->shndx,
				     .has_address = true };

		for (; r != NULL && r < img->relocs + img->nrelocs &&
		       r->addr < pl->addr + pl->size;
		     r++) {
			if (r->addr + r->width <= pl->addr ||
			    is_wanted(p, pl, r))
				continue;
			f.address = r->addr;
			f.has_offset = !pl->is_relaxed && r->addr > pl->addr;
			f.offset = r->addr - pl->addr;
			report_finding(p, &f,
				       "a run-time relocation would change "
				       "bytes that no relocation of the "
				       "partial sets");
			break;
		}
	}
}

void verify_check_table_relocs(struct proof *p)
{
	/* The pointers of a linker set are relocated, and may be. */
	if (p->run->table.form == TABLE_LINKER_SET)
		return;
	check_unrelocated(p, p->run->table.addr, p->run->table.size,
			  "the table");
	check_unrelocated(p, p->run->table.names_addr, p->run->table.names_size,
			  "the names of functions");
	for (size_t i = 0; i < p->run->table.nentries; i++)
		check_entry_relocs(p, &p->run->table.entries[i]);
}

/* --- The whole --------------------------------------------------------- */

/* Is that also the address of a site of a partial before this one? */
static bool is_in_another(const struct proof *p, uint64_t addr)
{
	const struct shared_site *shared = lookup_shared_sites_at(p, addr);

	return shared != NULL && &p->run->proofs[shared->k] < p;
}

static void add_folded(struct proof *p, const struct proof_site *site)
{
	p->run->v->nfolded++;
	report_lost(p, site, LOST_FOLDED);
}

static void count(struct proof *p)
{
	for (size_t i = 0; i < p->list.n; i++) {
		if (p->list.items[i].is_target)
			continue;
		p->run->v->nexcluded += p->list.items[i].is_excluded;
		if (p->list.items[i].is_folded)
			add_folded(p, &p->list.items[i]);
	}
	for (size_t i = 0; i < p->sites->n; i++)
		if (!p->sites->items[i]->is_suspect &&
		    is_in_another(p, p->sites->items[i]->addr))
			add_folded(p, p->sites->items[i]);
	p->run->v->nsites += p->list.n - p->list.ntargets;
}

/* Tells the caller where the section of the sites [FIRST, END) is. */
static void tell_section(const struct proof *p, size_t first, size_t end,
			 bool is_there, uint64_t addr)
{
	struct verified_section section = {
		.partial = p - p->run->proofs,
		.shndx = p->list.items[first].shndx,
		.addr = addr,
		.is_there = is_there,
		.is_folded = true,
	};
	const struct verification *v = p->run->v;

	for (size_t i = first; i < end; i++) {
		const struct proof_site *site = &p->list.items[i];

		if (site->is_target)
			continue;
		section.nsites++;
		section.is_folded &= site->is_folded;
		section.is_disabled |= site->is_disabled;
	}
	if (section.nsites > 0)
		v->placed(v->ctx, &section);
}

static void tell_sections(const struct proof *p)
{
	const struct proof_site_list *list = &p->list;
	size_t end;

	for (size_t i = 0; i < p->nplaced; i++)
		if (p->placed[i].first < p->placed[i].end)
			tell_section(p, p->placed[i].first, p->placed[i].end,
				     true, p->placed[i].addr);
	for (size_t i = 0; i < list->n; i = end) {
		bool is_there = false;

		for (end = i; end < list->n &&
			      list->items[end].shndx == list->items[i].shndx;
		     end++)
			is_there |= list->items[end].is_placed;
		if (!is_there)
			tell_section(p, i, end, false, 0);
	}
}

/* --link injects what nobody has injected, and knows whether with --nop. */
static bool was_branches(const struct proof *p)
{
	return p->run->v->is_linked && !p->run->options->nop &&
	       !p->is_injected && !p->partial->is_restored;
}

/* Takes what was gathered of the partial. Returns -1 on trouble, diagnosed. */
static int collect(struct proof *p, struct gathered *g)
{
	size_t k = p - p->run->proofs;
	struct collected *c = g->collected[k];
	bool has_failed;

	diag_log_pass(&g->logs[k], p->run->d);
	if (c == NULL)
		return -1;
	g->collected[k] = NULL;
	has_failed = c->has_failed;
	p->functions = c->functions;
	p->list = c->list;
	p->is_injected = c->is_injected;
	p->has_branches = c->has_branches || was_branches(p);
	free(c);
	return has_failed || versions_drop(p)
		       ? -1
		       : placer_open(p->run->d, &p->functions, &p->run->img,
				     &p->placer);
}

/* Reads stubs and table, which all partials share. */
static int read_image(struct proof *all, size_t n, struct gathered *g)
{
	struct proof *first = &all[0];

	if (stubs_list(first) || reach_list_gots(first))
		return -1;
	if (stubs_locate(first) || overlays_check(all, n))
		return -1;
	stubs_check_distinct(first);
	diag_log_pass(&g->table_log, first->run->d);
	if (match_take_table(first, g->table_status, g->has_table))
		return -1;
	if (n > 1 && first->run->has_table &&
	    first->run->table.form != TABLE_ANCHORED)
		return diag_file(first->run->d, first->run->img.obj->path,
				 "several-partials",
				 "has a table of one partial: only an anchored "
				 "table can be that of several");
	for (size_t k = 0; k < n; k++)
		if (stubs_mark_kept(&all[k]))
			return -1;
	return records_read(first->run->d, first->run->img.obj,
			    &first->run->records);
}

/* Places all sections and sites. */
static int place(struct proof *all, size_t n)
{
	struct verify_run *run = all->run;

	if (linked_from_check_names(all, n) || kinds_open(run) ||
	    namesakes_open(run) ||
	    implied_open(run->d, &run->img, &all->placer.listings))
		return -1;
	for (size_t k = 0; k < n; k++) {
		all[k].placer.listings = all->placer.listings;
		run->keeps_locals |= sections_keep_locals(&all[k]);
		if (sections_open(&all[k]))
			return -1;
	}
	/* Lookups find what is placed so far. */
	if (lookup_sort_placed(run))
		return -1;
	for (size_t k = 0; k < n; k++)
		if (sections_place(&all[k]) ||
		    (lookup_has_many_additions(&all[k]) &&
		     lookup_sort_placed(run)))
			return -1;
	if (lookup_sort_placed(run) || assign_sections(all, n) ||
	    lookup_sort_placed(run) || account_dropped(all, n))
		return -1;
	for (size_t k = 0; k < n; k++) {
		folded_check(&all[k]);
		if (lookup_index_sites(&all[k]))
			return -1;
	}
	if (lookup_share_sites(run) || account_folded_away(all, n) ||
	    folded_check_nameless(all, n) ||
	    lookup_list_occupied(all, false, &run->occupied))
		return -1;
	for (size_t k = 0; k < n; k++)
		account_moved(&all[k]);
	return unknown_check(all, n);
}

/*
 * Checks the records of sites that no partial places. Records that cannot be
 * read are no finding: who uses records asks first whether they are complete.
 */
static int check_records(struct proof *p)
{
	if (p->run->records.n > 0 && entries_sort(p->run))
		return -1;
	records_check(p);
	return 0;
}

static int prove(struct proof *all, size_t n, struct gathered *g)
{
	struct verification *v = all[0].run->v;
	size_t nrefused = 0;

	for (size_t k = 0; k < n; k++) {
		if (collect(&all[k], g))
			return -1;
		nrefused += all[k].list.nrefused;
	}
	if (nrefused > 0)
		return 0;
	if (read_image(all, n, g) || place(all, n))
		return -1;
	for (size_t k = 0; k < n; k++) {
		branch_check_sites(&all[k]);
		calls_check(&all[k]);
		areas_check(&all[k]);
		verify_check_site_relocs(&all[k]);
		check_text_relocs(&all[k]);
	}
	verify_check_table_relocs(&all[0]);
	for (size_t k = 0; k < n; k++)
		if (dead_mark(&all[k]))
			return -1;
	if (n > 1 && match_share_entries(all->run))
		return -1;
	for (size_t k = 0; k < n; k++) {
		if (match_table(&all[k]))
			return -1;
		count(&all[k]);
		if (v->placed != NULL)
			tell_sections(&all[k]);
	}
	match_check_names(all);
	if (all->run->table.form == TABLE_ANCHORED && check_records(all))
		return -1;
	if (lost_stubs_check(all, n))
		return -1;
	stub_code_check(&all[0]);
	if (extra_check(&all[0]) || linked_from_check(all, n) ||
	    callers_check(all, n) || kept_check(all, n) ||
	    named_check(all, n) || tracepoints_count(all, n))
		return -1;
	if (v->flashed != NULL && v->nfindings == 0)
		flashed_check(all, n);
	if (v->is_nameless)
		match_count_proved(all->run);
	v->nsites -= v->nexcluded + v->ndead;
	v->verdict = v->nfindings > v->nopen ? VERDICT_DRIFT
		     : v->nproved > 0	     ? VERDICT_PARTLY
		     : v->is_nameless	     ? VERDICT_REFUSED
					     : VERDICT_PROVED;
	return 0;
}

static void proof_free(struct proof *p)
{
	for (size_t i = 0; i < p->nplaced; i++) {
		section_relocs_free(&p->placed[i].relocs);
		free(p->placed[i].unknown);
	}
	for (size_t i = 0; i < p->npending; i++) {
		section_relocs_free(&p->pending[i].relocs);
		if (p->pending[i].owns_candidates)
			free(p->pending[i].pl.candidates);
	}
	free(p->placed);
	free(p->pending);
	free(p->site_ranges);
	free(p->is_suspect);
	free(p->pending_of);
	free(p->siblings);
	free(p->sites);
	free(p->strings);
	proof_site_free(&p->list);
	placer_close(&p->placer);
	functions_index_free(&p->index);
	names_free(&p->functions);
}

void verify_free(struct verify_run *run)
{
	implied_close(run->proofs[0].placer.listings);
	for (size_t k = 0; k < run->nproofs; k++)
		proof_free(&run->proofs[k]);
	free(run->proofs);
	free(run->stubs);
	free(run->stubs_by_addr);
	free(run->gots);
	free(run->lost);
	free(run->targets);
	free(run->entries_by_addr);
	free(run->entry_states);
	records_free(&run->records);
	siteless_free(run->siteless);
	described_free(run->described, run->nproofs);
	free(run->occupied.ranges);
	kinds_free(run->kinds);
	namesakes_free(run->namesakes);
	lookup_free_placed(run->places);
	lookup_free_shared(run->shared);
	match_free_own_entries(run->own_entries);
	table_free(&run->table);
	image_close(&run->img);
}

static int check_machines(struct diag *d, const struct object *partials,
			  size_t n, const struct object *final)
{
	for (size_t k = 0; k < n; k++)
		if (strcmp(partials[k].arch->name, final->arch->name) != 0)
			return diag_file(d, final->path, "not-linked-from",
					 "is for %s, but %s is for %s",
					 final->arch->name, partials[k].path,
					 partials[k].arch->name);
	return 0;
}

int verify_objects(struct diag *d, const struct object *partials, size_t n,
		   const struct object *final, const struct options *options,
		   struct verification *v)
{
	struct verify_run run = {
		.d = d,
		.options = options,
		.v = v,
		.proofs = calloc(n, sizeof(run.proofs[0])),
		.nproofs = n,
	};
	struct gathered g = { .image_status = -1 };
	int ret = -1;

	v->verdict = VERDICT_REFUSED;
	if (run.proofs == NULL)
		return diag_nomem(d, final->path);
	for (size_t k = 0; k < n; k++) {
		run.proofs[k].run = &run;
		run.proofs[k].partial = &partials[k];
	}
	if (check_machines(d, partials, n, final) == 0 &&
	    check_run_time_relocs(d, final) == 0 &&
	    gather(&run, final, &g) == 0) {
		diag_log_pass(&g.image_log, d);
		if (g.image_status == 0)
			ret = prove(run.proofs, n, &g);
	}
	gather_free(&run, &g);
	verify_free(&run);
	return ret;
}
