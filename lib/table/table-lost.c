/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Looks for a table whose symbols are gone. It finds an offsets table by its
 * header, and an entry of an anchored table by the descriptor that it points
 * to.
 */
#include <config.h>

#include "base/table-format.h"
#include "table.h"

struct search {
	const struct image *img;
	uint64_t first, last; /* where the descriptors are, if any */
	bool has_descriptors;
};

static bool find_offsets(struct search *s, const struct image_section *is,
			 uint64_t *addr)
{
	for (uint64_t i = image_first_word(is); i + 4 <= is->code.size;
	     i += 4) {
		uint32_t word = image_word(s->img, is, i);
		uint64_t at = is->code.addr + i;

		if (word == SDT_TABLE_MAGIC && table_is_offsets(s->img, at)) {
			*addr = at;
			return true;
		}
		if (word != SDT_PROBE_MAGIC)
			continue;
		if (!s->has_descriptors || at < s->first)
			s->first = at;
		if (!s->has_descriptors || at > s->last)
			s->last = at;
		s->has_descriptors = true;
	}
	return false;
}

static bool is_descriptor(const struct search *s, uint64_t addr)
{
	const uint8_t *bytes = addr >= s->first && addr <= s->last
				       ? image_bytes(s->img, addr, 4)
				       : NULL;

	return bytes != NULL &&
	       object_word(s->img->obj, bytes) == SDT_PROBE_MAGIC;
}

static bool find_entry(const struct search *s, const struct image_section *is,
		       uint64_t *addr)
{
	for (uint64_t i = image_first_word(is); i + 8 <= is->code.size;
	     i += 4) {
		uint64_t probe = image_relative(s->img, is, i + 4) &
				 ~(uint64_t)7;

		if (is_descriptor(s, probe) &&
		    image_find_text(s->img, image_relative(s->img, is, i), 1)) {
			*addr = is->code.addr + i;
			return true;
		}
	}
	return false;
}

bool table_find_lost(const struct image *img, uint64_t *addr)
{
	struct search s = { .img = img };

	for (size_t i = 0; i < img->nsections; i++)
		if (find_offsets(&s, &img->sections[i], addr))
			return true;
	for (size_t i = 0; s.has_descriptors && i < img->nsections; i++)
		if (find_entry(&s, &img->sections[i], addr))
			return true;
	return false;
}
