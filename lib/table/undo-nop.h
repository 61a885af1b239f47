/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Undoes --nop. An object of --inject --nop has records of what was changed.
 * This restores the relocations, and makes the probe functions undefined again.
 * The result is the object from before, with its table.
 */
#ifndef SDTLINK_UNDO_NOP_H
#define SDTLINK_UNDO_NOP_H

#include "elf/object.h"

/*
 * Replaces OBJ, which is checked as a partial, by the restored one in memory,
 * and sets is_restored. If OBJ has no records, or they do not match, it stays
 * as it is. Fails with a diagnostic.
 */
int undo_nop(struct diag *d, struct object *obj);

#endif
