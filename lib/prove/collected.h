/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: what a partial says by itself. None of it depends on the
 * final, so it can be collected while the linker runs.
 */
#ifndef SDTLINK_COLLECTED_H
#define SDTLINK_COLLECTED_H

#include "elf/names.h"
#include "extents.h"
#include "proof-site.h"

struct collected {
	struct names functions; /* of the partial */
	struct proof_site_list list;
	bool is_injected;  /* --inject wrote the partial, */
	bool has_branches; /* and its sites are still branches */
	bool has_failed;   /* that was diagnosed */
};

/*
 * Lists the sites of PARTIAL, and diagnoses what is no site. Returns NULL if
 * memory ran out, diagnosed.
 */
struct collected *collected_new(struct diag *d, const struct object *partial,
				const struct options *options);

/*
 * The same in two steps, for somebody who lists the extents of PARTIAL
 * meanwhile. The second is only for what has not failed.
 */
struct collected *collected_begin(struct diag *d, const struct object *partial,
				  const struct options *options);
void collected_end(struct diag *d, const struct object *partial,
		   struct extents *extents, struct collected *collected);

/* If no proof took it. */
void collected_free(struct collected *collected);

#endif
