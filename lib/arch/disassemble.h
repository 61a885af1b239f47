/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Disassembly for people, by libopcodes, which is loaded on first use. No
 * decision depends on it.
 */
#ifndef SDTLINK_DISASSEMBLE_H
#define SDTLINK_DISASSEMBLE_H

#include "arch.h"

/* Was it built in, and is libopcodes here? Loads it. */
bool disassemble_is_available(void);

/*
 * Writes the instruction at OFFSET of CODE to TEXT, as objdump prints it, cut
 * to SIZE. Returns the length in bytes, or 0 if it is not available.
 */
unsigned disassemble(const struct arch *arch, const struct code *code,
		     uint64_t offset, char *text, size_t size);

#endif
