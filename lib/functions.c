/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"
#include "grow.h"
#include "holes.h"
#include "scan.h"
#include "sort.h"

struct code_symbol {
	const char *name;
	uint64_t start;
	uint64_t end; /* start if its size is not known */
	uint32_t shndx;
	uint8_t rank; /* of two at one place, the higher gives the name */
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
	struct symbol_hole *holes; /* sorted by section, then start */
	size_t nholes;
	uint32_t *hole_of; /* site index -> hole index or NO_INDEX */
};

bool symbol_is_code(const struct symbol *sym)
{
	if (!sym->is_defined || sym->name[0] == '\0' || symbol_is_mark(sym) ||
	    symbol_is_label(sym))
		return false;
	return sym->type == STT_FUNC || sym->type == STT_NOTYPE ||
	       sym->type == STT_GNU_IFUNC;
}

bool symbol_names_text(const struct symbol *sym)
{
	return symbol_is_code(sym) ||
	       (sym->is_defined && sym->bind != STB_LOCAL);
}

static uint8_t symbol_rank(const struct symbol *sym)
{
	uint8_t rank = sym->bind == STB_GLOBAL ? 2 : sym->bind == STB_WEAK;

	return rank + (sym->type != STT_NOTYPE ? 4 : 0);
}

static uint64_t place(const void *item, void *ctx)
{
	const struct code_symbol *sym = item;

	return object_place(ctx, sym->shndx, sym->start);
}

static int compare_symbols(const void *a, const void *b, void *ctx)
{
	const struct code_symbol *x = a, *y = b;

	(void)ctx;
	if (x->shndx != y->shndx)
		return x->shndx < y->shndx ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return -strcmp(x->name, y->name);
}

static uint64_t symbol_end(const struct symbol *sym)
{
	return sym->size > UINT64_MAX - sym->value ? UINT64_MAX
						   : sym->value + sym->size;
}

/* The code symbols of the sections that have sites, sorted. */
static int collect_symbols(struct attribution *at)
{
	const struct object *obj = at->obj;
	struct symbol sym;
	/* What is too much is never touched. */
	at->symbols = malloc(obj->nsymbols * sizeof(at->symbols[0]));
	at->open = malloc(obj->nsymbols * sizeof(at->open[0]));
	if (at->symbols == NULL || at->open == NULL)
		return diag_nomem(at->d, obj->path);
	for (size_t i = 1; i < obj->nsymbols; i++) {
		object_symbol(obj, i, &sym);
		if (!sym.is_defined || !at->has_sites[sym.shndx] ||
		    !symbol_names_text(&sym))
			continue;
		at->symbols[at->nsymbols++] = (struct code_symbol){
			.name = sym.name,
			.start = sym.value,
			.end = symbol_end(&sym),
			.shndx = sym.shndx,
			.rank = symbol_rank(&sym),
		};
	}
	sort_along(at->symbols, at->nsymbols, sizeof(at->symbols[0]), place,
		   compare_symbols, (void *)obj);
	return 0;
}

/* Where the hole behind a site of SHNDX ends: a symbol may be behind the end.
 */
static uint64_t hole_end(const struct attribution *at, uint32_t shndx,
			 size_t next)
{
	uint64_t size = at->obj->sections[shndx].size;

	return next < at->nsymbols && at->symbols[next].shndx == shndx &&
			       at->symbols[next].start < size
		       ? at->symbols[next].start
		       : size;
}

/* The hole from the end of BEFORE to the symbol NEXT or the section's end. */
static int add_hole(struct attribution *at, size_t site,
		    const struct code_symbol *before, size_t next)
{
	uint32_t shndx = at->set->sites[site].shndx;
	struct symbol_hole *last = at->nholes ? &at->holes[at->nholes - 1]
					      : NULL;
	struct symbol_hole *holes;

	if (last == NULL || last->shndx != shndx ||
	    last->start != before->end) {
		holes = grow_list(at->holes, at->nholes, sizeof(holes[0]));
		if (holes == NULL)
			return diag_nomem(at->d, at->obj->path);
		at->holes = holes;
		holes[at->nholes++] = (struct symbol_hole){
			.shndx = shndx,
			.function = before->start,
			.start = before->end,
			.end = hole_end(at, shndx, next),
		};
	}
	at->hole_of[site] = at->nholes - 1;
	return 0;
}

static void set_function(struct site *site, const struct code_symbol *sym)
{
	site->function = sym->name;
	site->function_offset = site->offset - sym->start;
}

/*
 * Walks the sites [FIRST, END) of one section along its symbols, which begin
 * at NEXT. Symbols may nest and overlap; of those that cover a site, the one
 * that begins last names it. A symbol without size reaches to the next.
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
			set_function(site, &syms[at->open[at->nopen - 1]]);
		else if (label != NULL &&
			 (last == NULL || label->start >= last->end))
			set_function(site, label);
		else if (last != NULL && add_hole(at, i, last, next))
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
			at->hole_of[end] = NO_INDEX;
		next = skip_section(at, next, shndx);
		if (attribute_section(at, first, end, next))
			return -1;
	}
	return 0;
}

/* --- Holes ------------------------------------------------------------- */

static void note_dead(struct attribution *at, const struct site *site)
{
	diag_report(
		at->d, SEVERITY_NOTE,
		&(struct place){ .file = at->obj->path,
				 .section = at->obj->sections[site->shndx].name,
				 .has_offset = true,
				 .offset = site->offset },
		"dead", NULL,
		"a site of %s in the body of an overridden function: no "
		"symbol names it and nothing refers to it",
		at->set->probes[site->probe].symbol);
}

static void drop_dead(struct attribution *at)
{
	struct site_set *set = at->set;
	size_t kept = 0;

	for (size_t i = 0; i < set->nsites; i++) {
		uint32_t hole = at->hole_of[i];

		if (hole != NO_INDEX && !at->holes[hole].is_referenced) {
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

int functions_attribute(struct diag *d, const struct object *obj,
			struct site_set *set)
{
	struct attribution at = { .d = d, .obj = obj, .set = set };
	int ret = -1;

	if (set->nsites == 0)
		return 0;
	at.has_sites = calloc(obj->nsections, sizeof(at.has_sites[0]));
	at.hole_of = malloc(set->nsites * sizeof(at.hole_of[0]));
	if (at.has_sites == NULL || at.hole_of == NULL) {
		diag_nomem(d, obj->path);
		goto done;
	}
	for (size_t i = 0; i < set->nsites; i++)
		at.has_sites[set->sites[i].shndx] = true;
	if (collect_symbols(&at) || attribute_all(&at) ||
	    holes_judge(d, obj, set, at.holes, at.nholes))
		goto done;
	drop_dead(&at);
	mark_first(set);
	ret = 0;
done:
	free(at.has_sites);
	free(at.hole_of);
	free(at.symbols);
	free(at.open);
	free(at.holes);
	return ret;
}

void functions_locate(const struct object *obj, uint32_t shndx, uint64_t offset,
		      struct place *place)
{
	uint64_t best = 0;
	uint8_t best_rank = 0;

	for (size_t i = 1; i < obj->nsymbols; i++) {
		struct symbol sym;
		uint8_t rank;

		object_symbol(obj, i, &sym);
		if (!symbol_is_code(&sym) || sym.shndx != shndx ||
		    sym.value > offset ||
		    (sym.size > 0 && symbol_end(&sym) <= offset))
			continue;
		rank = symbol_rank(&sym);
		if (place->function != NULL &&
		    (sym.value < best ||
		     (sym.value == best && rank <= best_rank)))
			continue;
		best = sym.value;
		best_rank = rank;
		place->function = sym.name;
		place->function_offset = offset - sym.value;
	}
}

/* --- An index for many places ------------------------------------------ */

static uint64_t indexed_place(const void *item, void *ctx)
{
	const struct indexed_function *f = item;

	return object_place(ctx, f->shndx, f->start);
}

/* Of those at one place, the last one is what functions_locate takes. */
static int compare_indexed(const void *a, const void *b, void *ctx)
{
	const struct indexed_function *x = a, *y = b;

	(void)ctx;
	if (x->shndx != y->shndx)
		return x->shndx < y->shndx ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->symndx > y->symndx ? -1 : x->symndx < y->symndx;
}

/* False without memory. */
static bool build_index(struct function_index *index)
{
	const struct object *obj = index->obj;
	struct indexed_function *items =
		malloc(obj->nsymbols * sizeof(items[0]));
	struct symbol sym;

	index->items = items;
	if (items == NULL)
		return false;
	for (size_t i = 1; i < obj->nsymbols; i++) {
		object_symbol(obj, i, &sym);
		if (symbol_is_code(&sym))
			items[index->n++] = (struct indexed_function){
				.start = sym.value,
				.end = sym.size > 0 ? symbol_end(&sym)
						    : UINT64_MAX,
				.shndx = sym.shndx,
				.symndx = i,
				.rank = symbol_rank(&sym),
			};
	}
	sort_along(items, index->n, sizeof(items[0]), indexed_place,
		   compare_indexed, (void *)obj);
	for (size_t i = 0; i < index->n; i++) {
		bool is_first = i == 0 || items[i].shndx != items[i - 1].shndx;
		uint64_t before = is_first ? 0 : items[i - 1].reach;

		items[i].reach = items[i].end > before ? items[i].end : before;
	}
	return true;
}

void functions_index_locate(struct function_index *index, uint32_t shndx,
			    uint64_t offset, struct place *place)
{
	const struct indexed_function *f;
	struct symbol sym;
	size_t low = 0, high;

	if (index->items == NULL && !build_index(index)) {
		functions_locate(index->obj, shndx, offset, place);
		return;
	}
	high = index->n;
	while (low < high) {
		size_t mid = (low + high) / 2;

		f = &index->items[mid];
		if (f->shndx < shndx ||
		    (f->shndx == shndx && f->start <= offset))
			low = mid + 1;
		else
			high = mid;
	}
	for (; low > 0; low--) {
		f = &index->items[low - 1];
		if (f->shndx != shndx || f->reach <= offset)
			return;
		if (f->end > offset)
			break;
	}
	if (low == 0)
		return;
	object_symbol(index->obj, f->symndx, &sym);
	place->function = sym.name;
	place->function_offset = offset - f->start;
}

void functions_index_free(struct function_index *index)
{
	free(index->items);
	*index = (struct function_index){ .obj = index->obj };
}
