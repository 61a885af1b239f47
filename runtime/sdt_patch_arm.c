/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Patches sites on ARM of 32 bits: ARM and Thumb code, either byte order.
 *
 * Arm Architecture Reference Manual, ARMv7-A and ARMv7-R, A3.5.4, "Concurrent
 * modification and execution of instructions": other CPUs execute the old or
 * the new instruction if both are among B, BL, BKPT, NOP and SVC, and of Thumb
 * if each has 16 bits; the first half of a Thumb BL or BLX may become such a B,
 * BKPT or SVC, and they may become that.  Before ARMv7, and in
 *microcontrollers, nothing is taken for promised.
 *
 * What is odd: nothing but its bytes shows whether a site is ARM or Thumb; it
 * is what its state says in one of the two, and never in both.  Bit 0 of a stub
 * or handler is set if that is Thumb, and only a call can change between them.
 * An ARM branch is on a condition, which each state has in the text.
 *
 *	off          call            tail call    conditional tail call
 *	ARM          nop             b stub       b<c> stub
 *	Thumb        b .+4; nop      bx lr; nop   it <c>; bx lr
 *	branch form  nop, nop.w
 *
 * An is-enabled call stays with the stub while it is off.  Without one, and
 * where nothing is promised, a site that is off is what sdtlink --nop makes of
 * it.  In Thumb a call changes behind a BKPT in its first half, because it may
 * be in an IT block, where the condition does not hold for the second; jumps
 * and the branch form change only while no other CPU runs.
 */
#include "sdt_patch_isa.h"

#define SIZE 4u
#define MODE SIZE /* behind the bytes of a site: IS_THUMB */
enum { IS_ARM, IS_THUMB };

/* ARM, but for the condition */
#define NOP 0x0320f000u
#define MOV_R0_R0 0x01a00000u
#define MOV_R0_0 0x03a00000u
#if defined(__ARM_ARCH_4__)
#define BX_LR 0x01a0f00eu /* mov pc,lr: there is no bx */
#else
#define BX_LR 0x012fff1eu
#endif
#define B 0x0a000000u
#define BL 0x0b000000u
#define BLX 0xfa000000u
#define BKPT 0xe1205d70u /* bkpt #0x5d0 + the condition of the site */
#define ALWAYS 14u

/* Thumb */
#define T_NOP 0x46c0u	    /* mov r8,r8 */
#define T_NOP_W 0xf3af8000u /* of the branch form */
#define T_B_OVER 0xe000u
#define T_MOVS_R0_0 0x2000u
#define T_BX_LR 0x4770u
#define T_IT 0xbf08u
#define T_BKPT 0xbe5du

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#define IS_M 1
#else
#define IS_M 0
#endif

#if IS_M || (defined(__ARM_ARCH) && __ARM_ARCH < 7)
#define IS_LIVE 0
#else
#define IS_LIVE 1
#endif

/* Since ARMv6, big-endian programs have little-endian code (BE8). */
#if defined(__ARMEB__) && __ARM_ARCH < 6
#define IS_BIG_ENDIAN 1
#else
#define IS_BIG_ENDIAN 0
#endif

sdt_u32 sdt_isa_size(const struct sdt_site *site)
{
	(void)site;
	return SIZE;
}

static sdt_u32 get(const sdt_u8 *bytes, unsigned size)
{
	sdt_u32 insn = 0;

	for (unsigned i = 0; i < size; i++)
		insn |= (sdt_u32)bytes[i]
			<< 8 * (IS_BIG_ENDIAN ? size - 1 - i : i);
	return insn;
}

static void put(sdt_u8 *bytes, unsigned size, sdt_u32 insn)
{
	for (unsigned i = 0; i < size; i++)
		bytes[i] = (sdt_u8)(insn >>
				    8 * (IS_BIG_ENDIAN ? size - 1 - i : i));
}

/* --- ARM ------------------------------------------------------------------ */

static int is_bkpt(sdt_u32 insn)
{
	return (insn & ~15u) == BKPT;
}

/* The site's condition, in the upper bits, whatever state it is in. */
static sdt_u32 condition(const struct sdt_site *site)
{
	sdt_u32 insn = get((const sdt_u8 *)site->addr, SIZE);
	sdt_u32 cond = is_bkpt(insn) ? insn & 15 : insn >> 28;

	/* blx has none */
	return (cond == 15 ? ALWAYS : cond) << 28;
}

static enum sdt_patch_error arm_branch(const struct sdt_site *site,
				       sdt_uptr target, sdt_u32 *insn)
{
	sdt_u32 cond = condition(site);
	sdt_uptr offset = (target & ~(sdt_uptr)1) - (site->addr + 8);
	int is_call = site->form == SDT_FORM_CALL;

	if (offset + 0x2000000u >= 0x4000000u)
		return SDT_PATCH_OUT_OF_RANGE;
	*insn = (sdt_u32)(offset >> 2 & 0xffffff);
	if ((target & 1) == 0) {
		*insn |= cond | (is_call ? BL : B);
		return offset % 4 == 0 ? SDT_PATCH_OK : SDT_PATCH_OUT_OF_RANGE;
	}
	*insn |= BLX | (sdt_u32)(offset & 2) << 23;
	return is_call && cond == ALWAYS << 28 ? SDT_PATCH_OK
					       : SDT_PATCH_OUT_OF_RANGE;
}

static int arm_is_patchable(sdt_u32 insn)
{
	if (!IS_LIVE)
		return 0;
	return is_bkpt(insn) || (insn & 0x0fffffff) == NOP ||
	       ((insn & 0x0e000000) == B && insn >> 28 != 15);
}

/* What sdtlink --nop makes of it, without the condition. 0: it stays. */
static sdt_u32 arm_nop(const struct sdt_site *site)
{
	if (site->form == SDT_FORM_CALL)
		return site->is_enabled ? MOV_R0_0 : MOV_R0_R0;
	return site->is_enabled ? 0 : BX_LR;
}

static enum sdt_patch_error arm_off(const struct sdt_site *site, sdt_u32 *insn)
{
	sdt_u32 nop = arm_nop(site);

	if (nop == MOV_R0_R0 && IS_LIVE) {
		*insn = condition(site) | NOP;
		return SDT_PATCH_OK;
	}
	if (site->stub != 0 && arm_branch(site, site->stub, insn) == 0 &&
	    (nop == 0 || arm_is_patchable(*insn)))
		return SDT_PATCH_OK;
	*insn = condition(site) | nop;
	return nop != 0 ? SDT_PATCH_OK : SDT_PATCH_OTHER_BYTES;
}

static enum sdt_patch_error encode_arm(const struct sdt_site *site,
				       sdt_uptr state, sdt_u8 *bytes)
{
	enum sdt_patch_error error = SDT_PATCH_OK;
	sdt_u32 insn = 0;

	if (site->addr % 4 != 0)
		return SDT_PATCH_OTHER_BYTES;
	if (state == SDT_PATCH_TRAP)
		insn = BKPT | condition(site) >> 28;
	else if (state == SDT_ISA_NOP && arm_nop(site) != 0)
		insn = condition(site) | arm_nop(site);
	else if (state <= SDT_ISA_NOP)
		error = arm_off(site, &insn);
	else
		error = arm_branch(site, state, &insn);
	/*
	 * By its form a site has a condition or not, but a call may have one.
	 */
	if (site->form != SDT_FORM_CALL &&
	    (site->form == SDT_FORM_TAIL) != (condition(site) == ALWAYS << 28))
		error = SDT_PATCH_OTHER_BYTES;
	put(bytes, SIZE, insn);
	return error;
}

/* --- Thumb ---------------------------------------------------------------- */

/* Bits LOW to LOW + N - 1 of VALUE, moved to TO. */
static sdt_u32 bits(sdt_uptr value, unsigned low, unsigned n, unsigned to)
{
	return (sdt_u32)(value >> low & ((1u << n) - 1)) << to;
}

/* b<c>.w has the condition itself, or an it before it has. */
static enum sdt_patch_error thumb_cond(const struct sdt_site *site,
				       sdt_uptr offset, sdt_u32 halves[2])
{
	sdt_u32 first = get((const sdt_u8 *)site->addr, 2);
	sdt_u32 cond = (first & 0xff0f) == T_IT ? first >> 4 & 15
						: first >> 6 & 15;

	if (offset + 0x100000u >= 0x200000u || cond >= ALWAYS)
		return SDT_PATCH_OUT_OF_RANGE;
	halves[0] = 0xf000 | bits(offset, 20, 1, 10) | cond << 6 |
		    bits(offset, 12, 6, 0);
	halves[1] = 0x8000 | bits(offset, 18, 1, 13) | bits(offset, 19, 1, 11) |
		    bits(offset, 1, 11, 0);
	return SDT_PATCH_OK;
}

static enum sdt_patch_error thumb_branch(const struct sdt_site *site,
					 sdt_uptr target, sdt_u32 halves[2])
{
	int is_arm = site->target == 0 && (target & 1) == 0;
	sdt_uptr pc = site->addr + 4;
	sdt_uptr offset;
	sdt_u32 sign;

	if (is_arm)
		pc &= ~(sdt_uptr)3;
	offset = (target & ~(sdt_uptr)1) - pc;
	sign = bits(offset, 24, 1, 0);
	if (is_arm && (site->form != SDT_FORM_CALL || offset % 4 != 0))
		return SDT_PATCH_OUT_OF_RANGE;
	if (site->form == SDT_FORM_COND)
		return thumb_cond(site, offset, halves);
	if (offset + 0x1000000u >= 0x2000000u)
		return SDT_PATCH_OUT_OF_RANGE;
	halves[0] = 0xf000 | sign << 10 | bits(offset, 12, 10, 0);
	halves[1] = (site->form == SDT_FORM_TAIL ? 0x9000u
		     : is_arm			 ? 0xc000u
						 : 0xd000u) |
		    (bits(~offset, 23, 1, 0) ^ sign) << 13 |
		    (bits(~offset, 22, 1, 0) ^ sign) << 11 |
		    bits(offset, 1, 11, 0);
	return SDT_PATCH_OK;
}

/* What sdtlink --nop makes of it. */
static enum sdt_patch_error thumb_nop(const struct sdt_site *site,
				      sdt_u32 halves[2])
{
	sdt_u32 first = get((const sdt_u8 *)site->addr, 2);

	halves[1] = T_NOP;
	switch (site->form) {
	case SDT_FORM_CALL:
		if (site->target != 0) {
			halves[0] = T_NOP_W >> 16;
			halves[1] = T_NOP_W & 0xffff;
			return SDT_PATCH_OK;
		}
		halves[0] = site->is_enabled ? T_MOVS_R0_0 : T_B_OVER;
		return SDT_PATCH_OK;
	case SDT_FORM_BRANCH: /* comes as one of the other two */
	case SDT_FORM_TAIL:
		halves[0] = T_BX_LR;
		break;
	case SDT_FORM_COND:
		halves[0] = (first & 0xff0f) == T_IT
				    ? first
				    : T_IT | (first >> 6 & 15) << 4;
		halves[1] = T_BX_LR;
		break;
	}
	if (!site->is_enabled)
		return SDT_PATCH_OK;
	return site->stub != 0 ? thumb_branch(site, site->stub, halves)
			       : SDT_PATCH_OTHER_BYTES;
}

static enum sdt_patch_error thumb_off(const struct sdt_site *site,
				      sdt_u32 halves[2])
{
	if (IS_LIVE && site->form == SDT_FORM_CALL && site->is_enabled &&
	    site->stub != 0 &&
	    thumb_branch(site, site->stub, halves) == SDT_PATCH_OK)
		return SDT_PATCH_OK;
	return thumb_nop(site, halves);
}

static enum sdt_patch_error encode_thumb(const struct sdt_site *site,
					 sdt_uptr state, sdt_u8 *bytes)
{
	enum sdt_patch_error error;
	sdt_u32 halves[2] = { 0, 0 };

	if (state > SDT_ISA_NOP)
		error = thumb_branch(site, state, halves);
	else if (state == SDT_ISA_NOP)
		error = thumb_nop(site, halves);
	else
		error = thumb_off(site, halves);
	if (state == SDT_PATCH_TRAP) {
		halves[0] = T_BKPT;
		if (site->form != SDT_FORM_CALL)
			error = SDT_PATCH_OUT_OF_RANGE;
	}
	put(bytes, 2, halves[0]);
	put(bytes + 2, 2, halves[1]);
	return error;
}

/* --- Both ----------------------------------------------------------------- */

enum sdt_patch_error sdt_isa_encode(const struct sdt_patch_host *host,
				    const struct sdt_site *site, sdt_uptr from,
				    sdt_uptr state, sdt_u8 *bytes)
{
	const sdt_u8 *text = (const sdt_u8 *)site->addr;
	struct sdt_site was;
	int is_arm, is_thumb;

	(void)host;
	if (site->addr % 2 != 0)
		return SDT_PATCH_OTHER_BYTES;
	was.addr = site->addr;
	was.stub = site->stub;
	was.target = site->target;
	was.is_enabled = site->is_enabled;
	was.form = site->form;
	/* The branch form has different forms in its states. */
	if (site->target != 0)
		was.form = from > SDT_ISA_NOP ? SDT_FORM_TAIL : SDT_FORM_CALL;
	is_arm = encode_arm(&was, from, bytes) == SDT_PATCH_OK &&
		 sdt_patch_same(text, bytes, SIZE);
	is_thumb = encode_thumb(&was, from, bytes) == SDT_PATCH_OK &&
		   sdt_patch_same(text, bytes, SIZE);
	if (is_arm == is_thumb)
		return SDT_PATCH_OTHER_BYTES;
	bytes[MODE] = is_thumb ? IS_THUMB : IS_ARM;
	return is_thumb ? encode_thumb(site, state, bytes)
			: encode_arm(site, state, bytes);
}

/* May a bkpt replace this half, and the other way round? */
static int thumb_is_patchable(const sdt_u8 *bytes)
{
	sdt_u32 half = get(bytes, 2);

	return half == T_BKPT || half == T_B_OVER || (half & 0xf800) == 0xf000;
}

static enum sdt_patch_error change_thumb(const struct sdt_patch_host *host,
					 sdt_uptr addr, const sdt_u8 *old,
					 const sdt_u8 *bytes)
{
	sdt_u8 bkpt[2];

	if (!thumb_is_patchable(old) || !thumb_is_patchable(bytes))
		return SDT_PATCH_NEEDS_STOP;
	put(bkpt, 2, T_BKPT);
	if (sdt_patch_step(host, addr, old, bkpt, 2) != 0)
		return SDT_PATCH_NOT_WRITTEN;
	if (sdt_patch_step(host, addr + 2, old + 2, bytes + 2, 2) == 0 &&
	    sdt_patch_step(host, addr, bkpt, bytes, 2) == 0)
		return SDT_PATCH_OK;
	sdt_patch_step(host, addr + 2, bytes + 2, old + 2, 2);
	sdt_patch_step(host, addr, bkpt, old, 2);
	return SDT_PATCH_NOT_WRITTEN;
}

enum sdt_patch_error sdt_isa_change(const struct sdt_patch_host *host,
				    const struct sdt_site *site,
				    const sdt_u8 *old, const sdt_u8 *bytes)
{
	if (bytes[MODE] == IS_THUMB)
		return IS_LIVE && site->form == SDT_FORM_CALL &&
				       site->target == 0
			       ? change_thumb(host, site->addr, old, bytes)
			       : SDT_PATCH_NEEDS_STOP;
	if (!arm_is_patchable(get(old, SIZE)) ||
	    !arm_is_patchable(get(bytes, SIZE)))
		return SDT_PATCH_NEEDS_STOP;
	return sdt_patch_step(host, site->addr, old, bytes, SIZE) == 0
		       ? SDT_PATCH_OK
		       : SDT_PATCH_NOT_WRITTEN;
}

sdt_uptr sdt_isa_trap_addr(sdt_uptr pc)
{
	return pc;
}

#define N (flags >> 31 & 1)
#define Z (flags >> 30 & 1)
#define C (flags >> 29 & 1)
#define V (flags >> 28 & 1)

/* "The condition field": the lowest bit inverts it, but not for always. */
static int holds(sdt_u32 cond, sdt_uptr flags)
{
	const sdt_uptr conditions[8] = {
		Z, C, N, V, C & ~Z, ~(N ^ V) & 1, ~Z & ~(N ^ V) & 1, 1
	};

	return cond >= ALWAYS || (conditions[cond >> 1] ^ (cond & 1)) != 0;
}

#define PSR_THUMB 0x20u
#define PSR_IT 0x0600fc00u

/* The condition of an IT block that ends with the site. */
static sdt_u32 it_condition(sdt_uptr flags)
{
	return (flags & PSR_IT) != 0 ? (sdt_u32)(flags >> 12 & 15) : ALWAYS;
}

int sdt_isa_emulate(const struct sdt_site *site, struct sdt_patch_regs *regs)
{
	sdt_uptr flags = regs->flags;
	sdt_u32 cond = IS_M || (flags & PSR_THUMB) ? it_condition(flags)
						   : condition(site) >> 28;

	regs->pc = site->addr + SIZE;
	regs->flags &= ~(sdt_uptr)PSR_IT;
	if (!holds(cond, flags))
		return 0;
	if (site->is_enabled)
		regs->result = 0;
	if (site->form == SDT_FORM_CALL)
		return 1;
	regs->pc = regs->link & ~(sdt_uptr)1;
	if (!IS_M && (regs->link & 1) != 0)
		regs->flags |= PSR_THUMB;
	return 1;
}
