/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ARM: addresses that code computes from its own address, or from relocations.
 */
#include <config.h>

#include "reloc.h"
#include "arm.h"

/* The literals that code has loaded last. */
struct literals {
	uint64_t offset[16]; /* in the code; by register */
	bool is_set[16];
};

/* The place to which an instruction leads, and the field with the distance. */
struct formed {
	uint64_t target;
	uint64_t offset;
};

static bool add_literal(const struct arch *arch, const struct code *code,
			const struct literals *literals, unsigned reg,
			uint64_t pc, struct formed *formed)
{
	if (!literals->is_set[reg])
		return false;
	formed->offset = literals->offset[reg];
	formed->target =
		(uint32_t)(pc + arch_insn(arch, code->bytes + formed->offset));
	return true;
}

static void load_literal(const struct code *code, struct literals *literals,
			 unsigned reg, uint64_t addr)
{
	uint64_t offset = addr - code->addr;

	literals->is_set[reg] = code->size >= 4 && offset <= code->size - 4;
	literals->offset[reg] = offset;
}

/* ldr of a literal, then its addition to pc; or adr, which is add or sub. */
static bool follow_arm(const struct arch *arch, const struct code *code,
		       uint64_t offset, struct literals *literals,
		       struct formed *formed)
{
	uint32_t insn = arch_insn(arch, code->bytes + offset);
	uint64_t pc = code->addr + offset + 8;
	unsigned turn = insn >> 7 & 30;
	uint32_t value = insn & 0xff;

	if ((insn & 0x0f7f0000) == 0x051f0000) {
		value = insn & 0xfff;
		load_literal(code, literals, insn >> 12 & 15,
			     insn & 0x00800000 ? pc + value : pc - value);
		return false;
	}
	if ((insn & 0x0fff0ff0) == 0x008f0000)
		return add_literal(arch, code, literals, insn & 15, pc, formed);
	if ((insn & 0x0ff00fff) == 0x0080000f)
		return add_literal(arch, code, literals, insn >> 16 & 15, pc,
				   formed);
	if (turn != 0)
		value = value >> turn | value << (32 - turn);
	*formed = (struct formed){ (uint32_t)(pc + value), offset };
	if ((insn & 0x0fff0000) == 0x024f0000)
		formed->target = (uint32_t)(pc - value);
	else if ((insn & 0x0fff0000) != 0x028f0000)
		return false;
	return true;
}

static bool follow_thumb(const struct arch *arch, const struct code *code,
			 uint64_t offset, struct literals *literals,
			 struct formed *formed)
{
	uint32_t insn = thumb_half(arch, code->bytes + offset);
	uint64_t pc = code->addr + offset + 4, word = pc & ~UINT64_C(3);
	uint32_t value;

	*formed = (struct formed){ word + (insn & 0xff) * 4, offset };
	if ((insn & 0xf800) == 0xa000) /* adr */
		return true;
	if ((insn & 0xf800) == 0x4800) /* ldr */
		load_literal(code, literals, insn >> 8 & 7, formed->target);
	if ((insn & 0xff78) == 0x4478) /* add REG, pc */
		return add_literal(arch, code, literals,
				   (insn >> 4 & 8) | (insn & 7), pc, formed);
	if (!thumb_is_wide(insn) || code->size - offset < 4)
		return false;
	insn = thumb_insn(arch, code->bytes + offset);
	if ((insn & 0xff7f0000) == 0xf85f0000) {
		value = insn & 0xfff;
		load_literal(code, literals, insn >> 12 & 15,
			     insn & 0x00800000 ? word + value : word - value);
		return false;
	}
	value = insn_bits(insn, 26, 1, 11) | insn_bits(insn, 12, 3, 8) |
		(insn & 0xff);
	if ((insn & 0xfbff8000) == 0xf20f0000)
		formed->target = word + value;
	else if ((insn & 0xfbff8000) == 0xf2af0000)
		formed->target = word - value;
	else
		return false;
	return true;
}

void arm_each_address(const struct arch *arch, const struct code *code,
		      uint64_t low, uint64_t high,
		      void (*found)(void *ctx, uint64_t offset,
				    uint64_t target),
		      void *ctx)
{
	struct literals literals = { 0 };
	uint64_t step;

	for (uint64_t i = 0; i + 2 <= code->size; i += step) {
		uint8_t mode = code_mode(code, i);
		struct formed formed;
		bool is_formed;

		step = 2;
		if (mode == THUMB) {
			is_formed =
				follow_thumb(arch, code, i, &literals, &formed);
			if (thumb_is_wide(thumb_half(arch, code->bytes + i)))
				step = 4;
		} else if (mode == ARM && code->size - i >= 4) {
			is_formed =
				follow_arm(arch, code, i, &literals, &formed);
			step = 4;
		} else {
			continue;
		}
		formed.target &= ~UINT64_C(1);
		if (is_formed && formed.target >= low && formed.target <= high)
			found(ctx, formed.offset, formed.target);
	}
}

/*
 * REL: the addend is in the instruction, less the distance by which the PC is
 * ahead.
 */
int64_t arm_reloc_lead(const struct arch *arch, const uint8_t *field,
		       const struct reloc *r, uint64_t *step)
{
	uint32_t insn;

	(void)step;
	switch (r->type) {
	case 1:	 /* PC24 */
	case 27: /* PLT32 */
	case 28: /* CALL */
	case 29: /* JUMP24 */
		return reloc_sum(r,
				 arm_branch_distance(arch_insn(arch, field)));
	case 10: /* THM_CALL */
	case 30: /* THM_JUMP24 */
		return reloc_sum(
			r, thumb_branch_distance(thumb_insn(arch, field)));
	case 51: /* THM_JUMP19 */
		return reloc_sum(r,
				 thumb_cond_distance(thumb_insn(arch, field)));
	case 43: /* MOVW_ABS_NC */
	case 44: /* MOVT_ABS: its addend is that of movw */
	case 45: /* MOVW_PREL_NC */
	case 46: /* MOVT_PREL */
		insn = arch_insn(arch, field);
		return reloc_sum(
			r, insn_sign_extend(insn_bits(insn, 16, 4, 12) |
						    (insn & 0xfff),
					    16));
	case 47: /* THM_MOVW_ABS_NC */
	case 48: /* THM_MOVT_ABS */
	case 49: /* THM_MOVW_PREL_NC */
	case 50: /* THM_MOVT_PREL */
		insn = thumb_insn(arch, field);
		return reloc_sum(
			r, insn_sign_extend(insn_bits(insn, 16, 4, 12) |
						    insn_bits(insn, 26, 1, 11) |
						    insn_bits(insn, 12, 3, 8) |
						    (insn & 0xff),
					    16));
	default:
		break;
	}
	if (arch_reloc_width(arch, r->type) != 4)
		return r->addend;
	return reloc_sum(r, (int32_t)arch_insn(arch, field));
}
