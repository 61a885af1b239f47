/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sections that linkers and objcopy compress with their
 * --compress-debug-sections (gABI, "Section Compression"). libelf would write
 * into the mapped file.
 */
#ifndef SDTLINK_PACKED_H
#define SDTLINK_PACKED_H

#include "object.h"

/* What was unpacked; owned. */
struct packed {
	uint8_t **items;
	size_t n;
};

/*
 * Sets SIZE to that of section SHNDX when it is not compressed, which its
 * relocations are about; to 0 if it is damaged. Returns -1 on trouble,
 * diagnosed.
 */
int packed_size(struct diag *d, const struct object *obj, uint32_t shndx,
		uint64_t *size);

/*
 * The SIZE BYTES of section SHNDX, which PACKED keeps if they are compressed.
 * They are NULL if they are by anything but zlib, or damaged. Returns -1 on
 * trouble, diagnosed.
 */
int packed_read(struct diag *d, const struct object *obj, uint32_t shndx,
		struct packed *packed, const uint8_t **bytes, size_t *size);
void packed_free(struct packed *packed);

#endif
