/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file under an object: how it is opened, and whether it is still what was
 * opened, while others write files. For object.c alone.
 *
 * A file is mapped where that is quick and safe, and copied otherwise. It is
 * safe if each change from now on shows in the file's times: nobody has it open
 * for writing, since the time of a write is that of its beginning, and that of
 * a store to a mapping is any; and the clock of the file system has gone on
 * since the last change.
 */
#ifndef SDTLINK_OBJECT_FILE_H
#define SDTLINK_OBJECT_FILE_H

#include "object.h"

/*
 * Opens OBJ->path and sets what OBJ knows of the file; OBJ->copy has its bytes,
 * or is NULL if OBJ->fd is to be mapped. Fails with a diagnostic if it cannot
 * be read, is empty, or no regular file.
 */
int object_file_open(struct diag *d, struct object *obj);

/* Once libelf is done with it. */
void object_file_close(struct object *obj);

#endif
