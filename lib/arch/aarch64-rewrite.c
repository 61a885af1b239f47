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
	struct insn_pattern before[5];
	struct insn_pattern after[5];
	uint32_t same;
	/* an addition becomes a copy of the register that it reads */
	bool copies;
	/* thread-local storage: which models it is a part of */
	uint8_t models;
};

/* The sequences that linkers rewrite whole, but not in one place. */
enum { KIND_DESCRIPTOR = 1, KIND_INITIAL = 2 };

/* clang-format off */
#define ADDITION(type, add)                              \
	{ type, 1, { add }, { NOP }, 0, true },          \
	{ type, 1, { add }, { ANY_MOV }, RD, true }

static const struct rewrite rewrites[] = {
	/*
	 * An address within 1 MiB (lld, mold), or not loaded from the GOT. See
	 * is_address.
	 */
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
	/* A call of a weak function that nothing defines (GNU ld, mold). */
	{ 282, 1, { ANY_B }, { NOP }, 0 },
	{ 283, 1, { ANY_BL }, { NOP }, 0 },
	/* Thread-local storage: descriptors to initial and local exec. */
	{ 560, 1, { ANY_LITERAL }, { MOVZ_0_16 }, 0, false, TLS_LOCAL },
	{ 560, 1, { ANY_LITERAL }, { LITERAL_0 }, 0, false, TLS_INITIAL },
	{ 561, 1, { ADR_0 }, { MOVK_0 }, 0, false, TLS_LOCAL },
	{ 561, 1, { ADR_0 }, { NOP }, 0, false, TLS_INITIAL },
	{ 562, 1, { ADRP_0 }, { MOVZ_0_16 }, 0, false, TLS_LOCAL },
	{ 563, 1, { LDR_FROM_0 }, { MOVK_0 }, 0, false, TLS_LOCAL },
	{ 563, 1, { LDR_FROM_0 }, { LDR_0 }, 0, false, TLS_INITIAL },
	{ 564, 1, { ADD_0 }, { NOP }, 0, false, TLS_INITIAL | TLS_LOCAL },
	{ 565, 1, { MOVZ_0_16 }, { MOVZ_0_32 }, 0, false, TLS_LOCAL },
	{ 566, 1, { MOVK_0 }, { MOVK_0_16 }, 0, false, TLS_LOCAL },
	{ 567, 1, { LDR_INDEXED }, { MOVK_0 }, 0, false, TLS_LOCAL },
	{ 567, 1, { LDR_INDEXED }, { LDR_0_INDEXED }, RD_RN & ~RD, false,
	  TLS_INITIAL },
	{ 568, 1, { ADD_0_INDEXED }, { NOP }, 0, false,
	  TLS_INITIAL | TLS_LOCAL },
	{ 569, 1, { ANY_BLR }, { NOP }, 0, false, TLS_INITIAL | TLS_LOCAL },
	/* The same, as mold 3 does it. */
	{ 562, 4, { ADRP_0, LDR_FROM_0, ADD_0, ANY_BLR },
	  { NOP, NOP, MOVZ_0_16, MOVK_0 }, 0, false, TLS_LOCAL },
	{ 562, 4, { ADRP_0, LDR_FROM_0, ADD_0, ANY_BLR },
	  { NOP, NOP, ADRP_0, LDR_0 }, 0, false, TLS_INITIAL },
	/* Initial to local exec. */
	{ 541, 1, { ANY_ADRP }, { ANY_MOVZ_16 }, RD, false, TLS_LOCAL },
	{ 542, 1, { ANY_LDR }, { ANY_MOVK }, RD, false, TLS_LOCAL },
	/* General dynamic to initial and local exec: GNU ld, then gold. */
	{ 513, 4, { ADRP_0, ADD_0, ANY_BL, NOP },
	  { ADRP_0, LDR_0, MRS_1, ADD_0_1_0 }, 0 },
	{ 513, 4, { ADRP_0, ADD_0, ANY_BL, NOP },
	  { MOVZ_0_16, MOVK_0, MRS_1, ADD_0_1_0 }, 0, false, TLS_LOCAL },
	{ 513, 4, { ADRP_0, ADD_0, ANY_BL, NOP },
	  { MRS_0, ADD_0_HIGH, ADD_0, NOP }, 0, false, TLS_LOCAL },
	{ 512, 3, { ADR_0, ANY_BL, NOP },
	  { LITERAL_0, MRS_1, ADD_0_1_0 }, 0 },
	{ 512, 3, { ADR_0, ANY_BL, NOP },
	  { MRS_1, ADD_0_1_HIGH, ADD_0 }, 0, false, TLS_LOCAL },
	/* The same in the large code model: local exec by GNU ld. */
	{ 515, 5, { MOVZ_0_16, MOVK_0, ADD_0_INDEXED, ANY_BL, NOP },
	  { MOVZ_0_32, MOVK_0_16, MOVK_0, MRS_1, ADD_0_1_0 }, 0, false,
	  TLS_LOCAL },
	/* Local dynamic to local exec: GNU ld, then gold. */
	{ 518, 4, { ADRP_0, ADD_0, ANY_BL, NOP },
	  { MRS_0, ADD_0, NOP, NOP }, 0, false, TLS_LOCAL },
	{ 518, 4, { ADRP_0, ADD_0, ANY_BL, NOP },
	  { MRS_0, ADD_0_HIGH, ADD_0, NOP }, 0, false, TLS_LOCAL },
	{ 517, 3, { ADR_0, ANY_BL, NOP },
	  { MRS_0, ADD_0, NOP }, 0, false, TLS_LOCAL },
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

/*
 * Do adrp and what follows leave nothing but an address in one register, which
 * both write and the second one reads?
 */
static bool is_address(const uint8_t *before)
{
	uint32_t first = insn_le32(before), second = insn_le32(before + 4);

	return (first & RD) == (second & RD) &&
	       (first & RD) == (second >> 5 & RD);
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
	if (rw->n == 2 && !is_address(before))
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

/*
 * adrp and the instruction behind it, whose relocation has that type, are one
 * address.
 */
static bool is_pair(const struct reloc *r, size_t n, uint32_t type)
{
	return n > 1 && r[1].offset == r->offset + 4 && r[1].type == type &&
	       r[1].symndx == r->symndx && r[1].addend == r->addend;
}

static bool is_tls(uint32_t type)
{
	return type >= 512 && type <= 573;
}

static unsigned kind_of(uint32_t type)
{
	if (type >= 560 && type <= 569)
		return KIND_DESCRIPTOR;
	return type == 541 || type == 542 ? KIND_INITIAL : 0;
}

/*
 * Is AFTER still the instruction BEFORE? adrp may have become adr: see
 * aarch64_is_redirect.
 */
static bool is_kept(const struct arch *arch, uint32_t type,
		    const uint8_t *before, const uint8_t *after)
{
	static const struct insn_pattern adrp = ANY_ADRP;
	uint32_t change = insn_le32(before) ^ insn_le32(after);

	for (unsigned i = 0; i < 4; i++)
		change &= ~((uint32_t)arch_reloc_bits(arch, type, i) << 8 * i);
	return change == 0 ||
	       (insn_matches(&adrp, insn_le32(before)) && change == 0x80000000);
}

/* What an instruction may be a part of that is as the compiler wrote it. */
static unsigned kept_models(uint32_t type)
{
	switch (type) {
	case 562:
	case 565:
	case 566:
		/* They address the GOT in initial exec, too. */
		return TLS_KEPT | TLS_INITIAL;
	default:
		return TLS_KEPT;
	}
}

static void find_models(const struct arch *arch, uint32_t type,
			const uint8_t *before, const uint8_t *after,
			size_t size, struct rewrite_part *part)
{
	if (is_kept(arch, type, before, after))
		part->ways = kept_models(type);
	for (size_t i = 0; i < sizeof(rewrites) / sizeof(rewrites[0]); i++) {
		const struct rewrite *rw = &rewrites[i];

		if (rw->type != type || rw->models == 0 || size < 4u * rw->n ||
		    !rewrite_fits(rw, before, after))
			continue;
		part->ways |= rw->models;
		part->length = 4 * rw->n;
	}
	/* A copy of it is elsewhere: see aarch64_decode_detour. */
	if (part->ways == 0)
		part->ways = TLS_KEPT;
}

bool aarch64_judge_part(const struct arch *arch, const struct reloc *relocs,
			size_t n, const struct code *before,
			const struct code *after, struct rewrite_part *part)
{
	const struct reloc *r = &relocs[0];
	const uint8_t *from = before->bytes + r->offset;
	const uint8_t *to = code_became(before, after, r->offset);

	*part = (struct rewrite_part){ .kind = kind_of(r->type),
				       .symndx = r->symndx };
	if (r->offset > before->size || before->size - r->offset < 4)
		return true;
	if (is_tls(r->type))
		find_models(arch, r->type, from, to, before->size - r->offset,
			    part);
	if (insn_le32(to) != AARCH64_NOP)
		return true;
	switch (r->type) {
	case 275:
		return is_pair(relocs, n, 277);
	case 311:
		return is_pair(relocs, n, 312);
	default:
		return true;
	}
}

/*
 * Erratum 843419 of the Cortex-A53: adrp in one of the last two words of a page
 * may give a wrong one. GNU ld and gold make it adr of that page if it is near.
 * Each adrp has a relocation, so that no hook may_redirect is needed.
 */
bool aarch64_is_redirect(const struct arch *arch, const struct code *before,
			 const struct code *after, uint64_t offset,
			 struct redirect *redirect)
{
	static const struct insn_pattern adrp = ANY_ADRP, adr = ANY_ADR;
	uint64_t addr = (before->addr + offset) & -(uint64_t)4;
	uint64_t at = addr - before->addr, there = addr - after->addr;
	uint32_t old, new;

	(void)arch;
	if (at > offset || before->size - at < 4 || (addr & 0xff8) != 0xff8)
		return false;
	old = insn_le32(before->bytes + at);
	new = insn_le32(after->bytes + there);
	/* The relocation is the evidence of the rest. */
	*redirect = (struct redirect){ at, 4, false };
	return insn_matches(&adrp, old) && insn_matches(&adr, new) &&
	       ((old ^ new) & RD) == 0 &&
	       ((addr + (new >> 29 & 3) + (new >> 3 & 0x1ffffc)) & 0xfff) == 0;
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
