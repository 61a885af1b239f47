/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>

#include "arch/arch.h"
#include "base/search.h"
#include "parts.h"

struct item {
	uint64_t owner; /* a symbol, or the offset of the head */
	int64_t addend;
	uint64_t offset;
	uint8_t family;
	uint8_t ways;
	bool is_head;
};

/* Items [first, end). */
struct group {
	size_t first, end;
	uint8_t ways;
	bool has_head;
};

static int compare_owners(const struct item *x, const struct item *y)
{
	if (x->family != y->family)
		return x->family < y->family ? -1 : 1;
	return x->owner < y->owner ? -1 : x->owner > y->owner;
}

static int compare_items(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int order = compare_owners(x, y);

	if (order != 0)
		return order;
	if (x->addend != y->addend)
		return x->addend < y->addend ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static bool may_relax(const struct section_relocs *relocs, size_t i)
{
	const struct arch *arch = relocs->obj->arch;
	const struct reloc *r = relocs->relocs;
	size_t first = i;

	while (first > 0 && r[first - 1].offset == r[i].offset)
		first--;
	for (; first < relocs->n && r[first].offset == r[i].offset; first++)
		if (arch_reloc_relaxes(arch, r[first].type))
			return true;
	return false;
}

static bool find_part(const struct section_relocs *relocs, size_t i,
		      struct reloc_part *part)
{
	const struct arch *arch = relocs->obj->arch;

	return arch->find_part(arch, &relocs->relocs[i], may_relax(relocs, i),
			       part);
}

static void fill(const struct section_relocs *relocs, size_t i,
		 const struct reloc_part *part, struct item *item)
{
	const struct reloc *r = &relocs->relocs[i];
	struct symbol sym;

	*item = (struct item){ .offset = r->offset,
			       .family = part->family,
			       .is_head = part->is_head };
	switch (part->key) {
	case PART_OF_SYMBOL:
		item->owner = r->symndx;
		item->addend = r->addend;
		break;
	case PART_OF_LABEL:
		item->owner = r->offset;
		if (part->is_head)
			break;
		object_symbol(relocs->obj, r->symndx, &sym);
		item->owner = sym.value + r->addend;
		break;
	case PART_OF_SECTION:
		break;
	}
}

/* The group that begins with item FIRST. */
static struct group group_at(const struct item *items, size_t n, size_t first)
{
	struct group group = { .first = first, .end = first, .ways = 0xff };

	for (; group.end < n &&
	       compare_owners(&items[first], &items[group.end]) == 0 &&
	       items[first].addend == items[group.end].addend;
	     group.end++) {
		group.ways &= items[group.end].ways;
		group.has_head |= items[group.end].is_head;
	}
	return group;
}

/*
 * Items [FIRST, END) have one owner. If the parts of one addend have no head,
 * they go on with that of another: the upper halves of both are the same.
 */
static bool owner_agrees(const struct item *items, size_t first, size_t end,
			 uint64_t *offset)
{
	uint8_t heads = 0;
	struct group group;

	for (size_t i = first; i < end; i = group.end) {
		group = group_at(items, end, i);
		*offset = items[i].offset;
		if (group.ways == 0)
			return false;
		heads |= group.has_head ? group.ways : 0;
	}
	for (size_t i = first; heads != 0 && i < end; i = group.end) {
		group = group_at(items, end, i);
		*offset = items[i].offset;
		if ((group.ways & heads) == 0)
			return false;
	}
	return true;
}

static bool items_agree(struct item *items, size_t n, uint64_t *offset)
{
	size_t end;

	qsort(items, n, sizeof(items[0]), compare_items);
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1;
		     end < n && compare_owners(&items[i], &items[end]) == 0;)
			end++;
		if (!owner_agrees(items, i, end, offset))
			return false;
	}
	return true;
}

bool parts_agree(struct diag *d, const struct section_relocs *relocs,
		 uint8_t (*ways)(void *ctx, size_t i), void *ctx,
		 uint64_t *offset)
{
	struct item *items;
	struct reloc_part part;
	size_t n = 0;
	bool is_changed = false, agree;

	for (size_t i = 0;
	     relocs->obj->arch->find_part != NULL && i < relocs->n; i++)
		if (find_part(relocs, i, &part)) {
			is_changed |= (ways(ctx, i) & WAY_KEPT) == 0;
			n++;
		}
	if (!is_changed)
		return true;
	items = malloc(n * sizeof(items[0]));
	if (items == NULL) {
		diag_nomem(d, relocs->obj->path);
		return false;
	}
	n = 0;
	for (size_t i = 0; i < relocs->n; i++)
		if (find_part(relocs, i, &part)) {
			fill(relocs, i, &part, &items[n]);
			items[n++].ways = ways(ctx, i);
		}
	agree = items_agree(items, n, offset);
	free(items);
	return agree;
}
