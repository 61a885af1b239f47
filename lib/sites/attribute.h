/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which function a site is in, and which sites are in none.
 *
 * When a weak function is overridden inside a partial link, linkers drop its
 * symbol and keep its body. Such a body lies in an unnamed range: behind the
 * end of one sized function and before the next symbol. A site in an unnamed
 * range that nothing refers to is dead.
 */
#ifndef SDTLINK_ATTRIBUTE_H
#define SDTLINK_ATTRIBUTE_H

#include "base/diag.h"
#include "elf/object.h"

struct site_set;

/*
 * Sets function and function_offset of each site of SET, and moves dead
 * sites from set->sites to bins.dead (with a note each).
 */
int attribute_sites(struct diag *d, const struct object *obj,
		    struct site_set *set);

#endif
