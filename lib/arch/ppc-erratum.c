/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What GNU ld leaves at the end of a page with --ppc476-workaround
 * (bfd/elf32-ppc.c): a branch to the instruction, which it has moved to the end
 * of the section, with a branch back behind that. Branches without a condition
 * stay. Branches with one move, together with a longer branch if they need it.
 */
#include <config.h>

#include "ppc.h"

#define PAGE_SIZE 0x1000    /* or larger */
#define DISPLACEMENT 0xfffc /* of bc */

/* The last instruction of the page that contains OFFSET. */
static uint64_t find_last(const struct code *code, uint64_t offset)
{
	return ((code->addr + offset) | (PAGE_SIZE - 1)) - 3 - code->addr;
}

static bool fetch(const struct arch *arch, const struct code *code,
		  uint64_t offset, uint32_t *insn)
{
	if (offset > code->size || code->size - offset < 4)
		return false;
	*insn = arch_insn(arch, code->bytes + offset);
	return true;
}

/* b, from OFFSET to the offset *TARGET. */
static bool is_jump(const struct arch *arch, const struct code *code,
		    uint64_t offset, uint64_t *target)
{
	struct branch branch;
	uint32_t insn;

	if (!fetch(arch, code, offset, &insn) || ppc_opcode(insn) != OP_B ||
	    (insn & 3) != 0 ||
	    !arch->decode_branch(arch, code, offset, &branch))
		return false;
	*target = branch.target - code->addr;
	return true;
}

/* bc, that counts from itself. */
static bool is_bc(uint32_t insn)
{
	return ppc_opcode(insn) == OP_BC && (insn & 2) == 0;
}

bool ppc32_decode_detour(const struct arch *arch, const struct code *code,
			 uint64_t offset, struct detour *detour)
{
	uint64_t back;
	uint32_t insn;

	*detour = (struct detour){ .start = find_last(code, offset),
				   .length = 4 };
	if (offset < detour->start ||
	    !is_jump(arch, code, detour->start, &detour->copy) ||
	    !fetch(arch, code, detour->copy, &insn) ||
	    ppc_opcode(insn) == OP_B ||
	    !is_jump(arch, code, detour->copy + 4, &back))
		return false;
	detour->is_other = is_bc(insn);
	return back == detour->start + 4;
}

bool ppc32_is_redirect(const struct arch *arch, const struct code *before,
		       const struct code *after, uint64_t offset,
		       struct redirect *redirect)
{
	uint64_t at = find_last(before, offset);
	uint64_t base = before->addr - after->addr, target;
	struct detour detour = { 0 };
	struct branch was, is;
	uint32_t old, new;

	if (offset < at || !fetch(arch, before, at, &old) || !is_bc(old) ||
	    !ppc32_decode_detour(arch, after, base + at, &detour) ||
	    !fetch(arch, after, detour.copy, &new) || !is_bc(new) ||
	    ((old ^ new) & ~(uint32_t)DISPLACEMENT) != 0 ||
	    !arch->decode_branch(arch, before, at, &was) ||
	    !arch->decode_branch(arch, after, detour.copy, &is))
		return false;
	/* Over the way back to one to the target. */
	if ((new &DISPLACEMENT) == 8 &&
	    is_jump(arch, after, detour.copy + 8, &target))
		is.target = after->addr + target;
	*redirect = (struct redirect){
		.start = at,
		.length = 4,
		.is_same = is.target == was.target,
	};
	return true;
}
