/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ARM: addresses that code computes from its own address, or from relocations.
 */
#include <config.h>

#include "reloc.h"
#include "arm.h"

/* The constants that code has put into registers last. */
struct constants {
	uint32_t value[16];
	uint64_t offset[16]; /* of the field, in the code */
	bool is_set[16];
};

/* The place to which an instruction leads, and the field with the distance. */
struct formed {
	uint64_t target;
	uint64_t offset;
};

static bool add_constant(const struct constants *constants, unsigned reg,
			 uint64_t pc, struct formed *formed)
{
	formed->offset = constants->offset[reg];
	formed->target = (uint32_t)(pc + constants->value[reg]);
	return constants->is_set[reg];
}

static void set_constant(struct constants *constants, unsigned reg,
			 uint32_t value, uint64_t offset)
{
	constants->value[reg] = value;
	constants->offset[reg] = offset;
	constants->is_set[reg] = true;
}

/* ldr of a literal. */
static void load_literal(const struct arch *arch, const struct code *code,
			 struct constants *constants, unsigned reg,
			 uint64_t addr)
{
	uint64_t offset = addr - code->addr;

	constants->is_set[reg] = false;
	if (code->size >= 4 && offset <= code->size - 4)
		set_constant(constants, reg,
			     arch_insn(arch, code->bytes + offset), offset);
}

/* movw, or movt if IS_UPPER. */
static void move_half(struct constants *constants, unsigned reg, bool is_upper,
		      uint32_t half, uint64_t offset)
{
	uint32_t lower = constants->value[reg] & 0xffff;

	set_constant(constants, reg, is_upper ? half << 16 | lower : half,
		     offset);
}

static uint32_t arm_half_moved(uint32_t insn)
{
	return insn_bits(insn, 16, 4, 12) | (insn & 0xfff);
}

static uint32_t thumb_half_moved(uint32_t insn)
{
	return insn_bits(insn, 16, 4, 12) | insn_bits(insn, 26, 1, 11) |
	       insn_bits(insn, 12, 3, 8) | (insn & 0xff);
}

/* A constant, then its addition to pc; or adr, which is add or sub. */
static bool follow_arm(const struct arch *arch, const struct code *code,
		       uint64_t offset, struct constants *constants,
		       struct formed *formed)
{
	uint32_t insn = arch_insn(arch, code->bytes + offset);
	uint64_t pc = code->addr + offset + 8;
	unsigned turn = insn >> 7 & 30;
	uint32_t value = insn & 0xff;

	if ((insn & 0x0f7f0000) == 0x051f0000) {
		value = insn & 0xfff;
		load_literal(arch, code, constants, insn >> 12 & 15,
			     insn & 0x00800000 ? pc + value : pc - value);
		return false;
	}
	if ((insn & 0x0fb00000) == 0x03000000) {
		move_half(constants, insn >> 12 & 15, insn & 0x00400000,
			  arm_half_moved(insn), offset);
		return false;
	}
	if ((insn & 0x0fff0ff0) == 0x008f0000)
		return add_constant(constants, insn & 15, pc, formed);
	if ((insn & 0x0ff00fff) == 0x0080000f)
		return add_constant(constants, insn >> 16 & 15, pc, formed);
	if (turn != 0)
		value = value >> turn | value << (32 - turn);
	*formed = (struct formed){ (uint32_t)(pc + value), offset };
	if ((insn & 0x0fff0000) == 0x024f0000)
		formed->target = (uint32_t)(pc - value);
	else if ((insn & 0x0fff0000) != 0x028f0000)
		return false;
	return true;
}

static bool follow_wide(const struct arch *arch, const struct code *code,
			uint64_t offset, struct constants *constants,
			struct formed *formed)
{
	uint32_t insn = thumb_insn(arch, code->bytes + offset);
	uint64_t word = (code->addr + offset + 4) & ~UINT64_C(3);
	uint32_t half = thumb_half_moved(insn), value = insn & 0xfff;

	if ((insn & 0xff7f0000) == 0xf85f0000)
		load_literal(arch, code, constants, insn >> 12 & 15,
			     insn & 0x00800000 ? word + value : word - value);
	if ((insn & 0xfb708000) == 0xf2400000)
		move_half(constants, insn >> 8 & 15, insn & 0x00800000, half,
			  offset);
	value = half & 0xfff;
	*formed = (struct formed){ word + value, offset };
	if ((insn & 0xfbff8000) == 0xf2af0000) /* adr */
		formed->target = word - value;
	else if ((insn & 0xfbff8000) != 0xf20f0000)
		return false;
	return true;
}

static bool follow_thumb(const struct arch *arch, const struct code *code,
			 uint64_t offset, struct constants *constants,
			 struct formed *formed)
{
	uint32_t insn = thumb_half(arch, code->bytes + offset);
	uint64_t pc = code->addr + offset + 4;
	uint64_t target = (pc & ~UINT64_C(3)) + (insn & 0xff) * 4;

	if ((insn & 0xf800) == 0x4800) /* ldr */
		load_literal(arch, code, constants, insn >> 8 & 7, target);
	if ((insn & 0xff78) == 0x4478) /* add REG, pc */
		return add_constant(constants, (insn >> 4 & 8) | (insn & 7), pc,
				    formed);
	if (thumb_is_wide(insn))
		return code->size - offset >= 4 &&
		       follow_wide(arch, code, offset, constants, formed);
	*formed = (struct formed){ target, offset };
	return (insn & 0xf800) == 0xa000; /* adr */
}

struct address_search {
	const struct arch *arch;
	const struct code *code;
	uint64_t low, high;
	void (*found)(void *ctx, uint64_t offset, uint64_t target);
	void *ctx;
	struct constants arm, thumb;
};

static void judge_formed(const struct address_search *s,
			 const struct formed *formed)
{
	uint64_t target = formed->target & ~UINT64_C(1);

	if (target >= s->low && target <= s->high)
		s->found(s->ctx, formed->offset, target);
}

/*
 * Follows what is at OFFSET; in doubt in both modes, but for Thumb's adr in
 * data: many constants read as one. Returns how many bytes that is.
 */
static unsigned follow(struct address_search *s, uint64_t offset, uint8_t mode)
{
	uint64_t left = s->code->size - offset;
	uint32_t half = thumb_half(s->arch, s->code->bytes + offset);
	struct formed formed;

	if (mode != THUMB && left >= 4 && (mode == ARM || offset % 4 == 0) &&
	    follow_arm(s->arch, s->code, offset, &s->arm, &formed))
		judge_formed(s, &formed);
	if (mode != ARM && !(mode == MODE_DATA && (half & 0xf800) == 0xa000) &&
	    follow_thumb(s->arch, s->code, offset, &s->thumb, &formed))
		judge_formed(s, &formed);
	return mode == ARM || (mode == THUMB && thumb_is_wide(half)) ? 4 : 2;
}

void arm_each_address(const struct arch *arch, const struct code *code,
		      uint64_t low, uint64_t high,
		      void (*found)(void *ctx, uint64_t offset,
				    uint64_t target),
		      void *ctx)
{
	struct address_search s = { arch, code, low, high, found, ctx };

	for (uint64_t i = 0; i + 2 <= code->size;)
		i += follow(&s, i, code_mode(code, i));
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
		return reloc_sum(r, insn_sign_extend(arm_half_moved(insn), 16));
	case 47: /* THM_MOVW_ABS_NC */
	case 48: /* THM_MOVT_ABS */
	case 49: /* THM_MOVW_PREL_NC */
	case 50: /* THM_MOVT_PREL */
		insn = thumb_insn(arch, field);
		return reloc_sum(r,
				 insn_sign_extend(thumb_half_moved(insn), 16));
	default:
		break;
	}
	if (arch_reloc_width(arch, r->type) != 4)
		return r->addend;
	return reloc_sum(r, (int32_t)arch_insn(arch, field));
}
