/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --dump --memory=CORE: what each site holds in the memory of a run. */
#ifndef SDTLINK_MEMORY_STATE_H
#define SDTLINK_MEMORY_STATE_H

#include "command.h"
#include "listing.h"

/*
 * Finds the image of FILE in the core, and sets the state of each site of its
 * listing. Returns -1 after a diagnostic: it is not there, or is not an image.
 */
int memory_look(struct diag *d, const struct command *cmd,
		struct listed_file *file);

/* "off", "linked", "on", "breakpoint", "half-written", "other", "unreadable" */
const char *memory_state_name(enum site_state state);

#endif
