/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which mode the code of an ISA with modes is in. Mapping symbols say so, as
 * $a, $t and $d of ARM.
 */
#ifndef SDTLINK_MARKS_H
#define SDTLINK_MARKS_H

#include "object.h"

/* Sets the marks of OBJ, if its ISA has modes. The symbols must be checked. */
int marks_build(struct diag *d, struct object *obj);

/* Part of it: sets MODE_UNKNOWN where a mark may be another object's. */
int marks_doubt(struct diag *d, struct object *obj);

#endif
