/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Images in Microsoft's PE format ("PE Format", Microsoft Learn), as firmware
 * that knows EFI loads them: their sections; and those that GNU ld links from
 * ELF objects (ld -m i386pep) as the ELF files that they would be.
 */
#ifndef SDTLINK_PE_H
#define SDTLINK_PE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

struct pe {
	const uint8_t *bytes; /* of the file; not owned */
	size_t size;
	size_t header;	 /* of the signature, in the file */
	size_t optional; /* of the optional header, and its size */
	size_t optional_size;
	size_t sections; /* of the section table */
	size_t nsections;
	uint64_t base; /* where it is linked to be loaded */
	uint32_t image_size;
	uint16_t machine;	  /* IMAGE_FILE_MACHINE_* */
	uint16_t characteristics; /* IMAGE_FILE_* */
	bool is_plus;		  /* PE32+, with addresses of 64 bits */
};

struct pe_section {
	const uint8_t *name; /* 8 bytes, of which NULs may be the last */
	uint32_t rva;	     /* from the base */
	uint32_t offset;     /* of its bytes in the file */
	uint32_t file_size;  /* of these; not what fills up their last block */
	uint32_t size;	     /* in memory */
	bool is_loaded;
	bool is_outside; /* of what the headers say is the image */
	bool is_code;
	bool is_writable;
	bool is_discardable;
};

/* The Image of Linux, which begins as one does, is none: see boot-image.h. */
bool pe_is_one(const uint8_t *bytes, size_t size);

/* Reads the headers. NULL, or what is wrong with them. */
const char *pe_open(const uint8_t *bytes, size_t size, struct pe *pe);

/* Section I of PE, whose bytes are in the file if it is loaded. As above. */
const char *pe_section(const struct pe *pe, size_t i, struct pe_section *sec);

/* N bytes, as PE has numbers; N is 4 at most. */
uint32_t pe_number(const uint8_t *bytes, unsigned n);

/*
 * Is it one that pe_make_elf reads? By its machine; no kernel that unpacks
 * itself is one.
 */
bool pe_may_be_linked(const uint8_t *bytes, size_t size);

/*
 * The same as an ELF file, malloc's: its sections, its symbols, and its base
 * relocations as dynamic ones, each at the address that it is linked for.
 * Fails after diagnosing.
 */
int pe_make_elf(struct diag *d, const char *path, const uint8_t *bytes,
		size_t size, uint8_t **elf, size_t *elf_size);

#endif
