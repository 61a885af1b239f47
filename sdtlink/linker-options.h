/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of linkers' command lines that sdtlink must understand. */
#ifndef SDTLINK_LINKER_OPTIONS_H
#define SDTLINK_LINKER_OPTIONS_H

#include <stdbool.h>

#include "base/options.h"

struct linker_options {
	char *output;		 /* owned; NULL without memory */
	bool is_partial;	 /* -r: what is linked is linked again */
	bool is_data;		 /* what follows is: -b binary */
	struct string_list data; /* files that are put into the image as they
				  * are; owned, with their strings */
};

/* ARGV lacks the linker's name, and ends in NULL. */
void linker_options_read(char *const *argv, struct linker_options *options);
void linker_options_free(struct linker_options *options);

/* Is NAME that of a linker, as opposed to a compiler that runs one? */
bool is_linker_name(const char *name);
bool is_compiler_name(const char *name);

#endif
