/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of edit_write: symbols, names, and all that refers to symbols by index.
 */
#include <config.h>

#include <string.h>

#include "edit-write.h"
#include "base/leb128.h"

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
		return edit_elf_error(w, "add a symbol");
	return 0;
}

static int put_symbols(struct writer *w, Elf_Data *symtab, Elf_Data *xindex,
		       size_t at, const struct new_symbol *symbols, size_t n)
{
	int64_t name = 0;

	for (size_t i = 0; i < n; i++) {
		if (symbols[i].name[0] == '\0')
			name = 0;
		else if (i == 0 || symbols[i].name != symbols[i - 1].name)
			name = edit_append_name(&w->strings, &w->strings_size,
						w->old_strings,
						symbols[i].name);
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

/* Copies the old symbols, with a gap for the new local ones. */
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
			return edit_elf_error(w, "read a symbol");
		if (put_symbol(w, symtab, xindex, at, old.st_name, &change->to))
			return -1;
	}
	return 0;
}

/* Makes the extended section indices, if the copy needs them. */
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
	words = edit_keep(w, n * sizeof(words[0]));
	if (words == NULL)
		return diag_nomem(w->d, w->path);
	for (size_t i = 0; obj->xindex != NULL && i < obj->nsymbols; i++)
		words[i < w->nlocals_old ? i : i + w->edit->nlocals] =
			obj->xindex[i];
	scn = shndx ? elf_getscn(w->elf, shndx) : edit_new_scn(w);
	if (scn == NULL || gelf_getshdr(scn, &sh) == NULL)
		return edit_elf_error(w, "add a section");
	if (shndx == 0) {
		int64_t name = edit_section_name(w, ".symtab_shndx");

		if (name < 0)
			return diag_nomem(w->d, w->path);
		sh.sh_name = name;
		sh.sh_type = SHT_SYMTAB_SHNDX;
		sh.sh_link = obj->symtab;
		sh.sh_addralign = 4;
		sh.sh_entsize = 4;
	}
	if (edit_place_at_end(w, scn, &sh, words, n * sizeof(words[0]),
			      ELF_T_WORD))
		return -1;
	*xindex = elf_getdata(scn, NULL);
	return 0;
}

int edit_write_symbols(struct writer *w)
{
	struct edit *edit = w->edit;
	size_t n = w->obj->nsymbols + edit->nlocals + edit->nglobals;
	size_t size = n * symbol_size(w->obj);
	Elf_Scn *scn = elf_getscn(w->elf, w->obj->symtab);
	Elf_Data *symtab, *xindex;
	uint8_t *bytes = edit_keep(w, size);
	GElf_Shdr sh;

	if (bytes == NULL)
		return diag_nomem(w->d, w->path);
	if (scn == NULL || gelf_getshdr(scn, &sh) == NULL)
		return edit_elf_error(w, "read the symbol table");
	copy_symbols(w, bytes);
	sh.sh_info = w->nlocals_old + edit->nlocals;
	if (edit_place_at_end(w, scn, &sh, bytes, size, ELF_T_SYM) ||
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

/* The old strings have megabytes, and are not copied. */
int edit_write_strings(struct writer *w, uint32_t shndx, char *more,
		       size_t size)
{
	Elf_Scn *scn = elf_getscn(w->elf, shndx);
	Elf_Data *first, *rest;
	const uint8_t *old;
	GElf_Shdr sh;
	size_t old_size;

	if (size == 0)
		return 0;
	old = object_data(w->d, w->obj, shndx, &old_size);
	if (old == NULL)
		return -1;
	if (gelf_getshdr(scn, &sh) == NULL)
		return edit_elf_error(w, "read a section header");
	if (edit_place_at_end(w, scn, &sh, (void *)old, old_size + size,
			      ELF_T_BYTE))
		return -1;
	first = elf_getdata(scn, NULL);
	rest = elf_newdata(scn);
	if (first == NULL || rest == NULL)
		return edit_elf_error(w, "add names");
	*rest = *first;
	first->d_size = old_size;
	rest->d_buf = more;
	rest->d_size = size;
	rest->d_off = old_size;
	return 0;
}

/*
 * Appends the relocations of MORE behind the first N, which are there already.
 */
static int append_relocs(struct writer *w, Elf_Scn *scn, GElf_Shdr *sh,
			 const struct new_section *more, uint8_t *bytes,
			 size_t n)
{
	if (edit_place_at_end(w, scn, sh, bytes,
			      (n + more->nrelocs) * sh->sh_entsize,
			      sh->sh_type == SHT_RELA ? ELF_T_RELA : ELF_T_REL))
		return -1;
	return edit_fill_relocs(w, more, elf_getdata(scn, NULL), n);
}

/*
 * Changes the relocations of section I, and appends new ones. If none are
 * appended, edit_put makes the changes later, and this only adjusts the size.
 */
static int rewrite_relocs(struct writer *w, uint32_t i, size_t *changed)
{
	const struct edit *edit = w->edit;
	const struct section *sec = &w->obj->sections[i];
	const struct section_tail *tail = edit_tail(edit, sec->info);
	size_t nmore =
		tail != NULL && tail->more.relsec == i ? tail->more.nrelocs : 0;
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
		return edit_elf_error(w, "read a section header");
	if (nmore == 0)
		return edit_set_data(w, scn, &sh, (void *)relocs.entries,
				     sec->size - ndropped * sec->entsize,
				     ELF_T_BYTE);
	to = edit_keep(w, sec->size + nmore * sec->entsize);
	if (to == NULL)
		return diag_nomem(w->d, w->path);
	for (size_t k = 0; k < relocs.n; k++) {
		bool changes = next < *changed && edit->relocs[next].idx == k;

		kept += edit_copy_relocs(
			edit, sec, changes ? &edit->relocs[next] : NULL,
			(const uint8_t *)relocs.entries + k * sec->entsize, 1,
			to + kept * sec->entsize);
		next += changes;
	}
	return append_relocs(w, scn, &sh, &tail->more, to, kept);
}

static int refuse_section(struct writer *w, uint32_t i)
{
	return diag_report(
		w->d, SEVERITY_TROUBLE,
		&(struct place){ .file = w->obj->path,
				 .section = w->obj->sections[i].name },
		"symbol-indices", "link the object with ld -r first",
		"the section holds symbol indices in a form that "
		"sdtlink cannot renumber");
}

/* LLVM's list of symbols whose address matters: indices as ULEB128. */
static int rewrite_addrsig(struct writer *w, uint32_t i)
{
	Elf_Scn *scn = elf_getscn(w->elf, i);
	size_t old_size;
	const uint8_t *from = object_data(w->d, w->obj, i, &old_size);
	uint8_t *to = edit_keep(w, old_size * 5), *behind = to;
	GElf_Shdr sh;

	if (from == NULL || to == NULL)
		return diag_nomem(w->d, w->path);
	if (gelf_getshdr(scn, &sh) == NULL)
		return edit_elf_error(w, "read a section header");
	for (const uint8_t *end = from + old_size; from < end;) {
		uint64_t value;

		if (leb128_get(&from, end, false, &value) != LEB128_OK ||
		    value > UINT32_MAX)
			return refuse_section(w, i);
		if (value >= w->nlocals_old)
			value += w->edit->nlocals;
		behind = leb128_put(behind, value);
	}
	return edit_place_at_end(w, scn, &sh, to, behind - to, ELF_T_BYTE);
}

static int renumber_group(struct writer *w, uint32_t i)
{
	Elf_Scn *scn = elf_getscn(w->elf, i);
	GElf_Shdr sh;

	if (gelf_getshdr(scn, &sh) == NULL)
		return edit_elf_error(w, "read a section header");
	sh.sh_info = edit_symbol_index(
		w->edit, (struct symbol_ref){ SYMBOL_OLD, sh.sh_info });
	if (gelf_update_shdr(scn, &sh) == 0)
		return edit_elf_error(w, "change a section header");
	return 0;
}

int edit_rewrite_references(struct writer *w)
{
	size_t changed = 0;

	for (size_t i = 1; i < w->obj->nsections; i++) {
		const struct section *sec = &w->obj->sections[i];

		if (section_is_relocs(sec)) {
			if (sec->type == SECTION_CREL
				    ? edit_rewrite_crel(w, i, &changed)
				    : rewrite_relocs(w, i, &changed))
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
