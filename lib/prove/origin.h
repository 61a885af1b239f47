/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the partials say of a branch of the image, for extra.c. */
#ifndef SDTLINK_ORIGIN_H
#define SDTLINK_ORIGIN_H

#include "proof.h"

/*
 * Has the linker made BRANCH, which is at ADDR, one to the next instruction,
 * because nothing defines the function that it is to go to?
 */
bool origin_goes_nowhere(const struct proof *p, uint64_t addr,
			 const struct branch *branch);

/*
 * Are the bytes at [ADDR, END) those at the end of a section of a partial, as
 * it has them and no relocation changes them, and then others behind it? No
 * instruction is there. Only a section with a function that ADDR is in is
 * found.
 */
bool origin_is_cut_off(const struct proof *p, uint64_t addr, uint64_t end);

/*
 * Why BRANCH, which is at ADDR and no site, may go to STUB, as a remedy: that
 * of the cause if it is as it seems.
 */
enum remedy origin_remedy(const struct proof *p, uint64_t addr,
			  const struct branch *branch, const struct stub *stub);

#endif
