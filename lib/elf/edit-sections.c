/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of edit_write: the sections of the copy, old and new. */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "edit-write.h"

int edit_set_data(struct writer *w, Elf_Scn *scn, GElf_Shdr *sh, void *bytes,
		  size_t size, Elf_Type type)
{
	Elf_Data *data = elf_getdata(scn, NULL);

	if (data == NULL)
		data = elf_newdata(scn);
	if (data == NULL)
		return edit_elf_error(w, "add a section");
	sh->sh_size = size;
	data->d_buf = bytes;
	data->d_size = size;
	data->d_type = type;
	data->d_off = 0;
	data->d_align = 1;
	data->d_version = EV_CURRENT;
	if (gelf_update_shdr(scn, sh) == 0)
		return edit_elf_error(w, "change a section header");
	return 0;
}

Elf_Scn *edit_new_scn(struct writer *w)
{
	Elf_Scn *scn;

	elf_errno(); /* forgets what was before */
	scn = elf_newscn(w->elf);
	w->error = elf_errno();
	return w->error == 0 ? scn : NULL;
}

int edit_place_at_end(struct writer *w, Elf_Scn *scn, GElf_Shdr *sh,
		      void *bytes, size_t size, Elf_Type type)
{
	uint64_t align = sh->sh_addralign;

	/*
	 * A higher alignment is about the address, or is nonsense. In a file, a
	 * page is enough.
	 */
	w->end = edit_align_up(w->end, align < 4096 ? align : 4096);
	sh->sh_offset = w->end;
	/* The original's has no meaning, and may be too high to grow. */
	sh->sh_addr = 0;
	w->end += size;
	return edit_set_data(w, scn, sh, bytes, size, type);
}

/* The sections of the original, where they are. */
static int copy_section(struct writer *w, size_t i)
{
	Elf_Scn *from = elf_getscn(w->obj->elf, i);
	Elf_Scn *to = edit_new_scn(w);
	const uint8_t *bytes;
	GElf_Shdr sh;
	size_t size;

	if (to == NULL || from == NULL || gelf_getshdr(from, &sh) == NULL)
		return edit_elf_error(w, "copy a section");
	bytes = object_data(w->d, w->obj, i, &size);
	if (bytes == NULL)
		return -1;
	if (sh.sh_type == SHT_NULL) {
		/* It has no meaning, but libelf would begin to write there. */
		sh.sh_offset = w->obj->file_size;
		return edit_set_data(w, to, &sh, NULL, 0, ELF_T_BYTE);
	}
	if (sh.sh_type == SHT_NOBITS)
		return edit_set_data(w, to, &sh, NULL, sh.sh_size, ELF_T_BYTE);
	return edit_set_data(w, to, &sh, (void *)bytes, size, ELF_T_BYTE);
}

int edit_copy_sections(struct writer *w)
{
	GElf_Ehdr ehdr = w->obj->ehdr;

	if (gelf_newehdr(w->elf, w->obj->is_64 ? ELFCLASS64 : ELFCLASS32) ==
		    NULL ||
	    gelf_update_ehdr(w->elf, &ehdr) == 0)
		return edit_elf_error(w, "write a header");
	for (size_t i = 1; i < w->obj->nsections; i++)
		if (copy_section(w, i))
			return -1;
	return 0;
}

int64_t edit_append_name(char **more, size_t *size, uint64_t old,
			 const char *name)
{
	size_t length = strlen(name) + 1;
	int64_t at = old + *size;

	/* Allocate again only when the size crosses a power of two. */
	if (*size == 0 || ((*size + length) ^ *size) > *size) {
		size_t wanted = 64;
		char *grown;

		while (wanted <= *size + length)
			wanted *= 2;
		grown = realloc(*more, wanted);
		if (grown == NULL)
			return -1;
		*more = grown;
	}
	memcpy(*more + *size, name, length);
	*size += length;
	return at;
}

int64_t edit_section_name(struct writer *w, const char *name)
{
	/* clang has one table for both. */
	if (w->shstrtab == w->strtab)
		return edit_append_name(&w->strings, &w->strings_size,
					w->old_strings, name);
	return edit_append_name(&w->section_names, &w->section_names_size,
				w->old_section_names, name);
}

static int add_section(struct writer *w, const struct new_section *sec,
		       uint32_t info)
{
	Elf_Scn *scn = edit_new_scn(w);
	GElf_Shdr sh;
	int64_t name = edit_section_name(w, sec->name);

	if (name < 0)
		return diag_nomem(w->d, w->path);
	if (scn == NULL || gelf_getshdr(scn, &sh) == NULL)
		return edit_elf_error(w, "add a section");
	sh.sh_name = name;
	sh.sh_type = sec->type;
	sh.sh_flags = sec->flags;
	sh.sh_link = sec->link;
	sh.sh_info = info;
	sh.sh_addralign = sec->align;
	sh.sh_entsize = sec->entsize;
	return edit_place_at_end(w, scn, &sh, sec->data, sec->size, ELF_T_BYTE);
}

/* Does the object have addends in relocations? i386 does not. */
static bool uses_rela(const struct object *obj)
{
	return obj->arch->uses_rela;
}

int edit_fill_relocs(struct writer *w, const struct new_section *sec,
		     Elf_Data *data, size_t first)
{
	for (size_t i = 0; i < sec->nrelocs; i++) {
		const struct new_reloc *r = &sec->relocs[i];
		uint32_t sym = edit_symbol_index(w->edit, r->symbol);
		GElf_Rela rela = { r->offset,
				   edit_reloc_info(w->obj, sym, r->type),
				   r->addend };
		GElf_Rel rel = { rela.r_offset, rela.r_info };

		if (uses_rela(w->obj)
			    ? gelf_update_rela(data, first + i, &rela) == 0
			    : gelf_update_rel(data, first + i, &rel) == 0)
			return edit_elf_error(w, "add a relocation");
	}
	return 0;
}

/* Writes the relocations of the new section SHNDX to a section of their own. */
static int add_relocs(struct writer *w, struct new_section *sec, uint32_t shndx)
{
	bool rela = uses_rela(w->obj);
	Elf_Type type = rela ? ELF_T_RELA : ELF_T_REL;
	size_t size = gelf_fsize(w->elf, type, sec->nrelocs, EV_CURRENT);
	Elf_Scn *scn = edit_new_scn(w);
	char name[256];
	int64_t name_at;
	GElf_Shdr sh;
	void *bytes = edit_keep(w, size);

	if (bytes == NULL)
		return diag_nomem(w->d, w->path);
	if (scn == NULL || gelf_getshdr(scn, &sh) == NULL)
		return edit_elf_error(w, "add a section");
	snprintf(name, sizeof(name), "%s%s", rela ? ".rela" : ".rel",
		 sec->name);
	name_at = edit_section_name(w, name);
	if (name_at < 0)
		return diag_nomem(w->d, w->path);
	sh.sh_name = name_at;
	sh.sh_type = rela ? SHT_RELA : SHT_REL;
	sh.sh_flags = SHF_INFO_LINK | (sec->flags & SHF_GROUP);
	sh.sh_link = w->obj->symtab;
	sh.sh_info = shndx;
	sh.sh_addralign = w->obj->is_64 ? 8 : 4;
	sh.sh_entsize = gelf_fsize(w->elf, type, 1, EV_CURRENT);
	if (edit_place_at_end(w, scn, &sh, bytes, size, type))
		return -1;
	return edit_fill_relocs(w, sec, elf_getdata(scn, NULL), 0);
}

/* Finds the relocation sections of old sections that get relocations. */
static void find_relsecs(struct writer *w)
{
	uint32_t type = uses_rela(w->obj) ? SHT_RELA : SHT_REL;

	for (size_t i = 1; w->edit->ntails > 0 && i < w->obj->nsections; i++) {
		const struct section *sec = &w->obj->sections[i];
		struct section_tail *tail =
			(sec->type == type || sec->type == SECTION_CREL) &&
					sec->size > 0
				? edit_tail(w->edit, sec->info)
				: NULL;

		if (tail != NULL && tail->more.relsec == 0)
			tail->more.relsec = i;
	}
}

/* Sets the section index of the new relocations of each section. */
static void number_relocs(struct writer *w)
{
	uint32_t next = w->first_new + w->edit->nsections;

	for (size_t i = 0; i < w->edit->nsections; i++)
		if (w->edit->sections[i].nrelocs > 0)
			w->edit->sections[i].relsec = next++;
	find_relsecs(w);
	for (size_t i = 0; i < w->edit->ntails; i++) {
		struct new_section *more = &w->edit->tails[i].more;

		if (more->nrelocs > 0 && more->relsec == 0)
			more->relsec = next++;
	}
}

/* Lists SHNDX as a member of a group. Before there is a list, counts it. */
static void note_member(struct writer *w, uint32_t group, uint32_t shndx)
{
	if (group == 0)
		return;
	if (w->members == NULL)
		w->first_member[group + 2]++;
	else
		w->members[w->first_member[group + 1]++] = shndx;
}

static void note_members(struct writer *w)
{
	for (size_t i = 0; i < w->edit->nsections; i++) {
		const struct new_section *sec = &w->edit->sections[i];

		note_member(w, sec->group, w->first_new + i);
		if (sec->nrelocs > 0)
			note_member(w, sec->group, sec->relsec);
	}
	for (size_t i = 0; i < w->edit->ntails; i++) {
		const struct new_section *more = &w->edit->tails[i].more;

		if (more->relsec >= w->first_new)
			note_member(w, more->group, more->relsec);
	}
}

/* A counting sort. */
static int list_members(struct writer *w)
{
	size_t n = w->first_new + w->edit->nsections + 2;

	w->first_member = calloc(n, sizeof(w->first_member[0]));
	if (w->first_member == NULL)
		return diag_nomem(w->d, w->path);
	note_members(w);
	for (size_t i = 2; i < n; i++)
		w->first_member[i] += w->first_member[i - 1];
	w->members =
		malloc((w->first_member[n - 1] + 1) * sizeof(w->members[0]));
	if (w->members == NULL)
		return diag_nomem(w->d, w->path);
	note_members(w);
	return 0;
}

/* The new members of group GROUP. */
static size_t count_members(const struct writer *w, uint32_t group)
{
	return w->first_member[group + 1] - w->first_member[group];
}

static void put_members(const struct writer *w, uint32_t group, uint8_t *words)
{
	for (size_t i = 0; i < count_members(w, group); i++)
		object_put(w->obj, words + 4 * i,
			   w->members[w->first_member[group] + i], 4);
}

/* The contents of a new group: its flags, which are given, and its members. */
static int fill_group(struct writer *w, struct new_section *sec, uint32_t shndx)
{
	size_t n = count_members(w, shndx);
	uint8_t *data = realloc(sec->data, 4 + 4 * n);

	if (data == NULL)
		return diag_nomem(w->d, w->path);
	sec->data = data;
	sec->size = 4 + 4 * n;
	object_put(w->obj, data, GRP_COMDAT, 4);
	put_members(w, shndx, data + 4);
	return 0;
}

/* REL keeps addends in the section. */
static void fill_addends(struct writer *w, struct new_section *sec)
{
	if (uses_rela(w->obj))
		return;
	for (size_t i = 0; i < sec->nrelocs; i++)
		object_put(w->obj, sec->data + sec->relocs[i].offset,
			   sec->relocs[i].addend, 4);
}

static int add_all_relocs(struct writer *w)
{
	struct edit *edit = w->edit;

	for (size_t i = 0; i < edit->nsections; i++)
		if (edit->sections[i].nrelocs > 0 &&
		    add_relocs(w, &edit->sections[i], w->first_new + i))
			return -1;
	for (size_t i = 0; i < edit->ntails; i++)
		if (edit->tails[i].more.relsec >= w->first_new &&
		    add_relocs(w, &edit->tails[i].more, edit->tails[i].shndx))
			return -1;
	return 0;
}

int edit_add_sections(struct writer *w)
{
	struct edit *edit = w->edit;

	number_relocs(w);
	if (list_members(w))
		return -1;
	for (size_t i = 0; i < edit->nsections; i++) {
		struct new_section *sec = &edit->sections[i];
		uint32_t info = 0;

		if (sec->type == SHT_GROUP) {
			info = edit_symbol_index(w->edit, sec->signature);
			if (fill_group(w, sec, w->first_new + i))
				return -1;
		}
		fill_addends(w, sec);
		if (add_section(w, sec, info))
			return -1;
	}
	return add_all_relocs(w);
}

/* A section that grows. */
static int extend_section(struct writer *w, const struct section_tail *tail)
{
	const uint8_t *old;
	uint8_t *bytes;
	GElf_Shdr sh;
	Elf_Scn *scn;
	size_t size;

	if (tail->more.size == 0)
		return 0;
	scn = elf_getscn(w->elf, tail->shndx);
	old = object_data(w->d, w->obj, tail->shndx, &size);
	bytes = edit_keep(w, size + tail->more.size);
	if (old == NULL || bytes == NULL)
		return diag_nomem(w->d, w->path);
	if (gelf_getshdr(scn, &sh) == NULL)
		return edit_elf_error(w, "read a section header");
	memcpy(bytes, old, size);
	memcpy(bytes + size, tail->more.data, tail->more.size);
	return edit_place_at_end(w, scn, &sh, bytes, size + tail->more.size,
				 ELF_T_BYTE);
}

int edit_extend_sections(struct writer *w)
{
	for (size_t i = 0; i < w->edit->ntails; i++)
		if (extend_section(w, &w->edit->tails[i]))
			return -1;
	return 0;
}

/* Groups of the original that new sections join. */
static int extend_group(struct writer *w, uint32_t group)
{
	size_t n = count_members(w, group);
	Elf_Scn *scn = elf_getscn(w->elf, group);
	const uint8_t *old;
	uint8_t *bytes;
	GElf_Shdr sh;
	size_t size;

	if (n == 0)
		return 0;
	old = object_data(w->d, w->obj, group, &size);
	bytes = edit_keep(w, size + 4 * n);
	if (old == NULL || bytes == NULL)
		return diag_nomem(w->d, w->path);
	if (gelf_getshdr(scn, &sh) == NULL)
		return edit_elf_error(w, "read a section header");
	memcpy(bytes, old, size);
	put_members(w, group, bytes + size);
	return edit_place_at_end(w, scn, &sh, bytes, size + 4 * n, ELF_T_BYTE);
}

int edit_extend_groups(struct writer *w)
{
	for (size_t i = 1; i < w->obj->nsections; i++)
		if (w->obj->sections[i].type == SHT_GROUP && extend_group(w, i))
			return -1;
	return 0;
}
