/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Function descriptors: in ABIs that have them, the symbol of a function is
 * that of a record in data. Everything else here wants to know where the code
 * is, so object_symbol gives that; only what writes symbols and relocations
 * looks at is_descriptor.
 */
#ifndef SDTLINK_DESCRIPTORS_H
#define SDTLINK_DESCRIPTORS_H

#include "object.h"

/*
 * Sets the descriptors of OBJ, if its ABI has them: in an object by their
 * relocations, which are checked, in an image by what they hold.
 */
int descriptors_build(struct diag *d, struct object *obj);

/* Does section SHNDX hold some? */
bool descriptors_hold(const struct object *obj, uint32_t shndx);

/* The first section that holds some, or 0; linkers know no others. */
uint32_t descriptors_section(const struct object *obj);

/*
 * A relocation against SYM and ADDEND may refer to a descriptor by its section:
 * then SYM becomes one that is the code with that addend. False if SYM is in no
 * section of descriptors.
 */
bool descriptor_follow(const struct object *obj, struct symbol *sym,
		       int64_t addend);

#endif
