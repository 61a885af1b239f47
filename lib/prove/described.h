/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: .eh_frame of the image says where functions begin. A linker
 * that keeps a function keeps its description, and strip leaves it.
 */
#ifndef SDTLINK_DESCRIBED_H
#define SDTLINK_DESCRIBED_H

#include "proof.h"

/*
 * S, the model of its group, begins with a function. Drops its places in the
 * middle of another function. If its group then has enough places at which
 * functions begin, drops all other places. The first call reads .eh_frame.
 * Returns -1 on trouble, diagnosed.
 */
int described_drop(struct proof *p, struct pending *s);

void described_free(struct described *described, size_t nproofs);

#endif
