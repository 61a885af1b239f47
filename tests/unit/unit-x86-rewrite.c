/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x86: what linkers make of an instruction, and no more than that. */
#include <config.h>

#include <elf.h>

#include "arch/arch.h"
#include "elf/object.h"
#include "unit.h"

#define X64 &arch_x86_64
#define I386 &arch_i386
#define X32 &arch_x32

static const struct row {
	const char *assembly;
	const struct arch *arch;
	uint32_t type;
	uint64_t offset; /* of the relocation */
	uint8_t before[24];
	uint8_t after[24];
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
	{ "the same with add from %ebx, by gold and lld", I386,
	  R_386_TLS_GD, 2, { 0x8d, 0x86, 0, 0, 0, 0, 0xff, 0x96 },
	  { 0x65, 0xa1, 0, 0, 0, 0, 0x03, 0x83, 1, 2, 3, 4 }, 12, 0, 12 },
	{ "add from the same register", I386, R_386_TLS_GD, 2,
	  { 0x8d, 0x86, 0, 0, 0, 0, 0xff, 0x96 },
	  { 0x65, 0xa1, 0, 0, 0, 0, 0x03, 0x86, 1, 2, 3, 4 }, 12, 0, 12 },
	{ "add from another register", I386, R_386_TLS_GD, 2,
	  { 0x8d, 0x86, 0, 0, 0, 0, 0xff, 0x96 },
	  { 0x65, 0xa1, 0, 0, 0, 0, 0x03, 0x81, 1, 2, 3, 4 }, 12, 0, 0 },
	{ "sub from another register", I386, R_386_TLS_GD, 2,
	  { 0x8d, 0x86, 0, 0, 0, 0, 0xff, 0x96 },
	  { 0x65, 0xa1, 0, 0, 0, 0, 0x2b, 0x81, 1, 2, 3, 4 }, 12, 0, 0 },
	{ "a call by another register", I386, R_386_TLS_GD, 2,
	  { 0x8d, 0x86, 0, 0, 0, 0, 0xff, 0x93 },
	  { 0x65, 0xa1, 0, 0, 0, 0, 0x2b, 0x86, 1, 2, 3, 4 }, 12, 0, 0 },
	{ "lea x@tlsgd(,%ebx,1),%eax; call ___tls_get_addr@PLT -> "
	  "mov %gs:0,%eax; sub x@gottpoff(%ebx),%eax", I386, R_386_TLS_GD, 3,
	  { 0x8d, 0x04, 0x1d, 0, 0, 0, 0, 0xe8 },
	  { 0x65, 0xa1, 0, 0, 0, 0, 0x2b, 0x83, 1, 2, 3, 4 }, 12, 0, 12 },
	{ "an index of %ecx", I386, R_386_TLS_GD, 3,
	  { 0x8d, 0x04, 0x0d, 0, 0, 0, 0, 0xe8 },
	  { 0x65, 0xa1, 0, 0, 0, 0, 0x03, 0x83, 1, 2, 3, 4 }, 12, 0, 0 },
	{ "sub x@gottpoff(%ebx),%ecx -> sub $x@tpoff,%ecx", I386,
	  R_386_TLS_IE_32, 2, { 0x2b, 0x8b, 0, 0, 0, 0 },
	  { 0x81, 0xe9, 1, 2, 3, 4 }, 6, 0, 2 },
	{ "the same, but add", I386, R_386_TLS_IE_32, 2,
	  { 0x2b, 0x8b, 0, 0, 0, 0 }, { 0x81, 0xc1, 1, 2, 3, 4 }, 6, 0, 0 },
	{ "mov x@gottpoff(%rip),%rax -> mov $x@tpoff,%rax", X64,
	  R_X86_64_GOTTPOFF, 3, { 0x48, 0x8b, 0x05, 0, 0, 0, 0 },
	  { 0x48, 0xc7, 0xc0, 1, 2, 3, 4 }, 7, 0, 3 },
	{ "the same of 32 bits", X64, R_X86_64_GOTTPOFF, 3,
	  { 0x48, 0x8b, 0x05, 0, 0, 0, 0 }, { 0x40, 0xc7, 0xc0, 1, 2, 3, 4 },
	  7, 0, 0 },
	{ "mov f@GOTPCREL(%rip),%rax -> mov $f,%eax", X64,
	  R_X86_64_REX_GOTPCRELX, 3, { 0x48, 0x8b, 0x05, 0, 0, 0, 0 },
	  { 0x40, 0xc7, 0xc0, 1, 2, 3, 4 }, 7, 0, 3 },
	{ "lea x@tlsgd(%rip),%rdi; movabs $__tls_get_addr@pltoff,%rax; "
	  "add %r15,%rax; call *%rax -> mov %fs:0,%rax; lea x@tpoff(%rax),%rax",
	  X64, R_X86_64_TLSGD, 3,
	  { 0x48, 0x8d, 0x3d, 0, 0, 0, 0, 0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0,
	    0x4c, 0x01, 0xf8, 0xff, 0xd0 },
	  { 0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0, 0x48, 0x8d, 0x80, 1, 2,
	    3, 4, 0x66, 0x0f, 0x1f, 0x44, 0, 0 }, 22, 0, 22 },
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
	/* -z call-nop=prefix-NUMBER, suffix-NUMBER */
	{ "call *f@GOTPCREL(%rip) -> cs call f", X64, R_X86_64_GOTPCRELX, 2,
	  { 0xff, 0x15, 0, 0, 0, 0 }, { 0x2e, 0xe8, 1, 2, 3, 4 }, 6, 0, 6 },
	{ "call *f@GOTPCREL(%rip) -> call f; int3", X64, R_X86_64_GOTPCRELX,
	  2, { 0xff, 0x15, 0, 0, 0, 0 }, { 0xe8, 1, 2, 3, 4, 0xcc }, 6, 0, 6 },
	{ "call *f@GOT(%ebx) -> ds call f", I386, R_386_GOT32X, 2,
	  { 0xff, 0x93, 0, 0, 0, 0 }, { 0x3e, 0xe8, 1, 2, 3, 4 }, 6, 0, 6 },
	{ "a prefix of two bytes", X64, R_X86_64_GOTPCRELX, 2,
	  { 0xff, 0x15, 0, 0, 0, 0 }, { 0x0f, 0xe8, 1, 2, 3, 4 }, 6, 0, 0 },
	{ "rex on i386: inc %eax", I386, R_386_GOT32X, 2,
	  { 0xff, 0x93, 0, 0, 0, 0 }, { 0x40, 0xe8, 1, 2, 3, 4 }, 6, 0, 0 },
	{ "prefix, but jmp", X64, R_X86_64_GOTPCRELX, 2,
	  { 0xff, 0x15, 0, 0, 0, 0 }, { 0x2e, 0xe9, 1, 2, 3, 4 }, 6, 0, 0 },
	{ "a suffix that goes on behind: mov $N,%eax", X64, R_X86_64_GOTPCRELX,
	  2, { 0xff, 0x15, 0, 0, 0, 0 }, { 0xe8, 1, 2, 3, 4, 0xb8 }, 6, 0, 0 },
	{ "sub x@gottpoff(%esp), with one byte more", I386, R_386_TLS_GD, 2,
	  { 0x8d, 0x86, 0, 0, 0, 0, 0xff, 0x96 },
	  { 0x65, 0xa1, 0, 0, 0, 0, 0x2b, 0x84, 1, 2, 3, 4 }, 12, 0, 0 },
	{ "add %esi,%eax, and what is behind that", I386, R_386_TLS_GD, 2,
	  { 0x8d, 0x86, 0, 0, 0, 0, 0xff, 0x96 },
	  { 0x65, 0xa1, 0, 0, 0, 0, 0x03, 0xc6, 1, 2, 3, 4 }, 12, 0, 0 },
	{ "add x@gottpoff(%rip),%r12 -> lea with one byte more", X64,
	  R_X86_64_GOTTPOFF, 3, { 0x4c, 0x03, 0x25, 0, 0, 0, 0 },
	  { 0x4d, 0x8d, 0xa4, 1, 2, 3, 4 }, 7, 0, 0 },
	{ "lcall *f@GOT(%ebx) -> call f", I386, R_386_GOT32X, 2,
	  { 0xff, 0x9b, 0, 0, 0, 0 }, { 0x67, 0xe8, 1, 2, 3, 4 }, 6, 0, 0 },
	/* APX: REX2 and, with three operands, EVEX. */
	{ "mov f@GOTPCREL(%rip),%r31 -> lea f(%rip),%r31", X64, 43, 4,
	  { 0xd5, 0x4c, 0x8b, 0x3d }, { 0xd5, 0x4c, 0x8d, 0x3d }, 8, 0, 3 },
	{ "cmp f@GOTPCREL(%rip),%r17 -> cmp $f,%r17", X64, 43, 4,
	  { 0xd5, 0x48, 0x3b, 0x0d }, { 0xd5, 0x18, 0x81, 0xf9 }, 8, 0, 4 },
	{ "the same of %r1", X64, 43, 4,
	  { 0xd5, 0x48, 0x3b, 0x0d }, { 0xd5, 0x08, 0x81, 0xf9 }, 8, 0, 0 },
	{ "the same of %r25", X64, 43, 4,
	  { 0xd5, 0x48, 0x3b, 0x0d }, { 0xd5, 0x19, 0x81, 0xf9 }, 8, 0, 0 },
	{ "test %r20,f@GOTPCREL(%rip) -> test $f,%r20", X64, 43, 4,
	  { 0xd5, 0x48, 0x85, 0x25 }, { 0xd5, 0x18, 0xf7, 0xc4 }, 8, 0, 4 },
	{ "mov x@gottpoff(%rip),%r18 -> mov $x@tpoff,%r18", X64, 44, 4,
	  { 0xd5, 0x48, 0x8b, 0x15 }, { 0xd5, 0x18, 0xc7, 0xc2 }, 8, 0, 4 },
	{ "add x@gottpoff(%rip),%r27 -> add $x@tpoff,%r27", X64, 44, 4,
	  { 0xd5, 0x4c, 0x03, 0x1d }, { 0xd5, 0x19, 0x81, 0xc3 }, 8, 0, 4 },
	{ "add x@gottpoff(%rip),%r27 -> add $x@tpoff,%r19", X64, 44, 4,
	  { 0xd5, 0x4c, 0x03, 0x1d }, { 0xd5, 0x18, 0x81, 0xc3 }, 8, 0, 0 },
	{ "add x@gottpoff(%rip),%r27 -> sub $x@tpoff,%r27", X64, 44, 4,
	  { 0xd5, 0x4c, 0x03, 0x1d }, { 0xd5, 0x19, 0x81, 0xeb }, 8, 0, 0 },
	{ "lea x@tlsdesc(%rip),%r19 -> mov $x@tpoff,%r19", X64, 45, 4,
	  { 0xd5, 0x48, 0x8d, 0x1d }, { 0xd5, 0x18, 0xc7, 0xc3 }, 8, 0, 4 },
	{ "lea x@tlsdesc(%rip),%r19 -> mov x@gottpoff(%rip),%r19", X64, 45, 4,
	  { 0xd5, 0x48, 0x8d, 0x1d }, { 0xd5, 0x48, 0x8b, 0x1d }, 8, 0, 3 },
	{ "a load of map 1", X64, 43, 4,
	  { 0xd5, 0xc8, 0x8b, 0x05 }, { 0xd5, 0xc8, 0x8d, 0x05 }, 8, 0, 0 },
	{ "add %r16,x@gottpoff(%rip),%r17 -> add $x@tpoff,%r16,%r17", X64, 50,
	  6, { 0x62, 0xe4, 0xf4, 0x10, 0x01, 0x05 },
	  { 0x62, 0xfc, 0xf4, 0x10, 0x81, 0xc0 }, 10, 0, 6 },
	{ "add x@gottpoff(%rip),%rax,%r25 -> add $x@tpoff,%rax,%r25", X64, 50,
	  6, { 0x62, 0xf4, 0xb4, 0x10, 0x03, 0x05 },
	  { 0x62, 0xf4, 0xb4, 0x10, 0x81, 0xc0 }, 10, 0, 6 },
	{ "{nf} add %r8,x@gottpoff(%rip),%r16 -> {nf} add $x@tpoff,%r8,%r16",
	  X64, 50, 6, { 0x62, 0x74, 0xfc, 0x14, 0x01, 0x05 },
	  { 0x62, 0xd4, 0xfc, 0x14, 0x81, 0xc0 }, 10, 0, 6 },
	/* As lld 22 has it: another register. */
	{ "{nf} add x@gottpoff(%rip),%r25 -> {nf} add $x@tpoff,%r17", X64, 50,
	  6, { 0x62, 0x64, 0xfc, 0x0c, 0x03, 0x0d },
	  { 0x62, 0x7c, 0xfc, 0x0c, 0x81, 0xc1 }, 10, 0, 0 },
	{ "another destination", X64, 50,
	  6, { 0x62, 0xe4, 0xf4, 0x10, 0x01, 0x05 },
	  { 0x62, 0xfc, 0xec, 0x10, 0x81, 0xc0 }, 10, 0, 0 },
	{ "another map", X64, 50,
	  6, { 0x62, 0xe5, 0xf4, 0x10, 0x01, 0x05 },
	  { 0x62, 0xfd, 0xf4, 0x10, 0x81, 0xc0 }, 10, 0, 0 },
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

/* Of which models an instruction may be a part, by what it became. */
static void test_parts(void)
{
	static const struct {
		const char *what;
		const struct arch *arch;
		uint32_t type;
		uint8_t before[4], after[4];
		unsigned models;
	} parts[] = {
		{ "lea", X64, R_X86_64_GOTPC32_TLSDESC, { 0x8d, 0x05 },
		  { 0x8d, 0x05 }, TLS_KEPT },
		{ "lea to mov", X64, R_X86_64_GOTPC32_TLSDESC, { 0x8d, 0x05 },
		  { 0x8b, 0x05 }, TLS_INITIAL },
		{ "lea to mov $", X64, R_X86_64_GOTPC32_TLSDESC,
		  { 0x8d, 0x05 }, { 0xc7, 0xc0 }, TLS_LOCAL },
		{ "call", X64, R_X86_64_TLSDESC_CALL, { 0, 0, 0xff, 0x10 },
		  { 0, 0, 0xff, 0x10 }, TLS_KEPT },
		{ "call to nop", X32, R_X86_64_TLSDESC_CALL,
		  { 0, 0, 0x67, 0xff }, { 0, 0, 0x0f, 0x1f },
		  TLS_INITIAL | TLS_LOCAL },
		{ "lea", I386, R_386_TLS_GOTDESC, { 0x8d, 0x83 },
		  { 0x8d, 0x83 }, TLS_KEPT },
		{ "lea to lea", I386, R_386_TLS_GOTDESC, { 0x8d, 0x83 },
		  { 0x8d, 0x05 }, TLS_LOCAL },
		{ "call to neg", I386, R_386_TLS_DESC_CALL,
		  { 0, 0, 0xff, 0x10 }, { 0, 0, 0xf7, 0xd8 }, TLS_INITIAL },
		{ "mov of an offset", X64, R_X86_64_GOTTPOFF, { 0x8b, 0x05 },
		  { 0x8b, 0x05 }, 0 },
		{ "mov to mov $", X64, R_X86_64_GOTTPOFF, { 0x8b, 0x05 },
		  { 0xc7, 0xc0 }, TLS_LOCAL },
		{ "mov to %eax, behind another byte", I386, R_386_TLS_IE,
		  { 0, 0xa1 }, { 1, 0xa1 }, 0 },
		{ "mov to mov $, %eax", I386, R_386_TLS_IE, { 0, 0xa1 },
		  { 0, 0xb8 }, TLS_LOCAL },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct reloc r = { .offset = 2, .type = parts[i].type };
		struct code before = { parts[i].before, 4, 0x1000 };
		struct code after = { parts[i].after, 4, 0x1000 };
		struct rewrite_part part;

		CHECK(parts[i].arch->judge_part(parts[i].arch, &r, 1, &before,
						&after, &part));
		if (!CHECK(part.ways == parts[i].models))
			printf("\t%s\n", parts[i].what);
	}
}

/* clang-format off */
/* Prologues of functions with split stacks: gcc's, and what linkers make. */
static const struct {
	const char *what;
	const struct arch *arch;
	uint8_t before[40], after[40];
	unsigned start, length; /* 0: no known exchange */
} prologues[] = {
	{ "cmp %fs:0x70,%rsp; jae; mov $88,%r10d; mov $0,%r11d; call; ret",
	  X64, { 0x64, 0x48, 0x3b, 0x24, 0x25, 0x70, 0, 0, 0, 0x73, 0x12, 0x41,
		 0xba, 0x58, 0, 0, 0, 0x41, 0xbb, 0, 0, 0, 0, 0xe8, 0, 0, 0, 0,
		 0xc3 },
	  { 0xf9, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0, 0x73, 0x12 }, 0, 9 },
	{ "the same, but clc", X64,
	  { 0x64, 0x48, 0x3b, 0x24, 0x25, 0x70, 0, 0, 0, 0x73, 0x12, 0xe8, 0,
	    0, 0, 0, 0xc3 },
	  { 0xf8, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0, 0x73, 0x12 }, 0, 0 },
	{ "another NOP", X64,
	  { 0x64, 0x48, 0x3b, 0x24, 0x25, 0x70, 0, 0, 0, 0x73, 0x12, 0xe8, 0,
	    0, 0, 0, 0xc3 },
	  { 0xf9, 0x0f, 0x1f, 0x84, 0, 1, 0, 0, 0, 0x73, 0x12 }, 0, 0 },
	{ "another limit", X64,
	  { 0x64, 0x48, 0x3b, 0x24, 0x25, 0x78, 0, 0, 0, 0x73, 0x12, 0xe8, 0,
	    0, 0, 0, 0xc3 },
	  { 0xf9, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0, 0x73, 0x12 }, 0, 0 },
	{ "no call", X64,
	  { 0x64, 0x48, 0x3b, 0x24, 0x25, 0x70, 0, 0, 0, 0x73, 0x12, 0xe8, 0,
	    0, 0, 0, 0x90 },
	  { 0xf9, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0, 0x73, 0x12 }, 0, 0 },
	{ "jb .+4; nop; nop; call; ret", X64,
	  { 0x64, 0x48, 0x3b, 0x24, 0x25, 0x70, 0, 0, 0, 0x72, 2, 0x90, 0x90,
	    0xe8, 0, 0, 0, 0, 0xc3 },
	  { 0xf9, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0, 0x72, 2 }, 0, 9 },
	{ "jb behind it", X64,
	  { 0x64, 0x48, 0x3b, 0x24, 0x25, 0x70, 0, 0, 0, 0x72, 3, 0x90, 0x90,
	    0xe8, 0, 0, 0, 0, 0xc3 },
	  { 0xf9, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0, 0x72, 3 }, 0, 0 },
	{ "jno", X64,
	  { 0x64, 0x48, 0x3b, 0x24, 0x25, 0x70, 0, 0, 0, 0x71, 0, 0xe8, 0, 0,
	    0, 0, 0xc3 },
	  { 0xf9, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0, 0x71, 0 }, 0, 0 },
	{ "cmp %gs:0x30,%esp", I386,
	  { 0x65, 0x3b, 0x25, 0x30, 0, 0, 0, 0x73, 0x0a, 0x6a, 4, 0x6a, 0x4c,
	    0xe8, 0, 0, 0, 0, 0xc3 },
	  { 0xf9, 0x8d, 0xb6, 0, 0, 0, 0, 0x73, 0x0a }, 0, 7 },
	{ "that of x86-64 on i386", I386,
	  { 0x64, 0x48, 0x3b, 0x24, 0x25, 0x70, 0, 0, 0, 0x73, 0x12, 0xe8, 0,
	    0, 0, 0, 0xc3 },
	  { 0xf9, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0, 0x73, 0x12 }, 0, 0 },
	{ "lea -6024(%rsp),%r11 -> -22408; cmp %fs:0x70,%r11", X64,
	  { 0x4c, 0x8d, 0x9c, 0x24, 0x78, 0xe8, 0xff, 0xff, 0x64, 0x4c, 0x3b,
	    0x1c, 0x25, 0x70, 0, 0, 0, 0x73, 0x12, 0xe8, 0, 0, 0, 0, 0xc3 },
	  { 0x4c, 0x8d, 0x9c, 0x24, 0x78, 0xa8, 0xff, 0xff, 0x64, 0x4c, 0x3b,
	    0x1c, 0x25, 0x70, 0, 0, 0 }, 0, 8 },
	{ "less, not more", X64,
	  { 0x4c, 0x8d, 0x9c, 0x24, 0x78, 0xe8, 0xff, 0xff, 0x64, 0x4c, 0x3b,
	    0x1c, 0x25, 0x70, 0, 0, 0, 0x73, 0x12, 0xe8, 0, 0, 0, 0, 0xc3 },
	  { 0x4c, 0x8d, 0x9c, 0x24, 0x78, 0xf8, 0xff, 0xff, 0x64, 0x4c, 0x3b,
	    0x1c, 0x25, 0x70, 0, 0, 0 }, 0, 0 },
	{ "compared with another register", X64,
	  { 0x4c, 0x8d, 0x9c, 0x24, 0x78, 0xe8, 0xff, 0xff, 0x64, 0x4c, 0x3b,
	    0x14, 0x25, 0x70, 0, 0, 0, 0x73, 0x12, 0xe8, 0, 0, 0, 0, 0xc3 },
	  { 0x4c, 0x8d, 0x9c, 0x24, 0x78, 0xa8, 0xff, 0xff, 0x64, 0x4c, 0x3b,
	    0x14, 0x25, 0x70, 0, 0, 0 }, 0, 0 },
	{ "lea -6024(%esp),%ecx -> -22408; cmp %gs:0x30,%ecx", I386,
	  { 0x8d, 0x8c, 0x24, 0x78, 0xe8, 0xff, 0xff, 0x65, 0x3b, 0x0d, 0x30,
	    0, 0, 0, 0x73, 0x0d, 0x6a, 4, 0xe8, 0, 0, 0, 0, 0xc3 },
	  { 0x8d, 0x8c, 0x24, 0x78, 0xa8, 0xff, 0xff, 0x65, 0x3b, 0x0d, 0x30,
	    0, 0, 0 }, 0, 7 },
};
/* clang-format on */

static void test_prologues(void)
{
	for (size_t i = 0; i < sizeof(prologues) / sizeof(prologues[0]); i++) {
		const struct arch *arch = prologues[i].arch;
		uint8_t image[64] = { 0 };
		struct code before = { prologues[i].before, 40, 0x1010 };
		struct code after = { image, 64, 0x1000 };
		unsigned last = prologues[i].length - 1;
		struct redirect redirect;
		bool found;

		memcpy(image + 16, prologues[i].after, 40);
		found = arch->is_redirect(arch, &before, &after, 0, &redirect);
		if (!CHECK(found == (prologues[i].length > 0)))
			printf("\t%s\n", prologues[i].what);
		if (!found)
			continue;
		CHECK(arch->may_redirect(arch, &before, redirect.start) &&
		      arch->may_redirect(arch, &before, last) &&
		      !arch->may_redirect(arch, &before, last + 1));
		CHECK(redirect.start == prologues[i].start &&
		      redirect.length == prologues[i].length &&
		      redirect.is_same);
		CHECK(arch->is_redirect(arch, &before, &after, last,
					&redirect) &&
		      redirect.start == prologues[i].start);
		CHECK(!arch->is_redirect(arch, &before, &after, last + 1,
					 &redirect));
		after.size = 16 + last;
		CHECK(!arch->is_redirect(arch, &before, &after, 0, &redirect));
	}
}

int main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_rewrite(&rows[i]);
	test_prologues();
	test_parts();
	return unit_status();
}
