/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SDTLINK_DEPFILE_H
#define SDTLINK_DEPFILE_H

#include "command.h"

/* Writes the make rule that -MD and its kin ask for. */
int depfile_write(struct diag *d, const struct command *cmd);

#endif
