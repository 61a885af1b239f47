/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Places in sections of a partial or a final, and the symbols of code and data
 * there.
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
 * Reads all functions and objects of OBJ. Returns -1 if memory ran out,
 * diagnosed. Call spot_names_free either way.
 */
int spot_names_read(struct diag *d, const struct object *obj,
		    struct spot_names *names);
void spot_names_free(struct spot_names *names);

/*
 * The function that contains SPOT, or NULL. Labels without a size do not begin
 * a function.
 */
const struct spot_named *spot_function(const struct spot_names *names,
				       const struct spot *spot);

/*
 * Are A and B parts of one function, as f and f.cold are? A function with two
 * names gives its parts either.
 */
bool spot_is_one_function(const struct spot_names *names,
			  const struct spot_named *a,
			  const struct spot_named *b);

/* What begins at SPOT, or NULL. */
const char *spot_name(const struct spot_names *names, const struct spot *spot);

/* The nearest symbol that has a size and contains SPOT. */
const struct spot_named *spot_holder(const struct spot_names *names,
				     const struct spot *spot);

#endif
