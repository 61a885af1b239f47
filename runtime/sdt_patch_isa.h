/* SPDX-License-Identifier: BSD-2-Clause */
/* What sdt_patch.c needs from an instruction set.  Internal. */
#ifndef SDTLINK_SDT_PATCH_ISA_H
#define SDTLINK_SDT_PATCH_ISA_H

#include "sdt_patch.h"

#define SDT_ISA_SIZE_MAX 8

/* One more state: the form that sdtlink --nop wrote. */
#define SDT_ISA_NOP ((sdt_uptr)2)

/* The number of bytes to compare and write.  May read the first two. */
sdt_u32 sdt_isa_size(const struct sdt_site *site);

/*
 * Writes the bytes of SITE in STATE to BYTES.  SITE is text, and in state FROM.
 * Returns SDT_PATCH_OK, SDT_PATCH_OUT_OF_RANGE, or SDT_PATCH_OTHER_BYTES if it
 * cannot be in either state.
 */
enum sdt_patch_error sdt_isa_encode(const struct sdt_patch_host *host,
				    const struct sdt_site *site, sdt_uptr from,
				    sdt_uptr state, sdt_u8 *bytes);

/*
 * Changes SITE, which contains OLD, to BYTES, which differ, while other CPUs
 * run: host->sync is not 0.
 */
enum sdt_patch_error sdt_isa_change(const struct sdt_patch_host *host,
				    const struct sdt_site *site,
				    const sdt_u8 *old, const sdt_u8 *bytes);

/* The address of the breakpoint for which the CPU saved PC. */
sdt_uptr sdt_isa_trap_addr(sdt_uptr pc);

/* Changes REGS as SITE would if it is off.  Returns whether it branches. */
int sdt_isa_emulate(const struct sdt_site *site, struct sdt_patch_regs *regs);

/* For the files of ISAs: are these N bytes equal? */
int sdt_patch_same(const sdt_u8 *a, const sdt_u8 *b, sdt_u32 n);

/*
 * Calls host->write() and host->flush().  Returns 0, or another value on error.
 */
int sdt_patch_write(const struct sdt_patch_host *host, sdt_uptr addr,
		    const sdt_u8 *bytes, sdt_u32 len);

/*
 * One step of a change that other CPUs may see: changes OLD at ADDR to BYTES,
 * and calls host->sync(), unless they are equal.  Returns 0, or another value
 * on error.
 */
int sdt_patch_step(const struct sdt_patch_host *host, sdt_uptr addr,
		   const sdt_u8 *old, const sdt_u8 *bytes, sdt_u32 len);

#endif
