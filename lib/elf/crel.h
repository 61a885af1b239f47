/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SHT_CREL, the compact form of relocations. It is proposed for the gABI, and
 * LLVM 19 and later write it with -Wa,--crel.
 *
 * The header is one ULEB128: 8 times the number of relocations, plus 4 if they
 * have addends, plus the number of bits by which offsets are shifted. Each
 * relocation is stored as its difference from the one before. Its first byte
 * has flags in the low bits, for symbol, type and addend, and the start of the
 * offset above them. If its high bit is set, the offset goes on as ULEB128. For
 * each flag that is set, one SLEB128 follows. Offsets and addends wrap around
 * at the size of a word of the class, so they can also decrease.
 */
#ifndef SDTLINK_CREL_H
#define SDTLINK_CREL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/reloc.h"

/* The number that LLVM uses until the gABI assigns one. */
#define SECTION_CREL 0x40000014

struct crel {
	struct reloc *entries; /* owned; NULL until they are decoded */
	size_t n;
	bool has_addends;
};

/* What is wrong with an encoded section. */
struct crel_error {
	const char *field; /* NULL: there is no memory */
	const char *what;
	size_t number; /* of the relocation, from 1 on, or 0 */
};

/* Returns 0, or -1 and sets the error. Free CREL->entries only if it is 0. */
int crel_decode(const uint8_t *bytes, size_t size, bool is_64,
		struct crel *crel, struct crel_error *error);

/* The largest size that N encoded relocations can have. */
size_t crel_bound(size_t n);

/* Encodes the relocations. Returns the number of bytes. */
size_t crel_encode(const struct crel *crel, bool is_64, uint8_t *to);

#endif
