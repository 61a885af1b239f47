/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Changes an ELF file where it matters: a field of a header, symbol or
 * relocation becomes 0, its maximum, an index, a size, or that of another
 * record. Half of the time bytes change as libFuzzer likes.
 */
#include <config.h>

#include <elf.h>
#include <stdbool.h>
#include <string.h>

#include "fuzz.h"

struct mutator {
	uint8_t *bytes;
	size_t size;
	uint64_t state; /* of the random numbers */
	int is_64, is_big;
};

/* SplitMix64. */
static uint64_t roll(struct mutator *m)
{
	uint64_t z = (m->state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static uint64_t below(struct mutator *m, uint64_t n)
{
	return n > 0 ? roll(m) % n : 0;
}

static uint64_t get(const struct mutator *m, uint64_t at, unsigned width)
{
	uint64_t value = 0;

	if (at > m->size || width > m->size - at)
		return 0;
	for (unsigned i = 0; i < width; i++)
		value |=
			(uint64_t)m->bytes[at + (m->is_big ? width - 1 - i : i)]
			<< 8 * i;
	return value;
}

static void put(struct mutator *m, uint64_t at, unsigned width, uint64_t value)
{
	if (at > m->size || width > m->size - at)
		return;
	for (unsigned i = 0; i < width; i++)
		m->bytes[at + (m->is_big ? width - 1 - i : i)] = value >> 8 * i;
}

/* Fields by their widths; those of the 64-bit class have the same number. */
struct record {
	unsigned char widths[2][16]; /* by class; up to a 0 */
};

static const struct record ehdr = {
	{ { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 }, { 0 } }
};
static const struct record ehdr_rest = {
	{ { 2, 2, 4, 4, 4, 4, 4, 2, 2, 2, 2, 2, 2 },
	  { 2, 2, 4, 8, 8, 8, 4, 2, 2, 2, 2, 2, 2 } }
};
static const struct record shdr = { { { 4, 4, 4, 4, 4, 4, 4, 4, 4, 4 },
				      { 4, 4, 8, 8, 8, 8, 4, 4, 8, 8 } } };
static const struct record phdr = { { { 4, 4, 4, 4, 4, 4, 4, 4 },
				      { 4, 4, 8, 8, 8, 8, 8, 8 } } };
static const struct record sym = { { { 4, 4, 4, 1, 1, 2 },
				     { 4, 1, 1, 2, 8, 8 } } };
/* r_info in its parts, as little-endian machines have them. */
static const struct record rel = { { { 4, 1, 3 }, { 8, 4, 4 } } };
static const struct record rela = { { { 4, 1, 3, 4 }, { 8, 4, 4, 8 } } };
static const struct record word = { { { 4 }, { 4 } } };

static unsigned record_size(const struct mutator *m, const struct record *r)
{
	unsigned size = 0;

	for (int i = 0; i < 16; i++)
		size += r->widths[m->is_64][i];
	return size;
}

/* What a field of WIDTH bytes in record INDEX of COUNT might become. */
static uint64_t odd_value(struct mutator *m, unsigned width, uint64_t old,
			  uint64_t index, uint64_t count)
{
	uint64_t top = width < 8 ? (UINT64_C(1) << 8 * width) - 1 : UINT64_MAX;

	switch (below(m, 12)) {
	case 0:
		return 0;
	case 1:
		return top - below(m, 3);
	case 2:
		return (top >> 1) + below(m, 2);
	case 3:
		return index;
	case 4:
		return count + below(m, 3) - 1;
	case 5:
		return m->size + below(m, 3) - 1;
	case 6:
		return old + 1 + below(m, 8);
	case 7:
		return old - 1 - below(m, 8);
	case 8:
		return old ^ UINT64_C(1) << below(m, 8 * width);
	case 9:
		return UINT64_C(1) << below(m, 8 * width);
	case 10:
		return below(m, 64);
	default:
		return below(m, m->size);
	}
}

/* Changes one field of one of the COUNT records at AT. */
static void change_record(struct mutator *m, const struct record *r,
			  uint64_t at, uint64_t count)
{
	const unsigned char *widths = r->widths[m->is_64];
	uint64_t index = below(m, count), other = below(m, count);
	unsigned size = record_size(m, r), nfields = 0, field, place = 0;

	while (nfields < 16 && widths[nfields] != 0)
		nfields++;
	if (nfields == 0 || count == 0)
		return;
	field = below(m, nfields);
	for (unsigned i = 0; i < field; i++)
		place += widths[i];
	if (below(m, 5) == 0)
		put(m, at + index * size + place, widths[field],
		    get(m, at + other * size + place, widths[field]));
	else
		put(m, at + index * size + place, widths[field],
		    odd_value(m, widths[field],
			      get(m, at + index * size + place, widths[field]),
			      index, count));
}

static void change_bytes(struct mutator *m, uint64_t at, uint64_t size)
{
	uint64_t length;

	if (at >= m->size || size == 0)
		return;
	if (size > m->size - at)
		size = m->size - at;
	at += below(m, size);
	length = 1 + below(m, 8);
	if (length > m->size - at)
		length = m->size - at;
	LLVMFuzzerMutate(m->bytes + at, length, length);
}

/* Something in the contents of a section: a record, or bytes. */
static void change_section(struct mutator *m, uint64_t at)
{
	unsigned w = m->is_64 ? 8 : 4;
	uint64_t type = get(m, at + 4, 4);
	uint64_t offset = get(m, at + (m->is_64 ? 24 : 16), w);
	uint64_t size = get(m, at + (m->is_64 ? 32 : 20), w);
	const struct record *r = NULL;

	switch (type) {
	case SHT_SYMTAB:
	case SHT_DYNSYM:
		r = &sym;
		break;
	case SHT_RELA:
		r = &rela;
		break;
	case SHT_REL:
		r = &rel;
		break;
	case SHT_GROUP:
	case SHT_SYMTAB_SHNDX:
		r = &word;
		break;
	}
	if (offset > m->size || size > m->size - offset)
		size = offset < m->size ? m->size - offset : 0;
	if (r != NULL)
		change_record(m, r, offset, size / record_size(m, r));
	else
		change_bytes(m, offset, size);
}

static void change_elf(struct mutator *m)
{
	uint64_t shoff, shnum, phoff, phnum;

	m->is_64 = m->bytes[EI_CLASS] == ELFCLASS64;
	m->is_big = m->bytes[EI_DATA] == ELFDATA2MSB;
	shoff = m->is_64 ? get(m, 40, 8) : get(m, 32, 4);
	shnum = m->is_64 ? get(m, 60, 2) : get(m, 48, 2);
	phoff = m->is_64 ? get(m, 32, 8) : get(m, 28, 4);
	phnum = m->is_64 ? get(m, 56, 2) : get(m, 44, 2);
	switch (below(m, 16)) {
	case 0:
		change_record(m, &ehdr_rest, EI_NIDENT, 1);
		break;
	case 1:
		put(m, EI_NIDENT - 1, 1, roll(m));
		break;
	case 2:
		m->is_64 = 0;
		change_record(m, &ehdr, 0, 1);
		break;
	case 3:
		change_record(m, &phdr, phoff, phnum);
		break;
	case 4:
	case 5:
	case 6:
		change_record(m, &shdr, shoff, shnum);
		break;
	default:
		change_section(m,
			       shoff + below(m, shnum) * record_size(m, &shdr));
		break;
	}
}

/* One of a pair, mostly the second; false if it is none. */
static bool choose_part(struct mutator *m)
{
	struct fuzz_pair pair;
	size_t which = below(m, 4) > 0;

	if (fuzz_split(m->bytes, m->size, &pair))
		return false;
	m->bytes = (uint8_t *)pair.bytes[which];
	m->size = pair.size[which];
	return true;
}

/* The length of what an archive begins with. */
#define ARCHIVE_MAGIC 8

/* An ELF file in an archive, or, a quarter of the time, what is around it. */
static void choose_member(struct mutator *m)
{
	uint64_t from = below(m, m->size);

	if (below(m, 4) == 0)
		return;
	for (uint64_t at = from; at + SELFMAG <= m->size; at++)
		if (memcmp(m->bytes + at, ELFMAG, SELFMAG) == 0) {
			m->bytes += at;
			m->size -= at;
			return;
		}
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t max,
			       unsigned seed)
{
	struct mutator m = { .bytes = bytes, .size = size, .state = seed };

	/* Which may be a pair again. */
	while (choose_part(&m))
		;
	if (m.bytes == bytes && m.size == size && below(&m, 4) == 0)
		return LLVMFuzzerMutate(bytes, size, max);
	if (m.size > ARCHIVE_MAGIC &&
	    memcmp(m.bytes, "!<arch>\n", ARCHIVE_MAGIC) == 0)
		choose_member(&m);
	if (m.size < sizeof(Elf64_Ehdr) ||
	    memcmp(m.bytes, ELFMAG, SELFMAG) != 0) {
		if (m.size == size)
			return LLVMFuzzerMutate(bytes, size, max);
		/* Another length would shift what follows. */
		LLVMFuzzerMutate(m.bytes, m.size, m.size);
		return size;
	}
	for (uint64_t n = 1 + below(&m, 4); n > 0; n--)
		change_elf(&m);
	return size;
}
