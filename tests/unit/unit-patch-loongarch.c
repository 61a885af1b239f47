/* SPDX-License-Identifier: BSD-2-Clause */
/* The patcher for LoongArch. */
#include "unit-patch.h"

/* clang-format off */
static const struct patch_case words[] = {
	{ "bl", SDT_FORM_CALL, 0, 1, 0, 0,
	  0x54008000,  /* bl .+128 */
	  0x03400000,  /* nop */
	  0x54010000,  /* bl .+256 */
	  0x57ff83ff,  /* bl .-128 */
	  0x002a05d7,  /* break 0x5d7 */
	  NULL },
	{ "b", SDT_FORM_TAIL, 0, 1, 0, 0,
	  0x50008000,
	  0x4c000020,  /* jr ra */
	  0x50010000, 0x53ff83ff, 0x002a05d7, NULL },
	{ "bl, is-enabled", SDT_FORM_CALL, 1, 1, 0, 0,
	  0x54008000,
	  0x00150004,  /* move a0,zero */
	  0x54010000, 0x57ff83ff, 0x002a05d7, NULL },
	{ "b, is-enabled", SDT_FORM_TAIL, 1, 1, 0, 0,
	  0x50008000, 0x50008000, 0x50010000, 0x53ff83ff, 0x002a05d7, NULL },
	{ "nop", SDT_FORM_CALL, 0, 0, 0, 0,
	  0x54008000, 0x03400000, 0x54010000, 0x57ff83ff, 0x002a05d7, NULL },
};

/* pcaddu18i stays, but its distance is 0 if the other does not need it. */
static const struct patch_case pairs[] = {
	{ "pcaddu18i ra; jirl", SDT_FORM_CALL, 0, 1, 0, 0,
	  0x1e0000014c008021,  /* pcaddu18i ra,0; jirl ra,ra,128 */
	  0x1e00000103400000,  /* pcaddu18i ra,0; nop */
	  0x1e0000015400fc00,  /* pcaddu18i ra,0; bl .+252 */
	  0x1e00000157ff7fff,  /* pcaddu18i ra,0; bl .-132 */
	  0, NULL },
	{ "pcaddu18i t8; jirl", SDT_FORM_TAIL, 0, 1, 0, 0,
	  0x1e0000144c008280,  /* pcaddu18i t8,0; jirl zero,t8,128 */
	  0x1e0000144c000020,  /* pcaddu18i t8,0; jr ra */
	  0x1e0000145000fc00,  /* pcaddu18i t8,0; b .+252 */
	  0x1e00001453ff7fff, 0, NULL },
	{ "pcaddu18i ra; jirl, is-enabled", SDT_FORM_CALL, 1, 1, 0, 0,
	  0x1e0000014c008021,
	  0x1e00000100150004,  /* pcaddu18i ra,0; move a0,zero */
	  0x1e0000015400fc00, 0x1e00000157ff7fff, 0, NULL },
};

static const struct patch_case branch = {
	"nop to b .+256", SDT_FORM_BRANCH, 0, 0, 0, 0,
	0, 0x03400000, 0x50010000, 0x50010000, 0x002a05d7, NULL
};
/* clang-format on */

/* The first word of a pair shows what it is, and the register. */
#define PAIR_LOOSE UINT64_C(0xffffffff00000000)

static void check_all(const struct patch_case *cases, size_t n, uint64_t loose)
{
	for (size_t i = 0; i < n; i++) {
		patch_check_states(&cases[i]);
		patch_check_bits(&cases[i], loose);
		patch_check_tool(&cases[i], &arch_loongarch64);
	}
}

/* A stub that is far: the upper part is rounded. */
static void test_far(void)
{
	struct sdt_site site = patch_site(&pairs[0]);

	site.stub = SITE + 0x1fffc;
	patch_put(&pairs[0], 0x1e0000014dfffc21); /* 0; 0x1fffc */
	CHECK(sdt_patch_check(&patch_boot, &site, site.stub) == 0);
	site.stub = SITE + 0x20000;
	patch_put(&pairs[0], 0x1e0000214e000021); /* 1; -0x20000 */
	CHECK(sdt_patch_check(&patch_boot, &site, site.stub) == 0);
	site.stub = SITE - 0x20004;
	patch_put(&pairs[0], 0x1fffffe14dfffc21); /* -1; 0x1fffc */
	CHECK(sdt_patch_check(&patch_boot, &site, site.stub) == 0);
}

int main(void)
{
	if (patch_start(4, 0) != 0)
		return 77;
	check_all(words, sizeof(words) / sizeof(words[0]), 0);
	patch_check_branch(&branch, &arch_loongarch64);
	CHECK(patch_reaches(&words[0], SITE + 0x7fffffc));
	CHECK(!patch_reaches(&words[0], SITE + 0x8000000));
	CHECK(patch_reaches(&words[0], SITE - 0x8000000));
	CHECK(!patch_reaches(&words[0], SITE - 0x8000004));
	CHECK(!patch_reaches(&words[0], AHEAD + 2));
	patch_size = 8;
	check_all(pairs, sizeof(pairs) / sizeof(pairs[0]), PAIR_LOOSE);
	test_far();
	return unit_status();
}
