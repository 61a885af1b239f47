/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * RISC-V, 64 and 32 bits, with and without the C extension.
 *
 * psABI: https://github.com/riscv-non-isa/riscv-elf-psabi-doc
 * Instructions: The RISC-V Instruction Set Manual, volume I.
 *
 * What is odd: a call is two instructions, auipc and jalr, under one
 * relocation; linkers shorten it to jal or even to the two bytes of c.j, and
 * move all code behind it (R_RISCV_RELAX). R_RISCV_ALIGN deletes bytes even
 * with --no-relax: only objects compiled with -mno-relax keep their shape.
 */
#include <config.h>

#include <elf.h>
#include <string.h>

#include "../object.h"
#include "arch.h"
#include "insn.h"

/* Newer than some <elf.h>. */
#define RV_RVC_BRANCH 44
#define RV_RVC_JUMP 45
#define RV_32_PCREL 57
#define RV_PLT32 59

/* Immediates of the formats, and the pair of auipc and jalr. */
#define MASK_B 0xfe000f80
#define MASK_I 0xfff00000
#define MASK_S 0xfe000f80
#define MASK_U 0xfffff000
#define MASK_CALL (0xfff00000ull << 32 | MASK_U)
#define MASK_CB 0x1c7c
#define MASK_CJ 0x1ffc

/* clang-format off */
#define ROW(number, text, bytes, ...) \
	[number] = { .name = "R_RISCV_" text, .width = bytes, \
		     .is_known = true, __VA_ARGS__ }
/* clang-format on */

static const struct reloc_desc riscv_relocs[] = {
	ROW(0, "NONE", 0),
	ROW(1, "32", 4),
	ROW(2, "64", 8),
	ROW(3, "RELATIVE", 8),
	ROW(4, "COPY", 0),
	ROW(5, "JUMP_SLOT", 8),
	ROW(6, "TLS_DTPMOD32", 4),
	ROW(7, "TLS_DTPMOD64", 8),
	ROW(8, "TLS_DTPREL32", 4),
	ROW(9, "TLS_DTPREL64", 8),
	ROW(10, "TLS_TPREL32", 4),
	ROW(11, "TLS_TPREL64", 8),
	ROW(16, "BRANCH", 4, .mask = MASK_B),
	ROW(17, "JAL", 4, .mask = MASK_U),
	ROW(18, "CALL", 8, .mask = MASK_CALL),
	ROW(19, "CALL_PLT", 8, .mask = MASK_CALL),
	ROW(20, "GOT_HI20", 4, .mask = MASK_U),
	ROW(21, "TLS_GOT_HI20", 4, .mask = MASK_U),
	ROW(22, "TLS_GD_HI20", 4, .mask = MASK_U),
	ROW(23, "PCREL_HI20", 4, .mask = MASK_U),
	ROW(24, "PCREL_LO12_I", 4, .mask = MASK_I),
	ROW(25, "PCREL_LO12_S", 4, .mask = MASK_S),
	ROW(26, "HI20", 4, .mask = MASK_U),
	ROW(27, "LO12_I", 4, .mask = MASK_I),
	ROW(28, "LO12_S", 4, .mask = MASK_S),
	ROW(29, "TPREL_HI20", 4, .mask = MASK_U),
	ROW(30, "TPREL_LO12_I", 4, .mask = MASK_I),
	ROW(31, "TPREL_LO12_S", 4, .mask = MASK_S),
	ROW(32, "TPREL_ADD", 0),
	ROW(33, "ADD8", 1),
	ROW(34, "ADD16", 2),
	ROW(35, "ADD32", 4),
	ROW(36, "ADD64", 8),
	ROW(37, "SUB8", 1),
	ROW(38, "SUB16", 2),
	ROW(39, "SUB32", 4),
	ROW(40, "SUB64", 8),
	ROW(41, "GOT32_PCREL", 4),
	ROW(43, "ALIGN", 0, .relaxes = true),
	ROW(RV_RVC_BRANCH, "RVC_BRANCH", 2, .mask = MASK_CB),
	ROW(RV_RVC_JUMP, "RVC_JUMP", 2, .mask = MASK_CJ),
	ROW(46, "RVC_LUI", 2, .mask = MASK_CB),
	ROW(51, "RELAX", 0, .relaxes = true),
	ROW(52, "SUB6", 1, .mask = 0x3f),
	ROW(53, "SET6", 1, .mask = 0x3f),
	ROW(54, "SET8", 1),
	ROW(55, "SET16", 2),
	ROW(56, "SET32", 4),
	ROW(RV_32_PCREL, "32_PCREL", 4),
	ROW(58, "IRELATIVE", 8),
	ROW(RV_PLT32, "PLT32", 4),
	ROW(60, "SET_ULEB128", 0),
	ROW(61, "SUB_ULEB128", 0),
};

static uint64_t wrap(const struct arch *arch, uint64_t addr)
{
	return arch->is_64 ? addr : (uint32_t)addr;
}

enum { OP_AUIPC = 0x17, OP_JALR = 0x67, OP_JAL = 0x6f, OP_BRANCH = 0x63 };
enum { REG_ZERO = 0, REG_RA = 1, REG_T0 = 5 };

static unsigned rd_of(uint32_t insn)
{
	return insn >> 7 & 31;
}

/* --- The generator's view ---------------------------------------------- */

static bool riscv_find_site(const struct arch *arch, const uint8_t *text,
			    size_t size, const struct reloc *r,
			    struct site_shape *shape)
{
	uint32_t first, second;

	(void)arch;
	if ((r->type != R_RISCV_CALL && r->type != R_RISCV_CALL_PLT) ||
	    r->addend != 0 || size - r->offset < 8)
		return false;
	first = insn_le32(text + r->offset);
	second = insn_le32(text + r->offset + 4);
	/* auipc REG, then jalr RA or ZERO through the same REG. */
	if ((first & 0x7f) != OP_AUIPC || (second & 0x707f) != OP_JALR ||
	    (second >> 15 & 31) != rd_of(first))
		return false;
	if (rd_of(second) != REG_RA && rd_of(second) != REG_ZERO)
		return false;
	shape->form = rd_of(second) == REG_RA ? FORM_CALL : FORM_TAIL;
	shape->back = 0;
	shape->length = 8;
	return true;
}

static void riscv_explain_refusal(const struct arch *arch, const uint8_t *text,
				  size_t size, const struct reloc *r,
				  struct refusal *refusal)
{
	(void)text;
	*refusal = (struct refusal){
		.what = "no direct branch",
		.remedy = "call the probe function directly; its address must "
			  "not be taken",
		.length = arch_reloc_width(arch, r->type),
	};
	if (r->type == R_RISCV_GOT_HI20) {
		refusal->what = "load of its address from the GOT";
		refusal->remedy = "compile without -mno-plt and -fno-plt, and "
				  "do not take the address of a probe "
				  "function";
	} else if (r->type == R_RISCV_HI20 || r->type == R_RISCV_PCREL_HI20) {
		refusal->what = "its address is computed";
	} else if (r->type == R_RISCV_BRANCH || r->type == RV_RVC_BRANCH) {
		refusal->what = "conditional branch";
		refusal->remedy = "branch around a call instead: a "
				  "conditional branch reaches 4 KiB";
	} else if (r->type == R_RISCV_JAL || r->type == RV_RVC_JUMP) {
		refusal->what = "jump of short reach";
		refusal->remedy = "use the call and tail pseudo-instructions";
	}
	if (refusal->length > size - r->offset)
		refusal->length = size - r->offset;
}

/* Twice lui zero,HALF; for is-enabled, li a0,0; ret */
static unsigned riscv_make_stub(const struct arch *arch, uint8_t mode,
				bool is_enabled, uint32_t hash, uint8_t *bytes)
{
	unsigned n = 0;

	(void)arch;
	(void)mode;
	insn_put_le32(bytes, 0x37 | (hash & 0xffff) << 12);
	insn_put_le32(bytes + 4, 0x37 | hash >> 16 << 12);
	n = 8;
	if (is_enabled) {
		insn_put_le32(bytes + n, 0x00000513);
		n += 4;
	}
	insn_put_le32(bytes + n, 0x00008067);
	return n + 4;
}

static unsigned riscv_disable(const struct arch *arch, enum site_form form,
			      bool is_enabled, const struct code *code,
			      uint64_t offset, uint8_t bytes[DISABLED_MAX])
{
	/* The second word is only reached when the first says so. */
	static const uint8_t jump[] = { 0x6f, 0x00, 0x80, 0x00,
					0x13, 0x00, 0x00, 0x00 };
	static const uint8_t zero[] = { 0x13, 0x05, 0x00, 0x00,
					0x13, 0x00, 0x00, 0x00 };
	static const uint8_t ret[] = { 0x67, 0x80, 0x00, 0x00,
				       0x13, 0x00, 0x00, 0x00 };

	(void)arch;
	(void)code;
	(void)offset;
	switch (form) {
	case FORM_CALL: /* j .+8; nop or li a0,0; nop */
		memcpy(bytes, is_enabled ? zero : jump, 8);
		return 8;
	case FORM_TAIL: /* ret; nop */
		memcpy(bytes, ret, 8);
		return is_enabled ? 0 : 8;
	case FORM_COND:
	case FORM_BRANCH:
		break;
	}
	return 0;
}

/* --- Verify's view ----------------------------------------------------- */

static int64_t jal_offset(uint32_t insn)
{
	return insn_sign_extend(
		insn_bits(insn, 31, 1, 20) | insn_bits(insn, 21, 10, 1) |
			insn_bits(insn, 20, 1, 11) | insn_bits(insn, 12, 8, 12),
		21);
}

static int64_t branch_offset(uint32_t insn)
{
	return insn_sign_extend(
		insn_bits(insn, 31, 1, 12) | insn_bits(insn, 25, 6, 5) |
			insn_bits(insn, 8, 4, 1) | insn_bits(insn, 7, 1, 11),
		13);
}

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

/* c.j, c.jal (32 bits only), c.beqz, c.bnez: quadrant 1. */
static bool decode_compressed(const struct arch *arch, uint32_t insn,
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

static bool decode_pair(uint32_t first, uint32_t second, struct branch *branch,
			int64_t *offset)
{
	if ((second & 0x707f) != OP_JALR || (second >> 15 & 31) != rd_of(first))
		return false;
	branch->length = 8;
	branch->form = rd_of(second) == REG_ZERO ? FORM_TAIL : FORM_CALL;
	*offset = (int64_t)(int32_t)(first & MASK_U) +
		  insn_sign_extend(second >> 20, 12);
	return true;
}

/* jalr REG,IMM(zero) */
static bool is_absolute(uint32_t insn)
{
	return (insn & 0x707f) == OP_JALR && (insn >> 15 & 31) == REG_ZERO;
}

static bool riscv_decode_branch(const struct arch *arch,
				const struct code *code, uint64_t offset,
				struct branch *branch)
{
	const uint8_t *p = code->bytes + offset;
	size_t left = offset <= code->size ? code->size - offset : 0;
	int64_t distance = 0;
	uint32_t insn;
	bool found = false;

	branch->field = 0;
	branch->is_short = false;
	if (left < 2)
		return false;
	if ((p[0] & 3) != 3) {
		found = decode_compressed(arch, insn_le16(p), branch,
					  &distance);
	} else if (left >= 4) {
		insn = insn_le32(p);
		branch->length = 4;
		if ((insn & 0x7f) == OP_JAL) {
			branch->form = rd_of(insn) == REG_ZERO ? FORM_TAIL
							       : FORM_CALL;
			branch->is_short = rd_of(insn) > REG_RA &&
					   rd_of(insn) != REG_T0;
			distance = jal_offset(insn);
			found = true;
		} else if ((insn & 0x7f) == OP_BRANCH) {
			branch->form = FORM_COND;
			branch->is_short = true;
			distance = branch_offset(insn);
			found = true;
		} else if ((insn & 0x7f) == OP_AUIPC && left >= 8) {
			found = decode_pair(insn, insn_le32(p + 4), branch,
					    &distance);
		}
	}
	if (!found && left >= 4 && is_absolute(insn_le32(p))) {
		/* What GNU ld makes of a call of the lowest or highest 2 KiB.
		 */
		insn = insn_le32(p);
		branch->length = 4;
		branch->form = rd_of(insn) == REG_ZERO ? FORM_TAIL : FORM_CALL;
		branch->target = wrap(arch, insn_sign_extend(insn >> 20, 12));
		return true;
	}
	branch->target = wrap(arch, code->addr + offset + distance);
	return found;
}

/*
 * auipc and jalr with NOPs between: no site, as linkers and compilers make
 * none, but somebody's branch.
 */
static bool decode_apart(const struct arch *arch, const struct code *code,
			 uint64_t offset, struct branch *branch)
{
	const uint8_t *p = code->bytes + offset;
	size_t left = code->size - offset, at = 4;
	int64_t distance;

	if (left < 4 || (insn_le32(p) & 0x7f) != OP_AUIPC)
		return false;
	while (left - at >= 6 &&
	       (insn_le16(p + at) == 0x0001 || insn_le32(p + at) == 0x13))
		at += (p[at] & 3) == 3 ? 4 : 2;
	if (at == 4 || left - at < 4 ||
	    !decode_pair(insn_le32(p), insn_le32(p + at), branch, &distance))
		return false;
	branch->field = 0;
	branch->length = at + 4;
	branch->target = wrap(arch, code->addr + offset + distance);
	return true;
}

static void riscv_each_branch(const struct arch *arch, const struct code *code,
			      uint64_t low, uint64_t high,
			      void (*found)(void *ctx, uint64_t offset,
					    const struct branch *branch),
			      void *ctx)
{
	struct branch branch = { 0 };

	for (uint64_t i = 0; i + 2 <= code->size; i += 2)
		if ((riscv_decode_branch(arch, code, i, &branch) ||
		     decode_apart(arch, code, i, &branch)) &&
		    branch.target >= low && branch.target <= high)
			found(ctx, i, &branch);
}

/* The low bits of an instruction tell its length. */
static bool riscv_is_boundary(const struct arch *arch, const struct code *code,
			      uint64_t start, uint64_t offset)
{
	(void)arch;
	while (start < offset) {
		uint8_t low = code->bytes[start];

		if ((low & 0x1f) == 0x1f)
			return true; /* longer than 32 bits */
		start += (low & 3) == 3 ? 4 : 2;
	}
	return start == offset;
}

/* unimp, c.jr and c.ebreak; c.jalr comes back. */
static bool goes_on_2(uint32_t insn)
{
	return insn != 0 && insn != 0x9002 &&
	       ((insn & 0xf07f) != 0x8002 || (insn & 0xf80) == 0);
}

/* Not jr, nor ebreak, mret and the like, nor unimp. */
static bool goes_on_4(uint32_t insn)
{
	switch (insn & 0x7f) {
	case OP_JALR:
		return rd_of(insn) != REG_ZERO;
	case 0x73: /* ecall comes back */
		return insn == 0x73 ||
		       ((insn & 0x7000) != 0 && insn != 0xc0001073);
	default:
		return true;
	}
}

/* beq, bge and bgeu of a register and itself. */
static bool is_always(uint32_t insn)
{
	unsigned funct3 = insn >> 12 & 7;

	return (insn >> 15 & 31) == (insn >> 20 & 31) &&
	       (funct3 == 0 || funct3 == 5 || funct3 == 7);
}

static bool riscv_step(const struct arch *arch, const struct code *code,
		       uint64_t offset, struct step *step)
{
	const uint8_t *p = code->bytes + offset;
	size_t left = offset <= code->size ? code->size - offset : 0;
	struct branch branch = { 0 };

	*step = (struct step){ .length = left > 0 && (p[0] & 3) == 3 ? 4 : 2 };
	if (left < step->length || (p[0] & 0x1f) == 0x1f)
		return false;
	step->goes_on = step->length == 2 ? goes_on_2(insn_le16(p))
					  : goes_on_4(insn_le32(p));
	/* The pair that such a branch may be is two instructions. */
	if (!riscv_decode_branch(arch, code, offset, &branch) ||
	    branch.length != step->length)
		return true;
	step->has_target = true;
	step->target = branch.target;
	step->is_call = branch.form == FORM_CALL;
	step->goes_on = branch.form != FORM_TAIL &&
			!(branch.form == FORM_COND && step->length == 4 &&
			  is_always(insn_le32(p)));
	return true;
}

/* --- What relaxation makes of it --------------------------------------- */

enum { REG_GP = 3, REG_TP = 4 };

/* Bytes before and after. */
struct lengths {
	unsigned before, after;
};

static bool has_reloc(const struct reloc *relocs, size_t n, uint32_t type)
{
	for (size_t i = 0; i < n; i++)
		if (relocs[i].type == type)
			return true;
	return false;
}

/* R_RISCV_ALIGN: of so many bytes of NOPs, those that the address needs. */
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
 * auipc and jalr as they were, but that jalr counts from address 0: what GNU ld
 * makes of a call of a weak function that nobody defines.
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
	       is_absolute(insn);
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
	rd = rd_of(insn_le32(before->bytes + 4));
	insn = insn_le16(after->bytes);
	if ((insn & 3) != 3) {
		int64_t distance;

		*lengths = (struct lengths){ 8, 2 };
		return decode_compressed(arch, insn, &branch, &distance) &&
		       branch.form != FORM_COND &&
		       rd == (branch.form == FORM_CALL ? REG_RA : REG_ZERO);
	}
	if (after->size < 4)
		return false;
	insn = insn_le32(after->bytes);
	*lengths = (struct lengths){ 8, 4 };
	return rd_of(insn) == rd &&
	       ((insn & 0x7f) == OP_JAL || is_absolute(insn));
}

/* lui becomes c.lui, or goes with auipc and the add of the thread pointer. */
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
	    (insn_le16(after->bytes) & 0xe003) == 0x6001 &&
	    rd_of(insn_le16(after->bytes)) == rd_of(insn))
		lengths->after = 2;
	return true;
}

/* Registers that the low part may be added to in the end, as bits. */
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

static bool riscv_relax(const struct arch *arch, const struct reloc *relocs,
			size_t n, const struct code *before,
			const struct code *after, unsigned *nbefore,
			unsigned *nafter)
{
	bool may_relax = has_reloc(relocs, n, R_RISCV_RELAX);
	struct lengths lengths = { 0, 0 };
	bool is_known = false;

	for (size_t i = 0; i < n && !is_known; i++)
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
		case R_RISCV_TPREL_HI20:
		case R_RISCV_TPREL_ADD:
			is_known = may_relax &&
				   relax_high(relocs[i].type, before, after,
					      &lengths);
			break;
		default:
			is_known = relax_low(arch, relocs[i].type, may_relax,
					     before, after, &lengths);
			break;
		}
	*nbefore = lengths.before;
	*nafter = lengths.after;
	return is_known;
}

/* Without R_RISCV_RELAX. What mold does with the low part of small numbers even
 * then: it leaves the high part, which nobody reads. */
static bool riscv_is_rewrite(const struct arch *arch, const uint8_t *before,
			     const uint8_t *after, size_t size,
			     const struct reloc *r, struct byte_range *range)
{
	struct code x, y;
	struct lengths lengths;

	if (r->offset > size)
		return false;
	x = (struct code){ before + r->offset, size - r->offset, 0 };
	y = (struct code){ after + r->offset, size - r->offset, 0 };
	if ((r->type == R_RISCV_CALL || r->type == R_RISCV_CALL_PLT) &&
	    is_from_zero(&x, &y))
		lengths.after = 8;
	else if (!relax_low(arch, r->type, false, &x, &y, &lengths))
		return false;
	*range = (struct byte_range){ r->offset, r->offset + lengths.after };
	return true;
}

/* auipc t3; l[wd] t3,lo(t3); jalr t1,t3; nop */
static bool riscv_decode_plt(const struct arch *arch, const struct code *code,
			     uint64_t offset, uint64_t got, uint64_t *slot)
{
	const uint8_t *p = code->bytes + offset;
	uint32_t first, second, third;

	(void)got;
	if (offset > code->size || code->size - offset < 12)
		return false;
	first = insn_le32(p);
	second = insn_le32(p + 4);
	third = insn_le32(p + 8);
	if ((first & 0x7f) != OP_AUIPC ||
	    (second & 0x707f) != (arch->is_64 ? 0x3003u : 0x2003u) ||
	    (second >> 15 & 31) != rd_of(first) ||
	    (third & 0x707f) != OP_JALR || (third >> 15 & 31) != rd_of(second))
		return false;
	*slot = wrap(arch, code->addr + offset +
				   (int64_t)(int32_t)(first & MASK_U) +
				   insn_sign_extend(second >> 20, 12));
	return true;
}

/* clang-format off */
#define RISCV_COMMON \
	.machine = EM_RISCV, \
	.is_big_endian = false, \
	.relocs = riscv_relocs, \
	.nrelocs = sizeof(riscv_relocs) / sizeof(riscv_relocs[0]), \
	.reloc_none = R_RISCV_NONE, \
	.reloc_jump_slot = R_RISCV_JUMP_SLOT, \
	.reloc_irelative = R_RISCV_IRELATIVE, \
	.uses_rela = true, \
	.reloc_pc32 = RV_32_PCREL, \
	.make_stub = riscv_make_stub, \
	.stub_align = 4, \
	/* The profiles' Ziccif, mandatory since RVA20. */ \
	.store_width = 4, \
	.store_sites = STORE_CALL | STORE_BRANCH | STORE_TAIL | STORE_ENABLED, \
	.disable = riscv_disable, \
	.find_site = riscv_find_site, \
	.explain_refusal = riscv_explain_refusal, \
	.decode_branch = riscv_decode_branch, \
	.each_branch = riscv_each_branch, \
	.is_boundary = riscv_is_boundary, \
	.step = riscv_step, \
	.chance_length = 8, \
	.is_rewrite = riscv_is_rewrite, \
	.relax = riscv_relax, \
	.decode_plt = riscv_decode_plt
/* clang-format on */

const struct arch arch_riscv32 = {
	.name = "riscv32",
	.bfd_name = "riscv:rv32",
	.is_64 = false,
	RISCV_COMMON,
};

const struct arch arch_riscv64 = {
	.name = "riscv64",
	.bfd_name = "riscv:rv64",
	.is_64 = true,
	RISCV_COMMON,
};
