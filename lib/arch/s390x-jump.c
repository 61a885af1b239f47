/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which s390x instructions can run elsewhere: z/Architecture Principles of
 * Operation, SA22-7832, appendix B. The jump is jg (brcl) of 6 bytes, so only
 * instructions of 6 bytes can be replaced.
 */
#include <config.h>

#include <elf.h>
#include <string.h>

#include "insn.h"
#include "jump.h"

/*
 * Do the 6 bytes begin no known instruction? tbegin and tbeginc count as
 * unknown: in a transaction, not all instructions are allowed.
 */
static bool is_none(const uint8_t *p)
{
	static const char none[] = "\xc1\xc3\xc9\xca\xcb\xcd\xce\xcf\xd8\xe0"
				   "\xe4\xf4\xf5\xf6\xf7\xfe\xff";

	return strchr(none, (char)p[0]) != NULL ||
	       (insn_be16(p) & 0xfffe) == 0xe560;
}

/* Relative branches on a comparison, of formats RIE and RRS. */
static bool is_compare_branch(uint8_t extension)
{
	switch (extension) {
	case 0x44: /* brxhg, brxlg */
	case 0x45:
	case 0x64: /* cgrj, clgrj, crj, clrj */
	case 0x65:
	case 0x76:
	case 0x77:
	case 0x7c: /* cgij, clgij, cij, clij */
	case 0x7d:
	case 0x7e:
	case 0x7f:
	case 0xe4: /* cgrb, clgrb, crb, clrb */
	case 0xe5:
	case 0xf6:
	case 0xf7:
	case 0xfc: /* cgib, clgib, cib, clib */
	case 0xfd:
	case 0xfe:
	case 0xff:
		return true;
	default:
		return false;
	}
}

static const char *stays(const uint8_t *p)
{
	unsigned nibble = p[1] & 15;

	switch (p[0]) {
	case 0xc0:
		return nibble == 4 ? "a jump" : nibble == 5 ? "a call" : NULL;
	case 0xc5: /* bprp, bpp */
	case 0xc7:
		return "a hint for a branch";
	case 0xc6:
		return nibble == 0 ? "an instruction that runs another" : NULL;
	case 0xcc:
		return nibble == 6 ? "a conditional jump" : NULL;
	case 0xe3: /* bctg, bic */
		return p[5] == 0x46 || p[5] == 0x47 ? "a branch" : NULL;
	case 0xeb: /* lctlg, sic; bxhg, bxleg */
		if (p[5] == 0x2f || p[5] == 0xd1)
			return "a change of the machine's state";
		return p[5] == 0x44 || p[5] == 0x45 ? "a branch" : NULL;
	case 0xec:
		return is_compare_branch(p[5]) ? "a conditional jump" : NULL;
	default:
		return NULL;
	}
}

/* larl, and instructions that load, store or compare at such a distance. */
static bool has_operand(const uint8_t *p)
{
	return (p[0] == 0xc0 && (p[1] & 15) == 0) || p[0] == 0xc4 ||
	       p[0] == 0xc6;
}

static bool s390_jump_decode(const struct arch *arch, const struct code *code,
			     uint64_t start, uint64_t offset,
			     struct jump_insn *insn)
{
	const uint8_t *p = code->bytes + offset;
	struct step step;

	(void)start;
	if (!arch->step(arch, code, offset, &step) || p[0] == 0 ||
	    (step.length == 6 && is_none(p)))
		return false;
	*insn = (struct jump_insn){ .length = step.length,
				    .has_target = step.has_target,
				    .target = step.target };
	if (step.length < 6)
		return true;
	insn->stays = stays(p);
	if (has_operand(p)) {
		insn->has_operand = true;
		insn->is_fixable = true;
		insn->operand = code->addr + offset +
				2 * insn_sign_extend(insn_be32(p + 2), 32);
	}
	return true;
}

/* --- What exrl and ex run ------------------------------------------------- */

static uint64_t operand_of(const struct code *code, uint64_t offset)
{
	return code->addr + offset +
	       2 * insn_sign_extend(insn_be32(code->bytes + offset + 2), 32);
}

/* The register that larl sets, or -1. */
static int larl_register(const struct code *code, uint64_t offset)
{
	const uint8_t *p = code->bytes + offset;

	return code->size - offset >= 6 && p[0] == 0xc0 && (p[1] & 15) == 0
		       ? p[1] >> 4
		       : -1;
}

/* Behind what is at OFFSET: the next one, or whatever may be. */
static uint64_t next_offset(const struct arch *arch, const struct code *code,
			    uint64_t offset, bool is_code)
{
	struct step step;

	return offset + (is_code && arch->step(arch, code, offset, &step)
				 ? step.length
				 : 2);
}

/*
 * ex, at OFFSET: its target is a distance from a register, which larl has set
 * somewhere in [START, END).
 */
static void find_ex(const struct arch *arch, const struct code *code,
		    uint64_t start, uint64_t end, uint64_t offset, bool is_code,
		    void (*found)(void *ctx, uint64_t offset, uint64_t target),
		    void *ctx)
{
	const uint8_t *p = code->bytes + offset;
	int index = p[1] & 15, base = p[2] >> 4;
	unsigned distance = insn_be16(p + 2) & 0xfff;
	bool is_known = false;

	if (index == 0 || base == 0)
		for (uint64_t at = start; at < end;
		     at = next_offset(arch, code, at, is_code)) {
			int reg = larl_register(code, at);

			if (reg < 1 || reg != index + base)
				continue;
			is_known = true;
			found(ctx, offset, operand_of(code, at) + distance);
		}
	if (is_code && !is_known)
		found(ctx, offset, 0);
}

#define NEAR 64 /* bytes between a larl and its ex, where nothing is known */

static void s390_each_run(const struct arch *arch, const struct code *code,
			  uint64_t start, uint64_t end, bool is_code,
			  void (*found)(void *ctx, uint64_t offset,
					uint64_t target),
			  void *ctx)
{
	for (uint64_t at = start + (start & 1); at < end;
	     at = next_offset(arch, code, at, is_code)) {
		const uint8_t *p = code->bytes + at;
		uint64_t left = code->size - at;

		if (left >= 6 && p[0] == 0xc6 && (p[1] & 15) == 0)
			found(ctx, at, operand_of(code, at));
		else if (left >= 4 && p[0] == 0x44)
			find_ex(arch, code,
				is_code || at - start < NEAR ? start
							     : at - NEAR,
				is_code ? end : at, at, is_code, found, ctx);
	}
}

const struct jump_isa jump_isa_s390x = {
	.machine = EM_S390,
	.length = 6,
	.unit = 2,
	.is_single = true,
	.decode = s390_jump_decode,
	.each_run = s390_each_run,
};
