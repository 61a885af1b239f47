/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ppc64: split stacks (-fsplit-stack of gcc). A function compares the lowest
 * stack pointer that it will have, in r12, with the limit in its thread's
 * block. If it calls code without split stacks, gold and lld lower r12 for
 * that, without a relocation (gold's powerpc.cc, do_calls_non_split; lld's
 * PPC64.cpp, adjustPrologueForCrossSplitStack).
 */
#include <config.h>

#include "ppc.h"

#define LOAD_LIMIT 0xe80d8fc0	 /* ld r0,-28736(r13) */
#define ADDIS_R12 0x3d810000	 /* addis r12,r1,HIGH */
#define ADDI_R12 0x39810000	 /* addi r12,r1,LOW */
#define ADD_LOW 0x398c0000	 /* addi r12,r12,LOW */
#define COMPARE 0x7fac0040	 /* cmpld cr7,r12,r0 */
#define BRANCH_MASK 0xff9f0003	 /* all but the hint and the distance */
#define BRANCH_LESS 0x419c0000	 /* blt cr7,FAR */
#define BRANCH_ENOUGH 0x409c0000 /* bge cr7,OVER */
#define MFLR 0x7c0802a6		 /* mflr r0 */
#define SAVE_LR 0xf8010010	 /* std r0,16(r1) */
#define CALL_MASK 0xfc000003
#define CALL 0x48000001 /* bl __morestack */

/* The prologue: a load, two instructions that set r12, and two that use it. */
enum { FIRST = 4, LENGTH = 8, PROLOGUE_SIZE = 20 };

static uint32_t insn_at(const struct arch *arch, const struct code *code,
			uint64_t offset)
{
	return arch_insn(arch, code->bytes + offset);
}

/* blt to a call of __morestack elsewhere, or bge over one. */
static bool branches_to_more(const struct arch *arch, const struct code *code,
			     uint64_t offset)
{
	uint32_t branch = insn_at(arch, code, offset) & BRANCH_MASK;

	return branch == BRANCH_LESS ||
	       (branch == BRANCH_ENOUGH && code->size - offset >= 16 &&
		insn_at(arch, code, offset + 4) == MFLR &&
		insn_at(arch, code, offset + 8) == SAVE_LR &&
		(insn_at(arch, code, offset + 12) & CALL_MASK) == CALL);
}

/* Sets *LOWEST to r12 less r1, if a prologue begins at OFFSET. */
static bool read_prologue(const struct arch *arch, const struct code *code,
			  uint64_t offset, int64_t *lowest)
{
	uint32_t first, second;

	if (offset > code->size || code->size - offset < PROLOGUE_SIZE ||
	    insn_at(arch, code, offset) != LOAD_LIMIT ||
	    insn_at(arch, code, offset + 12) != COMPARE ||
	    !branches_to_more(arch, code, offset + 16))
		return false;
	first = insn_at(arch, code, offset + 4);
	second = insn_at(arch, code, offset + 8);
	*lowest = insn_sign_extend(first & 0xffff, 16);
	if ((first & 0xffff0000) == ADDI_R12)
		return second == PPC_NOP;
	if ((first & 0xffff0000) != ADDIS_R12)
		return false;
	*lowest *= 65536;
	if (second == PPC_NOP)
		return true;
	*lowest += insn_sign_extend(second & 0xffff, 16);
	return (second & 0xffff0000) == ADD_LOW;
}

/* Is OFFSET where a prologue sets r12? Sets *START to that of the prologue. */
static bool find_prologue(const struct arch *arch, const struct code *code,
			  uint64_t offset, uint64_t *start, int64_t *lowest)
{
	for (uint64_t back = FIRST; back < FIRST + LENGTH; back += 4) {
		*start = (offset & ~(uint64_t)3) - back;
		if (offset >= back && read_prologue(arch, code, *start, lowest))
			return true;
	}
	return false;
}

bool ppc64_is_redirect(const struct arch *arch, const struct code *before,
		       const struct code *after, uint64_t offset,
		       struct redirect *redirect)
{
	uint64_t base = before->addr - after->addr, start;
	int64_t was, is;

	if (!find_prologue(arch, before, offset, &start, &was) ||
	    !read_prologue(arch, after, base + start, &is) || is >= was)
		return false;
	*redirect = (struct redirect){ .start = start + FIRST,
				       .length = LENGTH,
				       .is_same = true };
	return true;
}

bool ppc64_may_redirect(const struct arch *arch, const struct code *before,
			uint64_t offset)
{
	uint64_t start;
	int64_t lowest;

	return find_prologue(arch, before, offset, &start, &lowest);
}
