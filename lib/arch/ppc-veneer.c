/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What linkers put between a call and its target: stubs of the PLT, and of
 * branches that are too far, or that go to code with another TOC. This follows
 * what they compute, but only in these shapes, with a register S:
 *
 * [std r2,24(r1)] [SET] [b | mtctr S; [the rest of a descriptor] bctr]
 *
 * SET makes an address, or loads it from a slot, with the TOC pointer r2, the
 * program counter, or the upper and lower half.
 */
#include <config.h>

#include "reloc.h"
#include "ppc.h"

/* What the linker's code can know of a register. */
enum known {
	KNOWN_NOTHING,
	KNOWN_ADDRESS,
	KNOWN_SLOT, /* what the word at an address holds */
};

struct value {
	enum known known;
	uint64_t addr;
};

struct walk {
	const struct arch *arch;
	const struct code *code;
	uint64_t offset;
	uint64_t start;
	struct value regs[32];
	struct value target;
	bool owes_link; /* r0 keeps the link register */
};

static bool peek(const struct walk *w, uint64_t ahead, uint32_t *insn)
{
	if (w->offset + ahead > w->code->size ||
	    w->code->size - w->offset - ahead < 4)
		return false;
	*insn = arch_insn(w->arch, w->code->bytes + w->offset + ahead);
	return true;
}

/* If the next instruction is INSN, moves behind it. */
static bool accept(struct walk *w, uint32_t insn)
{
	uint32_t found;

	if (!peek(w, 0, &found) || found != insn)
		return false;
	w->offset += 4;
	return true;
}

static void set(struct walk *w, unsigned reg, enum known known, uint64_t addr)
{
	w->regs[reg] = (struct value){ known, arch_wrap(w->arch, addr) };
}

/*
 * One addis, addi, ld or lwz into a register that linkers use. Register 0 as RA
 * means the number 0, and is only allowed in addis, for the upper half of an
 * address.
 */
static bool step_half(struct walk *w)
{
	uint32_t insn;
	unsigned rt, ra;
	struct value base;

	if (!peek(w, 0, &insn))
		return false;
	rt = ppc_rt(insn);
	ra = ppc_ra(insn);
	base = w->regs[ra];
	if (ra == 0)
		base = (struct value){ KNOWN_ADDRESS, 0 };
	if (rt != 11 && rt != 12)
		return false;
	if (base.known != KNOWN_ADDRESS)
		return false;
	if (ppc_opcode(insn) == OP_ADDIS)
		set(w, rt, KNOWN_ADDRESS, base.addr + ppc_imm(insn) * 65536);
	else if (ppc_opcode(insn) == OP_ADDI && ra != 0)
		set(w, rt, KNOWN_ADDRESS, base.addr + ppc_imm(insn));
	else if (ra != 0 && w->arch->is_64 && ppc_opcode(insn) == OP_LD &&
		 (insn & 3) == 0)
		set(w, rt, KNOWN_SLOT, base.addr + ppc_imm(insn));
	else if (ra != 0 && !w->arch->is_64 && ppc_opcode(insn) == OP_LWZ)
		set(w, rt, KNOWN_SLOT, base.addr + ppc_imm(insn));
	else
		return false;
	w->offset += 4;
	return true;
}

/* pla r12,X or pld r12,X, behind a nop if it would cross 64 bytes */
static bool step_pcrel(struct walk *w)
{
	uint32_t prefix, suffix;
	int64_t distance;
	unsigned pad = peek(w, 0, &prefix) && prefix == PPC_NOP ? 4 : 0;
	uint64_t addr = w->code->addr + w->offset + pad;

	if (!w->arch->is_64 || !peek(w, pad, &prefix) ||
	    !peek(w, pad + 4, &suffix) ||
	    !ppc_pcrel34(prefix, suffix, &distance) || ppc_rt(suffix) != 12 ||
	    ppc_ra(suffix) != 0)
		return false;
	if ((prefix & 0x02000000) != 0 && ppc_opcode(suffix) == OP_ADDI)
		set(w, 12, KNOWN_ADDRESS, addr + distance);
	else if ((prefix & 0x02000000) == 0 && ppc_opcode(suffix) == 57)
		set(w, 12, KNOWN_SLOT, addr + distance);
	else
		return false;
	w->offset += pad + 8;
	return true;
}

/* Gets the address of the instruction behind a bcl, and keeps lr. */
static bool step_counter(struct walk *w)
{
	uint64_t addr = w->code->addr + w->offset + 8;

	/* mflr r0; bcl; mflr r12; and mtlr r0, at once or later */
	if (!w->arch->is_64 && accept(w, 0x7c0802a6)) {
		if (!accept(w, PPC_BCL_NEXT) || !accept(w, 0x7d8802a6))
			return false;
		set(w, 12, KNOWN_ADDRESS, addr);
		w->owes_link = !accept(w, PPC_MTLR_R0);
		return true;
	}
	/* mflr r12; bcl; mflr r11; mtlr r12 */
	if (accept(w, 0x7d8802a6)) {
		if (!accept(w, PPC_BCL_NEXT) || !accept(w, 0x7d6802a6) ||
		    !accept(w, 0x7d8803a6))
			return false;
		set(w, 11, KNOWN_ADDRESS, addr);
		return true;
	}
	return false;
}

/* ELFv2's r2 is at 24(r1), ELFv1's at 40(r1). */
static bool save_toc(struct walk *w)
{
	return w->arch->is_64 &&
	       (accept(w, 0xf8410018) || accept(w, 0xf8410028));
}

/* For the target's TOC: addis r2,r2,X; addi r2,r2,X, or one of them. */
static void change_toc(struct walk *w)
{
	uint32_t insn;

	for (int i = 0; i < 2 && peek(w, 0, &insn); i++) {
		if (insn >> 16 != (i == 0 ? 0x3c42 : 0x3842))
			continue;
		w->offset += 4;
		w->regs[2].known = KNOWN_NOTHING;
	}
}

/*
 * The other words of a descriptor: maybe ld r11,16(SLOT), then ld r2,8(SLOT).
 */
static bool load_descriptor(struct walk *w)
{
	bool has_toc = false;
	uint32_t insn;

	for (int i = 0; i < 2 && peek(w, 0, &insn); i++) {
		struct value *base = &w->regs[ppc_ra(insn)];
		unsigned rt = ppc_rt(insn);

		if (ppc_opcode(insn) != OP_LD || (insn & 3) != 0)
			break;
		if (ppc_ra(insn) == 0 || base->known != KNOWN_ADDRESS ||
		    (rt != 2 && rt != 11) ||
		    base->addr + ppc_imm(insn) !=
			    w->target.addr + (rt == 2 ? 8 : 16))
			return false;
		has_toc |= rt == 2;
		w->regs[rt].known = KNOWN_NOTHING;
		w->offset += 4;
	}
	return has_toc;
}

/* b X, to li r0,N or lis r0,N, which makes the loader fill slot N. */
static bool fill_slot(struct walk *w)
{
	uint32_t insn, first;
	uint64_t at;

	if (!peek(w, 0, &insn) || ppc_opcode(insn) != OP_B || (insn & 3) != 0)
		return false;
	at = w->offset + insn_sign_extend(insn & 0x03fffffc, 26);
	if (at > w->code->size || w->code->size - at < 4)
		return false;
	w->offset += 4;
	first = arch_insn(w->arch, w->code->bytes + at);
	return first >> 16 == 0x3800 || first >> 16 == 0x3c00;
}

/*
 * In ELFv1 the slot is a descriptor. The loader may still be filling it when
 * another thread reads it. Then r2 is 0, and the stub goes to the loader.
 */
static bool jump_by_descriptor(struct walk *w)
{
	if (!load_descriptor(w))
		return false;
	if (accept(w, PPC_BCTR))
		return true;
	return accept(w, PPC_CMPLDI_R2) && accept(w, PPC_BNECTR) &&
	       fill_slot(w);
}

/* b X, or mtctr r12; bctr: the end of each stub. */
static bool finish(struct walk *w)
{
	uint32_t insn;

	if (!peek(w, 0, &insn))
		return false;
	if (ppc_opcode(insn) == OP_B && (insn & 3) == 0) {
		uint64_t target = arch_wrap(
			w->arch,
			w->code->addr + w->offset +
				insn_sign_extend(insn & 0x03fffffc, 26));

		/*
		 * r12 must have the address of the function to which it goes.
		 */
		if (w->regs[12].known != KNOWN_NOTHING &&
		    (w->regs[12].known != KNOWN_ADDRESS ||
		     w->regs[12].addr != target))
			return false;
		w->target = (struct value){ KNOWN_ADDRESS, target };
		w->offset += 4;
		return true;
	}
	for (unsigned reg = 11; reg <= 12; reg++)
		if (insn == (0x7c0903a6 | reg << 21)) {
			w->target = w->regs[reg];
			w->offset += 4;
			if (w->target.known == KNOWN_NOTHING)
				return false;
			return accept(w, PPC_BCTR) ||
			       (w->arch->descriptors != NULL &&
				w->target.known == KNOWN_SLOT &&
				jump_by_descriptor(w));
		}
	return false;
}

static unsigned got_register(const struct arch *arch)
{
	return arch->is_64 ? 2 : 30;
}

/* Follows the stub at OFFSET. Returns its length, or 0 if it is not a stub. */
static unsigned walk_stub(struct walk *w, uint64_t got)
{
	bool saves, computes;

	if ((w->code->addr + w->offset) % 4 != 0 || w->offset > w->code->size)
		return 0;
	w->start = w->offset;
	if (got != 0)
		set(w, got_register(w->arch), KNOWN_ADDRESS, got);
	saves = save_toc(w);
	computes = step_pcrel(w);
	if (!computes) {
		computes = step_counter(w);
		for (int i = 0; i < 3; i++)
			computes |= step_half(w);
	}
	/*
	 * A plain jump is not a stub, nor is one behind other work of a
	 * function.
	 */
	if (!saves && !computes)
		return 0;
	if (saves && !computes)
		change_toc(w);
	if (w->owes_link && !accept(w, PPC_MTLR_R0))
		return 0;
	return finish(w) ? w->offset - w->start : 0;
}

/* No stub has more instructions in front of the one that leaves it. */
#define STUB_INSNS_MAX 8

bool ppc_uses_got(const struct arch *arch, const struct code *code,
		  uint64_t offset)
{
	struct walk w = { .arch = arch, .code = code, .offset = offset };
	uint32_t insn;

	if ((code->addr + offset) % 4 != 0 || offset > code->size)
		return false;
	for (unsigned i = 0; i < STUB_INSNS_MAX && peek(&w, 4 * i, &insn); i++)
		if (ppc_ra(insn) == got_register(arch) &&
		    (ppc_rt(insn) == 11 || ppc_rt(insn) == 12))
			return true;
	return false;
}

bool ppc_decode_plt(const struct arch *arch, const struct code *code,
		    uint64_t offset, uint64_t got, uint64_t *slot)
{
	struct walk w = { .arch = arch, .code = code, .offset = offset };

	if (walk_stub(&w, got) == 0 || w.target.known != KNOWN_SLOT)
		return false;
	*slot = w.target.addr;
	return true;
}

unsigned ppc_decode_veneer(const struct arch *arch, const struct code *code,
			   uint64_t offset, uint64_t got, uint64_t *target)
{
	struct walk w = { .arch = arch, .code = code, .offset = offset };
	unsigned length = walk_stub(&w, got);

	if (length == 0 || w.target.known != KNOWN_ADDRESS)
		return 0;
	*target = w.target.addr;
	return length;
}

/*
 * A stub that leads to code with another TOC, as to another component, saves r2
 * first, and the linker makes a nop behind the call load it again. If a
 * function saves r2 itself, which TOCSAVE says, the call skips that.
 */
bool ppc_restores(const struct arch *arch, const struct called *called)
{
	uint32_t slot = arch->descriptors != NULL ? 40 : 24;
	bool saves;

	if (!arch->is_64 || called->size < 8 ||
	    called->reloc->type != PPC_REL24 ||
	    (arch_insn(arch, called->before) & 0xfc000003) != 0x48000001 ||
	    arch_insn(arch, called->before + 4) != PPC_NOP)
		return true;
	saves = arch_insn(arch, called->hop) == (0xf8410000 | slot);
	if (arch_insn(arch, called->after + 4) == (0xe8410000 | slot))
		return saves || (called->behind != NULL &&
				 called->behind->type == PPC64_TOCSAVE);
	return !called->is_hop || (!saves && !called->leaves);
}
