/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbols for a final that has none, or not enough of its own. */
#ifndef SDTLINK_LEND_H
#define SDTLINK_LEND_H

#include "object.h"

/* The strings are the lender's. */
struct lent {
	void *symbols;	  /* Elf{32,64}_Sym as OBJ has them; owned */
	uint32_t *xindex; /* the section of each; owned */
};

/* Room for N, all 0. Returns -1, diagnosed; lend_free is due either way. */
int lend_alloc(struct diag *d, const struct object *obj, size_t n,
	       struct lent *lent);
void lend_free(struct lent *lent);

/* Symbol I is in section SHNDX of OBJ, or absolute if that is 0. */
void lend_set_section(const struct object *obj, struct lent *lent, size_t i,
		      uint32_t shndx);

/*
 * From now on, the symbols of OBJ are the N of LENT, with these strings; they
 * have to be there as long as OBJ. Marks and descriptors follow. Returns -1,
 * diagnosed.
 */
int lend_symbols(struct diag *d, struct object *obj, const struct lent *lent,
		 size_t n, const char *strings, size_t strings_size);

#endif
