/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between the files of one instruction set. */
#ifndef SDTLINK_ARCH_X86_H
#define SDTLINK_ARCH_X86_H

#include "arch.h"

/* The length of the instruction at BYTES, or 0 if it cannot be told. */
size_t x86_insn_length(const uint8_t *bytes, size_t size, bool is_64);

/* The hook is_rewrite. */
bool x86_is_rewrite(const struct arch *arch, const uint8_t *before,
		    const uint8_t *after, size_t size, const struct reloc *r,
		    struct byte_range *range);

#endif
