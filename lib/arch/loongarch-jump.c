/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which LoongArch instructions can run elsewhere: LoongArch Reference Manual,
 * volume 1, chapters 2 and 4, and appendix B.
 */
#include <config.h>

#include "jump.h"
#include "loongarch.h"

/* ll.w, sc.w, ll.d, sc.d; sc.q; llacq and screl for w and d. */
static enum reservation reservation_of(const struct arch *arch,
				       const uint8_t *p)
{
	uint32_t insn = insn_le32(p);

	(void)arch;
	if (insn >> 26 == 0x08)
		return insn >> 24 & 1 ? RESERVES_NO_MORE : RESERVES;
	if (insn >> 15 == 0x70af)
		return insn >> 10 & 1 ? RESERVES_NO_MORE : RESERVES;
	return insn >> 15 == 0x70ae ? RESERVES_NO_MORE : RESERVES_NOT;
}

static const char *stays(uint32_t insn)
{
	if (insn >> 26 >= OP_BEQZ && insn >> 26 <= OP_BGEU)
		return insn >> 26 == OP_BL ? "a call" : "a branch or return";
	switch (insn >> 15) {
	case 0x02: /* asrtle.d, asrtgt.d */
	case 0x03:
	case 0x54: /* break, dbcl, syscall, hvcl */
	case 0x55:
	case 0x56:
	case 0x57:
	case 0x00: /* of all 0 none is */
		return insn >> 15 != 0 || insn == 0 ? "a trap" : NULL;
	default:
		break;
	}
	if (insn >> 24 == 0x04 || insn >> 24 == 0x06)
		return "a change of the machine's state";
	return NULL;
}

/*
 * A copy has the same result only if the instruction makes whole pages, or all
 * bits of the address.
 */
static void set_operand(uint32_t insn, uint64_t addr, struct jump_insn *result)
{
	int64_t distance = insn_sign_extend(insn >> 5 & 0xfffff, 20);

	result->has_operand = true;
	switch (insn >> 25) {
	case OP_PCADDI:
		result->operand = addr + distance * 4;
		result->is_fixable = true;
		break;
	case OP_PCALAU12I:
		result->operand = (addr & ~UINT64_C(0xfff)) + distance * 0x1000;
		result->is_fixable = true;
		break;
	case OP_PCADDU12I:
		result->operand = addr + distance * 0x1000;
		break;
	case OP_PCADDU18I:
		result->operand = addr + distance * 0x40000;
		break;
	default:
		result->has_operand = false;
		break;
	}
}

static bool loongarch_jump_decode(const struct arch *arch,
				  const struct code *code, uint64_t start,
				  uint64_t offset, struct jump_insn *insn)
{
	uint32_t word = insn_le32(code->bytes + offset);

	*insn = (struct jump_insn){ .length = 4, .stays = stays(word) };
	if (insn->stays == NULL &&
	    jump_is_reserved(arch, code, start, offset, 4, reservation_of))
		insn->stays = "in an exclusive access";
	set_operand(word, code->addr + offset, insn);
	/* A call of two words is one unit: nothing separates them. */
	if (code->size - offset >= 8 &&
	    loongarch_is_pair(word, insn_le32(code->bytes + offset + 4))) {
		insn->length = 8;
		insn->stays = "a call or jump of two words";
	}
	return true;
}

const struct jump_isa jump_isa_loongarch = {
	.machine = LA_MACHINE,
	.length = 4,
	.unit = 4,
	.is_single = true,
	.decode = loongarch_jump_decode,
};
