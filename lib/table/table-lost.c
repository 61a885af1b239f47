/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Looks for a table whose symbols are gone: an offsets table by its header, an
 * entry of an anchored one by the probe's descriptor that it points to.
 */
#include <config.h>

#include "base/format.h"
#include "table.h"

struct search {
	const struct image *img;
	uint64_t first, last; /* where the descriptors are, if any */
	bool has_descriptors;
};

static uint32_t word_at(const struct search *s, const struct image_section *is,
			uint64_t offset)
{
	return object_word(s->img->obj, is->code.bytes + offset);
}

static uint64_t aligned_start(const struct image_section *is)
{
	return -is->code.addr & 3;
}

static bool find_offsets(struct search *s, const struct image_section *is,
			 uint64_t *addr)
{
	for (uint64_t i = aligned_start(is); i + 4 <= is->code.size; i += 4) {
		uint32_t word = word_at(s, is, i);
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

/* The address that the self-relative word at OFFSET means. */
static uint64_t relative_at(const struct search *s,
			    const struct image_section *is, uint64_t offset)
{
	return image_wrap(s->img, is->code.addr + offset +
					  (int32_t)word_at(s, is, offset));
}

static bool find_entry(const struct search *s, const struct image_section *is,
		       uint64_t *addr)
{
	for (uint64_t i = aligned_start(is); i + 8 <= is->code.size; i += 4) {
		uint64_t probe = relative_at(s, is, i + 4) & ~(uint64_t)7;

		if (is_descriptor(s, probe) &&
		    image_find_text(s->img, relative_at(s, is, i), 1)) {
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
