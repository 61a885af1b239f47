/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <elf.h>
#include <stdlib.h>

#include "arch/arch.h"
#include "base/grow.h"
#include "base/sort.h"
#include "parts.h"

/* What one relocation shows. */
struct part {
	unsigned kind;	/* of the decision */
	uint64_t owner; /* the symbol, or the offset of the lead */
	int64_t addend;
	uint64_t offset;
	uint32_t ways; /* a bit for each decision that explains it */
	bool is_lead;
	bool is_free; /* it does not read what a lead computes */
};

struct parts {
	struct part *items; /* owned */
	size_t n;
};

/* --- Do they agree? ------------------------------------------------------- */

static int compare_owners(const struct part *x, const struct part *y)
{
	return sort_pairs(x->kind, x->owner, y->kind, y->owner);
}

static int compare_parts(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	int order = compare_owners(x, y);

	if (order != 0)
		return order;
	if (x->addend != y->addend)
		return x->addend < y->addend ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Parts [first, end) of one owner and addend. */
struct group {
	size_t first, end;
	uint32_t ways; /* that explain all of them */
	bool has_lead;
	bool is_free; /* all of them are */
};

static struct group group_at(const struct part *items, size_t n, size_t first)
{
	struct group group = { .first = first,
			       .end = first,
			       .ways = UINT32_MAX,
			       .is_free = true };

	for (; group.end < n &&
	       compare_owners(&items[first], &items[group.end]) == 0 &&
	       items[first].addend == items[group.end].addend;
	     group.end++) {
		group.ways &= items[group.end].ways;
		group.has_lead |= items[group.end].is_lead;
		group.is_free &= items[group.end].is_free;
	}
	if (!group.has_lead)
		group.ways &= ~PART_WITH_LEAD;
	return group;
}

/*
 * Parts [FIRST, END) have one owner. If those of one addend have no lead, they
 * go on with that of another: the upper halves of both are the same.
 */
static bool owner_agrees(const struct part *items, size_t first, size_t end,
			 uint64_t *offset)
{
	uint32_t leads = 0;
	struct group group;

	for (size_t i = first; i < end; i = group.end) {
		group = group_at(items, end, i);
		*offset = items[i].offset;
		if (group.ways == 0)
			return false;
		leads |= group.has_lead ? group.ways : 0;
	}
	for (size_t i = first; leads != 0 && i < end; i = group.end) {
		group = group_at(items, end, i);
		*offset = items[i].offset;
		if (!group.is_free && (group.ways & leads) == 0)
			return false;
	}
	return true;
}

static bool agree(const struct parts *parts, uint64_t *offset)
{
	struct part *items = parts->items;
	size_t end;

	if (parts->n == 0)
		return true;
	qsort(items, parts->n, sizeof(items[0]), compare_parts);
	for (size_t i = 0; i < parts->n; i = end) {
		for (end = i + 1; end < parts->n &&
				  compare_owners(&items[i], &items[end]) == 0;)
			end++;
		if (!owner_agrees(items, i, end, offset))
			return false;
	}
	return true;
}

static int add_part(struct parts *parts, const struct part *part)
{
	struct part *items =
		grow_list(parts->items, parts->n, sizeof(items[0]));

	if (items == NULL)
		return -1;
	parts->items = items;
	items[parts->n++] = *part;
	return 0;
}

/* RET is what collecting them returned: -1, or 0 if one is wrong by itself. */
static bool close_parts(struct diag *d, const struct section_relocs *relocs,
			struct parts *parts, int ret, uint64_t *offset)
{
	bool is_right = ret > 0 && agree(parts, offset);

	if (ret < 0)
		diag_nomem(d, relocs->obj->path);
	free(parts->items);
	return is_right;
}

/* --- Where nothing moves -------------------------------------------------- */

/*
 * Could the linker know the address of R's symbol? The loader may put IMG
 * anywhere, with all that a section defines, unless it relocates the field AT.
 */
static bool knows_address(const struct section_relocs *relocs,
			  const struct image *img, const struct reloc *r,
			  uint64_t at)
{
	struct symbol sym;

	if (img->obj->ehdr.e_type != ET_DYN || r->symndx == 0 ||
	    r->symndx >= relocs->obj->nsymbols ||
	    image_find_reloc(img, at) != NULL)
		return true;
	object_symbol(relocs->obj, r->symndx, &sym);
	/* Another object may define a weak one without a section. */
	return !sym.is_defined || sym.bind == STB_WEAK;
}

/* What a linker cannot know is how far thread-local storage is in a library. */
static bool knows_offset(const struct image *img,
			 const struct rewrite_part *part)
{
	return part->ways != TLS_LOCAL || !img->is_library;
}

static int collect(const struct rewritten *in, struct parts *parts,
		   uint64_t *offset)
{
	const struct section_relocs *relocs = in->relocs;
	const struct arch *arch = relocs->obj->arch;
	uint64_t end = 0;

	for (size_t i = 0; i < relocs->n; i++) {
		const struct reloc *r = &relocs->relocs[i];
		struct rewrite_part part = { 0 };

		if (r->offset < end || in->is_left_out(in->ctx, r->offset))
			continue;
		*offset = r->offset;
		if (!arch->judge_part(arch, r, relocs->n - i, &in->before,
				      in->after, &part) ||
		    !knows_offset(in->img, &part) ||
		    (part.is_address &&
		     !knows_address(relocs, in->img, r,
				    in->before.addr + r->offset)))
			return 0;
		end = r->offset + part.length;
		if (part.kind != 0 &&
		    add_part(parts,
			     &(struct part){ part.kind, part.symndx,
					     part.addend, r->offset, part.ways,
					     part.is_lead, false }))
			return -1;
	}
	return 1;
}

bool parts_agree(struct diag *d, const struct rewritten *in, uint64_t *offset)
{
	struct parts parts = { 0 };

	return in->relocs->obj->arch->judge_part == NULL ||
	       close_parts(d, in->relocs, &parts, collect(in, &parts, offset),
			   offset);
}

/* --- Where the caller knows what each became ------------------------------ */

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

static struct part part_of(const struct section_relocs *relocs, size_t i,
			   const struct reloc_part *found)
{
	const struct reloc *r = &relocs->relocs[i];
	struct part part = { .kind = found->kind,
			     .offset = r->offset,
			     .is_lead = found->is_lead };
	struct symbol sym;

	switch (found->key) {
	case PART_OF_SYMBOL:
		part.owner = r->symndx;
		part.addend = r->addend;
		break;
	case PART_OF_LABEL:
		part.owner = r->offset;
		if (part.is_lead)
			break;
		object_symbol(relocs->obj, r->symndx, &sym);
		part.owner = sym.value + r->addend;
		break;
	case PART_OF_SECTION:
		break;
	}
	return part;
}

bool parts_agree_by_ways(struct diag *d, const struct section_relocs *relocs,
			 uint8_t (*ways)(void *ctx, size_t i), void *ctx,
			 uint64_t *offset)
{
	struct parts parts = { 0 };
	struct reloc_part found;
	bool is_changed = false;
	int ret = 1;

	for (size_t i = 0;
	     ret > 0 && relocs->obj->arch->find_part != NULL && i < relocs->n;
	     i++) {
		struct part part;

		if (!find_part(relocs, i, &found))
			continue;
		part = part_of(relocs, i, &found);
		part.ways = ways(ctx, i);
		part.is_free = !part.is_lead && (part.ways & WAY_KEPT) == 0;
		is_changed |= (part.ways & WAY_KEPT) == 0;
		if (add_part(&parts, &part))
			ret = -1;
	}
	if (ret > 0 && !is_changed)
		parts.n = 0;
	return close_parts(d, relocs, &parts, ret, offset);
}
