/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks what the program headers of a final say about loaded bytes. */
#ifndef SDTLINK_SEGMENTS_H
#define SDTLINK_SEGMENTS_H

#include "object.h"

/*
 * Fails with a diagnostic if libelf would miss program headers, if a segment
 * has more bytes in the file than in memory, or if something else is loaded
 * over a segment with code. Overlays of one section of text each are allowed.
 */
int segments_check(struct diag *d, const struct object *obj);

/*
 * Fails with a diagnostic if the dynamic linker would apply relocations that no
 * section of relocations contains. All other steps look only into sections.
 * Relocations that objcopy removed have no effect.
 */
int segments_check_relocs(struct diag *d, const struct object *obj);

/*
 * What the dynamic section of a final that was so checked says of TAG (DT_*); 0
 * if nothing.
 */
uint64_t segments_dynamic_value(const struct object *obj, uint64_t tag);

#endif
