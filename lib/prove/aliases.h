/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SDTLINK_ALIASES_H
#define SDTLINK_ALIASES_H

#include "proof-site.h"

/*
 * Part of verify: refuses each use of the address of a probe function that the
 * partial defines, and LIST mentions, if its name is not in that use. Branches
 * are found in the final (extra.c). Counts in LIST->nrefused. Returns -1 on
 * trouble, diagnosed.
 */
int aliases_check(struct diag *d, const struct object *partial,
		  const struct options *options, const struct placer *placer,
		  struct proof_site_list *list);

#endif
