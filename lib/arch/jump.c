/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machines of --check-jump. */
#include <config.h>

#include "jump.h"

const struct jump_isa *jump_isa_find(const struct arch *arch)
{
	static const struct jump_isa *const isas[] = {
		&jump_isa_aarch64,   &jump_isa_arm,    &jump_isa_i386,
		&jump_isa_loongarch, &jump_isa_mips,   &jump_isa_ppc,
		&jump_isa_ppc64,     &jump_isa_riscv,  &jump_isa_s390x,
		&jump_isa_sparc64,   &jump_isa_x86_64,
	};

	for (size_t i = 0; i < sizeof(isas) / sizeof(isas[0]); i++)
		if (isas[i]->machine == arch->machine)
			return isas[i];
	return NULL;
}
