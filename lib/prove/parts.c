/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/grow.h"
#include "parts.h"

#ifndef DF_1_PIE
#define DF_1_PIE 0x08000000
#endif

struct part {
	struct rewrite_part it;
	uint64_t offset;
};

struct parts {
	struct part *items;
	size_t n;
};

static int compare_decisions(const struct rewrite_part *x,
			     const struct rewrite_part *y)
{
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->symndx != y->symndx)
		return x->symndx < y->symndx ? -1 : 1;
	return x->addend < y->addend ? -1 : x->addend > y->addend;
}

static int compare_parts(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	int order = compare_decisions(&x->it, &y->it);

	return order != 0 ? order
			  : (x->offset > y->offset) - (x->offset < y->offset);
}

static int add_part(struct parts *parts, const struct rewrite_part *part,
		    uint64_t offset)
{
	struct part *items =
		grow_list(parts->items, parts->n, sizeof(items[0]));

	if (items == NULL)
		return -1;
	parts->items = items;
	items[parts->n++] = (struct part){ *part, offset };
	return 0;
}

/* The sites are compared elsewhere. */
static bool is_exempt(const struct section_relocs *relocs, uint64_t offset,
		      size_t *k)
{
	while (*k < relocs->nexempt && relocs->exempt[*k].end <= offset)
		++*k;
	return *k < relocs->nexempt && relocs->exempt[*k].start <= offset;
}

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

/*
 * Is IMG a shared library? An executable that the loader may put anywhere has
 * DF_1_PIE, or a loader of its own. A file of debug information may have an
 * empty dynamic section.
 */
static bool is_library(struct diag *d, const struct image *img)
{
	const struct object *obj = img->obj;
	unsigned word = obj->is_64 ? 8 : 4;
	const uint8_t *bytes = NULL;
	size_t size = 0;

	for (uint32_t i = 1; obj->ehdr.e_type == ET_DYN && i < obj->nsections;
	     i++) {
		if (strcmp(obj->sections[i].name, ".interp") == 0)
			return false;
		if (obj->sections[i].type == SHT_DYNAMIC)
			bytes = object_data(d, obj, i, &size);
	}
	for (size_t at = 0; bytes != NULL && at + 2 * word <= size;
	     at += 2 * word)
		if (object_address(obj, bytes + at) == DT_FLAGS_1 &&
		    (object_address(obj, bytes + at + word) & DF_1_PIE) != 0)
			return false;
	return bytes != NULL && size >= word &&
	       object_address(obj, bytes) != DT_NULL;
}

/* What a linker cannot know is how far thread-local storage is in a library. */
static bool knows_offset(struct diag *d, const struct image *img,
			 const struct rewrite_part *part)
{
	return part->models != TLS_LOCAL || !is_library(d, img);
}

static int collect(struct diag *d, const struct section_relocs *relocs,
		   const struct image *img, const struct code *before,
		   const struct code *after, struct parts *parts,
		   uint64_t *offset)
{
	const struct arch *arch = relocs->obj->arch;
	uint64_t end = 0;
	size_t k = 0;

	for (size_t i = 0; i < relocs->n; i++) {
		const struct reloc *r = &relocs->relocs[i];
		struct rewrite_part part = { 0 };

		if (r->offset < end || is_exempt(relocs, r->offset, &k))
			continue;
		if (!arch->judge_part(arch, r, relocs->n - i, before, after,
				      &part) ||
		    !knows_offset(d, img, &part) ||
		    (part.is_address &&
		     !knows_address(relocs, img, r,
				    before->addr + r->offset))) {
			*offset = r->offset;
			return 0;
		}
		end = r->offset + part.length;
		if (part.kind != 0 && add_part(parts, &part, r->offset))
			return -1;
	}
	return 1;
}

/*
 * Returns where the parts of the decision at START end. Sets MODELS to what
 * explains all of them, and HAS_LEAD.
 */
static size_t decision_end(const struct parts *parts, size_t start,
			   uint32_t *models, bool *has_lead)
{
	const struct part *list = parts->items;
	size_t i = start;

	*models = UINT32_MAX;
	*has_lead = false;
	for (; i < parts->n &&
	       compare_decisions(&list[start].it, &list[i].it) == 0;
	     i++) {
		*models &= list[i].it.models;
		*has_lead |= list[i].it.is_lead;
	}
	if (!*has_lead)
		*models &= ~PART_WITH_LEAD;
	return i;
}

/*
 * Is there a decision that explains all parts of it? Without a lead of the same
 * addend, one of the next lower addend counts. Else sets *OFFSET.
 */
static bool agree(const struct parts *parts, uint64_t *offset)
{
	const struct rewrite_part *lead = NULL;
	uint32_t lead_models = 0, models;
	bool has_lead;

	for (size_t i = 0, end; i < parts->n; i = end) {
		const struct rewrite_part *part = &parts->items[i].it;

		end = decision_end(parts, i, &models, &has_lead);
		if (has_lead) {
			lead = part;
			lead_models = models;
		} else if (lead != NULL && lead->kind == part->kind &&
			   lead->symndx == part->symndx) {
			models &= lead_models;
		}
		*offset = parts->items[i].offset;
		if (models == 0)
			return false;
	}
	return true;
}

int parts_agree(struct diag *d, const struct section_relocs *relocs,
		const struct image *img, const struct code *before,
		const struct code *after, uint64_t *offset)
{
	struct parts parts = { 0 };
	int ret;

	if (relocs->obj->arch->judge_part == NULL)
		return 1;
	ret = collect(d, relocs, img, before, after, &parts, offset);
	if (ret < 0)
		ret = diag_nomem(d, relocs->obj->path);
	if (ret > 0 && parts.n > 0) {
		qsort(parts.items, parts.n, sizeof(parts.items[0]),
		      compare_parts);
		ret = agree(&parts, offset);
	}
	free(parts.items);
	return ret;
}
