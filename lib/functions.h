/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which function a site is in, and which sites are in none.
 *
 * When a weak function is overridden inside a partial link, linkers drop its
 * symbol and keep its body. Such a body lies in a symbol hole: behind the end
 * of one sized function and before the next symbol. A site in a hole that
 * nothing refers to is dead.
 */
#ifndef SDTLINK_FUNCTIONS_H
#define SDTLINK_FUNCTIONS_H

#include "diag.h"
#include "object.h"

struct site_set;

/*
 * Sets function and function_offset of each site of SET, and moves dead
 * sites from set->sites to bins.dead (with a note each).
 */
int functions_attribute(struct diag *d, const struct object *obj,
			struct site_set *set);

/* Sets function and function_offset of PLACE; for messages, so it is slow. */
void functions_locate(const struct object *obj, uint32_t shndx, uint64_t offset,
		      struct place *place);

struct indexed_function {
	uint64_t start;
	uint64_t end;	/* UINT64_MAX if its size is not known */
	uint64_t reach; /* the furthest end from the section's first to this */
	uint32_t shndx;
	uint32_t symndx;
	uint8_t rank;
};

struct function_index {
	const struct object *obj;	/* set by the caller, and the rest 0 */
	struct indexed_function *items; /* sorted by place */
	size_t n;
};

/*
 * The same for many messages: the first call sorts the symbols, where there is
 * memory for that. functions_index_free is due.
 */
void functions_index_locate(struct function_index *index, uint32_t shndx,
			    uint64_t offset, struct place *place);
void functions_index_free(struct function_index *index);

/* Can this symbol name code? */
bool symbol_is_code(const struct symbol *sym);

/*
 * In text, does it? Another file may go to what is global, whatever its type.
 */
bool symbol_names_text(const struct symbol *sym);

#endif
