/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The closed list of rewrites that linkers make in place, for Power (psABI,
 * "Linker Optimization", and measured with GNU ld, gold, lld and mold).
 */
#include <config.h>

#include <string.h>

#include "reloc.h"
#include "ppc-rewrite.h"

/* No enumerator is above INT_MAX. */
#define OPCODE 0xfc000000u
#define ALL 0xffffffffu

enum {
	RT = 0x03e00000,
	RA = 0x001f0000,
	REGS = RT | RA,
	DS = 3,
};

/*
 * The change of the word AT bytes behind the instruction. The bits of
 * BEFORE_MASK are those of BEFORE, and the bits of AFTER_MASK those of AFTER.
 * The bits of SAME do not change.
 */
struct rewrite {
	uint32_t groups;
	uint8_t at;
	uint32_t before, before_mask;
	uint32_t after, after_mask;
	uint32_t same;
};

/* clang-format off */
static const struct rewrite rewrites64[] = {
	/* nop -> ld r2,24(r1) or, in ELFv1, ld r2,40(r1) */
	{ CALL, 4, PPC_NOP, ALL, 0xe8410018, ALL, 0 },
	{ CALL, 4, 0x4def7b82, ALL, 0xe8410018, ALL, 0 },
	{ CALL, 4, 0x4ffffb82, ALL, 0xe8410018, ALL, 0 },
	/* bl of a weak function that nothing defines -> nop */
	{ BL, 0, 0x48000001, OPCODE | 3, PPC_NOP, ALL, 0 },
	/* ... and b, where a tail call needs no TOC */
	{ NOTOC, 0, 0x48000000, OPCODE | 3, PPC_NOP, ALL, 0 },
	/* addis -> nop, where the lower half is enough */
	{ HIGH, 0, 0x3c000000, OPCODE, PPC_NOP, ALL, 0 },
	/* ... whose base is then r2, or r13 */
	{ LOW | TLS_GOT, 0, 0, 0, 0x00020000, RA, OPCODE | RT },
	{ LOW_DS | GOT_DS | TP_GOT | PLT_LOW, 0, 0, 0, 0x00020000, RA,
	  OPCODE | RT | DS },
	{ LOW, 0, 0x30000000, OPCODE, 0x38020000, OPCODE | RA, RT },
	/* ld from the TOC -> addi, the address itself */
	{ LOW_DS | SMALL_DS, 0, 0xe8000000, OPCODE | DS, 0x38000000, OPCODE,
	  REGS },
	{ LOW_DS, 0, 0xe8000000, OPCODE | DS, 0x38020000, OPCODE | RA, RT },
	/* General and local dynamic TLS -> local exec */
	{ TLS_GOT, 0, 0x38000000, OPCODE, PPC_NOP, ALL, 0 },
	{ TLS_GOT, 0, 0x38000000, OPCODE, 0x3c0d0000, OPCODE | RA, RT },
	{ TLS_CALL, 0, 0x48000001, OPCODE | 3, PPC_NOP, ALL, 0 },
	{ TLS_CALL, 0, 0x48000001, OPCODE | 3, 0x386d0000, OPCODE | REGS, 0 },
	{ TLS_CALL, 0, 0x48000001, OPCODE | 3, 0x38630000, OPCODE | REGS, 0 },
	{ TLS_CALL, 4, PPC_NOP, ALL, 0x38630000, OPCODE | REGS, 0 },
	{ TLS_CALL, 0, PPC_BCTRL, ALL, PPC_NOP, ALL, 0 },
	{ TLS_CALL, 0, PPC_BCTRL, ALL, 0x386d0000, OPCODE | REGS, 0 },
	{ TLS_CALL, 0, PPC_BCTRL, ALL, 0x38630000, OPCODE | REGS, 0 },
	{ TLS_CALL, 4, 0xe8410018, ALL, PPC_NOP, ALL, 0 },
	/* ... -> initial exec */
	{ TLS_GOT, 0, 0x38000000, OPCODE, 0xe8000000, OPCODE | DS, REGS },
	{ TLS_GOT, 0, 0x38000000, OPCODE, 0xe8020000, OPCODE | RA | DS, RT },
	{ TLS_CALL, 0, 0x48000001, OPCODE | 3, 0x7c636a14, ALL, 0 },
	{ TLS_CALL, 4, PPC_NOP, ALL, 0x7c636a14, ALL, 0 },
	{ TLS_CALL, 0, PPC_BCTRL, ALL, 0x7c636a14, ALL, 0 },
	/* Initial exec TLS -> local exec */
	{ TP_GOT, 0, 0xe8000000, OPCODE | DS, PPC_NOP, ALL, 0 },
	{ TP_GOT, 0, 0xe8000000, OPCODE | DS, 0x3c0d0000, OPCODE | RA, RT },
	{ TP_LOW, 0, 0, 0, 0x000d0000, RA, OPCODE | RT },
	{ TP_LOW_DS, 0, 0, 0, 0x000d0000, RA, OPCODE | RT | DS },
	/* addis r2,r12 -> lis r2, if addresses are fixed */
	{ TOC_ENTRY, 0, 0x3c4c0000, OPCODE | REGS, 0x3c400000, OPCODE | REGS,
	  0 },
	{ LARGE_ENTRY, 0, 0xe84c0000, OPCODE | REGS | DS, 0x3c400000,
	  OPCODE | REGS, 0 },
	{ LARGE_ENTRY, 0, 0xe84c0000, OPCODE | REGS | DS, 0x3c4c0000,
	  OPCODE | REGS, 0 },
	{ LARGE_ENTRY, 4, 0x7c426214, ALL, 0x38420000, OPCODE | REGS, 0 },
	/* Inline calls through the PLT -> direct ones */
	{ PLT_LOW | PLT_STEP, 0, 0, 0, PPC_NOP, ALL, 0 },
	{ PLT_CALL, 0, PPC_BCTRL, ALL, 0x48000001, OPCODE | 3, 0 },
	{ PLT_CALL, 0, PPC_BCTR, ALL, 0x48000000, OPCODE | 3, 0 },
	{ PLT_CALL, 4, 0xe8410018, ALL, PPC_NOP, ALL, 0 },
};

/* There, the thread pointer is r2, and no call restores it. */
static const struct rewrite rewrites32[] = {
	{ HIGH, 0, 0x3c000000, OPCODE, PPC_NOP, ALL, 0 },
	{ TLS_GOT, 0, 0x38000000, OPCODE, PPC_NOP, ALL, 0 },
	{ TLS_GOT, 0, 0x38000000, OPCODE, 0x3c020000, OPCODE | RA, RT },
	{ TLS_CALL, 0, 0x48000001, OPCODE | 3, 0x38620000, OPCODE | REGS, 0 },
	{ TLS_CALL, 0, 0x48000001, OPCODE | 3, 0x38630000, OPCODE | REGS, 0 },
	{ TLS_CALL, 0, PPC_BCTRL, ALL, 0x38620000, OPCODE | REGS, 0 },
	{ TLS_CALL, 0, PPC_BCTRL, ALL, 0x38630000, OPCODE | REGS, 0 },
	{ TLS_GOT, 0, 0x38000000, OPCODE, 0x80000000, OPCODE, REGS },
	{ TLS_CALL, 0, 0x48000001, OPCODE | 3, 0x7c631214, ALL, 0 },
	{ TLS_CALL, 0, PPC_BCTRL, ALL, 0x7c631214, ALL, 0 },
	{ TP_GOT, 0, 0x80000000, OPCODE, PPC_NOP, ALL, 0 },
	{ TP_GOT, 0, 0x80000000, OPCODE, 0x3c020000, OPCODE | RA, RT },
	{ TP_LOW, 0, 0, 0, 0x00020000, RA, OPCODE | RT },
	/* The base is r13, r2 or none: see ppc32_areas. */
	{ SDA, 0, 0, 0, 0x000d0000, RA, OPCODE | RT },
	{ SDA, 0, 0, 0, 0x00020000, RA, OPCODE | RT },
	{ SDA, 0, 0, 0, 0, RA, OPCODE | RT },
	{ PLT_LOW | PLT_STEP, 0, 0, 0, PPC_NOP, ALL, 0 },
	{ PLT_CALL, 0, PPC_BCTRL, ALL, 0x48000001, OPCODE | 3, 0 },
	{ PLT_CALL, 0, PPC_BCTR, ALL, 0x48000000, OPCODE | 3, 0 },
};

/* Groups of relocation types, by name: the numbers have no order. */
static const struct {
	const char *name;
	uint32_t groups;
	enum decided decided;
} types[] = {
	{ "EMB_SDA21", SDA, BY_SDA },
	{ "ENTRY", LARGE_ENTRY, NOTHING_DECIDED },
	{ "GOT16_DS", SMALL_DS, BY_GOT },
	{ "GOT16_HA", HIGH, BY_GOT },
	{ "GOT16_LO", LOW, BY_GOT },
	{ "GOT16_LO_DS", LOW_DS, BY_GOT },
	{ "GOT_DTPREL16_HA", HIGH, BY_DTPREL },
	{ "GOT_DTPREL16_LO_DS", GOT_DS, BY_DTPREL },
	{ "GOT_PCREL34", PREFIXED, BY_PAIR },
	{ "GOT_TLSGD16", TLS_GOT, BY_GD },
	{ "GOT_TLSGD16_HA", HIGH, BY_GD },
	{ "GOT_TLSGD16_LO", TLS_GOT, BY_GD },
	{ "GOT_TLSGD_PCREL34", PREFIXED, BY_GD },
	{ "GOT_TLSLD16", TLS_GOT, BY_LD },
	{ "GOT_TLSLD16_HA", HIGH, BY_LD },
	{ "GOT_TLSLD16_LO", TLS_GOT, BY_LD },
	{ "GOT_TLSLD_PCREL34", PREFIXED, BY_LD },
	{ "GOT_TPREL16", TP_GOT, BY_IE },
	{ "GOT_TPREL16_DS", TP_GOT, BY_IE },
	{ "GOT_TPREL16_HA", HIGH, BY_IE },
	{ "GOT_TPREL16_LO_DS", TP_GOT, BY_IE },
	{ "GOT_TPREL_PCREL34", PREFIXED, BY_IE },
	{ "PCREL_OPT", OPTION, BY_PAIR },
	{ "PLT16_HA", HIGH, BY_PLT },
	{ "PLT16_LO", PLT_LOW, BY_PLT },
	{ "PLT16_LO_DS", PLT_LOW, BY_PLT },
	{ "PLTCALL", PLT_CALL, BY_PLT },
	{ "PLTCALL_NOTOC", PLT_CALL, BY_PLT },
	{ "PLTSEQ", PLT_STEP, BY_PLT },
	{ "PLTSEQ_NOTOC", PLT_STEP, BY_PLT },
	{ "PLT_PCREL34", PREFIXED, BY_PLT },
	{ "PLT_PCREL34_NOTOC", PREFIXED, BY_PLT },
	{ "REL16_HA", TOC_ENTRY, NOTHING_DECIDED },
	{ "REL24", CALL | BL, NOTHING_DECIDED },
	{ "REL24_NOTOC", BL | NOTOC, NOTHING_DECIDED },
	{ "REL24_P9NOTOC", BL | NOTOC, NOTHING_DECIDED },
	{ "TLS", TLS_OPERAND, BY_IE },
	{ "TLSGD", TLS_CALL, BY_GD },
	{ "TLSLD", TLS_CALL, BY_LD },
	{ "TOC16_DS", SMALL_DS, BY_TOC },
	{ "TOC16_HA", HIGH, BY_TOC },
	{ "TOC16_LO", LOW, BY_TOC },
	{ "TOC16_LO_DS", LOW_DS, BY_TOC },
	{ "TPREL16_HA", HIGH, BY_LE },
	{ "TPREL16_LO", TP_LOW, BY_LE },
	{ "TPREL16_LO_DS", TP_LOW_DS, BY_LE },
};
/* clang-format on */

#define LENGTH(table) (sizeof(table) / sizeof((table)[0]))

unsigned ppc_reloc_groups(const struct arch *arch, uint32_t type,
			  enum decided *decided)
{
	const char *name = arch_reloc_name(arch, type);

	*decided = NOTHING_DECIDED;
	if (!arch_reloc_is_known(arch, type))
		return 0;
	name += strlen(arch->is_64 ? "R_PPC64_" : "R_PPC_");
	for (size_t i = 0; i < LENGTH(types); i++)
		if (strcmp(types[i].name, name) == 0) {
			*decided = types[i].decided;
			return types[i].groups;
		}
	return 0;
}

/*
 * ELFv1 saves r2 at 40(r1), and the table has 24(r1). This exchanges the two.
 */
static uint32_t as_listed(const struct arch *arch, uint32_t insn)
{
	if (arch->descriptors == NULL)
		return insn;
	return insn == 0xe8410018   ? 0xe8410028
	       : insn == 0xe8410028 ? 0xe8410018
				    : insn;
}

/* Does it write its base register, too? */
static bool is_update(uint32_t insn)
{
	unsigned opcode = ppc_opcode(insn);

	return (opcode > OP_LWZ && opcode < OP_LMW && opcode % 2 == 1) ||
	       (opcode > 48 && opcode < 56 && opcode % 2 == 1) ||
	       ((opcode == OP_LD || opcode == OP_STD) && (insn & DS) == 1);
}

static bool fits(const struct rewrite *rw, uint32_t before, uint32_t after)
{
	return (before & rw->before_mask) == rw->before &&
	       (after & rw->after_mask) == rw->after &&
	       ((before ^ after) & rw->same) == 0;
}

/* Does the table have the change of the word AT bytes behind INSN? */
static bool is_listed(const struct pair *pair, unsigned groups, uint64_t insn,
		      unsigned at)
{
	bool is_64 = pair->arch->is_64;
	const struct rewrite *list = is_64 ? rewrites64 : rewrites32;
	size_t n = is_64 ? LENGTH(rewrites64) : LENGTH(rewrites32);
	uint32_t before, after;

	if (!ppc_words_at(pair, insn + at, &before, &after) || before == after)
		return false;
	if (is_update(before) && is_update(after))
		return false;
	before = as_listed(pair->arch, before);
	after = as_listed(pair->arch, after);
	for (size_t i = 0; i < n; i++)
		if ((list[i].groups & groups) != 0 && list[i].at == at &&
		    fits(&list[i], before, after))
			return true;
	return false;
}

/*
 * Is it a call, and not of what the section itself holds? No linker puts its
 * code there, which saves r2 for the caller.
 */
static bool may_restore(const struct pair *pair, uint64_t insn)
{
	uint32_t before, after;

	if (!ppc_words_at(pair, insn, &before, &after) ||
	    (before & (OPCODE | 3)) != 0x48000001)
		return false;
	return insn + insn_sign_extend(after & 0x03fffffc, 26) >= pair->size;
}

/* The instruction, the one behind it, or both. */
static bool is_in_table(const struct pair *pair, unsigned groups, uint64_t insn,
			struct byte_range *range)
{
	bool first = is_listed(pair, groups, insn, 0);
	bool second = ((groups & CALL) == 0 || may_restore(pair, insn)) &&
		      is_listed(pair, groups, insn, 4);

	range->start = first ? insn : insn + 4;
	range->end = second ? insn + 8 : insn + 4;
	return first || second;
}

/*
 * The load or store with a distance (D-form) of one with an index (X-form), or
 * addi of add: without registers and distance. 0 if there is none.
 */
static uint32_t without_index(uint32_t insn)
{
	unsigned low = insn >> 1 & 31, high = insn >> 6 & 31;

	if (ppc_opcode(insn) != OP_X || (insn & 1) != 0)
		return 0;
	if (low == 23 && high < 24 && high != 14 && high != 15)
		return (uint32_t)(OP_LWZ + high) << 26;
	if (low == 21 && (high & ~5u) == 0)
		return (uint32_t)(OP_LD + (high & 4)) << 26 | (high & 1);
	if (low == 21 && high == 10)
		return (uint32_t)OP_LD << 26 | 2;
	return low == 10 && high == 8 ? (uint32_t)OP_ADDI << 26 : 0;
}

/*
 * add RT,RA,THREAD and the loads and stores with that index, THREAD being the
 * thread pointer: the distance takes its place. Or it takes the place of RA,
 * whose setting goes.
 */
static bool is_distance(uint32_t before, uint32_t after, unsigned thread)
{
	uint32_t form = without_index(before);
	uint32_t mask = ppc_opcode(form) >= OP_LD ? OPCODE | DS : OPCODE;
	unsigned base = (before >> 11 & 31) == thread ? ppc_ra(before)
						      : before >> 11 & 31;

	/* lwax -> ld: GNU ld and gold lose the last bits. */
	if (form == 0xe8000002 && (after & DS) == 0)
		form = 0xe8000000;
	return form != 0 && (after & mask) == form &&
	       ppc_rt(after) == ppc_rt(before) &&
	       (ppc_ra(after) == base ||
		(ppc_ra(after) == thread && !is_update(form)));
}

/*
 * What is for the thread pointer as operand, where the other one becomes its
 * distance; or, if IS_PCREL, the address: then this is 0 bytes away.
 */
static bool is_indexed(const struct pair *pair, const struct reloc *r,
		       struct byte_range *range)
{
	bool is_pcrel = pair->arch->is_64 && r->offset % 4 == 1;
	uint64_t insn = r->offset & ~(uint64_t)3;
	unsigned thread = pair->arch->is_64 ? 13 : 2;
	uint32_t before, after;

	if (!ppc_words_at(pair, insn, &before, &after) || before == after ||
	    ((before >> 11 & 31) != thread && ppc_ra(before) != thread))
		return false;
	*range = (struct byte_range){ insn, insn + 4 };
	if (!is_pcrel)
		return is_distance(before, after, thread);
	/* add RT,RA,r13 -> mr RT,RA, or nop if these are one */
	if ((before & 0xfc00ffff) == 0x7c006a14)
		return after == (ppc_rt(before) == ppc_ra(before)
					 ? PPC_NOP
					 : 0x7c000378 | ppc_ra(before) << 21 |
						   ppc_rt(before) << 16 |
						   ppc_ra(before) << 11);
	return (before >> 11 & 31) == thread && (after & 0xfffc) == 0 &&
	       ppc_ra(after) == ppc_ra(before) &&
	       is_distance(before, after, thread);
}

/* What a prefixed instruction becomes. X stands for its 34 bits. */
static bool is_prefixed(const struct pair *pair, const struct reloc *r,
			struct byte_range *range)
{
	uint32_t prefix, new_prefix, suffix, new_suffix;
	int64_t distance;
	bool is_pcrel, keeps_rt;

	if (!ppc_words_at(pair, r->offset, &prefix, &new_prefix) ||
	    !ppc_words_at(pair, r->offset + 4, &suffix, &new_suffix))
		return false;
	*range = (struct byte_range){ r->offset, r->offset + 8 };
	is_pcrel = ppc_pcrel34(new_prefix, new_suffix, &distance) &&
		   ppc_ra(new_suffix) == 0;
	keeps_rt = ppc_rt(suffix) == ppc_rt(new_suffix);
	switch (r->type) {
	case PPC64_GOT_PCREL34:
		/* pld -> pla, or, by PCREL_OPT, what used it */
		return is_pcrel &&
		       (keeps_rt || ppc_opcode(new_suffix) != OP_ADDI);
	case PPC64_GOT_TLSGD_PCREL34:
	case PPC64_GOT_TLSLD_PCREL34:
	case PPC64_GOT_TPREL_PCREL34:
		/* pla or pld -> paddi RT,r13,X or, from pla, pld RT,X */
		if (!keeps_rt)
			return false;
		if (ppc_opcode(suffix) == OP_ADDI && is_pcrel &&
		    new_prefix >> 18 == 0x04100000 >> 18)
			return ppc_opcode(new_suffix) == OP_PLD;
		return new_prefix >> 18 == 0x06000000 >> 18 &&
		       (new_suffix & (OPCODE | RA)) == 0x380d0000;
	case PPC64_PLT_PCREL34:
	case PPC64_PLT_PCREL34_NOTOC:
		return (new_prefix == 0x07000000 && new_suffix == 0) ||
		       (new_prefix == PPC_NOP && new_suffix == PPC_NOP);
	default:
		return false;
	}
}

/*
 * The load or store INSN as a prefixed one: the opcode of its second word, and
 * whether the prefix is of the kind 8LS. 0 if there is none.
 */
static unsigned prefixed_opcode(uint32_t insn, bool *is_8ls)
{
	/* By primary opcode and last bits, of which a form has 2, 3 or 4. */
	static const struct {
		uint8_t opcode, mask, low, prefixed;
	} forms[] = {
		{ OP_LD, 3, 0, OP_PLD }, { OP_LD, 3, 2, 41 },  /* lwa */
		{ OP_STD, 3, 0, 61 },	 { OP_STD, 3, 2, 60 }, /* stq */
		{ 57, 3, 2, 42 },	 { 57, 3, 3, 43 },     /* lxsd, lxssp */
		{ 61, 3, 2, 46 },	 { 61, 3, 3, 47 },   /* stxsd, stxssp */
		{ 61, 15, 1, 50 },	 { 61, 15, 9, 51 },  /* lxv */
		{ 61, 15, 5, 54 },	 { 61, 15, 13, 55 }, /* stxv */
		{ 6, 15, 0, 58 },	 { 6, 15, 1, 62 },   /* lxvp, stxvp */
		{ 56, 0, 0, 56 },			     /* lq */
	};
	unsigned opcode = ppc_opcode(insn);

	*is_8ls = false;
	if (opcode % 2 == 0 && ((opcode >= OP_LWZ && opcode < OP_LMW) ||
				(opcode >= 48 && opcode < 56)))
		return opcode;
	*is_8ls = true;
	for (size_t i = 0; i < LENGTH(forms); i++)
		if (forms[i].opcode == opcode &&
		    (insn & forms[i].mask) == forms[i].low)
			return forms[i].prefixed;
	return 0;
}

/*
 * pld RX,symbol@got@pcrel and, at AT, a load or store through RX become that
 * load or store at the address, and a nop.
 */
bool ppc_is_pcrel_opt(const struct pair *pair, const struct reloc *r,
		      uint64_t at)
{
	uint32_t prefix, new_prefix, suffix, new_suffix, before, after;
	bool is_8ls;
	unsigned opcode;

	if (!ppc_words_at(pair, r->offset, &prefix, &new_prefix) ||
	    !ppc_words_at(pair, r->offset + 4, &suffix, &new_suffix) ||
	    !ppc_words_at(pair, at, &before, &after))
		return false;
	opcode = prefixed_opcode(before, &is_8ls);
	return opcode != 0 && after == PPC_NOP && before != after &&
	       ppc_ra(before) == ppc_rt(suffix) && ppc_ra(new_suffix) == 0 &&
	       new_prefix >> 18 == (is_8ls ? 0x04100000u : 0x06100000u) >> 18 &&
	       ppc_opcode(new_suffix) == opcode &&
	       ppc_rt(new_suffix) == ppc_rt(before);
}

/* Changes only the prediction in BO, not the condition. */
static bool is_hint(const struct pair *pair, const struct reloc *r,
		    struct byte_range *range)
{
	uint32_t before, after, hint = 0x00200000;

	if (!ppc_words_at(pair, r->offset, &before, &after) ||
	    ppc_opcode(before) != OP_BC)
		return false;
	if ((before & 0x02800000) == 0x00800000)
		hint |= 0x00400000; /* 001at */
	else if ((before & 0x02800000) == 0x02000000)
		hint |= 0x01000000; /* 1a00t */
	*range = (struct byte_range){ r->offset, r->offset + 4 };
	return ((before ^ after) & ~(hint | 0xfffc)) == 0;
}

bool ppc_is_rewrite(const struct arch *arch, const uint8_t *before,
		    const uint8_t *after, size_t size, const struct reloc *r,
		    struct byte_range *range)
{
	struct pair pair = { arch, before, after, size };
	/* A halfword is the end of a big-endian instruction. */
	uint64_t insn = r->offset & ~(uint64_t)3;
	enum decided decided;
	unsigned groups = ppc_reloc_groups(arch, r->type, &decided);

	if (!arch_reloc_is_known(arch, r->type))
		return false;
	if (r->type == PPC_REL14_BRTAKEN || r->type == PPC_REL14_BRNTAKEN)
		return is_hint(&pair, r, range);
	if ((groups & TLS_OPERAND) != 0)
		return is_indexed(&pair, r, range);
	if (arch->is_64 && (groups & PREFIXED) != 0)
		return is_prefixed(&pair, r, range);
	if (arch->is_64 && (groups & OPTION) != 0) {
		range->start = r->offset + r->addend;
		range->end = range->start + 4;
		return ppc_is_pcrel_opt(&pair, r, range->start);
	}
	return groups != 0 && is_in_table(&pair, groups, insn, range);
}

/* bl, or b, that became a nop. */
bool ppc_is_for_nowhere(const struct arch *arch, const uint8_t *after,
			const struct reloc *r)
{
	enum decided decided;

	return arch->is_64 &&
	       (ppc_reloc_groups(arch, r->type, &decided) & BL) != 0 &&
	       arch_insn(arch, after) == PPC_NOP;
}

/* ld of an entry of .toc -> addi. The linker's own GOT needs no symbol. */
bool ppc_is_for_pointer(const struct arch *arch, const uint8_t *before,
			const uint8_t *after, const struct reloc *r)
{
	enum decided decided;
	unsigned groups = ppc_reloc_groups(arch, r->type, &decided);

	return (groups & (LOW_DS | SMALL_DS)) != 0 && decided == BY_TOC &&
	       ppc_opcode(arch_insn(arch, before - r->offset % 4)) == OP_LD &&
	       ppc_opcode(arch_insn(arch, after - r->offset % 4)) == OP_ADDI;
}

const char *const *ppc32_areas(const struct arch *arch, const uint8_t *after,
			       const struct reloc *r)
{
	static const char *const by_r13[] = { ".sdata", ".sbss" };
	static const char *const by_r2[] = { ".sdata2", ".sbss2" };
	static const char *const by_0[] = { ".PPC.EMB.sdata0",
					    ".PPC.EMB.sbss0" };

	if (r->type != PPC32_EMB_SDA21)
		return NULL;
	switch (ppc_ra(arch_insn(arch, after - r->offset % 4))) {
	case 13:
		return by_r13;
	case 2:
		return by_r2;
	default:
		return by_0;
	}
}

/*
 * One word, and the next one if the instruction is prefixed. PCREL_OPT changes
 * a load further on.
 */
unsigned ppc_rewrite_reach(const struct arch *arch, uint32_t type)
{
	return arch->is_64 && type == PPC64_PCREL_OPT ? 64 : 8;
}
