/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file of an object: opens it, and says whether it has changed since,
 * while others write files. For object.c, and for code that copies files.
 *
 * A file is mapped where that is fast and safe, and copied otherwise. It is
 * safe if each later change shows in the file's times. For that, nobody may
 * have it open for writing: a write is dated when it begins, and a store to a
 * mapping at any time. And the file system's clock must have advanced since the
 * last change.
 */
#ifndef SDTLINK_OBJECT_FILE_H
#define SDTLINK_OBJECT_FILE_H

#include <sys/stat.h>
#include <time.h>

#include "object.h"

/*
 * Files up to this size are read into memory, where nobody else changes them.
 * Larger ones are mapped, as little of them is read. Large PE files are
 * converted to ELF, though.
 */
#define OBJECT_COPIED_MAX (8 << 20)

/*
 * Opens OBJ->path, and sets the members of OBJ about the file. OBJ->copy has
 * its bytes, or is NULL if OBJ->fd is to be mapped. Fails with a diagnostic if
 * the file cannot be read, is empty, or is not a regular file.
 */
int object_file_open(struct diag *d, struct object *obj);

/* The clock that file systems use for times. It advances by milliseconds. */
struct timespec object_file_clock(void);
bool object_file_is_before(const struct timespec *a, const struct timespec *b);

/*
 * Can somebody write to FD without a change of its times? ST is the file's
 * earlier state, and BEFORE the clock before it was opened. For files that are
 * copied elsewhere.
 */
bool object_file_may_be_written(int fd, const struct stat *st,
				const struct timespec *before);

/* Has the file the SIZE bytes at COPY? */
bool object_file_has_bytes(int fd, const void *copy, uint64_t size);

/* Once libelf is done with it. */
void object_file_close(struct object *obj);

#endif
