/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command lines of linkers, as far as sdtlink must know them. */
#ifndef SDTLINK_LINKER_OPTIONS_H
#define SDTLINK_LINKER_OPTIONS_H

#include <stdbool.h>

struct linker_options {
	char *output;	 /* owned; NULL without memory */
	bool is_partial; /* -r: what is linked is linked again */
};

/* ARGV without the linker's name, ended by NULL. */
void linker_options_read(char *const *argv, struct linker_options *options);

/* Is NAME that of a linker, rather than of a compiler that runs one? */
bool is_linker_name(const char *name);

#endif
