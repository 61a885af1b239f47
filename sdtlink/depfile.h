/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The make rule for -MD. */
#ifndef SDTLINK_DEPFILE_H
#define SDTLINK_DEPFILE_H

#include <stdio.h>

#include "command.h"

/* The path of the depfile if there is no -MF. For free(). */
char *depfile_default_path(const char *output);

/* Fails with a diagnostic if a part of the rule cannot be written. */
int depfile_check(struct diag *d, const struct command *cmd);

void depfile_put(FILE *f, const struct command *cmd);

#endif
