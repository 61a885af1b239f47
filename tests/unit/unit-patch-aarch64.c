/* SPDX-License-Identifier: BSD-2-Clause */
/* The patcher for AArch64. */
#include "unit-patch.h"

/* clang-format off */
static const struct patch_case cases[] = {
	{ "bl", SDT_FORM_CALL, 0, 1, 0, 0,
	  0x94000020,  /* bl .+128 */
	  0xd503201f,  /* nop */
	  0x94000040,  /* bl .+256 */
	  0x97ffffe0,  /* bl .-128 */
	  0xd420bae0,  /* brk #0x5d7 */
	  "0+4 s " },
	{ "b", SDT_FORM_TAIL, 0, 1, 0, 0,
	  0x14000020, 0x14000020, 0x14000040, 0x17ffffe0, 0xd420bae0,
	  "0+4 s " },
	{ "bl, is-enabled", SDT_FORM_CALL, 1, 1, 0, 0,
	  0x94000020, 0x94000020, 0x94000040, 0x97ffffe0, 0xd420bae0,
	  "0+4 s " },
	{ "b, is-enabled", SDT_FORM_TAIL, 1, 1, 0, 0,
	  0x14000020, 0x14000020, 0x14000040, 0x17ffffe0, 0xd420bae0,
	  "0+4 s " },
	/* Without a stub. */
	{ "nop", SDT_FORM_CALL, 0, 0, 0, 0,
	  0x94000020, 0xd503201f, 0x94000040, 0x97ffffe0, 0xd420bae0,
	  "0+4 s " },
	{ "ret", SDT_FORM_TAIL, 0, 0, 0, 0,
	  0x14000020, 0xd65f03c0, 0x14000040, 0x17ffffe0, 0xd420bae0, NULL },
	{ "mov w0,#0", SDT_FORM_CALL, 1, 0, 0, 0,
	  0x94000020, 0x52800000, 0x94000040, 0x97ffffe0, 0xd420bae0, NULL },
};

static const struct patch_case branch = {
	"nop to b .+256", SDT_FORM_BRANCH, 0, 0, 0, 0,
	0, 0xd503201f, 0x14000040, 0x14000040, 0xd420bae0, "0+4 s "
};
/* clang-format on */

/* What sdtlink --nop has left, and a stub for others: it goes there at boot. */
static void check_nop(const struct patch_case *c, uint32_t nop)
{
	struct sdt_site site = patch_site(c);

	patch_put(c, nop);
	CHECK(sdt_patch_init(&patch_boot, &site) == SDT_PATCH_OK);
	CHECK(patch_is(c, c->off));
}

static void check_refused(struct sdt_site site, uint32_t insn,
			  enum sdt_patch_error error)
{
	patch_put(&cases[0], insn);
	CHECK(sdt_patch_init(&patch_boot, &site) == error);
	CHECK(patch_is(&cases[0], insn));
}

static void test_refused(void)
{
	struct sdt_site site = patch_site(&cases[0]);

	check_refused(site, 0x94000007, SDT_PATCH_OTHER_BYTES);
	check_refused(site, 0x14000020, SDT_PATCH_OTHER_BYTES);
	check_refused(site, 0xd65f03c0, SDT_PATCH_OTHER_BYTES);
	site.form = SDT_FORM_COND;
	check_refused(site, 0x94000020, SDT_PATCH_OTHER_BYTES);
	site.stub = 0;
	check_refused(site, 0xd503201f, SDT_PATCH_OTHER_BYTES);
	site.form = SDT_FORM_CALL;
	site.addr += 2;
	check_refused(site, 0x94000020, SDT_PATCH_OTHER_BYTES);
	site.addr = TEXT + TEXT_SIZE;
	check_refused(site, 0x94000020, SDT_PATCH_NO_TEXT);
}

int main(void)
{
	if (patch_start(4, 0) != 0)
		return 77;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		patch_check_states(&cases[i]);
		patch_check_bits(&cases[i], 0);
		patch_check_tool(&cases[i], &arch_aarch64);
	}
	patch_check_branch(&branch, &arch_aarch64);
	check_nop(&cases[0], 0xd503201f);
	check_nop(&cases[1], 0xd65f03c0);
	check_nop(&cases[2], 0x52800000);
	test_refused();
	CHECK(patch_reaches(&cases[0], SITE + 0x7fffffc));
	CHECK(!patch_reaches(&cases[0], SITE + 0x8000000));
	CHECK(patch_reaches(&cases[0], SITE - 0x8000000));
	CHECK(!patch_reaches(&cases[0], SITE - 0x8000004));
	CHECK(!patch_reaches(&cases[0], AHEAD + 2));
	patch_check_trap(SDT_FORM_CALL, SITE + 4, 7);
	patch_check_trap(SDT_FORM_TAIL, 0x1230, 7);
	patch_check_trap(SDT_FORM_CALL + 4, SITE + 4, 0);
	patch_check_trap(SDT_FORM_TAIL + 4, 0x1230, 0);
	return unit_status();
}
