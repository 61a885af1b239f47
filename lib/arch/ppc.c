/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Power: 64 bits in both byte orders (ELFv2), 64 bits big-endian (ELFv1), and
 * 32 bits big-endian.
 *
 * psABIs: https://github.com/openpower/elfabi (64-Bit ELF V2 ABI); 64-bit
 * PowerPC ELF Application Binary Interface Supplement 1.9 (ELFv1); Power
 * Architecture 32-bit Application Binary Interface Supplement. Instructions:
 * Power ISA, versions 2.03 to 3.1, Book I.
 *
 * ELFv2: a function that uses the TOC has two entries. Calls from outside enter
 * at the global one. They have its address in r12, from which it computes its
 * TOC. Calls that share the TOC enter at the local one, a few instructions
 * further on. st_other has the distance. A nop follows each call. If the call
 * goes through a stub that saved r2, the linker changes the nop to ld
 * r2,24(r1).
 *
 * ELFv1: a function has one entry, and a descriptor in .opd with the addresses
 * of its code and its TOC. The symbol is that of the descriptor, also in calls,
 * and the linker follows the descriptor to the code. It removes the descriptors
 * of dropped functions, so that others move. r2 is saved at 40(r1).
 *
 * 32 bits: there is one entry and no nop. r30 points to the GOT, or into the
 * object's .got2, as the addend of R_PPC_PLTREL24 says.
 *
 * Linkers remove what they can of TOC and TLS accesses. They put the stubs of
 * far calls before, between or behind the input sections.
 */
#include <config.h>

#include <elf.h>
#include <string.h>

#include "reloc.h"
#include "scan.h"
#include "ppc.h"

/* --- The generator's view ---------------------------------------------- */

static bool is_rel24(const struct arch *arch, const struct reloc *r)
{
	if (r->type == PPC_REL24)
		return r->addend == 0;
	if (arch->is_64)
		return (r->type == PPC64_REL24_NOTOC ||
			r->type == PPC64_REL24_P9NOTOC) &&
		       r->addend == 0;
	/* The addend of PLTREL24 belongs to r30, not to the target. */
	return r->type == PPC32_PLTREL24 ||
	       (r->type == PPC32_LOCAL24PC && r->addend == 0);
}

static bool is_rel14(const struct reloc *r)
{
	return (r->type == PPC_REL14 || r->type == PPC_REL14_BRTAKEN ||
		r->type == PPC_REL14_BRNTAKEN) &&
	       r->addend == 0;
}

/* Is it taken whatever the condition register and the counter contain? */
static bool is_always(uint32_t insn)
{
	return (ppc_rt(insn) & 0x14) == 0x14;
}

static bool ppc_find_site(const struct arch *arch, const uint8_t *text,
			  size_t size, const struct reloc *r,
			  struct site_shape *shape)
{
	uint32_t insn;

	if (r->offset % 4 != 0 || size - r->offset < 4)
		return false;
	insn = arch_insn(arch, text + r->offset);
	shape->back = 0;
	shape->length = 4;
	/* The last two bits: absolute, and link. */
	if (ppc_opcode(insn) == OP_B && (insn & 2) == 0 && is_rel24(arch, r)) {
		shape->form = insn & 1 ? FORM_CALL : FORM_TAIL;
		return true;
	}
	if (ppc_opcode(insn) == OP_BC && (insn & 3) == 0 && is_rel14(r)) {
		shape->form = is_always(insn) ? FORM_TAIL : FORM_COND;
		return true;
	}
	return false;
}

/* What relocation types say about uses that are not branches. */
struct use {
	const char *type; /* what its name begins with */
	const char *what;
	const char *remedy;
};

#define NO_LONGCALL \
	"compile without -fno-plt and -mlongcall (clang: -mlongcall)"

#define NO_POOL \
	"compile without -mlongcall and -fno-plt, and do not take the " \
	"address of a probe function"

static const struct use uses[] = {
	{ "PLTSEQ", "call through the PLT, inline", NO_LONGCALL },
	{ "PLTCALL", "call through the PLT, inline", NO_LONGCALL },
	{ "PLT", "load of its address from the PLT", NO_LONGCALL },
	{ "GOT", "load of its address from the GOT", NO_POOL },
	{ "TOC16", "load of its address from the TOC", NO_POOL },
	{ "ADDR16", "its address is computed", NO_POOL },
	{ "ADDR24", "absolute branch", "use bl and b" },
	{ "ADDR14", "absolute branch", "use bl and b" },
	{ "REL14", "conditional call, or a branch to its inside",
	  "branch around a call instead" },
	{ "REL24", "branch to its inside", SCAN_REMEDY },
	{ "LOCAL24PC", "branch to its inside", SCAN_REMEDY },
	{ "PCREL34", "its address is computed", SCAN_REMEDY },
	{ "REL", "its address is computed", SCAN_REMEDY },
};

static const struct section_desc toc = { ".toc", "its address is in .toc",
					 NO_POOL };
static const struct section_desc got2 = { ".got2", "its address is in .got2",
					  NO_POOL };

static void ppc_explain_refusal(const struct arch *arch, const uint8_t *text,
				size_t size, const struct reloc *r,
				struct refusal *refusal)
{
	const char *name = arch_reloc_name(arch, r->type);
	size_t prefix = arch->is_64 ? strlen("R_PPC64_") : strlen("R_PPC_");

	(void)text;
	(void)size;
	/* A halfword is the end of a big-endian instruction. */
	refusal->back = r->offset & 3;
	if (refusal->length != 8)
		refusal->length = 4;
	if (!arch_reloc_is_known(arch, r->type))
		return;
	for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++)
		if (strncmp(name + prefix, uses[i].type,
			    strlen(uses[i].type)) == 0) {
			refusal->what = uses[i].what;
			refusal->remedy = uses[i].remedy;
			return;
		}
}

/*
 * lis r0,HALF; ori r0,r0,HALF; for is-enabled, li r3,0; blr. It keeps r2 and
 * has one entry, so st_other is 0.
 */
static unsigned ppc_make_stub(const struct arch *arch, uint8_t mode,
			      bool is_enabled, uint32_t hash, uint8_t *bytes)
{
	unsigned n = 8;

	(void)mode;
	arch_put_insn(arch, bytes, 0x3c000000 | hash >> 16);
	arch_put_insn(arch, bytes + 4, 0x60000000 | (hash & 0xffff));
	if (is_enabled) {
		arch_put_insn(arch, bytes + n, 0x38600000);
		n += 4;
	}
	arch_put_insn(arch, bytes + n, PPC_BLR);
	return n + 4;
}

/* nop or li r3,0; blr; bclr with the condition of the bc. */
static unsigned ppc_disable(const struct arch *arch, enum site_form form,
			    bool is_enabled, const struct code *code,
			    uint64_t offset, uint8_t bytes[DISABLED_MAX])
{
	uint32_t insn = 0;

	switch (form) {
	case FORM_CALL:
		insn = is_enabled ? 0x38600000 : PPC_NOP;
		break;
	case FORM_TAIL:
		insn = PPC_BLR;
		break;
	case FORM_COND:
		insn = arch_insn(arch, code->bytes + offset);
		if (ppc_opcode(insn) == OP_BC)
			insn = PPC_BCLR | (insn & PPC_CONDITION);
		if ((insn & ~PPC_CONDITION) != PPC_BCLR)
			return 0;
		break;
	case FORM_BRANCH:
		return 0;
	}
	if (is_enabled && form != FORM_CALL)
		return 0;
	arch_put_insn(arch, bytes, insn);
	return 4;
}

/* --- Verify's view ----------------------------------------------------- */

static bool ppc_decode_branch(const struct arch *arch, const struct code *code,
			      uint64_t offset, struct branch *branch)
{
	uint32_t insn;
	int64_t distance;

	if (offset > code->size || code->size - offset < 4 ||
	    (code->addr + offset) % 4 != 0)
		return false;
	insn = arch_insn(arch, code->bytes + offset);
	if (ppc_opcode(insn) == OP_B)
		distance = insn_sign_extend(insn & 0x03fffffc, 26);
	else if (ppc_opcode(insn) == OP_BC)
		distance = insn_sign_extend(insn & 0xfffc, 16);
	else
		return false;
	branch->length = 4;
	branch->field = 0;
	branch->is_short = ppc_opcode(insn) == OP_BC;
	if (insn & 1)
		branch->form = FORM_CALL;
	else if (ppc_opcode(insn) == OP_BC && !is_always(insn))
		branch->form = FORM_COND;
	else
		branch->form = FORM_TAIL;
	branch->target = arch_wrap(arch, (insn & 2 ? 0 : code->addr + offset) +
						 distance);
	return true;
}

static uint64_t first_insn(const struct code *code)
{
	return -code->addr & 3;
}

/* Does the instruction add its immediate to RA, or access memory there? */
static bool has_displacement(uint32_t insn)
{
	unsigned opcode = ppc_opcode(insn);

	return opcode == OP_ADDI || (opcode >= OP_LWZ && opcode <= OP_STD);
}

/*
 * Besides the PC-relative instructions of version 3.1: what follows bcl
 * 20,31,.+4, which puts its own address into the link register. Each
 * displacement up to the next such instruction counts, both with and without
 * what addis put into RA. Where only code that means to form an address counts,
 * it is the displacement of an addi whose RA got the link register, or that
 * plus a constant, earlier in the same frame.
 */
struct bases {
	bool is_valid;
	uint64_t base;
	int64_t high[32];
	uint32_t has_base; /* a bit for each register */
};

/* stwu r1,-N(r1); stdu r1,-N(r1) */
static bool is_frame(uint32_t insn)
{
	return (insn & 0xffff8000) == 0x94218000 ||
	       (insn & 0xffff8003) == 0xf8218001;
}

/* As a base, register 0 is no register but zero. */
static bool has_base(const struct bases *bases, unsigned reg)
{
	return reg != 0 && bases->has_base >> reg & 1;
}

static void follow_base(struct bases *bases, uint64_t addr, uint32_t insn)
{
	if (insn == PPC_BCL_NEXT)
		*bases = (struct bases){ .is_valid = true, .base = addr + 4 };
	else if ((insn & 0xfc1fffff) == PPC_MFLR_R0)
		bases->has_base |= UINT32_C(1) << ppc_rt(insn);
	else if (is_frame(insn))
		bases->has_base = 0;
	else if (ppc_opcode(insn) == OP_ADDIS) {
		bases->high[ppc_rt(insn)] = ppc_imm(insn) * 65536;
		if (has_base(bases, ppc_ra(insn)))
			bases->has_base |= UINT32_C(1) << ppc_rt(insn);
	}
}

static unsigned follow_bases(struct bases *bases, uint64_t addr, uint32_t insn,
			     bool is_meant, uint64_t targets[2])
{
	follow_base(bases, addr, insn);
	if (!bases->is_valid || insn == PPC_BCL_NEXT || !has_displacement(insn))
		return 0;
	if (is_meant &&
	    (ppc_opcode(insn) != OP_ADDI || !has_base(bases, ppc_ra(insn))))
		return 0;
	targets[0] = bases->base + ppc_imm(insn);
	targets[1] = targets[0] + bases->high[ppc_ra(insn)];
	return bases->high[ppc_ra(insn)] == 0 ? 1 : 2;
}

/*
 * b; bclr and bcctr without a condition. A handler may continue behind a trap.
 */
static enum insn_flow flow_of(uint32_t insn)
{
	if (insn == 0x60000000)
		return FLOW_FILLER;
	if ((insn & 0xfc000001) == 0x48000000 ||
	    (insn & 0xfe8007ff) == 0x4e800020 ||
	    (insn & 0xfe8007ff) == 0x4e800420)
		return FLOW_AWAY;
	return FLOW_ON;
}

/*
 * A word of zeros is not an instruction. Compilers end functions with it and a
 * traceback table of one or two more words.
 */
static uint64_t ppc_find_end(const struct arch *arch, const struct code *code,
			     uint64_t start, uint64_t end)
{
	for (unsigned back = 4; back <= 12 && back <= end - start; back += 4)
		if (end <= code->size &&
		    insn_be32(code->bytes + end - back) == 0)
			return end - back;
	return arch_find_word_end(code, start, end,
				  arch->is_big_endian ? insn_be32 : insn_le32,
				  flow_of);
}

static void each_target(const struct arch *arch, const struct code *code,
			bool is_meant, uint64_t low, uint64_t high,
			void (*found)(void *ctx, uint64_t offset,
				      uint64_t target),
			void *ctx)
{
	struct bases bases = { 0 };

	for (uint64_t i = first_insn(code); i + 4 <= code->size; i += 4) {
		uint64_t addr = code->addr + i, targets[2];
		uint32_t insn = arch_insn(arch, code->bytes + i);
		unsigned n =
			follow_bases(&bases, addr, insn, is_meant, targets);
		int64_t distance;

		if (arch->is_64 && i + 8 <= code->size &&
		    ppc_pcrel34(insn, arch_insn(arch, code->bytes + i + 4),
				&distance)) {
			targets[0] = addr + distance;
			n = 1;
		}
		for (unsigned k = 0; k < n; k++) {
			uint64_t target = arch_wrap(arch, targets[k]);

			if (target >= low && target <= high)
				found(ctx, i, target);
		}
	}
}

static void ppc_each_operand(const struct arch *arch, const struct code *code,
			     uint64_t low, uint64_t high,
			     void (*found)(void *ctx, uint64_t offset,
					   uint64_t target),
			     void *ctx)
{
	each_target(arch, code, false, low, high, found, ctx);
}

static void ppc_each_address(const struct arch *arch, const struct code *code,
			     uint64_t low, uint64_t high,
			     void (*found)(void *ctx, uint64_t offset,
					   uint64_t target),
			     void *ctx)
{
	each_target(arch, code, true, low, high, found, ctx);
}

/* Four bytes, or eight behind a prefix. */
static bool ppc_is_boundary(const struct arch *arch, const struct code *code,
			    uint64_t start, uint64_t offset)
{
	while (start < offset && code->size - start >= 4) {
		uint32_t insn = arch_insn(arch, code->bytes + start);

		start += arch->is_64 && ppc_opcode(insn) == OP_PREFIX ? 8 : 4;
	}
	return start == offset;
}

/* The last two bits are the version of the ABI, or 0 if unspecified. */
enum { ABI_MASK = 3, ABI_V1 = 1, ABI_V2 = 2 };

#define LITTLE_V1 "little-endian code of the ELFv1 ABI"
#define LITTLE_V1_REMEDY "compile with -mabi=elfv2"

static const char *ppc64le_refuse_flags(uint32_t flags, const char **remedy)
{
	*remedy = LITTLE_V1_REMEDY;
	return (flags & ABI_MASK) == ABI_V1 ? LITTLE_V1 : NULL;
}

/* If the flags do not say so, descriptors do. Linkers use the same rule. */
#define SHF_PPC_VLE 0x10000000
static const struct section_desc vle = {
	.flag = SHF_PPC_VLE,
	.what = "VLE code",
	.remedy = "compile without -mvle",
};

static const struct section_desc little_v1 = { ".opd", LITTLE_V1,
					       LITTLE_V1_REMEDY };

static const struct descriptor_desc opd = {
	.section = ".opd",
	.prefix = ".",
	.size = 24,
	.reloc_code = PPC64_ADDR64,
	.reloc_toc = PPC64_TOC,
};

/* The addend of these belongs to r30, not to the target. */
static int64_t ppc32_reloc_lead(const struct arch *arch, const uint8_t *field,
				const struct reloc *r, uint64_t *step)
{
	(void)arch;
	(void)field;
	(void)step;
	return r->type == PPC32_PLTREL24 || r->type == PPC_PLTCALL ? 0
								   : r->addend;
}

/* Bits 5 to 7: the distance is 4, 8, 16, 32 or 64 bytes; 0 and 1 mean none. */
static unsigned ppc64_local_entry(uint8_t other)
{
	unsigned log = other >> 5;

	return log >= 2 && log <= 6 ? 1u << log : 0;
}

/*
 * Is it neither a branch nor an instruction that may set r30 or the link
 * register?
 */
static bool keeps_r30(uint32_t insn)
{
	switch (ppc_opcode(insn)) {
	case OP_BC:
	case OP_B:
	case OP_XL:
	case OP_LMW:
		return false;
	case OP_STW:
	case OP_STWU:
	case OP_STMW:
		return ppc_ra(insn) != 30;
	case OP_X:
		if ((insn & 0xfc1fffff) == PPC_MTLR_R0)
			return false;
		break;
	default:
		break;
	}
	return ppc_rt(insn) != 30 && ppc_ra(insn) != 30;
}

static uint64_t ppc_xword(const struct arch *arch, const uint8_t *p)
{
	uint64_t first = arch_insn(arch, p), second = arch_insn(arch, p + 4);

	return arch->is_big_endian ? first << 32 | second
				   : second << 32 | first;
}

/*
 * addis r2,r12,HIGH or lis r2,HIGH; addi r2,r2,LOW. r12 has the address of the
 * first. In the large code model: ld r2,-8(r12); add r2,r2,r12.
 */
static bool ppc64_sets_got(const struct arch *arch, const struct code *code,
			   uint64_t offset, uint64_t *got)
{
	uint32_t high, low;

	if (offset > code->size || code->size - offset < 8)
		return false;
	high = arch_insn(arch, code->bytes + offset);
	low = arch_insn(arch, code->bytes + offset + 4);
	if (high == PPC_LD_R2_R12 && low == PPC_ADD_R2_R12 && offset >= 8) {
		*got = code->addr + offset +
		       ppc_xword(arch, code->bytes + offset - 8);
		return true;
	}
	if (((high & 0xffff0000) != 0x3c4c0000 &&
	     (high & 0xffff0000) != 0x3c400000) ||
	    (low & 0xffff0000) != 0x38420000)
		return false;
	*got = (uint64_t)(ppc_imm(high) * 65536 + ppc_imm(low));
	if (ppc_ra(high) == 12)
		*got += code->addr + offset;
	return true;
}

/*
 * What gcc makes with -fpic and -fPIC: bcl; mflr r30; addis r30,r30,X; addi
 * r30,r30,X. Others between them must leave r30 alone. A store of it does.
 */
static bool ppc32_sets_got(const struct arch *arch, const struct code *code,
			   uint64_t offset, uint64_t *got)
{
	enum { NOTHING, LINK, COUNTER, UPPER } known = NOTHING;

	for (unsigned i = 0; i < 32; i++, offset += 4) {
		uint32_t insn;

		if (offset > code->size || code->size - offset < 4)
			return false;
		insn = arch_insn(arch, code->bytes + offset);
		if (insn == PPC_BCL_NEXT && known == NOTHING) {
			*got = code->addr + offset + 4;
			known = LINK;
		} else if (insn == PPC_MFLR_R30 && known == LINK) {
			known = COUNTER;
		} else if (insn >> 16 == 0x3fde && known == COUNTER) {
			*got += ppc_imm(insn) * 65536;
			known = UPPER;
		} else if (insn >> 16 == 0x3bde && known == UPPER) {
			*got = (uint32_t)(*got + ppc_imm(insn));
			return true;
		} else if (!keeps_r30(insn)) {
			return false;
		}
	}
	return false;
}

/*
 * Functions that save and restore registers. Compilers call them, and the ABI
 * wants linkers to add them: _savegpr0_N, _restgpr0_N, and those of f, v and
 * r12.
 */
static bool is_save_insn(uint32_t insn)
{
	unsigned base = insn >> 16 & 31, reg = insn >> 21 & 31;
	unsigned offset = insn & 0xffff;

	switch (insn >> 26) {
	case 50: /* lfd */
	case 54: /* stfd */
		return base == 1 && offset == 0x10000 - 8 * (32 - reg);
	case 58: /* ld */
	case 62: /* std */
		return (base == 1 && insn << 16 == 16 << 16 && reg == 0) ||
		       ((base == 1 || base == 12) &&
			offset == 0x10000 - 8 * (32 - reg));
	default:
		return insn == 0x7c0803a6; /* mtlr r0 */
	}
}

static unsigned ppc64_added_length(const struct arch *arch,
				   const struct code *code, uint64_t offset)
{
	uint64_t at = offset;

	while (code->size - at >= 4 &&
	       is_save_insn(arch_insn(arch, code->bytes + at)))
		at += 4;
	return at > offset && code->size - at >= 4 &&
			       arch_insn(arch, code->bytes + at) == PPC_BLR
		       ? at + 4 - offset
		       : 0;
}

static const struct arch_scan ppc_scan = {
	.find_site = ppc_find_site,
	.explain_refusal = ppc_explain_refusal,
};

/* clang-format off */
#define PPC_COMMON \
	.trap = 0x7fe00008, /* trap */ \
	.reloc_none = R_PPC_NONE, \
	.reloc_jump_slot = R_PPC_JMP_SLOT, \
	.reloc_irelative = R_PPC_IRELATIVE, \
	.uses_rela = true, \
	.reloc_pc32 = R_PPC_REL32, \
	.reloc_relative = R_PPC_RELATIVE, \
	.stub_align = 4, \
	/* Book II, concurrent modification: b, bl and nop are patch class. */ \
	.store_width = 4, \
	.store_sites = STORE_CALL | STORE_BRANCH, \
	.make_stub = ppc_make_stub, \
	.disable = ppc_disable, \
	.scan = &ppc_scan, \
	.decode_branch = ppc_decode_branch, \
	.each_branch = arch_each_word_branch, \
	.each_operand = ppc_each_operand, \
	.each_address = ppc_each_address, \
	.find_end = ppc_find_end, \
	.is_boundary = ppc_is_boundary, \
	.is_rewrite = ppc_is_rewrite, \
	.is_for_nowhere = ppc_is_for_nowhere, \
	.is_for_pointer = ppc_is_for_pointer, \
	.pointers = ".toc", \
	.judge_part = ppc_judge_part, \
	.rewrite_reach = ppc_rewrite_reach, \
	.decode_plt = ppc_decode_plt, \
	.uses_got = ppc_uses_got, \
	.decode_veneer = ppc_decode_veneer, \
	.restores = ppc_restores
/* clang-format on */

const struct arch arch_ppc32 = {
	.fill = { 0x60, 0x00, 0x00, 0x00 },
	.fill_size = 4,
	.name = "ppc32",
	.bfd_name = "powerpc:common",
	.machine = EM_PPC,
	.is_64 = false,
	.is_big_endian = true,
	.pool = &got2,
	.refuse_section = &vle,
	.adds_no_section = true,
	.relocs = ppc32_relocs,
	.nrelocs = PPC32_NRELOCS,
	.reloc_word = R_PPC_ADDR32,
	.sets_got = ppc32_sets_got,
	.reloc_lead = ppc32_reloc_lead,
	.areas = ppc32_areas,
	.decode_detour = ppc32_decode_detour,
	.is_redirect = ppc32_is_redirect,
	PPC_COMMON,
};

const struct arch arch_ppc64 = {
	.fill = { 0x60, 0x00, 0x00, 0x00 },
	.fill_size = 4,
	.name = "ppc64",
	.bfd_name = "powerpc:common64",
	.machine = EM_PPC64,
	.is_64 = true,
	.is_big_endian = true,
	.flags_mask = ABI_MASK,
	.flags = ABI_V2,
	.pool = &toc,
	.relocs = ppc64_relocs,
	.nrelocs = PPC64_NRELOCS,
	.reloc_word = R_PPC64_ADDR64,
	.got_symbol = ".TOC.",
	.local_entry = ppc64_local_entry,
	.added_length = ppc64_added_length,
	.is_redirect = ppc64_is_redirect,
	.may_redirect = ppc64_may_redirect,
	.sets_got = ppc64_sets_got,
	PPC_COMMON,
};

const struct arch arch_ppc64le = {
	.fill = { 0x00, 0x00, 0x00, 0x60 },
	.fill_size = 4,
	.name = "ppc64le",
	.bfd_name = "powerpc:common64",
	.machine = EM_PPC64,
	.is_64 = true,
	.is_big_endian = false,
	.refuse_flags = ppc64le_refuse_flags,
	.pool = &toc,
	.refuse_section = &little_v1,
	.relocs = ppc64le_relocs,
	.nrelocs = PPC64_NRELOCS,
	.reloc_word = R_PPC64_ADDR64,
	.got_symbol = ".TOC.",
	.local_entry = ppc64_local_entry,
	.added_length = ppc64_added_length,
	.is_redirect = ppc64_is_redirect,
	.may_redirect = ppc64_may_redirect,
	.sets_got = ppc64_sets_got,
	PPC_COMMON,
};

const struct arch arch_ppc64v1 = {
	.fill = { 0x60, 0x00, 0x00, 0x00 },
	.fill_size = 4,
	.name = "ppc64v1",
	.bfd_name = "powerpc:common64",
	.machine = EM_PPC64,
	.is_64 = true,
	.is_big_endian = true,
	/* 0 and 1: no version, and the first. */
	.flags_mask = ABI_V2,
	.flags = 0,
	.pool = &toc,
	.relocs = ppc64_relocs,
	.nrelocs = PPC64_NRELOCS,
	.reloc_word = R_PPC64_ADDR64,
	.descriptors = &opd,
	.added_length = ppc64_added_length,
	.is_redirect = ppc64_is_redirect,
	.may_redirect = ppc64_may_redirect,
	PPC_COMMON,
};
