/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a calling convention has integer arguments of a word when a function
 * is called, in the syntax of operands that gcc gives to the assembler: that is
 * what tracers read in SystemTap's notes. Apart from struct arch, since it is
 * other programs' syntax.
 */
#ifndef SDTLINK_ARCH_ARGUMENT_H
#define SDTLINK_ARCH_ARGUMENT_H

#include "arch.h"

#define ARGUMENT_MAX 24

/*
 * Writes the operand of argument I of a call or a tail call (FORM), of which
 * the lower WIDTH bytes count: 1, 2, 4 or 8, and no more than a word.
 */
void arch_argument(const struct arch *arch, enum site_form form, unsigned i,
		   unsigned width, char text[ARGUMENT_MAX]);

/*
 * Are all arguments there before the branch of LENGTH bytes at OFFSET of CODE
 * runs? Not if what is in its delay slot may still set one.
 */
bool arch_argument_is_set(const struct arch *arch, const struct code *code,
			  uint64_t offset, unsigned length);

/*
 * Does the call at OFFSET of CODE depend on a condition? Only instructions of
 * ARM do.
 */
bool arch_call_is_conditional(const struct arch *arch, const struct code *code,
			      uint64_t offset);

/* S + A in a word as wide as an address, aligned or not. */
uint32_t arch_reloc_word(const struct arch *arch);

#endif
