/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "attribute.h"
#include "base/grow.h"
#include "elf/functions.h"
#include "unnamed.h"
#include "scan.h"
#include "base/sort.h"

struct code_symbol {
	uint64_t start;
	uint64_t end; /* start if its size is not known */
	uint32_t shndx;
	uint32_t symndx;
};

struct attribution {
	struct diag *d;
	const struct object *obj;
	struct site_set *set;
	bool *has_sites; /* by section index */
	struct code_symbol *symbols;
	size_t nsymbols;
	size_t *open; /* sized symbols that begin before the current site */
	size_t nopen;
	struct unnamed_range *unnamed; /* sorted by section, then start */
	size_t nranges;
	uint32_t
		*unnamed_of; /* site index -> unnamed range index or NO_INDEX */
};

/* Of two at one place, the one with the higher rank, the last, names it. */
static int compare_symbols(const void *a, const void *b, void *ctx)
{
	int order = functions_compare_places(a, b, ctx);
	struct symbol x, y;

	if (order != 0)
		return order;
	object_symbol(ctx, *(const uint32_t *)a, &x);
	object_symbol(ctx, *(const uint32_t *)b, &y);
	if (symbol_rank(&x) != symbol_rank(&y))
		return symbol_rank(&x) < symbol_rank(&y) ? -1 : 1;
	return -strcmp(x.name, y.name);
}

/* Lists the code symbols of sections that have sites, sorted. */
static int list_symbols(struct attribution *at, uint32_t *order)
{
	const struct object *obj = at->obj;
	struct symbol sym;
	size_t n = 0;

	for (size_t i = 1; i < obj->nsymbols; i++) {
		object_symbol(obj, i, &sym);
		if (sym.is_defined && at->has_sites[sym.shndx] &&
		    symbol_names_text(&sym))
			order[n++] = i;
	}
	sort_along(order, n, sizeof(order[0]), functions_place, compare_symbols,
		   (void *)obj);
	at->symbols = memory_calloc_whole(n + 1, sizeof(at->symbols[0]));
	at->open = malloc((n + 1) * sizeof(at->open[0]));
	if (at->symbols == NULL || at->open == NULL)
		return diag_nomem(at->d, obj->path);
	for (size_t i = 0; i < n; i++) {
		object_symbol(obj, order[i], &sym);
		at->symbols[i] = (struct code_symbol){
			.start = sym.value,
			.end = symbol_end(&sym),
			.shndx = sym.shndx,
			.symndx = order[i],
		};
	}
	at->nsymbols = n;
	return 0;
}

static int collect_symbols(struct attribution *at)
{
	uint32_t *order = malloc(at->obj->nsymbols * sizeof(order[0]));
	int ret = order != NULL ? list_symbols(at, order)
				: diag_nomem(at->d, at->obj->path);

	free(order);
	return ret;
}

/*
 * The end of the unnamed range behind a site of SHNDX. A symbol may be past the
 * section's end.
 */
static uint64_t unnamed_end(const struct attribution *at, uint32_t shndx,
			    size_t next)
{
	uint64_t size = at->obj->sections[shndx].size;

	return next < at->nsymbols && at->symbols[next].shndx == shndx &&
			       at->symbols[next].start < size
		       ? at->symbols[next].start
		       : size;
}

/*
 * Adds the unnamed range from the end of BEFORE to the symbol NEXT, or to the
 * section's end.
 */
static int add_unnamed(struct attribution *at, size_t site,
		       const struct code_symbol *before, size_t next)
{
	uint32_t shndx = at->set->sites[site].shndx;
	struct unnamed_range *last = at->nranges ? &at->unnamed[at->nranges - 1]
						 : NULL;
	struct unnamed_range *unnamed;

	if (last == NULL || last->shndx != shndx ||
	    last->start != before->end) {
		unnamed =
			grow_list(at->unnamed, at->nranges, sizeof(unnamed[0]));
		if (unnamed == NULL)
			return diag_nomem(at->d, at->obj->path);
		at->unnamed = unnamed;
		unnamed[at->nranges++] = (struct unnamed_range){
			.shndx = shndx,
			.function = before->start,
			.start = before->end,
			.end = unnamed_end(at, shndx, next),
		};
	}
	at->unnamed_of[site] = at->nranges - 1;
	return 0;
}

static void set_function(const struct attribution *at, struct site *site,
			 const struct code_symbol *symbol)
{
	struct symbol sym;

	object_symbol(at->obj, symbol->symndx, &sym);
	site->function = sym.name;
	site->function_offset = site->offset - symbol->start;
}

/*
 * Walks the sites [FIRST, END) of one section along its symbols, which begin at
 * NEXT. Symbols may nest and overlap. Of those that cover a site, the one that
 * begins last names it. A symbol without a size ends at the next symbol.
 */
static int attribute_section(struct attribution *at, size_t first, size_t end,
			     size_t next)
{
	const struct code_symbol *syms = at->symbols;
	const struct code_symbol *label = NULL;
	uint32_t shndx = at->set->sites[first].shndx;
	const struct code_symbol *last = NULL; /* that ends before the site */

	at->nopen = 0;
	for (size_t i = first; i < end; i++) {
		struct site *site = &at->set->sites[i];

		for (; next < at->nsymbols && syms[next].shndx == shndx &&
		       syms[next].start <= site->offset;
		     next++) {
			if (syms[next].end > syms[next].start)
				at->open[at->nopen++] = next;
			else
				label = &syms[next];
		}
		while (at->nopen > 0 &&
		       syms[at->open[at->nopen - 1]].end <= site->offset) {
			const struct code_symbol *done =
				&syms[at->open[--at->nopen]];

			if (last == NULL || done->end > last->end)
				last = done;
		}
		if (at->nopen > 0)
			set_function(at, site, &syms[at->open[at->nopen - 1]]);
		else if (label != NULL &&
			 (last == NULL || label->start >= last->end))
			set_function(at, site, label);
		else if (last != NULL && add_unnamed(at, i, last, next))
			return -1;
	}
	return 0;
}

static size_t skip_section(const struct attribution *at, size_t next,
			   uint32_t shndx)
{
	while (next < at->nsymbols && at->symbols[next].shndx < shndx)
		next++;
	return next;
}

static int attribute_all(struct attribution *at)
{
	const struct site_set *set = at->set;
	size_t next = 0;

	for (size_t first = 0, end; first < set->nsites; first = end) {
		uint32_t shndx = set->sites[first].shndx;

		for (end = first;
		     end < set->nsites && set->sites[end].shndx == shndx; end++)
			at->unnamed_of[end] = NO_INDEX;
		next = skip_section(at, next, shndx);
		if (attribute_section(at, first, end, next))
			return -1;
	}
	return 0;
}

/* --- Unnamed ranges ------------------------------------------------------ */

static void note_dead(struct attribution *at, const struct site *site)
{
	struct place place = object_where(at->obj, site->shndx, site->offset);

	diag_report(at->d, SEVERITY_NOTE, &place, "dead", NULL,
		    "a site of %s in the body of an overridden function: no "
		    "symbol names it and nothing refers to it",
		    at->set->probes[site->probe].symbol);
}

static void drop_dead(struct attribution *at)
{
	struct site_set *set = at->set;
	size_t kept = 0;

	for (size_t i = 0; i < set->nsites; i++) {
		uint32_t range = at->unnamed_of[i];

		if (range != NO_INDEX && !at->unnamed[range].is_referenced) {
			note_dead(at, &set->sites[i]);
			set->probes[set->sites[i].probe].nsites--;
			set->bins.dead++;
			continue;
		}
		if (kept != i)
			set->sites[kept] = set->sites[i];
		kept++;
	}
	set->nsites = kept;
}

static void mark_first(struct site_set *set)
{
	const struct site *last = NULL;

	for (size_t i = 0; i < set->nsites; i++) {
		struct site *site = &set->sites[i];

		site_fetch_name(set, i + NAMES_AHEAD);
		site->is_first = last == NULL || site->shndx != last->shndx ||
				 strcmp(site->function, last->function) != 0;
		last = site;
	}
}

int attribute_sites(struct diag *d, const struct object *obj,
		    struct site_set *set)
{
	struct attribution at = { .d = d, .obj = obj, .set = set };
	int ret = -1;

	if (set->nsites == 0)
		return 0;
	at.has_sites = calloc(obj->nsections, sizeof(at.has_sites[0]));
	at.unnamed_of = malloc(set->nsites * sizeof(at.unnamed_of[0]));
	if (at.has_sites == NULL || at.unnamed_of == NULL) {
		diag_nomem(d, obj->path);
		goto done;
	}
	for (size_t i = 0; i < set->nsites; i++)
		at.has_sites[set->sites[i].shndx] = true;
	if (collect_symbols(&at) || attribute_all(&at) ||
	    unnamed_judge(d, obj, set, at.unnamed, at.nranges))
		goto done;
	drop_dead(&at);
	mark_first(set);
	ret = 0;
done:
	free(at.has_sites);
	free(at.unnamed_of);
	free(at.symbols);
	free(at.open);
	free(at.unnamed);
	return ret;
}
