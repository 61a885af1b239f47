/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares the file that is flashed or booted with the final that it was made
 * of: which bytes of the final it has, and what it has instead of the others.
 */
#ifndef SDTLINK_FLASHED_H
#define SDTLINK_FLASHED_H

#include "flash.h"
#include "object.h"

/* A section of the final. */
struct flashed_section {
	bool is_loaded; /* and has bytes */
	uint64_t load;	/* the address at which the file has them */
};

struct flashed {
	const struct object *final;
	const char *path;
	struct flash flash;		  /* owned */
	struct flashed_section *sections; /* owned; by index */
};

/*
 * Reads an image made of FINAL, which is checked: the SIZE bytes at BYTES,
 * which malloc allocated. The struct owns them from now on, even after an
 * error. Of a gzip file, only the first member counts, since boot loaders
 * unpack no other. Raw bytes without a base in OPTIONS begin at the load
 * address of the first section of FINAL that has bytes, as objcopy -O binary
 * writes them. Call flashed_free either way.
 */
int flashed_read(struct diag *d, const char *path, uint8_t *bytes, size_t size,
		 const struct flash_options *options,
		 const struct object *final, struct flashed *flashed);
void flashed_free(struct flashed *flashed);

/*
 * The address of the first raw byte of FINAL, which is checked: the load
 * address of its first section that has bytes. UINT64_MAX if no section has.
 * Returns -1 if memory ran out, diagnosed.
 */
int flashed_base(struct diag *d, const struct object *final, uint64_t *base);

enum flashed_state {
	FLASHED_SAME,
	FLASHED_MISSING, /* the file has no byte for it */
	FLASHED_DIFFERS,
};

/*
 * Compares the bytes [*OFFSET, END) of section SHNDX with those of the file.
 * Sets *OFFSET to the first one that is missing or differs, or to END.
 */
enum flashed_state flashed_compare(const struct flashed *flashed,
				   uint32_t shndx, uint64_t *offset,
				   uint64_t end);

/*
 * A copy of the final with the bytes of the file in place of its own; the
 * headers stay. The caller frees it. NDIFFERING counts the bytes that differ.
 * NULL if memory ran out.
 */
uint8_t *flashed_make(const struct flashed *flashed, size_t *size,
		      uint64_t *ndiffering);

#endif
