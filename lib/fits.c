/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: the places that a section fits whose own symbols do not tell
 * which, and which of them are right as far as sites and table say.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "fits.h"

const struct witness *first_site(const struct proof *p, const struct pending *s)
{
	const struct witness *w = &p->list.items[s->first];
	const struct witness *end = &p->list.items[s->end - 1];

	while (w < end && (w->is_target || w->is_excluded))
		w++;
	return w;
}

static int compare_entries(const void *a, const void *b)
{
	const struct table_entry *x = *(const struct table_entry *const *)a;
	const struct table_entry *y = *(const struct table_entry *const *)b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

int sort_entries(struct proof *all, size_t n)
{
	const struct table *table = &all[0].table;
	const struct table_entry **entries =
		malloc((table->nentries + 1) * sizeof(entries[0]));

	for (size_t k = 0; k < n; k++)
		all[k].entries_by_addr = entries;
	if (entries == NULL)
		return diag_nomem(all[0].d, all[0].img.obj->path);
	for (size_t i = 0; i < table->nentries; i++)
		entries[i] = &table->entries[i];
	if (table->nentries > 0)
		qsort(entries, table->nentries, sizeof(entries[0]),
		      compare_entries);
	return 0;
}

/* The first entry of the table for ADDR, or for a site behind it. */
static size_t entries_below(const struct proof *p, uint64_t addr)
{
	size_t low = 0, high = p->table.nentries;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (p->entries_by_addr[mid]->addr < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool is_entry_at(const struct proof *p, size_t i, uint64_t addr)
{
	return i < p->table.nentries && p->entries_by_addr[i]->addr == addr;
}

size_t count_entries_at(const struct proof *p, uint64_t addr, const char *probe)
{
	size_t n = 0;

	for (size_t i = entries_below(p, addr); is_entry_at(p, i, addr); i++)
		n += strcmp(p->entries_by_addr[i]->probe, probe) == 0;
	return n;
}

/*
 * Could the entry there be of S? Of a site that --nop has disabled it has no
 * stub, unless the object keeps that.
 */
static bool is_own_entry(const struct proof *p, const struct pending *s)
{
	const struct witness *w = first_site(p, s);
	size_t first = entries_below(p, w->addr), i;

	if (w->form == FORM_BRANCH || is_right_branch(p, w))
		return true;
	for (i = first; is_entry_at(p, i, w->addr); i++)
		if (p->entries_by_addr[i]->stub == 0 || w->keeps_stub)
			return true;
	return i == first;
}

/*
 * Where the sites are right is where the section is, if that is anywhere.
 * What fits without a symbol, and has not the sites, is something else: the
 * first NNAMED were there before. Among the right ones, those come first whose
 * entries are of such an object, if there are any.
 */
static int keep_right(struct proof *p, struct pending *s, size_t nnamed)
{
	struct placement *pl = &s->pl;
	size_t n = 0, nown = 0;

	for (size_t i = 0; i < pl->nfits; i++) {
		uint64_t addr = pl->fits[i];

		if (set_addresses(p, s, addr))
			return -1;
		if (!has_right_sites(p, s->first, s->end))
			continue;
		pl->fits[i] = pl->fits[n];
		pl->fits[n++] = addr;
		if (is_own_entry(p, s)) {
			pl->fits[n - 1] = pl->fits[nown];
			pl->fits[nown++] = addr;
		}
	}
	unset_addresses(p, s);
	s->is_misfit = n == 0;
	pl->nfits = nown > 0 ? nown : n > 0 ? n : nnamed;
	return 0;
}

static int compare_addrs(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

void drop_taken(const struct proof *p, struct placement *pl)
{
	size_t n = 0;

	for (size_t i = 0; i < pl->nfits; i++) {
		uint64_t addr = pl->fits[i];

		if (placed_at(p, addr) == NULL) {
			pl->fits[i] = pl->fits[n];
			pl->fits[n++] = addr;
		}
	}
	if (n > 0)
		pl->nfits = n;
	if (pl->nfits > 0)
		qsort(pl->fits, pl->nfits, sizeof(pl->fits[0]), compare_addrs);
}

/*
 * Had section SHNDX to have a name in the image that is not there? Linkers keep
 * global names, also of what they fold.
 */
static bool has_lost_global(const struct proof *p, uint32_t shndx)
{
	const struct placer *placer = &p->placer;
	bool has_global = false;

	for (size_t i = placer->first_symbol[shndx];
	     i < placer->first_symbol[shndx + 1]; i++) {
		struct symbol sym, found;
		uint32_t symndx = 0;

		object_symbol(p->partial, placer->by_section[i], &sym);
		if (names_next(&p->img.names, sym.name, &symndx, &found))
			return false;
		has_global |= sym.bind == STB_GLOBAL &&
			      sym.visibility == STV_DEFAULT;
	}
	return has_global;
}

/* Is SYM of the image a function of a partial, and not of section SHNDX of P?
 */
static bool is_anothers(const struct proof *p, uint32_t shndx,
			const struct symbol *sym)
{
	for (size_t k = 0; k < p->nall; k++) {
		const struct proof *other = &p->all[k];
		struct symbol own;
		uint32_t symndx = 0;

		while (names_next(&other->functions, sym->name, &symndx, &own))
			if (own.is_defined && (other->partial != p->partial ||
					       own.shndx != shndx))
				return true;
	}
	return false;
}

/*
 * Does a function of a partial begin at ADDR, which is not of section SHNDX?
 * Who renamed a symbol may have made a name that no partial has.
 */
static bool is_known_place(const struct proof *p, uint32_t shndx, uint64_t addr)
{
	struct symbol sym;

	for (size_t i = image_functions_below(&p->img, addr);
	     i < p->img.nfunctions; i++) {
		object_symbol(p->img.obj, p->img.functions[i], &sym);
		if (sym.value != addr)
			return false;
		if (sym.size > 0 && is_anothers(p, shndx, &sym))
			return true;
	}
	return false;
}

/* What fits S and has the name of another function is that one, if the name of
 * S is gone. */
static void drop_known(const struct proof *p, struct pending *s, size_t nnamed)
{
	uint32_t shndx = p->list.items[s->first].shndx;
	struct placement *pl = &s->pl;
	size_t n = nnamed;

	if (!has_lost_global(p, shndx))
		return;
	for (size_t i = nnamed; i < pl->nfits; i++)
		if (!is_known_place(p, shndx, pl->fits[i]))
			pl->fits[n++] = pl->fits[i];
	pl->nfits = n;
}

/* Is S looked for where no symbol is? */
static bool is_due(const struct proof *p, const struct pending *s)
{
	return s->is_sought || (s->is_doubted && !is_known_to_branch(p));
}

static int judge_fits(struct proof *p, struct pending *s)
{
	drop_known(p, s, s->nnamed);
	return keep_right(p, s, s->nnamed);
}

int find_all_fits(struct proof *all, size_t n, size_t npending)
{
	struct sought *list = calloc(npending + 1, sizeof(list[0]));
	size_t nsought = 0;
	int ret;

	if (list == NULL)
		return diag_nomem(all[0].d, all[0].img.obj->path);
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < all[k].npending; i++) {
			struct pending *s = &all[k].pending[i];

			s->nnamed = s->pl.nfits;
			if (is_due(&all[k], s))
				list[nsought++] = (struct sought){ &all[k], s };
		}
	ret = seek_sections(all, list, nsought, SEEK_ANYWHERE);
	free(list);
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; ret == 0 && i < all[k].npending; i++)
			ret = judge_fits(&all[k], &all[k].pending[i]);
	return ret;
}

static bool is_in_function(const struct proof *p, uint64_t addr)
{
	struct symbol sym;

	return image_function(&p->img, addr, &sym) && sym.size > 0;
}

/* Where S is if the entry of its first site is one of the N of LIST. */
static int try_entries(struct proof *p, struct pending *s,
		       const struct table_entry *const *list, size_t n)
{
	const struct witness *w = first_site(p, s);

	for (size_t i = 0; i < n && s->pl.nfits < FITS_MAX; i++) {
		uint64_t addr = image_wrap(&p->img, list[i]->addr - w->offset);

		if (strcmp(list[i]->probe, w->symbol) == 0 &&
		    !is_in_function(p, addr) &&
		    placer_fits(&p->placer, w->shndx, &s->relocs, addr) &&
		    placer_add_fit(&p->placer, &s->pl, s->pl.nfits, addr))
			return -1;
	}
	return judge_fits(p, s);
}

int seek_by_entries(struct proof *all, size_t n, bool *has_found)
{
	const struct table_entry **open =
		malloc((all->table.nentries + 1) * sizeof(open[0]));
	size_t nopen = 0;
	int ret = 0;

	if (open == NULL)
		return diag_nomem(all[0].d, all[0].img.obj->path);
	for (size_t i = 0; i < all->table.nentries; i++)
		if (placed_at(all, all->entries_by_addr[i]->addr) == NULL)
			open[nopen++] = all->entries_by_addr[i];
	for (size_t k = 0; nopen > 0 && k < n; k++)
		for (size_t i = 0; ret == 0 && i < all[k].npending; i++) {
			struct proof *p = &all[k];
			struct pending *s = &p->pending[i];
			uint32_t shndx = p->list.items[s->first].shndx;

			if (s->is_settled || s->pl.nfits > 0 || !is_due(p, s) ||
			    p->partial->sections[shndx].relaxes)
				continue;
			ret = try_entries(p, s, open, nopen);
			*has_found |= s->pl.nfits > 0;
		}
	free(open);
	return ret;
}
