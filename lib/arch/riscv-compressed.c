/* SPDX-License-Identifier: GPL-3.0-or-later */
/* RISC-V: branches of two bytes, in formats CJ and CB. */
#include <config.h>

#include "riscv.h"

static int64_t cj_offset(uint32_t insn)
{
	return insn_sign_extend(
		insn_bits(insn, 12, 1, 11) | insn_bits(insn, 11, 1, 4) |
			insn_bits(insn, 9, 2, 8) | insn_bits(insn, 8, 1, 10) |
			insn_bits(insn, 7, 1, 6) | insn_bits(insn, 6, 1, 7) |
			insn_bits(insn, 3, 3, 1) | insn_bits(insn, 2, 1, 5),
		12);
}

static int64_t cb_offset(uint32_t insn)
{
	return insn_sign_extend(
		insn_bits(insn, 12, 1, 8) | insn_bits(insn, 10, 2, 3) |
			insn_bits(insn, 5, 2, 6) | insn_bits(insn, 3, 2, 1) |
			insn_bits(insn, 2, 1, 5),
		9);
}

bool riscv_decode_compressed(const struct arch *arch, uint32_t insn,
			     struct branch *branch, int64_t *offset)
{
	branch->length = 2;
	if ((insn & 3) != 1)
		return false;
	switch (insn >> 13) {
	case 5:
		branch->form = FORM_TAIL;
		*offset = cj_offset(insn);
		return true;
	case 1:
		branch->form = FORM_CALL;
		*offset = cj_offset(insn);
		return !arch->is_64; /* c.addiw */
	case 6:
	case 7:
		branch->form = FORM_COND;
		*offset = cb_offset(insn);
		return true;
	default:
		return false;
	}
}
