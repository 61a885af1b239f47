/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stripped final: what its table says takes the place of the symbols that a
 * proof begins with, which are those of the table and of the stubs. The proof
 * has to find them right, so nothing is taken on trust.
 */
#ifndef SDTLINK_STRIPPED_H
#define SDTLINK_STRIPPED_H

#include "base/options.h"
#include "elf/lend.h"

struct stripped {
	struct lent lent;
	char *strings; /* owned */
	/* No section tells where the entries of the table begin and end. */
	bool has_no_bounds;
};

/*
 * Lends OBJ, a checked final without symbols, those that its one table gives;
 * *FOUND says whether there is one. Other names, as those of functions, it
 * still has none, and stays is_stripped. stripped_free is due when OBJ is
 * closed. Returns -1 on trouble, diagnosed.
 */
int stripped_lend(struct diag *d, struct object *obj,
		  const struct options *options, struct stripped *lent,
		  bool *found);
void stripped_free(struct stripped *lent);

#endif
