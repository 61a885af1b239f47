/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists functions by address, and places where control may arrive. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "check.h"

/* --- Functions ------------------------------------------------------------ */

static int compare_functions(const void *a, const void *b)
{
	const struct jump_function *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	/* The longest first. */
	return x->end > y->end ? -1 : x->end < y->end;
}

static bool is_function(const struct symbol *sym)
{
	return sym->is_defined && sym->size > 0 &&
	       (sym->type == STT_FUNC || sym->type == STT_GNU_IFUNC ||
		sym->type == STT_NOTYPE);
}

/* Functions that overlap share code: joins them. */
static void merge_functions(struct jump_check *check)
{
	struct jump_function *f = check->functions;
	size_t last = 0;

	for (size_t i = 1; i < check->nfunctions; i++) {
		if (f[i].start >= f[last].end)
			f[++last] = f[i];
		else if (f[i].end > f[last].end)
			f[last].end = f[i].end;
	}
	if (check->nfunctions > 0)
		check->nfunctions = last + 1;
}

int jump_check_functions(struct diag *d, struct jump_check *check)
{
	const struct object *obj = check->map.obj;
	struct jump_section *js;

	check->functions =
		calloc(obj->nsymbols + 1, sizeof(check->functions[0]));
	if (check->functions == NULL)
		return diag_nomem(d, check->map.obj->path);
	for (size_t i = 1; i < obj->nsymbols; i++) {
		struct symbol sym;
		uint64_t addr;

		object_symbol(obj, i, &sym);
		if (!is_function(&sym) ||
		    !jump_map_symbol(&check->map, &sym, &addr))
			continue;
		js = jump_map_find_text(&check->map, addr);
		if (js == NULL ||
		    sym.size > js->code.size - (addr - js->code.addr))
			continue;
		check->functions[check->nfunctions++] = (struct jump_function){
			.start = addr, .end = addr + sym.size, .name = sym.name
		};
	}
	qsort(check->functions, check->nfunctions, sizeof(check->functions[0]),
	      compare_functions);
	merge_functions(check);
	return 0;
}

const struct jump_function *jump_check_function(const struct jump_check *check,
						uint64_t addr)
{
	size_t i;

	LOWER_BOUND(i, check->nfunctions, check->functions[i].start <= addr);
	return i > 0 && addr < check->functions[i - 1].end
		       ? &check->functions[i - 1]
		       : NULL;
}

/* --- Landings ------------------------------------------------------------- */

int jump_check_land(struct diag *d, struct jump_check *check, uint64_t target,
		    uint64_t source, enum landing_kind kind)
{
	target = object_wrap(check->map.obj, target);
	if (jump_map_find_text(&check->map, target) == NULL)
		return 0;
	if (check->nlandings == check->allocated) {
		size_t n = check->allocated ? check->allocated * 2 : 1024;
		struct landing *landings =
			realloc(check->landings, n * sizeof(landings[0]));

		if (landings == NULL)
			return diag_nomem(d, check->map.obj->path);
		check->landings = landings;
		check->allocated = n;
	}
	check->landings[check->nlandings++] =
		(struct landing){ target, source, kind };
	return 0;
}
