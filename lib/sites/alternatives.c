/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "alternatives.h"
#include "base/search.h"
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

/* FIELD is what R sets: with SHT_REL, it holds the addend. */
static bool refers_to_text(const struct object *obj, const struct reloc *r,
			   const uint8_t *field, bool is_rela,
			   struct reference *ref)
{
	int64_t addend = is_rela ? r->addend : (int32_t)object_word(obj, field);
	struct symbol sym;

	object_symbol(obj, r->symndx, &sym);
	if (!sym.is_defined || !section_is_text(&obj->sections[sym.shndx]))
		return false;
	*ref = (struct reference){ r->offset, sym.shndx, sym.value + addend };
	return true;
}

static size_t find_references(const struct object *obj,
			      const struct section_relocs *relocs,
			      const uint8_t *table, uint64_t size,
			      struct reference *refs)
{
	size_t n = 0;

	for (size_t i = 0; i < relocs->n; i++) {
		const struct reloc *r = &relocs->relocs[i];

		n += r->offset < size && size - r->offset >= 4 &&
		     refers_to_text(obj, r, table + r->offset, relocs->is_rela,
				    &refs[n]);
	}
	return n;
}

/*
 * An entry begins with two distances: to the code, and to its replacement. It
 * also has their lengths: bytes, or on RISC-V two bytes at offset 10 for both.
 * If the code may relax, relocations against the replacement's ends set these.
 */
enum { REPLACEMENT_AT = 4, LENGTH_AT = 10, SMALLEST = 11 };

static const struct layout {
	uint8_t size, original_at, replacement_at;
} layouts[] = {
	{ SMALLEST, 10, 10 }, /* s390 */
	{ 12, 10, 11 },	      /* x86, AArch64, LoongArch */
	{ 13, 12, 12 },	      /* s390 since 6.11 */
	{ 14, 12, 13 },	      /* x86 since 6.3 */
};

static void read_lengths(const uint8_t *entry, uint64_t size,
			 uint64_t *original, uint64_t *replacement)
{
	*original = *replacement = entry[LENGTH_AT];
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (size == layouts[i].size) {
			*original = entry[layouts[i].original_at];
			*replacement = entry[layouts[i].replacement_at];
			return;
		}
	if (size > LENGTH_AT + 1)
		*original = *replacement |= entry[LENGTH_AT + 1] << 8;
}

/*
 * REFS are those of the table from one on. Sets the code and its replacement,
 * and returns 2; or 0 if no entry begins there.
 */
static size_t read_entry(const uint8_t *table, uint64_t size,
			 const struct reference *refs, size_t n,
			 struct alternative alternatives[2])
{
	uint64_t at = refs[0].offset, original, replacement;
	size_t next = 2;

	if (n < 2 || refs[1].offset != at + REPLACEMENT_AT ||
	    size - at < SMALLEST)
		return 0;
	while (next < n && refs[next].offset < at + SMALLEST)
		next++;
	if (next < n)
		size = refs[next].offset;
	read_lengths(table + at, size - at, &original, &replacement);
	if (next > 2)
		original = replacement = refs[2].target - refs[1].target;
	alternatives[0] = (struct alternative){ refs[0].shndx, refs[0].target,
						refs[0].target + original };
	alternatives[1] = (struct alternative){ refs[1].shndx, refs[1].target,
						refs[1].target + replacement };
	return 2;
}

static int compare_alternatives(const void *a, const void *b)
{
	const struct alternative *x = a, *y = b;

	if (x->shndx != y->shndx)
		return x->shndx < y->shndx ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
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
	items = realloc(out->items,
			(out->n + 2 * relocs.n + 1) * sizeof(items[0]));
	if (items != NULL)
		out->items = items;
	if (table == NULL || refs == NULL || items == NULL) {
		diag_nomem(d, obj->path);
		goto done;
	}
	n = find_references(obj, &relocs, table, size, refs);
	for (size_t i = 0; i < n; i++)
		out->n += read_entry(table, size, &refs[i], n - i,
				     &out->items[out->n]);
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
