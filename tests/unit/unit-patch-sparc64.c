/* SPDX-License-Identifier: BSD-2-Clause */
/* The patcher for SPARC. */
#include "unit-patch.h"

/* clang-format off */
static const struct patch_case cases[] = {
	{ "call; mov 7,%o1", SDT_FORM_CALL, 0, 1, 0, 0x92102007,
	  0x40000020,  /* call .+128 */
	  0x01000000,  /* nop */
	  0x40000040,  /* call .+256 */
	  0x7fffffe0,  /* call .-128 */
	  0, "0+4 s " },
	{ "call; sethi %hi(0x400),%l0", SDT_FORM_CALL, 0, 1, 0, 0x21000001,
	  0x40000020, 0x01000000, 0x40000040, 0x7fffffe0,
	  0x00000d75,  /* illtrap 0xd75 */
	  "0+4 s " },
	{ "call; stx %i0,[%o2]", SDT_FORM_CALL, 0, 1, 0, 0xf0728000,
	  0x40000020, 0x01000000, 0x40000040, 0x7fffffe0, 0, "0+4 s " },
	{ "call; restore", SDT_FORM_TAIL, 0, 1, 0, 0x81e80000,
	  0x40000020,
	  0x81c7e008,  /* ret */
	  0x40000040, 0x7fffffe0, 0, "0+4 s " },
	{ "call; mov %g1,%o7 behind mov %o7,%g1", SDT_FORM_TAIL, 0, 1,
	  0x8213c000, 0x9e104000,
	  0x40000020,
	  0x81c06008,  /* jmp %g1+8 */
	  0x40000040, 0x7fffffe0, 0, "0+4 s " },
	{ "call; mov %g1,%o7", SDT_FORM_TAIL, 0, 1, 0x01000000, 0x9e104000,
	  0x40000020,
	  0x81c06008,  /* jmp %g1+8 */
	  0x40000040, 0x7fffffe0, 0, "0+4 s " },
	{ "call; or %g0,%l2,%o7", SDT_FORM_TAIL, 0, 1, 0, 0x9e100012,
	  0x40000020,
	  0x81c4a008,  /* jmp %l2+8 */
	  0x40000040, 0x7fffffe0, 0, "0+4 s " },
	{ "call, is-enabled; nop", SDT_FORM_CALL, 1, 1, 0, 0x01000000,
	  0x40000020,
	  0x90100000,  /* clr %o0 */
	  0x40000040, 0x7fffffe0, 0x00000d75, "0+4 s " },
	{ "call, is-enabled; mov %i0,%o0", SDT_FORM_CALL, 1, 1, 0, 0x90100018,
	  0x40000020, 0x40000020, 0x40000040, 0x7fffffe0, 0, "0+4 s " },
	{ "call, is-enabled; restore", SDT_FORM_TAIL, 1, 1, 0, 0x81e80000,
	  0x40000020, 0x40000020, 0x40000040, 0x7fffffe0, 0, "0+4 s " },
	/* Without a stub. */
	{ "nop", SDT_FORM_CALL, 0, 0, 0, 0x92102007,
	  0x40000020, 0x01000000, 0x40000040, 0x7fffffe0, 0, "0+4 s " },
	{ "ret; restore", SDT_FORM_TAIL, 0, 0, 0, 0x81e80000,
	  0x40000020, 0x81c7e008, 0x40000040, 0x7fffffe0, 0, "0+4 s " },
};

/* ld --relax made it; the tool knows no such site in a partial. */
static const struct patch_case relaxed[] = {
	{ "ba,pt %xcc; nop", SDT_FORM_TAIL, 0, 1, 0, 0x01000000,
	  0x10680020,  /* ba,pt %xcc,.+128 */
	  0x10680020,
	  0x10680040,
	  0x106fffe0,  /* ba,pt %xcc,.-128 */
	  0, "0+4 s " },
	{ "ba; restore", SDT_FORM_TAIL, 0, 1, 0, 0x81e80000,
	  0x10800020, 0x10800020, 0x10800040, 0x10bfffe0, 0, "0+4 s " },
};

static const struct patch_case branch = {
	"nop to ba,a,pt %xcc,.+256", SDT_FORM_BRANCH, 0, 0, 0, 0x92102007,
	0, 0x01000000, 0x30680040, 0x30680040, 0x00000d75, "0+4 s "
};
/* clang-format on */

int main(void)
{
	if (patch_start(4, 1) != 0)
		return 77;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		patch_check_states(&cases[i]);
		patch_check_bits(&cases[i], 0);
		patch_check_tool(&cases[i], &arch_sparc64);
	}
	for (size_t i = 0; i < 2; i++) {
		patch_check_states(&relaxed[i]);
		patch_check_bits(&relaxed[i], 0);
	}
	patch_check_branch(&branch, &arch_sparc64);
	patch_check_trap(SDT_FORM_CALL, SITE + 4, 7);
	patch_check_trap(SDT_FORM_CALL | 4, SITE + 4, 0);
	CHECK(patch_reaches(&cases[0], SITE + (uintptr_t)0x7ffffffc));
	CHECK(!patch_reaches(&cases[0], SITE + (uintptr_t)0x80000000));
	CHECK(!patch_reaches(&cases[0], AHEAD + 2));
	CHECK(patch_reaches(&relaxed[0], SITE + 0xffffc));
	CHECK(!patch_reaches(&relaxed[0], SITE + 0x100000));
	CHECK(patch_reaches(&relaxed[0], SITE - 0x100000));
	CHECK(!patch_reaches(&relaxed[0], SITE - 0x100004));
	CHECK(patch_reaches(&relaxed[1], SITE + 0x7ffffc));
	CHECK(!patch_reaches(&relaxed[1], SITE + 0x800000));
	return unit_status();
}
