/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of RISC-V share: relocations and instruction words. */
#ifndef SDTLINK_RISCV_H
#define SDTLINK_RISCV_H

#include "arch.h"
#include "insn.h"

/* Newer than some <elf.h>. */
#define RV_RVC_BRANCH 44
#define RV_RVC_JUMP 45
#define RV_32_PCREL 57
#define RV_PLT32 59
#define RV_TLSDESC_HI20 62
#define RV_TLSDESC_LOAD_LO12 63
#define RV_TLSDESC_ADD_LO12 64
#define RV_TLSDESC_CALL 65

/* Masks of immediates, by format, and of the pair auipc and jalr. */
#define MASK_B 0xfe000f80
#define MASK_I 0xfff00000
#define MASK_S 0xfe000f80
#define MASK_U 0xfffff000
#define MASK_CALL (0xfff00000ull << 32 | MASK_U)
#define MASK_CB 0x1c7c
#define MASK_CJ 0x1ffc

enum {
	OP_ADDI = 0x13,
	OP_AUIPC = 0x17,
	OP_LUI = 0x37,
	OP_JALR = 0x67,
	OP_JAL = 0x6f,
	OP_BRANCH = 0x63
};
enum { REG_ZERO = 0, REG_RA = 1, REG_T0 = 5 };

static inline unsigned riscv_rd(uint32_t insn)
{
	return insn >> 7 & 31;
}

static inline unsigned riscv_rs1(uint32_t insn)
{
	return insn >> 15 & 31;
}

/* jalr REG,IMM(zero) */
static inline bool riscv_is_absolute(uint32_t insn)
{
	return (insn & 0x707f) == OP_JALR && riscv_rs1(insn) == REG_ZERO;
}

/*
 * Decodes c.j, c.jal (32 bits only), c.beqz and c.bnez, of quadrant 1. Sets
 * OFFSET, the distance, and the members of BRANCH that the instruction has.
 */
bool riscv_decode_compressed(const struct arch *arch, uint32_t insn,
			     struct branch *branch, int64_t *offset);

/* The hooks of those names. */
bool riscv_is_rewrite(const struct arch *arch, const uint8_t *before,
		      const uint8_t *after, size_t size, const struct reloc *r,
		      struct byte_range *range);
bool riscv_find_part(const struct arch *arch, const struct reloc *r,
		     bool may_relax, struct reloc_part *part);
uint8_t riscv_part_ways(const struct arch *arch, const struct reloc *r,
			const struct code *before, const struct code *after,
			bool is_joint);
bool riscv_is_for_nowhere(const struct arch *arch, const uint8_t *after,
			  const struct reloc *r);
uint64_t riscv_deletes_max(const struct reloc *r);
bool riscv_relax(const struct arch *arch, const struct reloc *relocs, size_t n,
		 const struct code *before, const struct code *after,
		 unsigned *nbefore, unsigned *nafter);

/* The distance of a conditional branch. */
static inline int64_t riscv_branch_offset(uint32_t insn)
{
	return insn_sign_extend(
		insn_bits(insn, 31, 1, 12) | insn_bits(insn, 25, 6, 5) |
			insn_bits(insn, 8, 4, 1) | insn_bits(insn, 7, 1, 11),
		13);
}

/* Whose branches code may have besides those of the standard. */
enum riscv_vendor {
	VENDOR_NONE,
	VENDOR_CORE_V,
	VENDOR_ANDES,
	VENDOR_QUALCOMM,
};

/* By a section of attributes. */
enum riscv_vendor riscv_find_vendor(const uint8_t *bytes, size_t size);

/* Decodes a branch that the vendor has added. */
bool riscv_decode_vendor(enum riscv_vendor vendor, const struct arch *arch,
			 const struct code *code, uint64_t offset,
			 struct branch *branch);

#endif
