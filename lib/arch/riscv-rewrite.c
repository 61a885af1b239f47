/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The closed list of rewrites that linkers make for RISC-V, in place and where
 * they delete code.
 *
 * psABI: "Linker Relaxation" in the RISC-V ELF specification.
 */
#include <config.h>

#include <elf.h>

#include "reloc.h"
#include "riscv.h"

enum { REG_GP = 3, REG_TP = 4 };

/* Bytes before and after. */
struct lengths {
	unsigned before, after;
};

/* Is one of TYPE at the offset of the first of RELOCS? */
static bool has_reloc(const struct reloc *relocs, size_t n, uint32_t type)
{
	for (size_t i = 0; i < n && relocs[i].offset == relocs[0].offset; i++)
		if (relocs[i].type == type)
			return true;
	return false;
}

/*
 * R_RISCV_ALIGN: of that many bytes of NOPs, keeps those that the address
 * needs.
 */
static bool relax_align(uint64_t nops, const struct code *before,
			const struct code *after, struct lengths *lengths)
{
	uint64_t align = 1, at = 0, end;

	if (nops > before->size)
		return false;
	while (align <= nops)
		align *= 2;
	end = -after->addr & (align - 1);
	if (end > nops || end > after->size)
		return false;
	while (at < end) {
		const uint8_t *p = after->bytes + at;

		if (end - at >= 4 && insn_le32(p) == 0x13)
			at += 4;
		else if (end - at >= 2 && insn_le16(p) == 0x0001)
			at += 2;
		else
			return false;
	}
	*lengths = (struct lengths){ nops, end };
	return true;
}

/*
 * auipc and jalr stay, but jalr counts from address 0. GNU ld makes this of a
 * call of a weak function that nothing defines.
 */
static bool is_from_zero(const struct code *before, const struct code *after)
{
	uint32_t kept = ~(uint32_t)(MASK_I | 31u << 15);
	uint32_t was, insn;

	if (before->size < 8 || after->size < 8 ||
	    (insn_le32(before->bytes) & 0x7f) != OP_AUIPC ||
	    ((insn_le32(before->bytes) ^ insn_le32(after->bytes)) & 0xfff) != 0)
		return false;
	was = insn_le32(before->bytes + 4);
	insn = insn_le32(after->bytes + 4);
	return (was & 0x707f) == OP_JALR && ((was ^ insn) & kept) == 0 &&
	       riscv_is_absolute(insn);
}

/* auipc and jalr become jal, c.j or c.jal, or jalr from address 0. */
static bool relax_call(const struct arch *arch, const struct code *before,
		       const struct code *after, struct lengths *lengths)
{
	struct branch branch = { 0 };
	unsigned rd;
	uint32_t insn;

	if (before->size < 8 || after->size < 2 ||
	    (insn_le32(before->bytes) & 0x7f) != OP_AUIPC ||
	    (insn_le32(before->bytes + 4) & 0x707f) != OP_JALR)
		return false;
	rd = riscv_rd(insn_le32(before->bytes + 4));
	insn = insn_le16(after->bytes);
	if ((insn & 3) != 3) {
		int64_t distance;

		*lengths = (struct lengths){ 8, 2 };
		return riscv_decode_compressed(arch, insn, &branch,
					       &distance) &&
		       branch.form != FORM_COND &&
		       rd == (branch.form == FORM_CALL ? REG_RA : REG_ZERO);
	}
	if (after->size < 4)
		return false;
	insn = insn_le32(after->bytes);
	*lengths = (struct lengths){ 8, 4 };
	return riscv_rd(insn) == rd &&
	       ((insn & 0x7f) == OP_JAL || riscv_is_absolute(insn));
}

/*
 * Does the instruction behind the one that sets RD still use RD? Then that must
 * not be deleted.
 */
static bool is_still_read(const struct code *before, const struct code *after,
			  uint32_t rd)
{
	/* Opcode, width and first source. */
	const uint32_t kept = 0x7f | 7 << 12 | 31 << 15;
	uint32_t insn;

	if (before->size < 8 || after->size < 4)
		return false;
	insn = insn_le32(before->bytes + 4);
	switch (insn & 0x7f) {
	case 0x03: /* loads, stores, additions: of integers, floats */
	case 0x07:
	case 0x13:
	case 0x23:
	case 0x27:
	case 0x33:
		return (insn >> 15 & 31) == rd &&
		       ((insn_le32(after->bytes) ^ insn) & kept) == 0;
	}
	return false;
}

/*
 * lui becomes c.lui. GNU ld then makes c.li of 0 if the address falls below
 * 2 KiB, since c.lui has no 0.
 */
static bool is_short_lui(unsigned rd, uint32_t insn)
{
	if (insn == (0x4001 | rd << 7))
		return true;
	/* Of sp it would be c.addi16sp. */
	return rd != 2 && (insn & 0xe003) == 0x6001 && riscv_rd(insn) == rd;
}

/*
 * lui becomes shorter, or is deleted with auipc and the add of the thread
 * pointer.
 */
static bool relax_high(uint32_t type, const struct code *before,
		       const struct code *after, struct lengths *lengths)
{
	uint32_t field = type == R_RISCV_TPREL_ADD ? 0 : MASK_U;
	uint32_t insn;

	if (before->size < 4)
		return false;
	insn = insn_le32(before->bytes);
	*lengths = (struct lengths){ 4, 0 };
	if (after->size >= 4 &&
	    ((insn_le32(after->bytes) ^ insn) & ~field) == 0)
		return false; /* it is as it was */
	if (type == R_RISCV_HI20 && after->size >= 2 &&
	    is_short_lui(riscv_rd(insn), insn_le16(after->bytes))) {
		lengths->after = 2;
		return true;
	}
	return !is_still_read(before, after, riscv_rd(insn));
}

/*
 * auipc becomes lui. GNU ld makes that of the address of a weak symbol that
 * nothing defines, of an absolute one or of a low section, if it is not within
 * reach of the code.
 */
static bool becomes_lui(const struct arch *arch, uint32_t type,
			const struct code *before, const struct code *after)
{
	return arch->is_64 &&
	       (type == R_RISCV_PCREL_HI20 || type == R_RISCV_GOT_HI20) &&
	       before->size >= 4 && after->size >= 4 &&
	       (insn_le32(before->bytes) & 0x7f) == OP_AUIPC &&
	       (insn_le32(after->bytes) & 0x7f) == OP_LUI &&
	       riscv_rd(insn_le32(before->bytes)) ==
		       riscv_rd(insn_le32(after->bytes));
}

/* The registers to which the low part may be added in the end, as bits. */
static uint32_t low_bases(uint32_t type, bool may_relax)
{
	switch (type) {
	case R_RISCV_TPREL_LO12_I:
	case R_RISCV_TPREL_LO12_S:
		return 1u << REG_TP;
	case R_RISCV_LO12_I:
	case R_RISCV_LO12_S:
		return 1u << REG_ZERO | (may_relax ? 1u << REG_GP : 0);
	case R_RISCV_PCREL_LO12_I:
	case R_RISCV_PCREL_LO12_S:
		return may_relax ? 1u << REG_GP | 1u << REG_ZERO : 0;
	default:
		return 0;
	}
}

/* The low part is added to another register. */
static bool relax_low(const struct arch *arch, uint32_t type, bool may_relax,
		      const struct code *before, const struct code *after,
		      struct lengths *lengths)
{
	uint32_t bases = low_bases(type, may_relax);
	uint32_t kept, insn;

	if (bases == 0 || before->size < 4 || after->size < 4)
		return false;
	kept = ~((uint32_t)arch->relocs[type].mask | 31u << 15);
	insn = insn_le32(after->bytes);
	*lengths = (struct lengths){ 4, 4 };
	return ((insn_le32(before->bytes) ^ insn) & kept) == 0 &&
	       (bases >> (insn >> 15 & 31) & 1) != 0;
}

/* --- TLS descriptors ------------------------------------------------------ */

/* clang-format off */
#define NOP         { 0x00000013, 0xffffffff }
#define AUIPC       { 0x00000017, 0x0000007f }
#define AUIPC_A0    { 0x00000517, 0x00000fff }
#define LUI_A0      { 0x00000537, 0x00000fff }
#define ADD_TO_A0   { 0x00000513, 0x00007fff } /* addi a0,REG,lo */
#define ADDI_A0_A0  { 0x00050513, 0x000fffff }
#define LI_A0       { 0x00000513, 0x000fffff } /* addi a0,zero,lo */
#define JALR_T0     { 0x000002e7, 0xfff07fff } /* jalr t0,0(REG) */
/* Of the width of an address, which bit 12 tells. */
#define LOAD        { 0x00002003, 0x0000607f }
#define LOAD_A0_A0  { 0x00052503, 0x000fefff }
/* clang-format on */

/*
 * psABI, "TLS Descriptors": each part has a relocation, and they are not always
 * adjacent.
 */
static const struct part {
	uint32_t type;
	struct insn_pattern before;
} parts[] = {
	{ RV_TLSDESC_HI20, AUIPC },
	{ RV_TLSDESC_LOAD_LO12, LOAD },
	{ RV_TLSDESC_ADD_LO12, ADD_TO_A0 },
	{ RV_TLSDESC_CALL, JALR_T0 },
};

#define NPARTS (sizeof(parts) / sizeof(parts[0]))

/*
 * What the last two become (lld/ELF/Arch/RISCV.cpp since 18). The others become
 * NOPs or are deleted. The first of these is deleted, too, if it is a NOP.
 */
static const struct ending {
	struct insn_pattern after[2];
} endings[] = {
	{ { NOP, LI_A0 } },	      /* local exec within 2 KiB */
	{ { LUI_A0, ADDI_A0_A0 } },   /* and beyond */
	{ { AUIPC_A0, LOAD_A0_A0 } }, /* initial exec */
};

#define NENDINGS (sizeof(endings) / sizeof(endings[0]))

/* Instruction I of CODE, or 0 behind its end. 0 is not an instruction. */
static uint32_t insn_at(const struct code *code, unsigned i)
{
	return code->size / 4 > i ? insn_le32(code->bytes + 4 * i) : 0;
}

/* A load's bit for its width must be that of ARCH. */
static bool matches(const struct arch *arch, const struct insn_pattern *pattern,
		    uint32_t insn)
{
	bool is_load = (pattern->bits & 0x7f) == 0x03;

	return insn_matches(pattern, insn) &&
	       (!is_load || (insn >> 12 & 1) == arch->is_64);
}

/*
 * psABI, "GOT load relaxation": the load of an address becomes an addition to
 * what auipc left, or to zero if auipc was deleted; or c.li.
 */
static bool relax_load(const struct arch *arch, const struct code *before,
		       const struct code *after, struct lengths *lengths)
{
	static const struct insn_pattern load = LOAD;
	uint32_t from = insn_at(before, 0), to = insn_at(after, 0);
	uint32_t base = to >> 15 & 31;

	if (!matches(arch, &load, from) || after->size < 2)
		return false;
	*lengths = (struct lengths){ 4, 4 };
	if ((insn_le16(after->bytes) & 3) != 3) {
		to = insn_le16(after->bytes);
		lengths->after = 2;
		return (to & 0xe003) == 0x4001 &&
		       riscv_rd(to) == riscv_rd(from);
	}
	return (to & 0x707f) == 0x13 && riscv_rd(to) == riscv_rd(from) &&
	       (base == (from >> 15 & 31) || base == REG_ZERO);
}

/* Are parts FIRST to the last adjacent, from BEFORE on? */
static bool has_parts(const struct arch *arch, unsigned first,
		      const struct code *before)
{
	for (unsigned i = first; i < NPARTS; i++)
		if (!matches(arch, &parts[i].before,
			     insn_at(before, i - first)))
			return false;
	return true;
}

static bool is_nop(const struct insn_pattern *pattern)
{
	return pattern->bits == 0x13;
}

/* Does the image have ENDING? If IS_SHORT, without the NOP that is deleted. */
static bool has_ending(const struct arch *arch, const struct ending *ending,
		       const struct code *after, bool is_short,
		       unsigned *length)
{
	unsigned skipped = is_short && is_nop(&ending->after[0]);

	*length = 4 * (2 - skipped);
	for (unsigned i = skipped; i < 2; i++)
		if (!matches(arch, &ending->after[i],
			     insn_at(after, i - skipped)))
			return false;
	return true;
}

/*
 * The last parts, from FIRST on, are adjacent. Sets NAFTER to their bytes that
 * are left.
 */
static bool change_parts(const struct arch *arch, unsigned first,
			 bool may_delete, const struct code *after,
			 unsigned *nafter)
{
	unsigned nnops = 2 - first;
	struct code rest = *after;

	for (size_t i = 0; may_delete && i < NENDINGS; i++)
		if (has_ending(arch, &endings[i], after, true, nafter))
			return true;
	for (unsigned i = 0; i < nnops; i++)
		if (insn_at(after, i) != 0x13)
			return false;
	if (rest.size < 4 * nnops)
		return false;
	rest.bytes += 4 * nnops;
	rest.size -= 4 * nnops;
	for (size_t i = 0; i < NENDINGS; i++)
		if (has_ending(arch, &endings[i], &rest, false, nafter)) {
			*nafter += 4 * nnops;
			return true;
		}
	return false;
}

/* One part with other code around it. */
static bool change_part(const struct arch *arch, unsigned part, bool may_delete,
			const struct code *before, const struct code *after,
			unsigned *nafter)
{
	uint32_t insn = insn_at(before, 0), now = insn_at(after, 0);
	uint32_t field = part == 0 ? MASK_U : MASK_I;

	if (!matches(arch, &parts[part].before, insn))
		return false;
	*nafter = 4;
	for (size_t i = 0; part >= 2 && i < NENDINGS; i++)
		if (matches(arch, &endings[i].after[part - 2], now))
			return true;
	if (part < 2 && now == 0x13)
		return true;
	*nafter = 0;
	return may_delete && part < 3 && ((insn ^ now) & ~field) != 0;
}

/* The part of a descriptor whose relocation has TYPE, or NPARTS. */
static unsigned part_of(uint32_t type)
{
	unsigned i = 0;

	while (i < NPARTS && parts[i].type != type)
		i++;
	return i;
}

/* Are the relocations of the parts from PART on where they are if adjacent? */
static bool has_relocs(const struct reloc *relocs, size_t n, unsigned part)
{
	unsigned found = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t at = relocs[i].offset - relocs[0].offset;

		if (at == 4 * found &&
		    relocs[i].type == parts[part + found].type &&
		    ++found == NPARTS - part)
			return true;
		if (at > 12)
			break;
	}
	return false;
}

/*
 * Compilers mark only the first part with R_RISCV_RELAX, for all of them.
 * Adjacent parts are judged together, as far as they follow.
 */
static bool relax_descriptor(const struct arch *arch, unsigned part,
			     const struct reloc *relocs, size_t n,
			     const struct code *before,
			     const struct code *after, struct lengths *lengths)
{
	bool may_delete = part > 0 || has_reloc(relocs, n, R_RISCV_RELAX);

	if (part < 3 && has_relocs(relocs, n, part)) {
		lengths->before = 4 * (NPARTS - part);
		return has_parts(arch, part, before) &&
		       change_parts(arch, part, may_delete, after,
				    &lengths->after);
	}
	lengths->before = 4;
	return change_part(arch, part, may_delete, before, after,
			   &lengths->after);
}

/* The same if nothing is deleted. The last two are judged together. */
static bool rewrite_descriptor(const struct arch *arch, unsigned part,
			       const uint8_t *before, const uint8_t *after,
			       size_t size, uint64_t at,
			       struct byte_range *range)
{
	uint64_t start = part == 3 && at >= 4 ? at - 4 : at;
	struct code x = { before + start, size - start, 0 };
	struct code y = { after + start, size - start, 0 };
	unsigned length;

	if (part >= 2 && has_parts(arch, 2, &x)) {
		*range = (struct byte_range){ start, start + 8 };
		return change_parts(arch, 2, false, &y, &length);
	}
	x = (struct code){ before + at, size - at, 0 };
	y = (struct code){ after + at, size - at, 0 };
	*range = (struct byte_range){ at, at + 4 };
	return change_part(arch, part, false, &x, &y, &length);
}

/* --- The hooks ------------------------------------------------------------ */

bool riscv_relax(const struct arch *arch, const struct reloc *relocs, size_t n,
		 const struct code *before, const struct code *after,
		 unsigned *nbefore, unsigned *nafter)
{
	bool may_relax = has_reloc(relocs, n, R_RISCV_RELAX);
	struct lengths lengths = { 0, 0 };
	bool is_known = false;

	for (size_t i = 0;
	     i < n && !is_known && relocs[i].offset == relocs[0].offset; i++)
		switch (relocs[i].type) {
		case R_RISCV_ALIGN:
			is_known = relocs[i].addend > 0 &&
				   relax_align(relocs[i].addend, before, after,
					       &lengths);
			break;
		case R_RISCV_CALL:
		case R_RISCV_CALL_PLT:
			is_known = may_relax &&
				   relax_call(arch, before, after, &lengths);
			if (!is_known && is_from_zero(before, after)) {
				lengths = (struct lengths){ 8, 8 };
				is_known = true;
			}
			break;
		case R_RISCV_HI20:
		case R_RISCV_PCREL_HI20:
		case R_RISCV_GOT_HI20:
		case R_RISCV_TPREL_HI20:
		case R_RISCV_TPREL_ADD:
			is_known = becomes_lui(arch, relocs[i].type, before,
					       after);
			if (is_known)
				lengths = (struct lengths){ 4, 4 };
			else if (may_relax)
				is_known = relax_high(relocs[i].type, before,
						      after, &lengths);
			break;
		case RV_TLSDESC_HI20:
		case RV_TLSDESC_LOAD_LO12:
		case RV_TLSDESC_ADD_LO12:
		case RV_TLSDESC_CALL:
			is_known = relax_descriptor(
				arch, part_of(relocs[i].type), relocs, n,
				before, after, &lengths);
			break;
		default:
			is_known = relax_low(arch, relocs[i].type, may_relax,
					     before, after, &lengths) ||
				   (may_relax &&
				    relocs[i].type == R_RISCV_PCREL_LO12_I &&
				    relax_load(arch, before, after, &lengths));
			break;
		}
	*nbefore = lengths.before;
	*nafter = lengths.after;
	return is_known;
}

uint64_t riscv_deletes_max(const struct reloc *r)
{
	/* Otherwise, of a pair of instructions at most. */
	return r->type == R_RISCV_ALIGN ? (uint64_t)r->addend : 8;
}

/*
 * Without R_RISCV_RELAX. Even then, mold changes the low part of small numbers,
 * and leaves the high part unused.
 */
bool riscv_is_rewrite(const struct arch *arch, const uint8_t *before,
		      const uint8_t *after, size_t size, const struct reloc *r,
		      struct byte_range *range)
{
	struct code x, y;
	struct lengths lengths;

	if (r->offset > size)
		return false;
	if (part_of(r->type) < NPARTS)
		return rewrite_descriptor(arch, part_of(r->type), before, after,
					  size, r->offset, range);
	x = (struct code){ before + r->offset, size - r->offset, 0 };
	y = (struct code){ after + r->offset, size - r->offset, 0 };
	if ((r->type == R_RISCV_CALL || r->type == R_RISCV_CALL_PLT) &&
	    is_from_zero(&x, &y))
		lengths.after = 8;
	else if (becomes_lui(arch, r->type, &x, &y))
		lengths.after = 4;
	else if (!relax_low(arch, r->type, false, &x, &y, &lengths))
		return false;
	*range = (struct byte_range){ r->offset, r->offset + lengths.after };
	return true;
}

/* A call from address 0: jalr, maybe behind the auipc that was left. */
bool riscv_is_for_nowhere(const struct arch *arch, const uint8_t *after,
			  const struct reloc *r)
{
	uint32_t insn;

	(void)arch;
	if ((r->type != R_RISCV_CALL && r->type != R_RISCV_CALL_PLT) ||
	    (after[0] & 3) != 3)
		return false;
	insn = insn_le32(after);
	return riscv_is_absolute(
		(insn & 0x7f) == OP_AUIPC ? insn_le32(after + 4) : insn);
}
