/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>

#include "crel.h"
#include "base/leb128.h"

enum {
	CREL_SYMBOL = 1,
	CREL_TYPE = 2,
	CREL_ADDEND = 4, /* also in the header; else it is of the offset */
	CREL_SHIFT = 3,	 /* mask, in the header */
	COUNT_BITS = 3	 /* below the number of relocations */
};

/* In bytes: the first one, and four numbers. */
#define ENTRY_MAX (1 + 4 * LEB128_MAX)

size_t crel_bound(size_t n)
{
	return LEB128_MAX + n * ENTRY_MAX;
}

/* --- Decoding ----------------------------------------------------------- */

static const char cut_off[] = "is cut off";
static const char too_large[] = "is too large";

struct stream {
	const uint8_t *at, *end;
	const char *bad; /* what is wrong, or NULL */
};

static uint8_t read_byte(struct stream *s)
{
	if (s->at < s->end)
		return *s->at++;
	s->bad = cut_off;
	return 0;
}

static uint64_t read_leb128(struct stream *s, bool is_signed)
{
	uint64_t value;

	switch (leb128_get(&s->at, s->end, is_signed, &value)) {
	case LEB128_OK:
		break;
	case LEB128_CUT_OFF:
		s->bad = cut_off;
		break;
	case LEB128_TOO_LARGE:
		s->bad = too_large;
		break;
	}
	return value;
}

/* Adds a difference to *VALUE, which has 32 bits. */
static void read_word(struct stream *s, uint32_t *value)
{
	int64_t by = read_leb128(s, true);

	if (by < -(int64_t)*value || by > (int64_t)(UINT32_MAX - *value))
		s->bad = s->bad != NULL ? s->bad : too_large;
	else
		*value += by;
}

/* The difference of offsets. LOW is the part in the first byte. */
static uint64_t read_distance(struct stream *s, unsigned low, bool goes_on,
			      unsigned bits, bool is_64)
{
	uint64_t rest = goes_on ? read_leb128(s, false) : 0;

	if (rest > (is_64 ? UINT64_MAX : UINT32_MAX) >> bits)
		s->bad = too_large;
	return rest << bits | low;
}

/*
 * Reads one relocation, as the difference from R and *OFFSET, which is not
 * shifted. Returns the name of a field that is wrong, or NULL.
 */
static const char *read_entry(struct stream *s, unsigned header, bool is_64,
			      uint64_t *offset, struct reloc *r)
{
	unsigned nflags = header & CREL_ADDEND ? 3 : 2;
	unsigned first = read_byte(s);
	uint64_t addend = r->addend;

	*offset += read_distance(s, (first & 0x7f) >> nflags, first & 0x80,
				 7 - nflags, is_64);
	r->offset = *offset << (header & CREL_SHIFT);
	if (s->bad != NULL)
		return "offset";
	if (first & CREL_SYMBOL)
		read_word(s, &r->symndx);
	if (s->bad != NULL)
		return "symbol index";
	if (first & CREL_TYPE)
		read_word(s, &r->type);
	if (s->bad != NULL)
		return "type";
	if (first & header & CREL_ADDEND)
		addend += read_leb128(s, true);
	if (s->bad != NULL)
		return "addend";
	r->addend = is_64 ? (int64_t)addend : (int32_t)addend;
	if (!is_64)
		r->offset = (uint32_t)r->offset;
	return NULL;
}

/* Into CREL->entries. */
static int read_entries(struct stream *s, unsigned header, bool is_64,
			struct crel *crel, struct crel_error *error)
{
	struct reloc r = { 0 };
	uint64_t offset = 0;

	for (size_t i = 0; i < crel->n; i++) {
		const char *field = read_entry(s, header, is_64, &offset, &r);

		if (field != NULL) {
			*error = (struct crel_error){ field, s->bad, i + 1 };
			return -1;
		}
		crel->entries[i] = r;
	}
	if (s->at == s->end)
		return 0;
	*error = (struct crel_error){ "section",
				      "goes on behind its last relocation", 0 };
	return -1;
}

int crel_decode(const uint8_t *bytes, size_t size, bool is_64,
		struct crel *crel, struct crel_error *error)
{
	struct stream s = { .at = bytes, .end = bytes + size };
	uint64_t header = read_leb128(&s, false);

	*crel = (struct crel){ .n = header >> COUNT_BITS,
			       .has_addends = header & CREL_ADDEND };
	*error = (struct crel_error){ "number of relocations", s.bad, 0 };
	if (s.bad != NULL)
		return -1;
	/* Each has a byte at least. */
	if (header >> COUNT_BITS > (size_t)(s.end - s.at)) {
		error->what = "is larger than the section";
		return -1;
	}
	crel->entries = calloc(crel->n + 1, sizeof(crel->entries[0]));
	if (crel->entries == NULL) {
		error->field = NULL;
		return -1;
	}
	if (read_entries(&s, header & 7, is_64, crel, error) == 0)
		return 0;
	free(crel->entries);
	crel->entries = NULL;
	return -1;
}

/* --- Encoding ----------------------------------------------------------- */

static unsigned common_shift(const struct crel *crel)
{
	uint64_t all = 1 << CREL_SHIFT; /* no more bits than that */
	unsigned shift = 0;

	for (size_t i = 0; i < crel->n; i++)
		all |= crel->entries[i].offset;
	while (!(all >> shift & 1))
		shift++;
	return shift;
}

/* What differs in R from LAST. */
static uint8_t *put_entry(uint8_t *to, const struct reloc *r,
			  const struct reloc *last, unsigned header, bool is_64)
{
	unsigned nflags = header & CREL_ADDEND ? 3 : 2, bits = 7 - nflags;
	uint64_t distance = r->offset - last->offset;
	int64_t more = (uint64_t)r->addend - (uint64_t)last->addend;
	unsigned flags = (r->symndx != last->symndx ? CREL_SYMBOL : 0) |
			 (r->type != last->type ? CREL_TYPE : 0);

	if (!is_64) {
		distance = (uint32_t)distance;
		more = (int32_t)more;
	}
	distance >>= header & CREL_SHIFT;
	if ((header & CREL_ADDEND) && more != 0)
		flags |= CREL_ADDEND;
	flags |= (distance << nflags & 0x7f);
	if (distance >> bits == 0) {
		*to++ = flags;
	} else {
		*to++ = flags | 0x80;
		to = leb128_put(to, distance >> bits);
	}
	if (flags & CREL_SYMBOL)
		to = leb128_put_signed(to, (int64_t)r->symndx - last->symndx);
	if (flags & CREL_TYPE)
		to = leb128_put_signed(to, (int64_t)r->type - last->type);
	if (flags & header & CREL_ADDEND)
		to = leb128_put_signed(to, more);
	return to;
}

size_t crel_encode(const struct crel *crel, bool is_64, uint8_t *to)
{
	unsigned header = common_shift(crel) |
			  (crel->has_addends ? CREL_ADDEND : 0);
	uint8_t *at = leb128_put(to, (uint64_t)crel->n << COUNT_BITS | header);
	struct reloc last = { 0 };

	for (size_t i = 0; i < crel->n; i++) {
		at = put_entry(at, &crel->entries[i], &last, header, is_64);
		last = crel->entries[i];
	}
	return at - to;
}
