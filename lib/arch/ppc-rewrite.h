/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files about rewrites of Power share. */
#ifndef SDTLINK_PPC_REWRITE_H
#define SDTLINK_PPC_REWRITE_H

#include "ppc.h"

/* The purpose of the instruction that a relocation is for. */
enum group {
	CALL = 1 << 0,	      /* bl, with a nop behind it */
	HIGH = 1 << 1,	      /* addis, the upper half of a distance */
	LOW = 1 << 2,	      /* the lower half, from the TOC or GOT */
	LOW_DS = 1 << 3,      /* the same of what counts in words */
	TP_LOW = 1 << 4,      /* the lower half, from the thread pointer */
	TLS_GOT = 1 << 5,     /* addi r3: the argument of __tls_get_addr */
	TLS_CALL = 1 << 6,    /* the marker at the call of it */
	TP_GOT = 1 << 7,      /* the load of a distance to the thread pointer */
	TOC_ENTRY = 1 << 8,   /* addis r2,r12 */
	LARGE_ENTRY = 1 << 9, /* ld r2,X(r12); add r2,r2,r12 */
	PLT_LOW = 1 << 10,    /* of a call through the PLT, inline */
	PLT_STEP = 1 << 11,   /* any other instruction of that */
	PLT_CALL = 1 << 12,   /* its bctrl */
	BL = 1 << 13,	      /* bl, whatever is behind it */
	NOTOC = 1 << 14,      /* a branch of code without a TOC */
	SDA = 1 << 15,	      /* of one of the three small data areas */
	SMALL_DS = 1 << 16,   /* ld of an entry less than 32 KiB away */
	GOT_DS = 1 << 17,     /* ld from the GOT, of what stays there */
	TP_LOW_DS = 1 << 18,  /* TP_LOW of what counts in words */
	TLS_OPERAND = 1 << 19, /* the use of what TP_GOT loads */
	PREFIXED = 1 << 20,
	OPTION = 1 << 21, /* PCREL_OPT */
};

/* What linkers decide for one symbol at a time: see the hook judge_part. */
enum decided {
	NOTHING_DECIDED,
	BY_TOC,
	BY_GOT,
	BY_DTPREL,
	BY_GD,
	BY_LD,
	BY_IE,
	BY_LE,
	BY_PLT,
	BY_SDA,
	BY_PAIR, /* GOT_PCREL34 and PCREL_OPT */
};

/* The groups of relocation type TYPE, and what is decided. */
unsigned ppc_reloc_groups(const struct arch *arch, uint32_t type,
			  enum decided *decided);

/* The text around an instruction, before and after. */
struct pair {
	const struct arch *arch;
	const uint8_t *before;
	const uint8_t *after;
	size_t size;
};

static inline bool ppc_words_at(const struct pair *pair, uint64_t offset,
				uint32_t *before, uint32_t *after)
{
	if (offset > pair->size || pair->size - offset < 4)
		return false;
	*before = arch_insn(pair->arch, pair->before + offset);
	*after = arch_insn(pair->arch, pair->after + offset);
	return true;
}

/* Is the pair of R, of type PCREL_OPT, rewritten? Its nop is at AT. */
bool ppc_is_pcrel_opt(const struct pair *pair, const struct reloc *r,
		      uint64_t at);

#endif
