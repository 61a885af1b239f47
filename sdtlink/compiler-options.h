/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command lines of compilers, as far as sdtlink must know them. */
#ifndef SDTLINK_COMPILER_OPTIONS_H
#define SDTLINK_COMPILER_OPTIONS_H

/*
 * The object that a compiler with these arguments writes, without its name and
 * ended by NULL; for free(). NULL if it writes none or several, or something
 * else.
 */
char *compiler_object(char *const *argv);

#endif
