/* SPDX-License-Identifier: BSD-2-Clause */
/* The patcher for ARM and Thumb of ARMv7, little-endian. */
#include "unit-patch.h"

/* clang-format off */
static const struct patch_case arm[] = {
	{ "bl", SDT_FORM_CALL, 0, 1, 0, 0,
	  0xeb00001e,  /* bl .+128 */
	  0xe320f000,  /* nop */
	  0xeb00003e,  /* bl .+256 */
	  0xebffffde,  /* bl .-128 */
	  0xe1205d7e,  /* bkpt 0x5de */
	  "0+4 s " },
	{ "blne", SDT_FORM_CALL, 0, 1, 0, 0,
	  0x1b00001e,
	  0x1320f000,  /* nopne */
	  0x1b00003e, 0x1bffffde,
	  0xe1205d71,  /* bkpt 0x5d1 */
	  "0+4 s " },
	{ "b", SDT_FORM_TAIL, 0, 1, 0, 0,
	  0xea00001e, 0xea00001e, 0xea00003e, 0xeaffffde, 0xe1205d7e,
	  "0+4 s " },
	{ "bne", SDT_FORM_COND, 0, 1, 0, 0,
	  0x1a00001e, 0x1a00001e, 0x1a00003e, 0x1affffde, 0xe1205d71,
	  "0+4 s " },
	{ "bl, is-enabled", SDT_FORM_CALL, 1, 1, 0, 0,
	  0xeb00001e, 0xeb00001e, 0xeb00003e, 0xebffffde, 0xe1205d7e,
	  "0+4 s " },
	{ "b, is-enabled", SDT_FORM_TAIL, 1, 1, 0, 0,
	  0xea00001e, 0xea00001e, 0xea00003e, 0xeaffffde, 0xe1205d7e,
	  "0+4 s " },
	/* Without a stub. */
	{ "mov r0,#0", SDT_FORM_CALL, 1, 0, 0, 0,
	  0xeb00001e, 0xe3a00000, 0xeb00003e, 0xebffffde, 0xe1205d7e, NULL },
	{ "bx lr", SDT_FORM_TAIL, 0, 0, 0, 0,
	  0xea00001e, 0xe12fff1e, 0xea00003e, 0xeaffffde, 0xe1205d7e, NULL },
	{ "bxne lr", SDT_FORM_COND, 0, 0, 0, 0,
	  0x1a00001e, 0x112fff1e, 0x1a00003e, 0x1affffde, 0xe1205d71, NULL },
};

/* Halves as they are in memory. */
#define T(first, second) ((uint64_t)(second) << 16 | (first))

static const struct patch_case thumb[] = {
	{ "bl", SDT_FORM_CALL, 0, 1, 0, 0,
	  T(0xf000, 0xf83e),  /* bl .+128 */
	  T(0xe000, 0x46c0),  /* b .+4; nop */
	  T(0xf000, 0xf87e),  /* bl .+256 */
	  T(0xf7ff, 0xffbe),  /* bl .-128 */
	  T(0xbe5d, 0x46c0),  /* bkpt 0x5d; nop */
	  "0+2 s 2+2 s 0+2 s " },
	{ "b.w", SDT_FORM_TAIL, 0, 1, 0, 0,
	  T(0xf000, 0xb83e),
	  T(0x4770, 0x46c0),  /* bx lr; nop */
	  T(0xf000, 0xb87e), T(0xf7ff, 0xbfbe), 0, NULL },
	{ "bne.w", SDT_FORM_COND, 0, 1, 0, 0,
	  T(0xf040, 0x803e),
	  T(0xbf18, 0x4770),  /* it ne; bxne lr */
	  T(0xf040, 0x807e), T(0xf47f, 0xafbe), 0, NULL },
	{ "bl, is-enabled", SDT_FORM_CALL, 1, 1, 0, 0,
	  T(0xf000, 0xf83e), T(0xf000, 0xf83e), T(0xf000, 0xf87e),
	  T(0xf7ff, 0xffbe), T(0xbe5d, 0xf83e),
	  "0+2 s 2+2 s 0+2 s " },
	{ "b.w, is-enabled", SDT_FORM_TAIL, 1, 1, 0, 0,
	  T(0xf000, 0xb83e), T(0xf000, 0xb83e), T(0xf000, 0xb87e),
	  T(0xf7ff, 0xbfbe), 0, NULL },
	/* Without a stub. */
	{ "b .+4; nop", SDT_FORM_CALL, 0, 0, 0, 0,
	  T(0xf000, 0xf83e), T(0xe000, 0x46c0), T(0xf000, 0xf87e),
	  T(0xf7ff, 0xffbe), T(0xbe5d, 0x46c0),
	  "0+2 s 2+2 s 0+2 s " },
	{ "movs r0,#0; nop", SDT_FORM_CALL, 1, 0, 0, 0,
	  T(0xf000, 0xf83e), T(0x2000, 0x46c0), T(0xf000, 0xf87e),
	  T(0xf7ff, 0xffbe), T(0xbe5d, 0x46c0), NULL },
};

static const struct patch_case branch = {
	"nop to b .+256", SDT_FORM_BRANCH, 0, 0, 0, 0,
	0, 0xe320f000, 0xea00003e, 0xea00003e, 0xe1205d7e, "0+4 s "
};

static const struct patch_case thumb_branch = {
	"nop.w to b.w .+256", SDT_FORM_BRANCH, 0, 0, 0, 0,
	0, T(0xf3af, 0x8000), T(0xf000, 0xb87e), T(0xf000, 0xb87e),
	T(0xbe5d, 0x8000), NULL
};
/* clang-format on */

static void check_all(const struct patch_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		patch_check_states(&cases[i]);
		patch_check_tool(&cases[i], &arch_arm);
	}
}

/* What sdtlink --nop wrote is off, but mov is nothing to switch live. */
static void test_nop(void)
{
	struct sdt_site site = patch_site(&arm[0]);

	patch_mode = 0;
	site.stub = 0;
	patch_put(&arm[0], 0xe1a00000);
	CHECK(sdt_patch_enable(&patch_live, &site, AHEAD) ==
	      SDT_PATCH_NEEDS_STOP);
	CHECK(sdt_patch_enable(&patch_boot, &site, AHEAD) == 0);
	CHECK(patch_is(&arm[0], 0xeb00003e));
	CHECK(sdt_patch_disable(&patch_live, &site, AHEAD) == 0);
	CHECK(patch_is(&arm[0], 0xe320f000));
	patch_put(&arm[0], 0xe1a00000);
	CHECK(sdt_patch_init(&patch_boot, &site) == 0);
	CHECK(patch_is(&arm[0], 0xe320f000));
}

/* What is left to the text: conditions. */
static void test_bits(void)
{
	patch_mode = 0;
	patch_check_bits(&arm[0], 0xf0000000);
	patch_check_bits(&arm[2], 0);
	patch_check_bits(&arm[3], 0xf0000000);
	patch_mode = 1;
	patch_check_bits(&thumb[0], 0);
	patch_check_bits(&thumb[1], 0);
	patch_check_bits(&thumb[2], 0x000003c0);
}

/* A call from one to the other. */
static void test_modes(void)
{
	struct sdt_site site = patch_site(&arm[0]);

	patch_mode = 0;
	patch_put(&arm[0], 0xfa00001e); /* blx .+128 */
	site.stub = STUB + 1;
	CHECK(sdt_patch_init(&patch_boot, &site) == SDT_PATCH_OK);
	CHECK(patch_is(&arm[0], 0xe320f000));
	CHECK(sdt_patch_enable(&patch_live, &site, AHEAD + 1) ==
	      SDT_PATCH_NEEDS_STOP);
	CHECK(sdt_patch_enable(&patch_boot, &site, AHEAD + 3) == 0);
	CHECK(patch_is(&arm[0], 0xfb00003e)); /* blx .+258 */
	CHECK(sdt_patch_disable(&patch_boot, &site, AHEAD + 3) == 0);
	CHECK(sdt_patch_restore(&patch_boot, &site) == 0);
	CHECK(patch_is(&arm[0], 0xfa00001e));

	patch_put(&thumb[0], T(0xf000, 0xe83e)); /* blx .+128 */
	site.stub = STUB;
	CHECK(sdt_patch_init(&patch_boot, &site) == SDT_PATCH_OK);
	CHECK(patch_is(&thumb[0], T(0xe000, 0x46c0)));
	CHECK(sdt_patch_enable(&patch_live, &site, AHEAD) == 0);
	CHECK(patch_is(&thumb[0], T(0xf000, 0xe87e)));
	CHECK(sdt_patch_set(&patch_live, &site, AHEAD, AHEAD + 1) == 0);
	CHECK(patch_is(&thumb[0], T(0xf000, 0xf87e)));
	CHECK(sdt_patch_enable(&patch_boot, &site, AHEAD + 2) ==
	      SDT_PATCH_OTHER_BYTES);

	/* Jumps cannot, and no more can what has a condition. */
	CHECK(!patch_reaches(&arm[1], AHEAD + 1));
	CHECK(!patch_reaches(&arm[2], AHEAD + 1));
	patch_mode = 1;
	CHECK(!patch_reaches(&thumb[1], AHEAD - 1));
}

static void test_range(void)
{
	patch_mode = 0;
	CHECK(patch_reaches(&arm[0], SITE + 8 + 0x1fffffc));
	CHECK(!patch_reaches(&arm[0], SITE + 8 + 0x2000000));
	CHECK(patch_reaches(&arm[0], SITE + 8 - 0x2000000));
	CHECK(!patch_reaches(&arm[0], SITE + 8 - 0x2000004));
	CHECK(!patch_reaches(&arm[0], AHEAD + 2));
	patch_mode = 1;
	CHECK(patch_reaches(&thumb[0], SITE + 4 + 0xfffffe + 1));
	CHECK(!patch_reaches(&thumb[0], SITE + 4 + 0x1000000 + 1));
	CHECK(patch_reaches(&thumb[0], SITE + 4 - 0x1000000 + 1));
	CHECK(!patch_reaches(&thumb[0], SITE + 4 - 0x1000002 + 1));
	CHECK(patch_reaches(&thumb[2], SITE + 4 + 0xffffe + 1));
	CHECK(!patch_reaches(&thumb[2], SITE + 4 + 0x100000 + 1));
	CHECK(patch_reaches(&thumb[2], SITE + 4 - 0x100000 + 1));
	CHECK(!patch_reaches(&thumb[2], SITE + 4 - 0x100002 + 1));
}

/* What the breakpoint of a site does, of that kind and with these flags. */
static void check_trap(const struct patch_case *c, unsigned kind,
		       uintptr_t flags, enum sdt_patch_trap wanted,
		       uintptr_t pc, uintptr_t flags_then)
{
	struct sdt_patch_regs regs = {
		.pc = SITE, .link = 0x1231, .flags = flags, .result = 7
	};
	struct sdt_table table;
	struct sdt_site site;

	patch_put(c, c->trap);
	patch_make_table(kind, &table);
	CHECK(sdt_patch_trap(&table, &regs, &site) == wanted);
	CHECK(regs.pc == pc && regs.flags == flags_then);
	CHECK(regs.result == ((kind & 4) && wanted == SDT_TRAP_HIT ? 0 : 7));
}

static void test_traps(void)
{
	enum { Z = 0x40000000, THUMB = 0x20, IT_NE = 0x1800 };

	patch_mode = 0;
	check_trap(&arm[0], 0, Z, SDT_TRAP_HIT, SITE + 4, Z);
	check_trap(&arm[1], 0, Z, SDT_TRAP_PASSED, SITE + 4, Z);
	check_trap(&arm[1], 0, 0, SDT_TRAP_HIT, SITE + 4, 0);
	check_trap(&arm[2], 1, 0, SDT_TRAP_HIT, 0x1230, THUMB);
	check_trap(&arm[3], 2, 0, SDT_TRAP_HIT, 0x1230, THUMB);
	check_trap(&arm[3], 2, Z, SDT_TRAP_PASSED, SITE + 4, Z);
	check_trap(&arm[4], 4, 0, SDT_TRAP_HIT, SITE + 4, 0);
	patch_mode = 1;
	check_trap(&thumb[0], 0, THUMB, SDT_TRAP_HIT, SITE + 4, THUMB);
	/* In an IT block, which ends there. */
	check_trap(&thumb[3], 4, THUMB | IT_NE, SDT_TRAP_HIT, SITE + 4, THUMB);
	check_trap(&thumb[3], 4, THUMB | IT_NE | Z, SDT_TRAP_PASSED, SITE + 4,
		   THUMB | Z);
}

/* Each condition, against its own words. */
static void test_conditions(void)
{
	struct patch_case c = arm[1];

	for (unsigned flags = 0; flags < 16; flags++) {
		int n = flags >> 3 & 1, z = flags >> 2 & 1;
		int carry = flags >> 1 & 1, v = flags & 1;
		const int holds[] = {
			z,	!z,	carry,	      !carry,	   n,
			!n,	v,	!v,	      carry && !z, !carry || z,
			n == v, n != v, !z && n == v, z || n != v, 1
		};

		patch_mode = 0;
		for (unsigned i = 0; i < 15; i++) {
			c.trap = 0xe1205d70 | i;
			check_trap(&c, 0, (uintptr_t)flags << 28,
				   holds[i] ? SDT_TRAP_HIT : SDT_TRAP_PASSED,
				   SITE + 4, (uintptr_t)flags << 28);
		}
	}
}

int main(void)
{
	if (patch_start(4, 0) != 0)
		return 77;
	patch_mode = 0;
	check_all(arm, sizeof(arm) / sizeof(arm[0]));
	patch_mode = 1;
	check_all(thumb, sizeof(thumb) / sizeof(thumb[0]));
	patch_mode = 0;
	patch_check_branch(&branch, &arch_arm);
	patch_mode = 1;
	patch_check_branch(&thumb_branch, &arch_arm);
	test_nop();
	test_bits();
	test_modes();
	test_range();
	test_traps();
	test_conditions();
	return unit_status();
}
