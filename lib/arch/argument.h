/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The place of integer arguments in a calling convention, at the moment of the
 * call. It is written in gcc's syntax for operands of the assembler, which
 * tracers read in SystemTap's notes. It is not part of struct arch, since the
 * syntax belongs to other programs.
 */
#ifndef SDTLINK_ARCH_ARGUMENT_H
#define SDTLINK_ARCH_ARGUMENT_H

#include "arch.h"

#define ARGUMENT_MAX 24

/*
 * Writes the operand of argument I of a call or a tail call (FORM). Its lower
 * WIDTH bytes count: 1, 2, 4 or 8, but at most a word.
 */
void arch_argument(const struct arch *arch, enum site_form form, unsigned i,
		   unsigned width, char text[ARGUMENT_MAX]);

/*
 * Are all arguments set before the branch of LENGTH bytes at OFFSET of CODE
 * runs? If not, an instruction in its delay slot may set one.
 */
bool arch_argument_is_set(const struct arch *arch, const struct code *code,
			  uint64_t offset, unsigned length);

/* Does the call at OFFSET of CODE have a condition? Only ARM has such calls. */
bool arch_call_is_conditional(const struct arch *arch, const struct code *code,
			      uint64_t offset);

#endif
