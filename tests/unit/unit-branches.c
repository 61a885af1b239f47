/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two readers of each instruction set know which instructions are branches:
 * each_branch, for --verify, and that of --check-jump. What one calls a branch
 * to an address that it holds, the other must, too.
 */
#include <config.h>

#include <elf.h>
#include <string.h>

#include "arch/arch.h"
#include "arch/arm.h"
#include "arch/insn.h"
#include "arch/jump.h"
#include "unit.h"

#define ADDR UINT64_C(0x40000000)
#define NBYTES 16

/* A branch that each_branch finds at the start of CODE. */
struct found {
	unsigned length; /* 0: none */
	bool is_inside;	 /* one that ends where the instruction does */
	const struct jump_insn *insn;
};

static void see(void *ctx, uint64_t offset, const struct branch *branch)
{
	struct found *found = ctx;

	if (offset == 0)
		found->length = branch->length;
	/* What a jump's prefix does to its target is not for --check-jump. */
	found->is_inside |= offset + branch->length == found->insn->length &&
			    (!found->insn->has_target ||
			     found->insn->target == branch->target);
}

/* Does INSN, which is no branch to a register, say that it is a branch? */
static bool is_named_branch(const char *stays)
{
	static const char *const names[] = {
		"a jump",
		"a call",
		"a conditional jump",
		"a conditional branch",
		"a branch",
		"a branch or return",
		"a branch, a trap, or of the machine's state",
		"a call or jump of two words",
		"a transaction",
	};

	for (size_t i = 0; stays != NULL && i < sizeof(names) / sizeof(*names);
	     i++)
		if (strcmp(stays, names[i]) == 0)
			return true;
	return false;
}

/* b, bl and blx; the low-overhead branches of v8.1-M take no relocation. */
static bool is_arm_direct(uint32_t insn, uint8_t mode)
{
	if (mode == ARM)
		return (insn >> 25 & 7) == 5;
	if (insn >> 27 != 0x1e || (insn & 0x8000) == 0)
		return false;
	switch (insn >> 12 & 5) {
	case 0:
		return (insn >> 22 & 15) < ARM_ALWAYS;
	case 4:
		return (insn & 1) == 0;
	default:
		return true;
	}
}

/*
 * It is none, or not to an address that it holds, though --check-jump, which
 * leaves all of its kind alone, uses that name.
 */
static bool is_other(const struct arch *arch, const uint8_t *p, size_t n,
		     const struct mark *mark)
{
	uint32_t insn = arch_insn(arch, p);
	unsigned rt = insn >> 16 & 31;

	switch (arch->machine) {
	case EM_MIPS: /* jr, jalr; no instruction; jic, jialc; jalx, which
		       * leads to code of another ISA */
		return insn >> 26 == 0 ||
		       (insn >> 26 == 1 && ((rt & 0x0c) != 0 && rt != 0x18 &&
					    rt != 0x1c && rt != 0x1d)) ||
		       ((insn >> 26 == 0x36 || insn >> 26 == 0x3e) &&
			(insn >> 21 & 31) == 0) ||
		       insn >> 26 == 0x1d;
	case EM_AARCH64: /* no instruction: 64 bits wide, on a condition */
		return (insn & 0x7e000000) == 0x76000000;
	case EM_386:
	case EM_X86_64: /* xabort; through memory */
		while (n > 1 && (p[0] == 0x66 || p[0] == 0x67))
			p++, n--;
		return p[0] == 0xc6 || p[0] == 0xff;
	case EM_SPARCV9: /* never taken */
		return insn >> 30 == 0 && (insn >> 22 & 7) != 3 &&
		       (insn >> 25 & 15) == 0;
	case EM_S390: /* never taken; to a register */
		return (p[0] == 0xc0 && p[1] >> 4 == 0) || p[0] == 0xe3 ||
		       p[0] == 0xeb || (p[0] == 0xec && p[5] >= 0xe0);
	case EM_ARM:
		return !is_arm_direct(mark->mode == THUMB ? thumb_insn(arch, p)
							  : insn,
				      mark->mode);
	case 258: /* LoongArch: jiscr0 and jiscr1; jirl, but behind pcaddu18i */
		return insn >> 26 == 0x13 ||
		       (insn >> 26 == 0x12 && (insn & 0x200) != 0);
	default:
		return false;
	}
}

static void check(const struct arch *arch, const uint8_t *bytes,
		  const struct mark *mark)
{
	static const struct arch *last;
	static unsigned nprinted;
	const struct jump_isa *jump = jump_isa_find(arch);
	struct code code = { bytes, NBYTES, ADDR, mark, mark != NULL };
	struct jump_insn insn = { 0 };
	struct found found = { .insn = &insn };

	if (!jump->decode(arch, &code, 0, 0, &insn))
		return;
	arch->each_branch(arch, &code, 0, UINT64_MAX, see, &found);
	if (is_named_branch(insn.stays) &&
			    !is_other(arch, bytes, insn.length, mark)
		    ? !found.is_inside
		    : found.length == insn.length && insn.stays == NULL &&
			      insn.length >= jump->length) {
		unit_check(false, "both readers agree", __FILE__, __LINE__);
		nprinted = arch == last ? nprinted + 1 : 0;
		last = arch;
		if (nprinted < 20)
			printf("\t%s: %02x %02x %02x %02x %02x %02x: %s\n",
			       arch->name, bytes[0], bytes[1], bytes[2],
			       bytes[3], bytes[4], bytes[5],
			       insn.stays != NULL ? insn.stays
						  : "is no branch");
	}
}

/* The upper bits of a word all ways, the lower ones as opcodes need it. */
static void check_words(const struct arch *arch, uint8_t mode)
{
	static const uint32_t lows[] = { 0x0000, 0x0010, 0x0400, 0x0002,
					 0x0001, 0x003f, 0x0200, 0x7fff };
	const struct mark mark = { .mode = mode };
	uint8_t bytes[NBYTES] = { 0 };

	for (uint32_t high = 0; high <= 0xffff; high++)
		for (unsigned i = 0; i < sizeof(lows) / sizeof(*lows); i++) {
			arch_put_insn(arch, bytes,
				      mode == THUMB && !arch->is_big_endian
					      ? high | lows[i] << 16
					      : high << 16 | lows[i]);
			check(arch, bytes, &mark);
		}
	CHECK(true);
}

/* The opcode of RISC-V is in the lower bits. */
static void check_low_words(const struct arch *arch)
{
	uint8_t bytes[NBYTES] = { 0 };

	for (uint32_t low = 3; low <= 0xffff; low += 4)
		for (unsigned i = 0; i < 32; i++) {
			arch_put_insn(arch, bytes, low | i << 27 | 1u << 20);
			check(arch, bytes, NULL);
		}
	CHECK(true);
}

static void check_bytes(const struct arch *arch, const uint8_t *prefix,
			size_t nprefix)
{
	uint8_t bytes[NBYTES] = { 0 };

	memcpy(bytes, prefix, nprefix);
	for (uint32_t i = 0; i <= 0xffff; i++) {
		bytes[nprefix] = i >> 8;
		bytes[nprefix + 1] = i;
		for (unsigned last = 0; last < 256;
		     last += arch->machine == EM_S390 ? 1 : 255) {
			bytes[5] = nprefix == 0 ? last : 0;
			check(arch, bytes, NULL);
		}
	}
	CHECK(true);
}

int main(void)
{
	const struct arch *arch;

	for (size_t i = 0; (arch = arch_at(i)) != NULL; i++) {
		if (jump_isa_find(arch) == NULL)
			continue;
		switch (arch->machine) {
		case EM_386:
		case EM_X86_64:
			check_bytes(arch, (const uint8_t *)"", 0);
			check_bytes(arch, (const uint8_t *)"\x66", 1);
			break;
		case EM_S390:
			check_bytes(arch, (const uint8_t *)"", 0);
			break;
		case EM_RISCV:
			check_low_words(arch);
			break;
		case EM_ARM: /* in both modes */
			check_words(arch, ARM);
			check_words(arch, THUMB);
			break;
		default:
			check_words(arch, 0);
			break;
		}
	}
	return unit_status();
}
