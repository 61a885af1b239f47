/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "elf/functions.h"
#include "spot.h"

int spot_compare(const struct spot *a, const struct spot *b)
{
	if (a->shndx != b->shndx)
		return a->shndx < b->shndx ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Loaded sections of a final do not overlap. */
struct spot spot_at(const struct object *obj, uint64_t addr)
{
	for (uint32_t i = 1; i < obj->nsections; i++) {
		const struct section *sec = &obj->sections[i];

		if (section_is_alloc(sec) && !(sec->flags & SHF_TLS) &&
		    addr >= sec->addr && addr - sec->addr < sec->size)
			return (struct spot){ i, addr - sec->addr };
	}
	return (struct spot){ 0, addr };
}

static int compare_named(const void *a, const void *b)
{
	const struct spot_named *x = a, *y = b;
	int order = spot_compare(&x->spot, &y->spot);

	/* Of two at one place, the last one gives the name. */
	return order != 0	    ? order
	       : x->size == y->size ? -strcmp(x->name, y->name)
	       : x->size < y->size  ? -1
				    : 1;
}

int spot_names_read(struct diag *d, const struct object *obj,
		    struct spot_names *names)
{
	names->n = 0;
	names->items = calloc(obj->nsymbols + 1, sizeof(names->items[0]));
	if (names->items == NULL)
		return diag_nomem(d, obj->path);
	for (size_t i = 1; i < obj->nsymbols; i++) {
		struct symbol sym;
		bool is_code;

		object_symbol(obj, i, &sym);
		is_code = symbol_is_code(&sym);
		if (!is_code && (!sym.is_defined || sym.type != STT_OBJECT))
			continue;
		if (obj->ehdr.e_type != ET_REL)
			sym.value -= obj->sections[sym.shndx].addr;
		names->items[names->n++] = (struct spot_named){
			.spot = { sym.shndx, sym.value },
			.size = sym.size,
			.name = sym.name,
			.is_code = is_code,
		};
	}
	qsort(names->items, names->n, sizeof(names->items[0]), compare_named);
	return 0;
}

void spot_names_free(struct spot_names *names)
{
	free(names->items);
	*names = (struct spot_names){ 0 };
}

/* The number of symbols at or before SPOT. */
static size_t count_until(const struct spot_names *names,
			  const struct spot *spot)
{
	size_t i;

	LOWER_BOUND(i, names->n,
		    spot_compare(&names->items[i].spot, spot) <= 0);
	return i;
}

const struct spot_named *spot_function(const struct spot_names *names,
				       const struct spot *spot)
{
	for (size_t i = count_until(names, spot); i-- > 0;) {
		const struct spot_named *sym = &names->items[i];

		if (sym->spot.shndx != spot->shndx)
			return NULL;
		if (!sym->is_code || sym->size == 0)
			continue;
		return spot->offset - sym->spot.offset < sym->size ? sym : NULL;
	}
	return NULL;
}

/* Are both the name of one function, but for what follows a dot? */
static bool same_stem(const char *a, const char *b)
{
	size_t n = strcspn(a, ".");

	return n == strcspn(b, ".") && strncmp(a, b, n) == 0;
}

bool spot_is_one_function(const struct spot_names *names,
			  const struct spot_named *a,
			  const struct spot_named *b)
{
	for (size_t i = count_until(names, &a->spot);
	     i-- > 0 && spot_compare(&names->items[i].spot, &a->spot) == 0;)
		for (size_t k = count_until(names, &b->spot);
		     k-- > 0 &&
		     spot_compare(&names->items[k].spot, &b->spot) == 0;)
			if (same_stem(names->items[i].name,
				      names->items[k].name))
				return true;
	return false;
}

const char *spot_name(const struct spot_names *names, const struct spot *spot)
{
	size_t i = count_until(names, spot);

	if (i > 0 && spot_compare(&names->items[i - 1].spot, spot) == 0)
		return names->items[i - 1].name;
	return NULL;
}

/*
 * So many symbols at or before a spot are compared: earlier ones may reach
 * further.
 */
#define NEIGHBOURS_MAX 16

const struct spot_named *spot_holder(const struct spot_names *names,
				     const struct spot *spot)
{
	size_t end = count_until(names, spot);

	for (size_t i = 0; i < NEIGHBOURS_MAX && i < end; i++) {
		const struct spot_named *sym = &names->items[end - 1 - i];

		if (sym->spot.shndx == spot->shndx &&
		    spot->offset - sym->spot.offset < sym->size)
			return sym;
	}
	return NULL;
}
