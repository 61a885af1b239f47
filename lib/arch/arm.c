/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ARM, 32 bits, both byte orders: the instruction sets ARM and Thumb.
 *
 * psABI: https://github.com/ARM-software/abi-aa, aaelf32. Instructions: Arm
 * Architecture Reference Manual, ARMv7-A and ARMv7-R.
 *
 * Peculiarities: code has one of two encodings. Bit 0 of a pointer, and of a
 * function's symbol, says which. Mapping symbols ($a, $t, $d) say so for bytes.
 * If caller and callee differ, linkers rewrite bl to blx, and back. Relocations
 * are REL: the addend is in the instruction, -8 or -4 as the PC is ahead. In a
 * Thumb IT block, the condition of a branch is in the it before it. A
 * big-endian image can have little-endian instructions (BE8): only the final
 * link reverses them.
 *
 * There is no each_operand. Addresses are sums of the PC and a distance in a
 * literal pool, which need not have a relocation. So no code is known to be
 * dead.
 */
#include <config.h>

#include <elf.h>
#include <string.h>

#include "reloc.h"
#include "scan.h"
#include "arm.h"

/* Some <elf.h> lack these, or have other names. */
enum {
	R_PC24 = 1,
	R_ABS32 = 2,
	R_REL32 = 3,
	R_THM_CALL = 10,
	R_PLT32 = 27,
	R_CALL = 28,
	R_JUMP24 = 29,
	R_THM_JUMP24 = 30,
	R_THM_JUMP19 = 51,
};

/* Fields of instructions. */
#define IMM24 0x00ffffff
#define IMM12 0x00000fff
#define LOAD_IMM 0x00800fff /* up or down, by the sign */
#define LOADS_IMM 0x00800f0f
#define LOADC_IMM 0x008000ff
#define MOVW_IMM 0x000f0fff
#define BRANCH_T 0x07ff2fff
#define BRANCH_T_COND 0x043f2fff
#define MOVW_T 0x040f70ff
#define ADR_T 0x040070ff
#define LOAD_T 0x00800fff

/* clang-format off */
/*
 * Rows for instructions of ARM, of Thumb (32 and 16 bits) and for words of
 * data, with the bits that the linker sets; 0 for all.
 */
#define ARM_RELOCS(A, T, H, D) \
	D(0, "NONE", 0, 0) A(1, "PC24", IMM24) D(2, "ABS32", 4, 0) \
	D(3, "REL32", 4, 0) A(4, "LDR_PC_G0", LOAD_IMM) D(5, "ABS16", 2, 0) \
	A(6, "ABS12", IMM12) H(7, "THM_ABS5", 0x07c0) D(8, "ABS8", 1, 0) \
	D(9, "SBREL32", 4, 0) T(10, "THM_CALL", BRANCH_T) \
	H(11, "THM_PC8", 0x00ff) D(12, "BREL_ADJ", 4, 0) \
	D(13, "TLS_DESC", 8, 0) D(17, "TLS_DTPMOD32", 4, 0) \
	D(18, "TLS_DTPOFF32", 4, 0) D(19, "TLS_TPOFF32", 4, 0) \
	D(20, "COPY", 0, 0) D(21, "GLOB_DAT", 4, 0) \
	D(22, "JUMP_SLOT", 4, 0) D(23, "RELATIVE", 4, 0) \
	D(24, "GOTOFF32", 4, 0) D(25, "BASE_PREL", 4, 0) \
	D(26, "GOT_BREL", 4, 0) A(27, "PLT32", IMM24) A(28, "CALL", IMM24) \
	A(29, "JUMP24", IMM24) T(30, "THM_JUMP24", BRANCH_T) \
	D(31, "BASE_ABS", 4, 0) A(35, "LDR_SBREL_11_0_NC", IMM12) \
	A(36, "ALU_SBREL_19_12_NC", 0xff) A(37, "ALU_SBREL_27_20_CK", 0xff) \
	D(38, "TARGET1", 4, 0) D(39, "SBREL31", 4, 0x7fffffff) \
	D(40, "V4BX", 0, 0) D(41, "TARGET2", 4, 0) \
	D(42, "PREL31", 4, 0x7fffffff) A(43, "MOVW_ABS_NC", MOVW_IMM) \
	A(44, "MOVT_ABS", MOVW_IMM) A(45, "MOVW_PREL_NC", MOVW_IMM) \
	A(46, "MOVT_PREL", MOVW_IMM) T(47, "THM_MOVW_ABS_NC", MOVW_T) \
	T(48, "THM_MOVT_ABS", MOVW_T) T(49, "THM_MOVW_PREL_NC", MOVW_T) \
	T(50, "THM_MOVT_PREL", MOVW_T) T(51, "THM_JUMP19", BRANCH_T_COND) \
	H(52, "THM_JUMP6", 0x02f8) T(53, "THM_ALU_PREL_11_0", ADR_T) \
	T(54, "THM_PC12", LOAD_T) D(55, "ABS32_NOI", 4, 0) \
	D(56, "REL32_NOI", 4, 0) A(57, "ALU_PC_G0_NC", IMM12) \
	A(58, "ALU_PC_G0", IMM12) A(59, "ALU_PC_G1_NC", IMM12) \
	A(60, "ALU_PC_G1", IMM12) A(61, "ALU_PC_G2", IMM12) \
	A(62, "LDR_PC_G1", LOAD_IMM) A(63, "LDR_PC_G2", LOAD_IMM) \
	A(64, "LDRS_PC_G0", LOADS_IMM) A(65, "LDRS_PC_G1", LOADS_IMM) \
	A(66, "LDRS_PC_G2", LOADS_IMM) A(67, "LDC_PC_G0", LOADC_IMM) \
	A(68, "LDC_PC_G1", LOADC_IMM) A(69, "LDC_PC_G2", LOADC_IMM) \
	A(70, "ALU_SB_G0_NC", IMM12) A(71, "ALU_SB_G0", IMM12) \
	A(72, "ALU_SB_G1_NC", IMM12) A(73, "ALU_SB_G1", IMM12) \
	A(74, "ALU_SB_G2", IMM12) A(75, "LDR_SB_G0", LOAD_IMM) \
	A(76, "LDR_SB_G1", LOAD_IMM) A(77, "LDR_SB_G2", LOAD_IMM) \
	A(78, "LDRS_SB_G0", LOADS_IMM) A(79, "LDRS_SB_G1", LOADS_IMM) \
	A(80, "LDRS_SB_G2", LOADS_IMM) A(81, "LDC_SB_G0", LOADC_IMM) \
	A(82, "LDC_SB_G1", LOADC_IMM) A(83, "LDC_SB_G2", LOADC_IMM) \
	A(84, "MOVW_BREL_NC", MOVW_IMM) A(85, "MOVT_BREL", MOVW_IMM) \
	A(86, "MOVW_BREL", MOVW_IMM) T(87, "THM_MOVW_BREL_NC", MOVW_T) \
	T(88, "THM_MOVT_BREL", MOVW_T) T(89, "THM_MOVW_BREL", MOVW_T) \
	D(90, "TLS_GOTDESC", 4, 0) A(91, "TLS_CALL", IMM24) \
	D(92, "TLS_DESCSEQ", 0, 0) T(93, "THM_TLS_CALL", BRANCH_T) \
	D(94, "PLT32_ABS", 4, 0) D(95, "GOT_ABS", 4, 0) \
	D(96, "GOT_PREL", 4, 0) A(97, "GOT_BREL12", IMM12) \
	A(98, "GOTOFF12", IMM12) D(99, "GOTRELAX", 0, 0) \
	D(100, "GNU_VTENTRY", 0, 0) D(101, "GNU_VTINHERIT", 0, 0) \
	H(102, "THM_JUMP11", 0x07ff) H(103, "THM_JUMP8", 0x00ff) \
	D(104, "TLS_GD32", 4, 0) D(105, "TLS_LDM32", 4, 0) \
	D(106, "TLS_LDO32", 4, 0) D(107, "TLS_IE32", 4, 0) \
	D(108, "TLS_LE32", 4, 0) A(109, "TLS_LDO12", IMM12) \
	A(110, "TLS_LE12", IMM12) A(111, "TLS_IE12GP", IMM12) \
	D(129, "THM_TLS_DESCSEQ16", 0, 0) D(130, "THM_TLS_DESCSEQ32", 0, 0) \
	T(131, "THM_GOT_BREL12", 0x00000fff) \
	H(132, "THM_ALU_ABS_G0_NC", 0x00ff) \
	H(133, "THM_ALU_ABS_G1_NC", 0x00ff) \
	H(134, "THM_ALU_ABS_G2_NC", 0x00ff) \
	H(135, "THM_ALU_ABS_G3", 0x00ff) T(136, "THM_BF16", 0x001f0ffe) \
	T(137, "THM_BF12", 0x00010ffe) T(138, "THM_BF18", 0x007f0ffe) \
	D(160, "IRELATIVE", 4, 0) D(161, "GOTFUNCDESC", 4, 0) \
	D(162, "GOTOFFFUNCDESC", 4, 0) D(163, "FUNCDESC", 4, 0) \
	D(164, "FUNCDESC_VALUE", 8, 0) D(165, "TLS_GD32_FDPIC", 4, 0) \
	D(166, "TLS_LDM32_FDPIC", 4, 0) D(167, "TLS_IE32_FDPIC", 4, 0)

#define ROW(number, text, in, bytes, bits) \
	[number] = { .name = "R_ARM_" text, .width = bytes, .is_known = true, \
		     .mode = in, .mask = bits },

/* A mask in the order of the bytes in memory. */
#define SWAP_16(m) (((m) & 0xff) << 8 | (m) >> 8)
#define SWAP_32(m) \
	((uint32_t)SWAP_16((m) & 0xffff) << 16 | SWAP_16((uint32_t)(m) >> 16))
#define HALVES(m) ((uint32_t)((m) & 0xffff) << 16 | (uint32_t)(m) >> 16)

#define LE_ARM(number, text, bits) \
	ROW(number, text, ARM, 4, bits)
#define LE_THUMB(number, text, bits) \
	ROW(number, text, THUMB, 4, HALVES(bits))
#define LE_HALF(number, text, bits) \
	ROW(number, text, THUMB, 2, bits)
#define LE_DATA(number, text, bytes, bits) \
	ROW(number, text, MODE_DATA, bytes, bits)
#define BE_ARM(number, text, bits) \
	ROW(number, text, ARM, 4, SWAP_32(bits))
#define BE_THUMB(number, text, bits) \
	ROW(number, text, THUMB, 4, SWAP_32(bits))
#define BE_HALF(number, text, bits) \
	ROW(number, text, THUMB, 2, SWAP_16(bits))
#define BE_DATA(number, text, bytes, bits) \
	ROW(number, text, MODE_DATA, bytes, SWAP_32(bits))

static const struct reloc_desc le_relocs[] = {
	ARM_RELOCS(LE_ARM, LE_THUMB, LE_HALF, LE_DATA)
};

static const struct reloc_desc be_relocs[] = {
	ARM_RELOCS(BE_ARM, BE_THUMB, BE_HALF, BE_DATA)
};
/* clang-format on */

/* --- The generator's view ---------------------------------------------- */

/* bl, blx and b, with or without a condition, and with addend -8. */
static bool is_arm_site(uint32_t insn, struct site_shape *shape)
{
	bool is_blx = insn >> 25 == 0x7d;

	if ((!is_blx && (insn >> 25 & 7) != 5) || (insn & IMM24) != 0xfffffe)
		return false;
	if (insn >> 28 == ARM_NEVER && (!is_blx || (insn & 1u << 24) != 0))
		return false; /* blx to half an instruction */
	if (is_blx || (insn & 1u << 24) != 0)
		shape->form = FORM_CALL;
	else
		shape->form = insn >> 28 == ARM_ALWAYS ? FORM_TAIL : FORM_COND;
	return true;
}

/* The same in Thumb, with the addend -4. */
static bool is_thumb_site(uint32_t type, uint32_t insn,
			  struct site_shape *shape)
{
	if (type == R_THM_CALL)
		shape->form = FORM_CALL;
	else
		shape->form = type == R_THM_JUMP24 ? FORM_TAIL : FORM_COND;
	switch (type) {
	case R_THM_CALL:
		return insn == 0xf7fffffe || insn == 0xf7ffeffe;
	case R_THM_JUMP24:
		return insn == 0xf7ffbffe;
	default: /* R_THM_JUMP19: any condition but always */
		return (insn & 0xfc3fffff) == 0xf43faffe &&
		       (insn >> 22 & 15) < ARM_ALWAYS;
	}
}

static bool arm_find_site(const struct arch *arch, const uint8_t *text,
			  size_t size, const struct reloc *r,
			  struct site_shape *shape)
{
	if (size - r->offset < 4 || r->addend != 0)
		return false;
	shape->back = 0;
	shape->length = 4;
	switch (r->type) {
	case R_PC24:
	case R_PLT32:
	case R_CALL:
	case R_JUMP24:
		shape->mode = ARM;
		return is_arm_site(arch_insn(arch, text + r->offset), shape);
	case R_THM_CALL:
	case R_THM_JUMP24:
	case R_THM_JUMP19:
		shape->mode = THUMB;
		return is_thumb_site(r->type,
				     thumb_insn(arch, text + r->offset), shape);
	default:
		return false;
	}
}

#define ADDRESS_REMEDY \
	"compile without -mlong-calls or -fno-plt, and do not take the " \
	"address of a probe function"

static const struct {
	uint8_t first, last; /* types */
	const char *what;
	const char *remedy;
} refused[] = {
	{ R_PC24, R_PC24, "branch to its inside",
	  "branch to the probe function itself, without an offset" },
	{ R_THM_CALL, R_THM_CALL, "branch to its inside",
	  "branch to the probe function itself, without an offset" },
	{ R_PLT32, R_THM_JUMP24, "branch to its inside",
	  "branch to the probe function itself, without an offset" },
	{ R_THM_JUMP19, R_THM_JUMP19, "branch to its inside",
	  "branch to the probe function itself, without an offset" },
	{ R_ABS32, R_REL32, "its address is in a literal pool",
	  ADDRESS_REMEDY },
	{ 38, 38, "its address is in a literal pool", ADDRESS_REMEDY },
	{ 43, 50, "mov of its address", ADDRESS_REMEDY },
	{ 55, 56, "its address is in a literal pool", ADDRESS_REMEDY },
	{ 132, 135, "mov of its address", ADDRESS_REMEDY },
	{ 24, 26, "load of its address from the GOT", ADDRESS_REMEDY },
	{ 95, 97, "load of its address from the GOT", ADDRESS_REMEDY },
	{ 52, 52, "branch of short reach", "write b.w or bl" },
	{ 102, 103, "branch of short reach", "write b.w or bl" },
};

static void arm_explain_refusal(const struct arch *arch, const uint8_t *text,
				size_t size, const struct reloc *r,
				struct refusal *refusal)
{
	(void)arch;
	(void)text;
	(void)size;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (r->type >= refused[i].first && r->type <= refused[i].last) {
			refusal->what = refused[i].what;
			refusal->remedy = refused[i].remedy;
		}
}

/* --- Code that sdtlink makes ------------------------------------------- */

static bool arm_mapping_mode(const char *name, uint8_t *mode)
{
	if (name[0] != '$' || name[1] == '\0' ||
	    (name[2] != '\0' && name[2] != '.'))
		return false;
	switch (name[1]) {
	case 'a':
		*mode = ARM;
		return true;
	case 't':
		*mode = THUMB;
		return true;
	case 'd':
		*mode = MODE_DATA;
		return true;
	default:
		return false;
	}
}

static const char *arm_mapping_name(uint8_t mode)
{
	return mode == THUMB ? "$t" : "$a";
}

static void put_half(const struct arch *arch, uint8_t *bytes, uint32_t half)
{
	bytes[arch->is_big_endian] = half;
	bytes[!arch->is_big_endian] = half >> 8;
}

static void put_halves(const struct arch *arch, uint8_t *bytes, uint32_t first,
		       uint32_t second)
{
	put_half(arch, bytes, first);
	put_half(arch, bytes + 2, second);
}

/*
 * ARM: tst or cmp of a register with 12 bits, twice, for 16 bits of HASH each.
 * Thumb: cmp with a byte of it, four times. They change only flags, and exist
 * since ARMv4T. For is-enabled, mov r0,#0. Then bx lr.
 */
static uint32_t arm_compare(uint32_t hash)
{
	return 0xe3100000 | insn_bits(hash, 15, 1, 22) |
	       insn_bits(hash, 12, 3, 16) | insn_bits(hash, 0, 12, 0);
}

static unsigned arm_make_stub(const struct arch *arch, uint8_t mode,
			      bool is_enabled, uint32_t hash, uint8_t *bytes)
{
	unsigned n = 8;

	if (mode == THUMB) {
		for (int i = 0; i < 4; i++)
			put_half(arch, bytes + 2 * i,
				 0x2800 | i << 8 | (hash >> 8 * i & 0xff));
		if (is_enabled) {
			put_half(arch, bytes + n, 0x2000);
			n += 2;
		}
		put_half(arch, bytes + n, 0x4770);
		return n + 2;
	}
	arch_put_insn(arch, bytes, arm_compare(hash));
	arch_put_insn(arch, bytes + 4, arm_compare(hash >> 16));
	if (is_enabled) {
		arch_put_insn(arch, bytes + n, 0xe3a00000);
		n += 4;
	}
	arch_put_insn(arch, bytes + n, 0xe12fff1e);
	return n + 4;
}

/*
 * A call becomes mov r0,r0, or mov r0,#0 if it must yield 0. A jump becomes bx
 * lr. Each keeps its condition: whoever restores the branch reads it there.
 */
static uint32_t disabled_arm(enum site_form form, bool is_enabled,
			     uint32_t insn)
{
	uint32_t cond = insn & 0xf0000000;

	if (cond == 0xf0000000) /* blx */
		cond = 0xe0000000;
	if (form == FORM_CALL)
		return cond | (is_enabled ? 0x03a00000 : 0x01a00000);
	return cond | 0x012fff1e;
}

/*
 * A call becomes b .+4 over a nop: not every Thumb has a nop of 32 bits, and
 * two of 16 bits could not be switched at once. If it must yield 0, movs r0,#0
 * and a nop. A jump becomes bx lr and a nop, a conditional jump it COND; bx lr.
 * A site in an IT block is the last of it. Then the condition applies to the
 * first of the two, too.
 */
static void disabled_thumb(const struct arch *arch, enum site_form form,
			   bool is_enabled, const uint8_t *insn, uint8_t *bytes)
{
	enum { NOP = 0x46c0, BX_LR = 0x4770, B_OVER = 0xe000, ZERO = 0x2000 };
	uint32_t first = thumb_half(arch, insn);

	switch (form) {
	case FORM_CALL:
		put_halves(arch, bytes, is_enabled ? ZERO : B_OVER, NOP);
		break;
	case FORM_TAIL:
		put_halves(arch, bytes, BX_LR, NOP);
		break;
	case FORM_COND: /* perhaps it is an IT already */
		if ((first & 0xff0f) != 0xbf08)
			first = 0xbf08 | (first >> 6 & 15) << 4;
		put_halves(arch, bytes, first, BX_LR);
		break;
	case FORM_BRANCH:
		break;
	}
}

static unsigned arm_disable(const struct arch *arch, enum site_form form,
			    bool is_enabled, const struct code *code,
			    uint64_t offset, uint8_t bytes[DISABLED_MAX])
{
	const uint8_t *insn = code->bytes + offset;
	uint8_t mode = code_mode(code, offset);
	struct branch branch = { 0 };

	if ((is_enabled && form != FORM_CALL) || offset > code->size ||
	    code->size - offset < 4)
		return 0;
	if (mode != ARM && mode != THUMB) {
		/* Bytes of Thumb do not read as such an instruction of ARM. */
		disabled_thumb(arch, form, is_enabled, insn, bytes);
		if (memcmp(bytes, insn, 4) == 0)
			return 4;
		mode = arm_decode_branch(arch, code, offset, &branch)
			       ? branch.mode
			       : ARM;
	}
	if (mode == THUMB)
		disabled_thumb(arch, form, is_enabled, insn, bytes);
	else
		arch_put_insn(
			arch, bytes,
			disabled_arm(form, is_enabled, arch_insn(arch, insn)));
	return 4;
}

/* --- Before ARMv4T ----------------------------------------------------- */

static bool is_bx_lr(uint32_t insn)
{
	return (insn & 0x0fffffff) == 0x012fff1e;
}

/*
 * tst lr,#1; moveq pc,lr; bx lr: a CPU without bx never reaches the last. The
 * linker may keep this stub for an object with Thumb.
 */
static unsigned armv4_make_stub(const struct arch *arch, uint8_t mode,
				bool is_enabled, uint32_t hash, uint8_t *bytes)
{
	unsigned n = arm_make_stub(arch, mode, is_enabled, hash, bytes);

	if (mode != ARM)
		return n;
	arch_put_insn(arch, bytes + n - 4, 0xe31e0001);
	arch_put_insn(arch, bytes + n, 0x01a0f00e);
	arch_put_insn(arch, bytes + n + 4, 0xe12fff1e);
	return n + 8;
}

/* mov pc,lr for bx lr. */
static unsigned armv4_disable(const struct arch *arch, enum site_form form,
			      bool is_enabled, const struct code *code,
			      uint64_t offset, uint8_t bytes[DISABLED_MAX])
{
	unsigned n = arm_disable(arch, form, is_enabled, code, offset, bytes);
	uint32_t insn = n == 4 ? arch_insn(arch, bytes) : 0;

	if (form != FORM_CALL && is_bx_lr(insn))
		arch_put_insn(arch, bytes, (insn & 0xf0000000) | 0x01a0f00e);
	return n;
}

static const struct arch arch_armv4, arch_armv4eb;

static const struct arch *arm_refine(const struct arch *arch,
				     const uint8_t *bytes, size_t size)
{
	if (!arm_lacks_bx(arch, bytes, size))
		return arch;
	return arch->is_big_endian ? &arch_armv4eb : &arch_armv4;
}

/* --- The rows ---------------------------------------------------------- */

/* BE8: instructions are little-endian, each in its own size. */
static unsigned arm_swap_unit(uint32_t e_flags, uint8_t mode)
{
	if (!(e_flags & EF_ARM_BE8))
		return 1;
	return mode == ARM ? 4 : mode == THUMB ? 2 : 1;
}

/*
 * mold's trampoline for TLS descriptors: add r0,lr,r0; ldr r1,[r0,#4]; bx r1.
 */
static const uint8_t tls_trampoline[] = { 0x00, 0x00, 0x8e, 0xe0, 0x04, 0x10,
					  0x90, 0xe5, 0x11, 0xff, 0x2f, 0xe1 };

/*
 * The start of mold's thunks, which no symbol may mark as Thumb: mov ip,pc; bx
 * ip; ldr ip,[pc,#4]; add ip,ip,pc; bx ip. A word follows.
 */
static const uint8_t mold_thunk[] = { 0xfc, 0x46, 0x60, 0x47, 0x04, 0xc0,
				      0x9f, 0xe5, 0x0f, 0xc0, 0x8c, 0xe0,
				      0x1c, 0xff, 0x2f, 0xe1 };

static unsigned arm_added_length(const struct arch *arch,
				 const struct code *code, uint64_t offset)
{
	const uint8_t *p = code->bytes + offset;
	uint64_t left = code->size - offset;

	(void)arch;
	if (left >= sizeof(tls_trampoline) &&
	    memcmp(p, tls_trampoline, sizeof(tls_trampoline)) == 0)
		return sizeof(tls_trampoline);
	return left >= sizeof(mold_thunk) + 4 &&
			       memcmp(p, mold_thunk, sizeof(mold_thunk)) == 0
		       ? sizeof(mold_thunk) + 4
		       : 0;
}

/* What arm_is_rewrite knows begins at the field. */
static unsigned arm_rewrite_reach(const struct arch *arch, uint32_t type)
{
	(void)arch;
	(void)type;
	return 4;
}

static const struct arch_scan arm_scan = {
	.find_site = arm_find_site,
	.explain_refusal = arm_explain_refusal,
};

/* clang-format off */
#define ARM_COMMON \
	.added_length = arm_added_length, \
	.bfd_name = "arm", \
	.machine = EM_ARM, \
	.is_64 = false, \
	.nrelocs = sizeof(le_relocs) / sizeof(le_relocs[0]), \
	.reloc_none = R_ARM_NONE, \
	.reloc_index = R_ARM_PREL31, \
	.reloc_relative = R_ARM_RELATIVE, \
	.reloc_jump_slot = R_ARM_JUMP_SLOT, \
	.reloc_irelative = R_ARM_IRELATIVE, \
	.uses_rela = false, \
	.reloc_pc32 = R_REL32, \
	.reloc_word = R_ABS32, \
	.stub_align = 4, \
	/* Concurrent modification: nop and b are, mov is not. The branch form \
	   is only of ARM code of ARMv7. */ \
	.store_width = 4, \
	.store_sites = STORE_BRANCH, \
	.mode_bits = THUMB, \
	.mapping_mode = arm_mapping_mode, \
	.mapping_name = arm_mapping_name, \
	.attributes_type = 0x70000003, /* SHT_ARM_ATTRIBUTES */ \
	.scan = &arm_scan, \
	.decode_branch = arm_decode_branch, \
	.each_branch = arm_each_branch, \
	.each_address = arm_each_address, \
	.reloc_lead = arm_reloc_lead, \
	.is_boundary = arm_is_boundary, \
	/* lld's: bmi.n .-84 as a Thumb branch. */ \
	.step = arm_step, \
	.is_return = arm_is_return, \
	.chance_length = 4, \
	.padding_end = arm_padding_end, \
	.is_rewrite = arm_is_rewrite, \
	.is_for_nowhere = arm_is_for_nowhere, \
	.judge_part = arm_judge_part, \
	.judges_unchanged = true, \
	.rewrite_reach = arm_rewrite_reach, \
	.decode_gateway = arm_decode_gateway, \
	.decode_detour = arm_decode_detour, \
	.is_redirect = arm_is_redirect, \
	.may_redirect = arm_may_redirect, \
	.decode_plt = arm_decode_plt, \
	.decode_veneer = arm_decode_veneer
/* clang-format on */

const struct arch arch_arm = {
	.name = "arm",
	.is_big_endian = false,
	.relocs = le_relocs,
	.refine = arm_refine,
	.make_stub = arm_make_stub,
	.disable = arm_disable,
	ARM_COMMON,
};

static const struct arch arch_armv4 = {
	.name = "arm",
	.is_big_endian = false,
	.relocs = le_relocs,
	.make_stub = armv4_make_stub,
	.disable = armv4_disable,
	ARM_COMMON,
};

const struct arch arch_armeb = {
	.name = "armeb",
	.is_big_endian = true,
	.relocs = be_relocs,
	.swap_unit = arm_swap_unit,
	.refine = arm_refine,
	.make_stub = arm_make_stub,
	.disable = arm_disable,
	ARM_COMMON,
};

static const struct arch arch_armv4eb = {
	.name = "armeb",
	.is_big_endian = true,
	.relocs = be_relocs,
	.swap_unit = arm_swap_unit,
	.make_stub = armv4_make_stub,
	.disable = armv4_disable,
	ARM_COMMON,
};
