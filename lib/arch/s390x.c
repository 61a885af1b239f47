/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * s390x: z/Architecture in 64-bit mode.
 *
 * psABI: https://github.com/IBM/s390x-abi. Instructions: z/Architecture
 * Principles of Operation, SA22-7832.
 *
 * Peculiarities: instructions have 2, 4 or 6 bytes and begin at even addresses.
 * The two highest bits of the first byte give the length. A displacement counts
 * halfwords from the start of its instruction, 2 bytes before the field, so
 * addends are 2. Branches reach 4 GiB, so linkers make no veneers. A
 * conditional tail call (brcl with any mask) differs from a call only in the
 * mask, and clang makes them.
 */
#include <config.h>

#include <elf.h>

/* musl has not all names. */
#ifndef R_390_IRELATIVE
#define R_390_IRELATIVE 61
#endif
#include <string.h>

#include "reloc.h"
#include "scan.h"
#include "arch.h"
#include "insn.h"

/* Bits outside of a field, in memory order. */
#define MASK_12 0xff0f	   /* all but the first four bits */
#define MASK_20 0x00ffff0f /* and the last eight */

enum {
	S390_PC32DBL = 19,
	S390_PLT32DBL = 20,
	S390_GOTENT = 26,
	S390_TLS_LOAD = 37,
	S390_TLS_GDCALL = 38,
	S390_TLS_LDCALL = 39,
};

/* clang-format off */
#define ROW(number, text, ...) \
	[number] = { .name = "R_390_" text, .is_known = true, \
		     .width = __VA_ARGS__ }
/* clang-format on */

static const struct reloc_desc s390_relocs[] = {
	ROW(0, "NONE", 0),
	ROW(1, "8", 1),
	ROW(2, "12", 2, .mask = MASK_12),
	ROW(3, "16", 2),
	ROW(4, "32", 4),
	ROW(5, "PC32", 4, .is_distance = true),
	ROW(6, "GOT12", 2, .mask = MASK_12),
	ROW(7, "GOT32", 4),
	ROW(8, "PLT32", 4, .is_distance = true),
	ROW(9, "COPY", 0),
	ROW(10, "GLOB_DAT", 8),
	ROW(11, "JMP_SLOT", 8),
	ROW(12, "RELATIVE", 8),
	ROW(13, "GOTOFF32", 4),
	ROW(14, "GOTPC", 8),
	ROW(15, "GOT16", 2),
	ROW(16, "PC16", 2, .is_distance = true),
	ROW(17, "PC16DBL", 2),
	ROW(18, "PLT16DBL", 2),
	ROW(S390_PC32DBL, "PC32DBL", 4),
	ROW(S390_PLT32DBL, "PLT32DBL", 4),
	ROW(21, "GOTPCDBL", 4),
	ROW(22, "64", 8),
	ROW(23, "PC64", 8, .is_distance = true),
	ROW(24, "GOT64", 8),
	ROW(25, "PLT64", 8, .is_distance = true),
	ROW(S390_GOTENT, "GOTENT", 4),
	ROW(27, "GOTOFF16", 2),
	ROW(28, "GOTOFF64", 8),
	ROW(29, "GOTPLT12", 2, .mask = MASK_12),
	ROW(30, "GOTPLT16", 2),
	ROW(31, "GOTPLT32", 4),
	ROW(32, "GOTPLT64", 8),
	ROW(33, "GOTPLTENT", 4),
	ROW(34, "PLTOFF16", 2),
	ROW(35, "PLTOFF32", 4),
	ROW(36, "PLTOFF64", 8),
	ROW(S390_TLS_LOAD, "TLS_LOAD", 0),
	ROW(S390_TLS_GDCALL, "TLS_GDCALL", 0),
	ROW(S390_TLS_LDCALL, "TLS_LDCALL", 0),
	ROW(40, "TLS_GD32", 4),
	ROW(41, "TLS_GD64", 8),
	ROW(42, "TLS_GOTIE12", 2, .mask = MASK_12),
	ROW(43, "TLS_GOTIE32", 4),
	ROW(44, "TLS_GOTIE64", 8),
	ROW(45, "TLS_LDM32", 4),
	ROW(46, "TLS_LDM64", 8),
	ROW(47, "TLS_IE32", 4),
	ROW(48, "TLS_IE64", 8),
	ROW(49, "TLS_IEENT", 4),
	ROW(50, "TLS_LE32", 4),
	ROW(51, "TLS_LE64", 8),
	ROW(52, "TLS_LDO32", 4),
	ROW(53, "TLS_LDO64", 8),
	ROW(54, "TLS_DTPMOD", 8),
	ROW(55, "TLS_DTPOFF", 8),
	ROW(56, "TLS_TPOFF", 8),
	ROW(57, "20", 4, .mask = MASK_20),
	ROW(58, "GOT20", 4, .mask = MASK_20),
	ROW(59, "GOTPLT20", 4, .mask = MASK_20),
	ROW(60, "TLS_GOTIE20", 4, .mask = MASK_20),
	ROW(61, "IRELATIVE", 8),
	ROW(62, "PC12DBL", 2, .mask = MASK_12),
	ROW(63, "PLT12DBL", 2, .mask = MASK_12),
	ROW(64, "PC24DBL", 3),
	ROW(65, "PLT24DBL", 3),
};

/* The first byte of instructions with a displacement of 32 bits ... */
enum { OP_C0 = 0xc0, OP_C4 = 0xc4, OP_C6 = 0xc6, OP_BRCTH = 0xcc };
/* ... and four bits of the second, which say which one it is. */
enum { C0_LARL = 0, C0_BRCL = 4, C0_BRASL = 5, C4_LGRL = 8, CC_BRCTH = 6 };
/* The same for displacements of 16 bits. */
enum { OP_A7 = 0xa7, OP_BRXH = 0x84, OP_BRXLE = 0x85, OP_EC = 0xec };
enum { A7_BRC = 4, A7_BRAS = 5, A7_BRCT = 6, A7_BRCTG = 7 };
enum { MASK_NEVER = 0, MASK_ALWAYS = 15 };

/* Where the displacement of each of them is. */
#define FIELD 2

static unsigned low_nibble(uint8_t byte)
{
	return byte & 15;
}

static unsigned high_nibble(uint8_t byte)
{
	return byte >> 4;
}

/* --- The generator's view ---------------------------------------------- */

static bool s390_find_site(const struct arch *arch, const uint8_t *text,
			   size_t size, const struct reloc *r,
			   struct site_shape *shape)
{
	const uint8_t *insn = text + r->offset - FIELD;

	(void)arch;
	if ((r->type != S390_PC32DBL && r->type != S390_PLT32DBL) ||
	    r->addend != FIELD || r->offset < FIELD || size - r->offset < 4 ||
	    insn[0] != OP_C0)
		return false;
	if (low_nibble(insn[1]) == C0_BRASL)
		shape->form = FORM_CALL;
	else if (insn[1] == (MASK_ALWAYS << 4 | C0_BRCL))
		shape->form = FORM_TAIL;
	else if (low_nibble(insn[1]) == C0_BRCL &&
		 high_nibble(insn[1]) != MASK_NEVER)
		shape->form = FORM_COND;
	else
		return false;
	shape->back = FIELD;
	shape->length = 6;
	return true;
}

/* clang-format off */
/*
 * By relocation and instruction. The instruction begins `back` bytes before the
 * field.
 */
static const struct {
	uint32_t type;
	uint8_t back;
	uint8_t bytes[2];
	uint8_t mask[2];
	const char *what;
	const char *remedy;
} refused_shapes[] = {
	{ S390_GOTENT, 2, { 0xc4, 0x08 }, { 0xff, 0x0f },
	  "load of its address from the GOT",
	  SCAN_REMEDY },
	{ S390_GOTENT, 2, { 0xc0, 0x00 }, { 0xff, 0x0f },
	  "address of its GOT entry", SCAN_REMEDY },
	{ S390_PLT32DBL, 2, { 0xc0, 0x00 }, { 0xff, 0x0f },
	  "larl of its address", SCAN_REMEDY },
	{ S390_PC32DBL, 2, { 0xc0, 0x00 }, { 0xff, 0x0f },
	  "larl of its address", SCAN_REMEDY },
	{ S390_PC32DBL, 2, { 0xc6, 0x00 }, { 0xff, 0x0f },
	  "execution of its first instruction", SCAN_REMEDY },
	{ S390_PC32DBL, 2, { 0xc4, 0x00 }, { 0xff, 0x00 },
	  "load or store of its code", SCAN_REMEDY },
	{ S390_PC32DBL, 2, { 0xc0, 0x04 }, { 0xff, 0xff },
	  "jump that is never taken", "remove it" },
	{ S390_PLT32DBL, 2, { 0xc0, 0x04 }, { 0xff, 0xff },
	  "jump that is never taken", "remove it" },
	{ S390_PC32DBL, 2, { 0xc0, 0x05 }, { 0xff, 0x0f }, "call of its inside",
	  "call the probe function itself, without an offset" },
	{ S390_PLT32DBL, 2, { 0xc0, 0x05 }, { 0xff, 0x0f },
	  "call of its inside",
	  "call the probe function itself, without an offset" },
	{ S390_PC32DBL, 2, { 0xc0, 0x04 }, { 0xff, 0x0f }, "jump to its inside",
	  "jump to the probe function itself, without an offset" },
	{ S390_PLT32DBL, 2, { 0xc0, 0x04 }, { 0xff, 0x0f },
	  "jump to its inside",
	  "jump to the probe function itself, without an offset" },
	{ 17 /* PC16DBL */, 2, { 0 }, { 0 }, "branch of short reach",
	  "use brasl and jg, which reach 4 GiB" },
	{ 18 /* PLT16DBL */, 2, { 0 }, { 0 }, "branch of short reach",
	  "use brasl and jg, which reach 4 GiB" },
};
/* clang-format on */

#define NREFUSED (sizeof(refused_shapes) / sizeof(refused_shapes[0]))

static bool is_got_offset(uint32_t type)
{
	return type == 6 || type == 7 || type == 15 || type == 24 ||
	       (type >= 29 && type <= 36) || type == 58 || type == 59;
}

static void s390_explain_refusal(const struct arch *arch, const uint8_t *text,
				 size_t size, const struct reloc *r,
				 struct refusal *refusal)
{
	const uint8_t *field = text + r->offset;

	(void)arch;
	(void)size;
	if (is_got_offset(r->type))
		refusal->what = "access through the GOT";
	for (size_t i = 0; i < NREFUSED; i++) {
		if (refused_shapes[i].type != r->type || r->offset < FIELD ||
		    (field[-2] & refused_shapes[i].mask[0]) !=
			    refused_shapes[i].bytes[0] ||
		    (field[-1] & refused_shapes[i].mask[1]) !=
			    refused_shapes[i].bytes[1])
			continue;
		refusal->what = refused_shapes[i].what;
		refusal->remedy = refused_shapes[i].remedy;
		refusal->back = refused_shapes[i].back;
		break;
	}
	refusal->length += refusal->back;
}

/* brcl 0,.+HASH (never taken); for is-enabled, lghi %r2,0; br %r14 */
static unsigned s390_make_stub(const struct arch *arch, uint8_t mode,
			       bool is_enabled, uint32_t hash, uint8_t *bytes)
{
	unsigned n = 6;

	(void)arch;
	(void)mode;
	insn_put_be16(bytes, OP_C0 << 8 | C0_BRCL);
	insn_put_be32(bytes + 2, hash);
	if (is_enabled) {
		insn_put_be32(bytes + n, 0xa7290000);
		n += 4;
	}
	insn_put_be16(bytes + n, 0x07fe);
	return n + 2;
}

static unsigned s390_disable(const struct arch *arch, enum site_form form,
			     bool is_enabled, const struct code *code,
			     uint64_t offset, uint8_t bytes[DISABLED_MAX])
{
	/* brcl 0,. is the NOP of 6 bytes. */
	static const uint8_t nop[] = { 0xc0, 0x04, 0x00, 0x00, 0x00, 0x00 };
	/* lgfi %r2,0 */
	static const uint8_t zero[] = { 0xc0, 0x21, 0x00, 0x00, 0x00, 0x00 };
	/* bcr MASK,%r14 and two NOPs, bcr 0,%r0. */
	static const uint8_t ret[] = { 0x07, 0xfe, 0x07, 0x00, 0x07, 0x00 };

	(void)arch;
	if (form == FORM_CALL) {
		memcpy(bytes, is_enabled ? zero : nop, 6);
		return 6;
	}
	if (is_enabled)
		return 0;
	memcpy(bytes, ret, 6);
	/* The mask has one position in brcl and bcr: c0 M4 and 07 Me. */
	if (form == FORM_COND)
		bytes[1] = (code->bytes[offset + 1] & 0xf0) | 14;
	return 6;
}

/* --- Verify's view ----------------------------------------------------- */

/* Is this a branch on a comparison, or on an index (RIE formats)? */
static bool is_rie_branch(uint8_t opcode)
{
	switch (opcode) {
	case 0x44: /* brxhg */
	case 0x45: /* brxlg */
	case 0x64: /* cgrj */
	case 0x65: /* clgrj */
	case 0x76: /* crj */
	case 0x77: /* clrj */
	case 0x7c: /* cgij */
	case 0x7d: /* clgij */
	case 0x7e: /* cij */
	case 0x7f: /* clij */
		return true;
	default:
		return false;
	}
}

/* What a branch with this mask is. Returns false if it is never taken. */
static bool decode_mask(unsigned mask, struct branch *branch)
{
	branch->form = mask == MASK_ALWAYS ? FORM_TAIL : FORM_COND;
	return mask != MASK_NEVER;
}

static bool decode_insn(const uint8_t *p, size_t left, struct branch *branch)
{
	unsigned which = low_nibble(p[1]);

	branch->form = FORM_COND;
	branch->length = p[0] < 0xc0 ? 4 : 6;
	branch->field = FIELD;
	if (left < branch->length)
		return false;
	if (p[0] == OP_BRXH || p[0] == OP_BRXLE ||
	    (p[0] == OP_BRCTH && which == CC_BRCTH) ||
	    (p[0] == OP_EC && is_rie_branch(p[5])) ||
	    (p[0] == OP_A7 && (which == A7_BRCT || which == A7_BRCTG)))
		return true;
	if ((p[0] == OP_C0 && which == C0_BRASL) ||
	    (p[0] == OP_A7 && which == A7_BRAS)) {
		branch->form = FORM_CALL;
		return true;
	}
	if ((p[0] == OP_C0 && which == C0_BRCL) ||
	    (p[0] == OP_A7 && which == A7_BRC))
		return decode_mask(high_nibble(p[1]), branch);
	return false;
}

/* Does it have a displacement of 32 bits, not 16? */
static bool is_long(const uint8_t *insn)
{
	return insn[0] == OP_C0 || insn[0] == OP_C4 || insn[0] == OP_C6 ||
	       insn[0] == OP_BRCTH;
}

static int64_t read_distance(const uint8_t *insn)
{
	return 2 * (is_long(insn)
			    ? insn_sign_extend(insn_be32(insn + FIELD), 32)
			    : insn_sign_extend(insn_be16(insn + FIELD), 16));
}

static bool s390_decode_branch(const struct arch *arch, const struct code *code,
			       uint64_t offset, struct branch *branch)
{
	const uint8_t *p = code->bytes + offset;

	(void)arch;
	if (offset > code->size || code->size - offset < 4 ||
	    (code->addr + offset) % 2 != 0 ||
	    !decode_insn(p, code->size - offset, branch))
		return false;
	branch->is_short = !is_long(p);
	branch->target = code->addr + offset + read_distance(p);
	return true;
}

static void s390_each_branch(const struct arch *arch, const struct code *code,
			     uint64_t low, uint64_t high,
			     void (*found)(void *ctx, uint64_t offset,
					   const struct branch *branch),
			     void *ctx)
{
	struct branch branch = { 0 };

	for (uint64_t i = code->addr % 2; i + 4 <= code->size; i += 2)
		if (s390_decode_branch(arch, code, i, &branch) &&
		    branch.target >= low && branch.target <= high)
			found(ctx, i, &branch);
}

/*
 * Operands: larl, and if WITH_LOADS also loads, stores, comparisons and exrl
 * that are relative to the instruction.
 */
static void each_target(
	const struct code *code, bool with_loads, uint64_t low, uint64_t high,
	void (*found)(void *ctx, uint64_t offset, uint64_t target), void *ctx)
{
	for (uint64_t i = code->addr % 2; i + 6 <= code->size; i += 2) {
		const uint8_t *p = code->bytes + i;
		bool is_larl = p[0] == OP_C0 && low_nibble(p[1]) == C0_LARL;
		uint64_t target;

		if (!is_larl &&
		    !(with_loads && (p[0] == OP_C4 || p[0] == OP_C6)))
			continue;
		target = code->addr + i + read_distance(p);
		if (target >= low && target <= high)
			found(ctx, i + FIELD, target);
	}
}

static void s390_each_operand(const struct arch *arch, const struct code *code,
			      uint64_t low, uint64_t high,
			      void (*found)(void *ctx, uint64_t offset,
					    uint64_t target),
			      void *ctx)
{
	(void)arch;
	each_target(code, true, low, high, found, ctx);
}

static void s390_each_address(const struct arch *arch, const struct code *code,
			      uint64_t low, uint64_t high,
			      void (*found)(void *ctx, uint64_t offset,
					    uint64_t target),
			      void *ctx)
{
	(void)arch;
	each_target(code, false, low, high, found, ctx);
}

/*
 * A relative operand counts from the start of the instruction, not from the
 * field. The addend includes the distance between them.
 */
static int64_t s390_reloc_lead(const struct arch *arch, const uint8_t *field,
			       const struct reloc *r, uint64_t *step)
{
	const char *name = arch_reloc_name(arch, r->type);

	(void)field;
	(void)step;
	if (strstr(name, "12DBL") != NULL)
		return reloc_sum(r, -1);
	if (strstr(name, "24DBL") != NULL)
		return reloc_sum(r, -3);
	return reloc_sum(r, strstr(name, "DBL") != NULL ? -FIELD : 0);
}

/*
 * bcr, bc, brc and brcl, whose condition in the second byte may be always or
 * never. The second operand of bcr is a register. Register 0 means no branch.
 */
static enum insn_flow flow_of(const uint8_t *p)
{
	bool is_branch = p[0] == 0x07 || p[0] == 0x47 ||
			 (p[0] == 0xa7 && low_nibble(p[1]) == 4) ||
			 (p[0] == OP_C0 && low_nibble(p[1]) == C0_BRCL);

	if (is_branch && high_nibble(p[1]) == 0)
		return FLOW_FILLER;
	if (is_branch && high_nibble(p[1]) == 15 &&
	    (p[0] != 0x07 || low_nibble(p[1]) != 0))
		return FLOW_AWAY;
	return FLOW_ON;
}

/* The length in bytes, from the first two bits. */
static unsigned insn_length(const uint8_t *p)
{
	static const uint8_t lengths[] = { 2, 4, 4, 6 };

	return lengths[*p >> 6];
}

static uint64_t s390_find_end(const struct arch *arch, const struct code *code,
			      uint64_t start, uint64_t end)
{
	uint64_t found = NO_END;

	(void)arch;
	if (end > code->size || (code->addr + start) % 2 != 0)
		return NO_END;
	while (start < end) {
		const uint8_t *p = code->bytes + start;
		unsigned length = insn_length(p);
		enum insn_flow flow = FLOW_ON;

		if (length > end - start)
			return NO_END;
		flow = flow_of(p);
		start += length;
		if (flow != FLOW_FILLER)
			found = flow == FLOW_AWAY ? start : NO_END;
	}
	return found;
}

static bool s390_is_boundary(const struct arch *arch, const struct code *code,
			     uint64_t start, uint64_t offset)
{
	(void)arch;
	while (start < offset)
		start += insn_length(code->bytes + start);
	return start == offset;
}

/*
 * Invalid instructions begin with 0, or are data. The kernel need not return
 * from svc.
 */
static bool goes_on(const uint8_t *p)
{
	switch (p[0]) {
	case 0x00:
	case 0x01: /* pr */
	case 0x0a: /* svc */
	case 0x0b: /* bsm */
	case 0x82: /* lpsw */
		return false;
	case 0xb2:
		return p[1] != 0xb2; /* lpswe */
	case 0xe3:
		return p[5] != 0x47; /* bic */
	default:
		return flow_of(p) != FLOW_AWAY;
	}
}

static bool s390_step(const struct arch *arch, const struct code *code,
		      uint64_t offset, struct step *step)
{
	const uint8_t *p = code->bytes + offset;
	struct branch branch = { 0 };

	if (offset >= code->size || code->size - offset < insn_length(p))
		return false;
	*step = (struct step){ .length = insn_length(p) };
	step->has_target = s390_decode_branch(arch, code, offset, &branch);
	if (step->has_target) {
		step->is_call = branch.form == FORM_CALL;
		step->target = branch.target;
	}
	step->goes_on = goes_on(p);
	return true;
}

/* --- Rewrites ---------------------------------------------------------- */

/* lgrl %rX,SYMBOL@GOTENT to larl %rX,SYMBOL */
static bool is_got_rewrite(const uint8_t *before, const uint8_t *after)
{
	return before[0] == OP_C4 && low_nibble(before[1]) == C4_LGRL &&
	       after[0] == OP_C0 && low_nibble(after[1]) == C0_LARL &&
	       high_nibble(before[1]) == high_nibble(after[1]);
}

/*
 * brasl %r14,__tls_get_offset@PLT to brcl 0,. (local exec), or to
 * lg %r2,0(%r2,%r12) (initial exec)
 */
static bool is_tls_call_rewrite(const uint8_t *before, const uint8_t *after,
				bool is_general)
{
	return insn_be16(before) == 0xc0e5 &&
	       ((insn_be16(after) == 0xc004 && insn_be32(after + 2) == 0) ||
		(is_general && insn_be16(after) == 0xe322 &&
		 insn_be32(after + 2) == 0xc0000004));
}

/* lg %rX,0(%rY) to sllg %rX,%rY,0 */
static bool is_tls_load_rewrite(const uint8_t *before, const uint8_t *after)
{
	unsigned index = low_nibble(before[1]), base = high_nibble(before[2]);
	unsigned source = low_nibble(after[1]);

	return before[0] == 0xe3 && low_nibble(before[2]) == 0 &&
	       before[3] == 0 && insn_be16(before + 4) == 0x0004 &&
	       after[0] == 0xeb && insn_be16(after + 2) == 0 &&
	       insn_be16(after + 4) == 0x000d &&
	       high_nibble(before[1]) == high_nibble(after[1]) &&
	       ((source == index && (base == 0 || base == 12)) ||
		(source == base && (index == 0 || index == 12)));
}

static bool s390_is_rewrite(const struct arch *arch, const uint8_t *before,
			    const uint8_t *after, size_t size,
			    const struct reloc *r, struct byte_range *range)
{
	unsigned back = r->type == S390_GOTENT ? FIELD : 0;
	uint64_t start = r->offset - back;
	bool is_known = false;

	(void)arch;
	if (r->offset < back || start > size || size - start < 6)
		return false;
	if (r->type == S390_GOTENT)
		is_known = is_got_rewrite(before + start, after + start);
	else if (r->type == S390_TLS_GDCALL || r->type == S390_TLS_LDCALL)
		is_known = is_tls_call_rewrite(before + start, after + start,
					       r->type == S390_TLS_GDCALL);
	else if (r->type == S390_TLS_LOAD)
		is_known = is_tls_load_rewrite(before + start, after + start);
	*range = (struct byte_range){ start, start + 6 };
	return is_known;
}

/* One instruction: the one with the GOT's field, or the one that is marked. */
static unsigned s390_rewrite_reach(const struct arch *arch, uint32_t type)
{
	(void)arch;
	switch (type) {
	case S390_GOTENT:
	case S390_TLS_GDCALL:
	case S390_TLS_LDCALL:
	case S390_TLS_LOAD:
		return 6;
	default:
		return 0;
	}
}

/* larl %r1,SLOT; lg %r1,0(%r1); br %r1; mold has lgfi %r0,IMM before the br. */
static bool s390_decode_plt(const struct arch *arch, const struct code *code,
			    uint64_t offset, uint64_t got, uint64_t *slot)
{
	const uint8_t *p = code->bytes + offset;
	size_t left = offset <= code->size ? code->size - offset : 0;
	size_t jump = 12;

	(void)arch;
	(void)got;
	if (left < 14 || (code->addr + offset) % 2 != 0 ||
	    insn_be16(p) != 0xc010 || insn_be16(p + 6) != 0xe310 ||
	    insn_be32(p + 8) != 0x10000004)
		return false;
	if (left >= 20 && insn_be16(p + jump) == 0xc001)
		jump += 6;
	if (insn_be16(p + jump) != 0x07f1)
		return false;
	*slot = code->addr + offset + read_distance(p);
	return true;
}

static const struct arch_scan s390_scan = {
	.find_site = s390_find_site,
	.explain_refusal = s390_explain_refusal,
};

const struct arch arch_s390x = {
	.name = "s390x",
	.bfd_name = "s390:64-bit",
	.machine = EM_S390,
	.is_64 = true,
	.is_big_endian = true,
	.relocs = s390_relocs,
	.nrelocs = sizeof(s390_relocs) / sizeof(s390_relocs[0]),
	.reloc_none = R_390_NONE,
	.reloc_relative = R_390_RELATIVE,
	.reloc_jump_slot = R_390_JMP_SLOT,
	.reloc_irelative = R_390_IRELATIVE,
	.uses_rela = true,
	.reloc_pc32 = R_390_PC32,
	.reloc_word = R_390_64,
	.stub_align = 8,
	.fill = { 0x07, 0x07 }, /* nopr %r7 */
	.fill_size = 2,
	.make_stub = s390_make_stub,
	.disable = s390_disable,
	.scan = &s390_scan,
	.decode_branch = s390_decode_branch,
	.each_branch = s390_each_branch,
	.each_operand = s390_each_operand,
	.each_address = s390_each_address,
	.reloc_lead = s390_reloc_lead,
	.find_end = s390_find_end,
	.is_boundary = s390_is_boundary,
	.step = s390_step,
	.chance_length = 6,
	.is_rewrite = s390_is_rewrite,
	.rewrite_reach = s390_rewrite_reach,
	.decode_plt = s390_decode_plt,
};
