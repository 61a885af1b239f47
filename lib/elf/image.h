/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A checked final seen by address. */
#ifndef SDTLINK_IMAGE_H
#define SDTLINK_IMAGE_H

#include "arch/arch.h"
#include "names.h"
#include "object.h"

struct image_section {
	uint32_t shndx; /* 0: what no section header covers */
	bool is_text;
	bool is_executable; /* text, or what is loaded with it */
	bool is_overlay;    /* text; other text has some of its addresses */
	struct code code;   /* its bytes and address */
	uint8_t *owned;	    /* its bytes in the partial's order, or NULL */
};

/* A dynamic relocation: what the loader changes in a word. */
struct image_reloc {
	uint64_t addr;
	uint64_t width;	    /* of the field in bytes */
	uint64_t reach;	    /* the end of this one, or of one before */
	const char *symbol; /* "" if it has none */
	uint64_t value;	    /* of the symbol; 0 if it has none */
	bool is_known;	    /* VALUE is what the loader takes */
	unsigned bias;	    /* what S + A lacks, as of arch_reloc_bias */
	bool is_defined;    /* there is a symbol, and not that of a section */
	int64_t addend;
	bool has_addend;
	bool is_in_half;   /* else the addend is the lower half of the word */
	bool is_relative;  /* the load address is added to the addend */
	bool is_irelative; /* what the function at the addend returns */
	bool is_jump_slot;
	bool is_copy; /* of the whole symbol */
};

struct image {
	const struct object *obj;
	struct names names;
	bool is_library; /* shared: what loads it has its own storage */
	struct image_section *sections; /* loaded, with bytes; by address */
	size_t nsections;
	size_t noverlays; /* behind the sections: no address leads there */
	struct image_reloc *relocs; /* by address */
	size_t nrelocs;
	uint64_t text_start; /* lowest address of executable bytes */
	uint32_t *functions; /* symbol indices of code, by address */
	size_t nfunctions;
};

/* Fails with a diagnostic. Call image_close either way. */
int image_open(struct diag *d, const struct object *obj, struct image *img);
void image_close(struct image *img);

/* Part of image_open: fills img->relocs. Returns -1 on trouble, diagnosed. */
int image_read_relocs(struct diag *d, struct image *img);

/* The address to which the base register of some PLT entries points, or 0. */
uint64_t image_got(const struct image *img);

/* The section that contains [ADDR, ADDR + SIZE), or NULL. */
const struct image_section *image_find(const struct image *img, uint64_t addr,
				       uint64_t size);

/* The same among executable sections. */
const struct image_section *image_find_text(const struct image *img,
					    uint64_t addr, uint64_t size);

/* Is there text at ADDR? The text of an overlay counts. */
bool image_is_text(const struct image *img, uint64_t addr);

/* The bytes at [ADDR, ADDR + SIZE), or NULL. */
const uint8_t *image_bytes(const struct image *img, uint64_t addr,
			   uint64_t size);

/* The offset in IS of the first aligned word of four bytes. */
uint64_t image_first_word(const struct image_section *is);

/*
 * image_word reads the word at OFFSET of IS. image_relative returns the address
 * that it means if it is self-relative.
 */
static inline uint32_t image_word(const struct image *img,
				  const struct image_section *is,
				  uint64_t offset)
{
	return object_word(img->obj, is->code.bytes + offset);
}

static inline uint64_t image_relative(const struct image *img,
				      const struct image_section *is,
				      uint64_t offset)
{
	return object_relative(img->obj, is->code.bytes + offset,
			       is->code.addr + offset);
}

/* The dynamic relocation of the word at ADDR, or NULL. */
const struct image_reloc *image_find_reloc(const struct image *img,
					   uint64_t addr);

/*
 * The value to which the loader adds the load address. REL has it in the word.
 */
uint64_t image_addend(const struct image *img, const struct image_reloc *reloc);

/*
 * The address that RELOC puts into its field, whole or in part: S + A, without
 * the load address. False if the image does not tell, or if it is none.
 */
bool image_reloc_value(const struct image *img, const struct image_reloc *reloc,
		       uint64_t *value);

/*
 * The first dynamic relocation that changes any byte of [ADDR, ADDR + SIZE), or
 * NULL.
 */
const struct image_reloc *image_first_reloc(const struct image *img,
					    uint64_t addr, uint64_t size);

/* The function that contains ADDR, according to the symbols. */
bool image_function(const struct image *img, uint64_t addr, struct symbol *sym);
/*
 * Does a function of known size begin before ADDR and reach over it, and none
 * begin there? Then no section of an input begins there, either. Sets SYM to
 * that function.
 */
bool image_is_inside_function(const struct image *img, uint64_t addr,
			      struct symbol *sym);

/*
 * The number of functions below ADDR. It is the index in functions of the next
 * one.
 */
size_t image_functions_below(const struct image *img, uint64_t addr);

/*
 * The next function that begins in the SIZE bytes at ADDR, in order. Start with
 * *AT = 0. False behind the last one.
 */
bool image_functions_next(const struct image *img, uint64_t addr, uint64_t size,
			  size_t *at, struct symbol *sym);

/*
 * Offset of the first function that begins in IS behind OFFSET, or IS's size.
 */
uint64_t image_next_function(const struct image *img,
			     const struct image_section *is, uint64_t offset);

/*
 * Does an instruction begin at OFFSET of IS? In a function of known extent, its
 * code decides. Elsewhere the answer is IF_UNKNOWN.
 */
bool image_begins_insn(const struct image *img, const struct image_section *is,
		       uint64_t offset, bool if_unknown);

/*
 * Where a loader enters the image by an address of its headers: at the I-th of
 * these ways. 0 if that is not set. IMAGE_NENTRIES is their number. (It also
 * calls what is in arrays, whose words have run-time relocations.)
 */
#define IMAGE_NENTRIES 3
uint64_t image_entry(const struct image *img, unsigned i, const char **name);

/* ADDR modulo the address space: 2^32 in a 32-bit image. */
uint64_t image_wrap(const struct image *img, uint64_t addr);

#endif
