/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SDTLINK_COMPUTED_H
#define SDTLINK_COMPUTED_H

#include "proof.h"

/* Fields of instructions that compute the address of a stub; owned. */
struct computed {
	uint64_t *fields;
	size_t n;
};

/*
 * Part of verify: reports text of the image that computes the address of a stub
 * from its own, and lists it. The code of a partial may not: that is judged by
 * its relocations. Returns -1 on trouble, diagnosed. Call computed_free either
 * way.
 */
int computed_check(struct proof *p, struct computed *computed);
void computed_free(struct computed *computed);

/* Is ADDR in such instructions? */
bool computed_has(const struct computed *computed, uint64_t addr);

#endif
