/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SDTLINK_ARGUMENTS_H
#define SDTLINK_ARGUMENTS_H

#include "command.h"
#include "response.h"

/*
 * Fills CMD, whose strings are in ARGS. Returns -1 after a message on standard
 * error. Call command_free either way.
 */
int arguments_parse(struct argument_list *args, struct command *cmd);
/* Checks the complete command. Reports mistakes on standard error. */
int arguments_check(const struct command *cmd);
void command_free(struct command *cmd);

/* Is WORD a long option of sdtlink, with its value if it takes one? */
bool arguments_is_option(const char *word);

void print_help(void);

#endif
