/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of instruction sets: one row each. */
#include <config.h>

#include <string.h>

#include "arch.h"

/* clang-format off */
static const struct arch *const arches[] = {
	&arch_aarch64,
	&arch_aarch64_be,
	&arch_arm,
	&arch_armeb,
	&arch_i386,
	&arch_loongarch64,
	&arch_mips,
	&arch_mips64,
	&arch_mips64el,
	&arch_mipsel,
	&arch_mipsn32,
	&arch_mipsn32el,
	&arch_ppc32,
	&arch_ppc64,
	&arch_ppc64le,
	&arch_ppc64v1,
	&arch_riscv32,
	&arch_riscv64,
	&arch_s390x,
	&arch_sparc64,
	&arch_x32,
	&arch_x86_64,
};
/* clang-format on */

#define NARCHES (sizeof(arches) / sizeof(arches[0]))

const struct arch *arch_find(uint16_t machine, bool is_64, bool is_big_endian,
			     uint32_t flags)
{
	for (size_t i = 0; i < NARCHES; i++)
		if (arches[i]->machine == machine &&
		    arches[i]->is_64 == is_64 &&
		    arches[i]->is_big_endian == is_big_endian &&
		    (flags & arches[i]->flags_mask) == arches[i]->flags)
			return arches[i];
	return NULL;
}

/* clang-format off */
/* By number: the elf.h of a host may not have them all. */
static const struct {
	uint16_t machine;
	const char *name;
	const char *remedy_32; /* for files of 32 bits */
} machines[] = {
	{ 2, "SPARC", "compile with -m64" },
	{ 3, "Intel 80386" },
	{ 4, "Motorola 68000" },
	{ 8, "MIPS" },
	{ 15, "HP PA-RISC" },
	{ 18, "SPARC V8+", "compile with -m64" },
	{ 20, "PowerPC" },
	{ 21, "64-bit PowerPC" },
	{ 22, "IBM S/390", "compile with -m64" },
	{ 40, "ARM" },
	{ 42, "Renesas SuperH" },
	{ 43, "SPARC V9" },
	{ 50, "Intel IA-64" },
	{ 62, "x86-64" },
	{ 75, "VAX" },
	{ 83, "AVR" },
	{ 88, "Mitsubishi M32R" },
	{ 92, "OpenRISC" },
	{ 93, "ARC" },
	{ 94, "Xtensa" },
	{ 105, "MSP430" },
	{ 106, "Blackfin" },
	{ 113, "Nios II" },
	{ 140, "TI C6000" },
	{ 164, "Hexagon" },
	{ 173, "Renesas RX" },
	{ 183, "AArch64", "compile with -mabi=lp64" },
	{ 189, "MicroBlaze" },
	{ 190, "CUDA" },
	{ 191, "TILE-Gx" },
	{ 195, "ARCv2" },
	{ 224, "AMD GPU" },
	{ 243, "RISC-V" },
	{ 247, "BPF" },
	{ 252, "C-SKY" },
	{ 258, "LoongArch" },
	{ 0x9026, "Alpha" },
	{ 0xbaab, "MicroBlaze" },
};
/* clang-format on */

const char *arch_machine_name(uint16_t machine, bool is_64, const char **remedy)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].machine == machine) {
			*remedy = is_64 ? NULL : machines[i].remedy_32;
			return machines[i].name;
		}
	return NULL;
}

const char *arch_names(void)
{
	return "aarch64, aarch64_be, arm, armeb, i386, loongarch64, mips, "
	       "mips64, mips64el, mipsel, mipsn32, mipsn32el, ppc32, ppc64, "
	       "ppc64le, ppc64v1, riscv32, riscv64, s390x, sparc64, x32, "
	       "x86_64";
}

void arch_each_reference(
	const struct arch *arch, const struct code *code, uint64_t low,
	uint64_t high,
	void (*branch)(void *ctx, uint64_t offset, const struct branch *branch),
	void (*operand)(void *ctx, uint64_t offset, uint64_t target), void *ctx)
{
	if (arch->each_both != NULL) {
		arch->each_both(arch, code, low, high, branch, operand, ctx);
		return;
	}
	arch->each_branch(arch, code, low, high, branch, ctx);
	if (arch->each_operand != NULL)
		arch->each_operand(arch, code, low, high, operand, ctx);
}

void arch_each_word_branch(const struct arch *arch, const struct code *code,
			   uint64_t low, uint64_t high,
			   void (*found)(void *ctx, uint64_t offset,
					 const struct branch *branch),
			   void *ctx)
{
	struct branch branch = { 0 };

	for (uint64_t i = -code->addr & 3; i + 4 <= code->size; i += 4)
		if (arch->decode_branch(arch, code, i, &branch) &&
		    branch.target >= low && branch.target <= high)
			found(ctx, i, &branch);
}

/* The last word is run if code gets there at all: its start does not matter. */
uint64_t arch_find_word_end(const struct code *code, uint64_t start,
			    uint64_t end, uint32_t (*read)(const uint8_t *p),
			    enum insn_flow (*flow)(uint32_t insn))
{
	enum insn_flow last = FLOW_FILLER;

	if (end > code->size || (code->addr + end) % 4 != 0)
		return NO_END;
	while (last == FLOW_FILLER && end >= start + 4) {
		last = flow(read(code->bytes + end - 4));
		end -= last == FLOW_FILLER ? 4 : 0;
	}
	return last == FLOW_AWAY ? end : NO_END;
}

static bool is_store_site(const struct arch *arch, enum site_form form,
			  bool is_enabled, uint8_t mode)
{
	static const uint8_t forms[] = {
		[FORM_CALL] = STORE_CALL,
		[FORM_TAIL] = STORE_TAIL,
		[FORM_COND] = STORE_COND,
		[FORM_BRANCH] = STORE_BRANCH,
	};

	return (mode & arch->mode_bits) == 0 &&
	       (arch->store_sites &
		(is_enabled ? STORE_ENABLED : forms[form])) != 0;
}

bool arch_reloc_has_slot(const struct arch *arch, uint32_t type)
{
	return arch_reloc_is_known(arch, type) &&
	       strstr(arch->relocs[type].name, "GOT") != NULL;
}

bool arch_one_store(const struct arch *arch, enum site_form form,
		    bool is_enabled, uint8_t mode, uint64_t addr,
		    unsigned length)
{
	return is_store_site(arch, form, is_enabled, mode) && length > 0 &&
	       addr % arch->store_width + length <= arch->store_width;
}

bool arch_one_store_is_known(const struct arch *arch, enum site_form form,
			     bool is_enabled, uint8_t mode, uint64_t align,
			     unsigned length)
{
	return !is_store_site(arch, form, is_enabled, mode) ||
	       (align != 0 &&
		(length > arch->store_width || align % arch->store_width == 0));
}

const char *arch_reloc_name(const struct arch *arch, uint32_t type)
{
	if (!arch_reloc_is_known(arch, type))
		return "of unknown type";
	return arch->relocs[type].name;
}
