/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of compilers' command lines that sdtlink must understand. */
#ifndef SDTLINK_COMPILER_OPTIONS_H
#define SDTLINK_COMPILER_OPTIONS_H

/*
 * The object that a compiler with these arguments writes. ARGV lacks the
 * compiler's name and ends in NULL. For free(). NULL if it writes none,
 * several, or something else.
 */
char *compiler_object(char *const *argv);

#endif
