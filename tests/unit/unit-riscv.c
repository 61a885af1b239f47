/* SPDX-License-Identifier: GPL-3.0-or-later */
/* RISC-V on literal bytes; the assembly beside them is objdump's. */
#include <config.h>

#include "arch/scan.h"
#include "arch/arch.h"
#include "arch/insn.h"
#include "elf/object.h"
#include "unit.h"

#define RV64 &arch_riscv64
#define RV32 &arch_riscv32

enum { CALL_PLT = 19, CALL = 18, JAL = 17, GOT_HI20 = 20, HI20 = 26 };
enum { PCREL_HI20 = 23, PCREL_LO12_I = 24, TPREL_HI20 = 29, TPREL_ADD = 32 };
enum { ALIGN = 43, RELAX = 51 };
enum { LO12_I = 27, TPREL_LO12_I = 30, TPREL_LO12_S = 31 };

static const struct {
	const char *assembly;
	const struct arch *arch;
	uint8_t bytes[8];
	size_t size;
	int form; /* or -1: no branch */
	unsigned length;
	uint64_t target; /* the code is at 0x10000 */
} branches[] = {
	{ "jal ra,10150 <- 10120",
	  RV64,
	  { 0xef, 0x00, 0x00, 0x03 },
	  4,
	  FORM_CALL,
	  4,
	  0x10030 },
	{ "j .-2 (32 bits)",
	  RV64,
	  { 0x6f, 0xf0, 0xff, 0xff },
	  4,
	  FORM_TAIL,
	  4,
	  0xfffe },
	{ "jal ra,.-0x2e8",
	  RV64,
	  { 0xef, 0xf0, 0x9f, 0xd1 },
	  4,
	  FORM_CALL,
	  4,
	  0xfd18 },
	{ "jal ra,.+0xffffe",
	  RV64,
	  { 0xef, 0xf0, 0xff, 0x7f },
	  4,
	  FORM_CALL,
	  4,
	  0x10fffe },
	{ "jal ra,.-0x100000",
	  RV64,
	  { 0xef, 0x00, 0x00, 0x80 },
	  4,
	  FORM_CALL,
	  4,
	  0xfffffffffff10000 },
	{ "jal ra,.+0x800",
	  RV64,
	  { 0xef, 0x00, 0x10, 0x00 },
	  4,
	  FORM_CALL,
	  4,
	  0x10800 },
	{ "c.j .+0", RV64, { 0x01, 0xa0 }, 2, FORM_TAIL, 2, 0x10000 },
	{ "c.j .-2", RV64, { 0xfd, 0xbf }, 2, FORM_TAIL, 2, 0xfffe },
	{ "c.j .+0x7fe", RV64, { 0xfd, 0xaf }, 2, FORM_TAIL, 2, 0x107fe },
	{ "c.j .-0x800", RV64, { 0x01, 0xb0 }, 2, FORM_TAIL, 2, 0xf800 },
	{ "c.jal .-2", RV32, { 0xfd, 0x3f }, 2, FORM_CALL, 2, 0xfffe },
	{ "c.addiw t6,-1: no branch in 64 bits",
	  RV64,
	  { 0xfd, 0x3f },
	  2,
	  -1,
	  0,
	  0 },
	{ "c.beqz a0,.-2", RV64, { 0x7d, 0xdd }, 2, FORM_COND, 2, 0xfffe },
	{ "beq zero,zero,.-2",
	  RV64,
	  { 0xe3, 0x0f, 0x00, 0xfe },
	  4,
	  FORM_COND,
	  4,
	  0xfffe },
	{ "auipc ra,0; jalr ra,0(ra)",
	  RV64,
	  { 0x97, 0, 0, 0, 0xe7, 0x80, 0, 0 },
	  8,
	  FORM_CALL,
	  8,
	  0x10000 },
	{ "auipc ra,0x10000; jalr -866(ra)",
	  RV64,
	  { 0x97, 0x00, 0x00, 0x10, 0xe7, 0x80, 0xe0, 0xc9 },
	  8,
	  FORM_CALL,
	  8,
	  0x1000fc9e },
	{ "auipc t1,0; jr t1",
	  RV64,
	  { 0x17, 0x03, 0, 0, 0x67, 0x00, 0x03, 0 },
	  8,
	  FORM_TAIL,
	  8,
	  0x10000 },
	{ "auipc t1,0; jr t0: another register",
	  RV64,
	  { 0x17, 0x03, 0, 0, 0x67, 0x80, 0x02, 0 },
	  8,
	  -1,
	  0,
	  0 },
	{ "auipc, cut off", RV64, { 0x97, 0, 0, 0, 0xe7, 0x80 }, 6, -1, 0, 0 },
	{ "ret", RV64, { 0x67, 0x80, 0x00, 0x00 }, 4, -1, 0, 0 },
	{ "c.nop", RV64, { 0x01, 0x00 }, 2, -1, 0, 0 },
};

static void test_decode(void)
{
	for (size_t i = 0; i < sizeof(branches) / sizeof(branches[0]); i++) {
		struct code code = { branches[i].bytes, branches[i].size,
				     0x10000 };
		const struct arch *arch = branches[i].arch;
		struct branch branch;
		bool found = arch->decode_branch(arch, &code, 0, &branch);

		if (!CHECK(found == (branches[i].form >= 0)) ||
		    (found && !(CHECK((int)branch.form == branches[i].form) &&
				CHECK(branch.length == branches[i].length) &&
				CHECK(branch.target == branches[i].target))))
			printf("\t%s: 0x%llx\n", branches[i].assembly,
			       (unsigned long long)branch.target);
	}
}

static void test_sites(void)
{
	static const struct {
		uint8_t text[8];
		struct reloc_row r; /* offset, addend, type */
		int form;
	} rows[] = {
		{ { 0x97, 0, 0, 0, 0xe7, 0x80, 0, 0 },
		  { 0, 0, CALL_PLT, 0 },
		  FORM_CALL },
		{ { 0x97, 0, 0, 0, 0xe7, 0x80, 0, 0 },
		  { 0, 0, CALL, 0 },
		  FORM_CALL },
		{ { 0x17, 3, 0, 0, 0x67, 0x00, 3, 0 },
		  { 0, 0, CALL_PLT, 0 },
		  FORM_TAIL },
		/* A call of its inside, another link register, other types. */
		{ { 0x97, 0, 0, 0, 0xe7, 0x80, 0, 0 },
		  { 0, 4, CALL_PLT, 0 },
		  -1 },
		{ { 0x97, 2, 0, 0, 0xe7, 0x82, 2, 0 },
		  { 0, 0, CALL_PLT, 0 },
		  -1 },
		{ { 0x97, 0, 0, 0, 0xe7, 0x80, 0, 0 },
		  { 4, 0, CALL_PLT, 0 },
		  -1 },
		{ { 0xef, 0, 0, 0 }, { 0, 0, JAL, 0 }, -1 },
		{ { 0x17, 5, 0, 0 }, { 0, 0, GOT_HI20, 0 }, -1 },
		{ { 0x37, 5, 0, 0 }, { 0, 0, HI20, 0 }, -1 },
	};
	const struct arch *arch = RV64;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct site_shape shape;
		struct refusal refusal;
		bool found = arch->scan->find_site(arch, rows[i].text, 8,
						   RELOC(rows[i].r), &shape);

		CHECK(found == (rows[i].form >= 0));
		if (found)
			CHECK((int)shape.form == rows[i].form &&
			      shape.back == 0 && shape.length == 8);
		if (found || rows[i].r.offset != 0)
			continue;
		refusal = scan_explain_refusal(arch, rows[i].text, 8,
					       RELOC(rows[i].r));
		CHECK(refusal.what != NULL && refusal.length <= 8);
	}
}

/* Each disabled form is decoded as nothing that goes to a stub. */
static void test_disabled(void)
{
	const struct arch *arch = RV64;
	uint8_t bytes[8];

	CHECK(arch->disable(arch, FORM_CALL, false, NULL, 0, bytes) == 8);
	CHECK(memcmp(bytes, "\x6f\x00\x80\x00\x13\x00\x00\x00", 8) == 0);
	CHECK(arch->disable(arch, FORM_CALL, true, NULL, 0, bytes) == 8);
	CHECK(memcmp(bytes, "\x13\x05\x00\x00\x13\x00\x00\x00", 8) == 0);
	CHECK(arch->disable(arch, FORM_TAIL, false, NULL, 0, bytes) == 8);
	CHECK(memcmp(bytes, "\x67\x80\x00\x00\x13\x00\x00\x00", 8) == 0);
	CHECK(arch->disable(arch, FORM_TAIL, true, NULL, 0, bytes) == 0);
	CHECK(arch->disable(arch, FORM_COND, false, NULL, 0, bytes) == 0);
}

static void test_boundary(void)
{
	/* c.nop; nop; c.nop */
	static const uint8_t bytes[] = { 1, 0, 0x13, 0, 0, 0, 1, 0 };
	const struct code code = { bytes, sizeof(bytes), 0 };
	const struct arch *arch = RV64;

	CHECK(arch->is_boundary(arch, &code, 0, 2));
	CHECK(!arch->is_boundary(arch, &code, 0, 4));
	CHECK(arch->is_boundary(arch, &code, 0, 6));
	CHECK(!arch->is_boundary(arch, &code, 2, 4));
}

/* How long instructions are, and where they lead. */
static void test_steps(void)
{
	static const struct {
		uint32_t insn;
		unsigned length;
		bool goes_on, has_target, is_call;
	} steps[] = {
		{ 0x0001, 2, true, false, false },	/* c.nop */
		{ 0x852a, 2, true, false, false },	/* c.mv a0,a0 */
		{ 0x9502, 2, true, false, false },	/* c.jalr a0 */
		{ 0x8502, 2, false, false, false },	/* c.jr a0 */
		{ 0x9002, 2, false, false, false },	/* c.ebreak */
		{ 0x0000, 2, false, false, false },	/* unimp */
		{ 0xa001, 2, false, true, false },	/* c.j . */
		{ 0xc101, 2, true, true, false },	/* c.beqz a0,. */
		{ 0x13, 4, true, false, false },	/* nop */
		{ 0x00000517, 4, true, false, false },	/* auipc a0,0 */
		{ 0x000500e7, 4, true, false, false },	/* jalr a0 */
		{ 0x00050067, 4, false, false, false }, /* jr a0 */
		{ 0x0000006f, 4, false, true, false },	/* j . */
		{ 0x000000ef, 4, true, true, true },	/* jal . */
		{ 0x00050063, 4, true, true, false },	/* beqz a0,. */
		{ 0x00000073, 4, true, false, false },	/* ecall */
		{ 0xc0002573, 4, true, false, false },	/* rdcycle a0 */
		{ 0x00100073, 4, false, false, false }, /* ebreak */
		{ 0x30200073, 4, false, false, false }, /* mret */
		{ 0xc0001073, 4, false, false, false }, /* unimp */
	};
	uint8_t bytes[8] = { 0 };
	struct code code = { bytes, sizeof(bytes), 0 };
	const struct arch *arch = RV64;
	struct step step;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		insn_put_le32(bytes, steps[i].insn);
		CHECK(arch->step(arch, &code, 0, &step));
		CHECK(step.length == steps[i].length);
		CHECK(step.goes_on == steps[i].goes_on);
		CHECK(step.has_target == steps[i].has_target);
		CHECK(step.is_call == steps[i].is_call);
		CHECK(!step.has_target || step.target == 0);
	}
	insn_put_le32(bytes, 0x1f); /* longer than 32 bits */
	CHECK(!arch->step(arch, &code, 0, &step));
	insn_put_le32(bytes, 0x13);
	code.size = 2;
	CHECK(!arch->step(arch, &code, 0, &step));
}

#define CALL_RA \
	{ \
		0x97, 0, 0, 0, 0xe7, 0x80, 0, 0 \
	}
#define TAIL_T1 \
	{ \
		0x17, 3, 0, 0, 0x67, 0x00, 3, 0 \
	}
#define LUI_A5 \
	{ \
		0xb7, 0x07, 0, 0 \
	}

static const struct {
	const char *assembly;
	const struct arch *arch;
	uint32_t type;
	int64_t addend;
	uint8_t before[8];
	uint8_t after[8];
	size_t size; /* of AFTER */
	int nbefore; /* or -1: no known form, or the one of before */
	unsigned nafter;
} forms[] = {
	{ "call: jal ra",
	  RV64,
	  CALL_PLT,
	  0,
	  CALL_RA,
	  { 0xef, 0, 0, 3 },
	  4,
	  8,
	  4 },
	{ "call: jal t0",
	  RV64,
	  CALL_PLT,
	  0,
	  CALL_RA,
	  { 0xef, 2, 0, 3 },
	  4,
	  -1,
	  0 },
	{ "call: j", RV64, CALL, 0, CALL_RA, { 0x6f, 0, 0, 3 }, 4, -1, 0 },
	{ "call: c.j", RV64, CALL, 0, CALL_RA, { 0xfd, 0xbf }, 2, -1, 0 },
	{ "call: c.jal", RV32, CALL, 0, CALL_RA, { 0xfd, 0x3f }, 2, 8, 2 },
	{ "call: c.addiw", RV64, CALL, 0, CALL_RA, { 0xfd, 0x3f }, 2, -1, 0 },
	{ "call: jalr ra,16(zero)",
	  RV64,
	  CALL,
	  0,
	  CALL_RA,
	  { 0xe7, 0x00, 0x00, 0x01 },
	  4,
	  8,
	  4 },
	{ "call: jalr ra,16(a0)",
	  RV64,
	  CALL,
	  0,
	  CALL_RA,
	  { 0xe7, 0x00, 0x05, 0x01 },
	  4,
	  -1,
	  0 },
	{ "call: cut off", RV64, CALL, 0, CALL_RA, { 0xef, 0 }, 2, -1, 0 },
	{ "tail: c.j", RV64, CALL, 0, TAIL_T1, { 0xfd, 0xbf }, 2, 8, 2 },
	{ "tail: c.beqz", RV64, CALL, 0, TAIL_T1, { 0x7d, 0xdd }, 2, -1, 0 },
	{ "tail: jal ra", RV64, CALL, 0, TAIL_T1, { 0xef, 0, 0, 3 }, 4, -1, 0 },
	{ "lui a5: c.lui a5,1",
	  RV64,
	  HI20,
	  0,
	  LUI_A5,
	  { 0x85, 0x67 },
	  2,
	  4,
	  2 },
	{ "lui a5: c.li a5,0",
	  RV64,
	  HI20,
	  0,
	  LUI_A5,
	  { 0x81, 0x47 },
	  2,
	  4,
	  2 },
	{ "lui a5: as before",
	  RV64,
	  HI20,
	  0,
	  LUI_A5,
	  { 0xb7, 0x17, 0, 1 },
	  4,
	  -1,
	  0 },
	{ "lui a5: gone, ret", RV64, HI20, 0, LUI_A5, { 0x82, 0x80 }, 2, 4, 0 },
	{ "auipc a5: gone",
	  RV64,
	  PCREL_HI20,
	  0,
	  { 0x97, 0x07, 0, 0 },
	  { 0x82, 0x80 },
	  2,
	  4,
	  0 },
	{ "add a5,a5,tp: gone",
	  RV64,
	  TPREL_ADD,
	  0,
	  { 0xb3, 0x87, 0x47, 0 },
	  { 0xb3, 0x87, 0x57, 0 },
	  4,
	  4,
	  0 },
	{ "add a5,a5,tp: as before",
	  RV64,
	  TPREL_ADD,
	  0,
	  { 0xb3, 0x87, 0x47, 0 },
	  { 0xb3, 0x87, 0x47, 0 },
	  4,
	  -1,
	  0 },
	{ "lw a5,0(a5): lw a5,8(gp)",
	  RV64,
	  PCREL_LO12_I,
	  0,
	  { 0x83, 0xa7, 0x07, 0 },
	  { 0x83, 0xa7, 0x81, 0 },
	  4,
	  4,
	  4 },
	{ "lw a5,0(a5): lw a5,8(sp)",
	  RV64,
	  PCREL_LO12_I,
	  0,
	  { 0x83, 0xa7, 0x07, 0 },
	  { 0x83, 0x27, 0x81, 0 },
	  4,
	  -1,
	  0 },
	{ "lw a5,0(a5): lw a4,8(gp)",
	  RV64,
	  PCREL_LO12_I,
	  0,
	  { 0x83, 0xa7, 0x07, 0 },
	  { 0x03, 0xa7, 0x81, 0 },
	  4,
	  -1,
	  0 },
	{ "ld a0,0(a0): addi a0,a0,-48",
	  RV64,
	  PCREL_LO12_I,
	  0,
	  { 0x03, 0x35, 0x05, 0 },
	  { 0x13, 0x05, 0x05, 0xfd },
	  4,
	  4,
	  4 },
	{ "ld a0,0(a0): li a0,8",
	  RV64,
	  PCREL_LO12_I,
	  0,
	  { 0x03, 0x35, 0x05, 0 },
	  { 0x13, 0x05, 0x80, 0 },
	  4,
	  4,
	  4 },
	{ "ld a0,0(a0): addi a0,a1,8",
	  RV64,
	  PCREL_LO12_I,
	  0,
	  { 0x03, 0x35, 0x05, 0 },
	  { 0x13, 0x85, 0x85, 0 },
	  4,
	  -1,
	  0 },
	{ "ld a0,0(a0): addi a1,a0,8",
	  RV64,
	  PCREL_LO12_I,
	  0,
	  { 0x03, 0x35, 0x05, 0 },
	  { 0x93, 0x05, 0x85, 0 },
	  4,
	  -1,
	  0 },
	{ "ld a0,0(a0): ori a0,a0,8",
	  RV64,
	  PCREL_LO12_I,
	  0,
	  { 0x03, 0x35, 0x05, 0 },
	  { 0x13, 0x65, 0x85, 0 },
	  4,
	  -1,
	  0 },
	{ "ld a0,0(a0): cut off",
	  RV64,
	  PCREL_LO12_I,
	  0,
	  { 0x03, 0x35, 0x05, 0 },
	  { 0x13, 0x05 },
	  2,
	  -1,
	  0 },
	{ "lw a0,0(a0), no address: addi a0,a0,8",
	  RV64,
	  PCREL_LO12_I,
	  0,
	  { 0x03, 0x25, 0x05, 0 },
	  { 0x13, 0x05, 0x85, 0 },
	  4,
	  -1,
	  0 },
	{ "lw a0,0(a0): addi a0,a0,8",
	  RV32,
	  PCREL_LO12_I,
	  0,
	  { 0x03, 0x25, 0x05, 0 },
	  { 0x13, 0x05, 0x85, 0 },
	  4,
	  4,
	  4 },
	{ "ld a0,0(a0): c.li a0,0",
	  RV64,
	  PCREL_LO12_I,
	  0,
	  { 0x03, 0x35, 0x05, 0 },
	  { 0x01, 0x45 },
	  2,
	  4,
	  2 },
	{ "ld a0,0(a0): c.li a1,0",
	  RV64,
	  PCREL_LO12_I,
	  0,
	  { 0x03, 0x35, 0x05, 0 },
	  { 0x81, 0x45 },
	  2,
	  -1,
	  0 },
	{ "auipc a5: gone, addi a5,gp,8",
	  RV64,
	  PCREL_HI20,
	  0,
	  { 0x97, 0x07, 0, 0, 0x93, 0x87, 0x07, 0 },
	  { 0x93, 0x87, 0x81, 0 },
	  4,
	  4,
	  0 },
	{ "auipc a5: gone, and addi a5,a5,8",
	  RV64,
	  PCREL_HI20,
	  0,
	  { 0x97, 0x07, 0, 0, 0x93, 0x87, 0x07, 0 },
	  { 0x93, 0x87, 0x87, 0 },
	  4,
	  -1,
	  0 },
	{ "auipc a0 of the GOT: gone",
	  RV64,
	  GOT_HI20,
	  0,
	  { 0x17, 0x05, 0, 0 },
	  { 0x82, 0x80 },
	  2,
	  4,
	  0 },
	{ "align to 8: c.nop",
	  RV64,
	  ALIGN,
	  6,
	  { 1, 0, 0x13, 0, 0, 0 },
	  { 1, 0, 0x82, 0x80 },
	  4,
	  6,
	  2 },
	{ "align to 8: ret",
	  RV64,
	  ALIGN,
	  6,
	  { 1, 0, 0x13, 0, 0, 0 },
	  { 0x82, 0x80 },
	  2,
	  -1,
	  0 },
	{ "align past the end",
	  RV64,
	  ALIGN,
	  10,
	  { 1, 0, 0x13, 0, 0, 0 },
	  { 1, 0 },
	  2,
	  -1,
	  0 },
	{ "jal has one form",
	  RV64,
	  JAL,
	  0,
	  { 0x6f },
	  { 0xfd, 0xbf },
	  2,
	  -1,
	  0 },
};

/* The image's code is at 0x10006. */
static void test_relax(void)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct reloc relocs[] = { { .addend = forms[i].addend,
					    .type = forms[i].type,
					    .symndx = 1 },
					  { .type = RELAX } };
		struct code before = { forms[i].before, 8, 0 };
		struct code after = { forms[i].after, forms[i].size, 0x10006 };
		unsigned nbefore, nafter;
		bool found = forms[i].arch->relax(forms[i].arch, relocs, 2,
						  &before, &after, &nbefore,
						  &nafter);

		if (!CHECK(found == (forms[i].nbefore >= 0)) ||
		    (found && !(CHECK((int)nbefore == forms[i].nbefore) &&
				CHECK(nafter == forms[i].nafter))))
			printf("\t%s\n", forms[i].assembly);
		/* Without R_RISCV_RELAX, nothing but the alignment. */
		if (forms[i].type != ALIGN)
			CHECK(!forms[i].arch->relax(forms[i].arch, relocs, 1,
						    &before, &after, &nbefore,
						    &nafter));
	}
}

/* What linkers make of one instruction where nothing says that they may. */
static const struct {
	const char *assembly;
	uint32_t type, before, after;
	bool is_known;
} rewrites[] = {
	{ "lw a5,0(a5): lw a5,8(tp)", TPREL_LO12_I, 0x0007a783, 0x00822783,
	  true },
	{ "lw a5,0(a5): lw a4,8(tp)", TPREL_LO12_I, 0x0007a783, 0x00822703,
	  false },
	{ "lw a5,0(a5): lh a5,8(tp)", TPREL_LO12_I, 0x0007a783, 0x00821783,
	  false },
	{ "lw a5,0(a5): lw a5,8(gp)", TPREL_LO12_I, 0x0007a783, 0x0081a783,
	  false },
	{ "sw a4,0(a5): sw a4,4(tp)", TPREL_LO12_S, 0x00e7a023, 0x00e22223,
	  true },
	{ "sw a4,0(a5): sw a5,4(tp)", TPREL_LO12_S, 0x00e7a023, 0x00f22223,
	  false },
	{ "lw a5,0(a5): lw a5,8(zero)", LO12_I, 0x0007a783, 0x00802783, true },
	{ "lw a5,0(a5): lw a5,8(gp)", LO12_I, 0x0007a783, 0x0081a783, false },
	{ "lw a5,0(a5): lw a5,8(zero)", PCREL_LO12_I, 0x0007a783, 0x00802783,
	  false },
	{ "lw a5,0(a5): lw a5,8(tp)", 1000, 0x0007a783, 0x00822783, false },
	{ "auipc a5: lui a5,1", PCREL_HI20, 0x00000797, 0x000017b7, true },
	{ "auipc a5: lui a5,1", GOT_HI20, 0x00000797, 0x000017b7, true },
	{ "auipc a5: lui a5,1", 1000, 0x00000797, 0x000017b7, false },
	{ "auipc a5: lui a4,1", PCREL_HI20, 0x00000797, 0x00001737, false },
	{ "lui a5: auipc a5,1", HI20, 0x000007b7, 0x00001797, false },
};

static void put(uint8_t *bytes, uint32_t insn)
{
	for (unsigned i = 0; i < 4; i++)
		bytes[i] = insn >> 8 * i;
}

static void test_rewrites(void)
{
	for (size_t i = 0; i < sizeof(rewrites) / sizeof(rewrites[0]); i++) {
		uint8_t before[8] = { 0 }, after[8] = { 0 };
		struct reloc r = { .offset = 4,
				   .type = rewrites[i].type,
				   .symndx = 1 };
		struct byte_range range;
		bool is_known;

		put(before + 4, rewrites[i].before);
		put(after + 4, rewrites[i].after);
		is_known = arch_riscv64.is_rewrite(RV64, before, after, 8, &r,
						   &range);
		if (!CHECK(is_known == rewrites[i].is_known))
			printf("\t%s\n", rewrites[i].assembly);
		if (is_known)
			CHECK(range.start == 4 && range.end == 8);
		CHECK(!arch_riscv64.is_rewrite(RV64, before, after, 7, &r,
					       &range));
	}
}

/* auipc and jalr, as GNU ld leaves a call of a weak function of nobody's. */
static const struct {
	const char *assembly;
	uint32_t before[2], after[2];
	bool is_known;
} from_zero[] = {
	{ "call: auipc ra,0; jalr ra,0(zero)",
	  { 0x00000097, 0x000080e7 },
	  { 0x00000097, 0x000000e7 },
	  true },
	{ "tail: auipc t1,0; jr 0(zero)",
	  { 0x00000317, 0x00030067 },
	  { 0x00000317, 0x00000067 },
	  true },
	{ "call: auipc ra,0; jr 0(zero)",
	  { 0x00000097, 0x000080e7 },
	  { 0x00000097, 0x00000067 },
	  false },
	{ "call: auipc t1,0; jalr ra,0(zero)",
	  { 0x00000097, 0x000080e7 },
	  { 0x00000317, 0x000000e7 },
	  false },
	{ "call: auipc ra,0; jalr ra,0(t1)",
	  { 0x00000097, 0x000080e7 },
	  { 0x00000097, 0x000300e7 },
	  false },
	{ "call: lui ra,0; jalr ra,0(zero)",
	  { 0x00000097, 0x000080e7 },
	  { 0x000000b7, 0x000000e7 },
	  false },
};

static void test_from_zero(void)
{
	for (size_t i = 0; i < sizeof(from_zero) / sizeof(from_zero[0]); i++) {
		struct reloc r = { .type = CALL_PLT, .symndx = 1 };
		struct byte_range range = { 0, 0 };
		uint8_t before[8], after[8];
		struct code x = { before, 8, 0 }, y = { after, 8, 0x10006 };
		unsigned nbefore = 0, nafter = 0;

		for (unsigned k = 0; k < 2; k++) {
			put(before + 4 * k, from_zero[i].before[k]);
			put(after + 4 * k, from_zero[i].after[k]);
		}
		if (!CHECK(arch_riscv64.is_rewrite(RV64, before, after, 8, &r,
						   &range) ==
			   from_zero[i].is_known) ||
		    !CHECK(arch_riscv64.relax(RV64, &r, 1, &x, &y, &nbefore,
					      &nafter) ==
			   from_zero[i].is_known))
			printf("\t%s\n", from_zero[i].assembly);
		if (from_zero[i].is_known) {
			CHECK(arch_riscv64.is_for_nowhere(RV64, after, &r));
			CHECK(range.start == 0 && range.end == 8);
			CHECK(nbefore == 8 && nafter == 8);
		}
		CHECK(!arch_riscv64.is_rewrite(RV64, before, after, 7, &r,
					       &range));
	}
}

/* --- TLS descriptors ---------------------------------------------------- */

enum {
	NOP = 0x00000013,
	AUIPC = 0x00000517,    /* auipc a0,0 */
	LOAD = 0x00053583,     /* ld a1,0(a0) */
	ADD = 0x00050513,      /* addi a0,a0,0 */
	CALL_T0 = 0x000582e7,  /* jalr t0,0(a1) */
	LUI = 0x00000537,      /* lui a0,0 */
	LI = 0x00000513,       /* li a0,0 */
	LOAD_IE = 0x00053503,  /* ld a0,0(a0) */
	LOAD_IE32 = 0x00052503 /* lw a0,0(a0) */
};

enum { DESC_HI20 = 62, LOAD_LO12, ADD_LO12, DESC_CALL };

#define ALL \
	{ \
		DESC_HI20, LOAD_LO12, ADD_LO12, DESC_CALL \
	}
#define INSNS \
	{ \
		AUIPC, LOAD, ADD, CALL_T0 \
	}

/* clang-format off */
/* TYPES are the relocations of the words of BEFORE; the first has RELAX if
 * MAY_RELAX. */
static const struct {
	const char *what;
	uint32_t types[4];
	bool may_relax;
	uint32_t before[4], after[4];
	int nbefore, nafter; /* or -1: not that */
} descriptors[] = {
	{ "local exec", ALL, true, INSNS, { LI | 8 << 20 }, 16, 4 },
	{ "beyond 2 KiB", ALL, true, INSNS, { LUI | 1 << 12, ADD | 8 << 20 },
	  16, 8 },
	{ "initial exec", ALL, true, INSNS,
	  { AUIPC | 1 << 12, LOAD_IE | 8 << 20 }, 16, 8 },
	{ "with NOPs", ALL, false, INSNS, { NOP, NOP, NOP, LI | 8 << 20 },
	  16, 16 },
	{ "beyond 2 KiB, with NOPs", ALL, false, INSNS,
	  { NOP, NOP, LUI | 1 << 12, ADD | 8 << 20 }, 16, 16 },
	{ "initial exec, with NOPs", ALL, false, INSNS,
	  { NOP, NOP, AUIPC | 1 << 12, LOAD_IE }, 16, 16 },
	{ "it stays", ALL, true, INSNS,
	  { AUIPC | 1 << 12, LOAD | 8 << 20, ADD | 8 << 20, CALL_T0 }, -1, 0 },
	{ "without RELAX", ALL, false, INSNS, { LI | 8 << 20 }, -1, 0 },
	{ "another register", ALL, true, INSNS, { LI | 1 << 7 }, -1, 0 },
	{ "a NOP too few", ALL, false, INSNS, { NOP, NOP, LI }, -1, 0 },
	{ "half of each", ALL, true, INSNS, { LUI, LOAD_IE }, -1, 0 },
	{ "half of each", ALL, true, INSNS, { AUIPC, ADD }, -1, 0 },
	{ "of another width", ALL, true, INSNS, { AUIPC, LOAD_IE32 }, -1, 0 },
	{ "added to nothing", ALL, false, INSNS, { NOP, NOP, LUI, LI }, -1, 0 },
	{ "another load", ALL, true, { AUIPC, 0x00052583, ADD, CALL_T0 },
	  { LI }, -1, 0 },
	{ "another link register", ALL, true,
	  { AUIPC, LOAD, ADD, 0x000580e7 }, { LI }, -1, 0 },

	{ "auipc becomes a NOP", { DESC_HI20 }, false, { AUIPC }, { NOP }, 4, 4 },
	{ "auipc goes", { DESC_HI20 }, true, { AUIPC }, { LI }, 4, 0 },
	{ "auipc stays", { DESC_HI20 }, true, { AUIPC }, { AUIPC | 1 << 12 },
	  -1, 0 },
	{ "auipc goes without RELAX", { DESC_HI20 }, false, { AUIPC }, { LI },
	  -1, 0 },
	{ "the load becomes a NOP", { LOAD_LO12 }, false, { LOAD }, { NOP },
	  4, 4 },
	{ "another NOP", { LOAD_LO12 }, false, { LOAD ^ 1 << 14 },
	  { NOP | 1 << 7 }, -1, 0 },
	{ "the last two", { ADD_LO12, DESC_CALL }, false, { ADD, CALL_T0 },
	  { AUIPC | 1 << 12, LOAD_IE | 8 << 20 }, 8, 8 },
	{ "the last two, half of each", { ADD_LO12, DESC_CALL }, false,
	  { ADD, CALL_T0 }, { NOP, LOAD_IE }, -1, 0 },
	{ "the call", { DESC_CALL }, false, { CALL_T0 }, { LI | 8 << 20 },
	  4, 4 },
	{ "the call", { DESC_CALL }, false, { CALL_T0 }, { LOAD_IE }, 4, 4 },
	{ "the call becomes a NOP", { DESC_CALL }, false, { CALL_T0 },
	  { NOP }, -1, 0 },
	{ "the call goes", { DESC_CALL }, true, { CALL_T0 }, { AUIPC }, -1, 0 },
};
/* clang-format on */

static void test_descriptors(void)
{
	for (size_t i = 0; i < sizeof(descriptors) / sizeof(descriptors[0]);
	     i++) {
		struct reloc relocs[5];
		uint8_t bytes[20] = { 0 }, image[20] = { 0 };
		struct code before = { bytes + 4, 16, 0x100 };
		struct code after = { image + 4, 16, 0x10006 };
		struct byte_range range;
		unsigned nbefore, nafter;
		size_t n = 0;
		bool is_known = descriptors[i].nbefore >= 0, found;

		for (unsigned k = 0; k < 4; k++) {
			put(bytes + 4 + 4 * k, descriptors[i].before[k]);
			put(image + 4 + 4 * k, descriptors[i].after[k]);
			if (descriptors[i].types[k] == 0)
				continue;
			relocs[n++] = (struct reloc){
				.offset = 4 + 4 * k,
				.type = descriptors[i].types[k]
			};
			if (k == 0 && descriptors[i].may_relax)
				relocs[n++] = (struct reloc){ .offset = 4,
							      .type = RELAX };
		}
		found = arch_riscv64.relax(RV64, relocs, n, &before, &after,
					   &nbefore, &nafter);
		if (!CHECK(found == is_known) ||
		    (found && !(CHECK((int)nbefore == descriptors[i].nbefore) &&
				CHECK((int)nafter == descriptors[i].nafter))))
			printf("\trow %zu, %s\n", i, descriptors[i].what);
		/* In text of which nothing is deleted, each by itself. */
		if (descriptors[i].types[3] != 0)
			continue;
		found = arch_riscv64.is_rewrite(RV64, bytes, image, 20,
						&relocs[0], &range);
		if (!CHECK(found == (is_known && descriptors[i].nafter > 0)) &&
		    !descriptors[i].may_relax)
			printf("\trow %zu, %s\n", i, descriptors[i].what);
	}
}

/* PLT entries at 0x10000. */
static const struct {
	const char *what;
	const struct arch *arch;
	uint32_t insns[3];
	bool is_plt;
} plts[] = {
	{ "64 bits", RV64, { 0x00002e17, 0xff8e3e03, 0x000e0367 }, true },
	{ "32 bits", RV32, { 0x00002e17, 0xff8e2e03, 0x000e0367 }, true },
	{ "lw in 64 bits",
	  RV64,
	  { 0x00002e17, 0xff8e2e03, 0x000e0367 },
	  false },
	{ "auipc t1", RV64, { 0x00002317, 0xff833e03, 0x000e0367 }, false },
	{ "ld t1", RV64, { 0x00002e17, 0xff8e3303, 0x00030367 }, false },
	{ "to a function's inside",
	  RV64,
	  { 0x00002e17, 0xff8e3e03, 0x008e0367 },
	  false },
	{ "jalr ra", RV64, { 0x00002e17, 0xff8e3e03, 0x000e00e7 }, false },
	{ "jr", RV64, { 0x00002e17, 0xff8e3e03, 0x000e0067 }, false },
};

static void test_plt(void)
{
	for (size_t i = 0; i < sizeof(plts) / sizeof(plts[0]); i++) {
		const struct arch *arch = plts[i].arch;
		uint8_t bytes[12];
		struct code code = { bytes, sizeof(bytes), 0x10000 };
		uint64_t slot = 0;

		for (unsigned k = 0; k < 3; k++)
			insn_put_le32(bytes + 4 * k, plts[i].insns[k]);
		if (!CHECK(arch->decode_plt(arch, &code, 0, 0, &slot) ==
			   plts[i].is_plt))
			printf("\t%s\n", plts[i].what);
		CHECK(!plts[i].is_plt || slot == 0x11ff8);
		code.size = 11;
		CHECK(!arch->decode_plt(arch, &code, 0, 0, &slot));
	}
}

struct vendor_branch {
	struct branch branch;
	size_t n;
};

static void see_vendor(void *ctx, uint64_t offset, const struct branch *branch)
{
	struct vendor_branch *seen = ctx;

	if (offset == 0) {
		seen->branch = *branch;
		seen->n++;
	}
}

/* At 0x10000; what llvm-mc makes of branches over a known distance. */
static void test_vendors(void)
{
	static const struct {
		const char *attributes;
		const struct arch *arch;
		uint8_t bytes[6];
		unsigned length;
		int form; /* or -1: no branch of this vendor's */
		int64_t distance;
	} rows[] = {
		/* cv.beqimm a0,3; cv.bneimm; cv.elw */
		{ "A rv32i2p1_xcvbi1p0",
		  &arch_riscv32,
		  { 0x8b, 0x6a, 0x35, 0xfe },
		  4,
		  FORM_COND,
		  -12 },
		{ "A rv32i2p1_xcvbi1p0",
		  &arch_riscv32,
		  { 0x8b, 0x7a, 0x35, 0xfe },
		  4,
		  FORM_COND,
		  -12 },
		{ "A rv32i2p1_xcvbi1p0",
		  &arch_riscv32,
		  { 0x0b, 0x35, 0x05, 0x00 },
		  4,
		  -1,
		  0 },
		{ "A rv32i2p1_xtheadba1p0",
		  &arch_riscv32,
		  { 0x8b, 0x6a, 0x35, 0xfe },
		  4,
		  -1,
		  0 },
		/* nds.bbc a0,33; nds.bbs; nds.beqc; nds.bnec a0,100 */
		{ "A rv64i2p1_xandesperf5p0",
		  &arch_riscv64,
		  { 0xdb, 0x7c, 0x15, 0xbc },
		  4,
		  FORM_COND,
		  -0x28 },
		{ "A rv64i2p1_xandesperf5p0",
		  &arch_riscv64,
		  { 0x5b, 0x78, 0x35, 0x42 },
		  4,
		  FORM_COND,
		  0x30 },
		{ "A rv64i2p1_xandesperf5p0",
		  &arch_riscv64,
		  { 0x5b, 0x58, 0x35, 0xbc },
		  4,
		  FORM_COND,
		  -0x30 },
		{ "A rv64i2p1_xandesperf5p0",
		  &arch_riscv64,
		  { 0xdb, 0x64, 0x45, 0x42 },
		  4,
		  FORM_COND,
		  0x28 },
		/* qc.beqi; qc.bgeui; qc.e.beqi; qc.e.bgeui; qc.e.j; qc.e.jal */
		{ "A rv32i2p1_xqcibi0p2",
		  &arch_riscv32,
		  { 0xfb, 0x0e, 0x35, 0xfe },
		  4,
		  FORM_COND,
		  -4 },
		{ "A rv32i2p1_xqcibi0p2",
		  &arch_riscv32,
		  { 0x7b, 0x7d, 0x35, 0x02 },
		  4,
		  FORM_COND,
		  0x52 - 0x18 },
		{ "A rv32i2p1_xqcibi0p2",
		  &arch_riscv32,
		  { 0x9f, 0x42, 0x85, 0xff, 0x2c, 0x01 },
		  6,
		  FORM_COND,
		  -0x1c },
		{ "A rv32i2p1_xqcibi0p2",
		  &arch_riscv32,
		  { 0x1f, 0x4c, 0xf5, 0x01, 0x2c, 0x01 },
		  6,
		  FORM_COND,
		  0x52 - 0x3a },
		{ "A rv32i2p1_xqcilb0p2",
		  &arch_riscv32,
		  { 0x9f, 0x40, 0x0e, 0xfc, 0xff, 0xff },
		  6,
		  FORM_TAIL,
		  -0x40 },
		{ "A rv32i2p1_xqcilb0p2",
		  &arch_riscv32,
		  { 0x1f, 0x40, 0x02, 0xc6, 0x12, 0x00 },
		  6,
		  FORM_TAIL,
		  0x1234ac - 0x4c },
		{ "A rv32i2p1_xqcilb0p2",
		  &arch_riscv32,
		  { 0x1f, 0xc6, 0x00, 0x00, 0x00, 0x00 },
		  6,
		  FORM_CALL,
		  0x52 - 0x46 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct arch *arch = rows[i].arch->refine(
			rows[i].arch, (const uint8_t *)rows[i].attributes,
			strlen(rows[i].attributes));
		struct code code = { rows[i].bytes, rows[i].length, 0x10000 };
		struct vendor_branch seen = { 0 };

		arch->each_branch(arch, &code, 0, UINT64_MAX, see_vendor,
				  &seen);
		if (!CHECK(seen.n == (rows[i].form >= 0)) ||
		    (seen.n > 0 &&
		     !CHECK((int)seen.branch.form == rows[i].form &&
			    seen.branch.length == rows[i].length &&
			    seen.branch.target ==
				    0x10000 + (uint64_t)rows[i].distance)))
			printf("\trow %zu\n", i);
	}
}

int main(void)
{
	test_vendors();
	test_plt();
	test_from_zero();
	test_relax();
	test_rewrites();
	test_descriptors();
	test_decode();
	test_sites();
	test_disabled();
	test_boundary();
	test_steps();
	return unit_status();
}
