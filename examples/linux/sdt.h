/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes in Linux, include/linux/sdt.h: SDT_PROBE0 to 6 of <sdtlink/sdt.h>.
 *
 * The stubs come from the compiler: objtool and modpost see them before sdtlink
 * does, and they return as CONFIG_RETHUNK and CONFIG_SLS want it.  Instead of
 * SDT_PROBE_ENABLED and the branch form take static keys: text_poke_bp() cannot
 * write what a disabled SDT_PROBE_ENABLED is, and objtool does not know the
 * jumps of the branch form.
 */
#ifndef _LINUX_SDT_H
#define _LINUX_SDT_H

#ifdef CONFIG_SDT
#ifdef CONFIG_X86
#include <asm/linkage.h>
#define SDT_STUB ASM_RET
#elif defined(CONFIG_ARM64)
/* hint 34 is bti c.  Behind the ret is a trampoline: a handler can be far away. */
#define SDT_STUB "hint 34; ret; adrp x16, sdt_fired; " \
	"add x16, x16, :lo12:sdt_fired; br x16"
#else
/*
 * Here it is led to from both sides: see kernel/sdt/linux.c.  The nop makes it
 * longer than the stub that sdtlink would make.
 */
#define SDT_STUB_BEFORE ".option push; .option norvc; .option norelax; j .+8"
#define SDT_STUB "ret; tail sdt_fired; nop; .option pop"
#endif
#include <sdtlink/sdt.h>
#undef SDT_PROBE_ENABLED
#else
#define SDT_PROBE0(provider, name) do { } while (0)
#define SDT_PROBE1(provider, name, ...) do { } while (0)
#define SDT_PROBE2(provider, name, ...) do { } while (0)
#define SDT_PROBE3(provider, name, ...) do { } while (0)
#define SDT_PROBE4(provider, name, ...) do { } while (0)
#define SDT_PROBE5(provider, name, ...) do { } while (0)
#define SDT_PROBE6(provider, name, ...) do { } while (0)
#endif

#endif
