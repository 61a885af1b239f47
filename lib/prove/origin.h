/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the partials say of a branch of the image, for extra.c. */
#ifndef SDTLINK_ORIGIN_H
#define SDTLINK_ORIGIN_H

#include "proof.h"

/* The relocation of a partial that a branch's displacement is of. */
struct origin {
	const struct proof *p; /* whose */
	struct reloc reloc;
	struct symbol symbol;
	/* Nothing else can be there: another object's function may have the
	 * name and the bytes of a local or a weak one. */
	bool is_sure;
};

/* False if it is not known. */
bool find_origin(const struct proof *p, uint64_t addr,
		 const struct branch *branch, struct origin *origin);

/*
 * Has the linker made BRANCH, which is at ADDR, one to the next instruction,
 * because nothing defines the function that it is to go to?
 */
bool goes_nowhere(const struct proof *p, uint64_t addr,
		  const struct branch *branch);

/*
 * Are the bytes at [ADDR, END) those at the end of a section of a partial, as it
 * has them and no relocation changes them, and then others behind it? No
 * instruction is there. Only a section with a function that ADDR is in is found.
 */
bool is_cut_off(const struct proof *p, uint64_t addr, uint64_t end);

/*
 * Why BRANCH, which is at ADDR and no site, may go to STUB, as a remedy; NULL
 * if it is as it seems.
 */
const char *extra_remedy(const struct proof *p, uint64_t addr,
			 const struct branch *branch, const struct stub *stub);

#endif
