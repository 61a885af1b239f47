/* SPDX-License-Identifier: BSD-2-Clause */
/* The patcher for RISC-V, on an array of bytes. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../../runtime/sdt_patch.h"

static int nfailed;

#define CHECK(condition) check((condition), #condition, __LINE__)

static void check(int is_true, const char *what, int line)
{
	if (is_true)
		return;
	printf("%s:%d: %s\n", __FILE__, line, what);
	nfailed++;
}

/* The site is at text+64, its stub at +128, handlers at +192 and +32. */
static uint8_t text[256] __attribute__((aligned(64)));
static char steps[32];
static int is_writable = 1;

enum { SITE = 64, STUB = 128, AHEAD = 192, BEHIND = 32 };

#define AT(offset) ((uintptr_t)text + (offset))

static int is_text(void *cookie, sdt_uptr addr, sdt_u32 len)
{
	(void)cookie;
	return addr - AT(0) <= sizeof(text) &&
	       len <= sizeof(text) - (addr - AT(0));
}

/* What was written: 1 for the first word, 2 for the second, h for 2 bytes. */
static int write_text(void *cookie, sdt_uptr addr, const sdt_u8 *bytes,
		      sdt_u32 len)
{
	(void)cookie;
	if (!is_writable)
		return -1;
	if (strlen(steps) < sizeof(steps) - 3)
		strcat(steps, len == 2		     ? "h"
			      : len == 8	     ? "8"
			      : addr == AT(SITE)     ? "1"
			      : addr == AT(SITE) + 4 ? "2"
						     : "?");
	memcpy((void *)addr, bytes, len);
	return 0;
}

static void sync_cpus(void *cookie)
{
	(void)cookie;
	strcat(steps, "s");
}

static const struct sdt_patch_host boot = {
	.is_text = is_text,
	.write = write_text,
};
static const struct sdt_patch_host live = {
	.is_text = is_text,
	.write = write_text,
	.sync = sync_cpus,
};

static void put(uint32_t first, uint32_t second)
{
	const uint32_t words[2] = { first, second };

	memset(text, 0xee, sizeof(text));
	for (int i = 0; i < 8; i++)
		text[SITE + i] = (uint8_t)(words[i / 4] >> 8 * (i % 4));
}

static int is(uint32_t first, uint32_t second)
{
	uint8_t found[sizeof(text)];
	int same;

	memcpy(found, text, sizeof(text));
	put(first, second);
	same = memcmp(found, text, sizeof(text)) == 0;
	memcpy(text, found, sizeof(text));
	return same;
}

static struct sdt_site make_site(enum sdt_form form, int is_enabled)
{
	struct sdt_site site = { 0 };

	site.addr = AT(SITE);
	site.stub = AT(STUB);
	site.form = form;
	site.is_enabled = is_enabled;
	return site;
}

/* FROM to TO while other CPUs run, in these steps, to these words. */
static void change(const struct sdt_site *site, uintptr_t from, uintptr_t to,
		   const char *wanted, uint32_t first, uint32_t second)
{
	steps[0] = 0;
	CHECK(sdt_patch_set(&live, site, from, to) == SDT_PATCH_OK);
	CHECK(strcmp(steps, wanted) == 0);
	CHECK(is(first, second));
	CHECK(sdt_patch_check(&live, site, to) == SDT_PATCH_OK);
}

static void test_call_8(void)
{
	struct sdt_site site = make_site(SDT_FORM_CALL, 0);

	/* auipc ra, 0; jalr ra, 64(ra): see the words below */
	put(0x00000097, 0x040080e7);
	CHECK(sdt_patch_check(&boot, &site, AT(STUB)) == SDT_PATCH_OK);
	/* j .+8; nop */
	change(&site, AT(STUB), 0, "1s2s", 0x0080006f, 0x00000013);
	/* auipc ra, 0; jal ra, .+124 */
	change(&site, 0, AT(AHEAD), "2s1s", 0x00000097, 0x07c000ef);
	/* jal ra, .-36 */
	change(&site, AT(AHEAD), AT(BEHIND), "2s", 0x00000097, 0xfddff0ef);
	change(&site, AT(BEHIND), AT(STUB), "2s", 0x00000097, 0x040080e7);
	change(&site, AT(STUB), AT(AHEAD), "2s", 0x00000097, 0x07c000ef);
	change(&site, AT(AHEAD), 0, "1s2s", 0x0080006f, 0x00000013);
	change(&site, 0, AT(STUB), "2s1s", 0x00000097, 0x040080e7);
}

static void test_tail_8(void)
{
	struct sdt_site site = make_site(SDT_FORM_TAIL, 0);

	/* auipc t1, 0; jalr zero, 64(t1) */
	put(0x00000317, 0x04030067);
	/* ret; ret: the second word must not fall through */
	change(&site, AT(STUB), 0, "1s2s", 0x00008067, 0x00008067);
	/* auipc t1, 0; j .+124 */
	change(&site, 0, AT(AHEAD), "2s1s", 0x00000317, 0x07c0006f);
	change(&site, AT(AHEAD), 0, "1s2s", 0x00008067, 0x00008067);
	change(&site, 0, AT(STUB), "2s1s", 0x00000317, 0x04030067);
}

static void test_enabled_8(void)
{
	struct sdt_site site = make_site(SDT_FORM_CALL, 1);

	put(0x00000097, 0x040080e7);
	CHECK(sdt_patch_set(&live, &site, AT(STUB), 0) == SDT_PATCH_NEEDS_STOP);
	CHECK(is(0x00000097, 0x040080e7));
	CHECK(sdt_patch_init(&boot, &site) == SDT_PATCH_OK);
	/* li a0, 0; nop */
	CHECK(is(0x00000513, 0x00000013));
	/* li a0, 0; jal ra, .+124 */
	change(&site, 0, AT(AHEAD), "2s", 0x00000513, 0x07c000ef);
	CHECK(sdt_patch_set(&live, &site, AT(AHEAD), AT(STUB)) ==
	      SDT_PATCH_NEEDS_STOP);
	change(&site, AT(AHEAD), 0, "2s", 0x00000513, 0x00000013);
	CHECK(sdt_patch_restore(&live, &site) == SDT_PATCH_NEEDS_STOP);
	CHECK(sdt_patch_restore(&boot, &site) == SDT_PATCH_OK);
	CHECK(is(0x00000097, 0x040080e7));

	/* The tail call: off is the stub. */
	site.form = SDT_FORM_TAIL;
	put(0x00000317, 0x04030067);
	CHECK(sdt_patch_init(&boot, &site) == SDT_PATCH_OK);
	CHECK(is(0x00000317, 0x04030067));
	change(&site, 0, AT(AHEAD), "2s", 0x00000317, 0x07c0006f);
	change(&site, AT(AHEAD), 0, "2s", 0x00000317, 0x04030067);
}

static void test_short(void)
{
	struct sdt_site site = make_site(SDT_FORM_CALL, 0);

	/* jal ra, .+64; nop; jal ra, .+128 */
	put(0x040000ef, 0xeeeeeeee);
	change(&site, AT(STUB), 0, "1s", 0x00000013, 0xeeeeeeee);
	change(&site, 0, AT(AHEAD), "1s", 0x080000ef, 0xeeeeeeee);
	change(&site, AT(AHEAD), AT(STUB), "1s", 0x040000ef, 0xeeeeeeee);

	/* j .+64; j .-32 */
	site.form = SDT_FORM_TAIL;
	put(0x0400006f, 0xeeeeeeee);
	CHECK(sdt_patch_init(&live, &site) == SDT_PATCH_OK);
	change(&site, 0, AT(BEHIND), "1s", 0xfe1ff06f, 0xeeeeeeee);
	change(&site, AT(BEHIND), 0, "1s", 0x0400006f, 0xeeeeeeee);

	/* c.j .+64, c.j .+128, c.j .-32 */
	put(0xeeeea081, 0xeeeeeeee);
	CHECK(sdt_patch_init(&live, &site) == SDT_PATCH_OK);
	change(&site, 0, AT(AHEAD), "hs", 0xeeeea041, 0xeeeeeeee);
	change(&site, AT(AHEAD), AT(BEHIND), "hs", 0xeeeeb7c5, 0xeeeeeeee);
	change(&site, AT(BEHIND), 0, "hs", 0xeeeea081, 0xeeeeeeee);
	CHECK(sdt_patch_enable(&live, &site, AT(SITE) + 2048) ==
	      SDT_PATCH_OUT_OF_RANGE);
	CHECK(sdt_patch_enable(&live, &site, AT(SITE) - 2050) ==
	      SDT_PATCH_OUT_OF_RANGE);
	site.form = SDT_FORM_CALL;
	CHECK(sdt_patch_init(&live, &site) == SDT_PATCH_OTHER_BYTES);

	/* c.jal .+64, c.jal .+128, of RV32 */
	put(0xeeee2081, 0xeeeeeeee);
	CHECK(sdt_patch_init(&live, &site) == SDT_PATCH_OK);
	change(&site, 0, AT(AHEAD), "hs", 0xeeee2041, 0xeeeeeeee);
}

/* What sdtlink --nop left, without a stub. */
static void test_nop(void)
{
	struct sdt_site site = make_site(SDT_FORM_TAIL, 0);

	site.stub = 0;
	put(0x00008067, 0x00000013);
	CHECK(sdt_patch_init(&boot, &site) == SDT_PATCH_OK);
	CHECK(is(0x00008067, 0x00008067));
	change(&site, 0, AT(AHEAD), "2s1s", 0x00000317, 0x07c0006f);
	change(&site, AT(AHEAD), 0, "1s2s", 0x00008067, 0x00008067);

	/* It is off without sdt_patch_init(), too. */
	put(0x00008067, 0x00000013);
	change(&site, 0, AT(AHEAD), "2s1s", 0x00000317, 0x07c0006f);

	site.form = SDT_FORM_CALL;
	put(0x0080006f, 0x00000013);
	CHECK(sdt_patch_init(&boot, &site) == SDT_PATCH_OK);
	change(&site, 0, AT(AHEAD), "2s1s", 0x00000097, 0x07c000ef);
	change(&site, AT(AHEAD), 0, "1s2s", 0x0080006f, 0x00000013);

	site.is_enabled = 1;
	put(0x00000513, 0x00000013);
	CHECK(sdt_patch_init(&boot, &site) == SDT_PATCH_OK);
	change(&site, 0, AT(AHEAD), "2s", 0x00000513, 0x07c000ef);
}

static void check_refused(struct sdt_site site, uint32_t first, uint32_t second)
{
	put(first, second);
	CHECK(sdt_patch_init(&boot, &site) == SDT_PATCH_OTHER_BYTES);
	CHECK(is(first, second));
}

static void test_refused(void)
{
	struct sdt_site site = make_site(SDT_FORM_CALL, 0);

	check_refused(site, 0x00000097, 0x044080e7); /* 4 too far */
	check_refused(site, 0x00001097, 0x040080e7);
	check_refused(site, 0x00000317, 0x04030067); /* the tail call */
	check_refused(site, 0x00000097, 0x04008067); /* jalr zero */
	check_refused(site, 0x0080006f, 0x040080e7); /* off, or not */
	check_refused(site, 0x0400006f, 0xeeeeeeee); /* j, not jal */
	site.form = SDT_FORM_COND;
	check_refused(site, 0x00000097, 0x040080e7);
	site.form = SDT_FORM_CALL;
	site.addr = AT(sizeof(text)) - 1;
	CHECK(sdt_patch_init(&boot, &site) == SDT_PATCH_NO_TEXT);

	/* Not aligned to 4: not while other CPUs run. */
	site.addr = AT(SITE) + 2;
	memset(text, 0xee, sizeof(text));
	memcpy(text + SITE + 2, "\x6f\0\x80\0\x13\0\0\0", 8);
	CHECK(sdt_patch_enable(&live, &site, AT(AHEAD)) ==
	      SDT_PATCH_NEEDS_STOP);
	CHECK(sdt_patch_enable(&boot, &site, AT(AHEAD)) == SDT_PATCH_OK);
}

/* What the breakpoint does: on with the code at PC. */
static void resumes(const struct sdt_site *site, uintptr_t pc, uintptr_t result)
{
	static struct {
		struct sdt_table_entry entry;
		uint32_t descriptor[4];
	} raw __attribute__((__aligned__(8)));
	const struct sdt_bounds bounds = { &raw.entry, &raw.entry + 1,
					   raw.descriptor, raw.descriptor + 4 };
	struct sdt_patch_regs regs = { .pc = site->addr + 4 };
	struct sdt_table table;
	struct sdt_site found;

	raw.entry.site = (sdt_s32)(site->addr - (uintptr_t)&raw.entry.site);
	raw.entry.probe = (sdt_s32)((uintptr_t)raw.descriptor -
				    (uintptr_t)&raw.entry.probe) +
			  (sdt_s32)site->form + 4 * site->is_enabled;
	raw.descriptor[0] = SDT_PROBE_MAGIC;
	CHECK(sdt_table_check_anchored(&bounds, &table) == SDT_TABLE_OK);
	CHECK(sdt_patch_trap(&table, &regs, &found) == SDT_TRAP_NOT_OURS);
	regs.pc = site->addr;
	regs.link = 0x1230;
	regs.result = 7;
	CHECK(sdt_patch_trap(&table, &regs, &found) == SDT_TRAP_HIT);
	CHECK(regs.pc == pc && regs.result == result);
}

static void test_trap(void)
{
	struct sdt_site site = make_site(SDT_FORM_CALL, 0);

	/* csrw cycle, ra; nop */
	put(0x0080006f, 0x00000013);
	change(&site, 0, SDT_PATCH_TRAP, "1s", 0xc0009073, 0x00000013);
	resumes(&site, AT(SITE) + 8, 7);
	change(&site, SDT_PATCH_TRAP, AT(AHEAD), "2s1s", 0x00000097,
	       0x07c000ef);
	change(&site, AT(AHEAD), SDT_PATCH_TRAP, "1s2s", 0xc0009073,
	       0x00000013);
	change(&site, SDT_PATCH_TRAP, 0, "1s", 0x0080006f, 0x00000013);
	/* csrw cycle, zero */
	put(0x00000013, 0xeeeeeeee);
	change(&site, 0, SDT_PATCH_TRAP, "1s", 0xc0001073, 0xeeeeeeee);
	resumes(&site, AT(SITE) + 4, 7);
	change(&site, SDT_PATCH_TRAP, AT(STUB), "1s", 0x040000ef, 0xeeeeeeee);
	/* c.unimp, for c.jal */
	put(0xeeee2081, 0xeeeeeeee);
	change(&site, AT(STUB), SDT_PATCH_TRAP, "hs", 0xeeee0000, 0xeeeeeeee);
	resumes(&site, AT(SITE) + 2, 7);
	change(&site, SDT_PATCH_TRAP, AT(AHEAD), "hs", 0xeeee2041, 0xeeeeeeee);

	site.is_enabled = 1;
	put(0x00000513, 0x00000013);
	change(&site, 0, SDT_PATCH_TRAP, "1s", 0xc0009073, 0x00000013);
	resumes(&site, AT(SITE) + 8, 0);
	change(&site, SDT_PATCH_TRAP, AT(AHEAD), "1s2s", 0x00000513,
	       0x07c000ef);
	site.form = SDT_FORM_TAIL;
	put(0x00000317, 0x04030067);
	change(&site, AT(STUB), SDT_PATCH_TRAP, "1s2s", 0xc0009073,
	       0x00008067);
	resumes(&site, 0x1230, 0);
	change(&site, SDT_PATCH_TRAP, AT(STUB), "2s1s", 0x00000317,
	       0x04030067);
}

static void test_range(void)
{
	struct sdt_site site = make_site(SDT_FORM_CALL, 0);
	uintptr_t second = AT(SITE) + 4;

	put(0x0080006f, 0x00000013);
	CHECK(sdt_patch_enable(&boot, &site, second + 0x100000) ==
	      SDT_PATCH_OUT_OF_RANGE);
	CHECK(sdt_patch_enable(&boot, &site, second - 0x100002) ==
	      SDT_PATCH_OUT_OF_RANGE);
	CHECK(sdt_patch_enable(&boot, &site, AT(AHEAD) + 1) ==
	      SDT_PATCH_OUT_OF_RANGE);
	CHECK(is(0x0080006f, 0x00000013));
	CHECK(sdt_patch_enable(&boot, &site, second + 0xffffe) == SDT_PATCH_OK);
	CHECK(is(0x00000097, 0x7ffff0ef)); /* jal ra, .+0xffffe */
	CHECK(sdt_patch_disable(&boot, &site, second + 0xffffe) == 0);
	CHECK(sdt_patch_enable(&boot, &site, second - 0x100000) == 0);
	CHECK(is(0x00000097, 0x800000ef)); /* jal ra, .-0x100000 */

	/* A stub that is further: auipc ra, 0x1; jalr ra, -2048(ra). */
	site.stub = AT(SITE) + 0x800;
	put(0x00001097, 0x800080e7);
	CHECK(sdt_patch_check(&boot, &site, site.stub) == SDT_PATCH_OK);
}

static void test_write_fails(void)
{
	struct sdt_site site = make_site(SDT_FORM_CALL, 0);

	put(0x00000097, 0x040080e7);
	is_writable = 0;
	CHECK(sdt_patch_set(&live, &site, AT(STUB), 0) ==
	      SDT_PATCH_NOT_WRITTEN);
	is_writable = 1;
	CHECK(is(0x00000097, 0x040080e7));
}

int main(void)
{
	test_call_8();
	test_tail_8();
	test_enabled_8();
	test_short();
	test_nop();
	test_refused();
	test_trap();
	test_range();
	test_write_fails();
	return nfailed > 0;
}
