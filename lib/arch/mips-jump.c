/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which MIPS instructions can run elsewhere: MIPS Architecture For Programmers,
 * volume II-A, all releases. The jump is j or b, which first runs the
 * instruction behind it. That must be a NOP. At a site it may be any: it ran
 * before the call, too.
 */
#include <config.h>

#include <elf.h>

#include "insn.h"
#include "jump.h"

/* The upper 6 bits. Release 6 has changed the meaning of some. */
enum {
	OP_SPECIAL = 0x00,
	OP_REGIMM = 0x01,
	OP_COP0 = 0x10,
	OP_COP1 = 0x11,
	OP_COP2 = 0x12,
	OP_COP3 = 0x13,
	OP_SPECIAL3 = 0x1f,
	OP_PCREL = 0x3b, /* release 6 */
};

/* ll, lld, sc, scd, and the same of release 6. */
static enum reservation reservation_of(const struct arch *arch,
				       const uint8_t *p)
{
	uint32_t insn = arch_insn(arch, p);

	switch (insn >> 26) {
	case 0x30:
	case 0x34:
		return RESERVES;
	case 0x38:
	case 0x3c:
		return RESERVES_NO_MORE;
	case OP_SPECIAL3:
		switch (insn & 63) {
		case 0x36:
		case 0x37:
			return RESERVES;
		case 0x26:
		case 0x27:
			return RESERVES_NO_MORE;
		default:
			return RESERVES_NOT;
		}
	default:
		return RESERVES_NOT;
	}
}

/* jr, jalr; all of REGIMM but its traps and synci; branches on a flag. */
static bool is_branch(uint32_t insn)
{
	unsigned rs = insn >> 21 & 31, rt = insn >> 16 & 31;

	switch (insn >> 26) {
	case OP_SPECIAL:
		return (insn & 0x3e) == 0x08;
	case OP_REGIMM:
		return (rt < 8 || rt > 14) && rt != 31;
	case OP_COP1: /* and those of MSA */
		if (rs == 11 || rs == 15 || rs >= 24)
			return true;
		/* fall through */
	case OP_COP2:
		return rs == 8 || rs == 9 || rs == 10 || rs == 13;
	case OP_COP3: /* of MIPS I and II */
		return rs == 8 && rt <= 3;
	case 0x02: /* j, jal, beq, bne, blez, bgtz */
	case 0x03:
	case 0x04:
	case 0x05:
	case 0x06:
	case 0x07:
	case 0x08: /* addi; release 6: beqc, bovc */
	case 0x14: /* beql, bnel, blezl, bgtzl */
	case 0x15:
	case 0x16:
	case 0x17:
	case 0x18: /* daddi; release 6: bnec, bnvc */
	case 0x1d: /* jalx */
	case 0x32: /* release 6: bc, beqzc, balc, bnezc; Octeon: bbit */
	case 0x36:
	case 0x3a:
	case 0x3e:
		return true;
	default:
		return false;
	}
}

static const char *stays(uint32_t insn)
{
	unsigned rs = insn >> 21 & 31, function = insn & 63;

	if (is_branch(insn))
		return "a branch";
	switch (insn >> 26) {
	case OP_SPECIAL:
		return function == 0x0c || function == 0x0d ||
				       function == 0x0e ||
				       (function >= 0x30 && function <= 0x36 &&
					function != 0x35)
			       ? "a trap"
			       : NULL;
	case OP_REGIMM:
		return "a trap"; /* or synci */
	case OP_COP0:		 /* but mfc0 and dmfc0 */
		return rs > 1 ? "a change of the machine's state" : NULL;
	case OP_PCREL:
		return "an operand that cannot be corrected";
	default:
		return NULL;
	}
}

static bool mips_jump_decode(const struct arch *arch, const struct code *code,
			     uint64_t start, uint64_t offset,
			     struct jump_insn *insn)
{
	const uint8_t *p = code->bytes + offset;

	*insn = (struct jump_insn){ .length = 4,
				    .stays = stays(arch_insn(arch, p)) };
	/* Whatever function the branch is in. */
	if (insn->stays == NULL && offset >= 4 &&
	    is_branch(arch_insn(arch, p - 4)))
		insn->stays = "in a delay slot";
	if (insn->stays == NULL &&
	    jump_is_reserved(arch, code, start, offset, 4, reservation_of))
		insn->stays = "between a reservation and its store";
	if (insn->stays == NULL &&
	    (code->size - offset < 8 || arch_insn(arch, p + 4) != 0))
		insn->stays = "no NOP behind it, for the jump's delay slot";
	return true;
}

const struct jump_isa jump_isa_mips = {
	.machine = EM_MIPS,
	.length = 4,
	.unit = 4,
	.is_single = true,
	.decode = mips_jump_decode,
};
