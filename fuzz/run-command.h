/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A mode of the command, for targets that run one whole. */
#ifndef SDTLINK_FUZZ_RUN_COMMAND_H
#define SDTLINK_FUZZ_RUN_COMMAND_H

#include "command.h"
#include "fuzz.h"

struct fuzz_command {
	struct command cmd;
	struct report report;
};

/*
 * The default options and a report, in text or, where CHOICE has not its lowest
 * bit, in JSON. fuzz_command_end is due.
 */
void fuzz_command_begin(struct fuzz_command *run, enum mode mode,
			unsigned choice);

/* Adds a file of these bytes to the inputs; returns its name. */
const char *fuzz_command_input(struct fuzz_command *run, const uint8_t *bytes,
			       size_t size);

void fuzz_command_end(struct fuzz_command *run);

#endif
