/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lists what is to be placed: each input section with code, with its
 * relocations by offset, and the symbols for which the image can be searched.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "engine.h"

static bool is_item(const struct section *sec)
{
	return section_is_text(sec) && sec->size > 0;
}

/* --- Symbols ----------------------------------------------------------- */

static int index_part(struct engine *e, struct part *part)
{
	const struct object *obj = part->obj;
	size_t n = obj->nsections;

	part->items = malloc(n * sizeof(part->items[0]));
	if (part->items == NULL)
		return diag_nomem(e->d, obj->path);
	for (size_t i = 0; i < n; i++)
		part->items[i] = NO_SECTION;
	return landmarks_read(e->d, obj, &part->landmarks);
}

static int compare_names(const struct definition *x, const struct definition *y)
{
	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int compare_definitions(const void *a, const void *b)
{
	const struct definition *x = a, *y = b;
	int order = compare_names(x, y);

	if (order != 0)
		return order;
	if (x->is_local != y->is_local)
		return x->is_local ? 1 : -1;
	if (x->is_weak != y->is_weak)
		return x->is_weak ? 1 : -1;
	return x->item < y->item ? -1 : x->item > y->item;
}

static int index_names(struct engine *e)
{
	const struct definition *list = e->definitions;

	e->named = malloc((e->ndefinitions + 1) * sizeof(e->named[0]));
	if (e->named == NULL)
		return diag_nomem(e->d, e->img.obj->path);
	for (size_t i = 0; i < e->ndefinitions; i++) {
		struct named *named = &e->named[e->nnamed];

		if (i == 0 || compare_names(&list[i - 1], &list[i]) != 0) {
			*named = (struct named){ .all = &list[i],
						 .owner = NO_SECTION };
			e->nnamed++;
		} else {
			named--;
		}
		*list[i].named = named - e->named;
		named->n++;
		named->nglobal += !list[i].is_local;
		named->nstrong += !list[i].is_local && !list[i].is_weak;
	}
	return 0;
}

static int index_definitions(struct engine *e)
{
	struct definition *list;
	size_t n = 0, *names;

	for (size_t i = 0; i < e->nitems; i++)
		n += e->items[i].nsymbols;
	list = malloc((n + 1) * sizeof(list[0]));
	names = malloc((n + 1) * sizeof(names[0]));
	e->definitions = list;
	e->names = names;
	if (list == NULL || names == NULL)
		return diag_nomem(e->d, e->img.obj->path);
	for (size_t i = 0; i < e->nitems; i++) {
		e->items[i].names = names;
		names += e->items[i].nsymbols;
		for (size_t k = 0; k < e->items[i].nsymbols; k++) {
			const struct item *item = &e->items[i];
			struct symbol sym;

			object_symbol(item->obj, item->symbols[k], &sym);
			list[e->ndefinitions++] = (struct definition){
				.name = sym.name,
				.hash = names_hash(sym.name),
				.is_local = sym.bind == STB_LOCAL,
				.is_weak = sym.bind == STB_WEAK,
				.item = i,
				.symndx = item->symbols[k],
				.named = &item->names[k],
			};
		}
	}
	qsort(list, e->ndefinitions, sizeof(list[0]), compare_definitions);
	return index_names(e);
}

struct named *items_named(const struct engine *e, const char *name)
{
	struct definition key = { .name = name, .hash = names_hash(name) };
	size_t i;

	LOWER_BOUND(i, e->nnamed, compare_names(e->named[i].all, &key) < 0);
	return i < e->nnamed && compare_names(e->named[i].all, &key) == 0
		       ? &e->named[i]
		       : NULL;
}

const struct definition *items_define(const struct engine *e, const char *name,
				      size_t *n)
{
	const struct named *named = items_named(e, name);

	*n = named == NULL ? 0 : named->nglobal;
	return named == NULL ? NULL : named->all;
}

/* The first of [START, END) whose item is settled, or NULL. */
static const struct definition *first_settled(const struct engine *e,
					      const struct definition *start,
					      const struct definition *end)
{
	while (start < end && !e->items[start->item].is_settled)
		start++;
	return start < end ? start : NULL;
}

/*
 * If both are linked, the linker takes the strong one. Of weak ones it takes
 * the first.
 */
const struct definition *items_taken(const struct engine *e,
				     struct named *named)
{
	const struct definition *strong;

	if (named == NULL || named->nglobal == 0)
		return NULL;
	if (named->nglobal == 1)
		return named->all;
	strong = first_settled(e, named->all, named->all + named->nstrong);
	if (strong != NULL)
		return strong;
	if (named->when != e->nsettled) {
		named->taken = first_settled(e, named->all + named->nstrong,
					     named->all + named->nglobal);
		named->when = e->nsettled;
	}
	return named->taken;
}

int items_compare(const void *a, const void *b, void *ctx)
{
	const struct engine *e = ctx;
	const struct drift_section *x = e->items[*(const size_t *)a].to;
	const struct drift_section *y = e->items[*(const size_t *)b].to;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* --- Items ------------------------------------------------------------- */

static int add_item(struct engine *e, size_t input, uint32_t shndx)
{
	struct part *part = &e->parts[input];
	const struct section *sec = &part->obj->sections[shndx];
	struct item *item = &e->items[e->nitems];
	struct drift_section *to = &e->drift->sections[e->nitems];

	*to = (struct drift_section){
		.input = input,
		.shndx = shndx,
		.name = sec->name,
		.size = sec->size,
		.fate = FATE_UNKNOWN,
		.other = NO_SECTION,
	};
	*item = (struct item){
		.obj = part->obj,
		.to = to,
		.group = names_signature(part->obj, shndx),
	};
	part->items[shndx] = e->nitems++;
	item->symbols =
		landmarks_list(&part->landmarks, shndx, &item->nsymbols);
	if (!object_code(e->d, part->obj, shndx, &item->code))
		return -1;
	return section_relocs_read(e->d, part->obj, shndx, &item->relocs);
}

static int add_items(struct engine *e)
{
	size_t n = 0;

	for (size_t i = 0; i < e->nparts; i++)
		for (size_t k = 1; k < e->parts[i].obj->nsections; k++)
			n += is_item(&e->parts[i].obj->sections[k]);
	e->items = calloc(n, sizeof(e->items[0]));
	e->drift->sections = calloc(n, sizeof(e->drift->sections[0]));
	if (e->items == NULL || e->drift->sections == NULL)
		return diag_nomem(e->d, e->img.obj->path);
	for (size_t i = 0; i < e->nparts; i++)
		for (size_t k = 1; k < e->parts[i].obj->nsections; k++)
			if (is_item(&e->parts[i].obj->sections[k]) &&
			    add_item(e, i, k))
				return -1;
	e->drift->nsections = e->nitems;
	return 0;
}

int items_collect(struct engine *e, const struct object *inputs, size_t n)
{
	e->parts = calloc(n, sizeof(e->parts[0]));
	if (e->parts == NULL)
		return diag_nomem(e->d, e->img.obj->path);
	e->nparts = n;
	for (size_t i = 0; i < n; i++) {
		e->parts[i].obj = &inputs[i];
		if (index_part(e, &e->parts[i]))
			return -1;
	}
	return add_items(e) || index_definitions(e) ? -1 : 0;
}

void items_free(struct engine *e)
{
	for (size_t i = 0; i < e->nparts; i++) {
		landmarks_free(&e->parts[i].landmarks);
		free(e->parts[i].items);
	}
	for (size_t i = 0; i < e->nitems; i++) {
		section_relocs_free(&e->items[i].relocs);
		free(e->items[i].walked.shifts);
	}
	free(e->parts);
	free(e->items);
	free(e->definitions);
	free(e->named);
	free(e->names);
}
