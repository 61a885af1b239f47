/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relates a branch of the image to the partials, for extra.c. */
#ifndef SDTLINK_ORIGIN_H
#define SDTLINK_ORIGIN_H

#include "proof.h"

/* Does one of RELOCS touch [OFFSET, END) of its section? */
bool origin_is_relocated(const struct proof *p,
			 const struct section_relocs *relocs, uint64_t offset,
			 uint64_t end);

/*
 * Sections without sites are not placed. Sets *PL to the one that [ADDR, END)
 * is in, if the name of the function there and the bytes say which one that is.
 * The caller frees PL->relocs.
 */
bool origin_place(const struct proof *p, uint64_t addr, uint64_t end,
		  struct placed *pl);

/*
 * The same for sections of text that relaxes: does what a relocation sets begin
 * at ADDR?
 */
bool origin_sets(const struct proof *p, uint64_t addr);

/*
 * Does BRANCH, which is at ADDR, go to the next instruction because nothing
 * defines the function that it called?
 */
bool origin_goes_nowhere(const struct proof *p, uint64_t addr,
			 const struct branch *branch);

/*
 * Do the bytes [ADDR, END) begin with the unchanged end of a section of a
 * partial, and go on behind that section? Then they are no instruction. Finds
 * only a section that has a function around ADDR.
 */
bool origin_is_cut_off(const struct proof *p, uint64_t addr, uint64_t end);

/*
 * BRANCH, which is at ADDR and no site, goes to STUB. The remedy: for a linker
 * option that explains it, or the usual remedy if none does.
 */
enum remedy origin_remedy(const struct proof *p, uint64_t addr,
			  const struct branch *branch, const struct stub *stub);

#endif
