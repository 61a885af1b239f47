/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SPARC V9 in 64-bit mode.
 *
 * psABI: SPARC Compliance Definition 2.4, chapter 3P, and Oracle's Linker and
 * Libraries Guide (relocation types). Instructions: The SPARC Architecture
 * Manual, version 9.
 *
 * Peculiarities: there is one call instruction. The instruction behind it, in
 * the delay slot, runs before the callee, and decides whether it is a tail
 * call. `restore` leaves the register window, so the callee returns to our
 * caller. In a leaf function, `mov REG,%o7` puts the return address back. A
 * site is only the call, 4 bytes. Its switched-off form keeps the delay slot. A
 * call reaches all of 4 GiB, so linkers make no veneers. The dynamic linker
 * overwrites the code of PLT entries. The upper bits of a relocation's type may
 * be a second addend (R_SPARC_OLO10).
 */
#include <config.h>

#include <elf.h>

/* musl has not all names. */
#ifndef R_SPARC_IRELATIVE
#define R_SPARC_IRELATIVE 249
#endif
#include <string.h>

#include "reloc.h"
#include "scan.h"
#include "sparc64.h"

/* Some <elf.h> have only the first 80 of them. */
/* clang-format off */
#define SWAP(mask) \
	((mask) >> 24 | ((mask) >> 8 & 0xff00u) | \
	 ((mask) & 0xff00u) << 8 | ((mask) & 0xffu) << 24)

/* INSN: types in instructions, with the bits that they set. ROW: others. */
#define INSN(number, text, bits) \
	[number] = { .name = "R_SPARC_" text, .width = 4, \
		     .is_known = true, .mask = SWAP(bits) }
#define ROW(number, text, ...) \
	[number] = { .name = "R_SPARC_" text, .is_known = true, \
		     .width = __VA_ARGS__ }
/* clang-format on */

static const struct reloc_desc sparc_relocs[] = {
	ROW(0, "NONE", 0),
	ROW(1, "8", 1),
	ROW(2, "16", 2),
	ROW(3, "32", 4),
	ROW(4, "DISP8", 1, .is_distance = true),
	ROW(5, "DISP16", 2, .is_distance = true),
	ROW(R_SPARC_DISP32, "DISP32", 4, .is_distance = true),
	INSN(SPARC_WDISP30, "WDISP30", 0x3fffffffu),
	INSN(8, "WDISP22", 0x3fffffu),
	INSN(9, "HI22", 0x3fffffu),
	INSN(10, "22", 0x3fffffu),
	INSN(11, "13", 0x1fffu),
	INSN(12, "LO10", 0x3ffu),
	INSN(13, "GOT10", 0x3ffu),
	INSN(14, "GOT13", 0x1fffu),
	INSN(15, "GOT22", 0x3fffffu),
	INSN(16, "PC10", 0x3ffu),
	INSN(17, "PC22", 0x3fffffu),
	INSN(SPARC_WPLT30, "WPLT30", 0x3fffffffu),
	ROW(19, "COPY", 0),
	ROW(20, "GLOB_DAT", 8),
	ROW(21, "JMP_SLOT", 32),
	ROW(22, "RELATIVE", 8),
	ROW(23, "UA32", 4),
	ROW(24, "PLT32", 4),
	INSN(25, "HIPLT22", 0x3fffffu),
	INSN(26, "LOPLT10", 0x3ffu),
	ROW(27, "PCPLT32", 4, .is_distance = true),
	INSN(28, "PCPLT22", 0x3fffffu),
	INSN(29, "PCPLT10", 0x3ffu),
	INSN(30, "10", 0x3ffu),
	INSN(31, "11", 0x7ffu),
	ROW(32, "64", 8),
	INSN(33, "OLO10", 0x1fffu),
	INSN(34, "HH22", 0x3fffffu),
	INSN(35, "HM10", 0x3ffu),
	INSN(36, "LM22", 0x3fffffu),
	INSN(37, "PC_HH22", 0x3fffffu),
	INSN(38, "PC_HM10", 0x3ffu),
	INSN(39, "PC_LM22", 0x3fffffu),
	INSN(40, "WDISP16", 0x303fffu),
	INSN(41, "WDISP19", 0x7ffffu),
	INSN(43, "7", 0x7fu),
	INSN(44, "5", 0x1fu),
	INSN(45, "6", 0x3fu),
	ROW(46, "DISP64", 8, .is_distance = true),
	ROW(47, "PLT64", 8),
	INSN(48, "HIX22", 0x3fffffu),
	INSN(49, "LOX10", 0x1fffu),
	INSN(50, "H44", 0x3fffffu),
	INSN(51, "M44", 0x3ffu),
	INSN(52, "L44", 0xfffu),
	ROW(53, "REGISTER", 8),
	ROW(SPARC_UA64, "UA64", 8),
	ROW(55, "UA16", 2),
	INSN(56, "TLS_GD_HI22", 0x3fffffu),
	INSN(SPARC_TLS_GD_LO10, "TLS_GD_LO10", 0x3ffu),
	ROW(SPARC_TLS_GD_ADD, "TLS_GD_ADD", 0),
	INSN(SPARC_TLS_GD_CALL, "TLS_GD_CALL", 0x3fffffffu),
	INSN(SPARC_TLS_LDM_HI22, "TLS_LDM_HI22", 0x3fffffu),
	INSN(SPARC_TLS_LDM_LO10, "TLS_LDM_LO10", 0x3ffu),
	ROW(SPARC_TLS_LDM_ADD, "TLS_LDM_ADD", 0),
	INSN(SPARC_TLS_LDM_CALL, "TLS_LDM_CALL", 0x3fffffffu),
	INSN(64, "TLS_LDO_HIX22", 0x3fffffu),
	INSN(65, "TLS_LDO_LOX10", 0x1fffu),
	ROW(SPARC_TLS_LDO_ADD, "TLS_LDO_ADD", 0),
	INSN(67, "TLS_IE_HI22", 0x3fffffu),
	INSN(SPARC_TLS_IE_LO10, "TLS_IE_LO10", 0x3ffu),
	ROW(69, "TLS_IE_LD", 0),
	ROW(SPARC_TLS_IE_LDX, "TLS_IE_LDX", 0),
	ROW(71, "TLS_IE_ADD", 0),
	INSN(72, "TLS_LE_HIX22", 0x3fffffu),
	INSN(73, "TLS_LE_LOX10", 0x1fffu),
	ROW(74, "TLS_DTPMOD32", 4),
	ROW(75, "TLS_DTPMOD64", 8),
	ROW(76, "TLS_DTPOFF32", 4),
	ROW(77, "TLS_DTPOFF64", 8),
	ROW(78, "TLS_TPOFF32", 4),
	ROW(79, "TLS_TPOFF64", 8),
	INSN(80, "GOTDATA_HIX22", 0x3fffffu),
	INSN(81, "GOTDATA_LOX10", 0x1fffu),
	INSN(82, "GOTDATA_OP_HIX22", 0x3fffffu),
	INSN(83, "GOTDATA_OP_LOX10", 0x1fffu),
	ROW(SPARC_GOTDATA_OP, "GOTDATA_OP", 0),
	INSN(85, "H34", 0x3fffffu),
	ROW(86, "SIZE32", 4),
	ROW(87, "SIZE64", 8),
	INSN(88, "WDISP10", 0x181fe0u),
	ROW(248, "JMP_IREL", 32),
	ROW(249, "IRELATIVE", 8),
	ROW(250, "GNU_VTINHERIT", 0),
	ROW(251, "GNU_VTENTRY", 0),
	ROW(252, "REV32", 4),
};

/* --- The generator's view ---------------------------------------------- */

/* What the instruction in the delay slot makes of the call. */
enum delay {
	DELAY_PLAIN,  /* a call */
	DELAY_WINDOW, /* restore: a tail call out of a register window */
	DELAY_MOVE,   /* mov REG,%o7: a tail call out of a leaf function */
	DELAY_OTHER,  /* it returns who knows where */
};

/* or REG,%g0,%o7 and the like; sets REG. */
static bool is_move_to_o7(uint32_t insn, unsigned *reg)
{
	/* or, no flags, rd = %o7 */
	if ((insn & 0xfff80000) != 0x9e100000)
		return false;
	if (sparc_has_immediate(insn)) {
		*reg = sparc_rs1(insn);
		if ((insn & 0x1fff) != 0)
			return false;
	} else if ((insn & 0x7ffe0) == 0) {
		*reg = sparc_rs2(insn);
	} else {
		*reg = sparc_rs1(insn);
		if ((insn & 0x1fff) != REG_G0)
			return false;
	}
	return *reg != REG_G0 && *reg != REG_O7;
}

/* Loads and similar instructions that write an integer register. */
static bool loads_integer(uint32_t insn)
{
	unsigned op3 = sparc_op3(insn);

	/* casa, casxa. In others, bit 5 means floating-point registers. */
	if (op3 == 0x3c || op3 == 0x3e)
		return true;
	if (op3 & 0x20)
		return false;
	/* Of each 16, the second 4 are stores, and so are the two at 14. */
	op3 &= 15;
	return (op3 & 12) != 4 && op3 != 14;
}

static enum delay judge_arithmetic(uint32_t insn)
{
	unsigned reg;

	switch (sparc_op3(insn)) {
	case 0x30: /* wr and other writes to what is no register here */
	case 0x31:
	case 0x32:
	case 0x33:
	case 0x34: /* floating point */
	case 0x35:
	case 0x3a: /* trap */
	case 0x3b: /* flush */
		return DELAY_PLAIN;
	case 0x38: /* jmpl, return, save, done and retry, reserved */
	case 0x39:
	case 0x3c:
	case 0x3e:
	case 0x3f:
		return DELAY_OTHER;
	case 0x3d:
		return sparc_rd(insn) == REG_O7 ? DELAY_OTHER : DELAY_WINDOW;
	default:
		break;
	}
	if (sparc_rd(insn) != REG_O7)
		return DELAY_PLAIN;
	return is_move_to_o7(insn, &reg) ? DELAY_MOVE : DELAY_OTHER;
}

/* A load of two registers (ldd, ldda) that begins at %o6 writes %o7, too. */
static bool writes_o7(uint32_t insn)
{
	bool is_double = (sparc_op3(insn) & ~0x10u) == 3;

	return sparc_rd(insn) == REG_O7 ||
	       (is_double && sparc_rd(insn) + 1 == REG_O7);
}

static enum delay judge_delay(uint32_t insn)
{
	switch (sparc_op(insn)) {
	case 0: /* sethi, or branches */
		return sparc_op2(insn) == 4 && sparc_rd(insn) != REG_O7
			       ? DELAY_PLAIN
			       : DELAY_OTHER;
	case 1: /* call */
		return DELAY_OTHER;
	case 2:
		return judge_arithmetic(insn);
	default:
		break;
	}
	return loads_integer(insn) && writes_o7(insn) ? DELAY_OTHER
						      : DELAY_PLAIN;
}

static bool is_call_reloc(uint32_t type)
{
	return type == SPARC_WDISP30 || type == SPARC_WPLT30;
}

static bool sparc_find_site(const struct arch *arch, const uint8_t *text,
			    size_t size, const struct reloc *r,
			    struct site_shape *shape)
{
	enum delay delay;

	(void)arch;
	if (!is_call_reloc(r->type) || r->addend != 0 || r->offset % 4 != 0 ||
	    size - r->offset < 8 || sparc_op(insn_be32(text + r->offset)) != 1)
		return false;
	delay = judge_delay(insn_be32(text + r->offset + 4));
	shape->form = delay == DELAY_PLAIN ? FORM_CALL : FORM_TAIL;
	shape->back = 0;
	shape->length = 4;
	return delay != DELAY_OTHER;
}

/* clang-format off */
/* Ranges of types. */
static const struct {
	uint32_t first, last;
	const char *what;
	const char *remedy;
} refused_types[] = {
	{ 8, 8, "branch of short reach", "use call, which reaches 4 GiB" },
	{ 40, 41, "branch of short reach", "use call, which reaches 4 GiB" },
	{ 88, 88, "branch of short reach", "use call, which reaches 4 GiB" },
	{ 9, 12, "its address is computed", SCAN_REMEDY },
	{ 33, 36, "its address is computed", SCAN_REMEDY },
	{ 48, 52, "its address is computed", SCAN_REMEDY },
	{ 85, 85, "its address is computed", SCAN_REMEDY },
	{ 16, 17, "its address is computed", SCAN_REMEDY },
	{ 37, 39, "its address is computed", SCAN_REMEDY },
	{ 13, 15, "load of its address from the GOT", SCAN_REMEDY },
	{ 80, 84, "load of its address from the GOT", SCAN_REMEDY },
};
/* clang-format on */

#define NREFUSED (sizeof(refused_types) / sizeof(refused_types[0]))

static void explain_call(const uint8_t *text, size_t size,
			 const struct reloc *r, struct refusal *refusal)
{
	if (sparc_op(insn_be32(text + r->offset)) != 1)
		return;
	if (r->addend != 0) {
		refusal->what = "call of its inside";
		refusal->remedy = "call the probe function itself, without an "
				  "offset";
	} else if (size - r->offset >= 8) {
		refusal->what = "call that does not return behind it: its "
				"delay slot changes %o7 or is a branch";
		refusal->remedy = "put another instruction there, or nop";
		refusal->length = 8;
	} else {
		refusal->what = "call without a delay slot";
		refusal->remedy = "put nop behind it";
	}
}

static void sparc_explain_refusal(const struct arch *arch, const uint8_t *text,
				  size_t size, const struct reloc *r,
				  struct refusal *refusal)
{
	(void)arch;
	if (is_call_reloc(r->type) && size - r->offset >= 4)
		explain_call(text, size, r, refusal);
	for (size_t i = 0; i < NREFUSED; i++)
		if (r->type >= refused_types[i].first &&
		    r->type <= refused_types[i].last) {
			refusal->what = refused_types[i].what;
			refusal->remedy = refused_types[i].remedy;
		}
}

/* sethi %hi(HASH),%g1; or %g1,%lo(HASH),%g1; retl; nop or clr %o0 */
static unsigned sparc_make_stub(const struct arch *arch, uint8_t mode,
				bool is_enabled, uint32_t hash, uint8_t *bytes)
{
	(void)arch;
	(void)mode;
	insn_put_be32(bytes, 0x03000000 | hash >> 10);
	insn_put_be32(bytes + 4, 0x82106000 | (hash & 0x3ff));
	insn_put_be32(bytes + 8, 0x81c3e008);
	insn_put_be32(bytes + 12, is_enabled ? 0x90100000 : SPARC_NOP);
	return 16;
}

/* Does it matter for INSN if %o0 changes before it? If in doubt, yes. */
static bool uses_o0(uint32_t insn)
{
	if (sparc_op(insn) == 0)
		return sparc_rd(insn) == REG_O0;
	return sparc_rd(insn) == REG_O0 || sparc_rs1(insn) == REG_O0 ||
	       (!sparc_has_immediate(insn) && sparc_rs2(insn) == REG_O0);
}

/*
 * How a tail call of a leaf function returns instead: through the REG of `mov
 * REG,%o7` in the delay slot. Even if `mov %o7,REG` is right before it, %o7 may
 * be another value: a branch may lead to the call.
 */
static uint32_t return_of_leaf(uint32_t delay)
{
	unsigned reg = REG_G1;

	is_move_to_o7(delay, &reg);
	return 0x81c02008 | (uint32_t)reg << 14; /* jmp REG+8 */
}

/* The address of the call is there, which only a call sets. */
static bool reads_o7(uint32_t insn)
{
	if (sparc_op(insn) == 0)
		return false;
	return sparc_rs1(insn) == REG_O7 ||
	       (!sparc_has_immediate(insn) && sparc_rs2(insn) == REG_O7) ||
	       (sparc_op(insn) == 3 && sparc_rd(insn) == REG_O7);
}

/* The delay slot stays, and also runs behind what replaces the call. */
static unsigned sparc_disable(const struct arch *arch, enum site_form form,
			      bool is_enabled, const struct code *code,
			      uint64_t offset, uint8_t bytes[DISABLED_MAX])
{
	uint32_t delay, insn = SPARC_NOP;

	(void)arch;
	if (offset > code->size || code->size - offset < 8 ||
	    (is_enabled && form != FORM_CALL))
		return 0;
	delay = insn_be32(code->bytes + offset + 4);
	switch (judge_delay(delay)) {
	case DELAY_PLAIN:
		if (is_enabled)
			insn = 0x90100000; /* mov %g0,%o0 */
		if (form != FORM_CALL || (is_enabled && uses_o0(delay)) ||
		    reads_o7(delay))
			return 0;
		break;
	case DELAY_WINDOW:
		insn = 0x81c7e008; /* ret */
		if (form != FORM_TAIL)
			return 0;
		break;
	case DELAY_MOVE:
		insn = return_of_leaf(delay);
		if (form != FORM_TAIL)
			return 0;
		break;
	case DELAY_OTHER:
		return 0;
	}
	insn_put_be32(bytes, insn);
	return 4;
}

/* --- Verify's view ----------------------------------------------------- */

/* A displacement of WIDTH bits, in words. */
static int64_t distance(uint32_t insn, unsigned width)
{
	return 4 * insn_sign_extend(insn, width);
}

/* Branches on %icc, %xcc and %fccN: condition 8 is always, 0 never. */
static bool decode_condition(uint32_t insn, struct branch *branch)
{
	unsigned condition = insn >> 25 & 15;

	branch->form = condition == 8 ? FORM_TAIL : FORM_COND;
	return condition != 0;
}

/* Branches on the contents of a register, and on a comparison of two. */
static int64_t decode_register(uint32_t insn, struct branch *branch)
{
	branch->form = FORM_COND;
	if (insn >> 28 & 1)
		return distance(insn_bits(insn, 19, 2, 8) |
					insn_bits(insn, 5, 8, 0),
				10);
	return distance(insn_bits(insn, 20, 2, 14) | insn_bits(insn, 0, 14, 0),
			16);
}

/* Any branch. The place to which a call returns is not one. */
static bool decode_insn(const struct code *code, uint64_t offset,
			struct branch *branch)
{
	uint32_t insn;
	int64_t away;
	bool is_taken = true;

	if (offset > code->size || code->size - offset < 4 ||
	    (code->addr + offset) % 4 != 0)
		return false;
	insn = insn_be32(code->bytes + offset);
	branch->length = 4;
	branch->field = 0;
	if (sparc_op(insn) == 1) {
		branch->form = FORM_CALL;
		away = distance(insn, 30);
	} else if (sparc_op(insn) != 0) {
		return false;
	} else {
		switch (sparc_op2(insn)) {
		case 1: /* BPcc */
		case 5: /* FBPfcc */
			is_taken = decode_condition(insn, branch);
			away = distance(insn, 19);
			break;
		case 2: /* Bicc */
		case 6: /* FBfcc */
			is_taken = decode_condition(insn, branch);
			away = distance(insn, 22);
			break;
		case 3: /* BPr, CBcond */
			away = decode_register(insn, branch);
			break;
		default:
			return false;
		}
	}
	/* GNU ld makes ba,pt %xcc of a call to near code. */
	branch->is_short = sparc_op(insn) == 0 &&
			   insn >> 19 != 0x10680000 >> 19;
	branch->target = code->addr + offset + away;
	return is_taken;
}

/*
 * op = 2: does an instruction that writes register 15 write %o7, not another
 * register file?
 */
static bool is_integer_result(unsigned op3)
{
	return op3 < 0x30 || op3 == 0x36 || op3 == 0x37;
}

/* op = 3: is it a store, a prefetch, or for floating point? */
static bool keeps_integers(unsigned op3)
{
	static const uint64_t keepers = UINT64_C(0xafffffff40f040f0);

	return keepers >> op3 & 1;
}

/*
 * Where the callee of a call returns to, from its delay slot. Returns false if
 * that is unknown.
 */
static bool decode_return(uint32_t delay, enum site_form *form)
{
	unsigned op3 = sparc_op3(delay), rd = sparc_rd(delay);
	bool is_double = op3 == 0x03 || op3 == 0x13; /* ldd, ldda */

	*form = FORM_CALL;
	switch (sparc_op(delay)) {
	case 0: /* sethi of another register, nop */
		return (delay & 0x01c00000) == 0x01000000 &&
		       sparc_rd(delay) != REG_O7;
	case 1:
		return false;
	case 3:
		return keeps_integers(op3) ||
		       !(rd == REG_O7 || (rd == 14 && is_double));
	default:
		break;
	}
	if (op3 == 0x38 || op3 == 0x39 || op3 == 0x3c || op3 >= 0x3e)
		return false;
	if (op3 != 0x3d &&
	    (sparc_rd(delay) != REG_O7 || !is_integer_result(op3)))
		return true;
	*form = FORM_TAIL;
	if (op3 == 0x3d)
		return sparc_rd(delay) != REG_O7;
	/* or REG,%g0,%o7; or REG,0,%o7; or %g0,REG,%o7 */
	if ((delay & 0xfff81fff) == 0x9e100000)
		return sparc_rs1(delay) != REG_O7 && sparc_rs1(delay) != REG_G0;
	return (delay & 0xffffffe0) == 0x9e100000 && sparc_rs2(delay) != REG_O7;
}

static bool sparc_decode_branch(const struct arch *arch,
				const struct code *code, uint64_t offset,
				struct branch *branch)
{
	(void)arch;
	if (!decode_insn(code, offset, branch))
		return false;
	if (branch->form != FORM_CALL)
		return true;
	return code->size - offset >= 8 &&
	       decode_return(insn_be32(code->bytes + offset + 4),
			     &branch->form);
}

static void sparc_each_branch(const struct arch *arch, const struct code *code,
			      uint64_t low, uint64_t high,
			      void (*found)(void *ctx, uint64_t offset,
					    const struct branch *branch),
			      void *ctx)
{
	struct branch branch = { 0 };

	(void)arch;
	for (uint64_t i = -code->addr & 3; i + 4 <= code->size; i += 4)
		if (decode_insn(code, i, &branch) && branch.target >= low &&
		    branch.target <= high)
			found(ctx, i, &branch);
}

/* The reach of an add from its base address. */
#define ADD_REACH 4096

/*
 * Code learns its address by rd %pc, or by a call over one instruction, and
 * adds to that. Any address in reach of one add may be meant. A longer distance
 * needs sethi, with which compilers leave a relocation.
 */
static void sparc_each_operand(const struct arch *arch, const struct code *code,
			       uint64_t low, uint64_t high,
			       void (*found)(void *ctx, uint64_t offset,
					     uint64_t target),
			       void *ctx)
{
	(void)arch;
	for (uint64_t i = -code->addr & 3; i + 4 <= code->size; i += 4) {
		uint32_t insn = insn_be32(code->bytes + i);
		uint64_t addr = code->addr + i;
		uint64_t first = addr > ADD_REACH ? addr - ADD_REACH : 0;

		/* rd %pc,REG; call .+8 */
		if ((insn & 0xc1ffe000) != 0x81414000 && insn != 0x40000002)
			continue;
		if (first < low)
			first = low;
		for (; first <= high && first < addr + ADD_REACH; first += 4)
			found(ctx, i, first);
	}
}

/* add of a constant to what rd %pc, or a call over one instruction, left. */
static void sparc_each_address(const struct arch *arch, const struct code *code,
			       uint64_t low, uint64_t high,
			       void (*found)(void *ctx, uint64_t offset,
					     uint64_t target),
			       void *ctx)
{
	uint64_t bases[32] = { 0 };
	bool is_base[32] = { false };

	(void)arch;
	for (uint64_t i = -code->addr & 3; i + 4 <= code->size; i += 4) {
		uint32_t insn = insn_be32(code->bytes + i);
		unsigned rd = insn == 0x40000002 ? 15 : insn >> 25 & 31;
		unsigned rs1 = insn >> 14 & 31;
		uint64_t target;

		if (insn == 0x40000002 || (insn & 0xc1ffe000) == 0x81414000) {
			bases[rd] = code->addr + i;
			is_base[rd] = true;
			continue;
		}
		target = bases[rs1] + insn_sign_extend(insn & 0x1fff, 13);
		if ((insn & 0xc1f82000) == 0x80002000 && is_base[rs1] &&
		    target >= low && target <= high)
			found(ctx, i, target);
	}
}

static bool has_delay_slot(uint32_t insn)
{
	unsigned op3 = sparc_op3(insn);

	switch (sparc_op(insn)) {
	case 0:
		return sparc_op2(insn) != 0 && sparc_op2(insn) != 4;
	case 1:
		return true;
	case 2:
		return op3 == 0x38 || op3 == 0x39;
	default:
		return false;
	}
}

/* ba, with or without annul; jmpl without a link; return. */
static bool is_jump(uint32_t insn)
{
	return (insn & 0xdfc00000) == 0x10800000 ||
	       (insn & 0xdfc00000) == 0x10400000 ||
	       (insn & 0xfff80000) == 0x81c00000 ||
	       (insn & 0xfff80000) == 0x81c80000;
}

/* Do the two words at OFFSET leave this code, after both have run? */
static bool goes_away(const struct code *code, uint64_t offset)
{
	uint32_t insn = insn_be32(code->bytes + offset);
	uint32_t delay = insn_be32(code->bytes + offset + 4);
	enum site_form form;

	return !has_delay_slot(delay) &&
	       (is_jump(insn) ||
		(sparc_op(insn) == 1 && decode_return(delay, &form) &&
		 form == FORM_TAIL));
}

/*
 * A jump ends the code behind its delay slot, unless it is in a delay slot
 * itself.
 */
static uint64_t sparc_find_end(const struct arch *arch, const struct code *code,
			       uint64_t start, uint64_t end)
{
	(void)arch;
	if (end > code->size || (code->addr + end) % 4 != 0)
		return NO_END;
	for (; end >= start + 12; end -= 4) {
		const uint8_t *last = code->bytes + end - 4;

		if (goes_away(code, end - 8))
			return has_delay_slot(insn_be32(last - 8)) ? NO_END
								   : end;
		if (insn_be32(last) != SPARC_NOP)
			return NO_END;
	}
	return end == start + 8 && goes_away(code, start) ? end : NO_END;
}

static bool sparc_is_boundary(const struct arch *arch, const struct code *code,
			      uint64_t start, uint64_t offset)
{
	(void)arch;
	(void)code;
	return (offset - start) % 4 == 0;
}

/* jmpl %o7+8 or %i7+8 without a link, and return. */
static bool sparc_is_return(const struct arch *arch, const struct code *code,
			    uint64_t offset)
{
	uint32_t insn = insn_be32(code->bytes + offset);

	(void)arch;
	return insn == 0x81c3e008 || insn == 0x81c7e008 || insn == 0x81cfe008;
}

/* gas: ba,a,pt %xcc,END before more than one NOP */
static uint64_t sparc_padding_end(const struct arch *arch,
				  const struct code *code, uint64_t start,
				  uint64_t end)
{
	uint64_t at = start;
	uint32_t insn;

	(void)arch;
	if (start % 4 != 0 || end - start < 12)
		return start;
	insn = insn_be32(code->bytes + start);
	at += (uint64_t)(insn & 0x3ffff) * 4;
	if ((insn & 0xfffc0000) != 0x30680000 || at < start + 12 || at > end ||
	    (code->addr + at) % 16 != 0)
		return start;
	for (uint64_t i = start + 4; i < at; i += 4)
		if (insn_be32(code->bytes + i) != SPARC_NOP)
			return start;
	return at;
}

/*
 * sethi INDEX,%g1; ba,a,pt %xcc,.PLT1; nop; ...: the dynamic linker overwrites
 * it, by a relocation against the entry itself.
 */
/*
 * mold has this form for a slot that also serves as data address: mov %o7,%g5;
 * call .+8; ldx [%o7+20],%g1; ldx [%o7+%g1],%g1; jmp %g1; mov %g5,%o7; the
 * distance.
 */
static bool decode_plt_got(const struct code *code, uint64_t offset,
			   uint64_t *slot)
{
	static const uint32_t insns[] = { 0x8a10000f, 0x40000002, 0xc25be014,
					  0xc25bc001, 0x81c04000, 0x9e100005 };
	const uint8_t *p = code->bytes + offset;

	if (offset > code->size || code->size - offset < 32)
		return false;
	for (size_t i = 0; i < sizeof(insns) / sizeof(insns[0]); i++)
		if (insn_be32(p + 4 * i) != insns[i])
			return false;
	*slot = code->addr + offset + 4 +
		((uint64_t)insn_be32(p + 24) << 32 | insn_be32(p + 28));
	return true;
}

static bool sparc_decode_plt(const struct arch *arch, const struct code *code,
			     uint64_t offset, uint64_t got, uint64_t *slot)
{
	const uint8_t *p = code->bytes + offset;

	(void)arch;
	(void)got;
	if (decode_plt_got(code, offset, slot))
		return true;
	if (offset > code->size || code->size - offset < 12 ||
	    (code->addr + offset) % 4 != 0 ||
	    (insn_be32(p) & 0xffc00000) != 0x03000000 ||
	    (insn_be32(p + 4) & 0xfff80000) != 0x30680000 ||
	    insn_be32(p + 8) != SPARC_NOP)
		return false;
	*slot = code->addr + offset;
	return true;
}

/* The rewrites that sparc64_is_rewrite knows begin at the field. */
static unsigned sparc64_rewrite_reach(const struct arch *arch, uint32_t type)
{
	(void)arch;
	(void)type;
	return 8;
}

static const struct arch_scan sparc_scan = {
	.find_site = sparc_find_site,
	.explain_refusal = sparc_explain_refusal,
};

const struct arch arch_sparc64 = {
	.name = "sparc64",
	.bfd_name = "sparc:v9b",
	.machine = EM_SPARCV9,
	.is_64 = true,
	.is_big_endian = true,
	.relocs = sparc_relocs,
	.nrelocs = sizeof(sparc_relocs) / sizeof(sparc_relocs[0]),
	.fill = { 0x01, 0x00, 0x00, 0x00 },
	.fill_size = 4,
	.reloc_none = R_SPARC_NONE,
	.adds_no_section = true,
	.reloc_relative = R_SPARC_RELATIVE,
	.reloc_jump_slot = R_SPARC_JMP_SLOT,
	.reloc_irelative = R_SPARC_IRELATIVE,
	.has_type_data = true,
	.uses_rela = true,
	.reloc_pc32 = R_SPARC_DISP32,
	.reloc_word = SPARC_UA64,
	.stub_align = 8,
	.delay_slot = 4,
	/*
	 * The manual, appendix J, code patching: single words, while others run
	 * them.
	 */
	.store_width = 4,
	.store_sites = STORE_CALL | STORE_BRANCH | STORE_TAIL | STORE_ENABLED,
	.make_stub = sparc_make_stub,
	.disable = sparc_disable,
	.scan = &sparc_scan,
	.decode_branch = sparc_decode_branch,
	.each_branch = sparc_each_branch,
	.each_operand = sparc_each_operand,
	.each_address = sparc_each_address,
	.find_end = sparc_find_end,
	.is_boundary = sparc_is_boundary,
	.is_return = sparc_is_return,
	.padding_end = sparc_padding_end,
	.is_rewrite = sparc64_is_rewrite,
	.is_for_nowhere = sparc64_is_for_nowhere,
	.find_part = sparc64_find_part,
	.part_ways = sparc64_part_ways,
	.rewrite_reach = sparc64_rewrite_reach,
	.decode_plt = sparc_decode_plt,
};
