/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files about AArch64 share. */
#ifndef SDTLINK_AARCH64_H
#define SDTLINK_AARCH64_H

#include "arch.h"

#define AARCH64_NOP 0xd503201fu

bool aarch64_is_rewrite(const struct arch *arch, const uint8_t *before,
			const uint8_t *after, size_t size,
			const struct reloc *r, struct byte_range *range);
bool aarch64_is_for_nowhere(const struct arch *arch, const uint8_t *after,
			    const struct reloc *r);
bool aarch64_judge_part(const struct arch *arch, const struct reloc *relocs,
			size_t n, const struct code *before,
			const struct code *after, struct rewrite_part *part);
bool aarch64_is_redirect(const struct arch *arch, const struct code *before,
			 const struct code *after, uint64_t offset,
			 struct redirect *redirect);
unsigned aarch64_rewrite_reach(const struct arch *arch, uint32_t type);

#endif
