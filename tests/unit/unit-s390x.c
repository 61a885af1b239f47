/* SPDX-License-Identifier: GPL-3.0-or-later */
/* s390x on literal bytes; the assembly beside them is objdump's. */
#include <config.h>

#include "arch/scan.h"
#include "arch/arch.h"
#include "elf/object.h"
#include "unit.h"

static const struct arch *const arch = &arch_s390x;

enum {
	PC16DBL = 17,
	PC32DBL = 19,
	PLT32DBL = 20,
	GOTENT = 26,
	TLS_LOAD = 37,
	TLS_GDCALL = 38,
	TLS_LDCALL = 39,
};

static const struct {
	const char *assembly;
	uint8_t bytes[6];
	size_t size;
	int form; /* or -1: no branch */
	unsigned length;
	uint64_t target; /* the code is at 0x10000 */
} branches[] = {
	{ "brasl %r14,.+4",
	  { 0xc0, 0xe5, 0, 0, 0, 2 },
	  6,
	  FORM_CALL,
	  6,
	  0x10004 },
	{ "brasl %r0,.-2",
	  { 0xc0, 0x05, 0xff, 0xff, 0xff, 0xff },
	  6,
	  FORM_CALL,
	  6,
	  0xfffe },
	{ "brasl %r14,.+0xfffffffe",
	  { 0xc0, 0xe5, 0x7f, 0xff, 0xff, 0xff },
	  6,
	  FORM_CALL,
	  6,
	  0x10000fffe },
	{ "brasl %r14,.-0x100000000",
	  { 0xc0, 0xe5, 0x80, 0, 0, 0 },
	  6,
	  FORM_CALL,
	  6,
	  0xffffffff00010000 },
	{ "brasl, cut off", { 0xc0, 0xe5, 0, 0, 0 }, 5, -1, 0, 0 },
	{ "jg .+4", { 0xc0, 0xf4, 0, 0, 0, 2 }, 6, FORM_TAIL, 6, 0x10004 },
	{ "jgne .-4",
	  { 0xc0, 0x74, 0xff, 0xff, 0xff, 0xfe },
	  6,
	  FORM_COND,
	  6,
	  0xfffc },
	{ "jgo .", { 0xc0, 0x14, 0, 0, 0, 0 }, 6, FORM_COND, 6, 0x10000 },
	{ "jgno .", { 0xc0, 0xe4, 0, 0, 0, 0 }, 6, FORM_COND, 6, 0x10000 },
	{ "jgnop .+4", { 0xc0, 0x04, 0, 0, 0, 2 }, 6, -1, 0, 0 },
	{ "bras %r14,.+0xfffe",
	  { 0xa7, 0xe5, 0x7f, 0xff },
	  4,
	  FORM_CALL,
	  4,
	  0x1fffe },
	{ "j .-0x10000", { 0xa7, 0xf4, 0x80, 0 }, 4, FORM_TAIL, 4, 0 },
	{ "je .+8", { 0xa7, 0x84, 0, 4 }, 4, FORM_COND, 4, 0x10008 },
	{ "jnop .+8", { 0xa7, 0x04, 0, 4 }, 4, -1, 0, 0 },
	{ "brct %r1,.+8", { 0xa7, 0x16, 0, 4 }, 4, FORM_COND, 4, 0x10008 },
	{ "brctg %r1,.+8", { 0xa7, 0x17, 0, 4 }, 4, FORM_COND, 4, 0x10008 },
	{ "lhi %r1,4: no branch", { 0xa7, 0x18, 0, 4 }, 4, -1, 0, 0 },
	{ "brxh %r1,%r2,.+8", { 0x84, 0x12, 0, 4 }, 4, FORM_COND, 4, 0x10008 },
	{ "brxle %r1,%r2,.+8", { 0x85, 0x12, 0, 4 }, 4, FORM_COND, 4, 0x10008 },
	{ "brcth %r1,.+8",
	  { 0xcc, 0x16, 0, 0, 0, 4 },
	  6,
	  FORM_COND,
	  6,
	  0x10008 },
	{ "aih %r1,4: no branch", { 0xcc, 0x18, 0, 0, 0, 4 }, 6, -1, 0, 0 },
	{ "crje %r1,%r2,.+8",
	  { 0xec, 0x12, 0, 4, 0x80, 0x76 },
	  6,
	  FORM_COND,
	  6,
	  0x10008 },
	{ "cgije %r1,0,.-8",
	  { 0xec, 0x18, 0xff, 0xfc, 0, 0x7c },
	  6,
	  FORM_COND,
	  6,
	  0xfff8 },
	{ "brxhg %r1,%r2,.+8",
	  { 0xec, 0x12, 0, 4, 0, 0x44 },
	  6,
	  FORM_COND,
	  6,
	  0x10008 },
	{ "aghik %r2,%r12,-1: no branch",
	  { 0xec, 0x2c, 0xff, 0xff, 0, 0xd9 },
	  6,
	  -1,
	  0,
	  0 },
	{ "larl %r1,.+4", { 0xc0, 0x10, 0, 0, 0, 2 }, 6, -1, 0, 0 },
	{ "br %r14", { 0x07, 0xfe, 0x07, 0x00 }, 4, -1, 0, 0 },
};

static void test_decode(void)
{
	for (size_t i = 0; i < sizeof(branches) / sizeof(branches[0]); i++) {
		struct code code = { branches[i].bytes, branches[i].size,
				     0x10000 };
		struct branch branch;
		bool found = arch->decode_branch(arch, &code, 0, &branch);

		if (!CHECK(found == (branches[i].form >= 0)) ||
		    (found && !(CHECK((int)branch.form == branches[i].form) &&
				CHECK(branch.length == branches[i].length) &&
				CHECK(branch.field == 2) &&
				CHECK(branch.target == branches[i].target))))
			printf("\t%s: 0x%llx\n", branches[i].assembly,
			       (unsigned long long)branch.target);
	}
}

/* The instruction is at 2; rows without form have what is said of them. */
static void test_sites(void)
{
	static const struct {
		uint8_t text[8];
		struct reloc_row r; /* offset, addend, type */
		int form;
		const char *what;
	} rows[] = {
		{ { 7, 0, 0xc0, 0xe5 }, { 4, 2, PLT32DBL, 0 }, FORM_CALL, "" },
		{ { 7, 0, 0xc0, 0x05 }, { 4, 2, PC32DBL, 0 }, FORM_CALL, "" },
		{ { 7, 0, 0xc0, 0xf4 }, { 4, 2, PLT32DBL, 0 }, FORM_TAIL, "" },
		{ { 7, 0, 0xc0, 0x14 }, { 4, 2, PLT32DBL, 0 }, FORM_COND, "" },
		{ { 7, 0, 0xc0, 0xe4 }, { 4, 2, PC32DBL, 0 }, FORM_COND, "" },
		{ { 7, 0, 0xc0, 0x04 },
		  { 4, 2, PLT32DBL, 0 },
		  -1,
		  "jump that is never taken" },
		{ { 7, 0, 0xc0, 0xe5 },
		  { 4, 0, PLT32DBL, 0 },
		  -1,
		  "call of its inside" },
		{ { 7, 0, 0xc0, 0xf4 },
		  { 4, 6, PLT32DBL, 0 },
		  -1,
		  "jump to its inside" },
		{ { 7, 0, 0xc4, 0x18 },
		  { 4, 2, GOTENT, 0 },
		  -1,
		  "load of its address from the GOT" },
		{ { 7, 0, 0xc0, 0x10 },
		  { 4, 2, GOTENT, 0 },
		  -1,
		  "address of its GOT entry" },
		{ { 7, 0, 0xc0, 0x10 },
		  { 4, 2, PC32DBL, 0 },
		  -1,
		  "larl of its address" },
		{ { 7, 0, 0xc6, 0x10 },
		  { 4, 2, PC32DBL, 0 },
		  -1,
		  "execution of its first instruction" },
		{ { 7, 0, 0xa7, 0xe5 },
		  { 4, 2, PC16DBL, 0 },
		  -1,
		  "branch of short reach" },
		{ { 7, 0, 0xc0, 0xe5 },
		  { 4, 2, 4 /* 32 */, 0 },
		  -1,
		  "no direct branch" },
		{ { 7, 0, 0xc0, 0x10 },
		  { 4, 0, 36 /* PLTOFF64 */, 0 },
		  -1,
		  "access through the GOT" },
		/* Bytes before the section, and behind it. */
		{ { 0xe5, 0 }, { 1, 2, PLT32DBL, 0 }, -1, "no direct branch" },
		{ { 0, 0, 0, 0, 0xc0, 0xe5 },
		  { 6, 2, PLT32DBL, 0 },
		  -1,
		  "call of its inside" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct site_shape shape;
		struct refusal refusal;
		bool found = arch->scan->find_site(arch, rows[i].text, 8,
						   RELOC(rows[i].r), &shape);

		CHECK(found == (rows[i].form >= 0));
		if (found) {
			CHECK((int)shape.form == rows[i].form &&
			      shape.back == 2 && shape.length == 6);
			continue;
		}
		refusal = scan_explain_refusal(arch, rows[i].text, 8,
					       RELOC(rows[i].r));
		CHECK_STR(refusal.what, rows[i].what);
		CHECK(refusal.back <= rows[i].r.offset);
		CHECK(rows[i].r.offset - refusal.back + refusal.length <= 8);
	}
}

static void check_disabled(enum site_form form, bool is_enabled,
			   const char *branch, const char *expected)
{
	const struct code code = { (const uint8_t *)branch, 6, 0 };
	uint8_t bytes[DISABLED_MAX];
	unsigned n = arch->disable(arch, form, is_enabled, &code, 0, bytes);

	if (expected == NULL)
		CHECK(n == 0);
	else
		CHECK(n == 6 && memcmp(bytes, expected, 6) == 0);
}

static void test_disabled(void)
{
	/* brcl 0,.; lgfi %r2,0; br %r14; blhr %r14 */
	check_disabled(FORM_CALL, false, "\xc0\xe5\0\0\0\0",
		       "\xc0\x04\x00\x00\x00\x00");
	check_disabled(FORM_CALL, true, "\xc0\xe5\0\0\0\0",
		       "\xc0\x21\x00\x00\x00\x00");
	check_disabled(FORM_TAIL, false, "\xc0\xf4\0\0\0\0",
		       "\x07\xfe\x07\x00\x07\x00");
	check_disabled(FORM_COND, false, "\xc0\x64\0\0\0\0",
		       "\x07\x6e\x07\x00\x07\x00");
	/* The same for what is disabled already. */
	check_disabled(FORM_COND, false, "\x07\x6e\x07\x00\x07\x00",
		       "\x07\x6e\x07\x00\x07\x00");
	check_disabled(FORM_TAIL, true, "\xc0\xf4\0\0\0\0", NULL);
	check_disabled(FORM_COND, true, "\xc0\x64\0\0\0\0", NULL);
}

static void test_stub(void)
{
	uint8_t bytes[ARCH_STUB_MAX];

	CHECK(arch->make_stub(&arch_s390x, 0, false, 0x12345678, bytes) == 8);
	CHECK(memcmp(bytes, "\xc0\x04\x12\x34\x56\x78\x07\xfe", 8) == 0);
	CHECK(arch->make_stub(&arch_s390x, 0, true, 0x12345678, bytes) == 12);
	CHECK(memcmp(bytes, "\xc0\x04\x12\x34\x56\x78\xa7\x29\0\0\x07\xfe",
		     12) == 0);
}

static void test_boundary(void)
{
	/* br %r14; lhi %r1,0; brasl %r14,.; nopr */
	static const uint8_t bytes[] = { 0x07, 0xfe, 0xa7, 0x18, 0, 0, 0xc0,
					 0xe5, 0,    0,	   0,	 0, 7, 0 };
	const struct code code = { bytes, sizeof(bytes), 0 };
	unsigned found = 0;

	for (unsigned i = 0; i < sizeof(bytes); i++)
		found |= arch->is_boundary(arch, &code, 0, i) << i;
	CHECK(found == (1 << 0 | 1 << 2 | 1 << 6 | 1 << 12));
}

static void note_offset(void *ctx, uint64_t offset, uint64_t target)
{
	(void)target;
	*(unsigned *)ctx |= 1u << offset;
}

/* How long instructions are, and where they lead. */
static void test_steps(void)
{
	static const struct {
		uint8_t bytes[6];
		unsigned length;
		bool goes_on, has_target, is_call;
	} steps[] = {
		{ { 0x07, 0x00 }, 2, true, false, false },	  /* nopr */
		{ { 0x07, 0xfe }, 2, false, false, false },	  /* br %r14 */
		{ { 0x07, 0x8e }, 2, true, false, false },	  /* ber %r14 */
		{ { 0x0d, 0xe1 }, 2, true, false, false },	  /* basr */
		{ { 0x00, 0x00 }, 2, false, false, false },	  /* data */
		{ { 0x01, 0x01 }, 2, false, false, false },	  /* pr */
		{ { 0x0a, 0x01 }, 2, false, false, false },	  /* svc 1 */
		{ { 0x47, 0xf0, 0x10 }, 4, false, false, false }, /* b */
		{ { 0xa7, 0xf4 }, 4, false, true, false },	  /* j . */
		{ { 0xa7, 0x84 }, 4, true, true, false },	  /* je . */
		{ { 0xa7, 0xd5 }, 4, true, true, true },	  /* bras . */
		{ { 0xb2, 0xb2 }, 4, false, false, false },	  /* lpswe */
		{ { 0xc0, 0xe5 }, 6, true, true, true },	  /* brasl . */
		{ { 0xc0, 0xf4 }, 6, false, true, false },	  /* jg . */
		{ { 0xc0, 0x10 }, 6, true, false, false },	  /* larl */
		{ { 0xe3, 0xf0, 0, 0, 0, 0x47 }, 6, false, false, false },
	};
	struct step step;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		const struct code code = { steps[i].bytes, 6, 0 };

		CHECK(arch->step(arch, &code, 0, &step));
		CHECK(step.length == steps[i].length);
		CHECK(step.goes_on == steps[i].goes_on);
		CHECK(step.has_target == steps[i].has_target);
		CHECK(step.is_call == steps[i].is_call);
		CHECK(!step.has_target || step.target == 0);
	}
}

static void test_operands(void)
{
	/* larl, lgrl, exrl, brasl and lgfi, each with the same displacement. */
	static const uint8_t bytes[] = {
		0xc0, 0x10, 0,	  0,	1,    0,    0xc4, 0x18, 0,    0,
		1,    0,    0xc6, 0x10, 0,    0,    1,	  0,	0xc0, 0xe5,
		0,    0,    1,	  0,	0xc0, 0x11, 0,	  0,	1,    0,
	};
	const struct code code = { bytes, sizeof(bytes), 0x1000 };
	unsigned found = 0;

	arch->each_operand(arch, &code, 0x1200, 0x1300, note_offset, &found);
	CHECK(found == (1 << 2 | 1 << 8 | 1 << 14));
	found = 0;
	arch->each_operand(arch, &code, 0x1200, 0x1205, note_offset, &found);
	CHECK(found == 1 << 2);
}

static void test_rewrites(void)
{
	static const struct {
		const char *what;
		uint64_t offset;
		uint32_t type;
		uint8_t before[6], after[6];
		bool is_known;
	} rows[] = {
		{ "lgrl to larl",
		  2,
		  GOTENT,
		  { 0xc4, 0x18 },
		  { 0xc0, 0x10, 1, 2, 3, 4 },
		  true },
		{ "... of another register",
		  2,
		  GOTENT,
		  { 0xc4, 0x18 },
		  { 0xc0, 0x20, 1, 2, 3, 4 },
		  false },
		{ "lgrl to brasl",
		  2,
		  GOTENT,
		  { 0xc4, 0xe8 },
		  { 0xc0, 0xe5, 1, 2, 3, 4 },
		  false },
		{ "GD to LE",
		  0,
		  TLS_GDCALL,
		  { 0xc0, 0xe5 },
		  { 0xc0, 0x04 },
		  true },
		{ "GD to LE, elsewhere",
		  0,
		  TLS_GDCALL,
		  { 0xc0, 0xe5 },
		  { 0xc0, 0x04, 0, 0, 0, 1 },
		  false },
		{ "GD to LE, taken",
		  0,
		  TLS_GDCALL,
		  { 0xc0, 0xe5 },
		  { 0xc0, 0xf4 },
		  false },
		{ "GD to IE",
		  0,
		  TLS_GDCALL,
		  { 0xc0, 0xe5 },
		  { 0xe3, 0x22, 0xc0, 0, 0, 4 },
		  true },
		{ "LD to LE",
		  0,
		  TLS_LDCALL,
		  { 0xc0, 0xe5 },
		  { 0xc0, 0x04 },
		  true },
		{ "LD to IE",
		  0,
		  TLS_LDCALL,
		  { 0xc0, 0xe5 },
		  { 0xe3, 0x22, 0xc0, 0, 0, 4 },
		  false },
		{ "IE to LE: lg %r1,0(%r2)",
		  0,
		  TLS_LOAD,
		  { 0xe3, 0x10, 0x20, 0, 0, 4 },
		  { 0xeb, 0x12, 0, 0, 0, 13 },
		  true },
		{ "lg %r1,0(%r2,%r12)",
		  0,
		  TLS_LOAD,
		  { 0xe3, 0x12, 0xc0, 0, 0, 4 },
		  { 0xeb, 0x12, 0, 0, 0, 13 },
		  true },
		{ "... of another register",
		  0,
		  TLS_LOAD,
		  { 0xe3, 0x10, 0x20, 0, 0, 4 },
		  { 0xeb, 0x13, 0, 0, 0, 13 },
		  false },
		{ "... shifted",
		  0,
		  TLS_LOAD,
		  { 0xe3, 0x10, 0x20, 0, 0, 4 },
		  { 0xeb, 0x12, 0, 1, 0, 13 },
		  false },
		{ "no such relocation",
		  2,
		  PLT32DBL,
		  { 0xc0, 0xe5 },
		  { 0xc0, 0x04 },
		  false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct reloc r = { .offset = rows[i].offset,
				   .type = rows[i].type };
		struct byte_range range;

		if (!CHECK(arch->is_rewrite(arch, rows[i].before, rows[i].after,
					    6, &r, &range) == rows[i].is_known))
			printf("\t%s\n", rows[i].what);
		/* Not if the instruction is cut off. */
		CHECK(!arch->is_rewrite(arch, rows[i].before, rows[i].after, 5,
					&r, &range));
	}
}

static void test_plt(void)
{
	/* larl %r1,.+0x1c38; lg %r1,0(%r1); br %r1 */
	static const uint8_t gnu[] = { 0xc0, 0x10, 0,	 0,    0x0e, 0x1c, 0xe3,
				       0x10, 0x10, 0,	 0,    0x04, 0x07, 0xf1,
				       0x0d, 0x10, 0xe3, 0x10, 0x10, 0x0c };
	/* larl %r1,.+0x2208; lg %r1,0(%r1); lgfi %r0,0; br %r1 */
	static const uint8_t mold[] = { 0xc0, 0x10, 0, 0, 0x11, 0x04, 0xe3,
					0x10, 0x10, 0, 0, 0x04, 0xc0, 0x01,
					0,    0,    0, 0, 0x07, 0xf1 };
	struct code code = { gnu, sizeof(gnu), 0x3c8 };
	uint8_t other[sizeof(gnu)];
	uint64_t slot;

	CHECK(arch->decode_plt(arch, &code, 0, 0, &slot) && slot == 0x2000);
	CHECK(!arch->decode_plt(arch, &code, 1, 0, &slot));
	code = (struct code){ mold, sizeof(mold), 0x1580 };
	CHECK(arch->decode_plt(arch, &code, 0, 0, &slot) && slot == 0x3788);
	/* br %r2, and then another offset. */
	memcpy(other, gnu, sizeof(gnu));
	code = (struct code){ other, sizeof(other), 0x3c8 };
	other[13] = 0xf2;
	CHECK(!arch->decode_plt(arch, &code, 0, 0, &slot));
	other[13] = 0xf1;
	other[9] = 8;
	CHECK(!arch->decode_plt(arch, &code, 0, 0, &slot));
}

/* Where a function ends that code cannot run out of. */
static void test_ends(void)
{
	static const struct {
		const char *what;
		uint8_t bytes[4];
		uint64_t end; /* or NO_END */
	} rows[] = {
		{ "br %r14", { 0x0a, 0x00, 0x07, 0xfe }, 4 },
		{ "j .", { 0xa7, 0xf4, 0, 0 }, 4 },
		{ "br %r14; nopr", { 0x07, 0xfe, 0x07, 0x00 }, 2 },
		{ "je .", { 0xa7, 0x84, 0, 0 }, NO_END },
		{ "nop", { 0x47, 0, 0, 0 }, NO_END },
		{ "bcr 15,0", { 0x07, 0xfe, 0x07, 0xf0 }, NO_END },
		{ "basr", { 0x0a, 0x00, 0x0d, 0xee }, NO_END },
		{ "lhi, whose end reads like br",
		  { 0xa7, 0x18, 0x07, 0xfe },
		  NO_END },
		{ "half of jg", { 0x07, 0xfe, 0xc0, 0xf4 }, NO_END },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct code code = { rows[i].bytes, 4, 0x1000 };

		if (!CHECK(arch->find_end(arch, &code, 0, 4) == rows[i].end))
			printf("\t%s\n", rows[i].what);
	}
}

int main(void)
{
	test_decode();
	test_sites();
	test_disabled();
	test_stub();
	test_boundary();
	test_steps();
	test_operands();
	test_ends();
	test_rewrites();
	test_plt();
	return unit_status();
}
