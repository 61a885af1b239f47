/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of verify: which section and which site is at an address. */
#include <config.h>

#include <stdlib.h>

#include "proof.h"

const struct placed *own_placed_at(const struct proof *p, uint64_t addr)
{
	size_t low = 0, high = p->nplaced;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (p->placed[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0 ||
	    addr - p->placed[low - 1].addr >= p->placed[low - 1].size)
		return NULL;
	return &p->placed[low - 1];
}

const struct placed *placed_at(const struct proof *p, uint64_t addr)
{
	const struct placed *pl = NULL;

	for (size_t k = 0; pl == NULL && k < p->nall; k++)
		pl = own_placed_at(&p->all[k], addr);
	return pl;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct byte_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

int taken_list(const struct proof *all, struct taken *taken)
{
	struct byte_range *ranges;
	size_t n = 0, last = 0;

	for (size_t k = 0; k < all->nall; k++)
		n += all[k].nplaced;
	ranges = taken->ranges = malloc((n + 1) * sizeof(ranges[0]));
	if (ranges == NULL)
		return diag_nomem(all->d, all->img.obj->path);
	n = 0;
	for (size_t k = 0; k < all->nall; k++)
		for (size_t i = 0; i < all[k].nplaced; i++) {
			const struct placed *pl = &all[k].placed[i];

			ranges[n++] =
				(struct byte_range){ pl->addr,
						     pl->addr + pl->size };
		}
	if (n == 0)
		return 0;
	qsort(ranges, n, sizeof(ranges[0]), compare_ranges);
	for (size_t i = 1; i < n; i++)
		if (ranges[i].start > ranges[last].end)
			ranges[++last] = ranges[i];
		else if (ranges[i].end > ranges[last].end)
			ranges[last].end = ranges[i].end;
	taken->n = last + 1;
	return 0;
}

bool taken_has(const struct taken *taken, uint64_t addr)
{
	size_t low = 0, high = taken->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (taken->ranges[mid].end <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low < taken->n && taken->ranges[low].start <= addr;
}

bool has_placed(const struct proof *p, uint64_t addr)
{
	return p->taken.ranges != NULL ? taken_has(&p->taken, addr)
				       : placed_at(p, addr) != NULL;
}

/* Is FUNCTION the name of one in a section that differs? */
static bool is_suspect_function(const struct proof *p, const char *function)
{
	struct symbol sym;
	uint32_t symndx = 0;

	while (names_next(&p->functions, function, &symndx, &sym))
		if (sym.is_defined && p->is_suspect[sym.shndx])
			return true;
	return false;
}

bool is_explained(const struct proof *p, uint64_t addr)
{
	const struct placed *pl = placed_at(p, addr);
	struct symbol function;
	bool has_name;

	if (pl != NULL)
		return pl->is_suspect;
	has_name = image_function(&p->img, addr, &function);
	/* What has no name may be of any section. */
	for (size_t k = 0; k < p->nall; k++)
		if (has_name ? is_suspect_function(&p->all[k], function.name)
			     : p->all[k].has_suspects)
			return true;
	return false;
}

bool is_untold(const struct proof *p, uint64_t addr)
{
	struct symbol function;
	bool has_absent = false;

	for (size_t k = 0; k < p->nall; k++)
		has_absent |= p->all[k].has_absent;
	return has_absent && !image_function(&p->img, addr, &function);
}
static int compare_witness_addrs(const void *a, const void *b)
{
	const struct witness *x = *(const struct witness *const *)a;
	const struct witness *y = *(const struct witness *const *)b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static bool is_sorted(const struct site_index *sites)
{
	for (size_t i = 1; i < sites->n; i++)
		if (sites->items[i]->addr < sites->items[i - 1]->addr)
			return false;
	return true;
}

int index_sites(struct proof *p)
{
	struct site_index *sites =
		malloc(sizeof(*sites) + p->list.n * sizeof(sites->items[0]));

	if (sites == NULL)
		return diag_nomem(p->d, p->partial->path);
	*sites = (struct site_index){ 0 };
	p->sites = sites;
	for (size_t i = 0; i < p->list.n; i++)
		if (p->list.items[i].is_placed && !p->list.items[i].is_folded &&
		    !p->list.items[i].is_target)
			sites->items[sites->n++] = &p->list.items[i];
	/* Who has merged all text has kept its order. */
	if (!is_sorted(sites))
		qsort(sites->items, sites->n, sizeof(sites->items[0]),
		      compare_witness_addrs);
	return 0;
}

/* Who asks in order need not search. */
static bool is_next(const struct site_index *sites, uint64_t addr)
{
	size_t next = sites->next;

	return next < sites->n && sites->items[next]->addr == addr &&
	       (next == 0 || sites->items[next - 1]->addr < addr);
}

static size_t sites_below(const struct site_index *sites, uint64_t addr)
{
	size_t low = 0, high = sites->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (sites->items[mid]->addr < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct witness *own_witness_at(const struct proof *p, uint64_t addr)
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

const struct witness *witness_at(const struct proof *p, uint64_t addr)
{
	const struct witness *w = NULL;

	for (size_t k = 0; w == NULL && k < p->nall; k++)
		w = own_witness_at(&p->all[k], addr);
	return w;
}
