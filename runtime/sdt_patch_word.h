/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What sdt_patch_word.c wants of an instruction set whose sites are each one
 * aligned word; not for others.
 */
#ifndef SDTLINK_SDT_PATCH_WORD_H
#define SDTLINK_SDT_PATCH_WORD_H

#include "sdt_patch_isa.h"

#define SDT_WORD_SIZE 4u

/* Are instructions big-endian? */
extern const int sdt_word_is_big_endian;

/*
 * The branch of SITE to TARGET.  What only the text tells of it, such as a
 * condition, is taken from there: it is the same in every state.
 */
enum sdt_patch_error sdt_word_branch(const struct sdt_patch_host *host,
				     const struct sdt_site *site,
				     sdt_uptr target, sdt_u32 *insn);

/*
 * What sdtlink --nop makes of SITE.  Returns 0 if no one instruction does that,
 * and it stays with the stub.
 */
int sdt_word_nop(const struct sdt_patch_host *host, const struct sdt_site *site,
		 sdt_u32 *insn);

/* The breakpoint of SITE.  Returns 0 if there is none. */
int sdt_word_trap(const struct sdt_patch_host *host,
		  const struct sdt_site *site, sdt_u32 *insn);

/*
 * Does the architecture let other CPUs execute INSN while one store makes
 * another such instruction of it?
 */
int sdt_word_is_patchable(sdt_u32 insn);

/* The word at ADDR, which is text. */
sdt_u32 sdt_word_get(sdt_uptr addr);

#endif
