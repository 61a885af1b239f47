/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The closed list of rewrites that linkers make in place, for SPARC. */
#include <config.h>

#include "reloc.h"
#include "sparc64.h"

/* Format 3 with two registers. */
#define F3(op, op3, rd, rs1, rs2) \
	((uint32_t)(op) << 30 | (uint32_t)(rd) << 25 | (uint32_t)(op3) << 19 | \
	 (uint32_t)(rs1) << 14 | (uint32_t)(rs2))

enum { OP3_ADD = 0x00, OP3_OR = 0x02, OP3_XOR = 0x03, OP3_LDX = 0x0b };

/* add %g7,%o0,%o0 */
#define TLS_ADD F3(2, OP3_ADD, REG_O0, REG_G7, REG_O0)

/* Is it `or A,B,RD`, with registers, and nothing else? */
static bool is_or(uint32_t insn, unsigned a, unsigned b, unsigned rd)
{
	return insn == F3(2, OP3_OR, rd, a, b);
}

/* ba,pt %xcc or ba, without the annul bit */
static bool is_branch_always(uint32_t insn)
{
	return (insn & 0xfff80000) == 0x10680000 ||
	       (insn & 0xffc00000) == 0x10800000;
}

/* Does the delay slot pass this function's own return address to the callee? */
static bool hands_on_return(uint32_t delay)
{
	bool is_restore = sparc_op(delay) == 2 && sparc_op3(delay) == 0x3d;
	unsigned reg = sparc_rs1(delay) | sparc_rs2(delay);

	return (is_restore && sparc_rd(delay) != REG_O7) ||
	       (reg != REG_O7 && reg != REG_G0 &&
		(is_or(delay, reg, REG_G0, REG_O7) ||
		 is_or(delay, REG_G0, reg, REG_O7)));
}

/*
 * ld --relax: a tail call to near code becomes a branch. If `or %o7,%g0,REG`
 * before it saved %o7, and `or REG,%g0,%o7` in the delay slot restores it, the
 * latter becomes a NOP. Returns the number of bytes that changed.
 */
static unsigned rewritten_call(const uint8_t *before, const uint8_t *after,
			       uint64_t offset, size_t size)
{
	uint32_t delay, now, reg;

	if (size - offset < 8)
		return 0;
	delay = insn_be32(before + offset + 4);
	now = insn_be32(after + offset + 4);
	reg = sparc_rs1(delay);
	if (sparc_op(insn_be32(before + offset)) != 1 ||
	    !is_branch_always(insn_be32(after + offset)) ||
	    !hands_on_return(delay))
		return 0;
	if (now == SPARC_NOP && is_or(delay, reg, REG_G0, REG_O7) &&
	    offset >= 4 &&
	    is_or(insn_be32(before + offset - 4), REG_O7, REG_G0, reg))
		return 8;
	return 4;
}

/* ldx [A + B],RD to add A,B,RD. If the symbol is 0, mold writes a NOP. */
static bool is_got_rewrite(uint32_t before, uint32_t after)
{
	unsigned rd = sparc_rd(before), a = sparc_rs1(before);
	unsigned b = sparc_rs2(before);

	return before == F3(3, OP3_LDX, rd, a, b) &&
	       (after == F3(2, OP3_ADD, rd, a, b) ||
		(after == SPARC_NOP && rd == b));
}

/*
 * add A,IMM,RD to xor A,IMM,RD. Then the relocation's field is the whole
 * immediate. gold leaves the add.
 */
static bool is_xor_rewrite(uint32_t before, uint32_t after)
{
	uint32_t kept = before & ~0x1fffu;

	return (before & 0xc1f82000) == 0x80002000 &&
	       ((after & ~0x1fffu) == (kept | OP3_XOR << 19) ||
		(after & ~0x1fffu) == kept);
}

/* add A,B,RD to add %g7,B,RD */
static bool is_tls_add_rewrite(uint32_t before, uint32_t after)
{
	unsigned rd = sparc_rd(before), b = sparc_rs2(before);

	return before == F3(2, OP3_ADD, rd, sparc_rs1(before), b) &&
	       after == F3(2, OP3_ADD, rd, REG_G7, b);
}

/* add A,B,RD, or a load or store of [A + B], to the same with %g7 for A */
static bool is_tls_base_rewrite(uint32_t before, uint32_t after)
{
	return sparc_op(before) >= 2 && !sparc_has_immediate(before) &&
	       sparc_rs1(after) == REG_G7 &&
	       ((before ^ after) & ~(31u << 14)) == 0;
}

/* add A,B,RD to ldx [A + B],RD */
static bool is_tls_load_rewrite(uint32_t before, uint32_t after)
{
	unsigned rd = sparc_rd(before), a = sparc_rs1(before);
	unsigned b = sparc_rs2(before);

	return before == F3(2, OP3_ADD, rd, a, b) &&
	       after == F3(3, OP3_LDX, rd, a, b);
}

/* ldx [A + B],RD to mov B,RD, or to a NOP if that is the same register. */
static bool is_tls_move_rewrite(uint32_t before, uint32_t after)
{
	unsigned rd = sparc_rd(before), b = sparc_rs2(before);

	return before == F3(3, OP3_LDX, rd, sparc_rs1(before), b) &&
	       after == (rd == b ? SPARC_NOP : F3(2, OP3_OR, rd, REG_G0, b));
}

/*
 * call __tls_get_addr and its delay slot become the instruction of the delay
 * slot and add %g7,%o0,%o0. In initial exec, an add in the delay slot becomes a
 * load.
 */
static bool is_tls_call_rewrite(const uint8_t *before, const uint8_t *after)
{
	uint32_t delay = insn_be32(before + 4), now = insn_be32(after);

	return sparc_op(insn_be32(before)) == 1 &&
	       insn_be32(after + 4) == TLS_ADD &&
	       (now == delay ||
		(sparc_rd(delay) == REG_O0 && is_tls_load_rewrite(delay, now)));
}

/* Thread-local storage: the word at the relocation. */
static bool is_word_rewrite(uint32_t type, uint32_t before, uint32_t after)
{
	switch (type) {
	case SPARC_GOTDATA_OP:
		return is_got_rewrite(before, after);
	case SPARC_TLS_GD_LO10:
	case SPARC_TLS_IE_LO10:
		return is_xor_rewrite(before, after);
	case SPARC_TLS_GD_ADD:
		return is_tls_add_rewrite(before, after) ||
		       is_tls_load_rewrite(before, after);
	case SPARC_TLS_GD_CALL:
		return sparc_op(before) == 1 && after == SPARC_NOP;
	case SPARC_TLS_LDM_HI22:
	case SPARC_TLS_LDM_LO10:
	case SPARC_TLS_LDM_ADD:
		return after == SPARC_NOP;
	case SPARC_TLS_LDM_CALL: /* mov %g0,%o0 */
		return sparc_op(before) == 1 &&
		       after == F3(2, OP3_OR, REG_O0, REG_G0, REG_G0);
	case SPARC_TLS_LDO_ADD:
		return is_tls_base_rewrite(before, after);
	case SPARC_TLS_IE_LDX:
		return is_tls_move_rewrite(before, after);
	default:
		return false;
	}
}

bool sparc64_is_rewrite(const struct arch *arch, const uint8_t *before,
			const uint8_t *after, size_t size,
			const struct reloc *r, struct byte_range *range)
{
	unsigned length = 4;

	(void)arch;
	if (r->offset % 4 != 0 || r->offset > size || size - r->offset < 4)
		return false;
	if (r->type == SPARC_WDISP30 || r->type == SPARC_WPLT30)
		length = rewritten_call(before, after, r->offset, size);
	else if (r->type == SPARC_TLS_GD_CALL && size - r->offset >= 8 &&
		 is_tls_call_rewrite(before + r->offset, after + r->offset))
		length = 8;
	else if (!is_word_rewrite(r->type, insn_be32(before + r->offset),
				  insn_be32(after + r->offset)))
		length = 0;
	*range = (struct byte_range){ r->offset, r->offset + length };
	return length > 0;
}
