/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the packed kernel in Linux images that unpack themselves: in a bzImage
 * of x86, and in an EFI zboot image (arm64, LoongArch, RISC-V).
 */
#ifndef SDTLINK_BOOT_IMAGE_H
#define SDTLINK_BOOT_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* boot_image_is_one needs this many bytes from the start of the file. */
#define BOOT_IMAGE_HEAD 0x250

struct boot_image {
	const char *format; /* for messages */
	size_t at;	    /* of the packed kernel; not 0 */
	size_t size;
	const char *packer; /* the command whose -dc unpacks it; "" if it is
			     * not packed, NULL if the format is unknown */
};

/* Do the first SIZE bytes of a file begin such an image? */
bool boot_image_is_one(const uint8_t *bytes, size_t size);

/*
 * Finds the kernel in a file of SIZE bytes. Returns false if the file is not
 * such an image. If the header points outside of the file, AT is 0.
 */
bool boot_image_read(const uint8_t *bytes, size_t size,
		     struct boot_image *image);

/*
 * Is the file a Linux kernel's Image, which boot loaders load whole? Its first
 * bytes are also a valid PE header.
 */
bool boot_image_is_linux(const uint8_t *bytes, size_t size);

#endif
