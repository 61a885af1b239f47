/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "arch/arch.h"
#include "descriptors.h"
#include "base/grow.h"
#include "base/sort.h"

struct builder {
	struct diag *d;
	struct object *obj;
	struct descriptor *items;
	size_t n;
	uint32_t *texts; /* sections of code, by address */
	size_t ntexts;
};

static int compare_descriptors(const void *a, const void *b)
{
	const struct descriptor *x = a, *y = b;

	return sort_pairs(x->shndx, x->value, y->shndx, y->value);
}

static const struct descriptor *find(const struct descriptor *items, size_t n,
				     uint32_t shndx, uint64_t value)
{
	struct descriptor key = { .shndx = shndx, .value = value };

	if (n == 0)
		return NULL;
	return bsearch(&key, items, n, sizeof(key), compare_descriptors);
}

/* Assembly may leave the type out. */
static bool names_function(const struct symbol *sym)
{
	return sym->is_defined && sym->name[0] != '\0' &&
	       !symbol_is_label(sym) &&
	       (sym->type == STT_FUNC || sym->type == STT_GNU_IFUNC ||
		sym->type == STT_NOTYPE);
}

static int add(struct builder *b, const struct descriptor *item)
{
	struct descriptor *items = grow_list(b->items, b->n, sizeof(items[0]));

	if (items == NULL)
		return diag_nomem(b->d, b->obj->path);
	b->items = items;
	items[b->n++] = *item;
	return 0;
}

bool descriptors_hold(const struct object *obj, uint32_t shndx)
{
	const struct section *sec = &obj->sections[shndx];

	return obj->arch->descriptors != NULL && section_is_alloc(sec) &&
	       !section_is_text(sec) && sec->type == SHT_PROGBITS &&
	       strcmp(sec->name, obj->arch->descriptors->section) == 0;
}

uint32_t descriptors_section(const struct object *obj)
{
	for (size_t i = 1; i < obj->nsections; i++)
		if (descriptors_hold(obj, i))
			return i;
	return 0;
}

/* --- In an object ------------------------------------------------------ */

static int add_relocated(struct builder *b, uint32_t relsec)
{
	struct relocs relocs;

	if (object_relocs(b->d, b->obj, relsec, &relocs))
		return -1;
	for (size_t i = 0; i < relocs.n; i++) {
		struct descriptor item = {
			.shndx = b->obj->sections[relsec].info,
		};
		struct symbol sym;
		struct reloc r;

		reloc_get(&relocs, i, &r);
		if (r.type != b->obj->arch->descriptors->reloc_code)
			continue;
		object_symbol(b->obj, r.symndx, &sym);
		if (!sym.is_defined ||
		    !section_is_text(&b->obj->sections[sym.shndx]))
			continue;
		item.value = r.offset;
		item.code = sym.value + r.addend;
		item.code_shndx = sym.shndx;
		if (item.code < b->obj->sections[sym.shndx].size &&
		    add(b, &item))
			return -1;
	}
	return 0;
}

static int find_relocated(struct builder *b)
{
	for (size_t i = 1; i < b->obj->nsections; i++)
		if (section_is_relocs(&b->obj->sections[i]) &&
		    descriptors_hold(b->obj, b->obj->sections[i].info) &&
		    add_relocated(b, i))
			return -1;
	return 0;
}

/* --- In an image ------------------------------------------------------- */

static int compare_texts(const void *a, const void *b, void *ctx)
{
	const struct object *obj = ctx;
	uint64_t x = obj->sections[*(const uint32_t *)a].addr;
	uint64_t y = obj->sections[*(const uint32_t *)b].addr;

	return x < y ? -1 : x > y;
}

static int list_texts(struct builder *b)
{
	b->texts = malloc(b->obj->nsections * sizeof(b->texts[0]));
	if (b->texts == NULL)
		return diag_nomem(b->d, b->obj->path);
	for (size_t i = 1; i < b->obj->nsections; i++)
		if (section_is_text(&b->obj->sections[i]))
			b->texts[b->ntexts++] = i;
	sort_with(b->texts, b->ntexts, sizeof(b->texts[0]), compare_texts,
		  b->obj);
	return 0;
}

/* The section of the code at ADDR, or 0. */
static uint32_t text_at(const struct builder *b, uint64_t addr)
{
	size_t i;
	const struct section *sec;

	LOWER_BOUND(i, b->ntexts, b->obj->sections[b->texts[i]].addr <= addr);
	if (i == 0)
		return 0;
	sec = &b->obj->sections[b->texts[i - 1]];
	return addr - sec->addr < sec->size ? b->texts[i - 1] : 0;
}

/*
 * Each word that is an address of code begins a descriptor. The last descriptor
 * may be shorter than others.
 */
static int add_words(struct builder *b, uint32_t shndx)
{
	size_t size;
	const uint8_t *bytes = object_data(b->d, b->obj, shndx, &size);

	if (bytes == NULL)
		return -1;
	for (size_t at = 0; at + 8 <= size; at += 8) {
		struct descriptor item = {
			.value = b->obj->sections[shndx].addr + at,
			.code = object_xword(b->obj, bytes + at),
			.shndx = shndx,
		};

		item.code_shndx = text_at(b, item.code);
		if (item.code_shndx != 0 && add(b, &item))
			return -1;
	}
	return 0;
}

static int find_words(struct builder *b)
{
	if (list_texts(b))
		return -1;
	for (size_t i = 1; i < b->obj->nsections; i++)
		if (descriptors_hold(b->obj, i) && add_words(b, i))
			return -1;
	return 0;
}

/* The second word of the descriptor at VALUE of section SHNDX, or 0. */
static uint64_t toc_word(const struct builder *b, uint32_t shndx,
			 uint64_t value)
{
	uint64_t at = value - b->obj->sections[shndx].addr;
	size_t size;
	const uint8_t *bytes = object_data(b->d, b->obj, shndx, &size);

	if (bytes == NULL || at > size || size - at < 16)
		return 0;
	return object_xword(b->obj, bytes + at + 8);
}

/* Finds the TOC, if all functions that have a symbol use the same one. */
static void find_toc(struct builder *b)
{
	uint64_t toc = 0;

	for (size_t i = 1; i < b->obj->nsymbols; i++) {
		struct symbol sym;
		uint64_t word;

		object_symbol(b->obj, i, &sym);
		if (!names_function(&sym) ||
		    find(b->items, b->n, sym.shndx, sym.value) == NULL)
			continue;
		word = toc_word(b, sym.shndx, sym.value);
		if (word == 0 || (toc != 0 && toc != word))
			return;
		toc = word;
	}
	b->obj->toc = toc;
}

/* Refuses two descriptors at one place: a symbol there could name either. */
static int check_places(const struct builder *b)
{
	for (size_t i = 1; i < b->n; i++) {
		struct place place = object_where(b->obj, b->items[i].shndx,
						  b->items[i].value);

		if (compare_descriptors(&b->items[i - 1], &b->items[i]) == 0)
			return diag_report(
				b->d, SEVERITY_TROUBLE, &place, "malformed",
				NULL,
				"two relocations set the code of one "
				"function descriptor");
	}
	return 0;
}

int descriptors_build(struct diag *d, struct object *obj)
{
	struct builder b = { .d = d, .obj = obj };
	int ret = -1;

	if (obj->arch->descriptors == NULL)
		return 0;
	if (obj->ehdr.e_type == ET_REL ? find_relocated(&b) : find_words(&b))
		goto done;
	if (b.n > 0)
		qsort(b.items, b.n, sizeof(b.items[0]), compare_descriptors);
	if (obj->ehdr.e_type != ET_REL)
		find_toc(&b);
	else if (check_places(&b))
		goto done;
	/* From here on object_symbol resolves. */
	obj->descriptors = b.items;
	obj->ndescriptors = b.n;
	b.items = NULL;
	ret = 0;
done:
	free(b.items);
	free(b.texts);
	return ret;
}

bool descriptor_resolve(const struct object *obj, struct symbol *sym)
{
	const struct descriptor *found;

	if (!names_function(sym))
		return false;
	found = find(obj->descriptors, obj->ndescriptors, sym->shndx,
		     sym->value);
	if (found == NULL)
		return false;
	sym->shndx = found->code_shndx;
	sym->value = found->code;
	return true;
}

bool descriptor_follow(const struct object *obj, struct symbol *sym,
		       int64_t addend)
{
	const struct descriptor *found;

	if (!descriptors_hold(obj, sym->shndx))
		return false;
	found = find(obj->descriptors, obj->ndescriptors, sym->shndx,
		     sym->value + addend);
	if (found != NULL) {
		sym->shndx = found->code_shndx;
		sym->value = found->code - addend;
	}
	return true;
}
