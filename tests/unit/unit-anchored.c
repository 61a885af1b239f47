/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader of the anchored table, on tables laid out by hand. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../runtime/sdt_table.h"

enum { NSITES = 5, NWORDS = 32, TEXT_SIZE = 256 };

/* As the linker lays it out: entries, descriptors, text. */
static struct image {
	struct sdt_table_entry sites[NSITES];
	uint32_t probes[NWORDS] __attribute__((aligned(8)));
	uint8_t text[TEXT_SIZE];
} image;

static int nfailed;

#define CHECK(condition) check((condition), #condition, __LINE__)

static void check(int is_true, const char *what, int line)
{
	if (is_true)
		return;
	printf("%s:%d: %s\n", __FILE__, line, what);
	nfailed++;
}

static int32_t self_relative(const void *target, const void *word)
{
	return (int32_t)((uintptr_t)target - (uintptr_t)word);
}

/* Word AT of the descriptors begins one; STUB is an offset in the text. */
static void put_probe(unsigned at, int stub, const char *name, uint32_t prefix)
{
	uint32_t *words = image.probes + at;

	words[0] = 0x31504453;
	words[1] = stub < 0 ? 0
			    : (uint32_t)self_relative(image.text + stub,
						      &words[1]);
	words[2] = prefix;
	memcpy(words + 3, name, strlen(name) + 1);
}

static void put_site(unsigned i, unsigned offset, unsigned probe, unsigned kind)
{
	struct sdt_table_entry *entry = &image.sites[i];

	entry->site = self_relative(image.text + offset, &entry->site);
	entry->probe = self_relative(image.probes + probe, &entry->probe) +
		       (int32_t)kind;
}

#define RECEIVE 0
#define ENABLED 10
#define NO_STUB 22

static void make_image(void)
{
	memset(&image, 0, sizeof(image));
	put_probe(RECEIVE, 0x80, "__dtrace_sdt_udp___receive", 13);
	put_probe(ENABLED, 0x90, "__dtrace_sdt_enabled_udp___receive", 21);
	put_probe(NO_STUB, -1, "__dtrace_sdt_wake__up", 13);
	put_site(0, 0x10, RECEIVE, 0);
	put_site(1, 0x20, ENABLED, 4);
	put_site(2, 0x20, RECEIVE, 2); /* folded functions share a site */
	put_site(3, 0x30, NO_STUB, 1);
	put_site(4, 0x40, RECEIVE, 1);
}

static struct sdt_bounds bounds_of(struct image *im)
{
	struct sdt_bounds bounds = { im->sites, im->sites + NSITES, im->probes,
				     im->probes + NWORDS };

	return bounds;
}

static enum sdt_table_error check_image(struct sdt_table *table)
{
	struct sdt_bounds bounds = bounds_of(&image);

	return sdt_table_check_anchored(&bounds, table);
}

static void test_sites(void)
{
	struct sdt_table table;
	struct sdt_site site;

	make_image();
	CHECK(check_image(&table) == SDT_TABLE_OK);
	CHECK(table.nsites == NSITES && table.is_sorted);

	sdt_table_get_site(&table, 0, &site);
	CHECK(site.addr == (uintptr_t)image.text + 0x10);
	CHECK(site.stub == (uintptr_t)image.text + 0x80);
	CHECK(strcmp(site.symbol, "__dtrace_sdt_udp___receive") == 0);
	CHECK(site.prefix == 13 && site.idx == 0 && site.probe == 0);
	CHECK(site.form == SDT_FORM_CALL && !site.is_enabled);
	CHECK(strcmp(site.function, "") == 0);

	sdt_table_get_site(&table, 1, &site);
	CHECK(strcmp(site.symbol, "__dtrace_sdt_enabled_udp___receive") == 0);
	CHECK(site.form == SDT_FORM_CALL && site.is_enabled);
	CHECK(site.prefix == 21);
	sdt_table_get_site(&table, 2, &site);
	CHECK(site.form == SDT_FORM_COND && !site.is_enabled);
	sdt_table_get_site(&table, 3, &site);
	CHECK(site.form == SDT_FORM_TAIL && site.stub == 0);
}

/* A jump to text OFFSET and the probe RECEIVE + MORE bytes, at word AT. */
static void put_jump(unsigned at, unsigned offset, int more)
{
	uint32_t *words = image.probes + at;

	words[0] = (uint32_t)self_relative(image.text + offset, &words[0]);
	words[1] = (uint32_t)(self_relative(image.probes + RECEIVE, &words[1]) +
			      more);
}

static enum sdt_table_error check_jump(unsigned at, unsigned end, int more)
{
	struct sdt_bounds bounds = bounds_of(&image);
	struct sdt_table table;

	make_image();
	put_jump(at, 0x70, more);
	put_site(0, 0x10, at, 3);
	bounds.sites_end = image.sites + 1;
	bounds.probes_end = image.probes + end;
	return sdt_table_check_anchored(&bounds, &table);
}

/* In the branch form, a jump stands between the entry and the descriptor. */
static void test_branch(void)
{
	struct sdt_table table;
	struct sdt_site site;

	make_image();
	put_jump(ENABLED, 0x70, 0);
	put_site(1, 0x20, ENABLED, 3);
	CHECK(check_image(&table) == SDT_TABLE_OK);
	sdt_table_get_site(&table, 1, &site);
	CHECK(site.addr == (uintptr_t)image.text + 0x20);
	CHECK(site.target == (uintptr_t)image.text + 0x70);
	CHECK(site.form == SDT_FORM_BRANCH && site.stub == 0);
	CHECK(!site.is_enabled && site.probe == 0);
	CHECK(strcmp(site.symbol, "__dtrace_sdt_udp___receive") == 0);
	sdt_table_get_site(&table, 0, &site);
	CHECK(site.target == 0);

	CHECK(check_jump(ENABLED, ENABLED + 2, 0) == SDT_TABLE_OK);
	CHECK(check_jump(ENABLED, ENABLED + 1, 0) == SDT_TABLE_BAD_PROBE);
	CHECK(check_jump(ENABLED, ENABLED, 0) == SDT_TABLE_BAD_PROBE);
	CHECK(check_jump(ENABLED, NWORDS, 4) == SDT_TABLE_BAD_PROBE);
	CHECK(check_jump(ENABLED, NWORDS, -8) == SDT_TABLE_BAD_PROBE);
	CHECK(check_jump(ENABLED, NWORDS, 4 * NWORDS) == SDT_TABLE_BAD_PROBE);
}

static void test_find(void)
{
	static const unsigned offsets[NSITES] = { 0x10, 0x20, 0x20, 0x30,
						  0x40 };
	static const unsigned firsts[NSITES] = { 0, 1, 1, 3, 4 };
	struct sdt_table table;
	struct sdt_site site;

	make_image();
	CHECK(check_image(&table) == SDT_TABLE_OK);
	for (unsigned i = 0; i < NSITES; i++) {
		uintptr_t addr = (uintptr_t)image.text + offsets[i];

		CHECK(sdt_table_find(&table, addr, &site));
		CHECK(site.idx == firsts[i] && site.addr == addr);
		CHECK(!sdt_table_find(&table, addr - 1, &site));
		CHECK(!sdt_table_find(&table, addr + 1, &site));
	}
	CHECK(!sdt_table_find(&table, 0, &site));
	CHECK(!sdt_table_find(&table, UINTPTR_MAX, &site));
}

static const char *function_of(void *cookie, sdt_uptr addr)
{
	CHECK(cookie == &image);
	if (addr < (uintptr_t)image.text + 0x30)
		return "udp_receive.cold";
	return addr < (uintptr_t)image.text + 0x40 ? "wake_up" : NULL;
}

/* The sites that PATTERN finds, as a set of bits. */
static unsigned matches(const char *pattern, int has_functions)
{
	struct sdt_table table;
	struct sdt_match match;
	struct sdt_site site;
	unsigned found = 0;

	make_image();
	CHECK(check_image(&table) == SDT_TABLE_OK);
	if (has_functions) {
		table.find_function = function_of;
		table.cookie = &image;
	}
	CHECK(sdt_match_start(&match, &table, "kernel", pattern) == 0);
	while (sdt_match_next(&match, &site))
		found |= 1u << site.idx;
	return found;
}

static void test_match(void)
{
	CHECK(matches("", 0) == 0x1f);
	CHECK(matches("udp:::", 0) == 0x17);
	CHECK(matches("udp:kernel::receive", 0) == 0x17);
	CHECK(matches("udp:other::receive", 0) == 0);
	CHECK(matches("wake-up", 0) == 0x08);
	CHECK(matches("sdt:::*", 0) == 0x08);
	CHECK(matches("udp_*:", 0) == 0);
	CHECK(matches("udp_*:", 1) == 0x07);
	CHECK(matches("udp_receive:", 1) == 0x07);
	CHECK(matches("wake_up:wake-up", 1) == 0x08);
	CHECK(matches("*:receive", 1) == 0x17);
}

/* Every order of the sites sorts to the same table. */
static void check_order(const unsigned order[4])
{
	static const unsigned offsets[4] = { 0x10, 0x20, 0x30, 0x40 };
	static const unsigned probes[4] = { RECEIVE, ENABLED, NO_STUB,
					    RECEIVE };
	static const unsigned kinds[4] = { 0, 4, 1, 1 };
	struct sdt_bounds bounds = bounds_of(&image);
	struct sdt_table_entry sorted[4];
	struct sdt_table table;
	struct sdt_site site;

	make_image();
	for (unsigned i = 0; i < 4; i++)
		put_site(i, offsets[i], probes[i], kinds[i]);
	memcpy(sorted, image.sites, sizeof(sorted));
	for (unsigned i = 0; i < 4; i++)
		put_site(i, offsets[order[i]], probes[order[i]],
			 kinds[order[i]]);
	bounds.sites_end = image.sites + 4;
	CHECK(sdt_table_check_anchored(&bounds, &table) == SDT_TABLE_OK);
	CHECK(table.is_sorted ==
	      (memcmp(sorted, image.sites, sizeof(sorted)) == 0));
	for (unsigned i = 0; i < 4; i++) {
		CHECK(sdt_table_find(&table, (uintptr_t)image.text + offsets[i],
				     &site));
		CHECK(site.form == (enum sdt_form)(kinds[i] & 3));
	}
	CHECK(sdt_table_sort(&table) == 0);
	CHECK(table.is_sorted);
	CHECK(memcmp(sorted, image.sites, sizeof(sorted)) == 0);
	CHECK(sdt_table_find(&table, (uintptr_t)image.text + 0x30, &site));
	CHECK(site.idx == 2 && site.stub == 0);
}

static void test_sort(void)
{
	for (unsigned n = 0; n < 256; n++) {
		unsigned order[4] = { n & 3, n >> 2 & 3, n >> 4 & 3, n >> 6 };
		unsigned seen = 0;

		for (unsigned i = 0; i < 4; i++)
			seen |= 1u << order[i];
		if (seen == 0xf)
			check_order(order);
	}
}

/* Moved to the end, the entry would point beyond what 32 bits reach. */
static void test_sort_too_far(void)
{
#if UINTPTR_MAX > 0xffffffff
	struct sdt_table_entry before[NSITES];
	struct sdt_table table;

	make_image();
	put_site(0, 0x50, RECEIVE, 0);
	CHECK(check_image(&table) == SDT_TABLE_OK && !table.is_sorted);
	image.sites[0].site = INT32_MIN;
	image.sites[1].site = INT32_MIN + 8;
	memcpy(before, image.sites, sizeof(before));
	CHECK(sdt_table_sort(&table) == -1);
	CHECK(memcmp(before, image.sites, sizeof(before)) == 0);
#endif
}

static void test_offsets_do_not_sort(void)
{
	struct sdt_table table = { 0 };

	CHECK(sdt_table_sort(&table) == -1);
}

/* --- Damaged tables ------------------------------------------------------ */

static void check_bounds(intptr_t from, intptr_t to, enum sdt_table_error error)
{
	struct sdt_bounds bounds = bounds_of(&image);
	struct sdt_table table;

	make_image();
	bounds.sites = (const uint8_t *)bounds.sites + from;
	bounds.sites_end = (const uint8_t *)bounds.sites_end + to;
	CHECK(sdt_table_check_anchored(&bounds, &table) == error);
}

/* The descriptors end N bytes behind where the last one begins. */
static void check_end(uintptr_t n, enum sdt_table_error error)
{
	struct sdt_bounds bounds = bounds_of(&image);
	struct sdt_table table;

	make_image();
	bounds.probes_end = (const uint8_t *)(image.probes + NO_STUB) + n;
	CHECK(sdt_table_check_anchored(&bounds, &table) == error);
}

static void test_bounds(void)
{
	check_bounds(0, 0, SDT_TABLE_OK);
	check_bounds(8, 0, SDT_TABLE_OK);
	check_bounds(0, -8, SDT_TABLE_OK);
	check_bounds(8 * NSITES, 0, SDT_TABLE_OK);
	check_bounds(8 * NSITES + 8, 0, SDT_TABLE_BAD_SIZE);
	check_bounds(1, 0, SDT_TABLE_UNALIGNED);
	check_bounds(0, -4, SDT_TABLE_BAD_SIZE);
	check_bounds(0, -1, SDT_TABLE_BAD_SIZE);
	check_end(12 + sizeof("__dtrace_sdt_wake__up"), SDT_TABLE_OK);
	check_end(12 + sizeof("__dtrace_sdt_wake__up") - 1,
		  SDT_TABLE_BAD_PROBE);
	check_end(13, SDT_TABLE_BAD_PROBE);
	check_end(12, SDT_TABLE_BAD_PROBE);
	check_end(0, SDT_TABLE_BAD_PROBE);
}

#define CHECK_DAMAGED(field, value, error) \
	do { \
		struct sdt_table table; \
\
		make_image(); \
		image.field = (value); \
		CHECK(check_image(&table) == (error)); \
	} while (0)

static void test_damaged(void)
{
	CHECK_DAMAGED(probes[0], 0x31504453, SDT_TABLE_OK);
	CHECK_DAMAGED(probes[0], 0x32504453, SDT_TABLE_NEWER);
	CHECK_DAMAGED(probes[0], 0x31544453, SDT_TABLE_BAD_PROBE);
	CHECK_DAMAGED(probes[2], 26, SDT_TABLE_OK);
	CHECK_DAMAGED(probes[2], 27, SDT_TABLE_BAD_PROBE);
	/* A descriptor is no jump. */
	CHECK_DAMAGED(sites[0].probe, image.sites[0].probe + 3,
		      SDT_TABLE_BAD_PROBE);
	CHECK_DAMAGED(sites[0].probe, image.sites[0].probe + 7,
		      SDT_TABLE_BAD_PROBE);
	CHECK_DAMAGED(sites[0].probe, image.sites[0].probe + 8,
		      SDT_TABLE_BAD_PROBE);
	CHECK_DAMAGED(sites[4].probe, image.sites[4].probe - 8,
		      SDT_TABLE_BAD_PROBE);
}

/* In a block of its own size, so that a sanitizer sees the end. */
static void walk_copy(void)
{
	void *block = malloc(sizeof(struct image) - TEXT_SIZE);
	struct image *copy = block;
	struct sdt_bounds bounds;
	struct sdt_table table;
	struct sdt_match match;
	struct sdt_site site;
	char name[64];

	if (copy == NULL)
		abort();
	memcpy(copy, &image, sizeof(*copy) - TEXT_SIZE);
	bounds = bounds_of(copy);
	if (sdt_table_check_anchored(&bounds, &table) == SDT_TABLE_OK) {
		CHECK(sdt_match_start(&match, &table, "k", "*:::*e*") == 0);
		while (sdt_match_next(&match, &site)) {
			sdt_site_name(&site, "k", name, sizeof(name));
			CHECK(sdt_table_find(&table, site.addr, &site));
		}
		sdt_table_sort(&table);
	}
	free(copy);
}

static void test_robustness(void)
{
	uint8_t *bytes = (uint8_t *)&image;

	for (size_t i = 0; i < (sizeof(image) - TEXT_SIZE) * 8; i++) {
		make_image();
		bytes[i / 8] ^= (uint8_t)(1u << i % 8);
		walk_copy();
	}
}

int main(void)
{
	test_sites();
	test_branch();
	test_find();
	test_match();
	test_sort();
	test_sort_too_far();
	test_offsets_do_not_sort();
	test_bounds();
	test_damaged();
	test_robustness();
	return nfailed > 0;
}
