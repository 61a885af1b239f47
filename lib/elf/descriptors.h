/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Function descriptors. In an ABI that has them, a function's symbol is at a
 * record in data. Nearly all callers want the address of the code, so
 * object_symbol returns that. Two kinds of callers look at is_descriptor: those
 * that write symbols and relocations, and those to whom a name of the record is
 * not one of the code (scan-probes.c of the generator; stubs.c, extra.c,
 * reach.c and place.c of the proof).
 */
#ifndef SDTLINK_DESCRIPTORS_H
#define SDTLINK_DESCRIPTORS_H

#include "object.h"

/*
 * Sets the descriptors of OBJ, if its ABI has them. In an object it finds them
 * by their relocations, which it checks. In an image it reads their contents.
 */
int descriptors_build(struct diag *d, struct object *obj);

/* Does section SHNDX contain descriptors? */
bool descriptors_hold(const struct object *obj, uint32_t shndx);

/* The first section that contains descriptors, or 0. Linkers know only one. */
uint32_t descriptors_section(const struct object *obj);

/*
 * A relocation may refer to a descriptor by its section, as SYM and ADDEND.
 * Then this makes SYM the code of that descriptor. Returns false if the section
 * of SYM has no descriptors.
 */
bool descriptor_follow(const struct object *obj, struct symbol *sym,
		       int64_t addend);

#endif
