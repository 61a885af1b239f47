/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a linker reads instead of its inputs: objects with stubs and an anchored
 * table, alone or in archives. None of it has a name in the file system.
 */
#ifndef SDTLINK_SUBSTITUTE_H
#define SDTLINK_SUBSTITUTE_H

#include <sys/types.h>

#include "base/options.h"
#include "elf/object.h"

/* An object with probes, as it was when the linker opened it. */
struct substituted {
	char *name;  /* owned; of a member, its archive's name comes first */
	void *bytes; /* owned; NULL if OBJ has mapped a large file */
	struct object obj; /* checked */
	bool has_sites;
	bool has_function; /* of a probe, which then is no stub of ours */
};

/* A file that the linker opened. */
struct substitute {
	dev_t device;
	ino_t inode;
	int fd;	    /* what to read instead; -1 if it is read unchanged */
	char *link; /* its name if it has several: each is an input; owned */
};

struct substitutes {
	const struct options *options;
	const char *beside; /* large ones are where this file is; or NULL */
	void *files;	    /* a tree of struct substitute, see tsearch(3) */
	struct substituted **objects; /* each has an address for good */
	size_t nobjects;
	size_t nprobed; /* of them, that have sites */
};

/*
 * Words, one a line. If none of an object's string tables contains one of them,
 * the object is linked unchanged. NULL if words cannot say that. For free().
 */
char *substitute_words(const struct options *options);

/*
 * Decides what the linker reads instead of NAME, open as FD. Sets *INSTEAD to a
 * file that SET owns, or to -1 for NAME itself. Returns -1, diagnosed, if an
 * object cannot be injected. That includes members of archives. The linker may
 * not use such a member, but if it does, nothing shows it.
 */
int substitute_find(struct diag *d, struct substitutes *set, const char *name,
		    int fd, int *instead);

void substitutes_free(struct substitutes *set);

#endif
