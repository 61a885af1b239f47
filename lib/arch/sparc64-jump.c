/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which SPARC instructions can run elsewhere: The SPARC Architecture Manual,
 * version 9, appendix A. The jump is ba,a, which does not run the instruction
 * behind it. At a site it is ba: the instruction behind it runs as it did
 * behind the call.
 */
#include <config.h>

#include <elf.h>

#include "jump.h"
#include "sparc64.h"

/* Of op 2, by op3. */
enum {
	OP3_RD = 0x28,
	OP3_WR = 0x30,
	OP3_SAVED = 0x31,
	OP3_WRPR = 0x32,
	OP3_WRHPR = 0x33,
	OP3_JMPL = 0x38,
	OP3_RETURN = 0x39,
	OP3_TCC = 0x3a,
	OP3_DONE = 0x3e,
};

/* Bicc, BPcc, BPr, FBfcc and FBPfcc. CBcond, too, which has no delay slot. */
static bool is_branch(uint32_t insn)
{
	unsigned op2 = sparc_op2(insn);

	return sparc_op(insn) == 0 && op2 != 0 && op2 != 4 && op2 != 7;
}

static bool has_slot(uint32_t insn)
{
	return sparc_op(insn) == 1 || is_branch(insn) ||
	       (sparc_op(insn) == 2 &&
		(sparc_op3(insn) == OP3_JMPL || sparc_op3(insn) == OP3_RETURN));
}

static const char *arithmetic_stays(uint32_t insn)
{
	switch (sparc_op3(insn)) {
	case OP3_RD:
		return sparc_rs1(insn) == 5 ? "a read of its address" : NULL;
	case OP3_WR: /* of %y, %ccr, %asi and %fprs, which belong to the
		      * thread */
		return sparc_rd(insn) == 0 || sparc_rd(insn) == 2 ||
				       sparc_rd(insn) == 3 ||
				       sparc_rd(insn) == 6
			       ? NULL
			       : "a change of the machine's state";
	case OP3_SAVED:
	case OP3_WRPR:
	case OP3_WRHPR:
		return "a change of the machine's state";
	case OP3_JMPL:
	case OP3_RETURN:
		return "an indirect branch or return";
	case OP3_TCC:
		return "a trap";
	case OP3_DONE: /* retry, too */
		return "a return from a trap";
	default:
		return NULL;
	}
}

static const char *stays(uint32_t insn)
{
	if (is_branch(insn))
		return "a branch";
	switch (sparc_op(insn)) {
	case 0:
		return sparc_op2(insn) == 4 ? NULL : "a trap"; /* illtrap */
	case 1:
		return "a call";
	case 2:
		return arithmetic_stays(insn);
	default:
		return NULL;
	}
}

static bool sparc_jump_decode(const struct arch *arch, const struct code *code,
			      uint64_t start, uint64_t offset,
			      struct jump_insn *insn)
{
	const uint8_t *p = code->bytes + offset;

	(void)arch;
	(void)start;
	*insn = (struct jump_insn){ .length = 4, .stays = stays(insn_be32(p)) };
	/* Whatever function the branch is in. */
	if (insn->stays == NULL && offset >= 4 && has_slot(insn_be32(p - 4)))
		insn->stays = "in a delay slot";
	return true;
}

const struct jump_isa jump_isa_sparc64 = {
	.machine = EM_SPARCV9,
	.length = 4,
	.unit = 4,
	.is_single = true,
	.has_patches = true,
	.decode = sparc_jump_decode,
};
