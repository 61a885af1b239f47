/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loaded tables about code, dead or not: which of their references lead
 * control to it.
 */
#ifndef SDTLINK_METADATA_H
#define SDTLINK_METADATA_H

#include "elf/object.h"

/*
 * Does a section of that name only describe code, so that a reference from it
 * proves nothing?
 */
bool metadata_only_describes(const char *name);

/*
 * The same of section SHNDX, or does it say where functions begin, and lead
 * elsewhere if to any code? Or is it not loaded, or one of sdtlink? Text never.
 */
bool metadata_only_tells(const struct object *obj, uint32_t shndx);

/* An entry of a jump table, as Linux has it: three relocations. */
enum { JUMP_CODE, JUMP_TARGET, JUMP_KEY, JUMP_WORDS };

bool metadata_has_jumps(const char *name);

/*
 * Are these the relocations of one entry? Then the instruction at CODE may
 * become a jump to TARGET, and the entry does not lead to CODE. A distance in
 * it is one from the word itself, never from the start of the table.
 */
bool metadata_is_jump(const struct object *obj,
		      const struct reloc entry[JUMP_WORDS]);

#endif
