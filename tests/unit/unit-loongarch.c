/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LoongArch on literal instructions; the assembly beside them is objdump's. */
#include <config.h>

#include "arch/scan.h"
#include "arch/arch.h"
#include "elf/object.h"
#include "unit.h"

static const struct arch *const arch = &arch_loongarch64;

enum {
	SOP_PUSH_PLT_PCREL = 29,
	B16 = 64,
	B21 = 65,
	B26 = 66,
	PCALA_HI20 = 71,
	PCALA_LO12 = 72,
	GOT_PC_HI20 = 75,
	GOT_PC_LO12 = 76,
	GOT64_PC_LO20 = 77,
	TLS_IE_PC_HI20 = 87,
	TLS_IE_PC_LO12 = 88,
	TLS_LD_PC_HI20 = 95,
	TLS_GD_PC_HI20 = 97,
	RELAX = 100,
	ALIGN = 102,
	CALL36 = 110,
	TLS_DESC_PC_HI20 = 111,
	TLS_DESC_PC_LO12 = 112,
	DESC_LD = 119,
	DESC_CALL = 120,
	TLS_LE_HI20_R = 121,
	TLS_LE_ADD_R = 122,
	TLS_LE_LO12_R = 123,
};

#define DESC { TLS_DESC_PC_HI20, TLS_DESC_PC_LO12, DESC_LD, DESC_CALL }

enum {
	NOP = 0x03400000,
	RET = 0x4c000020,
	ZERO = 0x00150004,     /* move $a0, $zero */
	CALL = 0x1e000001,     /* pcaddu18i $ra, 0 */
	CALL_LOW = 0x4c000021, /* jirl $ra, $ra, 0 */
	TAIL = 0x1e000014,     /* pcaddu18i $t8, 0 */
	TAIL_LOW = 0x4c000280, /* jr $t8 */
	HIGH = 0x1a000004,     /* pcalau12i $a0, 0 */
	LOW = 0x02c00084,      /* addi.d $a0, $a0, 0 */
	LOAD = 0x28c00084,     /* ld.d $a0, $a0, 0 */
	PCADDI = 0x18000044,   /* pcaddi $a0, 2 */
	LU12I = 0x14000004,    /* lu12i.w $a0, 0 */
	ORI = 0x03800084,      /* ori $a0, $a0, 0 */
	ORI_ZERO = 0x03800004, /* ori $a0, $zero, 0 */
	ADD_TP = 0x00108884,   /* add.d $a0, $a0, $tp */
	TP_LOW = 0x02c00044,   /* addi.d $a0, $tp, 0 */
};

/* And ld.d $ra, $a0, 0; jirl $ra, $ra, 0 */
#define DESC_INSNS { HIGH, LOW, 0x28c00081, 0x4c000021 }

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void put(uint8_t *bytes, const uint32_t *insns, size_t n)
{
	for (size_t i = 0; i < 4 * n; i++)
		bytes[i] = insns[i / 4] >> i % 4 * 8;
}

/* clang-format off */
static const struct {
	const char *assembly;
	uint32_t insns[2];
	int form; /* or -1: no branch */
	unsigned length;
	uint64_t target; /* the code is at 0x10000000 */
} branches[] = {
	{ "bl 4", { 0x54000400 }, FORM_CALL, 4, 0x10000004 },
	{ "bl -4", { 0x57ffffff }, FORM_CALL, 4, 0x0ffffffc },
	{ "bl 134217724", { 0x57fffdff }, FORM_CALL, 4, 0x17fffffc },
	{ "bl -134217728", { 0x54000200 }, FORM_CALL, 4, 0x08000000 },
	{ "b 72", { 0x50004800 }, FORM_TAIL, 4, 0x10000048 },
	{ "beqz $a0, 8", { 0x40000880 }, FORM_COND, 4, 0x10000008 },
	{ "beqz $a0, -4194304", { 0x40000090 }, FORM_COND, 4, 0x0fc00000 },
	{ "bnez $a0, 4194300", { 0x47fffc8f }, FORM_COND, 4, 0x103ffffc },
	{ "bceqz $fcc0, 8", { 0x48000800 }, FORM_COND, 4, 0x10000008 },
	{ "bcnez $fcc1, 8", { 0x48000920 }, FORM_COND, 4, 0x10000008 },
	{ "beq $a0, $a1, 8", { 0x58000885 }, FORM_COND, 4, 0x10000008 },
	{ "bne $a0, $a1, -131072", { 0x5e000085 }, FORM_COND, 4, 0x0ffe0000 },
	{ "blt $a0, $a1, 131068", { 0x61fffc85 }, FORM_COND, 4, 0x1001fffc },
	{ "bge $a0, $a1, 8", { 0x64000885 }, FORM_COND, 4, 0x10000008 },
	{ "bltu $a0, $a1, 8", { 0x68000885 }, FORM_COND, 4, 0x10000008 },
	{ "bgeu $a0, $a1, 8", { 0x6c000885 }, FORM_COND, 4, 0x10000008 },
	{ "jirl $zero, $zero, 64", { 0x4c004000 }, FORM_TAIL, 4, 0x40 },
	{ "jirl $ra, $zero, 64", { 0x4c004001 }, FORM_CALL, 4, 0x40 },
	{ "pcaddu18i $ra, 1; jirl $ra, $ra, 64", { 0x1e000021, 0x4c004021 },
	  FORM_CALL, 8, 0x10040040 },
	{ "pcaddu18i $t8, -1; jirl $zero, $t8, -4", { 0x1ffffff4, 0x4ffffe80 },
	  FORM_TAIL, 8, 0x0ffbfffc },
	{ "pcaddu18i $ra, 1; jirl $ra, $ra, -131072",
	  { 0x1e000021, 0x4e000021 }, FORM_CALL, 8, 0x10020000 },
	{ "pcaddu12i $ra, 1; jirl $ra, $ra, 64", { 0x1c000021, 0x4c004021 },
	  FORM_CALL, 8, 0x10001040 },
	{ "pcalau12i $t8, 1; jirl $zero, $t8, -4", { 0x1a000034, 0x4ffffe80 },
	  FORM_TAIL, 8, 0x10000ffc },
	{ "pcaddu18i $ra, 1; jirl $zero, $t8, -4", { 0x1e000021, 0x4ffffe80 },
	  -1, 0, 0 },
	{ "pcaddu18i $ra, 1; nop", { 0x1e000021, NOP }, -1, 0, 0 },
	{ "ret", { RET }, -1, 0, 0 },
	{ "jr $t8", { TAIL_LOW }, -1, 0, 0 },
	{ "jiscr1, no branch of the program", { 0x48000300 }, -1, 0, 0 },
	{ "nop", { NOP }, -1, 0, 0 },
};
/* clang-format on */

static void test_decode(void)
{
	for (size_t i = 0; i < COUNT(branches); i++) {
		uint8_t bytes[8];
		struct code code = { bytes, 8, 0x10000000 };
		struct branch branch;
		bool found;

		put(bytes, branches[i].insns, 2);
		found = arch->decode_branch(arch, &code, 0, &branch);
		if (!CHECK(found == (branches[i].form >= 0)) ||
		    (found && !(CHECK((int)branch.form == branches[i].form) &&
				CHECK(branch.length == branches[i].length) &&
				CHECK(branch.field == 0) &&
				CHECK(branch.target == branches[i].target))))
			printf("\t%s: 0x%llx\n", branches[i].assembly,
			       (unsigned long long)branch.target);
		if (!found)
			continue;
		code.size = branches[i].length - 1;
		CHECK(!arch->decode_branch(arch, &code, 0, &branch));
	}
}

static void count(void *ctx, uint64_t offset, const struct branch *branch)
{
	(void)branch;
	*(uint64_t *)ctx += offset + 1;
}

static void test_each(void)
{
	/* bl 8; a pair to the same place; bl 0 */
	static const uint32_t insns[] = { 0x54000800, CALL, 0x4c000421,
					  0x54000000 };
	uint8_t bytes[16];
	const struct code code = { bytes, 16, 0x2000 };
	uint64_t sum = 0;

	put(bytes, insns, 4);
	arch->each_branch(arch, &code, 0x2008, 0x2008, count, &sum);
	CHECK(sum == 1 + 5);
	CHECK(arch->is_boundary(arch, &code, 0, 8));
	CHECK(!arch->is_boundary(arch, &code, 0, 6));
}

static void test_sites(void)
{
	static const struct {
		uint32_t insns[2];
		struct reloc_row r; /* offset, addend, type */
		int form;
		unsigned length;
	} rows[] = {
		{ { 0x54000000 }, { 0, 0, B26, 0 }, FORM_CALL, 4 },
		{ { 0x50000000 }, { 0, 0, B26, 0 }, FORM_TAIL, 4 },
		{ { CALL, CALL_LOW }, { 0, 0, CALL36, 0 }, FORM_CALL, 8 },
		{ { TAIL, TAIL_LOW }, { 0, 0, CALL36, 0 }, FORM_TAIL, 8 },
		/* Its inside; other registers; other types; cut off. */
		{ { 0x54000000 }, { 0, 4, B26, 0 }, -1, 0 },
		{ { CALL, CALL_LOW }, { 0, 4, CALL36, 0 }, -1, 0 },
		{ { CALL, TAIL_LOW }, { 0, 0, CALL36, 0 }, -1, 0 },
		{ { TAIL, 0x4c00028c }, { 0, 0, CALL36, 0 }, -1, 0 },
		{ { CALL, CALL_LOW }, { 0, 0, B26, 0 }, -1, 0 },
		{ { 0x54000000 }, { 0, 0, CALL36, 0 }, -1, 0 },
		{ { NOP, CALL }, { 4, 0, CALL36, 0 }, -1, 0 },
		{ { 0x40000080 }, { 0, 0, B21, 0 }, -1, 0 },
		{ { 0x58000085 }, { 0, 0, B16, 0 }, -1, 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct site_shape shape;
		uint8_t bytes[8];
		bool found;

		put(bytes, rows[i].insns, 2);
		found = arch->scan->find_site(arch, bytes, 8, RELOC(rows[i].r),
					&shape);
		if (!CHECK(found == (rows[i].form >= 0)))
			printf("\trow %zu\n", i);
		if (found)
			CHECK((int)shape.form == rows[i].form &&
			      shape.back == 0 &&
			      shape.length == rows[i].length);
	}
}

static void test_refusals(void)
{
	static const struct {
		uint32_t type;
		const char *what, *remedy;
	} rows[] = {
		{ GOT_PC_HI20, "load of its address from the GOT",
		  "-fno-plt and -mcmodel=extreme" },
		{ GOT64_PC_LO20, "load of its address from the GOT",
		  "-fno-plt and -mcmodel=extreme" },
		{ PCALA_HI20, "its address is computed", "directly" },
		{ PCALA_LO12, "its address is computed", "directly" },
		{ B16, "conditional branch", "branch around" },
		{ B21, "conditional branch", "branch around" },
		{ SOP_PUSH_PLT_PCREL, "relocation of the first psABI",
		  "binutils 2.40" },
		{ B26, "no direct branch", "directly" },
	};
	static const uint8_t bytes[8];

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct reloc r = { .type = rows[i].type };
		struct refusal refusal;

		refusal = scan_explain_refusal(arch, bytes, 8, &r);
		CHECK(strcmp(refusal.what, rows[i].what) == 0);
		CHECK(strstr(refusal.remedy, rows[i].remedy) != NULL);
	}
}

static void test_disabled(void)
{
	static const struct {
		enum site_form form;
		bool is_enabled;
		uint32_t before[2];
		unsigned length;
		uint32_t after[2];
	} rows[] = {
		{ FORM_CALL, false, { 0x54000000, RET }, 4, { NOP } },
		{ FORM_CALL, true, { 0x54000000, RET }, 4, { ZERO } },
		{ FORM_TAIL, false, { 0x50000000, NOP }, 4, { RET } },
		{ FORM_CALL, false, { CALL, CALL_LOW }, 8, { CALL, NOP } },
		{ FORM_CALL, true, { CALL, CALL_LOW }, 8, { CALL, ZERO } },
		{ FORM_TAIL, false, { TAIL, TAIL_LOW }, 8, { TAIL, RET } },
		/* With a displacement, which goes. */
		{ FORM_CALL,
		  false,
		  { 0x1e000021, 0x4c004021 },
		  8,
		  { CALL, NOP } },
		/* Those that are disabled already. */
		{ FORM_CALL, false, { NOP, NOP }, 4, { NOP } },
		{ FORM_CALL, true, { ZERO, NOP }, 4, { ZERO } },
		{ FORM_TAIL, false, { RET, NOP }, 4, { RET } },
		{ FORM_CALL, false, { CALL, NOP }, 8, { CALL, NOP } },
		{ FORM_CALL, true, { CALL, ZERO }, 8, { CALL, ZERO } },
		{ FORM_TAIL, false, { TAIL, RET }, 8, { TAIL, RET } },
		{ FORM_TAIL, true, { 0x50000000, NOP }, 0, { 0 } },
		{ FORM_COND, false, { 0x40000880, NOP }, 0, { 0 } },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		uint8_t before[8], after[DISABLED_MAX], expected[8];
		const struct code code = { before, 8, 0x10000 };
		unsigned n;

		put(before, rows[i].before, 2);
		put(expected, rows[i].after, 2);
		n = arch->disable(arch, rows[i].form, rows[i].is_enabled, &code,
				  0, after);
		if (!CHECK(n == rows[i].length &&
			   memcmp(after, expected, n) == 0))
			printf("\trow %zu\n", i);
	}
}

/* clang-format off */
/*
 * What linkers make of relocated code: BEFORE becomes AFTER. TYPES are the
 * relocations of the words of BEFORE, and each has R_LARCH_RELAX if MAY_RELAX.
 */
static const struct {
	const char *what;
	uint32_t types[4];
	bool may_relax;
	uint32_t before[4], after[4];
	int nbefore, nafter; /* or -1: not that */
} changes[] = {
	{ "call", { CALL36 }, true, { CALL, CALL_LOW }, { 0x57fffdff }, 8, 4 },
	{ "tail call", { CALL36 }, true, { TAIL, TAIL_LOW }, { 0x50004800 },
	  8, 4 },
	{ "a call that became a jump", { CALL36 }, true, { CALL, CALL_LOW },
	  { 0x50004800 }, -1, 0 },
	{ "a jump that became a call", { CALL36 }, true, { TAIL, TAIL_LOW },
	  { 0x54004800 }, -1, 0 },
	{ "a call without R_LARCH_RELAX", { CALL36 }, false,
	  { CALL, CALL_LOW }, { 0x57fffdff }, -1, 0 },
	{ "a call that became nothing", { CALL36 }, true, { CALL, CALL_LOW },
	  { NOP, NOP }, -1, 0 },
	{ "no pair", { CALL36 }, true, { CALL, TAIL_LOW }, { 0x57fffdff },
	  -1, 0 },

	{ "an address", { PCALA_HI20, PCALA_LO12 }, true, { HIGH, LOW },
	  { PCADDI }, 8, 4 },
	{ "that of a GOT entry", { GOT_PC_HI20, GOT_PC_LO12 }, true,
	  { HIGH, LOAD }, { PCADDI }, 8, 4 },
	{ "general dynamic", { TLS_GD_PC_HI20, GOT_PC_LO12 }, true,
	  { HIGH, LOW }, { PCADDI }, 8, 4 },
	{ "local dynamic", { TLS_LD_PC_HI20, GOT_PC_LO12 }, true,
	  { HIGH, LOW }, { PCADDI }, 8, 4 },
	{ "a descriptor's", { TLS_DESC_PC_HI20, TLS_DESC_PC_LO12 }, true,
	  { HIGH, LOW }, { PCADDI }, 8, 4 },
	{ "an address that stays", { PCALA_HI20, PCALA_LO12 }, true,
	  { HIGH, LOW }, { HIGH | 0x20, LOW }, -1, 0 },
	{ "one without R_LARCH_RELAX", { PCALA_HI20, PCALA_LO12 }, false,
	  { HIGH, LOW }, { PCADDI }, -1, 0 },
	{ "to another register", { PCALA_HI20, PCALA_LO12 }, true,
	  { HIGH, LOW }, { PCADDI ^ 1 }, -1, 0 },
	{ "of two registers", { PCALA_HI20, PCALA_LO12 }, true,
	  { HIGH, LOW ^ 1 }, { PCADDI }, -1, 0 },
	{ "a load", { PCALA_HI20, PCALA_LO12 }, true, { HIGH, LOAD },
	  { PCADDI }, -1, 0 },
	{ "the load of a word", { GOT_PC_HI20, GOT_PC_LO12 }, true,
	  { HIGH, 0x28800084 }, { PCADDI }, -1, 0 },
	{ "not side by side", { PCALA_HI20, 0, PCALA_LO12 }, true,
	  { HIGH, NOP, LOW }, { NOP, PCADDI }, -1, 0 },
	{ "half of it", { PCALA_LO12 }, true, { LOW }, { PCADDI }, -1, 0 },
	{ "half of it is gone", { PCALA_HI20 }, true, { HIGH }, { LOW },
	  -1, 0 },

	{ "computed, not loaded", { GOT_PC_HI20, GOT_PC_LO12 }, false,
	  { HIGH, LOAD }, { HIGH | 0x20, LOW | 0x400 }, 8, 8 },
	{ "from another register", { GOT_PC_HI20, GOT_PC_LO12 }, false,
	  { HIGH, LOAD }, { HIGH | 0x20, LOW | 0x420 }, -1, 0 },
	{ "to another register", { GOT_PC_HI20, GOT_PC_LO12 }, false,
	  { HIGH, LOAD }, { HIGH | 0x21, LOW | 0x400 }, -1, 0 },
	{ "addi.w", { GOT_PC_HI20, GOT_PC_LO12 }, false,
	  { HIGH, LOAD }, { HIGH | 0x20, 0x02800484 }, -1, 0 },
	{ "thread-local", { TLS_GD_PC_HI20, GOT_PC_LO12 }, false,
	  { HIGH, LOAD }, { HIGH | 0x20, LOW | 0x400 }, -1, 0 },

	{ "initial to local exec, high", { TLS_IE_PC_HI20 }, false, { HIGH },
	  { LU12I | 0x20 }, 4, 4 },
	{ "of another register", { TLS_IE_PC_HI20 }, false, { HIGH },
	  { LU12I ^ 1 }, -1, 0 },
	{ "within 4 KiB", { TLS_IE_PC_HI20 }, false, { HIGH }, { NOP }, 4, 4 },
	{ "one bit off", { TLS_IE_PC_HI20 }, false, { HIGH }, { NOP ^ 1 },
	  -1, 0 },
	{ "deleted", { TLS_IE_PC_HI20 }, true, { HIGH }, { ORI_ZERO }, 4, 0 },
	{ "without R_LARCH_RELAX", { TLS_IE_PC_HI20 }, false, { HIGH },
	  { ORI_ZERO }, -1, 0 },
	{ "low", { TLS_IE_PC_LO12 }, false, { LOAD }, { ORI | 0x400 }, 4, 4 },
	{ "low, within 4 KiB", { TLS_IE_PC_LO12 }, false, { LOAD ^ 1 },
	  { (ORI_ZERO ^ 1) | 0x400 }, 4, 4 },
	{ "low, to another register", { TLS_IE_PC_LO12 }, false, { LOAD },
	  { ORI ^ 1 }, -1, 0 },
	{ "low, from another register", { TLS_IE_PC_LO12 }, false, { LOAD },
	  { ORI ^ 0x20 }, -1, 0 },
	{ "both", { TLS_IE_PC_HI20, TLS_IE_PC_LO12 }, false, { HIGH, LOAD },
	  { LU12I | 0x20, ORI | 0x400 }, 8, 8 },
	{ "both, within 4 KiB", { TLS_IE_PC_HI20, TLS_IE_PC_LO12 }, false,
	  { HIGH, LOAD }, { NOP, ORI_ZERO | 0x400 }, 8, 8 },
	{ "both, one deleted", { TLS_IE_PC_HI20, TLS_IE_PC_LO12 }, true,
	  { HIGH, LOAD }, { ORI_ZERO | 0x400 }, 8, 4 },
	{ "a half of each", { TLS_IE_PC_HI20, TLS_IE_PC_LO12 }, false,
	  { HIGH, LOAD }, { NOP, ORI }, -1, 0 },
	{ "the other halves", { TLS_IE_PC_HI20, TLS_IE_PC_LO12 }, false,
	  { HIGH, LOAD }, { LU12I, ORI_ZERO }, -1, 0 },
	{ "deleted, and added to", { TLS_IE_PC_HI20, TLS_IE_PC_LO12 }, true,
	  { HIGH, LOAD }, { ORI }, -1, 0 },
	{ "low, of an address", { GOT_PC_LO12 }, false, { LOAD }, { ORI },
	  -1, 0 },

	{ "local exec, high", { TLS_LE_HI20_R }, true, { LU12I },
	  { TP_LOW }, 4, 0 },
	{ "that stays", { TLS_LE_HI20_R }, true, { LU12I }, { LU12I | 0x20 },
	  -1, 0 },
	{ "the addition", { TLS_LE_ADD_R }, true, { ADD_TP }, { TP_LOW },
	  4, 0 },
	{ "that stays", { TLS_LE_ADD_R }, true, { ADD_TP }, { ADD_TP },
	  -1, 0 },
	{ "of another register", { TLS_LE_ADD_R }, true, { ADD_TP ^ 0x400 },
	  { TP_LOW }, -1, 0 },
	{ "without R_LARCH_RELAX", { TLS_LE_ADD_R }, false, { ADD_TP },
	  { TP_LOW }, -1, 0 },
	{ "low", { TLS_LE_LO12_R }, true, { LOW }, { TP_LOW | 0x400 }, 4, 4 },
	{ "the load of a word", { TLS_LE_LO12_R }, true, { 0x28800084 },
	  { 0x28800444 }, 4, 4 },
	{ "from another register", { TLS_LE_LO12_R }, true, { LOW },
	  { LOW ^ 0x20 }, -1, 0 },
	{ "another instruction", { TLS_LE_LO12_R }, true, { LOW },
	  { 0x28c00044 }, -1, 0 },

	{ "a descriptor to local exec", DESC, true, DESC_INSNS,
	  { ORI_ZERO | 0x400 }, 16, 4 },
	{ "beyond 4 KiB", DESC, true, DESC_INSNS,
	  { LU12I | 0x20, ORI | 0x400 }, 16, 8 },
	{ "beyond 4 KiB, by mold", DESC, true, DESC_INSNS,
	  { LU12I | 0x20, 0x02800484 }, 16, 8 },
	{ "to initial exec", DESC, true, DESC_INSNS,
	  { HIGH | 0x20, LOAD | 0x400 }, 16, 8 },
	{ "to another register", DESC, true, DESC_INSNS,
	  { ORI_ZERO ^ 1 }, -1, 0 },
	{ "to half of each", DESC, true, DESC_INSNS, { LU12I, LOAD }, -1, 0 },
	{ "to an address", DESC, true, DESC_INSNS, { HIGH, ORI }, -1, 0 },
	{ "without R_LARCH_RELAX", DESC, false, DESC_INSNS,
	  { ORI_ZERO | 0x400 }, -1, 0 },
	{ "of another register", DESC, true,
	  { HIGH, LOW, 0x28c00082, 0x4c000021 }, { ORI_ZERO }, -1, 0 },
	{ "without the call", { TLS_DESC_PC_HI20, TLS_DESC_PC_LO12, DESC_LD },
	  true, DESC_INSNS, { ORI_ZERO }, -1, 0 },
	{ "its first NOP", DESC, false, DESC_INSNS, { NOP, NOP }, 4, 4 },
	{ "another NOP", DESC, false, DESC_INSNS, { 0x02c00000 }, -1, 0 },
	{ "its second NOP", { TLS_DESC_PC_LO12 }, false, { LOW }, { NOP },
	  4, 4 },
	{ "the load", { DESC_LD }, false, { 0x28c00081 }, { LU12I | 0x20 },
	  4, 4 },
	{ "the load", { DESC_LD }, false, { 0x28c00081 }, { HIGH | 0x20 },
	  4, 4 },
	{ "the load, to another register", { DESC_LD }, false,
	  { 0x28c00081 }, { HIGH ^ 1 }, -1, 0 },
	{ "the load goes alone", { DESC_LD }, true, { 0x28c00081 },
	  { ORI_ZERO }, -1, 0 },
	{ "the call", { DESC_CALL }, false, { 0x4c000021 },
	  { ORI_ZERO | 0x400 }, 4, 4 },
	{ "the call", { DESC_CALL }, false, { 0x4c000021 }, { ORI | 0x400 },
	  4, 4 },
	{ "the call", { DESC_CALL }, false, { 0x4c000021 }, { LOAD | 0x400 },
	  4, 4 },
	{ "the load and the call", { DESC_LD, DESC_CALL }, false,
	  { 0x28c00081, 0x4c000021 }, { HIGH | 0x20, LOAD | 0x400 }, 8, 8 },
	{ "half of each", { DESC_LD, DESC_CALL }, false,
	  { 0x28c00081, 0x4c000021 }, { NOP, LOAD }, -1, 0 },
	{ "the call becomes a NOP", { DESC_CALL }, false, { 0x4c000021 },
	  { NOP }, -1, 0 },
	{ "another call", { DESC_CALL }, false, { 0x4c000421 }, { ORI_ZERO },
	  -1, 0 },
};
/* clang-format on */

static size_t put_relocs(struct reloc *relocs, const uint32_t *types,
			 bool may_relax)
{
	size_t n = 0;

	for (size_t i = 0; i < 4; i++) {
		if (types[i] == 0)
			continue;
		relocs[n++] = (struct reloc){ .offset = 0x100 + 4 * i,
					      .type = types[i],
					      .symndx = 1 };
		if (may_relax)
			relocs[n++] = (struct reloc){ .offset = 0x100 + 4 * i,
						      .type = RELAX };
	}
	return n;
}

static void test_relax(void)
{
	for (size_t i = 0; i < COUNT(changes); i++) {
		struct reloc relocs[8];
		uint8_t bytes[16], image[16];
		const struct code before = { bytes, 16, 0x100 };
		const struct code after = { image, 16, 0x20000 };
		unsigned nbefore = 99, nafter = 99;
		size_t n = put_relocs(relocs, changes[i].types,
				      changes[i].may_relax);
		bool is_known;

		put(bytes, changes[i].before, 4);
		put(image, changes[i].after, 4);
		is_known = arch->relax(arch, relocs, n, &before, &after,
				       &nbefore, &nafter);
		if (!CHECK(is_known == (changes[i].nbefore >= 0)) ||
		    (is_known &&
		     !(CHECK((int)nbefore == changes[i].nbefore) &&
		       CHECK((int)nafter == changes[i].nafter))))
			printf("\trow %zu, %s\n", i, changes[i].what);
	}
}

/* Where nothing is deleted: what is as long as before, and nothing else. */
static void test_rewrites(void)
{
	for (size_t i = 0; i < COUNT(changes); i++) {
		const struct reloc r = { .offset = 4,
					 .type = changes[i].types[0] };
		uint8_t bytes[20] = { 0 }, image[20] = { 0 };
		struct byte_range range = { 99, 99 };
		bool is_expected = !changes[i].may_relax &&
				   changes[i].nbefore > 0;

		if (changes[i].may_relax &&
		    changes[i].nbefore == changes[i].nafter)
			continue;
		put(bytes + 4, changes[i].before, 4);
		put(image + 4, changes[i].after, 4);
		if (!CHECK(arch->is_rewrite(arch, bytes, image, 20, &r,
					    &range) == is_expected) ||
		    (is_expected &&
		     !CHECK(range.start == 4 &&
			    range.end == 4 + (uint64_t)changes[i].nafter)))
			printf("\trow %zu, %s\n", i, changes[i].what);
	}
}

static void test_align(void)
{
	static const struct {
		int64_t addend;
		uint32_t symndx;
		uint64_t addr; /* in the image */
		uint32_t second;
		int nbefore, nafter;
	} rows[] = {
		{ 12, 0, 0x20000, NOP, 12, 0 },
		{ 12, 0, 0x2000c, NOP, 12, 4 },
		{ 12, 0, 0x20008, NOP, 12, 8 },
		{ 12, 0, 0x20008, RET, -1, 0 },
		{ 28, 0, 0x20004, NOP, -1, 0 }, /* the image ends before */
		{ -4, 0, 0x20000, NOP, -1, 0 },
		{ 36, 0, 0x20000, NOP, -1, 0 }, /* the section ends before */
		/* With a symbol: the exponent, and above the most bytes. */
		{ 4, 1, 0x20008, NOP, 12, 8 },
		{ 4 | 8 << 8, 1, 0x20008, NOP, 12, 8 },
		{ 4 | 4 << 8, 1, 0x20008, NOP, 12, 0 },
		{ 32, 1, 0x20000, NOP, -1, 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const uint32_t nops[8] = { NOP, NOP, NOP, NOP,
					   NOP, NOP, NOP, NOP };
		const uint32_t found[4] = { NOP, rows[i].second, NOP, NOP };
		const struct reloc r = { .addend = rows[i].addend,
					 .type = ALIGN,
					 .symndx = rows[i].symndx };
		uint8_t bytes[32], image[16];
		const struct code before = { bytes, 32, 0x100 };
		const struct code after = { image, 16, rows[i].addr };
		unsigned nbefore = 99, nafter = 99;
		bool is_known;

		put(bytes, nops, 8);
		put(image, found, 4);
		is_known = arch->relax(arch, &r, 1, &before, &after, &nbefore,
				       &nafter);
		if (!CHECK(is_known == (rows[i].nbefore >= 0)) ||
		    (is_known && !(CHECK((int)nbefore == rows[i].nbefore) &&
				   CHECK((int)nafter == rows[i].nafter))))
			printf("\trow %zu\n", i);
	}
}

/* PLT entries at 0x10000. */
static const struct {
	const char *what;
	uint32_t insns[3];
	bool is_plt;
} plts[] = {
	{ "as linkers write it", { 0x1c00004f, 0x28ffe1ef, 0x4c0001ed }, true },
	{ "of t2", { 0x1c00004e, 0x28ffe1cf, 0x4c0001ed }, false },
	{ "to t2", { 0x1c00004f, 0x28ffe1ee, 0x4c0001cd }, false },
	{ "ld.w", { 0x1c00004f, 0x28bfe1ef, 0x4c0001ed }, false },
	{ "returns to itself", { 0x1c00004f, 0x28ffe1ef, 0x4c0001e1 }, false },
	{ "writes a5", { 0x1c00004f, 0x28ffe1ef, 0x4c0001e9 }, false },
	{ "to a function's inside",
	  { 0x1c00004f, 0x28ffe1ef, 0x4c0005ed },
	  false },
};

static void test_plt(void)
{
	for (size_t i = 0; i < sizeof(plts) / sizeof(plts[0]); i++) {
		uint8_t bytes[12];
		struct code code = { bytes, sizeof(bytes), 0x10000 };
		uint64_t slot = 0;

		put(bytes, plts[i].insns, 3);
		if (!CHECK(arch->decode_plt(arch, &code, 0, 0, &slot) ==
			   plts[i].is_plt))
			printf("\t%s\n", plts[i].what);
		CHECK(!plts[i].is_plt || slot == 0x11ff8);
		code.size = 11;
		CHECK(!arch->decode_plt(arch, &code, 0, 0, &slot));
	}
}

static void test_nowhere(void)
{
	static const struct {
		uint32_t type, after[2];
		bool is_for_nowhere;
	} rows[] = {
		{ CALL36, { CALL, 0x4c000001 }, true },
		{ CALL36, { TAIL, 0x4c000000 }, true },
		{ CALL36, { 0x4c000001, NOP }, true },
		{ CALL36, { CALL, CALL_LOW }, false },
		{ CALL36, { 0x54000000, NOP }, false },
		{ CALL36, { RET, NOP }, false },
		{ B26, { 0x4c000001, NOP }, false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct reloc r = { .type = rows[i].type, .symndx = 1 };
		uint8_t bytes[8];

		put(bytes, rows[i].after, 2);
		CHECK(arch->is_for_nowhere(arch, bytes, &r) ==
		      rows[i].is_for_nowhere);
	}
}

static void test_stub(void)
{
	static const uint32_t empty[] = { 0x140acf00, 0x14024680, RET };
	static const uint32_t enabled[] = { 0x140acf00, 0x14024680, ZERO, RET };
	uint8_t bytes[ARCH_STUB_MAX], expected[16];

	/* lu12i.w $zero, 0x5678; lu12i.w $zero, 0x1234; ret */
	put(expected, empty, 3);
	CHECK(arch->make_stub(arch, 0, false, 0x12345678, bytes) == 12);
	CHECK(memcmp(bytes, expected, 12) == 0);
	put(expected, enabled, 4);
	CHECK(arch->make_stub(arch, 0, true, 0x12345678, bytes) == 16);
	CHECK(memcmp(bytes, expected, 16) == 0);
}

int main(void)
{
	test_decode();
	test_each();
	test_sites();
	test_refusals();
	test_disabled();
	test_relax();
	test_rewrites();
	test_align();
	test_plt();
	test_nowhere();
	test_stub();
	return unit_status();
}
