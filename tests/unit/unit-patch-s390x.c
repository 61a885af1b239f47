/* SPDX-License-Identifier: BSD-2-Clause */
/* The patcher for s390x. */
#include "unit-patch.h"

/* clang-format off */
static const struct patch_case cases[] = {
	/* brcl 0 may have any distance: then its second byte is all */
	{ "brasl", SDT_FORM_CALL, 0, 1, 0, 0,
	  0xc0e500000040,  /* brasl %r14,.+128 */
	  0xc00400000000,  /* brcl 0,. */
	  0xc0e500000080,  /* brasl %r14,.+256 */
	  0xc0e5ffffffc0,  /* brasl %r14,.-128 */
	  0x000400000000,
	  "2+4 s 1+1 s " },
	{ "jg", SDT_FORM_TAIL, 0, 1, 0, 0,
	  0xc0f400000040,  /* jg .+128 */
	  0x07fe07000700,  /* br %r14; nopr; nopr */
	  0xc0f400000080, 0xc0f4ffffffc0, 0x00fe07000700,
	  "0+1 s 1+5 s 0+1 s " },
	{ "jgne", SDT_FORM_COND, 0, 1, 0, 0,
	  0xc07400000040, 0xc07400000040, 0xc07400000080, 0xc074ffffffc0,
	  0x007400000040,
	  "0+1 s 1+5 s 0+1 s " },
	{ "brasl, is-enabled", SDT_FORM_CALL, 1, 1, 0, 0,
	  0xc0e500000040,
	  0xc02100000000,  /* lgfi %r2,0 */
	  0xc0e500000080, 0xc0e5ffffffc0, 0x002100000000,
	  "0+1 s 1+5 s 0+1 s " },
	{ "jg, is-enabled", SDT_FORM_TAIL, 1, 1, 0, 0,
	  0xc0f400000040, 0xc0f400000040, 0xc0f400000080, 0xc0f4ffffffc0,
	  0x00f400000040,
	  "0+1 s 1+5 s 0+1 s " },
	/* Without a stub. */
	{ "brcl 0,.", SDT_FORM_CALL, 0, 0, 0, 0,
	  0xc0e500000040, 0xc00400000000, 0xc0e500000080, 0xc0e5ffffffc0,
	  0x000400000000,
	  "2+4 s 1+1 s " },
	{ "bner %r14", SDT_FORM_COND, 0, 0, 0, 0,
	  0xc07400000040, 0x077e07000700, 0xc07400000080, 0xc074ffffffc0,
	  0x007e07000700, NULL },
};

static const struct patch_case branch = {
	"brcl 0,. to jg .+256", SDT_FORM_BRANCH, 0, 0, 0, 0,
	0, 0xc00400000000, 0xc0f400000080, 0xc0f400000080, 0x000400000000, "2+4 s 1+1 s "
};
/* clang-format on */

/* Back, and from one handler to another. */
static void test_steps(void)
{
	struct sdt_site site = patch_site(&cases[0]);

	patch_put(&cases[0], cases[0].ahead);
	patch_steps[0] = 0;
	CHECK(sdt_patch_set(&patch_live, &site, AHEAD, BEHIND) == 0);
	CHECK_STR(patch_steps, "1+1 s 2+4 s 1+1 s ");
	patch_steps[0] = 0;
	CHECK(sdt_patch_set(&patch_live, &site, BEHIND, SDT_PATCH_OFF) == 0);
	CHECK_STR(patch_steps, "1+1 s 2+4 s ");
	patch_steps[0] = 0;
	CHECK(sdt_patch_set(&patch_live, &site, SDT_PATCH_OFF,
			    SDT_PATCH_TRAP) == 0);
	CHECK_STR(patch_steps, "0+1 s ");
	patch_steps[0] = 0;
	CHECK(sdt_patch_set(&patch_live, &site, SDT_PATCH_TRAP, AHEAD) == 0);
	CHECK_STR(patch_steps, "1+5 s 0+1 s ");
	CHECK(patch_is(&cases[0], cases[0].ahead));
}

/* After how many writes the text can be written no more. */
static unsigned nwrites;

static int write_some(void *cookie, sdt_uptr addr, const sdt_u8 *bytes,
		      sdt_u32 len)
{
	if (nwrites == 0) {
		nwrites = 9;
		return -1;
	}
	nwrites--;
	return patch_write(cookie, addr, bytes, len);
}

static void test_failures(void)
{
	struct sdt_patch_host host = patch_live;
	struct sdt_site site = patch_site(&cases[0]);

	host.write = write_some;
	for (unsigned n = 0; n < 3; n++) {
		patch_put(&cases[0], cases[0].ahead);
		nwrites = n;
		CHECK(sdt_patch_set(&host, &site, AHEAD, BEHIND) ==
		      SDT_PATCH_NOT_WRITTEN);
		CHECK(patch_is(&cases[0], cases[0].ahead));
	}
}

/* What the breakpoint of a site does; the condition code is CODE. */
static void check_trap(const struct patch_case *c, unsigned kind,
		       unsigned long code, enum sdt_patch_trap wanted,
		       uintptr_t pc, uintptr_t result)
{
	struct sdt_patch_regs regs = { .pc = SITE + 2, .link = 0x1230 };
	struct sdt_table table;
	struct sdt_site site;

	patch_put(c, c->trap);
	patch_make_table(kind, &table);
	regs.flags = code << 44;
	regs.result = 7;
	CHECK(sdt_patch_trap(&table, &regs, &site) == wanted);
	CHECK(regs.pc == pc && regs.result == result);
}

static void test_traps(void)
{
	check_trap(&cases[0], 0, 0, SDT_TRAP_HIT, SITE + 6, 7);
	check_trap(&cases[1], 1, 3, SDT_TRAP_HIT, 0x1230, 7);
	check_trap(&cases[3], 4, 0, SDT_TRAP_HIT, SITE + 6, 0);
	/* jgne: not if the code is 0 */
	check_trap(&cases[2], 2, 0, SDT_TRAP_PASSED, SITE + 6, 7);
	check_trap(&cases[2], 2, 1, SDT_TRAP_HIT, 0x1230, 7);
	check_trap(&cases[2], 2, 2, SDT_TRAP_HIT, 0x1230, 7);
	check_trap(&cases[2], 2, 3, SDT_TRAP_HIT, 0x1230, 7);
}

int main(void)
{
	if (patch_start(6, 1) != 0)
		return 77;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int is_cond = cases[i].form == SDT_FORM_COND;

		patch_check_states(&cases[i]);
		patch_check_bits(&cases[i], is_cond ? 0x00f000000000 : 0);
		patch_check_tool(&cases[i], &arch_s390x);
	}
	patch_check_branch(&branch, &arch_s390x);
	test_steps();
	test_failures();
	test_traps();
	CHECK(patch_reaches(&cases[0], SITE + (uintptr_t)0xfffffffe));
	CHECK(!patch_reaches(&cases[0], SITE + (uintptr_t)0x100000000));
	CHECK(!patch_reaches(&cases[0], AHEAD + 1));
	return unit_status();
}
