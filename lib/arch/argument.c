/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The psABIs: System V for i386 and x86-64 (also x32), AAPCS64, AAPCS32,
 * LoongArch ELF psABI, MIPS o32 and n32/n64, the 64-bit ELF V1 and V2 and the
 * 32-bit one of Power, RISC-V ELF psABI, ELF for s390x, SPARC Compliance
 * Definition. Operands are as gcc prints %0 for a register or a place in
 * memory.
 */
#include <config.h>

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "argument.h"
#include "arm.h"
#include "insn.h"

struct argument_desc {
	const char *reg; /* before the number; NULL on x86 */
	uint8_t first;	 /* number of the first */
	uint8_t nregs;
	uint8_t stack;	/* distance from the stack pointer to the first stack
			 * argument */
	uint8_t pushed; /* added to that at a tail call: the return address */
	const char *before, *behind; /* of that distance */
	const char *zero;	     /* instead of them where it is 0 */
};

/* clang-format off */
#define AARCH64 .reg = "x", .nregs = 8
#define ARM .reg = "r", .nregs = 4, \
	.before = "[sp, #", .behind = "]", .zero = "[sp]"
#define O32 .reg = "$", .first = 4, .nregs = 4, \
	.stack = 16, .before = "", .behind = "($sp)"
#define N32 .reg = "$", .first = 4, .nregs = 8
#define N64 .reg = "$", .first = 4, .nregs = 8
#define PPC .reg = "", .first = 3, .nregs = 8
#define RISCV .reg = "a", .nregs = 8

static const struct argument_desc desc_aarch64 = { AARCH64 };
static const struct argument_desc desc_aarch64_be = { AARCH64 };
static const struct argument_desc desc_arm = { ARM };
static const struct argument_desc desc_armeb = { ARM };
static const struct argument_desc desc_i386 = {
	.pushed = 4, .before = "", .behind = "(%esp)", .zero = "(%esp)",
};
static const struct argument_desc desc_loongarch64 = {
	.reg = "$r", .first = 4, .nregs = 8,
};
static const struct argument_desc desc_mips = { O32 };
static const struct argument_desc desc_mipsel = { O32 };
static const struct argument_desc desc_mipsn32 = { N32 };
static const struct argument_desc desc_mipsn32el = { N32 };
static const struct argument_desc desc_mips64 = { N64 };
static const struct argument_desc desc_mips64el = { N64 };
static const struct argument_desc desc_ppc32 = { PPC };
static const struct argument_desc desc_ppc64 = { PPC };
static const struct argument_desc desc_ppc64le = { PPC };
static const struct argument_desc desc_ppc64v1 = { PPC };
static const struct argument_desc desc_riscv32 = { RISCV };
static const struct argument_desc desc_riscv64 = { RISCV };
static const struct argument_desc desc_s390x = {
	.reg = "%r", .first = 2, .nregs = 5,
	.stack = 160, .before = "", .behind = "(%r15)",
};
static const struct argument_desc desc_sparc64 = { .reg = "%o", .nregs = 6 };
static const struct argument_desc desc_x32 = { .nregs = 6 };
static const struct argument_desc desc_x86_64 = { .nregs = 6 };

/* A machine of list.h without one of these, or one misspelt, fails here. */
#define ROW(name) { #name, &desc_##name },
static const struct {
	const char *name; /* of the struct arch */
	const struct argument_desc *desc;
} descs[] = { ARCH_LIST(ROW) };
#undef ROW

/* By how many bytes of them count: 1, 2, 4, 8. */
static const char x86_regs[6][4][5] = {
	{ "%dil", "%di", "%edi", "%rdi" },
	{ "%sil", "%si", "%esi", "%rsi" },
	{ "%dl", "%dx", "%edx", "%rdx" },
	{ "%cl", "%cx", "%ecx", "%rcx" },
	{ "%r8b", "%r8w", "%r8d", "%r8" },
	{ "%r9b", "%r9w", "%r9d", "%r9" },
};
/* clang-format on */

static const struct argument_desc *find_desc(const struct arch *arch)
{
	size_t i = 0;

	while (strcmp(descs[i].name, arch->name) != 0)
		i++;
	return descs[i].desc;
}

/* In a big-endian word in memory, the lower bytes are the last ones. */
static unsigned stack_offset(const struct arch *arch,
			     const struct argument_desc *desc,
			     enum site_form form, unsigned i, unsigned width)
{
	unsigned word = arch->is_64 ? 8 : 4;
	unsigned offset = desc->stack + (i - desc->nregs) * word;

	if (form == FORM_TAIL)
		offset += desc->pushed;
	return arch->is_big_endian ? offset + word - width : offset;
}

static void put_place(const struct argument_desc *desc, unsigned offset,
		      char text[ARGUMENT_MAX])
{
	if (offset == 0)
		snprintf(text, ARGUMENT_MAX, "%s", desc->zero);
	else
		snprintf(text, ARGUMENT_MAX, "%s%u%s", desc->before, offset,
			 desc->behind);
}

void arch_argument(const struct arch *arch, enum site_form form, unsigned i,
		   unsigned width, char text[ARGUMENT_MAX])
{
	const struct argument_desc *desc = find_desc(arch);
	unsigned log = width == 8 ? 3 : width / 2;

	if (i >= desc->nregs)
		put_place(desc, stack_offset(arch, desc, form, i, width), text);
	else if (desc->reg == NULL)
		snprintf(text, ARGUMENT_MAX, "%s", x86_regs[i][log]);
	else
		snprintf(text, ARGUMENT_MAX, "%s%u", desc->reg,
			 desc->first + i);
}

bool arch_argument_is_set(const struct arch *arch, const struct code *code,
			  uint64_t offset, unsigned length)
{
	uint8_t nop[DISABLED_MAX];
	uint64_t slot = offset + length;

	if (arch->delay_slot == 0)
		return true;
	/* What disables a call is the NOP itself. */
	return code->size >= slot && code->size - slot >= arch->delay_slot &&
	       arch->disable(arch, FORM_CALL, false, code, offset, nop) ==
		       arch->delay_slot &&
	       memcmp(code->bytes + slot, nop, arch->delay_slot) == 0;
}

/* --- ARM --------------------------------------------------------------- */

/*
 * If there is an IT at AT, is the instruction at OFFSET in its block? The
 * position of the lowest 1 in its mask gives the number of instructions, up to
 * 4.
 */
static bool is_in_it(const struct arch *arch, const struct code *code,
		     uint64_t at, uint64_t offset)
{
	uint32_t it = thumb_half(arch, code->bytes + at);
	unsigned mask = it & 15, n = 4;

	if (it >> 8 != 0xbf || mask == 0)
		return false;
	for (; (mask & 1) == 0; mask >>= 1)
		n--;
	for (at += 2; n > 0 && at < offset; n--)
		at += thumb_is_wide(thumb_half(arch, code->bytes + at)) ? 4 : 2;
	return n > 0 && at == offset;
}

/* The longest way from an IT: itself and three instructions of 4 bytes. */
#define IT_REACH 14

static bool is_in_block(const struct arch *arch, const struct code *code,
			uint64_t offset)
{
	for (uint64_t back = 2; back <= IT_REACH && back <= offset; back += 2)
		if (is_in_it(arch, code, offset - back, offset))
			return true;
	return false;
}

bool arch_call_is_conditional(const struct arch *arch, const struct code *code,
			      uint64_t offset)
{
	if (arch->machine != EM_ARM || code->size < 4 ||
	    offset > code->size - 4)
		return false;
	if (code_mode(code, offset) == THUMB)
		return is_in_block(arch, code, offset);
	return arch_insn(arch, code->bytes + offset) >> 28 < ARM_ALWAYS;
}
