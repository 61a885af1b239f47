/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All relocations of one section of a partial, sorted by offset. */
#ifndef SDTLINK_SECTION_RELOCS_H
#define SDTLINK_SECTION_RELOCS_H

#include "object.h"

struct section_relocs {
	const struct object *obj;
	const struct reloc *relocs; /* of the file, or: */
	struct reloc *owned;
	size_t n;
	bool is_rela; /* each has its addend; also true if there are none */
	/*
	 * Instructions that the user judges differently, by offset; not owned.
	 */
	const struct byte_range *exempt;
	size_t nexempt;
};

/*
 * Reads the relocations of section SHNDX of OBJ, which is checked. They are
 * valid until object_close. Returns -1 on trouble, diagnosed. Call
 * section_relocs_free either way.
 */
int section_relocs_read(struct diag *d, const struct object *obj,
			uint32_t shndx, struct section_relocs *relocs);
void section_relocs_free(struct section_relocs *relocs);

/*
 * The first relocation whose field may end behind OFFSET. A field has at most 8
 * bytes.
 */
size_t section_relocs_reaching(const struct section_relocs *relocs,
			       uint64_t offset);

/* The first relocation at OFFSET, or NULL. */
const struct reloc *section_relocs_at(const struct section_relocs *relocs,
				      uint64_t offset);

/*
 * BEFORE is the section and AFTER the image, SIZE bytes each. Do they differ
 * only as linkers are known to rewrite relocation I against a symbol like its
 * own? Sets RANGE to the bytes of that rewrite.
 */
bool section_relocs_rewritten(const struct section_relocs *relocs,
			      const struct arch *arch, const uint8_t *before,
			      const uint8_t *after, size_t size, size_t i,
			      struct byte_range *range);

/* Can the symbol of relocation I stay undefined? Only a weak one can. */
bool section_relocs_may_be_nowhere(const struct section_relocs *relocs,
				   size_t i);

/*
 * Do relocation I of A and of B have one offset and one type, and symbols of
 * which linkers may make the same code?
 */
bool section_relocs_alike(const struct section_relocs *a,
			  const struct section_relocs *b,
			  const struct arch *arch, size_t i);

/*
 * BEFORE is the section, of SIZE bytes, which is at BASE of CODE, the image.
 * Did the linker only move the instruction at OFFSET away (see decode_detour)?
 * Sets RANGE to its bytes in the section.
 */
bool section_relocs_detour(const struct section_relocs *relocs,
			   const struct arch *arch, const uint8_t *before,
			   size_t size, const struct code *code, uint64_t base,
			   uint64_t offset, struct byte_range *range);

/* The bits of the byte at OFFSET that the relocations set. */
uint8_t section_relocs_bits(const struct section_relocs *relocs,
			    const struct arch *arch, uint64_t offset);

/* How many relocations share the offset of relocation I? */
size_t section_relocs_count(const struct section_relocs *relocs, size_t i);

/*
 * BEFORE is the section and AFTER the image, SIZE bytes each, from the offset
 * of relocation I. Are they the same but for the bits that it and the others of
 * the N from there set? Sets *LENGTH to the bytes in which they set any.
 */
bool section_relocs_same(const struct section_relocs *relocs,
			 const struct arch *arch, size_t i, size_t n,
			 const uint8_t *before, const uint8_t *after,
			 uint64_t size, unsigned *length);

/* Is any of the SIZE bytes at OFFSET in the field of a relocation? */
bool section_relocs_touch(const struct section_relocs *relocs,
			  const struct arch *arch, uint64_t offset,
			  uint64_t size);

#endif
