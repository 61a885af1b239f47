/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a linker reads instead of its inputs: objects, alone and in archives,
 * with stubs and anchored table. Nothing of it is in the file system.
 */
#ifndef SDTLINK_SUBSTITUTE_H
#define SDTLINK_SUBSTITUTE_H

#include <sys/types.h>

#include "base/options.h"
#include "elf/mentions.h"
#include "elf/object.h"

/* An object that has probes, as it was when the linker opened it. */
struct substituted {
	char *name;  /* owned; that of a member has its archive's before it */
	void *bytes; /* owned; NULL if OBJ has mapped a large file */
	struct object obj; /* checked */
	bool has_sites;
	bool has_function; /* of a probe, which then is no stub of ours */
};

/* A file that the linker opened. */
struct substitute {
	dev_t device;
	ino_t inode;
	int fd; /* what it is to read instead; -1 if it is to read that */
};

struct substitutes {
	const struct options *options;
	struct substitute *files;
	size_t nfiles;
	struct substituted **objects; /* each has an address for good */
	size_t nobjects;
	size_t nprobed; /* of them, that have sites */
};

/*
 * Does the file of SIZE bytes at BYTES need a look, for probes? Of bytecode,
 * only strings are known.
 */
enum mentions substitute_mentions(const struct options *options, void *bytes,
				  size_t size);

/*
 * Words, one a line: an object, none of whose string tables has one of them, is
 * linked as it is. NULL if no words say that. For free().
 */
char *substitute_words(const struct options *options);

/*
 * What the linker is to read instead of NAME, open as FD: *INSTEAD, which
 * belongs to SET, or -1 if that is NAME itself. Returns -1, diagnosed, if an
 * object cannot be injected. A member of an archive that cannot is no better,
 * though the linker may have no use for it: if it has, nothing tells.
 */
int substitute_find(struct diag *d, struct substitutes *set, const char *name,
		    int fd, int *instead);

void substitutes_free(struct substitutes *set);

#endif
