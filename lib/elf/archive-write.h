/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SDTLINK_ARCHIVE_WRITE_H
#define SDTLINK_ARCHIVE_WRITE_H

#include "archive.h"

/* A member that is replaced. */
struct new_member {
	uint64_t offset; /* of the old one's bytes */
	int fd;		 /* its bytes, SIZE of them */
	uint64_t size;
};

/*
 * Writes a new form of the archive of SIZE bytes at BYTES to FD: its members in
 * their order, with the N MEMBERS replaced. archive_read must have accepted the
 * archive. The symbol table keeps its names, and gets the new offsets. Returns
 * -1 with errno: EFBIG if the symbol table cannot hold an offset, ENOTSUP if it
 * is BSD's.
 */
int archive_rewrite(const uint8_t *bytes, size_t size,
		    const struct new_member *members, size_t n, int fd);

#endif
