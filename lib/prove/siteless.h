/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: functions of the partials without sites. A function whose
 * sites are off may have the same bytes as one of them.
 */
#ifndef SDTLINK_SITELESS_H
#define SDTLINK_SITELESS_H

#include "namesakes.h"
#include "proof.h"

/*
 * Could NS of a partial, in a section without sites, be FOUND of the image, by
 * bytes, size and binding?
 */
bool siteless_may_be(const struct proof *p, const struct namesake *ns,
		     const struct symbol *found);

/*
 * How many functions of SIZE bytes, in sections without sites, could be at ADDR
 * of the image, by bytes and names? Counts up to MAX. The first call lists
 * these functions. Without memory, it says so in a diagnostic, and returns MAX.
 */
size_t siteless_count_at(const struct proof *p, uint64_t size, uint64_t addr,
			 size_t max);

void siteless_free(struct siteless *siteless);

#endif
