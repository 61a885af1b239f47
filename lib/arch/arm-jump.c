/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which A32 and Thumb instructions can run elsewhere: ARM ARM (DDI 0406),
 * chapters A5 and A6. The jump is b or b.w, of 4 bytes, so it does not fit a
 * Thumb instruction of 2 bytes. Any operand may be the PC. Mapping symbols give
 * the mode.
 */
#include <config.h>

#include <elf.h>

#include "arm.h"
#include "jump.h"

enum { PC = 15 };

static const char OPERAND_STAYS[] = "an operand that cannot be corrected";
static const char STATE_STAYS[] = "a change of the machine's state";
static const char BRANCH_STAYS[] = "a branch or return";

static unsigned field(uint32_t insn, unsigned low)
{
	return insn >> low & 15;
}

/* --- A32 ------------------------------------------------------------------ */

/* ldrex, strex and their widths; clrex. */
static enum reservation arm_reservation(const struct arch *arch,
					const uint8_t *p)
{
	uint32_t insn = arch_insn(arch, p);

	if (insn == 0xf57ff01f)
		return RESERVES_NO_MORE;
	if ((insn & 0x0f8000f0) != 0x01800090)
		return RESERVES_NOT;
	return insn >> 20 & 1 ? RESERVES : RESERVES_NO_MORE;
}

/* Without a condition: NEON, pld of a register, dmb, dsb and isb. */
static const char *arm_unconditional(uint32_t insn)
{
	if ((insn & 0xfe000000) == 0xf2000000 ||
	    (insn & 0xff100000) == 0xf4000000 ||
	    (insn & 0xfffffff0) == 0xf57ff040 ||
	    (insn & 0xfffffff0) == 0xf57ff050 ||
	    (insn & 0xfffffff0) == 0xf57ff060)
		return NULL;
	if ((insn & 0xff30f000) == 0xf510f000)
		return field(insn, 16) == PC ? OPERAND_STAYS : NULL;
	return STATE_STAYS;
}

/* Data processing, multiplication, loads of halves, and what is beside them. */
static const char *arm_data(uint32_t insn)
{
	bool has_immediate = insn >> 25 & 1;
	/* clz, which has ones where others have registers */
	if ((insn & 0x0fff0ff0) == 0x016f0f10)
		return NULL;
	/* movw, movt */
	if ((insn & 0x0fb00000) == 0x03000000)
		return field(insn, 12) == PC ? BRANCH_STAYS : NULL;
	/* nop and other hints */
	if ((insn & 0x0fffff00) == 0x0320f000)
		return NULL;
	/* msr; mrs, bx, blx, bkpt, smc, hvc, eret and others without flags */
	if ((insn & 0x0fb00000) == 0x03200000 ||
	    ((insn & 0x0f900000) == 0x01000000 &&
	     ((insn & 0xf0) == 0x00 || (insn & 0xf0) == 0x60 ||
	      (insn & 0x90) == 0x10)))
		return "a branch, a trap, or of the machine's state";
	if (field(insn, 12) == PC)
		return BRANCH_STAYS;
	if (field(insn, 16) == PC ||
	    (!has_immediate && (field(insn, 0) == PC ||
				((insn & 0x10) != 0 && field(insn, 8) == PC))))
		return OPERAND_STAYS;
	return NULL;
}

/* ldr and str; and the media instructions, which have no PC. */
static const char *arm_load(uint32_t insn)
{
	bool has_register = insn >> 25 & 1;

	if (has_register && (insn & 0x10) != 0)
		return (insn & 0x0ff000f0) == 0x07f000f0 ? "a trap" : NULL;
	if (field(insn, 12) == PC)
		return BRANCH_STAYS;
	return field(insn, 16) == PC || (has_register && field(insn, 0) == PC)
		       ? OPERAND_STAYS
		       : NULL;
}

/* In the bits that both modes share. The operand of vldr may be an address. */
static const char *coprocessor(uint32_t insn)
{
	bool is_float = (insn & 0xe00) == 0xa00;

	if ((insn & 0x02000000) == 0)
		return field(insn, 16) == PC ? OPERAND_STAYS
		       : is_float	     ? NULL
					     : STATE_STAYS;
	/* mrc reads */
	return is_float || (insn & 0x00100010) == 0x00100010 ? NULL
							     : STATE_STAYS;
}

static const char *arm_stays(uint32_t insn)
{
	if (insn >> 28 == ARM_NEVER)
		return arm_unconditional(insn);
	switch (insn >> 25 & 7) {
	case 0:
	case 1:
		return arm_data(insn);
	case 2:
	case 3:
		return arm_load(insn);
	case 4: /* ldm, stm; of the user's registers or with the PC */
		return field(insn, 16) == PC || (insn >> 22 & 1) != 0 ||
				       (insn >> 15 & 1) != 0
			       ? BRANCH_STAYS
			       : NULL;
	case 5:
		return BRANCH_STAYS;
	default:
		return (insn & 0x0f000000) == 0x0f000000 ? "a trap"
							 : coprocessor(insn);
	}
}

/* --- Thumb, of 32 bits ---------------------------------------------------- */

/* ldrex and strex; those of bytes, halves and two words beside ldaex. */
static enum reservation thumb_reservation(const struct arch *arch,
					  const uint8_t *p)
{
	uint32_t insn = thumb_insn(arch, p);

	if (insn >> 20 == 0xe85 || (insn >> 20 == 0xe8d && (insn & 0x40) != 0))
		return RESERVES;
	if (insn >> 20 == 0xe84 || (insn >> 20 == 0xe8c && (insn & 0x40) != 0))
		return RESERVES_NO_MORE;
	return RESERVES_NOT;
}

/* Branches, and beside them hints, barriers and mrs. */
static const char *thumb_control(uint32_t insn)
{
	return (insn & 0xffffff00) == 0xf3af8000 ||
			       (insn & 0xffffffc0) == 0xf3bf8f40
		       ? NULL
		       : "a branch, a trap, or of the machine's state";
}

/* ldm and stm, rfe and srs; ldrd and strd, tbb, exclusive ones. */
static const char *thumb_several(uint32_t insn)
{
	unsigned mode = insn >> 23 & 3;

	if ((insn & 0x00400000) == 0)
		return mode == 0 || mode == 3 || field(insn, 16) == PC ||
				       (insn >> 15 & 1) != 0
			       ? BRANCH_STAYS
			       : NULL;
	if ((insn & 0xfff0ffe0) == 0xe8d0f000)
		return BRANCH_STAYS;
	return field(insn, 16) == PC ? OPERAND_STAYS : NULL;
}

static const char *thumb_load(uint32_t insn)
{
	/* of words, to the PC */
	if ((insn & 0x00700000) == 0x00500000 && field(insn, 12) == PC)
		return BRANCH_STAYS;
	return field(insn, 16) == PC ? OPERAND_STAYS : NULL;
}

static const char *thumb_stays(uint32_t insn)
{
	if (insn >> 27 == 0x1e) { /* branches, immediates; adr */
		if ((insn & 0x8000) != 0)
			return thumb_control(insn);
		return (insn & 0xfb5f0000) == 0xf20f0000 ? OPERAND_STAYS : NULL;
	}
	if ((insn & 0xef000000) == 0xef000000) /* NEON */
		return NULL;
	if ((insn & 0xec000000) == 0xec000000)
		return coprocessor(insn);
	if (insn >> 25 == 0x74)
		return thumb_several(insn);
	if ((insn & 0xfff000f0) == 0xfb500010) /* bxaut */
		return BRANCH_STAYS;
	return insn >> 25 == 0x7c ? thumb_load(insn) : NULL;
}

/* bti, pacbti; sg, where code that is not secure enters. */
static bool is_landing(uint32_t insn)
{
	return insn == 0xf3af800f || insn == 0xf3af800d || insn == 0xe97fe97f;
}

/* Of vpst and vpt: which of the next four are in their block. */
static unsigned vector_block(uint32_t insn)
{
	return (insn & 0xef800f10) == 0xee000f00
		       ? (insn >> 19 & 8) | (insn >> 13 & 7)
		       : 0;
}

/* Is it in the block of a vpst or vpt before it? All there have 32 bits. */
static bool is_in_vector_block(const struct arch *arch, const struct code *code,
			       uint64_t start, uint64_t offset)
{
	for (unsigned i = 1; i <= 4 && offset - start >= 4 * i; i++) {
		unsigned mask = vector_block(
			thumb_insn(arch, code->bytes + offset - 4 * i));

		/* The lowest bit that is set marks the last one. */
		if ((mask & (0xf >> (i - 1))) != 0)
			return true;
	}
	return false;
}

/*
 * Is it in the block of an it before it? Only the last instruction of a block
 * may be a branch.
 */
static bool is_in_block(const struct arch *arch, const struct code *code,
			uint64_t start, uint64_t offset)
{
	for (unsigned back = 2; back <= 14 && offset - start >= back;
	     back += 2) {
		uint64_t at = offset - back;
		uint32_t half = thumb_half(arch, code->bytes + at);

		if (half >> 8 != 0xbf || (half & 15) == 0)
			continue;
		at += 2;
		/* The number of bits up to the lowest one that is set. */
		for (unsigned mask = half & 15; mask != 0;
		     mask = mask << 1 & 15) {
			if (at == offset)
				return true;
			at += thumb_is_wide(thumb_half(arch, code->bytes + at))
				      ? 4
				      : 2;
			if (at > offset)
				break;
		}
	}
	return false;
}

/* --- Both ----------------------------------------------------------------- */

static bool arm_jump_decode(const struct arch *arch, const struct code *code,
			    uint64_t start, uint64_t offset,
			    struct jump_insn *insn)
{
	const uint8_t *p = code->bytes + offset;
	uint8_t mode = code_mode(code, offset);
	size_t left = code->size - offset;

	if ((mode != ARM && mode != THUMB) || left < 2)
		return false;
	*insn = (struct jump_insn){ .length = 2 };
	if (mode == THUMB && !thumb_is_wide(thumb_half(arch, p)))
		return true;
	if (left < 4)
		return false;
	insn->length = 4;
	insn->stays = mode == ARM ? arm_stays(arch_insn(arch, p))
				  : thumb_stays(thumb_insn(arch, p));
	if (insn->stays == NULL && mode == THUMB &&
	    is_in_block(arch, code, start, offset))
		insn->stays = "in a block of it";
	if (insn->stays == NULL && mode == THUMB &&
	    is_in_vector_block(arch, code, start, offset))
		insn->stays = "in a block of vpst or vpt";
	insn->is_landing = mode == THUMB && is_landing(thumb_insn(arch, p));
	if (insn->stays == NULL &&
	    jump_is_reserved(arch, code, start, offset, mode == ARM ? 4 : 2,
			     mode == ARM ? arm_reservation : thumb_reservation))
		insn->stays = "between an exclusive load and its store";
	return true;
}

const struct jump_isa jump_isa_arm = {
	.machine = EM_ARM,
	.length = 4,
	.unit = 2,
	.is_single = true,
	.has_marks = true,
	.decode = arm_jump_decode,
};
