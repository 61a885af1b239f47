/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * RISC-V: which instructions linkers change together. Those of riscv-rewrite.c
 * are single ones: here they must fit to each other.
 */
#include <config.h>

#include <elf.h>

#include "reloc.h"
#include "riscv.h"

enum { REG_GP = 3, REG_TP = 4 };

/* May be deleted, or not: then there are two families. */
enum { HI20 = 1, HI20_RELAX, TPREL, TPREL_RELAX, LABEL, DESCRIPTOR };

/* The ways in which an address is linked. */
enum {
	WAY_GP = 2,   /* the high part is gone, the low one counts from gp */
	WAY_ZERO = 4, /* from zero */
	WAY_ADD = 8,  /* an addition for the load from the GOT */
	WAY_LI = 16,  /* the number for it, without the high part */
	WAY_TP = 2,   /* local exec: the low part counts from tp */
};

/* A TLS descriptor becomes these: see endings of riscv-rewrite.c. */
enum { WAY_SHORT = 2, WAY_LONG = 4, WAY_INITIAL = 8 };

bool riscv_find_part(const struct arch *arch, const struct reloc *r,
		     bool may_relax, struct reloc_part *part)
{
	(void)arch;
	*part = (struct reloc_part){ .key = PART_OF_SYMBOL };
	switch (r->type) {
	case R_RISCV_HI20:
		part->is_lead = true;
		/* fall through */
	case R_RISCV_LO12_I:
	case R_RISCV_LO12_S:
		part->kind = may_relax ? HI20_RELAX : HI20;
		return true;
	case R_RISCV_TPREL_HI20:
		part->is_lead = true;
		/* fall through */
	case R_RISCV_TPREL_ADD:
	case R_RISCV_TPREL_LO12_I:
	case R_RISCV_TPREL_LO12_S:
		part->kind = may_relax ? TPREL_RELAX : TPREL;
		return true;
	case RV_TLSDESC_HI20:
	case R_RISCV_PCREL_HI20:
	case R_RISCV_GOT_HI20:
	case R_RISCV_TLS_GOT_HI20:
	case R_RISCV_TLS_GD_HI20:
		part->is_lead = true;
		/* fall through */
	case R_RISCV_PCREL_LO12_I:
	case R_RISCV_PCREL_LO12_S:
	case RV_TLSDESC_LOAD_LO12:
	case RV_TLSDESC_ADD_LO12:
	case RV_TLSDESC_CALL:
		part->key = PART_OF_LABEL;
		part->kind = r->type >= RV_TLSDESC_HI20 ? DESCRIPTOR : LABEL;
		return true;
	default:
		return false;
	}
}

static uint32_t insn_at(const struct code *code)
{
	return code->size >= 4 ? insn_le32(code->bytes) : 0;
}

/*
 * The low part counts from another register, or is an addition or c.li instead
 * of a load.
 */
static uint8_t low_ways(const struct arch *arch, const struct reloc *r,
			const struct code *before, const struct code *after)
{
	uint32_t insn = insn_at(before), now = insn_at(after);
	uint32_t kept = ~((uint32_t)arch->relocs[r->type].mask | 31u << 15);
	bool is_same = riscv_rs1(insn) == riscv_rs1(now);

	if (after->size == 2 || ((insn ^ now) & kept) != 0)
		return is_same && after->size != 2 ? WAY_ADD : WAY_LI;
	if (is_same)
		return WAY_KEPT;
	switch (riscv_rs1(now)) {
	case REG_ZERO:
		return WAY_ZERO;
	case REG_GP:
		return WAY_GP;
	default:
		return WAYS_ANY;
	}
}

static uint8_t tprel_ways(const struct code *before, const struct code *after)
{
	unsigned base = riscv_rs1(insn_at(after));

	return (base == riscv_rs1(insn_at(before)) ? WAY_KEPT : 0) |
	       (base == REG_TP ? WAY_TP : 0);
}

static uint8_t descriptor_ways(const struct reloc *r, const struct code *before,
			       const struct code *after)
{
	bool is_call = r->type == RV_TLSDESC_CALL;
	uint32_t field = r->type == RV_TLSDESC_HI20 ? MASK_U : MASK_I;
	uint32_t insn = insn_at(before), now = insn_at(after);

	if (after->size > 0 && ((insn ^ now) & ~(is_call ? 0 : field)) == 0)
		return WAY_KEPT;
	if (r->type == RV_TLSDESC_HI20 || r->type == RV_TLSDESC_LOAD_LO12)
		return WAYS_CHANGED;
	switch (now & 0x7f) {
	case 0x03: /* a load */
		return WAY_INITIAL;
	case OP_AUIPC:
		return is_call ? 0 : WAY_INITIAL;
	case OP_LUI:
		return is_call ? 0 : WAY_LONG;
	case OP_ADDI:
		return is_call && riscv_rs1(now) != REG_ZERO ? WAY_LONG
							     : WAY_SHORT;
	default:
		return WAY_SHORT;
	}
}

/*
 * Is AFTER lui, of a page that auipc there does not reach? Only of that does
 * GNU ld make lui. The low part is up to 0xfff bytes behind the start of the
 * page less 0x800, from which both count.
 */
static bool is_far(const struct code *after)
{
	int32_t page = insn_at(after) & MASK_U;
	int64_t distance = (int64_t)page - after->addr;

	return distance < INT32_MIN || distance > INT32_MAX - 0xfff;
}

/*
 * auipc may have become lui. An addition for the load from the GOT is made only
 * to what auipc computes.
 */
static uint8_t auipc_ways(const struct reloc *r, const struct code *after)
{
	if ((insn_at(after) & 0x7f) == OP_LUI)
		return is_far(after) ? WAY_KEPT : 0;
	return r->type == R_RISCV_GOT_HI20 ? WAY_KEPT | WAY_ADD : WAY_KEPT;
}

/* mold may leave the high part though the low one is enough. */
uint8_t riscv_part_ways(const struct arch *arch, const struct reloc *r,
			const struct code *before, const struct code *after,
			bool is_joint)
{
	bool is_gone = after->size == 0;

	switch (r->type) {
	case R_RISCV_HI20:
		return is_gone ? WAY_GP | WAY_ZERO : WAY_KEPT | WAY_ZERO;
	case R_RISCV_PCREL_HI20:
		return is_gone ? WAY_GP | WAY_ZERO : auipc_ways(r, after);
	case R_RISCV_GOT_HI20:
		return is_gone ? WAY_LI : auipc_ways(r, after);
	case R_RISCV_TPREL_HI20:
	case R_RISCV_TPREL_ADD:
		return is_gone ? WAY_TP : WAY_KEPT | WAY_TP;
	case R_RISCV_TPREL_LO12_I:
	case R_RISCV_TPREL_LO12_S:
		return tprel_ways(before, after);
	case R_RISCV_TLS_GOT_HI20:
	case R_RISCV_TLS_GD_HI20:
		return WAY_KEPT;
	case RV_TLSDESC_HI20:
	case RV_TLSDESC_LOAD_LO12:
	case RV_TLSDESC_ADD_LO12:
	case RV_TLSDESC_CALL:
		return is_joint ? WAYS_CHANGED
				: descriptor_ways(r, before, after);
	default:
		return low_ways(arch, r, before, after);
	}
}
