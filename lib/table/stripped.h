/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gives a stripped final the symbols with which a proof begins: those of the
 * table and of the stubs, from the table itself. The proof checks them, so
 * nothing is taken on trust.
 */
#ifndef SDTLINK_STRIPPED_H
#define SDTLINK_STRIPPED_H

#include "base/options.h"
#include "elf/lend.h"

struct stripped {
	struct lent lent;
	char *strings; /* owned */
	/* No section marks the start and end of the entries. */
	bool has_no_bounds;
};

/*
 * Gives OBJ, a checked final without symbols, those that its only table
 * implies. Sets *FOUND to whether it has one. OBJ still lacks all other names,
 * such as those of functions, and stays is_stripped. Call stripped_free after
 * OBJ is closed. Returns -1 on trouble, diagnosed.
 */
int stripped_lend(struct diag *d, struct object *obj,
		  const struct options *options, struct stripped *lent,
		  bool *found);
void stripped_free(struct stripped *lent);

#endif
