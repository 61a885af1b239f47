/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relates code of the image to the partials. */
#ifndef SDTLINK_ORIGIN_H
#define SDTLINK_ORIGIN_H

#include "proof.h"

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
 * STUB is a function of a partial, and BRANCH, which is at ADDR in it, goes to
 * STUB. Is that a loop, in which the assembler has filled in the distance?
 */
bool origin_is_loop(const struct proof *p, uint64_t addr,
		    const struct branch *branch, const struct stub *stub);

/*
 * Does the object of P define the function that STUB is, by a name of --symbol?
 * Then it has no sites of it.
 */
bool origin_has_no_sites(const struct proof *p, const struct stub *stub);

/*
 * BRANCH, which is at ADDR and no site, goes to STUB. The remedy: for a linker
 * option that explains it, or the usual remedy if none does.
 */
enum remedy origin_remedy(const struct proof *p, uint64_t addr,
			  const struct branch *branch, const struct stub *stub);

#endif
