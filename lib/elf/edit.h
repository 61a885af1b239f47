/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The writer: a changed copy of an object, by libelf. What an edit does not
 * name stays where it is in the file, byte for byte; what grows goes to the
 * end, and so do new sections and the section header table.
 *
 * New local symbols move the indices of all global ones, as the gABI wants
 * locals first: then each relocation and group that names a global symbol is
 * rewritten in place. An edit without new local symbols touches none.
 */
#ifndef SDTLINK_EDIT_H
#define SDTLINK_EDIT_H

#include "arch/arch.h"
#include "object.h"
#include "base/output.h"

/* A symbol of the copy: one of the original, or the n-th new one. */
enum symbol_origin { SYMBOL_OLD, SYMBOL_NEW_LOCAL, SYMBOL_NEW_GLOBAL };

struct symbol_ref {
	enum symbol_origin origin;
	uint32_t idx;
};

struct new_reloc {
	uint64_t offset;
	struct symbol_ref symbol;
	uint32_t type;
	int64_t addend;
};

struct new_section {
	char *name; /* owned */
	uint32_t type;
	uint64_t flags;
	uint32_t link;
	struct symbol_ref signature; /* for SHT_GROUP */
	uint32_t align;
	uint32_t entsize;
	uint8_t *data; /* owned */
	size_t size;
	struct new_reloc *relocs; /* owned */
	size_t nrelocs;
	uint32_t group;	 /* the section index of its group, or 0 */
	uint32_t relsec; /* section index of its relocations, set by writer */
};

struct new_symbol {
	char *name; /* owned */
	uint64_t value;
	uint64_t size;
	uint32_t shndx;
	uint8_t bind;
	uint8_t type;
	uint8_t visibility;
};

/* What an existing symbol becomes; its name stays. */
struct symbol_change {
	uint32_t symndx;
	struct new_symbol to; /* name is NULL */
};

struct byte_change {
	uint32_t shndx;
	uint64_t offset;
	uint8_t bytes[DISABLED_MAX];
	unsigned size;
};

/* Relocation IDX of section RELSEC goes, or becomes a mere reference. */
struct changed_reloc {
	uint32_t relsec;
	size_t idx;
	bool is_dropped;
	struct symbol_ref symbol; /* what R_*_NONE is against, unless it goes */
};

/* What is appended to an existing section, or to its relocations. */
struct section_tail {
	uint32_t shndx;
	struct new_section more; /* data, and relocations with their offsets
				    in the whole section */
};

#define EDIT_LIST(type, name) \
	type *name; \
	size_t n##name; \
	size_t name##_size

struct edit {
	const struct object *obj;
	struct object regrouped; /* OBJ, if it had to be made; else zeroed */
	EDIT_LIST(struct new_section, sections);
	EDIT_LIST(struct new_symbol, locals);
	EDIT_LIST(struct new_symbol, globals);
	EDIT_LIST(struct symbol_change, changes);
	EDIT_LIST(struct byte_change, bytes);
	EDIT_LIST(struct changed_reloc, relocs); /* by relsec, then idx */
	EDIT_LIST(struct section_tail, tails);	 /* by shndx */
};

void edit_init(struct edit *edit, const struct object *obj);
void edit_free(struct edit *edit);

/*
 * Each adds a copy of what it is given and returns its index: a section
 * index of the copy, or the idx of a symbol_ref; NO_EDIT without memory.
 * Names and data are copied.
 */
#define NO_EDIT UINT32_MAX
uint32_t edit_add_section(struct edit *edit, const struct new_section *sec);
uint32_t edit_add_local(struct edit *edit, const struct new_symbol *sym);
uint32_t edit_add_global(struct edit *edit, const struct new_symbol *sym);
/* To section SHNDX, a new one or one of the original's. */
int edit_add_reloc(struct edit *edit, uint32_t shndx,
		   const struct new_reloc *reloc);
/*
 * Appends SIZE zero bytes to section SHNDX, as above, at a multiple of ALIGN, a
 * power of 2, and sets the OFFSET of them; edit_add_reloc adds their
 * relocations. Returns the bytes, valid until the section grows again; NULL
 * without memory.
 */
uint8_t *edit_grow_section(struct edit *edit, uint32_t shndx, uint64_t align,
			   size_t size, uint64_t *offset);
int edit_change_symbol(struct edit *edit, const struct symbol_change *change);
int edit_change_bytes(struct edit *edit, const struct byte_change *change);
int edit_change_reloc(struct edit *edit, const struct changed_reloc *change);

/* What is appended to section SHNDX of the original, or NULL. */
struct section_tail *edit_tail(const struct edit *edit, uint32_t shndx);

/*
 * Can OBJ be copied? Not if its sections overlap one another or the header.
 * Fails with a diagnostic.
 */
int edit_check(struct diag *d, const struct object *obj);

/* Writes the copy to OUT, which is open and empty. */
int edit_write(struct diag *d, struct edit *edit, struct output *out);

/*
 * Part of edit_write: writes ELF, whose layout is complete, to OUT. Sections
 * that have their place and their bytes from EDIT's object are copied from its
 * file, and symbols are renumbered in its relocations.
 */
int edit_put(struct diag *d, const struct edit *edit, Elf *elf,
	     struct output *out);

/* The index that a symbol has in the copy. */
uint32_t edit_symbol_index(const struct edit *edit, struct symbol_ref ref);

/* r_info of a relocation of that symbol of the copy, as gelf.h has it. */
uint64_t edit_reloc_info(const struct object *obj, uint32_t sym, uint32_t type);

/*
 * Puts N relocations FROM of section SEC of the original to TO, with the
 * numbers that their symbols have now; or one as CHANGE says, if that is not
 * NULL. How many are left?
 */
size_t edit_copy_relocs(const struct edit *edit, const struct section *sec,
			const struct changed_reloc *change, const void *from,
			size_t n, void *to);

/* Is r_info in another order than the gABI's? See reloc_info_order. */
static inline bool object_has_odd_info(const struct object *obj)
{
	return obj->arch->has_three_types && !obj->is_big_endian;
}

#endif
