/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the changed copy: each section of the original is given to libelf
 * with its place and bytes, then what is new or changed replaces some of them.
 */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/arch.h"
#include "edit.h"
#include "grow.h"

/* The gABI's and LLVM's numbers, newer than some <elf.h>. */
#define LLVM_ADDRSIG 0x6fff4c03
#define LLVM_CALL_GRAPH_PROFILE 0x6fff4c09

struct writer {
	struct diag *d;
	struct edit *edit;
	const struct object *obj;
	const char *path; /* of the output, for messages */
	Elf *elf;
	int error;	    /* of libelf, if it is not the last one */
	uint64_t end;	    /* of the file, so far */
	uint32_t first_new; /* first new section index */
	uint32_t strtab, shstrtab;
	/* Names to append, and how long the tables were. */
	char *strings, *section_names;
	size_t strings_size, section_names_size;
	uint64_t old_strings, old_section_names;
	uint32_t nlocals_old; /* symbols below this index are local */
	void **data_buffers;  /* likewise, one per new relocation section */
	size_t ndata_buffers;
};

static int elf_error(struct writer *w, const char *what)
{
	return diag_file(w->d, w->path, "cannot-write", "cannot %s: %s", what,
			 elf_errmsg(w->error != 0 ? w->error : -1));
}

/* Memory that must live until the file is written; freed by writer_free. */
static void *keep(struct writer *w, size_t size)
{
	void **buffers = grow_list(w->data_buffers, w->ndata_buffers,
				   sizeof(buffers[0]));

	if (buffers == NULL)
		return NULL;
	w->data_buffers = buffers;
	buffers[w->ndata_buffers] = calloc(1, size + 1);
	if (buffers[w->ndata_buffers] == NULL)
		return NULL;
	return buffers[w->ndata_buffers++];
}

static uint64_t align_up(uint64_t value, uint64_t align)
{
	return align > 1 ? (value + align - 1) / align * align : value;
}

/* --- Sections ---------------------------------------------------------- */

static int set_data(struct writer *w, Elf_Scn *scn, GElf_Shdr *sh, void *bytes,
		    size_t size, Elf_Type type)
{
	Elf_Data *data = elf_getdata(scn, NULL);

	if (data == NULL)
		data = elf_newdata(scn);
	if (data == NULL)
		return elf_error(w, "add a section");
	sh->sh_size = size;
	data->d_buf = bytes;
	data->d_size = size;
	data->d_type = type;
	data->d_off = 0;
	data->d_align = 1;
	data->d_version = EV_CURRENT;
	if (gelf_update_shdr(scn, sh) == 0)
		return elf_error(w, "change a section header");
	return 0;
}

/* Without memory, libelf 0.188 makes a section that has no header. */
static Elf_Scn *new_scn(struct writer *w)
{
	Elf_Scn *scn;

	elf_errno(); /* forgets what was before */
	scn = elf_newscn(w->elf);
	w->error = elf_errno();
	return w->error == 0 ? scn : NULL;
}

/* Gives SCN the bytes BYTES, at the end of the file. */
static int place_at_end(struct writer *w, Elf_Scn *scn, GElf_Shdr *sh,
			void *bytes, size_t size, Elf_Type type)
{
	uint64_t align = sh->sh_addralign;

	/* In a file; a larger one is for the address, or nonsense. */
	w->end = align_up(w->end, align < 4096 ? align : 4096);
	sh->sh_offset = w->end;
	w->end += size;
	return set_data(w, scn, sh, bytes, size, type);
}

/* The sections of the original, where they are. */
static int copy_section(struct writer *w, size_t i)
{
	Elf_Scn *from = elf_getscn(w->obj->elf, i);
	Elf_Scn *to = new_scn(w);
	const uint8_t *bytes;
	GElf_Shdr sh;
	size_t size;

	if (to == NULL || from == NULL || gelf_getshdr(from, &sh) == NULL)
		return elf_error(w, "copy a section");
	bytes = object_data(w->d, w->obj, i, &size);
	if (bytes == NULL)
		return -1;
	if (sh.sh_type == SHT_NULL) {
		/* Without meaning; but libelf would begin to write there. */
		sh.sh_offset = w->obj->file_size;
		return set_data(w, to, &sh, NULL, 0, ELF_T_BYTE);
	}
	if (sh.sh_type == SHT_NOBITS)
		return set_data(w, to, &sh, NULL, sh.sh_size, ELF_T_BYTE);
	return set_data(w, to, &sh, (void *)bytes, size, ELF_T_BYTE);
}

static int copy_sections(struct writer *w)
{
	GElf_Ehdr ehdr = w->obj->ehdr;

	if (gelf_newehdr(w->elf, w->obj->is_64 ? ELFCLASS64 : ELFCLASS32) ==
		    NULL ||
	    gelf_update_ehdr(w->elf, &ehdr) == 0)
		return elf_error(w, "write a header");
	for (size_t i = 1; i < w->obj->nsections; i++)
		if (copy_section(w, i))
			return -1;
	return 0;
}

/* Where NAME will be in a table of OLD bytes that grows by *MORE. */
static int64_t append_name(char **more, size_t *size, uint64_t old,
			   const char *name)
{
	size_t length = strlen(name) + 1;
	int64_t at = old + *size;

	/* Grow to the next power of two when one is crossed. */
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

static int64_t section_name(struct writer *w, const char *name)
{
	/* clang has one table for both. */
	if (w->shstrtab == w->strtab)
		return append_name(&w->strings, &w->strings_size,
				   w->old_strings, name);
	return append_name(&w->section_names, &w->section_names_size,
			   w->old_section_names, name);
}

static int add_section(struct writer *w, const struct new_section *sec,
		       uint32_t info)
{
	Elf_Scn *scn = new_scn(w);
	GElf_Shdr sh;
	int64_t name = section_name(w, sec->name);

	if (name < 0)
		return diag_nomem(w->d, w->path);
	if (scn == NULL || gelf_getshdr(scn, &sh) == NULL)
		return elf_error(w, "add a section");
	sh.sh_name = name;
	sh.sh_type = sec->type;
	sh.sh_flags = sec->flags;
	sh.sh_link = sec->link;
	sh.sh_info = info;
	sh.sh_addralign = sec->align;
	sh.sh_entsize = sec->entsize;
	return place_at_end(w, scn, &sh, sec->data, sec->size, ELF_T_BYTE);
}

static void put_word(const struct object *obj, uint8_t *p, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		p[obj->is_big_endian ? 3 - i : i] = value >> 8 * i;
}

/* Does the object keep addends in the relocations? i386 does not. */
static bool uses_rela(const struct object *obj)
{
	return obj->arch->uses_rela;
}

/* Into DATA, behind the FIRST ones. */
static int fill_relocs(struct writer *w, const struct new_section *sec,
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
			return elf_error(w, "add a relocation");
	}
	return 0;
}

/* The relocations of the new section SHNDX, in a section of their own. */
static int add_relocs(struct writer *w, struct new_section *sec, uint32_t shndx)
{
	bool rela = uses_rela(w->obj);
	Elf_Type type = rela ? ELF_T_RELA : ELF_T_REL;
	size_t size = gelf_fsize(w->elf, type, sec->nrelocs, EV_CURRENT);
	Elf_Scn *scn = new_scn(w);
	char name[256];
	int64_t name_at;
	GElf_Shdr sh;
	void *bytes = keep(w, size);

	if (bytes == NULL)
		return diag_nomem(w->d, w->path);
	if (scn == NULL || gelf_getshdr(scn, &sh) == NULL)
		return elf_error(w, "add a section");
	snprintf(name, sizeof(name), "%s%s", rela ? ".rela" : ".rel",
		 sec->name);
	name_at = section_name(w, name);
	if (name_at < 0)
		return diag_nomem(w->d, w->path);
	sh.sh_name = name_at;
	sh.sh_type = rela ? SHT_RELA : SHT_REL;
	sh.sh_flags = SHF_INFO_LINK | (sec->flags & SHF_GROUP);
	sh.sh_link = w->obj->symtab;
	sh.sh_info = shndx;
	sh.sh_addralign = w->obj->is_64 ? 8 : 4;
	sh.sh_entsize = gelf_fsize(w->elf, type, 1, EV_CURRENT);
	if (place_at_end(w, scn, &sh, bytes, size, type))
		return -1;
	return fill_relocs(w, sec, elf_getdata(scn, NULL), 0);
}

/* Which section index the relocations of each new section will have. */
static void number_relocs(struct writer *w)
{
	uint32_t next = w->first_new + w->edit->nsections;

	for (size_t i = 0; i < w->edit->nsections; i++)
		if (w->edit->sections[i].nrelocs > 0)
			w->edit->sections[i].relsec = next++;
}

/* The members of group GROUP among the new sections, as words. */
static size_t new_members(const struct writer *w, uint32_t group,
			  uint8_t *words)
{
	size_t n = 0;

	for (size_t i = 0; i < w->edit->nsections; i++) {
		const struct new_section *sec = &w->edit->sections[i];

		if (sec->group != group)
			continue;
		if (words != NULL)
			put_word(w->obj, words + 4 * n, w->first_new + i);
		n++;
		if (sec->nrelocs == 0)
			continue;
		if (words != NULL)
			put_word(w->obj, words + 4 * n, sec->relsec);
		n++;
	}
	return n;
}

/* A new group's contents: its flag word, which it has, and its members. */
static int fill_group(struct writer *w, struct new_section *sec, uint32_t shndx)
{
	size_t n = new_members(w, shndx, NULL);
	uint8_t *data = realloc(sec->data, 4 + 4 * n);

	if (data == NULL)
		return diag_nomem(w->d, w->path);
	sec->data = data;
	sec->size = 4 + 4 * n;
	put_word(w->obj, data, GRP_COMDAT);
	new_members(w, shndx, data + 4);
	return 0;
}

/* REL keeps addends in the section. */
static void fill_addends(struct writer *w, struct new_section *sec)
{
	if (uses_rela(w->obj))
		return;
	for (size_t i = 0; i < sec->nrelocs; i++)
		put_word(w->obj, sec->data + sec->relocs[i].offset,
			 sec->relocs[i].addend);
}

/* The relocations of the section that grows, or 0 if it has none yet. */
static uint32_t tail_relsec(const struct writer *w)
{
	uint32_t type = uses_rela(w->obj) ? SHT_RELA : SHT_REL;

	for (size_t i = 1; i < w->obj->nsections; i++)
		if (w->edit->tail.shndx != 0 &&
		    w->obj->sections[i].type == type &&
		    w->obj->sections[i].info == w->edit->tail.shndx &&
		    w->obj->sections[i].size > 0)
			return i;
	return 0;
}

static int add_sections(struct writer *w)
{
	struct edit *edit = w->edit;

	number_relocs(w);
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
	for (size_t i = 0; i < edit->nsections; i++)
		if (edit->sections[i].nrelocs > 0 &&
		    add_relocs(w, &edit->sections[i], w->first_new + i))
			return -1;
	if (edit->tail.more.nrelocs > 0 && tail_relsec(w) == 0)
		return add_relocs(w, &edit->tail.more, edit->tail.shndx);
	return 0;
}

/* The section that grows. */
static int extend_section(struct writer *w)
{
	const struct section_tail *tail = &w->edit->tail;
	const uint8_t *old;
	uint8_t *bytes;
	GElf_Shdr sh;
	Elf_Scn *scn;
	size_t size;

	if (tail->shndx == 0)
		return 0;
	scn = elf_getscn(w->elf, tail->shndx);
	old = object_data(w->d, w->obj, tail->shndx, &size);
	bytes = keep(w, size + tail->more.size);
	if (old == NULL || bytes == NULL)
		return diag_nomem(w->d, w->path);
	if (gelf_getshdr(scn, &sh) == NULL)
		return elf_error(w, "read a section header");
	memcpy(bytes, old, size);
	memcpy(bytes + size, tail->more.data, tail->more.size);
	return place_at_end(w, scn, &sh, bytes, size + tail->more.size,
			    ELF_T_BYTE);
}

/* Groups of the original that new sections join. */
static int extend_group(struct writer *w, uint32_t group)
{
	size_t n = new_members(w, group, NULL);
	Elf_Scn *scn = elf_getscn(w->elf, group);
	const uint8_t *old;
	uint8_t *bytes;
	GElf_Shdr sh;
	size_t size;

	if (n == 0)
		return 0;
	old = object_data(w->d, w->obj, group, &size);
	bytes = keep(w, size + 4 * n);
	if (old == NULL || bytes == NULL)
		return diag_nomem(w->d, w->path);
	if (gelf_getshdr(scn, &sh) == NULL)
		return elf_error(w, "read a section header");
	memcpy(bytes, old, size);
	new_members(w, group, bytes + size);
	return place_at_end(w, scn, &sh, bytes, size + 4 * n, ELF_T_BYTE);
}

static int extend_groups(struct writer *w)
{
	for (size_t i = 1; i < w->obj->nsections; i++)
		if (w->obj->sections[i].type == SHT_GROUP && extend_group(w, i))
			return -1;
	return 0;
}

/* --- Symbols ----------------------------------------------------------- */

static int put_symbol(struct writer *w, Elf_Data *symtab, Elf_Data *xindex,
		      size_t at, uint32_t name, const struct new_symbol *sym)
{
	GElf_Sym gsym = {
		.st_name = name,
		.st_info = GELF_ST_INFO(sym->bind, sym->type),
		.st_other = sym->visibility,
		.st_shndx = sym->shndx < SHN_LORESERVE ? sym->shndx
						       : SHN_XINDEX,
		.st_value = sym->value,
		.st_size = sym->size,
	};
	Elf32_Word shndx = sym->shndx < SHN_LORESERVE ? 0 : sym->shndx;

	if (gelf_update_symshndx(symtab, xindex, at, &gsym, shndx) == 0)
		return elf_error(w, "add a symbol");
	return 0;
}

static int put_symbols(struct writer *w, Elf_Data *symtab, Elf_Data *xindex,
		       size_t at, const struct new_symbol *symbols, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int64_t name = append_name(&w->strings, &w->strings_size,
					   w->old_strings, symbols[i].name);

		if (name < 0)
			return diag_nomem(w->d, w->path);
		if (put_symbol(w, symtab, xindex, at + i, name, &symbols[i]))
			return -1;
	}
	return 0;
}

static size_t symbol_size(const struct object *obj)
{
	return obj->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

/* Copies the old symbols around the gap for new local ones. */
static void copy_symbols(const struct writer *w, uint8_t *to)
{
	size_t size = symbol_size(w->obj);
	const uint8_t *from = w->obj->symbols;
	size_t nlocals = w->nlocals_old;

	memcpy(to, from, nlocals * size);
	memcpy(to + (nlocals + w->edit->nlocals) * size, from + nlocals * size,
	       (w->obj->nsymbols - nlocals) * size);
}

static int change_symbols(struct writer *w, Elf_Data *symtab, Elf_Data *xindex)
{
	for (size_t i = 0; i < w->edit->nchanges; i++) {
		const struct symbol_change *change = &w->edit->changes[i];
		size_t at = edit_symbol_index(
			w->edit,
			(struct symbol_ref){ SYMBOL_OLD, change->symndx });
		GElf_Sym old;

		if (gelf_getsym(symtab, at, &old) == NULL)
			return elf_error(w, "read a symbol");
		if (put_symbol(w, symtab, xindex, at, old.st_name, &change->to))
			return -1;
	}
	return 0;
}

/* The extended section indices, if the copy needs them. */
static int make_xindex(struct writer *w, size_t n, Elf_Data **xindex)
{
	const struct object *obj = w->obj;
	uint32_t shndx = 0;
	uint32_t *words;
	Elf_Scn *scn;
	GElf_Shdr sh;

	*xindex = NULL;
	for (size_t i = 1; i < obj->nsections; i++)
		if (obj->sections[i].type == SHT_SYMTAB_SHNDX &&
		    obj->sections[i].link == obj->symtab)
			shndx = i;
	if (shndx == 0 && w->first_new + w->edit->nsections < SHN_LORESERVE)
		return 0;
	words = keep(w, n * sizeof(words[0]));
	if (words == NULL)
		return diag_nomem(w->d, w->path);
	for (size_t i = 0; obj->xindex != NULL && i < obj->nsymbols; i++)
		words[i < w->nlocals_old ? i : i + w->edit->nlocals] =
			obj->xindex[i];
	scn = shndx ? elf_getscn(w->elf, shndx) : new_scn(w);
	if (scn == NULL || gelf_getshdr(scn, &sh) == NULL)
		return elf_error(w, "add a section");
	if (shndx == 0) {
		int64_t name = section_name(w, ".symtab_shndx");

		if (name < 0)
			return diag_nomem(w->d, w->path);
		sh.sh_name = name;
		sh.sh_type = SHT_SYMTAB_SHNDX;
		sh.sh_link = obj->symtab;
		sh.sh_addralign = 4;
		sh.sh_entsize = 4;
	}
	if (place_at_end(w, scn, &sh, words, n * sizeof(words[0]), ELF_T_WORD))
		return -1;
	*xindex = elf_getdata(scn, NULL);
	return 0;
}

static int write_symbols(struct writer *w)
{
	struct edit *edit = w->edit;
	size_t n = w->obj->nsymbols + edit->nlocals + edit->nglobals;
	size_t size = n * symbol_size(w->obj);
	Elf_Scn *scn = elf_getscn(w->elf, w->obj->symtab);
	Elf_Data *symtab, *xindex;
	uint8_t *bytes = keep(w, size);
	GElf_Shdr sh;

	if (bytes == NULL)
		return diag_nomem(w->d, w->path);
	if (scn == NULL || gelf_getshdr(scn, &sh) == NULL)
		return elf_error(w, "read the symbol table");
	copy_symbols(w, bytes);
	sh.sh_info = w->nlocals_old + edit->nlocals;
	if (place_at_end(w, scn, &sh, bytes, size, ELF_T_SYM) ||
	    make_xindex(w, n, &xindex))
		return -1;
	symtab = elf_getdata(scn, NULL);
	if (put_symbols(w, symtab, xindex, w->nlocals_old, edit->locals,
			edit->nlocals) ||
	    put_symbols(w, symtab, xindex, w->obj->nsymbols + edit->nlocals,
			edit->globals, edit->nglobals))
		return -1;
	return change_symbols(w, symtab, xindex);
}

/* A string table and what was appended to it, at the end of the file. */
static int write_strings(struct writer *w, uint32_t shndx, const char *more,
			 size_t size)
{
	Elf_Scn *scn = elf_getscn(w->elf, shndx);
	const uint8_t *old;
	GElf_Shdr sh;
	size_t old_size;
	char *bytes;

	if (size == 0)
		return 0;
	old = object_data(w->d, w->obj, shndx, &old_size);
	bytes = keep(w, old_size + size);
	if (old == NULL || bytes == NULL)
		return diag_nomem(w->d, w->path);
	if (gelf_getshdr(scn, &sh) == NULL)
		return elf_error(w, "read a section header");
	memcpy(bytes, old, old_size);
	memcpy(bytes + old_size, more, size);
	return place_at_end(w, scn, &sh, bytes, old_size + size, ELF_T_BYTE);
}

/* --- References to symbols --------------------------------------------- */

/* Appends those of the section's tail; the first N of them are there. */
static int append_relocs(struct writer *w, Elf_Scn *scn, GElf_Shdr *sh,
			 uint8_t *bytes, size_t n)
{
	const struct new_section *more = &w->edit->tail.more;

	if (place_at_end(w, scn, sh, bytes,
			 (n + more->nrelocs) * sh->sh_entsize,
			 sh->sh_type == SHT_RELA ? ELF_T_RELA : ELF_T_REL))
		return -1;
	return fill_relocs(w, more, elf_getdata(scn, NULL), n);
}

/*
 * Changes relocations of section I, and appends NMORE. Where there are none to
 * append, edit_put changes them, and the section only gets shorter.
 */
static int rewrite_relocs(struct writer *w, uint32_t i, size_t *changed,
			  size_t nmore)
{
	const struct edit *edit = w->edit;
	const struct section *sec = &w->obj->sections[i];
	Elf_Scn *scn = elf_getscn(w->elf, i);
	size_t next = *changed, ndropped = 0, kept = 0;
	struct relocs relocs;
	GElf_Shdr sh;
	uint8_t *to;

	while (*changed < edit->nrelocs && edit->relocs[*changed].relsec == i)
		ndropped += edit->relocs[(*changed)++].is_dropped;
	if (sec->size == 0 || (ndropped == 0 && nmore == 0))
		return 0;
	if (object_relocs(w->d, w->obj, i, &relocs))
		return -1;
	if (gelf_getshdr(scn, &sh) == NULL)
		return elf_error(w, "read a section header");
	if (nmore == 0)
		return set_data(w, scn, &sh, (void *)relocs.entries,
				sec->size - ndropped * sec->entsize,
				ELF_T_BYTE);
	to = keep(w, sec->size + nmore * sec->entsize);
	if (to == NULL)
		return diag_nomem(w->d, w->path);
	for (size_t k = 0; k < relocs.n; k++) {
		bool changes = next < *changed && edit->relocs[next].idx == k;

		kept += edit_copy_reloc(
			edit, sec, changes ? &edit->relocs[next] : NULL,
			(const uint8_t *)relocs.entries + k * sec->entsize,
			to + kept * sec->entsize);
		next += changes;
	}
	return append_relocs(w, scn, &sh, to, kept);
}

static int refuse_section(struct writer *w, uint32_t i)
{
	return diag_report(
		w->d, SEVERITY_TROUBLE,
		&(struct place){ .file = w->obj->path,
				 .section = w->obj->sections[i].name },
		"symbol-indices",
		"inject with --anchor=section, which adds no local "
		"symbols",
		"the section holds symbol indices in a form that "
		"sdtlink cannot renumber");
}

static size_t uleb_length(uint32_t value)
{
	size_t n = 1;

	for (; value >= 0x80; value >>= 7)
		n++;
	return n;
}

/* LLVM's list of symbols whose address matters: ULEB128 symbol indices. */
static int rewrite_addrsig(struct writer *w, uint32_t i)
{
	Elf_Scn *scn = elf_getscn(w->elf, i);
	size_t size = 0, old_size;
	const uint8_t *from = object_data(w->d, w->obj, i, &old_size);
	uint8_t *to = keep(w, old_size * 5);
	GElf_Shdr sh;

	if (from == NULL || to == NULL)
		return diag_nomem(w->d, w->path);
	if (gelf_getshdr(scn, &sh) == NULL)
		return elf_error(w, "read a section header");
	for (size_t at = 0; at < old_size;) {
		uint64_t value = 0;
		unsigned shift = 0;

		do {
			if (shift > 28)
				return refuse_section(w, i);
			value |= (uint64_t)(from[at] & 0x7f) << shift;
			shift += 7;
		} while ((from[at++] & 0x80) != 0 && at < old_size);
		if (value >= w->nlocals_old)
			value += w->edit->nlocals;
		for (size_t n = uleb_length(value); n > 0; n--, value >>= 7)
			to[size++] = (value & 0x7f) | (n > 1 ? 0x80 : 0);
	}
	return place_at_end(w, scn, &sh, to, size, ELF_T_BYTE);
}

static int renumber_group(struct writer *w, uint32_t i)
{
	Elf_Scn *scn = elf_getscn(w->elf, i);
	GElf_Shdr sh;

	if (gelf_getshdr(scn, &sh) == NULL)
		return elf_error(w, "read a section header");
	sh.sh_info = edit_symbol_index(
		w->edit, (struct symbol_ref){ SYMBOL_OLD, sh.sh_info });
	if (gelf_update_shdr(scn, &sh) == 0)
		return elf_error(w, "change a section header");
	return 0;
}

/* Everything in the file that names a symbol by its index. */
static int rewrite_references(struct writer *w)
{
	uint32_t grown = tail_relsec(w);
	size_t changed = 0;

	for (size_t i = 1; i < w->obj->nsections; i++) {
		const struct section *sec = &w->obj->sections[i];

		if (section_is_relocs(sec)) {
			if (rewrite_relocs(w, i, &changed,
					   i == grown
						   ? w->edit->tail.more.nrelocs
						   : 0))
				return -1;
			continue;
		}
		if (w->edit->nlocals == 0 || sec->link != w->obj->symtab)
			continue;
		switch (sec->type) {
		case SHT_GROUP:
			if (renumber_group(w, i))
				return -1;
			break;
		case SHT_SYMTAB_SHNDX:
		case LLVM_CALL_GRAPH_PROFILE:
			break; /* the latter names them by relocations */
		case LLVM_ADDRSIG:
			if (rewrite_addrsig(w, i))
				return -1;
			break;
		default:
			return refuse_section(w, i);
		}
	}
	return 0;
}

/* --- Bytes ------------------------------------------------------------- */

/* A copy of section I of the original that may be written to. */
static uint8_t *writable_bytes(struct writer *w, uint32_t i, size_t *size)
{
	Elf_Scn *scn = elf_getscn(w->elf, i);
	const uint8_t *old = object_data(w->d, w->obj, i, size);
	uint8_t *bytes = keep(w, *size);
	GElf_Shdr sh;

	if (old == NULL || bytes == NULL || gelf_getshdr(scn, &sh) == NULL)
		return NULL;
	memcpy(bytes, old, *size);
	return set_data(w, scn, &sh, bytes, *size, ELF_T_BYTE) ? NULL : bytes;
}

static int change_bytes(struct writer *w)
{
	uint8_t *bytes = NULL;
	uint32_t shndx = 0;
	size_t size = 0;

	/* Changes come by section. */
	for (size_t i = 0; i < w->edit->nbytes; i++) {
		const struct byte_change *change = &w->edit->bytes[i];

		if (change->shndx != shndx)
			bytes = writable_bytes(w, change->shndx, &size);
		if (bytes == NULL)
			return diag_nomem(w->d, w->path);
		shndx = change->shndx;
		memcpy(bytes + change->offset, change->bytes, change->size);
	}
	return 0;
}

/* --- The file ---------------------------------------------------------- */

/* The index of the section names, if it does not fit the ELF header. */
static int extend_shstrndx(struct writer *w)
{
	Elf_Scn *first = elf_getscn(w->elf, 0);
	GElf_Shdr sh;

	if (w->shstrtab < SHN_LORESERVE)
		return 0;
	if (gelf_getshdr(first, &sh) == NULL)
		return elf_error(w, "read a section header");
	sh.sh_link = w->shstrtab;
	if (gelf_update_shdr(first, &sh) == 0)
		return elf_error(w, "change a section header");
	return 0;
}

static int finish(struct writer *w, struct output *out)
{
	GElf_Ehdr ehdr;

	if (extend_shstrndx(w))
		return -1;

	if (gelf_getehdr(w->elf, &ehdr) == NULL)
		return elf_error(w, "read the header");
	ehdr.e_shoff = align_up(w->end, w->obj->is_64 ? 8 : 4);
	ehdr.e_shstrndx = w->shstrtab < SHN_LORESERVE ? w->shstrtab
						      : SHN_XINDEX;
	if (gelf_update_ehdr(w->elf, &ehdr) == 0)
		return elf_error(w, "write");
	return edit_put(w->d, w->edit, w->elf, out);
}

static int find_string_tables(struct writer *w)
{
	const struct object *obj = w->obj;
	size_t shstrndx;

	if (elf_getshdrstrndx(obj->elf, &shstrndx) != 0)
		return elf_error(w, "find the section names");
	w->strtab = obj->sections[obj->symtab].link;
	w->shstrtab = shstrndx;
	w->old_strings = obj->sections[w->strtab].size;
	w->old_section_names = obj->sections[w->shstrtab].size;
	w->nlocals_old = obj->sections[obj->symtab].info;
	if (w->nlocals_old > obj->nsymbols)
		return diag_file(w->d, obj->path, "malformed",
				 "the symbol table has %u local symbols of %zu",
				 w->nlocals_old, obj->nsymbols);
	return 0;
}

static void writer_free(struct writer *w)
{
	if (w->elf != NULL)
		elf_end(w->elf);
	for (size_t i = 0; i < w->ndata_buffers; i++)
		free(w->data_buffers[i]);
	free(w->data_buffers);
	free(w->strings);
	free(w->section_names);
}

int edit_write(struct diag *d, struct edit *edit, struct output *out)
{
	struct writer w = {
		.d = d,
		.edit = edit,
		.obj = edit->obj,
		.path = out->path,
		.end = edit->obj->file_size,
		.first_new = edit->obj->nsections,
	};
	int ret = -1;

	if (edit_check(d, edit->obj))
		return -1;
	w.elf = elf_begin(fileno(out->stream), ELF_C_WRITE, NULL);
	if (w.elf == NULL) {
		elf_error(&w, "write");
		goto done;
	}
	elf_flagelf(w.elf, ELF_C_SET, ELF_F_LAYOUT);
	if (copy_sections(&w) || find_string_tables(&w))
		goto done;

	/* Section numbers first: symbols and groups refer to them. */
	if (add_sections(&w) || write_symbols(&w) || extend_groups(&w) ||
	    extend_section(&w) || rewrite_references(&w) || change_bytes(&w))
		goto done;

	/* Names last: all of the above adds some. */
	if (write_strings(&w, w.strtab, w.strings, w.strings_size) ||
	    write_strings(&w, w.shstrtab, w.section_names,
			  w.section_names_size))
		goto done;
	ret = finish(&w, out);
done:
	writer_free(&w);
	return ret;
}
