/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plans the anchored table of a partial: sections, symbols and relocations
 * that the final link turns into the table itself, so that it is right
 * wherever the text goes. See sdt_table(5).
 *
 * For each text section that has sites, a section of the table, which the
 * linker keeps or drops with that text (SHF_LINK_ORDER, and the same COMDAT
 * group); for each probe, a COMDAT group with its descriptor and its stub, so
 * that any number of injected objects share one of each.
 */
#ifndef SDTLINK_INJECT_H
#define SDTLINK_INJECT_H

#include "elf/edit.h"
#include "base/options.h"
#include "sites/scan.h"

/* Fails with a diagnostic if OBJ has an anchored table already. */
int inject_check_fresh(struct diag *d, const struct object *obj,
		       const struct options *options);

/*
 * Fills EDIT from the sites of SET. Fails with a diagnostic if the object has
 * a table already, or cannot take one.
 */
int inject_plan(struct diag *d, const struct object *obj,
		const struct options *options, const struct site_set *set,
		struct edit *edit);

#endif
