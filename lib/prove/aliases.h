/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SDTLINK_ALIASES_H
#define SDTLINK_ALIASES_H

#include "proof-site.h"

/*
 * Part of verify. A partial may define a probe function itself. This refuses
 * each use of the address of such a function, of those that LIST mentions, that
 * does not name the function. (extra.c finds branches to it in the final.)
 * Counts in LIST->nrefused. Returns -1 on trouble, diagnosed.
 */
int aliases_check(struct diag *d, const struct object *partial,
		  const struct options *options, struct proof_site_list *list);

#endif
