/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which Power instructions can run elsewhere: Power ISA 3.1. */
#include <config.h>

#include <elf.h>

#include "insn.h"
#include "jump.h"

/* Opcodes of Power ISA 3.1, book I, appendix "Opcode maps". */
static const char *ppc_stays(uint32_t insn)
{
	unsigned xo = insn >> 1 & 0x3ff;

	switch (insn >> 26) {
	case 0:
		return "a trap";
	case 1:
		return "the first half of an instruction";
	case 2:
	case 3:
		return "a trap";
	case 16:
		return "a conditional branch";
	case 17:
		return "a system call";
	case 18:
		return insn & 1 ? "a call" : "a jump";
	case 19:
		switch (xo) {
		case 16:
		case 528:
		case 560:
			return "an indirect branch or return";
		case 18:
		case 38:
		case 50:
		case 51:
		case 82:
		case 274:
		case 370:
			return "a return from an interrupt, or the like";
		default:
			return NULL;
		}
	case 31:
		switch (xo) {
		case 4:
		case 68:
			return "a trap";
		case 146:
		case 178:
			return "a change of the machine's state";
		default:
			return NULL;
		}
	default:
		return NULL;
	}
}

/* lbarx, lharx, lwarx, ldarx, lqarx; and what stores by the reservation. */
static enum reservation reservation_of(const struct arch *arch,
				       const uint8_t *p)
{
	uint32_t insn = arch_insn(arch, p);

	if (insn >> 26 != 31)
		return RESERVES_NOT;
	switch (insn >> 1 & 0x3ff) {
	case 20:
	case 52:
	case 84:
	case 116:
	case 276:
		return RESERVES;
	case 150:
	case 182:
	case 214:
	case 694:
	case 726:
		return RESERVES_NO_MORE;
	default:
		return RESERVES_NOT;
	}
}

static bool ppc_decode(const struct arch *arch, const struct code *code,
		       uint64_t start, uint64_t offset, struct jump_insn *insn)
{
	uint32_t bits = arch_insn(arch, code->bytes + offset);

	*insn = (struct jump_insn){ .length = 4, .stays = ppc_stays(bits) };
	if (insn->stays == NULL && offset >= start + 4 &&
	    arch_insn(arch, code->bytes + offset - 4) >> 26 == 1)
		insn->stays = "the second half of an instruction";
	if (insn->stays == NULL &&
	    jump_is_reserved(arch, code, start, offset, 4, reservation_of))
		insn->stays = "between a reservation and its store";
	/* addpcis */
	if (bits >> 26 == 19 && (bits >> 1 & 0x1f) == 2) {
		insn->has_operand = true;
		insn->operand = code->addr + offset + 4;
	}
	return true;
}

const struct jump_isa jump_isa_ppc = {
	.machine = EM_PPC,
	.length = 4,
	.unit = 4,
	.is_single = true,
	.has_fixups = true,
	.decode = ppc_decode,
};

const struct jump_isa jump_isa_ppc64 = {
	.machine = EM_PPC64,
	.length = 4,
	.unit = 4,
	.is_single = true,
	.has_fixups = true,
	.decode = ppc_decode,
};
