/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which bytes of a section of a partial do relocations set? */
#ifndef SDTLINK_RELOCATED_H
#define SDTLINK_RELOCATED_H

#include "object.h"

/* All but D, OBJ and SHNDX begins as 0. */
struct relocated {
	struct diag *d;
	const struct object *obj; /* checked */
	uint32_t shndx;
	uint8_t *bits; /* one for each byte, if relocations are out of order
			  and somebody has asked; owned */
	int status;    /* -1: there was no memory for them; diagnosed */
};

/* Does a relocation touch the SIZE bytes at OFFSET? */
bool relocated_touches(struct relocated *r, uint64_t offset, unsigned size);

void relocated_free(struct relocated *r);

#endif
