/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SHT_CREL, the compact form of relocations (proposed for the gABI; LLVM 19 and
 * later write it with -Wa,--crel). A header, ULEB128, has their number times 8,
 * 4 if they have addends, and by how many bits offsets are shifted. Each
 * relocation is what differs from the one before it: a first byte with a flag
 * for each of symbol, type and addend in its low bits, and above them the
 * offset (ULEB128 goes on behind the byte, if its high bit is set); then
 * SLEB128 for each flag that is set. Offsets and addends wrap around as words
 * of the class do, so that they can go down.
 */
#ifndef SDTLINK_CREL_H
#define SDTLINK_CREL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/reloc.h"

/* The number that LLVM uses until the gABI has one. */
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

/* 0, or -1 and why; free(CREL->entries) is due only if it is 0. */
int crel_decode(const uint8_t *bytes, size_t size, bool is_64,
		struct crel *crel, struct crel_error *error);

/* How many bytes the encoded form has at most. */
size_t crel_bound(size_t n);

/* Encodes them, and returns how many bytes that takes. */
size_t crel_encode(const struct crel *crel, bool is_64, uint8_t *to);

#endif
