/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the function that each site is in, and the sites that are in none.
 *
 * If a weak function is overridden inside a partial link, linkers drop its
 * symbol and keep its body. Such a body is an unnamed range: it is behind the
 * end of one sized function, and before the next symbol. A site in an unnamed
 * range to which nothing refers is dead.
 */
#ifndef SDTLINK_ATTRIBUTE_H
#define SDTLINK_ATTRIBUTE_H

#include "base/diag.h"
#include "elf/object.h"

struct site_set;

/*
 * Sets function and function_offset of each site of SET. Moves dead sites from
 * set->sites to bins.dead, with a note for each.
 */
int attribute_sites(struct diag *d, const struct object *obj,
		    struct site_set *set);

#endif
