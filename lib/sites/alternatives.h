/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Linux' alternatives: code that the kernel copies over other code at boot, if
 * the machine has some feature. x86, s390 and Power keep it in separate
 * sections. AArch64, RISC-V and LoongArch put it into .subsection 1 of the
 * section of the code that it replaces. There, only the table of alternatives
 * identifies it.
 */
#ifndef SDTLINK_ALTERNATIVES_H
#define SDTLINK_ALTERNATIVES_H

#include "elf/object.h"

/*
 * All alternatives count as if they were in this section, where x86 has them.
 */
#define ALTERNATIVES_SECTION ".altinstr_replacement"

/* Has OBJ a table of them? */
bool alternatives_present(const struct object *obj);

struct alternatives {
	struct alternative *items; /* by section, then offset; owned */
	size_t n;
};

/*
 * Reads the alternatives of OBJ, which is checked. Returns -1 on trouble,
 * diagnosed. Call alternatives_free either way.
 */
int alternatives_read(struct diag *d, const struct object *obj,
		      struct alternatives *alternatives);
void alternatives_free(struct alternatives *alternatives);

/* Is the instruction at OFFSET of section SHNDX copied before it runs? */
bool alternatives_hold(const struct alternatives *alternatives, uint32_t shndx,
		       uint64_t offset);

#endif
