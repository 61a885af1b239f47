/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of Power share. */
#ifndef SDTLINK_ARCH_PPC_H
#define SDTLINK_ARCH_PPC_H

#include "arch.h"
#include "insn.h"

/*
 * Relocation types that hooks use. They have the same numbers in 32 and 64
 * bits.
 */
enum {
	PPC_ADDR24 = 2,
	PPC_REL24 = 10,
	PPC_REL14 = 11,
	PPC_REL14_BRTAKEN = 12,
	PPC_REL14_BRNTAKEN = 13,
	PPC_PLT16_HA = 31,
	PPC_TLS = 67,
	PPC_TPREL16_LO = 70,
	PPC_TPREL16_HA = 72,
	PPC_GOT_TLSGD16 = 79,
	PPC_GOT_TLSGD16_LO = 80,
	PPC_GOT_TLSGD16_HA = 82,
	PPC_GOT_TLSLD16 = 83,
	PPC_GOT_TLSLD16_LO = 84,
	PPC_GOT_TLSLD16_HA = 86,
	PPC_GOT_TPREL16 = 87,
	PPC_GOT_TPREL16_LO = 88,
	PPC_GOT_TPREL16_HA = 90,
	PPC_PLTSEQ = 119,
	PPC_PLTCALL = 120,
	PPC_IRELATIVE = 248,
	PPC_REL16_HA = 252,
};

/* Those of one class only. */
enum {
	PPC32_PLTREL24 = 18,
	PPC32_LOCAL24PC = 23,
	PPC32_PLT16_LO = 29,
	PPC32_TLSGD = 95,
	PPC32_TLSLD = 96,
	PPC32_EMB_SDA21 = 109,
};

enum {
	PPC64_ADDR64 = 38,
	PPC64_TOC = 51,
	PPC64_PLT16_LO_DS = 60,
	PPC64_TLSGD = 107,
	PPC64_TLSLD = 108,
	PPC64_TOCSAVE = 109,
	PPC64_REL24_NOTOC = 116,
	PPC64_ENTRY = 118,
	PPC64_PLTSEQ_NOTOC = 121,
	PPC64_PLTCALL_NOTOC = 122,
	PPC64_PCREL_OPT = 123,
	PPC64_REL24_P9NOTOC = 124,
	PPC64_GOT_PCREL34 = 133,
	PPC64_PLT_PCREL34 = 134,
	PPC64_PLT_PCREL34_NOTOC = 135,
	PPC64_GOT_TLSGD_PCREL34 = 148,
	PPC64_GOT_TLSLD_PCREL34 = 149,
	PPC64_GOT_TPREL_PCREL34 = 150,
};

/* No enumerator is above INT_MAX. */
#define PPC_LD_R2_R12 0xe84cfff8u /* ld r2,-8(r12) */

/* Instructions whole, and primary opcodes. */
enum {
	PPC_NOP = 0x60000000,
	PPC_BLR = 0x4e800020,
	PPC_BCLR = 0x4c000020,
	PPC_CONDITION = 0x03ff0000, /* of bc and bclr */
	PPC_BCTR = 0x4e800420,
	PPC_BCTRL = 0x4e800421,
	PPC_BNECTR = 0x4ce20420,     /* bnectr+ */
	PPC_CMPLDI_R2 = 0x28220000,  /* cmpldi r2,0 */
	PPC_BCL_NEXT = 0x429f0005,   /* bcl 20,31,.+4 */
	PPC_ADD_R2_R12 = 0x7c426214, /* add r2,r2,r12 */
	PPC_MFLR_R0 = 0x7c0802a6,    /* or another register */
	PPC_MFLR_R30 = 0x7fc802a6,
	PPC_MTLR_R0 = 0x7c0803a6, /* or another register, but for its bits */
};

enum {
	OP_PREFIX = 1,
	OP_ADDI = 14,
	OP_ADDIS = 15,
	OP_BC = 16,
	OP_B = 18,
	OP_XL = 19,
	OP_ORI = 24,
	OP_X = 31,
	OP_LWZ = 32,
	OP_STW = 36,
	OP_STWU = 37,
	OP_LMW = 46,
	OP_STMW = 47,
	OP_PLD = 57, /* the second word */
	OP_LD = 58,
	OP_STD = 62,
};

static inline unsigned ppc_opcode(uint32_t insn)
{
	return insn >> 26;
}

/* The registers RT (or RS, BO) and RA (or BI). */
static inline unsigned ppc_rt(uint32_t insn)
{
	return insn >> 21 & 31;
}

static inline unsigned ppc_ra(uint32_t insn)
{
	return insn >> 16 & 31;
}

/* The immediate of a D-form instruction. */
static inline int64_t ppc_imm(uint32_t insn)
{
	return insn_sign_extend(insn & 0xffff, 16);
}

/*
 * Is it the first word of an instruction of 8 bytes with a PC-relative operand?
 * Sets the distance to the operand's address.
 */
static inline bool ppc_pcrel34(uint32_t prefix, uint32_t suffix,
			       int64_t *offset)
{
	/* 8LS and MLS with the bit R set. */
	if (ppc_opcode(prefix) != OP_PREFIX ||
	    ((prefix & 0x03d00000) != 0x00100000 &&
	     (prefix & 0x03d00000) != 0x02100000))
		return false;
	*offset = (insn_sign_extend(prefix & 0x3ffff, 18) * 65536) +
		  (suffix & 0xffff);
	return true;
}

enum { PPC32_NRELOCS = 256, PPC64_NRELOCS = 253 };
extern const struct reloc_desc ppc32_relocs[PPC32_NRELOCS];
extern const struct reloc_desc ppc64_relocs[PPC64_NRELOCS];
extern const struct reloc_desc ppc64le_relocs[PPC64_NRELOCS];

/*
 * The hooks is_rewrite, is_for_nowhere, is_for_pointer, judge_part, areas,
 * rewrite_reach, decode_plt, decode_veneer and restores.
 */
bool ppc_is_rewrite(const struct arch *arch, const uint8_t *before,
		    const uint8_t *after, size_t size, const struct reloc *r,
		    struct byte_range *range);
bool ppc_is_for_nowhere(const struct arch *arch, const uint8_t *after,
			const struct reloc *r);
bool ppc_is_for_pointer(const struct arch *arch, const uint8_t *before,
			const uint8_t *after, const struct reloc *r);
bool ppc_judge_part(const struct arch *arch, const struct reloc *relocs,
		    size_t n, const struct code *before,
		    const struct code *after, struct rewrite_part *part);
const char *const *ppc32_areas(const struct arch *arch, const uint8_t *after,
			       const struct reloc *r);
unsigned ppc_rewrite_reach(const struct arch *arch, uint32_t type);
bool ppc_decode_plt(const struct arch *arch, const struct code *code,
		    uint64_t offset, uint64_t got, uint64_t *slot);
bool ppc_uses_got(const struct arch *arch, const struct code *code,
		  uint64_t offset);
unsigned ppc_decode_veneer(const struct arch *arch, const struct code *code,
			   uint64_t offset, uint64_t got, uint64_t *target);
bool ppc_restores(const struct arch *arch, const struct called *called);

/* The hooks decode_detour and is_redirect for 32 bits. */
bool ppc32_decode_detour(const struct arch *arch, const struct code *code,
			 uint64_t offset, struct detour *detour);
bool ppc32_is_redirect(const struct arch *arch, const struct code *before,
		       const struct code *after, uint64_t offset,
		       struct redirect *redirect);

/* The hooks is_redirect and may_redirect for 64 bits: split stacks. */
bool ppc64_is_redirect(const struct arch *arch, const struct code *before,
		       const struct code *after, uint64_t offset,
		       struct redirect *redirect);
bool ppc64_may_redirect(const struct arch *arch, const struct code *before,
			uint64_t offset);

#endif
