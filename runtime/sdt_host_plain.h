/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A host for the patcher, for text that is writable where it runs, and one CPU.
 * Most firmware is like that until the MMU protects its text.  See sdt(3).
 *
 *	extern char text_start[], text_end[];
 *
 *	static struct sdt_module firmware = {
 *		.name = "fw", .bounds = SDT_BOUNDS,
 *	};
 *
 *	firmware.text[0].start = (sdt_uptr)text_start;
 *	firmware.text[0].end = (sdt_uptr)text_end;
 *	if (sdt_plain_start(&control, &firmware, (sdt_uptr)probe_fired) != 0)
 *		...
 *
 * Compile sdt_host_plain.c, and the files that sdt_control.h names.
 */
#ifndef SDTLINK_SDT_HOST_PLAIN_H
#define SDTLINK_SDT_HOST_PLAIN_H

#pragma GCC system_header

#include "sdt_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Sets HOST up for the text of the modules of CONTROL.  Keep CONTROL.  It
 * writes with plain stores, and fails if they have no effect (flash).  Then it
 * does what the machine needs before it fetches new instructions.  On ARM that
 * uses coprocessor 15 (privileged), or the registers of Cortex-M.  On MIPS
 * before release 2 it uses the cache instruction (privileged).
 */
void sdt_host_plain(struct sdt_patch_host *host, struct sdt_control *control);

/*
 * Does all at once: zeroes CONTROL, sets its host to a plain one, of which the
 * program has one, and its handler to HANDLER, and adds MODULE.
 */
enum sdt_control_error sdt_plain_start(struct sdt_control *control,
				       struct sdt_module *module,
				       sdt_uptr handler);

#ifdef __cplusplus
}
#endif

#endif
