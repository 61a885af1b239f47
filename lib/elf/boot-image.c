/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The formats are described in Linux: Documentation/arch/x86/boot.rst (2.08 and
 * later have payload_offset and payload_length) and
 * drivers/firmware/efi/libstub/zboot-header.S.
 */
#include <config.h>

#include <elf.h>
#include <string.h>

#include "base/bytes.h"
#include "boot-image.h"

#define X86_SETUP_SECTORS 0x1f1
#define X86_MAGIC 0x202
#define X86_VERSION 0x206
#define X86_PAYLOAD 0x248 /* offset and length */

static bool is_x86(const uint8_t *bytes, size_t size)
{
	return size >= BOOT_IMAGE_HEAD &&
	       memcmp(bytes + X86_MAGIC, "HdrS", 4) == 0 &&
	       bytes_little(bytes + X86_VERSION, 2) >= 0x208;
}

#define ZBOOT_MAGIC 4
#define ZBOOT_PAYLOAD 8 /* offset and length */
#define ZBOOT_HEAD 64

static bool is_zboot(const uint8_t *bytes, size_t size)
{
	return size >= ZBOOT_HEAD && memcmp(bytes, "MZ", 2) == 0 &&
	       memcmp(bytes + ZBOOT_MAGIC, "zimg", 4) == 0;
}

bool boot_image_is_one(const uint8_t *bytes, size_t size)
{
	return is_x86(bytes, size) || is_zboot(bytes, size);
}

/* What packed it; "" for an ELF file. */
static const char *find_packer(const uint8_t *bytes, size_t size)
{
	static const struct {
		const char *magic;
		size_t length;
		const char *packer;
	} packers[] = {
		{ "\x1f\x8b", 2, "gzip" },
		{ "\xfd"
		  "7zXZ",
		  6, "xz" },
		{ "\x28\xb5\x2f\xfd", 4, "zstd" },
		{ "\x02\x21\x4c\x18", 4, "lz4" },
		{ "\x89LZO", 4, "lzop" },
		{ "BZh", 3, "bzip2" },
		{ "\x5d\0\0", 3, "xz --format=lzma" },
		{ ELFMAG, SELFMAG, "" },
	};

	for (size_t i = 0; i < sizeof(packers) / sizeof(packers[0]); i++)
		if (size >= packers[i].length &&
		    memcmp(bytes, packers[i].magic, packers[i].length) == 0)
			return packers[i].packer;
	return NULL;
}

/* The unpacked size follows the data. gzip has it in its own format. */
#define SIZE_BEHIND 4

static void set_payload(const uint8_t *bytes, size_t size, size_t start,
			const uint8_t *fields, bool has_size_behind,
			struct boot_image *image)
{
	uint32_t offset = bytes_little(fields, 4),
		 length = bytes_little(fields + 4, 4);

	if (start > size || offset > size - start || offset + start == 0 ||
	    length < SIZE_BEHIND || length > size - start - offset)
		return;
	image->at = start + offset;
	image->size = length;
	image->packer = find_packer(bytes + image->at, image->size);
	if (has_size_behind && image->packer != NULL &&
	    image->packer[0] != '\0' && strcmp(image->packer, "gzip") != 0)
		image->size -= SIZE_BEHIND;
}

bool boot_image_read(const uint8_t *bytes, size_t size,
		     struct boot_image *image)
{
	*image = (struct boot_image){ .format = "EFI zboot image" };
	if (is_zboot(bytes, size)) {
		set_payload(bytes, size, 0, bytes + ZBOOT_PAYLOAD, false,
			    image);
		return true;
	}
	if (!is_x86(bytes, size))
		return false;
	image->format = "bzImage";
	/* 0 means 4: that many before the field existed. */
	set_payload(bytes, size,
		    512 * (size_t)((bytes[X86_SETUP_SECTORS] != 0
					    ? bytes[X86_SETUP_SECTORS]
					    : 4) +
				   1),
		    bytes + X86_PAYLOAD, true, image);
	return true;
}

/* At the same place on each machine that has it. */
bool boot_image_is_linux(const uint8_t *bytes, size_t size)
{
	static const char magics[][5] = { "ARM\x64", "RSC\x05",
					  "\xcd\x23\x82\x81" };

	for (size_t i = 0; size >= 64 && i < 3; i++)
		if (memcmp(bytes + 56, magics[i], 4) == 0)
			return true;
	return false;
}
