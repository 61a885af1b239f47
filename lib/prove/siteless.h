/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: functions of the partials without sites. One of them may read
 * like a function whose sites are off.
 */
#ifndef SDTLINK_SITELESS_H
#define SDTLINK_SITELESS_H

#include "proof.h"

/*
 * How many functions of SIZE bytes, in sections without sites, could be at ADDR
 * of the image, as far as bytes and the names there tell? MAX stands for all
 * that are more. They are listed when that is first asked; without memory, that
 * is diagnosed, and there are MAX.
 */
size_t siteless_count_at(const struct proof *p, uint64_t size, uint64_t addr,
			 size_t max);

void siteless_free(struct siteless *siteless);

#endif
