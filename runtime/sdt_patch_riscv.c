/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Patches sites on RISC-V of 32 and 64 bits, with and without C.
 *
 * Unprivileged ISA: jal, auipc, jalr.  A site is what the final link made of
 * it: auipc and jalr, 8 bytes; jal, 4; c.j or c.jal, 2.  The first half-word
 * shows which, in every state: see site_size().
 *
 *	8 bytes     call                tail               is-enabled
 *	stub        auipc ra; jalr ra   auipc t1; jalr t1  auipc ra; jalr ra
 *	off         j .+8; nop          ret; ret           li a0,0; nop
 *	handler     auipc ra; jal ra    auipc t1; j        li a0,0; jal ra
 *	beside stub auipc ra; jalr ra   auipc t1; jalr t1  li a0,0; jal ra
 *	breakpoint  csrw cycle,ra; nop  csrw cycle,ra; ret csrw cycle,ra; nop
 *
 * What is odd: other code may be interrupted between the two instructions, and
 * go on with the second much later.  So no state has two that belong together
 * but the stub's, whose auipc is always the same, also where it leads to a
 * trampoline beside the stub: whatever the second is by then, it does as in one
 * of the states.  Only of an is-enabled site would the
 * result be missing; it leaves the stub and returns to it while no other CPU
 * runs.
 *
 * An is-enabled tail call stays with the stub while it is off, and so does a
 * site of 4 or 2 bytes, but for the NOP of a call of 4.  Instruction fetches
 * see an aligned store of 4 bytes whole (Ziccif, part of the RVA profiles), or
 * of 2; a site of 4 or 8 bytes that is not aligned to 4 changes only while no
 * other CPU runs.  An ebreak would not show how long a site is: the breakpoint
 * is an illegal instruction; of 4 and 2 bytes, what assemblers call unimp.
 */
#include "sdt_patch_isa.h"

#define NOP 0x00000013u
#define LI_A0_0 0x00000513u
#define RET 0x00008067u
#define TRAP_8 0xc0009073u /* csrw cycle,ra: cycle is read-only */
#define TRAP_4 0xc0001073u /* csrw cycle,zero */
#define C_TRAP 0x0000u
#define J_8 0x0080006fu
#define JAL 0x6fu
#define JALR 0x67u
#define AUIPC 0x17u
#define C_J 0xa001u
#define C_JAL 0x2001u /* on RV32 */
#define RA (1u << 7)
#define T1 (6u << 7)

/* In one load: the handler of a breakpoint may see it change. */
static sdt_u32 half_word(const struct sdt_site *site)
{
	return site->addr % 2 == 0
		       ? *(const volatile __UINT16_TYPE__ *)site->addr
		       : 0;
}

/* Which of the words above the site begins with, by its lower half. */
static sdt_u32 site_size(const struct sdt_site *site)
{
	sdt_u32 half = half_word(site);

	/* A jump of the branch form would look like J_8. */
	if (site->target != 0)
		return 4;
	if ((half & 3) != 3)
		return 2;
	if ((half & 0x7f) == AUIPC || half == (TRAP_8 & 0xffff))
		return 8;
	if (site->form == SDT_FORM_TAIL)
		return half == (RET & 0xffff) ? 8 : 4;
	if (site->is_enabled)
		return half == (LI_A0_0 & 0xffff) ? 8 : 4;
	return half == (J_8 & 0xffff) ? 8 : 4;
}

sdt_u32 sdt_isa_size(const struct sdt_site *site)
{
	return site_size(site);
}

/* Bits LOW to LOW + N - 1 of VALUE, moved to TO. */
static sdt_u32 bits(sdt_uptr value, unsigned low, unsigned n, unsigned to)
{
	return (sdt_u32)(value >> low & ((1u << n) - 1)) << to;
}

static int fits(sdt_uptr offset, unsigned nbits)
{
	return offset % 2 == 0 &&
	       offset + ((sdt_uptr)1 << (nbits - 1)) < (sdt_uptr)1 << nbits;
}

static enum sdt_patch_error jal(sdt_uptr from, sdt_uptr to, sdt_u32 rd,
				sdt_u32 *insn)
{
	sdt_uptr d = to - from;

	if (!fits(d, 21))
		return SDT_PATCH_OUT_OF_RANGE;
	*insn = JAL | rd | bits(d, 20, 1, 31) | bits(d, 1, 10, 21) |
		bits(d, 11, 1, 20) | bits(d, 12, 8, 12);
	return SDT_PATCH_OK;
}

/* Whether it is c.j or c.jal is read from the text. */
static enum sdt_patch_error compressed(const struct sdt_site *site,
				       sdt_uptr target, sdt_u32 words[2])
{
	sdt_uptr d = target - site->addr;
	sdt_u32 opcode = site->form == SDT_FORM_TAIL ? C_J : C_JAL;
	sdt_u32 half = half_word(site);

	if ((half & 0xe003) != opcode && half != C_TRAP)
		return SDT_PATCH_OTHER_BYTES;
	if (!fits(d, 12))
		return SDT_PATCH_OUT_OF_RANGE;
	words[0] = opcode | bits(d, 11, 1, 12) | bits(d, 4, 1, 11) |
		   bits(d, 8, 2, 9) | bits(d, 10, 1, 8) | bits(d, 6, 1, 7) |
		   bits(d, 7, 1, 6) | bits(d, 1, 3, 3) | bits(d, 5, 1, 2);
	return SDT_PATCH_OK;
}

/*
 * The first word of a branch of two words: that of the stub, or one without
 * effect.
 */
static sdt_u32 auipc(const struct sdt_site *site)
{
	sdt_uptr d = site->stub != 0 ? site->stub - site->addr : 0;
	sdt_u32 rd = site->form == SDT_FORM_TAIL ? T1 : RA;

	return AUIPC | rd | ((sdt_u32)(d + 0x800) & 0xfffff000);
}

/*
 * Branches to TARGET, which is the stub, or so near to it that the stub's auipc
 * reaches it.
 */
static enum sdt_patch_error by_auipc(const struct sdt_site *site,
				     sdt_uptr target, sdt_u32 words[2])
{
	sdt_uptr high = site->stub - site->addr + 0x800;
	sdt_uptr low = target - site->addr - (high & ~(sdt_uptr)0xfff);
	sdt_u32 rs = site->form == SDT_FORM_TAIL ? T1 : RA;
	sdt_u32 rd = site->form == SDT_FORM_TAIL ? 0 : RA;

	if (high != (sdt_uptr)(sdt_sptr)(sdt_s32)high || !fits(low, 12))
		return SDT_PATCH_OUT_OF_RANGE;
	words[0] = auipc(site);
	words[1] = JALR | rd | rs << 8 | bits(low, 0, 12, 20);
	return SDT_PATCH_OK;
}

static enum sdt_patch_error encode_8(const struct sdt_site *site,
				     sdt_uptr state, sdt_u32 words[2])
{
	int is_tail = site->form == SDT_FORM_TAIL;
	enum sdt_patch_error error;

	if (state <= SDT_ISA_NOP && is_tail && site->is_enabled)
		state = site->stub;
	if (state > SDT_ISA_NOP && state == site->stub)
		return by_auipc(site, state, words);
	words[0] = is_tail ? RET : site->is_enabled ? LI_A0_0 : J_8;
	words[1] = is_tail && state == SDT_PATCH_OFF ? RET : NOP;
	if (state <= SDT_ISA_NOP)
		return SDT_PATCH_OK;
	error = jal(site->addr + 4, state, is_tail ? 0 : RA, &words[1]);
	if (site->is_enabled && !is_tail)
		return error;
	words[0] = auipc(site);
	if (error == SDT_PATCH_OUT_OF_RANGE && site->stub != 0)
		error = by_auipc(site, state, words);
	return error;
}

static enum sdt_patch_error encode_4(const struct sdt_site *site,
				     sdt_uptr state, sdt_u32 words[2])
{
	int is_tail = site->form == SDT_FORM_TAIL;

	words[0] = NOP;
	if (state <= SDT_ISA_NOP && !is_tail && !site->is_enabled)
		return SDT_PATCH_OK;
	if (state <= SDT_ISA_NOP)
		state = site->stub;
	return jal(site->addr, state, is_tail ? 0 : RA, &words[0]);
}

/* Behind the breakpoint of 8 bytes are the bytes of the site when it is off. */
static void trap_words(const struct sdt_site *site, sdt_u32 size,
		       sdt_u32 words[2])
{
	words[0] = size == 8 ? TRAP_8 : size == 4 ? TRAP_4 : C_TRAP;
	words[1] = site->form == SDT_FORM_TAIL ? RET : NOP;
}

enum sdt_patch_error sdt_isa_encode(const struct sdt_patch_host *host,
				    const struct sdt_site *site, sdt_uptr from,
				    sdt_uptr state, sdt_u8 *bytes)
{
	sdt_u32 words[2] = { 0, 0 };
	sdt_u32 size = site_size(site);
	enum sdt_patch_error error = SDT_PATCH_OK;

	(void)host;
	(void)from;
	if (site->form == SDT_FORM_COND || site->addr % 2 != 0)
		return SDT_PATCH_OTHER_BYTES;
	if (state == SDT_PATCH_TRAP)
		trap_words(site, size, words);
	else if (size == 8)
		error = encode_8(site, state, words);
	else if (size == 4)
		error = encode_4(site, state, words);
	else
		error = compressed(
			site, state <= SDT_ISA_NOP ? site->stub : state, words);
	for (sdt_u32 i = 0; i < size; i++)
		bytes[i] = (sdt_u8)(words[i / 4] >> 8 * (i % 4));
	return error;
}

static int starts_with_auipc(const sdt_u8 *bytes)
{
	return (bytes[0] & 0x7f) == AUIPC;
}

/* On the way to a branch, the second word comes first.  Else the first. */
enum sdt_patch_error sdt_isa_change(const struct sdt_patch_host *host,
				    const struct sdt_site *site,
				    const sdt_u8 *old, const sdt_u8 *bytes)
{
	sdt_u32 size = site_size(site);
	sdt_u32 word = size < 4 ? size : 4;
	sdt_u32 one = starts_with_auipc(bytes) ? 4 : 0, other = 4 - one;
	sdt_uptr addr = site->addr;

	if (addr % word != 0)
		return SDT_PATCH_NEEDS_STOP;
	if (size < 8)
		return sdt_patch_step(host, addr, old, bytes, word) == 0
			       ? SDT_PATCH_OK
			       : SDT_PATCH_NOT_WRITTEN;
	if (site->is_enabled && site->form == SDT_FORM_CALL &&
	    (starts_with_auipc(old) || starts_with_auipc(bytes)))
		return SDT_PATCH_NEEDS_STOP;
	if (sdt_patch_step(host, addr + one, old + one, bytes + one, 4) != 0)
		return SDT_PATCH_NOT_WRITTEN;
	if (sdt_patch_step(host, addr + other, old + other, bytes + other, 4) ==
	    0)
		return SDT_PATCH_OK;
	sdt_patch_step(host, addr + one, bytes + one, old + one, 4);
	return SDT_PATCH_NOT_WRITTEN;
}

sdt_uptr sdt_isa_trap_addr(sdt_uptr pc)
{
	return pc;
}

int sdt_isa_emulate(const struct sdt_site *site, struct sdt_patch_regs *regs)
{
	if (site->is_enabled)
		regs->result = 0;
	regs->pc = site->form == SDT_FORM_CALL ? site->addr + site_size(site)
					       : regs->link;
	return 1;
}
