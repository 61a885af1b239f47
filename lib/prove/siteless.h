/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: functions of the partials without sites. A function whose
 * sites are off may have the same bytes as one of them.
 */
#ifndef SDTLINK_SITELESS_H
#define SDTLINK_SITELESS_H

#include "proof.h"

/*
 * How many functions of SIZE bytes, in sections without sites, could be at ADDR
 * of the image, by bytes and names? Counts up to MAX. The first call lists
 * these functions. Without memory, it says so in a diagnostic, and returns MAX.
 */
size_t siteless_count_at(const struct proof *p, uint64_t size, uint64_t addr,
			 size_t max);

void siteless_free(struct siteless *siteless);

#endif
