/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statically defined tracing probes, installed as <sdtlink/sdt.h>.
 *
 *	SDT_PROBE2(udp, receive, pkt, pkt->len);
 *	if (SDT_PROBE_ENABLED(udp, receive))
 *		...
 *
 * A probe is a plain call of a function that no source file defines.  Between
 * the partial and the final link, sdtlink makes the stubs and the table of
 * sites.  This needs gcc or clang (or a compiler that defines __UINTPTR_TYPE__
 * and __INTPTR_TYPE__ and accepts asm labels), C89 or C++98 or newer, and no
 * other header.  In templates (g++) and anonymous namespaces, define
 * SDT_DECLARED before the #include, and declare each probe: see below.
 *
 * - PROVIDER and NAME are pasted as written, even if they are macros: gnu11
 *   defines `linux' and `unix', and kernels define `current' and `noinstr'.  So
 *   the outermost macro must paste.  If you wrap these macros in one of your
 *   own, paste there, and do not pass names on.
 * - PROVIDER must not be `enabled' or begin with `enabled_', as is-enabled
 *   functions do.  (That is an error, but not in C++ before C++11.)  It must
 *   not end in an underscore, or contain three in a row.
 * - A double underscore in NAME means `-': wake__up is sched:::wake-up.
 * - An argument is an integer or a pointer.  It is passed as one integer of the
 *   width of a pointer: narrower signed ones are sign-extended, wider ones are
 *   cut.  A floating type is converted as to intptr_t.  All sites of a probe
 *   must pass the same number of arguments.
 * - The source file, the line, and the arguments' names and types are in the
 *   section .debug.sdt_args, for sdtlink --dump.  It is not loaded, and needs
 *   no instruction.  -DSDT_NO_METADATA omits it.
 * - -DSDT_NO_PROBES compiles all probes away, for a build without sdtlink: what
 *   is then left of a probe is that the compiler checks its arguments.  They
 *   are not computed.  SDT_PROBE_ENABLED() and SDT_BRANCH() are 0.
 * - Arguments are computed even while the probe is disabled.  Put costly ones
 *   under SDT_PROBE_ENABLED(), an int that is 0 until somebody enables it.
 * - Define SDT_STUB, a string of instructions that return, and the compiler's
 *   output contains the stubs, weak and hidden.  sdtlink makes none then.  That
 *   is for tools that read the object before sdtlink does, for kernels with a
 *   return of their own, and for a trampoline behind the stub (sdt_patch.h).
 *   SDT_STUB_BEFORE is put in front of each stub.  Not for is-enabled probes.
 */
#ifndef SDTLINK_SDT_H
#define SDTLINK_SDT_H

/* So users may enable any warning, wherever this file is. */
#pragma GCC system_header

#define SDT_PROBE0(provider, name) \
	__sdt_probe(__dtrace_sdt_##provider##___##name, 0, (), ())
#define SDT_PROBE1(provider, name, a0) \
	__sdt_probe(__dtrace_sdt_##provider##___##name, 1, (a0), (#a0))
#define SDT_PROBE2(provider, name, a0, a1) \
	__sdt_probe(__dtrace_sdt_##provider##___##name, 2, (a0, a1), (#a0, #a1))
#define SDT_PROBE3(provider, name, a0, a1, a2) \
	__sdt_probe(__dtrace_sdt_##provider##___##name, 3, (a0, a1, a2), \
		    (#a0, #a1, #a2))
#define SDT_PROBE4(provider, name, a0, a1, a2, a3) \
	__sdt_probe(__dtrace_sdt_##provider##___##name, 4, (a0, a1, a2, a3), \
		    (#a0, #a1, #a2, #a3))
#define SDT_PROBE5(provider, name, a0, a1, a2, a3, a4) \
	__sdt_probe(__dtrace_sdt_##provider##___##name, 5, \
		    (a0, a1, a2, a3, a4), (#a0, #a1, #a2, #a3, #a4))
#define SDT_PROBE6(provider, name, a0, a1, a2, a3, a4, a5) \
	__sdt_probe(__dtrace_sdt_##provider##___##name, 6, \
		    (a0, a1, a2, a3, a4, a5), (#a0, #a1, #a2, #a3, #a4, #a5))

#define SDT_PROBE_ENABLED(provider, name) \
	__sdt_enabled(__dtrace_sdt_enabled_##provider##___##name)

/*
 * The NOP that a jump of the same length can replace.  In C++, clang before 17
 * takes any label of a function for a target of every asm goto in it.
 */
/* clang-format off */
#if defined(__cplusplus) && defined(__clang__) && __clang_major__ < 17
#elif defined(__x86_64__)
#define __sdt_nop(label) label " .byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
#elif defined(__i386__)
#define __sdt_nop(label) label " .byte 0x3e, 0x8d, 0x74, 0x26, 0x00\n"
#elif (defined(__aarch64__) && defined(__LP64__)) || \
	defined(__powerpc__) || defined(__loongarch64) || \
	(defined(__sparc__) && defined(__arch64__)) || \
	(defined(__arm__) && !defined(__thumb__) && __ARM_ARCH >= 7)
#define __sdt_nop(label) label " nop\n"
#elif defined(__thumb2__)
#define __sdt_nop(label) label " nop.w\n"
#elif defined(__mips__) && !defined(__mips16) && !defined(__mips_micromips)
/* One more, for the delay slot of the jump. */
#define __sdt_nop(label)                                                       \
	" .set push\n .set noreorder\n" label " nop\n nop\n .set pop\n"
#elif defined(__s390x__)
#define __sdt_nop(label) label " brcl 0, .\n"
#elif defined(__riscv)
/* 4 bytes, and aligned, so that one store can switch it. */
#define __sdt_nop(label)                                                       \
	" .balign 4\n" label " .option push\n .option norvc\n nop\n"          \
	" .option pop\n"
#endif
/* clang-format on */

/*
 * The branch form.  It needs asm goto (gcc; clang, for C++ from version 17 on),
 * and does not work on ARM before ARMv7, or in Thumb without Thumb-2.  A site
 * is one NOP (two on MIPS).  If the probe is enabled, it becomes a jump to code
 * that computes the arguments and calls the probe function.  Without that, none
 * of this code runs.
 *
 *	SDT_BRANCH_PROBE2(udp, receive, pkt, count(pkt));
 *	if (SDT_BRANCH(udp, receive)) {
 *		size_t n = count(pkt);
 *
 *		SDT_PROBE2(udp, receive, pkt, n);
 *	}
 *
 * Each of these has two sites of one probe, the NOP and the call.  To enable
 * it, patch both.  SDT_BRANCH is an int, 0 or 1.
 */
#ifdef __sdt_nop
#define SDT_BRANCH(provider, name) \
	__sdt_branch(__dtrace_sdt_##provider##___##name)
#define SDT_BRANCH_PROBE0(provider, name) \
	__sdt_branch_probe(__dtrace_sdt_##provider##___##name, 0, (), ())
#define SDT_BRANCH_PROBE1(provider, name, a0) \
	__sdt_branch_probe(__dtrace_sdt_##provider##___##name, 1, (a0), (#a0))
#define SDT_BRANCH_PROBE2(provider, name, a0, a1) \
	__sdt_branch_probe(__dtrace_sdt_##provider##___##name, 2, (a0, a1), \
			   (#a0, #a1))
#define SDT_BRANCH_PROBE3(provider, name, a0, a1, a2) \
	__sdt_branch_probe(__dtrace_sdt_##provider##___##name, 3, \
			   (a0, a1, a2), (#a0, #a1, #a2))
#define SDT_BRANCH_PROBE4(provider, name, a0, a1, a2, a3) \
	__sdt_branch_probe(__dtrace_sdt_##provider##___##name, 4, \
			   (a0, a1, a2, a3), (#a0, #a1, #a2, #a3))
#define SDT_BRANCH_PROBE5(provider, name, a0, a1, a2, a3, a4) \
	__sdt_branch_probe(__dtrace_sdt_##provider##___##name, 5, \
			   (a0, a1, a2, a3, a4), (#a0, #a1, #a2, #a3, #a4))
#define SDT_BRANCH_PROBE6(provider, name, a0, a1, a2, a3, a4, a5) \
	__sdt_branch_probe(__dtrace_sdt_##provider##___##name, 6, \
			   (a0, a1, a2, a3, a4, a5), \
			   (#a0, #a1, #a2, #a3, #a4, #a5))
#else
/* An error that says why.  To test before, use #ifdef SDT_BRANCH. */
#define SDT_BRANCH_PROBE0(provider, name) \
	((void)SDT_BRANCH_is_not_for_this_target_use_SDT_PROBE0)
#define SDT_BRANCH_PROBE1(provider, name, a0) \
	((void)SDT_BRANCH_is_not_for_this_target_use_SDT_PROBE1)
#define SDT_BRANCH_PROBE2(provider, name, a0, a1) \
	((void)SDT_BRANCH_is_not_for_this_target_use_SDT_PROBE2)
#define SDT_BRANCH_PROBE3(provider, name, a0, a1, a2) \
	((void)SDT_BRANCH_is_not_for_this_target_use_SDT_PROBE3)
#define SDT_BRANCH_PROBE4(provider, name, a0, a1, a2, a3) \
	((void)SDT_BRANCH_is_not_for_this_target_use_SDT_PROBE4)
#define SDT_BRANCH_PROBE5(provider, name, a0, a1, a2, a3, a4) \
	((void)SDT_BRANCH_is_not_for_this_target_use_SDT_PROBE5)
#define SDT_BRANCH_PROBE6(provider, name, a0, a1, a2, a3, a4, a5) \
	((void)SDT_BRANCH_is_not_for_this_target_use_SDT_PROBE6)
#endif

/* The rest is internal. */

#define __sdt_arg __UINTPTR_TYPE__
/*
 * C does not define the conversion of a negative floating value to an unsigned
 * type.
 */
#define __sdt_cast(arg) ((__sdt_arg)(__INTPTR_TYPE__)(arg))

/*
 * A probe declares its function where it is used.  In templates, g++ (12)
 * forgets the label of such a declaration, so the final link lacks a mangled
 * name.  In an anonymous namespace, compilers warn that nothing defines the
 * function.  With SDT_DECLARED, which is for the whole source file, probes do
 * not declare it:
 *
 *	#define SDT_DECLARED
 *	#include <sdtlink/sdt.h>
 *	SDT_DECLARE2(udp, receive);	outside of all namespaces
 *	SDT_DECLARE_ENABLED(udp, receive);
 *
 * The asm label keeps C++ from mangling the name.  The function is hidden,
 * since the stub is in the same image.  So the call is a direct branch even on
 * x86 with -fno-plt, where it would otherwise go through the GOT, which cannot
 * be a site.
 */
#ifndef SDT_DECLARED
#define __sdt_declare(type, fn, params) \
	__sdt_quiet extern type fn params __asm__(#fn) \
		__attribute__((__visibility__("hidden"), __nothrow__)); \
	__sdt_loud
#define __sdt_function(fn) fn
#else
#define __sdt_declare(type, fn, params)
#ifdef __cplusplus
#define __sdt_extern extern "C"
#define __sdt_function(fn) ::fn
#else
#define __sdt_extern extern
#define __sdt_function(fn) fn
#endif
#define __sdt_declare_here(type, fn, params) \
	__sdt_extern type fn params \
		__attribute__((__visibility__("hidden"), __nothrow__))
#define SDT_DECLARE0(provider, name) \
	__sdt_declare_here(void, __dtrace_sdt_##provider##___##name, \
			   __sdt_params0)
#define SDT_DECLARE1(provider, name) \
	__sdt_declare_here(void, __dtrace_sdt_##provider##___##name, \
			   __sdt_params1)
#define SDT_DECLARE2(provider, name) \
	__sdt_declare_here(void, __dtrace_sdt_##provider##___##name, \
			   __sdt_params2)
#define SDT_DECLARE3(provider, name) \
	__sdt_declare_here(void, __dtrace_sdt_##provider##___##name, \
			   __sdt_params3)
#define SDT_DECLARE4(provider, name) \
	__sdt_declare_here(void, __dtrace_sdt_##provider##___##name, \
			   __sdt_params4)
#define SDT_DECLARE5(provider, name) \
	__sdt_declare_here(void, __dtrace_sdt_##provider##___##name, \
			   __sdt_params5)
#define SDT_DECLARE6(provider, name) \
	__sdt_declare_here(void, __dtrace_sdt_##provider##___##name, \
			   __sdt_params6)
#define SDT_DECLARE_ENABLED(provider, name) \
	__sdt_declare_here(int, __dtrace_sdt_enabled_##provider##___##name, \
			   (void))
#endif

/* A plain probe must not have the name of an is-enabled function. */
#define __sdt_is_plain(fn) \
	(__builtin_strncmp(#fn, "__dtrace_sdt_enabled_", 21) != 0)
#define __sdt_advice \
	"an SDT provider must not be enabled, or begin with enabled_"
#if !defined(__cplusplus)
#define __sdt_check(fn) \
	__extension__ _Static_assert(__sdt_is_plain(fn), __sdt_advice);
#elif __cplusplus >= 201103L
#define __sdt_check(fn) static_assert(__sdt_is_plain(fn), __sdt_advice);
#else
#define __sdt_check(fn)
#endif

#ifdef SDT_NO_PROBES
/* Compilers drop this call without optimisation, too. */
#define __sdt_probe(fn, n, args, names) \
	do { \
		__sdt_check(fn) __sdt_declare(void, fn, __sdt_params##n) if (0) \
			__sdt_function(fn) __sdt_casts##n args; \
	} while (0)
#else
#define __sdt_probe(fn, n, args, names) \
	do { \
		__sdt_check(fn) __sdt_declare(void, fn, __sdt_params##n) \
			__sdt_note("SDC1", #fn, n, args, names) \
				__sdt_stub(#fn) \
					__sdt_function(fn) __sdt_casts##n args; \
	} while (0)
#endif

/*
 * Keep ( and { together: clang warns about a statement expression with a blank
 * between them.
 */
/* clang-format off */
#ifdef SDT_NO_PROBES
#define __sdt_enabled(fn)                                                      \
	__extension__({                                                        \
		__sdt_declare(int, fn, (void))                                 \
		0 ? __sdt_function(fn)() : 0;                                  \
	})
#else
#define __sdt_enabled(fn)                                                      \
	__extension__({                                                        \
		__sdt_declare(int, fn, (void))                                 \
		__sdt_note("SDC1", #fn, 0, (), ())                             \
		__builtin_expect(__sdt_function(fn)(), 0);                     \
	})
#endif

#define __sdt_params0 (void)
#define __sdt_params1 (__sdt_arg)
#define __sdt_params2 (__sdt_arg, __sdt_arg)
#define __sdt_params3 (__sdt_arg, __sdt_arg, __sdt_arg)
#define __sdt_params4 (__sdt_arg, __sdt_arg, __sdt_arg, __sdt_arg)
#define __sdt_params5 (__sdt_arg, __sdt_arg, __sdt_arg, __sdt_arg, __sdt_arg)
#define __sdt_params6 (__sdt_arg, __sdt_arg, __sdt_arg, __sdt_arg, __sdt_arg, __sdt_arg)

#define __sdt_casts0() ()
#define __sdt_casts1(a0) (__sdt_cast(a0))
#define __sdt_casts2(a0, a1) (__sdt_cast(a0), __sdt_cast(a1))
#define __sdt_casts3(a0, a1, a2) (__sdt_cast(a0), __sdt_cast(a1), __sdt_cast(a2))
#define __sdt_casts4(a0, a1, a2, a3) (__sdt_cast(a0), __sdt_cast(a1), __sdt_cast(a2), __sdt_cast(a3))
#define __sdt_casts5(a0, a1, a2, a3, a4) (__sdt_cast(a0), __sdt_cast(a1), __sdt_cast(a2), __sdt_cast(a3), __sdt_cast(a4))
#define __sdt_casts6(a0, a1, a2, a3, a4, a5) (__sdt_cast(a0), __sdt_cast(a1), __sdt_cast(a2), __sdt_cast(a3), __sdt_cast(a4), __sdt_cast(a5))

/* BSD kernels are compiled with these two warnings. */
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

#define __sdt_branch_probe(fn, n, args, names) \
	do { \
		if (__sdt_branch(fn)) \
			__sdt_probe(fn, n, args, names); \
	} while (0)

/* clang-format off */
#if __SIZEOF_POINTER__ == 8
#define __sdt_words " .balign 8\n .quad "
#else
#define __sdt_words " .balign 4\n .long "
#endif

/* In gcc, unlikely code may still take registers from the hot path. */
#ifdef __clang__
#define __sdt_cold
#else
#define __sdt_cold __attribute__((__cold__));
#endif

/*
 * sdtlink finds the NOP by this record, which the final link drops: the probe
 * function, the NOP, and the target of the jump.  It is dropped with its text
 * (o), and also works if that is one of several copies (?).
 */
#ifdef SDT_NO_PROBES
#define __sdt_branch(fn)                                                       \
	__extension__({                                                        \
		__sdt_check(fn)                                                \
		0;                                                             \
	})
#else
#define __sdt_branch(fn)                                                       \
	__extension__({                                                        \
		__label__ sdt_on;                                              \
		__sdt_check(fn)                                                \
		int __sdt_is_on = 0;                                           \
		__asm__ goto(__sdt_nop(".Lsdt%=:")                             \
			     " .hidden " #fn "\n"                              \
			     " .pushsection .sdt_branches, \"eo?\", "          \
			     "%%progbits, .Lsdt%=\n"                           \
			     __sdt_words #fn ", .Lsdt%=, %l0\n"                 \
			     " .popsection\n"                                  \
			     : : : : sdt_on);                                  \
		if (0) {                                                       \
		sdt_on: __sdt_cold                                           \
			__sdt_is_on = 1;                                       \
			__sdt_note("SDB1", #fn, 0, (), ())                     \
		}                                                              \
		__builtin_expect(__sdt_is_on, 0);                              \
	})
#endif

/*
 * Once in the assembler's input, for all places of the probe.  Not in
 * .text.unlikely itself: the surrounding function may be there.
 */
#ifdef SDT_STUB
#ifndef SDT_STUB_BEFORE
#define SDT_STUB_BEFORE ""
#endif
#define __sdt_stub(fn)                                                         \
	__asm__ __sdt_inline __volatile__(                                     \
		" .ifndef " fn "\n"                                            \
		" .pushsection .text.unlikely.sdt_stubs, \"ax\", %progbits\n"  \
		" .balign 4\n " SDT_STUB_BEFORE "\n"                           \
		" .weak " fn "\n .hidden " fn "\n"                            \
		" .type " fn ", %function\n"                                   \
		fn ": " SDT_STUB "\n .size " fn ", . - " fn "\n"               \
		" .popsection\n .endif\n");
#else
#define __sdt_stub(fn)
#endif

/*
 * Metadata, in two parts, one behind the other.  What comes from the source is
 * in a part without operands, in which neither % nor { has a meaning.  It must
 * not be where the compiler would see a change of memory, in the hot path of
 * the branch form.  The other part has a label, which is before the call, or at
 * the target of the NOP.
 */
#ifdef SDT_NO_METADATA
#define __sdt_note(kind, fn, n, args, names)
#else
#define __sdt_note(kind, fn, n, args, names)                                   \
	_Pragma("GCC diagnostic push")                                         \
	_Pragma("GCC diagnostic ignored \"-Woverlength-strings\"")             \
	__asm__ __sdt_inline __volatile__(                                     \
		" .pushsection .debug.sdt_args, \"?\", %progbits\n"            \
		" .balign 8\n"                                                \
		" .asciz \"SDN1\", \"" __sdt_quote_value(__LINE__) "\", "      \
		__sdt_quote_value(__FILE__) ", "                               \
		__sdt_names##n names "\"\"\n .popsection\n");                   \
	__asm__ __sdt_inline __volatile__(                                     \
		"771:\n .pushsection .debug.sdt_args, \"?\", %%progbits\n"     \
		" .balign 8\n .ascii \"" kind "\"\n"                           \
		__sdt_words "771b\n"                                           \
		" .asciz \"" __sdt_quote_value(__LINE__) "\", \"" fn "\"\n"    \
		__sdt_types##n args);                                          \
	_Pragma("GCC diagnostic pop")
#endif

/*
 * So that the compiler does not count it as long when it inlines.  Kernels
 * define inline and __inline__ as macros, but not this spelling.
 */
#if defined(__clang__) ? __clang_major__ >= 11 : __GNUC__ >= 9
#define __sdt_inline __inline
#else
#define __sdt_inline
#endif

/* Quoted for the assembler.  A string literal stays as it is. */
#define __sdt_quote_value(value) __sdt_quote(value)
#define __sdt_quote(value) #value

#define __sdt_names0()
#define __sdt_names1(a0) __sdt_quote(a0) ", "
#define __sdt_names2(a0, a1) __sdt_quote(a0) ", " __sdt_quote(a1) ", "
#define __sdt_names3(a0, a1, a2) __sdt_quote(a0) ", " __sdt_quote(a1) ", " __sdt_quote(a2) ", "
#define __sdt_names4(a0, a1, a2, a3) __sdt_quote(a0) ", " __sdt_quote(a1) ", " __sdt_quote(a2) ", " __sdt_quote(a3) ", "
#define __sdt_names5(a0, a1, a2, a3, a4) __sdt_quote(a0) ", " __sdt_quote(a1) ", " __sdt_quote(a2) ", " __sdt_quote(a3) ", " __sdt_quote(a4) ", "
#define __sdt_names6(a0, a1, a2, a3, a4, a5) __sdt_quote(a0) ", " __sdt_quote(a1) ", " __sdt_quote(a2) ", " __sdt_quote(a3) ", " __sdt_quote(a4) ", " __sdt_quote(a5) ", "

#define __sdt_types0()                                                         \
	" .byte 0\n .popsection\n" : : 
#define __sdt_types1(a0)                                                       \
	" .byte %c0, 0\n .popsection\n" : : "i"(__sdt_type(a0))
#define __sdt_types2(a0, a1)                                                   \
	" .byte %c0, %c1, 0\n .popsection\n" : : "i"(__sdt_type(a0)), "i"(__sdt_type(a1))
#define __sdt_types3(a0, a1, a2)                                               \
	" .byte %c0, %c1, %c2, 0\n .popsection\n" : : "i"(__sdt_type(a0)), "i"(__sdt_type(a1)), "i"(__sdt_type(a2))
#define __sdt_types4(a0, a1, a2, a3)                                           \
	" .byte %c0, %c1, %c2, %c3, 0\n .popsection\n" : : "i"(__sdt_type(a0)), "i"(__sdt_type(a1)), "i"(__sdt_type(a2)), "i"(__sdt_type(a3))
#define __sdt_types5(a0, a1, a2, a3, a4)                                       \
	" .byte %c0, %c1, %c2, %c3, %c4, 0\n .popsection\n" : : "i"(__sdt_type(a0)), "i"(__sdt_type(a1)), "i"(__sdt_type(a2)), "i"(__sdt_type(a3)), "i"(__sdt_type(a4))
#define __sdt_types6(a0, a1, a2, a3, a4, a5)                                   \
	" .byte %c0, %c1, %c2, %c3, %c4, %c5, 0\n .popsection\n" : : "i"(__sdt_type(a0)), "i"(__sdt_type(a1)), "i"(__sdt_type(a2)), "i"(__sdt_type(a3)), "i"(__sdt_type(a4)), "i"(__sdt_type(a5))

/*
 * The size of the type to which A is promoted, and 0x80 for a pointer, 0x40 for
 * a signed integer, or 0x20 if the language cannot tell.
 */
#define __sdt_type_bits(type)                                                  \
	((int)sizeof(type) | ((type)-1 < (type)1 ? 0x40 : 0))
#if !defined(__cplusplus)
#define __sdt_type(a)                                                          \
	(__builtin_classify_type(a) == 5                                       \
		 ? 0x80 | (int)sizeof(void *)                                  \
		 : __sdt_type_bits(                                            \
			   __typeof__(0 + __builtin_choose_expr(               \
				   __builtin_classify_type(a) == 5, 0, a))))
#elif __cplusplus < 201103L
#define __sdt_type(a) 0x20
#else
#define __sdt_type(a) (int)sizeof(*__sdt_type_of(a))
extern "C++" {
/* Of an enum, -1 may not be a value. */
template <typename type, bool = __is_enum(type)> struct __sdt_type_traits {
	enum { bits = __sdt_type_bits(type) };
};
template <typename type> struct __sdt_type_traits<type, true> {
	enum { bits = __sdt_type_bits(__underlying_type(type)) };
};
template <typename type> struct __sdt_type_traits<type *, false> {
	enum { bits = 0x80 | (int)sizeof(void *) };
};
template <> struct __sdt_type_traits<decltype(nullptr), false> {
	enum { bits = 0x80 | (int)sizeof(void *) };
};
template <typename type>
char (*__sdt_type_of(type))[__sdt_type_traits<type>::bits];
}
#endif
/* clang-format on */

#endif
