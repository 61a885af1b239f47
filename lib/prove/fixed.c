/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>

#include "fixed.h"

bool fixed_has_detours(const struct arch *arch, const struct image *img)
{
	struct detour detour = { 0 };

	for (size_t i = 0; arch->decode_detour != NULL && i < img->nsections;
	     i++) {
		const struct image_section *is = &img->sections[i];

		for (uint64_t k = 0; is->is_text && k < is->code.size; k += 2)
			if (arch->decode_detour(arch, &is->code, k, &detour))
				return true;
	}
	return false;
}

static void clear(bool *is_fixed, uint64_t size, uint64_t start, uint64_t end)
{
	for (; start < end && start < size; start++)
		is_fixed[start] = false;
}

bool *fixed_find(const struct arch *arch, const uint8_t *bytes, size_t size,
		 const struct section_relocs *relocs)
{
	const struct code code = { .bytes = bytes, .size = size };
	bool *is_fixed = malloc(size + 1);

	if (is_fixed == NULL)
		return NULL;
	for (uint64_t i = 0; i < size; i++)
		is_fixed[i] = arch->may_redirect == NULL ||
			      !arch->may_redirect(arch, &code, i);
	for (size_t i = 0; i < relocs->nexempt; i++)
		clear(is_fixed, size, relocs->exempt[i].start,
		      relocs->exempt[i].end);
	for (size_t i = 0; i < relocs->n; i++) {
		const struct reloc *r = &relocs->relocs[i];
		uint64_t end = r->offset + arch_reloc_width(arch, r->type);
		uint64_t reach = arch->rewrite_reach != NULL
					 ? arch->rewrite_reach(arch, r->type)
					 : REWRITE_REACH;

		clear(is_fixed, size, r->offset > reach ? r->offset - reach : 0,
		      end + reach);
	}
	return is_fixed;
}
