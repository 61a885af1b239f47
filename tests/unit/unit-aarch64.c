/* SPDX-License-Identifier: GPL-3.0-or-later */
/* AArch64 on literal words; the assembly beside them is objdump's. */
#include <config.h>

#include "arch/scan.h"
#include "arch/arch.h"
#include "arch/insn.h"
#include "elf/object.h"
#include "unit.h"

#define LE &arch_aarch64
#define BE &arch_aarch64_be
#define ADDR UINT64_C(0x40000000) /* of the code in these tests */

#define NROWS(rows) (sizeof(rows) / sizeof((rows)[0]))

/* Up to eight words in memory: little-endian, whatever the data is. */
static struct code code_of(uint8_t bytes[32], const uint32_t *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		insn_put_le32(bytes + 4 * i, words[i]);
	return (struct code){ bytes, 4 * n, ADDR };
}

/* --- Branches ------------------------------------------------------------ */

static const struct {
	const char *assembly;
	uint32_t insn;
	int form; /* or -1: no branch */
	uint64_t target;
} branches[] = {
	{ "b .", 0x14000000, FORM_TAIL, ADDR },
	{ "bl .", 0x94000000, FORM_CALL, ADDR },
	{ "b .+4", 0x14000001, FORM_TAIL, ADDR + 4 },
	{ "bl .-4", 0x97ffffff, FORM_CALL, ADDR - 4 },
	{ "bl .+0x7fffffc", 0x95ffffff, FORM_CALL, ADDR + 0x7fffffc },
	{ "bl .-0x8000000", 0x96000000, FORM_CALL, ADDR - 0x8000000 },
	{ "b .+0x7fffffc", 0x15ffffff, FORM_TAIL, ADDR + 0x7fffffc },
	{ "b .-0x8000000", 0x16000000, FORM_TAIL, ADDR - 0x8000000 },
	{ "b.eq .+8", 0x54000040, FORM_COND, ADDR + 8 },
	{ "b.ne .-0x100000", 0x54800001, FORM_COND, ADDR - 0x100000 },
	{ "b.al .+0xffffc", 0x547fffee, FORM_COND, ADDR + 0xffffc },
	{ "bc.eq .+8", 0x54000050, FORM_COND, ADDR + 8 },
	{ "cbz w0,.+4", 0x34000020, FORM_COND, ADDR + 4 },
	{ "cbnz x30,.-4", 0xb5fffffe, FORM_COND, ADDR - 4 },
	{ "tbz w3,#0,.+0x7ffc", 0x3603ffe3, FORM_COND, ADDR + 0x7ffc },
	{ "tbnz x3,#63,.-0x8000", 0xb7fc0003, FORM_COND, ADDR - 0x8000 },
	{ "ret", 0xd65f03c0, -1, 0 },
	{ "br x16", 0xd61f0200, -1, 0 },
	{ "blr x16", 0xd63f0200, -1, 0 },
	{ "nop", 0xd503201f, -1, 0 },
	{ "ldr x0,.+8", 0x58000040, -1, 0 },
	{ "adr x0,.", 0x10000000, -1, 0 },
	{ "madd x0,x1,x2,x3", 0x9b020c20, -1, 0 },
	{ "udf #0", 0x00000000, -1, 0 },
};

static void test_decode(void)
{
	const struct arch *arches[] = { LE, BE };

	for (size_t i = 0; i < 2 * NROWS(branches); i++) {
		const struct arch *arch = arches[i % 2];
		uint8_t bytes[32];
		struct code code = code_of(bytes, &branches[i / 2].insn, 1);
		struct branch branch;
		bool found = arch->decode_branch(arch, &code, 0, &branch);

		if (!CHECK(found == (branches[i / 2].form >= 0)) ||
		    (found &&
		     !(CHECK((int)branch.form == branches[i / 2].form) &&
		       CHECK(branch.length == 4) && CHECK(branch.field == 0) &&
		       CHECK(branch.target == branches[i / 2].target))))
			printf("\t%s: 0x%llx\n", branches[i / 2].assembly,
			       (unsigned long long)branch.target);
	}
}

/* Cut off, behind the end, and where no instruction can be. */
static void test_decode_bounds(void)
{
	static const uint32_t words[] = { 0x94000000, 0x94000000 };
	const struct arch *arch = LE;
	uint8_t bytes[32];
	struct code code = code_of(bytes, words, 2);
	struct branch branch;

	CHECK(arch->decode_branch(arch, &code, 4, &branch));
	CHECK(!arch->decode_branch(arch, &code, 8, &branch));
	CHECK(!arch->decode_branch(arch, &code, 12, &branch));
	CHECK(!arch->decode_branch(arch, &code, UINT64_MAX, &branch));
	CHECK(!arch->decode_branch(arch, &code, 2, &branch));
	code.size = 7;
	CHECK(!arch->decode_branch(arch, &code, 4, &branch));
	/* An odd beginning: the instruction at 0x40000004 is at offset 2. */
	code.addr = ADDR + 2;
	CHECK(!arch->decode_branch(arch, &code, 0, &branch));
	bytes[2] = bytes[3] = bytes[4] = 0;
	bytes[5] = 0x94;
	CHECK(arch->decode_branch(arch, &code, 2, &branch));
	CHECK(branch.target == ADDR + 4);
}

struct found {
	size_t n;
	uint64_t offsets[8];
	uint64_t targets[8];
};

static void note_branch(void *ctx, uint64_t offset, const struct branch *branch)
{
	struct found *found = ctx;

	found->offsets[found->n] = offset;
	found->targets[found->n++] = branch->target;
}

static void note_operand(void *ctx, uint64_t offset, uint64_t target)
{
	struct found *found = ctx;

	found->offsets[found->n] = offset;
	found->targets[found->n++] = target;
}

static void test_searches(void)
{
	static const uint32_t words[] = {
		0x94000004, /* bl .+16 */
		0x10000060, /* adr x0,.+12 */
		0xb4000040, /* cbz x0,.+8 */
		0x58000020, /* ldr x0,.+4 */
		0x17fffffc, /* b .-16 */
		0x90000000, /* adrp x0,.: needs a relocation */
		0x98ffffe0, /* ldrsw x0,.-4 */
	};
	const struct arch *arch = LE;
	struct found found = { 0 };
	uint8_t bytes[32];
	struct code code = code_of(bytes, words, 7);

	arch->each_branch(arch, &code, ADDR + 16, ADDR + 16, note_branch,
			  &found);
	CHECK(found.n == 2);
	CHECK(found.offsets[0] == 0 && found.targets[0] == ADDR + 16);
	CHECK(found.offsets[1] == 8 && found.targets[1] == ADDR + 16);
	found.n = 0;
	arch->each_branch(arch, &code, ADDR, ADDR + 15, note_branch, &found);
	CHECK(found.n == 1 && found.offsets[0] == 16);
	found.n = 0;
	arch->each_operand(arch, &code, ADDR, ADDR + 28, note_operand, &found);
	CHECK(found.n == 3);
	CHECK(found.offsets[0] == 4 && found.targets[0] == ADDR + 16);
	CHECK(found.offsets[1] == 12 && found.targets[1] == ADDR + 16);
	CHECK(found.offsets[2] == 24 && found.targets[2] == ADDR + 20);
	CHECK(arch->is_boundary(arch, &code, 4, 12));
	CHECK(!arch->is_boundary(arch, &code, 4, 10));
}

/* --- Sites -----------------------------------------------------------------
 */

static void test_sites(void)
{
	static const struct {
		const char *what; /* of the refusal */
		uint32_t insn;
		uint32_t type;
		int64_t addend;
		int form;
	} rows[] = {
		{ "", 0x94000000, 283, 0, FORM_CALL }, /* bl, CALL26 */
		{ "", 0x14000000, 282, 0, FORM_TAIL }, /* b, JUMP26 */
		{ "", 0x14000000, 283, 0, FORM_TAIL }, /* what decides */
		{ "", 0x94000000, 282, 0, FORM_CALL },
		{ "", 0x97ffffff, 283, 0, FORM_CALL }, /* field not 0 */
		{ "branch to its inside", 0x94000000, 283, 4, -1 },
		{ "branch to its inside", 0x14000000, 282, -4, -1 },
		{ "no direct branch", 0xd63f0000, 283, 0, -1 }, /* blr x0 */
		{ "conditional branch", 0x54000000, 280, 0, -1 },
		{ "conditional branch", 0xb4000000, 280, 0, -1 },
		{ "test and branch", 0x36000000, 279, 0, -1 },
		{ "load of its address from the GOT", 0x90000000, 311, 0, -1 },
		{ "load of its address from the GOT", 0xf9400000, 312, 0, -1 },
		{ "load of its address from the GOT", 0xf9400000, 313, 0, -1 },
		{ "load of its address from the GOT", 0x58000000, 309, 0, -1 },
		{ "its address is computed", 0x90000000, 275, 0, -1 },
		{ "its address is computed", 0x91000000, 277, 0, -1 },
		{ "its address is computed", 0x10000000, 274, 0, -1 },
		{ "its address is computed", 0xd2800000, 263, 0, -1 },
		{ "its address is stored in a literal", 0, 257, 0, -1 },
		{ "load of its code", 0x58000000, 273, 0, -1 },
		{ "no direct branch", 0x94000000, 9999, 0, -1 },
	};

	for (size_t i = 0; i < NROWS(rows); i++) {
		const struct arch *arch = i % 2 ? LE : BE;
		struct reloc r = { .addend = rows[i].addend,
				   .type = rows[i].type,
				   .symndx = 1 };
		struct site_shape shape;
		struct refusal refusal;
		uint8_t text[32];
		bool found;

		code_of(text, &rows[i].insn, 1);
		found = arch->scan->find_site(arch, text, 4, &r, &shape);
		CHECK(found == (rows[i].form >= 0));
		if (found) {
			CHECK((int)shape.form == rows[i].form);
			CHECK(shape.back == 0 && shape.length == 4);
			continue;
		}
		refusal = scan_explain_refusal(arch, text, 4, &r);
		if (!CHECK(strcmp(refusal.what, rows[i].what) == 0))
			printf("\t%s\n", refusal.what);
		CHECK(refusal.length <= 4 && refusal.back == 0);
	}
}

/* The last that fits, and where no instruction can be. */
static void test_site_bounds(void)
{
	static const uint32_t words[] = { 0x94000000, 0x94000000 };
	const struct arch *arch = LE;
	struct reloc r = { .offset = 4, .type = 283, .symndx = 1 };
	struct site_shape shape;
	uint8_t text[32];

	code_of(text, words, 2);
	CHECK(arch->scan->find_site(arch, text, 8, &r, &shape));
	CHECK(!arch->scan->find_site(arch, text, 7, &r, &shape));
	r.offset = 2;
	text[5] = 0x94;
	CHECK(!arch->scan->find_site(arch, text, 8, &r, &shape));
}

static void test_stubs(void)
{
	uint8_t bytes[ARCH_STUB_MAX];
	const struct arch *arch = LE;

	CHECK(arch->make_stub(arch, 0, false, 0x12345678, bytes) == 16);
	CHECK(insn_le32(bytes) == 0xd503245f);	    /* bti c */
	CHECK(insn_le32(bytes + 4) == 0x528acf10);  /* mov w16,#0x5678 */
	CHECK(insn_le32(bytes + 8) == 0x72a24690);  /* movk w16,#0x1234,16 */
	CHECK(insn_le32(bytes + 12) == 0xd65f03c0); /* ret */
	CHECK(arch->make_stub(arch, 0, true, 0xffffffff, bytes) == 20);
	CHECK(insn_le32(bytes + 4) == 0x529ffff0);
	CHECK(insn_le32(bytes + 8) == 0x72bffff0);
	CHECK(insn_le32(bytes + 12) == 0x52800000); /* mov w0,#0 */
	CHECK(insn_le32(bytes + 16) == 0xd65f03c0);
}

static void test_mapping(void)
{
	CHECK(strcmp((LE)->mapping_name(0), "$x") == 0);
}

static void test_disabled(void)
{
	const struct arch *arch = BE;
	uint8_t bytes[DISABLED_MAX];

	CHECK(arch->disable(arch, FORM_CALL, false, NULL, 0, bytes) == 4);
	CHECK(memcmp(bytes, "\x1f\x20\x03\xd5", 4) == 0);
	CHECK(arch->disable(arch, FORM_CALL, true, NULL, 0, bytes) == 4);
	CHECK(memcmp(bytes, "\x00\x00\x80\x52", 4) == 0);
	CHECK(arch->disable(arch, FORM_TAIL, false, NULL, 0, bytes) == 4);
	CHECK(memcmp(bytes, "\xc0\x03\x5f\xd6", 4) == 0);
	CHECK(arch->disable(arch, FORM_TAIL, true, NULL, 0, bytes) == 0);
	CHECK(arch->disable(arch, FORM_COND, false, NULL, 0, bytes) == 0);
	CHECK(arch_one_store(arch, FORM_CALL, false, 0, ADDR + 4, 4));
	CHECK(!arch_one_store(arch, FORM_TAIL, false, 0, ADDR, 4));
	CHECK(!arch_one_store(arch, FORM_CALL, true, 0, ADDR, 4));
}

/* --- Between a branch and its target ----------------------------------------
 */

/* adrp x16,ADDR+0x7be0000; ldr x17,[x16,0x248]; add x16,x16,0x248; br x17 */
#define PLT 0x9003df10, 0xf9412611, 0x91092210, 0xd61f0220

static void test_plt(void)
{
	static const struct {
		const char *what;
		uint32_t words[6];
		bool is_plt;
	} rows[] = {
		{ "plain", { PLT }, true },
		{ "bti c", { 0xd503245f, PLT }, true },
		{ "autia1716",
		  { 0x9003df10, 0xf9412611, 0x91092210, 0xd503219f,
		    0xd61f0220 },
		  true },
		{ "another page register",
		  { 0x9003df11, 0xf9412611, 0x91092210, 0xd61f0220 },
		  false },
		{ "another base",
		  { 0x9003df10, 0xf9412631, 0x91092210, 0xd61f0220 },
		  false },
		{ "another offset",
		  { 0x9003df10, 0xf9412611, 0x91092610, 0xd61f0220 },
		  false },
		{ "a store",
		  { 0x9003df10, 0xf9012611, 0x91092210, 0xd61f0220 },
		  false },
		{ "br x16",
		  { 0x9003df10, 0xf9412611, 0x91092210, 0xd61f0200 },
		  false },
		{ "blr x17",
		  { 0x9003df10, 0xf9412611, 0x91092210, 0xd63f0220 },
		  false },
		{ "adr",
		  { 0x1003df10, 0xf9412611, 0x91092210, 0xd61f0220 },
		  false },
	};
	const struct arch *arch = LE;
	uint8_t bytes[32];

	for (size_t i = 0; i < NROWS(rows); i++) {
		struct code code = code_of(bytes, rows[i].words, 6);
		uint64_t slot = 0;

		if (!CHECK(arch->decode_plt(arch, &code, 0, 0, &slot) ==
			   rows[i].is_plt))
			printf("\t%s\n", rows[i].what);
		if (rows[i].is_plt)
			CHECK(slot == ADDR + 0x7be0000 + 0x248);
		code.size = 12;
		CHECK(!arch->decode_plt(arch, &code, 0, 0, &slot));
	}
}

/* Each kind, at both ends of its reach. */
static void test_veneers(void)
{
	static const struct {
		const char *what;
		const struct arch *arch;
		uint32_t words[6];
		unsigned length; /* 0: none */
		uint64_t target;
	} rows[] = {
		{ "adrp; add; br",
		  LE,
		  { 0x9003df10, 0x91002210, 0xd61f0200 },
		  12,
		  ADDR + 0x7be0008 },
		{ "backwards",
		  BE,
		  { 0xf0fffff0, 0x913ffe10, 0xd61f0200 },
		  12,
		  ADDR - 1 },
		{ "the highest page",
		  LE,
		  { 0xf07ffff0, 0x913ffe10, 0xd61f0200 },
		  12,
		  ADDR + 0xffffffff },
		{ "br of another register",
		  LE,
		  { 0x9003df10, 0x91002210, 0xd61f0220 },
		  0,
		  0 },
		{ "blr", LE, { 0x9003df10, 0x91002210, 0xd63f0200 }, 0, 0 },
		{ "sub", LE, { 0x9003df10, 0xd1002210, 0xd61f0200 }, 0, 0 },
		{ "add, shifted",
		  LE,
		  { 0x9003df10, 0x91402210, 0xd61f0200 },
		  0,
		  0 },
		{ "add of x17",
		  LE,
		  { 0x9003df10, 0x91002230, 0xd61f0200 },
		  0,
		  0 },
		{ "ldr; br; literal",
		  LE,
		  { 0x58000050, 0xd61f0200, 0x89abcdef, 0x01234567 },
		  16,
		  0x0123456789abcdef },
		{ "the same, big-endian",
		  BE,
		  { 0x58000050, 0xd61f0200, 0x67452301, 0xefcdab89 },
		  16,
		  0x0123456789abcdef },
		{ "ldr of another literal",
		  LE,
		  { 0x58000070, 0xd61f0200, 0x89abcdef, 0x01234567 },
		  0,
		  0 },
		{ "ldr of 32 bits",
		  LE,
		  { 0x18000050, 0xd61f0200, 0x89abcdef, 0x01234567 },
		  0,
		  0 },
		{ "ldr; adr; add; br; distance",
		  LE,
		  { 0x58000090, 0x10000011, 0x8b110210, 0xd61f0200, 0xfffffff8,
		    0xffffffff },
		  24,
		  ADDR - 4 },
		{ "the same, big-endian",
		  BE,
		  { 0x58000090, 0x10000011, 0x8b110210, 0xd61f0200, 0,
		    0x08000000 },
		  24,
		  ADDR + 12 },
		{ "adr of elsewhere",
		  LE,
		  { 0x58000090, 0x10000031, 0x8b110210, 0xd61f0200, 0, 0 },
		  0,
		  0 },
		{ "sub of the distance",
		  LE,
		  { 0x58000090, 0x10000011, 0xcb110210, 0xd61f0200, 0, 0 },
		  0,
		  0 },
		{ "bti c; b", LE, { 0xd503245f, 0x14000003 }, 8, ADDR + 16 },
		{ "bti c; bl", LE, { 0xd503245f, 0x94000003 }, 0, 0 },
		{ "bti c; b.eq", LE, { 0xd503245f, 0x54000060 }, 0, 0 },
		{ "bti j; b", LE, { 0xd503249f, 0x14000003 }, 0, 0 },
		{ "b", LE, { 0x14000003 }, 0, 0 },
	};
	uint8_t bytes[32];

	for (size_t i = 0; i < NROWS(rows); i++) {
		const struct arch *arch = rows[i].arch;
		struct code code = code_of(bytes, rows[i].words, 6);
		uint64_t target = 0;
		unsigned length =
			arch->decode_veneer(arch, &code, 0, 0, &target);

		if (!CHECK(length == rows[i].length) ||
		    !CHECK(length == 0 || target == rows[i].target))
			printf("\t%s: 0x%llx\n", rows[i].what,
			       (unsigned long long)target);
		if (length == 0)
			continue;
		code.size = length - 1;
		CHECK(arch->decode_veneer(arch, &code, 0, 0, &target) == 0);
	}
}

static void test_detours(void)
{
	static const struct {
		const char *what;
		uint32_t words[4]; /* branch, where it returns, copy, back */
		bool is_detour;
	} rows[] = {
		{ "ldr x0,[x0,16]",
		  { 0x14000002, 0xd503201f, 0xf9400800, 0x17fffffe },
		  true },
		{ "str q0,[x0,16]",
		  { 0x14000002, 0xd503201f, 0x3d800400, 0x17fffffe },
		  true },
		{ "madd x0,x4,x5,x6",
		  { 0x14000002, 0xd503201f, 0x9b051880, 0x17fffffe },
		  true },
		{ "back too far",
		  { 0x14000002, 0xd503201f, 0xf9400800, 0x17ffffff },
		  false },
		{ "back too near",
		  { 0x14000002, 0xd503201f, 0xf9400800, 0x17fffffd },
		  false },
		{ "back by bl",
		  { 0x14000002, 0xd503201f, 0xf9400800, 0x97fffffe },
		  false },
		{ "there by bl",
		  { 0x94000002, 0xd503201f, 0xf9400800, 0x17fffffe },
		  false },
		{ "there by b.eq",
		  { 0x54000040, 0xd503201f, 0xf9400800, 0x17fffffe },
		  false },
		{ "out of the code",
		  { 0x14000004, 0xd503201f, 0xf9400800, 0x17fffffe },
		  false },
		{ "adr: another place, another value",
		  { 0x14000002, 0xd503201f, 0x10000000, 0x17fffffe },
		  false },
		{ "ldr of a literal",
		  { 0x14000002, 0xd503201f, 0x58000000, 0x17fffffe },
		  false },
		{ "bl",
		  { 0x14000002, 0xd503201f, 0x94000000, 0x17fffffe },
		  false },
		{ "ret",
		  { 0x14000002, 0xd503201f, 0xd65f03c0, 0x17fffffe },
		  false },
	};
	const struct arch *arch = LE;
	uint8_t bytes[32];

	for (size_t i = 0; i < NROWS(rows); i++) {
		struct code code = code_of(bytes, rows[i].words, 4);
		struct detour detour;

		for (unsigned byte = 0; byte < 4; byte++)
			if (!CHECK(arch->decode_detour(arch, &code, byte,
						       &detour) ==
				   rows[i].is_detour) ||
			    (rows[i].is_detour &&
			     !CHECK(detour.start == 0 && detour.length == 4 &&
				    detour.copy == 8)))
				printf("\t%s\n", rows[i].what);
	}
}

/* --- Rewrites ------------------------------------------------------------- */

static void test_rewrites(void)
{
	static const struct {
		const char *what;
		uint32_t type;
		uint32_t before[5], after[5];
		unsigned length; /* 0: none */
	} rows[] = {
		{ "adrp x3; add x3 -> nop; adr x3",
		  275,
		  { 0x90000003, 0x91000063 },
		  { 0xd503201f, 0x10101cc3 },
		  8 },
		{ "to another register",
		  275,
		  { 0x90000003, 0x91000063 },
		  { 0xd503201f, 0x10101cc4 },
		  0 },
		{ "add x3,x4",
		  275,
		  { 0x90000003, 0x91000083 },
		  { 0xd503201f, 0x10101cc3 },
		  0 },
		{ "adrp x4",
		  275,
		  { 0x90000004, 0x91000083 },
		  { 0xd503201f, 0x10101cc3 },
		  0 },
		{ "ldr x3,[x4] behind adrp x4",
		  311,
		  { 0x90000004, 0xf9400083 },
		  { 0xd503201f, 0x10101cc3 },
		  0 },
		{ "the first half alone",
		  275,
		  { 0x90000003, 0x91000063 },
		  { 0xd503201f, 0x91000063 },
		  0 },
		{ "adrp x3; ldr x3 -> nop; adr x3",
		  311,
		  { 0x90000003, 0xf9400063 },
		  { 0xd503201f, 0x10101cc3 },
		  8 },
		{ "ldr x3,[x4] -> add x3,x4",
		  312,
		  { 0xf9400083 },
		  { 0x91001083 },
		  4 },
		{ "ldr x3,[x4] -> add x3,x3",
		  312,
		  { 0xf9400083 },
		  { 0x91001063 },
		  0 },
		{ "adrp x3 -> adr x3: see is_redirect",
		  275,
		  { 0x90000003 },
		  { 0x10088043 },
		  0 },
		{ "adrp x3 -> nop alone",
		  311,
		  { 0x90000003, 0xf9400063 },
		  { 0xd503201f, 0xf9400063 },
		  0 },
		{ "bl -> nop", 283, { 0x94000000 }, { 0xd503201f }, 4 },
		{ "bl -> b", 283, { 0x94000000 }, { 0x14000000 }, 0 },
		{ "b -> bl", 282, { 0x14000000 }, { 0x94000000 }, 0 },
		{ "b -> nop", 282, { 0x14000000 }, { 0xd503201f }, 4 },
		{ "TLS descriptor: adrp x0 -> movz x0",
		  562,
		  { 0x90000000 },
		  { 0xd2a00020 },
		  4 },
		{ "of another register",
		  562,
		  { 0x90000001 },
		  { 0xd2a00020 },
		  0 },
		{ "TLS descriptor: ldr x2,[x0] -> movk x0",
		  563,
		  { 0xf9400002 },
		  { 0xf2800400 },
		  4 },
		{ "TLS descriptor: ldr x2,[x0] -> ldr x0,[x0]",
		  563,
		  { 0xf9400002 },
		  { 0xf9400400 },
		  4 },
		{ "TLS descriptor: ldr x2,[x0] -> movk x2",
		  563,
		  { 0xf9400002 },
		  { 0xf2800402 },
		  0 },
		{ "TLS descriptor: add x0 -> nop",
		  564,
		  { 0x91000000 },
		  { 0xd503201f },
		  4 },
		{ "TLS descriptor: blr x2 -> nop",
		  569,
		  { 0xd63f0040 },
		  { 0xd503201f },
		  4 },
		{ "initial exec: adrp x9 -> movz x9",
		  541,
		  { 0x90000009 },
		  { 0xd2a00009 },
		  4 },
		{ "initial exec: ldr x9 -> movk x9",
		  542,
		  { 0xf9400129 },
		  { 0xf2800389 },
		  4 },
		{ "initial exec: ldr x9 -> movk x8",
		  542,
		  { 0xf9400129 },
		  { 0xf2800388 },
		  0 },
		{ "general dynamic, by GNU ld",
		  513,
		  { 0x90000000, 0x91000000, 0x94000000, 0xd503201f },
		  { 0xd2a00000, 0xf2800400, 0xd53bd041, 0x8b000020 },
		  16 },
		{ "general dynamic, by gold",
		  513,
		  { 0x90000000, 0x91000000, 0x94000000, 0xd503201f },
		  { 0xd53bd040, 0x91400000, 0x91004000, 0xd503201f },
		  16 },
		{ "half of each",
		  513,
		  { 0x90000000, 0x91000000, 0x94000000, 0xd503201f },
		  { 0xd2a00000, 0xf2800400, 0x91004000, 0xd503201f },
		  0 },
		{ "local dynamic",
		  518,
		  { 0x90000000, 0x91000000, 0x94000000, 0xd503201f },
		  { 0xd53bd040, 0x91004000, 0xd503201f, 0xd503201f },
		  16 },
		{ "local dynamic, by gold",
		  518,
		  { 0x90000000, 0x91000000, 0x94000000, 0xd503201f },
		  { 0xd53bd040, 0x91400000, 0x91004000, 0xd503201f },
		  16 },
		{ "general dynamic, large model",
		  515,
		  { 0xd2a00000, 0xf2800000, 0x8b000120, 0x94000000,
		    0xd503201f },
		  { 0xd2c00000, 0xf2a00000, 0xf2800a00, 0xd53bd041,
		    0x8b000020 },
		  20 },
		{ "of another relocation",
		  277,
		  { 0x90000003, 0x91000063 },
		  { 0xd503201f, 0x10101cc3 },
		  0 },
	};
	const struct arch *arch = LE;

	for (size_t i = 0; i < NROWS(rows); i++) {
		uint8_t before[32], after[32];
		struct reloc r = { .type = rows[i].type, .symndx = 1 };
		struct byte_range range;
		bool found;

		code_of(before, rows[i].before, 5);
		code_of(after, rows[i].after, 5);
		found = arch->is_rewrite(arch, before, after, 20, &r, &range);
		if (!CHECK(found == (rows[i].length > 0)) ||
		    (found &&
		     !CHECK(range.start == 0 && range.end == rows[i].length)))
			printf("\t%s\n", rows[i].what);
		if (found)
			CHECK(!arch->is_rewrite(arch, before, after,
						rows[i].length - 1, &r,
						&range));
	}
}

/* Erratum 843419: adrp at the end of a page becomes adr of the same page. */
static void test_redirect(void)
{
	static const struct {
		uint64_t addr;
		uint32_t before, after;
		bool is_known;
	} rows[] = {
		{ ADDR + 0xff8, 0x90000003, 0x10000043, true },	 /* .+8 */
		{ ADDR + 0xffc, 0x90000003, 0x10000023, true },	 /* .+4 */
		{ ADDR + 0xff8, 0x90000003, 0x10ff8043, true },	 /* .-0xff8 */
		{ ADDR + 0xff8, 0x90000003, 0x10000044, false }, /* x4 */
		{ ADDR + 0xff8, 0x90000003, 0x10000023, false }, /* .+4 */
		{ ADDR + 0xff8, 0x90000003, 0x50000043, false }, /* .+10 */
		{ ADDR + 0xff4, 0x90000003, 0x10000063, false }, /* .+12 */
		{ ADDR + 0xff8, 0x10000003, 0x10000043, false }, /* adr */
		{ ADDR + 0xff8, 0x90000003, 0x90000003, false },
	};
	const struct arch *arch = LE;

	for (size_t i = 0; i < NROWS(rows); i++) {
		uint8_t before[32], after[32];
		const uint32_t image[] = { 0, rows[i].after };
		struct code from = code_of(before, &rows[i].before, 1);
		struct code to = code_of(after, image, 2);
		struct redirect redirect;
		bool found;

		from.addr = rows[i].addr;
		to.addr = rows[i].addr - 4;
		found = arch->is_redirect(arch, &from, &to, 3, &redirect);
		if (!CHECK(found == rows[i].is_known))
			printf("\t0x%x\n", rows[i].after);
		CHECK(!found || (redirect.start == 0 && redirect.length == 4 &&
				 !redirect.is_same));
	}
}

/* Of which models an instruction may be a part, with those behind it. */
static void test_parts(void)
{
	static const struct {
		const char *what;
		uint32_t types[2];
		uint32_t before[4], after[4];
		bool is_known;
		unsigned models, length;
	} rows[] = {
		{ "adrp; add -> nop; adr",
		  { 275, 277 },
		  { 0x90000003, 0x91000063 },
		  { 0xd503201f, 0x10101cc3 },
		  true,
		  0,
		  0 },
		{ "the same of a load",
		  { 275, 286 },
		  { 0x90000003, 0x91000063 },
		  { 0xd503201f, 0x10101cc3 },
		  false,
		  0,
		  0 },
		{ "adrp; ldr -> nop; adr",
		  { 311, 312 },
		  { 0x90000003, 0xf9400063 },
		  { 0xd503201f, 0x10101cc3 },
		  true,
		  0,
		  0 },
		{ "kept", { 563 }, { 0xf9400002 }, { 0xf9400402 }, true, 1, 0 },
		{ "adrp, kept or initial exec",
		  { 562 },
		  { 0x90000000 },
		  { 0xb0000000 },
		  true,
		  3,
		  0 },
		{ "the same with adr",
		  { 562 },
		  { 0x90000000 },
		  { 0x10000000 },
		  true,
		  3,
		  0 },
		{ "ldr x0: initial exec",
		  { 563 },
		  { 0xf9400002 },
		  { 0xf9400400 },
		  true,
		  2,
		  4 },
		{ "movk: local exec",
		  { 563 },
		  { 0xf9400002 },
		  { 0xf2800400 },
		  true,
		  4,
		  4 },
		{ "nop: either",
		  { 569 },
		  { 0xd63f0040 },
		  { 0xd503201f },
		  true,
		  6,
		  4 },
		{ "four at once, by mold",
		  { 562 },
		  { 0x90000000, 0xf9400001, 0x91000000, 0xd63f0020 },
		  { 0xd503201f, 0xd503201f, 0xd2a00000, 0xf2800400 },
		  true,
		  4,
		  16 },
		{ "movz of initial exec",
		  { 541 },
		  { 0x90000009 },
		  { 0xd2a00009 },
		  true,
		  4,
		  4 },
	};
	const struct arch *arch = LE;

	for (size_t i = 0; i < NROWS(rows); i++) {
		uint8_t before[32], after[32];
		const struct reloc relocs[] = {
			{ .type = rows[i].types[0], .symndx = 1 },
			{ .offset = 4, .type = rows[i].types[1], .symndx = 1 },
		};
		struct code from = code_of(before, rows[i].before, 4);
		struct code to = code_of(after, rows[i].after, 4);
		struct rewrite_part part;

		if (!CHECK(arch->judge_part(arch, relocs, 2, &from, &to,
					    &part) == rows[i].is_known) ||
		    !CHECK(part.ways == rows[i].models &&
			   part.length == rows[i].length))
			printf("\t%s\n", rows[i].what);
	}
}

/* What a linker sets of each field, in memory order. */
static void test_masks(void)
{
	static const struct {
		uint32_t type;
		uint32_t mask;
	} rows[] = {
		{ 263, 0x001fffe0 }, { 270, 0x401fffe0 }, { 273, 0x00ffffe0 },
		{ 275, 0x60ffffe0 }, { 277, 0x003ffc00 }, { 279, 0x0007ffe0 },
		{ 280, 0x00ffffe0 }, { 282, 0x03ffffff }, { 283, 0x03ffffff },
		{ 299, 0x003ffc00 }, { 258, 0xffffffff }, { 569, 0 },
	};

	for (size_t i = 0; i < NROWS(rows); i++)
		for (unsigned byte = 0; byte < 5; byte++)
			CHECK(arch_reloc_bits(LE, rows[i].type, byte) ==
			      (uint8_t)((uint64_t)rows[i].mask >> 8 * byte));
}

/* Where a function ends that code cannot run out of. */
static void test_ends(void)
{
	static const struct {
		const char *what;
		uint32_t words[8];
		uint64_t end; /* or NO_END */
	} rows[] = {
		{ "ret", { 0xd503201f, 0xd503201f, 0xd65f03c0 }, 12 },
		{ "retaa", { 0xd503201f, 0xd503201f, 0xd65f0bff }, 12 },
		{ "br", { 0xd503201f, 0xd503201f, 0xd61f0020 }, 12 },
		{ "eret", { 0xd503201f, 0xd503201f, 0xd69f03e0 }, 12 },
		{ "b; nop", { 0xd503201f, 0x14000009, 0xd503201f }, 8 },
		{ "blr", { 0xd503201f, 0xd503201f, 0xd63f0020 }, NO_END },
		{ "bl", { 0xd503201f, 0xd503201f, 0x94000009 }, NO_END },
		{ "b.eq", { 0xd503201f, 0xd503201f, 0x54000049 }, NO_END },
		{ "brk", { 0xd503201f, 0xd503201f, 0xd4200020 }, NO_END },
		{ "ret; add", { 0xd503201f, 0xd65f03c0, 0x91000400 }, NO_END },
		{ "nothing", { 0xd503201f, 0xd503201f, 0xd503201f }, NO_END },
	};
	uint8_t bytes[32];
	const struct arch *arch = LE;
	struct code code;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		code = code_of(bytes, rows[i].words, 3);
		if (!CHECK(arch->find_end(arch, &code, 0, 12) == rows[i].end))
			printf("\t%s\n", rows[i].what);
	}
	CHECK(arch->find_end(arch, &code, 0, 16) == NO_END);
}

int main(void)
{
	test_ends();
	test_decode();
	test_decode_bounds();
	test_searches();
	test_sites();
	test_site_bounds();
	test_stubs();
	test_mapping();
	test_disabled();
	test_plt();
	test_veneers();
	test_detours();
	test_rewrites();
	test_redirect();
	test_parts();
	test_masks();
	return unit_status();
}
