/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The loaded bytes of any file by address: of a final, or of a partial as if it
 * were linked, with each section at an address of its own.
 */
#ifndef SDTLINK_JUMP_MAP_H
#define SDTLINK_JUMP_MAP_H

#include "arch/arch.h"
#include "elf/image.h"
#include "elf/object.h"

struct jump_section {
	uint32_t shndx;	  /* 0 if no section header covers it */
	const char *name; /* "" then */
	bool is_text;
	struct code code;
	const uint8_t *file_bytes; /* as they are in the file */
	uint8_t *owned; /* its bytes, if they had to be changed; else NULL */
	uint8_t *flags; /* of text: what check.c knows about each byte; owned */
	uint8_t *tabled; /* of text, a bit for each byte: a table leads there */
	bool has_pads;	 /* a table of landing pads is in it */
};

struct jump_map {
	const struct object *obj;
	struct image img;	       /* of a final */
	struct jump_section *sections; /* by address; owned */
	size_t n;
	uint64_t *addresses; /* of a partial's sections, or 0; owned */
	/* In a partial, undefined symbol I is at externs + 16 I. */
	uint64_t externs;
	bool has_absolute; /* any word may be an address, without a
			    * relocation */
	bool has_got;
	uint64_t got; /* what i386 counts from */
};

/* May a number be a distance from the GOT? In a partial, it is an address. */
static inline bool jump_map_counts_from_got(const struct jump_map *map)
{
	return !map->obj->is_64 && map->has_got && map->got != 0;
}

/*
 * Maps OBJ, which is checked. Fails with a diagnostic. Call jump_map_free
 * either way.
 */
int jump_map_open(struct diag *d, const struct object *obj,
		  struct jump_map *map);
void jump_map_free(struct jump_map *map);

/* The section that ADDR is in, or NULL. */
struct jump_section *jump_map_find(const struct jump_map *map, uint64_t addr);

/* The same among text. */
struct jump_section *jump_map_find_text(const struct jump_map *map,
					uint64_t addr);

/* The address of OFFSET in section SHNDX. Returns false if it is not mapped. */
bool jump_map_address(const struct jump_map *map, uint32_t shndx,
		      uint64_t offset, uint64_t *addr);

/* The same for the address of SYM. For code, without the mode. */
bool jump_map_symbol(const struct jump_map *map, const struct symbol *sym,
		     uint64_t *addr);

/* The name of the undefined symbol whose address is ADDR, or NULL. */
const char *jump_map_extern(const struct jump_map *map, uint64_t addr);

#endif
