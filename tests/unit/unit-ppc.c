/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Power on literal instructions, as words the way a big-endian file has them;
 * each is put into the byte order of the set under test. The assembly beside
 * them is the assembler's input.
 */
#include <config.h>

#include "arch/scan.h"
#include "arch/arch.h"
#include "elf/object.h"
#include "unit.h"

#define LE &arch_ppc64le
#define BE &arch_ppc64
#define PPC32 &arch_ppc32
#define V1 &arch_ppc64v1

enum {
	ADDR16_HA = 6,
	ADDR24 = 2,
	REL24 = 10,
	REL14 = 11,
	REL14_BRTAKEN = 12,
	GOT16_DS = 58,
	TOC16_HA = 50,
	TOC16_LO = 48,
	TOC16_LO_DS = 64,
	TLS = 67,
	GOT_TLSGD16 = 79,
	GOT_TPREL16 = 87,
	TLSGD32 = 95,
	PLTREL24 = 18,
	LOCAL24PC = 23,
	PLT16_LO = 29,
	TLSGD = 107,
	REL24_NOTOC = 116,
	PLTSEQ = 119,
	PLTCALL = 120,
	PCREL_OPT = 123,
	GOT_PCREL34 = 133,
	GOT_TLSGD16_LO = 80,
	GOT_DTPREL16_LO_DS = 92,
	TPREL16_LO_DS = 96,
	GOT_TLSGD_PCREL34 = 148,
	REL16_HA = 252,
};

#define WORDS_MAX 10

/* The bytes of N words. */
static void put(const struct arch *arch, const uint32_t *words, size_t n,
		uint8_t *bytes)
{
	for (size_t i = 0; i < 4 * n; i++)
		bytes[i] = words[i / 4] >>
			   8 * (arch->is_big_endian ? 3 - i % 4 : i % 4);
}

static const struct arch *const arches[] = { LE, BE, PPC32, V1 };
#define NARCHES (sizeof(arches) / sizeof(arches[0]))

static const struct {
	const char *assembly;
	uint32_t word;
	int form;	 /* or -1: no branch */
	uint64_t target; /* the code is at 0x10000000 */
} branches[] = {
	{ "bl .+0x30", 0x48000031, FORM_CALL, 0x10000030 },
	{ "bl .-4", 0x4bfffffd, FORM_CALL, 0x0ffffffc },
	{ "b .+0x1fffffc", 0x49fffffc, FORM_TAIL, 0x11fffffc },
	{ "b .-0x2000000", 0x4a000000, FORM_TAIL, 0x0e000000 },
	{ "bla 0x100", 0x48000103, FORM_CALL, 0x100 },
	{ "ba 0x7f00", 0x48007f02, FORM_TAIL, 0x7f00 },
	{ "bne .+8", 0x40820008, FORM_COND, 0x10000008 },
	{ "beq+ .+0x7ffc", 0x41e27ffc, FORM_COND, 0x10007ffc },
	{ "bdnz .-0x8000", 0x42008000, FORM_COND, 0x0fff8000 },
	{ "bcl 20,31,.+4", 0x429f0005, FORM_CALL, 0x10000004 },
	{ "bc 20,0,.+16", 0x42800010, FORM_TAIL, 0x10000010 },
	{ "blr", 0x4e800020, -1, 0 },
	{ "bctr", 0x4e800420, -1, 0 },
	{ "bnelr", 0x4c820020, -1, 0 },
	{ "nop", 0x60000000, -1, 0 },
	{ "sc", 0x44000002, -1, 0 },
};

static void test_decode(const struct arch *arch)
{
	for (size_t i = 0; i < sizeof(branches) / sizeof(branches[0]); i++) {
		uint8_t bytes[4];
		struct code code = { bytes, 4, 0x10000000 };
		struct branch branch;
		bool found;

		put(arch, &branches[i].word, 1, bytes);
		found = arch->decode_branch(arch, &code, 0, &branch);
		if (!CHECK(found == (branches[i].form >= 0)) ||
		    (found &&
		     !(CHECK((int)branch.form == branches[i].form) &&
		       CHECK(branch.length == 4) && CHECK(branch.field == 0) &&
		       CHECK(branch.target == branches[i].target))))
			printf("\t%s: 0x%llx\n", branches[i].assembly,
			       (unsigned long long)branch.target);
		/* Not cut off, and not between two instructions. */
		code.size = 3;
		CHECK(!arch->decode_branch(arch, &code, 0, &branch));
		code.size = 4;
		code.addr++;
		CHECK(!arch->decode_branch(arch, &code, 0, &branch));
	}
}

/* The bytes of a file, so that not only put() says what the order is. */
static void test_order(void)
{
	static const uint8_t le[] = { 0x31, 0x00, 0x00, 0x48 };
	static const uint8_t be[] = { 0x48, 0x00, 0x00, 0x31 };
	struct code code = { le, 4, 0 };
	struct branch branch;

	CHECK(arch_ppc64le.decode_branch(LE, &code, 0, &branch) &&
	      branch.target == 0x30);
	code.bytes = be;
	CHECK(arch_ppc32.decode_branch(PPC32, &code, 0, &branch) &&
	      branch.target == 0x30);
	CHECK(arch_reloc_bits(PPC32, REL24, 0) == 0x03);
	CHECK(arch_reloc_bits(PPC32, REL24, 3) == 0xfc);
	CHECK(arch_reloc_bits(PPC32, REL14, 1) == 0);
	CHECK(arch_reloc_bits(PPC32, REL14, 3) == 0xfc);
	CHECK(arch_reloc_bits(LE, REL24, 0) == 0xfc);
	CHECK(arch_reloc_bits(LE, REL24, 3) == 0x03);
	CHECK(arch_reloc_bits(LE, REL14, 1) == 0xff);
	CHECK(arch_reloc_bits(LE, REL14, 2) == 0);
	CHECK(arch_reloc_bits(LE, TOC16_LO_DS, 0) == 0xfc);
	CHECK(arch_reloc_bits(LE, TOC16_LO, 0) == 0xff);
	/* The prefix is in front; 18 bits of it, 16 of the rest. */
	CHECK(arch_reloc_width(LE, GOT_PCREL34) == 8);
	CHECK(arch_reloc_bits(LE, GOT_PCREL34, 2) == 0x03);
	CHECK(arch_reloc_bits(LE, GOT_PCREL34, 3) == 0);
	CHECK(arch_reloc_bits(LE, GOT_PCREL34, 5) == 0xff);
	CHECK(arch_reloc_bits(LE, GOT_PCREL34, 6) == 0);
}

static void test_sites(const struct arch *arch)
{
	static const struct {
		uint32_t word;
		struct reloc_row r; /* offset, addend, type */
		int form;
	} rows[] = {
		{ 0x48000001, { 0, 0, REL24, 0 }, FORM_CALL },
		{ 0x48000000, { 0, 0, REL24, 0 }, FORM_TAIL },
		{ 0x48000001, { 0, 0, REL24_NOTOC, 0 }, FORM_CALL },
		{ 0x48000000, { 0, 0, REL24_NOTOC, 0 }, FORM_TAIL },
		{ 0x40820000, { 0, 0, REL14, 0 }, FORM_COND },
		{ 0x41820000, { 0, 0, REL14_BRTAKEN, 0 }, FORM_COND },
		{ 0x42800000, { 0, 0, REL14, 0 }, FORM_TAIL },
		{ 0x48000001, { 0, 0, LOCAL24PC, 0 }, FORM_CALL },
		{ 0x48000001, { 0, 0, PLTREL24, 0 }, FORM_CALL },
		{ 0x48000001, { 0, 0x8000, PLTREL24, 0 }, FORM_CALL },
		/* Its inside, absolute ones, a conditional call. */
		{ 0x48000001, { 0, 4, LOCAL24PC, 0 }, -1 },
		{ 0x48000001, { 0, 4, REL24, 0 }, -1 },
		{ 0x48000003, { 0, 0, REL24, 0 }, -1 },
		{ 0x48000003, { 0, 0, ADDR24, 0 }, -1 },
		{ 0x40820001, { 0, 0, REL14, 0 }, -1 },
		{ 0x40820002, { 0, 0, REL14, 0 }, -1 },
		{ 0x40820000, { 0, 0, REL24, 0 }, -1 },
		{ 0x48000001, { 0, 0, REL14, 0 }, -1 },
		/* No branch: bctrl, mtctr, addis, ld. */
		{ 0x4e800421, { 0, 0, PLTCALL, 0 }, -1 },
		{ 0x7d8903a6, { 0, 0, PLTSEQ, 0 }, -1 },
		{ 0x3d220000, { 0, 0, TOC16_HA, 0 }, -1 },
		{ 0x3d200000, { 0, 0, ADDR16_HA, 0 }, -1 },
		{ 0xe9220000, { 0, 0, GOT16_DS, 0 }, -1 },
		{ 0x60000000, { 0, 0, REL24, 0 }, -1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct site_shape shape;
		struct refusal refusal = { 0 };
		uint8_t text[4];
		bool found;

		if (!arch_reloc_is_known(arch, rows[i].r.type))
			continue;
		put(arch, &rows[i].word, 1, text);
		found = arch->scan->find_site(arch, text, 4, RELOC(rows[i].r),
					      &shape);
		if (!CHECK(found == (rows[i].form >= 0)))
			printf("\t%zu\n", i);
		if (found) {
			CHECK((int)shape.form == rows[i].form &&
			      shape.back == 0 && shape.length == 4);
			continue;
		}
		refusal = scan_explain_refusal(arch, text, 4, RELOC(rows[i].r));
		CHECK(refusal.what != NULL && refusal.remedy != NULL);
		CHECK(refusal.length == 4);
	}
}

/* Each disabled form: nothing of it goes to a stub. */
static void test_disabled(const struct arch *arch)
{
	static const struct {
		uint32_t before;
		enum site_form form;
		bool is_enabled;
		uint32_t after; /* 0: none */
	} rows[] = {
		{ 0x48000001, FORM_CALL, false, 0x60000000 }, /* nop */
		{ 0x48000001, FORM_CALL, true, 0x38600000 },  /* li r3,0 */
		{ 0x48000000, FORM_TAIL, false, 0x4e800020 }, /* blr */
		{ 0x48000000, FORM_TAIL, true, 0 },
		{ 0x40820000, FORM_COND, false, 0x4c820020 }, /* bnelr */
		{ 0x41e20000, FORM_COND, false, 0x4de20020 }, /* beqlr+ */
		{ 0x42000000, FORM_COND, false, 0x4e000020 }, /* bdnzlr */
		{ 0x40820000, FORM_COND, true, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t text[4], expected[4], bytes[DISABLED_MAX];
		struct code code = { text, 4, 0 };
		struct branch branch;
		unsigned length;

		put(arch, &rows[i].before, 1, text);
		put(arch, &rows[i].after, 1, expected);
		length = arch->disable(arch, rows[i].form, rows[i].is_enabled,
				       &code, 0, bytes);
		if (!CHECK(length == (rows[i].after ? 4 : 0)) || length == 0)
			continue;
		CHECK(memcmp(bytes, expected, 4) == 0);
		code.bytes = bytes;
		CHECK(!arch->decode_branch(arch, &code, 0, &branch));
	}
}

static void test_boundary(void)
{
	/* nop; pla r12,0x1000; nop */
	static const uint32_t words[] = { 0x60000000, 0x06100000, 0x39801000,
					  0x60000000 };
	uint8_t bytes[16];
	const struct code code = { bytes, 16, 0 };

	put(LE, words, 4, bytes);
	CHECK(arch_ppc64le.is_boundary(LE, &code, 0, 4));
	CHECK(!arch_ppc64le.is_boundary(LE, &code, 0, 8));
	CHECK(arch_ppc64le.is_boundary(LE, &code, 0, 12));
	CHECK(!arch_ppc64le.is_boundary(LE, &code, 0, 2));
}

/* st_other of ELFv2: where calls that share the TOC come in. */
static void test_local_entry(void)
{
	static const unsigned entries[] = { 0, 0, 4, 8, 16, 32, 64, 0 };

	for (unsigned i = 0; i < 8; i++)
		CHECK(arch_ppc64le.local_entry(i << 5 | 2) == entries[i]);
}

/* What a function makes of r2 before its local entry, if anything. */
static void test_sets_got(const struct arch *arch)
{
	static const struct {
		uint32_t words[2];
		uint64_t got; /* 0: its bytes do not tell */
	} rows[] = {
		/* addis r2,r12,2; addi r2,r2,-4 */
		{ { 0x3c4c0002, 0x3842fffc }, 0x10000000 + 0x1fffc },
		/* addis r2,r12,-1; addi r2,r2,0x7fff */
		{ { 0x3c4cffff, 0x38427fff }, 0x10000000 - 0x8001 },
		/* lis r2,0x1003; addi r2,r2,-0x8000 */
		{ { 0x3c401003, 0x38428000 }, 0x10028000 },
		/* ld r2,-8(r12); add r2,r2,r12: the large code model */
		{ { 0xe84cfff8, 0x7c426214 }, 0 },
		/* addis r2,r11,2; lis r3; addi r2,r3; addi r3,r2 */
		{ { 0x3c4b0002, 0x38420000 }, 0 },
		{ { 0x3c601003, 0x38420000 }, 0 },
		{ { 0x3c401003, 0x38430000 }, 0 },
		{ { 0x3c401003, 0x38620000 }, 0 },
		{ { 0x60000000, 0x60000000 }, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t bytes[12] = { 0 };
		struct code code = { bytes, 12, 0x10000000 - 4 };
		uint64_t got = 0;
		bool found;

		put(arch, rows[i].words, 2, bytes + 4);
		found = arch->sets_got(arch, &code, 4, &got);
		CHECK(found == (rows[i].got != 0) && got == rows[i].got);
		code.size = 11;
		CHECK(!arch->sets_got(arch, &code, 4, &got));
		CHECK(!arch->sets_got(arch, &code, 12, &got));
	}
}

/* The same of r30, in 32 bits, where others stand between. */
static void test_sets_r30(void)
{
	static const struct {
		uint32_t words[8];
		uint64_t got; /* 0: its bytes do not tell */
	} rows[] = {
		/* stwu r1,-16(r1); mflr r0; bcl; stw r30,8(r1); mflr r30;
		   addis r30,r30,2; stmw r30,8(r1); addi r30,r30,-4 */
		{ { 0x9421fff0, 0x7c0802a6, 0x429f0005, 0x93c10008, 0x7fc802a6,
		    0x3fde0002, 0xbfc10008, 0x3bdefffc },
		  0x1000c + 0x1fffc },
		/* bcl; mflr r30; addis r30,r30,-1; addi r30,r30,0x7fff */
		{ { 0x429f0005, 0x7fc802a6, 0x3fdeffff, 0x3bde7fff }, 0x8003 },
		/* no bcl, or to somewhere else */
		{ { 0x7fc802a6, 0x3fde0002, 0x3bde0000 }, 0 },
		{ { 0x429f0009, 0x7fc802a6, 0x3fde0002, 0x3bde0000 }, 0 },
		/* mtlr r0, or a call, between */
		{ { 0x429f0005, 0x7c0803a6, 0x7fc802a6, 0x3fde0002,
		    0x3bde0000 },
		  0 },
		{ { 0x429f0005, 0x7fc802a6, 0x48000001, 0x3fde0002,
		    0x3bde0000 },
		  0 },
		/* addi before addis; lwz r30; add r30,r4,r30; lmw r29 */
		{ { 0x429f0005, 0x7fc802a6, 0x3bde0000, 0x3fde0002 }, 0 },
		{ { 0x429f0005, 0x7fc802a6, 0x83c10008, 0x3fde0002,
		    0x3bde0000 },
		  0 },
		{ { 0x429f0005, 0x7fc802a6, 0x7fc4f214, 0x3fde0002,
		    0x3bde0000 },
		  0 },
		{ { 0x429f0005, 0x7fc802a6, 0xbba10008, 0x3fde0002,
		    0x3bde0000 },
		  0 },
		/* stwu r3,8(r30); or r30,r3,r4 */
		{ { 0x429f0005, 0x7fc802a6, 0x947e0008, 0x3fde0002,
		    0x3bde0000 },
		  0 },
		{ { 0x429f0005, 0x7fc802a6, 0x7c7e2378, 0x3fde0002,
		    0x3bde0000 },
		  0 },
	};
	const struct arch *arch = &arch_ppc32;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t bytes[32];
		struct code code = { bytes, 32, 0x10000 };
		uint64_t got = 0;
		bool found;

		put(arch, rows[i].words, 8, bytes);
		found = arch->sets_got(arch, &code, 0, &got);
		if (!CHECK(found == (rows[i].got != 0)) ||
		    !CHECK(!found || got == rows[i].got))
			printf("\trow %zu\n", i);
		code.size = 11;
		CHECK(!arch->sets_got(arch, &code, 0, &got));
	}
}

/* --- Stubs of linkers -------------------------------------------------- */

#define TOC 0x10028000

static const struct {
	const char *what;
	uint32_t words[WORDS_MAX];
	size_t n;
	bool is_slot;
	uint64_t target; /* 0: none; the code is at 0x10000000 */
} stubs[] = {
	{ "nop; pla r12,0x1000; b to there",
	  { 0x60000000, 0x06100000, 0x39801000, 0x48000ff8 },
	  4,
	  false,
	  0x10001004 },
	{ "nop; nop; pla r12,0x1000; b to there",
	  { 0x60000000, 0x60000000, 0x06100000, 0x39801000, 0x48000ff8 },
	  5,
	  false,
	  0 },
	{ "ELFv1, PLT: std r2,40(r1); ld r12,8(r2); mtctr r12; ld r11,24(r2); "
	  "ld r2,16(r2); bctr",
	  { 0xf8410028, 0xe9820008, 0x7d8903a6, 0xe9620018, 0xe8420010,
	    0x4e800420 },
	  6,
	  true,
	  TOC + 8 },
	{ "ELFv1, PLT: std r2,40(r1); addis r11,r2,1; ld r12,-8(r11); mtctr "
	  "r12; ld r2,0(r11); bctr",
	  { 0xf8410028, 0x3d620001, 0xe98bfff8, 0x7d8903a6, 0xe84b0000,
	    0x4e800420 },
	  6,
	  true,
	  TOC + 0xfff8 },
	{ "ELFv1, PLT: addis r11,r2,1; addi r11,r11,-8; ld r12,0(r11); mtctr "
	  "r12; ld r2,8(r11); bctr",
	  { 0x3d620001, 0x396bfff8, 0xe98b0000, 0x7d8903a6, 0xe84b0008,
	    0x4e800420 },
	  6,
	  true,
	  TOC + 0xfff8 },
	{ "ELFv1, PLT: std r2,40(r1); ld r12,8(r2); mtctr r12; ld r2,16(r2); "
	  "cmpldi r2,0; bnectr+; b .+4; li r0,0",
	  { 0xf8410028, 0xe9820008, 0x7d8903a6, 0xe8420010, 0x28220000,
	    0x4ce20420, 0x48000004, 0x38000000 },
	  8,
	  true,
	  TOC + 8 },
	{ "ELFv1, the loader's code is another: nop",
	  { 0xf8410028, 0xe9820008, 0x7d8903a6, 0xe8420010, 0x28220000,
	    0x4ce20420, 0x48000004, 0x60000000 },
	  8,
	  false,
	  0 },
	{ "ELFv1, the TOC of another descriptor: ld r2,32(r2)",
	  { 0xf8410028, 0xe9820008, 0x7d8903a6, 0xe8420020, 0x4e800420 },
	  5,
	  false,
	  0 },
	{ "ELFv1, no TOC: ld r11,24(r2)",
	  { 0xf8410028, 0xe9820008, 0x7d8903a6, 0xe9620018, 0x4e800420 },
	  5,
	  false,
	  0 },
	{ "ELFv1, far: ld r12,8(r2); mtctr r12; bctr",
	  { 0xe9820008, 0x7d8903a6, 0x4e800420 },
	  3,
	  true,
	  TOC + 8 },
	{ "a descriptor in ELFv2",
	  { 0xf8410028, 0xe9820008, 0x7d8903a6, 0xe9620018, 0xe8420010,
	    0x4e800420 },
	  6,
	  false,
	  0 },
	{ "32 bits, PLT: lis r11,0x1002; lwz r11,8(r11); mtctr r11; bctr",
	  { 0x3d601002, 0x816b0008, 0x7d6903a6, 0x4e800420 },
	  4,
	  true,
	  0x10020008 },
	{ "32 bits, PLT: lwz r11,8(r30); mtctr r11; bctr",
	  { 0x817e0008, 0x7d6903a6, 0x4e800420 },
	  3,
	  true,
	  TOC + 8 },
	{ "32 bits: lis r12,0x1800; addi r12,r12,-8; mtctr r12; bctr",
	  { 0x3d801800, 0x398cfff8, 0x7d8903a6, 0x4e800420 },
	  4,
	  false,
	  0x17fffff8 },
	{ "32 bits: mflr r0; bcl 20,31,.+4; mflr r12; addis r12,r12,1; addi "
	  "r12,r12,8; mtlr r0; mtctr r12; bctr",
	  { 0x7c0802a6, 0x429f0005, 0x7d8802a6, 0x3d8c0001, 0x398c0008,
	    0x7c0803a6, 0x7d8903a6, 0x4e800420 },
	  8,
	  false,
	  0x10010010 },
	{ "32 bits, without mtlr r0",
	  { 0x7c0802a6, 0x429f0005, 0x7d8802a6, 0x3d8c0001, 0x398c0008,
	    0x7d8903a6, 0x4e800420 },
	  7,
	  false,
	  0 },
	{ "32 bits: lis r9,0x1800; addi r9,r9,-8; mtctr r9; bctr",
	  { 0x3d201800, 0x3929fff8, 0x7d2903a6, 0x4e800420 },
	  4,
	  false,
	  0 },
	{ "PLT: std r2,24(r1); addis r12,r2,-1; ld r12,-32768(r12); mtctr "
	  "r12; bctr",
	  { 0xf8410018, 0x3d82ffff, 0xe98c8000, 0x7d8903a6, 0x4e800420 },
	  5,
	  true,
	  TOC - 0x10000 - 0x8000 },
	{ "PLT, near: ld r12,-32760(r2); mtctr r12; bctr",
	  { 0xe9828008, 0x7d8903a6, 0x4e800420 },
	  3,
	  true,
	  TOC - 0x7ff8 },
	{ "PLT of version 3.1: pld r12,0x1000; mtctr r12; bctr",
	  { 0x04100000, 0xe5801000, 0x7d8903a6, 0x4e800420 },
	  4,
	  true,
	  0x10001000 },
	{ "without r2: mflr r12; bcl 20,31,.+4; mflr r11; mtlr r12; addis "
	  "r12,r11,1; ld r12,8(r12); mtctr r12; bctr",
	  { 0x7d8802a6, 0x429f0005, 0x7d6802a6, 0x7d8803a6, 0x3d8b0001,
	    0xe98c0008, 0x7d8903a6, 0x4e800420 },
	  8,
	  true,
	  0x10010010 },
	{ "the same with an address: addi r12,r12,8",
	  { 0x7d8802a6, 0x429f0005, 0x7d6802a6, 0x7d8803a6, 0x3d8b0001,
	    0x398c0008, 0x7d8903a6, 0x4e800420 },
	  8,
	  false,
	  0x10010010 },
	{ "std r2,24(r1); addis r12,r2,2047; addi r12,r12,8; mtctr r12; bctr",
	  { 0xf8410018, 0x3d8207ff, 0x398c0008, 0x7d8903a6, 0x4e800420 },
	  5,
	  false,
	  TOC + 0x7ff0008 },
	{ "pla r12,0x1000; mtctr r12; bctr",
	  { 0x06100000, 0x39801000, 0x7d8903a6, 0x4e800420 },
	  4,
	  false,
	  0x10001000 },
	{ "pla r12,0x1000; b .+0xff8",
	  { 0x06100000, 0x39801000, 0x48000ff8 },
	  3,
	  false,
	  0x10001000 },
	{ "std r2,24(r1); b .+0x1000",
	  { 0xf8410018, 0x48001000 },
	  2,
	  false,
	  0x10001004 },
	{ "std r2,24(r1); addis r2,r2,1; addi r2,r2,-8; b .+0x1000",
	  { 0xf8410018, 0x3c420001, 0x3842fff8, 0x48001000 },
	  4,
	  false,
	  0x1000100c },
	/* What functions begin or end with. */
	{ "a plain jump: b .+0x1000", { 0x48001000 }, 1, false, 0 },
	{ "pla r12,0x1000; b elsewhere",
	  { 0x06100000, 0x39801000, 0x48000ff0 },
	  3,
	  false,
	  0 },
	{ "std r2,24(r1); bl .+0x1000",
	  { 0xf8410018, 0x48001001 },
	  2,
	  false,
	  0 },
	{ "addis r2,r12,1; addi r2,r2,-8; b .+0x1000",
	  { 0x3c4c0001, 0x3842fff8, 0x48001000 },
	  3,
	  false,
	  0 },
	{ "mtlr r0; b .+0x1000", { 0x7c0803a6, 0x48001000 }, 2, false, 0 },
	{ "addis r2,r2,1; b .+0x1000: nothing saved r2",
	  { 0x3c420001, 0x48001000 },
	  2,
	  false,
	  0 },
	{ "ld r12,-32760(r2); mtctr r12; bctrl",
	  { 0xe9828008, 0x7d8903a6, 0x4e800421 },
	  3,
	  false,
	  0 },
	{ "ld r12,-32760(r2); mtctr r11; bctr",
	  { 0xe9828008, 0x7d6903a6, 0x4e800420 },
	  3,
	  false,
	  0 },
	{ "ld r12,-32760(r3); mtctr r12; bctr",
	  { 0xe9838008, 0x7d8903a6, 0x4e800420 },
	  3,
	  false,
	  0 },
	{ "mflr r12; bcl 20,31,.+8: another address",
	  { 0x7d8802a6, 0x429f0009, 0x7d6802a6, 0x7d8803a6, 0x3d8b0001,
	    0x398c0008, 0x7d8903a6, 0x4e800420 },
	  8,
	  false,
	  0 },
};

static void test_stubs(void)
{
	for (size_t i = 0; i < sizeof(stubs) / sizeof(stubs[0]); i++) {
		uint8_t bytes[4 * WORDS_MAX];
		struct code code = { bytes, 4 * stubs[i].n, 0x10000000 };
		uint64_t slot = 0, target = 0;
		const struct arch *arch =
			strncmp(stubs[i].what, "32 bits", 7) == 0 ? PPC32
			: strncmp(stubs[i].what, "ELFv1", 5) == 0 ? V1
								  : LE;
		bool is_slot;
		unsigned length;

		put(arch, stubs[i].words, stubs[i].n, bytes);
		is_slot = arch->decode_plt(arch, &code, 0, TOC, &slot);
		length = arch->decode_veneer(arch, &code, 0, TOC, &target);
		if (!CHECK(is_slot == stubs[i].is_slot) ||
		    !CHECK(slot == (is_slot ? stubs[i].target : 0)) ||
		    !CHECK(length == (stubs[i].target != 0 && !is_slot
					      ? 4 * stubs[i].n
					      : 0)) ||
		    (length > 0 && !CHECK(target == stubs[i].target)))
			printf("\t%s: 0x%llx\n", stubs[i].what,
			       (unsigned long long)(is_slot ? slot : target));
		/* Cut off, it is none. */
		code.size -= 4;
		CHECK(!arch->decode_plt(arch, &code, 0, TOC, &slot));
		CHECK(!arch->decode_veneer(arch, &code, 0, TOC, &target));
	}
}

/* --- What linkers rewrite ---------------------------------------------- */

struct rewrite {
	const char *what;
	uint32_t type;
	uint32_t before[2], after[2];
	unsigned start, end; /* of the range; the same if it is no rewrite */
	uint64_t offset;
};

static const struct rewrite rewrites_v1[] = {
	{ "bl; nop -> bl; ld r2,40(r1)",
	  REL24,
	  { 0x48000001, 0x60000000 },
	  { 0x48000101, 0xe8410028 },
	  4,
	  8 },
	{ "bl; nop -> bl; ld r2,24(r1)",
	  REL24,
	  { 0x48000001, 0x60000000 },
	  { 0x48000101, 0xe8410018 },
	  0,
	  0 },
	{ "addis r9,r2 -> nop",
	  TOC16_HA,
	  { 0x3d220000, 0x60000000 },
	  { 0x60000000, 0x60000000 },
	  0,
	  4 },
};

static const struct rewrite rewrites64[] = {
	{ "bl; nop -> bl; ld r2,24(r1)",
	  REL24,
	  { 0x48000001, 0x60000000 },
	  { 0x48000101, 0xe8410018 },
	  4,
	  8 },
	{ "bl; nop -> bl; ld r2,40(r1)",
	  REL24,
	  { 0x48000001, 0x60000000 },
	  { 0x48000101, 0xe8410028 },
	  0,
	  0 },
	{ "bl -> nop",
	  REL24,
	  { 0x48000001, 0x60000000 },
	  { 0x60000000, 0x60000000 },
	  0,
	  4 },
	{ "b -> nop",
	  REL24,
	  { 0x48000000, 0x60000000 },
	  { 0x60000000, 0x60000000 },
	  0,
	  0 },
	{ "b -> nop",
	  REL24_NOTOC,
	  { 0x48000000, 0x60000000 },
	  { 0x60000000, 0x60000000 },
	  0,
	  4 },
	{ "bl; nop -> bl; ld r2,24(r1)",
	  REL24_NOTOC,
	  { 0x48000001, 0x60000000 },
	  { 0x48000101, 0xe8410018 },
	  0,
	  0 },
	{ "b; nop -> b; ld r2,24(r1)",
	  REL24,
	  { 0x48000000, 0x60000000 },
	  { 0x48000100, 0xe8410018 },
	  0,
	  0 },
	{ "addis r9,r2 -> nop",
	  TOC16_HA,
	  { 0x3d220000, 0x60000000 },
	  { 0x60000000, 0x60000000 },
	  0,
	  4 },
	{ "addis r9,r2 -> li r9,0",
	  TOC16_HA,
	  { 0x3d220000, 0x60000000 },
	  { 0x39200000, 0x60000000 },
	  0,
	  0 },
	{ "lwz r3,0(r9) -> lwz r3,8(r2)",
	  TOC16_LO,
	  { 0x80690000, 0x60000000 },
	  { 0x80620008, 0x60000000 },
	  0,
	  4 },
	{ "lwz r3,0(r9) -> lwz r4,8(r2)",
	  TOC16_LO,
	  { 0x80690000, 0x60000000 },
	  { 0x80820008, 0x60000000 },
	  0,
	  0 },
	{ "lwz r3,0(r9) -> lwz r3,8(r8)",
	  TOC16_LO,
	  { 0x80690000, 0x60000000 },
	  { 0x80680008, 0x60000000 },
	  0,
	  0 },
	{ "ld r3,0(r9) -> addi r3,r9,8",
	  TOC16_LO_DS,
	  { 0xe8690000, 0x60000000 },
	  { 0x38690008, 0x60000000 },
	  0,
	  4 },
	{ "ld r3,0(r9) -> addi r3,r2,8",
	  TOC16_LO_DS,
	  { 0xe8690000, 0x60000000 },
	  { 0x38620008, 0x60000000 },
	  0,
	  4 },
	{ "ld r3,0(r9) -> lwa r3,8(r2)",
	  TOC16_LO_DS,
	  { 0xe8690000, 0x60000000 },
	  { 0xe862000a, 0x60000000 },
	  0,
	  0 },
	{ "ld r3,0(r9) -> addi r4,r9,8",
	  TOC16_LO_DS,
	  { 0xe8690000, 0x60000000 },
	  { 0x38890008, 0x60000000 },
	  0,
	  0 },
	{ "addis r2,r12 -> lis r2",
	  REL16_HA,
	  { 0x3c4c0000, 0x38420000 },
	  { 0x3c401002, 0x38420000 },
	  0,
	  4 },
	{ "addis r2,r12 -> lis r3",
	  REL16_HA,
	  { 0x3c4c0000, 0x38420000 },
	  { 0x3c601002, 0x38420000 },
	  0,
	  0 },
	{ "addi r3,r3 -> addis r3,r13",
	  GOT_TLSGD16_LO,
	  { 0x38630000, 0x48000001 },
	  { 0x3c6d0000, 0x48000001 },
	  0,
	  4 },
	{ "bl; nop -> nop; addi r3,r3,-28672",
	  TLSGD,
	  { 0x48000001, 0x60000000 },
	  { 0x60000000, 0x38639000 },
	  0,
	  8 },
	{ "bl; nop -> addi r3,r13,-28672; nop",
	  TLSGD,
	  { 0x48000001, 0x60000000 },
	  { 0x386d9000, 0x60000000 },
	  0,
	  4 },
	{ "bl -> blr",
	  TLSGD,
	  { 0x48000001, 0x60000000 },
	  { 0x4e800020, 0x60000000 },
	  0,
	  0 },
	{ "lwzx r3,r9,r13 -> lwz r3,8(r9)",
	  TLS,
	  { 0x7c69682e, 0x60000000 },
	  { 0x80690008, 0x60000000 },
	  0,
	  4 },
	{ "lwzx r3,r9,r13 -> lbz r3,8(r9)",
	  TLS,
	  { 0x7c69682e, 0x60000000 },
	  { 0x88690008, 0x60000000 },
	  0,
	  0 },
	{ "lwzx r3,r9,r12 -> lwz r3,8(r9)",
	  TLS,
	  { 0x7c69602e, 0x60000000 },
	  { 0x80690008, 0x60000000 },
	  0,
	  0 },
	{ "lfdx f1,r9,r13 -> lfd f1,8(r9)",
	  TLS,
	  { 0x7c296cae, 0x60000000 },
	  { 0xc8290008, 0x60000000 },
	  0,
	  4 },
	{ "lfsx f1,r9,r13 -> lfs f1,8(r9)",
	  TLS,
	  { 0x7c296c2e, 0x60000000 },
	  { 0xc0290008, 0x60000000 },
	  0,
	  4 },
	{ "stfdx f1,r9,r13 -> stfd f1,8(r13)",
	  TLS,
	  { 0x7c296dae, 0x60000000 },
	  { 0xd82d0008, 0x60000000 },
	  0,
	  4 },
	{ "stfsx f1,r9,r13 -> stfs f1,8(r9)",
	  TLS,
	  { 0x7c296d2e, 0x60000000 },
	  { 0xd0290008, 0x60000000 },
	  0,
	  4 },
	{ "stfsx f1,r9,r13 -> stfd f1,8(r9)",
	  TLS,
	  { 0x7c296d2e, 0x60000000 },
	  { 0xd8290008, 0x60000000 },
	  0,
	  0 },
	{ "lwzux r3,r9,r13 -> lwzu r3,8(r9)",
	  TLS,
	  { 0x7c69686e, 0x60000000 },
	  { 0x84690008, 0x60000000 },
	  0,
	  4 },
	{ "lwzux r3,r9,r13 -> lwzu r3,8(r13)",
	  TLS,
	  { 0x7c69686e, 0x60000000 },
	  { 0x846d0008, 0x60000000 },
	  0,
	  0 },
	{ "ldux r3,r9,r13 -> ldu r3,8(r9)",
	  TLS,
	  { 0x7c69686a, 0x60000000 },
	  { 0xe8690009, 0x60000000 },
	  0,
	  4 },
	{ "ldx r3,r9,r13 -> ldu r3,8(r9)",
	  TLS,
	  { 0x7c69682a, 0x60000000 },
	  { 0xe8690009, 0x60000000 },
	  0,
	  0 },
	{ "stdx r3,r9,r13 -> std r3,8(r9)",
	  TLS,
	  { 0x7c69692a, 0x60000000 },
	  { 0xf8690008, 0x60000000 },
	  0,
	  4 },
	{ "lwax r3,r9,r13 -> lwa r3,8(r9)",
	  TLS,
	  { 0x7c696aaa, 0x60000000 },
	  { 0xe869000a, 0x60000000 },
	  0,
	  4 },
	{ "lwax r3,r9,r13 -> lwa r3,8(r9)",
	  TLS,
	  { 0x7c696aaa, 0x60000000 },
	  { 0xe869000b, 0x60000000 },
	  0,
	  0 },
	{ "add r3,r13,r9 -> addi r3,r9,8",
	  TLS,
	  { 0x7c6d4a14, 0x60000000 },
	  { 0x38690008, 0x60000000 },
	  0,
	  4 },
	{ "add r3,r9,r13 -> nop",
	  TLS,
	  { 0x7c696a14, 0x60000000 },
	  { 0x60000000, 0x60000000 },
	  0,
	  0 },
	{ "add r3,r3,r13 -> nop",
	  TLS,
	  { 0x7c636a14, 0x60000000 },
	  { 0x60000000, 0x60000000 },
	  0,
	  0 },
	{ "add r3,r3,r13 -> nop, PC-relative",
	  TLS,
	  { 0x7c636a14, 0x60000000 },
	  { 0x60000000, 0x60000000 },
	  0,
	  4,
	  1 },
	{ "add r3,r9,r13 -> mr r3,r9, PC-relative",
	  TLS,
	  { 0x7c696a14, 0x60000000 },
	  { 0x7d234b78, 0x60000000 },
	  0,
	  4,
	  1 },
	{ "add r3,r9,r13 -> mr r3,r8, PC-relative",
	  TLS,
	  { 0x7c696a14, 0x60000000 },
	  { 0x7d034378, 0x60000000 },
	  0,
	  0,
	  1 },
	{ "add r3,r9,r13 -> nop, PC-relative",
	  TLS,
	  { 0x7c696a14, 0x60000000 },
	  { 0x60000000, 0x60000000 },
	  0,
	  0,
	  1 },
	{ "add r3,r9,r13 -> addi r3,r9,8, PC-relative",
	  TLS,
	  { 0x7c696a14, 0x60000000 },
	  { 0x38690008, 0x60000000 },
	  0,
	  0,
	  1 },
	{ "lwzx r3,r9,r13 -> lwz r3,0(r9), PC-relative",
	  TLS,
	  { 0x7c69682e, 0x60000000 },
	  { 0x80690000, 0x60000000 },
	  0,
	  4,
	  1 },
	{ "lwzx r3,r9,r13 -> lwz r3,8(r9), PC-relative",
	  TLS,
	  { 0x7c69682e, 0x60000000 },
	  { 0x80690008, 0x60000000 },
	  0,
	  0,
	  1 },
	{ "ld r4,0(r3) -> ld r4,16(r13)",
	  TPREL16_LO_DS,
	  { 0xe8830000, 0x60000000 },
	  { 0xe88d0010, 0x60000000 },
	  0,
	  4 },
	{ "ld r4,0(r3) -> ldu r4,16(r13)",
	  TPREL16_LO_DS,
	  { 0xe8830000, 0x60000000 },
	  { 0xe88d0011, 0x60000000 },
	  0,
	  0 },
	{ "ld r4,0(r3) -> lwa r4,16(r13)",
	  TPREL16_LO_DS,
	  { 0xe8830000, 0x60000000 },
	  { 0xe88d0012, 0x60000000 },
	  0,
	  0 },
	{ "ld r4,0(r3) -> ld r4,16(r2)",
	  GOT_DTPREL16_LO_DS,
	  { 0xe8830000, 0x60000000 },
	  { 0xe8820010, 0x60000000 },
	  0,
	  4 },
	{ "ld r4,0(r3) -> ldu r4,16(r2)",
	  GOT_DTPREL16_LO_DS,
	  { 0xe8830000, 0x60000000 },
	  { 0xe8820011, 0x60000000 },
	  0,
	  0 },
	{ "ld r4,0(r3) -> addi r4,r2,16",
	  GOT_DTPREL16_LO_DS,
	  { 0xe8830000, 0x60000000 },
	  { 0x38820010, 0x60000000 },
	  0,
	  0 },
	{ "lwzu r4,0(r3) -> lwzu r4,16(r2)",
	  TOC16_LO,
	  { 0x84830000, 0x60000000 },
	  { 0x84820010, 0x60000000 },
	  0,
	  0 },
	{ "addic r4,r3,0 -> addi r4,r2,16",
	  TOC16_LO,
	  { 0x30830000, 0x60000000 },
	  { 0x38820010, 0x60000000 },
	  0,
	  4 },
	{ "addi r24,r24 -> nop",
	  GOT_TLSGD16_LO,
	  { 0x3b180000, 0x60000000 },
	  { 0x60000000, 0x60000000 },
	  0,
	  4 },
	{ "addi r24,r24 -> ld r24,8(r24)",
	  GOT_TLSGD16_LO,
	  { 0x3b180000, 0x60000000 },
	  { 0xeb180008, 0x60000000 },
	  0,
	  4 },
	{ "addi r24,r24 -> ld r24,8(r2)",
	  GOT_TLSGD16_LO,
	  { 0x3b180000, 0x60000000 },
	  { 0xeb020008, 0x60000000 },
	  0,
	  4 },
	{ "addi r24,r24 -> ld r3,8(r24)",
	  GOT_TLSGD16_LO,
	  { 0x3b180000, 0x60000000 },
	  { 0xe8780008, 0x60000000 },
	  0,
	  0 },
	{ "pla r3 -> pld r3",
	  GOT_TLSGD_PCREL34,
	  { 0x06100000, 0x38600000 },
	  { 0x04100001, 0xe4600008 },
	  0,
	  8 },
	{ "pla r3 -> pstd r3",
	  GOT_TLSGD_PCREL34,
	  { 0x06100000, 0x38600000 },
	  { 0x04100001, 0xf4600008 },
	  0,
	  0 },
	{ "pla r3 -> plwa r3",
	  GOT_TLSGD_PCREL34,
	  { 0x06100000, 0x38600000 },
	  { 0x04100001, 0xa4600008 },
	  0,
	  0 },
	{ "addi r24,r24 -> addis r24,r13",
	  GOT_TLSGD16_LO,
	  { 0x3b180000, 0x60000000 },
	  { 0x3f0d0001, 0x60000000 },
	  0,
	  4 },
	{ "addi r24,r24 -> addis r3,r13",
	  GOT_TLSGD16_LO,
	  { 0x3b180000, 0x60000000 },
	  { 0x3c6d0001, 0x60000000 },
	  0,
	  0 },
	{ "bl -> addi r3,r3,-28672",
	  TLSGD,
	  { 0x48000001, 0x60000000 },
	  { 0x38639000, 0x60000000 },
	  0,
	  4 },
	{ "bl -> addi r3,r4,-28672",
	  TLSGD,
	  { 0x48000001, 0x60000000 },
	  { 0x38649000, 0x60000000 },
	  0,
	  0 },
	{ "pld r3,0 -> pla r3,0x10008",
	  GOT_PCREL34,
	  { 0x04100000, 0xe4600000 },
	  { 0x06100001, 0x38600008 },
	  0,
	  8 },
	{ "pld r3,0 -> pla r4,0x10008",
	  GOT_PCREL34,
	  { 0x04100000, 0xe4600000 },
	  { 0x06100001, 0x38800008 },
	  0,
	  0 },
	{ "pld r3,0 -> paddi r3,r4,0x10008",
	  GOT_PCREL34,
	  { 0x04100000, 0xe4600000 },
	  { 0x06000001, 0x38640008 },
	  0,
	  0 },
	{ "bctrl; ld r2,24(r1) -> bl; nop",
	  PLTCALL,
	  { 0x4e800421, 0xe8410018 },
	  { 0x48000101, 0x60000000 },
	  0,
	  8 },
	{ "mtctr r12 -> nop",
	  PLTSEQ,
	  { 0x7d8903a6, 0x4e800421 },
	  { 0x60000000, 0x4e800421 },
	  0,
	  4 },
	{ "beq -> beq+",
	  REL14_BRTAKEN,
	  { 0x41820000, 0x60000000 },
	  { 0x41e20100, 0x60000000 },
	  0,
	  4 },
	{ "beq -> bne",
	  REL14_BRTAKEN,
	  { 0x41820000, 0x60000000 },
	  { 0x40820100, 0x60000000 },
	  0,
	  0 },
	{ "beq -> beql",
	  REL14_BRTAKEN,
	  { 0x41820000, 0x60000000 },
	  { 0x41820101, 0x60000000 },
	  0,
	  0 },
};

static const struct rewrite rewrites32[] = {
	{ "bl; nop -> bl; lwz r2,24(r1)",
	  REL24,
	  { 0x48000001, 0x60000000 },
	  { 0x48000101, 0x80410018 },
	  0,
	  0 },
	{ "addi r3,r31 -> addis r3,r2",
	  GOT_TLSGD16,
	  { 0x387f0000, 0x48000001 },
	  { 0x3c620000, 0x48000001 },
	  0,
	  4 },
	{ "addi r3,r31 -> addis r3,r13",
	  GOT_TLSGD16,
	  { 0x387f0000, 0x48000001 },
	  { 0x3c6d0000, 0x48000001 },
	  0,
	  0 },
	{ "bl -> addi r3,r2,-28672",
	  TLSGD32,
	  { 0x48000001, 0x60000000 },
	  { 0x38629000, 0x60000000 },
	  0,
	  4 },
	{ "lwz r9,0(r9) -> addis r9,r2",
	  GOT_TPREL16,
	  { 0x81290000, 0x60000000 },
	  { 0x3d220000, 0x60000000 },
	  0,
	  4 },
	{ "lwz r9,0(r9) -> addis r8,r2",
	  GOT_TPREL16,
	  { 0x81290000, 0x60000000 },
	  { 0x3d020000, 0x60000000 },
	  0,
	  0 },
	{ "add r3,r3,r2 -> addi r3,r3,-28672",
	  TLS,
	  { 0x7c631214, 0x60000000 },
	  { 0x38639000, 0x60000000 },
	  0,
	  4 },
	{ "add r3,r3,r13 -> addi r3,r3,-28672",
	  TLS,
	  { 0x7c636a14, 0x60000000 },
	  { 0x38639000, 0x60000000 },
	  0,
	  0 },
	{ "bctrl -> bl",
	  PLTCALL,
	  { 0x4e800421, 0x60000000 },
	  { 0x48000101, 0x60000000 },
	  0,
	  4 },
	{ "lwz r11,0(r11) -> nop",
	  PLT16_LO,
	  { 0x816b0000, 0x60000000 },
	  { 0x60000000, 0x60000000 },
	  0,
	  4 },
};

static void test_rewrites(const struct arch *arch, const struct rewrite *rows,
			  size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t before[8], after[8];
		struct reloc r = { rows[i].offset, .type = rows[i].type };
		struct byte_range range = { 0, 0 };
		bool found;

		put(arch, rows[i].before, 2, before);
		put(arch, rows[i].after, 2, after);
		/* A halfword is the end of a big-endian instruction. */
		if (arch->is_big_endian && arch_reloc_width(arch, r.type) == 2)
			r.offset = 2;
		found = arch->is_rewrite(arch, before, after, 8, &r, &range);
		if (!CHECK(found == (rows[i].end > 0)) ||
		    (found && !CHECK(range.start == rows[i].start &&
				     range.end == rows[i].end)))
			printf("\t%s: [%d, %d)\n", rows[i].what,
			       (int)range.start, (int)range.end);
		/* A word of it that is not there explains nothing. */
		CHECK(!arch->is_rewrite(arch, before, after, 3, &r, &range));
	}
}

/* pld r9; nop; nop; lwz r3,4(r9) -> plwz r3; nop; nop; nop */
static void test_pcrel_opt(void)
{
	static const uint32_t words[] = { 0x04100000, 0xe5200000, 0x60000000,
					  0x60000000, 0x80690004 };
	static const uint32_t linked[] = { 0x06100001, 0x8060000c, 0x60000000,
					   0x60000000, 0x60000000 };
	static const uint32_t others[][2] = { { 0x06100001, 0x8860000c },
					      { 0x06100001, 0x9060000c },
					      { 0x06100001, 0x8080000c },
					      { 0x04100001, 0xe460000c } };
	uint8_t before[20], after[20];
	struct reloc got = { .type = GOT_PCREL34 };
	struct reloc opt = { .type = PCREL_OPT, .addend = 16 };
	struct byte_range range;

	put(LE, words, 5, before);
	put(LE, linked, 5, after);
	CHECK(arch_ppc64le.is_rewrite(LE, before, after, 20, &got, &range) &&
	      range.start == 0 && range.end == 8);
	CHECK(arch_ppc64le.is_rewrite(LE, before, after, 20, &opt, &range) &&
	      range.start == 16 && range.end == 20);
	/* plbz, pstw, plwz r4 and pld instead of plwz */
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		uint8_t other[20];

		memcpy(other, after, 20);
		put(LE, others[i], 2, other);
		CHECK(!arch_ppc64le.is_rewrite(LE, before, other, 20, &opt,
					       &range));
	}
	/* Another register; outside the section. */
	opt.addend = 20;
	CHECK(!arch_ppc64le.is_rewrite(LE, before, after, 20, &opt, &range));
	opt.addend = -16;
	CHECK(!arch_ppc64le.is_rewrite(LE, before, after, 20, &opt, &range));
	opt.addend = 12;
	CHECK(!arch_ppc64le.is_rewrite(LE, before, after, 20, &opt, &range));
}

/* --- Operands ---------------------------------------------------------- */

static unsigned nfound;
static uint64_t found_at;

static void note(void *ctx, uint64_t offset, uint64_t target)
{
	(void)ctx;
	(void)target;
	nfound++;
	found_at = offset;
}

static void test_operands(const struct arch *arch)
{
	/* bcl 20,31,.+4; mflr r9; addis r9,r9,1; addi r9,r9,-8 */
	static const uint32_t words[] = { 0x429f0005, 0x7d2802a6, 0x3d290001,
					  0x3929fff8 };
	/* pla r3,0x1000 */
	static const uint32_t pla[] = { 0x06100000, 0x38601000 };
	uint8_t bytes[16];
	struct code code = { bytes, 16, 0 };

	put(arch, words, 4, bytes);
	nfound = 0;
	arch->each_operand(arch, &code, 0xfffc, 0xfffc, note, NULL);
	CHECK(nfound == 1 && found_at == 12);
	/* Whether addis belongs to it is not known. */
	arch->each_operand(arch, &code, 0, 8, note, NULL);
	CHECK(nfound == 1);
	if (!arch->is_64)
		return;
	put(arch, pla, 2, bytes);
	code.size = 8;
	nfound = 0;
	arch->each_operand(arch, &code, 0x1000, 0x1000, note, NULL);
	CHECK(nfound == 1 && found_at == 0);
}

static void test_stub(const struct arch *arch)
{
	/* lis r0,0x1234; ori r0,r0,0x5678; li r3,0; blr */
	static const uint32_t words[] = { 0x3c001234, 0x60005678, 0x38600000,
					  0x4e800020 };
	uint8_t bytes[ARCH_STUB_MAX], expected[16];

	put(arch, words, 4, expected);
	CHECK(arch->make_stub(arch, 0, true, 0x12345678, bytes) == 16);
	CHECK(memcmp(bytes, expected, 16) == 0);
	CHECK(arch->make_stub(arch, 0, false, 0x12345678, bytes) == 12);
	CHECK(memcmp(bytes, expected, 8) == 0);
	CHECK(memcmp(bytes + 8, expected + 12, 4) == 0);
}

/*
 * Whether code forms the address of [0, 0x80]: an addi of what was given the
 * link register, in the same frame. The C library spills next to such bases.
 */
static void test_addresses(const struct arch *arch)
{
	static const struct {
		const char *what;
		uint32_t words[5];
		unsigned n;
	} rows[] = {
		{ "bcl; mflr r9; addi r3,r9,8",
		  { 0x429f0005, 0x7d2802a6, 0x38690008 },
		  1 },
		{ "bcl; mflr r9; addis r9,r9,0; addi r3,r9,8",
		  { 0x429f0005, 0x7d2802a6, 0x3d290000, 0x38690008 },
		  1 },
		{ "bcl; mflr r9; lwz r3,8(r9)",
		  { 0x429f0005, 0x7d2802a6, 0x80690008 },
		  0 },
		{ "bcl; mflr r9; addi r3,r10,8; stw r4,8(r10)",
		  { 0x429f0005, 0x7d2802a6, 0x386a0008, 0x908a0008 },
		  0 },
		{ "bcl; mflr r0; li r3,8",
		  { 0x429f0005, 0x7c0802a6, 0x38600008 },
		  0 },
		{ "bcl; mflr r9; stwu r1,-16(r1); addi r3,r9,8",
		  { 0x429f0005, 0x7d2802a6, 0x9421fff0, 0x38690008 },
		  0 },
		{ "bcl; mflr r9; stdu r1,-16(r1); addi r3,r9,8",
		  { 0x429f0005, 0x7d2802a6, 0xf821fff1, 0x38690008 },
		  0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t bytes[20];
		struct code code = { bytes, 20, 0 };

		put(arch, rows[i].words, 5, bytes);
		nfound = 0;
		arch->each_address(arch, &code, 0, 0x80, note, NULL);
		if (nfound != rows[i].n)
			fprintf(stderr, "%s: %u\n", rows[i].what, nfound);
		CHECK(nfound == rows[i].n);
	}
}

/* Where a function ends that code cannot run out of. */
static void test_ends(const struct arch *arch)
{
	static const struct {
		const char *what;
		uint32_t words[4];
		uint64_t end; /* or NO_END */
	} rows[] = {
		{ "blr",
		  { 0x60000000, 0x60000000, 0x60000000, 0x4e800020 },
		  16 },
		{ "bctr; nop",
		  { 0x60000000, 0x60000000, 0x4e800420, 0x60000000 },
		  12 },
		{ "b", { 0x60000000, 0x60000000, 0x60000000, 0x48000008 }, 16 },
		{ "bl",
		  { 0x60000000, 0x60000000, 0x60000000, 0x48000009 },
		  NO_END },
		{ "bctrl",
		  { 0x60000000, 0x60000000, 0x60000000, 0x4e800421 },
		  NO_END },
		{ "beqlr",
		  { 0x60000000, 0x60000000, 0x60000000, 0x4d820020 },
		  NO_END },
		{ "trap",
		  { 0x60000000, 0x60000000, 0x60000000, 0x7fe00008 },
		  NO_END },
		{ "blr; traceback table",
		  { 0x4e800020, 0, 0x00000001, 0x80010001 },
		  4 },
		{ "nothing",
		  { 0x60000000, 0x60000000, 0x60000000, 0x60000000 },
		  NO_END },
	};
	uint8_t bytes[16];
	const struct code code = { bytes, 16, 0 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put(arch, rows[i].words, 4, bytes);
		if (!CHECK(arch->find_end(arch, &code, 0, 16) == rows[i].end))
			printf("\t%s\n", rows[i].what);
	}
}

int main(void)
{
	for (size_t i = 0; i < NARCHES; i++) {
		test_decode(arches[i]);
		test_sites(arches[i]);
		test_disabled(arches[i]);
		test_operands(arches[i]);
		test_addresses(arches[i]);
		test_ends(arches[i]);
		test_stub(arches[i]);
	}
	test_rewrites(LE, rewrites64,
		      sizeof(rewrites64) / sizeof(rewrites64[0]));
	test_rewrites(BE, rewrites64,
		      sizeof(rewrites64) / sizeof(rewrites64[0]));
	test_rewrites(V1, rewrites_v1,
		      sizeof(rewrites_v1) / sizeof(rewrites_v1[0]));
	test_rewrites(PPC32, rewrites32,
		      sizeof(rewrites32) / sizeof(rewrites32[0]));
	test_order();
	test_boundary();
	test_local_entry();
	test_sets_got(&arch_ppc64le);
	test_sets_got(&arch_ppc64);
	test_sets_r30();
	test_stubs();
	test_pcrel_opt();
	return unit_status();
}
