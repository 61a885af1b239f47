/* SPDX-License-Identifier: BSD-2-Clause */
/* The probe macros and the reader of offsets tables, on the build machine. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../runtime/sdt.h"
#include "../../runtime/sdt_table.h"

static int nfailed;

#define CHECK(condition) check((condition), #condition, __LINE__)

static void check(int is_true, const char *what, int line)
{
	if (is_true)
		return;
	printf("%s:%d: %s\n", __FILE__, line, what);
	nfailed++;
}

/* --- sdt.h --------------------------------------------------------------- */

static unsigned int nboots;
static uintptr_t last[6];

void boot_probe(void) __asm__("__dtrace_sdt_unix___boot");
void six_probe(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
	       uintptr_t) __asm__("__dtrace_sdt_t___six");
int six_enabled(void) __asm__("__dtrace_sdt_enabled_t___six");

void boot_probe(void)
{
	nboots++;
}

void six_probe(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e,
	       uintptr_t f)
{
	const uintptr_t args[6] = {a, b, c, d, e, f};

	memcpy(last, args, sizeof(last));
}

int six_enabled(void)
{
	return 7;
}

/* As noinstr in Linux: names are pasted as written, not expanded. */
#define boot +
#define six +

static void test_macros(void)
{
	static const char text[] = "x";
	signed char narrow = -2;

	SDT_PROBE0(unix, boot);
	if (nboots == 1)
		SDT_PROBE0(unix, boot);
	else
		CHECK(0);
	CHECK(nboots == 2);

	CHECK(SDT_PROBE_ENABLED(t, six) != 0);
	SDT_PROBE6(t, six, text, narrow, 3u, &nboots, -1L, UINTPTR_MAX);
	CHECK(last[0] == (uintptr_t)text);
	CHECK(last[1] == (uintptr_t)-2);
	CHECK(last[2] == 3);
	CHECK(last[3] == (uintptr_t)&nboots);
	CHECK(last[4] == UINTPTR_MAX);
	CHECK(last[5] == UINTPTR_MAX);
}

/* --- A table, as sdtlink would lay it out -------------------------------- */

enum { TEXT_SIZE = 256, NSITES = 6, NCHARS = 192 };

static uint8_t text[TEXT_SIZE]; /* two sections, at 0x80 and at 0x10 */
static uint8_t stubs[8];	/* one byte each */

static struct image {
	struct sdt_table_head head;
	struct sdt_table_section sections[2];
	struct sdt_table_site sites[NSITES];
	struct sdt_table_probe probes[4];
	struct sdt_table_function functions[3];
	struct sdt_table_recorded_jump jumps[1];
	char strings[NCHARS];
} image;

static uint32_t nchars;

static uint32_t add_string(const char *string)
{
	uint32_t offset = nchars;

	memcpy(image.strings + offset, string, strlen(string) + 1);
	nchars += (uint32_t)strlen(string) + 1;
	return offset;
}

static sdt_s32 self_relative(const void *target, const sdt_s32 *word)
{
	return (sdt_s32)((uintptr_t)target - (uintptr_t)word);
}

static struct sdt_table_site site_record(uint32_t offset, uint32_t probe,
					 int is_enabled, enum sdt_form form)
{
	struct sdt_table_site site = {
	    offset, probe << 3 | (uint32_t)is_enabled << 2 | (uint32_t)form};

	return site;
}

static void make_probes(void)
{
	static const char *const symbols[] = {
	    "__dtrace_sdt_enabled_udp___receive",
	    "__dtrace_sdt_plain",
	    "__dtrace_sdt_sched___wake__up",
	    "__dtrace_sdt_udp___receive",
	};

	for (int i = 0; i < 4; i++) {
		image.probes[i].stub =
		    self_relative(&stubs[i], &image.probes[i].stub);
		image.probes[i].name = add_string(symbols[i]);
		image.probes[i].prefix = strlen(i == 0 ? "__dtrace_sdt_enabled_"
						       : "__dtrace_sdt_");
	}
}

static void make_image(void)
{
	memset(&image, 0, sizeof(image));
	nchars = 0;
	image.sections[0].base =
	    self_relative(text + 0x80, &image.sections[0].base);
	image.sections[1].base =
	    self_relative(text + 0x10, &image.sections[1].base);
	image.sections[1].first = 4;
	image.sites[0] = site_record(0x00, 3, 0, SDT_FORM_CALL);
	image.sites[1] = site_record(0x08, 0, 1, SDT_FORM_CALL);
	image.sites[2] = site_record(0x10, 3, 0, SDT_FORM_COND);
	image.sites[3] = site_record(0x20, 2, 0, SDT_FORM_TAIL);
	image.sites[4] = site_record(0x00, 0, 0, SDT_FORM_BRANCH);
	image.jumps[0] = (struct sdt_table_recorded_jump){0, 0x30, 1};
	image.sites[5] = site_record(0x08, 0, 1, SDT_FORM_TAIL);
	make_probes();
	image.functions[0] =
	    (struct sdt_table_function){0, add_string("udp6_receive")};
	image.functions[1] =
	    (struct sdt_table_function){3, add_string("wake_up")};
	image.functions[2] =
	    (struct sdt_table_function){4, add_string("idle.cold")};

	image.head.magic = SDT_TABLE_MAGIC;
	image.head.version = 1;
	image.head.nsections = 2;
	image.head.nsites = NSITES;
	image.head.nprobes = 4;
	image.head.nfunctions = 3;
	image.head.strings = (uint32_t)offsetof(struct image, strings);
	image.head.size = image.head.strings + nchars;
}

/* --- sdt_table.c --------------------------------------------------------- */

static enum sdt_table_error check_image(void)
{
	struct sdt_table table;

	return sdt_table_check(&image, image.head.size, &table);
}

static void test_sites(void)
{
	struct sdt_table table;
	struct sdt_site site;

	make_image();
	CHECK(sdt_table_check(&image, SDT_TABLE_NO_LIMIT, &table) == 0);
	CHECK(sdt_table_check(&image, image.head.size, &table) == 0);

	sdt_table_get_site(&table, 1, &site);
	CHECK(site.addr == (uintptr_t)text + 0x88);
	CHECK(site.stub == (uintptr_t)&stubs[0]);
	CHECK(strcmp(site.symbol, "__dtrace_sdt_enabled_udp___receive") == 0);
	CHECK(strcmp(site.function, "udp6_receive") == 0);
	CHECK(site.idx == 1 && site.probe == 0);
	CHECK(site.form == SDT_FORM_CALL && site.is_enabled);

	sdt_table_get_site(&table, 3, &site);
	CHECK(site.form == SDT_FORM_TAIL && !site.is_enabled);
	CHECK(strcmp(site.function, "wake_up") == 0);
	sdt_table_get_site(&table, 4, &site);
	CHECK(site.addr == (uintptr_t)text + 0x10);
	CHECK(strcmp(site.function, "idle.cold") == 0);
	CHECK(strcmp(site.symbol, "__dtrace_sdt_plain") == 0);
	CHECK(site.form == SDT_FORM_BRANCH && site.probe == 1);
	CHECK(site.target == (uintptr_t)text + 0x80 + 0x30 && site.stub == 0);
	sdt_table_get_site(&table, 5, &site);
	CHECK(site.target == 0);
	CHECK(site.addr == (uintptr_t)text + 0x18);
}

static void test_find(void)
{
	struct sdt_table table;
	struct sdt_site site, found;

	make_image();
	CHECK(sdt_table_check(&image, image.head.size, &table) == 0);
	for (uint32_t i = 0; i < NSITES; i++) {
		sdt_table_get_site(&table, i, &site);
		CHECK(sdt_table_find(&table, site.addr, &found));
		CHECK(found.idx == i);
		CHECK(!sdt_table_find(&table, site.addr + 1, &found));
		CHECK(!sdt_table_find(&table, site.addr - 1, &found));
	}
	CHECK(!sdt_table_find(&table, 0, &found));
	CHECK(!sdt_table_find(&table, UINTPTR_MAX, &found));
#if UINTPTR_MAX > 0xffffffff
	/* The low half alone is a site's. */
	CHECK(
	    !sdt_table_find(&table, site.addr + ((uintptr_t)1 << 32), &found));
#endif
}

static void test_empty_section(void)
{
	struct sdt_table table;
	struct sdt_site site;

	make_image();
	image.sections[1].first = 0;
	CHECK(sdt_table_check(&image, image.head.size, &table) ==
	      SDT_TABLE_BAD_SITE);
	image.sites[4].offset = 0x28;
	image.sites[5].offset = 0x30;
	CHECK(sdt_table_check(&image, image.head.size, &table) == 0);
	sdt_table_get_site(&table, 0, &site);
	CHECK(site.addr == (uintptr_t)text + 0x10);
	CHECK(!sdt_table_find(&table, (uintptr_t)text + 0x80, &site));

	image.sections[1].first = NSITES;
	CHECK(sdt_table_check(&image, image.head.size, &table) == 0);
	sdt_table_get_site(&table, NSITES - 1, &site);
	CHECK(site.addr == (uintptr_t)text + 0x80 + 0x30);
}

static void test_empty_table(void)
{
	struct sdt_table_head head = {
	    SDT_TABLE_MAGIC, 1, sizeof(head), 0, 0, 0, 0, sizeof(head)};
	struct sdt_table table;
	struct sdt_match match;
	struct sdt_site site;

	CHECK(sdt_table_check(&head, sizeof(head), &table) == 0);
	CHECK(!sdt_table_find(&table, (uintptr_t)text, &site));
	CHECK(sdt_match_start(&match, &table, "kernel", "") == 0);
	CHECK(!sdt_match_next(&match, &site));
}

/* As sdtlink --no-function-names writes it. */
static void test_no_functions(void)
{
	const uint32_t size = sizeof(image.functions) + sizeof(image.jumps);
	struct sdt_table table;
	struct sdt_match match;
	struct sdt_site site;

	make_image();
	memmove(image.functions, image.strings, nchars);
	image.head.nfunctions = 0;
	image.sites[4].info = 1 << 3;
	image.head.strings -= size;
	image.head.size -= size;
	CHECK(check_image() == SDT_TABLE_OK);
	CHECK(sdt_table_check(&image, image.head.size, &table) == 0);
	for (uint32_t i = 0; i < NSITES; i++) {
		sdt_table_get_site(&table, i, &site);
		CHECK(strcmp(site.function, "") == 0);
	}
	CHECK(strcmp(site.symbol, "__dtrace_sdt_enabled_udp___receive") == 0);
	CHECK(sdt_match_start(&match, &table, "kernel", "udp:::receive") == 0);
	CHECK(sdt_match_next(&match, &site) && site.idx == 0);
	CHECK(sdt_match_start(&match, &table, "kernel", "wake_up:") == 0);
	CHECK(!sdt_match_next(&match, &site));
}

/* The sites that PATTERN finds, as a set of bits. */
static unsigned int matches(const char *pattern)
{
	struct sdt_table table;
	struct sdt_match match;
	struct sdt_site site;
	unsigned int found = 0;

	make_image();
	CHECK(sdt_table_check(&image, image.head.size, &table) == 0);
	if (sdt_match_start(&match, &table, "kernel", pattern) != 0)
		return ~0u;
	while (sdt_match_next(&match, &site))
		found |= 1u << site.idx;
	return found;
}

static void test_match(void)
{
	CHECK(matches("") == 0x3f);
	CHECK(matches(":::") == 0x3f);
	CHECK(matches("*:*:*:*") == 0x3f);
	CHECK(matches("udp:::") == 0x27);
	CHECK(matches("udp:kernel::receive") == 0x27);
	CHECK(matches("udp:ker*::receive") == 0x27);
	CHECK(matches("udp:zfs::receive") == 0);
	CHECK(matches("udp::udp6_receive:receive") == 0x07);
	CHECK(matches("udp::udp_receive:receive") == 0);
	CHECK(matches("udp::udp?_receive:") == 0x07);
	CHECK(matches("receive") == 0x27);
	CHECK(matches("wake_up:wake-up") == 0x08);
	CHECK(matches("wake-up") == 0x08);
	CHECK(matches("wake?up") == 0x08);
	CHECK(matches("wake__up") == 0);
	CHECK(matches("*-*") == 0x08);
	CHECK(matches("*-up") == 0x08);
	CHECK(matches("w*e*p") == 0x08);
	CHECK(matches("*e*e") == 0x27);
	CHECK(matches("receiv") == 0);
	CHECK(matches("receive?") == 0);
	CHECK(matches("receive*") == 0x27);
	CHECK(matches("sdt:::") == 0x10);
	CHECK(matches("sdt:::plain") == 0x10);
	CHECK(matches("ud:::") == 0);
	CHECK(matches("idle:") == 0x30);
	CHECK(matches("idle.cold:") == 0x30);
	CHECK(matches("idle.part:") == 0);
	CHECK(matches(".cold:") == 0);
	CHECK(matches("a:b:c:d:e") == ~0u);
}

static void check_name(const char *prefix, const char *rest, const char *wanted)
{
	struct sdt_site site = {0};
	char symbol[64], name[64];

	strcpy(symbol, prefix);
	strcat(symbol, rest);
	site.symbol = symbol;
	site.prefix = strlen(prefix);
	site.function = "f";
	CHECK(sdt_site_name(&site, "m", name, sizeof(name)) == strlen(wanted));
	CHECK(strcmp(name, wanted) == 0);
	CHECK(sdt_site_name(&site, "m", name, 6) == strlen(wanted));
	CHECK(strlen(name) == 5 && strncmp(name, wanted, 5) == 0);
	CHECK(sdt_site_name(&site, "m", name, 0) == strlen(wanted));
	name[strlen(wanted)] = '!';
	sdt_site_name(&site, "m", name, strlen(wanted));
	CHECK(name[strlen(wanted)] == '!');
}

static void test_names(void)
{
	check_name("__dtrace_sdt_", "vfs___open__entry", "vfs:m:f:open-entry");
	check_name("p_", "vfs___open", "vfs:m:f:open");
	check_name("p_", "plain__name", "sdt:m:f:plain-name");
	check_name("p_", "___x", "sdt:m:f:-_x");
	check_name("p_", "x___", "sdt:m:f:x-_");
	check_name("p_", "a____b", "a:m:f:_b");
	check_name("p_", "a_b___c____d", "a_b:m:f:c--d");
	check_name("p_", "x__", "sdt:m:f:x-");
	check_name("", "__fentry__", "sdt:m:f:__fentry__");
	check_name("", "a___b", "sdt:m:f:a___b");
}

/* --- Damaged tables ------------------------------------------------------ */

#define CHECK_DAMAGED(field, value, error)                                     \
	do {                                                                   \
		make_image();                                                  \
		image.field = (value);                                         \
		CHECK(check_image() == (error));                               \
	} while (0)

static void test_damaged(void)
{
	const uint32_t strings = (uint32_t)offsetof(struct image, strings);
	const uint32_t jumps = (uint32_t)offsetof(struct image, jumps);

	CHECK_DAMAGED(head.magic, 0x53445431, SDT_TABLE_NO_MAGIC);
	CHECK_DAMAGED(head.version, 2, SDT_TABLE_NEWER);
	CHECK_DAMAGED(head.size, jumps - 1, SDT_TABLE_BAD_SIZE);
	CHECK_DAMAGED(head.size, strings - 1, SDT_TABLE_BAD_STRINGS);
	CHECK_DAMAGED(head.size, strings, SDT_TABLE_BAD_PROBE);
	CHECK_DAMAGED(head.size, image.head.size - 2, SDT_TABLE_BAD_STRINGS);
	CHECK_DAMAGED(head.strings, jumps - 1, SDT_TABLE_BAD_STRINGS);
	CHECK_DAMAGED(head.strings, strings - 1, SDT_TABLE_BAD_SITE);
	CHECK_DAMAGED(head.strings, image.head.size + 1, SDT_TABLE_BAD_STRINGS);
	CHECK_DAMAGED(head.nsites, UINT32_MAX, SDT_TABLE_BAD_SIZE);
	CHECK_DAMAGED(head.nsections, 0, SDT_TABLE_BAD_SECTION);
	CHECK_DAMAGED(head.nprobes, 0, SDT_TABLE_BAD_SITE);
	CHECK_DAMAGED(sections[0].first, 1, SDT_TABLE_BAD_SECTION);
	CHECK_DAMAGED(sections[1].first, NSITES + 1, SDT_TABLE_BAD_SECTION);
	CHECK_DAMAGED(sites[1].offset, 0, SDT_TABLE_BAD_SITE);
	CHECK_DAMAGED(sites[1].offset, 0x10, SDT_TABLE_BAD_SITE);
	CHECK_DAMAGED(sites[1].info, 4 << 3, SDT_TABLE_BAD_SITE);
	CHECK_DAMAGED(sites[1].info, 1 << 3 | 3, SDT_TABLE_BAD_SITE);
	CHECK_DAMAGED(jumps[0].section, 2, SDT_TABLE_BAD_SITE);
	CHECK_DAMAGED(jumps[0].probe, 4, SDT_TABLE_BAD_SITE);
	CHECK_DAMAGED(head.nfunctions, 4, SDT_TABLE_BAD_SITE);
	CHECK_DAMAGED(probes[1].name, image.probes[0].name,
		      SDT_TABLE_BAD_PROBE);
	CHECK_DAMAGED(probes[0].name, nchars, SDT_TABLE_BAD_PROBE);
	CHECK_DAMAGED(probes[3].name, nchars, SDT_TABLE_BAD_PROBE);
	CHECK_DAMAGED(probes[1].prefix, 19, SDT_TABLE_BAD_PROBE);
	CHECK_DAMAGED(functions[0].first, 1, SDT_TABLE_BAD_FUNCTION);
	CHECK_DAMAGED(functions[1].first, 0, SDT_TABLE_BAD_FUNCTION);
	CHECK_DAMAGED(functions[2].first, NSITES, SDT_TABLE_BAD_FUNCTION);
	CHECK_DAMAGED(functions[2].name, nchars, SDT_TABLE_BAD_FUNCTION);
}

/* Reads all that an accepted table leads to, but the text. */
static void walk(const void *raw, size_t size)
{
	struct sdt_table table;
	struct sdt_match match;
	struct sdt_site site, found;
	char name[32];

	if (sdt_table_check(raw, size, &table) != SDT_TABLE_OK)
		return;
	CHECK(sdt_match_start(&match, &table, "kernel", "u*p:::*e*") == 0);
	while (sdt_match_next(&match, &site))
		sdt_site_name(&site, "kernel", name, sizeof(name));
	for (uint32_t i = 0; i < table.nsites; i++) {
		sdt_table_get_site(&table, i, &site);
		CHECK(sdt_table_find(&table, site.addr, &found));
	}
}

/* In a block of its own size, so that a sanitizer sees the end. */
static void walk_copy(size_t size)
{
	void *copy = malloc(size > 0 ? size : 1);

	if (copy == NULL)
		abort();
	memcpy(copy, &image, size);
	walk(copy, size);
	free(copy);
}

static void test_robustness(void)
{
	static const uint32_t values[] = {
	    0, 1, 4, 0x7fffffff, 0x80000000, 0xfffffff8, 0xffffffff};
	struct sdt_table table;
	uint8_t *bytes = (uint8_t *)&image;
	size_t size;

	make_image();
	size = image.head.size;
	CHECK(sdt_table_check(bytes + 1, size, &table) == SDT_TABLE_UNALIGNED);
	for (size_t i = 0; i < size; i++)
		CHECK(sdt_table_check(bytes, i, &table) == SDT_TABLE_BAD_SIZE);
	for (size_t i = 0; i < size * 8; i++) {
		make_image();
		bytes[i / 8] ^= (uint8_t)(1u << i % 8);
		walk_copy(size);
	}
	for (size_t i = 0; i < image.head.strings; i += 4) {
		for (size_t v = 0; v < sizeof(values) / sizeof(*values); v++) {
			make_image();
			memcpy(bytes + i, &values[v], 4);
			walk_copy(size);
		}
	}
}

int main(void)
{
	test_macros();
	test_sites();
	test_find();
	test_empty_section();
	test_empty_table();
	test_no_functions();
	test_match();
	test_names();
	test_damaged();
	test_robustness();
	return nfailed > 0;
}
