/* SPDX-License-Identifier: BSD-2-Clause */
/* The patcher for Power, little-endian. */
#include "unit-patch.h"

/* clang-format off */
static const struct patch_case cases[] = {
	{ "bl; nop", SDT_FORM_CALL, 0, 1, 0, 0x60000000,
	  0x48000081,  /* bl .+128 */
	  0x60000000,  /* nop */
	  0x48000101,  /* bl .+256 */
	  0x4bffff81,  /* bl .-128 */
	  0x7fe00008,  /* trap */
	  "0+4 s " },
	{ "b", SDT_FORM_TAIL, 0, 1, 0, 0,
	  0x48000080, 0x48000080, 0x48000100, 0x4bffff80, 0x7fe00008,
	  "0+4 s " },
	{ "bl, is-enabled", SDT_FORM_CALL, 1, 1, 0, 0,
	  0x48000081, 0x48000081, 0x48000101, 0x4bffff81, 0x7fe00008,
	  "0+4 s " },
	{ "b, is-enabled", SDT_FORM_TAIL, 1, 1, 0, 0,
	  0x48000080, 0x48000080, 0x48000100, 0x4bffff80, 0x7fe00008,
	  "0+4 s " },
	{ "bne", SDT_FORM_COND, 0, 1, 0, 0,
	  0x40820080,  /* bne .+128 */
	  0x4c820020,  /* bnelr */
	  0x40820100, 0x4082ff80, 0, NULL },
	{ "bgt cr7", SDT_FORM_COND, 0, 1, 0, 0,
	  0x419d0080, 0x4d9d0020, 0x419d0100, 0x419dff80, 0, NULL },
	/* Without a stub. */
	{ "nop", SDT_FORM_CALL, 0, 0, 0, 0,
	  0x48000081, 0x60000000, 0x48000101, 0x4bffff81, 0x7fe00008,
	  "0+4 s " },
	{ "blr", SDT_FORM_TAIL, 0, 0, 0, 0,
	  0x48000080, 0x4e800020, 0x48000100, 0x4bffff80, 0x7fe00008, NULL },
	{ "li r3,0", SDT_FORM_CALL, 1, 0, 0, 0,
	  0x48000081, 0x38600000, 0x48000101, 0x4bffff81, 0x7fe00008, NULL },
	{ "bnelr", SDT_FORM_COND, 0, 0, 0, 0,
	  0x40820080, 0x4c820020, 0x40820100, 0x4082ff80, 0, NULL },
};

static const struct patch_case branch = {
	"nop to b .+256", SDT_FORM_BRANCH, 0, 0, 0, 0,
	0, 0x60000000, 0x48000100, 0x48000100, 0x7fe00008, "0+4 s "
};
/* clang-format on */

static void test_trap(void)
{
	struct sdt_site site = patch_site(&cases[0]);

	patch_put(&cases[0], 0x60000000);
	CHECK(sdt_patch_set(&patch_live, &site, 0, SDT_PATCH_TRAP) ==
	      SDT_PATCH_NEEDS_STOP);
	CHECK(patch_is(&cases[0], 0x60000000));
}

int main(void)
{
	if (patch_start(4, 0) != 0)
		return 77;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int is_cond = cases[i].form == SDT_FORM_COND;

		patch_check_states(&cases[i]);
		patch_check_bits(&cases[i], is_cond ? 0x03ff0000 : 0);
		patch_check_tool(&cases[i], &arch_ppc64le);
	}
	patch_check_branch(&branch, &arch_ppc64le);
	test_trap();
	CHECK(patch_reaches(&cases[0], SITE + 0x1fffffc));
	CHECK(!patch_reaches(&cases[0], SITE + 0x2000000));
	CHECK(patch_reaches(&cases[0], SITE - 0x2000000));
	CHECK(!patch_reaches(&cases[0], SITE - 0x2000004));
	CHECK(!patch_reaches(&cases[0], AHEAD + 2));
	CHECK(patch_reaches(&cases[4], SITE + 0x7ffc));
	CHECK(!patch_reaches(&cases[4], SITE + 0x8000));
	CHECK(patch_reaches(&cases[4], SITE - 0x8000));
	CHECK(!patch_reaches(&cases[4], SITE - 0x8004));
	return unit_status();
}
