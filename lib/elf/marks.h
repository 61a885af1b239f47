/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where code of which mode is, in ISAs that have several: mapping symbols, as
 * $a, $t and $d of ARM, tell.
 */
#ifndef SDTLINK_MARKS_H
#define SDTLINK_MARKS_H

#include "object.h"

/* Sets the marks of OBJ, if its ISA has modes. Its symbols are checked. */
int marks_build(struct diag *d, struct object *obj);

#endif
