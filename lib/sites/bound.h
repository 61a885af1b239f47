/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SDTLINK_BOUND_H
#define SDTLINK_BOUND_H

#include "scan.h"

/*
 * Reports each branch to a probe function that OBJ defines, and each use of its
 * address, if no relocation against its symbol covers it: local-branch. SET has
 * the probe functions, and counts relocations of that kind. Returns -1 on
 * trouble, diagnosed.
 */
int bound_check(struct diag *d, const struct object *obj,
		const struct options *options, struct site_set *set);

#endif
