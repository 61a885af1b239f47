/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The NOPs and jumps of FreeBSD's tracepoints (sys/sys/sdt.h since 2024).
 *
 * x86: Intel SDM vol. 2, jmp e9 rel32, from the next instruction; a NOP of 5
 * bytes, or five of one. AArch64: Arm ARM, B imm26. arm: B imm24, from the
 * instruction and 8. PowerPC: Power ISA, b LI, AA 0, LK 0. RISC-V:
 * Unprivileged ISA, jal x0, whose immediate is in four parts.
 *
 * And for the branch form alone: Thumb, b.w (B, encoding T4), from the
 * instruction and 4, in two halves. LoongArch, b. MIPS: b, from the instruction
 * behind it, whose delay slot holds another NOP. s390x: brcl 0,. and brcl 15,
 * from the instruction, in halfwords. SPARC: ba,a,pt %xcc, which has no delay
 * slot.
 */
#include <elf.h>
#include <stddef.h>
#include <string.h>

#include "arm.h"
#include "insn.h"
#include "loongarch.h"
#include "tracepoint.h"

/* --- x86 --------------------------------------------------------------- */

static void x86_encode(int64_t distance, uint8_t *bytes)
{
	bytes[0] = 0xe9;
	insn_put_le32(bytes + 1, (uint32_t)(distance - 5));
}

static bool x86_decode(const uint8_t *bytes, int64_t *distance)
{
	*distance = (int64_t)(int32_t)insn_le32(bytes + 1) + 5;
	return bytes[0] == 0xe9;
}

static bool x86_is_nop(const uint8_t *bytes, bool *is_sled)
{
	static const uint8_t nops[][5] = {
		{ 0x90, 0x90, 0x90, 0x90, 0x90 },
		{ 0x0f, 0x1f, 0x44, 0x00, 0x00 }, /* nopl 0(%rax,%rax) */
		{ 0x66, 0x0f, 0x1f, 0x04, 0x00 }, /* nopw (%rax,%rax) */
	};

	for (size_t i = 0; i < sizeof(nops) / sizeof(nops[0]); i++) {
		*is_sled = i == 0;
		if (memcmp(bytes, nops[i], 5) == 0)
			return true;
	}
	return false;
}

/* --- Instructions of one word ------------------------------------------ */

static void aarch64_encode(int64_t distance, uint8_t *bytes)
{
	insn_put_le32(bytes,
		      0x14000000 | ((uint32_t)(distance / 4) & 0x3ffffff));
}

static bool aarch64_decode(const uint8_t *bytes, int64_t *distance)
{
	uint32_t insn = insn_le32(bytes);

	*distance = insn_sign_extend(insn & 0x3ffffff, 26) * 4;
	return insn >> 26 == 0x05;
}

static bool aarch64_is_nop(const uint8_t *bytes, bool *is_sled)
{
	*is_sled = false;
	return insn_le32(bytes) == 0xd503201f;
}

static void arm_encode(int64_t distance, uint8_t *bytes)
{
	insn_put_le32(bytes,
		      0xea000000 | ((uint32_t)((distance - 8) / 4) & 0xffffff));
}

static bool arm_decode(const uint8_t *bytes, int64_t *distance)
{
	uint32_t insn = insn_le32(bytes);

	*distance = insn_sign_extend(insn & 0xffffff, 24) * 4 + 8;
	return insn >> 24 == 0xea;
}

/* nop, and mov r0, r0 where there is none. */
static bool arm_is_nop(const uint8_t *bytes, bool *is_sled)
{
	uint32_t insn = insn_le32(bytes);

	*is_sled = false;
	return insn == 0xe320f000 || insn == 0xe1a00000;
}

static void ppc_encode(int64_t distance, uint8_t *bytes)
{
	insn_put_le32(bytes, 0x48000000 | ((uint32_t)distance & 0x3fffffc));
}

static bool ppc_decode(const uint8_t *bytes, int64_t *distance)
{
	uint32_t insn = insn_le32(bytes);

	*distance = insn_sign_extend(insn & 0x3fffffc, 26);
	return (insn & 0xfc000003) == 0x48000000;
}

static bool ppc_is_nop(const uint8_t *bytes, bool *is_sled)
{
	*is_sled = false;
	return insn_le32(bytes) == 0x60000000;
}

static void riscv_encode(int64_t distance, uint8_t *bytes)
{
	uint32_t d = (uint32_t)distance;

	insn_put_le32(bytes, 0x6f | insn_bits(d, 20, 1, 31) |
				     insn_bits(d, 1, 10, 21) |
				     insn_bits(d, 11, 1, 20) |
				     insn_bits(d, 12, 8, 12));
}

static bool riscv_decode(const uint8_t *bytes, int64_t *distance)
{
	uint32_t insn = insn_le32(bytes);

	*distance = insn_sign_extend(
		insn_bits(insn, 31, 1, 20) | insn_bits(insn, 21, 10, 1) |
			insn_bits(insn, 20, 1, 11) | insn_bits(insn, 12, 8, 12),
		21);
	return (insn & 0xfff) == 0x6f;
}

static bool riscv_is_nop(const uint8_t *bytes, bool *is_sled)
{
	*is_sled = false;
	return insn_le32(bytes) == 0x00000013;
}

/* --- Not of FreeBSD ------------------------------------------------------ */

static void put_le16(uint8_t *bytes, uint32_t half)
{
	bytes[0] = (uint8_t)half;
	bytes[1] = (uint8_t)(half >> 8);
}

/* S is the sign. J1 and J2 are 1 if bits 23 and 22 equal the sign. */
static void thumb_encode(int64_t distance, uint8_t *bytes)
{
	uint32_t d = (uint32_t)(distance - 4);
	uint32_t sign = d >> 31;

	put_le16(bytes, 0xf000 | sign << 10 | insn_bits(d, 12, 10, 0));
	put_le16(bytes + 2, 0x9000 | insn_bits(d, 1, 11, 0) |
				    (~(d >> 23 ^ sign) & 1) << 13 |
				    (~(d >> 22 ^ sign) & 1) << 11);
}

static bool thumb_decode(const uint8_t *bytes, int64_t *distance)
{
	uint32_t insn = (uint32_t)insn_le16(bytes) << 16 | insn_le16(bytes + 2);

	*distance = thumb_branch_distance(insn);
	return (insn & 0xf800d000) == 0xf0009000;
}

static void loongarch_encode(int64_t distance, uint8_t *bytes)
{
	uint32_t d = (uint32_t)distance;

	insn_put_le32(bytes, 0x50000000 | insn_bits(d, 2, 16, 10) |
				     insn_bits(d, 18, 10, 0));
}

static bool loongarch_decode(const uint8_t *bytes, int64_t *distance)
{
	uint32_t insn = insn_le32(bytes);

	*distance = insn_sign_extend(
		insn_bits(insn, 10, 16, 2) | insn_bits(insn, 0, 10, 18), 28);
	return insn >> 26 == 0x14;
}

static void mips_encode(int64_t distance, uint8_t *bytes)
{
	insn_put_le32(bytes, 0x10000000 | insn_bits((uint32_t)(distance - 4), 2,
						    16, 0));
}

static bool mips_decode(const uint8_t *bytes, int64_t *distance)
{
	uint32_t insn = insn_le32(bytes);

	*distance = 4 + 4 * insn_sign_extend(insn & 0xffff, 16);
	return insn >> 16 == 0x1000;
}

static void s390_encode(int64_t distance, uint8_t *bytes)
{
	insn_put_le32(bytes, (uint32_t)(distance / 2));
	bytes[4] = 0xf4;
	bytes[5] = 0xc0;
}

static bool s390_decode(const uint8_t *bytes, int64_t *distance)
{
	*distance = 2 * insn_sign_extend(insn_le32(bytes), 32);
	return bytes[4] == 0xf4 && bytes[5] == 0xc0;
}

static void sparc_encode(int64_t distance, uint8_t *bytes)
{
	insn_put_le32(bytes,
		      0x30680000 | insn_bits((uint32_t)distance, 2, 19, 0));
}

static bool sparc_decode(const uint8_t *bytes, int64_t *distance)
{
	uint32_t insn = insn_le32(bytes);

	*distance = 4 * insn_sign_extend(insn & 0x7ffff, 19);
	return insn >> 19 == 0x30680000 >> 19;
}

/* --- All --------------------------------------------------------------- */

#define KIB (INT64_C(1) << 10)
#define MIB (INT64_C(1) << 20)

/* clang-format off */
#define X86 .length = 5, .min = 5 - 2048 * MIB, .max = 4 + 2048 * MIB, \
	.step = 1, .encode = x86_encode, .decode = x86_decode, \
	.is_nop = x86_is_nop
#define PPC .length = 4, .min = -32 * MIB, .max = 32 * MIB - 4, .step = 4, \
	.swap_unit = 4, .encode = ppc_encode, .decode = ppc_decode, \
	.is_nop = ppc_is_nop, .nop = { 0x00, 0x00, 0x00, 0x60 }
#define RISCV .length = 4, .min = -MIB, .max = MIB - 2, .step = 2, \
	.encode = riscv_encode, .decode = riscv_decode, \
	.is_nop = riscv_is_nop, .nop = { 0x13, 0x00, 0x00, 0x00 }

#define MIPS .length = 4, .min = 4 - 128 * KIB, .max = 128 * KIB, .step = 4, \
	.swap_unit = 4, .encode = mips_encode, .decode = mips_decode

static const struct tracepoint_isa isas[] = {
	{ EM_X86_64, true, X86, .nop = { 0x0f, 0x1f, 0x44, 0x00, 0x00 } },
	{ EM_X86_64, false, X86, .nop = { 0x0f, 0x1f, 0x44, 0x00, 0x00 } },
	{ EM_386, false, X86, .nop = { 0x3e, 0x8d, 0x74, 0x26, 0x00 } },
	{ EM_AARCH64, true,
	  .length = 4, .min = -128 * MIB, .max = 128 * MIB - 4, .step = 4,
	  .encode = aarch64_encode, .decode = aarch64_decode,
	  .is_nop = aarch64_is_nop, .nop = { 0x1f, 0x20, 0x03, 0xd5 } },
	{ EM_ARM, false,
	  .length = 4, .min = 8 - 32 * MIB, .max = 32 * MIB + 4, .step = 4,
	  .swap_unit = 4, .encode = arm_encode, .decode = arm_decode,
	  .is_nop = arm_is_nop, .nop = { 0x00, 0xf0, 0x20, 0xe3 } },
	{ EM_ARM, false, .mode = THUMB,
	  .length = 4, .min = 4 - 16 * MIB, .max = 16 * MIB + 2, .step = 2,
	  .swap_unit = 2, .encode = thumb_encode, .decode = thumb_decode,
	  .nop = { 0xaf, 0xf3, 0x00, 0x80 } },
	{ LA_MACHINE, true,
	  .length = 4, .min = -128 * MIB, .max = 128 * MIB - 4, .step = 4,
	  .encode = loongarch_encode, .decode = loongarch_decode,
	  .nop = { 0x00, 0x00, 0x40, 0x03 } },
	{ EM_MIPS, false, MIPS },
	{ EM_MIPS, true, MIPS },
	{ EM_PPC, false, PPC },
	{ EM_PPC64, true, PPC },
	{ EM_RISCV, false, RISCV },
	{ EM_RISCV, true, RISCV },
	{ EM_S390, true,
	  .length = 6, .min = -4096 * MIB, .max = 4096 * MIB - 2, .step = 2,
	  .swap_unit = 6, .encode = s390_encode, .decode = s390_decode,
	  .nop = { 0x00, 0x00, 0x00, 0x00, 0x04, 0xc0 } },
	{ EM_SPARCV9, true, .reloc_record = R_SPARC_64,
	  .length = 4, .min = -MIB, .max = MIB - 4, .step = 4,
	  .swap_unit = 4, .encode = sparc_encode, .decode = sparc_decode,
	  .nop = { 0x00, 0x00, 0x00, 0x01 } },
};
/* clang-format on */

const struct tracepoint_isa *tracepoint_isa_find(uint16_t machine, bool is_64,
						 uint8_t mode)
{
	for (size_t i = 0; i < sizeof(isas) / sizeof(isas[0]); i++)
		if (isas[i].machine == machine && isas[i].is_64 == is_64 &&
		    (isas[i].mode == THUMB) == (mode == THUMB))
			return &isas[i];
	return NULL;
}

/* Addresses of 32 bits wrap, except in x32: %rip has 64 bits. */
int64_t tracepoint_distance(const struct tracepoint_isa *isa, uint64_t from,
			    uint64_t to)
{
	uint64_t distance = to - from;

	return isa->is_64 || isa->machine == EM_X86_64
		       ? (int64_t)distance
		       : insn_sign_extend((uint32_t)distance, 32);
}

static void to_little(const struct tracepoint_isa *isa, bool is_big_endian,
		      const uint8_t *from, uint8_t *to)
{
	unsigned unit = is_big_endian && isa->swap_unit > 0 ? isa->swap_unit
							    : 1;

	for (unsigned i = 0; i < isa->length; i++)
		to[i] = from[i / unit * unit + unit - 1 - i % unit];
}

bool tracepoint_encode(const struct tracepoint_isa *isa, bool is_big_endian,
		       int64_t distance, uint8_t *bytes)
{
	uint8_t little[TRACEPOINT_INSN_MAX];

	if (distance < isa->min || distance > isa->max ||
	    distance % (int)isa->step != 0)
		return false;
	isa->encode(distance, little);
	to_little(isa, is_big_endian, little, bytes);
	return true;
}

bool tracepoint_decode(const struct tracepoint_isa *isa, bool is_big_endian,
		       const uint8_t *bytes, int64_t *distance)
{
	uint8_t little[TRACEPOINT_INSN_MAX];

	to_little(isa, is_big_endian, bytes, little);
	return isa->decode(little, distance);
}

bool tracepoint_is_own_nop(const struct tracepoint_isa *isa, bool is_big_endian,
			   const uint8_t *bytes)
{
	uint8_t little[TRACEPOINT_INSN_MAX];

	to_little(isa, is_big_endian, bytes, little);
	return memcmp(little, isa->nop, isa->length) == 0;
}

static bool is_own_site(const struct tracepoint_isa *isa,
			const struct arch *arch, const struct code *code,
			uint64_t offset)
{
	int64_t distance;

	return offset <= code->size && code->size - offset >= isa->length &&
	       (tracepoint_is_own_nop(isa, arch->is_big_endian,
				      code->bytes + offset) ||
		tracepoint_decode(isa, arch->is_big_endian,
				  code->bytes + offset, &distance));
}

const struct tracepoint_isa *tracepoint_isa_at(const struct arch *arch,
					       const struct code *code,
					       uint64_t offset)
{
	uint8_t mode = code_mode(code, offset);
	const struct tracepoint_isa *thumb;

	if (arch->mode_bits == 0 || (mode != MODE_UNKNOWN && mode != MODE_DATA))
		return tracepoint_isa_find(arch->machine, arch->is_64, mode);
	thumb = tracepoint_isa_find(arch->machine, arch->is_64, THUMB);
	return is_own_site(thumb, arch, code, offset)
		       ? thumb
		       : tracepoint_isa_find(arch->machine, arch->is_64, 0);
}

unsigned tracepoint_own_length(const struct arch *arch, const struct code *code,
			       uint64_t offset)
{
	const struct tracepoint_isa *isa =
		tracepoint_isa_at(arch, code, offset);

	return isa != NULL && is_own_site(isa, arch, code, offset) ? isa->length
								   : 0;
}

bool tracepoint_is_nop(const struct tracepoint_isa *isa, bool is_big_endian,
		       const uint8_t *bytes, bool *is_sled)
{
	uint8_t little[TRACEPOINT_INSN_MAX];

	to_little(isa, is_big_endian, bytes, little);
	*is_sled = false;
	return memcmp(little, isa->nop, isa->length) == 0 ||
	       (isa->is_nop != NULL && isa->is_nop(little, is_sled));
}
