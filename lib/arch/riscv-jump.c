/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which RISC-V instructions can run elsewhere: The RISC-V Instruction Set
 * Manual, volumes I and II. The jump is jal of 4 bytes, which does not fit a
 * compressed instruction.
 */
#include <config.h>

#include <elf.h>

#include "jump.h"
#include "riscv.h"

enum { OP_AMO = 0x2f, OP_SYSTEM = 0x73 };

/* lr and sc, of w and d. */
static enum reservation reservation_of(const struct arch *arch,
				       const uint8_t *p)
{
	uint32_t insn = insn_le32(p);

	(void)arch;
	if ((insn & 0x7f) != OP_AMO)
		return RESERVES_NOT;
	switch (insn >> 27) {
	case 2:
		return RESERVES;
	case 3:
		return RESERVES_NO_MORE;
	default:
		return RESERVES_NOT;
	}
}

/* Reads of control registers, and changes of those for floats and vectors. */
static bool is_harmless(uint32_t insn)
{
	unsigned funct3 = insn >> 12 & 7, csr = insn >> 20;

	if (funct3 == 0 || funct3 == 4)
		return false;
	return csr < 0x010 || ((funct3 & 3) != 1 && riscv_rs1(insn) == 0);
}

static const char *stays(uint32_t insn)
{
	switch (insn & 0x7f) {
	case OP_JAL:
		return riscv_rd(insn) == REG_ZERO ? "a jump" : "a call";
	case OP_JALR:
		return "an indirect branch or return";
	case OP_BRANCH:
		return "a conditional jump";
	case OP_SYSTEM:
		return is_harmless(insn)
			       ? NULL
			       : "a trap, or a change of the machine's state";
	default:
		return NULL;
	}
}

/* auipc, and jalr by what it left. */
static bool is_pair(const struct code *code, uint64_t offset, uint32_t first)
{
	uint32_t second;

	if ((first & 0x7f) != OP_AUIPC || code->size - offset < 8)
		return false;
	second = insn_le32(code->bytes + offset + 4);
	return (second & 0x707f) == OP_JALR &&
	       riscv_rs1(second) == riscv_rd(first);
}

static bool riscv_jump_decode(const struct arch *arch, const struct code *code,
			      uint64_t start, uint64_t offset,
			      struct jump_insn *insn)
{
	struct step step;
	uint32_t word;

	if (!arch->step(arch, code, offset, &step))
		return false;
	*insn = (struct jump_insn){ .length = step.length };
	if (step.length == 2)
		return insn_le16(code->bytes + offset) != 0;
	word = insn_le32(code->bytes + offset);
	insn->stays = stays(word);
	if (insn->stays == NULL &&
	    jump_is_reserved(arch, code, start, offset, 2, reservation_of))
		insn->stays = "between a reservation and its store";
	if ((word & 0x7f) == OP_AUIPC) {
		insn->is_landing = riscv_rd(word) == REG_ZERO; /* lpad */
		insn->has_operand = true;
		insn->operand = code->addr + offset +
				insn_sign_extend(word & MASK_U, 32);
	}
	if (is_pair(code, offset, word)) {
		insn->length = 8;
		insn->stays = "a call or jump of two words";
	}
	return true;
}

const struct jump_isa jump_isa_riscv = {
	.machine = EM_RISCV,
	.length = 4,
	.unit = 2,
	.is_single = true,
	.has_marks = true,
	.decode = riscv_jump_decode,
};
