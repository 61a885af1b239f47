/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All relocations of one section of a partial, by offset. */
#ifndef SDTLINK_SECTION_RELOCS_H
#define SDTLINK_SECTION_RELOCS_H

#include "object.h"

struct section_relocs {
	const struct object *obj;
	const struct reloc *relocs; /* of the file, or: */
	struct reloc *owned;
	size_t n;
	bool is_rela; /* the addends are in them; true if there are none */
	/* Instructions that the user judges otherwise, by offset; not owned. */
	const struct byte_range *exempt;
	size_t nexempt;
};

/*
 * Those of section SHNDX of OBJ, which is checked; they are valid until
 * object_close. Returns -1 on trouble, diagnosed; section_relocs_free is due
 * either way.
 */
int section_relocs_read(struct diag *d, const struct object *obj,
			uint32_t shndx, struct section_relocs *relocs);
void section_relocs_free(struct section_relocs *relocs);

/* The first relocation whose field of up to 8 bytes may end behind OFFSET. */
size_t section_relocs_reaching(const struct section_relocs *relocs,
			       uint64_t offset);

/* The first relocation at OFFSET, or NULL. */
const struct reloc *section_relocs_at(const struct section_relocs *relocs,
				      uint64_t offset);

/*
 * Is the difference between BEFORE, the section, and AFTER, of the image, both
 * SIZE bytes, one that linkers are known to make at relocation I, and of a
 * symbol such as that? Sets the RANGE it covers.
 */
bool section_relocs_rewritten(const struct section_relocs *relocs,
			      const struct arch *arch, const uint8_t *before,
			      const uint8_t *after, size_t size, size_t i,
			      struct byte_range *range);

/* Is relocation I of A and B at one offset and of one type, and of a symbol
 * such that linkers may make the same of both? */
bool section_relocs_alike(const struct section_relocs *a,
			  const struct section_relocs *b,
			  const struct arch *arch, size_t i);

/* The bits of the byte at OFFSET that they set. */
uint8_t section_relocs_bits(const struct section_relocs *relocs,
			    const struct arch *arch, uint64_t offset);

#endif
