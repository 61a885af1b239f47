/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gives a stripped final the symbols of its debug file. The user names that
 * file, or it is where elfutils and gdb look for it.
 */
#ifndef SDTLINK_DEBUG_FILE_H
#define SDTLINK_DEBUG_FILE_H

#include "lend.h"

struct debug_file {
	struct object obj;
	char *path; /* owned */
	struct lent lent;
};

/* How certain it is that a debug file belongs to the final. */
enum belonging {
	BELONGS_NOT,
	BELONGS_MAYBE, /* unknown: no build ID, no CRC, no code to compare */
	BELONGS,
};

/*
 * Lends OBJ, a checked final, the symbols of the file at PATH. If PATH is NULL,
 * the file is looked for by its build ID, then by the name and CRC in
 * .gnu_debuglink. A file that belongs less certainly than BELONGING is refused.
 * *FOUND says whether there was a file. Without one, the function fails with a
 * diagnostic if PATH is not NULL. The debug file stays open as long as OBJ.
 */
int debug_file_lend(struct diag *d, struct object *obj, const char *path,
		    enum belonging belonging, struct debug_file *file,
		    bool *found);
void debug_file_close(struct debug_file *file);

#endif
