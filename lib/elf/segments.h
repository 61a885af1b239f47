/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Do the program headers of a final tell what is loaded where? */
#ifndef SDTLINK_SEGMENTS_H
#define SDTLINK_SEGMENTS_H

#include "object.h"

/*
 * Fails with a diagnostic if libelf would miss program headers, if a segment
 * has bytes that memory has no room for, or if something else is loaded over
 * one that holds code, and these are no overlays, of one section of text each.
 */
int segments_check(struct diag *d, const struct object *obj);

/*
 * Fails with a diagnostic if the dynamic linker finds relocations that are in
 * no section of relocations, which is where all others look for them. Those
 * that objcopy removed do nothing.
 */
int segments_check_relocs(struct diag *d, const struct object *obj);

#endif
