/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which AArch64 instructions can run elsewhere: ARM ARM (DDI 0487), chapter C4.
 * Instructions are always little-endian.
 */
#include <config.h>

#include <elf.h>

#include "insn.h"
#include "jump.h"

/* C4.1 of the ARM ARM (DDI 0487), "Loads and stores", exclusive. */
static enum reservation reservation_of(const struct arch *arch,
				       const uint8_t *p)
{
	uint32_t insn = insn_le32(p);

	(void)arch;
	if ((insn & 0x3f800000) != 0x08000000)
		return RESERVES_NOT;
	return insn >> 22 & 1 ? RESERVES : RESERVES_NO_MORE;
}

/*
 * Of FEAT_MOPS, cpyfp, cpyfm and cpyfe, and those of cpy, set, setg and setgo:
 * where a thread goes on at a processor of another kind, a kernel sets it back
 * to the first of the three, 4 or 8 bytes before.
 */
static bool is_of_three(uint32_t insn)
{
	return (insn & 0xfb200c00) == 0x19000400 ||
	       (insn & 0xffe00c00) == 0x1dc00000;
}

/* movprfx, with a predicate or without: a part of what is behind it. */
static bool is_prefix(uint32_t insn)
{
	return (insn & 0xfffffc00) == 0x0420bc00 ||
	       (insn & 0xff3ee000) == 0x04102000;
}

static const char *aarch64_stays(uint32_t insn)
{
	if ((insn & 0x7c000000) == 0x14000000)
		return insn >> 31 ? "a call" : "a jump";
	if ((insn & 0xff000000) == 0x54000000 ||
	    (insn & 0x3c000000) == 0x34000000)
		return "a conditional jump"; /* cb of FEAT_CMPBR, too */
	if ((insn & 0xfe000000) == 0xd6000000)
		return "an indirect branch or return";
	if ((insn & 0xff000000) == 0xd4000000)
		return "a trap";
	if ((insn & 0xffff0000) == 0)
		return "a trap"; /* udf */
	/* FEAT_PAuth_LR: pacm; retaasppc; autiasppc; paciasppc and others */
	if (insn == 0xd50324ff || (insn & 0xff000000) == 0x55000000 ||
	    (insn & 0xff800000) == 0xf3800000 ||
	    (insn & 0xffff8000) == 0xdac18000)
		return "its address is part of a signature";
	if (is_of_three(insn))
		return "one of three that stay together";
	return is_prefix(insn) ? "a prefix of the next instruction" : NULL;
}

static bool aarch64_decode(const struct arch *arch, const struct code *code,
			   uint64_t start, uint64_t offset,
			   struct jump_insn *insn)
{
	uint32_t word = insn_le32(code->bytes + offset);

	*insn = (struct jump_insn){ .length = 4, .stays = aarch64_stays(word) };
	/* bti, paciasp, pacibsp */
	insn->is_landing = (word & 0xffffff3f) == 0xd503241f ||
			   (word & 0xffffffbf) == 0xd503233f;
	if (insn->stays == NULL && offset >= 4 &&
	    is_prefix(insn_le32(code->bytes + offset - 4)))
		insn->stays = "behind a prefix";
	if (insn->stays == NULL &&
	    jump_is_reserved(arch, code, start, offset, 4, reservation_of))
		insn->stays = "in an exclusive access";
	/* adr, adrp; ldr of a literal */
	if ((word & 0x1f000000) == 0x10000000 ||
	    (word & 0x3b000000) == 0x18000000) {
		uint64_t addr = code->addr + offset;
		int64_t distance = insn_sign_extend(word >> 5 & 0x7ffff, 19) *
				   4;

		insn->has_operand = true;
		insn->is_fixable = true;
		if ((word & 0x1f000000) == 0x10000000)
			distance += word >> 29 & 3;
		insn->operand = addr + distance;
		if ((word & 0x9f000000) == 0x90000000)
			insn->operand =
				(addr & ~UINT64_C(0xfff)) +
				insn_sign_extend(word >> 5 & 0x7ffff, 19) *
					0x4000 +
				(word >> 29 & 3) * 0x1000;
	}
	return true;
}

const struct jump_isa jump_isa_aarch64 = {
	.machine = EM_AARCH64,
	.length = 4,
	.unit = 4,
	.is_single = true,
	.has_marks = true,
	.decode = aarch64_decode,
};
