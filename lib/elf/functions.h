/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which function is at a place of a file. */
#ifndef SDTLINK_FUNCTIONS_H
#define SDTLINK_FUNCTIONS_H

#include "base/diag.h"
#include "section-relocs.h"

/*
 * Sets function and function_offset of PLACE. It is slow: use it for messages.
 */
void functions_locate(const struct object *obj, uint32_t shndx, uint64_t offset,
		      struct place *place);

struct indexed_function {
	uint64_t start;
	uint64_t end;	/* UINT64_MAX if its size is not known */
	uint64_t reach; /* the furthest end of all from the section's first
			 * to this one */
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
 * The same for many messages. The first call sorts the symbols, if memory
 * allows. Call functions_index_free at the end.
 */
void functions_index_locate(struct function_index *index, uint32_t shndx,
			    uint64_t offset, struct place *place);
void functions_index_free(struct function_index *index);

/*
 * Has OBJ a local function? strip -x leaves names of files, and in an image of
 * mold no other; and the symbols of linkers are data.
 */
bool functions_have_local(const struct object *obj);

/* The first function behind OFFSET of section SHNDX, or NULL. */
const char *functions_index_next(struct function_index *index, uint32_t shndx,
				 uint64_t offset);

/* Does its type say that the symbol is a variable? */
static inline bool symbol_is_data(const struct symbol *sym)
{
	return sym->type == STT_OBJECT || sym->type == STT_TLS;
}

/* Can this symbol name code? */
bool symbol_is_code(const struct symbol *sym);

/*
 * Does the symbol name code, if it is in text? A global one does, whatever its
 * type: another file may jump to it.
 */
bool symbol_names_text(const struct symbol *sym);

/*
 * Hooks of sort_along for lists of uint32_t, the indices of symbols of a struct
 * object, which is CTX.
 */
uint64_t functions_place(const void *symndx, void *obj);
int functions_compare_places(const void *a, const void *b, void *obj);

/* If two symbols are at one place, the one with the higher rank names it. */
uint8_t symbol_rank(const struct symbol *sym);

/* UINT64_MAX, if what its size says is beyond. */
uint64_t symbol_end(const struct symbol *sym);

/* So many words of a table are looked at. */
#define FUNCTIONS_TABLE_MAX 256

/* The words of a table up to one of them, with what arch_reloc_lead says. */
struct functions_table {
	struct reloc words[FUNCTIONS_TABLE_MAX]; /* the last N are valid */
	const struct reloc *relocs;		 /* these */
	size_t n;
};

/*
 * Fills TABLE with relocation I of RELOCS and those before it that may be in
 * one table of distances: adjacent words. CODE is the section.
 */
void functions_read_table(const struct section_relocs *relocs,
			  const struct code *code, bool is_text, size_t i,
			  struct functions_table *table);

/*
 * RELOCS are N adjacent words of data with distances to code, as in a struct
 * functions_table. The last one reads as a distance to the start of a function.
 * Are it and some before it more likely distances from the first of these
 * words, as in a compiler's table of jumps inside one function? A table of
 * function pointers does not begin inside a function.
 */
bool functions_has_jump_table(struct function_index *index,
			      const struct reloc *relocs, size_t n);

/* Where the last of RELOCS, as above, leads if it counts from the first. */
uint64_t functions_table_target(const struct object *obj,
				const struct reloc *relocs, size_t n);

/*
 * May RELOCS, as above, be a table of functions, and maybe data, that counts
 * from its start? Then the first word reads as a distance from itself, and not
 * all others do.
 */
bool functions_may_be_table(struct function_index *index,
			    const struct reloc *relocs, size_t n);

#endif
