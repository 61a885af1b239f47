/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SPARC V9 on literal words; the assembly beside them is objdump's. */
#include <config.h>

#include "arch/scan.h"
#include "arch/arch.h"
#include "elf/object.h"
#include "unit.h"

static const struct arch *const arch = &arch_sparc64;

enum {
	WDISP30 = 7,
	WDISP22 = 8,
	HI22 = 9,
	LO10 = 12,
	GOT13 = 14,
	WPLT30 = 18,
	GD_LO10 = 57,
	GD_ADD = 58,
	GD_CALL = 59,
	LDM_HI22 = 60,
	LDM_CALL = 63,
	LDO_ADD = 66,
	IE_LDX = 70,
	GOTDATA_OP = 84,
};

#define NOP 0x01000000

/* N words in the byte order of the target. */
static void put(uint8_t *bytes, const uint32_t *words, size_t n)
{
	for (size_t i = 0; i < 4 * n; i++)
		bytes[i] = words[i / 4] >> (24 - 8 * (i % 4));
}

static const struct {
	const char *assembly;
	uint32_t insn, delay;
	int form;	 /* or -1: no branch */
	uint64_t target; /* the code is at 0x10000 */
} branches[] = {
	{ "call .+8; nop", 0x40000002, NOP, FORM_CALL, 0x10008 },
	{ "call .-4; nop", 0x7fffffff, NOP, FORM_CALL, 0xfffc },
	{ "call .+0x7ffffffc; nop", 0x5fffffff, NOP, FORM_CALL, 0x8000fffc },
	{ "call .-0x80000000; nop", 0x60000000, NOP, FORM_CALL,
	  0xffffffff80010000 },
	{ "call; mov %i0,%o0", 0x40000000, 0x90100018, FORM_CALL, 0x10000 },
	{ "call; sethi %hi(0x400),%o7", 0x40000000, 0x1f000001, -1, 0 },
	{ "call; restore", 0x40000000, 0x81e80000, FORM_TAIL, 0x10000 },
	{ "call; restore %i0,3,%o0", 0x40000000, 0x91ee2003, FORM_TAIL,
	  0x10000 },
	{ "call; restore %g0,%g0,%o7", 0x40000000, 0x9fe80000, -1, 0 },
	{ "call; save", 0x40000000, 0x81e00000, -1, 0 },
	{ "call; or %g1,%g0,%o7", 0x40000000, 0x9e104000, FORM_TAIL, 0x10000 },
	{ "call; or %g0,%g1,%o7", 0x40000000, 0x9e100001, FORM_TAIL, 0x10000 },
	{ "call; or %g1,0,%o7", 0x40000000, 0x9e106000, FORM_TAIL, 0x10000 },
	{ "call; or %g1,8,%o7", 0x40000000, 0x9e106008, -1, 0 },
	{ "call; or %g1,%g2,%o7", 0x40000000, 0x9e104002, -1, 0 },
	{ "call; clr %o7", 0x40000000, 0x9e100000, -1, 0 },
	{ "call; mov %o7,%o7", 0x40000000, 0x9e10000f, -1, 0 },
	{ "call; add %o7,8,%o7", 0x40000000, 0x9e03e008, -1, 0 },
	{ "call; ldx [%sp+2047],%o7", 0x40000000, 0xde5ba7ff, -1, 0 },
	{ "call; stx %o7,[%sp+2047]", 0x40000000, 0xde73a7ff, FORM_CALL,
	  0x10000 },
	{ "call; ldx [%fp+0x737],%sp", 0x40000000, 0xdc5fa737, FORM_CALL,
	  0x10000 },
	{ "call; ldd [%sp],%o6", 0x40000000, 0xdc1b8000, -1, 0 },
	{ "call; casx [%o0],%o1,%o7", 0x40000000, 0xdff21009, -1, 0 },
	{ "call; ld [%sp],%f15", 0x40000000, 0xdf038000, FORM_CALL, 0x10000 },
	{ "call; fmovs %f1,%f15", 0x40000000, 0x9fa00021, FORM_CALL, 0x10000 },
	{ "call; retl", 0x40000000, 0x81c3e008, -1, 0 },
	{ "call; return %i7+8", 0x40000000, 0x81cfe008, -1, 0 },
	{ "call; ba .", 0x40000000, 0x10800000, -1, 0 },
	{ "call; call", 0x40000000, 0x40000000, -1, 0 },
	{ "ba .+4", 0x10800001, NOP, FORM_TAIL, 0x10004 },
	{ "ba .+0x7ffffc", 0x109fffff, NOP, FORM_TAIL, 0x80fffc },
	{ "ba,a .-0x800000", 0x30a00000, NOP, FORM_TAIL, 0xffffffffff810000 },
	{ "bn .+4", 0x00800001, NOP, -1, 0 },
	{ "bne .+4", 0x12800001, NOP, FORM_COND, 0x10004 },
	{ "ba,pt %xcc,.+0xffffc", 0x106bffff, NOP, FORM_TAIL, 0x10fffc },
	{ "ba,pt %xcc,.-0x100000", 0x106c0000, NOP, FORM_TAIL,
	  0xfffffffffff10000 },
	{ "bne,a,pn %icc,.+4", 0x32400001, NOP, FORM_COND, 0x10004 },
	{ "bn,pt %xcc,.+4", 0x00680001, NOP, -1, 0 },
	{ "fba,pt %fcc0,.+4", 0x11480001, NOP, FORM_TAIL, 0x10004 },
	{ "fbne .+4", 0x03800001, NOP, FORM_COND, 0x10004 },
	{ "brz,pt %o0,.+0x1fffc", 0x02da3fff, NOP, FORM_COND, 0x2fffc },
	{ "brz,pt %o0,.-0x20000", 0x02ea0000, NOP, FORM_COND,
	  0xffffffffffff0000 },
	{ "cwbe %o0,%o1,.+0x7fc", 0x12ca1fe9, NOP, FORM_COND, 0x107fc },
	{ "cwbe %o0,%o1,.-0x800", 0x12d20009, NOP, FORM_COND, 0xf800 },
	{ "sethi %hi(0),%g1", 0x03000000, NOP, -1, 0 },
	{ "retl", 0x81c3e008, NOP, -1, 0 },
};

static void test_decode(void)
{
	for (size_t i = 0; i < sizeof(branches) / sizeof(branches[0]); i++) {
		uint32_t words[] = { branches[i].insn, branches[i].delay };
		uint8_t bytes[8];
		struct code code = { bytes, 8, 0x10000 };
		struct branch branch;
		bool found;

		put(bytes, words, 2);
		found = arch->decode_branch(arch, &code, 0, &branch);
		if (!CHECK(found == (branches[i].form >= 0)) ||
		    (found &&
		     !(CHECK((int)branch.form == branches[i].form) &&
		       CHECK(branch.length == 4) && CHECK(branch.field == 0) &&
		       CHECK(branch.target == branches[i].target))))
			printf("\t%s: 0x%llx\n", branches[i].assembly,
			       (unsigned long long)branch.target);
		/* A call whose delay slot is cut off, and half an insn. */
		code.size = 4;
		CHECK(!arch->decode_branch(arch, &code, 0, &branch) ||
		      branches[i].insn >> 30 != 1);
		code.size = 3;
		CHECK(!arch->decode_branch(arch, &code, 0, &branch));
	}
}

/*
 * The generator and verify judge delay slots by code of their own: they must
 * agree on every operation, for each register that matters.
 */
static void test_delays(void)
{
	static const uint32_t registers[] = { 0, 1, 8, 14, 15 };
	struct reloc r = { .type = WDISP30 };
	unsigned nsites = 0, n = 0;

	for (uint32_t high = 0; high < 4 * 64 * 125; high++) {
		uint32_t rd = registers[high / 256 % 5];
		uint32_t rs1 = registers[high / 256 / 5 % 5];
		uint32_t rs2 = registers[high / 256 / 25 % 5];
		uint32_t insn = (high & 3) << 30 | (high >> 2 & 63) << 19 |
				rd << 25 | rs1 << 14 | rs2;

		for (uint32_t i = 0; i < 2; i++, insn |= 0x2000) {
			uint32_t words[] = { 0x40000000, insn };
			uint8_t bytes[8];
			struct code code = { bytes, 8, 0 };
			struct site_shape shape;
			struct branch branch;
			bool is_site, is_branch;

			put(bytes, words, 2);
			is_site = arch->scan->find_site(arch, bytes, 8, &r,
							&shape);
			is_branch =
				arch->decode_branch(arch, &code, 0, &branch);
			nsites += is_site;
			n++;
			if (!CHECK(is_site == is_branch &&
				   (!is_site || shape.form == branch.form)))
				printf("\tcall; 0x%08x\n", insn);
		}
	}
	CHECK(nsites > n / 4 && nsites < n);
}

static void test_sites(void)
{
	static const struct {
		uint32_t words[2];
		struct reloc_row r; /* offset, addend, type */
		const char *what;   /* NULL for a site */
	} rows[] = {
		{ { 0x40000000, NOP }, { 0, 0, WDISP30, 0 }, NULL },
		{ { 0x40000000, 0x81e80000 }, { 0, 0, WPLT30, 0 }, NULL },
		{ { 0x40000000, NOP },
		  { 0, 4, WDISP30, 0 },
		  "call of its inside" },
		{ { 0x40000000, 0x9e03e008 },
		  { 0, 0, WDISP30, 0 },
		  "call that does not return behind it: its delay slot "
		  "changes %o7 or is a branch" },
		{ { NOP, 0x40000000 },
		  { 4, 0, WDISP30, 0 },
		  "call without a delay slot" },
		{ { 0x10800000, NOP },
		  { 0, 0, WDISP30, 0 },
		  "no direct branch" },
		{ { 0x10800000, NOP },
		  { 0, 0, WDISP22, 0 },
		  "branch of short reach" },
		{ { 0x03000000, NOP },
		  { 0, 0, HI22, 0 },
		  "its address is computed" },
		{ { 0x81c06000, NOP },
		  { 0, 0, LO10, 0 },
		  "its address is computed" },
		{ { 0xc25de000, NOP },
		  { 0, 0, GOT13, 0 },
		  "load of its address from the GOT" },
		{ { 0, 0 }, { 0, 0, 32, 0 }, "no direct branch" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct site_shape shape;
		struct refusal refusal;
		uint8_t text[8];
		bool found;

		put(text, rows[i].words, 2);
		found = arch->scan->find_site(arch, text, 8, RELOC(rows[i].r),
					      &shape);
		CHECK(found == (rows[i].what == NULL));
		if (found) {
			CHECK(shape.back == 0 && shape.length == 4);
			continue;
		}
		refusal = scan_explain_refusal(arch, text, 8, RELOC(rows[i].r));
		CHECK_STR(refusal.what, rows[i].what);
		CHECK(rows[i].r.offset + refusal.length <= 8);
	}
}

static void test_disabled(void)
{
	static const struct {
		const char *what;
		uint32_t before, delay; /* the call is between them */
		enum site_form form;
		bool is_enabled;
		uint32_t expected; /* 0: it stays */
	} rows[] = {
		{ "nop", NOP, NOP, FORM_CALL, false, NOP },
		{ "nop; mov %i0,%o0", NOP, 0x90100018, FORM_CALL, false, NOP },
		{ "clr %o0; nop", NOP, NOP, FORM_CALL, true, 0x90100000 },
		{ "clr %o0; mov 7,%i0", NOP, 0xb0102007, FORM_CALL, true,
		  0x90100000 },
		{ "mov %i0,%o0 would win", NOP, 0x90100018, FORM_CALL, true,
		  0 },
		{ "stx %o0,[%i0] would see it", NOP, 0xd0760000, FORM_CALL,
		  true, 0 },
		{ "ldx [%o0],%i0 would see it", NOP, 0xf05a0000, FORM_CALL,
		  true, 0 },
		{ "add %i0,%o0,%i0 would see it", NOP, 0xb0060008, FORM_CALL,
		  true, 0 },
		{ "add %i0,8,%i0 would not", NOP, 0xb0062008, FORM_CALL, true,
		  0x90100000 },
		{ "ret; restore", NOP, 0x81e80000, FORM_TAIL, false,
		  0x81c7e008 },
		{ "mov %o7,%g1; jmp %g1+8; mov %g1,%o7", 0x8213c000, 0x9e104000,
		  FORM_TAIL, false, 0x81c06008 },
		{ "the same as clang writes it", 0x8210000f, 0x9e100001,
		  FORM_TAIL, false, 0x81c06008 },
		{ "jmp %g1+8; mov %g1,%o7", NOP, 0x9e104000, FORM_TAIL, false,
		  0x81c06008 },
		{ "mov %o7,%g2; jmp %g1+8; mov %g1,%o7", 0x8413c000, 0x9e104000,
		  FORM_TAIL, false, 0x81c06008 },
		{ "no tail call", NOP, NOP, FORM_TAIL, false, 0 },
		{ "no plain call", NOP, 0x81e80000, FORM_CALL, false, 0 },
		{ "is-enabled tail call", NOP, 0x81e80000, FORM_TAIL, true, 0 },
		{ "no such thing", NOP, NOP, FORM_COND, false, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t words[] = { rows[i].before, 0x40000000,
				     rows[i].delay };
		uint8_t text[12], bytes[DISABLED_MAX], expected[4];
		struct code code = { text, 12, 0 };
		unsigned n;

		put(text, words, 3);
		put(expected, &rows[i].expected, 1);
		n = arch->disable(arch, rows[i].form, rows[i].is_enabled, &code,
				  4, bytes);
		if (!CHECK(n == (rows[i].expected ? 4 : 0)) ||
		    !CHECK(n == 0 || memcmp(bytes, expected, 4) == 0))
			printf("\t%s\n", rows[i].what);
	}
}

static void test_stub(void)
{
	/* sethi %hi(0x12345400),%g1; or %g1,0x278,%g1; retl; nop */
	static const uint32_t words[] = { 0x03048d15, 0x82106278, 0x81c3e008,
					  NOP };
	uint8_t bytes[ARCH_STUB_MAX], expected[16];

	put(expected, words, 4);
	CHECK(arch->make_stub(arch, 0, false, 0x12345678, bytes) == 16);
	CHECK(memcmp(bytes, expected, 16) == 0);
	CHECK(arch->make_stub(arch, 0, true, 0x12345678, bytes) == 16);
	CHECK(memcmp(bytes + 12, "\x90\x10\0\0", 4) == 0);
}

static void test_rewrites(void)
{
	static const struct {
		const char *what;
		uint32_t type;
		uint32_t before[3], after[3]; /* the relocation is at 4 */
		unsigned length;	      /* 0: unknown */
	} rows[] = {
		{ "call to ba,pt %xcc",
		  WDISP30,
		  { NOP, 0x40000000, 0x81e80000 },
		  { NOP, 0x10680123, 0x81e80000 },
		  4 },
		{ "call to ba",
		  WPLT30,
		  { NOP, 0x40000000, 0x81e80000 },
		  { NOP, 0x10a00123, 0x81e80000 },
		  4 },
		{ "call to ba, and mov to nop",
		  WDISP30,
		  { 0x8213c000, 0x40000000, 0x9e104000 },
		  { 0x8213c000, 0x10680123, NOP },
		  8 },
		{ "call to ba, and mov stays",
		  WDISP30,
		  { 0x8210000f, 0x40000000, 0x9e100001 },
		  { 0x8210000f, 0x10680123, 0x9e100001 },
		  4 },
		{ "... another register",
		  WDISP30,
		  { 0x8413c000, 0x40000000, 0x9e104000 },
		  { 0x8413c000, 0x10680123, NOP },
		  4 },
		{ "call to ba,a,pt: annuls",
		  WDISP30,
		  { NOP, 0x40000000, 0x81e80000 },
		  { NOP, 0x30680123, 0x81e80000 },
		  0 },
		{ "call to be",
		  WDISP30,
		  { NOP, 0x40000000, 0x81e80000 },
		  { NOP, 0x02680123, 0x81e80000 },
		  0 },
		{ "plain call to ba",
		  WDISP30,
		  { NOP, 0x40000000, NOP },
		  { NOP, 0x10680123, NOP },
		  0 },
		{ "call to nop",
		  WDISP30,
		  { NOP, 0x40000000, 0x81e80000 },
		  { NOP, NOP, 0x81e80000 },
		  0 },
		{ "ldx to add",
		  GOTDATA_OP,
		  { NOP, 0xee5dc002, NOP },
		  { NOP, 0xae05c002, NOP },
		  4 },
		{ "... another register",
		  GOTDATA_OP,
		  { NOP, 0xee5dc002, NOP },
		  { NOP, 0xac05c002, NOP },
		  0 },
		{ "ldx to nop",
		  GOTDATA_OP,
		  { NOP, 0xc2588001, NOP },
		  { NOP, NOP, NOP },
		  4 },
		{ "... that loses a register",
		  GOTDATA_OP,
		  { NOP, 0xee5dc002, NOP },
		  { NOP, NOP, NOP },
		  0 },
		{ "add to xor",
		  GD_LO10,
		  { NOP, 0x82006000, NOP },
		  { NOP, 0x82187ffc, NOP },
		  4 },
		{ "add with a longer immediate",
		  GD_LO10,
		  { NOP, 0x90022000, NOP },
		  { NOP, 0x90023f5c, NOP },
		  4 },
		{ "... to another register",
		  GD_LO10,
		  { NOP, 0x90022000, NOP },
		  { NOP, 0x92023f5c, NOP },
		  0 },
		{ "add to %g7",
		  GD_ADD,
		  { NOP, 0x9005c001, NOP },
		  { NOP, 0x9001c001, NOP },
		  4 },
		{ "add to ldx",
		  GD_ADD,
		  { NOP, 0x9005c001, NOP },
		  { NOP, 0xd05dc001, NOP },
		  4 },
		{ "call to nop",
		  GD_CALL,
		  { NOP, 0x40000000, NOP },
		  { NOP, NOP, NOP },
		  4 },
		{ "call to add %g7,%o0,%o0",
		  GD_CALL,
		  { NOP, 0x40000000, 0x82100018 },
		  { NOP, 0x82100018, 0x9001c008 },
		  8 },
		{ "... and add to ldx",
		  GD_CALL,
		  { NOP, 0x40000000, 0x9005c001 },
		  { NOP, 0xd05dc001, 0x9001c008 },
		  8 },
		{ "... before what is in the delay slot",
		  GD_CALL,
		  { NOP, 0x40000000, 0x82100018 },
		  { NOP, 0x9001c008, 0x82100018 },
		  0 },
		{ "ld [%o0+%g2] to ld [%g7+%g2]",
		  LDO_ADD,
		  { NOP, 0xd0020002, NOP },
		  { NOP, 0xd001c002, NOP },
		  4 },
		{ "ld [%o0+%g2] to ld [%g7+%g3]",
		  LDO_ADD,
		  { NOP, 0xd0020002, NOP },
		  { NOP, 0xd001c003, NOP },
		  0 },
		{ "ld [%o0+8] to ld [%g7+8]",
		  LDO_ADD,
		  { NOP, 0xd0022008, NOP },
		  { NOP, 0xd001e008, NOP },
		  0 },
		{ "call to clr %o0",
		  LDM_CALL,
		  { NOP, 0x40000000, NOP },
		  { NOP, 0x90100000, NOP },
		  4 },
		{ "call to clr %o1",
		  LDM_CALL,
		  { NOP, 0x40000000, NOP },
		  { NOP, 0x92100000, NOP },
		  0 },
		{ "sethi to nop",
		  LDM_HI22,
		  { NOP, 0x03000000, NOP },
		  { NOP, NOP, NOP },
		  4 },
		{ "ldx to mov",
		  IE_LDX,
		  { NOP, 0xee5dc001, NOP },
		  { NOP, 0xae100001, NOP },
		  4 },
		{ "ldx to nop",
		  IE_LDX,
		  { NOP, 0xc2588001, NOP },
		  { NOP, NOP, NOP },
		  4 },
		{ "... that loses a register",
		  IE_LDX,
		  { NOP, 0xee5dc001, NOP },
		  { NOP, NOP, NOP },
		  0 },
		{ "no such relocation",
		  HI22,
		  { NOP, 0x03000000, NOP },
		  { NOP, NOP, NOP },
		  0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct reloc r = { .offset = 4, .type = rows[i].type };
		struct byte_range range;
		uint8_t before[12], after[12];
		bool is_known;

		put(before, rows[i].before, 3);
		put(after, rows[i].after, 3);
		is_known =
			arch->is_rewrite(arch, before, after, 12, &r, &range);
		if (!CHECK(is_known == (rows[i].length > 0)) ||
		    (is_known && !CHECK(range.start == 4 &&
					range.end == 4 + rows[i].length)))
			printf("\t%s\n", rows[i].what);
		CHECK(!arch->is_rewrite(arch, before, after, 7, &r, &range));
	}
}

static void note_offset(void *ctx, uint64_t offset, uint64_t target)
{
	(void)offset;
	(*(unsigned *)ctx)++;
	CHECK(target >= 0x1000 && target <= 0x3000 && target % 4 == 0);
}

static void test_operands(void)
{
	/* nop; rd %pc,%o7; nop: all that an add reaches from there */
	static const uint32_t words[] = { NOP, 0x9f414000, NOP };
	uint8_t bytes[12];
	const struct code code = { bytes, 12, 0x2000 };
	unsigned n = 0;

	put(bytes, words, 3);
	arch->each_operand(arch, &code, 0x1000, 0x1004, note_offset, &n);
	CHECK(n == 1);
	arch->each_operand(arch, &code, 0x3004, 0x3008, note_offset, &n);
	CHECK(n == 1);
	arch->each_operand(arch, &code, 0x2800, 0x2804, note_offset, &n);
	CHECK(n == 3);
}

static void test_plt(void)
{
	/* sethi %hi(0x20000),%g1; ba,a,pt %xcc,.-100; nop */
	static const uint32_t words[] = { 0x03000080, 0x306fffe7, NOP };
	uint8_t bytes[12];
	struct code code = { bytes, 12, 0x200180 };
	uint64_t slot;

	put(bytes, words, 3);
	CHECK(arch->decode_plt(arch, &code, 0, 0, &slot) && slot == 0x200180);
	CHECK(!arch->decode_plt(arch, &code, 1, 0, &slot));
	bytes[0] = 5; /* %g2 */
	CHECK(!arch->decode_plt(arch, &code, 0, 0, &slot));
	bytes[0] = 3;
	bytes[4] = 0x10; /* ba,pt without ,a */
	CHECK(!arch->decode_plt(arch, &code, 0, 0, &slot));
}

static void test_padding(void)
{
	/* ba,a,pt %xcc,.+16; three NOPs; what follows is aligned */
	static const uint32_t words[] = { 0x30680004, NOP, NOP, NOP, NOP };
	uint8_t bytes[20];
	struct code code = { bytes, 20, 0x1000 };

	put(bytes, words, 5);
	CHECK(arch->padding_end(arch, &code, 0, 16) == 16);
	CHECK(arch->padding_end(arch, &code, 0, 20) == 16);
	CHECK(arch->padding_end(arch, &code, 0, 12) == 0);
	CHECK(arch->padding_end(arch, &code, 4, 16) == 4);
	code.addr = 0x1008;
	CHECK(arch->padding_end(arch, &code, 0, 16) == 0);
	code.addr = 0x1000;
	bytes[0] = 0x10; /* without ,a */
	CHECK(arch->padding_end(arch, &code, 0, 16) == 0);
	bytes[0] = 0x30;
	bytes[8] = 0x81; /* something else for a NOP */
	CHECK(arch->padding_end(arch, &code, 0, 16) == 0);
}

/* Where a function ends that code cannot run out of. */
static void test_ends(void)
{
	static const struct {
		const char *what;
		uint32_t words[4];
		uint64_t end; /* or NO_END */
	} rows[] = {
		{ "retl; nop", { NOP, NOP, 0x81c3e008, NOP }, 16 },
		{ "ret; restore; nop",
		  { NOP, 0x81c7e008, 0x81e80000, NOP },
		  12 },
		{ "ba,a,pt; nop", { NOP, NOP, 0x30680004, NOP }, 16 },
		{ "ba; nop", { NOP, NOP, 0x10800004, NOP }, 16 },
		{ "bne; nop", { NOP, NOP, 0x12800004, NOP }, NO_END },
		{ "call; nop", { NOP, NOP, 0x40000004, NOP }, NO_END },
		{ "call; restore", { NOP, NOP, 0x40000004, 0x81e80000 }, 16 },
		{ "call; mov %g1,%o7",
		  { NOP, 0x8210000f, 0x40000004, 0x9e100001 },
		  16 },
		{ "jmpl %g1,%o7; nop", { NOP, NOP, 0x9fc04000, NOP }, NO_END },
		{ "return %i7+8; nop", { NOP, NOP, 0x81cfe008, NOP }, 16 },
		{ "bne; ba; nop",
		  { NOP, 0x12800004, 0x10800004, NOP },
		  NO_END },
		{ "retl in front of its slot",
		  { NOP, NOP, NOP, 0x81c3e008 },
		  NO_END },
		{ "nothing", { NOP, NOP, NOP, NOP }, NO_END },
	};
	uint8_t bytes[16];
	const struct code code = { bytes, 16, 0x1000 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put(bytes, rows[i].words, 4);
		if (!CHECK(arch->find_end(arch, &code, 0, 16) == rows[i].end))
			printf("\t%s\n", rows[i].what);
	}
}

int main(void)
{
	test_padding();
	test_decode();
	test_delays();
	test_sites();
	test_disabled();
	test_stub();
	test_rewrites();
	test_operands();
	test_ends();
	test_plt();
	return unit_status();
}
