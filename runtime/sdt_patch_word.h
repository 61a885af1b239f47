/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What sdt_patch_word.c needs from an instruction set in which each site is one
 * aligned word.  Internal.
 */
#ifndef SDTLINK_SDT_PATCH_WORD_H
#define SDTLINK_SDT_PATCH_WORD_H

#include "sdt_patch_isa.h"

#define SDT_WORD_SIZE 4u

/* Are instructions big-endian? */
extern const int sdt_word_is_big_endian;

/*
 * Makes the branch of SITE to TARGET.  Parts that only the text has, such as a
 * condition, are taken from there.  They are the same in every state.
 */
enum sdt_patch_error sdt_word_branch(const struct sdt_patch_host *host,
				     const struct sdt_site *site,
				     sdt_uptr target, sdt_u32 *insn);

/*
 * Makes what sdtlink --nop writes for SITE.  Returns 0 if no single instruction
 * does that, and it stays with the stub.
 */
int sdt_word_nop(const struct sdt_patch_host *host, const struct sdt_site *site,
		 sdt_u32 *insn);

/* Makes the breakpoint of SITE.  Returns 0 if there is none. */
int sdt_word_trap(const struct sdt_patch_host *host,
		  const struct sdt_site *site, sdt_u32 *insn);

/*
 * Does the architecture let other CPUs execute INSN while one store changes it
 * to another such instruction?
 */
int sdt_word_is_patchable(sdt_u32 insn);

/* The word at ADDR, which is text. */
sdt_u32 sdt_word_get(sdt_uptr addr);

#endif
