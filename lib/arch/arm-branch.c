/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verify: ARM's branches, and what linkers make of them. */
#include <config.h>

#include <elf.h>

#include "reloc.h"
#include "arm.h"
#include "branch-search.h"

/*
 * Relocation types whose instruction a linker may rewrite. Some <elf.h> lack a
 * few.
 */
enum {
	R_PC24 = 1,
	R_THM_CALL = 10,
	R_PLT32 = 27,
	R_CALL = 28,
	R_JUMP24 = 29,
	R_THM_JUMP24 = 30,
	R_V4BX = 40,
	R_THM_ALU_PREL_11_0 = 53,
	R_ALU_PC_G0_NC = 57,
	R_ALU_PC_G2 = 61,
	R_ALU_SB_G0_NC = 70,
	R_ALU_SB_G2 = 74,
	R_TLS_CALL = 91,
	R_THM_TLS_CALL = 93,
};

static bool is_blx(uint32_t insn)
{
	return insn >> 25 == 0x7d;
}

/* b, bl, with a condition or without, and blx. */
static bool decode_arm(const struct arch *arch, const struct code *code,
		       uint64_t offset, struct branch *branch)
{
	uint64_t addr = code->addr + offset;
	uint32_t insn;

	if (addr % 4 != 0 || offset > code->size || code->size - offset < 4)
		return false;
	insn = arch_insn(arch, code->bytes + offset);
	*branch = (struct branch){ .length = 4, .mode = ARM };
	if (is_blx(insn)) {
		branch->form = FORM_CALL;
		branch->target_mode = THUMB;
		addr += insn_bits(insn, 24, 1, 1);
	} else if (insn >> 28 != ARM_NEVER && (insn >> 25 & 7) == 5) {
		branch->form = insn & 1u << 24		  ? FORM_CALL
			       : insn >> 28 == ARM_ALWAYS ? FORM_TAIL
							  : FORM_COND;
	} else {
		return false;
	}
	branch->target = (uint32_t)(addr + arm_branch_distance(insn));
	return true;
}

/* bl, blx, b.w and b.w with a condition. */
static bool decode_thumb(const struct arch *arch, const struct code *code,
			 uint64_t offset, struct branch *branch)
{
	uint64_t addr = code->addr + offset;
	int64_t distance;
	uint32_t insn;

	if (addr % 2 != 0 || offset > code->size || code->size - offset < 4)
		return false;
	insn = thumb_insn(arch, code->bytes + offset);
	if (insn >> 27 != 0x1e)
		return false;
	*branch = (struct branch){ .length = 4,
				   .mode = THUMB,
				   .target_mode = THUMB };
	distance = thumb_branch_distance(insn);
	switch (insn & 0xd000) {
	case 0xd000:
		branch->form = FORM_CALL;
		break;
	case 0xc000: /* blx counts from the word that it is in */
		if (insn & 1)
			return false;
		branch->form = FORM_CALL;
		branch->target_mode = ARM;
		addr &= ~(uint64_t)3;
		break;
	case 0x9000:
		branch->form = FORM_TAIL;
		break;
	case 0x8000:
		if ((insn >> 22 & 15) >= ARM_ALWAYS)
			return false;
		branch->form = FORM_COND;
		distance = thumb_cond_distance(insn);
		break;
	default:
		return false;
	}
	branch->target = (uint32_t)(addr + distance);
	return true;
}

/*
 * b.n, with or without a condition, cbz and cbnz. They lead only to neighbours.
 */
static bool decode_short(const struct arch *arch, const struct code *code,
			 uint64_t offset, struct branch *branch)
{
	uint64_t addr = code->addr + offset + 4;
	uint32_t insn;

	if (addr % 2 != 0 || offset > code->size || code->size - offset < 2)
		return false;
	insn = thumb_half(arch, code->bytes + offset);
	*branch = (struct branch){ .form = FORM_COND,
				   .length = 2,
				   .mode = THUMB,
				   .target_mode = THUMB };
	if (insn >> 11 == 0x1c) {
		branch->form = FORM_TAIL;
		addr += insn_sign_extend(insn << 1, 12);
	} else if (insn >> 12 == 0xd && (insn >> 8 & 15) < ARM_ALWAYS) {
		addr += insn_sign_extend(insn << 1, 9);
	} else if ((insn & 0xf500) == 0xb100) {
		addr += insn_bits(insn, 9, 1, 6) | insn_bits(insn, 3, 5, 1);
	} else {
		return false;
	}
	branch->target = (uint32_t)addr;
	return true;
}

bool arm_decode_branch(const struct arch *arch, const struct code *code,
		       uint64_t offset, struct branch *branch)
{
	uint8_t mode = code_mode(code, offset);
	struct branch thumb;
	bool is_arm, is_thumb;

	if (mode == ARM)
		return decode_arm(arch, code, offset, branch);
	if (mode == THUMB)
		return decode_thumb(arch, code, offset, branch);
	is_arm = decode_arm(arch, code, offset, branch);
	is_thumb = decode_thumb(arch, code, offset, &thumb);
	if (is_thumb)
		*branch = thumb;
	return is_arm != is_thumb;
}

/* All in [START, END), where the mode is MODE. */
static void search_range(const struct branch_search *s, uint64_t start,
			 uint64_t end, uint8_t mode)
{
	for (uint64_t i = start + (s->code->addr + start) % 2; i < end;
	     i += 2) {
		if (mode != THUMB)
			judge_branch(s, i, decode_arm);
		if (mode != ARM)
			judge_branch(s, i, decode_thumb);
		if (mode != ARM && mode != MODE_DATA)
			judge_branch(s, i, decode_short);
	}
}

/*
 * Bytes that are marked as data are read in both modes, since the mark may be
 * wrong. Short branches are left out: every other constant reads as one, and so
 * does the padding of lld's PLT.
 */
void arm_each_branch(const struct arch *arch, const struct code *code,
		     uint64_t low, uint64_t high,
		     void (*found)(void *ctx, uint64_t offset,
				   const struct branch *branch),
		     void *ctx)
{
	struct branch_search search = {
		arch, code, low, high, found, NULL, ctx
	};
	uint64_t at = 0;
	uint8_t mode = MODE_UNKNOWN;

	for (size_t i = 0; i < code->nmarks && at < code->size; i++) {
		uint64_t next = code->marks[i].offset;

		if (next > code->size)
			break;
		search_range(&search, at, next, mode);
		at = next;
		mode = code->marks[i].mode;
	}
	search_range(&search, at, code->size, mode);
}

bool arm_is_boundary(const struct arch *arch, const struct code *code,
		     uint64_t start, uint64_t offset)
{
	uint8_t mode = code_mode(code, offset);

	if (mode != ARM && mode != THUMB)
		return true;
	/* A mapping symbol is at an instruction. */
	for (size_t i = 0; i < code->nmarks; i++)
		if (code->marks[i].offset <= offset &&
		    code->marks[i].offset > start)
			start = code->marks[i].offset;
	while (start < offset && code->size - start >= 2)
		start += mode == ARM || thumb_is_wide(thumb_half(
						arch, code->bytes + start))
				 ? 4
				 : 2;
	return start == offset;
}

/* bx, mov pc and add pc; pop {pc}, bkpt, udf and svc. */
static bool goes_on_2(uint32_t insn)
{
	return (insn & 0xff80) != 0x4700 && (insn & 0xff87) != 0x4687 &&
	       (insn & 0xff87) != 0x4487 && (insn & 0xff00) != 0xbd00 &&
	       (insn & 0xff00) != 0xbe00 && (insn & 0xfe00) != 0xde00;
}

/* ldm and pop with pc, rfe; ldr pc; tbb and tbh; subs pc, bxj and udf. */
static bool goes_on_4(uint32_t insn)
{
	return (insn & 0xfe108000) != 0xe8108000 &&
	       (insn & 0xff70f000) != 0xf850f000 &&
	       (insn & 0xfff000e0) != 0xe8d00000 &&
	       (insn & 0xffe0d000) != 0xf3c08000 &&
	       (insn & 0xfff0f000) != 0xf7f0a000;
}

/* Only Thumb's are not all of one length. */
bool arm_step(const struct arch *arch, const struct code *code, uint64_t offset,
	      struct step *step)
{
	size_t left = offset <= code->size ? code->size - offset : 0;
	const uint8_t *p = code->bytes + offset;
	struct branch branch = { 0 };
	bool is_wide;

	if (left < 2 || code_mode(code, offset) != THUMB)
		return false;
	is_wide = thumb_is_wide(thumb_half(arch, p));
	if (is_wide && left < 4)
		return false;
	*step = (struct step){ .length = is_wide ? 4 : 2 };
	step->goes_on = is_wide ? goes_on_4(thumb_insn(arch, p))
				: goes_on_2(thumb_half(arch, p));
	step->has_target = is_wide ? decode_thumb(arch, code, offset, &branch)
				   : decode_short(arch, code, offset, &branch);
	if (!step->has_target)
		return true;
	step->target = branch.target;
	step->is_call = branch.form == FORM_CALL;
	step->goes_on = branch.form != FORM_TAIL;
	return true;
}

/* Thumb's bx lr, mov pc,lr and pop {pc}; pop.w with pc, and ldr pc from it. */
bool arm_is_return(const struct arch *arch, const struct code *code,
		   uint64_t offset)
{
	const uint8_t *p = code->bytes + offset;
	uint32_t half = thumb_half(arch, p), insn;

	if (!thumb_is_wide(half))
		return half == 0x4770 || half == 0x46f7 ||
		       (half & 0xff00) == 0xbd00;
	insn = thumb_insn(arch, p);
	return (insn & 0xffff8000) == 0xe8bd8000 || insn == 0xf85dfb04;
}

/* lld fills gaps between sections with bmi.n .-84, maybe behind a NOP. */
uint64_t arm_padding_end(const struct arch *arch, const struct code *code,
			 uint64_t start, uint64_t end)
{
	uint64_t at = start;

	if (end - at >= 2 && thumb_half(arch, code->bytes + at) == 0xbf00)
		at += 2;
	while (end - at >= 2 && thumb_half(arch, code->bytes + at) == 0xd4d4)
		at += 2;
	return at;
}

/* --- Rewrites ---------------------------------------------------------- */

/* mov r0,r0 or nop, for a call of a weak function that nothing defines. */
static bool is_arm_nop(uint32_t insn)
{
	return insn == 0xe1a00000 || insn == 0xe320f000;
}

static bool is_arm_rewrite(uint32_t before, uint32_t after)
{
	bool was_bl = before >> 24 == 0xeb, is_bl = after >> 24 == 0xeb;

	if ((was_bl && is_blx(after)) || (is_blx(before) && is_bl))
		return true;
	/* blx to the other half of a word. */
	if (is_blx(before) && is_blx(after))
		return true;
	return (was_bl || is_blx(before)) && is_arm_nop(after);
}

/* The same for a branch, and for a call with a condition, which it keeps. */
static bool is_arm_jump_rewrite(uint32_t before, uint32_t after)
{
	uint32_t condition = before & 0xf0000000;

	return (before & 0x0e000000) == 0x0a000000 && !is_blx(before) &&
	       (after & 0xf0000000) == condition &&
	       is_arm_nop((after & 0x0fffffff) | 0xe0000000);
}

/* nop.w, or b .+4 and nop where there is none. */
static bool is_thumb_nop(uint32_t insn)
{
	return insn == 0xf3af8000 || insn == 0xe000bf00;
}

static bool is_thumb_rewrite(uint32_t before, uint32_t after)
{
	bool was_bl = (before & 0xf800d000) == 0xf000d000;
	bool was_blx = (before & 0xf800d000) == 0xf000c000;

	if (was_bl && (after & 0xf800d001) == 0xf000c000)
		return true;
	if (was_blx && (after & 0xf800d000) == 0xf000d000)
		return true;
	return (was_bl || was_blx) && is_thumb_nop(after);
}

static bool is_thumb_jump_rewrite(uint32_t before, uint32_t after)
{
	return (before & 0xf800d000) == 0xf0009000 && is_thumb_nop(after);
}

/* bx rN, for cores that have none: mov pc,rN */
static bool is_v4bx_rewrite(uint32_t before, uint32_t after)
{
	return (before & 0x0ffffff0) == 0x012fff10 &&
	       after == ((before & 0xf000000f) | 0x01a0f000);
}

/*
 * The call of a TLS descriptor is removed if the variable's offset is known
 * (local exec). If the loader sets it (initial exec), it becomes ldr
 * r0,[pc,r0].
 */
static bool is_arm_tls_rewrite(uint32_t before, uint32_t after)
{
	return is_arm_rewrite(before, after) ||
	       (before >> 24 == 0xeb && after == 0xe79f0000);
}

/* mov r8,r8 twice if there is no nop.w; add r0,pc and ldr r0,[r0] */
static bool is_thumb_tls_rewrite(uint32_t before, uint32_t after)
{
	bool was_bl = (before & 0xf800d000) == 0xf000d000;

	return is_thumb_rewrite(before, after) ||
	       (was_bl && (after == 0x46c046c0 || after == 0x44786800));
}

static bool is_alu_group(uint32_t type)
{
	return (type >= R_ALU_PC_G0_NC && type <= R_ALU_PC_G2) ||
	       (type >= R_ALU_SB_G0_NC && type <= R_ALU_SB_G2);
}

/* add or sub of an immediate, by the sign */
static bool is_arm_add_rewrite(uint32_t before, uint32_t after)
{
	uint32_t operation = after & 0x01e00000;

	return ((before ^ after) & ~0x00c00fffu) == 0 &&
	       (operation == 0x00800000 || operation == 0x00400000);
}

/* adr.w, which adds or subtracts */
static bool is_thumb_adr_rewrite(uint32_t before, uint32_t after)
{
	uint32_t operation = after & 0x00a00000;

	return ((before ^ after) & ~0x04a070ffu) == 0 &&
	       (operation == 0 || operation == 0x00a00000);
}

bool arm_is_rewrite(const struct arch *arch, const uint8_t *before,
		    const uint8_t *after, size_t size, const struct reloc *r,
		    struct byte_range *range)
{
	const uint8_t *from = before + r->offset, *to = after + r->offset;

	if (r->offset > size || size - r->offset < 4)
		return false;
	*range = (struct byte_range){ r->offset, r->offset + 4 };
	switch (r->type) {
	case R_PC24:
	case R_PLT32:
	case R_CALL:
		return is_arm_rewrite(arch_insn(arch, from),
				      arch_insn(arch, to));
	case R_JUMP24:
		return is_arm_jump_rewrite(arch_insn(arch, from),
					   arch_insn(arch, to));
	case R_THM_CALL:
		return is_thumb_rewrite(thumb_insn(arch, from),
					thumb_insn(arch, to));
	case R_THM_JUMP24:
		return is_thumb_jump_rewrite(thumb_insn(arch, from),
					     thumb_insn(arch, to));
	case R_TLS_CALL:
		return is_arm_tls_rewrite(arch_insn(arch, from),
					  arch_insn(arch, to));
	case R_THM_TLS_CALL:
		return is_thumb_tls_rewrite(thumb_insn(arch, from),
					    thumb_insn(arch, to));
	case R_V4BX:
		return is_v4bx_rewrite(arch_insn(arch, from),
				       arch_insn(arch, to));
	case R_THM_ALU_PREL_11_0:
		return is_thumb_adr_rewrite(thumb_insn(arch, from),
					    thumb_insn(arch, to));
	default:
		return is_alu_group(r->type) &&
		       is_arm_add_rewrite(arch_insn(arch, from),
					  arch_insn(arch, to));
	}
}

bool arm_is_for_nowhere(const struct arch *arch, const uint8_t *after,
			const struct reloc *r)
{
	switch (r->type) {
	case R_PC24:
	case R_PLT32:
	case R_CALL:
	case R_JUMP24:
		return is_arm_nop((arch_insn(arch, after) & 0x0fffffff) |
				  0xe0000000);
	case R_THM_CALL:
	case R_THM_JUMP24:
		return is_thumb_nop(thumb_insn(arch, after));
	default:
		return false;
	}
}

/* Bit 0 of the number is no number in blx. */
bool arm_judge_part(const struct arch *arch, const struct reloc *relocs,
		    size_t n, const struct code *before,
		    const struct code *after, struct rewrite_part *part)
{
	const struct reloc *r = &relocs[0];

	(void)n;
	*part = (struct rewrite_part){ 0 };
	return (r->type != R_THM_CALL && r->type != R_THM_TLS_CALL) ||
	       (thumb_insn(arch, code_became(before, after, r->offset)) &
		0xf800d001) != 0xf000c001;
}

bool arm_decode_jump(const struct arch *arch, const struct code *code,
		     uint64_t addr, uint8_t mode, struct branch *jump)
{
	return (mode == ARM ? decode_arm : decode_thumb)(
		       arch, code, addr - code->addr, jump) &&
	       jump->form == FORM_TAIL;
}

/*
 * sg; b.w NAME: how non-secure code enters a secure function (Arm v8-M Security
 * Extensions: Requirements on Development Tools; GNU ld and lld with
 * --cmse-implib).
 */
bool arm_decode_gateway(const struct arch *arch, const struct code *code,
			uint64_t offset, uint64_t *target)
{
	struct branch branch;

	if (offset > code->size || code->size - offset < 8 ||
	    thumb_insn(arch, code->bytes + offset) != 0xe97fe97f ||
	    !decode_thumb(arch, code, offset + 4, &branch) ||
	    branch.form != FORM_TAIL)
		return false;
	*target = branch.target;
	return true;
}

/* b<cond>.n to the second of two b.w. The first one goes to BACK. */
static bool is_cond_veneer(const struct arch *arch, const struct code *code,
			   uint64_t target, uint32_t cond, uint64_t back,
			   struct branch *last)
{
	struct branch first, next;

	return decode_short(arch, code, target - code->addr, &first) &&
	       thumb_half(arch, code->bytes + (target - code->addr)) >> 8 ==
		       (0xd0 | cond) &&
	       first.target == target + 6 &&
	       arm_decode_jump(arch, code, target + 2, THUMB, &next) &&
	       next.target == back &&
	       arm_decode_jump(arch, code, target + 6, THUMB, last);
}

/*
 * Erratum 657417 of the Cortex-A8: a branch whose halves are in two pages may
 * go to a wrong place. For one with a condition, GNU ld and gold make b.w to a
 * veneer. For other branches, and in other linkers, the distance changes.
 */
#define PAGE_SIZE 0x1000

bool arm_is_cortex_a8(const struct arch *arch, const struct code *before,
		      const struct code *after, uint64_t offset,
		      struct redirect *redirect)
{
	uint64_t addr = before->addr + offset;
	uint64_t start = ((addr + 2) & -(uint64_t)PAGE_SIZE) - 2;
	uint64_t at = start - before->addr, there = start - after->addr;
	uint8_t mode = code_mode(after, there);
	struct branch was, is, last;
	uint32_t cond;

	if (addr - start >= 4 || start < before->addr || mode == ARM ||
	    mode == MODE_DATA || !decode_thumb(arch, before, at, &was) ||
	    !decode_thumb(arch, after, there, &is))
		return false;
	cond = thumb_insn(arch, before->bytes + at) >> 22 & 15;
	if (is.form != was.form) {
		if (was.form != FORM_COND || is.form != FORM_TAIL ||
		    !is_cond_veneer(arch, after, is.target, cond, start + 4,
				    &last))
			return false;
	} else if ((was.form == FORM_COND &&
		    (thumb_insn(arch, after->bytes + there) >> 22 & 15) !=
			    cond) ||
		   !arm_decode_jump(arch, after, is.target, is.target_mode,
				    &last)) {
		return false;
	}
	*redirect = (struct redirect){
		.start = at,
		.length = 4,
		.is_same = last.target == was.target &&
			   last.target_mode == was.target_mode,
	};
	return true;
}
