/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SDTLINK_DRIVER_H
#define SDTLINK_DRIVER_H

#include "base/diag.h"

/*
 * A compiler that got a -B runs sdtlink as the linker NAME. Finds the linker
 * that it would have run otherwise: clang looks beside itself, and for a name
 * with its target. Sets *PATH, for free(). *PATH is NULL if no such compiler
 * runs us, or if it finds none. Returns -1 if it cannot be asked, diagnosed.
 */
int driver_find(struct diag *d, const char *name, char **path);

#endif
