/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What linkers decide for a symbol on Power: how far it is from the TOC pointer
 * or the thread pointer, which model of thread-local storage will do, and
 * whether a call needs the PLT. All instructions that serve the symbol follow.
 */
#include <config.h>

#include "reloc.h"
#include "ppc-rewrite.h"

/* The decisions. */
enum {
	/* Above those of enum tls_model. */
	FAR = 1 << 3,	  /* upper and lower half, or nothing rewritten */
	NEAR = 1 << 4,	  /* the lower half is enough */
	IE_FAR = 1 << 5,  /* the same, of initial exec */
	IE_NEAR = 1 << 6, /* the distance to the thread pointer is loaded */
	LE_FAR = 1 << 7,  /* the distance is a number */
	LE_NEAR = 1 << 8,
	DIRECT = 1 << 9, /* the call goes to the function */
	ANY_GOT = FAR | NEAR,
	IE = IE_FAR | IE_NEAR,
	LE = LE_FAR | LE_NEAR,
	TO_IE = 2,   /* by how many bits those of IE are above the others */
	TO_BASE = 3, /* by how many those of a base register, by its number */
};

/* An instruction, and the one behind it. */
struct change {
	const struct arch *arch;
	unsigned groups;
	uint32_t before, after;
	uint32_t next_before, next_after;
};

static unsigned thread_pointer(const struct change *c)
{
	return c->arch->is_64 ? 13 : 2;
}

/* If it is already the base in the partial, the upper half was never needed. */
static uint32_t by_base(const struct change *c, unsigned base)
{
	if (ppc_ra(c->before) == base)
		return ANY_GOT;
	return ppc_ra(c->after) == base ? NEAR : FAR;
}

/* The load of a distance, or the argument of __tls_get_addr. */
static uint32_t by_tls_got(const struct change *c)
{
	unsigned load = c->arch->is_64 ? OP_LD : OP_LWZ;

	if (c->after == PPC_NOP)
		return LE_NEAR;
	if (ppc_opcode(c->after) == OP_ADDIS)
		return LE_FAR;
	return by_base(c, 2) << (ppc_opcode(c->after) == load ? TO_IE : 0);
}

/* The call of __tls_get_addr, and the nop behind it. */
static uint32_t by_tls_call(const struct change *c)
{
	uint32_t add = 0x7c630214 | thread_pointer(c) << 11;
	uint32_t near = 0x3860 | thread_pointer(c);
	bool has_second = c->next_before == PPC_NOP;

	if (c->after == c->before ||
	    (ppc_opcode(c->before) == OP_B && ppc_opcode(c->after) == OP_B))
		return ANY_GOT;
	if (c->after == add || (has_second && c->next_after == add))
		return IE;
	if (c->after >> 16 == near)
		return LE_NEAR;
	if (c->after >> 16 == 0x3863 ||
	    (has_second && c->next_after >> 16 == 0x3863))
		return LE_FAR;
	return LE;
}

/* add RT,RA,r13, a load or a store. */
static uint32_t by_operand(const struct change *c, bool is_pcrel)
{
	unsigned thread = thread_pointer(c), rb = c->before >> 11 & 31;
	unsigned base = rb == thread ? ppc_ra(c->before) : rb;

	if (c->after == c->before)
		return IE;
	if (is_pcrel)
		return LE;
	return ppc_ra(c->after) == thread && base != thread ? LE_NEAR : LE_FAR;
}

/* bctrl, and ld r2,24(r1) behind it. */
static uint32_t by_call(const struct change *c)
{
	if (c->after != c->before)
		return DIRECT;
	return c->next_before != PPC_NOP && c->next_after == PPC_NOP &&
			       c->next_before >> 16 == 0xe841
		       ? 0
		       : ANY_GOT;
}

/* C is of the second word of a prefixed instruction. */
static uint32_t by_prefixed(const struct change *c, const struct reloc *r,
			    uint32_t new_prefix)
{
	bool is_pcrel = (new_prefix & 0x00100000) != 0;

	switch (r->type) {
	case PPC64_GOT_PCREL34:
		/* The other half may have been ld of the same register. */
		if (ppc_opcode(c->after) == ppc_opcode(c->before) &&
		    ppc_rt(c->after) == ppc_rt(c->before) &&
		    (new_prefix & 0x02000000) == 0)
			return FAR | PART_WITH_LEAD;
		return ppc_opcode(c->after) == OP_ADDI ? NEAR : PART_WITH_LEAD;
	case PPC64_PLT_PCREL34:
	case PPC64_PLT_PCREL34_NOTOC:
		return c->after == PPC_NOP || c->after == 0 ? DIRECT : ANY_GOT;
	case PPC64_GOT_TPREL_PCREL34:
		return ppc_opcode(c->after) == OP_ADDI ? LE : IE;
	default:
		if (ppc_opcode(c->after) == OP_PLD)
			return IE;
		return is_pcrel ? ANY_GOT : LE;
	}
}

/* The load or store that PCREL_OPT is about. */
static uint32_t by_option(const struct pair *pair, const struct reloc *r)
{
	uint64_t at = r->offset + r->addend;
	uint32_t before, after;

	if (!ppc_words_at(pair, at, &before, &after) || before == after)
		return ANY_GOT;
	return ppc_is_pcrel_opt(pair, r, at) ? PART_WITH_LEAD : 0;
}

static uint32_t by_groups(const struct change *c, const struct reloc *r)
{
	bool is_nop = c->after == PPC_NOP && c->before != PPC_NOP;

	if ((c->groups & HIGH) != 0)
		return is_nop ? NEAR | IE_NEAR | LE | DIRECT : FAR | IE_FAR;
	if ((c->groups & (PLT_LOW | PLT_STEP)) != 0 && is_nop)
		return DIRECT;
	if ((c->groups & (LOW | LOW_DS | GOT_DS | PLT_LOW)) != 0)
		return by_base(c, 2);
	if ((c->groups & PLT_STEP) != 0)
		return c->before == PPC_NOP ? ANY_GOT | DIRECT : ANY_GOT;
	if ((c->groups & (TP_LOW | TP_LOW_DS)) != 0)
		return by_base(c, thread_pointer(c));
	if ((c->groups & (TLS_GOT | TP_GOT)) != 0)
		return by_tls_got(c);
	if ((c->groups & TLS_CALL) != 0)
		return by_tls_call(c);
	if ((c->groups & TLS_OPERAND) != 0)
		return by_operand(c, c->arch->is_64 && r->offset % 4 == 1);
	if ((c->groups & PLT_CALL) != 0)
		return by_call(c);
	return 1u << TO_BASE << (ppc_ra(c->after) & 15); /* SDA */
}

/* The markers of a call stand at all instructions of one through the PLT. */
static bool is_no_call(const struct change *c)
{
	return (c->groups & TLS_CALL) != 0 && ppc_opcode(c->before) != OP_B &&
	       c->before != PPC_BCTRL;
}

bool ppc_judge_part(const struct arch *arch, const struct reloc *relocs,
		    size_t n, const struct code *before,
		    const struct code *after, struct rewrite_part *part)
{
	const struct reloc *r = &relocs[0];
	const struct pair pair = { arch, before->bytes,
				   code_became(before, after, 0),
				   before->size };
	struct change c = { .arch = arch };
	uint64_t insn = r->offset & ~(uint64_t)3;
	enum decided decided;

	(void)n;
	*part = (struct rewrite_part){ .symndx = r->symndx,
				       .addend = r->addend };
	c.groups = ppc_reloc_groups(arch, r->type, &decided);
	if (decided == NOTHING_DECIDED || (c.groups & SMALL_DS) != 0 ||
	    !ppc_words_at(&pair, insn, &c.before, &c.after) || is_no_call(&c))
		return true;
	ppc_words_at(&pair, insn + 4, &c.next_before, &c.next_after);
	part->kind = decided;
	part->is_lead = (c.groups & (HIGH | OPTION)) != 0;
	if ((c.groups & PREFIXED) != 0) {
		struct change second = { .arch = arch,
					 .before = c.next_before,
					 .after = c.next_after };

		part->ways = by_prefixed(&second, r, c.after);
	} else {
		part->ways = (c.groups & OPTION) != 0 ? by_option(&pair, r)
						      : by_groups(&c, r);
	}
	/* A pair is at one place, and a base belongs to the whole symbol. */
	if (decided == BY_PAIR) {
		part->symndx = (uint32_t)(r->offset / 4);
		part->addend = (int64_t)r->offset;
	} else if (decided == BY_SDA) {
		part->addend = 0;
	}
	return true;
}
