/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Patches sites on MIPS: o32, n32 and n64, either byte order, up to release 6.
 *
 * MIPS Architecture For Programmers, volume II-A: jal and j with a delay slot,
 * whose target has the upper bits of the slot's address; of release 6, balc and
 * bc without one.  SYNCI there says how one CPU makes changed text its own, and
 * for others (host->flush()); nothing promises what they execute meanwhile.  So
 * each change needs that they are stopped.
 *
 * What is odd: the instruction in the delay slot stays, and runs still.  It ran
 * before the probe function; where it cares for the register that the other
 * instruction sets too early, the site stays with its stub while it is off.
 * Of the breakpoint it runs behind, as any other.  So there is no
 * SDT_PATCH_TRAP where it cares for an argument, or is the end of a function
 * whose tail call the site is.
 */
#include "sdt_patch_word.h"

#define NOP 0u
#define NOP_COMPACT 0x00000025u	   /* move zero,zero: of a balc */
#define ZERO 0x00001025u	   /* move v0,zero, by or */
#define ZERO_COMPACT 0x00001021u   /* the same by addu: of a balc */
#define RETURN 0x03e00009u	   /* jalr zero,ra: jr ra in any release */
#define RETURN_COMPACT 0xd81f0000u /* jrc ra */
#define BRANCH 0x10000000u	   /* b, and 16 bits: of the branch form */
#define BREAK 0x0000000du	   /* break 0 */
#define BREAK_COMPACT 0x0000004du  /* break 0,1: of a balc or bc */

/* The upper 6 bits. */
#define OP_J 0x02u
#define OP_JAL 0x03u
#define OP_BC 0x32u
#define OP_BALC 0x3au

#define REG_V0 2u
#define REG_A0 4u
#define REG_A7 11u /* of n32 and n64; o32 has temporaries there */
#define REG_RA 31u

#ifdef __MIPSEB__
const int sdt_word_is_big_endian = 1;
#else
const int sdt_word_is_big_endian = 0;
#endif

/* In whatever state it is. */
static int is_compact(const struct sdt_site *site)
{
	sdt_u32 insn = sdt_word_get(site->addr);

	return insn >> 26 == OP_BALC || insn >> 26 == OP_BC ||
	       insn == NOP_COMPACT || insn == ZERO_COMPACT ||
	       insn == RETURN_COMPACT || insn == BREAK_COMPACT;
}

/* May INSN read or write REG? If in doubt, yes. */
static int mentions(sdt_u32 insn, sdt_u32 reg)
{
	sdt_u32 op = insn >> 26;

	if ((insn >> 21 & 31) == reg || (insn >> 16 & 31) == reg)
		return 1;
	switch (op) {
	case 0x00: /* SPECIAL */
	case 0x10: /* coprocessors */
	case 0x11:
	case 0x12:
	case 0x13:
	case 0x1c: /* SPECIAL2, SPECIAL3 */
	case 0x1f:
		return (insn >> 11 & 31) == reg;
	case 0x1e: /* MSA */
		return (insn >> 11 & 31) == reg || (insn >> 6 & 31) == reg;
	case 0x32: /* of the maker's own */
	case 0x36:
	case 0x3a:
	case 0x3e:
		return 1;
	default: /* an immediate */
		return 0;
	}
}

static int is_slot_free(const struct sdt_patch_host *host,
			const struct sdt_site *site, sdt_u32 reg)
{
	return host->is_text(host->cookie, site->addr, 2 * SDT_WORD_SIZE) &&
	       !mentions(sdt_word_get(site->addr + SDT_WORD_SIZE), reg);
}

int sdt_word_nop(const struct sdt_patch_host *host, const struct sdt_site *site,
		 sdt_u32 *insn)
{
	int compact = is_compact(site);
	int is_call = site->form == SDT_FORM_CALL;

	if (!is_call)
		*insn = compact ? RETURN_COMPACT : RETURN;
	else if (site->is_enabled)
		*insn = compact ? ZERO_COMPACT : ZERO;
	else
		*insn = compact ? NOP_COMPACT : NOP;
	if (site->form == SDT_FORM_COND || (!is_call && site->is_enabled))
		return 0;
	return compact ||
	       is_slot_free(host, site,
			    is_call && site->is_enabled ? REG_V0 : REG_RA);
}

enum sdt_patch_error sdt_word_branch(const struct sdt_patch_host *host,
				     const struct sdt_site *site,
				     sdt_uptr target, sdt_u32 *insn)
{
	sdt_uptr next = site->addr + SDT_WORD_SIZE;
	sdt_uptr offset = target - next;
	int is_call = site->form == SDT_FORM_CALL;

	(void)host;
	if (site->form == SDT_FORM_COND)
		return SDT_PATCH_OTHER_BYTES;
	if (target % 4 != 0)
		return SDT_PATCH_OUT_OF_RANGE;
	if (site->target != 0) {
		*insn = BRANCH | (sdt_u32)(offset / 4 & 0xffff);
		return offset + 0x20000u < 0x40000u ? SDT_PATCH_OK
						    : SDT_PATCH_OUT_OF_RANGE;
	}
	if (is_compact(site)) {
		if (offset + 0x8000000u >= 0x10000000u)
			return SDT_PATCH_OUT_OF_RANGE;
		*insn = (is_call ? OP_BALC : OP_BC) << 26 |
			(sdt_u32)(offset / 4 & 0x3ffffff);
		return SDT_PATCH_OK;
	}
	if ((target ^ next) >> 28 != 0)
		return SDT_PATCH_OUT_OF_RANGE;
	*insn = (is_call ? OP_JAL : OP_J) << 26 |
		(sdt_u32)(target / 4 & 0x3ffffff);
	return SDT_PATCH_OK;
}

/* A store may put an argument on the stack. */
static int cares_for_argument(sdt_u32 insn)
{
	if ((insn >> 26 & 0x28) == 0x28)
		return 1;
	for (sdt_u32 reg = REG_A0; reg <= REG_A7; reg++)
		if (mentions(insn, reg))
			return 1;
	return 0;
}

int sdt_word_trap(const struct sdt_patch_host *host,
		  const struct sdt_site *site, sdt_u32 *insn)
{
	int compact = is_compact(site);
	sdt_u32 slot;

	*insn = compact ? BREAK_COMPACT : BREAK;
	if (site->form == SDT_FORM_COND)
		return 0;
	if (compact || site->target != 0)
		return 1;
	if (!is_slot_free(host, site, REG_RA))
		return 0;
	slot = sdt_word_get(site->addr + SDT_WORD_SIZE);
	if (site->form == SDT_FORM_TAIL)
		return slot == NOP;
	return site->is_enabled ? !mentions(slot, REG_V0)
				: !cares_for_argument(slot);
}

int sdt_word_is_patchable(sdt_u32 insn)
{
	(void)insn;
	return 0;
}

#include "sdt_patch_word.c"
