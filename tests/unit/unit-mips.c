/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * MIPS on literal instructions; the assembly beside them is objdump's. Each is
 * tried in both byte orders.
 */
#include <config.h>

#include "arch/scan.h"
#include "arch/arch.h"
#include "elf/object.h"
#include "unit.h"

enum {
	R_26 = 4,
	HI16 = 5,
	LO16 = 6,
	GOT16 = 9,
	PC16 = 10,
	CALL16 = 11,
	JALR = 37,
	PC21_S2 = 60,
	PC26_S2 = 61,
	SUB = 24,
	PC32 = 248,
};

static const struct arch *const o32[] = { &arch_mips, &arch_mipsel };
static const struct arch *const n32[] = { &arch_mipsn32, &arch_mipsn32el };
static const struct arch *const n64[] = { &arch_mips64, &arch_mips64el };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Writes N instructions as ARCH has them in memory. */
static void put(const struct arch *arch, uint8_t *bytes, const uint32_t *insns,
		size_t n)
{
	for (size_t i = 0; i < 4 * n; i++) {
		unsigned shift = arch->is_big_endian ? 24 - i % 4 * 8
						     : i % 4 * 8;

		bytes[i] = insns[i / 4] >> shift;
	}
}

static uint32_t get(const struct arch *arch, const uint8_t *bytes)
{
	const struct object obj = { .is_big_endian = arch->is_big_endian };

	return object_word(&obj, bytes);
}

/* clang-format off */
static const struct {
	const char *assembly;
	uint32_t insn;
	int form; /* or -1: no branch */
	uint64_t addr, target;
} branches[] = {
	{ "jal 10000", 0x0c004000, FORM_CALL, 0x2000, 0x10000 },
	{ "j ffffffc", 0x0bffffff, FORM_TAIL, 0x2000, 0x0ffffffc },
	{ "jal, slot in its region", 0x0c000001, FORM_CALL, 0x0ffffff8, 4 },
	{ "jal, slot in the next region", 0x0c000001, FORM_CALL, 0x0ffffffc,
	  0x10000004 },
	{ "jal, last region", 0x0fffffff, FORM_CALL, 0xf0000000, 0xfffffffc },
	{ "bal .+4", 0x04110000, FORM_CALL, 0x10000, 0x10004 },
	{ "bal .+4-0x20000", 0x04118000, FORM_CALL, 0x30000, 0x10004 },
	{ "b .+0x20000", 0x10007fff, FORM_TAIL, 0x10000, 0x30000 },
	{ "bc .+4-0x8000000", 0xca000000, FORM_TAIL, 0x9000000, 0x1000004 },
	{ "balc .+0x8000000", 0xe9ffffff, FORM_CALL, 0x10000, 0x8010000 },
	{ "beq a0,a1,.+8", 0x10850001, FORM_COND, 0x10000, 0x10008 },
	{ "bnez a0,.-4", 0x1480fffe, FORM_COND, 0x10000, 0xfffc },
	{ "blez a0,.+8", 0x18800001, FORM_COND, 0x10000, 0x10008 },
	{ "bgtz a0,.+8", 0x1c800001, FORM_COND, 0x10000, 0x10008 },
	{ "bltz a0,.+8", 0x04800001, FORM_COND, 0x10000, 0x10008 },
	{ "bgez a0,.+8", 0x04810001, FORM_COND, 0x10000, 0x10008 },
	{ "bltzal a0,.+8", 0x04900001, FORM_COND, 0x10000, 0x10008 },
	{ "bgezal a0,.+8", 0x04910001, FORM_COND, 0x10000, 0x10008 },
	{ "bgezall a0,.+8", 0x04930001, FORM_COND, 0x10000, 0x10008 },
	{ "beql a0,a1,.+8", 0x50850001, FORM_COND, 0x10000, 0x10008 },
	{ "bnel a0,a1,.+8", 0x54850001, FORM_COND, 0x10000, 0x10008 },
	{ "blezl a0,.+8", 0x58800001, FORM_COND, 0x10000, 0x10008 },
	{ "bgtzl a0,.+8", 0x5c800001, FORM_COND, 0x10000, 0x10008 },
	{ "bc1t .+8", 0x45010001, FORM_COND, 0x10000, 0x10008 },
	{ "bc1fl $fcc1,.+8", 0x45060001, FORM_COND, 0x10000, 0x10008 },
	{ "bc2f .+8", 0x49000001, FORM_COND, 0x10000, 0x10008 },
	{ "bc3f .+8", 0x4d000001, FORM_COND, 0x10000, 0x10008 },
	{ "bc3tl .+8", 0x4d030001, FORM_COND, 0x10000, 0x10008 },
	{ "lwxc1 $f0,a0(t0)", 0x4d040000, -1, 0x10000, 0 },
	{ "bposge32c .+8", 0x04180001, FORM_COND, 0x10000, 0x10008 },
	{ "beqzc a0,.+8", 0xd8800001, FORM_COND, 0x10000, 0x10008 },
	{ "beqzc a0,.+4-0x400000", 0xd8900000, FORM_COND, 0x500000,
	  0x100004 },
	{ "bnezc a0,.+8", 0xf8800001, FORM_COND, 0x10000, 0x10008 },
	{ "beqc a0,a1,.+8", 0x20850001, FORM_COND, 0x10000, 0x10008 },
	{ "bnezalc a0,.+8", 0x60040001, FORM_COND, 0x10000, 0x10008 },
	{ "blezalc a0,.+8", 0x18040001, FORM_COND, 0x10000, 0x10008 },
	{ "bc1eqz $f2,.+8", 0x45220001, FORM_COND, 0x10000, 0x10008 },
	{ "bc1nez $f2,.+8", 0x45a20001, FORM_COND, 0x10000, 0x10008 },
	{ "bz.v $w1,.+8", 0x45610001, FORM_COND, 0x10000, 0x10008 },
	{ "bnz.b $w1,.+8", 0x47810001, FORM_COND, 0x10000, 0x10008 },
	{ "jr ra", 0x03e00008, -1, 0x10000, 0 },
	{ "jalr t9", 0x0320f809, -1, 0x10000, 0 },
	{ "jrc ra", 0xd81f0000, -1, 0x10000, 0 },
	{ "jialc a0,8", 0xf8040008, -1, 0x10000, 0 },
	{ "synci 0(a0)", 0x049f0000, -1, 0x10000, 0 },
	{ "tgei a0,1", 0x04880001, -1, 0x10000, 0 },
	{ "mfc1 a0,$f2", 0x44041000, -1, 0x10000, 0 },
	{ "lw ra,4(sp)", 0x8fbf0004, -1, 0x10000, 0 },
	{ "nop", 0x00000000, -1, 0x10000, 0 },
};
/* clang-format on */

static void test_decode(const struct arch *arch)
{
	for (size_t i = 0; i < COUNT(branches); i++) {
		uint8_t bytes[4];
		struct code code = { bytes, 4, branches[i].addr };
		struct branch branch;
		bool found;

		put(arch, bytes, &branches[i].insn, 1);
		found = arch->decode_branch(arch, &code, 0, &branch);
		if (!CHECK(found == (branches[i].form >= 0)) ||
		    (found &&
		     !(CHECK((int)branch.form == branches[i].form) &&
		       CHECK(branch.length == 4) && CHECK(branch.field == 0) &&
		       CHECK(branch.target == branches[i].target))))
			printf("\t%s: 0x%llx\n", branches[i].assembly,
			       (unsigned long long)branch.target);
		code.size = 3;
		CHECK(!arch->decode_branch(arch, &code, 0, &branch));
	}
}

/* The region is that of the address in 64 bits. */
static void test_wide(void)
{
	static const uint32_t jal = 0x0c000001;

	for (size_t i = 0; i < 2; i++) {
		uint8_t bytes[4];
		struct code code = { bytes, 4, 0xffffffff80100000 };
		struct branch branch;

		put(n64[i], bytes, &jal, 1);
		CHECK(n64[i]->decode_branch(n64[i], &code, 0, &branch) &&
		      branch.target == 0xffffffff80000004);
		put(o32[i], bytes, &jal, 1);
		code.addr = 0x80100000;
		CHECK(o32[i]->decode_branch(o32[i], &code, 0, &branch) &&
		      branch.target == 0x80000004);
	}
}

static void count(void *ctx, uint64_t offset, const struct branch *branch)
{
	(void)branch;
	*(uint64_t *)ctx += offset + 1;
}

static void test_each(const struct arch *arch)
{
	static const uint32_t insns[] = { 0, 0x0c004000, 0x0c004001, 0 };
	uint8_t bytes[16];
	const struct code code = { bytes, 16, 0x2000 };
	uint64_t sum = 0;

	put(arch, bytes, insns, 4);
	arch->each_branch(arch, &code, 0x10000, 0x10000, count, &sum);
	CHECK(sum == 4 + 1);
	arch->each_branch(arch, &code, 0x10000, 0x10004, count, &sum);
	CHECK(sum == 5 + 5 + 9);
	CHECK(arch->is_boundary(arch, &code, 0, 8));
	CHECK(!arch->is_boundary(arch, &code, 0, 6));
}

static void test_sites(const struct arch *arch)
{
	/* In RELA the addend is in the relocation, else in the field. */
	const struct {
		uint32_t insn;
		struct reloc_row r;
		int form;
	} rows[] = {
		{ 0x0c000000, { 0, 0, R_26, 0 }, FORM_CALL },
		{ 0x08000000, { 0, 0, R_26, 0 }, FORM_TAIL },
		{ arch->uses_rela ? 0xe8000000 : 0xebffffff,
		  { 0, arch->uses_rela ? -4 : 0, PC26_S2, 0 },
		  FORM_CALL },
		{ arch->uses_rela ? 0xc8000000 : 0xcbffffff,
		  { 0, arch->uses_rela ? -4 : 0, PC26_S2, 0 },
		  FORM_TAIL },
		/* A call of its inside. */
		{ arch->uses_rela ? 0x0c000000 : 0x0c000001,
		  { 0, arch->uses_rela ? 4 : 0, R_26, 0 },
		  -1 },
		{ 0xe8000000, { 0, 0, PC26_S2, 0 }, -1 },
		{ 0x0c000000, { 0, 4, R_26, 0 }, -1 },
		/* jalx, an instruction that the type does not fit, others. */
		{ 0x74000000, { 0, 0, R_26, 0 }, -1 },
		{ 0xe8000000, { 0, 0, R_26, 0 }, -1 },
		{ 0x0c000000, { 0, -4, PC26_S2, 0 }, -1 },
		{ 0x0c000000, { 2, 0, R_26, 0 }, -1 },
		{ 0x0411ffff, { 0, -4, PC16, 0 }, -1 },
		{ 0x8f990000, { 0, 0, CALL16, 0 }, -1 },
		{ 0x0320f809, { 0, 0, JALR, 0 }, -1 },
		{ 0x3c020000, { 0, 0, HI16, 0 }, -1 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct site_shape shape;
		uint8_t bytes[8] = { 0 };
		bool found;

		put(arch, bytes, &rows[i].insn, 1);
		found = arch->scan->find_site(arch, bytes, 8, RELOC(rows[i].r),
					      &shape);
		if (!CHECK(found == (rows[i].form >= 0)))
			printf("\trow %zu\n", i);
		if (found)
			CHECK((int)shape.form == rows[i].form &&
			      shape.back == 0 && shape.length == 4);
	}
}

static void test_refusals(void)
{
	static const struct {
		uint32_t type;
		const char *what, *option;
	} rows[] = {
		{ CALL16, "load of its address from the GOT", "-fno-pic" },
		{ GOT16, "load of its address from the GOT", "-mno-abicalls" },
		{ JALR, "call by register", "-mno-abicalls -fno-pic" },
		{ HI16, "its address is computed", "-mno-long-calls" },
		{ LO16, "its address is computed", "-mno-long-calls" },
		{ PC16, "branch of short reach", "jal" },
		{ PC21_S2, "branch of short reach", "jal" },
		{ R_26, "no direct branch", "directly" },
	};
	static const uint8_t bytes[4];

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct reloc r = { .type = rows[i].type };
		struct refusal refusal;

		refusal = scan_explain_refusal(&arch_mips, bytes, 4, &r);
		CHECK(strcmp(refusal.what, rows[i].what) == 0);
		CHECK(strstr(refusal.remedy, rows[i].option) != NULL);
		CHECK(refusal.length == 4 && refusal.back == 0);
	}
}

static void test_flags(void)
{
	const char *remedy;

	CHECK(arch_mips.refuse_flags(0x70001001, &remedy) == NULL);
	CHECK(strcmp(arch_mips.refuse_flags(0x72001001, &remedy),
		     "microMIPS code") == 0);
	CHECK(strcmp(arch_mips.refuse_flags(0x74001001, &remedy),
		     "MIPS16 code") == 0);
	CHECK(arch_find(8, false, true, 0x70001001) == &arch_mips);
	CHECK(arch_find(8, false, false, 0x70001001) == &arch_mipsel);
	CHECK(arch_find(8, false, true, 0x80000021) == &arch_mipsn32);
	CHECK(arch_find(8, false, false, 0x80000021) == &arch_mipsn32el);
	CHECK(arch_find(8, true, true, 0x80000001) == &arch_mips64);
	CHECK(arch_find(8, true, false, 0x80000001) == &arch_mips64el);
}

/* The delay slot runs on: it must not care for what the instruction sets. */
static const struct {
	const char *assembly;
	enum site_form form;
	bool is_enabled;
	uint32_t insn, slot;
	uint32_t disabled; /* or 1: it stays */
} disabled[] = {
	{ "jal; move v0,a0", FORM_CALL, false, 0x0c000000, 0x00801025, 0 },
	{ "balc; move v0,a0", FORM_CALL, false, 0xebffffff, 0x00801025, 0x25 },
	{ "move zero,zero", FORM_CALL, false, 0x25, 0x00801025, 0x25 },
	{ "nop", FORM_CALL, false, 0, 0x00801025, 0 },
	{ "jal; nop", FORM_CALL, true, 0x0c000000, 0, 0x00001025 },
	{ "jal; move s0,a0", FORM_CALL, true, 0x0c000000, 0x00808025,
	  0x00001025 },
	{ "jal; move v0,a0", FORM_CALL, true, 0x0c000000, 0x00801025, 1 },
	{ "jal; move a0,v0", FORM_CALL, true, 0x0c000000, 0x00402025, 1 },
	{ "jal; sw v0,0(s0)", FORM_CALL, true, 0x0c000000, 0xae020000, 1 },
	{ "jal; lw a0,0(v0)", FORM_CALL, true, 0x0c000000, 0x8c440000, 1 },
	{ "jal; addiu a0,a1,0x1000", FORM_CALL, true, 0x0c000000, 0x24a41000,
	  0x00001025 },
	{ "jal; gslq, v0 in its low bits", FORM_CALL, true, 0x0c000000,
	  0xc8850022, 1 },
	{ "balc; move v0,a0", FORM_CALL, true, 0xebffffff, 0x00801025,
	  0x00001021 },
	{ "addu v0,zero,zero; move v0,a0", FORM_CALL, true, 0x00001021,
	  0x00801025, 0x00001021 },
	{ "move v0,zero; move v0,a0", FORM_CALL, true, 0x00001025, 0x00801025,
	  0x00001025 },
	{ "j; addiu sp,sp,24", FORM_TAIL, false, 0x08000000, 0x27bd0018,
	  0x03e00009 },
	{ "j; lw ra,4(sp)", FORM_TAIL, false, 0x08000000, 0x8fbf0004, 1 },
	{ "j; move ra,t9", FORM_TAIL, false, 0x08000000, 0x0320f825, 1 },
	{ "bc; lw ra,4(sp)", FORM_TAIL, false, 0xcbffffff, 0x8fbf0004,
	  0xd81f0000 },
	{ "jalr zero,ra; nop", FORM_TAIL, false, 0x03e00009, 0, 0x03e00009 },
	{ "jrc ra", FORM_TAIL, false, 0xd81f0000, 0, 0xd81f0000 },
	{ "j; nop", FORM_TAIL, true, 0x08000000, 0, 1 },
	{ "beqz", FORM_COND, false, 0x10800001, 0, 1 },
};

static void test_disabled(const struct arch *arch)
{
	for (size_t i = 0; i < COUNT(disabled); i++) {
		const uint32_t insns[] = { disabled[i].insn, disabled[i].slot };
		uint8_t before[8], after[DISABLED_MAX];
		const struct code code = { before, 8, 0x10000 };
		unsigned n;

		put(arch, before, insns, 2);
		n = arch->disable(arch, disabled[i].form,
				  disabled[i].is_enabled, &code, 0, after);
		if (!CHECK(n == (disabled[i].disabled == 1 ? 0 : 4)) ||
		    (n > 0 && !CHECK(get(arch, after) == disabled[i].disabled)))
			printf("\t%s\n", disabled[i].assembly);
	}
}

/* What lies outside the bits that the linker sets stays. */
static void test_masks(void)
{
	CHECK(arch_reloc_bits(&arch_mips, R_26, 0) == 0x03);
	CHECK(arch_reloc_bits(&arch_mips, R_26, 3) == 0xff);
	CHECK(arch_reloc_bits(&arch_mipsel, R_26, 0) == 0xff);
	CHECK(arch_reloc_bits(&arch_mipsel, R_26, 3) == 0x03);
	CHECK(arch_reloc_bits(&arch_mips, HI16, 1) == 0);
	CHECK(arch_reloc_bits(&arch_mips, HI16, 2) == 0xff);
	CHECK(arch_reloc_bits(&arch_mipsel, HI16, 1) == 0xff);
	CHECK(arch_reloc_bits(&arch_mipsel, HI16, 2) == 0);
	CHECK(arch_reloc_bits(&arch_mips, PC32, 0) == 0xff);
	CHECK(arch_reloc_width(&arch_mips, JALR) == 0);
	/* Of three at one instruction, it is the second. */
	CHECK(arch_reloc_width(&arch_mipsn32, SUB) == 4);
	CHECK(arch_reloc_bits(&arch_mipsn32, SUB, 1) == 0);
	CHECK(arch_reloc_bits(&arch_mipsn32, SUB, 2) == 0xff);
}

static void test_rewrites(const struct arch *arch)
{
	static const struct {
		uint32_t type, before, after;
		bool is_known;
	} rows[] = {
		{ JALR, 0x0320f809, 0x04110123, true },	 /* bal */
		{ JALR, 0x03200008, 0x10000123, true },	 /* b */
		{ JALR, 0x03200009, 0x10000123, true },	 /* release 6's jr */
		{ R_26, 0x0c000000, 0x04110123, true },	 /* RM9000 */
		{ JALR, 0x0320f809, 0x10000123, false }, /* a call, now not */
		{ JALR, 0x03200008, 0x04110123, false },
		{ JALR, 0x0320f809, 0x04910123, false }, /* bgezal a0 */
		{ JALR, 0x0040f809, 0x04110123, false }, /* jalr v0 */
		{ R_26, 0x08000000, 0x04110123, false },
		{ R_26, 0x0c000000, 0x74000123, false }, /* jalx */
		{ LO16, 0x0320f809, 0x04110123, false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct reloc r = { .offset = 4, .type = rows[i].type };
		uint8_t before[8] = { 0 }, after[8] = { 0 };
		struct byte_range range;
		bool is_known;

		put(arch, before + 4, &rows[i].before, 1);
		put(arch, after + 4, &rows[i].after, 1);
		is_known = arch->is_rewrite(arch, before, after, 8, &r, &range);
		CHECK(is_known == rows[i].is_known);
		if (is_known)
			CHECK(range.start == 4 && range.end == 8);
		CHECK(!arch->is_rewrite(arch, before, after, 7, &r, &range));
	}
}

/* What sets t9 for position-independent code, at 0x400100. */
static void test_veneers(const struct arch *arch)
{
	static const struct {
		uint32_t insns[4];
		unsigned length;
		uint64_t target;
	} rows[] = {
		/* lui t9,0x40; j 400554; addiu t9,t9,0x554; nop */
		{ { 0x3c190040, 0x08100155, 0x27390554, 0 }, 12, 0x400554 },
		/* lui t9,0x41; j 408000; addiu t9,t9,-32768; nop */
		{ { 0x3c190041, 0x08102000, 0x27398000, 0 }, 12, 0x408000 },
		/* lui t9,0x40; addiu t9,t9,0x108, before the function */
		{ { 0x3c190040, 0x27390108, 0x3c1c0002, 0 }, 8, 0x400108 },
		/* t9 is not where it goes */
		{ { 0x3c190040, 0x08100155, 0x27390558, 0 }, 0, 0 },
		{ { 0x3c190040, 0x2739010c, 0x3c1c0002, 0 }, 0, 0 },
		/* another register; a call; something else in the slot */
		{ { 0x3c180040, 0x08100155, 0x27390554, 0 }, 0, 0 },
		{ { 0x3c190040, 0x0c100155, 0x27390554, 0 }, 0, 0 },
		{ { 0x3c190040, 0x08100155, 0x27180554, 0 }, 0, 0 },
		{ { 0x3c190040, 0x08100155, 0, 0 }, 0, 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		uint8_t bytes[16];
		struct code code = { bytes, 16, 0x400100 };
		uint64_t target = 0;

		put(arch, bytes, rows[i].insns, 4);
		CHECK(arch->decode_veneer(arch, &code, 0, 0, &target) ==
		      rows[i].length);
		if (rows[i].length > 0)
			CHECK(target == rows[i].target);
		code.size = 11;
		CHECK(arch->decode_veneer(arch, &code, 0, 0, &target) == 0);
	}
}

static void test_stub(const struct arch *arch)
{
	uint8_t bytes[ARCH_STUB_MAX];

	CHECK(arch->make_stub(arch, 0, false, 0x12345678, bytes) == 16);
	CHECK(get(arch, bytes) == 0x3c005678);	   /* lui zero,0x5678 */
	CHECK(get(arch, bytes + 4) == 0x3c001234); /* lui zero,0x1234 */
	CHECK(get(arch, bytes + 8) == 0x03e00009); /* jalr zero,ra */
	CHECK(get(arch, bytes + 12) == 0);	   /* nop */
	CHECK(arch->make_stub(arch, 0, true, 0x12345678, bytes) == 16);
	CHECK(get(arch, bytes + 12) == 0x00001025); /* move v0,zero */
}

int main(void)
{
	for (size_t i = 0; i < 2; i++) {
		const struct arch *all[] = { o32[i], n32[i], n64[i] };

		for (size_t k = 0; k < 3; k++) {
			test_decode(all[k]);
			test_each(all[k]);
			test_sites(all[k]);
			test_disabled(all[k]);
			test_rewrites(all[k]);
			test_veneers(all[k]);
			test_stub(all[k]);
		}
	}
	test_wide();
	test_refusals();
	test_flags();
	test_masks();
	return unit_status();
}
