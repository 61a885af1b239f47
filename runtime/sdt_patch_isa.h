/* SPDX-License-Identifier: BSD-2-Clause */
/* What sdt_patch.c wants of an instruction set; not for others. */
#ifndef SDTLINK_SDT_PATCH_ISA_H
#define SDTLINK_SDT_PATCH_ISA_H

#include "sdt_patch.h"

#define SDT_ISA_SIZE_MAX 8

/* One more state: what sdtlink --nop makes of a site. */
#define SDT_ISA_NOP ((sdt_uptr)2)

/* Bytes that are compared and written; may read the first two. */
sdt_u32 sdt_isa_size(const struct sdt_site *site);

/*
 * Writes what SITE, which is text, holds in STATE to BYTES, given that it is in
 * state FROM now.  Returns SDT_PATCH_OK, SDT_PATCH_OUT_OF_RANGE, or
 * SDT_PATCH_OTHER_BYTES if it cannot be in either.
 */
enum sdt_patch_error sdt_isa_encode(const struct sdt_patch_host *host,
				    const struct sdt_site *site, sdt_uptr from,
				    sdt_uptr state, sdt_u8 *bytes);

/*
 * Makes BYTES of what SITE holds, which is OLD and another, while other CPUs
 * run: host->sync is not 0.
 */
enum sdt_patch_error sdt_isa_change(const struct sdt_patch_host *host,
				    const struct sdt_site *site,
				    const sdt_u8 *old, const sdt_u8 *bytes);

/* The address of the breakpoint behind which the CPU saved PC. */
sdt_uptr sdt_isa_trap_addr(sdt_uptr pc);

/* Lets REGS do what SITE does when it is off.  Returns whether it branches. */
int sdt_isa_emulate(const struct sdt_site *site, struct sdt_patch_regs *regs);

/* For the files of ISAs: are these N bytes the same? */
int sdt_patch_same(const sdt_u8 *a, const sdt_u8 *b, sdt_u32 n);

/* host->write() and host->flush().  Returns 0, or not 0. */
int sdt_patch_write(const struct sdt_patch_host *host, sdt_uptr addr,
		    const sdt_u8 *bytes, sdt_u32 len);

/*
 * One step of a change that other CPUs may see: makes BYTES of OLD at ADDR, and
 * calls host->sync(), unless they are the same.  Returns 0, or not 0.
 */
int sdt_patch_step(const struct sdt_patch_host *host, sdt_uptr addr,
		   const sdt_u8 *old, const sdt_u8 *bytes, sdt_u32 len);

#endif
