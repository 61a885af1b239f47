/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>

#include "arch/arch.h"
#include "base/search.h"
#include "base/sort.h"
#include "functions.h"

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

uint8_t symbol_rank(const struct symbol *sym)
{
	uint8_t rank = sym->bind == STB_GLOBAL ? 2 : sym->bind == STB_WEAK;

	return rank + (sym->type != STT_NOTYPE ? 4 : 0);
}

uint64_t symbol_end(const struct symbol *sym)
{
	return sym->size > UINT64_MAX - sym->value ? UINT64_MAX
						   : sym->value + sym->size;
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

/* Among functions at one place, functions_locate takes the last. */
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

static bool is_at_or_before(const struct indexed_function *f, uint32_t shndx,
			    uint64_t offset)
{
	return f->shndx < shndx || (f->shndx == shndx && f->start <= offset);
}

void functions_index_locate(struct function_index *index, uint32_t shndx,
			    uint64_t offset, struct place *place)
{
	const struct indexed_function *f;
	struct symbol sym;
	size_t i;

	if (index->items == NULL && !build_index(index)) {
		functions_locate(index->obj, shndx, offset, place);
		return;
	}
	LOWER_BOUND(i, index->n,
		    is_at_or_before(&index->items[i], shndx, offset));
	for (; i > 0; i--) {
		f = &index->items[i - 1];
		if (f->shndx != shndx || f->reach <= offset)
			return;
		if (f->end > offset)
			break;
	}
	if (i == 0)
		return;
	object_symbol(index->obj, f->symndx, &sym);
	place->function = sym.name;
	place->function_offset = offset - f->start;
}

const char *functions_index_next(struct function_index *index, uint32_t shndx,
				 uint64_t offset)
{
	struct symbol sym;
	size_t i;

	if (index->items == NULL && !build_index(index))
		return NULL;
	LOWER_BOUND(i, index->n,
		    is_at_or_before(&index->items[i], shndx, offset));
	if (i == index->n || index->items[i].shndx != shndx)
		return NULL;
	object_symbol(index->obj, index->items[i].symndx, &sym);
	return sym.name;
}

uint64_t functions_place(const void *symndx, void *obj)
{
	struct symbol sym;

	object_symbol(obj, *(const uint32_t *)symndx, &sym);
	return object_place(obj, sym.shndx, sym.value);
}

int functions_compare_places(const void *a, const void *b, void *obj)
{
	struct symbol x, y;

	object_symbol(obj, *(const uint32_t *)a, &x);
	object_symbol(obj, *(const uint32_t *)b, &y);
	return sort_pairs(x.shndx, x.value, y.shndx, y.value);
}

bool functions_have_local(const struct object *obj)
{
	for (size_t i = 1; i < obj->nsymbols; i++) {
		struct symbol sym;

		object_symbol(obj, i, &sym);
		if (sym.bind == STB_LOCAL && sym.type == STT_FUNC)
			return true;
	}
	return false;
}

void functions_read_table(const struct section_relocs *relocs,
			  const struct code *code, bool is_text, size_t i,
			  struct functions_table *table)
{
	const struct arch *arch = relocs->obj->arch;
	struct reloc *end = table->words + FUNCTIONS_TABLE_MAX;
	uint64_t step;

	for (table->n = 0; table->n < FUNCTIONS_TABLE_MAX && table->n <= i;
	     table->n++) {
		const struct reloc *r = &relocs->relocs[i - table->n];
		struct reloc *word = end - table->n - 1;

		if (!arch_reloc_is_distance(arch, r->type, is_text) ||
		    (table->n > 0 &&
		     r->offset + arch_reloc_width(arch, r->type) !=
			     word[1].offset))
			break;
		*word = *r;
		word->addend = arch_reloc_lead(arch, code->bytes, code->size,
					       is_text, relocs->is_rela, r,
					       &step);
	}
	table->relocs = end - table->n;
}

uint64_t functions_table_target(const struct object *obj,
				const struct reloc *relocs, size_t n)
{
	const struct reloc *last = &relocs[n - 1];
	struct symbol sym;
	uint64_t target;

	object_symbol(obj, last->symndx, &sym);
	target = sym.value + last->addend - (last->offset - relocs[0].offset);
	return object_wrap(obj, target & ~(uint64_t)obj->mode_bits);
}

static bool is_table(struct function_index *index, const struct reloc *relocs,
		     size_t n)
{
	const char *function = NULL;
	uint64_t start = 0;

	for (size_t i = 0; i < n; i++) {
		struct place place = { 0 };
		uint64_t target =
			functions_table_target(index->obj, relocs, i + 1);
		struct symbol sym;

		object_symbol(index->obj, relocs[i].symndx, &sym);
		functions_index_locate(index, sym.shndx, target, &place);
		if (place.function == NULL || place.function_offset == 0 ||
		    (i > 0 && (place.function != function ||
			       target - place.function_offset != start)))
			return false;
		function = place.function;
		start = target - place.function_offset;
	}
	return true;
}

bool functions_has_jump_table(struct function_index *index,
			      const struct reloc *relocs, size_t n)
{
	for (size_t first = 0; first + 1 < n; first++)
		if (is_table(index, relocs + first, n - first))
			return true;
	return false;
}

/* Is R a distance from itself, to the start of a function or to data? */
static bool is_pointer(struct function_index *index, const struct reloc *r)
{
	const struct object *obj = index->obj;
	struct place place = { 0 };
	struct symbol sym;

	object_symbol(obj, r->symndx, &sym);
	if (!sym.is_defined || !section_is_text(&obj->sections[sym.shndx]))
		return true;
	functions_index_locate(index, sym.shndx,
			       functions_table_target(obj, r, 1), &place);
	return place.function != NULL && place.function_offset == 0;
}

bool functions_may_be_table(struct function_index *index,
			    const struct reloc *relocs, size_t n)
{
	size_t i = 0;

	while (i < n && is_pointer(index, &relocs[i]))
		i++;
	return i > 0 && i < n;
}

void functions_index_free(struct function_index *index)
{
	free(index->items);
	*index = (struct function_index){ .obj = index->obj };
}
