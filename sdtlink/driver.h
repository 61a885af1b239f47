/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SDTLINK_DRIVER_H
#define SDTLINK_DRIVER_H

#include "base/diag.h"

/*
 * The linker NAME of the compiler that runs us because it was told to look for
 * linkers where sdtlink has their names (-B). *PATH, for free(), is what that
 * compiler would have run otherwise: clang looks beside itself, and for a name
 * with its target. It is NULL if no such compiler runs us, or it finds none.
 * Returns -1 if it cannot be asked, diagnosed.
 */
int driver_find(struct diag *d, const char *name, char **path);

#endif
