/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Images in Microsoft's PE format ("PE Format", Microsoft Learn), as EFI loads
 * them. pe_section lists their sections. Images that GNU ld linked from ELF
 * objects (ld -m i386pep) can be turned back into ELF files.
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
	uint32_t file_size;  /* of its file_size bytes, without the fill of
			      * the last block */
	uint32_t size;	     /* in memory */
	bool is_loaded;
	bool is_outside; /* of what the headers say is the image */
	bool is_code;
	bool is_writable;
	bool is_discardable;
};

/*
 * Is it a PE file? Linux' Image, which begins as one, is not: see boot-image.h.
 */
bool pe_is_one(const uint8_t *bytes, size_t size);

/* Reads the headers. Returns NULL, or what is wrong with them. */
const char *pe_open(const uint8_t *bytes, size_t size, struct pe *pe);

/*
 * Reads header I of the section table. If the section is loaded, its bytes are
 * in the file. Returns NULL, or what is wrong.
 */
const char *pe_section(const struct pe *pe, size_t i, struct pe_section *sec);

/*
 * Can pe_make_elf read it? It must be of a known machine, and not a kernel that
 * unpacks itself.
 */
bool pe_may_be_linked(const uint8_t *bytes, size_t size);

/*
 * Makes an ELF file of the image, which the caller frees: its sections, its
 * symbols, and its base relocations as dynamic relocations, each at the address
 * that it is linked for. Fails with a diagnostic.
 */
int pe_make_elf(struct diag *d, const char *path, const uint8_t *bytes,
		size_t size, uint8_t **elf, size_t *elf_size);

#endif
