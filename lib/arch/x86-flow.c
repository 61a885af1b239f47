/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Walks from one instruction to the next: where control goes, and what is
 * padding.
 */
#include <config.h>

#include "x86.h"

/*
 * What INSN, at P, does to control. int3 is filler: behind
 * a return, it keeps processors from speculating. hlt, ud2 and the like are no
 * end: a handler may continue.
 */
static enum insn_flow flow_of(const uint8_t *p, const struct x86_insn *insn)
{
	size_t length = insn->length - insn->opcode;
	unsigned reg;

	p += insn->opcode;
	reg = length > 1 ? p[1] >> 3 & 7 : 0;
	if (insn->is_jmpabs)
		return FLOW_AWAY;
	if (insn->is_rex2_0f)
		return p[0] == 0x1f ? FLOW_FILLER : FLOW_ON;
	switch (p[0]) {
	case 0x90: /* nop */
	case 0xcc: /* int3 */
		return FLOW_FILLER;
	case 0x0f:
		return length > 1 && p[1] == 0x1f ? FLOW_FILLER : FLOW_ON;
	case 0xc2: /* ret */
	case 0xc3:
	case 0xe9: /* jmp */
	case 0xeb:
		return FLOW_AWAY;
	case 0xff: /* jmp through a register or memory */
		return reg == 4 || reg == 5 ? FLOW_AWAY : FLOW_ON;
	default:
		return FLOW_ON;
	}
}

uint64_t x86_find_end(const struct arch *arch, const struct code *code,
		      uint64_t start, uint64_t end)
{
	bool is_64 = x86_is_long_mode(arch);
	uint64_t found = NO_END;

	if (end > code->size)
		return NO_END;
	while (start < end) {
		const uint8_t *p = code->bytes + start;
		struct x86_insn insn;
		enum insn_flow flow;

		if (!x86_insn_parse(p, end - start, is_64, &insn))
			return NO_END;
		flow = flow_of(p, &insn);
		start += insn.length;
		if (flow != FLOW_FILLER)
			found = flow == FLOW_AWAY ? start : NO_END;
	}
	return found;
}

/* Behind 0f: syscall returns, sysret, sysexit, ud and rsm do not. */
static bool is_trap_0f(uint8_t opcode)
{
	return opcode == 0x07 || opcode == 0x0b || opcode == 0x35 ||
	       opcode == 0xaa || opcode == 0xb9 || opcode == 0xff;
}

/*
 * Traps, and others behind which nothing is certain: a handler may skip bytes.
 */
static bool is_trap(const uint8_t *p, const struct x86_insn *insn)
{
	p += insn->opcode;
	if (insn->is_rex2_0f)
		return is_trap_0f(p[0]);
	switch (p[0]) {
	case 0x0f:
		return insn->length - insn->opcode > 1 && is_trap_0f(p[1]);
	case 0xca: /* lret */
	case 0xcb:
	case 0xcc: /* int3, int, into */
	case 0xcd:
	case 0xce:
	case 0xcf: /* iret */
	case 0xd6: /* udb, which was salc */
	case 0xea: /* ljmp */
	case 0xf1: /* int1 */
	case 0xf4: /* hlt */
		return true;
	default:
		return false;
	}
}

bool x86_step(const struct arch *arch, const struct code *code, uint64_t offset,
	      struct step *step)
{
	bool is_64 = x86_is_long_mode(arch), is_narrow = false;
	const uint8_t *p = code->bytes + offset;
	struct branch branch = { 0 };
	struct x86_insn insn;
	unsigned n = 0;

	if (!x86_insn_parse(p, code->size - offset, is_64, &insn))
		return false;
	step->length = insn.length;
	for (; n + 1 < step->length && x86_is_prefix(p[n], is_64); n++)
		is_narrow |= p[n] == X86_PREFIX_OPERAND && !is_64;
	step->nprefixes = n;
	step->has_target =
		x86_decode_branch(arch, code, offset + n, &branch) ||
		(step->length - n == 6 &&
		 x86_decode_begin(arch, code, offset + n, &branch)) ||
		(step->length - n == 2 &&
		 x86_decode_short(arch, code, offset + n, &branch));
	step->target = branch.target;
	step->is_call = step->has_target && branch.form == FORM_CALL;
	step->goes_on = flow_of(p, &insn) != FLOW_AWAY && !is_trap(p, &insn);
	if (insn.is_jmpabs) {
		step->has_target = true;
		step->target = x86_read_u64(p + step->length - 8);
	}
	/* The target of a branch of 16 bits is another. */
	if (step->has_target && is_narrow)
		step->has_target = step->goes_on = false;
	return true;
}

bool x86_is_return(const struct arch *arch, const struct code *code,
		   uint64_t offset)
{
	const uint8_t *p = code->bytes + offset;
	struct x86_insn insn;

	return x86_insn_parse(p, code->size - offset, x86_is_long_mode(arch),
			      &insn) &&
	       !insn.is_rex2_0f &&
	       (p[insn.opcode] == 0xc2 || p[insn.opcode] == 0xc3);
}

/* lea 0(REG),REG, with a SIB byte or without; REG is not %esp. */
static bool is_lea_nop(const uint8_t *p, size_t length)
{
	unsigned mod = p[1] >> 6, reg = p[1] >> 3 & 7, base = p[1] & 7;
	size_t at = 2;

	if (p[0] != 0x8d || length < 3 || (mod != 1 && mod != 2))
		return false;
	if (base == 4) {
		base = p[2] & 7;
		at = 3;
	}
	if (base != reg || (at == 3 && (p[2] & 0x38) != 0x20))
		return false;
	for (; at < length; at++)
		if (p[at] != 0)
			return false;
	return true;
}

/* What assemblers for i386 use as a NOP, and int3. */
static bool is_filler(const uint8_t *p, const struct x86_insn *insn, bool is_64)
{
	size_t length = insn->length;

	if (flow_of(p, insn) == FLOW_FILLER)
		return true;
	while (length > 1 && (p[0] == 0x2e || p[0] == 0x3e))
		p++, length--;
	return !is_64 && length > 1 &&
	       (is_lea_nop(p, length) ||
		/* mov REG,REG */
		(p[0] == 0x89 && p[1] >= 0xc0 &&
		 (p[1] >> 3 & 7) == (p[1] & 7)));
}

static uint64_t filler_end(const struct code *code, uint64_t start,
			   uint64_t end, bool is_64)
{
	while (start < end) {
		const uint8_t *p = code->bytes + start;
		struct x86_insn insn;

		if (!x86_insn_parse(p, end - start, is_64, &insn) ||
		    !is_filler(p, &insn, is_64))
			break;
		start += insn.length;
	}
	return start;
}

/* Are the bytes [START, END) fillers, or all zero? */
static bool is_filled(const struct code *code, uint64_t start, uint64_t end,
		      bool is_64)
{
	if (filler_end(code, start, end, is_64) == end)
		return true;
	while (start < end && code->bytes[start] == 0)
		start++;
	return start == end;
}

/*
 * gas writes NOPs, which on i386 may contain short branches, or a jump over
 * many NOPs. gold writes a long jump over NOPs or zeros.
 */
uint64_t x86_padding_end(const struct arch *arch, const struct code *code,
			 uint64_t start, uint64_t end)
{
	bool is_64 = x86_is_long_mode(arch);
	uint64_t at = filler_end(code, start, end, is_64);
	uint64_t target, least;
	struct branch branch = { 0 };

	if (end - at < 2 ||
	    (!x86_decode_branch(arch, code, at, &branch) &&
	     !x86_decode_short(arch, code, at, &branch)) ||
	    branch.form != FORM_TAIL)
		return at;
	target = branch.target - code->addr;
	least = branch.length > 2 ? 16 : is_64 ? 64 : 15;
	if (target < at + branch.length || target > end || target - at < least)
		return at;
	return is_filled(code, at + branch.length, target, is_64) ? target : at;
}

/* An opcode behind its prefixes counts as a beginning, too. */
bool x86_is_boundary(const struct arch *arch, const struct code *code,
		     uint64_t start, uint64_t offset)
{
	while (start < offset) {
		size_t length = x86_insn_length(code->bytes + start,
						code->size - start,
						x86_is_long_mode(arch));

		if (length == 0)
			return true;
		while (length > 0 && start < offset &&
		       x86_is_prefix(code->bytes[start],
				     x86_is_long_mode(arch))) {
			start++;
			length--;
		}
		if (start == offset)
			return true;
		start += length;
	}
	return start == offset;
}
