/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which function is at a place of a file. */
#ifndef SDTLINK_FUNCTIONS_H
#define SDTLINK_FUNCTIONS_H

#include "base/diag.h"
#include "object.h"

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

/* The first function behind OFFSET of section SHNDX, or NULL. */
const char *functions_index_next(struct function_index *index, uint32_t shndx,
				 uint64_t offset);

/* Can this symbol name code? */
bool symbol_is_code(const struct symbol *sym);

/*
 * In text, does it? Another file may go to what is global, whatever its type.
 */
bool symbol_names_text(const struct symbol *sym);

/* Of two symbols at one place, the one of higher rank names it. */
uint8_t symbol_rank(const struct symbol *sym);

/* UINT64_MAX, if what its size says is beyond. */
uint64_t symbol_end(const struct symbol *sym);

/*
 * RELOCS are N words of data that follow one another, with distances to code,
 * of which the last reads as one to the start of a function. Do it and some
 * before it rather count from the first of these, as a compiler's table of jumps
 * inside one function? Who points to functions does not begin inside one.
 */
bool functions_has_jump_table(struct function_index *index,
			      const struct reloc *relocs, size_t n);

#endif
