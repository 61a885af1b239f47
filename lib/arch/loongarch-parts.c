/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * LoongArch: which instructions linkers change together. Those of
 * loongarch-rewrite.c are single ones: here they must fit to each other.
 */
#include <config.h>

#include "loongarch.h"
#include "reloc.h"

enum { REG_TP = 2 };

/* Local exec may be deleted, or not: then there are two families. */
enum { LOCAL = 1, LOCAL_RELAX, INITIAL, DESCRIPTOR };

/* Local exec within 4 KiB and beyond, and initial exec. */
enum {
	WAY_SHORT = 2,
	WAY_LONG = 4,
	WAY_INITIAL = 8,
	/* GNU ld puts the two instructions first, and then the NOPs. */
	WAY_LONG_FIRST = 16,
	WAY_INITIAL_FIRST = 32,
	WAYS_LAST = WAY_SHORT | WAY_LONG | WAY_INITIAL,
	WAYS_FIRST = WAY_LONG_FIRST | WAY_INITIAL_FIRST,
};

/* The upper 10 bits. */
enum { OP_ORI = 0x00e };

bool loongarch_find_part(const struct arch *arch, const struct reloc *r,
			 bool may_relax, struct reloc_part *part)
{
	(void)arch;
	*part = (struct reloc_part){ .key = PART_OF_SYMBOL };
	switch (r->type) {
	case LA_TLS_LE_HI20_R:
	case LA_TLS_LE_ADD_R:
	case LA_TLS_LE_LO12_R:
		part->kind = may_relax ? LOCAL_RELAX : LOCAL;
		part->is_lead = r->type == LA_TLS_LE_HI20_R;
		return true;
	case LA_TLS_IE_PC_HI20:
	case LA_TLS_IE_PC_LO12:
		part->kind = INITIAL;
		part->is_lead = r->type == LA_TLS_IE_PC_HI20;
		return true;
	case LA_TLS_DESC_PC_HI20:
	case LA_TLS_DESC_PC_LO12:
	case LA_TLS_DESC_LD:
	case LA_TLS_DESC_CALL:
		part->kind = DESCRIPTOR;
		part->is_lead = r->type == LA_TLS_DESC_PC_HI20;
		return true;
	default:
		return false;
	}
}

static uint32_t insn_at(const struct code *code)
{
	return code->size >= 4 ? insn_le32(code->bytes) : 0;
}

/* The upper part may stay though the lower one is enough. */
static uint8_t local_ways(const struct reloc *r, uint32_t insn, uint32_t now,
			  bool is_gone)
{
	if (r->type != LA_TLS_LE_LO12_R)
		return is_gone ? WAY_SHORT : WAY_KEPT | WAY_SHORT;
	return (loongarch_rj(now) == loongarch_rj(insn) ? WAY_KEPT : 0) |
	       (loongarch_rj(now) == REG_TP ? WAY_SHORT : 0);
}

static uint8_t initial_ways(const struct reloc *r, uint32_t now, bool is_gone)
{
	if (is_gone || now == INSN_NOP)
		return WAY_SHORT;
	if (r->type == LA_TLS_IE_PC_HI20)
		return now >> 25 == OP_PCALAU12I ? WAY_KEPT : WAY_LONG;
	if (now >> 22 != OP_ORI)
		return WAY_KEPT;
	return loongarch_rj(now) == REG_ZERO ? WAY_SHORT : WAY_LONG;
}

/* The first two instructions of a descriptor: mostly NOPs in the end. */
static uint8_t address_ways(const struct reloc *r, uint32_t now, bool is_gone)
{
	bool is_first = r->type == LA_TLS_DESC_PC_HI20;

	if (is_gone || now == INSN_NOP)
		return WAYS_LAST;
	if (is_first)
		return now >> 25 == OP_PCALAU12I ? WAY_KEPT | WAY_INITIAL_FIRST
						 : WAY_LONG_FIRST;
	switch (now >> 22) {
	case OP_LD_D:
		return WAY_INITIAL_FIRST;
	case OP_ORI:
		return WAY_LONG_FIRST;
	default:
		return WAY_KEPT;
	}
}

/* The load of a descriptor's function, and the call. */
static uint8_t function_ways(const struct reloc *r, uint32_t insn, uint32_t now,
			     bool is_gone)
{
	if (now == insn)
		return WAY_KEPT;
	if (r->type == LA_TLS_DESC_LD) {
		if (is_gone || now == INSN_NOP)
			return WAY_SHORT | WAYS_FIRST;
		if (now >> 25 == OP_PCALAU12I)
			return WAY_INITIAL;
		/* With 0, mold 3 takes an ori of zero behind it. */
		return (now & MASK_S20) == 0 ? WAY_LONG | WAY_SHORT : WAY_LONG;
	}
	if (now == INSN_NOP)
		return WAYS_FIRST;
	if (now >> 22 == OP_LD_D)
		return WAY_INITIAL;
	return loongarch_rj(now) == REG_ZERO ? WAY_SHORT : WAY_LONG;
}

/* Both instructions of an address have become one pcaddi. */
static bool is_pcaddi(const struct code *after)
{
	return insn_at(after) >> 25 == OP_PCADDI;
}

uint8_t loongarch_part_ways(const struct arch *arch, const struct reloc *r,
			    const struct code *before, const struct code *after,
			    bool is_joint)
{
	uint32_t insn = insn_at(before), now = insn_at(after);
	bool is_gone = after->size == 0;

	(void)arch;
	if (is_joint)
		return is_pcaddi(after) ? WAY_KEPT : WAYS_CHANGED;
	switch (r->type) {
	case LA_TLS_LE_HI20_R:
	case LA_TLS_LE_ADD_R:
	case LA_TLS_LE_LO12_R:
		return local_ways(r, insn, now, is_gone);
	case LA_TLS_IE_PC_HI20:
	case LA_TLS_IE_PC_LO12:
		return initial_ways(r, now, is_gone);
	case LA_TLS_DESC_PC_HI20:
	case LA_TLS_DESC_PC_LO12:
		return address_ways(r, now, is_gone);
	default:
		return function_ways(r, insn, now, is_gone);
	}
}
