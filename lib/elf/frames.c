/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The format: Linux Standard Base, Core, 10.6.1: "The .eh_frame section". */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "frames.h"
#include "base/grow.h"
#include "base/leb128.h"
#include "base/search.h"
#include "section-relocs.h"

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
 * A record begins with its length, in 4 bytes, or in 8 behind 4 bytes of 0xff.
 * An id follows, which is 0 in a CIE. A length of 0 ends the records of one
 * input file.
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

/* --- Numbers ------------------------------------------------------------ */

static uint64_t get_fixed(struct frame_cursor *c, unsigned size, bool is_signed)
{
	unsigned unused = 64 - 8 * size;
	uint64_t value = 0;

	if (c->is_bad || (size_t)(c->end - c->p) < size) {
		c->is_bad = true;
		return 0;
	}
	for (unsigned i = 0; i < size; i++)
		value = value << 8 |
			c->p[c->obj->is_big_endian ? i : size - 1 - i];
	c->p += size;
	return is_signed ? (uint64_t)((int64_t)(value << unused) >> unused)
			 : value;
}

uint8_t frames_get_byte(struct frame_cursor *c)
{
	return get_fixed(c, 1, false);
}

uint64_t frames_get_leb128(struct frame_cursor *c, bool is_signed)
{
	uint64_t value = 0;

	c->is_bad = c->is_bad ||
		    leb128_get(&c->p, c->end, is_signed, &value) != LEB128_OK;
	return c->is_bad ? 0 : value;
}

uint64_t frames_get_number(struct frame_cursor *c, uint8_t encoding)
{
	switch (encoding & PE_FORMAT) {
	case PE_ABSPTR:
		return get_fixed(c, c->obj->is_64 ? 8 : 4, false);
	case PE_ULEB128:
	case PE_SLEB128:
		return frames_get_leb128(c,
					 (encoding & PE_FORMAT) == PE_SLEB128);
	case PE_UDATA2:
	case PE_SDATA2:
		return get_fixed(c, 2, (encoding & PE_FORMAT) == PE_SDATA2);
	case PE_UDATA4:
	case PE_SDATA4:
		return get_fixed(c, 4, (encoding & PE_FORMAT) == PE_SDATA4);
	case PE_UDATA8:
	case PE_SDATA8:
		return get_fixed(c, 8, false);
	}
	c->is_bad = true;
	return 0;
}

/* --- The code that is described ----------------------------------------- */

/* What the letters of NAMES say of the FDEs. */
static bool read_augmentation(struct frame_cursor *c, const char *names,
			      struct frame_cie *cie)
{
	for (; *names != '\0'; names++) {
		uint8_t encoding;

		switch (*names) {
		case 'L':
			cie->table = frames_get_byte(c);
			break;
		case 'P':
			encoding = frames_get_byte(c);
			/* An aligned one may have bytes before it. */
			c->is_bad |= (encoding & 0x70) == 0x50;
			frames_get_number(c, encoding);
			break;
		case 'R':
			cie->code = frames_get_byte(c);
			break;
		case 'S': /* of a signal handler */
			break;
		default:
			return false;
		}
	}
	return !c->is_bad;
}

bool frames_read_cie(const struct object *obj, const uint8_t *bytes,
		     uint64_t size, uint64_t offset, struct frame_cie *cie)
{
	struct frame_cursor c = { .obj = obj };
	struct frame_record record;
	char names[9]; /* each at most once, and then some */
	const uint8_t *end;
	uint64_t length;
	unsigned n = 0;
	uint8_t version;

	*cie = (struct frame_cie){ .table = PE_OMIT };
	if (size < 4 || offset > size - 4 ||
	    object_word(obj, bytes + offset) == 0 ||
	    frames_next(obj, bytes, size, &offset, &record) <= 0 ||
	    object_word(obj, bytes + record.body) != 0)
		return false;
	c.p = bytes + record.body + 4;
	c.end = bytes + record.end;
	version = frames_get_byte(&c);
	do {
		names[n] = frames_get_byte(&c);
	} while (names[n] != '\0' && ++n < sizeof(names));
	if (n == sizeof(names) || (version != 1 && version != 3) ||
	    (n > 0 && names[0] != 'z'))
		return false;
	frames_get_leb128(&c, false); /* factors of code and of data */
	frames_get_leb128(&c, true);
	if (version == 1) /* the register with the return address */
		frames_get_byte(&c);
	else
		frames_get_leb128(&c, false);
	if (n == 0)
		return !c.is_bad;
	length = frames_get_leb128(&c, false);
	if (length > (uint64_t)(c.end - c.p))
		return false;
	end = c.p + length;
	if (!read_augmentation(&c, names + 1, cie) || c.p > end)
		return false;
	cie->is_plain = record.body - record.start == 4 && c.p == end &&
			strcmp(names, "zR") == 0;
	cie->first = end < c.end ? *end : 0;
	return true;
}

/*
 * The code that the FDE of RECORD describes. Returns false if it cannot be
 * read.
 */
static bool read_code(const struct object *obj, const struct section *sec,
		      const uint8_t *bytes, uint64_t size,
		      const struct frame_record *record,
		      struct byte_range *range)
{
	uint64_t distance = object_word(obj, bytes + record->body);
	struct frame_cursor c = { .obj = obj,
				  .p = bytes + record->body + 4,
				  .end = bytes + record->end };
	uint64_t at = sec->addr + record->body + 4, length;
	struct frame_cie cie;

	if (distance > record->body ||
	    !frames_read_cie(obj, bytes, size, record->body - distance, &cie))
		return false;
	range->start = frames_get_number(&c, cie.code);
	length = frames_get_number(&c, cie.code);
	/* The loader may still change an address that is not relative. */
	if (c.is_bad || ((cie.code & PE_BASE) != PE_PCREL &&
			 (cie.code != PE_ABSPTR || range->start == 0)))
		return false;
	if ((cie.code & PE_BASE) == PE_PCREL)
		range->start = object_wrap(obj, range->start + at);
	range->end = range->start + length;
	return true;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct byte_range *x = a, *y = b;

	return x->start != y->start ? (x->start < y->start ? -1 : 1)
				    : (x->end > y->end) - (x->end < y->end);
}

int frames_list_code(struct diag *d, const struct object *obj, uint32_t shndx,
		     struct byte_range **ranges, size_t *n)
{
	const struct section *sec = &obj->sections[shndx];
	size_t size;
	const uint8_t *bytes = object_data(d, obj, shndx, &size);
	struct frame_record record;
	uint64_t at = 0;
	int more;

	*ranges = NULL;
	*n = 0;
	if (bytes == NULL)
		return -1;
	/* A record has twelve bytes and more. */
	*ranges = malloc((size / 12 + 1) * sizeof((*ranges)[0]));
	if (*ranges == NULL)
		return diag_nomem(d, obj->path);
	while ((more = frames_next(obj, bytes, size, &at, &record)) > 0) {
		if (object_word(obj, bytes + record.body) == 0)
			continue;
		if (record.end - record.start < 12 ||
		    !read_code(obj, sec, bytes, size, &record,
			       &(*ranges)[*n])) {
			*n = 0;
			return 0;
		}
		++*n;
	}
	if (more < 0)
		*n = 0;
	qsort(*ranges, *n, sizeof((*ranges)[0]), compare_ranges);
	return 0;
}

/* --- How functions begin -------------------------------------------------- */

/* Table 7.29 of DWARF 5, 7.24. The second one sets no offset. */
enum { DW_CFA_DEF_CFA = 0x0c, DW_CFA_DEF_CFA_REGISTER = 0x0d };

/* The formats of Linux Standard Base, Core, 10.5. */
static unsigned width_of(const struct object *obj, uint8_t encoding)
{
	switch (encoding & 0x0f) {
	case 0:
		return obj->is_64 ? 8 : 4;
	case 3:
	case 11:
		return 4;
	case 4:
	case 12:
		return 8;
	}
	return 0;
}

/* The one relocation at OFFSET, or NULL. */
static const struct reloc *only_reloc(const struct section_relocs *relocs,
				      uint64_t offset)
{
	const struct reloc *r = section_relocs_at(relocs, offset);

	return r != NULL && (r + 1 == relocs->relocs + relocs->n ||
			     r[1].offset != offset)
		       ? r
		       : NULL;
}

/* Does the FDE of RECORD have a form that others can have? */
static bool has_style(const struct object *obj, const uint8_t *bytes,
		      uint64_t size, const struct frame_record *record,
		      const struct section_relocs *relocs,
		      struct frame_style *style)
{
	uint64_t back = object_word(obj, bytes + record->body);
	const struct reloc *reloc = only_reloc(relocs, record->body + 4);
	struct frame_cie cie;

	if (reloc == NULL || back == 0 || back > record->body ||
	    !frames_read_cie(obj, bytes, size, record->body - back, &cie) ||
	    !cie.is_plain ||
	    (cie.first != DW_CFA_DEF_CFA &&
	     cie.first != DW_CFA_DEF_CFA_REGISTER))
		return false;
	*style = (struct frame_style){
		.cie = record->body - back,
		.width = width_of(obj, cie.code),
		.reloc = reloc->type,
	};
	return style->width > 0;
}

int frames_find_style(struct diag *d, const struct object *obj, uint32_t shndx,
		      struct frame_style *style)
{
	size_t size;
	const uint8_t *bytes = object_data(d, obj, shndx, &size);
	struct frame_record record = { 0 };
	struct section_relocs relocs;
	uint64_t at = 0;
	int found = 0, more;

	if (bytes == NULL)
		return -1;
	if (section_relocs_read(d, obj, shndx, &relocs)) {
		section_relocs_free(&relocs);
		return -1;
	}
	while ((more = frames_next(obj, bytes, size, &at, &record)) > 0)
		found = found ||
			has_style(obj, bytes, size, &record, &relocs, style);
	section_relocs_free(&relocs);
	/* Nothing may follow a length of 0, or a damaged record. */
	return found && more == 0 && record.end == size;
}
