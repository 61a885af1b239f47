/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of verify: answers which section and which site is at an address. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/search.h"
#include "base/sort.h"
#include "entries.h"
#include "proof.h"

/* --- Sections ------------------------------------------------------------ */

/*
 * What several partials have at each address of the image. A cell is a stretch
 * of addresses, up to the next cell, that has one answer. Sections that are
 * placed later go to a list first, and are sorted in once there are many.
 */
struct cell {
	uint64_t start;
	const struct placed *placed; /* of the first partial, or NULL */
	size_t n;		     /* partials that have one there */
	size_t nsections;	     /* that begin at START */
	size_t next;		     /* while building: the next unset one */
};

/* placed[I] of the partial K, which was added later. */
struct addition {
	size_t k, i;
};

struct places {
	struct cell *cells; /* owned */
	size_t ncells;
	const struct placed **starts; /* by address; owned; NULL until asked for
				       */
	size_t nstarts;
	struct addition *additions; /* owned */
	size_t nadditions;
};

static int compare_placed(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	return sort_pairs(x->addr, x->order, y->addr, y->order);
}

/*
 * Where the I-th section of P ends for lookup_own_placed_at: at the latest
 * where the next one begins.
 */
static uint64_t end_of(const struct proof *p, size_t i)
{
	const struct placed *pl = &p->placed[i];
	uint64_t end = pl->addr + pl->size;

	if (end < pl->addr)
		end = UINT64_MAX;
	return i + 1 < p->nplaced && pl[1].addr < end ? pl[1].addr : end;
}

/* The number of cells that begin at or below ADDR. */
static size_t cells_below(const struct places *places, uint64_t addr)
{
	size_t i;

	LOWER_BOUND(i, places->ncells, places->cells[i].start <= addr);
	return i;
}

/*
 * The first cell from I on that no partial has yet. Shortens paths as it goes.
 */
static size_t next_unset(struct cell *cells, size_t i)
{
	while (cells[i].next != i) {
		cells[i].next = cells[cells[i].next].next;
		i = cells[i].next;
	}
	return i;
}

/*
 * Fills cells in the order of the partials: the first partial that covers a
 * cell has it.
 */
static void fill_cells(struct places *places, const struct proof *all)
{
	struct cell *cells = places->cells;

	for (size_t k = 0; k < all->run->nproofs; k++)
		for (size_t i = 0; i < all[k].nplaced; i++) {
			uint64_t start = all[k].placed[i].addr;
			uint64_t end = end_of(&all[k], i);
			size_t at = cells_below(places, start) - 1;
			size_t stop = cells_below(places, end) - 1;

			cells[at].nsections++;
			if (start >= end)
				continue;
			/* Opens a bracket here, and closes it at the end. */
			cells[at].n++;
			cells[stop].n--;
			for (at = next_unset(cells, at); at < stop;
			     at = next_unset(cells, at)) {
				cells[at].placed = &all[k].placed[i];
				cells[at].next = at + 1;
			}
		}
	for (size_t i = 1; i < places->ncells; i++)
		cells[i].n += cells[i - 1].n;
}

static int build_cells(struct places *places, const struct proof *all)
{
	size_t n = 0;

	for (size_t k = 0; k < all->run->nproofs; k++)
		n += all[k].nplaced;
	free(places->cells);
	places->cells = calloc(2 * n + 1, sizeof(places->cells[0]));
	places->ncells = 0;
	if (places->cells == NULL)
		return diag_nomem(all->run->d, all->run->img.obj->path);
	for (size_t k = 0; k < all->run->nproofs; k++)
		for (size_t i = 0; i < all[k].nplaced; i++) {
			places->cells[places->ncells++].start =
				all[k].placed[i].addr;
			places->cells[places->ncells++].start =
				end_of(&all[k], i);
		}
	places->ncells = sort_unique(places->cells, places->ncells,
				     sizeof(places->cells[0]),
				     sort_compare_numbers);
	for (size_t i = 0; i < places->ncells; i++)
		places->cells[i].next = i;
	fill_cells(places, all);
	return 0;
}

static void sort_own(struct proof *p)
{
	for (size_t i = p->nsorted; i < p->nplaced; i++)
		p->placed[i].order = i;
	if (p->nsorted < p->nplaced)
		qsort(p->placed, p->nplaced, sizeof(p->placed[0]),
		      compare_placed);
	for (size_t i = 0; i < p->nplaced; i++)
		p->placed[i].order = i;
	p->nsorted = p->nplaced;
}

int lookup_sort_placed(struct verify_run *run)
{
	struct places *places = run->places;

	if (places == NULL) {
		places = calloc(1, sizeof(*places));
		if (places == NULL)
			return diag_nomem(run->d, run->img.obj->path);
		run->places = places;
	} else if (places->nadditions == 0) {
		return 0;
	}
	places->nadditions = 0;
	free(places->starts);
	places->starts = NULL;
	for (size_t k = 0; k < run->nproofs; k++)
		sort_own(&run->proofs[k]);
	return run->nproofs > 1 ? build_cells(places, run->proofs) : 0;
}

void lookup_free_placed(struct places *places)
{
	if (places != NULL) {
		free(places->cells);
		free(places->starts);
		free(places->additions);
	}
	free(places);
}

int lookup_add_placed(struct proof *p, const struct placed *pl)
{
	struct places *places = p->run->places;
	struct addition *additions;

	p->placed[p->nplaced] = *pl;
	p->placed[p->nplaced++].k = p - p->run->proofs;
	if (places == NULL)
		return 0;
	additions = grow_list(places->additions, places->nadditions,
			      sizeof(additions[0]));
	if (additions == NULL)
		return diag_nomem(p->run->d, p->partial->path);
	places->additions = additions;
	additions[places->nadditions++] =
		(struct addition){ p - p->run->proofs, p->nplaced - 1 };
	return 0;
}

bool lookup_has_many_additions(const struct proof *p)
{
	size_t n = p->run->nproofs > 1 ? p->run->places->ncells : p->nsorted;

	return p->run->places->nadditions > 64 + n / 16;
}

const struct placed *lookup_own_placed_at(const struct proof *p, uint64_t addr)
{
	const struct placed *pl;
	size_t first;

	LOWER_BOUND(first, p->nsorted, p->placed[first].addr <= addr);
	pl = first > 0 ? &p->placed[first - 1] : NULL;
	for (size_t i = p->nsorted; i < p->nplaced; i++)
		if (p->placed[i].addr <= addr &&
		    (pl == NULL || pl->addr <= p->placed[i].addr))
			pl = &p->placed[i];
	return pl != NULL && addr - pl->addr < pl->size ? pl : NULL;
}

const struct placed *lookup_placed_at(const struct proof *p, uint64_t addr)
{
	const struct places *places = p->run->places;
	const struct placed *pl;
	size_t i;

	if (p->run->nproofs == 1)
		return lookup_own_placed_at(p, addr);
	i = cells_below(places, addr);
	pl = i > 0 ? places->cells[i - 1].placed : NULL;
	for (i = 0; i < places->nadditions; i++) {
		const struct addition *add = &places->additions[i];
		const struct placed *other =
			&p->run->proofs[add->k].placed[add->i];

		if (addr - other->addr < other->size &&
		    (pl == NULL || other->k < pl->k))
			pl = other;
	}
	return pl;
}

bool lookup_is_another_placed_at(const struct proof *p, uint64_t addr)
{
	size_t i = p->run->nproofs > 1 ? cells_below(p->run->places, addr) : 0;
	size_t n = i > 0 ? p->run->places->cells[i - 1].n : 0;

	return n > (lookup_own_placed_at(p, addr) != NULL);
}

/* Counts sections of one partial, sorted or not. */
static size_t count_own_placed(const struct proof *p, uint64_t addr)
{
	size_t n = 0, i;

	LOWER_BOUND(i, p->nsorted, p->placed[i].addr < addr);
	for (; i < p->nsorted && p->placed[i].addr == addr; i++)
		n++;
	for (i = p->nsorted; i < p->nplaced; i++)
		n += p->placed[i].addr == addr;
	return n;
}

size_t lookup_count_placed(const struct proof *p, uint64_t addr)
{
	const struct places *places = p->run->places;
	size_t n = 0, i;

	if (p->run->nproofs == 1)
		return count_own_placed(p, addr);
	i = cells_below(places, addr);
	if (i > 0 && places->cells[i - 1].start == addr)
		n = places->cells[i - 1].nsections;
	for (i = 0; i < places->nadditions; i++) {
		const struct addition *add = &places->additions[i];

		n += p->run->proofs[add->k].placed[add->i].addr == addr;
	}
	return n;
}

static int compare_starts(const void *a, const void *b)
{
	const struct placed *x = *(const struct placed *const *)a;
	const struct placed *y = *(const struct placed *const *)b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->k != y->k ? (x->k < y->k ? -1 : 1)
			    : (x->order < y->order ? -1 : 1);
}

static int list_starts(const struct verify_run *run)
{
	struct places *places = run->places;
	size_t n = 0;

	for (size_t k = 0; k < run->nproofs; k++)
		n += run->proofs[k].nsorted;
	places->starts = malloc((n + 1) * sizeof(places->starts[0]));
	if (places->starts == NULL)
		return diag_nomem(run->d, run->img.obj->path);
	places->nstarts = 0;
	for (size_t k = 0; k < run->nproofs; k++)
		for (size_t i = 0; i < run->proofs[k].nsorted; i++)
			places->starts[places->nstarts++] =
				&run->proofs[k].placed[i];
	if (n > 0)
		qsort(places->starts, n, sizeof(places->starts[0]),
		      compare_starts);
	return 0;
}

const struct placed *lookup_next_start(const struct proof *p, uint64_t addr,
				       size_t *at)
{
	const struct places *places = p->run->places;
	size_t first;

	if (places->starts == NULL && list_starts(p->run))
		return NULL;
	LOWER_BOUND(first, places->nstarts, places->starts[first]->addr < addr);
	while (first + *at < places->nstarts + places->nadditions) {
		size_t i = first + (*at)++;
		const struct placed *pl;

		if (i < places->nstarts) {
			pl = places->starts[i];
		} else {
			const struct addition *add =
				&places->additions[i - places->nstarts];

			pl = &p->run->proofs[add->k].placed[add->i];
		}
		if (pl->addr == addr)
			return pl;
		if (i < places->nstarts)
			*at = places->nstarts - first;
	}
	return NULL;
}

/* The first site of section SHNDX, or NULL. */
static const struct proof_site *first_site_of(const struct proof *p,
					      uint32_t shndx)
{
	size_t i;

	LOWER_BOUND(i, p->list.n, p->list.items[i].shndx < shndx);
	return i < p->list.n && p->list.items[i].shndx == shndx
		       ? &p->list.items[i]
		       : NULL;
}

const struct placed *lookup_placed_section(const struct proof *p,
					   uint32_t shndx)
{
	const struct proof_site *site = first_site_of(p, shndx);
	const struct placed *pl = site != NULL && site->is_placed
					  ? lookup_own_placed_at(p, site->addr)
					  : NULL;
	uint64_t addr = pl != NULL ? pl->addr : 0;

	while (pl != NULL && pl->addr == addr && pl->shndx != shndx)
		pl = pl > p->placed ? pl - 1 : NULL;
	return pl != NULL && pl->shndx == shndx && !pl->is_suspect ? pl : NULL;
}

/*
 * Has the table more entries at PL than sections are known there? Then others
 * were folded into it.
 */
static bool has_entries_left(const struct proof *p, const struct placed *pl)
{
	const struct proof_site *site = entries_first_site(
		p, &(struct pending){ .first = pl->first, .end = pl->end });

	return entries_count_at(p, site->addr, site->symbol) >
	       lookup_count_placed(p, pl->addr);
}

int lookup_list_occupied(const struct proof *all, bool but_shared,
			 struct occupied *occupied)
{
	struct byte_range *ranges;
	size_t n = 0, last = 0;

	for (size_t k = 0; k < all->run->nproofs; k++)
		n += all[k].nplaced;
	ranges = occupied->ranges = malloc((n + 1) * sizeof(ranges[0]));
	if (ranges == NULL)
		return diag_nomem(all->run->d, all->run->img.obj->path);
	n = 0;
	for (size_t k = 0; k < all->run->nproofs; k++)
		for (size_t i = 0; i < all[k].nplaced; i++) {
			const struct placed *pl = &all[k].placed[i];
			bool is_open = but_shared &&
				       has_entries_left(&all[k], pl);

			ranges[n++] =
				(struct byte_range){ pl->addr + is_open,
						     pl->addr + pl->size };
		}
	if (n == 0)
		return 0;
	qsort(ranges, n, sizeof(ranges[0]), sort_compare_numbers);
	for (size_t i = 1; i < n; i++)
		if (ranges[i].start > ranges[last].end)
			ranges[++last] = ranges[i];
		else if (ranges[i].end > ranges[last].end)
			ranges[last].end = ranges[i].end;
	occupied->n = last + 1;
	return 0;
}

bool lookup_is_occupied(const struct occupied *occupied, uint64_t addr)
{
	size_t i;

	LOWER_BOUND(i, occupied->n, occupied->ranges[i].end <= addr);
	return i < occupied->n && occupied->ranges[i].start <= addr;
}

bool lookup_has_placed(const struct proof *p, uint64_t addr)
{
	return p->run->occupied.ranges != NULL
		       ? lookup_is_occupied(&p->run->occupied, addr)
		       : lookup_placed_at(p, addr) != NULL;
}

/* Is FUNCTION in a section that differs? */
static bool is_suspect_function(const struct proof *p, const char *function)
{
	struct symbol sym;
	uint32_t symndx = 0;

	while (names_next(&p->functions, function, &symndx, &sym))
		if (sym.is_defined && p->is_suspect[sym.shndx])
			return true;
	return false;
}

bool lookup_is_explained(const struct proof *p, uint64_t addr)
{
	const struct placed *pl = lookup_placed_at(p, addr);
	struct symbol function;
	bool has_name;

	if (pl != NULL)
		return pl->is_suspect;
	has_name = image_function(&p->run->img, addr, &function);
	/* Code without a name may be of any section. */
	for (size_t k = 0; k < p->run->nproofs; k++)
		if (has_name ? is_suspect_function(&p->run->proofs[k],
						   function.name)
			     : p->run->proofs[k].has_suspects)
			return true;
	return false;
}

bool lookup_may_be_unnamed(const struct proof *p, uint64_t addr)
{
	struct symbol function;
	bool has_absent = false;

	for (size_t k = 0; k < p->run->nproofs; k++)
		has_absent |= p->run->proofs[k].has_absent;
	return has_absent && !image_function(&p->run->img, addr, &function);
}
static int compare_site_addrs(const void *a, const void *b)
{
	const struct proof_site *x = *(const struct proof_site *const *)a;
	const struct proof_site *y = *(const struct proof_site *const *)b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static bool is_sorted(const struct site_index *sites)
{
	for (size_t i = 1; i < sites->n; i++)
		if (sites->items[i]->addr < sites->items[i - 1]->addr)
			return false;
	return true;
}

int lookup_index_sites(struct proof *p)
{
	struct site_index *sites =
		malloc(sizeof(*sites) + p->list.n * sizeof(sites->items[0]));

	if (sites == NULL)
		return diag_nomem(p->run->d, p->partial->path);
	*sites = (struct site_index){ 0 };
	p->sites = sites;
	for (size_t i = 0; i < p->list.n; i++)
		if (p->list.items[i].is_placed && !p->list.items[i].is_folded &&
		    !p->list.items[i].is_target)
			sites->items[sites->n++] = &p->list.items[i];
	/* A partial with one merged section has its sites in order. */
	if (!is_sorted(sites))
		qsort(sites->items, sites->n, sizeof(sites->items[0]),
		      compare_site_addrs);
	return 0;
}

/* Questions in ascending order need no search. */
static bool is_next(const struct site_index *sites, uint64_t addr)
{
	size_t next = sites->next;

	return next < sites->n && sites->items[next]->addr == addr &&
	       (next == 0 || sites->items[next - 1]->addr < addr);
}

static size_t sites_below(const struct site_index *sites, uint64_t addr)
{
	size_t i;

	LOWER_BOUND(i, sites->n, sites->items[i]->addr < addr);
	return i;
}

const struct proof_site *lookup_own_site_at(const struct proof *p,
					    uint64_t addr)
{
	struct site_index *sites = p->sites;
	size_t i;

	if (sites == NULL)
		return NULL;
	i = is_next(sites, addr) ? sites->next : sites_below(sites, addr);
	if (i == sites->n || sites->items[i]->addr != addr)
		return NULL;
	sites->next = i + 1;
	return sites->items[i];
}

/* --- Sites of all partials ----------------------------------------------- */

static int compare_shared(const void *a, const void *b)
{
	const struct shared_site *x = a, *y = b;

	return sort_pairs(x->addr, x->k, y->addr, y->k);
}

/* Sums up, in the first item, what all sites at one address have. */
static void sum_up(struct shared_site *first, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct proof_site *site = first[i].site;

		first->nfolded += 1 + site->nfolded;
		first->keeps_stub |= site->keeps_stub;
		first->is_mixed |= strcmp(site->symbol, first->site->symbol) !=
				   0;
	}
	first->n = n;
}

int lookup_share_sites(struct verify_run *run)
{
	struct shared_sites *shared = calloc(1, sizeof(*shared));
	size_t n = 0;

	if (shared == NULL)
		return diag_nomem(run->d, run->img.obj->path);
	run->shared = shared;
	for (size_t k = 0; k < run->nproofs; k++)
		n += run->proofs[k].sites->n;
	shared->items = memory_calloc_whole(n + 1, sizeof(shared->items[0]));
	if (shared->items == NULL)
		return diag_nomem(run->d, run->img.obj->path);
	n = 0;
	for (size_t k = 0; k < run->nproofs; k++) {
		const struct site_index *sites = run->proofs[k].sites;

		for (size_t i = 0; i < sites->n; i++)
			if (i == 0 ||
			    sites->items[i - 1]->addr != sites->items[i]->addr)
				shared->items[n++] = (struct shared_site){
					.addr = sites->items[i]->addr,
					.site = sites->items[i],
					.k = k,
				};
	}
	shared->n = n;
	if (n > 0 && run->nproofs > 1)
		qsort(shared->items, n, sizeof(shared->items[0]),
		      compare_shared);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && shared->items[end].addr ==
						     shared->items[i].addr;
		     end++)
			;
		sum_up(&shared->items[i], end - i);
	}
	return 0;
}

void lookup_free_shared(struct shared_sites *shared)
{
	if (shared != NULL)
		free(shared->items);
	free(shared);
}

struct shared_site *lookup_shared_sites_at(const struct proof *p, uint64_t addr)
{
	struct shared_sites *shared = p->run->shared;
	size_t i;

	if (shared == NULL || shared->n == 0)
		return NULL;
	/* Most questions are about the same address, or the next. */
	i = shared->last;
	if (shared->items[i].addr != addr)
		i += shared->items[i].n;
	if (i >= shared->n || shared->items[i].addr != addr)
		LOWER_BOUND(i, shared->n, shared->items[i].addr < addr);
	if (i == shared->n || shared->items[i].addr != addr)
		return NULL;
	shared->last = i;
	return &shared->items[i];
}

const struct proof_site *lookup_site_at(const struct proof *p, uint64_t addr)
{
	const struct shared_site *first;

	if (p->run->nproofs == 1)
		return lookup_own_site_at(p, addr);
	first = lookup_shared_sites_at(p, addr);
	return first != NULL ? first->site : NULL;
}

size_t lookup_sites_from(const struct proof *p, uint32_t shndx)
{
	size_t i;

	LOWER_BOUND(i, p->list.n, p->list.items[i].shndx < shndx);
	return i;
}

bool lookup_has_sites(const struct proof *p, uint32_t shndx)
{
	return lookup_sites_from(p, shndx) < lookup_sites_from(p, shndx + 1);
}

size_t lookup_section_end(const struct proof *p, size_t first)
{
	size_t end = first;

	while (end < p->list.n &&
	       p->list.items[end].shndx == p->list.items[first].shndx)
		end++;
	return end;
}
