/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * AArch64, little-endian and big-endian.
 *
 * psABI: https://github.com/ARM-software/abi-aa, aaelf64. Instructions: Arm
 * Architecture Reference Manual, A-profile, part C.
 *
 * Peculiarities: instructions are always little-endian, while data, including
 * the literals of veneers, has the byte order of the file. A branch reaches 128
 * MiB, and each linker has its own veneers for longer ones. For two errata of
 * the Cortex-A53, linkers move an instruction away and leave a branch to it.
 */
#include <config.h>

#include <elf.h>

/* musl has not all names. */
#ifndef R_AARCH64_IRELATIVE
#define R_AARCH64_IRELATIVE 1032
#endif

#include "reloc.h"
#include "scan.h"
#include "aarch64.h"
#include "insn.h"

#define MASK_MOVW 0x001fffe0 /* 16 bits of movz and movk */
#define MASK_MOVS 0x401fffe0 /* the same, and whether movz or movn */
#define MASK_19 0x00ffffe0   /* ldr, cbz, b.cond */
#define MASK_ADR 0x60ffffe0  /* adr and adrp */
#define MASK_12 0x003ffc00   /* add, and the unsigned offset of ldr */
#define MASK_14 0x0007ffe0   /* tbz */
#define MASK_26 0x03ffffff   /* b and bl */

enum {
	RA64_ABS64 = 257,
	RA64_PREL32 = 261,
	RA64_MOVW_UABS_G0 = 263,
	RA64_MOVW_SABS_G2 = 272,
	RA64_LD_PREL_LO19 = 273,
	RA64_ADR_PREL_LO21 = 274,
	RA64_ADD_ABS_LO12_NC = 277,
	RA64_TSTBR14 = 279,
	RA64_CONDBR19 = 280,
	RA64_JUMP26 = 282,
	RA64_CALL26 = 283,
	RA64_MOVW_PREL_G0 = 287,
	RA64_MOVW_PREL_G3 = 293,
	RA64_MOVW_GOTOFF_G0 = 300,
	RA64_LD64_GOTPAGE_LO15 = 313,
};

/* clang-format off */
#define ROW(number, text, ...) \
	[number] = { .name = "R_AARCH64_" text, .is_known = true, \
		     .width = __VA_ARGS__ }

static const struct reloc_desc aarch64_relocs[] = {
	ROW(0, "NONE", 0),
	ROW(256, "NONE", 0),
	ROW(257, "ABS64", 8),
	ROW(258, "ABS32", 4),
	ROW(259, "ABS16", 2),
	ROW(260, "PREL64", 8, .is_distance = true),
	ROW(261, "PREL32", 4, .is_distance = true),
	ROW(262, "PREL16", 2, .is_distance = true),
	ROW(263, "MOVW_UABS_G0", 4, .mask = MASK_MOVW),
	ROW(264, "MOVW_UABS_G0_NC", 4, .mask = MASK_MOVW),
	ROW(265, "MOVW_UABS_G1", 4, .mask = MASK_MOVW),
	ROW(266, "MOVW_UABS_G1_NC", 4, .mask = MASK_MOVW),
	ROW(267, "MOVW_UABS_G2", 4, .mask = MASK_MOVW),
	ROW(268, "MOVW_UABS_G2_NC", 4, .mask = MASK_MOVW),
	ROW(269, "MOVW_UABS_G3", 4, .mask = MASK_MOVW),
	ROW(270, "MOVW_SABS_G0", 4, .mask = MASK_MOVS),
	ROW(271, "MOVW_SABS_G1", 4, .mask = MASK_MOVS),
	ROW(272, "MOVW_SABS_G2", 4, .mask = MASK_MOVS),
	ROW(273, "LD_PREL_LO19", 4, .mask = MASK_19),
	ROW(274, "ADR_PREL_LO21", 4, .mask = MASK_ADR),
	ROW(275, "ADR_PREL_PG_HI21", 4, .mask = MASK_ADR),
	ROW(276, "ADR_PREL_PG_HI21_NC", 4, .mask = MASK_ADR),
	ROW(277, "ADD_ABS_LO12_NC", 4, .mask = MASK_12),
	ROW(278, "LDST8_ABS_LO12_NC", 4, .mask = MASK_12),
	ROW(279, "TSTBR14", 4, .mask = MASK_14),
	ROW(280, "CONDBR19", 4, .mask = MASK_19),
	ROW(282, "JUMP26", 4, .mask = MASK_26),
	ROW(283, "CALL26", 4, .mask = MASK_26),
	ROW(284, "LDST16_ABS_LO12_NC", 4, .mask = MASK_12),
	ROW(285, "LDST32_ABS_LO12_NC", 4, .mask = MASK_12),
	ROW(286, "LDST64_ABS_LO12_NC", 4, .mask = MASK_12),
	ROW(287, "MOVW_PREL_G0", 4, .mask = MASK_MOVS),
	ROW(288, "MOVW_PREL_G0_NC", 4, .mask = MASK_MOVW),
	ROW(289, "MOVW_PREL_G1", 4, .mask = MASK_MOVS),
	ROW(290, "MOVW_PREL_G1_NC", 4, .mask = MASK_MOVW),
	ROW(291, "MOVW_PREL_G2", 4, .mask = MASK_MOVS),
	ROW(292, "MOVW_PREL_G2_NC", 4, .mask = MASK_MOVW),
	ROW(293, "MOVW_PREL_G3", 4, .mask = MASK_MOVS),
	ROW(299, "LDST128_ABS_LO12_NC", 4, .mask = MASK_12),
	ROW(300, "MOVW_GOTOFF_G0", 4, .mask = MASK_MOVS),
	ROW(301, "MOVW_GOTOFF_G0_NC", 4, .mask = MASK_MOVW),
	ROW(302, "MOVW_GOTOFF_G1", 4, .mask = MASK_MOVS),
	ROW(303, "MOVW_GOTOFF_G1_NC", 4, .mask = MASK_MOVW),
	ROW(304, "MOVW_GOTOFF_G2", 4, .mask = MASK_MOVS),
	ROW(305, "MOVW_GOTOFF_G2_NC", 4, .mask = MASK_MOVW),
	ROW(306, "MOVW_GOTOFF_G3", 4, .mask = MASK_MOVS),
	ROW(307, "GOTREL64", 8),
	ROW(308, "GOTREL32", 4),
	ROW(309, "GOT_LD_PREL19", 4, .mask = MASK_19),
	ROW(310, "LD64_GOTOFF_LO15", 4, .mask = MASK_12),
	ROW(311, "ADR_GOT_PAGE", 4, .mask = MASK_ADR),
	ROW(312, "LD64_GOT_LO12_NC", 4, .mask = MASK_12),
	ROW(313, "LD64_GOTPAGE_LO15", 4, .mask = MASK_12),
	ROW(314, "PLT32", 4, .is_distance = true),
	ROW(315, "GOTPCREL32", 4),
	/* Thread-local storage. */
	ROW(512, "TLSGD_ADR_PREL21", 4, .mask = MASK_ADR),
	ROW(513, "TLSGD_ADR_PAGE21", 4, .mask = MASK_ADR),
	ROW(514, "TLSGD_ADD_LO12_NC", 4, .mask = MASK_12),
	ROW(515, "TLSGD_MOVW_G1", 4, .mask = MASK_MOVS),
	ROW(516, "TLSGD_MOVW_G0_NC", 4, .mask = MASK_MOVW),
	ROW(517, "TLSLD_ADR_PREL21", 4, .mask = MASK_ADR),
	ROW(518, "TLSLD_ADR_PAGE21", 4, .mask = MASK_ADR),
	ROW(519, "TLSLD_ADD_LO12_NC", 4, .mask = MASK_12),
	ROW(520, "TLSLD_MOVW_G1", 4, .mask = MASK_MOVS),
	ROW(521, "TLSLD_MOVW_G0_NC", 4, .mask = MASK_MOVW),
	ROW(522, "TLSLD_LD_PREL19", 4, .mask = MASK_19),
	ROW(523, "TLSLD_MOVW_DTPREL_G2", 4, .mask = MASK_MOVS),
	ROW(524, "TLSLD_MOVW_DTPREL_G1", 4, .mask = MASK_MOVS),
	ROW(525, "TLSLD_MOVW_DTPREL_G1_NC", 4, .mask = MASK_MOVW),
	ROW(526, "TLSLD_MOVW_DTPREL_G0", 4, .mask = MASK_MOVS),
	ROW(527, "TLSLD_MOVW_DTPREL_G0_NC", 4, .mask = MASK_MOVW),
	ROW(528, "TLSLD_ADD_DTPREL_HI12", 4, .mask = MASK_12),
	ROW(529, "TLSLD_ADD_DTPREL_LO12", 4, .mask = MASK_12),
	ROW(530, "TLSLD_ADD_DTPREL_LO12_NC", 4, .mask = MASK_12),
	ROW(531, "TLSLD_LDST8_DTPREL_LO12", 4, .mask = MASK_12),
	ROW(532, "TLSLD_LDST8_DTPREL_LO12_NC", 4, .mask = MASK_12),
	ROW(533, "TLSLD_LDST16_DTPREL_LO12", 4, .mask = MASK_12),
	ROW(534, "TLSLD_LDST16_DTPREL_LO12_NC", 4, .mask = MASK_12),
	ROW(535, "TLSLD_LDST32_DTPREL_LO12", 4, .mask = MASK_12),
	ROW(536, "TLSLD_LDST32_DTPREL_LO12_NC", 4, .mask = MASK_12),
	ROW(537, "TLSLD_LDST64_DTPREL_LO12", 4, .mask = MASK_12),
	ROW(538, "TLSLD_LDST64_DTPREL_LO12_NC", 4, .mask = MASK_12),
	ROW(539, "TLSIE_MOVW_GOTTPREL_G1", 4, .mask = MASK_MOVS),
	ROW(540, "TLSIE_MOVW_GOTTPREL_G0_NC", 4, .mask = MASK_MOVW),
	ROW(541, "TLSIE_ADR_GOTTPREL_PAGE21", 4, .mask = MASK_ADR),
	ROW(542, "TLSIE_LD64_GOTTPREL_LO12_NC", 4, .mask = MASK_12),
	ROW(543, "TLSIE_LD_GOTTPREL_PREL19", 4, .mask = MASK_19),
	ROW(544, "TLSLE_MOVW_TPREL_G2", 4, .mask = MASK_MOVS),
	ROW(545, "TLSLE_MOVW_TPREL_G1", 4, .mask = MASK_MOVS),
	ROW(546, "TLSLE_MOVW_TPREL_G1_NC", 4, .mask = MASK_MOVW),
	ROW(547, "TLSLE_MOVW_TPREL_G0", 4, .mask = MASK_MOVS),
	ROW(548, "TLSLE_MOVW_TPREL_G0_NC", 4, .mask = MASK_MOVW),
	ROW(549, "TLSLE_ADD_TPREL_HI12", 4, .mask = MASK_12),
	ROW(550, "TLSLE_ADD_TPREL_LO12", 4, .mask = MASK_12),
	ROW(551, "TLSLE_ADD_TPREL_LO12_NC", 4, .mask = MASK_12),
	ROW(552, "TLSLE_LDST8_TPREL_LO12", 4, .mask = MASK_12),
	ROW(553, "TLSLE_LDST8_TPREL_LO12_NC", 4, .mask = MASK_12),
	ROW(554, "TLSLE_LDST16_TPREL_LO12", 4, .mask = MASK_12),
	ROW(555, "TLSLE_LDST16_TPREL_LO12_NC", 4, .mask = MASK_12),
	ROW(556, "TLSLE_LDST32_TPREL_LO12", 4, .mask = MASK_12),
	ROW(557, "TLSLE_LDST32_TPREL_LO12_NC", 4, .mask = MASK_12),
	ROW(558, "TLSLE_LDST64_TPREL_LO12", 4, .mask = MASK_12),
	ROW(559, "TLSLE_LDST64_TPREL_LO12_NC", 4, .mask = MASK_12),
	ROW(560, "TLSDESC_LD_PREL19", 4, .mask = MASK_19),
	ROW(561, "TLSDESC_ADR_PREL21", 4, .mask = MASK_ADR),
	ROW(562, "TLSDESC_ADR_PAGE21", 4, .mask = MASK_ADR),
	ROW(563, "TLSDESC_LD64_LO12", 4, .mask = MASK_12),
	ROW(564, "TLSDESC_ADD_LO12", 4, .mask = MASK_12),
	ROW(565, "TLSDESC_OFF_G1", 4, .mask = MASK_MOVS),
	ROW(566, "TLSDESC_OFF_G0_NC", 4, .mask = MASK_MOVW),
	ROW(567, "TLSDESC_LDR", 0),
	ROW(568, "TLSDESC_ADD", 0),
	ROW(569, "TLSDESC_CALL", 0),
	ROW(570, "TLSLE_LDST128_TPREL_LO12", 4, .mask = MASK_12),
	ROW(571, "TLSLE_LDST128_TPREL_LO12_NC", 4, .mask = MASK_12),
	ROW(572, "TLSLD_LDST128_DTPREL_LO12", 4, .mask = MASK_12),
	ROW(573, "TLSLD_LDST128_DTPREL_LO12_NC", 4, .mask = MASK_12),
	/* Of the loader. */
	ROW(1024, "COPY", 0),
	ROW(1025, "GLOB_DAT", 8),
	ROW(1026, "JUMP_SLOT", 8),
	ROW(1027, "RELATIVE", 8),
	ROW(1028, "TLS_DTPMOD", 8),
	ROW(1029, "TLS_DTPREL", 8),
	ROW(1030, "TLS_TPREL", 8),
	ROW(1031, "TLSDESC", 16),
	ROW(1032, "IRELATIVE", 8),
};
/* clang-format on */

#define INSN_B 0x14000000u
#define INSN_BL 0x94000000u
#define INSN_RET 0xd65f03c0u
#define INSN_BTI_C 0xd503245fu
#define INSN_BR_X16 0xd61f0200u
#define INSN_BR_X17 0xd61f0220u
#define INSN_AUTIA1716 0xd503219fu

/* --- The generator's view ---------------------------------------------- */

static bool aarch64_find_site(const struct arch *arch, const uint8_t *text,
			      size_t size, const struct reloc *r,
			      struct site_shape *shape)
{
	uint32_t insn;

	(void)arch;
	if ((r->type != RA64_CALL26 && r->type != RA64_JUMP26) ||
	    r->addend != 0 || r->offset % 4 != 0 || size - r->offset < 4)
		return false;
	insn = insn_le32(text + r->offset);
	if ((insn & ~MASK_26) == INSN_BL)
		*shape = (struct site_shape){ FORM_CALL, 0, 4 };
	else if ((insn & ~MASK_26) == INSN_B)
		*shape = (struct site_shape){ FORM_TAIL, 0, 4 };
	else
		return false;
	return true;
}

/* clang-format off */
/* Ranges of relocation types that no site has. */
static const struct {
	uint16_t first, last;
	const char *what;
	const char *remedy;
} refused_relocs[] = {
	{ RA64_ABS64, RA64_PREL32 + 1, "its address is stored in a literal",
	  SCAN_REMEDY },
	{ RA64_MOVW_UABS_G0, RA64_MOVW_SABS_G2, "its address is computed",
	  SCAN_REMEDY },
	{ RA64_LD_PREL_LO19, RA64_LD_PREL_LO19, "load of its code",
	  SCAN_REMEDY },
	{ RA64_ADR_PREL_LO21, RA64_ADD_ABS_LO12_NC, "its address is computed",
	  SCAN_REMEDY },
	{ RA64_TSTBR14, RA64_TSTBR14, "test and branch",
	  "branch around a call instead: this branch reaches 32 KiB" },
	{ RA64_CONDBR19, RA64_CONDBR19, "conditional branch",
	  "branch around a call instead: this branch reaches 1 MiB" },
	{ RA64_JUMP26, RA64_CALL26, "branch to its inside",
	  "call the probe function itself, without an offset" },
	{ RA64_MOVW_PREL_G0, RA64_MOVW_PREL_G3, "its address is computed",
	  SCAN_REMEDY },
	{ RA64_MOVW_GOTOFF_G0, RA64_LD64_GOTPAGE_LO15,
	  "load of its address from the GOT",
	  "compile without -fno-plt, and do not take the address of a probe "
	  "function" },
};
/* clang-format on */

static void aarch64_explain_refusal(const struct arch *arch,
				    const uint8_t *text, size_t size,
				    const struct reloc *r,
				    struct refusal *refusal)
{
	(void)arch;
	(void)text;
	(void)size;
	for (size_t i = 0;
	     i < sizeof(refused_relocs) / sizeof(refused_relocs[0]); i++)
		if (r->type >= refused_relocs[i].first &&
		    r->type <= refused_relocs[i].last) {
			refusal->what = refused_relocs[i].what;
			refusal->remedy = refused_relocs[i].remedy;
		}
	if ((r->type == RA64_JUMP26 || r->type == RA64_CALL26) &&
	    r->addend == 0) {
		refusal->what = "no direct branch";
		refusal->remedy = SCAN_REMEDY;
	}
}

/* aaelf64 wants it where code begins; $d is data. */
static const char *aarch64_mapping_name(uint8_t mode)
{
	(void)mode;
	return "$x";
}

/*
 * bti c, since a veneer jumps by register; movz and movk of HASH into w16,
 * which no caller keeps; for is-enabled mov w0,0; ret
 */
static unsigned aarch64_make_stub(const struct arch *arch, uint8_t mode,
				  bool is_enabled, uint32_t hash,
				  uint8_t *bytes)
{
	unsigned n = 12;

	(void)arch;
	(void)mode;
	insn_put_le32(bytes, INSN_BTI_C);
	insn_put_le32(bytes + 4, 0x52800010 | (hash & 0xffff) << 5);
	insn_put_le32(bytes + 8, 0x72a00010 | hash >> 16 << 5);
	if (is_enabled) {
		insn_put_le32(bytes + n, 0x52800000);
		n += 4;
	}
	insn_put_le32(bytes + n, INSN_RET);
	return n + 4;
}

static unsigned aarch64_disable(const struct arch *arch, enum site_form form,
				bool is_enabled, const struct code *code,
				uint64_t offset, uint8_t bytes[DISABLED_MAX])
{
	(void)arch;
	(void)code;
	(void)offset;
	switch (form) {
	case FORM_CALL: /* nop, or mov w0,0 */
		insn_put_le32(bytes, is_enabled ? 0x52800000 : AARCH64_NOP);
		return 4;
	case FORM_TAIL:
		insn_put_le32(bytes, INSN_RET);
		return is_enabled ? 0 : 4;
	case FORM_COND:
	case FORM_BRANCH:
		break;
	}
	return 0;
}

/* --- Verify's view ----------------------------------------------------- */

/* The instruction at OFFSET, if there can be one. */
static bool fetch(const struct code *code, uint64_t offset, uint32_t *insn)
{
	if (offset > code->size || code->size - offset < 4 ||
	    (code->addr + offset) % 4 != 0)
		return false;
	*insn = insn_le32(code->bytes + offset);
	return true;
}

/* Decodes b, bl, b.cond and bc.cond, cbz and cbnz, tbz and tbnz, cb of
 * FEAT_CMPBR. */
static bool decode(uint32_t insn, enum site_form *form, int64_t *distance)
{
	if ((insn & 0x7c000000) == 0x14000000) {
		*form = insn >> 31 ? FORM_CALL : FORM_TAIL;
		*distance = insn_sign_extend(insn & MASK_26, 26) * 4;
		return true;
	}
	*form = FORM_COND;
	if ((insn & 0xff000000) == 0x54000000 ||
	    (insn & 0x7e000000) == 0x34000000) {
		*distance = insn_sign_extend(insn >> 5 & 0x7ffff, 19) * 4;
		return true;
	}
	if ((insn & 0x7e000000) == 0x74000000) {
		*distance = insn_sign_extend(insn >> 5 & 0x1ff, 9) * 4;
		return true;
	}
	*distance = insn_sign_extend(insn >> 5 & 0x3fff, 14) * 4;
	return (insn & 0x7e000000) == 0x36000000;
}

static bool aarch64_decode_branch(const struct arch *arch,
				  const struct code *code, uint64_t offset,
				  struct branch *branch)
{
	uint32_t insn;
	int64_t distance;

	(void)arch;
	if (!fetch(code, offset, &insn) ||
	    !decode(insn, &branch->form, &distance))
		return false;
	branch->length = 4;
	branch->field = 0;
	branch->is_short = branch->form == FORM_COND;
	branch->target = code->addr + offset + distance;
	return true;
}

static bool is_adr(uint32_t insn)
{
	return (insn & 0x9f000000) == 0x10000000;
}

static bool is_adrp(uint32_t insn)
{
	return (insn & 0x9f000000) == 0x90000000;
}

static uint64_t page_of(uint64_t addr)
{
	return addr & ~UINT64_C(0xfff);
}

/* What the adr or adrp INSN at ADDR yields. */
static uint64_t adr_target(uint32_t insn, uint64_t addr)
{
	int64_t imm = insn_sign_extend(
		insn_bits(insn, 5, 19, 2) | insn_bits(insn, 29, 2, 0), 21);

	return is_adrp(insn) ? page_of(addr) + imm * 0x1000 : addr + imm;
}

/* adr, and if WITH_LOADS ldr of a literal. */
static void each_target(
	const struct code *code, bool with_loads, uint64_t low, uint64_t high,
	void (*found)(void *ctx, uint64_t offset, uint64_t target), void *ctx)
{
	uint32_t insn;

	for (uint64_t i = -code->addr & 3; fetch(code, i, &insn); i += 4) {
		uint64_t target = code->addr + i;

		if (is_adr(insn))
			target = adr_target(insn, target);
		else if (with_loads && (insn & 0x3b000000) == 0x18000000)
			target += insn_sign_extend(insn >> 5 & 0x7ffff, 19) * 4;
		else
			continue;
		if (target >= low && target <= high)
			found(ctx, i, target);
	}
}

/* adrp always has a relocation: only the linker knows where pages begin. */
static void
aarch64_each_operand(const struct arch *arch, const struct code *code,
		     uint64_t low, uint64_t high,
		     void (*found)(void *ctx, uint64_t offset, uint64_t target),
		     void *ctx)
{
	(void)arch;
	each_target(code, true, low, high, found, ctx);
}

static void
aarch64_each_address(const struct arch *arch, const struct code *code,
		     uint64_t low, uint64_t high,
		     void (*found)(void *ctx, uint64_t offset, uint64_t target),
		     void *ctx)
{
	(void)arch;
	each_target(code, false, low, high, found, ctx);
}

/*
 * b; br and ret, also with a key; eret. A handler may continue behind a trap.
 */
static enum insn_flow flow_of(uint32_t insn)
{
	if (insn == 0xd503201f) /* nop */
		return FLOW_FILLER;
	if ((insn & 0xfc000000) == 0x14000000 ||
	    (insn & 0xfebff000) == 0xd61f0000 || insn == 0xd69f03e0)
		return FLOW_AWAY;
	return FLOW_ON;
}

static uint64_t aarch64_find_end(const struct arch *arch,
				 const struct code *code, uint64_t start,
				 uint64_t end)
{
	(void)arch;
	return arch_find_word_end(code, start, end, insn_le32, flow_of);
}

static bool aarch64_is_boundary(const struct arch *arch,
				const struct code *code, uint64_t start,
				uint64_t offset)
{
	(void)arch;
	(void)code;
	return offset >= start && (offset - start) % 4 == 0;
}

/* --- Between a branch and its target ----------------------------------- */

/* adrp REG: where the PAGE is that it yields. */
static bool decode_page(const struct code *code, uint64_t offset, unsigned reg,
			uint64_t *page)
{
	uint32_t insn;

	if (!fetch(code, offset, &insn) || !is_adrp(insn) || (insn & 31) != reg)
		return false;
	*page = adr_target(insn, code->addr + offset);
	return true;
}

/*
 * bti c if the image uses that; adrp x16; ldr x17,[x16,lo]; add x16,x16,lo;
 * autia1716 if it uses that; br x17
 */
static bool aarch64_decode_plt(const struct arch *arch, const struct code *code,
			       uint64_t offset, uint64_t got, uint64_t *slot)
{
	uint32_t insn, lo;
	uint64_t page;

	(void)arch;
	(void)got;
	if (fetch(code, offset, &insn) && insn == INSN_BTI_C)
		offset += 4;
	if (!decode_page(code, offset, 16, &page) ||
	    !fetch(code, offset + 4, &insn) || (insn & ~MASK_12) != 0xf9400211)
		return false;
	lo = (insn >> 10 & 0xfff) * 8;
	*slot = page + lo;
	/* mold has this form for a slot that also serves as data address. */
	if (fetch(code, offset + 8, &insn) && insn == INSN_BR_X17)
		return true;
	if (!fetch(code, offset + 8, &insn) ||
	    insn != (0x91000210 | (lo & 0xfff) << 10) || lo > 0xfff ||
	    !fetch(code, offset + 12, &insn))
		return false;
	if (insn == INSN_AUTIA1716 && !fetch(code, offset + 16, &insn))
		return false;
	return insn == INSN_BR_X17;
}

/* Reads the literal at OFFSET. It is data, in the image's byte order. */
static bool read_literal(const struct arch *arch, const struct code *code,
			 uint64_t offset, uint64_t *value)
{
	const uint8_t *p = code->bytes + offset;

	if (offset > code->size || code->size - offset < 8)
		return false;
	*value = arch->is_big_endian
			 ? (uint64_t)insn_be32(p) << 32 | insn_be32(p + 4)
			 : (uint64_t)insn_le32(p + 4) << 32 | insn_le32(p);
	return true;
}

/*
 * Through x16 alone, as GNU ld, gold, lld and mold write it:
 *	adrp x16; add x16,x16,lo; br x16
 *	ldr x16,.+8; br x16; .quad target
 *	ldr x16,.+16; adr x17,.; add x16,x16,x17; br x16; .quad distance
 * and, in front of what has no bti c of its own, bti c; b target.
 */
static unsigned aarch64_decode_veneer(const struct arch *arch,
				      const struct code *code, uint64_t offset,
				      uint64_t got, uint64_t *target)
{
	uint32_t insns[4] = { 0 };
	uint64_t page;
	int64_t distance;
	enum site_form form;

	(void)got;
	for (unsigned i = 0; i < 4; i++)
		if (!fetch(code, offset + 4 * i, &insns[i]))
			break;
	if (insns[0] == INSN_BTI_C && decode(insns[1], &form, &distance) &&
	    form == FORM_TAIL) {
		*target = code->addr + offset + 4 + distance;
		return 8;
	}
	if (decode_page(code, offset, 16, &page) &&
	    (insns[1] & ~MASK_12) == 0x91000210 && insns[2] == INSN_BR_X16) {
		*target = page + (insns[1] >> 10 & 0xfff);
		return 12;
	}
	if (insns[0] == 0x58000050 && insns[1] == INSN_BR_X16 &&
	    read_literal(arch, code, offset + 8, target))
		return 16;
	if (insns[0] == 0x58000090 && insns[1] == 0x10000011 &&
	    insns[2] == 0x8b110210 && insns[3] == INSN_BR_X16 &&
	    read_literal(arch, code, offset + 16, target)) {
		*target += code->addr + offset + 4;
		return 24;
	}
	return 0;
}

/*
 * The fixes of two errata of the Cortex-A53 leave a branch at OFFSET. It leads
 * to a load or store with an unsigned offset (843419), or to a multiply-add of
 * 64 bits (835769), with a branch back behind it.
 */
static bool aarch64_decode_detour(const struct arch *arch,
				  const struct code *code, uint64_t offset,
				  struct detour *detour)
{
	struct branch there, back;
	uint64_t start = offset - (code->addr + offset) % 4;
	uint32_t insn;

	if (!aarch64_decode_branch(arch, code, start, &there) ||
	    there.form != FORM_TAIL)
		return false;
	detour->start = start;
	detour->length = 4;
	detour->copy = there.target - code->addr;
	return fetch(code, detour->copy, &insn) &&
	       ((insn & 0x3b000000) == 0x39000000 ||
		(insn & 0xff000000) == 0x9b000000) &&
	       aarch64_decode_branch(arch, code, detour->copy + 4, &back) &&
	       back.form == FORM_TAIL && back.target == code->addr + start + 4;
}

static const struct arch_scan aarch64_scan = {
	.find_site = aarch64_find_site,
	.explain_refusal = aarch64_explain_refusal,
};

/* clang-format off */
/*
 * Stores: other CPUs may run b, bl and nop while they are exchanged (part B,
 * "Concurrent modification and execution of instructions"). That does not hold
 * for ret and mov.
 */
#define AARCH64_COMMON \
	.bfd_name = "aarch64", \
	.machine = EM_AARCH64, \
	.is_64 = true, \
	.relocs = aarch64_relocs, \
	.nrelocs = sizeof(aarch64_relocs) / sizeof(aarch64_relocs[0]), \
	.reloc_none = R_AARCH64_NONE, \
	.reloc_relative = R_AARCH64_RELATIVE, \
	/* The ELF ABI of pointer authentication: AUTH_RELR. */ \
	.signed_relr = 0x70000004, \
	.dynamic_signed_relr = 0x70000012, \
	.reloc_jump_slot = R_AARCH64_JUMP_SLOT, \
	.reloc_irelative = R_AARCH64_IRELATIVE, \
	.uses_rela = true, \
	.reloc_pc32 = RA64_PREL32, \
	.reloc_word = RA64_ABS64, \
	.stub_align = 4, \
	.fill = { 0x1f, 0x20, 0x03, 0xd5 }, \
	.fill_size = 4, \
	.store_width = 4, \
	.store_sites = STORE_CALL | STORE_BRANCH, \
	.mapping_name = aarch64_mapping_name, \
	.make_stub = aarch64_make_stub, \
	.disable = aarch64_disable, \
	.scan = &aarch64_scan, \
	.decode_branch = aarch64_decode_branch, \
	.each_branch = arch_each_word_branch, \
	.each_operand = aarch64_each_operand, \
	.each_address = aarch64_each_address, \
	.find_end = aarch64_find_end, \
	.is_boundary = aarch64_is_boundary, \
	.is_rewrite = aarch64_is_rewrite, \
	.is_for_nowhere = aarch64_is_for_nowhere, \
	.judge_part = aarch64_judge_part, \
	.rewrite_reach = aarch64_rewrite_reach, \
	.decode_plt = aarch64_decode_plt, \
	.decode_veneer = aarch64_decode_veneer, \
	.decode_detour = aarch64_decode_detour, \
	.is_redirect = aarch64_is_redirect
/* clang-format on */

const struct arch arch_aarch64 = {
	.name = "aarch64",
	.is_big_endian = false,
	AARCH64_COMMON,
};

const struct arch arch_aarch64_be = {
	.name = "aarch64_be",
	.is_big_endian = true,
	AARCH64_COMMON,
};
