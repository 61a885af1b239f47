/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linux Standard Base, Core, 10.6.1: "The .eh_frame section". */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "frames.h"
#include "base/grow.h"
#include "base/search.h"

bool frames_hold(const char *section)
{
	return strcmp(section, ".eh_frame") == 0;
}

static int add_cie(struct diag *d, const struct object *obj,
		   struct frames *frames, uint64_t start, uint64_t end)
{
	struct byte_range *cies =
		grow_list(frames->cies, frames->n, sizeof(cies[0]));

	if (cies == NULL)
		return diag_nomem(d, obj->path);
	frames->cies = cies;
	cies[frames->n++] = (struct byte_range){ start, end };
	return 0;
}

/*
 * A record is its length, of 4 bytes or of 8 behind 4 that are all ones; then
 * comes an id, which is 0 in a CIE. A length of 0 ends what one file had.
 */
int frames_next(const struct object *obj, const uint8_t *bytes, uint64_t size,
		uint64_t *at, struct frame_record *record)
{
	while (size - *at >= 4) {
		uint64_t start = *at, length = object_word(obj, bytes + start);
		bool is_long = length == UINT32_MAX && size - start >= 12;
		uint64_t body = start + (is_long ? 12 : 4);

		if (is_long)
			length = object_xword(obj, bytes + start + 4);
		*at = body;
		if (length == 0)
			continue;
		*record = (struct frame_record){ start, body, size };
		if (length < 4 || length > size - body)
			return -1;
		*at = record->end = body + length;
		return 1;
	}
	return 0;
}

int frames_read(struct diag *d, const struct object *obj, uint32_t shndx,
		struct frames *frames)
{
	size_t size;
	const uint8_t *bytes = object_data(d, obj, shndx, &size);
	struct frame_record record;
	uint64_t at = 0;
	int more;

	*frames = (struct frames){ 0 };
	if (bytes == NULL)
		return -1;
	while ((more = frames_next(obj, bytes, size, &at, &record)) > 0)
		if (object_word(obj, bytes + record.body) == 0 &&
		    add_cie(d, obj, frames, record.start, record.end))
			return -1;
	/* What is damaged may be anything. */
	return more < 0 ? add_cie(d, obj, frames, record.start, record.end) : 0;
}

void frames_free(struct frames *frames)
{
	free(frames->cies);
	*frames = (struct frames){ 0 };
}

bool frames_call(const struct frames *frames, uint64_t offset)
{
	size_t i;

	LOWER_BOUND(i, frames->n, frames->cies[i].start <= offset);
	return i > 0 && offset < frames->cies[i - 1].end;
}
