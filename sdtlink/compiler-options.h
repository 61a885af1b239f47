/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of compilers' command lines that sdtlink must understand. */
#ifndef SDTLINK_COMPILER_OPTIONS_H
#define SDTLINK_COMPILER_OPTIONS_H

#include <stdbool.h>

#include "base/options.h"

struct compilation {
	struct string_list objects; /* that -c writes; owned */
	bool links; /* compiles sources, and links what it made of them */
};

/*
 * What a compiler with these arguments does. ARGV lacks the compiler's name and
 * ends in NULL. Call compilation_free at the end.
 */
void compilation_read(char *const *argv, struct compilation *c);
void compilation_free(struct compilation *c);

#endif
