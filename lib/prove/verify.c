/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The proof, in the order of its steps:
 *   collect   the sites of the partial; refuse what is no branch
 *   stubs     where each probe's stub is in the final
 *   place     each section with sites, and compare its bytes
 *   decode    the branch at each site in the final: does it reach the stub?
 *   table     does it name these sites and no others?
 *   extra     does any other branch in the final reach a stub?
 *   relocs    if the final kept its relocations: do they agree?
 */
#include <config.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aliases.h"
#include "candidates.h"
#include "elf/check.h"
#include "elf/functions.h"
#include "kinds.h"
#include "namesakes.h"
#include "proof.h"

/* --- Relocations ------------------------------------------------------- */

static void check_unrelocated(struct proof *p, uint64_t addr, uint64_t size,
			      const char *what)
{
	const struct image_reloc *r = image_first_reloc(&p->img, addr, size);
	struct finding f = { .cause = CAUSE_TABLE_MISMATCH,
			     .has_address = true };

	if (r == NULL)
		return;
	f.address = r->addr;
	if (r->is_defined && stub_called(p, r) != NULL)
		f.remedy = OPEN_REMEDY;
	else if (r->is_defined && p->table.form == TABLE_OFFSETS)
		f.remedy = OPEN_BASE_REMEDY;
	find(p, &f, "a run-time relocation would change %s", what);
}

/* The loader must not change a site or the table. */
static void check_site_relocs(struct proof *p)
{
	for (size_t i = 0; i < p->sites->n; i++) {
		const struct witness *w = p->sites->items[i];

		check_unrelocated(p, w->addr, w->length, "a site");
	}
}

static void check_entry_relocs(struct proof *p, const struct table_entry *entry)
{
	check_unrelocated(p, entry->descriptor, entry->descriptor_size,
			  "a probe's descriptor");
	if (entry->form == FORM_BRANCH)
		check_unrelocated(p, entry->jump, 8, "where a site jumps to");
}

static void check_table_relocs(struct proof *p)
{
	/* The pointers of a linker set are relocated, and may be. */
	if (p->table.form == TABLE_LINKER_SET)
		return;
	check_unrelocated(p, p->table.addr, p->table.size, "the table");
	for (size_t i = 0; i < p->table.nentries; i++)
		check_entry_relocs(p, &p->table.entries[i]);
}

/* --- The whole --------------------------------------------------------- */

/* Is that also the address of a site of a partial before this one? */
static bool is_in_another(const struct proof *p, uint64_t addr)
{
	const struct shared_site *shared = shared_sites_at(p, addr);

	return shared != NULL && &p->all[shared->k] < p;
}

static void add_folded(struct proof *p, const struct witness *w)
{
	p->v->nfolded++;
	report_lost(p, w, LOST_FOLDED);
}

static void count(struct proof *p)
{
	for (size_t i = 0; i < p->list.n; i++) {
		if (p->list.items[i].is_target)
			continue;
		p->v->nexcluded += p->list.items[i].is_excluded;
		if (p->list.items[i].is_folded)
			add_folded(p, &p->list.items[i]);
	}
	for (size_t i = 0; i < p->sites->n; i++)
		if (!p->sites->items[i]->is_suspect &&
		    is_in_another(p, p->sites->items[i]->addr))
			add_folded(p, p->sites->items[i]);
	p->v->nsites += p->list.n - p->list.ntargets;
}

/*
 * Names of probe functions that it does not define, and no use of any: it may
 * have lost its relocations.
 */
static void warn_mute(const struct proof *p)
{
	const struct witness_list *list = &p->list;

	if (list->n > 0 || list->has_excluded || list->nrefused > 0)
		return;
	for (size_t i = 0; i < list->nmentioned; i++) {
		struct symbol sym;

		object_symbol(p->partial, list->mentioned[i], &sym);
		if (sym.shndx != SHN_UNDEF)
			continue;
		diag_report(p->d, SEVERITY_WARNING,
			    &(struct place){ .file = p->partial->path },
			    "no-relocations",
			    "give the partial as ld -r wrote it",
			    "mentions %s and has no relocation against a probe "
			    "function: nothing tells of sites",
			    sym.name);
		return;
	}
}

/* The sites of each partial. Returns -1 on trouble, diagnosed. */
static int collect(struct proof *p)
{
	size_t nentries = table_count_injected(p->partial, p->options);

	p->is_injected = nentries > 0;
	if (names_build(p->d, p->partial, &p->functions) ||
	    placer_open(p->d, &p->functions, &p->img, &p->placer) ||
	    witness_collect(p->d, p->partial, p->options, &p->functions,
			    &p->placer, &p->list))
		return -1;
	if (nentries > p->list.n - p->list.ntargets)
		return diag_file(p->d, p->partial->path, "injected",
				 "was injected with --nop, or with other "
				 "options, and %zu of %zu sites are left: "
				 "give the object from before",
				 p->list.n - p->list.ntargets, nentries);
	warn_mute(p);
	return aliases_check(p->d, p->partial, p->options, &p->placer,
			     &p->list);
}

/* Stubs and table, which all partials share. */
static int read_image(struct proof *all, size_t n)
{
	struct proof *first = &all[0];

	if (list_stubs(first) || list_gots(first))
		return -1;
	if (locate_stubs(first) || check_overlays(all, n))
		return -1;
	check_distinct(first);
	if (read_table(first))
		return -1;
	if (n > 1 && first->has_table && first->table.form != TABLE_ANCHORED)
		return diag_file(first->d, first->img.obj->path,
				 "several-partials",
				 "has a table of one partial: only an anchored "
				 "table can be that of several");
	for (size_t k = 1; k < n; k++) {
		all[k].stubs = first->stubs;
		all[k].nstubs = first->nstubs;
		all[k].stubs_by_addr = first->stubs_by_addr;
		all[k].table = first->table;
		all[k].has_table = first->has_table;
		all[k].is_damaged = first->is_damaged;
		all[k].gots = first->gots;
		all[k].ngots = first->ngots;
		all[k].usual_got = first->usual_got;
	}
	for (size_t k = 0; k < n; k++)
		if (mark_kept(&all[k]))
			return -1;
	return 0;
}

/* Where the sites are. */
static int place(struct proof *all, size_t n)
{
	bool has_locals = false;

	if (check_names(all, n) || kinds_open(all, n) ||
	    namesakes_open(all, n) ||
	    candidates_open(all->d, &all->img, &all->placer.listings))
		return -1;
	for (size_t k = 0; k < n; k++) {
		all[k].placer.listings = all->placer.listings;
		has_locals |= keeps_locals(&all[k]);
	}
	/* Who asks what is at an address finds what is placed so far. */
	if (sort_placed(all))
		return -1;
	for (size_t k = 0; k < n; k++) {
		all[k].keeps_locals = has_locals;
		if (place_sections(&all[k]) ||
		    (has_many_additions(&all[k]) && sort_placed(all)))
			return -1;
	}
	if (sort_placed(all) || assign_sections(all, n) || sort_placed(all) ||
	    check_dropped(all, n))
		return -1;
	for (size_t k = 0; k < n; k++)
		if (check_folded(&all[k]) || index_sites(&all[k]))
			return -1;
	if (share_sites(all) || check_folded_away(all, n) ||
	    check_nameless_folded(all, n) || taken_list(all, &all[0].taken))
		return -1;
	for (size_t k = 0; k < n; k++) {
		all[k].taken = all[0].taken;
		check_moved(&all[k]);
	}
	return check_unknown(all, n);
}

static int prove(struct proof *all, size_t n)
{
	struct verification *v = all[0].v;
	size_t nrefused = 0;

	for (size_t k = 0; k < n; k++) {
		if (collect(&all[k]))
			return -1;
		nrefused += all[k].list.nrefused;
	}
	if (nrefused > 0)
		return 0;
	if (read_image(all, n) || place(all, n))
		return -1;
	for (size_t k = 0; k < n; k++) {
		check_sites(&all[k]);
		check_site_relocs(&all[k]);
	}
	check_table_relocs(&all[0]);
	for (size_t k = 0; k < n; k++)
		if (mark_dead(&all[k]))
			return -1;
	if (n > 1 && share_entries(all))
		return -1;
	for (size_t k = 0; k < n; k++) {
		if (check_table(&all[k]))
			return -1;
		count(&all[k]);
	}
	check_lost_stubs(all, n);
	check_stub_code(&all[0]);
	if (check_extra(&all[0]) || check_kinship(all, n) ||
	    count_recorded(all, n))
		return -1;
	v->nsites -= v->nexcluded + v->ndead;
	v->verdict = v->nfindings > 0 ? VERDICT_DRIFT : VERDICT_PROVED;
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
		if (p->pending[i].owns_fits)
			free(p->pending[i].pl.fits);
	}
	free(p->placed);
	free(p->pending);
	free(p->site_ranges);
	free(p->is_suspect);
	free(p->pending_of);
	free(p->partners);
	free(p->sites);
	witness_free(&p->list);
	if (p == p->all)
		candidates_close(p->placer.listings);
	placer_close(&p->placer);
	functions_index_free(&p->index);
	names_free(&p->functions);
	if (p != p->all)
		return;
	free(p->stubs);
	free(p->stubs_by_addr);
	free(p->gots);
	free(p->lost);
	free(p->targets);
	free(p->entries_by_addr);
	free(p->taken.ranges);
	kinds_free(p->kinds);
	namesakes_free(p->namesakes);
	free_placed(p->places);
	free_shared(p->shared);
	free_own_entries(p->own_entries);
	table_free(&p->table);
	image_close(&p->img);
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
	struct proof *all = calloc(n, sizeof(all[0]));
	int ret = -1;

	v->verdict = VERDICT_REFUSED;
	if (all == NULL)
		return diag_nomem(d, final->path);
	for (size_t k = 0; k < n; k++)
		all[k] = (struct proof){
			.all = all,
			.nall = n,
			.d = d,
			.partial = &partials[k],
			.options = options,
			.v = v,
		};
	if (check_machines(d, partials, n, final) == 0 &&
	    check_run_time_relocs(d, final) == 0 &&
	    image_open(d, final, &all[0].img) == 0) {
		for (size_t k = 1; k < n; k++)
			all[k].img = all[0].img;
		ret = prove(all, n);
	}
	for (size_t k = n; k-- > 0;)
		proof_free(&all[k]);
	free(all);
	return ret;
}
