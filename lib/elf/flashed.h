/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file that is flashed or booted beside the final that it was made of:
 * which of the final's bytes it has, and what it has in their place.
 */
#ifndef SDTLINK_FLASHED_H
#define SDTLINK_FLASHED_H

#include "flash.h"
#include "object.h"

/* A section of the final. */
struct flashed_section {
	bool is_loaded;	 /* and has bytes */
	uint64_t load;	 /* the address at which the file has them */
};

struct flashed {
	const struct object *final;
	const char *path;
	struct flash flash;		  /* owned */
	struct flashed_section *sections; /* owned; by index */
};

/*
 * Reads the SIZE bytes at BYTES, which malloc gave and which become the
 * struct's either way: an image that was made of FINAL, which is checked. Of
 * what gzip packed, it is the first member, since boot loaders unpack no other.
 * Raw bytes without a base in OPTIONS begin where the first section of FINAL
 * that has bytes is loaded, as objcopy -O binary writes them. flashed_free is
 * due either way.
 */
int flashed_read(struct diag *d, const char *path, uint8_t *bytes, size_t size,
		 const struct flash_options *options,
		 const struct object *final, struct flashed *flashed);
void flashed_free(struct flashed *flashed);

/*
 * Where raw bytes of FINAL, which is checked, begin: where its first section that
 * has bytes is loaded. UINT64_MAX if none has. -1 without memory, diagnosed.
 */
int flashed_base(struct diag *d, const struct object *final, uint64_t *base);

enum flashed_state {
	FLASHED_SAME,
	FLASHED_MISSING, /* the file has no byte for it */
	FLASHED_DIFFERS,
};

/*
 * Compares the bytes [*OFFSET, END) of section SHNDX with those of the file;
 * *OFFSET is then that of the first one that is missing or differs, or END.
 */
enum flashed_state flashed_compare(const struct flashed *flashed,
				   uint32_t shndx, uint64_t *offset,
				   uint64_t end);

/*
 * The final with the bytes that the file has in place of its own, malloc's; its
 * headers stay. NDIFFERING is how many were others. NULL without memory.
 */
uint8_t *flashed_make(const struct flashed *flashed, size_t *size,
		      uint64_t *ndiffering);

#endif
