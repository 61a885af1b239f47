/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SHT_CREL as clang 22 writes it, and what is none. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "elf/crel.h"
#include "unit.h"

/* x86-64: calls of a, b and c, a symbol of data, a again, data + 4. */
static const uint8_t calls[] = { 0x34, 0x27, 0x06, 0x04, 0x7c, 0x49, 0x01,
				 0x39, 0x01, 0x57, 0x7c, 0x07, 0x04, 0x2f,
				 0x02, 0x79, 0x7c, 0x37, 0x7e, 0x7e, 0x08 };
/*
 * Offsets that go down, all multiples of 8: .reloc f+40, R_X86_64_NONE, g;
 * f+8, R_X86_64_PC32, h-4; f+24, the same, h+0x7fffffff; f+16, R_X86_64_64,
 * h-0x7fffffffff.
 */
static const uint8_t down[] = { 0x27, 0x29, 0x02, 0xe7, 0xff, 0xff, 0xff, 0xff,
				0xff, 0xff, 0xff, 0xff, 0x01, 0x01, 0x02, 0x7c,
				0x14, 0x83, 0x80, 0x80, 0x80, 0x08, 0xfe, 0xff,
				0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01,
				0x7f, 0x82, 0x80, 0x80, 0x80, 0xf8, 0x6f };

static bool is_reloc(const struct reloc *r, uint64_t offset, uint32_t symndx,
		     uint32_t type, int64_t addend)
{
	return r->offset == offset && r->symndx == symndx && r->type == type &&
	       r->addend == addend;
}

/* Decodes them, and finds the same when they are encoded again. */
static void decode(const uint8_t *bytes, size_t size, bool is_64,
		   struct crel *crel)
{
	struct crel_error error;
	uint8_t *again;

	if (crel_decode(bytes, size, is_64, crel, &error)) {
		CHECK(!"decoded");
		exit(1);
	}
	again = malloc(crel_bound(crel->n));
	CHECK(crel_encode(crel, is_64, again) == size);
	CHECK(memcmp(again, bytes, size) == 0);
	free(again);
}

static void test_clang(void)
{
	struct crel crel;

	decode(calls, sizeof(calls), true, &crel);
	CHECK(crel.n == 6 && crel.has_addends);
	CHECK(is_reloc(&crel.entries[0], 0x4, 6, 4, -4));
	CHECK(is_reloc(&crel.entries[2], 0x14, 8, 4, -4));
	CHECK(is_reloc(&crel.entries[3], 0x1e, 4, 11, 0));
	CHECK(is_reloc(&crel.entries[5], 0x29, 4, 2, 4));
	free(crel.entries);
	decode(down, sizeof(down), true, &crel);
	CHECK(crel.n == 4);
	CHECK(is_reloc(&crel.entries[0], 40, 2, 0, 0));
	CHECK(is_reloc(&crel.entries[1], 8, 3, 2, -4));
	CHECK(is_reloc(&crel.entries[2], 24, 3, 2, 0x7fffffff));
	CHECK(is_reloc(&crel.entries[3], 16, 3, 1, -0x7fffffffff));
	free(crel.entries);
}

/* A word's extremes, which wrap; no addends, so that the offset has more bits;
 * and nothing at all. */
static void test_extremes(bool is_64)
{
	struct reloc entries[] = {
		{ .offset = 1, .addend = is_64 ? INT64_MAX : INT32_MAX },
		{ .offset = is_64 ? UINT64_MAX : UINT32_MAX,
		  .symndx = UINT32_MAX,
		  .type = UINT32_MAX,
		  .addend = is_64 ? INT64_MIN : INT32_MIN },
		{ .offset = 0, .addend = -1 },
	};
	struct crel crel = { .entries = entries, .n = 3, .has_addends = true };
	struct crel found;
	uint8_t bytes[200];
	size_t size = crel_encode(&crel, is_64, bytes);

	CHECK(size <= crel_bound(3));
	decode(bytes, size, is_64, &found);
	CHECK(memcmp(found.entries, entries, sizeof(entries)) == 0);
	free(found.entries);
	for (size_t i = 0; i < 3; i++)
		entries[i].addend = 0;
	crel.has_addends = false;
	decode(bytes, crel_encode(&crel, is_64, bytes), is_64, &found);
	CHECK(!found.has_addends);
	CHECK(memcmp(found.entries, entries, sizeof(entries)) == 0);
	free(found.entries);
	crel.n = 0;
	decode(bytes, crel_encode(&crel, is_64, bytes), is_64, &found);
	CHECK(found.n == 0);
	free(found.entries);
}

#define BYTES(...) \
	(const uint8_t[]){ __VA_ARGS__ }, \
		sizeof((const uint8_t[]){ __VA_ARGS__ })
#define FF4 0xff, 0xff, 0xff, 0xff

static const struct bad {
	const uint8_t *bytes;
	size_t size;
	bool is_64;
	const char *field, *what;
	size_t number;
} bads[] = {
	{ calls, 0, true, "number of relocations", "is cut off", 0 },
	{ BYTES(0x80), true, "number of relocations", "is cut off", 0 },
	{ BYTES(FF4, FF4, 0xff, 0x02), true, "number of relocations",
	  "is too large", 0 },
	{ BYTES(0x14, 0x00), true, "number of relocations",
	  "is larger than the section", 0 },
	{ BYTES(FF4, FF4, 0xff, 0x01), true, "number of relocations",
	  "is larger than the section", 0 },
	{ calls, sizeof(calls) - 1, true, "addend", "is cut off", 6 },
	{ BYTES(0x0c, 0x80), true, "offset", "is cut off", 1 },
	{ BYTES(0x0c, 0x80, FF4, FF4, 0x1f), true, "offset", "is too large",
	  1 },
	{ BYTES(0x0c, 0x80, FF4, 0x01), false, "offset", "is too large", 1 },
	{ BYTES(0x0c, 0x01), true, "symbol index", "is cut off", 1 },
	{ BYTES(0x0c, 0x01, 0x7f), true, "symbol index", "is too large", 1 },
	{ BYTES(0x14, 0x01, FF4, 0x0f, 0x01, 0x01), true, "symbol index",
	  "is too large", 2 },
	{ BYTES(0x0c, 0x02, 0x80), true, "type", "is cut off", 1 },
	{ BYTES(0x0c, 0x02, FF4, 0x1f), true, "type", "is too large", 1 },
	{ BYTES(0x0c, 0x04, FF4, FF4, 0xff, 0x01), true, "addend",
	  "is too large", 1 },
	{ BYTES(0x0c, 0x00, 0x00), true, "section",
	  "goes on behind its last relocation", 0 },
};

static void test_bad(void)
{
	for (size_t i = 0; i < sizeof(bads) / sizeof(bads[0]); i++) {
		const struct bad *bad = &bads[i];
		/* Exactly as long: reads behind it are seen. */
		uint8_t *bytes = malloc(bad->size + (bad->size == 0));
		struct crel_error error;
		struct crel crel;

		memcpy(bytes, bad->bytes, bad->size);
		CHECK(crel_decode(bytes, bad->size, bad->is_64, &crel,
				  &error) == -1);
		CHECK(strcmp(error.field, bad->field) == 0);
		CHECK(strcmp(error.what, bad->what) == 0);
		CHECK(error.number == bad->number);
		CHECK(crel.entries == NULL);
		free(bytes);
	}
}

int main(void)
{
	test_clang();
	test_extremes(true);
	test_extremes(false);
	test_bad();
	return unit_status();
}
