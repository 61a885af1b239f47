/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words of both byte orders, relocations of both classes and forms. */
#include <config.h>

#include "base/sort.h"
#include "elf/image.h"
#include "elf/object.h"
#include "unit.h"

static const uint8_t bytes[] = {
	0x81, 0x02, 0x03, 0x84, 0x85, 0x06, 0x07, 0xf8
};

static void test_words(void)
{
	const struct object little = { .is_big_endian = false };
	const struct object big = { .is_big_endian = true };

	CHECK(object_word(&little, bytes) == 0x84030281);
	CHECK(object_word(&big, bytes) == 0x81020384);
	CHECK(object_xword(&little, bytes) == 0xf807068584030281);
	CHECK(object_xword(&big, bytes) == 0x81020384850607f8);
}

static void test_rela(void)
{
	const Elf64_Rela e64[] = {
		{ 0 }, { 0x1122334455, ELF64_R_INFO(0x123456, 42), -4 }
	};
	const Elf32_Rela e32[] = {
		{ 0 }, { 0x11223344, ELF32_R_INFO(UINT32_C(0x123456), 42), -4 }
	};
	const struct relocs rs64 = {
		.entries = e64, .n = 2, .is_rela = true, .is_64 = true
	};
	const struct relocs rs32 = { .entries = e32, .n = 2, .is_rela = true };
	struct reloc r;

	reloc_get(&rs64, 1, &r);
	CHECK(r.offset == 0x1122334455 && r.addend == -4);
	CHECK(r.type == 42 && r.symndx == 0x123456);
	reloc_get(&rs32, 1, &r);
	CHECK(r.offset == 0x11223344 && r.addend == -4);
	CHECK(r.type == 42 && r.symndx == 0x123456);
}

static void test_rel(void)
{
	const Elf64_Rel e64[] = { { 7, ELF64_R_INFO(1, 0xffffffff) } };
	const Elf32_Rel e32[] = { { 7,
				    ELF32_R_INFO(UINT32_C(0xffffff), 0xff) } };
	const struct relocs rs64 = { .entries = e64, .n = 1, .is_64 = true };
	const struct relocs rs32 = { .entries = e32, .n = 1 };
	struct reloc r;

	reloc_get(&rs64, 0, &r);
	CHECK(r.offset == 7 && r.addend == 0);
	CHECK(r.type == 0xffffffff && r.symndx == 1);
	reloc_get(&rs32, 0, &r);
	CHECK(r.offset == 7 && r.addend == 0);
	CHECK(r.type == 0xff && r.symndx == 0xffffff);
}

/* As in a file of mips64: the symbol, a special symbol, and three types. */
static void test_three_types(void)
{
	static const struct {
		uint8_t info[8];
		bool is_big;
		uint32_t type, symndx;
	} rows[] = {
		{ { 0x78, 0x56, 0x34, 0x12, 0, 0, 0, 4 },
		  false,
		  4,
		  0x12345678 },
		{ { 0x12, 0x34, 0x56, 0x78, 0, 0, 0, 4 }, true, 4, 0x12345678 },
		{ { 3, 0, 0, 0, 1, 5, 24, 7 }, false, 5, 3 },
		{ { 0, 0, 0, 3, 1, 5, 24, 7 }, true, 5, 3 },
		{ { 3, 0, 0, 0, 0, 0, 18, 12 }, false, 18, 3 },
		{ { 0, 0, 0, 3, 0, 0, 18, 12 }, true, 18, 3 },
		{ { 3, 0, 0, 0, 9, 0, 0, 0 }, false, 0, 3 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct object obj = { .is_big_endian = rows[i].is_big };
		const Elf64_Rela entry = {
			.r_offset = 8,
			.r_info = object_xword(&obj, rows[i].info),
			.r_addend = -4,
		};
		const struct relocs rs = {
			.entries = &entry,
			.n = 1,
			.is_rela = true,
			.is_64 = true,
			.has_three_types = true,
			.is_big_endian = rows[i].is_big,
		};
		struct reloc r;

		reloc_get(&rs, 0, &r);
		CHECK(r.offset == 8 && r.addend == -4);
		CHECK(r.type == rows[i].type && r.symndx == rows[i].symndx);
		CHECK(reloc_info_file(reloc_info_order(entry.r_info)) ==
		      entry.r_info);
	}
}

static void test_wrap(void)
{
	const struct object narrow = { .is_64 = false };
	const struct object wide = { .is_64 = true };
	const struct image img32 = { .obj = &narrow };
	const struct image img64 = { .obj = &wide };

	CHECK(image_wrap(&img32, 0xffffffff) == 0xffffffff);
	CHECK(image_wrap(&img32, 0x100000000) == 0);
	CHECK(image_wrap(&img32, (uint64_t)-4) == 0xfffffffc);
	CHECK(image_wrap(&img64, (uint64_t)-4) == (uint64_t)-4);
}

static int compare_tens(const void *a, const void *b, void *ctx)
{
	int x = *(const int *)a / 10, y = *(const int *)b / 10;

	return x < y ? -*(int *)ctx : *(int *)ctx * (x > y);
}

/* All orders, with few values and many, of every length; nothing is lost. */
static void test_sort(void)
{
	uint32_t state = 1;

	for (int n = 0; n < 70; n++)
		for (int range = 1; range < 1000; range *= 7) {
			int items[70], sum = 0, order = range % 2 ? 1 : -1;
			bool is_right = true;

			for (int i = 0; i < n; i++) {
				state = state * 1103515245 + 12345;
				items[i] = (state >> 8) % range;
				sum += items[i] * items[i];
			}
			sort_with(items, n, sizeof(items[0]), compare_tens,
				  &order);
			for (int i = 0; i < n; i++) {
				sum -= items[i] * items[i];
				is_right &= i == 0 ||
					    compare_tens(&items[i - 1],
							 &items[i],
							 &order) <= 0;
			}
			CHECK(is_right && sum == 0);
		}
}

int main(void)
{
	test_words();
	test_rela();
	test_rel();
	test_three_types();
	test_wrap();
	test_sort();
	return unit_status();
}
