/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: bytes of a section that are the same in every image that has
 * it. Where they are others, the section is not.
 */
#ifndef SDTLINK_FIXED_H
#define SDTLINK_FIXED_H

#include <string.h>

#include "elf/image.h"
#include "place.h"

/* So many of them are looked at, at once. */
#define KEY_SIZE 4

static inline uint32_t key_at(const uint8_t *bytes)
{
	uint32_t key;

	memcpy(&key, bytes, KEY_SIZE);
	return key;
}

/*
 * Did the linker move instructions away somewhere, as erratum fixes do? Then no
 * byte is fixed.
 */
bool fixed_has_detours(const struct arch *arch, const struct image *img);

/*
 * Which of the SIZE bytes of a section does no linker change, if that moved no
 * instructions away? For the caller to free; NULL without memory.
 */
bool *fixed_find(const struct arch *arch, const uint8_t *bytes, size_t size,
		 const struct section_relocs *relocs);

#endif
