/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --link --drift: keeps what the linker reads. After the link, --drift shows
 * what became of it. Code that was generated from bytecode during the link is
 * an input like any other.
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
	int fd; /* owned; of what was read instead, if any */
};

struct read_files {
	struct timespec start; /* of the link */
	struct read_file *items;
	size_t n;
	bool has_generated;
	/* lld does not open the code that it generates; NULL for others */
	char *folder; /* where it is to put that; owned */
	DIR *listing; /* of it, before memory can end */
	char *option; /* that says so; owned */
	char **argv;  /* to run it with; owned */
};

/*
 * Call it before LINKER runs. It may replace the words of PROGRAM by those in
 * FILES. Returns -1, diagnosed. Call read_files_free either way.
 */
int read_files_begin(struct diag *d, struct read_files *files,
		     const char *linker, char *const *program);

/* Keeps NAME, open as FD. INSTEAD is what was read in its place, or -1. */
int read_files_add(struct diag *d, struct read_files *files, const char *name,
		   int fd, int instead);

/*
 * Call it after the linker has ended. Keeps generated code, and removes it from
 * the file system. Returns -1, diagnosed.
 */
int read_files_end(struct diag *d, struct read_files *files);
void read_files_free(struct read_files *files);

/* Prints what became of the files in OUTPUT. Returns an exit status. */
int drift_linked(const struct command *cmd, struct report *report,
		 struct read_files *files, const char *output);

#endif
