/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/search.h"
#include "base/sort.h"
#include "section-relocs.h"

static int compare_relocs(const void *a, const void *b)
{
	const struct reloc *x = a, *y = b;

	return sort_pairs(x->offset, x->type, y->offset, y->type);
}

static int append_relocs(struct diag *d, const struct object *obj,
			 const struct relocs *rs, struct section_relocs *out,
			 bool *is_sorted)
{
	struct reloc *relocs =
		realloc(out->owned, (out->n + rs->n + 1) * sizeof(relocs[0]));

	if (relocs == NULL)
		return diag_nomem(d, obj->path);
	out->owned = relocs;
	out->relocs = relocs;
	for (size_t i = 0; i < rs->n; i++) {
		reloc_get(rs, i, &relocs[out->n]);
		if (out->n > 0 &&
		    relocs[out->n].offset < relocs[out->n - 1].offset)
			*is_sorted = false;
		out->n++;
	}
	return 0;
}

/*
 * Most sections have all relocations in one table, sorted and with addends
 * where they are needed.
 */
static bool is_ready(const struct object *obj, uint32_t shndx, uint32_t relsec,
		     const struct relocs *rs)
{
	return rs->is_plain && obj->sections[relsec].is_sorted &&
	       obj->sections[shndx].first_relsec == relsec &&
	       obj->sections[relsec].next_relsec == 0;
}

int section_relocs_read(struct diag *d, const struct object *obj,
			uint32_t shndx, struct section_relocs *relocs)
{
	bool is_sorted = true;

	*relocs = (struct section_relocs){ .obj = obj, .is_rela = true };
	for (uint32_t i = obj->sections[shndx].first_relsec; i != 0;
	     i = obj->sections[i].next_relsec) {
		struct relocs rs;

		if (object_relocs(d, obj, i, &rs))
			return -1;
		relocs->is_rela &= rs.is_rela;
		if (is_ready(obj, shndx, i, &rs)) {
			relocs->relocs = rs.entries;
			relocs->n = rs.n;
			return 0;
		}
		if (append_relocs(d, obj, &rs, relocs, &is_sorted))
			return -1;
	}
	if (!is_sorted)
		qsort(relocs->owned, relocs->n, sizeof(relocs->owned[0]),
		      compare_relocs);
	return 0;
}

void section_relocs_free(struct section_relocs *relocs)
{
	free(relocs->owned);
	*relocs = (struct section_relocs){ 0 };
}

size_t section_relocs_reaching(const struct section_relocs *relocs,
			       uint64_t offset)
{
	size_t i;

	LOWER_BOUND(i, relocs->n, relocs->relocs[i].offset + 8 <= offset);
	return i;
}

const struct reloc *section_relocs_at(const struct section_relocs *relocs,
				      uint64_t offset)
{
	size_t i;

	LOWER_BOUND(i, relocs->n, relocs->relocs[i].offset < offset);
	return i < relocs->n && relocs->relocs[i].offset == offset
		       ? &relocs->relocs[i]
		       : NULL;
}

bool section_relocs_may_be_nowhere(const struct section_relocs *relocs,
				   size_t i)
{
	uint32_t symndx = relocs->relocs[i].symndx;
	struct symbol sym;

	if (symndx == 0 || symndx >= relocs->obj->nsymbols)
		return false;
	object_symbol(relocs->obj, symndx, &sym);
	return sym.bind == STB_WEAK && !sym.is_defined;
}

/* Is the symbol of relocation I in the section of the arch's pointers? */
static bool is_pointer(const struct section_relocs *relocs,
		       const struct arch *arch, size_t i)
{
	uint32_t symndx = relocs->relocs[i].symndx;
	struct symbol sym;

	if (symndx == 0 || symndx >= relocs->obj->nsymbols)
		return false;
	object_symbol(relocs->obj, symndx, &sym);
	return sym.is_defined && strcmp(relocs->obj->sections[sym.shndx].name,
					arch->pointers) == 0;
}

bool section_relocs_rewritten(const struct section_relocs *relocs,
			      const struct arch *arch, const uint8_t *before,
			      const uint8_t *after, size_t size, size_t i,
			      struct byte_range *range)
{
	const struct reloc *r = &relocs->relocs[i];

	return arch->is_rewrite(arch, before, after, size, r, range) &&
	       (arch->is_for_nowhere == NULL ||
		!arch->is_for_nowhere(arch, after + r->offset, r) ||
		section_relocs_may_be_nowhere(relocs, i)) &&
	       (arch->is_for_pointer == NULL ||
		!arch->is_for_pointer(arch, before + r->offset,
				      after + r->offset, r) ||
		is_pointer(relocs, arch, i));
}

bool section_relocs_alike(const struct section_relocs *a,
			  const struct section_relocs *b,
			  const struct arch *arch, size_t i)
{
	return a->relocs[i].offset == b->relocs[i].offset &&
	       a->relocs[i].type == b->relocs[i].type &&
	       (arch->is_for_nowhere == NULL ||
		section_relocs_may_be_nowhere(a, i) ==
			section_relocs_may_be_nowhere(b, i)) &&
	       (arch->is_for_pointer == NULL ||
		is_pointer(a, arch, i) == is_pointer(b, arch, i));
}

uint8_t section_relocs_bits(const struct section_relocs *relocs,
			    const struct arch *arch, uint64_t offset)
{
	const struct reloc *r = relocs->relocs;
	uint8_t bits = 0;
	size_t i;

	LOWER_BOUND(i, relocs->n, r[i].offset + 16 <= offset);
	for (; i < relocs->n && r[i].offset <= offset; i++)
		bits |= arch_reloc_bits(arch, r[i].type, offset - r[i].offset);
	return bits;
}

bool section_relocs_detour(const struct section_relocs *relocs,
			   const struct arch *arch, const uint8_t *before,
			   size_t size, const struct code *code, uint64_t base,
			   uint64_t offset, struct byte_range *range)
{
	struct detour detour = { 0 };

	if (arch->decode_detour == NULL ||
	    !arch->decode_detour(arch, code, base + offset, &detour) ||
	    detour.is_other || detour.start < base)
		return false;
	range->start = detour.start - base;
	if (detour.length > size - range->start)
		return false;
	range->end = range->start + detour.length;
	for (unsigned i = 0; i < detour.length; i++) {
		uint8_t kept =
			~section_relocs_bits(relocs, arch, range->start + i);

		if (((before[range->start + i] ^ code->bytes[detour.copy + i]) &
		     kept) != 0)
			return false;
	}
	return true;
}

size_t section_relocs_count(const struct section_relocs *relocs, size_t i)
{
	size_t n = 1;

	while (i + n < relocs->n &&
	       relocs->relocs[i + n].offset == relocs->relocs[i].offset)
		n++;
	return n;
}

bool section_relocs_same(const struct section_relocs *relocs,
			 const struct arch *arch, size_t i, size_t n,
			 const uint8_t *before, const uint8_t *after,
			 uint64_t size, unsigned *length)
{
	const struct reloc *r = relocs->relocs + i;

	*length = 0;
	for (size_t k = 0; k < n; k++)
		if (arch_reloc_width(arch, r[k].type) > *length)
			*length = arch_reloc_width(arch, r[k].type);
	if (*length > size)
		return false;
	for (unsigned at = 0; at < *length; at++) {
		uint8_t set = 0;

		for (size_t k = 0; k < n; k++)
			set |= arch_reloc_bits(arch, r[k].type, at);
		if (((before[at] ^ after[at]) & ~set & 0xff) != 0)
			return false;
	}
	return true;
}

bool section_relocs_touch(const struct section_relocs *relocs,
			  const struct arch *arch, uint64_t offset,
			  uint64_t size)
{
	const struct reloc *r = relocs->relocs;

	for (size_t i = section_relocs_reaching(relocs, offset);
	     i < relocs->n && r[i].offset < offset + size; i++)
		if (r[i].offset + arch_reloc_width(arch, r[i].type) > offset)
			return true;
	return false;
}
