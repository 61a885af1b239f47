/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: rewrites by linkers that only make sense together. The lists
 * of rewrites have single instructions. But a linker changes all instructions
 * of an address or of a thread-local access, or none: what it decides for a
 * symbol shows at each of the symbol's relocations.
 */
#ifndef SDTLINK_PARTS_H
#define SDTLINK_PARTS_H

#include "elf/image.h"
#include "elf/section-relocs.h"

/* A section at one place of the image. Each difference is explained alone. */
struct rewritten {
	const struct section_relocs *relocs;
	const struct image *img;
	struct code before;	  /* the section, at its address in the image */
	const struct code *after; /* the section of the image that has it */
	bool (*is_left_out)(void *ctx,
			    uint64_t offset); /* is not judged here */
	void *ctx;
};

/*
 * Is there, for all parts of a decision, one that explains each of them? Else
 * sets *OFFSET to a part for which there is none. False also if memory ran out,
 * diagnosed. Where linkers delete code, use the next function.
 */
bool parts_agree(struct diag *d, const struct rewritten *in, uint64_t *offset);

/* The same if the caller knows the WAYS of relocation I, which is a part. */
bool parts_agree_by_ways(struct diag *d, const struct section_relocs *relocs,
			 uint8_t (*ways)(void *ctx, size_t i), void *ctx,
			 uint64_t *offset);

#endif
