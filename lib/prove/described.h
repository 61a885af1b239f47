/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: where functions begin, as .eh_frame of the image says. A
 * linker keeps the description of each function that it keeps, and what strips
 * names leaves it.
 */
#ifndef SDTLINK_DESCRIBED_H
#define SDTLINK_DESCRIBED_H

#include "proof.h"

/*
 * Drops the places of S, the model of its group, that it cannot have since a
 * function begins with it: those in the middle of another one, and if as many
 * as are looked for are where functions begin, all others. What is needed is
 * read when that is first asked. Returns -1 on trouble, diagnosed.
 */
int described_drop(struct proof *p, struct pending *s);

void described_free(struct described *described, size_t nproofs);

#endif
