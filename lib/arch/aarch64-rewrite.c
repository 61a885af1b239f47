/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The closed list of rewrites that linkers make in place, for AArch64. */
#include <config.h>

#include "reloc.h"
#include "aarch64.h"
#include "insn.h"

#define ANY_ADRP \
	{ \
		0x90000000, 0x9f000000 \
	}
#define ANY_ADR \
	{ \
		0x10000000, 0x9f000000 \
	}
#define ANY_LDR \
	{ \
		0xf9400000, 0xffc00000 \
	}
#define ANY_LITERAL \
	{ \
		0x58000000, 0xff000000 \
	}
#define ANY_ADD \
	{ \
		0x91000000, 0xffc00000 \
	}
#define ANY_ADD_HIGH \
	{ \
		0x91400000, 0xffc00000 \
	}
#define ANY_MOV \
	{ \
		0xaa0003e0, 0xffe0ffe0 \
	}
#define ANY_BLR \
	{ \
		0xd63f0000, 0xfffffc1f \
	}
#define ANY_BL \
	{ \
		0x94000000, 0xfc000000 \
	}
#define ANY_B \
	{ \
		0x14000000, 0xfc000000 \
	}
#define ANY_MOVZ_16 \
	{ \
		0xd2a00000, 0xffe00000 \
	}
#define ANY_MOVK \
	{ \
		0xf2800000, 0xffe00000 \
	}
#define NOP \
	{ \
		AARCH64_NOP, 0xffffffff \
	}
/* Of register x0. */
#define ADRP_0 \
	{ \
		0x90000000, 0x9f00001f \
	}
#define ADR_0 \
	{ \
		0x10000000, 0x9f00001f \
	}
#define LDR_0 \
	{ \
		0xf9400000, 0xffc003ff \
	}
#define LDR_FROM_0 \
	{ \
		0xf9400000, 0xffc003e0 \
	}
#define LITERAL_0 \
	{ \
		0x58000000, 0xff00001f \
	}
#define ADD_0 \
	{ \
		0x91000000, 0xffc003ff \
	}
#define ADD_0_HIGH \
	{ \
		0x91400000, 0xffc003ff \
	}
#define ADD_0_1_HIGH \
	{ \
		0x91400020, 0xffc003ff \
	}
#define ADD_0_1_0 \
	{ \
		0x8b000020, 0xffffffff \
	}
#define MOVZ_0_16 \
	{ \
		0xd2a00000, 0xffe0001f \
	}
#define MOVZ_0_32 \
	{ \
		0xd2c00000, 0xffe0001f \
	}
#define MOVK_0 \
	{ \
		0xf2800000, 0xffe0001f \
	}
#define MOVK_0_16 \
	{ \
		0xf2a00000, 0xffe0001f \
	}
#define MRS_0 \
	{ \
		0xd53bd040, 0xffffffff \
	}
#define MRS_1 \
	{ \
		0xd53bd041, 0xffffffff \
	}
/* Large code model: ldr x1,[REG,x0]; add x0,REG,x0 */
#define LDR_INDEXED \
	{ \
		0xf8606800, 0xfffffc00 \
	}
#define LDR_0_INDEXED \
	{ \
		0xf8606800, 0xfffffc1f \
	}
#define ADD_0_INDEXED \
	{ \
		0x8b000000, 0xfffffc1f \
	}

enum { RD = 0x1f, RD_RN = 0x3ff };

/*
 * What becomes of N instructions, the first of which has a relocation of that
 * type. SAME has the bits of the last one that stay: its registers.
 */
struct rewrite {
	uint16_t type;
	uint8_t n;
	struct insn_pattern before[4];
	struct insn_pattern after[4];
	uint32_t same;
	/* an addition becomes a copy of the register that it reads */
	bool copies;
};

/* clang-format off */
#define ADDITION(type, add)                              \
	{ type, 1, { add }, { NOP }, 0, true },          \
	{ type, 1, { add }, { ANY_MOV }, RD, true }

static const struct rewrite rewrites[] = {
	/* An address within 1 MiB (lld, mold), or not loaded from the GOT. */
	{ 275, 2, { ANY_ADRP, ANY_ADD }, { NOP, ANY_ADR }, RD },
	{ 311, 2, { ANY_ADRP, ANY_LDR }, { NOP, ANY_ADR }, RD },
	{ 312, 1, { ANY_LDR }, { ANY_ADD }, RD_RN },
	/*
	 * An addition of 0: the address ends in 000, or is in thread-local
	 * storage (GNU ld 2.47).
	 */
	ADDITION(277, ANY_ADD),
	ADDITION(528, ANY_ADD_HIGH),
	ADDITION(529, ANY_ADD),
	ADDITION(530, ANY_ADD),
	ADDITION(549, ANY_ADD_HIGH),
	ADDITION(550, ANY_ADD),
	ADDITION(551, ANY_ADD),
	/* Erratum 843419 of the Cortex-A53 (GNU ld, gold). */
	{ 275, 1, { ANY_ADRP }, { ANY_ADR }, RD },
	{ 276, 1, { ANY_ADRP }, { ANY_ADR }, RD },
	{ 311, 1, { ANY_ADRP }, { ANY_ADR }, RD },
	{ 541, 1, { ANY_ADRP }, { ANY_ADR }, RD },
	{ 562, 1, { ANY_ADRP }, { ANY_ADR }, RD },
	/* A call of a weak function that nothing defines (GNU ld, mold). */
	{ 282, 1, { ANY_B }, { NOP }, 0 },
	{ 283, 1, { ANY_BL }, { NOP }, 0 },
	/* Thread-local storage: descriptors to initial and local exec. */
	{ 560, 1, { ANY_LITERAL }, { MOVZ_0_16 }, 0 },
	{ 560, 1, { ANY_LITERAL }, { LITERAL_0 }, 0 },
	{ 561, 1, { ADR_0 }, { MOVK_0 }, 0 },
	{ 561, 1, { ADR_0 }, { NOP }, 0 },
	{ 562, 1, { ADRP_0 }, { MOVZ_0_16 }, 0 },
	{ 563, 1, { LDR_FROM_0 }, { MOVK_0 }, 0 },
	{ 563, 1, { LDR_FROM_0 }, { LDR_0 }, 0 },
	{ 564, 1, { ADD_0 }, { NOP }, 0 },
	{ 565, 1, { MOVZ_0_16 }, { MOVZ_0_32 }, 0 },
	{ 566, 1, { MOVK_0 }, { MOVK_0_16 }, 0 },
	{ 567, 1, { LDR_INDEXED }, { MOVK_0 }, 0 },
	{ 567, 1, { LDR_INDEXED }, { LDR_0_INDEXED }, RD_RN & ~RD },
	{ 568, 1, { ADD_0_INDEXED }, { NOP }, 0 },
	{ 569, 1, { ANY_BLR }, { NOP }, 0 },
	/* The same, as mold 3 does it. */
	{ 562, 4, { ADRP_0, LDR_FROM_0, ADD_0, ANY_BLR },
	  { NOP, NOP, MOVZ_0_16, MOVK_0 }, 0 },
	{ 562, 4, { ADRP_0, LDR_FROM_0, ADD_0, ANY_BLR },
	  { NOP, NOP, ADRP_0, LDR_0 }, 0 },
	/* Initial to local exec. */
	{ 541, 1, { ANY_ADRP }, { ANY_MOVZ_16 }, RD },
	{ 542, 1, { ANY_LDR }, { ANY_MOVK }, RD },
	/* General dynamic to initial and local exec: GNU ld, then gold. */
	{ 513, 4, { ADRP_0, ADD_0, ANY_BL, NOP },
	  { ADRP_0, LDR_0, MRS_1, ADD_0_1_0 }, 0 },
	{ 513, 4, { ADRP_0, ADD_0, ANY_BL, NOP },
	  { MOVZ_0_16, MOVK_0, MRS_1, ADD_0_1_0 }, 0 },
	{ 513, 4, { ADRP_0, ADD_0, ANY_BL, NOP },
	  { MRS_0, ADD_0_HIGH, ADD_0, NOP }, 0 },
	{ 512, 3, { ADR_0, ANY_BL, NOP },
	  { LITERAL_0, MRS_1, ADD_0_1_0 }, 0 },
	{ 512, 3, { ADR_0, ANY_BL, NOP }, { MRS_1, ADD_0_1_HIGH, ADD_0 }, 0 },
	/* Local dynamic to local exec. */
	{ 518, 4, { ADRP_0, ADD_0, ANY_BL, NOP },
	  { MRS_0, ADD_0, NOP, NOP }, 0 },
	{ 517, 3, { ADR_0, ANY_BL, NOP }, { MRS_0, ADD_0, NOP }, 0 },
};
/* clang-format on */

/*
 * Does NEW, a NOP or mov, copy the register that OLD, an addition, reads to the
 * one that it writes? In an addition, register 31 is the stack pointer. In mov
 * it is zero.
 */
static bool is_copy(uint32_t old, uint32_t new)
{
	uint32_t to = old & RD, from = old >> 5 & RD;

	return new == AARCH64_NOP ? to == from
				  : from == (new >> 16 & RD) && from != 31;
}

static bool rewrite_fits(const struct rewrite *rw, const uint8_t *before,
			 const uint8_t *after)
{
	uint32_t old = 0, new = 0;

	for (unsigned i = 0; i < rw->n; i++) {
		old = insn_le32(before + 4 * i);
		new = insn_le32(after + 4 * i);
		if (!insn_matches(&rw->before[i], old) ||
		    !insn_matches(&rw->after[i], new))
			return false;
	}
	if (rw->copies && !is_copy(old, new))
		return false;
	return ((old ^ new) & rw->same) == 0;
}

bool aarch64_is_rewrite(const struct arch *arch, const uint8_t *before,
			const uint8_t *after, size_t size,
			const struct reloc *r, struct byte_range *range)
{
	(void)arch;
	for (size_t i = 0; i < sizeof(rewrites) / sizeof(rewrites[0]); i++) {
		const struct rewrite *rw = &rewrites[i];

		if (rw->type != r->type || r->offset > size ||
		    size - r->offset < 4u * rw->n ||
		    !rewrite_fits(rw, before + r->offset, after + r->offset))
			continue;
		range->start = r->offset;
		range->end = r->offset + 4u * rw->n;
		return true;
	}
	return false;
}

/* Types 282 and 283 are of b and bl. */
bool aarch64_is_for_nowhere(const struct arch *arch, const uint8_t *after,
			    const struct reloc *r)
{
	(void)arch;
	return (r->type == 282 || r->type == 283) &&
	       insn_le32(after) == AARCH64_NOP;
}

unsigned aarch64_rewrite_reach(const struct arch *arch, uint32_t type)
{
	unsigned n = 0;

	(void)arch;
	for (size_t i = 0; i < sizeof(rewrites) / sizeof(rewrites[0]); i++)
		if (rewrites[i].type == type && 4u * rewrites[i].n > n)
			n = 4u * rewrites[i].n;
	return n;
}
