/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Patches sites on SPARC V9 in 64-bit mode.
 *
 * The SPARC Architecture Manual, version 9: call reaches all of 4 GiB; appendix
 * J, code patching: text may be changed word by word while other CPUs run it.
 * host->flush() is the instruction flush, which all of them see.
 *
 * What is odd: the instruction in the delay slot stays.  It makes a call a tail
 * call, by restore or by mov REG,%o7, and the return that replaces one needs it
 * as well.  An is-enabled call whose slot cares for %o0 stays with its stub
 * while it is off.  So does a tail call of which ld --relax made a branch,
 * which is that in every state.
 *
 * Of the breakpoint the slot runs behind, as any other: so there is no
 * SDT_PATCH_TRAP where it cares for an argument, nor of a tail call, whose
 * arguments are those of another window until it has run.  It is illtrap, not
 * ta: no number of a software trap is free on all systems.
 */
#include "sdt_patch_word.h"

#define NOP 0x01000000u
#define CLR_O0 0x90100000u
#define RET 0x81c7e008u
#define JMP_8 0x81c02008u /* jmp %g0+8 */
#define CALL 0x40000000u
#define BA_XCC 0x10680000u /* ba,pt %xcc and its 19 bits */
#define BA 0x10800000u	   /* ba and its 22 bits */
#define BA_A 0x30680000u   /* ba,a,pt %xcc: for the branch form, without a
			    * delay slot */
#define ILLTRAP 0x00000d75u
#define O0 8u
#define O5 13u
#define O7 15u

const int sdt_word_is_big_endian = 1;

static sdt_u32 rd(sdt_u32 insn)
{
	return insn >> 25 & 31;
}

static sdt_u32 rs1(sdt_u32 insn)
{
	return insn >> 14 & 31;
}

/* May INSN read or write REG? If in doubt, yes. */
static int mentions(sdt_u32 insn, sdt_u32 reg)
{
	if (insn >> 30 == 0)
		return rd(insn) == reg;
	return rd(insn) == reg || rs1(insn) == reg ||
	       ((insn & 0x2000) == 0 && (insn & 31) == reg);
}

/* The REG of mov REG,%o7, in any encoding; 0 if it is another instruction. */
static sdt_u32 moved_to_o7(sdt_u32 insn)
{
	sdt_u32 reg = 0;

	if ((insn & 0xfff81fff) == 0x9e100000) /* or REG,%g0 or or REG,0 */
		reg = rs1(insn);
	else if ((insn & 0xffffffe0) == 0x9e100000) /* or %g0,REG */
		reg = insn & 31;
	return reg == O7 ? 0 : reg;
}

/*
 * The return out of a leaf function: through the REG of mov REG,%o7 in SLOT.
 * Even if mov %o7,REG is right before it, %o7 may be another value: a branch
 * may lead to the call. 0 if SLOT makes no tail call.
 */
static sdt_u32 return_insn(sdt_u32 slot)
{
	sdt_u32 reg = moved_to_o7(slot);

	if ((slot & 0xc1f80000) == 0x81e80000) /* restore */
		return RET;
	return reg != 0 ? JMP_8 | reg << 14 : 0;
}

/* The bits of the displacement of the branch that SITE is, if it is one. */
static unsigned branch_bits(const struct sdt_site *site)
{
	sdt_u32 insn = sdt_word_get(site->addr);

	if (site->form != SDT_FORM_TAIL)
		return 0;
	return (insn & 0xfff80000) == BA_XCC ? 19
	       : (insn & 0xffc00000) == BA   ? 22
					     : 0;
}

int sdt_word_nop(const struct sdt_patch_host *host, const struct sdt_site *site,
		 sdt_u32 *insn)
{
	sdt_u32 slot;

	if (site->form == SDT_FORM_COND ||
	    !host->is_text(host->cookie, site->addr, 2 * SDT_WORD_SIZE))
		return 0;
	slot = sdt_word_get(site->addr + SDT_WORD_SIZE);
	if (site->form == SDT_FORM_TAIL) {
		*insn = return_insn(slot);
		return *insn != 0 && !site->is_enabled &&
		       branch_bits(site) == 0;
	}
	*insn = site->is_enabled ? CLR_O0 : NOP;
	return !site->is_enabled || !mentions(slot, O0);
}

enum sdt_patch_error sdt_word_branch(const struct sdt_patch_host *host,
				     const struct sdt_site *site,
				     sdt_uptr target, sdt_u32 *insn)
{
	unsigned nbits = site->target != 0 ? 19 : branch_bits(site);
	sdt_u32 opcode = site->target != 0 ? BA_A
			 : nbits == 19	   ? BA_XCC
			 : nbits == 22	   ? BA
					   : CALL;
	sdt_u64 offset = (sdt_u64)target - site->addr;
	sdt_u64 reach;

	(void)host;
	if (nbits == 0)
		nbits = 30;
	reach = (sdt_u64)2 << nbits;
	if (site->form == SDT_FORM_COND)
		return SDT_PATCH_OTHER_BYTES;
	if (offset % 4 != 0 || offset + reach >= 2 * reach)
		return SDT_PATCH_OUT_OF_RANGE;
	*insn = opcode | ((sdt_u32)(offset >> 2) & ((1u << nbits) - 1));
	return SDT_PATCH_OK;
}

static int cares_for_argument(sdt_u32 insn)
{
	for (sdt_u32 reg = O0; reg <= O5; reg++)
		if (mentions(insn, reg))
			return 1;
	return 0;
}

int sdt_word_trap(const struct sdt_patch_host *host,
		  const struct sdt_site *site, sdt_u32 *insn)
{
	sdt_u32 slot;

	*insn = ILLTRAP;
	if (site->target != 0)
		return 1;
	if (site->form != SDT_FORM_CALL ||
	    !host->is_text(host->cookie, site->addr, 2 * SDT_WORD_SIZE))
		return 0;
	slot = sdt_word_get(site->addr + SDT_WORD_SIZE);
	return !mentions(slot, O7) &&
	       (site->is_enabled ? !mentions(slot, O0)
				 : !cares_for_argument(slot));
}

int sdt_word_is_patchable(sdt_u32 insn)
{
	(void)insn;
	return 1;
}

#include "sdt_patch_word.c"
