/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a changed copy of an object, with libelf. What an edit does not name
 * stays where it is in the file, byte for byte. What grows moves to the end of
 * the file. New sections and the section header table are there, too.
 *
 * The gABI wants local symbols first. So each new local symbol moves the
 * indices of all global ones. Then each relocation and each group that names a
 * global symbol is changed in place. An edit without new local symbols changes
 * none of them.
 */
#ifndef SDTLINK_EDIT_H
#define SDTLINK_EDIT_H

#include "arch/arch.h"
#include "object.h"
#include "base/output.h"
#include "base/parallel.h"

/* A symbol of the copy: one of the original, or a new one by number. */
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
	uint32_t group;	 /* section index of its group, or 0 */
	uint32_t relsec; /* section index of its relocations; the writer sets
			  * it */
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

/* The new state of an existing symbol. Its name stays. */
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

/* Relocation IDX of section RELSEC is removed, or becomes R_*_NONE. */
struct changed_reloc {
	uint32_t relsec;
	size_t idx;
	bool is_dropped;
	struct symbol_ref symbol; /* the symbol of the R_*_NONE; unused if it
				   * is removed */
};

/* What is appended to an existing section, or to its relocations. */
struct section_tail {
	uint32_t shndx;
	struct new_section more; /* the data, and relocations with their
				  * offsets in the whole section */
};

#define EDIT_LIST(type, name) \
	type *name; \
	size_t n##name; \
	size_t name##_size

/* A copy of what an edit will leave as it is, made before it is known. */
struct early_copy {
	struct parallel_task task;
	const struct object *obj;
	int fd;
	bool is_whole;
};

struct edit {
	const struct object *obj;
	struct early_copy early;
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
 * Each adds a copy of its argument, with names and data. Returns a section
 * index of the copy, or the idx of a symbol_ref; NO_EDIT if memory ran out.
 */
#define NO_EDIT UINT32_MAX
uint32_t edit_add_section(struct edit *edit, const struct new_section *sec);
uint32_t edit_add_local(struct edit *edit, const struct new_symbol *sym);
uint32_t edit_add_global(struct edit *edit, const struct new_symbol *sym);
/* Adds a relocation to section SHNDX, a new or an old one. */
int edit_add_reloc(struct edit *edit, uint32_t shndx,
		   const struct new_reloc *reloc);
/*
 * Appends SIZE zero bytes to section SHNDX, a new or an old one, at a multiple
 * of ALIGN, a power of 2. Sets *OFFSET to their offset. Add their relocations
 * with edit_add_reloc. Returns the bytes, which are valid until the section
 * grows again, or NULL if memory ran out.
 */
uint8_t *edit_grow_section(struct edit *edit, uint32_t shndx, uint64_t align,
			   size_t size, uint64_t *offset);
int edit_change_symbol(struct edit *edit, const struct symbol_change *change);
int edit_change_bytes(struct edit *edit, const struct byte_change *change);
int edit_change_reloc(struct edit *edit, const struct changed_reloc *change);

/* What is appended to section SHNDX of the original, or NULL. */
struct section_tail *edit_tail(const struct edit *edit, uint32_t shndx);

/*
 * Begins to copy what is large and will most likely stay to FD, an empty file,
 * if there is a thread for that. Then edit_write must write to FD, or nobody.
 */
void edit_begin_copy(struct edit *edit, int fd);

/*
 * Fails with a diagnostic if OBJ cannot be copied: its sections overlap one
 * another or the header.
 */
int edit_check(struct diag *d, const struct object *obj);

/* Writes the copy to OUT, which is open and empty. */
int edit_write(struct diag *d, struct edit *edit, struct output *out);

/*
 * Part of edit_write: writes ELF, whose layout is complete, to OUT. Sections
 * that keep their place and bytes are copied from the original file, with the
 * symbols in their relocations renumbered.
 */
int edit_put(struct diag *d, struct edit *edit, Elf *elf, struct output *out);

/* The index that a symbol has in the copy. */
uint32_t edit_symbol_index(const struct edit *edit, struct symbol_ref ref);

/*
 * The r_info of a relocation against that symbol of the copy, as gelf.h defines
 * it.
 */
uint64_t edit_reloc_info(const struct object *obj, uint32_t sym, uint32_t type);

/*
 * Copies N relocations of section SEC of the original from FROM to TO, with the
 * new indices of their symbols. If CHANGE is not NULL, FROM is one relocation,
 * and is changed so. Returns the number of relocations that are left.
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
