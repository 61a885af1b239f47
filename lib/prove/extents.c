/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>

#include "base/grow.h"
#include "base/sort.h"
#include "elf/functions.h"
#include "extents.h"

/*
 * The bytes that a symbol covers. A symbol of unknown size reaches to the next
 * one.
 */
struct extent {
	uint64_t start, end;
	uint32_t shndx;
	uint32_t symndx : 31;
	bool has_size : 1;
};

/* Drops names inside a function of known size, or at its start. */
static size_t drop_inner(struct extent *extents, size_t n)
{
	size_t kept = 0;
	uint64_t covered = 0;
	uint32_t shndx = 0;

	for (size_t i = 0, end; i < n; i = end) {
		uint64_t start = extents[i].start;

		if (extents[i].shndx != shndx)
			covered = 0;
		shndx = extents[i].shndx;
		for (end = i; end < n && extents[end].shndx == shndx &&
			      extents[end].start == start;
		     end++)
			if (extents[end].end > covered)
				covered = extents[end].end;
		for (size_t k = i; k < end; k++)
			if (extents[k].has_size || covered <= start)
				extents[kept++] = extents[k];
	}
	return kept;
}

static void extend_unsized(struct extent *extents, size_t n)
{
	uint64_t next = UINT64_MAX; /* the first start behind this one */

	for (size_t i = n; i-- > 0;) {
		if (i + 1 < n && extents[i].shndx != extents[i + 1].shndx)
			next = UINT64_MAX;
		else if (i + 1 < n && extents[i].start != extents[i + 1].start)
			next = extents[i + 1].start;
		if (extents[i].end <= extents[i].start)
			extents[i].end = next;
	}
}

/* The indices of symbols of text, sorted by place; NULL without memory. */
static uint32_t *list_symbols(const struct object *obj, size_t *n)
{
	uint32_t *order = malloc(obj->nsymbols * sizeof(order[0]));
	struct symbol sym;

	*n = 0;
	for (size_t i = 1; order != NULL && i < obj->nsymbols; i++) {
		object_symbol(obj, i, &sym);
		if (symbol_names_text(&sym) &&
		    section_is_text(&obj->sections[sym.shndx]))
			order[(*n)++] = i;
	}
	if (order != NULL)
		sort_along(order, *n, sizeof(order[0]), functions_place,
			   functions_compare_places, (void *)obj);
	return order;
}

int extents_list(struct diag *d, const struct object *obj,
		 struct extents *extents)
{
	size_t n;
	uint32_t *order = list_symbols(obj, &n);
	struct extent *items = memory_calloc_whole(n + 1, sizeof(items[0]));

	*extents = (struct extents){ .items = items };
	for (size_t i = 0; order != NULL && items != NULL && i < n; i++) {
		struct symbol sym;

		object_symbol(obj, order[i], &sym);
		items[i] = (struct extent){ sym.value, sym.value + sym.size,
					    sym.shndx, order[i], sym.size > 0 };
	}
	free(order);
	if (order == NULL || items == NULL)
		return diag_nomem(d, obj->path);
	extents->n = drop_inner(items, n);
	extend_unsized(items, extents->n);
	return 0;
}

/* Functions around one place, in the order of their starts. */
struct open_functions {
	struct extent *sized; /* the last covers it, once trimmed */
	size_t n;
	struct extent label; /* the last one without a size */
};

static void open_function(struct open_functions *open, struct extent extent)
{
	if (extent.has_size)
		open->sized[open->n++] = extent;
	else
		open->label = extent;
}

/* The function that OFFSET is in, of several the innermost. */
static struct extent function_at(struct open_functions *open, uint64_t offset)
{
	while (open->n > 0 && open->sized[open->n - 1].end <= offset)
		open->n--;
	return open->n > 0 ? open->sized[open->n - 1] : open->label;
}

/*
 * Adds what no symbol covers around SITE, from what is BEFORE it to the extent
 * NEXT, or to the end of its section.
 */
static int add_uncovered(struct diag *d, const struct object *obj,
			 struct proof_site_list *list, struct proof_site *site,
			 const struct uncovered *before,
			 const struct extent *next)
{
	struct uncovered *grown =
		grow_list(list->uncovered, list->nuncovered, sizeof(grown[0]));

	if (grown == NULL)
		return diag_nomem(d, obj->path);
	list->uncovered = grown;
	grown[list->nuncovered] = *before;
	grown[list->nuncovered].end = next != NULL && next->shndx == site->shndx
					      ? next->start
					      : obj->sections[site->shndx].size;
	site->uncovered = list->nuncovered++;
	return 0;
}

/*
 * Marks the sites in unnamed ranges: those behind the end of everything that
 * begins before them. Keeps the ends as a running maximum. The passed part of
 * EXTENTS becomes the list of open functions.
 */
int extents_mark(struct diag *d, const struct object *obj, struct extents *all,
		 struct proof_site_list *list)
{
	struct extent *extents = all->items;
	struct open_functions open = { .sized = extents };
	struct uncovered before = { 0 };
	size_t next = 0, n = all->n;
	uint32_t shndx = 0;
	bool any = false;

	for (size_t i = 0; i < list->n; i++) {
		struct proof_site *site = &list->items[i];
		struct extent function;

		if (site->shndx != shndx) {
			shndx = site->shndx;
			before.start = 0;
			any = false;
			open.n = 0;
		}
		for (; next < n && (extents[next].shndx < shndx ||
				    (extents[next].shndx == shndx &&
				     extents[next].start <= site->offset));
		     next++) {
			uint64_t end = extents[next].end;

			if (extents[next].shndx < shndx)
				continue;
			if (end > before.start) {
				before.start = end;
				before.function = extents[next].start;
			}
			any = true;
			open_function(&open, extents[next]);
		}
		site->is_unnamed = any && before.start <= site->offset;
		site->has_function = before.start > site->offset;
		function = function_at(&open, site->offset);
		site->function = function.start;
		site->function_symndx = function.symndx;
		if (site->is_unnamed &&
		    add_uncovered(d, obj, list, site, &before,
				  next < n ? &extents[next] : NULL))
			return -1;
	}
	return 0;
}

void extents_free(struct extents *extents)
{
	free(extents->items);
	*extents = (struct extents){ 0 };
}
