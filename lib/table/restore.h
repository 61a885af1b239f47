/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An object that --inject --nop has written tells what it took: this puts it
 * back, and makes probe functions undefined again, so that the object is what
 * it was before, and its table is beside that.
 */
#ifndef SDTLINK_RESTORE_H
#define SDTLINK_RESTORE_H

#include "elf/object.h"

/*
 * Makes OBJ, which is checked as a partial, the one from before in memory, and
 * sets is_restored; leaves it as it is if it has no records, or such as do not
 * fit. Fails with a diagnostic.
 */
int restore_object(struct diag *d, struct object *obj);

#endif
