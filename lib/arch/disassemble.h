/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Disassembly for people, by libopcodes, which is loaded when first asked
 * for. Nothing is ever decided by it.
 */
#ifndef SDTLINK_DISASSEMBLE_H
#define SDTLINK_DISASSEMBLE_H

#include "arch.h"

/* Can it be had in this build, on this machine? Loads libopcodes. */
bool disassemble_is_available(void);

/*
 * Writes the instruction at OFFSET of CODE to TEXT, as objdump would print
 * it, cut to SIZE. Returns its length in bytes, or 0 if it cannot be had.
 */
unsigned disassemble(const struct arch *arch, const struct code *code,
		     uint64_t offset, char *text, size_t size);

#endif
