/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Places in sections, of a partial and a final alike, and the symbols there: of
 * code and of data.
 */
#ifndef SDTLINK_SPOT_H
#define SDTLINK_SPOT_H

#include "elf/object.h"

struct spot {
	uint32_t shndx;	 /* 0: in none, and then: */
	uint64_t offset; /* or an address */
};

struct spot_named {
	struct spot spot;
	uint64_t size;
	const char *name;
	bool is_code;
};

struct spot_names {
	struct spot_named *items; /* by spot; owned */
	size_t n;
};

int spot_compare(const struct spot *a, const struct spot *b);

/* What ADDR of a final is in. */
struct spot spot_at(const struct object *obj, uint64_t addr);

/*
 * All functions and objects of OBJ. Returns -1 without memory, diagnosed;
 * spot_names_free is due either way.
 */
int spot_names_read(struct diag *d, const struct object *obj,
		    struct spot_names *names);
void spot_names_free(struct spot_names *names);

/* The function that SPOT is in, or NULL; unsized labels do not begin one. */
const struct spot_named *spot_function(const struct spot_names *names,
				       const struct spot *spot);

/* What begins at SPOT, or NULL. */
const char *spot_name(const struct spot_names *names, const struct spot *spot);

/* What SPOT is in: of those that have a size and hold it, the nearest. */
const struct spot_named *spot_holder(const struct spot_names *names,
				     const struct spot *spot);

#endif
