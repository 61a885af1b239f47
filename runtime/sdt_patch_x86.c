/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Patches sites on i386, x86-64 and x32.
 *
 * Intel 64 and IA-32 Architectures SDM, vol. 2: call is e8 rel32, jmp e9 rel32,
 * jcc 0f 80+cc rel32, all relative to the next instruction.  The recommended
 * NOP of 5 bytes (0f 1f 44 00 00, table "Recommended Multi-Byte Sequence of
 * NOP Instruction") exists since the P6, but not in all that call themselves
 * i686; i386 gets lea of %esi to itself, which every CPU
 * since the 80386 has.  In 64-bit mode that would cut %rsi.
 *
 * What is odd: a conditional jump cannot be switched off.  Not taken, it falls
 * through, taken, it returns, and both must stay; so it goes to the stub.  Nor
 * is there one instruction that returns 0 to the caller's caller.  With
 * -DSDT_NO_RET a tail call that is off stays with its stub, too: for kernels in
 * which no plain ret may stand (Linux with CONFIG_RETHUNK).
 *
 * And no store of 5 bytes is atomic to a CPU that fetches them (SDM vol. 3,
 * "Handling Self- and Cross-Modifying Code").  So the first byte becomes int3,
 * while the rest is changed; between any two steps all CPUs serialise.
 */
#include "sdt_patch_isa.h"

#define BRANCH_SIZE 5u /* e8 or e9 and rel32 */
#define COND_SIZE 6u   /* 0f 8x and rel32 */

#ifdef __i386__
#define NOP5 0x3e, 0x8d, 0x74, 0x26, 0x00 /* lea %ds:0(%esi,%eiz,1),%esi */
#else
#define NOP5 0x0f, 0x1f, 0x44, 0x00, 0x00
#endif

/* x32 has pointers of 32 bits, but %rip and the words of the stack have 64. */
#ifdef __x86_64__
typedef sdt_u64 reg;
#else
typedef sdt_u32 reg;
#endif

#define MOV_0_EAX 0xb8, 0, 0, 0, 0
#define RET 0xc3
#define INT3 0xcc

/* What a site that is off holds, if it does not stay with the stub. */
static const sdt_u8 off_call[BRANCH_SIZE] = { NOP5 };
static const sdt_u8 off_tail[BRANCH_SIZE] = { RET, INT3, INT3, INT3, INT3 };
static const sdt_u8 off_enabled[BRANCH_SIZE] = { MOV_0_EAX };

sdt_u32 sdt_isa_size(const struct sdt_site *site)
{
	return site->form == SDT_FORM_COND ? COND_SIZE : BRANCH_SIZE;
}

#ifdef SDT_NO_RET
#define IS_RET_FORBIDDEN 1
#else
#define IS_RET_FORBIDDEN 0
#endif

/* 0 if SITE stays with the stub.  STATE is off, or what --nop made of it. */
static const sdt_u8 *off_bytes(const struct sdt_site *site, sdt_uptr state)
{
	if (site->form == SDT_FORM_CALL)
		return site->is_enabled ? off_enabled : off_call;
	if (site->form == SDT_FORM_COND || site->is_enabled)
		return 0;
	if (IS_RET_FORBIDDEN && state != SDT_ISA_NOP && site->stub != 0)
		return 0;
	return off_tail;
}

/* The condition of a jcc stands in the text alone: it is taken from there. */
static enum sdt_patch_error encode_branch(const struct sdt_site *site,
					  sdt_uptr target, sdt_u8 *bytes)
{
	sdt_u32 size = sdt_isa_size(site);
	reg rel = (reg)target - ((reg)site->addr + size);

	if (rel != (reg)(sdt_s32)rel)
		return SDT_PATCH_OUT_OF_RANGE;
	if (site->form == SDT_FORM_COND) {
		bytes[0] = 0x0f;
		bytes[1] = 0x80 | (((const sdt_u8 *)site->addr)[1] & 0x0f);
	} else {
		bytes[0] = site->form == SDT_FORM_CALL ? 0xe8 : 0xe9;
	}
	for (sdt_u32 i = size - 4; i < size; i++, rel >>= 8)
		bytes[i] = (sdt_u8)rel;
	return SDT_PATCH_OK;
}

static enum sdt_patch_error encode_off(const struct sdt_site *site,
				       sdt_uptr state, sdt_u8 *bytes)
{
	const sdt_u8 *off = off_bytes(site, state);

	if (off == 0)
		return encode_branch(site, site->stub, bytes);
	for (sdt_u32 i = 0; i < BRANCH_SIZE; i++)
		bytes[i] = off[i];
	return SDT_PATCH_OK;
}

enum sdt_patch_error sdt_isa_encode(const struct sdt_patch_host *host,
				    const struct sdt_site *site, sdt_uptr from,
				    sdt_uptr state, sdt_u8 *bytes)
{
	enum sdt_patch_error error;

	(void)host;
	(void)from;
	if (state > SDT_ISA_NOP)
		return encode_branch(site, state, bytes);
	error = encode_off(site, state, bytes);
	if (state == SDT_PATCH_TRAP)
		bytes[0] = INT3;
	return error;
}

/* A write that failed behind the first: back, in the same order. */
static enum sdt_patch_error undo(const struct sdt_patch_host *host,
				 const struct sdt_site *site, const sdt_u8 *old)
{
	sdt_patch_write(host, site->addr + 1, old + 1, sdt_isa_size(site) - 1);
	host->sync(host->cookie);
	sdt_patch_write(host, site->addr, old, 1);
	host->sync(host->cookie);
	return SDT_PATCH_NOT_WRITTEN;
}

/* From and to a breakpoint, one byte is all that changes. */
enum sdt_patch_error sdt_isa_change(const struct sdt_patch_host *host,
				    const struct sdt_site *site,
				    const sdt_u8 *old, const sdt_u8 *bytes)
{
	static const sdt_u8 int3 = INT3;
	sdt_uptr addr = site->addr;
	sdt_u32 ntail = sdt_isa_size(site) - 1;

	if (sdt_patch_step(host, addr, old, &int3, 1) != 0)
		return SDT_PATCH_NOT_WRITTEN;
	if (sdt_patch_step(host, addr + 1, old + 1, bytes + 1, ntail) != 0 ||
	    sdt_patch_step(host, addr, &int3, bytes, 1) != 0)
		return undo(host, site, old);
	return SDT_PATCH_OK;
}

sdt_uptr sdt_isa_trap_addr(sdt_uptr pc)
{
	return pc - 1;
}

#define CF (flags & 1)
#define PF (flags >> 2 & 1)
#define ZF (flags >> 6 & 1)
#define SF (flags >> 7 & 1)
#define OF (flags >> 11 & 1)

/* SDM vol. 1, appendix B: the condition codes; the lowest bit negates. */
static int is_taken(sdt_u8 condition, sdt_uptr flags)
{
	const sdt_uptr holds[8] = { OF, CF, ZF,	     CF | ZF,
				    SF, PF, SF ^ OF, ZF | (SF ^ OF) };

	return (int)(holds[condition >> 1 & 7] ^ (condition & 1));
}

int sdt_isa_emulate(const struct sdt_site *site, struct sdt_patch_regs *regs)
{
	const sdt_u8 *text = (const sdt_u8 *)site->addr;

	regs->pc = site->addr + sdt_isa_size(site);
	if (site->form == SDT_FORM_COND && !is_taken(text[1], regs->flags))
		return 0;
	if (site->is_enabled)
		regs->result = 0;
	if (site->form != SDT_FORM_CALL) {
		regs->pc = (sdt_uptr) * (const reg *)regs->sp;
		regs->sp += sizeof(reg);
	}
	return 1;
}
