/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of instruction sets: one row each. */
#include <config.h>

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

const char *arch_names(void)
{
	return "aarch64, aarch64_be, arm, armeb, i386, loongarch64, mips, "
	       "mips64, mips64el, mipsel, mipsn32, mipsn32el, ppc32, ppc64, "
	       "ppc64le, ppc64v1, riscv32, riscv64, s390x, sparc64, x32, "
	       "x86_64";
}

void arch_each_word_branch(const struct arch *arch, const struct code *code,
			   uint64_t low, uint64_t high,
			   void (*found)(void *ctx, uint64_t offset,
					 const struct branch *branch),
			   void *ctx)
{
	struct branch branch;

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

bool arch_one_store(const struct arch *arch, enum site_form form,
		    bool is_enabled, uint64_t addr, unsigned length)
{
	static const uint8_t forms[] = {
		[FORM_CALL] = STORE_CALL,
		[FORM_TAIL] = STORE_TAIL,
		[FORM_COND] = STORE_COND,
		[FORM_BRANCH] = STORE_BRANCH,
	};
	uint8_t site = is_enabled ? STORE_ENABLED : forms[form];

	return (arch->store_sites & site) != 0 && length > 0 &&
	       addr % arch->store_width + length <= arch->store_width;
}

const char *arch_reloc_name(const struct arch *arch, uint32_t type)
{
	if (!arch_reloc_is_known(arch, type))
		return "of unknown type";
	return arch->relocs[type].name;
}
