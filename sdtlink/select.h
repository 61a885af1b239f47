/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Selects sites in the language of the runtime's enable, with the runtime's own
 * code.
 */
#ifndef SDTLINK_SELECT_H
#define SDTLINK_SELECT_H

#include "command.h"
#include "listing.h"

/* Is PATTERN one: provider:module:function:name, with at most three colons? */
bool select_is_pattern(const char *pattern);

/* Does the site of PROBE in FUNCTION match PATTERN? FUNCTION may be NULL. */
bool select_matches(const char *pattern, const struct probe_name *probe,
		    const char *module, const char *function);

/* The kinds of other tools' tables that --kind names, as bits; 0 without it. */
unsigned select_foreign(const struct command *cmd);

/* Does it ask for our sites as well? */
bool select_wants_own(const struct command *cmd);

/* Removes from LISTING what --probe, --function and --kind do not select. */
void select_apply(const struct command *cmd, struct listing *listing);

#endif
