/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x86, verify's view: branches and PLT entries in the bytes of an image. */
#include <config.h>

#include <string.h>

#include "arch/arch.h"
#include "unit.h"

#define X64 &arch_x86_64
#define I386 &arch_i386
#define X32 &arch_x32
#define ADDR UINT64_C(0x401000)

static const struct branch_row {
	const char *assembly;
	const struct arch *arch;
	uint8_t bytes[8];
	size_t size;
	int form; /* or -1: no branch */
	unsigned length;
	unsigned field;
	uint64_t target;
} branches[] = {
	{ "call .+5", X64, { 0xe8, 0, 0, 0, 0 }, 5, FORM_CALL, 5, 1,
	  ADDR + 5 },
	{ "call .", X64, { 0xe8, 0xfb, 0xff, 0xff, 0xff }, 5, FORM_CALL, 5, 1,
	  ADDR },
	{ "jmp .+0x7fffffff+5", X64, { 0xe9, 0xff, 0xff, 0xff, 0x7f }, 5,
	  FORM_TAIL, 5, 1, ADDR + 5 + 0x7fffffff },
	{ "jmp .-0x80000000+5", X64, { 0xe9, 0, 0, 0, 0x80 }, 5, FORM_TAIL, 5,
	  1, ADDR + 5 - UINT64_C(0x80000000) },
	{ "jmp .-0x80000000+5, which wraps", I386, { 0xe9, 0, 0, 0, 0x80 }, 5,
	  FORM_TAIL, 5, 1, 0x80401005 },
	{ "jmp .-0x80000000+5, which does not", X32, { 0xe9, 0, 0, 0, 0x80 },
	  5, FORM_TAIL, 5, 1, ADDR + 5 - UINT64_C(0x80000000) },
	{ "jo .+6", X64, { 0x0f, 0x80, 0, 0, 0, 0 }, 6, FORM_COND, 6, 2,
	  ADDR + 6 },
	{ "jg .+7", I386, { 0x0f, 0x8f, 1, 0, 0, 0 }, 6, FORM_COND, 6, 2,
	  ADDR + 7 },
	{ "call, cut off", X64, { 0xe8, 0, 0, 0 }, 4, -1, 0, 0, 0 },
	{ "jo, cut off", X64, { 0x0f, 0x80, 0, 0, 0 }, 5, -1, 0, 0, 0 },
	{ "nothing", X64, { 0 }, 0, -1, 0, 0, 0 },
	{ "jmp rel8", X64, { 0xeb, 0, 0, 0, 0, 0 }, 6, -1, 0, 0, 0 },
	{ "jo rel8", X64, { 0x70, 0, 0, 0, 0, 0 }, 6, -1, 0, 0, 0 },
	{ "in $0,%eax", X64, { 0xe5, 0, 0, 0, 0, 0 }, 6, -1, 0, 0, 0 },
	{ "ljmp", I386, { 0xea, 0, 0, 0, 0, 0, 0 }, 7, -1, 0, 0, 0 },
	{ "call *0(%rip)", X64, { 0xff, 0x15, 0, 0, 0, 0 }, 6, -1, 0, 0, 0 },
	{ "pcmpeqw, 0f 75", X64, { 0x0f, 0x75, 0, 0, 0, 0 }, 6, -1, 0, 0, 0 },
	{ "seto, 0f 90", X64, { 0x0f, 0x90, 0, 0, 0, 0 }, 6, -1, 0, 0, 0 },
	/* A prefix is an instruction's first byte, and no branch's. */
	{ "bnd call .+6", X64, { 0xf2, 0xe8, 0, 0, 0, 0 }, 6, -1, 0, 0, 0 },
	{ "addr32 call .+6", X64, { 0x67, 0xe8, 0, 0, 0, 0 }, 6, -1, 0, 0, 0 },
};

static void check_branch(const struct branch_row *row)
{
	const struct code code = { row->bytes, row->size, ADDR };
	struct branch b = { 0 };
	bool is_branch = row->arch->decode_branch(row->arch, &code, 0, &b);

	if (!CHECK(is_branch == (row->form >= 0)) ||
	    (is_branch &&
	     !CHECK((int)b.form == row->form && b.length == row->length &&
		    b.field == row->field && b.target == row->target)))
		printf("\t%s (%s)\n", row->assembly, row->arch->name);
}

static void test_past_end(void)
{
	const uint8_t bytes[] = { 0xe8, 0, 0, 0, 0 };
	const struct code code = { bytes, sizeof(bytes), ADDR };
	const struct arch *arch = X64;
	struct branch b;
	uint64_t slot;

	CHECK(!arch->decode_branch(arch, &code, 5, &b));
	CHECK(!arch->decode_branch(arch, &code, UINT64_MAX, &b));
	CHECK(!arch->decode_plt(arch, &code, 5, 0, &slot));
	CHECK(!arch->decode_plt(arch, &code, UINT64_MAX, 0, &slot));
}

/* --- each_branch -------------------------------------------------------- */

struct seen {
	uint64_t offsets[8];
	size_t n;
};

static void see(void *ctx, uint64_t offset, const struct branch *branch)
{
	struct seen *seen = ctx;

	(void)branch;
	if (seen->n < 8)
		seen->offsets[seen->n++] = offset;
}

/* Every offset counts, instruction boundary or not; both ends are inside. */
static void test_each(void)
{
	static const uint8_t bytes[] = {
		0xe8, 0x0b, 0, 0, 0,	    /* 0: call 0x10 */
		0x0f, 0x84, 0x05, 0, 0, 0,  /* 5: je 0x10 */
		0xb8, 0xe9, 0xff, 0xff, 0xff, 0xff, /* b: mov; c: jmp 0x10 */
		0xe8, 0xfb, 0xff, 0xff,	    /* 11: cut off */
	};
	const struct code code = { bytes, sizeof(bytes), 0 };
	const struct arch *arch = X64;
	struct seen all = { { 0 }, 0 }, none = { { 0 }, 0 };

	arch->each_branch(arch, &code, 0x10, 0x10, see, &all);
	/* They come in any order. */
	CHECK(all.n == 3 && all.offsets[0] + all.offsets[1] +
					    all.offsets[2] == 0 + 5 + 0xc);
	arch->each_branch(arch, &code, 0x11, 0x20, see, &none);
	arch->each_branch(arch, &code, 0, 0xf, see, &none);
	CHECK(none.n == 0);
}

/* A jmp or jne to 0x1000 behind, at every place in text of every length. */
static void check_place(const struct arch *arch, size_t at, size_t size,
			bool is_jne)
{
	uint8_t bytes[60];
	const struct code code = { bytes, size, ADDR };
	unsigned length = is_jne ? 6 : 5;
	uint64_t target = ADDR + at + length + 0x1000;
	struct seen near = { { 0 }, 0 }, wide = near, below = near,
		    above = near;

	memset(bytes, 0x90, sizeof(bytes));
	bytes[at] = is_jne ? 0x0f : 0xe9;
	bytes[at + 1] = 0x85; /* overwritten by that of jmp */
	memcpy(bytes + at + length - 4, "\0\x10\0\0", 4);
	arch->each_branch(arch, &code, target, target, see, &near);
	arch->each_branch(arch, &code, target - 1, target + (1 << 20), see,
			  &wide);
	arch->each_branch(arch, &code, target - 0x400, target - 1, see, &below);
	arch->each_branch(arch, &code, target + 1, target + 0x400, see, &above);
	CHECK(near.n == (at + length <= size) && wide.n == near.n);
	CHECK(near.n == 0 || (near.offsets[0] == at && wide.offsets[0] == at));
	CHECK(below.n == 0 && above.n == 0);
}

/* A jmp rel8 to itself, wherever it is: at the last address, it has no room. */
static void test_short_branch_at_any_address(void)
{
	static const uint8_t bytes[] = { 0x90, 0xeb, 0xfe };
	static const uint64_t addrs[] = { 0, 1, 0x81, 0x82, 0x83, ADDR,
					  UINT64_MAX - 3 };

	for (size_t i = 0; i < sizeof(addrs) / sizeof(addrs[0]); i++) {
		const struct code code = { bytes, sizeof(bytes), addrs[i] };
		struct seen all = { { 0 }, 0 };

		arch_x86_64.each_branch(X64, &code, addrs[i] + 1, addrs[i] + 1, see,
				 &all);
		CHECK(all.n == 1 && all.offsets[0] == 1);
	}
	for (size_t size = 0; size < 2; size++) {
		const struct code code = { bytes + 1, size, UINT64_MAX };
		struct seen none = { { 0 }, 0 };

		arch_x86_64.each_branch(X64, &code, 0, UINT64_MAX, see, &none);
		CHECK(none.n == 0);
	}
}

static void test_places(void)
{
	for (size_t size = 0; size <= 60; size++)
		for (size_t at = 0; at + 6 <= 60; at++) {
			check_place(X64, at, size, false);
			check_place(X64, at, size, true);
			check_place(I386, at, size, false);
			check_place(I386, at, size, true);
		}
}

/* --- each_operand ------------------------------------------------------- */

static void see_operand(void *ctx, uint64_t offset, uint64_t target)
{
	struct seen *seen = ctx;

	if (seen->n < 8)
		seen->offsets[seen->n++] = offset;
	CHECK(target == ADDR + offset + 4 + 0x64);
}

/* lea 0x64(%rip),%rsi (48 8d 35) at every place in text of every length. */
static void check_operand(size_t at, size_t size)
{
	static const uint8_t lea[] = { 0x48, 0x8d, 0x35, 0x64, 0, 0, 0 };
	uint8_t bytes[40];
	const struct code code = { bytes, size, ADDR };
	struct seen one = { { 0 }, 0 }, wide = one, none = one;
	const struct arch *x64 = X64, *i386 = I386;
	uint64_t target = ADDR + at + 7 + 0x64;

	memset(bytes, 0x90, sizeof(bytes));
	memcpy(bytes + at, lea, sizeof(lea));
	x64->each_operand(x64, &code, target, target + 1, see_operand, &one);
	CHECK(one.n == (at + 7 <= size));
	CHECK(one.n == 0 || one.offsets[0] == at + 3);
	x64->each_operand(x64, &code, target - 4, target + (1 << 20),
			  see_operand, &wide);
	CHECK(wide.n == one.n && wide.offsets[0] == one.offsets[0]);
	x64->each_operand(x64, &code, target + 5, target + 9, see_operand,
			  &none);
	CHECK(none.n == 0);
	i386->each_operand(i386, &code, 0, UINT32_MAX, see_operand, &none);
	CHECK(none.n == 0);
}

static void test_operands(void)
{
	for (size_t size = 0; size <= 40; size++)
		for (size_t at = 0; at + 7 <= 40; at++)
			check_operand(at, size);
}

/* --- PLT ------------------------------------------------------------------ */

static const struct plt_row {
	const char *assembly;
	const struct arch *arch;
	uint8_t bytes[12];
	size_t size;
	uint64_t slot; /* 0: no PLT entry */
} plts[] = {
	{ "jmp *0x2fe2(%rip)", X64, { 0xff, 0x25, 0xe2, 0x2f, 0, 0 }, 6,
	  ADDR + 6 + 0x2fe2 },
	{ "bnd jmp *0x2fe2(%rip)", X64, { 0xf2, 0xff, 0x25, 0xe2, 0x2f, 0, 0 },
	  7, ADDR + 7 + 0x2fe2 },
	{ "endbr64; jmp *-0x10(%rip)", X64,
	  { 0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, 0xf0, 0xff, 0xff, 0xff }, 10,
	  ADDR + 10 - 0x10 },
	{ "endbr64; bnd jmp *1(%rip)", X64,
	  { 0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 1, 0, 0, 0 }, 11,
	  ADDR + 11 + 1 },
	{ "jmp *0x804a00c", I386, { 0xff, 0x25, 0x0c, 0xa0, 0x04, 0x08 }, 6,
	  0x804a00c },
	{ "endbr32; jmp *0xc(%ebx)", I386,
	  { 0xf3, 0x0f, 0x1e, 0xfb, 0xff, 0xa3, 0x0c, 0, 0, 0 }, 10,
	  0x9000 + 0xc },
	{ "jmp *0xc(%ebx) is none here", X64, { 0xff, 0xa3, 0x0c, 0, 0, 0 }, 6,
	  0 },
	{ "jmp, cut off", X64, { 0xff, 0x25, 0, 0, 0 }, 5, 0 },
	{ "endbr64, cut off", X64, { 0xf3, 0x0f, 0x1e, 0xfa }, 4, 0 },
	{ "call *0(%rip)", X64, { 0xff, 0x15, 0, 0, 0, 0 }, 6, 0 },
	{ "push 0(%rip)", X64, { 0xff, 0x35, 0, 0, 0, 0 }, 6, 0 },
};

static void check_plt(const struct plt_row *row)
{
	const struct code code = { row->bytes, row->size, ADDR };
	uint64_t slot = 0;
	bool is_plt = row->arch->decode_plt(row->arch, &code, 0, 0x9000,
					    &slot);

	if (!CHECK(is_plt == (row->slot != 0)) ||
	    !CHECK(!is_plt || slot == row->slot))
		printf("\t%s (%s)\n", row->assembly, row->arch->name);
}

/* What a function of i386 makes of the GOT register, if its bytes tell. */
static void test_sets_got(void)
{
	static const struct {
		uint8_t bytes[24];
		uint64_t got; /* 0: they do not; the code is at 0x1000 */
	} rows[] = {
		/* push %ebx; call .+7; add $0x100,%ebx; mov (%esp),%ebx; ret */
		{ { 0x53, 0xe8, 6, 0, 0, 0, 0x81, 0xc3, 0, 1, 0, 0, 0x8b, 0x1c,
		    0x24, 0xc3 },
		  0x1106 },
		/* call; add $-6,%eax; mov (%esp),%eax; ret */
		{ { 0xe8, 5, 0, 0, 0, 0x05, 0xfa, 0xff, 0xff, 0xff, 0x8b, 0x04,
		    0x24, 0xc3 },
		  0xfff },
		/* call; pop %eax; add $0x103,%eax */
		{ { 0xe8, 0, 0, 0, 0, 0x58, 0x81, 0xc0, 3, 1, 0, 0 }, 0x1108 },
		/* another register is added to; sub; no ret; another call */
		{ { 0xe8, 0, 0, 0, 0, 0x58, 0x81, 0xc3, 3, 1, 0, 0 }, 0 },
		{ { 0xe8, 0, 0, 0, 0, 0x5b, 0x81, 0xeb, 3, 1, 0, 0 }, 0 },
		{ { 0xe8, 0, 0, 0, 0, 0x5b, 0x05, 3, 1, 0, 0 }, 0 },
		{ { 0xe8, 6, 0, 0, 0, 0x81, 0xc3, 0, 1, 0, 0, 0x8b, 0x1c, 0x24,
		    0x90 },
		  0 },
		{ { 0xe8, 0, 1, 0, 0, 0x81, 0xc3, 0, 1, 0, 0 }, 0 },
		/* ret; jmp before it */
		{ { 0xc3, 0xe8, 0, 0, 0, 0, 0x58, 0x81, 0xc0, 3, 1, 0, 0 }, 0 },
		{ { 0xeb, 0, 0xe8, 0, 0, 0, 0, 0x58, 0x81, 0xc0, 3, 1 }, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct code code = { rows[i].bytes, 24, 0x1000 };
		uint64_t got = 0;
		bool found = arch_i386.sets_got(&arch_i386, &code, 0, &got);

		if (!CHECK(found == (rows[i].got != 0)) ||
		    !CHECK(!found || got == rows[i].got))
			printf("\trow %zu: 0x%x\n", i, (unsigned)got);
		for (code.size = 0; code.size < 9; code.size++)
			CHECK(!arch_i386.sets_got(&arch_i386, &code, 0, &got));
	}
}

int main(void)
{
	for (size_t i = 0; i < sizeof(branches) / sizeof(branches[0]); i++)
		check_branch(&branches[i]);
	test_past_end();
	test_each();
	test_places();
	test_short_branch_at_any_address();
	test_operands();
	test_sets_got();
	for (size_t i = 0; i < sizeof(plts) / sizeof(plts[0]); i++)
		check_plt(&plts[i]);
	return unit_status();
}
