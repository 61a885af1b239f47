/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * RISC-V: direct branches in the opcodes that are left to vendors. Each vendor
 * uses the same ones for something else, so what the file was compiled for
 * decides: Tag_RISCV_arch of its attributes. No compiler makes a call of them,
 * and so none is a site.
 *
 * CORE-V: cv.beqimm, cv.bneimm. Andes: nds.bbc, nds.bbs, nds.beqc, nds.bnec.
 * Qualcomm: qc.beqi and its like, also of 48 bits, qc.e.j and qc.e.jal.
 */
#include <config.h>

#include <string.h>

#include "riscv.h"

/* Extensions that have branches. */
static const struct {
	const char *name;
	enum riscv_vendor vendor;
} extensions[] = {
	{ "_xcvbi", VENDOR_CORE_V },
	{ "_xandesperf", VENDOR_ANDES },
	{ "_xqcibi", VENDOR_QUALCOMM },
	{ "_xqcilb", VENDOR_QUALCOMM },
};

enum riscv_vendor riscv_find_vendor(const uint8_t *bytes, size_t size)
{
	for (size_t k = 0; k < sizeof(extensions) / sizeof(extensions[0]);
	     k++) {
		size_t n = strlen(extensions[k].name);

		for (size_t i = 0; i + n <= size; i++)
			if (memcmp(bytes + i, extensions[k].name, n) == 0)
				return extensions[k].vendor;
	}
	return VENDOR_NONE;
}

/* Bits 10 to 1, where Andes has them. */
static int64_t andes_offset(uint32_t insn)
{
	return insn_sign_extend(insn_bits(insn, 31, 1, 10) |
					insn_bits(insn, 25, 5, 5) |
					insn_bits(insn, 8, 4, 1),
				11);
}

/* That of qc.e.j. The upper half of the distance is behind the first word. */
static int64_t long_offset(uint32_t insn, uint32_t upper)
{
	return insn_sign_extend(
		upper << 16 | insn_bits(insn, 17, 3, 13) |
			insn_bits(insn, 31, 1, 12) | insn_bits(insn, 7, 1, 11) |
			insn_bits(insn, 25, 6, 5) | insn_bits(insn, 8, 4, 1),
		32);
}

/* An instruction of 48 bits. */
static bool decode_long(const uint8_t *p, struct branch *branch,
			int64_t *distance)
{
	uint32_t insn = insn_le32(p), which = insn >> 20 & 31;

	if ((insn & 0x707f) != 0x401f)
		return false;
	branch->length = 6;
	if (which >= 0x18 && which != 0x1a && which != 0x1b) {
		*distance = riscv_branch_offset(insn);
		return true;
	}
	branch->form = insn >> 15 & 1 ? FORM_CALL : FORM_TAIL;
	*distance = long_offset(insn, insn_le16(p + 4));
	return which == 0 && (insn >> 15 & 3) < 2;
}

bool riscv_decode_vendor(enum riscv_vendor vendor, const struct arch *arch,
			 const struct code *code, uint64_t offset,
			 struct branch *branch)
{
	const uint8_t *p = code->bytes + offset;
	size_t left = offset <= code->size ? code->size - offset : 0;
	int64_t distance = 0;
	uint32_t insn, funct3;
	bool found = false;

	if (left < 4)
		return false;
	insn = insn_le32(p);
	funct3 = insn >> 12 & 7;
	*branch = (struct branch){ .form = FORM_COND,
				   .length = 4,
				   .is_short = true };
	switch (vendor) {
	case VENDOR_CORE_V:
		found = (insn & 0x7f) == 0x0b && funct3 >= 6;
		distance = riscv_branch_offset(insn);
		break;
	case VENDOR_ANDES:
		found = (insn & 0x7f) == 0x5b && funct3 >= 5;
		distance = andes_offset(insn);
		break;
	case VENDOR_QUALCOMM:
		found = (insn & 0x7f) == 0x7b && funct3 != 2 && funct3 != 3;
		distance = riscv_branch_offset(insn);
		if (!found && left >= 6)
			found = decode_long(p, branch, &distance);
		break;
	case VENDOR_NONE:
		break;
	}
	branch->target = arch_wrap(arch, code->addr + offset + distance);
	return found;
}
