/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Patches sites on i386 and x86-64.
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
 * is there one instruction that returns 0 to the caller's caller.
 */
#include "sdt_patch.h"

#define BRANCH_SIZE 5u /* e8 or e9 and rel32 */
#define COND_SIZE 6u   /* 0f 8x and rel32 */

#ifdef __i386__
#define NOP5 0x3e, 0x8d, 0x74, 0x26, 0x00 /* lea %ds:0(%esi,%eiz,1),%esi */
#else
#define NOP5 0x0f, 0x1f, 0x44, 0x00, 0x00
#endif
#define MOV_0_EAX 0xb8, 0, 0, 0, 0
#define RET 0xc3
#define INT3 0xcc

/* What a site that is off holds, if it does not stay with the stub. */
static const sdt_u8 off_call[BRANCH_SIZE] = { NOP5 };
static const sdt_u8 off_tail[BRANCH_SIZE] = { RET, INT3, INT3, INT3, INT3 };
static const sdt_u8 off_enabled[BRANCH_SIZE] = { MOV_0_EAX };

static sdt_u32 site_size(const struct sdt_site *site)
{
	return site->form == SDT_FORM_COND ? COND_SIZE : BRANCH_SIZE;
}

static void copy_bytes(sdt_u8 *to, const sdt_u8 *from, sdt_u32 n)
{
	while (n-- > 0)
		*to++ = *from++;
}

static int same_bytes(const sdt_u8 *a, const sdt_u8 *b, sdt_u32 n)
{
	while (n > 0 && *a == *b) {
		a++;
		b++;
		n--;
	}
	return n == 0;
}

/* 0 if SITE stays with the stub. */
static const sdt_u8 *off_bytes(const struct sdt_site *site)
{
	if (site->form == SDT_FORM_CALL)
		return site->is_enabled ? off_enabled : off_call;
	if (site->form == SDT_FORM_TAIL && !site->is_enabled)
		return off_tail;
	return 0;
}

/*
 * Writes what SITE holds in state TARGET to OUT.  The condition of a jcc stands
 * in the text alone: it is taken over from there, if there is one.
 */
static enum sdt_patch_error encode(const struct sdt_site *site, sdt_uptr target,
				   sdt_u8 out[COND_SIZE])
{
	const sdt_u8 *text = (const sdt_u8 *)site->addr;
	sdt_u32 size = site_size(site);
	sdt_uptr rel;

	if (target == SDT_PATCH_OFF && off_bytes(site) != 0) {
		copy_bytes(out, off_bytes(site), BRANCH_SIZE);
		return SDT_PATCH_OK;
	}
	if (target == SDT_PATCH_OFF)
		target = site->stub;
	if (site->form == SDT_FORM_COND) {
		out[0] = 0x0f;
		out[1] = 0x80 | (text[1] & 0x0f);
	} else {
		out[0] = site->form == SDT_FORM_CALL ? 0xe8 : 0xe9;
	}

	rel = target - (site->addr + size);
	if (rel != (sdt_uptr)(sdt_sptr)(sdt_s32)rel)
		return SDT_PATCH_OUT_OF_RANGE;
	for (sdt_u32 i = size - 4; i < size; i++, rel >>= 8)
		out[i] = (sdt_u8)rel;
	return SDT_PATCH_OK;
}

enum sdt_patch_error sdt_patch_check(const struct sdt_patch_host *host,
				     const struct sdt_site *site,
				     sdt_uptr target)
{
	sdt_u32 size = site_size(site);
	sdt_u8 expected[COND_SIZE];
	enum sdt_patch_error error;

	if (!host->is_text(host->cookie, site->addr, size))
		return SDT_PATCH_NO_TEXT;
	error = encode(site, target, expected);
	if (error != SDT_PATCH_OK)
		return error;
	return same_bytes((const sdt_u8 *)site->addr, expected, size)
		       ? SDT_PATCH_OK
		       : SDT_PATCH_OTHER_BYTES;
}

enum sdt_patch_error sdt_patch_set(const struct sdt_patch_host *host,
				   const struct sdt_site *site, sdt_uptr from,
				   sdt_uptr to)
{
	sdt_u32 size = site_size(site);
	sdt_u8 bytes[COND_SIZE];
	enum sdt_patch_error error;

	error = sdt_patch_check(host, site, from);
	if (error != SDT_PATCH_OK)
		return error;
	error = encode(site, to, bytes);
	if (error != SDT_PATCH_OK)
		return error;
	if (same_bytes((const sdt_u8 *)site->addr, bytes, size))
		return SDT_PATCH_OK;
	if (host->write(host->cookie, site->addr, bytes, size) != 0)
		return SDT_PATCH_NOT_WRITTEN;
	return SDT_PATCH_OK;
}
