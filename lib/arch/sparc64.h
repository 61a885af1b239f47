/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of SPARC share: instruction words. */
#ifndef SDTLINK_SPARC64_H
#define SDTLINK_SPARC64_H

#include "arch.h"
#include "insn.h"

enum {
	SPARC_WDISP30 = 7,
	SPARC_WPLT30 = 18,
	SPARC_UA64 = 54,
	SPARC_TLS_GD_LO10 = 57,
	SPARC_TLS_GD_ADD = 58,
	SPARC_TLS_GD_CALL = 59,
	SPARC_TLS_LDM_HI22 = 60,
	SPARC_TLS_LDM_LO10 = 61,
	SPARC_TLS_LDM_ADD = 62,
	SPARC_TLS_LDM_CALL = 63,
	SPARC_TLS_LDO_ADD = 66,
	SPARC_TLS_IE_LO10 = 68,
	SPARC_TLS_IE_LDX = 70,
	SPARC_GOTDATA_OP = 84,
};

enum { REG_G0 = 0, REG_G1 = 1, REG_G7 = 7, REG_O0 = 8, REG_O7 = 15 };

#define SPARC_NOP 0x01000000u

/* The fields that formats 2 and 3 share. */
static inline unsigned sparc_op(uint32_t insn)
{
	return insn >> 30;
}

static inline unsigned sparc_op2(uint32_t insn)
{
	return insn >> 22 & 7;
}

static inline unsigned sparc_op3(uint32_t insn)
{
	return insn >> 19 & 63;
}

static inline unsigned sparc_rd(uint32_t insn)
{
	return insn >> 25 & 31;
}

static inline unsigned sparc_rs1(uint32_t insn)
{
	return insn >> 14 & 31;
}

static inline unsigned sparc_rs2(uint32_t insn)
{
	return insn & 31;
}

static inline bool sparc_has_immediate(uint32_t insn)
{
	return insn >> 13 & 1;
}

bool sparc64_find_part(const struct arch *arch, const struct reloc *r,
		       bool may_relax, struct reloc_part *part);
uint8_t sparc64_part_ways(const struct arch *arch, const struct reloc *r,
			  const struct code *before, const struct code *after,
			  bool is_joint);
bool sparc64_is_for_nowhere(const struct arch *arch, const uint8_t *after,
			    const struct reloc *r);
bool sparc64_is_rewrite(const struct arch *arch, const uint8_t *before,
			const uint8_t *after, size_t size,
			const struct reloc *r, struct byte_range *range);

#endif
