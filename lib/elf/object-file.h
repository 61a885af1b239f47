/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file under an object: how it is opened, and whether it is still what was
 * opened, while others write files. For object.c, and who copies files.
 *
 * A file is mapped where that is quick and safe, and copied otherwise. It is
 * safe if each change from now on shows in the file's times: nobody has it open
 * for writing, since the time of a write is that of its beginning, and that of
 * a store to a mapping is any; and the clock of the file system has gone on
 * since the last change.
 */
#ifndef SDTLINK_OBJECT_FILE_H
#define SDTLINK_OBJECT_FILE_H

#include <sys/stat.h>
#include <time.h>

#include "object.h"

/*
 * Files up to this size are read into memory, where nobody else changes them.
 * Larger ones are mapped, as little of what they hold is looked at; but PE is
 * made ELF of.
 */
#define OBJECT_COPIED_MAX (8 << 20)

/*
 * Opens OBJ->path and sets what OBJ knows of the file; OBJ->copy has its bytes,
 * or is NULL if OBJ->fd is to be mapped. Fails with a diagnostic if it cannot
 * be read, is empty, or no regular file.
 */
int object_file_open(struct diag *d, struct object *obj);

/* The clock that file systems take times from; it goes by milliseconds. */
struct timespec object_file_clock(void);
bool object_file_is_before(const struct timespec *a, const struct timespec *b);

/*
 * May somebody write to FD without a trace in its times? ST is what it was, and
 * BEFORE the clock before it was opened. For files that are copied elsewhere.
 */
bool object_file_may_be_written(int fd, const struct stat *st,
				const struct timespec *before);

/* Has the file the SIZE bytes at COPY? */
bool object_file_has_bytes(int fd, const void *copy, uint64_t size);

/* Once libelf is done with it. */
void object_file_close(struct object *obj);

#endif
