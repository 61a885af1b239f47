/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Patches sites on s390x: z/Architecture in 64-bit mode.
 *
 * z/Architecture Principles of Operation, SA22-7832: brasl is c0 R5 and brcl
 * c0 M4, with a distance in halfwords in the last 4 bytes; bcr is 07 MR.  An
 * operation code 00 is not assigned, and has 2 bytes.  "Interlocks for Virtual-
 * Storage References": what another CPU stores into an instruction is seen
 * after that CPU serialises, and stores of one byte are seen whole.
 *
 * What is odd: nothing promises that the 6 bytes of an instruction are fetched
 * at once.  So the last 4 change only while they do not matter: behind brcl 0,
 * which never branches, where the site is a call, else behind a first byte of
 * 00, which is the breakpoint.  Between any two steps all CPUs serialise.
 *
 * A conditional tail call that is off stays with the stub.  What sdtlink --nop
 * makes of one is three instructions, where other CPUs may be in between, and
 * changes only while they are stopped.
 */
#include "sdt_patch_isa.h"

#define SIZE 6u
#define OP_C0 0xc0
#define BRASL 0xe5 /* of %r14, the second byte */
#define BRCL 0x04  /* and the mask */
#define LGFI 0x21  /* of %r2 */
#define BCR 0x07
#define NEVER 0x00
#define ALWAYS 0xf0
#define TRAP 0x00

sdt_u32 sdt_isa_size(const struct sdt_site *site)
{
	(void)site;
	return SIZE;
}

/* The mask of a condition is only in the text, in each state. */
static sdt_u8 mask(const struct sdt_site *site)
{
	if (site->form == SDT_FORM_COND)
		return ((const sdt_u8 *)site->addr)[1] & 0xf0;
	return ALWAYS;
}

static enum sdt_patch_error encode_branch(const struct sdt_site *site,
					  sdt_uptr target, sdt_u8 *bytes)
{
	sdt_sptr offset = (sdt_sptr)(target - site->addr);
	sdt_sptr halves = offset / 2;

	if (offset % 2 != 0 || halves != (sdt_s32)halves)
		return SDT_PATCH_OUT_OF_RANGE;
	bytes[0] = OP_C0;
	bytes[1] = site->form == SDT_FORM_CALL ? BRASL : mask(site) | BRCL;
	for (sdt_u32 i = 0; i < 4; i++)
		bytes[2 + i] = (sdt_u8)(halves >> 8 * (3 - i));
	return SDT_PATCH_OK;
}

/* What sdtlink --nop makes of it. */
static enum sdt_patch_error encode_nop(const struct sdt_site *site,
				       sdt_u8 *bytes)
{
	static const sdt_u8 no_insns[4] = { 0x07, 0x00, 0x07, 0x00 };
	int is_call = site->form == SDT_FORM_CALL;

	if (!is_call && site->is_enabled)
		return encode_branch(site, site->stub, bytes);
	if (is_call) {
		bytes[0] = OP_C0;
		bytes[1] = site->is_enabled ? LGFI : NEVER | BRCL;
	} else {
		bytes[0] = BCR;
		bytes[1] = mask(site) | 14; /* %r14 */
	}
	for (sdt_u32 i = 0; i < 4; i++)
		bytes[2 + i] = is_call ? 0 : no_insns[i];
	return SDT_PATCH_OK;
}

enum sdt_patch_error sdt_isa_encode(const struct sdt_patch_host *host,
				    const struct sdt_site *site, sdt_uptr from,
				    sdt_uptr state, sdt_u8 *bytes)
{
	enum sdt_patch_error error;

	(void)host;
	(void)from;
	if (site->addr % 2 != 0)
		return SDT_PATCH_OTHER_BYTES;
	if (state > SDT_ISA_NOP)
		return encode_branch(site, state, bytes);
	if (site->form == SDT_FORM_COND && site->stub != 0 &&
	    state != SDT_ISA_NOP)
		error = encode_branch(site, site->stub, bytes);
	else
		error = encode_nop(site, bytes);
	if (state == SDT_PATCH_TRAP)
		bytes[0] = TRAP;
	return error;
}

/* The byte that makes the others irrelevant, and its value meanwhile. */
struct guard {
	sdt_u32 at;
	sdt_u8 value;
};

static struct guard find_guard(const struct sdt_site *site, const sdt_u8 *old,
			       const sdt_u8 *bytes)
{
	static const struct guard never = { 1, NEVER | BRCL };
	static const struct guard trap = { 0, TRAP };

	return site->form == SDT_FORM_CALL && !site->is_enabled &&
			       old[0] == OP_C0 && bytes[0] == OP_C0
		       ? never
		       : trap;
}

/* Changes BYTES, whose guard is set, back to the old ones. */
static enum sdt_patch_error undo(const struct sdt_patch_host *host,
				 const struct sdt_site *site,
				 struct guard guard, const sdt_u8 *old)
{
	sdt_u32 rest = guard.at + 1;

	sdt_patch_write(host, site->addr + rest, old + rest, SIZE - rest);
	host->sync(host->cookie);
	sdt_patch_write(host, site->addr + guard.at, old + guard.at, 1);
	host->sync(host->cookie);
	return SDT_PATCH_NOT_WRITTEN;
}

static int is_many(const struct sdt_site *site, const sdt_u8 *bytes)
{
	return site->form == SDT_FORM_COND && bytes[0] == BCR;
}

enum sdt_patch_error sdt_isa_change(const struct sdt_patch_host *host,
				    const struct sdt_site *site,
				    const sdt_u8 *old, const sdt_u8 *bytes)
{
	struct guard guard = find_guard(site, old, bytes);
	sdt_u32 rest = guard.at + 1;
	sdt_uptr addr = site->addr + guard.at;

	if (is_many(site, old) || is_many(site, bytes) ||
	    (site->form == SDT_FORM_COND && site->stub == 0))
		return SDT_PATCH_NEEDS_STOP;
	if (sdt_patch_step(host, addr, old + guard.at, &guard.value, 1) != 0)
		return SDT_PATCH_NOT_WRITTEN;
	if (sdt_patch_step(host, addr + 1, old + rest, bytes + rest,
			   SIZE - rest) ||
	    sdt_patch_step(host, addr, &guard.value, bytes + guard.at, 1))
		return undo(host, site, guard, old);
	return SDT_PATCH_OK;
}

/* The PSW points behind the 2 bytes. */
sdt_uptr sdt_isa_trap_addr(sdt_uptr pc)
{
	return pc - 2;
}

/*
 * The condition code is in bits 18 and 19 of the PSW.  A mask has a bit for
 * each.
 */
int sdt_isa_emulate(const struct sdt_site *site, struct sdt_patch_regs *regs)
{
	unsigned code = (unsigned)((sdt_u64)regs->flags >> 44 & 3);

	regs->pc = site->addr + SIZE;
	if ((mask(site) & 0x80 >> code) == 0)
		return 0;
	if (site->is_enabled)
		regs->result = 0;
	if (site->form != SDT_FORM_CALL)
		regs->pc = regs->link;
	return 1;
}
