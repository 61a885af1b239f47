/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Patches sites that are each one aligned word, on AArch64, MIPS, Power and
 * SPARC: a change is one store.
 *
 * What is odd: most architectures let other CPUs run through that store only
 * for some instructions.  Where the branch to the stub is such a one, and what
 * sdtlink --nop makes of the site is not, a site that is off stays with its
 * stub, which costs a branch and a return.  Without a stub it is what --nop
 * made of it, and changes only while no other CPU runs.
 *
 * The patchers of these machines include this file.  Compiled on its own it is
 * empty, so that a build may name it.
 */
#include "sdt_patch_isa.h"

#ifdef SDTLINK_SDT_PATCH_WORD_H

sdt_u32 sdt_isa_size(const struct sdt_site *site)
{
	(void)site;
	return SDT_WORD_SIZE;
}

static sdt_u32 get_word(const sdt_u8 *bytes)
{
	sdt_u32 word = 0;

	for (unsigned i = 0; i < SDT_WORD_SIZE; i++)
		word |= (sdt_u32)bytes[i]
			<< 8 * (sdt_word_is_big_endian ? 3 - i : i);
	return word;
}

sdt_u32 sdt_word_get(sdt_uptr addr)
{
	return get_word((const sdt_u8 *)addr);
}

static enum sdt_patch_error nop_insn(const struct sdt_patch_host *host,
				     const struct sdt_site *site, sdt_u32 *insn)
{
	if (sdt_word_nop(host, site, insn))
		return SDT_PATCH_OK;
	if (site->stub == 0)
		return SDT_PATCH_OTHER_BYTES;
	return sdt_word_branch(host, site, site->stub, insn);
}

static enum sdt_patch_error off_insn(const struct sdt_patch_host *host,
				     const struct sdt_site *site, sdt_u32 *insn)
{
	enum sdt_patch_error error = nop_insn(host, site, insn);
	sdt_u32 stub;

	if (error == SDT_PATCH_OK && site->stub != 0 &&
	    !sdt_word_is_patchable(*insn) &&
	    sdt_word_branch(host, site, site->stub, &stub) == SDT_PATCH_OK &&
	    sdt_word_is_patchable(stub))
		*insn = stub;
	return error;
}

enum sdt_patch_error sdt_isa_encode(const struct sdt_patch_host *host,
				    const struct sdt_site *site, sdt_uptr from,
				    sdt_uptr state, sdt_u8 *bytes)
{
	enum sdt_patch_error error;
	sdt_u32 insn = 0;

	(void)from;
	if (site->addr % SDT_WORD_SIZE != 0)
		return SDT_PATCH_OTHER_BYTES;
	if (state == SDT_PATCH_TRAP)
		error = sdt_word_trap(host, site, &insn)
				? SDT_PATCH_OK
				: SDT_PATCH_OUT_OF_RANGE;
	else if (state == SDT_PATCH_OFF)
		error = off_insn(host, site, &insn);
	else if (state == SDT_ISA_NOP)
		error = nop_insn(host, site, &insn);
	else
		error = sdt_word_branch(host, site, state, &insn);
	for (unsigned i = 0; i < SDT_WORD_SIZE; i++)
		bytes[i] = (sdt_u8)(insn >>
				    8 * (sdt_word_is_big_endian ? 3 - i : i));
	return error;
}

enum sdt_patch_error sdt_isa_change(const struct sdt_patch_host *host,
				    const struct sdt_site *site,
				    const sdt_u8 *old, const sdt_u8 *bytes)
{
	if (!sdt_word_is_patchable(get_word(old)) ||
	    !sdt_word_is_patchable(get_word(bytes)))
		return SDT_PATCH_NEEDS_STOP;
	return sdt_patch_step(host, site->addr, old, bytes, SDT_WORD_SIZE) == 0
		       ? SDT_PATCH_OK
		       : SDT_PATCH_NOT_WRITTEN;
}

sdt_uptr sdt_isa_trap_addr(sdt_uptr pc)
{
	return pc;
}

int sdt_isa_emulate(const struct sdt_site *site, struct sdt_patch_regs *regs)
{
	if (site->is_enabled)
		regs->result = 0;
	regs->pc = site->form == SDT_FORM_CALL ? site->addr + SDT_WORD_SIZE
					       : regs->link;
	return 1;
}

#endif
