/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The members of an archive, as ar writes it: GNU, BSD and thin ones. */
#ifndef SDTLINK_ARCHIVE_H
#define SDTLINK_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct archive_member {
	char *name;	 /* owned */
	uint64_t offset; /* of its bytes in the archive; thin: unused */
	uint64_t size;	 /* likewise */
};

struct archive {
	struct archive_member *members; /* without tables of symbols, names */
	size_t n;
	bool is_thin; /* members are files, named from the archive's folder */
};

/* Do these bytes, the first of a file, begin an archive? */
bool archive_is_one(const void *bytes, size_t size);

/*
 * Reads the SIZE bytes of an archive. Returns NULL, or what is wrong with it;
 * "" if there is no memory. archive_free is due either way.
 */
const char *archive_read(const uint8_t *bytes, size_t size,
			 struct archive *archive);
void archive_free(struct archive *archive);

#endif
