/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which sites the user asks for, in the language that the runtime's enable
 * takes: it is the runtime's code that matches.
 */
#ifndef SDTLINK_SELECT_H
#define SDTLINK_SELECT_H

#include "command.h"
#include "listing.h"

/* Is PATTERN one: provider:module:function:name, with three colons at most? */
bool select_is_pattern(const char *pattern);

/* Does the site of PROBE in FUNCTION, which may be NULL, match PATTERN? */
bool select_matches(const char *pattern, const struct probe_name *probe,
		    const char *module, const char *function);

/* The tables of others that --kind asks for, as bits; none without it. */
unsigned select_foreign(const struct command *cmd);

/* Does it ask for our sites as well? */
bool select_wants_own(const struct command *cmd);

/* Leaves in LISTING only what --probe, --function and --kind ask for. */
void select_apply(const struct command *cmd, struct listing *listing);

#endif
