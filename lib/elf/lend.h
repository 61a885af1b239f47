/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gives symbols to a final that has none, or too few. */
#ifndef SDTLINK_LEND_H
#define SDTLINK_LEND_H

#include "object.h"

/* The strings are the lender's. */
struct lent {
	void *symbols;	  /* Elf{32,64}_Sym as OBJ has them; owned */
	uint32_t *xindex; /* the section of each; owned */
};

/*
 * Allocates N zeroed symbols. Returns -1, diagnosed. Call lend_free either way.
 */
int lend_alloc(struct diag *d, const struct object *obj, size_t n,
	       struct lent *lent);
void lend_free(struct lent *lent);

/*
 * Puts symbol I into section SHNDX of OBJ. If that is 0, the symbol is
 * absolute.
 */
void lend_set_section(const struct object *obj, struct lent *lent, size_t i,
		      uint32_t shndx);

/*
 * From now on, OBJ has the N symbols of LENT, with the given strings. Both must
 * live as long as OBJ. Updates the marks and descriptors. Returns -1,
 * diagnosed.
 */
int lend_symbols(struct diag *d, struct object *obj, const struct lent *lent,
		 size_t n, const char *strings, size_t strings_size);

#endif
