/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * MIPS: o32, n32 and n64, both byte orders, up to release 6.
 *
 * psABI: System V ABI, MIPS RISC Processor Supplement; for n32 and n64, MIPSpro
 * N32 ABI Handbook and 64-bit ELF Object File Specification. Instructions: MIPS
 * Architecture For Programmers, volume II-A.
 *
 * Peculiarities: jal and j are not PC-relative. Their 28 bits replace those of
 * the address of the next instruction. That one, in the delay slot, runs before
 * the target. o32 has addends in the fields, n32 and n64 in the relocations,
 * and n64 packs three types into each. A call through the GOT or by address
 * (-mabicalls, -mlong-calls) is jalr, which is not a site. MIPS16 and
 * microMIPS, which are other encodings, are refused. Octeon's bbit is read as
 * the instruction that release 6 has in its place.
 */
#include <config.h>

#include <elf.h>

#include "reloc.h"
#include "scan.h"
#include "arch.h"
#include "insn.h"

/* Newer than some <elf.h>. */
#define MIPS_PC26_S2 61
#define MIPS_PC21_S2 60
#define MIPS_PC19_S2 63

/* Masks of immediates, for an instruction as a number. */
#define IMM16 0xffffu
#define IMM19 0x7ffffu
#define IMM21 0x1fffffu
#define IMM26 0x3ffffffu

/* A mask in memory order. */
#define LITTLE(mask) (mask)
#define BIG(mask) \
	((mask) >> 24 | ((mask) >> 8 & 0xff00) | ((mask) << 8 & 0xff0000) | \
	 (mask) << 24)

/* clang-format off */
#define ROW(number, text, ...) \
	[number] = { .name = "R_MIPS_" text, .is_known = true, \
		     .width = __VA_ARGS__ }

/*
 * R_MIPS16_* and R_MICROMIPS_* are refused before: see refuse_flags. R_MIPS_SUB
 * has 64 bits by the ABI. But assemblers make it of %neg alone, between two
 * others at the offset of one instruction, of which the last one writes.
 */
#define ROWS(M) \
	ROW(0, "NONE", 0), \
	ROW(1, "16", 4, .mask = M(IMM16)), \
	ROW(2, "32", 4), \
	ROW(3, "REL32", 4), \
	ROW(4, "26", 4, .mask = M(IMM26)), \
	ROW(5, "HI16", 4, .mask = M(IMM16)), \
	ROW(6, "LO16", 4, .mask = M(IMM16)), \
	ROW(7, "GPREL16", 4, .mask = M(IMM16)), \
	ROW(8, "LITERAL", 4, .mask = M(IMM16)), \
	ROW(9, "GOT16", 4, .mask = M(IMM16)), \
	ROW(10, "PC16", 4, .mask = M(IMM16)), \
	ROW(11, "CALL16", 4, .mask = M(IMM16)), \
	ROW(12, "GPREL32", 4), \
	ROW(16, "SHIFT5", 4, .mask = M(0x7c0u)), \
	ROW(17, "SHIFT6", 4, .mask = M(0x7c4u)), \
	ROW(18, "64", 8), \
	ROW(19, "GOT_DISP", 4, .mask = M(IMM16)), \
	ROW(20, "GOT_PAGE", 4, .mask = M(IMM16)), \
	ROW(21, "GOT_OFST", 4, .mask = M(IMM16)), \
	ROW(22, "GOT_HI16", 4, .mask = M(IMM16)), \
	ROW(23, "GOT_LO16", 4, .mask = M(IMM16)), \
	ROW(24, "SUB", 4, .mask = M(IMM16)), \
	ROW(28, "HIGHER", 4, .mask = M(IMM16)), \
	ROW(29, "HIGHEST", 4, .mask = M(IMM16)), \
	ROW(30, "CALL_HI16", 4, .mask = M(IMM16)), \
	ROW(31, "CALL_LO16", 4, .mask = M(IMM16)), \
	ROW(32, "SCN_DISP", 4), \
	ROW(37, "JALR", 0), \
	ROW(38, "TLS_DTPMOD32", 4), \
	ROW(39, "TLS_DTPREL32", 4), \
	ROW(40, "TLS_DTPMOD64", 8), \
	ROW(41, "TLS_DTPREL64", 8), \
	ROW(42, "TLS_GD", 4, .mask = M(IMM16)), \
	ROW(43, "TLS_LDM", 4, .mask = M(IMM16)), \
	ROW(44, "TLS_DTPREL_HI16", 4, .mask = M(IMM16)), \
	ROW(45, "TLS_DTPREL_LO16", 4, .mask = M(IMM16)), \
	ROW(46, "TLS_GOTTPREL", 4, .mask = M(IMM16)), \
	ROW(47, "TLS_TPREL32", 4), \
	ROW(48, "TLS_TPREL64", 8), \
	ROW(49, "TLS_TPREL_HI16", 4, .mask = M(IMM16)), \
	ROW(50, "TLS_TPREL_LO16", 4, .mask = M(IMM16)), \
	ROW(51, "GLOB_DAT", 4), \
	ROW(60, "PC21_S2", 4, .mask = M(IMM21)), \
	ROW(61, "PC26_S2", 4, .mask = M(IMM26)), \
	ROW(62, "PC18_S3", 4, .mask = M(0x3ffffu)), \
	ROW(63, "PC19_S2", 4, .mask = M(IMM19)), \
	ROW(64, "PCHI16", 4, .mask = M(IMM16)), \
	ROW(65, "PCLO16", 4, .mask = M(IMM16)), \
	ROW(126, "COPY", 0), \
	ROW(127, "JUMP_SLOT", 4), \
	ROW(248, "PC32", 4), \
	ROW(249, "EH", 4), \
	ROW(250, "GNU_REL16_S2", 4, .mask = M(IMM16)), \
	ROW(253, "GNU_VTINHERIT", 0), \
	ROW(254, "GNU_VTENTRY", 0)
/* clang-format on */

static const struct reloc_desc little_relocs[] = { ROWS(LITTLE) };
static const struct reloc_desc big_relocs[] = { ROWS(BIG) };

enum {
	OP_SPECIAL = 0x00,
	OP_REGIMM = 0x01,
	OP_J = 0x02,
	OP_JAL = 0x03,
	OP_BEQ = 0x04,
	OP_ADDIU = 0x09,
	OP_DADDIU = 0x19,
	OP_LW = 0x23,
	OP_BC = 0x32,
	OP_LD = 0x37,
	OP_BALC = 0x3a,
};

/* Release 6 has no jr. jalr zero,ra returns in all releases. */
#define INSN_NOP 0x00000000
#define INSN_RETURN 0x03e00009	       /* jalr zero,ra */
#define INSN_RETURN_COMPACT 0xd81f0000 /* jrc ra */
#define INSN_NOP_COMPACT 0x00000025    /* move zero,zero */
#define INSN_ZERO 0x00001025	       /* move v0,zero */
#define INSN_ZERO_COMPACT 0x00001021   /* the same, by addu */
#define INSN_JALR_T9 0x0320f809	       /* jalr t9 */
#define INSN_JR_T9 0x03200008	       /* jr t9; release 6: its bit 0 is set */
#define HALF_BAL 0x0411		       /* bal */
#define HALF_B 0x1000		       /* b */

enum { REG_ZERO = 0, REG_V0 = 2, REG_GP = 28, REG_RA = 31 };

static unsigned rs_of(uint32_t insn)
{
	return insn >> 21 & 31;
}

static unsigned rt_of(uint32_t insn)
{
	return insn >> 16 & 31;
}

static bool is_load_from_gp(uint32_t insn)
{
	return (insn >> 26 == OP_LW || insn >> 26 == OP_LD) &&
	       rs_of(insn) == REG_GP;
}

#define FLAG_MICROMIPS 0x02000000
#define FLAG_MIPS16 0x04000000

/* Set if some functions are of that kind, or all. */
static const char *mips_refuse_flags(uint32_t flags, const char **remedy)
{
	if ((flags & FLAG_MICROMIPS) != 0) {
		*remedy = "compile with -mno-micromips";
		return "microMIPS code";
	}
	if ((flags & FLAG_MIPS16) != 0) {
		*remedy = "compile with -mno-mips16";
		return "MIPS16 code";
	}
	return NULL;
}

/* --- The generator's view ---------------------------------------------- */

/* Does R refer to a place behind its symbol? */
static bool has_addend(const struct arch *arch, uint32_t insn,
		       const struct reloc *r)
{
	/* Compact branches count from their end. */
	int64_t none = r->type == MIPS_PC26_S2 ? -4 : 0;
	int64_t field = insn_sign_extend(insn & IMM26, 26) * 4;

	if (arch->uses_rela)
		return r->addend != none;
	/* In o32 with SHT_RELA, which no tool writes, both count. */
	return field != none || r->addend != 0;
}

static bool mips_find_site(const struct arch *arch, const uint8_t *text,
			   size_t size, const struct reloc *r,
			   struct site_shape *shape)
{
	uint32_t insn;
	unsigned op;

	if ((r->type != R_MIPS_26 && r->type != MIPS_PC26_S2) ||
	    size - r->offset < 4 || r->offset % 4 != 0)
		return false;
	insn = arch_insn(arch, text + r->offset);
	op = insn >> 26;
	if (has_addend(arch, insn, r))
		return false;
	if (op == (r->type == R_MIPS_26 ? OP_JAL : OP_BALC))
		shape->form = FORM_CALL;
	else if (op == (r->type == R_MIPS_26 ? OP_J : OP_BC))
		shape->form = FORM_TAIL;
	else
		return false;
	shape->back = 0;
	shape->length = 4;
	return true;
}

/* Code with abicalls calls by this register alone. */
enum { REG_T9 = 25 };

/* The register of the high part, which INSN at R sets or reads. */
static unsigned high_register(uint32_t insn, const struct reloc *r)
{
	return r->type == R_MIPS_LO16 ? insn >> 21 & 31 : insn >> 16 & 31;
}

static void mips_explain_refusal(const struct arch *arch, const uint8_t *text,
				 size_t size, const struct reloc *r,
				 struct refusal *refusal)
{
	switch (r->type) {
	case R_MIPS_CALL16:
	case R_MIPS_CALL_HI16:
	case R_MIPS_CALL_LO16:
	case R_MIPS_GOT16:
	case R_MIPS_GOT_DISP:
	case R_MIPS_GOT_PAGE:
	case R_MIPS_GOT_OFST:
	case R_MIPS_GOT_HI16:
	case R_MIPS_GOT_LO16:
		refusal->what = "load of its address from the GOT";
		refusal->remedy = "compile with -mno-abicalls -fno-pic, and do "
				  "not take the address of a probe function";
		break;
	case R_MIPS_JALR:
		refusal->what = "call by register";
		refusal->remedy = "compile with -mno-abicalls -fno-pic";
		refusal->length = 4;
		break;
	case R_MIPS_HI16:
	case R_MIPS_LO16:
	case R_MIPS_HIGHER:
	case R_MIPS_HIGHEST:
		refusal->what = "its address is computed";
		refusal->remedy = "compile with -mno-long-calls, and do not "
				  "take the address of a probe function";
		if (size - r->offset >= 4 &&
		    high_register(arch_insn(arch, text + r->offset), r) ==
			    REG_T9)
			refusal->remedy = "compile with -mno-abicalls or "
					  "-mplt, and do not take the address "
					  "of a probe function";
		break;
	case R_MIPS_PC16:
	case MIPS_PC21_S2:
		refusal->what = "branch of short reach";
		refusal->remedy = "use jal or j";
		break;
	}
}

/* lui zero,HALF twice; jr ra; in its delay slot nop, or move v0,zero */
static unsigned mips_make_stub(const struct arch *arch, uint8_t mode,
			       bool is_enabled, uint32_t hash, uint8_t *bytes)
{
	(void)mode;
	arch_put_insn(arch, bytes, 0x3c000000 | (hash & 0xffff));
	arch_put_insn(arch, bytes + 4, 0x3c000000 | hash >> 16);
	arch_put_insn(arch, bytes + 8, INSN_RETURN);
	arch_put_insn(arch, bytes + 12, is_enabled ? INSN_ZERO : INSN_NOP);
	return 16;
}

/* May INSN read or write REG? If in doubt, yes. */
static bool mentions(uint32_t insn, unsigned reg)
{
	unsigned rd = insn >> 11 & 31, sa = insn >> 6 & 31;

	if (rs_of(insn) == reg || rt_of(insn) == reg)
		return true;
	switch (insn >> 26) {
	case OP_SPECIAL:
	case 0x10: /* coprocessors */
	case 0x11:
	case 0x12:
	case 0x13:
	case 0x1c: /* SPECIAL2, SPECIAL3 */
	case 0x1f:
		return rd == reg;
	case 0x1e: /* MSA */
		return rd == reg || sa == reg;
	case 0x32: /* of the maker's own */
	case 0x36:
	case 0x3a:
	case 0x3e:
		return true;
	default: /* an immediate */
		return false;
	}
}

/*
 * The delay slot still runs. Before, it ran with the old value of REG. If it
 * uses REG, it would now see the new one.
 */
static bool is_slot_free(const struct arch *arch, const struct code *code,
			 uint64_t offset, unsigned reg)
{
	return code->size - offset >= 8 &&
	       !mentions(arch_insn(arch, code->bytes + offset + 4), reg);
}

/*
 * balc and bc have no delay slot. They become another instruction than jal and
 * j, so that whoever restores the branch knows which it was.
 */
static bool is_compact(uint32_t insn)
{
	return insn >> 26 == OP_BALC || insn >> 26 == OP_BC ||
	       insn == INSN_NOP_COMPACT || insn == INSN_ZERO_COMPACT ||
	       insn == INSN_RETURN_COMPACT;
}

static unsigned mips_disable(const struct arch *arch, enum site_form form,
			     bool is_enabled, const struct code *code,
			     uint64_t offset, uint8_t bytes[DISABLED_MAX])
{
	unsigned reg = form == FORM_CALL && is_enabled ? REG_V0 : REG_RA;
	uint32_t insn, plain, compact;

	if (form == FORM_COND || (form == FORM_TAIL && is_enabled) ||
	    offset > code->size || code->size - offset < 4)
		return 0;
	insn = arch_insn(arch, code->bytes + offset);
	if (form == FORM_TAIL) {
		plain = INSN_RETURN;
		compact = INSN_RETURN_COMPACT;
	} else if (is_enabled) {
		plain = INSN_ZERO;
		compact = INSN_ZERO_COMPACT;
	} else {
		plain = INSN_NOP;
		compact = INSN_NOP_COMPACT;
	}
	if (is_compact(insn)) {
		arch_put_insn(arch, bytes, compact);
		return 4;
	}
	/* A delay slot that uses RA may change where the call returns to. */
	if (insn != plain && (!is_slot_free(arch, code, offset, reg) ||
			      !is_slot_free(arch, code, offset, REG_RA)))
		return 0;
	arch_put_insn(arch, bytes, plain);
	return 4;
}

/* --- Verify's view ----------------------------------------------------- */

/* A branch with a displacement of BITS bits, in instructions. */
static void set_relative(uint32_t insn, unsigned bits, enum site_form form,
			 uint64_t addr, struct branch *branch)
{
	uint32_t mask = (1u << bits) - 1;

	branch->form = form;
	branch->target = addr + 4 + insn_sign_extend(insn & mask, bits) * 4;
}

/*
 * bltz, bgez, their likely and linking forms, and bposge32, bposge64 and
 * bposge32c of the DSP.
 */
static bool decode_regimm(uint32_t insn, uint64_t addr, struct branch *branch)
{
	unsigned rt = rt_of(insn);

	if ((rt & 0x0c) != 0 && rt != 0x18 && rt != 0x1c && rt != 0x1d)
		return false;
	set_relative(insn, 16, insn >> 16 == HALF_BAL ? FORM_CALL : FORM_COND,
		     addr, branch);
	return true;
}

/*
 * Branches on a condition of a coprocessor; those of MSA, on a vector. Where
 * MIPS I and II have bc3f and its like, later ones have loads and sums.
 */
static bool is_coprocessor_branch(uint32_t insn)
{
	unsigned rs = rs_of(insn);

	if (insn >> 26 == 0x13)
		return rs == 0x08 && rt_of(insn) <= 3;
	if (rs == 0x08 || rs == 0x09 || rs == 0x0a || rs == 0x0d)
		return true;
	return insn >> 26 == 0x11 && (rs == 0x0b || rs == 0x0f || rs >= 0x18);
}

static bool mips_decode_branch(const struct arch *arch, const struct code *code,
			       uint64_t offset, struct branch *branch)
{
	uint64_t addr = code->addr + offset;
	bool found = true;
	uint32_t insn;

	if (offset > code->size || code->size - offset < 4)
		return false;
	insn = arch_insn(arch, code->bytes + offset);
	*branch = (struct branch){ .length = 4 };
	switch (insn >> 26) {
	case OP_REGIMM:
		found = decode_regimm(insn, addr, branch);
		break;
	case OP_J:
	case OP_JAL:
		branch->form = insn >> 26 == OP_JAL ? FORM_CALL : FORM_TAIL;
		/* The region is that of the delay slot. */
		branch->target = ((addr + 4) & ~(uint64_t)0xfffffff) |
				 (insn & IMM26) << 2;
		break;
	case OP_BEQ:
		set_relative(insn, 16,
			     insn >> 16 == HALF_B ? FORM_TAIL : FORM_COND, addr,
			     branch);
		break;
	case 0x05: /* bne, blez, bgtz, and release 6's linking forms */
	case 0x06:
	case 0x07:
	case 0x08: /* release 6: beqc, bovc, beqzalc */
	case 0x14: /* beql, bnel, blezl, bgtzl, and release 6's */
	case 0x15:
	case 0x16:
	case 0x17:
	case 0x18: /* release 6: bnec, bnvc, bnezalc */
		set_relative(insn, 16, FORM_COND, addr, branch);
		break;
	case 0x10:
	case 0x11:
	case 0x12:
	case 0x13:
		found = is_coprocessor_branch(insn);
		set_relative(insn, 16, FORM_COND, addr, branch);
		break;
	case OP_BC:
	case OP_BALC:
		set_relative(insn, 26,
			     insn >> 26 == OP_BALC ? FORM_CALL : FORM_TAIL,
			     addr, branch);
		break;
	case 0x36: /* beqzc, bnezc; with rs of 0, jic and jialc */
	case 0x3e:
		found = rs_of(insn) != 0;
		set_relative(insn, 21, FORM_COND, addr, branch);
		break;
	default:
		found = false;
		break;
	}
	branch->is_short = branch->form == FORM_COND;
	branch->target = arch_wrap(arch, branch->target);
	return found;
}

/* bbit0, bbit1, bbit032 and bbit132, where release 6 has compact branches. */
static bool octeon_decode_branch(const struct arch *arch,
				 const struct code *code, uint64_t offset,
				 struct branch *branch)
{
	uint32_t insn;

	if (offset > code->size || code->size - offset < 4)
		return false;
	insn = arch_insn(arch, code->bytes + offset);
	if (insn >> 26 != 0x32 && insn >> 26 != 0x36 && insn >> 26 != 0x3a &&
	    insn >> 26 != 0x3e)
		return mips_decode_branch(arch, code, offset, branch);
	*branch = (struct branch){ .length = 4, .is_short = true };
	set_relative(insn, 16, FORM_COND, code->addr + offset, branch);
	branch->target = arch_wrap(arch, branch->target);
	return true;
}

static bool mips_is_boundary(const struct arch *arch, const struct code *code,
			     uint64_t start, uint64_t offset)
{
	(void)arch;
	(void)code;
	return (offset - start) % 4 == 0;
}

/*
 * A jalr or jr with a hint becomes bal or b, if it is near. For the RM9000, GNU
 * ld changes jal to bal, too. For a load of an undefined weak symbol, GNU ld
 * writes li REG,0.
 */
static bool mips_is_rewrite(const struct arch *arch, const uint8_t *before,
			    const uint8_t *after, size_t size,
			    const struct reloc *r, struct byte_range *range)
{
	uint32_t was, is;

	if (r->offset > size || size - r->offset < 4)
		return false;
	was = arch_insn(arch, before + r->offset);
	is = arch_insn(arch, after + r->offset);
	*range = (struct byte_range){ r->offset, r->offset + 4 };
	if (r->type == R_MIPS_26)
		return was >> 26 == OP_JAL && is >> 16 == HALF_BAL;
	if (r->type == R_MIPS_CALL16 || r->type == R_MIPS_GOT16)
		return is_load_from_gp(was) &&
		       is == (OP_ADDIU << 26 | rt_of(was) << 16);
	if (r->type != R_MIPS_JALR)
		return false;
	return (was == INSN_JALR_T9 && is >> 16 == HALF_BAL) ||
	       ((was & ~1u) == INSN_JR_T9 && is >> 16 == HALF_B);
}

/* li REG,0 for a load from the GOT. */
static bool mips_is_for_nowhere(const struct arch *arch, const uint8_t *after,
				const struct reloc *r)
{
	return (r->type == R_MIPS_CALL16 || r->type == R_MIPS_GOT16) &&
	       arch_insn(arch, after) >> 26 == OP_ADDIU;
}

/*
 * PLT entries lead to functions of other components. Linkers refuse jal in all
 * but executables, whose own functions have no entries.
 */
static bool mips_decode_plt(const struct arch *arch, const struct code *code,
			    uint64_t offset, uint64_t got, uint64_t *slot)
{
	(void)arch;
	(void)code;
	(void)offset;
	(void)got;
	(void)slot;
	return false;
}

/*
 * Sets t9 for a function that needs it (-fpic), and goes on to it: lui t9,HI; j
 * TARGET; addiu t9,t9,LO. Directly before the function it is lui t9,HI; addiu
 * t9,t9,LO.
 */
static unsigned mips_decode_veneer(const struct arch *arch,
				   const struct code *code, uint64_t offset,
				   uint64_t got, uint64_t *target)
{
	const uint8_t *p = code->bytes + offset;
	struct branch branch = { 0 };
	uint64_t t9;
	uint32_t low;
	bool jumps;

	(void)got;
	if (offset > code->size || code->size - offset < 12 ||
	    arch_insn(arch, p) >> 16 != 0x3c19)
		return 0;
	jumps = arch_insn(arch, p + 4) >> 26 == OP_J;
	low = arch_insn(arch, p + (jumps ? 8 : 4));
	if (low >> 16 != 0x2739)
		return 0;
	t9 = arch_wrap(arch, insn_sign_extend(arch_insn(arch, p) << 16, 32) +
				     insn_sign_extend(low & IMM16, 16));
	*target = t9;
	if (!jumps && t9 == arch_wrap(arch, code->addr + offset + 8))
		return 8;
	return mips_decode_branch(arch, code, offset + (jumps ? 4 : 8),
				  &branch) &&
			       branch.form == FORM_TAIL && branch.target == t9
		       ? 12
		       : 0;
}

/*
 * lapc of release 6; and what is added to the return address of a bal over one
 * instruction.
 */
static void mips_each_address(const struct arch *arch, const struct code *code,
			      uint64_t low, uint64_t high,
			      void (*found)(void *ctx, uint64_t offset,
					    uint64_t target),
			      void *ctx)
{
	uint64_t ra = 0;

	for (uint64_t i = -code->addr & 3; i + 4 <= code->size; i += 4) {
		uint32_t insn = arch_insn(arch, code->bytes + i);
		uint64_t addr = code->addr + i, target;

		if ((insn & 0xffefffff) == 0x04010001) {
			ra = addr + 8;
			continue;
		}
		if ((insn & 0xfc180000) == 0xec000000)
			target = addr + insn_sign_extend(insn & IMM19, 19) * 4;
		else if (((insn >> 26) == OP_ADDIU ||
			  (insn >> 26) == OP_DADDIU) &&
			 rs_of(insn) == REG_RA && ra != 0)
			target = ra + insn_sign_extend(insn & IMM16, 16);
		else
			continue;
		target = arch_wrap(arch, target);
		if (target >= low && target <= high)
			found(ctx, i, target);
	}
}

/*
 * Without addends, the instructions have them. An upper half alone says
 * nothing, and the lower half gives 16 bits.
 */
static int64_t mips_reloc_lead(const struct arch *arch, const uint8_t *field,
			       const struct reloc *r, uint64_t *step)
{
	bool is_rel = !arch->uses_rela;
	uint32_t insn = arch_insn(arch, field);
	int64_t lead = r->addend;

	switch (r->type & UINT8_MAX) {
	case R_MIPS_26:
		lead += is_rel ? insn_sign_extend(insn & IMM26, 26) * 4 : 0;
		break;
	case R_MIPS_PC16:
		lead += 4 +
			(is_rel ? insn_sign_extend(insn & IMM16, 16) * 4 : 0);
		break;
	case MIPS_PC26_S2:
		lead += 4 +
			(is_rel ? insn_sign_extend(insn & IMM26, 26) * 4 : 0);
		break;
	case MIPS_PC21_S2:
		lead += 4 +
			(is_rel ? insn_sign_extend(insn & IMM21, 21) * 4 : 0);
		break;
	case MIPS_PC19_S2:
		lead += is_rel ? insn_sign_extend(insn & IMM19, 19) * 4 : 0;
		break;
	case R_MIPS_LO16:
		lead += is_rel ? insn_sign_extend(insn & IMM16, 16) : 0;
		*step = is_rel ? 0x10000 : 0;
		break;
	case R_MIPS_HI16:
	case R_MIPS_GOT16:
		return is_rel ? NO_LEAD : lead;
	case R_MIPS_32:
	case R_MIPS_GPREL32:
		lead += is_rel ? (int32_t)insn : 0;
		break;
	default:
		break;
	}
	return lead;
}

/* What mips_is_rewrite knows begins at the field. */
static unsigned mips_rewrite_reach(const struct arch *arch, uint32_t type)
{
	(void)arch;
	(void)type;
	return 4;
}

static const struct arch_scan mips_scan = {
	.find_site = mips_find_site,
	.explain_refusal = mips_explain_refusal,
};

static const struct arch octeons[6];

/* What GNU tools call the machines octeon, octeon2 and octeon3. */
static bool is_octeon(uint32_t flags)
{
	unsigned machine = flags >> 16 & 0xff;

	return machine == 0x8b || machine == 0x8d || machine == 0x8e;
}

static const struct arch *mips_variant(const struct arch *arch, uint32_t flags)
{
	size_t i = 0;

	if (!is_octeon(flags))
		return arch;
	while (strcmp(octeons[i].name, arch->name) != 0)
		i++;
	return &octeons[i];
}

/* clang-format off */
/*
 * There is no each_operand: code computes addresses from what bal leaves in ra,
 * and a field of o32 has only a part of the addend.
 */
#define MIPS_COMMON \
	.machine = EM_MIPS, \
	.nrelocs = sizeof(little_relocs) / sizeof(little_relocs[0]), \
	.reloc_none = R_MIPS_NONE, \
	.reloc_jump_slot = R_MIPS_JUMP_SLOT, \
	.reloc_pc32 = 248, \
	.stub_align = 4, \
	.delay_slot = 4, \
	.trap = 0x04170001, /* sigrie 1 */ \
	.refuse_flags = mips_refuse_flags, \
	.variant = mips_variant, \
	.disable = mips_disable, \
	.scan = &mips_scan, \
	.make_stub = mips_make_stub, \
	.each_branch = arch_each_word_branch, \
	.each_address = mips_each_address, \
	.reloc_lead = mips_reloc_lead, \
	.is_boundary = mips_is_boundary, \
	.is_rewrite = mips_is_rewrite, \
	.is_for_nowhere = mips_is_for_nowhere, \
	.rewrite_reach = mips_rewrite_reach, \
	.decode_plt = mips_decode_plt, \
	.decode_veneer = mips_decode_veneer

#define MIPS_LITTLE \
	.is_big_endian = false, \
	.relocs = little_relocs, \
	MIPS_COMMON

#define MIPS_BIG \
	.is_big_endian = true, \
	.relocs = big_relocs, \
	MIPS_COMMON

/* n32 is told from o32 by EF_MIPS_ABI2. */
#define O32 \
	.bfd_name = "mips:isa32r2", \
	.is_64 = false, \
	.flags_mask = EF_MIPS_ABI2, \
	.flags = 0, \
	.reloc_word = R_MIPS_32, \
	.uses_rela = false

#define N32 \
	.bfd_name = "mips:isa64r2", \
	.is_64 = false, \
	.flags_mask = EF_MIPS_ABI2, \
	.flags = EF_MIPS_ABI2, \
	.reloc_word = R_MIPS_32, \
	.uses_rela = true

#define N64 \
	.bfd_name = "mips:isa64r2", \
	.is_64 = true, \
	.has_three_types = true, \
	.reloc_word = R_MIPS_64, \
	.uses_rela = true

#define OCTEON .decode_branch = octeon_decode_branch
#define OTHER .decode_branch = mips_decode_branch
/* clang-format on */

const struct arch arch_mips = { .name = "mips", O32, MIPS_BIG, OTHER };
const struct arch arch_mipsel = { .name = "mipsel", O32, MIPS_LITTLE, OTHER };
const struct arch arch_mipsn32 = { .name = "mipsn32", N32, MIPS_BIG, OTHER };
const struct arch arch_mipsn32el = {
	.name = "mipsn32el", N32, MIPS_LITTLE, OTHER
};
const struct arch arch_mips64 = { .name = "mips64", N64, MIPS_BIG, OTHER };
const struct arch arch_mips64el = {
	.name = "mips64el", N64, MIPS_LITTLE, OTHER
};

/* In the order of mips_variant. */
static const struct arch octeons[] = {
	{ .name = "mips", O32, MIPS_BIG, OCTEON },
	{ .name = "mipsel", O32, MIPS_LITTLE, OCTEON },
	{ .name = "mipsn32", N32, MIPS_BIG, OCTEON },
	{ .name = "mipsn32el", N32, MIPS_LITTLE, OCTEON },
	{ .name = "mips64", N64, MIPS_BIG, OCTEON },
	{ .name = "mips64el", N64, MIPS_LITTLE, OCTEON },
};
