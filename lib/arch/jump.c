/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machines of --check-jump, and those of them with words for instructions.
 */
#include <config.h>

#include <elf.h>

#include "insn.h"
#include "jump.h"

static uint32_t word(bool is_big_endian, const uint8_t *p)
{
	return is_big_endian ? insn_be32(p) : insn_le32(p);
}

/* --- AArch64, whose instructions are little-endian always ---------------- */

#define EXCLUSIVE_REACH 16 /* instructions between a load and its store */

/* C4.1 of the ARM ARM (DDI 0487), "Loads and stores", exclusive. */
static bool is_exclusive(uint32_t insn)
{
	return (insn & 0x3f800000) == 0x08000000;
}

/* An access between exclusive ones may end what they are there for. */
static bool is_in_exclusive(const struct code *code, uint64_t start,
			    uint64_t offset)
{
	if (is_exclusive(insn_le32(code->bytes + offset)))
		return true;
	for (unsigned i = 1; i <= EXCLUSIVE_REACH; i++) {
		uint32_t insn;

		if (offset < start + 4 * i)
			return false;
		insn = insn_le32(code->bytes + offset - 4 * i);
		if (is_exclusive(insn))
			return insn >> 22 & 1; /* a load */
	}
	return false;
}

static const char *aarch64_stays(uint32_t insn)
{
	if ((insn & 0x7c000000) == 0x14000000)
		return insn >> 31 ? "a call" : "a jump";
	if ((insn & 0xff000000) == 0x54000000 ||
	    (insn & 0x7c000000) == 0x34000000)
		return "a conditional jump";
	if ((insn & 0xfe000000) == 0xd6000000)
		return "an indirect branch or return";
	if ((insn & 0xff000000) == 0xd4000000)
		return "a trap";
	if ((insn & 0xffff0000) == 0)
		return "a trap"; /* udf */
	return NULL;
}

static bool aarch64_decode(const struct arch *arch, const struct code *code,
			   uint64_t start, uint64_t offset,
			   struct jump_insn *insn)
{
	uint32_t word = insn_le32(code->bytes + offset);

	(void)arch;
	*insn = (struct jump_insn){ .length = 4, .stays = aarch64_stays(word) };
	/* bti, paciasp, pacibsp */
	insn->is_landing = (word & 0xffffff3f) == 0xd503241f ||
			   (word & 0xffffffbf) == 0xd503233f;
	if (insn->stays == NULL && is_in_exclusive(code, start, offset))
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

static const struct jump_isa jump_isa_aarch64 = {
	.machine = EM_AARCH64,
	.length = 4,
	.is_fixed = true,
	.has_marks = true,
	.decode = aarch64_decode,
};

/* --- Power ---------------------------------------------------------------- */

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
static bool is_reservation(uint32_t insn, bool *is_load)
{
	unsigned xo = insn >> 1 & 0x3ff;

	*is_load = xo == 52 || xo == 116 || xo == 20 || xo == 84 || xo == 276;
	return insn >> 26 == 31 && (*is_load || xo == 694 || xo == 726 ||
				    xo == 150 || xo == 214 || xo == 182);
}

static bool is_in_reservation(const struct arch *arch, const struct code *code,
			      uint64_t start, uint64_t offset)
{
	bool is_load;

	for (unsigned i = 0; i <= EXCLUSIVE_REACH; i++) {
		if (offset < start + 4 * i)
			return false;
		if (is_reservation(word(arch->is_big_endian,
					code->bytes + offset - 4 * i),
				   &is_load))
			return i == 0 || is_load;
	}
	return false;
}

static bool ppc_decode(const struct arch *arch, const struct code *code,
		       uint64_t start, uint64_t offset, struct jump_insn *insn)
{
	uint32_t bits = word(arch->is_big_endian, code->bytes + offset);

	*insn = (struct jump_insn){ .length = 4, .stays = ppc_stays(bits) };
	if (insn->stays == NULL && offset >= start + 4 &&
	    word(arch->is_big_endian, code->bytes + offset - 4) >> 26 == 1)
		insn->stays = "the second half of an instruction";
	if (insn->stays == NULL && is_in_reservation(arch, code, start, offset))
		insn->stays = "between a reservation and its store";
	/* addpcis */
	if (bits >> 26 == 19 && (bits >> 1 & 0x1f) == 2) {
		insn->has_operand = true;
		insn->operand = code->addr + offset + 4;
	}
	return true;
}

static const struct jump_isa jump_isa_ppc = {
	.machine = EM_PPC,
	.length = 4,
	.is_fixed = true,
	.has_fixups = true,
	.decode = ppc_decode,
};

static const struct jump_isa jump_isa_ppc64 = {
	.machine = EM_PPC64,
	.length = 4,
	.is_fixed = true,
	.has_fixups = true,
	.decode = ppc_decode,
};

/* --- All ------------------------------------------------------------------ */

const struct jump_isa *jump_isa_find(const struct arch *arch)
{
	static const struct jump_isa *const isas[] = {
		&jump_isa_aarch64, &jump_isa_i386,   &jump_isa_ppc,
		&jump_isa_ppc64,   &jump_isa_x86_64,
	};

	for (size_t i = 0; i < sizeof(isas) / sizeof(isas[0]); i++)
		if (isas[i]->machine == arch->machine)
			return isas[i];
	return NULL;
}

const char *jump_isa_names(void)
{
	return "aarch64, i386, Power, x32 and x86_64";
}
