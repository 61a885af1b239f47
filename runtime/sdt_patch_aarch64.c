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
 * What is odd: RET and MOV are not among them.  So a tail call and an
 * is-enabled call that have a stub stay with it while they are off, which costs
 * a branch and a return.  Without a stub they are what sdtlink --nop made of
 * them, and change only while no other CPU runs.
 */
#include "sdt_patch_isa.h"

#define SIZE 4u
#define NOP 0xd503201fu
#define RET 0xd65f03c0u
#define MOV_W0_0 0x52800000u
#define BRK 0xd420bae0u /* brk #0x5d7 */
#define B 0x14000000u
#define BL 0x94000000u

sdt_u32 sdt_isa_size(const struct sdt_site *site)
{
	(void)site;
	return SIZE;
}

static sdt_u32 nop_insn(const struct sdt_site *site)
{
	if (site->form != SDT_FORM_CALL)
		return RET;
	return site->is_enabled ? MOV_W0_0 : NOP;
}

/* SDT_PATCH_OFF: which address the branch goes to, or 0 for nop_insn(). */
static sdt_uptr off_target(const struct sdt_site *site)
{
	if (site->form == SDT_FORM_CALL && !site->is_enabled)
		return 0;
	return site->stub;
}

static enum sdt_patch_error branch_insn(const struct sdt_site *site,
					sdt_uptr target, sdt_u32 *insn)
{
	sdt_uptr offset = target - site->addr;

	if (offset % 4 != 0 || offset + 0x8000000u >= 0x10000000u)
		return SDT_PATCH_OUT_OF_RANGE;
	*insn = (site->form == SDT_FORM_CALL ? BL : B) |
		(sdt_u32)(offset / 4 & 0x3ffffff);
	return SDT_PATCH_OK;
}

enum sdt_patch_error sdt_isa_encode(const struct sdt_site *site, sdt_uptr state,
				    sdt_u8 *bytes)
{
	enum sdt_patch_error error = SDT_PATCH_OK;
	sdt_u32 insn;

	if (site->form == SDT_FORM_COND || site->addr % SIZE != 0)
		return SDT_PATCH_OTHER_BYTES;
	if (state == SDT_PATCH_TRAP)
		insn = BRK;
	else if (state > SDT_ISA_NOP)
		error = branch_insn(site, state, &insn);
	else if (state == SDT_ISA_NOP || off_target(site) == 0)
		insn = nop_insn(site);
	else
		error = branch_insn(site, off_target(site), &insn);
	if (error != SDT_PATCH_OK)
		return error;
	for (sdt_u32 i = 0; i < SIZE; i++)
		bytes[i] = (sdt_u8)(insn >> 8 * i);
	return SDT_PATCH_OK;
}

/* Is it one that other CPUs may execute while it changes? */
static int is_patchable(const sdt_u8 *bytes)
{
	sdt_u32 insn = bytes[0] | (sdt_u32)bytes[1] << 8 |
		       (sdt_u32)bytes[2] << 16 | (sdt_u32)bytes[3] << 24;

	return insn == NOP || insn == BRK || (insn & 0x7c000000) == B;
}

enum sdt_patch_error sdt_isa_change(const struct sdt_patch_host *host,
				    const struct sdt_site *site,
				    const sdt_u8 *old, const sdt_u8 *bytes)
{
	if (!is_patchable(old) || !is_patchable(bytes))
		return SDT_PATCH_NEEDS_STOP;
	if (sdt_patch_write(host, site->addr, bytes, SIZE) != 0)
		return SDT_PATCH_NOT_WRITTEN;
	host->sync(host->cookie);
	return SDT_PATCH_OK;
}

sdt_uptr sdt_isa_trap_addr(sdt_uptr pc)
{
	return pc;
}

int sdt_isa_emulate(const struct sdt_site *site, struct sdt_patch_regs *regs)
{
	if (site->is_enabled)
		regs->result = 0;
	regs->pc = site->form == SDT_FORM_CALL ? site->addr + SIZE : regs->link;
	return 1;
}
