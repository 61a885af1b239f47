/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * RISC-V, 64 and 32 bits, with and without the C extension.
 *
 * psABI: https://github.com/riscv-non-isa/riscv-elf-psabi-doc. Instructions:
 * The RISC-V Instruction Set Manual, volume I.
 *
 * Peculiarities: a call is auipc and jalr, with one relocation. Linkers shorten
 * it to jal, or even to the two bytes of c.j, and move all code behind it
 * (R_RISCV_RELAX). R_RISCV_ALIGN deletes bytes even with --no-relax: only
 * objects compiled with -mno-relax keep their shape.
 */
#include <config.h>

#include <elf.h>

/* musl has not all names. */
#ifndef R_RISCV_IRELATIVE
#define R_RISCV_IRELATIVE 58
#endif
#include <string.h>

#include "reloc.h"
#include "scan.h"
#include "riscv.h"

/* clang-format off */
#define ROW(number, text, ...) \
	[number] = { .name = "R_RISCV_" text, .is_known = true, \
		     .width = __VA_ARGS__ }
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
	ROW(46, "RVC_LUI", 2, .mask = 0x107c),
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
	ROW(RV_TLSDESC_HI20, "TLSDESC_HI20", 4, .mask = MASK_U),
	ROW(RV_TLSDESC_LOAD_LO12, "TLSDESC_LOAD_LO12", 4, .mask = MASK_I),
	ROW(RV_TLSDESC_ADD_LO12, "TLSDESC_ADD_LO12", 4, .mask = MASK_I),
	ROW(RV_TLSDESC_CALL, "TLSDESC_CALL", 0),
};

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
	    (second >> 15 & 31) != riscv_rd(first))
		return false;
	if (riscv_rd(second) != REG_RA && riscv_rd(second) != REG_ZERO)
		return false;
	shape->form = riscv_rd(second) == REG_RA ? FORM_CALL : FORM_TAIL;
	shape->back = 0;
	shape->length = 8;
	return true;
}

static void riscv_explain_refusal(const struct arch *arch, const uint8_t *text,
				  size_t size, const struct reloc *r,
				  struct refusal *refusal)
{
	(void)arch;
	(void)text;
	(void)size;
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
	/* The second word only runs if the first one says so. */
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

static bool decode_pair(uint32_t first, uint32_t second, struct branch *branch,
			int64_t *offset)
{
	if ((second & 0x707f) != OP_JALR ||
	    (second >> 15 & 31) != riscv_rd(first))
		return false;
	branch->length = 8;
	branch->form = riscv_rd(second) == REG_ZERO ? FORM_TAIL : FORM_CALL;
	*offset = (int64_t)(int32_t)(first & MASK_U) +
		  insn_sign_extend(second >> 20, 12);
	return true;
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
		found = riscv_decode_compressed(arch, insn_le16(p), branch,
						&distance);
	} else if (left >= 4) {
		insn = insn_le32(p);
		branch->length = 4;
		if ((insn & 0x7f) == OP_JAL) {
			branch->form = riscv_rd(insn) == REG_ZERO ? FORM_TAIL
								  : FORM_CALL;
			branch->is_short = riscv_rd(insn) > REG_RA &&
					   riscv_rd(insn) != REG_T0;
			distance = jal_offset(insn);
			found = true;
		} else if ((insn & 0x7f) == OP_BRANCH) {
			branch->form = FORM_COND;
			branch->is_short = true;
			distance = riscv_branch_offset(insn);
			found = true;
		} else if ((insn & 0x7f) == OP_AUIPC && left >= 8) {
			found = decode_pair(insn, insn_le32(p + 4), branch,
					    &distance);
		}
	}
	if (!found && left >= 4 && riscv_is_absolute(insn_le32(p))) {
		/*
		 * GNU ld makes this of a call of the lowest or highest 2 KiB.
		 */
		insn = insn_le32(p);
		branch->length = 4;
		branch->form = riscv_rd(insn) == REG_ZERO ? FORM_TAIL
							  : FORM_CALL;
		branch->target =
			arch_wrap(arch, insn_sign_extend(insn >> 20, 12));
		return true;
	}
	branch->target = arch_wrap(arch, code->addr + offset + distance);
	return found;
}

/*
 * auipc and jalr with NOPs between. It is not a site, since linkers and
 * compilers do not make it, but it is a branch.
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
	branch->target = arch_wrap(arch, code->addr + offset + distance);
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

static void each_vendor_branch(enum riscv_vendor vendor,
			       const struct arch *arch, const struct code *code,
			       uint64_t low, uint64_t high,
			       void (*found)(void *ctx, uint64_t offset,
					     const struct branch *branch),
			       void *ctx)
{
	struct branch branch = { 0 };

	riscv_each_branch(arch, code, low, high, found, ctx);
	for (uint64_t i = 0; i + 4 <= code->size; i += 2)
		if (riscv_decode_vendor(vendor, arch, code, i, &branch) &&
		    branch.target >= low && branch.target <= high)
			found(ctx, i, &branch);
}

#define EACH_BRANCH(name, vendor) \
	static void name(const struct arch *arch, const struct code *code, \
			 uint64_t low, uint64_t high, \
			 void (*found)(void *ctx, uint64_t offset, \
				       const struct branch *branch), \
			 void *ctx) \
	{ \
		each_vendor_branch(vendor, arch, code, low, high, found, ctx); \
	}

EACH_BRANCH(core_v_each_branch, VENDOR_CORE_V)
EACH_BRANCH(andes_each_branch, VENDOR_ANDES)
EACH_BRANCH(qualcomm_each_branch, VENDOR_QUALCOMM)

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

/* False for jr, ebreak, mret and the like, and unimp. */
static bool goes_on_4(uint32_t insn)
{
	switch (insn & 0x7f) {
	case OP_JALR:
		return riscv_rd(insn) != REG_ZERO;
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
	/* If such a branch is a pair, it is two instructions. */
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

/*
 * auipc t3; l[wd] t3,lo(t3); jalr t1,0(t3). The word behind never runs: a NOP,
 * but ebreak of mold 2.
 */
static bool riscv_decode_plt(const struct arch *arch, const struct code *code,
			     uint64_t offset, uint64_t got, uint64_t *slot)
{
	const uint8_t *p = code->bytes + offset;
	uint32_t first, second;

	(void)got;
	if (offset > code->size || code->size - offset < 12)
		return false;
	first = insn_le32(p);
	second = insn_le32(p + 4);
	if ((first & ~MASK_U) != 0x00000e17 ||
	    (second & ~MASK_I) != (arch->is_64 ? 0x000e3e03u : 0x000e2e03u) ||
	    insn_le32(p + 8) != 0x000e0367)
		return false;
	*slot = arch_wrap(arch, code->addr + offset +
					(int64_t)(int32_t)(first & MASK_U) +
					insn_sign_extend(second >> 20, 12));
	return true;
}

/* auipc, and addi to what it left. */
static void riscv_each_address(const struct arch *arch, const struct code *code,
			       uint64_t low, uint64_t high,
			       void (*found)(void *ctx, uint64_t offset,
					     uint64_t target),
			       void *ctx)
{
	uint64_t bases[32] = { 0 };
	bool is_base[32] = { false };
	uint64_t step;

	for (uint64_t i = code->addr % 2; i + 4 <= code->size; i += step) {
		uint32_t insn = insn_le32(code->bytes + i);
		unsigned rs1 = insn >> 15 & 31;
		uint64_t target;

		step = (insn & 3) == 3 ? 4 : 2;
		if ((insn & 0x7f) == OP_AUIPC) {
			bases[riscv_rd(insn)] =
				code->addr + i +
				(int64_t)(int32_t)(insn & MASK_U);
			is_base[riscv_rd(insn)] = true;
			continue;
		}
		target = arch_wrap(
			arch, bases[rs1] + insn_sign_extend(insn >> 20, 12));
		if ((insn & 0x707f) == OP_ADDI && is_base[rs1] &&
		    target >= low && target <= high)
			found(ctx, i, target);
	}
}

static const struct arch_scan riscv_scan = {
	.find_site = riscv_find_site,
	.explain_refusal = riscv_explain_refusal,
};

static const struct arch vendors_32[4], vendors_64[4];

static const struct arch *riscv_refine(const struct arch *arch,
				       const uint8_t *bytes, size_t size)
{
	enum riscv_vendor vendor = riscv_find_vendor(bytes, size);

	if (vendor == VENDOR_NONE)
		return arch;
	return arch->is_64 ? &vendors_64[vendor] : &vendors_32[vendor];
}

/* clang-format off */
#define RISCV_COMMON \
	.machine = EM_RISCV, \
	.is_big_endian = false, \
	.relocs = riscv_relocs, \
	.nrelocs = sizeof(riscv_relocs) / sizeof(riscv_relocs[0]), \
	.reloc_none = R_RISCV_NONE, \
	.reloc_relative = R_RISCV_RELATIVE, \
	.reloc_jump_slot = R_RISCV_JUMP_SLOT, \
	.reloc_irelative = R_RISCV_IRELATIVE, \
	.uses_rela = true, \
	.reloc_pc32 = RV_32_PCREL, \
	.fill = { 0x13, 0x00, 0x00, 0x00 }, \
	.fill_size = 4, \
	.make_stub = riscv_make_stub, \
	.stub_align = 4, \
	/* The profiles' Ziccif, mandatory since RVA20. */ \
	.store_width = 4, \
	.store_sites = STORE_CALL | STORE_BRANCH | STORE_TAIL | STORE_ENABLED, \
	.disable = riscv_disable, \
	.scan = &riscv_scan, \
	.attributes_type = 0x70000003, /* SHT_RISCV_ATTRIBUTES */ \
	.refine = riscv_refine, \
	.decode_branch = riscv_decode_branch, \
	.each_address = riscv_each_address, \
	.is_boundary = riscv_is_boundary, \
	.step = riscv_step, \
	.chance_length = 8, \
	.is_rewrite = riscv_is_rewrite, \
	.is_for_nowhere = riscv_is_for_nowhere, \
	.find_part = riscv_find_part, \
	.part_ways = riscv_part_ways, \
	.relax = riscv_relax, \
	.deletes_max = riscv_deletes_max, \
	.decode_plt = riscv_decode_plt, \
	.jump_table = ".riscv.jvt" /* Zcmt */

#define RISCV32 \
	.name = "riscv32", \
	.bfd_name = "riscv:rv32", \
	.is_64 = false, \
	.reloc_word = R_RISCV_32, \
	RISCV_COMMON

#define RISCV64 \
	.name = "riscv64", \
	.bfd_name = "riscv:rv64", \
	.is_64 = true, \
	.reloc_word = R_RISCV_64, \
	RISCV_COMMON
/* clang-format on */

const struct arch arch_riscv32 = { RISCV32, .each_branch = riscv_each_branch };
const struct arch arch_riscv64 = { RISCV64, .each_branch = riscv_each_branch };

static const struct arch vendors_32[] = {
	[VENDOR_CORE_V] = { RISCV32, .each_branch = core_v_each_branch },
	[VENDOR_ANDES] = { RISCV32, .each_branch = andes_each_branch },
	[VENDOR_QUALCOMM] = { RISCV32, .each_branch = qualcomm_each_branch },
};

static const struct arch vendors_64[] = {
	[VENDOR_CORE_V] = { RISCV64, .each_branch = core_v_each_branch },
	[VENDOR_ANDES] = { RISCV64, .each_branch = andes_each_branch },
	[VENDOR_QUALCOMM] = { RISCV64, .each_branch = qualcomm_each_branch },
};
