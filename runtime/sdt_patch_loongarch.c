/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Patches sites on LoongArch of 64 bits.
 *
 * LoongArch Reference Manual, volume 1: bl and b reach 128 MiB; pcaddu18i and
 * jirl, 128 GiB.  IBAR 0 lets a CPU fetch what was stored before, which is for
 * host->flush(), and for the other CPUs once they go on.  Nothing promises what
 * they execute meanwhile, so each change needs that they are stopped.
 *
 * What is odd: a site of 8 bytes keeps its pcaddu18i, so that the first word
 * tells the length in every state; it sets the register that the call would
 * not have kept.  But to the stub, its distance is 0 and the second word is one
 * that does not need the first: a CPU may be interrupted between the two.
 * There is no SDT_PATCH_TRAP of 8 bytes: it would not tell the length.
 */
#include "sdt_patch_isa.h"

#define NOP 0x03400000u
#define RETURN 0x4c000020u /* jirl zero,ra,0 */
#define ZERO 0x00150004u   /* move a0,zero */
#define BREAK 0x002a05d7u  /* break 0x5d7 */
#define B 0x50000000u
#define BL 0x54000000u
#define JIRL 0x4c000000u
#define PCADDU18I 0x1e000000u
#define REG_RA 1u

static sdt_u32 first_word(const struct sdt_site *site)
{
	const sdt_u8 *text = (const sdt_u8 *)site->addr;

	return text[0] | (sdt_u32)text[1] << 8 | (sdt_u32)text[2] << 16 |
	       (sdt_u32)text[3] << 24;
}

/* If half of an aligned word is text, all of it is. */
sdt_u32 sdt_isa_size(const struct sdt_site *site)
{
	if (site->addr % 4 != 0)
		return 4;
	return (first_word(site) & 0xfe000000) == PCADDU18I ? 8 : 4;
}

static enum sdt_patch_error branch_insn(const struct sdt_site *site,
					sdt_uptr from, sdt_uptr to,
					sdt_u32 *insn)
{
	sdt_uptr d = to - from;

	if (d % 4 != 0 || d + 0x8000000u >= 0x10000000u)
		return SDT_PATCH_OUT_OF_RANGE;
	*insn = (site->form == SDT_FORM_CALL ? BL : B) |
		(sdt_u32)(d >> 2 & 0xffff) << 10 | (sdt_u32)(d >> 18 & 0x3ff);
	return SDT_PATCH_OK;
}

/* The pair as it is linked: to the stub. */
static enum sdt_patch_error stub_words(const struct sdt_site *site,
				       sdt_u32 words[2])
{
	sdt_u64 d = (sdt_u64)site->stub - site->addr;
	sdt_u64 high = d + 0x20000u;
	sdt_u32 reg = words[0] & 31;

	if (d % 4 != 0 || (high + ((sdt_u64)1 << 37)) >> 38 != 0)
		return SDT_PATCH_OUT_OF_RANGE;
	words[0] |= (sdt_u32)(high >> 18 & 0xfffff) << 5;
	words[1] = JIRL | (sdt_u32)(d >> 2 & 0xffff) << 10 | reg << 5 |
		   (site->form == SDT_FORM_CALL ? REG_RA : 0);
	return SDT_PATCH_OK;
}

/* What sdtlink --nop makes of it, in its last word. */
static int nop_insn(const struct sdt_site *site, sdt_u32 *insn)
{
	if (site->form == SDT_FORM_CALL) {
		*insn = site->is_enabled ? ZERO : NOP;
		return 1;
	}
	*insn = RETURN;
	return !site->is_enabled;
}

static enum sdt_patch_error encode(const struct sdt_site *site, int is_pair,
				   sdt_uptr state, sdt_u32 words[2])
{
	sdt_u32 *last = &words[is_pair];

	if (state == SDT_PATCH_TRAP) {
		*last = BREAK;
		return is_pair ? SDT_PATCH_OUT_OF_RANGE : SDT_PATCH_OK;
	}
	if (state <= SDT_ISA_NOP) {
		if (nop_insn(site, last))
			return SDT_PATCH_OK;
		if (site->stub == 0)
			return SDT_PATCH_OTHER_BYTES;
		state = site->stub;
	}
	if (is_pair && state == site->stub)
		return stub_words(site, words);
	return branch_insn(site, site->addr + 4 * (unsigned)is_pair, state,
			   last);
}

enum sdt_patch_error sdt_isa_encode(const struct sdt_patch_host *host,
				    const struct sdt_site *site, sdt_uptr from,
				    sdt_uptr state, sdt_u8 *bytes)
{
	sdt_u32 size = sdt_isa_size(site);
	sdt_u32 words[2] = { 0, 0 };
	enum sdt_patch_error error;

	(void)host;
	(void)from;
	if (site->form == SDT_FORM_COND || site->addr % 4 != 0)
		return SDT_PATCH_OTHER_BYTES;
	if (size == 8)
		words[0] = PCADDU18I | (first_word(site) & 31);
	error = encode(site, size == 8, state, words);
	for (sdt_u32 i = 0; i < size; i++)
		bytes[i] = (sdt_u8)(words[i / 4] >> 8 * (i % 4));
	return error;
}

enum sdt_patch_error sdt_isa_change(const struct sdt_patch_host *host,
				    const struct sdt_site *site,
				    const sdt_u8 *old, const sdt_u8 *bytes)
{
	(void)host;
	(void)site;
	(void)old;
	(void)bytes;
	return SDT_PATCH_NEEDS_STOP;
}

sdt_uptr sdt_isa_trap_addr(sdt_uptr pc)
{
	return pc;
}

int sdt_isa_emulate(const struct sdt_site *site, struct sdt_patch_regs *regs)
{
	if (site->is_enabled)
		regs->result = 0;
	regs->pc = site->form == SDT_FORM_CALL ? site->addr + 4 : regs->link;
	return 1;
}
