/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The closed list of rewrites that linkers make for LoongArch, in place and
 * where they delete code.
 *
 * psABI: "ELF for the LoongArch Architecture", relocations and their linker
 * relaxation; "TLS Descriptors". Rewrites in place are those of lld
 * (lld/ELF/Arch/LoongArch.cpp, since 22), mold and GNU ld 2.47.
 */
#include <config.h>

#include "loongarch.h"
#include "reloc.h"

enum { REG_TP = 2 };
enum { RD = 0x1f, RJ = 0x3e0, RD_RJ = 0x3ff };

/* clang-format off */
#define PCALAU12I { 0x1a000000, 0xfe000000 }
#define LU12I_W   { 0x14000000, 0xfe000000 }
#define ADDI_D    { 0x02c00000, 0xffc00000 }
#define LD_D      { 0x28c00000, 0xffc00000 }
#define ORI       { 0x03800000, 0xffc00000 }
#define ORI_ZERO  { 0x03800000, 0xffc003e0 } /* of register zero */
#define ADD_D_TP  { 0x00108800, 0xfffffc00 } /* REG,REG,tp */
#define NOP       { INSN_NOP, 0xffffffff }
/* Of register a0. */
#define PCALAU12I_0 { 0x1a000004, 0xfe00001f }
#define LU12I_W_0   { 0x14000004, 0xfe00001f }
#define LU12I_W_0_0 { 0x14000004, 0xffffffff }
#define ADDI_D_0    { 0x02c00084, 0xffc003ff }
#define ADDI_W_0    { 0x02800084, 0xffc003ff }
#define LD_D_0      { 0x28c00084, 0xffc003ff }
#define ORI_0       { 0x03800084, 0xffc003ff }
#define ORI_0_ZERO  { 0x03800004, 0xffc003ff }
/* The call of a descriptor's function uses these: ra,a0,0 and ra,ra,0. */
#define LD_D_RA_0 { 0x28c00081, 0xffffffff }
#define JIRL_RA   { 0x4c000021, 0xffffffff }
/* clang-format on */

/*
 * A place: the code of the partial and of the image there, and the relocations
 * from there on. Where nothing is deleted, only the first relocation is known,
 * and whether it has R_LARCH_RELAX.
 */
struct spot {
	const struct reloc *relocs;
	size_t n;
	bool is_rigid;
	const struct code *before, *after;
	unsigned nbefore, nafter; /* what the change takes, in bytes */
};

static bool has_reloc(const struct spot *s, uint64_t offset, uint32_t type)
{
	if (s->is_rigid)
		return type != LA_RELAX;
	for (size_t i = 0;
	     i < s->n && s->relocs[i].offset <= s->relocs[0].offset + offset;
	     i++)
		if (s->relocs[i].offset == s->relocs[0].offset + offset &&
		    s->relocs[i].type == type)
			return true;
	return false;
}

static bool may_relax(const struct spot *s, uint64_t offset)
{
	return has_reloc(s, offset, LA_RELAX);
}

/*
 * Instruction I of the N bytes of CODE, or 0 behind its end. 0 is not an
 * instruction.
 */
static uint32_t insn_at(const struct code *code, unsigned i)
{
	return code->size / 4 > i ? insn_le32(code->bytes + 4 * i) : 0;
}

static bool takes(struct spot *s, unsigned nbefore, unsigned nafter)
{
	s->nbefore = nbefore;
	s->nafter = nafter;
	return true;
}

/* --- One instruction, or two that belong together ----------------------- */

/*
 * What two instructions with relocations of these types may become. SAME has
 * the bits that stay. If they are side by side, they become one of the pairs.
 * Compilers may put other code between them. Then each is judged by itself.
 */
struct couple {
	uint16_t types[2];
	struct insn_pattern before[2];
	struct insn_pattern after[2];
	uint32_t same[2];
};

/* clang-format off */
#define INITIAL_EXEC \
	{ LA_TLS_IE_PC_HI20, LA_TLS_IE_PC_LO12 }, { PCALAU12I, LD_D }
#define DESCRIPTOR \
	{ LA_TLS_DESC_LD, LA_TLS_DESC_CALL }, { LD_D_RA_0, JIRL_RA }

static const struct couple couples[] = {
	/* Initial to local exec, within 4 KiB and beyond. */
	{ INITIAL_EXEC, { NOP, ORI_ZERO }, { 0, RD } },
	{ INITIAL_EXEC, { LU12I_W, ORI }, { RD, RD_RJ } },
	/*
	 * A descriptor to local exec, twice, the second by mold; and to initial
	 * exec.
	 */
	{ DESCRIPTOR, { NOP, ORI_0_ZERO }, { 0, 0 } },
	{ DESCRIPTOR, { LU12I_W_0, ORI_0 }, { 0, 0 } },
	{ DESCRIPTOR, { LU12I_W_0, ADDI_W_0 }, { 0, 0 } },
	{ DESCRIPTOR, { PCALAU12I_0, LD_D_0 }, { 0, 0 } },
	/* mold 3 forgets the upper part in its ori. So that must be 0. */
	{ DESCRIPTOR, { LU12I_W_0_0, ORI_0_ZERO }, { 0, 0 } },
};
/* clang-format on */

#define NCOUPLES (sizeof(couples) / sizeof(couples[0]))

/* Does an instruction of COUPLE change from BEFORE to AFTER so? */
static bool fits_half(const struct couple *couple, unsigned half,
		      uint32_t before, uint32_t after)
{
	return insn_matches(&couple->before[half], before) &&
	       insn_matches(&couple->after[half], after) &&
	       ((before ^ after) & couple->same[half]) == 0;
}

static bool is_adjacent(const struct spot *s, const struct couple *couple)
{
	uint32_t first = insn_at(s->before, 0), second = insn_at(s->before, 1);

	return insn_matches(&couple->before[0], first) &&
	       insn_matches(&couple->before[1], second) &&
	       loongarch_rj(second) == loongarch_rd(first) &&
	       has_reloc(s, 4, couple->types[1]);
}

/* Does COUPLE fit, maybe without a NOP that is deleted? */
static bool change_couple(struct spot *s, const struct couple *couple)
{
	uint32_t first = insn_at(s->before, 0), second = insn_at(s->before, 1);
	uint32_t now = insn_at(s->after, 0);

	if (fits_half(couple, 0, first, now) &&
	    fits_half(couple, 1, second, insn_at(s->after, 1)))
		return takes(s, 8, 8);
	return insn_matches(&couple->after[0], INSN_NOP) && may_relax(s, 0) &&
	       fits_half(couple, 1, second, now) && takes(s, 8, 4);
}

/* An instruction that may be deleted where its relocation is. */
struct change {
	uint16_t type;
	struct insn_pattern before;
};

/* R_LARCH_RELAX deletes these, unless they stay as they were. */
static const struct change vanishing[] = {
	{ LA_TLS_IE_PC_HI20, PCALAU12I },
	/* Local exec whose offset fits into 12 bits. */
	{ LA_TLS_LE_HI20_R, LU12I_W },
	{ LA_TLS_LE_ADD_R, ADD_D_TP },
};

/* The instructions before the couple of a descriptor become NOPs. */
static const struct change emptied[] = {
	{ LA_TLS_DESC_PC_HI20, PCALAU12I_0 },
	{ LA_TLS_DESC_PC_LO12, ADDI_D_0 },
};

/* addi, load or store: the upper 10 bits. */
static bool has_address(uint32_t insn)
{
	unsigned op = insn >> 22;

	return op == OP_ADDI_D || op == 0x00a || (op >= 0x0a0 && op <= 0x0b3);
}

/* In local exec, the last one may then count from tp itself. */
static bool change_base(struct spot *s)
{
	uint32_t insn = insn_at(s->before, 0), now = insn_at(s->after, 0);

	return has_address(insn) && ((insn ^ now) & ~(MASK_S12 | RJ)) == 0 &&
	       loongarch_rj(now) == REG_TP && takes(s, 4, 4);
}

static bool is_listed(const struct change *changes, size_t n, uint32_t type,
		      uint32_t insn)
{
	for (size_t i = 0; i < n; i++)
		if (changes[i].type == type &&
		    insn_matches(&changes[i].before, insn))
			return true;
	return false;
}

#define IS_LISTED(table) \
	is_listed(table, sizeof(table) / sizeof((table)[0]), type, insn)

static bool change_one(struct spot *s, uint32_t type)
{
	uint32_t insn = insn_at(s->before, 0), now = insn_at(s->after, 0);
	bool is_same = s->after->size >= 4 && ((insn ^ now) & ~MASK_S20) == 0;

	if (type == LA_TLS_LE_LO12_R)
		return change_base(s);
	for (size_t i = 0; i < NCOUPLES; i++)
		for (unsigned half = 0; half < 2; half++)
			if (couples[i].types[half] == type &&
			    fits_half(&couples[i], half, insn, now))
				return takes(s, 4, 4);
	if (now == INSN_NOP && IS_LISTED(emptied))
		return takes(s, 4, 4);
	return may_relax(s, 0) && !is_same && IS_LISTED(vanishing) &&
	       takes(s, 4, 0);
}

static bool change_one_or_two(struct spot *s, uint32_t type)
{
	bool is_coupled = false;

	for (size_t i = 0; i < NCOUPLES; i++) {
		if (couples[i].types[0] != type || !is_adjacent(s, &couples[i]))
			continue;
		if (change_couple(s, &couples[i]))
			return true;
		is_coupled = true;
	}
	return !is_coupled && change_one(s, type);
}

/* --- Addresses ----------------------------------------------------------- */

/*
 * An address: pcalau12i and the instruction that adds the low part or loads
 * from there, side by side, with one register.
 */
struct address {
	uint16_t high, low;
	struct insn_pattern second;
};

static const struct address addresses[] = {
	{ LA_PCALA_HI20, LA_PCALA_LO12, ADDI_D },
	{ LA_GOT_PC_HI20, LA_GOT_PC_LO12, LD_D },
	{ LA_TLS_LD_PC_HI20, LA_GOT_PC_LO12, ADDI_D },
	{ LA_TLS_GD_PC_HI20, LA_GOT_PC_LO12, ADDI_D },
	{ LA_TLS_DESC_PC_HI20, LA_TLS_DESC_PC_LO12, ADDI_D },
};

static bool is_address(const struct spot *s, const struct address *address)
{
	static const struct insn_pattern pcalau12i = PCALAU12I;
	uint32_t first = insn_at(s->before, 0), second = insn_at(s->before, 1);

	return has_reloc(s, 4, address->low) &&
	       insn_matches(&pcalau12i, first) &&
	       insn_matches(&address->second, second) &&
	       loongarch_rd(second) == loongarch_rd(first) &&
	       loongarch_rj(second) == loongarch_rd(first);
}

/* Does the image compute what the partial loads from the GOT? */
static bool is_computed(const struct spot *s)
{
	static const struct insn_pattern addi = ADDI_D;

	return ((insn_at(s->before, 0) ^ insn_at(s->after, 0)) & ~MASK_S20) ==
		       0 &&
	       ((insn_at(s->before, 1) ^ insn_at(s->after, 1)) & RD_RJ) == 0 &&
	       insn_matches(&addi, insn_at(s->after, 1));
}

/* Within 2 MiB both become pcaddi. */
static bool change_address(struct spot *s, uint32_t type)
{
	uint32_t rd = loongarch_rd(insn_at(s->before, 0));
	uint32_t now = insn_at(s->after, 0);

	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		if (addresses[i].high != type || !is_address(s, &addresses[i]))
			continue;
		if (may_relax(s, 0) && may_relax(s, 4) &&
		    now >> 25 == OP_PCADDI && loongarch_rd(now) == rd)
			return takes(s, 8, 4);
		if (type == LA_GOT_PC_HI20 && is_computed(s))
			return takes(s, 8, 8);
	}
	return false;
}

/* --- Four: a TLS descriptor ---------------------------------------------- */

/* pcalau12i a0; addi.d a0,a0; ld.d ra,a0,0; jirl ra,ra,0, side by side. */
static bool is_descriptor(const struct spot *s)
{
	static const struct {
		uint16_t type;
		struct insn_pattern insn;
	} parts[] = {
		{ LA_TLS_DESC_PC_HI20, PCALAU12I_0 },
		{ LA_TLS_DESC_PC_LO12, ADDI_D_0 },
		{ LA_TLS_DESC_LD, LD_D_RA_0 },
		{ LA_TLS_DESC_CALL, JIRL_RA },
	};

	for (unsigned i = 0; i < 4; i++)
		if (!has_reloc(s, 4 * i, parts[i].type) ||
		    !insn_matches(&parts[i].insn, insn_at(s->before, i)))
			return false;
	return true;
}

/* What is left of it. */
static const struct ending {
	unsigned n;
	struct insn_pattern insns[4];
} endings[] = {
	/* GNU ld without deletion: local and initial exec. */
	{ 4, { LU12I_W_0, ORI_0, NOP, NOP } },
	{ 4, { PCALAU12I_0, LD_D_0, NOP, NOP } },
	{ 1, { ORI_0_ZERO } },		/* local exec */
	{ 2, { LU12I_W_0, ORI_0 } },	/* the same, of lld */
	{ 2, { LU12I_W_0, ADDI_W_0 } }, /* the same, of mold */
	{ 2, { PCALAU12I_0, LD_D_0 } }, /* initial exec */
};

static bool ends_so(const struct spot *s, const struct ending *ending)
{
	for (unsigned i = 0; i < ending->n; i++)
		if (!insn_matches(&ending->insns[i], insn_at(s->after, i)))
			return false;
	/* Those that are deleted. */
	for (unsigned i = 0; i < 4 - ending->n; i++)
		if (!may_relax(s, 4 * i))
			return false;
	return true;
}

static bool change_descriptor(struct spot *s)
{
	if (!is_descriptor(s))
		return false;
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (ends_so(s, &endings[i]))
			return takes(s, 16, 4 * endings[i].n);
	return false;
}

/* --- Calls and alignment ------------------------------------------------- */

/*
 * pcaddu18i and jirl become bl or b. For a weak function that nothing defines,
 * jirl jumps to 0 (GNU ld 2.47).
 */
static bool change_call(struct spot *s)
{
	uint32_t first = insn_at(s->before, 0), second = insn_at(s->before, 1);
	uint32_t now = insn_at(s->after, 0);
	unsigned rd = loongarch_rd(second);
	uint32_t nowhere = (uint32_t)OP_JIRL << 26 | rd;

	if (!loongarch_is_pair(first, second))
		return false;
	if (((first ^ now) & ~MASK_S20) == 0)
		return insn_at(s->after, 1) == nowhere && takes(s, 8, 8);
	return may_relax(s, 0) &&
	       (now == nowhere || now >> 26 == (rd == REG_RA ? OP_BL : OP_B)) &&
	       takes(s, 8, 4);
}

/* Of that many bytes of NOPs, keeps those that the address needs. */
static bool relax_align(const struct reloc *r, const struct code *before,
			const struct code *after, unsigned *nbefore,
			unsigned *nafter)
{
	uint64_t nops = r->addend, max = UINT64_MAX, align = 4, end;

	/*
	 * With a symbol: the exponent of the alignment, and the maximum to
	 * insert.
	 */
	if (r->symndx != 0) {
		if ((r->addend & 0xff) > 31)
			return false;
		align = (uint64_t)1 << (r->addend & 0xff);
		nops = align > 4 ? align - 4 : 0;
		max = (uint64_t)r->addend >> 8;
		if (max == 0)
			max = UINT64_MAX;
	}
	if (nops > before->size)
		return false;
	while (r->symndx == 0 && align <= nops)
		align *= 2;
	end = -after->addr & (align - 1);
	if (end > max)
		end = 0;
	if (end > nops || end > after->size)
		return false;
	for (uint64_t at = 0; at < end; at += 4)
		if (insn_le32(after->bytes + at) != INSN_NOP)
			return false;
	*nbefore = nops;
	*nafter = end;
	return true;
}

/* --- The hooks ----------------------------------------------------------- */

static bool change(struct spot *s, uint32_t type)
{
	return (type == LA_CALL36 && change_call(s)) ||
	       (type == LA_TLS_DESC_PC_HI20 && change_descriptor(s)) ||
	       change_one_or_two(s, type) || change_address(s, type);
}

bool loongarch_relax(const struct arch *arch, const struct reloc *relocs,
		     size_t n, const struct code *before,
		     const struct code *after, unsigned *nbefore,
		     unsigned *nafter)
{
	struct spot s = {
		.relocs = relocs, .n = n, .before = before, .after = after
	};

	(void)arch;
	for (size_t i = 0; i < n && relocs[i].offset == relocs[0].offset; i++) {
		uint32_t type = relocs[i].type;

		if (type == LA_ALIGN)
			return relax_align(&relocs[i], before, after, nbefore,
					   nafter);
		if (change(&s, type)) {
			*nbefore = s.nbefore;
			*nafter = s.nafter;
			return true;
		}
	}
	return false;
}

uint64_t loongarch_deletes_max(const struct reloc *r)
{
	unsigned exponent = r->addend & 0xff;

	if (r->type != LA_ALIGN)
		return 8; /* of a pair of instructions at most */
	if (r->symndx == 0)
		return r->addend;
	return exponent > 31 ? 0 : (uint64_t)1 << exponent;
}

/*
 * The type of the first of a couple whose second has TYPE, if it comes right
 * before.
 */
static uint32_t first_of(const struct spot *s, uint32_t type)
{
	for (size_t i = 0; i < NCOUPLES; i++)
		if (couples[i].types[1] == type && is_adjacent(s, &couples[i]))
			return couples[i].types[0];
	return LA_NONE;
}

/* Where nothing is deleted, NOPs stay. */
bool loongarch_is_rewrite(const struct arch *arch, const uint8_t *before,
			  const uint8_t *after, size_t size,
			  const struct reloc *r, struct byte_range *range)
{
	uint64_t at = r->offset;
	struct code x, y;
	struct spot s = {
		.relocs = r, .n = 1, .is_rigid = true, .before = &x, .after = &y
	};
	uint32_t type = LA_NONE;

	(void)arch;
	if (at > size)
		return false;
	if (at >= 4) {
		at -= 4;
		x = (struct code){ before + at, size - at, 0 };
		y = (struct code){ after + at, size - at, 0 };
		type = first_of(&s, r->type);
	}
	if (type == LA_NONE) {
		at = r->offset;
		type = r->type;
		x = (struct code){ before + at, size - at, 0 };
		y = (struct code){ after + at, size - at, 0 };
	}
	if (!change(&s, type))
		return false;
	*range = (struct byte_range){ at, at + s.nafter };
	return true;
}

/* A call of address 0: jirl, maybe behind the pcaddu18i that was left. */
bool loongarch_is_for_nowhere(const struct arch *arch, const uint8_t *after,
			      const struct reloc *r)
{
	uint32_t insn;

	(void)arch;
	if (r->type != LA_CALL36)
		return false;
	insn = insn_le32(after);
	if (insn >> 25 == OP_PCADDU18I)
		insn = insn_le32(after + 4);
	return insn >> 26 == OP_JIRL && loongarch_rj(insn) == REG_ZERO;
}
