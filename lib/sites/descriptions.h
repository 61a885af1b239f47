/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loaded tables that describe code, dead or not. Which of their references pass
 * control to that code?
 */
#ifndef SDTLINK_DESCRIPTIONS_H
#define SDTLINK_DESCRIPTIONS_H

#include "elf/object.h"

/*
 * Does section SHNDX only describe code, or say where functions begin without
 * leading to other code? Or is it not loaded, or one of sdtlink's? False for
 * text.
 */
bool descriptions_only_tells(const struct object *obj, uint32_t shndx);

/* Does what section SHNDX refers to run, for all that one can tell? */
bool descriptions_may_refer(const struct object *obj, uint32_t shndx);

/* An entry of a Linux jump table: three relocations. */
enum { JUMP_CODE, JUMP_TARGET, JUMP_KEY, JUMP_WORDS };

bool descriptions_has_jumps(const char *name);

/*
 * Are these the relocations of one entry? Then the instruction at CODE may
 * become a jump to TARGET, but the entry does not pass control to CODE.
 * Distances in it are from the word itself, never from the start of the table.
 */
bool descriptions_is_jump(const struct object *obj,
			  const struct reloc entry[JUMP_WORDS]);

/*
 * Does SEC list functions because they are instrumented? Compilers give such
 * data a name that C has, too: __llvm_prf_data, xray_instr_map, __sancov_pcs.
 */
bool descriptions_may_instrument(const struct section *sec);

#define REMEDY_INSTRUMENTED \
	"compile the file that defines the probe function without what " \
	"instruments functions (-finstrument-functions, -fprofile-generate, " \
	"XRay, sanitizers), and do not take its address"

#endif
