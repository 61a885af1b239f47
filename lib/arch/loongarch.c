/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * LoongArch, 64 bits.
 *
 * psABI: https://github.com/loongson/la-abi-specs. Instructions: LoongArch
 * Reference Manual, volume 1.
 *
 * Peculiarities: a call is bl, or pcaddu18i and jirl with one relocation, which
 * linkers may change to bl (R_LARCH_RELAX). R_LARCH_ALIGN deletes NOPs. In b
 * and bl, the high bits of the displacement are below the low ones.
 */
#include <config.h>

#include <elf.h>

#include "loongarch.h"
#include "reloc.h"
#include "scan.h"

/* clang-format off */
#define ROW(number, text, ...) \
	[number] = { .name = "R_LARCH_" text, .is_known = true, \
		     .width = __VA_ARGS__ }
/* clang-format on */

static const struct reloc_desc loongarch_relocs[] = {
	ROW(LA_NONE, "NONE", 0),
	ROW(1, "32", 4),
	ROW(LA_64, "64", 8),
	ROW(LA_RELATIVE, "RELATIVE", 8),
	ROW(4, "COPY", 0),
	ROW(LA_JUMP_SLOT, "JUMP_SLOT", 8),
	ROW(6, "TLS_DTPMOD32", 4),
	ROW(7, "TLS_DTPMOD64", 8),
	ROW(8, "TLS_DTPREL32", 4),
	ROW(9, "TLS_DTPREL64", 8),
	ROW(10, "TLS_TPREL32", 4),
	ROW(11, "TLS_TPREL64", 8),
	ROW(LA_IRELATIVE, "IRELATIVE", 8),
	ROW(13, "TLS_DESC32", 8),
	ROW(14, "TLS_DESC64", 16),
	ROW(20, "MARK_LA", 0),
	ROW(21, "MARK_PCREL", 0),
	ROW(LA_SOP_PUSH_PCREL, "SOP_PUSH_PCREL", 0),
	ROW(23, "SOP_PUSH_ABSOLUTE", 0),
	ROW(24, "SOP_PUSH_DUP", 0),
	ROW(25, "SOP_PUSH_GPREL", 0),
	ROW(26, "SOP_PUSH_TLS_TPREL", 0),
	ROW(27, "SOP_PUSH_TLS_GOT", 0),
	ROW(28, "SOP_PUSH_TLS_GD", 0),
	ROW(29, "SOP_PUSH_PLT_PCREL", 0),
	ROW(30, "SOP_ASSERT", 0),
	ROW(31, "SOP_NOT", 0),
	ROW(32, "SOP_SUB", 0),
	ROW(33, "SOP_SL", 0),
	ROW(34, "SOP_SR", 0),
	ROW(35, "SOP_ADD", 0),
	ROW(36, "SOP_AND", 0),
	ROW(37, "SOP_IF_ELSE", 0),
	ROW(38, "SOP_POP_32_S_10_5", 4, .mask = MASK_U5),
	ROW(39, "SOP_POP_32_U_10_12", 4, .mask = MASK_S12),
	ROW(40, "SOP_POP_32_S_10_12", 4, .mask = MASK_S12),
	ROW(41, "SOP_POP_32_S_10_16", 4, .mask = MASK_S16),
	ROW(42, "SOP_POP_32_S_10_16_S2", 4, .mask = MASK_S16),
	ROW(43, "SOP_POP_32_S_5_20", 4, .mask = MASK_S20),
	ROW(44, "SOP_POP_32_S_0_5_10_16_S2", 4, .mask = MASK_S21),
	ROW(45, "SOP_POP_32_S_0_10_10_16_S2", 4, .mask = MASK_S26),
	ROW(LA_SOP_POP_32_U, "SOP_POP_32_U", 4),
	ROW(47, "ADD8", 1),
	ROW(48, "ADD16", 2),
	ROW(49, "ADD24", 3),
	ROW(50, "ADD32", 4),
	ROW(51, "ADD64", 8),
	ROW(52, "SUB8", 1),
	ROW(53, "SUB16", 2),
	ROW(54, "SUB24", 3),
	ROW(55, "SUB32", 4),
	ROW(56, "SUB64", 8),
	ROW(57, "GNU_VTINHERIT", 0),
	ROW(58, "GNU_VTENTRY", 0),
	ROW(LA_B16, "B16", 4, .mask = MASK_S16),
	ROW(LA_B21, "B21", 4, .mask = MASK_S21),
	ROW(LA_B26, "B26", 4, .mask = MASK_S26),
	ROW(LA_ABS_HI20, "ABS_HI20", 4, .mask = MASK_S20),
	ROW(68, "ABS_LO12", 4, .mask = MASK_S12),
	ROW(69, "ABS64_LO20", 4, .mask = MASK_S20),
	ROW(LA_ABS64_HI12, "ABS64_HI12", 4, .mask = MASK_S12),
	ROW(LA_PCALA_HI20, "PCALA_HI20", 4, .mask = MASK_S20),
	ROW(LA_PCALA_LO12, "PCALA_LO12", 4, .mask = MASK_S12),
	ROW(73, "PCALA64_LO20", 4, .mask = MASK_S20),
	ROW(LA_PCALA64_HI12, "PCALA64_HI12", 4, .mask = MASK_S12),
	ROW(LA_GOT_PC_HI20, "GOT_PC_HI20", 4, .mask = MASK_S20),
	ROW(LA_GOT_PC_LO12, "GOT_PC_LO12", 4, .mask = MASK_S12),
	ROW(77, "GOT64_PC_LO20", 4, .mask = MASK_S20),
	ROW(78, "GOT64_PC_HI12", 4, .mask = MASK_S12),
	ROW(79, "GOT_HI20", 4, .mask = MASK_S20),
	ROW(80, "GOT_LO12", 4, .mask = MASK_S12),
	ROW(81, "GOT64_LO20", 4, .mask = MASK_S20),
	ROW(LA_GOT64_HI12, "GOT64_HI12", 4, .mask = MASK_S12),
	ROW(83, "TLS_LE_HI20", 4, .mask = MASK_S20),
	ROW(84, "TLS_LE_LO12", 4, .mask = MASK_S12),
	ROW(85, "TLS_LE64_LO20", 4, .mask = MASK_S20),
	ROW(86, "TLS_LE64_HI12", 4, .mask = MASK_S12),
	ROW(LA_TLS_IE_PC_HI20, "TLS_IE_PC_HI20", 4, .mask = MASK_S20),
	ROW(LA_TLS_IE_PC_LO12, "TLS_IE_PC_LO12", 4, .mask = MASK_S12),
	ROW(89, "TLS_IE64_PC_LO20", 4, .mask = MASK_S20),
	ROW(90, "TLS_IE64_PC_HI12", 4, .mask = MASK_S12),
	ROW(91, "TLS_IE_HI20", 4, .mask = MASK_S20),
	ROW(92, "TLS_IE_LO12", 4, .mask = MASK_S12),
	ROW(93, "TLS_IE64_LO20", 4, .mask = MASK_S20),
	ROW(94, "TLS_IE64_HI12", 4, .mask = MASK_S12),
	ROW(LA_TLS_LD_PC_HI20, "TLS_LD_PC_HI20", 4, .mask = MASK_S20),
	ROW(96, "TLS_LD_HI20", 4, .mask = MASK_S20),
	ROW(LA_TLS_GD_PC_HI20, "TLS_GD_PC_HI20", 4, .mask = MASK_S20),
	ROW(98, "TLS_GD_HI20", 4, .mask = MASK_S20),
	ROW(LA_32_PCREL, "32_PCREL", 4, .is_distance = true),
	ROW(LA_RELAX, "RELAX", 0, .relaxes = true),
	ROW(101, "DELETE", 0, .relaxes = true),
	ROW(LA_ALIGN, "ALIGN", 0, .relaxes = true),
	ROW(103, "PCREL20_S2", 4, .mask = MASK_S20),
	ROW(104, "CFA", 0),
	ROW(105, "ADD6", 1, .mask = 0x3f),
	ROW(106, "SUB6", 1, .mask = 0x3f),
	ROW(107, "ADD_ULEB128", 0),
	ROW(108, "SUB_ULEB128", 0),
	ROW(109, "64_PCREL", 8, .is_distance = true),
	ROW(LA_CALL36, "CALL36", 8, .mask = MASK_CALL36),
	ROW(LA_TLS_DESC_PC_HI20, "TLS_DESC_PC_HI20", 4, .mask = MASK_S20),
	ROW(LA_TLS_DESC_PC_LO12, "TLS_DESC_PC_LO12", 4, .mask = MASK_S12),
	ROW(113, "TLS_DESC64_PC_LO20", 4, .mask = MASK_S20),
	ROW(114, "TLS_DESC64_PC_HI12", 4, .mask = MASK_S12),
	ROW(115, "TLS_DESC_HI20", 4, .mask = MASK_S20),
	ROW(116, "TLS_DESC_LO12", 4, .mask = MASK_S12),
	ROW(117, "TLS_DESC64_LO20", 4, .mask = MASK_S20),
	ROW(118, "TLS_DESC64_HI12", 4, .mask = MASK_S12),
	ROW(LA_TLS_DESC_LD, "TLS_DESC_LD", 0),
	ROW(LA_TLS_DESC_CALL, "TLS_DESC_CALL", 0),
	ROW(LA_TLS_LE_HI20_R, "TLS_LE_HI20_R", 4, .mask = MASK_S20),
	ROW(LA_TLS_LE_ADD_R, "TLS_LE_ADD_R", 0),
	ROW(LA_TLS_LE_LO12_R, "TLS_LE_LO12_R", 4, .mask = MASK_S12),
	ROW(124, "TLS_LD_PCREL20_S2", 4, .mask = MASK_S20),
	ROW(125, "TLS_GD_PCREL20_S2", 4, .mask = MASK_S20),
	ROW(126, "TLS_DESC_PCREL20_S2", 4, .mask = MASK_S20),
};

/* --- The generator's view ---------------------------------------------- */

static bool loongarch_find_site(const struct arch *arch, const uint8_t *text,
				size_t size, const struct reloc *r,
				struct site_shape *shape)
{
	uint32_t first, second;

	(void)arch;
	if (r->addend != 0 || size - r->offset < 4)
		return false;
	first = insn_le32(text + r->offset);
	*shape = (struct site_shape){ .length = 4 };
	if (r->type == LA_B26) {
		shape->form = first >> 26 == OP_BL ? FORM_CALL : FORM_TAIL;
		return first >> 26 == OP_BL || first >> 26 == OP_B;
	}
	if (r->type != LA_CALL36 || size - r->offset < 8)
		return false;
	second = insn_le32(text + r->offset + 4);
	shape->form = loongarch_rd(second) == REG_RA ? FORM_CALL : FORM_TAIL;
	shape->length = 8;
	return loongarch_is_pair(first, second);
}

static void loongarch_explain_refusal(const struct arch *arch,
				      const uint8_t *text, size_t size,
				      const struct reloc *r,
				      struct refusal *refusal)
{
	(void)arch;
	(void)text;
	(void)size;
	if (r->type >= LA_GOT_PC_HI20 && r->type <= LA_GOT64_HI12) {
		refusal->what = "load of its address from the GOT";
		refusal->remedy = "compile without -fno-plt and "
				  "-mcmodel=extreme, and do not take the "
				  "address of a probe function";
	} else if (r->type >= LA_ABS_HI20 && r->type <= LA_PCALA64_HI12) {
		refusal->what = "its address is computed";
		refusal->remedy = "call the probe function directly, without "
				  "-mcmodel=extreme; its address must not be "
				  "taken";
	} else if (r->type == LA_B16 || r->type == LA_B21) {
		refusal->what = "conditional branch";
		refusal->remedy = "branch around a call instead: a "
				  "conditional branch reaches 128 KiB or 4 MiB";
	} else if (r->type >= LA_SOP_PUSH_PCREL && r->type <= LA_SOP_POP_32_U) {
		refusal->what = "relocation of the first psABI";
		refusal->remedy = "assemble with binutils 2.40 or newer, or "
				  "with LLVM";
	}
}

/* Twice lu12i.w zero,HALF; for is-enabled, move a0,zero; ret */
static unsigned loongarch_make_stub(const struct arch *arch, uint8_t mode,
				    bool is_enabled, uint32_t hash,
				    uint8_t *bytes)
{
	unsigned n = 8;

	(void)arch;
	(void)mode;
	insn_put_le32(bytes, 0x14000000 | (hash & 0xffff) << 5);
	insn_put_le32(bytes + 4, 0x14000000 | hash >> 16 << 5);
	if (is_enabled) {
		insn_put_le32(bytes + n, INSN_ZERO);
		n += 4;
	}
	insn_put_le32(bytes + n, INSN_RETURN);
	return n + 4;
}

/*
 * Of a pair, pcaddu18i stays: it sets a register that the call would not have
 * kept. So only one word changes in either form, and the first one shows the
 * length.
 */
static unsigned loongarch_disable(const struct arch *arch, enum site_form form,
				  bool is_enabled, const struct code *code,
				  uint64_t offset, uint8_t bytes[DISABLED_MAX])
{
	uint32_t insn = INSN_NOP, first;

	(void)arch;
	if (form == FORM_COND || (form == FORM_TAIL && is_enabled) ||
	    offset > code->size || code->size - offset < 4)
		return 0;
	if (form == FORM_TAIL)
		insn = INSN_RETURN;
	else if (is_enabled)
		insn = INSN_ZERO;
	first = insn_le32(code->bytes + offset);
	if (first >> 25 != OP_PCADDU18I) {
		insn_put_le32(bytes, insn);
		return 4;
	}
	insn_put_le32(bytes, first & ~MASK_S20);
	insn_put_le32(bytes + 4, insn);
	return 8;
}

/* --- Verify's view ----------------------------------------------------- */

/* The displacements of the formats, in bytes. */
static int64_t offset_16(uint32_t insn)
{
	return insn_sign_extend(insn_bits(insn, 10, 16, 2), 18);
}

static int64_t offset_20(uint32_t insn, unsigned shift)
{
	return insn_sign_extend(insn_bits(insn, 5, 20, 0), 20) *
	       ((int64_t)1 << shift);
}

static int64_t offset_21(uint32_t insn)
{
	return insn_sign_extend(
		insn_bits(insn, 10, 16, 2) | insn_bits(insn, 0, 5, 18), 23);
}

static int64_t offset_26(uint32_t insn)
{
	return insn_sign_extend(
		insn_bits(insn, 10, 16, 2) | insn_bits(insn, 0, 10, 18), 28);
}

/* pcaddu18i, pcaddu12i or pcalau12i REG, then jirl through REG. */
static bool decode_pair(uint32_t first, uint32_t second, uint64_t addr,
			struct branch *branch)
{
	uint64_t base;

	if (second >> 26 != OP_JIRL ||
	    loongarch_rj(second) != loongarch_rd(first))
		return false;
	switch (first >> 25) {
	case OP_PCADDU18I:
		base = addr + offset_20(first, 18);
		break;
	case OP_PCADDU12I:
		base = addr + offset_20(first, 12);
		break;
	case OP_PCALAU12I:
		base = (addr & ~(uint64_t)0xfff) + offset_20(first, 12);
		break;
	case OP_PCADDI:
		base = addr + offset_20(first, 2);
		break;
	default:
		return false;
	}
	branch->length = 8;
	branch->form = loongarch_rd(second) == REG_ZERO ? FORM_TAIL : FORM_CALL;
	branch->target = base + offset_16(second);
	return true;
}

static bool is_conditional(uint32_t insn)
{
	unsigned opcode = insn >> 26;

	return opcode == OP_BEQZ || opcode == OP_BNEZ || opcode == OP_BCZ ||
	       (opcode >= OP_BEQ && opcode <= OP_BGEU);
}

static bool loongarch_decode_branch(const struct arch *arch,
				    const struct code *code, uint64_t offset,
				    struct branch *branch)
{
	uint64_t addr = code->addr + offset;
	uint32_t insn;

	(void)arch;
	if (offset > code->size || code->size - offset < 4)
		return false;
	insn = insn_le32(code->bytes + offset);
	*branch = (struct branch){ .form = FORM_COND, .length = 4 };
	branch->is_short = is_conditional(insn);
	switch (insn >> 26) {
	case OP_BCZ:
		if ((insn & 0x200) != 0)
			return false;
		branch->target = addr + offset_21(insn);
		return true;
	case OP_BEQZ:
	case OP_BNEZ:
		branch->target = addr + offset_21(insn);
		return true;
	case OP_B:
	case OP_BL:
		branch->form = insn >> 26 == OP_BL ? FORM_CALL : FORM_TAIL;
		branch->target = addr + offset_26(insn);
		return true;
	case OP_JIRL: /* from address 0 */
		branch->form = loongarch_rd(insn) == REG_ZERO ? FORM_TAIL
							      : FORM_CALL;
		branch->target = offset_16(insn);
		return loongarch_rj(insn) == REG_ZERO;
	default:
		break;
	}
	if (insn >> 26 >= OP_BEQ && insn >> 26 <= OP_BGEU) {
		branch->target = addr + offset_16(insn);
		return true;
	}
	return code->size - offset >= 8 &&
	       decode_pair(insn, insn_le32(code->bytes + offset + 4), addr,
			   branch);
}

static bool loongarch_is_boundary(const struct arch *arch,
				  const struct code *code, uint64_t start,
				  uint64_t offset)
{
	(void)arch;
	(void)code;
	return (offset - start) % 4 == 0;
}

/* pcaddu12i t3; ld.d t3,t3,lo; jirl t1,t3,0. The word behind never runs. */
static bool loongarch_decode_plt(const struct arch *arch,
				 const struct code *code, uint64_t offset,
				 uint64_t got, uint64_t *slot)
{
	const uint8_t *p = code->bytes + offset;
	uint32_t first, second;

	(void)arch;
	(void)got;
	if (offset > code->size || code->size - offset < 12)
		return false;
	first = insn_le32(p);
	second = insn_le32(p + 4);
	if ((first & ~MASK_S20) != 0x1c00000f ||
	    (second & ~MASK_S12) != 0x28c001ef ||
	    insn_le32(p + 8) != 0x4c0001ed)
		return false;
	*slot = code->addr + offset + offset_20(first, 12) +
		insn_sign_extend(insn_bits(second, 10, 12, 0), 12);
	return true;
}

/* pcaddi; pcaddu12i, and addi.w or addi.d of its result. */
static void loongarch_each_address(
	const struct arch *arch, const struct code *code, uint64_t low,
	uint64_t high,
	void (*found)(void *ctx, uint64_t offset, uint64_t target), void *ctx)
{
	uint64_t bases[32] = { 0 };
	bool is_base[32] = { false };

	(void)arch;
	for (uint64_t i = -code->addr & 3; i + 4 <= code->size; i += 4) {
		uint32_t insn = insn_le32(code->bytes + i);
		uint64_t target;

		if (insn >> 25 == OP_PCADDU12I) {
			bases[loongarch_rd(insn)] = code->addr + i +
						    offset_20(insn, 12);
			is_base[loongarch_rd(insn)] = true;
			continue;
		}
		if (insn >> 25 == OP_PCADDI)
			target = code->addr + i + offset_20(insn, 2);
		else if ((insn >> 22 == OP_ADDI_W || insn >> 22 == OP_ADDI_D) &&
			 is_base[loongarch_rj(insn)])
			target = bases[loongarch_rj(insn)] +
				 insn_sign_extend(insn_bits(insn, 10, 12, 0),
						  12);
		else
			continue;
		if (target >= low && target <= high)
			found(ctx, i, target);
	}
}

static const struct arch_scan loongarch_scan = {
	.find_site = loongarch_find_site,
	.explain_refusal = loongarch_explain_refusal,
};

const struct arch arch_loongarch64 = {
	.name = "loongarch64",
	.bfd_name = "Loongarch64",
	.machine = LA_MACHINE,
	.is_64 = true,
	.is_big_endian = false,
	.relocs = loongarch_relocs,
	.nrelocs = sizeof(loongarch_relocs) / sizeof(loongarch_relocs[0]),
	.reloc_none = LA_NONE,
	.reloc_relative = LA_RELATIVE,
	.reloc_jump_slot = LA_JUMP_SLOT,
	.reloc_irelative = LA_IRELATIVE,
	.uses_rela = true,
	.reloc_pc32 = LA_32_PCREL,
	.reloc_word = LA_64,
	.fill = { 0x00, 0x00, 0x40, 0x03 },
	.fill_size = 4,
	.trap = 0x002a0000, /* break 0 */
	.stub_align = 4,
	.make_stub = loongarch_make_stub,
	.disable = loongarch_disable,
	.scan = &loongarch_scan,
	.decode_branch = loongarch_decode_branch,
	.each_branch = arch_each_word_branch,
	/* also each_operand: the parts of an address need not be adjacent */
	.each_address = loongarch_each_address,
	.is_boundary = loongarch_is_boundary,
	.is_rewrite = loongarch_is_rewrite,
	.is_for_nowhere = loongarch_is_for_nowhere,
	.find_part = loongarch_find_part,
	.part_ways = loongarch_part_ways,
	.relax = loongarch_relax,
	.deletes_max = loongarch_deletes_max,
	.decode_plt = loongarch_decode_plt,
};
