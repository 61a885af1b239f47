/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Patches sites on AArch64, of either byte order: instructions are
 * little-endian in both.
 *
 * Arm Architecture Reference Manual for A-profile, "Concurrent modification and
 * execution of instructions": of one aligned store, other CPUs execute the old
 * or the new instruction, if both are among B, BL, BRK, HVC, ISB, NOP, SMC,
 * SVC.
 *
 * What is odd: RET and MOV are not among them.
 */
#include "sdt_patch_word.h"

#define NOP 0xd503201fu
#define RET 0xd65f03c0u
#define MOV_W0_0 0x52800000u
#define BRK 0xd420bae0u /* brk #0x5d7 */
#define B 0x14000000u
#define BL 0x94000000u

const int sdt_word_is_big_endian = 0;

int sdt_word_nop(const struct sdt_patch_host *host, const struct sdt_site *site,
		 sdt_u32 *insn)
{
	(void)host;
	if (site->form == SDT_FORM_CALL) {
		*insn = site->is_enabled ? MOV_W0_0 : NOP;
		return 1;
	}
	*insn = RET;
	return site->form == SDT_FORM_TAIL && !site->is_enabled;
}

enum sdt_patch_error sdt_word_branch(const struct sdt_patch_host *host,
				     const struct sdt_site *site,
				     sdt_uptr target, sdt_u32 *insn)
{
	sdt_uptr offset = target - site->addr;

	(void)host;
	if (site->form == SDT_FORM_COND)
		return SDT_PATCH_OTHER_BYTES;
	if (offset % 4 != 0 || offset + 0x8000000u >= 0x10000000u)
		return SDT_PATCH_OUT_OF_RANGE;
	*insn = (site->form == SDT_FORM_CALL ? BL : B) |
		(sdt_u32)(offset / 4 & 0x3ffffff);
	return SDT_PATCH_OK;
}

int sdt_word_trap(const struct sdt_patch_host *host,
		  const struct sdt_site *site, sdt_u32 *insn)
{
	(void)host;
	*insn = BRK;
	return site->form != SDT_FORM_COND;
}

int sdt_word_is_patchable(sdt_u32 insn)
{
	return insn == NOP || insn == BRK || (insn & 0x7c000000) == B;
}

#include "sdt_patch_word.c"
