/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "alternatives.h"
#include "base/search.h"
#include "base/sort.h"
#include "elf/section-relocs.h"

struct alternative {
	uint32_t shndx;
	uint64_t start, end;
};

/* A word of the table that refers to text. */
struct reference {
	uint64_t offset; /* in the table */
	uint32_t shndx;
	uint64_t target;
};

/* struct alt_instr of Linux, and struct alt_entry of RISC-V. */
static bool is_table(const char *name)
{
	return strcmp(name, ".altinstructions") == 0 ||
	       strcmp(name, ".alternative") == 0;
}

bool alternatives_present(const struct object *obj)
{
	for (uint32_t i = 1; i < obj->nsections; i++)
		if (is_table(obj->sections[i].name))
			return true;
	return false;
}

static bool refers_to_text(const struct object *obj, const struct reloc *r,
			   struct reference *ref)
{
	struct symbol sym;

	object_symbol(obj, r->symndx, &sym);
	if (!sym.is_defined || !section_is_text(&obj->sections[sym.shndx]))
		return false;
	*ref = (struct reference){ r->offset, sym.shndx,
				   sym.value + r->addend };
	return true;
}

static size_t find_references(const struct object *obj,
			      const struct section_relocs *relocs,
			      struct reference *refs)
{
	size_t n = 0;

	for (size_t i = 0; i < relocs->n; i++)
		n += refers_to_text(obj, &relocs->relocs[i], &refs[n]);
	return n;
}

/*
 * An entry begins with two distances: to the code, and to its replacement. It
 * also has the length of the latter: AArch64 and LoongArch have entries of 12
 * bytes, and it is the last one. RISC-V has 16 bytes, and it is two bytes at
 * offset 10. If the code may relax, relocations against its two ends set it.
 */
enum { REPLACEMENT_AT = 4, LENGTH_AT = 10, SMALL_SIZE = 12 };

/* REFS are those of the table from one on. */
static bool read_entry(const uint8_t *table, uint64_t size,
		       const struct reference *refs, size_t n,
		       struct alternative *alternative)
{
	uint64_t at = refs[0].offset;
	uint64_t end = size, start, length;
	size_t next = 2;

	if (n < 2 || refs[1].offset != at + REPLACEMENT_AT ||
	    size - at < SMALL_SIZE)
		return false;
	while (next < n && refs[next].offset < at + SMALL_SIZE)
		next++;
	if (next < n)
		end = refs[next].offset;
	start = refs[1].target;
	if (next > 2)
		length = refs[2].target - start;
	else if (end - at == SMALL_SIZE)
		length = table[at + SMALL_SIZE - 1];
	else
		length = table[at + LENGTH_AT] | table[at + LENGTH_AT + 1] << 8;
	*alternative =
		(struct alternative){ refs[1].shndx, start, start + length };
	return true;
}

static int compare_alternatives(const void *a, const void *b)
{
	const struct alternative *x = a, *y = b;

	return sort_pairs(x->shndx, x->start, y->shndx, y->start);
}

/* If two overlap, the later one reaches as far as both. */
static void sort(struct alternatives *alternatives)
{
	struct alternative *items = alternatives->items;

	if (alternatives->n > 0)
		qsort(items, alternatives->n, sizeof(items[0]),
		      compare_alternatives);
	for (size_t i = 1; i < alternatives->n; i++)
		if (items[i].shndx == items[i - 1].shndx &&
		    items[i].end < items[i - 1].end)
			items[i].end = items[i - 1].end;
}

static int read_table(struct diag *d, const struct object *obj, uint32_t shndx,
		      struct alternatives *out)
{
	struct section_relocs relocs;
	struct alternative *items;
	struct reference *refs = NULL;
	const uint8_t *table;
	size_t n, size;
	int ret = -1;

	if (section_relocs_read(d, obj, shndx, &relocs))
		goto done;
	table = object_data(d, obj, shndx, &size);
	refs = malloc((relocs.n + 1) * sizeof(refs[0]));
	items = realloc(out->items, (out->n + relocs.n + 1) * sizeof(items[0]));
	if (items != NULL)
		out->items = items;
	if (table == NULL || refs == NULL || items == NULL) {
		diag_nomem(d, obj->path);
		goto done;
	}
	n = find_references(obj, &relocs, refs);
	for (size_t i = 0; i < n; i++)
		if (read_entry(table, size, &refs[i], n - i,
			       &out->items[out->n]))
			out->n++;
	ret = 0;
done:
	free(refs);
	section_relocs_free(&relocs);
	return ret;
}

int alternatives_read(struct diag *d, const struct object *obj,
		      struct alternatives *alternatives)
{
	*alternatives = (struct alternatives){ 0 };
	for (uint32_t i = 1; i < obj->nsections; i++)
		if (is_table(obj->sections[i].name) &&
		    read_table(d, obj, i, alternatives))
			return -1;
	sort(alternatives);
	return 0;
}

void alternatives_free(struct alternatives *alternatives)
{
	free(alternatives->items);
	*alternatives = (struct alternatives){ 0 };
}

bool alternatives_hold(const struct alternatives *alternatives, uint32_t shndx,
		       uint64_t offset)
{
	const struct alternative *items = alternatives->items;
	size_t i = 0;

	LOWER_BOUND(i, alternatives->n,
		    items[i].shndx < shndx || (items[i].shndx == shndx &&
					       items[i].start <= offset));
	return i > 0 && items[i - 1].shndx == shndx &&
	       offset < items[i - 1].end;
}
