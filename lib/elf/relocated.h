/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which bytes of a section of a partial do relocations change? */
#ifndef SDTLINK_RELOCATED_H
#define SDTLINK_RELOCATED_H

#include "object.h"

/* Set D, OBJ and SHNDX; all other members begin as 0. */
struct relocated {
	struct diag *d;
	const struct object *obj; /* checked */
	uint32_t shndx;
	uint8_t *bits; /* a flag for each byte, made on demand if relocations
			* are out of order; owned */
	int status;    /* -1: there was no memory for them; diagnosed */
};

/* Does a relocation change any of the SIZE bytes at OFFSET? */
bool relocated_touches(struct relocated *r, uint64_t offset, unsigned size);

void relocated_free(struct relocated *r);

#endif
