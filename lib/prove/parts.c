/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>

#include "arch/arch.h"
#include "base/grow.h"
#include "parts.h"

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

static int collect(const struct section_relocs *relocs,
		   const struct code *before, const struct code *after,
		   struct parts *parts, uint64_t *offset)
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
				      &part)) {
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
		const struct code *before, const struct code *after,
		uint64_t *offset)
{
	struct parts parts = { 0 };
	int ret;

	if (relocs->obj->arch->judge_part == NULL)
		return 1;
	ret = collect(relocs, before, after, &parts, offset);
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
