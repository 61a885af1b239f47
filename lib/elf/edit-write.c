/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plans the changed copy. First libelf gets each section of the original, with
 * its place and bytes. Then new or changed sections replace some of them.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "edit-write.h"

/* --- Bytes ------------------------------------------------------------- */

/* A writable copy of section I of the original. */
static uint8_t *writable_bytes(struct writer *w, uint32_t i, size_t *size)
{
	Elf_Scn *scn = elf_getscn(w->elf, i);
	const uint8_t *old = object_data(w->d, w->obj, i, size);
	uint8_t *bytes = edit_keep(w, *size);
	GElf_Shdr sh;

	if (old == NULL || bytes == NULL || gelf_getshdr(scn, &sh) == NULL)
		return NULL;
	memcpy(bytes, old, *size);
	return edit_set_data(w, scn, &sh, bytes, *size, ELF_T_BYTE) ? NULL
								    : bytes;
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

/*
 * Puts the index of the section names into section header 0, if it does not fit
 * the ELF header.
 */
static int extend_shstrndx(struct writer *w)
{
	Elf_Scn *first = elf_getscn(w->elf, 0);
	GElf_Shdr sh;

	if (w->shstrtab < SHN_LORESERVE)
		return 0;
	if (gelf_getshdr(first, &sh) == NULL)
		return edit_elf_error(w, "read a section header");
	sh.sh_link = w->shstrtab;
	if (gelf_update_shdr(first, &sh) == 0)
		return edit_elf_error(w, "change a section header");
	return 0;
}

static int finish(struct writer *w, struct output *out)
{
	GElf_Ehdr ehdr;

	if (extend_shstrndx(w))
		return -1;

	if (gelf_getehdr(w->elf, &ehdr) == NULL)
		return edit_elf_error(w, "read the header");
	ehdr.e_shoff = edit_align_up(w->end, w->obj->is_64 ? 8 : 4);
	ehdr.e_shstrndx = w->shstrtab < SHN_LORESERVE ? w->shstrtab
						      : SHN_XINDEX;
	if (gelf_update_ehdr(w->elf, &ehdr) == 0)
		return edit_elf_error(w, "write");
	return edit_put(w->d, w->edit, w->elf, out);
}

static int find_string_tables(struct writer *w)
{
	const struct object *obj = w->obj;
	size_t shstrndx;

	if (elf_getshdrstrndx(obj->elf, &shstrndx) != 0)
		return edit_elf_error(w, "find the section names");
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
	free(w->members);
	free(w->first_member);
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
		edit_elf_error(&w, "write");
		goto done;
	}
	elf_flagelf(w.elf, ELF_C_SET, ELF_F_LAYOUT);
	if (edit_copy_sections(&w) || find_string_tables(&w))
		goto done;

	/* Sections come first: symbols and groups refer to their numbers. */
	if (edit_add_sections(&w) || edit_write_symbols(&w) ||
	    edit_extend_groups(&w) || edit_extend_sections(&w) ||
	    edit_rewrite_references(&w) || change_bytes(&w))
		goto done;

	/* Names last: all of the above adds some. */
	if (edit_write_strings(&w, w.strtab, w.strings, w.strings_size) ||
	    edit_write_strings(&w, w.shstrtab, w.section_names,
			       w.section_names_size))
		goto done;
	ret = finish(&w, out);
done:
	writer_free(&w);
	return ret;
}
