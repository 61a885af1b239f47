/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ARM and Thumb, each in both byte orders: instructions as objdump prints
 * them, with its assembly beside them.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "arch/scan.h"
#include "arch/arch.h"
#include "elf/object.h"
#include "unit.h"

enum { ARM = 0, THUMB = 1 };
enum { NARROW = 0x10000 }; /* with a mode: one halfword */
enum {
	PC24 = 1,
	ABS32 = 2,
	THM_CALL = 10,
	PLT32 = 27,
	CALL = 28,
	JUMP24 = 29,
	THM_JUMP24 = 30,
	V4BX = 40,
	TLS_CALL = 91,
	THM_TLS_CALL = 93,
	MOVW = 43,
	THM_MOVW = 47,
	THM_JUMP19 = 51,
	THM_ADR = 53,
	ALU_PC_G0 = 58,
	GOT_PREL = 96,
	THM_JUMP11 = 102,
};

#define ADDR 0x10000
#define WHOLE(array) (sizeof(array) / sizeof((array)[0]))

static const struct arch *const twins[] = { &arch_arm, &arch_armeb };
static const struct mark in_arm = { 0, ARM }, in_thumb = { 0, THUMB };

static void put_half(const struct arch *arch, uint8_t *to, unsigned half)
{
	to[arch->is_big_endian ? 1 : 0] = half & 0xff;
	to[arch->is_big_endian ? 0 : 1] = half >> 8;
}

/* The memory of one instruction, or of an aligned word of data. */
static unsigned put(const struct arch *arch, uint8_t *to, unsigned mode,
		    uint32_t insn)
{
	if (mode == (THUMB | NARROW)) {
		put_half(arch, to, insn);
		return 2;
	}
	if (mode == THUMB) {
		put_half(arch, to, insn >> 16);
		put_half(arch, to + 2, insn & 0xffff);
	} else {
		put_half(arch, to + (arch->is_big_endian ? 0 : 2), insn >> 16);
		put_half(arch, to + (arch->is_big_endian ? 2 : 0),
			 insn & 0xffff);
	}
	return 4;
}

static struct code make_code(const uint8_t *bytes, size_t size, unsigned mode)
{
	return (struct code){ bytes, size, ADDR,
			      mode & THUMB ? &in_thumb : &in_arm, 1 };
}

static const struct {
	const char *assembly; /* at ADDR */
	unsigned mode;
	uint32_t insn;
	int form; /* or -1: no branch */
	uint32_t target;
	uint8_t target_mode;
} branches[] = {
	{ "bl .+8", ARM, 0xeb000000, FORM_CALL, 0x10008, ARM },
	{ "bl .+0x2000004", ARM, 0xeb7fffff, FORM_CALL, 0x2010004, ARM },
	{ "bl .-0x1fffff8", ARM, 0xeb800000, FORM_CALL, 0xfe010008, ARM },
	{ "blne .+0x100", ARM, 0x1b00003e, FORM_CALL, 0x10100, ARM },
	{ "b .-8", ARM, 0xeafffffc, FORM_TAIL, 0xfff8, ARM },
	{ "bne .+8", ARM, 0x1a000000, FORM_COND, 0x10008, ARM },
	{ "blx .+0x100", ARM, 0xfa00003e, FORM_CALL, 0x10100, THUMB },
	{ "blx .+0x102", ARM, 0xfb00003e, FORM_CALL, 0x10102, THUMB },
	{ "bx lr", ARM, 0xe12fff1e, -1, 0, 0 },
	{ "blx r3", ARM, 0xe12fff33, -1, 0, 0 },
	{ "ldr r0,[r1]", ARM, 0xe5910000, -1, 0, 0 },
	{ "cdp2", ARM, 0xfe000000, -1, 0, 0 },
	{ "bl .", THUMB, 0xf7fffffe, FORM_CALL, 0x10000, THUMB },
	{ "bl .+4", THUMB, 0xf000f800, FORM_CALL, 0x10004, THUMB },
	{ "bl .+0xfffffe", THUMB, 0xf3ffd7fd, FORM_CALL, 0x100fffe, THUMB },
	{ "bl .-0xfffffc", THUMB, 0xf400d000, FORM_CALL, 0xff010004, THUMB },
	{ "blx .+0x104", THUMB, 0xf000e880, FORM_CALL, 0x10104, ARM },
	{ "blx to half a word", THUMB, 0xf000e881, -1, 0, 0 },
	{ "b.w .+0xfffffe", THUMB, 0xf3ff97fd, FORM_TAIL, 0x100fffe, THUMB },
	{ "b.w .+4", THUMB, 0xf000b800, FORM_TAIL, 0x10004, THUMB },
	{ "bne.w .+0xffffe", THUMB, 0xf07faffd, FORM_COND, 0x10fffe, THUMB },
	{ "bne.w .-0xffffc", THUMB, 0xf4408000, FORM_COND, 0xfff10004, THUMB },
	{ "ble.w .+4", THUMB, 0xf3408000, FORM_COND, 0x10004, THUMB },
	{ "nop.w", THUMB, 0xf3af8000, -1, 0, 0 },
	{ "dmb sy", THUMB, 0xf3bf8f5f, -1, 0, 0 },
	{ "movw r0,#0", THUMB, 0xf2400000, -1, 0, 0 },
	{ "bx lr; nop", THUMB, 0x477046c0, -1, 0, 0 },
};

static void test_decode(const struct arch *arch)
{
	for (size_t i = 0; i < WHOLE(branches); i++) {
		uint8_t bytes[4];
		struct code code =
			make_code(bytes, sizeof(bytes), branches[i].mode);
		struct branch b;
		bool found;

		put(arch, bytes, branches[i].mode, branches[i].insn);
		found = arch->decode_branch(arch, &code, 0, &b);
		if (!CHECK(found == (branches[i].form >= 0)) ||
		    (found &&
		     !(CHECK((int)b.form == branches[i].form) &&
		       CHECK(b.length == 4) && CHECK(b.field == 0) &&
		       CHECK(b.mode == branches[i].mode) &&
		       CHECK(b.target == branches[i].target) &&
		       CHECK(b.target_mode == branches[i].target_mode))))
			printf("\t%s: 0x%llx\n", branches[i].assembly,
			       (unsigned long long)b.target);
		code.size = 3;
		CHECK(!arch->decode_branch(arch, &code, 0, &b));
	}
}

/* blx counts from the word it is in, even if it begins in its middle. */
static void test_half_word(const struct arch *arch)
{
	uint8_t bytes[8] = { 0 };
	struct code code = make_code(bytes, sizeof(bytes), THUMB);
	struct branch b;

	put(arch, bytes + 2, THUMB, 0xf000e880);
	CHECK(arch->decode_branch(arch, &code, 2, &b) && b.target == 0x10104);
	code.marks = &in_arm; /* no instruction of ARM begins there */
	CHECK(!arch->decode_branch(arch, &code, 2, &b));
}

static void count(void *ctx, uint64_t offset, const struct branch *branch)
{
	unsigned *seen = ctx;

	(void)offset;
	seen[branch->mode]++;
}

/* Without marks, both are tried; what could be both is neither's. */
static void test_unknown(const struct arch *arch)
{
	static const struct mark data = { 0, MODE_DATA };
	uint8_t bytes[4];
	struct code code = { bytes, 4, ADDR, NULL, 0 };
	struct branch b;
	unsigned seen[2];

	put(arch, bytes, ARM, 0xebfffffe);
	CHECK(arch->decode_branch(arch, &code, 0, &b) && b.mode == ARM);
	put(arch, bytes, THUMB, 0xf7fffffe);
	CHECK(arch->decode_branch(arch, &code, 0, &b) && b.mode == THUMB);

	/* ARM's bl .-0x3c3ff8 in one order, Thumb's blx in both */
	put(arch, bytes, THUMB, 0xf000eb00);
	memset(seen, 0, sizeof(seen));
	arch->each_branch(arch, &code, 0, UINT32_MAX, count, seen);
	CHECK(seen[THUMB] == 1);
	CHECK(arch->decode_branch(arch, &code, 0, &b) == (seen[ARM] == 0));
	CHECK(seen[ARM] == !arch->is_big_endian);
	code.marks = &data;
	code.nmarks = 1;
	memset(seen, 0, sizeof(seen));
	arch->each_branch(arch, &code, 0, UINT32_MAX, count, seen);
	CHECK(seen[THUMB] == 1 && seen[ARM] == !arch->is_big_endian);
	code.marks = &in_arm;
	memset(seen, 0, sizeof(seen));
	arch->each_branch(arch, &code, 0, UINT32_MAX, count, seen);
	CHECK(seen[THUMB] == 0);
}

static const struct {
	const char *assembly;
	uint32_t insn;
	int64_t distance; /* or 0: no branch */
} shorts[] = {
	{ "b.n .-2044", 0xe400, -2044 },    { "b.n .+2046", 0xe3fd, 2046 },
	{ "bne.n .+254", 0xd17d, 254 },	    { "bne.n .-252", 0xd180, -252 },
	{ "cbz r1,.+130", 0xb3f9, 130 },    { "cbnz r1,.+4", 0xb901, 4 },
	{ "udf: no condition", 0xde00, 0 }, { "svc", 0xdf00, 0 },
	{ "push {r0}", 0xb401, 0 },	    { "it ne", 0xbf18, 0 },
};

static void keep(void *ctx, uint64_t offset, const struct branch *branch)
{
	(void)offset;
	*(struct branch *)ctx = *branch;
}

static void test_short(const struct arch *arch)
{
	for (size_t i = 0; i < WHOLE(shorts); i++) {
		uint8_t bytes[2];
		struct code code = make_code(bytes, 2, THUMB);
		struct branch b = { .length = 0 };

		put(arch, bytes, THUMB | NARROW, shorts[i].insn);
		arch->each_branch(arch, &code, 0, UINT32_MAX, keep, &b);
		if (!CHECK(b.length == (shorts[i].distance ? 2u : 0u)) ||
		    (b.length > 0 &&
		     !CHECK(b.target == (uint32_t)(ADDR + shorts[i].distance))))
			printf("\t%s: 0x%llx\n", shorts[i].assembly,
			       (unsigned long long)b.target);
		CHECK(!arch->decode_branch(arch, &code, 0, &b));
	}
}

static const struct {
	const char *assembly;
	unsigned mode;
	uint32_t insn, type;
	int form; /* or -1: refused, because of */
	const char *what;
} sites[] = {
	{ "bl", ARM, 0xebfffffe, CALL, FORM_CALL, NULL },
	{ "bl", ARM, 0xebfffffe, PC24, FORM_CALL, NULL },
	{ "bl", ARM, 0xebfffffe, PLT32, FORM_CALL, NULL },
	{ "blne", ARM, 0x1bfffffe, JUMP24, FORM_CALL, NULL },
	{ "blx", ARM, 0xfafffffe, CALL, FORM_CALL, NULL },
	{ "b", ARM, 0xeafffffe, JUMP24, FORM_TAIL, NULL },
	{ "bne", ARM, 0x1afffffe, JUMP24, FORM_COND, NULL },
	{ "bl", THUMB, 0xf7fffffe, THM_CALL, FORM_CALL, NULL },
	{ "blx", THUMB, 0xf7ffeffe, THM_CALL, FORM_CALL, NULL },
	{ "b.w", THUMB, 0xf7ffbffe, THM_JUMP24, FORM_TAIL, NULL },
	{ "bne.w", THUMB, 0xf47faffe, THM_JUMP19, FORM_COND, NULL },
	{ "ble.w", THUMB, 0xf77faffe, THM_JUMP19, FORM_COND, NULL },
	{ "bl sym+4", ARM, 0xebffffff, CALL, -1, "branch to its inside" },
	{ "blx sym+2", ARM, 0xfbfffffe, CALL, -1, "branch to its inside" },
	{ "bl sym+4", THUMB, 0xf000f800, THM_CALL, -1, "branch to its inside" },
	{ "b.w sym+2", THUMB, 0xf7ffbfff, THM_JUMP24, -1,
	  "branch to its inside" },
	{ "bal.w", THUMB, 0xf7bfaffe, THM_JUMP19, -1, "branch to its inside" },
	{ ".word sym", ARM, 0, ABS32, -1, "its address is in a literal pool" },
	{ "movw r3,:lower16:sym", ARM, 0xe3003000, MOVW, -1,
	  "mov of its address" },
	{ "movw r3,:lower16:sym", THUMB, 0xf2400300, THM_MOVW, -1,
	  "mov of its address" },
	{ ".word sym(GOT_PREL)", ARM, 0, GOT_PREL, -1,
	  "load of its address from the GOT" },
	{ "b.n sym", THUMB | NARROW, 0xe7fe, THM_JUMP11, -1,
	  "branch of short reach" },
	{ "a type of data", ARM, 0xebfffffe, V4BX, -1, "no direct branch" },
};

static void test_sites(const struct arch *arch)
{
	for (size_t i = 0; i < WHOLE(sites); i++) {
		uint8_t text[4] = { 0 };
		struct reloc r = { .type = sites[i].type, .symndx = 1 };
		struct site_shape shape;
		struct refusal refusal;
		unsigned size = put(arch, text, sites[i].mode, sites[i].insn);
		bool found =
			arch->scan->find_site(arch, text, size, &r, &shape);

		if (!CHECK(found == (sites[i].form >= 0)))
			printf("\t%s\n", sites[i].assembly);
		if (found) {
			CHECK((int)shape.form == sites[i].form);
			CHECK(shape.back == 0 && shape.length == 4);
			CHECK(shape.mode == sites[i].mode);
		} else {
			refusal = scan_explain_refusal(arch, text, size, &r);
			CHECK_STR(refusal.what, sites[i].what);
			CHECK(refusal.length <= size);
		}
	}
}

/* The bits of a relocation are those of the instruction in memory. */
static void test_masks(const struct arch *arch)
{
	static const struct {
		uint32_t type;
		unsigned mode;
		uint32_t bits;
	} rows[] = {
		{ CALL, ARM, 0x00ffffff },
		{ MOVW, ARM, 0x000f0fff },
		{ THM_CALL, THUMB, 0x07ff2fff },
		{ THM_JUMP19, THUMB, 0x043f2fff },
		{ THM_MOVW, THUMB, 0x040f70ff },
		{ THM_JUMP11, THUMB | NARROW, 0x07ff },
	};

	for (size_t i = 0; i < WHOLE(rows); i++) {
		uint8_t bytes[4];
		unsigned n = put(arch, bytes, rows[i].mode, rows[i].bits);

		CHECK(arch_reloc_width(arch, rows[i].type) == n);
		for (unsigned k = 0; k < n; k++)
			CHECK(arch_reloc_bits(arch, rows[i].type, k) ==
			      bytes[k]);
	}
}

static const struct {
	const char *assembly; /* of what it becomes */
	unsigned mode;
	uint32_t insn;
	enum site_form form;
	bool is_enabled;
	uint32_t disabled; /* 0: it stays */
} disabled[] = {
	{ "mov r0,r0", ARM, 0xebfffffe, FORM_CALL, false, 0xe1a00000 },
	{ "movne r0,r0", ARM, 0x1bfffffe, FORM_CALL, false, 0x11a00000 },
	{ "mov r0,#0", ARM, 0xebfffffe, FORM_CALL, true, 0xe3a00000 },
	{ "mov r0,#0", ARM, 0xfafffffe, FORM_CALL, true, 0xe3a00000 },
	{ "movne r0,#0", ARM, 0x1bfffffe, FORM_CALL, true, 0x13a00000 },
	{ "bx lr", ARM, 0xeafffffe, FORM_TAIL, false, 0xe12fff1e },
	{ "bxne lr", ARM, 0x1afffffe, FORM_COND, false, 0x112fff1e },
	{ "a tail call", ARM, 0xeafffffe, FORM_TAIL, true, 0 },
	{ "b .+4; mov r8,r8", THUMB, 0xf7fffffe, FORM_CALL, false, 0xe00046c0 },
	{ "movs r0,#0; mov r8,r8", THUMB, 0xf7fffffe, FORM_CALL, true,
	  0x200046c0 },
	{ "bx lr; mov r8,r8", THUMB, 0xf7ffbffe, FORM_TAIL, false, 0x477046c0 },
	{ "it ne; bxne lr", THUMB, 0xf47faffe, FORM_COND, false, 0xbf184770 },
	{ "it le; bxle lr", THUMB, 0xf77faffe, FORM_COND, false, 0xbfd84770 },
	{ "a tail call", THUMB, 0xf7ffbffe, FORM_TAIL, true, 0 },
	{ "a jump", THUMB, 0xf47faffe, FORM_COND, true, 0 },
};

static void test_disabled(const struct arch *arch)
{
	for (size_t i = 0; i < WHOLE(disabled); i++) {
		uint8_t text[4], expected[4], is[DISABLED_MAX];
		struct code code = make_code(text, 4, disabled[i].mode);
		unsigned wanted = disabled[i].disabled != 0 ? 4 : 0;

		put(arch, text, disabled[i].mode, disabled[i].insn);
		put(arch, expected, disabled[i].mode, disabled[i].disabled);
		/* Then what is disabled already, then that without marks. */
		for (int k = 0; k < 3; k++) {
			if (!CHECK(arch->disable(arch, disabled[i].form,
						 disabled[i].is_enabled, &code,
						 0, is) == wanted) ||
			    (wanted && !CHECK(memcmp(is, expected, 4) == 0)))
				printf("\t%s (%d)\n", disabled[i].assembly, k);
			if (wanted)
				memcpy(text, expected, 4);
			code.nmarks = k == 0;
		}
	}
}

static void test_stubs(const struct arch *arch)
{
	for (uint8_t mode = ARM; mode <= THUMB; mode++)
		for (int is_enabled = 0; is_enabled <= 1; is_enabled++) {
			uint8_t a[ARCH_STUB_MAX], b[ARCH_STUB_MAX], end[4];
			unsigned n = arch->make_stub(arch, mode, is_enabled,
						     0x8001fffe, a);
			unsigned width = mode == ARM ? 4 : 2;

			CHECK(n == 8 + width * (1 + is_enabled));
			put(arch, end, mode == ARM ? ARM : THUMB | NARROW,
			    mode == ARM ? 0xe12fff1e : 0x4770);
			CHECK(memcmp(a + n - width, end, width) == 0);
			for (int bit = 0; bit < 32; bit++) {
				arch->make_stub(arch, mode, is_enabled,
						0x8001fffe ^ 1u << bit, b);
				CHECK(memcmp(a, b, n) != 0);
			}
		}
}

static void test_boundary(const struct arch *arch)
{
	/* nop; bl .+4 (Thumb), a word, bl .+8 (ARM) */
	static const struct mark marks[] = { { 0, THUMB },
					     { 8, MODE_DATA },
					     { 12, ARM } };
	uint8_t bytes[16];
	struct code code = { bytes, sizeof(bytes), ADDR, marks, 3 };

	put(arch, bytes, THUMB | NARROW, 0x46c0);
	put(arch, bytes + 2, THUMB, 0xf000f800);
	put(arch, bytes + 6, THUMB | NARROW, 0x46c0);
	put(arch, bytes + 8, ARM, 0xf000f800);
	put(arch, bytes + 12, ARM, 0xeb000000);
	CHECK(arch->is_boundary(arch, &code, 0, 2));
	CHECK(!arch->is_boundary(arch, &code, 0, 4));
	CHECK(arch->is_boundary(arch, &code, 0, 6));
	CHECK(arch->is_boundary(arch, &code, 0, 10)); /* who knows */
	CHECK(arch->is_boundary(arch, &code, 0, 12));
	CHECK(!arch->is_boundary(arch, &code, 0, 14));
}

/* How long Thumb's instructions are, and where they lead. */
static void test_steps(const struct arch *arch)
{
	static const struct mark mark = { 0, THUMB };
	static const struct {
		uint32_t insn;
		unsigned length;
		bool goes_on, has_target, is_call;
	} steps[] = {
		{ 0x46c0, 2, true, false, false },	/* mov r8,r8 */
		{ 0xbf00, 2, true, false, false },	/* nop */
		{ 0xbf08, 2, true, false, false },	/* it eq */
		{ 0x4770, 2, false, false, false },	/* bx lr */
		{ 0x4780, 2, true, false, false },	/* blx r0 */
		{ 0x4687, 2, false, false, false },	/* mov pc,r0 */
		{ 0x4487, 2, false, false, false },	/* add pc,r0 */
		{ 0xbd10, 2, false, false, false },	/* pop {r4,pc} */
		{ 0xbc10, 2, true, false, false },	/* pop {r4} */
		{ 0xbe00, 2, false, false, false },	/* bkpt */
		{ 0xde00, 2, false, false, false },	/* udf */
		{ 0xe7fe, 2, false, true, false },	/* b . */
		{ 0xd0fe, 2, true, true, false },	/* beq . */
		{ 0xf7fffffe, 4, true, true, true },	/* bl . */
		{ 0xf7ffbffe, 4, false, true, false },	/* b.w . */
		{ 0xf43faffe, 4, true, true, false },	/* beq.w . */
		{ 0xf85dfb04, 4, false, false, false }, /* pop.w {pc} */
		{ 0xf8dff000, 4, false, false, false }, /* ldr.w pc,[pc] */
		{ 0xf8df0000, 4, true, false, false },	/* ldr.w r0,[pc] */
		{ 0xe8bd8010, 4, false, false, false }, /* pop.w {r4,pc} */
		{ 0xe8bd0030, 4, true, false, false },	/* pop.w {r4,r5} */
		{ 0xe8dff000, 4, false, false, false }, /* tbb [pc,r0] */
		{ 0xe8dff010, 4, false, false, false }, /* tbh [pc,r0] */
		{ 0xe8d00f4f, 4, true, false, false },	/* ldrexb r0,[r0] */
		{ 0xf3de8f04, 4, false, false, false }, /* subs pc,lr,#4 */
		{ 0xf3af8000, 4, true, false, false },	/* nop.w */
		{ 0xf7f0a000, 4, false, false, false }, /* udf.w */
	};
	uint8_t bytes[4];
	struct code code = { bytes, sizeof(bytes), ADDR, &mark, 1 };
	struct step step;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		put(arch, bytes,
		    steps[i].insn < 0x10000 ? THUMB | NARROW : THUMB,
		    steps[i].insn);
		CHECK(arch->step(arch, &code, 0, &step));
		CHECK(step.length == steps[i].length);
		CHECK(step.goes_on == steps[i].goes_on);
		CHECK(step.has_target == steps[i].has_target);
		CHECK(step.is_call == steps[i].is_call);
		CHECK(!step.has_target || step.target == ADDR);
	}
	code.nmarks = 0;
	CHECK(!arch->step(arch, &code, 0, &step));
}

static const struct {
	const char *what;
	unsigned mode;
	uint32_t before, after, type;
	bool is_known;
} rewrites[] = {
	{ "bl to blx", ARM, 0xebfffffe, 0xfa000010, CALL, true },
	{ "blx to bl", ARM, 0xfafffffe, 0xeb000010, CALL, true },
	{ "blx to a half word", ARM, 0xfafffffe, 0xfb000010, CALL, true },
	{ "bl to nop", ARM, 0xebfffffe, 0xe1a00000, CALL, true },
	{ "bl to b", ARM, 0xebfffffe, 0xea000010, CALL, false },
	{ "bl to blne", ARM, 0xebfffffe, 0x1b000010, CALL, false },
	{ "blne to blx", ARM, 0x1bfffffe, 0xfa000010, JUMP24, false },
	{ "b to blx", ARM, 0xeafffffe, 0xfa000010, JUMP24, false },
	{ "b to nop", ARM, 0xeafffffe, 0xe320f000, JUMP24, true },
	{ "b to mov r0,r0", ARM, 0xeafffffe, 0xe1a00000, JUMP24, true },
	{ "blne to nopne", ARM, 0x1bfffffe, 0x1320f000, JUMP24, true },
	{ "bne to movne r0,r0", ARM, 0x1afffffe, 0x11a00000, JUMP24, true },
	{ "bne to nop", ARM, 0x1afffffe, 0xe320f000, JUMP24, false },
	{ "b to nopeq", ARM, 0xeafffffe, 0x0320f000, JUMP24, false },
	{ "b to mov r0,r1", ARM, 0xeafffffe, 0xe1a00001, JUMP24, false },
	{ "b.w to nop.w", THUMB, 0xf7ffbffe, 0xf3af8000, THM_JUMP24, true },
	{ "b.w to b .+4; nop", THUMB, 0xf7ffbffe, 0xe000bf00, THM_JUMP24,
	  true },
	{ "bne.w to nop.w", THUMB, 0xf47faffe, 0xf3af8000, THM_JUMP24, false },
	{ "b.w to nop; nop", THUMB, 0xf7ffbffe, 0xbf00bf00, THM_JUMP24, false },
	{ "bl to blx", THUMB, 0xf7fffffe, 0xf000e810, THM_CALL, true },
	{ "blx to bl", THUMB, 0xf7ffeffe, 0xf000f810, THM_CALL, true },
	{ "bl to nop.w", THUMB, 0xf7fffffe, 0xf3af8000, THM_CALL, true },
	{ "bl to b .+4; nop", THUMB, 0xf7fffffe, 0xe000bf00, THM_CALL, true },
	{ "bl to b.w", THUMB, 0xf7fffffe, 0xf000b810, THM_CALL, false },
	{ "bl to an odd blx", THUMB, 0xf7fffffe, 0xf000e811, THM_CALL, false },
	{ "blx to an odd one", THUMB, 0xf7ffeffe, 0xf000e811, THM_CALL, false },
	{ "b.w to blx", THUMB, 0xf7ffbffe, 0xf000e810, THM_JUMP24, false },
	{ "bx r3 to mov pc,r3", ARM, 0xe12fff13, 0xe1a0f003, V4BX, true },
	{ "bx r3 to mov pc,r2", ARM, 0xe12fff13, 0xe1a0f002, V4BX, false },
	{ "bxne r3 to mov pc,r3", ARM, 0x112fff13, 0xe1a0f003, V4BX, false },
	{ "add r0,pc,#0 to sub", ARM, 0xe28f0000, 0xe24f0008, ALU_PC_G0, true },
	{ "add r0,pc,#0 to and", ARM, 0xe28f0000, 0xe20f0008, ALU_PC_G0,
	  false },
	{ "add r0,pc,#0 to sbc", ARM, 0xe28f0000, 0xe2cf0008, ALU_PC_G0,
	  false },
	{ "add r0,pc,#0 to sub r1", ARM, 0xe28f0000, 0xe24f1008, ALU_PC_G0,
	  false },
	{ "addw r3,pc,#0 to subw", THUMB, 0xf20f0300, 0xf2af0308, THM_ADR,
	  true },
	{ "addw r3,pc,#0 to nothing", THUMB, 0xf20f0300, 0xf22f0308, THM_ADR,
	  false },
	{ "bl to nop", ARM, 0xeb000000, 0xe1a00000, TLS_CALL, true },
	{ "bl to ldr r0,[pc,r0]", ARM, 0xeb000000, 0xe79f0000, TLS_CALL, true },
	{ "bl to ldr r1,[pc,r0]", ARM, 0xeb000000, 0xe79f1000, TLS_CALL,
	  false },
	{ "bl to ldr r0,[pc,r0]", ARM, 0xebfffffe, 0xe79f0000, CALL, false },
	{ "bl to blx", THUMB, 0xf000f800, 0xf7ffe810, THM_TLS_CALL, true },
	{ "bl to nop.w", THUMB, 0xf000f800, 0xf3af8000, THM_TLS_CALL, true },
	{ "bl to mov r8,r8 twice", THUMB, 0xf000f800, 0x46c046c0, THM_TLS_CALL,
	  true },
	{ "bl to add r0,pc; ldr r0,[r0]", THUMB, 0xf000f800, 0x44786800,
	  THM_TLS_CALL, true },
	{ "bl to add r0,pc; ldr r1,[r0]", THUMB, 0xf000f800, 0x44786801,
	  THM_TLS_CALL, false },
	{ "bl to add r0,pc; ldr r0,[r0]", THUMB, 0xf7fffffe, 0x44786800,
	  THM_CALL, false },
};

static void test_rewrites(const struct arch *arch)
{
	for (size_t i = 0; i < WHOLE(rewrites); i++) {
		uint8_t before[4], after[4];
		struct reloc r = { .type = rewrites[i].type, .symndx = 1 };
		struct byte_range range;
		bool is_known;

		put(arch, before, rewrites[i].mode, rewrites[i].before);
		put(arch, after, rewrites[i].mode, rewrites[i].after);
		is_known = arch->is_rewrite(arch, before, after, 4, &r, &range);
		if (!CHECK(is_known == rewrites[i].is_known))
			printf("\t%s\n", rewrites[i].what);
		if (is_known)
			CHECK(range.start == 0 && range.end == 4);
		CHECK(!arch->is_rewrite(arch, before, after, 3, &r, &range));
	}
}

static const struct {
	const char *what;
	unsigned mode;
	uint32_t words[4]; /* of ARM, or each two halfwords of Thumb */
	unsigned size;
	uint32_t target; /* 0: no veneer */
	unsigned length;
} veneers[] = {
	{ "ldr pc,[pc,#-4]", ARM, { 0xe51ff004, 0x12345 }, 8, 0x12345, 8 },
	{ "its word is cut off", ARM, { 0xe51ff004, 0x12345 }, 4, 0, 0 },
	{ "ldr pc,[pc,#-4]!", ARM, { 0xe53ff004, 0x12345 }, 8, 0, 0 },
	{ "ldrne pc,[pc,#-4]", ARM, { 0x151ff004, 0x12345 }, 8, 0, 0 },
	{ "ldrb", ARM, { 0xe55ff004, 0x12345 }, 8, 0, 0 },
	{ "ldr lr,[pc]; bx ip",
	  ARM,
	  { 0xe59fe000, 0xe12fff1c, 0x12345 },
	  12,
	  0,
	  0 },
	{ "ldr ip,[pc]; bx ip",
	  ARM,
	  { 0xe59fc000, 0xe12fff1c, 0x12345 },
	  12,
	  0x12345,
	  12 },
	{ "ldr ip,[pc]; add pc,pc,ip",
	  ARM,
	  { 0xe59fc000, 0xe08ff00c, 0x100, 0 },
	  16,
	  0x1010c,
	  12 },
	{ "movw; movt; bx ip",
	  ARM,
	  { 0xe300c599, 0xe340c002, 0xe12fff1c },
	  12,
	  0x20599,
	  12 },
	{ "movt alone", ARM, { 0xe340c002, 0xe12fff1c }, 8, 0, 0 },
	{ "bx ip alone", ARM, { 0xe12fff1c }, 4, 0, 0 },
	{ "b", ARM, { 0xea000100 }, 4, 0, 0 },
	{ "movw ip; b", ARM, { 0xe300c599, 0xea000100 }, 8, 0, 0 },
	{ "bx pc; nop; b .+0x408",
	  THUMB,
	  { 0x477846c0, 0xea000100 },
	  8,
	  0x1040c,
	  8 },
	{ "nop; bx pc, at half a word",
	  THUMB,
	  { 0x46c04778, 0xea000100 },
	  8,
	  0,
	  0 },
	{ "nop; nop; b.w", THUMB, { 0x46c046c0, 0xf000b800 }, 8, 0, 0 },
	{ "movw; movt; bx ip, to what is right behind",
	  THUMB,
	  { 0xf2400c0a, 0xf2c00c01, 0x47604770 },
	  12,
	  0x1000a,
	  10 },
	{ "mov ip,pc; bx ip; b .+0x408",
	  THUMB,
	  { 0x46fc4760, 0xea000100 },
	  8,
	  0x1040c,
	  8 },
	{ "ldr.w pc,[pc]", THUMB, { 0xf8dff000, 0x00012345 }, 8, 0x12345, 8 },
	{ "movw; movt; bx ip; nop",
	  THUMB,
	  { 0xf2404cf4, 0xf2c00c02, 0x476046c0 },
	  12,
	  0x204f4,
	  10 },
	{ "push {r0}; ldr r0; mov ip,r0; pop {r0}; bx ip",
	  THUMB,
	  { 0xb4014802, 0x4684bc01, 0x476046c0, 0x12345 },
	  16,
	  0x12345,
	  16 },
	{ "the same without push",
	  THUMB,
	  { 0x46c04802, 0x4684bc01, 0x476046c0, 0x12345 },
	  16,
	  0,
	  0 },
	{ "the same without pop",
	  THUMB,
	  { 0xb4014802, 0x468446c0, 0x476046c0, 0x12345 },
	  16,
	  0,
	  0 },
	{ "push {r0,r1}; ldr r0; str r0,[sp,#4]; pop {r0,pc}",
	  THUMB,
	  { 0xb4034801, 0x9001bd01, 0x12345 },
	  12,
	  0x12345,
	  12 },
	{ "the same without str",
	  THUMB,
	  { 0xb4034801, 0x46c0bd01, 0x12345 },
	  12,
	  0,
	  0 },
};

/* A word that Thumb code loads is a word; all other words are code. */
static bool is_data(const uint32_t *words, unsigned i)
{
	return words[i] == 0x12345 || words[i] >> 24 == 0xea;
}

static void test_veneers(const struct arch *arch)
{
	for (size_t i = 0; i < WHOLE(veneers); i++) {
		uint8_t bytes[16];
		struct code code =
			make_code(bytes, veneers[i].size, veneers[i].mode);
		uint64_t target = 0, slot;
		unsigned length;

		for (unsigned k = 0; k < 4; k++)
			put(arch, bytes + 4 * k,
			    is_data(veneers[i].words, k) ? ARM
							 : veneers[i].mode,
			    veneers[i].words[k]);
		length = arch->decode_veneer(arch, &code, 0, 0, &target);
		if (!CHECK(length == veneers[i].length) ||
		    (length > 0 && !CHECK(target == veneers[i].target)))
			printf("\t%s: %u, 0x%llx\n", veneers[i].what, length,
			       (unsigned long long)target);
		CHECK(!arch->decode_plt(arch, &code, 0, 0, &slot));
	}
}

static void test_plt(const struct arch *arch)
{
	/* add ip,pc,#0; add ip,ip,#0x20000; ldr pc,[ip,#0x118]! */
	static const uint32_t entry[] = { 0xe28fc600, 0xe28cca20, 0xe5bcf118 };
	uint8_t bytes[12] = { 0 };
	struct code code = make_code(bytes, sizeof(bytes), ARM);
	uint64_t slot;

	for (unsigned i = 0; i < 3; i++)
		put(arch, bytes + 4 * i, ARM, entry[i]);
	CHECK(arch->decode_plt(arch, &code, 0, 0, &slot) && slot == 0x30120);
	CHECK(arch->decode_veneer(arch, &code, 0, 0, &slot) == 0);
	put(arch, bytes + 8, ARM, 0xe5bef118); /* ldr pc,[lr,#0x118]! */
	CHECK(!arch->decode_plt(arch, &code, 0, 0, &slot));
}

/* What the attributes say of Tag_CPU_arch; for ARMv4 without Thumb, no bx. */
static void test_attributes(const struct arch *arch)
{
	/* 'A'; a block of another vendor; aeabi with Tag_CPU_name "4", two
	 * tags with strings, Tag_CPU_arch; lengths of four bytes. */
	uint8_t bytes[] = { 'A', 0, 0,	0,   8,	  'x', 'y', 'z', 0,   0,
			    0,	 0, 30, 'a', 'e', 'a', 'b', 'i', 0,   1,
			    0,	 0, 0,	20,  5,	  '4', 0,   67,	 '2', '.',
			    '0', 0, 32, 1,   0,	  6,   1,   8,	 1 };
	static const unsigned lengths[] = { 1, 9, 20 };
	const struct arch *v4;

	for (unsigned i = 0; i < 3 && !arch->is_big_endian; i++) {
		uint8_t *p = bytes + lengths[i];

		p[0] = p[3];
		p[3] = 0;
	}
	v4 = arch->refine(arch, bytes, sizeof(bytes));
	CHECK(v4 != arch && strcmp(v4->name, arch->name) == 0);
	bytes[36] = 2; /* ARMv4T */
	CHECK(arch->refine(arch, bytes, sizeof(bytes)) == arch);
	bytes[36] = 1;
	bytes[0] = 'B';
	CHECK(arch->refine(arch, bytes, sizeof(bytes)) == arch);
	bytes[0] = 'A';
	/* Cut off anywhere, in memory of its own. */
	for (size_t n = 1; n < sizeof(bytes); n++) {
		uint8_t *copy = malloc(n);

		memcpy(copy, bytes, n);
		CHECK(arch->refine(arch, copy, n) == arch);
		free(copy);
	}
}

int main(void)
{
	for (size_t i = 0; i < WHOLE(twins); i++) {
		test_decode(twins[i]);
		test_half_word(twins[i]);
		test_unknown(twins[i]);
		test_short(twins[i]);
		test_sites(twins[i]);
		test_masks(twins[i]);
		test_disabled(twins[i]);
		test_stubs(twins[i]);
		test_attributes(twins[i]);
		test_steps(twins[i]);
		test_boundary(twins[i]);
		test_rewrites(twins[i]);
		test_veneers(twins[i]);
		test_plt(twins[i]);
	}
	return unit_status();
}
