/* SPDX-License-Identifier: BSD-2-Clause */
/* The patcher for AArch64, on an array of bytes. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../runtime/sdt_patch.h"

static int nfailed;

#define CHECK(condition) check((condition), #condition, __LINE__)

static void check(int is_true, const char *what, int line)
{
	if (is_true)
		return;
	printf("%s:%d: %s\n", __FILE__, line, what);
	nfailed++;
}

/* The site is at text+64, its stub at +96, handlers at +128 and +32. */
static uint8_t text[256] __attribute__((aligned(64)));
static char steps[32];

enum { SITE = 64, STUB = 96, AHEAD = 128, BEHIND = 32 };

#define AT(offset) ((uintptr_t)text + (offset))

static int is_text(void *cookie, sdt_uptr addr, sdt_u32 len)
{
	(void)cookie;
	return addr >= AT(0) && addr + len <= AT(sizeof(text));
}

static int write_text(void *cookie, sdt_uptr addr, const sdt_u8 *bytes,
		      sdt_u32 len)
{
	(void)cookie;
	if (strlen(steps) < sizeof(steps) - 3)
		strcat(steps, len == 4 && addr == AT(SITE) ? "w" : "?");
	memcpy((void *)addr, bytes, len);
	return 0;
}

static void flush(void *cookie, sdt_uptr addr, sdt_u32 len)
{
	(void)cookie;
	strcat(steps, len == 4 && addr == AT(SITE) ? "f" : "?");
}

static void sync_cpus(void *cookie)
{
	(void)cookie;
	strcat(steps, "s");
}

static const struct sdt_patch_host boot = {
	.is_text = is_text,
	.write = write_text,
	.flush = flush,
};
static const struct sdt_patch_host live = {
	.is_text = is_text,
	.write = write_text,
	.flush = flush,
	.sync = sync_cpus,
};

static void put(uint32_t insn)
{
	memset(text, 0xee, sizeof(text));
	for (int i = 0; i < 4; i++)
		text[SITE + i] = (uint8_t)(insn >> 8 * i);
}

static uint32_t get(void)
{
	for (unsigned int i = 0; i < sizeof(text); i++)
		CHECK(i - SITE < 4 || text[i] == 0xee);
	return text[SITE] | (uint32_t)text[SITE + 1] << 8 |
	       (uint32_t)text[SITE + 2] << 16 | (uint32_t)text[SITE + 3] << 24;
}

static struct sdt_site make_site(enum sdt_form form, int is_enabled,
				 int has_stub)
{
	struct sdt_site site = { 0 };

	site.addr = AT(SITE);
	site.stub = has_stub ? AT(STUB) : 0;
	site.form = form;
	site.is_enabled = is_enabled;
	return site;
}

/* The words of the states of one site. */
struct words {
	uint32_t stub, off, ahead, behind;
};

/* Through all states, in STEPS if other CPUs run. */
static void check_states(struct sdt_site site, struct words words)
{
	const uintptr_t states[] = { SDT_PATCH_OFF, AT(AHEAD), AT(BEHIND),
				     SDT_PATCH_TRAP, SDT_PATCH_OFF };
	const uint32_t wanted[] = { words.off, words.ahead, words.behind,
				    0xd420bae0, words.off };

	put(words.stub);
	CHECK(sdt_patch_init(&boot, &site) == SDT_PATCH_OK);
	CHECK(get() == words.off);
	for (unsigned int i = 1; i < 5; i++) {
		steps[0] = 0;
		CHECK(sdt_patch_set(&live, &site, states[i - 1], states[i]) ==
		      SDT_PATCH_OK);
		CHECK(strcmp(steps, "wfs") == 0);
		CHECK(get() == wanted[i]);
		CHECK(sdt_patch_check(&live, &site, states[i]) == SDT_PATCH_OK);
	}
	CHECK(sdt_patch_restore(&live, &site) == SDT_PATCH_OK);
	CHECK(get() == words.stub);
}

static void test_states(void)
{
	check_states(make_site(SDT_FORM_CALL, 0, 1),
		     (struct words){ 0x94000008,    /* bl .+32 */
				     0xd503201f,    /* nop */
				     0x94000010,    /* bl .+64 */
				     0x97fffff8 }); /* bl .-32 */
	check_states(make_site(SDT_FORM_TAIL, 0, 1),
		     (struct words){ 0x14000008,    /* b .+32 */
				     0x14000008,    /* b .+32 */
				     0x14000010,    /* b .+64 */
				     0x17fffff8 }); /* b .-32 */
	check_states(make_site(SDT_FORM_CALL, 1, 1),
		     (struct words){ 0x94000008, 0x94000008, 0x94000010,
				     0x97fffff8 });
	check_states(make_site(SDT_FORM_TAIL, 1, 1),
		     (struct words){ 0x14000008, 0x14000008, 0x14000010,
				     0x17fffff8 });
}

/* What sdtlink --nop has left; OFF is what becomes of it at boot. */
static void check_nop(struct sdt_site site, uint32_t nop, uint32_t off,
		      uint32_t on, int is_live)
{
	put(nop);
	CHECK(sdt_patch_init(&boot, &site) == SDT_PATCH_OK);
	CHECK(get() == off);
	steps[0] = 0;
	if (!is_live) {
		CHECK(sdt_patch_enable(&live, &site, AT(AHEAD)) ==
		      SDT_PATCH_NEEDS_STOP);
		CHECK(get() == off && steps[0] == 0);
		CHECK(sdt_patch_enable(&boot, &site, AT(AHEAD)) == 0);
		CHECK(get() == on);
		steps[0] = 0;
		CHECK(sdt_patch_disable(&live, &site, AT(AHEAD)) ==
		      SDT_PATCH_NEEDS_STOP);
		CHECK(get() == on && steps[0] == 0);
		CHECK(sdt_patch_disable(&boot, &site, AT(AHEAD)) == 0);
	} else {
		CHECK(sdt_patch_enable(&live, &site, AT(AHEAD)) == 0);
		CHECK(get() == on);
		CHECK(sdt_patch_disable(&live, &site, AT(AHEAD)) == 0);
	}
	CHECK(get() == off);
}

static void test_nop(void)
{
	check_nop(make_site(SDT_FORM_CALL, 0, 0), 0xd503201f, 0xd503201f,
		  0x94000010, 1);
	check_nop(make_site(SDT_FORM_CALL, 0, 1), 0xd503201f, 0xd503201f,
		  0x94000010, 1);
	/* ret, mov w0, #0 */
	check_nop(make_site(SDT_FORM_TAIL, 0, 0), 0xd65f03c0, 0xd65f03c0,
		  0x14000010, 0);
	check_nop(make_site(SDT_FORM_CALL, 1, 0), 0x52800000, 0x52800000,
		  0x94000010, 0);
	check_nop(make_site(SDT_FORM_TAIL, 0, 1), 0xd65f03c0, 0x14000008,
		  0x14000010, 1);
	check_nop(make_site(SDT_FORM_CALL, 1, 1), 0x52800000, 0x94000008,
		  0x94000010, 1);
}

static void check_refused(struct sdt_site site, uint32_t insn,
			  enum sdt_patch_error error)
{
	put(insn);
	CHECK(sdt_patch_init(&boot, &site) == error);
	CHECK(get() == insn);
}

static void test_refused(void)
{
	struct sdt_site site = make_site(SDT_FORM_CALL, 0, 1);

	check_refused(site, 0x94000007, SDT_PATCH_OTHER_BYTES);
	check_refused(site, 0x14000008, SDT_PATCH_OTHER_BYTES);
	check_refused(site, 0xd65f03c0, SDT_PATCH_OTHER_BYTES);
	site.form = SDT_FORM_COND;
	check_refused(site, 0x94000008, SDT_PATCH_OTHER_BYTES);
	site.form = SDT_FORM_CALL;
	site.addr += 2;
	check_refused(site, 0x94000008, SDT_PATCH_OTHER_BYTES);
	site.addr = AT(sizeof(text));
	check_refused(site, 0x94000008, SDT_PATCH_NO_TEXT);
}

static void test_range(void)
{
	struct sdt_site site = make_site(SDT_FORM_CALL, 0, 1);
	uintptr_t far = AT(SITE) + 0x7fffffc, back = AT(SITE) - 0x8000000;

	put(0xd503201f);
	CHECK(sdt_patch_set(&boot, &site, 0, far + 4) ==
	      SDT_PATCH_OUT_OF_RANGE);
	CHECK(sdt_patch_set(&boot, &site, 0, back - 4) ==
	      SDT_PATCH_OUT_OF_RANGE);
	CHECK(sdt_patch_set(&boot, &site, 0, AT(AHEAD) + 2) ==
	      SDT_PATCH_OUT_OF_RANGE);
	CHECK(get() == 0xd503201f);
	CHECK(sdt_patch_set(&boot, &site, 0, far) == SDT_PATCH_OK);
	CHECK(get() == 0x95ffffff); /* bl .+0x7fffffc */
	CHECK(sdt_patch_set(&boot, &site, far, back) == SDT_PATCH_OK);
	CHECK(get() == 0x96000000); /* bl .-0x8000000 */
}

static void check_trap(unsigned int kind, uintptr_t pc, uintptr_t result)
{
	static struct sdt_table_entry entry;
	static uint32_t descriptor[4] __attribute__((aligned(8)));
	struct sdt_bounds bounds = { &entry, &entry + 1, descriptor,
				     descriptor + 4 };
	struct sdt_patch_regs regs = { 0 };
	struct sdt_table table;
	struct sdt_site site;

	entry.site = (int32_t)(AT(SITE) - (uintptr_t)&entry.site);
	entry.probe = (int32_t)((uintptr_t)descriptor -
				(uintptr_t)&entry.probe + kind);
	descriptor[0] = SDT_PROBE_MAGIC;
	CHECK(sdt_table_check_anchored(&bounds, &table) == 0);
	regs.pc = AT(SITE) + 4;
	CHECK(sdt_patch_trap(&table, &regs, &site) == SDT_TRAP_NOT_OURS);
	regs.pc = AT(SITE);
	regs.link = 0x1230;
	regs.result = 7;
	CHECK(sdt_patch_trap(&table, &regs, &site) == SDT_TRAP_HIT);
	CHECK(regs.pc == pc && regs.result == result && regs.link == 0x1230);
}

int main(void)
{
	test_states();
	test_nop();
	test_refused();
	test_range();
	check_trap(SDT_FORM_CALL, AT(SITE) + 4, 7);
	check_trap(SDT_FORM_TAIL, 0x1230, 7);
	check_trap(SDT_FORM_CALL | 4, AT(SITE) + 4, 0);
	check_trap(SDT_FORM_TAIL | 4, 0x1230, 0);
	return nfailed > 0;
}
