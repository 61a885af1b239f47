/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Linux kernels that unpack themselves: where the packed kernel is in a bzImage
 * of x86 and in an EFI zboot image (arm64, LoongArch, RISC-V).
 */
#ifndef SDTLINK_BOOT_IMAGE_H
#define SDTLINK_BOOT_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As many bytes of a file as boot_image_is_one wants to see. */
#define BOOT_IMAGE_HEAD 0x250

struct boot_image {
	const char *format; /* for messages */
	size_t at;	    /* of the packed kernel; not 0 */
	size_t size;
	const char *packer; /* the command whose -dc unpacks it; "" if it is
			     * not packed, NULL if it is not known */
};

/* Do the first SIZE bytes of a file say that it is one? */
bool boot_image_is_one(const uint8_t *bytes, size_t size);

/*
 * Finds the kernel in the file that the SIZE bytes are. False if it is no such
 * image; AT is 0 if the header leads out of the file.
 */
bool boot_image_read(const uint8_t *bytes, size_t size,
		     struct boot_image *image);

/*
 * Is it a Linux kernel's Image, which boot loaders load whole? Its first bytes
 * are the headers of PE as well.
 */
bool boot_image_is_linux(const uint8_t *bytes, size_t size);

#endif
