/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What GNU ld leaves where it moves ARM instructions away (bfd/elf32-arm.c): a
 * branch to a veneer that does the same, with a branch back behind it.
 */
#include <config.h>

#include <string.h>

#include "arm.h"

enum { SP = 13, PC = 15 };

/* --- Erratum of the VFP11 (--vfp11-denorm-fix) ------------------------- */

/*
 * If a VFP data-processing instruction has a condition, the branch to its
 * veneer has it, too.
 */
static bool is_vfp11(const struct arch *arch, const struct code *code,
		     struct detour *detour)
{
	const uint8_t *bytes = code->bytes + detour->start;
	struct mark mark = { 0, ARM };
	struct code arm = code_in_mode(code, &mark);
	struct branch there, back;
	uint32_t insn;

	if (!arm_decode_branch(arch, &arm, detour->start, &there) ||
	    there.form == FORM_CALL || there.target < code->addr ||
	    !arm_decode_jump(arch, code, there.target + 4, ARM, &back) ||
	    back.target != (uint32_t)(code->addr + detour->start + 4))
		return false;
	detour->copy = there.target - code->addr;
	insn = arch_insn(arch, code->bytes + detour->copy);
	return (insn & 0x0f000e10) == 0x0e000a00 &&
	       insn >> 28 == arch_insn(arch, bytes) >> 28;
}

/* --- bx for ARMv4 (--fix-v4bx-interworking) ---------------------------- */

static bool is_bx(uint32_t insn)
{
	return (insn & 0x0ffffff0) == 0x012fff10;
}

/* bx rN: b<cond> to tst rN,#1; moveq pc,rN; bx rN. Both go where rN says. */
static bool is_v4bx(const struct arch *arch, const struct code *before,
		    const struct code *after, uint64_t at, uint64_t there)
{
	struct mark mark = { 0, ARM };
	struct code arm = code_in_mode(after, &mark);
	struct branch branch;
	uint64_t offset;
	uint32_t insn, reg;
	const uint8_t *p;

	if (before->size - at < 4 ||
	    !arm_decode_branch(arch, &arm, there, &branch) ||
	    branch.form == FORM_CALL)
		return false;
	insn = arch_insn(arch, before->bytes + at);
	reg = insn & 15;
	offset = branch.target - after->addr;
	if (!is_bx(insn) || reg == PC ||
	    insn >> 28 != arch_insn(arch, after->bytes + there) >> 28 ||
	    offset > after->size || after->size - offset < 12)
		return false;
	p = after->bytes + offset;
	return arch_insn(arch, p) == (0xe3100001 | reg << 16) &&
	       arch_insn(arch, p + 4) == (0x01a0f000 | reg) &&
	       arch_insn(arch, p + 8) == (0xe12fff10 | reg);
}

/* --- Erratum 629360 of STM32L4xx (--fix-stm32l4xx-629360) -------------- */

/*
 * A load of many registers becomes several of at most eight words each, in one
 * of a dozen ways. This does not list them: it runs both forms on the contents
 * of registers, and compares the results. If a register is not restored as it
 * should be, they differ.
 */
struct value {
	uint8_t reg;   /* what the register REG held before, */
	bool is_load;  /* or the word that it pointed to, */
	int32_t bytes; /* so many bytes further */
};

struct registers {
	struct value core[16];
	struct value single[32]; /* a double is two of them */
};

static void start(struct registers *r)
{
	memset(r, 0, sizeof(*r));
	for (unsigned i = 0; i < 16; i++)
		r->core[i].reg = i;
	for (unsigned i = 0; i < 32; i++)
		r->single[i].reg = 16 + i;
}

static bool is_same(const struct value *a, const struct value *b, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (a[i].reg != b[i].reg || a[i].is_load != b[i].is_load ||
		    a[i].bytes != b[i].bytes)
			return false;
	return true;
}

static struct value word_at(struct value base, int32_t bytes)
{
	return (struct value){ base.reg, true, base.bytes + bytes };
}

/* ldm and ldmdb: registers of 4 bytes each, from the lowest address up. */
static bool run_ldm(struct registers *r, uint32_t insn)
{
	unsigned reg = insn >> 16 & 15, list = insn & 0xffff, n = 0;
	bool is_db = insn >> 24 & 1, writes = insn >> 21 & 1;
	struct value base = r->core[reg];
	int32_t from;

	for (unsigned i = 0; i < 16; i++)
		n += list >> i & 1;
	if (reg == PC || base.is_load || (list >> SP & 1) != 0 ||
	    list >> 14 == 3 || (writes && (list >> reg & 1) != 0))
		return false;
	from = is_db ? -4 * (int32_t)n : 0;
	for (unsigned i = 0, k = 0; i < 16; i++)
		if (list >> i & 1)
			r->core[i] = word_at(base, from + 4 * k++);
	if (writes)
		r->core[reg].bytes += is_db ? from : 4 * (int32_t)n;
	return true;
}

/* vldm, with or without !, and vldmdb, which always has it. */
static bool run_vldm(struct registers *r, uint32_t insn)
{
	unsigned reg = insn >> 16 & 15, n = insn & 0xff, first;
	unsigned how = insn_bits(insn, 23, 2, 1) | insn_bits(insn, 21, 1, 0);
	bool is_double = insn >> 8 & 1;
	struct value base = r->core[reg];
	int32_t from = how == 5 ? -4 * (int32_t)n : 0;

	first = is_double
			? insn_bits(insn, 12, 4, 1) | insn_bits(insn, 22, 1, 5)
			: insn_bits(insn, 12, 4, 1) | insn_bits(insn, 22, 1, 0);
	if ((how != 2 && how != 3 && how != 5) || reg == PC || base.is_load ||
	    first + n > 32 || n == 0 || (is_double && n % 2 != 0))
		return false;
	for (unsigned i = 0; i < n; i++)
		r->single[first + i] = word_at(base, from + 4 * i);
	if (how != 2)
		r->core[reg].bytes += how == 5 ? from : 4 * (int32_t)n;
	return true;
}

/* The instruction that the erratum is of. */
static bool run_load(struct registers *r, uint32_t insn)
{
	if ((insn & 0xffd02000) == 0xe8900000 ||
	    (insn & 0xffd02000) == 0xe9100000)
		return run_ldm(r, insn);
	return (insn & 0xfe100e00) == 0xec100a00 && run_vldm(r, insn);
}

/* mov RD,RM and sub.w RD,RN,#N, which leave the flags alone. */
static bool run_count(struct registers *r, uint32_t insn, bool is_wide)
{
	unsigned to = is_wide ? insn >> 8 & 15
			      : (insn & 7) | insn_bits(insn, 7, 1, 3);
	unsigned from = is_wide ? insn >> 16 & 15 : insn >> 3 & 15;

	if ((is_wide ? (insn & 0xfff0f000) != 0xf1a00000
		     : (insn & 0xff00) != 0x4600) ||
	    to > SP || from == PC || r->core[from].is_load)
		return false;
	r->core[to] = r->core[from];
	if (is_wide)
		r->core[to].bytes -= (int32_t)(insn & 0xff);
	return true;
}

#define STEPS_MAX 6 /* four loads of 32 words in all, a sub and a branch */

/*
 * Runs the veneer at ADDR until it goes back to BACK or has loaded the PC.
 * Returns the number of loads, or 0 if it is not such a veneer.
 */
static unsigned run_veneer(const struct arch *arch, const struct code *code,
			   uint64_t addr, uint64_t back, struct registers *r)
{
	unsigned nloads = 0;
	struct branch jump;

	start(r);
	for (unsigned i = 0; i < STEPS_MAX; i++) {
		uint64_t offset = addr - code->addr;
		const uint8_t *p;
		bool is_wide;

		if (offset > code->size || code->size - offset < 4)
			return 0;
		p = code->bytes + offset;
		if (arm_decode_jump(arch, code, addr, THUMB, &jump))
			return jump.target == back ? nloads : 0;
		is_wide = thumb_is_wide(thumb_half(arch, p));
		if (is_wide && run_load(r, thumb_insn(arch, p)))
			nloads++;
		else if (!run_count(r,
				    is_wide ? thumb_insn(arch, p)
					    : thumb_half(arch, p),
				    is_wide))
			return 0;
		if (r->core[PC].is_load)
			return nloads;
		addr += is_wide ? 4 : 2;
	}
	return 0;
}

static bool is_stm32l4xx(const struct arch *arch, const struct code *before,
			 const struct code *after, uint64_t at, uint64_t there)
{
	struct registers was, is;
	struct branch branch;
	uint64_t back = after->addr + there + 4;

	start(&was);
	return before->size - at >= 4 &&
	       arm_decode_jump(arch, after, after->addr + there, THUMB,
			       &branch) &&
	       run_load(&was, thumb_insn(arch, before->bytes + at)) &&
	       run_veneer(arch, after, branch.target, back, &is) > 0 &&
	       is_same(was.core, is.core, 16) &&
	       is_same(was.single, is.single, 32);
}

/* --- All of them ------------------------------------------------------- */

/* May the code at OFFSET be in MODE? */
static bool may_be_in(const struct code *code, uint64_t offset, uint8_t mode)
{
	uint8_t is = code_mode(code, offset);

	return is == mode || is == MODE_UNKNOWN;
}

bool arm_is_redirect(const struct arch *arch, const struct code *before,
		     const struct code *after, uint64_t offset,
		     struct redirect *redirect)
{
	uint64_t addr = before->addr + offset;
	uint64_t at = offset - addr % 4, there = addr - addr % 4 - after->addr;

	*redirect = (struct redirect){ at, 4, true };
	if (addr % 4 <= offset && may_be_in(after, there, ARM) &&
	    is_v4bx(arch, before, after, at, there))
		return true;
	there = addr - addr % 2 - after->addr;
	redirect->start = at = offset - addr % 2;
	if (addr % 2 <= offset && may_be_in(after, there, THUMB) &&
	    is_stm32l4xx(arch, before, after, at, there))
		return true;
	return arm_is_cortex_a8(arch, before, after, offset, redirect);
}

/* decode_detour also recognises a load of many registers. */
bool arm_may_redirect(const struct arch *arch, const struct code *before,
		      uint64_t offset)
{
	for (unsigned back = 0; back < 4 && back <= offset; back++) {
		uint64_t at = offset - back;

		if (before->size - at >= 4 &&
		    (is_bx(arch_insn(arch, before->bytes + at)) ||
		     /* a branch of Thumb, of four bytes */
		     thumb_insn(arch, before->bytes + at) >> 27 == 0x1e))
			return true;
	}
	return false;
}

bool arm_decode_detour(const struct arch *arch, const struct code *code,
		       uint64_t offset, struct detour *detour)
{
	uint64_t addr = code->addr + offset;
	struct registers registers;
	struct branch branch;

	*detour = (struct detour){ .start = offset - addr % 4, .length = 4 };
	if (addr % 4 <= offset && may_be_in(code, detour->start, ARM) &&
	    is_vfp11(arch, code, detour))
		return true;
	detour->start = offset - addr % 2;
	detour->is_other = true;
	return addr % 2 <= offset && may_be_in(code, detour->start, THUMB) &&
	       arm_decode_jump(arch, code, code->addr + detour->start, THUMB,
			       &branch) &&
	       run_veneer(arch, code, branch.target,
			  code->addr + detour->start + 4, &registers) > 0;
}
