/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SDTLINK_COMPARE_ORDER_H
#define SDTLINK_COMPARE_ORDER_H

#include "compare.h"

/*
 * Sets for each function of C whether it moved against the others, and whether
 * it differs, and counts them. PATH is for messages.
 */
int compare_order(struct diag *d, const char *path, struct comparison *c);

#endif
