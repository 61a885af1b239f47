/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statically defined tracing probes, installed as <sdtlink/sdt.h>.
 *
 *	SDT_PROBE2(udp, receive, pkt, pkt->len);
 *	if (SDT_PROBE_ENABLED(udp, receive))
 *		...
 *
 * A probe is a plain call of a function that no source file defines; sdtlink
 * makes the stubs and the table of sites between the partial and the final
 * link.  Needs gcc or clang (or what defines __UINTPTR_TYPE__ and takes asm
 * labels), C89 or C++98 and newer, and no other header.  Not in templates: g++
 * (12) forgets the label there, so that the final link lacks a mangled name.
 *
 * - PROVIDER and NAME are pasted as they are written, even where they are
 *   macros: `linux' and `unix' are in gnu11, `current' and `noinstr' in
 *   kernels.  Hence every paste stands in the outermost macro; a macro of your
 *   own around these must paste, too, not pass names on.
 * - A double underscore in NAME reads as `-': wake__up is sched:::wake-up.
 * - An argument is an integer or a pointer and is passed as one integer as
 *   wide as a pointer: narrower signed ones are sign-extended, wider ones are
 *   cut.  All sites of a probe pass the same number of arguments.
 * - Arguments are computed even while the probe is disabled.  Put costly ones
 *   under SDT_PROBE_ENABLED(), an int that is 0 until somebody enables it.
 */
#ifndef SDTLINK_SDT_H
#define SDTLINK_SDT_H

#define SDT_PROBE0(provider, name) \
	__sdt_probe(__dtrace_sdt_##provider##___##name, (void), ())
#define SDT_PROBE1(provider, name, a0) \
	__sdt_probe(__dtrace_sdt_##provider##___##name, (__sdt_arg), \
		    (__sdt_cast(a0)))
#define SDT_PROBE2(provider, name, a0, a1) \
	__sdt_probe(__dtrace_sdt_##provider##___##name, \
		    (__sdt_arg, __sdt_arg), (__sdt_cast(a0), __sdt_cast(a1)))
#define SDT_PROBE3(provider, name, a0, a1, a2) \
	__sdt_probe(__dtrace_sdt_##provider##___##name, \
		    (__sdt_arg, __sdt_arg, __sdt_arg), \
		    (__sdt_cast(a0), __sdt_cast(a1), __sdt_cast(a2)))
#define SDT_PROBE4(provider, name, a0, a1, a2, a3) \
	__sdt_probe(__dtrace_sdt_##provider##___##name, \
		    (__sdt_arg, __sdt_arg, __sdt_arg, __sdt_arg), \
		    (__sdt_cast(a0), __sdt_cast(a1), __sdt_cast(a2), \
		     __sdt_cast(a3)))
#define SDT_PROBE5(provider, name, a0, a1, a2, a3, a4) \
	__sdt_probe(__dtrace_sdt_##provider##___##name, \
		    (__sdt_arg, __sdt_arg, __sdt_arg, __sdt_arg, __sdt_arg), \
		    (__sdt_cast(a0), __sdt_cast(a1), __sdt_cast(a2), \
		     __sdt_cast(a3), __sdt_cast(a4)))
#define SDT_PROBE6(provider, name, a0, a1, a2, a3, a4, a5) \
	__sdt_probe(__dtrace_sdt_##provider##___##name, \
		    (__sdt_arg, __sdt_arg, __sdt_arg, __sdt_arg, __sdt_arg, \
		     __sdt_arg), \
		    (__sdt_cast(a0), __sdt_cast(a1), __sdt_cast(a2), \
		     __sdt_cast(a3), __sdt_cast(a4), __sdt_cast(a5)))

#define SDT_PROBE_ENABLED(provider, name) \
	__sdt_enabled(__dtrace_sdt_enabled_##provider##___##name)

/* From here on it is the header's own. */

#define __sdt_arg __UINTPTR_TYPE__
#define __sdt_cast(arg) ((__sdt_arg)(arg))

/*
 * The asm label keeps C++ from mangling the name.  Hidden, because the stub is
 * in the same image: so the call is a direct branch on x86 even with -fno-plt,
 * where it would go through the GOT, which cannot be a site.
 */
#define __sdt_declare(type, fn, params) \
	__sdt_quiet extern type fn params __asm__(#fn) \
		__attribute__((__visibility__("hidden"), __nothrow__)); \
	__sdt_loud

#define __sdt_probe(fn, params, args) \
	do { \
		__sdt_declare(void, fn, params) fn args; \
	} while (0)

/* Parted from {, the ( of a statement expression makes clang warn. */
/* clang-format off */
#define __sdt_enabled(fn)                                                      \
	__extension__({                                                        \
		__sdt_declare(int, fn, (void)) __builtin_expect(fn(), 0);      \
	})

/* BSD kernels are compiled with these two warnings on. */
#ifdef __cplusplus
#define __sdt_quiet                                                            \
	_Pragma("GCC diagnostic push")                                         \
	_Pragma("GCC diagnostic ignored \"-Wredundant-decls\"")
#else
#define __sdt_quiet                                                            \
	_Pragma("GCC diagnostic push")                                         \
	_Pragma("GCC diagnostic ignored \"-Wredundant-decls\"")                \
	_Pragma("GCC diagnostic ignored \"-Wnested-externs\"")
#endif
#define __sdt_loud _Pragma("GCC diagnostic pop")
/* clang-format on */

#endif
