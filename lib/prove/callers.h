/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of verify: what kept.c asks callers.c. */
#ifndef SDTLINK_CALLERS_H
#define SDTLINK_CALLERS_H

#include "proof.h"

/*
 * Has the image a global name of section SHNDX, of code or data, that no other
 * object can have put there? Then the section itself was linked, if perhaps in
 * another build. Linkers make names local that are hidden, or all. Where the
 * image does not show that they did, and IT MAY_BE_LOCAL, only its bytes tell
 * it from another object's.
 */
bool callers_has_global(struct proof *p, uint32_t shndx, bool may_be_local);

/*
 * Was P, or another build of it, linked at all? Of an archive member that was
 * not, all names are those of other objects.
 */
bool callers_was_linked(const struct proof *p);

/* The name of the first function or variable of section SHNDX, or its own. */
const char *callers_name(const struct proof *p, uint32_t shndx);

#endif
