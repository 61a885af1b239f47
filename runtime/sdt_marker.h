/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Simple markers, installed as <sdtlink/sdt_marker.h>: places in the source
 * that a tracer finds by debug information.  They add nothing to the code.
 *
 *	SDT_MARKER(receive, "len=%d from %p", len, from);
 *	SDT_MARKER_AT(receive, "len=%d from %p", len, from);
 *
 * A marker is a barrier: the compiler moves no memory access across it.  The
 * arguments are not computed, and may be nowhere.  `sdtlink --markers' says
 * where they are, and warns about arguments and markers that are gone.  The
 * format must be a string literal.  The compiler checks the arguments against
 * it, as for printf().
 *
 * SDT_MARKER writes address, name, file, line, format and arguments to the
 * section .debug_simple_marker.3.  With gcc it also writes all but the address,
 * as strings, to __simple_marker.3.  If gcc drops the code, but not the whole
 * function, that stays, and sdtlink reports it.  clang drops both with the
 * code.  SDT_MARKER_AT writes address, name, format and arguments to
 * .debug_simple_marker.2.  None of these sections is loaded.
 *
 * The format must be one literal: the assembler rejects "a" "b".
 *
 * For gcc and clang, C99 and C++11 and newer, with GNU's variadic macros.
 */
#ifndef SDTLINK_SDT_MARKER_H
#define SDTLINK_SDT_MARKER_H

#pragma GCC system_header

#define SDT_MARKER(name, format, args...) \
	do { \
		__sdt_marker_check(format, ##args); \
		__sdt_marker_keep(#name, format, #args); \
		__sdt_marker_barrier(); \
		__asm__ __volatile__( \
			"772:\n .pushsection .debug_simple_marker.3, \"?\", %progbits\n" \
			__sdt_marker_word "772b\n" \
			" .asciz " __sdt_marker_quote(#name) ", " \
			__sdt_marker_quote(__FILE__) ", \"" \
			__sdt_marker_quote(__LINE__) "\", " \
			__sdt_marker_quote(format) ", " \
			__sdt_marker_quote(#args) "\n .popsection\n"); \
	} while (0)

#define SDT_MARKER_AT(name, format, args...) \
	do { \
		__sdt_marker_check(format, ##args); \
		__sdt_marker_barrier(); \
		__asm__ __volatile__( \
			"772:\n .pushsection .debug_simple_marker.2, \"?\", %progbits\n" \
			__sdt_marker_word "772b\n" \
			" .asciz " __sdt_marker_quote(#name) ", " \
			__sdt_marker_quote(format) ", " \
			__sdt_marker_quote(#args) "\n .popsection\n"); \
	} while (0)

/* The rest is internal. */

/* clang-format off */
#if __SIZEOF_POINTER__ == 8
#define __sdt_marker_word " .balign 8\n .quad "
#else
#define __sdt_marker_word " .balign 4\n .long "
#endif

/* Quoted for the assembler. */
#define __sdt_marker_quote(text) __sdt_marker_quote_it(text)
#define __sdt_marker_quote_it(text) #text

#define __sdt_marker_barrier() __asm__ __volatile__("" : : : "memory")

#ifdef __cplusplus
extern "C"
#endif
/* Nobody calls it. */
void __sdt_marker_printf(const char *, ...)
	__attribute__((__format__(__printf__, 1, 2)));

#define __sdt_marker_check(format, args...)                                    \
	do {                                                                   \
		if (0)                                                         \
			__sdt_marker_printf(format, ##args);                   \
	} while (0)

/*
 * gcc passes the section's name to the assembler unchanged.  So it ends the
 * flags itself, and makes a comment of the flags that gcc writes behind it.
 */
#ifndef __clang__
#define __sdt_marker_keep(name, format, args)                                  \
	static const char __sdt_marker_text[] __attribute__((__used__,         \
		__aligned__(1),                                                \
		__section__("__simple_marker.3,\"\",%progbits\n#"))) =         \
		name "\0" __FILE__ "\0" __sdt_marker_quote(__LINE__) "\0"      \
		format "\0" args
#else
#define __sdt_marker_keep(name, format, args) (void)0
#endif
/* clang-format on */

#endif
