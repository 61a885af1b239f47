/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: a fixed byte of a section is the same in every image that has
 * the section. Where it differs, the section is not.
 */
#ifndef SDTLINK_FIXED_H
#define SDTLINK_FIXED_H

#include <string.h>

#include "elf/image.h"
#include "place.h"

/* The search compares so many fixed bytes at once. */
#define KEY_SIZE 4

static inline uint32_t key_at(const uint8_t *bytes)
{
	uint32_t key;

	memcpy(&key, bytes, KEY_SIZE);
	return key;
}

/*
 * Did the linker move instructions elsewhere, as fixes of errata do? Then no
 * byte is fixed.
 */
bool fixed_has_detours(const struct arch *arch, const struct image *img);

/*
 * Which of the SIZE bytes of a section are fixed, if fixed_has_detours says no?
 * The caller frees the answer. NULL without memory.
 */
bool *fixed_find(const struct arch *arch, const uint8_t *bytes, size_t size,
		 const struct section_relocs *relocs);

#endif
