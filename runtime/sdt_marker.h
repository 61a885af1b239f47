/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Simple markers, installed as <sdtlink/sdt_marker.h>: places in the source that
 * a tracer finds by the debug information, with nothing added to the code.
 *
 *	SDT_MARKER(receive, "len=%d from %p", len, from);
 *	SDT_MARKER_AT(receive, "len=%d from %p", len, from);
 *
 * A marker is a barrier: the compiler moves no access to memory across it.  The
 * arguments are not computed, and need not be anywhere; `sdtlink --markers' says
 * where they are, and warns of those, and of markers, that are gone.  The
 * compiler checks them against the format, a string literal, as for printf().
 *
 * SDT_MARKER leaves its address, name, file, line, format and arguments in the
 * section .debug_simple_marker.3, and with gcc all but the address, as strings, in
 * __simple_marker.3, too: that stays where gcc drops the code, unless it drops
 * the whole function, and sdtlink tells of it.  clang drops all with the code.
 * SDT_MARKER_AT leaves address, name, format and arguments in
 * .debug_simple_marker.2.
 * None of these sections is loaded.
 *
 * The format is one literal: "a" "b" is an error of the assembler.
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

/* From here on it is the header's own. */

/* clang-format off */
#if __SIZEOF_POINTER__ == 8
#define __sdt_marker_word " .balign 8\n .quad "
#else
#define __sdt_marker_word " .balign 4\n .long "
#endif

/* As the assembler wants it. */
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
 * To gcc, the section's name is text for the assembler: so it has no flags, and
 * those that gcc writes behind it are a comment.
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
