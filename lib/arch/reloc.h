/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A relocation. <elf.h> has the numbers of its types. */
#ifndef SDTLINK_RELOC_H
#define SDTLINK_RELOC_H

#include <elf.h>
#include <stdint.h>

/*
 * It has the layout of an Elf64_Rela in memory, so those of a file need no
 * copy.
 */
struct reloc {
	uint64_t offset;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	uint32_t symndx;
	uint32_t type;
#else
	uint32_t type;
	uint32_t symndx;
#endif
	int64_t addend; /* 0 if the addend is in the section (REL) */
};

/* The addend plus MORE, modulo 2^64. An addend can be any number. */
static inline int64_t reloc_sum(const struct reloc *r, int64_t more)
{
	return (uint64_t)r->addend + (uint64_t)more;
}

#endif
