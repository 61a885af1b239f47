/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: reads what the partials and the final say by themselves.
 * None of it depends on another, so all is read at the same time. What is
 * wrong with one is diagnosed when the proof comes to it.
 */
#ifndef SDTLINK_GATHER_H
#define SDTLINK_GATHER_H

#include "base/diag-log.h"
#include "collected.h"
#include "proof.h"

struct gathered {
	struct diag_log image_log;
	int image_status; /* of image_open for the run's image */
	struct diag_log table_log;
	int table_status; /* of table_read for its table */
	bool has_table;
	/* By partial. The proof takes each that is not NULL. */
	struct collected **collected;
	struct diag_log *logs;
};

/*
 * Fills the run's image and table from FINAL, and G. Returns -1 without memory,
 * diagnosed. Call gather_free either way.
 */
int gather(struct verify_run *run, const struct object *final,
	   struct gathered *g);
void gather_free(struct verify_run *run, struct gathered *g);

#endif
