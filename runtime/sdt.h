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

/*
 * The NOP that a jump of the same length can replace.  In C++, clang before 17
 * takes any label of a function for a target of every asm goto in it.
 */
/* clang-format off */
#if defined(__cplusplus) && defined(__clang__) && __clang_major__ < 17
#elif defined(__x86_64__) && defined(__LP64__)
#define __sdt_nop(label) label " .byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
#elif defined(__i386__)
#define __sdt_nop(label) label " .byte 0x3e, 0x8d, 0x74, 0x26, 0x00\n"
#elif (defined(__aarch64__) && defined(__LP64__)) || defined(__powerpc__)
#define __sdt_nop(label) label " nop\n"
#elif defined(__riscv)
/* Of 4 bytes, and aligned, so that one store can switch it. */
#define __sdt_nop(label)                                                       \
	" .balign 4\n" label " .option push\n .option norvc\n nop\n"          \
	" .option pop\n"
#endif
/* clang-format on */

/*
 * The branch form, on x86, AArch64, PowerPC and RISC-V, with asm goto (gcc, and
 * clang, for C++ from version 17 on): one NOP, which becomes a jump when the probe is enabled, to code that computes the
 * arguments and calls the probe function.  None of it runs before.
 *
 *	SDT_BRANCH_PROBE2(udp, receive, pkt, count(pkt));
 *	if (SDT_BRANCH(udp, receive)) {
 *		size_t n = count(pkt);
 *
 *		SDT_PROBE2(udp, receive, pkt, n);
 *	}
 *
 * So each has two sites, the NOP and the call, of one probe: who enables it
 * patches both.  SDT_BRANCH is an int, 0 or 1.  Needs sdtlink --inject.
 */
#ifdef __sdt_nop
#define SDT_BRANCH(provider, name) \
	__sdt_branch(__dtrace_sdt_##provider##___##name)
#define SDT_BRANCH_PROBE0(provider, name) \
	__sdt_branch_probe(__dtrace_sdt_##provider##___##name, (void), ())
#define SDT_BRANCH_PROBE1(provider, name, a0) \
	__sdt_branch_probe(__dtrace_sdt_##provider##___##name, (__sdt_arg), \
			   (__sdt_cast(a0)))
#define SDT_BRANCH_PROBE2(provider, name, a0, a1) \
	__sdt_branch_probe(__dtrace_sdt_##provider##___##name, \
			   (__sdt_arg, __sdt_arg), \
			   (__sdt_cast(a0), __sdt_cast(a1)))
#define SDT_BRANCH_PROBE3(provider, name, a0, a1, a2) \
	__sdt_branch_probe(__dtrace_sdt_##provider##___##name, \
			   (__sdt_arg, __sdt_arg, __sdt_arg), \
			   (__sdt_cast(a0), __sdt_cast(a1), __sdt_cast(a2)))
#define SDT_BRANCH_PROBE4(provider, name, a0, a1, a2, a3) \
	__sdt_branch_probe(__dtrace_sdt_##provider##___##name, \
			   (__sdt_arg, __sdt_arg, __sdt_arg, __sdt_arg), \
			   (__sdt_cast(a0), __sdt_cast(a1), __sdt_cast(a2), \
			    __sdt_cast(a3)))
#define SDT_BRANCH_PROBE5(provider, name, a0, a1, a2, a3, a4) \
	__sdt_branch_probe( \
		__dtrace_sdt_##provider##___##name, \
		(__sdt_arg, __sdt_arg, __sdt_arg, __sdt_arg, __sdt_arg), \
		(__sdt_cast(a0), __sdt_cast(a1), __sdt_cast(a2), \
		 __sdt_cast(a3), __sdt_cast(a4)))
#define SDT_BRANCH_PROBE6(provider, name, a0, a1, a2, a3, a4, a5) \
	__sdt_branch_probe(__dtrace_sdt_##provider##___##name, \
			   (__sdt_arg, __sdt_arg, __sdt_arg, __sdt_arg, \
			    __sdt_arg, __sdt_arg), \
			   (__sdt_cast(a0), __sdt_cast(a1), __sdt_cast(a2), \
			    __sdt_cast(a3), __sdt_cast(a4), __sdt_cast(a5)))
#endif

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

#define __sdt_branch_probe(fn, params, args) \
	do { \
		if (__sdt_branch(fn)) \
			__sdt_probe(fn, params, args); \
	} while (0)

/* clang-format off */
#if __SIZEOF_POINTER__ == 8
#define __sdt_word " .balign 8\n .quad "
#else
#define __sdt_word " .balign 4\n .long "
#endif

/*
 * sdtlink finds the NOP by the record, which the final link leaves out: the
 * probe function, the NOP, and where to jump.  It goes with its text (o), also
 * where that is one of several copies (?).
 */
#define __sdt_branch(fn)                                                       \
	__extension__({                                                        \
		__label__ __sdt_on;                                            \
		int __sdt_is_on = 0;                                           \
		__asm__ goto(__sdt_nop(".Lsdt%=:")                             \
			     " .hidden " #fn "\n"                              \
			     " .pushsection .sdt_branches, \"eo?\", "          \
			     "%%progbits, .Lsdt%=\n"                           \
			     __sdt_word #fn ", .Lsdt%=, %l0\n"                 \
			     " .popsection\n"                                  \
			     : : : : __sdt_on);                                \
		if (0) {                                                       \
		__sdt_on:                                                      \
			__sdt_is_on = 1;                                       \
		}                                                              \
		__builtin_expect(__sdt_is_on, 0);                              \
	})
/* clang-format on */

#endif
