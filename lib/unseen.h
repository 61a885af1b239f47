/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SDTLINK_UNSEEN_H
#define SDTLINK_UNSEEN_H

#include "scan.h"

/*
 * Diagnoses each branch to a probe function that OBJ defines and that no
 * relocation is against: local-branch. SET has the probe functions. Returns -1
 * on trouble, diagnosed.
 */
int unseen_check(struct diag *d, const struct object *obj,
		 const struct site_set *set);

#endif
