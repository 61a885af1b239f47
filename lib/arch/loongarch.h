/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of LoongArch share: relocations and instruction words. */
#ifndef SDTLINK_LOONGARCH_H
#define SDTLINK_LOONGARCH_H

#include "arch.h"
#include "insn.h"

/* Newer than some <elf.h>. */
#define LA_MACHINE 258
enum {
	LA_NONE = 0,
	LA_64 = 2,
	LA_RELATIVE = 3,
	LA_JUMP_SLOT = 5,
	LA_IRELATIVE = 12,
	LA_SOP_PUSH_PCREL = 22,
	LA_SOP_POP_32_U = 46,
	LA_B16 = 64,
	LA_B21 = 65,
	LA_B26 = 66,
	LA_ABS_HI20 = 67,
	LA_ABS64_HI12 = 70,
	LA_PCALA_HI20 = 71,
	LA_PCALA_LO12 = 72,
	LA_PCALA64_HI12 = 74,
	LA_GOT_PC_HI20 = 75,
	LA_GOT_PC_LO12 = 76,
	LA_GOT64_HI12 = 82,
	LA_TLS_IE_PC_HI20 = 87,
	LA_TLS_IE_PC_LO12 = 88,
	LA_TLS_LD_PC_HI20 = 95,
	LA_TLS_GD_PC_HI20 = 97,
	LA_32_PCREL = 99,
	LA_RELAX = 100,
	LA_ALIGN = 102,
	LA_CALL36 = 110,
	LA_TLS_DESC_PC_HI20 = 111,
	LA_TLS_DESC_PC_LO12 = 112,
	LA_TLS_DESC_LD = 119,
	LA_TLS_DESC_CALL = 120,
	LA_TLS_LE_HI20_R = 121,
	LA_TLS_LE_ADD_R = 122,
	LA_TLS_LE_LO12_R = 123,
};

/* Masks of immediates, by format, and of the pair pcaddu18i and jirl. */
#define MASK_U5 0x00007c00
#define MASK_S12 0x003ffc00
#define MASK_S16 0x03fffc00
#define MASK_S20 0x01ffffe0
#define MASK_S21 0x03fffc1f
#define MASK_S26 0x03ffffff
#define MASK_CALL36 ((uint64_t)MASK_S16 << 32 | MASK_S20)

/* The upper 6 bits of branches. */
enum {
	OP_BEQZ = 0x10,
	OP_BNEZ = 0x11,
	OP_BCZ = 0x12, /* bceqz, bcnez */
	OP_JIRL = 0x13,
	OP_B = 0x14,
	OP_BL = 0x15,
	OP_BEQ = 0x16,
	OP_BGEU = 0x1b,
};

/* The upper 7 bits of what adds to the PC. */
enum {
	OP_PCADDI = 0x0c,
	OP_PCALAU12I = 0x0d,
	OP_PCADDU12I = 0x0e,
	OP_PCADDU18I = 0x0f,
};

/* The upper 10 bits. */
enum { OP_ADDI_W = 0x00a, OP_ADDI_D = 0x00b, OP_LD_D = 0x0a3 };

#define INSN_NOP 0x03400000
#define INSN_RETURN 0x4c000020 /* jirl zero,ra,0 */
#define INSN_ZERO 0x00150004   /* move a0,zero */

enum { REG_ZERO = 0, REG_RA = 1 };

static inline unsigned loongarch_rd(uint32_t insn)
{
	return insn & 31;
}

static inline unsigned loongarch_rj(uint32_t insn)
{
	return insn >> 5 & 31;
}

/* Is it pcaddu18i REG, then jirl RA or ZERO through the same REG? */
static inline bool loongarch_is_pair(uint32_t first, uint32_t second)
{
	return first >> 25 == OP_PCADDU18I && second >> 26 == OP_JIRL &&
	       loongarch_rj(second) == loongarch_rd(first) &&
	       (loongarch_rd(second) == REG_RA ||
		loongarch_rd(second) == REG_ZERO);
}

/* The hooks of those names. */
bool loongarch_is_rewrite(const struct arch *arch, const uint8_t *before,
			  const uint8_t *after, size_t size,
			  const struct reloc *r, struct byte_range *range);
bool loongarch_find_part(const struct arch *arch, const struct reloc *r,
			 bool may_relax, struct reloc_part *part);
uint8_t loongarch_part_ways(const struct arch *arch, const struct reloc *r,
			    const struct code *before, const struct code *after,
			    bool is_joint);
bool loongarch_is_for_nowhere(const struct arch *arch, const uint8_t *after,
			      const struct reloc *r);
uint64_t loongarch_deletes_max(const struct reloc *r);
bool loongarch_relax(const struct arch *arch, const struct reloc *relocs,
		     size_t n, const struct code *before,
		     const struct code *after, unsigned *nbefore,
		     unsigned *nafter);

#endif
