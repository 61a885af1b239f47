/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/search.h"
#include "elf/image.h"
#include "map.h"

/*
 * Far from all numbers that programs contain, and from one another, so that no
 * number is an address by chance. In the low 2 GiB, as kernels are.
 */
#define FIRST_ADDRESS 0x2a000000
#define GAP 0x10000
#define EXTERN_SIZE 16

static int compare_sections(const void *a, const void *b)
{
	const struct jump_section *x = a, *y = b;

	return x->code.addr < y->code.addr ? -1 : x->code.addr > y->code.addr;
}

/* --- A partial ------------------------------------------------------------ */

static bool is_mapped(const struct section *sec)
{
	return section_is_alloc(sec) && sec->size > 0 &&
	       sec->type != SHT_NOBITS;
}

/* A copy of each section, text first. */
static int copy_sections(struct diag *d, struct jump_map *map, bool is_text,
			 uint64_t *addr)
{
	const struct object *obj = map->obj;

	for (uint32_t i = 1; i < obj->nsections; i++) {
		const struct section *sec = &obj->sections[i];
		struct jump_section *js = &map->sections[map->n];
		uint64_t align = sec->align > 16 ? sec->align : 16;

		if (!is_mapped(sec) || section_is_text(sec) != is_text)
			continue;
		*js = (struct jump_section){ .shndx = i,
					     .name = sec->name,
					     .is_text = is_text };
		if (!object_code(d, obj, i, &js->code))
			return -1;
		if (align > GAP)
			align = GAP;
		*addr = (*addr + align - 1) / align * align;
		js->owned = malloc(js->code.size);
		if (js->owned == NULL)
			return diag_nomem(d, obj->path);
		map->n++;
		memcpy(js->owned, js->code.bytes, js->code.size);
		js->file_bytes = js->code.bytes;
		js->code.bytes = js->owned;
		js->code.addr = map->addresses[i] = *addr;
		*addr += js->code.size + GAP;
	}
	return 0;
}

static uint64_t symbol_address(const struct jump_map *map, uint32_t symndx)
{
	struct symbol sym;
	uint64_t addr;

	object_symbol(map->obj, symndx, &sym);
	if (sym.is_defined &&
	    jump_map_address(map, sym.shndx, sym.value, &addr))
		return addr;
	if (sym.shndx == SHN_ABS)
		return sym.value;
	return map->externs + (uint64_t)EXTERN_SIZE * symndx;
}

/*
 * Writes what the linker would: S + A, and for distances less the place. A
 * distance from another base has no meaning in the file and is left out. i386's
 * GOT is at 0, so a distance from it is an address. s390x counts distances of
 * instructions in halves. Other fields in instruction words
 * stay as they are, since nobody reads them.
 */
static void apply(const struct jump_map *map, struct jump_section *js,
		  const struct relocs *relocs, const struct reloc *r)
{
	const struct arch *arch = map->obj->arch;
	const char *name = arch_reloc_name(arch, r->type);
	unsigned width = arch_reloc_width(arch, r->type);
	uint8_t *field = js->owned + r->offset;
	uint64_t value = symbol_address(map, r->symndx);
	bool is_doubled = strstr(name, "DBL") != NULL;
	bool is_distance = arch->relocs[r->type].from_end ||
			   arch->relocs[r->type].is_distance || is_doubled;

	if (strstr(name, "GOTOFF") == NULL &&
	    (arch_reloc_has_slot(arch, r->type) || strstr(name, "TLS") ||
	     strstr(name, "TPOFF") || strstr(name, "DTP") ||
	     strstr(name, "SIZE"))) {
		value = map->externs + (uint64_t)EXTERN_SIZE * r->symndx;
		is_distance = arch->is_64;
	}
	value += arch_reloc_addend(arch, js->owned, js->code.size,
				   relocs->is_rela, r);
	if (is_distance)
		value -= js->code.addr + r->offset;
	if (is_doubled)
		value = (uint64_t)((int64_t)value / 2);
	object_put(map->obj, field, value, width);
}

static int apply_section(struct diag *d, const struct jump_map *map,
			 struct jump_section *js, uint32_t shndx)
{
	const struct arch *arch = map->obj->arch;
	struct relocs relocs;

	if (object_relocs(d, map->obj, shndx, &relocs))
		return -1;
	for (size_t i = 0; i < relocs.n; i++) {
		struct reloc r;
		unsigned width;

		reloc_get(&relocs, i, &r);
		width = arch_reloc_width(arch, r.type);
		if (width == 0 || width > 8 || r.offset > js->code.size ||
		    js->code.size - r.offset < width ||
		    !arch_reloc_sets_all(arch, r.type))
			continue;
		apply(map, js, &relocs, &r);
	}
	return 0;
}

static int map_partial(struct diag *d, struct jump_map *map)
{
	uint64_t addr = FIRST_ADDRESS;

	map->has_absolute = true;
	map->has_got = true;
	map->sections =
		calloc(map->obj->nsections + 1, sizeof(map->sections[0]));
	map->addresses =
		calloc(map->obj->nsections + 1, sizeof(map->addresses[0]));
	if (map->sections == NULL || map->addresses == NULL)
		return diag_nomem(d, map->obj->path);
	if (copy_sections(d, map, true, &addr) ||
	    copy_sections(d, map, false, &addr))
		return -1;
	map->externs = addr + GAP;
	for (size_t i = 0; i < map->n; i++) {
		struct jump_section *js = &map->sections[i];
		uint32_t shndx = map->obj->sections[js->shndx].first_relsec;

		for (; shndx != 0;
		     shndx = map->obj->sections[shndx].next_relsec)
			if (apply_section(d, map, js, shndx))
				return -1;
	}
	return 0;
}

/* --- A final -------------------------------------------------------------- */

/*
 * A kernel's executable segment may begin with .text and end with tables about
 * it. So section headers decide which part of it is code.
 */
static int map_final(struct diag *d, struct jump_map *map)
{
	const struct object *obj = map->obj;
	struct symbol sym;
	uint32_t symndx = 0;

	if (image_open(d, obj, &map->img))
		return -1;
	map->n = map->img.nsections + map->img.noverlays;
	map->sections = calloc(map->n + 1, sizeof(map->sections[0]));
	if (map->sections == NULL) {
		map->n = 0;
		return diag_nomem(d, obj->path);
	}
	for (size_t i = 0; i < map->n; i++) {
		const struct image_section *is = &map->img.sections[i];

		map->sections[i] = (struct jump_section){
			.shndx = is->shndx,
			.name = is->shndx != 0 ? obj->sections[is->shndx].name
					       : "",
			.is_text = is->is_executable &&
				   (is->shndx == 0 ||
				    section_is_text(&obj->sections[is->shndx])),
			.code = is->code,
			.file_bytes = is->code.bytes,
		};
	}
	map->has_absolute = obj->ehdr.e_type == ET_EXEC;
	map->has_got = names_next(&map->img.names, "_GLOBAL_OFFSET_TABLE_",
				  &symndx, &sym);
	map->got = map->has_got ? sym.value : 0;
	return 0;
}

/* --- Both ----------------------------------------------------------------- */

int jump_map_open(struct diag *d, const struct object *obj,
		  struct jump_map *map)
{
	*map = (struct jump_map){ .obj = obj };
	if (obj->ehdr.e_type == ET_REL ? map_partial(d, map)
				       : map_final(d, map))
		return -1;
	qsort(map->sections, map->n, sizeof(map->sections[0]),
	      compare_sections);
	for (size_t i = 0; i < map->n; i++) {
		struct jump_section *js = &map->sections[i];

		if (!js->is_text)
			continue;
		js->flags = calloc(js->code.size + 1, 1);
		js->tabled = calloc(js->code.size / 8 + 1, 1);
		if (js->flags == NULL || js->tabled == NULL)
			return diag_nomem(d, obj->path);
	}
	return 0;
}

void jump_map_free(struct jump_map *map)
{
	for (size_t i = 0; i < map->n; i++) {
		free(map->sections[i].owned);
		free(map->sections[i].flags);
		free(map->sections[i].tabled);
	}
	free(map->sections);
	free(map->addresses);
	image_close(&map->img);
	*map = (struct jump_map){ 0 };
}

struct jump_section *jump_map_find(const struct jump_map *map, uint64_t addr)
{
	size_t i;

	LOWER_BOUND(i, map->n, map->sections[i].code.addr <= addr);
	if (i == 0 || addr - map->sections[i - 1].code.addr >=
			      map->sections[i - 1].code.size)
		return NULL;
	return &map->sections[i - 1];
}

struct jump_section *jump_map_find_text(const struct jump_map *map,
					uint64_t addr)
{
	struct jump_section *js = jump_map_find(map, addr);

	return js != NULL && js->is_text ? js : NULL;
}

bool jump_map_address(const struct jump_map *map, uint32_t shndx,
		      uint64_t offset, uint64_t *addr)
{
	if (map->obj->ehdr.e_type != ET_REL) {
		*addr = offset;
		return true;
	}
	if (shndx >= map->obj->nsections || map->addresses[shndx] == 0)
		return false;
	*addr = map->addresses[shndx] + offset;
	return true;
}

bool jump_map_symbol(const struct jump_map *map, const struct symbol *sym,
		     uint64_t *addr)
{
	bool is_function = sym->type == STT_FUNC || sym->type == STT_GNU_IFUNC;
	uint64_t mode = is_function ? map->obj->mode_bits : 0;

	return jump_map_address(map, sym->shndx, sym->value & ~mode, addr);
}

const char *jump_map_extern(const struct jump_map *map, uint64_t addr)
{
	struct symbol sym;
	uint64_t i = (addr - map->externs) / EXTERN_SIZE;

	if (map->externs == 0 || addr < map->externs || i >= map->obj->nsymbols)
		return NULL;
	object_symbol(map->obj, i, &sym);
	return sym.name;
}
