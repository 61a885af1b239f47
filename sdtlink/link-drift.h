/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --link --drift: what the linker read is kept, and once it is done, --drift
 * says what became of that. What was generated during the link, from bytecode,
 * is an input like any other.
 */
#ifndef SDTLINK_LINK_DRIFT_H
#define SDTLINK_LINK_DRIFT_H

#include <dirent.h>
#include <sys/types.h>
#include <time.h>

#include "command.h"

/* A file, as it was read. */
struct read_file {
	char *name; /* owned */
	dev_t device;
	ino_t inode;
	int fd; /* owned; of what was read in its place, if something was */
};

struct read_files {
	struct timespec start; /* of the link */
	struct read_file *items;
	size_t n;
	bool has_generated;
	/* Of lld, which does not open what it generates; NULL otherwise: */
	char *folder; /* where it is to put that; owned */
	DIR *listing; /* of it, before memory can end */
	char *option; /* that says so; owned */
	char **argv;  /* to run it with; owned */
};

/*
 * LINKER is about to run, with the words of PROGRAM if FILES has no others then.
 * Returns -1, diagnosed; read_files_free is due either way.
 */
int read_files_begin(struct diag *d, struct read_files *files,
		     const char *linker, char *const *program);

/* Keeps NAME, open as FD; INSTEAD is what was read in its place, or -1. */
int read_files_add(struct diag *d, struct read_files *files, const char *name,
		   int fd, int instead);

/*
 * The linker has ended: keeps what was generated, and leaves nothing of it in
 * the file system. Returns -1, diagnosed.
 */
int read_files_end(struct diag *d, struct read_files *files);
void read_files_free(struct read_files *files);

/* Prints what became of the files in OUTPUT; an exit status. */
int drift_linked(const struct command *cmd, struct report *report,
		 struct read_files *files, const char *output);

#endif
