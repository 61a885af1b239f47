/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Patches sites on Power, of 32 and 64 bits and either byte order.
 *
 * Power ISA, Book II, "Concurrent Modification and Execution of Instructions"
 * (1.8.1 in version 2.03): other CPUs execute the old or the new word of an
 * aligned store if both are of the patch class, which is b, ba, bl, bla, and
 * the preferred no-op, ori 0,0,0.  What host->flush() is to do is there, too:
 * dcbst, sync, icbi, sync, isync; host->sync() is an isync on each other CPU.
 *
 * What is odd: blr, li, bc and the breakpoint are not of that class.  In the
 * ELFv2 ABI a function that uses the TOC has two entries, and a branch within
 * one program goes to the local one: a handler's address may be either.  In
 * ELFv1 a function's address is that of a descriptor, in data.
 */
#include "sdt_patch_word.h"

#define NOP 0x60000000u
#define BLR 0x4e800020u
#define BCLR 0x4c000020u
#define LI_R3_0 0x38600000u
#define TRAP 0x7fe00008u
#define B 0x48000000u
#define BC 0x40000000u
#define LINK 1u
#define CONDITION 0x03ff0000u /* the fields BO and BI */

#ifdef __BIG_ENDIAN__
const int sdt_word_is_big_endian = 1;
#else
const int sdt_word_is_big_endian = 0;
#endif

int sdt_word_nop(const struct sdt_patch_host *host, const struct sdt_site *site,
		 sdt_u32 *insn)
{
	(void)host;
	switch (site->form) {
	case SDT_FORM_CALL:
		*insn = site->is_enabled ? LI_R3_0 : NOP;
		return 1;
	case SDT_FORM_BRANCH: /* comes as one of the other two */
	case SDT_FORM_TAIL:
		*insn = BLR;
		break;
	case SDT_FORM_COND:
		*insn = BCLR | (sdt_word_get(site->addr) & CONDITION);
		break;
	}
	return !site->is_enabled;
}

/* The address at which a branch enters the function at TARGET. */
static sdt_uptr entry_of(const struct sdt_patch_host *host,
			 const struct sdt_site *site, sdt_uptr target)
{
#if defined(_CALL_ELF) && _CALL_ELF == 2
	/* Behind the two words that compute the TOC from r12. */
	if (target % 4 == 0 && host->is_text(host->cookie, target, 8)) {
		sdt_u32 first = sdt_word_get(target) >> 16;

		/* addis r2,r12,HIGH, or lis r2,HIGH; and addi r2,r2,LOW */
		if ((first == 0x3c4c || first == 0x3c40) &&
		    sdt_word_get(target + 4) >> 16 == 0x3842)
			return target + 8;
	}
#elif defined(_CALL_ELF) && _CALL_ELF == 1
	/* The table has addresses of code.  A handler may be a descriptor. */
	if (target != site->stub && target != site->target && target % 8 == 0 &&
	    !host->is_text(host->cookie, target, 4))
		return *(const sdt_uptr *)target;
#endif
	(void)host;
	(void)site;
	return target;
}

enum sdt_patch_error sdt_word_branch(const struct sdt_patch_host *host,
				     const struct sdt_site *site,
				     sdt_uptr target, sdt_u32 *insn)
{
	sdt_uptr offset = entry_of(host, site, target) - site->addr;
	sdt_uptr reach = site->form == SDT_FORM_COND ? 0x8000u : 0x2000000u;

	if (offset % 4 != 0 || offset + reach >= 2 * reach)
		return SDT_PATCH_OUT_OF_RANGE;
	*insn = (sdt_u32)offset & (sdt_u32)(2 * reach - 4);
	switch (site->form) {
	case SDT_FORM_CALL:
		*insn |= B | LINK;
		break;
	case SDT_FORM_BRANCH: /* comes as one of the other two */
	case SDT_FORM_TAIL:
		*insn |= B;
		break;
	case SDT_FORM_COND:
		*insn |= BC | (sdt_word_get(site->addr) & CONDITION);
		break;
	}
	return SDT_PATCH_OK;
}

/* It would lose the condition. */
int sdt_word_trap(const struct sdt_patch_host *host,
		  const struct sdt_site *site, sdt_u32 *insn)
{
	(void)host;
	*insn = TRAP;
	return site->form != SDT_FORM_COND;
}

int sdt_word_is_patchable(sdt_u32 insn)
{
	return insn == NOP || insn >> 26 == B >> 26;
}

#include "sdt_patch_word.c"
