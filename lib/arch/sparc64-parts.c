/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SPARC: which instructions linkers change together. Those of sparc64-rewrite.c
 * are single ones: here they must fit to each other.
 */
#include <config.h>

#include "reloc.h"
#include "sparc64.h"

enum { GENERAL = 1, INITIAL, LOCAL_DYNAMIC };

/* Local and initial exec. */
enum { WAY_LOCAL = 2, WAY_INITIAL = 4 };

bool sparc64_find_part(const struct arch *arch, const struct reloc *r,
		       bool may_relax, struct reloc_part *part)
{
	(void)arch;
	(void)may_relax;
	*part = (struct reloc_part){ .key = PART_OF_SYMBOL };
	switch (r->type) {
	case SPARC_TLS_GD_LO10:
	case SPARC_TLS_GD_ADD:
	case SPARC_TLS_GD_CALL:
		part->kind = GENERAL;
		break;
	case SPARC_TLS_IE_LO10:
	case SPARC_TLS_IE_LDX:
		part->kind = INITIAL;
		break;
	case SPARC_TLS_LDM_HI22:
	case SPARC_TLS_LDM_LO10:
	case SPARC_TLS_LDM_ADD:
	case SPARC_TLS_LDM_CALL:
	case SPARC_TLS_LDO_ADD:
		part->kind = LOCAL_DYNAMIC;
		part->key = PART_OF_SECTION;
		break;
	default:
		return false;
	}
	part->is_lead = r->type == SPARC_TLS_GD_LO10 ||
			r->type == SPARC_TLS_IE_LO10;
	return true;
}

/*
 * The low part of an offset in the GOT has 10 bits. That of a negative offset
 * from the thread pointer has the three above set, even where gold leaves add.
 */
static uint8_t low_ways(uint32_t now)
{
	return (now & 0x1c00) == 0x1c00 ? WAY_LOCAL : WAY_KEPT | WAY_INITIAL;
}

/* Is the word before that of BEFORE a call, and this in its delay slot? */
static bool is_behind_call(const struct code *before)
{
	return before->addr >= 4 && sparc_op(insn_be32(before->bytes - 4)) == 1;
}

/*
 * In initial exec, a call and its delay slot become the instruction of the
 * delay slot and the addition of the thread pointer.
 */
static uint8_t add_ways(const struct code *before, uint32_t now)
{
	if (now == insn_be32(before->bytes))
		return WAY_KEPT;
	if (sparc_op(now) == 3) /* ldx */
		return WAY_INITIAL;
	return is_behind_call(before) ? WAY_LOCAL | WAY_INITIAL : WAY_LOCAL;
}

static uint8_t call_ways(const struct code *before, uint32_t now)
{
	if (sparc_op(now) == 1)
		return WAY_KEPT;
	/* What was in the delay slot, or a NOP that may have been there. */
	if (now != SPARC_NOP)
		return WAY_INITIAL;
	return before->size >= 8 && insn_be32(before->bytes + 4) == SPARC_NOP
		       ? WAY_LOCAL | WAY_INITIAL
		       : WAY_LOCAL;
}

uint8_t sparc64_part_ways(const struct arch *arch, const struct reloc *r,
			  const struct code *before, const struct code *after,
			  bool is_joint)
{
	uint32_t insn, now;

	(void)arch;
	(void)is_joint;
	if (before->size < 4 || after->size < 4)
		return WAYS_ANY;
	insn = insn_be32(before->bytes);
	now = insn_be32(after->bytes);
	switch (r->type) {
	case SPARC_TLS_GD_LO10:
	case SPARC_TLS_IE_LO10:
		return low_ways(now);
	case SPARC_TLS_GD_ADD:
		return add_ways(before, now);
	case SPARC_TLS_GD_CALL:
		return call_ways(before, now);
	case SPARC_TLS_IE_LDX:
		return now == insn ? WAY_KEPT : WAY_LOCAL;
	case SPARC_TLS_LDO_ADD:
		return sparc_rs1(now) == sparc_rs1(insn) ? WAY_KEPT : WAY_LOCAL;
	case SPARC_TLS_LDM_CALL:
		return sparc_op(now) == 1 ? WAY_KEPT : WAY_LOCAL;
	default: /* SPARC_TLS_LDM_* */
		return now == SPARC_NOP ? WAY_LOCAL : WAY_KEPT;
	}
}

/*
 * mold writes a NOP for the load of an address that is 0: the register has the
 * offset 0 already.
 */
bool sparc64_is_for_nowhere(const struct arch *arch, const uint8_t *after,
			    const struct reloc *r)
{
	(void)arch;
	return r->type == SPARC_GOTDATA_OP && insn_be32(after) == SPARC_NOP;
}
