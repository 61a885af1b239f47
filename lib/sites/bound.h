/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SDTLINK_BOUND_H
#define SDTLINK_BOUND_H

#include "scan.h"

/*
 * Diagnoses each use of a probe function that OBJ defines, if that is a branch,
 * or forms its address, without a relocation against its symbol: local-branch.
 * SET has the probe functions, and counts relocations of that kind. Returns -1
 * on trouble, diagnosed.
 */
int bound_check(struct diag *d, const struct object *obj,
		const struct options *options, struct site_set *set);

#endif
