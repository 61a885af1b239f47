/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plans the anchored table of a partial: sections, symbols and relocations from
 * which the final link makes the table. So it is right wherever the text goes.
 * See sdt_table(5).
 *
 * Each text section with sites gets a section of the table. The linker keeps or
 * drops both together (SHF_LINK_ORDER, and the same COMDAT group). Each probe
 * gets a COMDAT group with its descriptor and its stub. So any number of
 * injected objects share one of each.
 */
#ifndef SDTLINK_INJECT_H
#define SDTLINK_INJECT_H

#include "elf/edit.h"
#include "base/options.h"
#include "sites/scan.h"

/* Fails with a diagnostic if OBJ already has an anchored table. */
int inject_check_fresh(struct diag *d, const struct object *obj,
		       const struct options *options);

/*
 * Fills EDIT from the sites of SET. Fails with a diagnostic if the object
 * already has a table, or cannot get one.
 */
int inject_plan(struct diag *d, const struct object *obj,
		const struct options *options, const struct site_set *set,
		struct edit *edit);

#endif
