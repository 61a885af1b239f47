/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The symbols of a stripped final, from the file that has them: where elfutils
 * and gdb look for it, or where the user says.
 */
#ifndef SDTLINK_DEBUG_FILE_H
#define SDTLINK_DEBUG_FILE_H

#include "lend.h"

struct debug_file {
	struct object obj;
	char *path; /* owned */
	struct lent lent;
};

/* How sure it is that a debug file is that of the final. */
enum belonging {
	BELONGS_NOT,
	BELONGS_MAYBE, /* nothing tells: no build ID, no CRC, no code */
	BELONGS,
};

/*
 * Lends OBJ, a checked final, the symbols of the file at PATH, or if that is
 * NULL, of one that is found by the build ID, or by name and CRC of
 * .gnu_debuglink; BELONGING is the least that will do. *FOUND says whether
 * there was one: if not, and PATH is not NULL, that is diagnosed. The debug
 * file stays open as long as OBJ.
 */
int debug_file_lend(struct diag *d, struct object *obj, const char *path,
		    enum belonging belonging, struct debug_file *file,
		    bool *found);
void debug_file_close(struct debug_file *file);

#endif
