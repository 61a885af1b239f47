/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The host of the patcher for text that is writable where it runs, and one CPU:
 * most firmware, before the MMU protects it.  See sdt(3).
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
 * Beside what sdt_control.h names, needs sdt_host_plain.c.
 */
#ifndef SDTLINK_SDT_HOST_PLAIN_H
#define SDTLINK_SDT_HOST_PLAIN_H

#pragma GCC system_header

#include "sdt_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Makes HOST one whose text is that of the modules of CONTROL, which must stay.
 * It writes with plain stores, and fails where they have no effect (flash).
 * Then it does what the machine wants before new instructions are fetched: on
 * ARM by coprocessor 15 (privileged), or with the registers of Cortex-M; on
 * MIPS before release 2 with the cache instruction (privileged).
 */
void sdt_host_plain(struct sdt_patch_host *host, struct sdt_control *control);

/*
 * All in one: zeroes CONTROL, gives it a plain host of its own, one for the
 * whole program, and HANDLER; then sdt_control_add() of MODULE.
 */
enum sdt_control_error sdt_plain_start(struct sdt_control *control,
				       struct sdt_module *module,
				       sdt_uptr handler);

#ifdef __cplusplus
}
#endif

#endif
