/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between the files of one instruction set. */
#ifndef SDTLINK_ARCH_X86_H
#define SDTLINK_ARCH_X86_H

#include <elf.h>

#include "arch.h"

/*
 * Relocations of APX, which some <elf.h> lack: psABI 1.0, "Relocation Types".
 */
#ifndef R_X86_64_CODE_4_GOTPCRELX
#define R_X86_64_CODE_4_GOTPCRELX 43
#define R_X86_64_CODE_4_GOTTPOFF 44
#define R_X86_64_CODE_4_GOTPC32_TLSDESC 45
#define R_X86_64_CODE_5_GOTPCRELX 46
#define R_X86_64_CODE_5_GOTTPOFF 47
#define R_X86_64_CODE_5_GOTPC32_TLSDESC 48
#define R_X86_64_CODE_6_GOTPCRELX 49
#define R_X86_64_CODE_6_GOTTPOFF 50
#define R_X86_64_CODE_6_GOTPC32_TLSDESC 51
#endif

static inline int32_t x86_read_s32(const uint8_t *p)
{
	return (int32_t)((uint32_t)p[0] | (uint32_t)p[1] << 8 |
			 (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
}

static inline uint64_t x86_read_u64(const uint8_t *p)
{
	return insn_le32(p) | (uint64_t)insn_le32(p + 4) << 32;
}

/* Does it run the instructions of 64 bits? */
static inline bool x86_is_long_mode(const struct arch *arch)
{
	return arch->machine == EM_X86_64;
}

/*
 * Addresses wrap at 32 bits on i386, but not in x32, which has a 64-bit %rip.
 */
static inline uint64_t x86_wrap(const struct arch *arch, uint64_t addr)
{
	return x86_is_long_mode(arch) ? addr : (uint32_t)addr;
}

/* The length of the instruction at BYTES, or 0 if it is unknown. */
size_t x86_insn_length(const uint8_t *bytes, size_t size, bool is_64);

struct x86_insn {
	size_t length;
	size_t opcode;	 /* offset of its first byte, behind all prefixes */
	size_t modrm;	 /* offset, or 0 if it has none */
	bool is_rex2_0f; /* behind REX2, which says so, it lacks its 0f */
	bool is_jmpabs;
};

/* The same, with its parts. Returns false if it is unknown. */
bool x86_insn_parse(const uint8_t *bytes, size_t size, bool is_64,
		    struct x86_insn *insn);

/* The same for 16-bit code, which can be in i386 files. */
size_t x86_insn_length_16(const uint8_t *bytes, size_t size);

enum {
	X86_PREFIX_OPERAND = 0x66,
	X86_PREFIX_ADDRESS = 0x67,
	X86_PREFIX_REX = 0x40
};

/* A prefix of one byte, behind which a whole instruction may begin. */
bool x86_is_prefix(uint8_t byte, bool is_64);

/*
 * May the branch of an i386 file whose opcode is at OFFSET have an operand size
 * prefix? With a prefix, its field has 4 bytes in 16-bit code, and 2 bytes in
 * 32-bit code, to which no relocation of 4 bytes applies. But the byte may also
 * be the end of another instruction: see x86_is_foreign.
 */
bool x86_may_be_16_bit(const uint8_t *text, uint64_t offset);

/* The hook is_foreign. */
bool x86_is_foreign(const struct code *code, uint64_t start, uint64_t offset);

/*
 * Hooks. The last two are decode_branch for branches of two bytes, and for
 * xbegin.
 */
bool x86_decode_branch(const struct arch *arch, const struct code *code,
		       uint64_t offset, struct branch *branch);
void x86_each_branch(const struct arch *arch, const struct code *code,
		     uint64_t low, uint64_t high,
		     void (*found)(void *ctx, uint64_t offset,
				   const struct branch *branch),
		     void *ctx);
void x86_each_operand(const struct arch *arch, const struct code *code,
		      uint64_t low, uint64_t high,
		      void (*found)(void *ctx, uint64_t offset,
				    uint64_t target),
		      void *ctx);
void x86_each_address(const struct arch *arch, const struct code *code,
		      uint64_t low, uint64_t high,
		      void (*found)(void *ctx, uint64_t offset,
				    uint64_t target),
		      void *ctx);
void x86_each_both(const struct arch *arch, const struct code *code,
		   uint64_t low, uint64_t high,
		   void (*branch)(void *ctx, uint64_t offset,
				  const struct branch *branch),
		   void (*operand)(void *ctx, uint64_t offset, uint64_t target),
		   void *ctx);
bool x86_decode_short(const struct arch *arch, const struct code *code,
		      uint64_t offset, struct branch *branch);
bool x86_decode_begin(const struct arch *arch, const struct code *code,
		      uint64_t offset, struct branch *branch);

/* Hooks of x86-flow.c. */
uint64_t x86_find_end(const struct arch *arch, const struct code *code,
		      uint64_t start, uint64_t end);
bool x86_is_return(const struct arch *arch, const struct code *code,
		   uint64_t offset);
bool x86_step(const struct arch *arch, const struct code *code, uint64_t offset,
	      struct step *step);
uint64_t x86_padding_end(const struct arch *arch, const struct code *code,
			 uint64_t start, uint64_t end);
bool x86_is_boundary(const struct arch *arch, const struct code *code,
		     uint64_t start, uint64_t offset);

/* The hook decode_plt. */
bool x86_decode_plt(const struct arch *arch, const struct code *code,
		    uint64_t offset, uint64_t got, uint64_t *slot);

/*
 * The hook sets_got of i386. Compilers make this before the first other call:
 * call; add $GOT,REG.
 */
bool x86_sets_got(const struct arch *arch, const struct code *code,
		  uint64_t offset, uint64_t *got);

/* The hooks is_rewrite, judge_part and rewrite_reach. */
bool x86_is_rewrite(const struct arch *arch, const uint8_t *before,
		    const uint8_t *after, size_t size, const struct reloc *r,
		    struct byte_range *range);
bool x86_judge_part(const struct arch *arch, const struct reloc *relocs,
		    size_t n, const struct code *before,
		    const struct code *after, struct rewrite_part *part);
unsigned x86_rewrite_reach(const struct arch *arch, uint32_t type);

/* The hooks is_redirect and may_redirect, for split stacks and landing pads. */
bool x86_is_redirect(const struct arch *arch, const struct code *before,
		     const struct code *after, uint64_t offset,
		     struct redirect *redirect);
bool x86_may_redirect(const struct arch *arch, const struct code *before,
		      uint64_t offset);

#endif
