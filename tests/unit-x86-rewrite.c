/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x86: what linkers make of an instruction, and no more than that. */
#include <config.h>

#include <elf.h>

#include "arch/arch.h"
#include "object.h"
#include "unit.h"

#define X64 &arch_x86_64
#define I386 &arch_i386
#define X32 &arch_x32

static const struct row {
	const char *assembly;
	const struct arch *arch;
	uint32_t type;
	uint64_t offset; /* of the relocation */
	uint8_t before[16];
	uint8_t after[16];
	size_t size;
	uint64_t start; /* of the range; == end: no known rewrite */
	uint64_t end;
} rows[] = {
	{ "call *f@GOTPCREL(%rip) -> addr32 call f", X64, R_X86_64_GOTPCRELX,
	  2, { 0xff, 0x15, 0, 0, 0, 0 }, { 0x67, 0xe8, 1, 2, 3, 4 }, 6, 0, 6 },
	{ "call *f@GOTPCREL(%rip) -> nop; call f", X64, R_X86_64_GOTPCRELX, 2,
	  { 0xff, 0x15, 0, 0, 0, 0 }, { 0x90, 0xe8, 1, 2, 3, 4 }, 6, 0, 6 },
	{ "call *f@GOTPCREL(%rip) -> call f; nop", X64, R_X86_64_GOTPCRELX, 2,
	  { 0xff, 0x15, 0, 0, 0, 0 }, { 0xe8, 1, 2, 3, 4, 0x90 }, 6, 0, 6 },
	{ "jmp *f@GOTPCREL(%rip) -> jmp f; nop", X64, R_X86_64_GOTPCRELX, 2,
	  { 0xff, 0x25, 0, 0, 0, 0 }, { 0xe9, 1, 2, 3, 4, 0x90 }, 6, 0, 6 },
	{ "jmp *f@GOTPCREL(%rip) -> nop; jmp f (mold)", X64,
	  R_X86_64_GOTPCRELX, 2, { 0xff, 0x25, 0, 0, 0, 0 },
	  { 0x90, 0xe9, 1, 2, 3, 4 }, 6, 0, 6 },
	{ "mov f@GOTPCREL(%rip),%rbx -> lea f(%rip),%rbx", X64,
	  R_X86_64_REX_GOTPCRELX, 3, { 0x48, 0x8b, 0x1d, 0, 0, 0, 0 },
	  { 0x48, 0x8d, 0x1d, 1, 2, 3, 4 }, 7, 0, 2 },
	{ "mov f@GOTPCREL(%rip),%r14 -> mov $f,%r14", X64,
	  R_X86_64_REX_GOTPCRELX, 3, { 0x4c, 0x8b, 0x35, 0, 0, 0, 0 },
	  { 0x49, 0xc7, 0xc6, 1, 2, 3, 4 }, 7, 0, 3 },
	{ "call *f@GOT(%ecx) -> addr16 call f", I386, R_386_GOT32X, 2,
	  { 0xff, 0x91, 0, 0, 0, 0 }, { 0x67, 0xe8, 1, 2, 3, 4 }, 6, 0, 6 },
	{ "cmp f@GOTPCREL(%rip),%rbx -> cmp $f,%rbx", X64,
	  R_X86_64_REX_GOTPCRELX, 3, { 0x48, 0x3b, 0x1d, 0, 0, 0, 0 },
	  { 0x48, 0x81, 0xfb, 1, 2, 3, 4 }, 7, 0, 3 },
	{ "test %r9,f@GOTPCREL(%rip) -> test $f,%r9", X64,
	  R_X86_64_REX_GOTPCRELX, 3, { 0x4c, 0x85, 0x0d, 0, 0, 0, 0 },
	  { 0x49, 0xf7, 0xc1, 1, 2, 3, 4 }, 7, 0, 3 },
	{ "jmp *f@GOT(%eax) -> jmp f; nop", I386, R_386_GOT32X, 2,
	  { 0xff, 0xa0, 0, 0, 0, 0 }, { 0xe9, 1, 2, 3, 4, 0x90 }, 6, 0, 6 },
	{ "mov f@GOT(%ebx),%eax -> lea f@GOTOFF(%ebx),%eax", I386,
	  R_386_GOT32X, 2, { 0x8b, 0x83, 0, 0, 0, 0 },
	  { 0x8d, 0x83, 1, 2, 3, 4 }, 6, 0, 1 },
	{ "lea x@tlsgd(%rip),%rdi; call __tls_get_addr@PLT -> "
	  "mov %fs:0,%rax; add $x@tpoff,%rax (mold)", X64, R_X86_64_TLSGD, 4,
	  { 0x66, 0x48, 0x8d, 0x3d, 0, 0, 0, 0, 0x66, 0x66, 0x48, 0xe8 },
	  { 0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0, 0x48, 0x81, 0xc0, 1, 2,
	    3, 4 }, 16, 0, 16 },
	{ "the same, but sub", X64, R_X86_64_TLSGD, 4,
	  { 0x66, 0x48, 0x8d, 0x3d, 0, 0, 0, 0, 0x66, 0x66, 0x48, 0xe8 },
	  { 0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0, 0x48, 0x81, 0xe8, 1, 2,
	    3, 4 }, 16, 0, 0 },
	{ "lea x@tlsgd(%esi),%eax; call *___tls_get_addr@GOT(%esi) -> "
	  "mov %gs:0,%eax; sub x@gottpoff(%esi),%eax", I386, R_386_TLS_GD, 2,
	  { 0x8d, 0x86, 0, 0, 0, 0, 0xff, 0x96 },
	  { 0x65, 0xa1, 0, 0, 0, 0, 0x2b, 0x86, 1, 2, 3, 4 }, 12, 0, 12 },
	{ "lea x@tlsldm(%esi),%eax; call *___tls_get_addr@GOT(%esi) -> "
	  "mov %gs:0,%eax; lea 0(%esi),%esi", I386, R_386_TLS_LDM, 2,
	  { 0x8d, 0x86, 0, 0, 0, 0, 0xff, 0x96 },
	  { 0x65, 0xa1, 0, 0, 0, 0, 0x8d, 0xb6, 0, 0, 0, 0 }, 12, 0, 12 },
	{ "call *(%eax) -> neg %eax", I386, R_386_TLS_DESC_CALL, 0,
	  { 0xff, 0x10 }, { 0xf7, 0xd8 }, 2, 0, 2 },
	{ "mov x@indntpoff,%eax -> mov $x@tpoff,%eax", I386, R_386_TLS_IE, 1,
	  { 0xa1, 0, 0, 0, 0 }, { 0xb8, 1, 2, 3, 4 }, 5, 0, 1 },
	{ "lea x@tlsdesc(%rip),%rax -> mov $x@tpoff,%rax", X64,
	  R_X86_64_GOTPC32_TLSDESC, 3, { 0x48, 0x8d, 0x05, 0, 0, 0, 0 },
	  { 0x48, 0xc7, 0xc0, 1, 2, 3, 4 }, 7, 0, 3 },
	{ "lea x@tlsdesc(%rip),%ebx -> mov $x@tpoff,%ebx", X32,
	  R_X86_64_GOTPC32_TLSDESC, 3, { 0x40, 0x8d, 0x1d, 0, 0, 0, 0 },
	  { 0x40, 0xc7, 0xc3, 1, 2, 3, 4 }, 7, 0, 3 },
	{ "lea x@tlsdesc(%rip),%eax -> mov x@gottpoff(%rip),%eax", X32,
	  R_X86_64_GOTPC32_TLSDESC, 3, { 0x40, 0x8d, 0x05, 0, 0, 0, 0 },
	  { 0x40, 0x8b, 0x05, 1, 2, 3, 4 }, 7, 0, 2 },
	{ "call *(%eax) -> nopl (%rax)", X32, R_X86_64_TLSDESC_CALL, 0,
	  { 0x67, 0xff, 0x10 }, { 0x0f, 0x1f, 0x00 }, 3, 0, 3 },
	{ "lea x@tlsgd; call -> mov %fs:0,%eax; lea x@tpoff(%rax),%rax", X32,
	  R_X86_64_TLSGD, 3,
	  { 0x48, 0x8d, 0x3d, 0, 0, 0, 0, 0x66, 0x66, 0x48, 0xe8 },
	  { 0x64, 0x8b, 0x04, 0x25, 0, 0, 0, 0, 0x48, 0x8d, 0x80 }, 15, 0,
	  15 },

	/* What no linker makes. */
	{ "the same in 64 bits, where it would cut the address", X64,
	  R_X86_64_TLSGD, 3,
	  { 0x48, 0x8d, 0x3d, 0, 0, 0, 0, 0x66, 0x66, 0x48, 0xe8 },
	  { 0x64, 0x8b, 0x04, 0x25, 0, 0, 0, 0, 0x48, 0x8d, 0x80 }, 15, 0, 0 },
	{ "lea x@tlsdesc(%rip),%ebx -> mov $x@tpoff,%eax", X32,
	  R_X86_64_GOTPC32_TLSDESC, 3, { 0x40, 0x8d, 0x1d, 0, 0, 0, 0 },
	  { 0x40, 0xc7, 0xc0, 1, 2, 3, 4 }, 7, 0, 0 },
	{ "lea f(%rip),%rax is no load", X64, R_X86_64_REX_GOTPCRELX, 3,
	  { 0x48, 0x8d, 0x05, 0, 0, 0, 0 }, { 0x48, 0xc7, 0xc0, 1, 2, 3, 4 },
	  7, 0, 0 },
	{ "call -> jmp", X64, R_X86_64_GOTPCRELX, 2,
	  { 0xff, 0x15, 0, 0, 0, 0 }, { 0xe9, 1, 2, 3, 4, 0x90 }, 6, 0, 0 },
	{ "jmp -> call", X64, R_X86_64_GOTPCRELX, 2,
	  { 0xff, 0x25, 0, 0, 0, 0 }, { 0x67, 0xe8, 1, 2, 3, 4 }, 6, 0, 0 },
	{ "the wrong padding", X64, R_X86_64_GOTPCRELX, 2,
	  { 0xff, 0x25, 0, 0, 0, 0 }, { 0xe9, 1, 2, 3, 4, 0xcc }, 6, 0, 0 },
	{ "another type of relocation", X64, R_X86_64_PC32, 2,
	  { 0xff, 0x15, 0, 0, 0, 0 }, { 0x67, 0xe8, 1, 2, 3, 4 }, 6, 0, 0 },
	{ "a direct call is never rewritten", X64, R_X86_64_PLT32, 1,
	  { 0xe8, 0, 0, 0, 0 }, { 0x90, 1, 2, 3, 4 }, 5, 0, 0 },
	{ "cut off", X64, R_X86_64_GOTPCRELX, 2, { 0xff, 0x25, 0, 0, 0 },
	  { 0xe9, 1, 2, 3, 4 }, 5, 0, 0 },
	{ "nothing before the field", X64, R_X86_64_GOTPCRELX, 1,
	  { 0x15, 0, 0, 0, 0 }, { 0xe8, 1, 2, 3, 4 }, 5, 0, 0 },
	{ "x86-64's rewrite on i386", I386, R_386_PC32, 2,
	  { 0xff, 0x15, 0, 0, 0, 0 }, { 0x67, 0xe8, 1, 2, 3, 4 }, 6, 0, 0 },
	/* The register must stay the same: its fourth bit is in the REX. */
	{ "mov f@GOTPCREL(%rip),%rbx -> lea f(%rip),%r11", X64,
	  R_X86_64_REX_GOTPCRELX, 3, { 0x48, 0x8b, 0x1d, 0, 0, 0, 0 },
	  { 0x4c, 0x8d, 0x1d, 1, 2, 3, 4 }, 7, 0, 0 },
	{ "mov f@GOTPCREL(%rip),%rbx -> mov $f,%rcx", X64,
	  R_X86_64_REX_GOTPCRELX, 3, { 0x48, 0x8b, 0x1d, 0, 0, 0, 0 },
	  { 0x48, 0xc7, 0xc1, 1, 2, 3, 4 }, 7, 0, 0 },
	{ "mov f@GOTPCREL(%rip),%r14 -> mov $f,%rsi", X64,
	  R_X86_64_REX_GOTPCRELX, 3, { 0x4c, 0x8b, 0x35, 0, 0, 0, 0 },
	  { 0x48, 0xc7, 0xc6, 1, 2, 3, 4 }, 7, 0, 0 },
	{ "cmp f@GOTPCREL(%rip),%rbx -> add $f,%rbx", X64,
	  R_X86_64_REX_GOTPCRELX, 3, { 0x48, 0x3b, 0x1d, 0, 0, 0, 0 },
	  { 0x48, 0x81, 0xc3, 1, 2, 3, 4 }, 7, 0, 0 },
	{ "mov x@indntpoff,%ecx -> mov $x@tpoff,%edx", I386, R_386_TLS_IE, 2,
	  { 0x8b, 0x0d, 0, 0, 0, 0 }, { 0xc7, 0xc2, 1, 2, 3, 4 }, 6, 0, 0 },
};

static void check_rewrite(const struct row *row)
{
	const struct reloc r = { .offset = row->offset,
				 .type = row->type,
				 .addend = -4 };
	struct byte_range range = { 0, 0 };
	bool is_rewrite = row->arch->is_rewrite(row->arch, row->before,
						row->after, row->size, &r,
						&range);

	if (!CHECK(is_rewrite == (row->start != row->end)) ||
	    (is_rewrite && !CHECK(range.start == row->start &&
				  range.end == row->end)))
		printf("\t%s\n", row->assembly);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_rewrite(&rows[i]);
	return unit_status();
}
