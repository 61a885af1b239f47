/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The members of an archive as ar writes it: the GNU, BSD and thin formats. */
#ifndef SDTLINK_ARCHIVE_H
#define SDTLINK_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct archive_member {
	char *name;	 /* owned */
	uint64_t offset; /* of its bytes in the archive; unused if thin */
	uint64_t size;	 /* likewise */
};

struct archive {
	struct archive_member *members; /* without tables of symbols, names */
	size_t n;
	bool is_thin; /* each member is a file, named from the archive's
		       * folder */
};

/* Are these SIZE bytes the start of an archive? */
bool archive_is_one(const void *bytes, size_t size);

/*
 * Reads an archive of SIZE bytes. Returns NULL, or what is wrong with the
 * archive; "" if memory ran out. Call archive_free either way.
 */
const char *archive_read(const uint8_t *bytes, size_t size,
			 struct archive *archive);
void archive_free(struct archive *archive);

#endif
