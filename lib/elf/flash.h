/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Images as they are flashed or booted: gzip, PE/COFF, Intel HEX, S-record and
 * raw binary, as pieces of memory.
 *
 * The formats are read here and not by libbfd: that has no stable ABI, is not
 * there where it was configured out, and is not made for files that somebody
 * has tampered with.
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
	bool is_default; /* the base is nobody's word, and for raw bytes only */
	uint64_t base;	 /* where raw bytes or a PE image are loaded */
};

/*
 * Unpacks the SIZE bytes at *BYTES, which malloc gave, if they are gzip's, or
 * of a kernel that unpacks itself: then *BYTES and *SIZE are those inside. They
 * stay the caller's. Where NLEFT is not NULL, only the first member is
 * unpacked, and *NLEFT bytes are behind it. Fails after diagnosing if something
 * else packed the kernel.
 */
int gzip_unpack(struct diag *d, const char *path, uint8_t **bytes, size_t *size,
		size_t *nleft);

/*
 * Reads BYTES, which become the flash's either way; of an ELF file, its
 * segments, where they are loaded. What is in none of the other formats is raw,
 * if OPTIONS has a base; else NPIECES stays 0, which is no error. With
 * Intel HEX, S-record and ELF, which have an address for each byte, a base of
 * the user's is an error. flash_free is due either way.
 */
int flash_read(struct diag *d, const char *path, uint8_t *bytes, size_t size,
	       const struct flash_options *options, struct flash *flash);
void flash_free(struct flash *flash);

/*
 * Files that say of all bytes where they are loaded need no base: one of the
 * user's would be a second word on it, and is an error. FORMAT is the file's.
 */
int flash_refuse_base(struct diag *d, const char *path, const char *format,
		      const struct flash_options *options);

struct object;

/*
 * Has a segment of ELF a physical address? Where a linker does not know these,
 * all are 0, and the others are meant, as libbfd has it.
 */
bool flash_has_physical(Elf *elf);

/*
 * The bytes at ADDR, or NULL; *N is as many of these as follow, or are missing,
 * if it was more.
 */
const uint8_t *flash_run(const struct flash *flash, uint64_t addr, size_t *n);

/*
 * Puts the pieces where they run. IMAGE, which the flash was made of, tells by
 * its segments: what is where one is loaded, runs in it, also if there are
 * gaps, as between sections in Intel HEX. A piece that no segment is loaded to
 * stays. Fails after diagnosing if FLASH, read from PATH, has too many pieces.
 */
int flash_move(struct diag *d, const char *path, struct flash *flash,
	       const struct object *image);

struct arch;

/*
 * The same as an ELF file for ARCH, without section headers, whose segments
 * are the pieces: malloc's. False if ARCH has no such addresses; NULL without
 * memory.
 */
bool flash_make_elf(const struct flash *flash, const struct arch *arch,
		    uint8_t **bytes, size_t *size);

#endif
