/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Unpacks with zlib what gzip packed: a file, or the kernel in a boot image. */
#include <config.h>

#include <stdlib.h>
#include <string.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#include "boot-image.h"
#include "gzip.h"

static bool is_gzip(const uint8_t *bytes, size_t size)
{
	return size >= 18 && bytes[0] == 0x1f && bytes[1] == 0x8b &&
	       bytes[2] == 8;
}

#ifdef HAVE_ZLIB
#define PACKER_KNOWN "gzip"
#else
#define PACKER_KNOWN ""
#endif

/*
 * Reduces a kernel that unpacks itself to its packed part. If sdtlink cannot
 * unpack it, the error names the command that can.
 */
static int cut_kernel(struct diag *d, const char *path, uint8_t *bytes,
		      size_t *size)
{
	struct boot_image image;

	if (!boot_image_read(bytes, *size, &image))
		return 0;
	if (image.at == 0)
		return diag_file(d, path, "malformed",
				 "%s: its kernel is past the end of the file",
				 image.format);
	if (image.packer == NULL)
		return diag_file(d, path, "not-elf",
				 "a Linux %s whose kernel is packed in a way "
				 "that sdtlink does not know: give the vmlinux "
				 "that it was made from",
				 image.format);
	if (image.packer[0] != '\0' && strcmp(image.packer, PACKER_KNOWN) != 0)
		return diag_file(d, path, "not-elf",
				 "a Linux %s: unpack its kernel first, with "
				 "tail -c +%zu %s | head -c %zu | %s -dc "
				 ">kernel",
				 image.format, image.at + 1, path, image.size,
				 image.packer);
	memmove(bytes, bytes + image.at, image.size);
	*size = image.size;
	return 0;
}

#ifdef HAVE_ZLIB

/* No image is larger. A file of zeros can grow a thousandfold. */
#define UNPACKED_MAX ((size_t)2 << 30)

/* Unpacks one member. A file may have several, one behind the other. */
static const char *unpack_member(z_stream *z, uint8_t **to, size_t *size,
				 size_t *room)
{
	int status = Z_OK;

	if (inflateReset(z) != Z_OK)
		return "zlib failed";
	while (status != Z_STREAM_END) {
		uint8_t *grown = *to;
		uInt left;

		if (*size == *room) {
			if (*room == UNPACKED_MAX)
				return "it is larger than 2 GiB unpacked";
			*room = *room > UNPACKED_MAX / 2 ? UNPACKED_MAX
							 : 2 * *room;
			grown = realloc(*to, *room);
			if (grown == NULL)
				return "";
			*to = grown;
		}
		left = *room - *size > 1 << 30 ? 1 << 30 : *room - *size;
		z->next_out = *to + *size;
		z->avail_out = left;
		status = inflate(z, Z_NO_FLUSH);
		*size += left - z->avail_out;
		if (status == Z_MEM_ERROR)
			return "";
		if (status == Z_BUF_ERROR && z->avail_in == 0)
			return "it is truncated";
		if (status != Z_OK && status != Z_STREAM_END &&
		    status != Z_BUF_ERROR)
			return "it is damaged";
	}
	return NULL;
}

int gzip_unpack(struct diag *d, const char *path, uint8_t **bytes, size_t *size,
		size_t *nleft)
{
	z_stream z = { 0 };
	size_t n = 0, room;
	uint8_t *to;
	const char *wrong;

	if (cut_kernel(d, path, *bytes, size))
		return -1;
	if (!is_gzip(*bytes, *size))
		return 0;
	if (*size > UNPACKED_MAX)
		return diag_file(d, path, "malformed", "gzip: it is too large");
	room = *size < UNPACKED_MAX / 4 ? 4 * *size : UNPACKED_MAX;
	to = malloc(room);
	if (to == NULL || inflateInit2(&z, 16 + MAX_WBITS) != Z_OK) {
		free(to);
		return diag_nomem(d, path);
	}
	z.next_in = *bytes;
	z.avail_in = *size;
	do
		wrong = unpack_member(&z, &to, &n, &room);
	while (wrong == NULL && nleft == NULL &&
	       is_gzip(z.next_in, z.avail_in));
	if (nleft != NULL)
		*nleft = z.avail_in;
	inflateEnd(&z);
	if (wrong != NULL) {
		free(to);
		return wrong[0] == '\0' ? diag_nomem(d, path)
					: diag_file(d, path, "malformed",
						    "gzip: %s", wrong);
	}
	free(*bytes);
	*bytes = to;
	*size = n;
	return 0;
}

#else

int gzip_unpack(struct diag *d, const char *path, uint8_t **bytes, size_t *size,
		size_t *nleft)
{
	(void)nleft;
	if (cut_kernel(d, path, *bytes, size))
		return -1;
	if (!is_gzip(*bytes, *size))
		return 0;
	return diag_file(d, path, "not-elf",
			 "a gzip file, and sdtlink was built without zlib: "
			 "unpack it first");
}

#endif
