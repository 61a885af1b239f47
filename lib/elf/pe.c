/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <string.h>

#include "base/bytes.h"
#include "boot-image.h"
#include "pe.h"

#define PE_HEADER 24 /* with the signature */
#define PE_SECTION 40
#define PE_PLUS 0x20b
#define PE_BASE 28	/* in the optional header; */
#define PE_BASE_PLUS 24 /* with 8 bytes */
#define PE_IMAGE_SIZE 56
#define PE_OPTIONAL_MIN 60

#define SECTION_CODE 0x20
#define SECTION_DISCARDABLE 0x2000000
#define SECTION_EXECUTE 0x20000000
#define SECTION_WRITE 0x80000000

/* Offset of the signature, or 0 if it is not a PE file. */
static size_t find_header(const uint8_t *bytes, size_t size)
{
	uint32_t at;

	if (size < 64 || memcmp(bytes, "MZ", 2) != 0)
		return 0;
	at = bytes_little(bytes + 60, 4);
	return at >= 4 && at <= size && size - at >= PE_HEADER &&
			       memcmp(bytes + at, "PE\0", 4) == 0
		       ? at
		       : 0;
}

bool pe_is_one(const uint8_t *bytes, size_t size)
{
	return find_header(bytes, size) != 0 &&
	       !boot_image_is_linux(bytes, size);
}

const char *pe_open(const uint8_t *bytes, size_t size, struct pe *pe)
{
	size_t header = find_header(bytes, size);
	const uint8_t *at = bytes + header;
	size_t left = size - header - PE_HEADER;

	*pe = (struct pe){ .bytes = bytes,
			   .size = size,
			   .header = header,
			   .optional = header + PE_HEADER,
			   .optional_size = bytes_little(at + 20, 2),
			   .nsections = bytes_little(at + 6, 2),
			   .machine = bytes_little(at + 4, 2),
			   .characteristics = bytes_little(at + 22, 2) };
	if (pe->optional_size < PE_OPTIONAL_MIN || pe->optional_size > left ||
	    pe->nsections * PE_SECTION > left - pe->optional_size)
		return "its headers are past the end of the file";
	pe->sections = pe->optional + pe->optional_size;
	at = bytes + pe->optional;
	pe->is_plus = bytes_little(at, 2) == PE_PLUS;
	pe->base = pe->is_plus ? bytes_little(at + PE_BASE_PLUS, 4) |
					 (uint64_t)bytes_little(
						 at + PE_BASE_PLUS + 4, 4)
						 << 32
			       : bytes_little(at + PE_BASE, 4);
	pe->image_size = bytes_little(at + PE_IMAGE_SIZE, 4);
	return NULL;
}

const char *pe_section(const struct pe *pe, size_t i, struct pe_section *sec)
{
	const uint8_t *at = pe->bytes + pe->sections + i * PE_SECTION;
	uint32_t flags = bytes_little(at + 36, 4);
	uint32_t size = bytes_little(at + 8, 4);

	*sec = (struct pe_section){
		.name = at,
		.rva = bytes_little(at + 12, 4),
		.offset = bytes_little(at + 20, 4),
		.file_size = bytes_little(at + 16, 4),
		.is_code = (flags & (SECTION_CODE | SECTION_EXECUTE)) != 0,
		.is_writable = (flags & SECTION_WRITE) != 0,
		.is_discardable = (flags & SECTION_DISCARDABLE) != 0,
	};
	/* What fills up its last block is not loaded. */
	if (size != 0 && size < sec->file_size)
		sec->file_size = size;
	sec->size = size != 0 ? size : sec->file_size;
	if (sec->offset == 0)
		sec->file_size = 0;
	/*
	 * Linkers put what ELF does not load where the headers are, or at
	 * address 0, far behind the image if its base is not 0. objcopy may not
	 * know the size of the image.
	 */
	sec->is_outside = !sec->is_code && pe->image_size != 0 &&
			  sec->rva >= pe->image_size;
	sec->is_loaded = sec->is_code || (sec->rva != 0 && !sec->is_outside);
	if (sec->file_size == 0)
		return NULL;
	if (sec->offset > pe->size || sec->file_size > pe->size - sec->offset) {
		if (sec->is_loaded)
			return "a section is past the end of the file";
		sec->file_size = 0;
	}
	return NULL;
}
