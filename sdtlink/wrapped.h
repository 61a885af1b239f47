/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line of --link and --cc, before its options are parsed. */
#ifndef SDTLINK_WRAPPED_H
#define SDTLINK_WRAPPED_H

#include <stdbool.h>

struct wrapped {
	char **program;	   /* what is to be run, ended by NULL; or NULL */
	const char *flags; /* SDTLINK_FLAGS, if it counts; not owned */
	char *all_flags;   /* with the options before --, quoted for a shell;
			    * owned */
	bool in_driver;	   /* called as a linker, by a compiler */
	char **owned;
	char *name; /* owned; NULL unless from the environment */
};

/*
 * Takes the program to run off *ARGV. It is behind --, or the command is called
 * sdtlink-ld or sdtlink-cc, or as the linker for which it stands. Then *ARGV is
 * another vector. Returns -1 if memory ran out, reported. Call wrapped_free at
 * the end.
 */
int wrapped_read(struct wrapped *w, int *argc, char ***argv);
void wrapped_free(struct wrapped *w);

#endif
