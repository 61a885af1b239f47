/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Aims branches, for mutants: as much of each machine's encoding as a linker
 * needs, written from the manuals, without a look at lib/arch.
 */
#include <config.h>

#include <elf.h>
#include <string.h>

#include "mutants.h"

static uint32_t get(const uint8_t *p, bool is_big)
{
	uint32_t word = 0;

	for (int i = 0; i < 4; i++)
		word |= (uint32_t)p[is_big ? 3 - i : i] << 8 * i;
	return word;
}

static void put(uint8_t *p, bool is_big, uint32_t word)
{
	for (int i = 0; i < 4; i++)
		p[is_big ? 3 - i : i] = word >> 8 * i;
}

/* Bits FROM and up, N of them, of VALUE, at bit TO. */
static uint32_t move(uint32_t value, int from, int n, int to)
{
	return (value >> from & ((1u << n) - 1)) << to;
}

static unsigned aim_x86(uint8_t *p, uint64_t distance)
{
	unsigned n = p[0] == 0x0f && (p[1] & 0xf0) == 0x80 ? 2
		     : (p[0] & 0xfe) == 0xe8		   ? 1
							   : 0;

	if (n > 0)
		put(p + n, false, distance - (n + 4));
	return n > 0 ? n + 4 : 0;
}

/* brasl and brcl count halfwords, in four bytes behind the opcode. */
static unsigned aim_s390(uint8_t *p, uint64_t distance)
{
	/* With a mask of 0, brcl is a NOP. */
	if (p[0] != 0xc0 || ((p[1] & 15) != 4 && (p[1] & 15) != 5) ||
	    p[1] == 0x04)
		return 0;
	put(p + 2, true, distance / 2);
	return 6;
}

/* Instructions are little-endian whatever the data is. */
static unsigned aim_aarch64(uint8_t *p, uint64_t distance)
{
	uint32_t insn = get(p, false), words = distance / 4;

	if ((insn & 0x7c000000) == 0x14000000) /* b, bl */
		insn = (insn & 0xfc000000) | (words & 0x03ffffff);
	else if ((insn & 0xff000010) == 0x54000000 || /* b.cond */
		 (insn & 0x7e000000) == 0x34000000)   /* cbz, cbnz */
		insn = (insn & 0xff00001f) | (words & 0x7ffff) << 5;
	else if ((insn & 0x7e000000) == 0x36000000) /* tbz, tbnz */
		insn = (insn & 0xfff8001f) | (words & 0x3fff) << 5;
	else
		return 0;
	put(p, false, insn);
	return 4;
}

static unsigned aim_riscv(uint8_t *p, bool is_64, uint64_t distance)
{
	uint32_t insn = get(p, false), next = get(p + 4, false);
	uint32_t d = distance, high = d + 0x800;

	/* c.j, and c.jal, which 64 bits do not have: too far is elsewhere. */
	if (((insn & 0xe003) == 0xa001 ||
	     (!is_64 && (insn & 0xe003) == 0x2001)) &&
	    distance + 0x800 < 0x1000) {
		insn = (insn & 0xe003) | move(d, 5, 1, 2) | move(d, 1, 3, 3) |
		       move(d, 7, 1, 6) | move(d, 6, 1, 7) | move(d, 10, 1, 8) |
		       move(d, 8, 2, 9) | move(d, 4, 1, 11) |
		       move(d, 11, 1, 12);
		p[0] = insn;
		p[1] = insn >> 8;
		return 2;
	}
	if ((insn & 0x7f) == 0x6f) { /* jal */
		put(p, false,
		    (insn & 0xfff) | move(d, 12, 8, 12) | move(d, 11, 1, 20) |
			    move(d, 1, 10, 21) | move(d, 20, 1, 31));
		return 4;
	}
	/* auipc and jalr through the same register */
	if ((insn & 0x7f) == 0x17 && (next & 0x707f) == 0x67 &&
	    (next >> 15 & 31) == (insn >> 7 & 31)) {
		put(p, false, (insn & 0xfff) | (high & 0xfffff000));
		put(p + 4, false, (next & 0xfffff) | d << 20);
		return 8;
	}
	return 0;
}

/* j and jal replace the low 28 bits of the address; bc and balc count. */
static unsigned aim_mips(uint8_t *p, bool is_big, uint64_t addr,
			 uint64_t target)
{
	uint32_t insn = get(p, is_big), op = insn >> 26;

	if (op == 2 || op == 3)
		insn = op << 26 | (target / 4 & 0x03ffffff);
	else if (op == 0x32 || op == 0x3a)
		insn = op << 26 | ((target - addr - 4) / 4 & 0x03ffffff);
	else if (insn >> 16 == 0x0411 || insn >> 16 == 0x1000) /* bal, b */
		insn = (insn & 0xffff0000) | ((target - addr - 4) / 4 & 0xffff);
	else
		return 0;
	put(p, is_big, insn);
	return 4;
}

static unsigned aim_powerpc(uint8_t *p, bool is_big, uint64_t distance)
{
	uint32_t insn = get(p, is_big);
	uint64_t limit = insn >> 26 == 18 ? 1 << 25 : 1 << 15;

	/* Too far: it would go somewhere else. */
	if (distance + limit >= 2 * limit)
		return 0;
	if (insn >> 26 == 18) /* b, bl */
		insn = (insn & 0xfc000003) | (distance & 0x03fffffc);
	else if (insn >> 26 == 16) /* bc */
		insn = (insn & 0xffff0003) | (distance & 0xfffc);
	else
		return 0;
	put(p, is_big, insn);
	return 4;
}

static unsigned aim_sparc(uint8_t *p, uint64_t distance)
{
	uint32_t insn = get(p, true), words = distance / 4;

	if (insn >> 30 == 1) /* call */
		insn = 1u << 30 | (words & 0x3fffffff);
	else if ((insn & 0xc1c00000) == 0x00400000) /* bpcc: 19 bits */
		insn = (insn & 0xfff80000) | (words & 0x7ffff);
	else if ((insn & 0xc1c00000) == 0x00800000) /* bicc: 22 bits */
		insn = (insn & 0xffc00000) | (words & 0x3fffff);
	else
		return 0;
	put(p, true, insn);
	return 4;
}

static unsigned aim_loongarch(uint8_t *p, uint64_t distance)
{
	uint32_t insn = get(p, false), next = get(p + 4, false);
	uint32_t words = distance / 4, high = (words + 0x8000) >> 16;

	/* pcaddu18i and jirl through the same register */
	if (insn >> 25 == 0x0f && next >> 26 == 0x13 &&
	    (next >> 5 & 31) == (insn & 31)) {
		put(p, false, (insn & 0xfe00001f) | move(high, 0, 20, 5));
		put(p + 4, false, (next & 0xfc0003ff) | move(words, 0, 16, 10));
		return 8;
	}
	if (insn >> 27 != 0x0a) /* b, bl */
		return 0;
	put(p, false,
	    (insn & 0xfc000000) | (words & 0xffff) << 10 |
		    (words >> 16 & 0x3ff));
	return 4;
}

/*
 * Two halfwords: bl, blx, b.w, or b.w with a condition, which has fewer bits.
 * The distance of blx, which leaves Thumb, is one of multiples of 4.
 */
static unsigned aim_thumb(uint8_t *p, uint64_t addr, uint64_t target)
{
	uint32_t insn = get(p, false), high = insn & 0xffff, low = insn >> 16;
	bool is_blx = (low & 0xd000) == 0xc000;
	bool has_condition = (low & 0xd000) == 0x8000;
	uint32_t d = (target & ~1u) - ((addr & (is_blx ? ~3u : ~1u)) + 4);
	uint32_t sign = d >> 31, same = sign ^ 1;

	if (high >> 11 != 0x1e || !(low & 0x8000) ||
	    (has_condition && (high & 0x0380) == 0x0380))
		return 0;
	high = 0xf000 | sign << 10;
	if (has_condition)
		low = (low & 0xd000) | move(d, 18, 1, 13) | move(d, 19, 1, 11);
	else
		low = (low & 0xd000) | (move(d, 23, 1, 13) ^ same << 13) |
		      (move(d, 22, 1, 11) ^ same << 11);
	high |= has_condition ? (insn & 0x03c0) | move(d, 12, 6, 0)
			      : move(d, 12, 10, 0);
	put(p, false, high | (low | move(d, 1, 11, 0)) << 16);
	return 4;
}

/* Not Thumb, and where words of code are little-endian. */
static unsigned aim_arm(uint8_t *p, uint64_t distance)
{
	uint32_t insn = get(p, false);

	if ((insn & 0x0e000000) != 0x0a000000 || insn >> 28 == 15)
		return 0;
	put(p, false, (insn & 0xff000000) | ((distance - 8) / 4 & 0x00ffffff));
	return 4;
}

const char *mark_at(const struct elf *elf, uint64_t addr)
{
	const struct symbol_row *last = NULL;

	for (size_t i = 1; i < elf->nsymbols; i++) {
		const struct symbol_row *sym = &elf->symbols[i];

		if (sym->name[0] == '$' && sym->value <= addr &&
		    (last == NULL || sym->value >= last->value))
			last = sym;
	}
	return last != NULL ? last->name : "";
}

bool is_thumb(const struct elf *elf, uint64_t addr)
{
	return elf->machine == EM_ARM &&
	       strncmp(mark_at(elf, addr), "$t", 2) == 0;
}

unsigned aim_branch(const struct elf *elf, uint8_t *bytes, uint64_t addr,
		    uint64_t target)
{
	uint64_t distance = target - addr;

	switch (elf->machine) {
	case EM_386:
	case EM_X86_64:
		return aim_x86(bytes, distance);
	case EM_S390:
		return aim_s390(bytes, distance);
	case EM_AARCH64:
		return aim_aarch64(bytes, distance);
	case EM_RISCV:
		return aim_riscv(bytes, elf->is_64, distance);
	case EM_MIPS:
		return aim_mips(bytes, elf->is_big, addr, target);
	case EM_PPC:
	case EM_PPC64:
		return aim_powerpc(bytes, elf->is_big, distance);
	case EM_SPARCV9:
		return aim_sparc(bytes, distance);
	case EM_LOONGARCH:
		return aim_loongarch(bytes, distance);
	case EM_ARM:
		return is_thumb(elf, addr) ? aim_thumb(bytes, addr, target)
					   : aim_arm(bytes, distance);
	default:
		return 0;
	}
}

unsigned insn_step(const struct elf *elf)
{
	switch (elf->machine) {
	case EM_386:
	case EM_X86_64:
		return 1;
	case EM_S390:
	case EM_RISCV:
		return 2;
	default:
		return 4;
	}
}
