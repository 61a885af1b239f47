/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the loader will change in an image. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/sort.h"
#include "image.h"

/* Sets the symbol to SYMNDX of the dynamic symbol table LINK. */
static void set_symbol(const struct object *obj, uint32_t link, uint32_t symndx,
		       struct image_reloc *reloc)
{
	Elf_Data *data;
	GElf_Sym sym;
	const char *name;

	if (symndx == 0) {
		reloc->is_known = true;
		return;
	}
	if (obj->sections[link].type != SHT_DYNSYM)
		return;
	data = elf_getdata(elf_getscn(obj->elf, link), NULL);
	if (data == NULL || gelf_getsym(data, symndx, &sym) == NULL)
		return;
	name = elf_strptr(obj->elf, obj->sections[link].link, sym.st_name);
	if (name != NULL)
		reloc->symbol = name;
	if (reloc->is_copy && sym.st_size > reloc->width)
		reloc->width = sym.st_size;
	reloc->is_defined = sym.st_shndx != SHN_UNDEF &&
			    GELF_ST_TYPE(sym.st_info) != STT_SECTION;
	reloc->is_known = sym.st_shndx != SHN_UNDEF &&
			  GELF_ST_TYPE(sym.st_info) != STT_TLS;
	if (GELF_ST_TYPE(sym.st_info) != STT_SECTION ||
	    !obj->arch->adds_no_section)
		reloc->value = sym.st_value;
}

static int add_reloc(struct diag *d, struct image *img,
		     const struct image_reloc *reloc)
{
	struct image_reloc *relocs =
		grow_list(img->relocs, img->nrelocs, sizeof(relocs[0]));

	if (relocs == NULL)
		return diag_nomem(d, img->obj->path);
	img->relocs = relocs;
	relocs[img->nrelocs++] = *reloc;
	return 0;
}

static unsigned word_size(const struct object *obj)
{
	return obj->is_64 ? 8 : 4;
}

/* An unknown relocation may change two words, as TLS descriptors do. */
static unsigned field_width(const struct object *obj, uint32_t type)
{
	unsigned width = arch_reloc_width(obj->arch, type);

	/* It makes a descriptor. */
	if (obj->arch->descriptors != NULL &&
	    type == obj->arch->reloc_jump_slot)
		return 3 * word_size(obj);
	/* x32 and riscv32 share a table with 64 bits. */
	if (type == obj->arch->reloc_relative ||
	    type == obj->arch->reloc_irelative)
		return word_size(obj);
	if (width > 0)
		return width;
	return arch_reloc_is_known(obj->arch, type) ? word_size(obj)
						    : 2 * word_size(obj);
}

/* Does the loader copy all of the symbol there? */
static bool is_copy(const struct arch *arch, uint32_t type)
{
	return arch_reloc_is_known(arch, type) &&
	       strstr(arch_reloc_name(arch, type), "_COPY") != NULL;
}

static int add_relocs(struct diag *d, struct image *img, uint32_t relsec)
{
	const struct object *obj = img->obj;
	struct relocs rs;

	if (object_relocs(d, obj, relsec, &rs))
		return -1;
	for (size_t i = 0; i < rs.n; i++) {
		struct image_reloc reloc;
		struct reloc r;
		reloc_get(&rs, i, &r);
		reloc = (struct image_reloc){
			.addr = r.offset,
			.width = field_width(obj, r.type),
			.bias = arch_reloc_bias(obj->arch, r.type),
			.is_copy = is_copy(obj->arch, r.type),
			.symbol = "",
			.addend = r.addend,
			.has_addend = rs.is_rela,
			/*
			 * Of a pointer that the loader signs: the upper half
			 * says how. No type of those is known here.
			 */
			.is_in_half = obj->arch->signed_relr != 0 &&
				      !arch_reloc_is_known(obj->arch, r.type),
			.is_relative = r.type != obj->arch->reloc_none &&
				       r.type == obj->arch->reloc_relative,
			.is_irelative = r.type != obj->arch->reloc_none &&
					r.type == obj->arch->reloc_irelative,
			.is_jump_slot = r.type == obj->arch->reloc_jump_slot,
		};
		set_symbol(obj, obj->sections[relsec].link, r.symndx, &reloc);
		reloc.is_known &= r.type != obj->arch->reloc_none &&
				  !arch_reloc_is_tls(obj->arch, r.type);
		if (add_reloc(d, img, &reloc))
			return -1;
	}
	return 0;
}

/*
 * SHT_RELR (gABI): an even word is the address of a word to relocate. An odd
 * word is a bitmap of the words behind the last one.
 */
static int add_relr(struct diag *d, struct image *img, uint32_t shndx)
{
	const struct object *obj = img->obj;
	unsigned word = word_size(obj);
	uint64_t next = 0;
	size_t size;
	const uint8_t *bytes = object_data(d, obj, shndx, &size);

	if (bytes == NULL)
		return -1;
	for (size_t at = 0; at + word <= size; at += word) {
		uint64_t entry = object_address(obj, bytes + at);
		bool is_bitmap = entry & 1;

		if (!is_bitmap)
			next = entry;
		for (unsigned i = is_bitmap; i < (is_bitmap ? 8 * word : 1);
		     i++, next += word)
			if ((!is_bitmap || (entry >> i & 1)) &&
			    add_reloc(d, img,
				      &(struct image_reloc){
					      .addr = next,
					      .width = word,
					      .symbol = "",
					      .is_known = true,
					      .is_relative = true }))
				return -1;
	}
	return 0;
}

static void set_reach(struct image *img)
{
	uint64_t reach = 0;

	for (size_t i = 0; i < img->nrelocs; i++) {
		struct image_reloc *r = &img->relocs[i];
		uint64_t end = r->width > UINT64_MAX - r->addr
				       ? UINT64_MAX
				       : r->addr + r->width;

		reach = end > reach ? end : reach;
		r->reach = reach;
	}
}

int image_read_relocs(struct diag *d, struct image *img)
{
	const struct object *obj = img->obj;

	for (size_t i = 1; i < obj->nsections; i++)
		if (section_is_relocs(&obj->sections[i]) &&
		    section_is_alloc(&obj->sections[i]) &&
		    add_relocs(d, img, i))
			return -1;
	for (size_t i = 1; i < obj->nsections; i++)
		if (section_is_relr(&obj->sections[i]) &&
		    section_is_alloc(&obj->sections[i]) && add_relr(d, img, i))
			return -1;
	if (img->nrelocs > 0)
		qsort(img->relocs, img->nrelocs, sizeof(img->relocs[0]),
		      sort_compare_numbers);
	set_reach(img);
	return 0;
}

const struct image_reloc *image_find_reloc(const struct image *img,
					   uint64_t addr)
{
	struct image_reloc key = { .addr = addr };

	if (img->nrelocs == 0)
		return NULL;
	return bsearch(&key, img->relocs, img->nrelocs, sizeof(key),
		       sort_compare_numbers);
}
