/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rewrites by linkers that only make sense together. */
#ifndef SDTLINK_PARTS_H
#define SDTLINK_PARTS_H

#include "elf/image.h"
#include "elf/section-relocs.h"

/*
 * BEFORE is a section with RELOCS, at its address in AFTER, code of IMG, which
 * contains it. Each difference is explained alone. Do they also fit each other?
 * An access to thread-local storage is several instructions, and a linker
 * changes all of them or none, in all accesses to one symbol. Returns -1 on
 * trouble, diagnosed; else 1 or 0. If 0, sets *OFFSET to one that does not fit.
 */
int parts_agree(struct diag *d, const struct section_relocs *relocs,
		const struct image *img, const struct code *before,
		const struct code *after, uint64_t *offset);

#endif
