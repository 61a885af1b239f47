/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>

#include "arch/arch.h"
#include "base/search.h"
#include "relocated.h"

/* --- In the order of offsets, as assemblers and linkers write them ------ */

static uint64_t reloc_offset(const struct relocs *relocs, size_t i)
{
	struct reloc r;

	reloc_get(relocs, i, &r);
	return r.offset;
}

/* The first of RELOCS whose field may reach OFFSET. */
static size_t first_near(const struct relocs *relocs, uint64_t offset)
{
	size_t i;

	/* A width fits a byte. */
	LOWER_BOUND(i, relocs->n, reloc_offset(relocs, i) + UINT8_MAX < offset);
	return i;
}

static bool touches(const struct object *obj, const struct relocs *relocs,
		    uint64_t offset, unsigned size)
{
	for (size_t i = first_near(relocs, offset); i < relocs->n; i++) {
		struct reloc r;

		reloc_get(relocs, i, &r);
		if (r.offset >= offset + size)
			return false;
		if (r.offset + arch_reloc_width(obj->arch, r.type) > offset)
			return true;
	}
	return false;
}

/* --- In any order ------------------------------------------------------- */

/* Sets N bits of MAP from AT on, eight at once. */
static void set_bits(uint8_t *map, uint64_t at, unsigned n)
{
	while (n > 0) {
		unsigned step = n < 8 ? n : 8;
		unsigned bits = ((1u << step) - 1) << at % 8;

		map[at / 8] |= bits;
		map[at / 8 + 1] |= bits >> 8;
		at += step;
		n -= step;
	}
}

static int map_bits(struct relocated *r)
{
	const struct object *obj = r->obj;

	r->bits = calloc(obj->sections[r->shndx].size / 8 + 2, 1);
	if (r->bits == NULL)
		return diag_nomem(r->d, obj->path);
	for (uint32_t i = obj->sections[r->shndx].first_relsec; i != 0;
	     i = obj->sections[i].next_relsec) {
		struct relocs relocs;

		if (object_relocs(r->d, obj, i, &relocs))
			return -1;
		for (size_t k = 0; k < relocs.n; k++) {
			struct reloc reloc;

			reloc_get(&relocs, k, &reloc);
			set_bits(r->bits, reloc.offset,
				 arch_reloc_width(obj->arch, reloc.type));
		}
	}
	return 0;
}

static bool is_mapped(struct relocated *r, uint64_t offset, unsigned size)
{
	if (r->bits == NULL && r->status == 0)
		r->status = map_bits(r);
	for (uint64_t at = offset; r->status == 0 && at < offset + size; at++)
		if (r->bits[at / 8] >> at % 8 & 1)
			return true;
	return false;
}

bool relocated_touches(struct relocated *r, uint64_t offset, unsigned size)
{
	const struct section *sections = r->obj->sections;
	struct relocs relocs;

	for (uint32_t i = sections[r->shndx].first_relsec; i != 0;
	     i = sections[i].next_relsec) {
		if (!sections[i].is_sorted)
			return is_mapped(r, offset, size);
		if (object_relocs(r->d, r->obj, i, &relocs)) {
			r->status = -1;
			return false;
		}
		if (touches(r->obj, &relocs, offset, size))
			return true;
	}
	return false;
}

void relocated_free(struct relocated *r)
{
	free(r->bits);
	r->bits = NULL;
}
