/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Images as they are flashed or booted, as pieces of memory: gzip, PE/COFF,
 * Intel HEX, S-record and raw binary.
 *
 * libbfd could read these formats. sdtlink reads them itself, since libbfd has
 * no stable ABI, may be configured without a format, and is not made for files
 * that somebody has tampered with.
 */
#ifndef SDTLINK_FLASH_H
#define SDTLINK_FLASH_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

struct flash_piece {
	uint64_t addr;
	size_t at; /* of its bytes in those of the flash */
	size_t size;
	bool is_code;
	bool is_writable;
};

struct flash {
	const char *format; /* for messages, such as "Intel HEX" */
	uint8_t *bytes;	    /* owned */
	size_t size;
	struct flash_piece *pieces; /* by address; none overlap */
	size_t npieces;
	uint16_t machine;      /* EM_*, or 0: the format does not tell */
	bool is_64;	       /* valid if machine */
	bool has_narrow_addrs; /* of 32 bits, whatever the machine's have */
	bool runs_in_place;    /* its addresses are none of physical memory */
};

struct flash_options {
	bool has_base;
	bool is_default; /* the user must give the base, for raw bytes only */
	uint64_t base;	 /* where raw bytes or a PE image are loaded */
};

/*
 * Reads the file at BYTES, which the flash owns from now on, even after an
 * error. Of an ELF file it takes the segments, where they are loaded. A file in
 * none of the other formats is raw, if OPTIONS has a base. Without a base
 * NPIECES stays 0, which is not an error. Intel HEX, S-record and ELF have an
 * address for each byte. A base for them is an error. Call flash_free either
 * way.
 */
int flash_read(struct diag *d, const char *path, uint8_t *bytes, size_t size,
	       const struct flash_options *options, struct flash *flash);
void flash_free(struct flash *flash);

/*
 * Fails with a diagnostic if the user gave a base for a file that says itself
 * where all its bytes are loaded. FORMAT is the file's format.
 */
int flash_refuse_base(struct diag *d, const char *path, const char *format,
		      const struct flash_options *options);

struct object;

/*
 * Does a segment of ELF have a physical address? Some linkers leave all of them
 * 0. Then the virtual ones are meant, as libbfd assumes, too.
 */
bool flash_has_physical(Elf *elf);

/*
 * The bytes at ADDR. Sets *N to the number of bytes that follow. Returns NULL
 * if ADDR has none. Then *N is the number of missing bytes. *N never grows.
 */
const uint8_t *flash_run(const struct flash *flash, uint64_t addr, size_t *n);

/*
 * Moves the pieces to where they run. IMAGE is what the flash was made of.
 * Where one of its segments is loaded, the bytes run at the segment's address,
 * even if the file has gaps there, as Intel HEX has between sections. A piece
 * outside of all segments stays. Fails with a diagnostic if FLASH, read from
 * PATH, gets too many pieces.
 */
int flash_move(struct diag *d, const char *path, struct flash *flash,
	       const struct object *image);

struct arch;

/*
 * Makes an ELF file for ARCH without section headers, whose segments are the
 * pieces. The caller frees it. Returns false if ARCH cannot have such
 * addresses; sets NULL if memory ran out.
 */
bool flash_make_elf(const struct flash *flash, const struct arch *arch,
		    uint8_t **bytes, size_t *size);

#endif
