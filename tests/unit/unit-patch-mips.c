/* SPDX-License-Identifier: BSD-2-Clause */
/* The patcher for MIPS, little-endian. */
#include "unit-patch.h"

/* clang-format off */
static const struct patch_case cases[] = {
	{ "jal; li a1,7", SDT_FORM_CALL, 0, 1, 0, 0x24050007,
	  0x0c000060,  /* jal 0x20000180 */
	  0x00000000,  /* nop */
	  0x0c000080,  /* jal 0x20000200 */
	  0x0c000020,  /* jal 0x20000080 */
	  0, NULL },
	{ "jal; li s0,7", SDT_FORM_CALL, 0, 1, 0, 0x24100007,
	  0x0c000060, 0x00000000, 0x0c000080, 0x0c000020,
	  0x0000000d,  /* break */
	  NULL },
	{ "jal; sw v0,16(sp)", SDT_FORM_CALL, 0, 1, 0, 0xafa20010,
	  0x0c000060, 0x00000000, 0x0c000080, 0x0c000020, 0, NULL },
	{ "jal; sw ra,0(sp)", SDT_FORM_CALL, 0, 1, 0, 0xafbf0000,
	  0x0c000060, 0x0c000060, 0x0c000080, 0x0c000020, 0, NULL },
	{ "j; nop", SDT_FORM_TAIL, 0, 1, 0, 0,
	  0x08000060,
	  0x03e00009,  /* jalr zero,ra */
	  0x08000080, 0x08000020, 0x0000000d, NULL },
	{ "j; addiu sp,sp,32", SDT_FORM_TAIL, 0, 1, 0, 0x27bd0020,
	  0x08000060, 0x03e00009, 0x08000080, 0x08000020, 0, NULL },
	{ "j; lw ra,4(sp)", SDT_FORM_TAIL, 0, 1, 0, 0x8fbf0004,
	  0x08000060, 0x08000060, 0x08000080, 0x08000020, 0, NULL },
	{ "jal, is-enabled; nop", SDT_FORM_CALL, 1, 1, 0, 0,
	  0x0c000060,
	  0x00001025,  /* move v0,zero */
	  0x0c000080, 0x0c000020, 0x0000000d, NULL },
	{ "jal, is-enabled; move a0,v0", SDT_FORM_CALL, 1, 1, 0, 0x00402025,
	  0x0c000060, 0x0c000060, 0x0c000080, 0x0c000020, 0, NULL },
	{ "j, is-enabled; nop", SDT_FORM_TAIL, 1, 1, 0, 0,
	  0x08000060, 0x08000060, 0x08000080, 0x08000020, 0x0000000d, NULL },
	/* Release 6, without a slot: what is behind it does not matter. */
	{ "balc; sw ra,0(sp)", SDT_FORM_CALL, 0, 1, 0, 0xafbf0000,
	  0xe800001f,  /* balc .+128 */
	  0x00000025,  /* or zero,zero,zero */
	  0xe800003f,  /* balc .+256 */
	  0xebffffdf,  /* balc .-128 */
	  0x0000004d,  /* break 0,1 */
	  NULL },
	{ "bc", SDT_FORM_TAIL, 0, 1, 0, 0,
	  0xc800001f,
	  0xd81f0000,  /* jrc ra */
	  0xc800003f, 0xcbffffdf, 0x0000004d, NULL },
	{ "balc, is-enabled; move v0,a0", SDT_FORM_CALL, 1, 1, 0, 0x00801025,
	  0xe800001f,
	  0x00001021,  /* addu v0,zero,zero */
	  0xe800003f, 0xebffffdf, 0x0000004d, NULL },
	/* Without a stub. */
	{ "nop", SDT_FORM_CALL, 0, 0, 0, 0x24050007,
	  0x0c000060, 0x00000000, 0x0c000080, 0x0c000020, 0, NULL },
	{ "or zero,zero,zero", SDT_FORM_CALL, 0, 0, 0, 0xafbf0000,
	  0xe800001f, 0x00000025, 0xe800003f, 0xebffffdf, 0x0000004d, NULL },
};

static const struct patch_case branch = {
	"nop to b .+256; nop", SDT_FORM_BRANCH, 0, 0, 0, 0,
	0, 0, 0x1000003f, 0x1000003f, 0x0000000d, NULL
};
/* clang-format on */

int main(void)
{
	if (patch_start(4, 0) != 0)
		return 77;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		patch_check_states(&cases[i]);
		patch_check_bits(&cases[i], 0);
		patch_check_tool(&cases[i], &arch_mipsel);
	}
	patch_check_branch(&branch, &arch_mipsel);
	patch_check_trap(SDT_FORM_CALL, SITE + 4, 7);
	patch_check_trap(SDT_FORM_TAIL, 0x1230, 7);
	patch_check_trap(SDT_FORM_CALL | 4, SITE + 4, 0);
	patch_check_trap(SDT_FORM_TAIL | 4, 0x1230, 0);
	/* jal: the 256 MiB of the address behind it. */
	CHECK(patch_reaches(&cases[0], 0x2ffffffc));
	CHECK(!patch_reaches(&cases[0], 0x30000000));
	CHECK(!patch_reaches(&cases[0], 0x1ffffffc));
	CHECK(!patch_reaches(&cases[0], AHEAD + 2));
	CHECK(patch_reaches(&cases[10], SITE + 4 + 0x7fffffc));
	CHECK(!patch_reaches(&cases[10], SITE + 4 + 0x8000000));
	CHECK(patch_reaches(&cases[10], SITE + 4 - 0x8000000));
	CHECK(!patch_reaches(&cases[10], SITE + 4 - 0x8000004));
	return unit_status();
}
