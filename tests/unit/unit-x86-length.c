/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x86: where instructions begin. x86-lengths asks libopcodes as well. */
#include <config.h>

#include "arch/arch.h"
#include "arch/x86.h"
#include "unit.h"

#define BOTH 3
#define X64 1
#define I386 2

static const struct row {
	const char *assembly;
	unsigned modes;
	uint8_t bytes[16];
	size_t length;
} rows[] = {
	{ "nop", BOTH, { 0x90 }, 1 },
	{ "ret", BOTH, { 0xc3 }, 1 },
	{ "ret $8", BOTH, { 0xc2, 8, 0 }, 3 },
	{ "int3", BOTH, { 0xcc }, 1 },
	{ "enter $1,$2", BOTH, { 0xc8, 1, 0, 2 }, 4 },
	{ "mov %esp,%ebp", BOTH, { 0x89, 0xe5 }, 2 },
	{ "mov %rsp,%rbp", X64, { 0x48, 0x89, 0xe5 }, 3 },
	{ "dec %eax", I386, { 0x48 }, 1 },
	{ "mov (%ecx),%eax", BOTH, { 0x8b, 0x01 }, 2 },
	{ "mov 8(%ecx),%eax", BOTH, { 0x8b, 0x41, 8 }, 3 },
	{ "mov 0x100(%ecx),%eax", BOTH, { 0x8b, 0x81, 0, 1, 0, 0 }, 6 },
	{ "mov (%esp),%eax", BOTH, { 0x8b, 0x04, 0x24 }, 3 },
	{ "mov 8(%esp),%eax", BOTH, { 0x8b, 0x44, 0x24, 8 }, 4 },
	{ "mov 0x100(%esp),%eax", BOTH, { 0x8b, 0x84, 0x24, 0, 1, 0, 0 }, 7 },
	{ "mov 0(,%eax,4),%eax", BOTH, { 0x8b, 0x04, 0x85, 0, 0, 0, 0 }, 7 },
	{ "mov 0,%eax", BOTH, { 0x8b, 0x05, 0, 0, 0, 0 }, 6 },
	{ "mov (%di),%eax", I386, { 0x67, 0x8b, 0x05 }, 3 },
	{ "mov 0x1234,%eax", I386, { 0x67, 0x8b, 0x06, 0x34, 0x12 }, 5 },
	{ "mov 8(%bx),%eax", I386, { 0x67, 0x8b, 0x47, 8 }, 4 },
	{ "mov 0x100(%bx),%eax", I386, { 0x67, 0x8b, 0x87, 0, 1 }, 5 },
	{ "mov (%edi),%eax", X64, { 0x67, 0x8b, 0x07 }, 3 },
	{ "mov $1,%eax", BOTH, { 0xb8, 1, 0, 0, 0 }, 5 },
	{ "mov $1,%ax", BOTH, { 0x66, 0xb8, 1, 0 }, 4 },
	{ "movabs $1,%rax", X64, { 0x48, 0xb8, 1, 0, 0, 0, 0, 0, 0, 0 }, 10 },
	{ "movabs 0,%al", X64, { 0xa0, 0, 0, 0, 0, 0, 0, 0, 0 }, 9 },
	{ "addr32 mov 0,%al", X64, { 0x67, 0xa0, 0, 0, 0, 0 }, 6 },
	{ "mov 0,%al", I386, { 0xa0, 0, 0, 0, 0 }, 5 },
	{ "addr16 mov 0,%al", I386, { 0x67, 0xa0, 0, 0 }, 4 },
	{ "add $1,%eax", BOTH, { 0x05, 1, 0, 0, 0 }, 5 },
	{ "add $1,%al", BOTH, { 0x04, 1 }, 2 },
	{ "add $1,%cx", BOTH, { 0x66, 0x81, 0xc1, 1, 0 }, 5 },
	{ "add $1,%rcx", X64, { 0x48, 0x83, 0xc1, 1 }, 4 },
	{ "movl $1,8(%ecx)", BOTH, { 0xc7, 0x41, 8, 1, 0, 0, 0 }, 7 },
	{ "movw $1,8(%ecx)", BOTH, { 0x66, 0xc7, 0x41, 8, 1, 0 }, 6 },
	{ "testb $1,(%ecx)", BOTH, { 0xf6, 0x01, 1 }, 3 },
	{ "negb (%ecx)", BOTH, { 0xf6, 0x19 }, 2 },
	{ "testl $1,(%ecx)", BOTH, { 0xf7, 0x01, 1, 0, 0, 0 }, 6 },
	{ "neg %ecx", BOTH, { 0xf7, 0xd9 }, 2 },
	{ "imul $1,%ecx,%eax", BOTH, { 0x69, 0xc1, 1, 0, 0, 0 }, 6 },
	{ "imul $1,%ecx,%eax (imm8)", BOTH, { 0x6b, 0xc1, 1 }, 3 },
	{ "push $1", BOTH, { 0x6a, 1 }, 2 },
	{ "push $0x100", BOTH, { 0x68, 0, 1, 0, 0 }, 5 },
	{ "call", BOTH, { 0xe8, 0, 0, 0, 0 }, 5 },
	{ "call rel16", I386, { 0x66, 0xe8, 0, 0 }, 4 },
	{ "data16 call", X64, { 0x66, 0xe8, 0, 0, 0, 0 }, 6 },
	{ "jmp rel8", BOTH, { 0xeb, 0 }, 2 },
	{ "je rel8", BOTH, { 0x74, 0 }, 2 },
	{ "je", BOTH, { 0x0f, 0x84, 0, 0, 0, 0 }, 6 },
	{ "lcall", I386, { 0x9a, 0, 0, 0, 0, 0, 0 }, 7 },
	{ "call *0(%rip)", BOTH, { 0xff, 0x15, 0, 0, 0, 0 }, 6 },
	{ "call *%eax", BOTH, { 0xff, 0xd0 }, 2 },
	{ "endbr64", BOTH, { 0xf3, 0x0f, 0x1e, 0xfa }, 4 },
	{ "rep movsl", BOTH, { 0xf3, 0xa5 }, 2 },
	{ "lock xadd %eax,(%ecx)", BOTH, { 0xf0, 0x0f, 0xc1, 0x01 }, 4 },
	{ "mov %fs:0x28,%rax",
	  X64,
	  { 0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0 },
	  9 },
	{ "nopw 0(%rax,%rax,1)",
	  X64,
	  { 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0 },
	  10 },
	{ "shld $1,%eax,%ecx", BOTH, { 0x0f, 0xa4, 0xc1, 1 }, 4 },
	{ "bt $1,%ecx", BOTH, { 0x0f, 0xba, 0xe1, 1 }, 4 },
	{ "movzbl %cl,%eax", BOTH, { 0x0f, 0xb6, 0xc1 }, 3 },
	{ "bswap %ecx", BOTH, { 0x0f, 0xc9 }, 2 },
	{ "cpuid", BOTH, { 0x0f, 0xa2 }, 2 },
	{ "syscall", BOTH, { 0x0f, 0x05 }, 2 },
	{ "mov %cr0,%eax", BOTH, { 0x0f, 0x20, 0xc0 }, 3 },
	{ "pshufd $1,%xmm1,%xmm0", BOTH, { 0x66, 0x0f, 0x70, 0xc1, 1 }, 5 },
	{ "pshufb %xmm1,%xmm0", BOTH, { 0x66, 0x0f, 0x38, 0x00, 0xc1 }, 5 },
	{ "palignr $1,%xmm1,%xmm0",
	  BOTH,
	  { 0x66, 0x0f, 0x3a, 0x0f, 0xc1, 1 },
	  6 },
	{ "vzeroupper", BOTH, { 0xc5, 0xf8, 0x77 }, 3 },
	{ "vmovaps 8(%eax),%xmm0", BOTH, { 0xc5, 0xf8, 0x28, 0x40, 8 }, 5 },
	{ "vpshufd $1,%xmm1,%xmm0", BOTH, { 0xc5, 0xf9, 0x70, 0xc1, 1 }, 5 },
	{ "vpshufb %xmm2,%xmm1,%xmm0",
	  BOTH,
	  { 0xc4, 0xe2, 0x71, 0x00, 0xc2 },
	  5 },
	{ "vpalignr $1,%xmm2,%xmm1,%xmm0",
	  BOTH,
	  { 0xc4, 0xe3, 0x71, 0x0f, 0xc2, 1 },
	  6 },
	{ "vaddps %zmm2,%zmm1,%zmm0",
	  BOTH,
	  { 0x62, 0xf1, 0x74, 0x48, 0x58, 0xc2 },
	  6 },
	{ "valignd $1,%zmm2,%zmm1,%zmm0",
	  BOTH,
	  { 0x62, 0xf3, 0x75, 0x48, 0x03, 0xc2, 1 },
	  7 },
	{ "addb %al,(%r24)", X64, { 0xd5, 0x11, 0x00, 0x00 }, 4 },
	{ "imul %r17,%r18", X64, { 0xd5, 0xd8, 0xaf, 0xd1 }, 4 },
	{ "movabs $1,%r19",
	  X64,
	  { 0xd5, 0x19, 0xbb, 1, 0, 0, 0, 0, 0, 0, 0 },
	  11 },
	{ "mov $1,%r19w", X64, { 0x66, 0xd5, 0x11, 0xbb, 1, 0 }, 6 },
	{ "jmpabs 1", X64, { 0xd5, 0x00, 0xa1, 1, 0, 0, 0, 0, 0, 0, 0 }, 11 },
	{ "jmp *%r16", X64, { 0xd5, 0x10, 0xff, 0xe0 }, 4 },
	{ "ud2 with REX2", X64, { 0xd5, 0x80, 0x0b }, 3 },
	{ "add %r20,%r21,%rax",
	  X64,
	  { 0x62, 0xec, 0xfc, 0x18, 0x01, 0xe5 },
	  6 },
	{ "imul $1,%r18d,%r19d",
	  X64,
	  { 0x62, 0xec, 0x7c, 0x08, 0x69, 0xda, 1, 0, 0, 0 },
	  10 },
	{ "imul $1,%r18w,%r19w",
	  X64,
	  { 0x62, 0xec, 0x7d, 0x08, 0x69, 0xda, 1, 0 },
	  8 },
	{ "shld $1,%rax,%rcx,%rdx",
	  X64,
	  { 0x62, 0xf4, 0xec, 0x18, 0x24, 0xc1, 1 },
	  7 },
	{ "les (%ecx),%eax", I386, { 0xc4, 0x01 }, 2 },
	{ "lds 8(%ecx),%eax", I386, { 0xc5, 0x41, 8 }, 3 },
	{ "bound %eax,(%ecx)", I386, { 0x62, 0x01 }, 2 },
	{ "aam", I386, { 0xd4, 0x0a }, 2 },
	{ "aad", I386, { 0xd5, 0x0a }, 2 },
	{ "pusha", I386, { 0x60 }, 1 },
	{ "push %cs", I386, { 0x0e }, 1 },
	{ "into", I386, { 0xce }, 1 },
};

/* In 16-bit code, prefixes make wide what they make narrow elsewhere. */
static const struct row rows_16[] = {
	{ "nop", 0, { 0x90 }, 1 },
	{ "mov (%di),%ax", 0, { 0x8b, 0x05 }, 2 },
	{ "mov 0x1234,%ax", 0, { 0x8b, 0x06, 0x34, 0x12 }, 4 },
	{ "mov 8(%bx),%ax", 0, { 0x8b, 0x47, 8 }, 3 },
	{ "mov 0x100(%bx),%ax", 0, { 0x8b, 0x87, 0, 1 }, 4 },
	{ "mov 8(%esp),%eax", 0, { 0x67, 0x66, 0x8b, 0x44, 0x24, 8 }, 6 },
	{ "mov 0x100(%ecx),%ax", 0, { 0x67, 0x8b, 0x81, 0, 1, 0, 0 }, 7 },
	{ "mov $1,%ax", 0, { 0xb8, 1, 0 }, 3 },
	{ "mov $1,%eax", 0, { 0x66, 0xb8, 1, 0, 0, 0 }, 6 },
	{ "mov 0,%al", 0, { 0xa0, 0, 0 }, 3 },
	{ "addr32 mov 0,%al", 0, { 0x67, 0xa0, 0, 0, 0, 0 }, 6 },
	{ "testw $1,(%bx)", 0, { 0xf7, 0x07, 1, 0 }, 4 },
	{ "testl $1,(%bx)", 0, { 0x66, 0xf7, 0x07, 1, 0, 0, 0 }, 7 },
	{ "call rel16", 0, { 0xe8, 0, 0 }, 3 },
	{ "call rel32", 0, { 0x66, 0xe8, 0, 0, 0, 0 }, 6 },
	{ "je rel16", 0, { 0x0f, 0x84, 0, 0 }, 4 },
	{ "lcall", 0, { 0x9a, 0, 0, 0, 0 }, 5 },
	{ "lcalll", 0, { 0x66, 0x9a, 0, 0, 0, 0, 0, 0 }, 8 },
	{ "pshufd $1,%xmm1,%xmm0", 0, { 0x66, 0x0f, 0x70, 0xc1, 1 }, 5 },
};

/* Are the first N bytes prefixes? Behind them, the opcode counts, too. */
static bool is_prefixed(const struct arch *arch, const uint8_t *bytes, size_t n)
{
	static const char prefixes[] = "\x26\x2e\x36\x3e\x64\x65\x66\x67"
				       "\xf0\xf2\xf3";

	for (size_t i = 0; i < n; i++)
		if (memchr(prefixes, bytes[i], sizeof(prefixes) - 1) == NULL &&
		    !(arch->is_64 && (bytes[i] & 0xf0) == 0x40))
			return false;
	return true;
}

/*
 * The instruction, and behind it a mov whose immediate must not count as an
 * instruction: what cannot be decoded is a boundary everywhere.
 */
static void check_length(const struct arch *arch, const struct row *row)
{
	uint8_t bytes[32] = { 0 };
	struct code code = { bytes, sizeof(bytes), 0 };
	bool ok;

	memcpy(bytes, row->bytes, row->length);
	bytes[row->length] = 0xb8; /* mov $0,%eax */
	code.size = row->length + 5;
	ok = CHECK(arch->is_boundary(arch, &code, 0, 0));
	for (size_t i = 1; i < row->length; i++)
		ok &= CHECK(arch->is_boundary(arch, &code, 0, i) ==
			    is_prefixed(arch, row->bytes, i));
	ok &= CHECK(arch->is_boundary(arch, &code, 0, row->length));
	for (size_t i = 1; i < 5; i++)
		ok &= CHECK(
			!arch->is_boundary(arch, &code, 0, row->length + i));
	ok &= CHECK(arch->is_boundary(arch, &code, 0, row->length + 5));
	if (!ok)
		printf("\t%s (%s)\n", row->assembly, arch->name);
}

/* Nothing is claimed about what cannot be decoded. */
static void test_unknown(void)
{
	static const uint8_t cut_off[] = { 0x90, 0xe8, 0, 0 };
	const struct code code = { cut_off, sizeof(cut_off), 0 };
	const struct arch *arch = &arch_x86_64;

	CHECK(arch->is_boundary(arch, &code, 0, 1));
	CHECK(arch->is_boundary(arch, &code, 0, 2));
	CHECK(arch->is_boundary(arch, &code, 0, 3));
}

/* What 64-bit mode lacks, what has two REX, and what REX2 or VEX cannot have.
 */
static void test_lacking(void)
{
	static const char *const rows_none[] = { "\x06",
						 "\x07",
						 "\x0e",
						 "\x16",
						 "\x17",
						 "\x1e",
						 "\x1f",
						 "\x27",
						 "\x2f",
						 "\x37",
						 "\x3f",
						 "\x60",
						 "\x61",
						 "\x82",
						 "\x9a",
						 "\xce",
						 "\xd4",
						 "\xea",
						 "\x48\x40\x90",
						 "\x48\xd5\x10\x90",
						 "\xd5\x10\x40\x90",
						 "\xd5\x10\x74\x10",
						 "\xd5\x10\xe8\x10",
						 "\xd5\x08\xa1\x10",
						 "\xd5\x10\xd5\x10",
						 "\xd5\x80\x84\x10",
						 "\xd5\x80\x38\x10",
						 "\xd5\x10\x0f\x10",
						 "\xd5\x10\x66\x90",
						 "\xc5\xf8\x84\x10",
						 "\x62\xf4\x7c\x08\x74\x10",
						 "\x62\xf0\x7c\x08\x01\x10",
						 NULL };

	for (size_t i = 0; rows_none[i] != NULL; i++) {
		uint8_t bytes[16] = { 0 };

		memcpy(bytes, rows_none[i], strlen(rows_none[i]));
		if (!CHECK(x86_insn_length(bytes, sizeof(bytes), true) == 0))
			printf("\trow %zu of what is none\n", i);
	}
}

/* Where control goes. */
static void test_steps(void)
{
	static const struct {
		uint8_t bytes[12];
		bool goes_on, has_target;
	} steps[] = {
		{ { 0xd5, 0x10, 0xff, 0xe0 }, false, false }, /* jmp *%r16 */
		{ { 0xd5, 0x10, 0xff, 0xd0 }, true, false },  /* call *%r16 */
		{ { 0xd5, 0x80, 0x0b }, false, false },	      /* ud2 */
		{ { 0xd5, 0x80, 0xe8, 0xc1 }, true, false },  /* psubsb */
		{ { 0xd5, 0x80, 0xc3, 0x01 }, true, false },  /* movnti */
		{ { 0xd5, 0x00, 0xa1, 0x34, 0x12 }, false, true },
		{ { 0xd5, 0x10, 0xc3 }, false, false }, /* ret */
		{ { 0xd6 }, false, false },		/* udb */
	};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		const struct code code = { steps[i].bytes, 12, 0x1000 };
		struct step step;

		CHECK(arch_x86_64.step(&arch_x86_64, &code, 0, &step));
		if (!CHECK(step.goes_on == steps[i].goes_on &&
			   step.has_target == steps[i].has_target &&
			   (!step.has_target || step.target == 0x1234)))
			printf("\trow %zu of steps\n", i);
	}
}

int main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].modes & X64)
			check_length(&arch_x86_64, &rows[i]);
		if (rows[i].modes & I386)
			check_length(&arch_i386, &rows[i]);
	}
	for (size_t i = 0; i < sizeof(rows_16) / sizeof(rows_16[0]); i++)
		if (!CHECK(x86_insn_length_16(rows_16[i].bytes,
					      sizeof(rows_16[i].bytes)) ==
			   rows_16[i].length) ||
		    !CHECK(x86_insn_length_16(rows_16[i].bytes,
					      rows_16[i].length - 1) == 0))
			printf("\t%s (16 bits)\n", rows_16[i].assembly);
	test_unknown();
	test_lacking();
	test_steps();
	return unit_status();
}
