/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --dump --against=OLD: what came, went and changed between two builds. */
#ifndef SDTLINK_DUMP_AGAINST_H
#define SDTLINK_DUMP_AGAINST_H

#include "command.h"

int command_against(const struct command *cmd, struct report *report);

#endif
