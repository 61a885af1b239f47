/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Linkers change all instructions of an address or of a thread-local access, or
 * none. The list of their rewrites has single instructions.
 */
#ifndef SDTLINK_PARTS_H
#define SDTLINK_PARTS_H

#include "section-relocs.h"

/*
 * Is there, for all parts that belong together, one way to link them that gives
 * each what it has become? WAYS returns the ways of relocation I, which is a
 * part. Sets *OFFSET to the first part for which there is none. False also if
 * memory ran out, diagnosed.
 */
bool parts_agree(struct diag *d, const struct section_relocs *relocs,
		 uint8_t (*ways)(void *ctx, size_t i), void *ctx,
		 uint64_t *offset);

#endif
