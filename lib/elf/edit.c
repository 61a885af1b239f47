/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collects the changes. edit-write.c applies them. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "edit.h"
#include "base/grow.h"
#include "base/search.h"

void edit_init(struct edit *edit, const struct object *obj)
{
	*edit = (struct edit){ .obj = obj };
}

static void free_symbols(struct new_symbol *symbols, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (i == 0 || symbols[i].name != symbols[i - 1].name)
			free(symbols[i].name);
	free(symbols);
}

void edit_free(struct edit *edit)
{
	parallel_wait(&edit->early.task);
	for (size_t i = 0; i < edit->nsections; i++) {
		free(edit->sections[i].name);
		free(edit->sections[i].data);
		free(edit->sections[i].relocs);
	}
	free(edit->sections);
	for (size_t i = 0; i < edit->ntails; i++) {
		free(edit->tails[i].more.name);
		free(edit->tails[i].more.data);
		free(edit->tails[i].more.relocs);
	}
	free(edit->tails);
	free_symbols(edit->locals, edit->nlocals);
	free_symbols(edit->globals, edit->nglobals);
	free(edit->changes);
	free(edit->bytes);
	free(edit->relocs);
	object_close(&edit->regrouped);
	*edit = (struct edit){ 0 };
}

/* Makes room for one more item of SIZE bytes behind the N in *ITEMS. */
static void *grow(void *items, size_t n, size_t *allocated, size_t size)
{
	size_t wanted = *allocated ? *allocated * 2 : 16;

	if (n < *allocated)
		return items;
	items = realloc(items, wanted * size);
	if (items != NULL)
		*allocated = wanted;
	return items;
}

#define GROW(edit, list) \
	grow((edit)->list, (edit)->n##list, &(edit)->list##_size, \
	     sizeof((edit)->list[0]))

uint32_t edit_add_section(struct edit *edit, const struct new_section *sec)
{
	struct new_section *sections = GROW(edit, sections);
	struct new_section *copy;

	if (sections == NULL)
		return NO_EDIT;
	edit->sections = sections;
	copy = &sections[edit->nsections];
	*copy = *sec;
	copy->name = strdup(sec->name);
	copy->data = malloc(sec->size + 1);
	if (copy->name == NULL || copy->data == NULL) {
		free(copy->name);
		free(copy->data);
		return NO_EDIT;
	}
	if (sec->data != NULL)
		memcpy(copy->data, sec->data, sec->size);
	else
		memset(copy->data, 0, sec->size);
	return edit->obj->nsections + edit->nsections++;
}

static uint32_t add_symbol(struct new_symbol *symbols, size_t *n,
			   const struct new_symbol *sym)
{
	const char *last = *n > 0 ? symbols[*n - 1].name : NULL;

	/* Labels of one name have it but once. */
	symbols[*n] = *sym;
	symbols[*n].name = last != NULL && strcmp(last, sym->name) == 0
				   ? (char *)last
				   : strdup(sym->name);
	return symbols[*n].name != NULL ? (*n)++ : NO_EDIT;
}

uint32_t edit_add_local(struct edit *edit, const struct new_symbol *sym)
{
	struct new_symbol *locals = GROW(edit, locals);

	if (locals == NULL)
		return NO_EDIT;
	edit->locals = locals;
	return add_symbol(locals, &edit->nlocals, sym);
}

uint32_t edit_add_global(struct edit *edit, const struct new_symbol *sym)
{
	struct new_symbol *globals = GROW(edit, globals);

	if (globals == NULL)
		return NO_EDIT;
	edit->globals = globals;
	return add_symbol(globals, &edit->nglobals, sym);
}

/* The first tail whose section is SHNDX or a later one. */
static size_t tails_below(const struct edit *edit, uint32_t shndx)
{
	size_t i;

	LOWER_BOUND(i, edit->ntails, edit->tails[i].shndx < shndx);
	return i;
}

struct section_tail *edit_tail(const struct edit *edit, uint32_t shndx)
{
	size_t i = tails_below(edit, shndx);

	return i < edit->ntails && edit->tails[i].shndx == shndx
		       ? &edit->tails[i]
		       : NULL;
}

static struct section_tail *add_tail(struct edit *edit, uint32_t shndx)
{
	const struct section *sec = &edit->obj->sections[shndx];
	struct section_tail *tails = GROW(edit, tails);
	size_t at = tails_below(edit, shndx);
	char *name = strdup(sec->name);

	if (tails != NULL)
		edit->tails = tails;
	if (tails == NULL || name == NULL) {
		free(name);
		return NULL;
	}
	memmove(&tails[at + 1], &tails[at],
		(edit->ntails++ - at) * sizeof(tails[0]));
	tails[at] = (struct section_tail){
		.shndx = shndx,
		.more = { .name = name,
			  .flags = sec->group ? SHF_GROUP : 0,
			  .group = sec->group },
	};
	return &tails[at];
}

/* The new section with index SHNDX, the tail of the old one, or NULL. */
static struct new_section *section_at(struct edit *edit, uint32_t shndx)
{
	struct section_tail *tail;

	if (shndx >= edit->obj->nsections)
		return &edit->sections[shndx - edit->obj->nsections];
	tail = edit_tail(edit, shndx);
	if (tail == NULL)
		tail = add_tail(edit, shndx);
	return tail != NULL ? &tail->more : NULL;
}

int edit_add_reloc(struct edit *edit, uint32_t shndx,
		   const struct new_reloc *reloc)
{
	struct new_section *sec = section_at(edit, shndx);
	struct new_reloc *relocs = NULL;

	if (sec != NULL)
		relocs =
			grow_list(sec->relocs, sec->nrelocs, sizeof(relocs[0]));
	if (relocs == NULL)
		return -1;
	sec->relocs = relocs;
	relocs[sec->nrelocs++] = *reloc;
	return 0;
}

uint8_t *edit_grow_section(struct edit *edit, uint32_t shndx, uint64_t align,
			   size_t size, uint64_t *offset)
{
	bool is_old = shndx < edit->obj->nsections;
	struct new_section *more = section_at(edit, shndx);
	uint64_t start = is_old ? edit->obj->sections[shndx].size : 0;
	uint8_t *data = NULL, *grown;
	size_t pad = 0;

	if (more != NULL) {
		pad = -(start + more->size) & (align - 1);
		data = realloc(more->data, more->size + pad + size);
	}
	if (data == NULL)
		return NULL;
	more->data = data;
	memset(data + more->size, 0, pad + size);
	grown = data + more->size + pad;
	*offset = start + more->size + pad;
	more->size += pad + size;
	return grown;
}

int edit_change_symbol(struct edit *edit, const struct symbol_change *change)
{
	struct symbol_change *changes = GROW(edit, changes);

	if (changes == NULL)
		return -1;
	edit->changes = changes;
	changes[edit->nchanges++] = *change;
	return 0;
}

int edit_change_bytes(struct edit *edit, const struct byte_change *change)
{
	struct byte_change *bytes = GROW(edit, bytes);

	if (bytes == NULL)
		return -1;
	edit->bytes = bytes;
	bytes[edit->nbytes++] = *change;
	return 0;
}

int edit_change_reloc(struct edit *edit, const struct changed_reloc *change)
{
	struct changed_reloc *relocs = GROW(edit, relocs);

	if (relocs == NULL)
		return -1;
	edit->relocs = relocs;
	relocs[edit->nrelocs++] = *change;
	return 0;
}

uint32_t edit_symbol_index(const struct edit *edit, struct symbol_ref ref)
{
	uint32_t nlocals = edit->obj->sections[edit->obj->symtab].info;

	switch (ref.origin) {
	case SYMBOL_OLD:
		return ref.idx < nlocals ? ref.idx : ref.idx + edit->nlocals;
	case SYMBOL_NEW_LOCAL:
		return nlocals + ref.idx;
	case SYMBOL_NEW_GLOBAL:
		break;
	}
	return edit->obj->nsymbols + edit->nlocals + ref.idx;
}

/* A second and a third type of 0 are none. */
uint64_t edit_reloc_info(const struct object *obj, uint32_t sym, uint32_t type)
{
	uint64_t info = GELF_R_INFO((uint64_t)sym, type);

	return object_has_odd_info(obj) ? reloc_info_file(info) : info;
}

/* r_info has the same offset in relocations with and without addends. */
static void renumber(const struct edit *edit, char *entries, size_t n,
		     size_t size)
{
	uint32_t nlocals = edit->obj->sections[edit->obj->symtab].info;
	uint32_t more = edit->nlocals;
	bool is_odd = object_has_odd_info(edit->obj);

	for (size_t i = 0; edit->obj->is_64 && i < n; i++) {
		Elf64_Rel *r = (Elf64_Rel *)(entries + i * size);
		uint64_t info = is_odd ? reloc_info_order(r->r_info)
				       : r->r_info;

		if (ELF64_R_SYM(info) >= nlocals)
			info = ELF64_R_INFO(ELF64_R_SYM(info) + more,
					    ELF64_R_TYPE(info));
		r->r_info = is_odd ? reloc_info_file(info) : info;
	}
	for (size_t i = 0; !edit->obj->is_64 && i < n; i++) {
		Elf32_Rel *r = (Elf32_Rel *)(entries + i * size);

		if (ELF32_R_SYM(r->r_info) >= nlocals)
			r->r_info = ELF32_R_INFO(ELF32_R_SYM(r->r_info) + more,
						 ELF32_R_TYPE(r->r_info));
	}
}

static void make_none(const struct edit *edit, const struct section *sec,
		      struct symbol_ref symbol, void *entry)
{
	const struct object *obj = edit->obj;
	uint32_t sym = edit_symbol_index(edit, symbol);
	uint32_t none = obj->arch->reloc_none;

	if (obj->is_64)
		((Elf64_Rel *)entry)->r_info = edit_reloc_info(obj, sym, none);
	else
		((Elf32_Rel *)entry)->r_info = ELF32_R_INFO(sym, none);
	if (sec->type != SHT_RELA)
		return;
	if (obj->is_64)
		((Elf64_Rela *)entry)->r_addend = 0;
	else
		((Elf32_Rela *)entry)->r_addend = 0;
}

size_t edit_copy_relocs(const struct edit *edit, const struct section *sec,
			const struct changed_reloc *change, const void *from,
			size_t n, void *to)
{
	if (change != NULL && change->is_dropped)
		return 0;
	memcpy(to, from, n * sec->entsize);
	if (change != NULL)
		make_none(edit, sec, change->symbol, to);
	else
		renumber(edit, to, n, sec->entsize);
	return n;
}
