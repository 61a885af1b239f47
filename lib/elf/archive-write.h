/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SDTLINK_ARCHIVE_WRITE_H
#define SDTLINK_ARCHIVE_WRITE_H

#include "archive.h"

/* What a member is to be instead. */
struct new_member {
	uint64_t offset; /* of the old one's bytes */
	int fd;		 /* its bytes, SIZE of them */
	uint64_t size;
};

/*
 * Writes the archive of SIZE bytes at BYTES, which archive_read accepts, to FD,
 * with N members, in its order, made anew. The table of its symbols names the
 * same ones, where they are now. Returns -1 with errno: EFBIG if that table
 * cannot hold where, ENOTSUP if it is BSD's.
 */
int archive_rewrite(const uint8_t *bytes, size_t size,
		    const struct new_member *members, size_t n, int fd);

#endif
