/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What --check-jump wants of an instruction set: which instructions a jump may
 * take the place of, so that copies of them run elsewhere. Apart from struct
 * arch, as nothing else asks for it.
 */
#ifndef SDTLINK_ARCH_JUMP_H
#define SDTLINK_ARCH_JUMP_H

#include "arch.h"

/* Where an instruction goes that takes its target from a register or memory. */
enum jump_way {
	WAY_NONE,     /* it does not, or is a call or return */
	WAY_TABLE,    /* absolute addresses at SLOT, by index */
	WAY_SLOT,     /* the one address at SLOT */
	WAY_RELATIVE, /* distances from a table whose address was loaded */
	WAY_UNKNOWN,
};

struct jump_insn {
	unsigned length;
	const char *stays; /* why no copy of it works elsewhere, or NULL */
	bool is_landing;   /* indirect branches must find it here */
	bool has_target;   /* a direct branch or call, or the like */
	uint64_t target;   /* address */
	bool is_call;	   /* it has: what is behind it is formed as address */
	bool is_jump;	   /* it has, and never goes on */
	enum jump_way way;
	bool is_unchecked; /* it need not find a landing */
	uint64_t slot;	   /* address */
	bool has_operand;  /* it means an address relative to its own: */
	uint64_t operand;
	unsigned field;	 /* where that distance stands; 0: in bits of it */
	bool is_fixable; /* by another distance, in a copy */
};

struct jump_isa {
	uint16_t machine; /* EM_* */
	unsigned length;  /* of the jump */
	unsigned unit;	  /* instructions are aligned to it */
	/*
	 * The jump takes the place of one instruction only: then nothing can
	 * lead into its middle.
	 */
	bool is_single;
	bool has_marks;	  /* mapping symbols tell what is data */
	bool has_ibt;	  /* .note.gnu.property may say that indirect jumps find
			     landings */
	bool has_fixups;  /* sections *_fixup are ranges that a kernel rewrites
			   */
	bool has_patches; /* sections *_patch are of instructions that a kernel
			     changes */
	/*
	 * Decodes the instruction at OFFSET of CODE; false if that is not sure.
	 * START is the first one of its function.
	 */
	bool (*decode)(const struct arch *arch, const struct code *code,
		       uint64_t start, uint64_t offset, struct jump_insn *insn);
	/*
	 * Of variable length: calls FOUND for each target of a branch that can
	 * be read in [START, END) of CODE at any byte; only far ones if IS_FAR.
	 */
	void (*each_target)(const struct arch *arch, const struct code *code,
			    uint64_t start, uint64_t end, bool is_far,
			    void (*found)(void *ctx, uint64_t offset,
					  uint64_t target),
			    void *ctx);
	/*
	 * Of variable length: is the jump at OFFSET one by a table of distances
	 * from its start, as compilers write it? The COUNT instructions before
	 * it, one behind the other, begin at BEFORE, the last one first.
	 */
	bool (*is_table_jump)(const struct arch *arch, const struct code *code,
			      const uint64_t *before, unsigned count,
			      uint64_t offset);
};

/* What an instruction does with a reservation, as ll and sc have it. */
enum reservation { RESERVES_NOT, RESERVES, RESERVES_NO_MORE };

/*
 * Is the word at OFFSET of CODE one of those that KIND knows, or between two of
 * them? An access there may end the reservation. The function begins at START.
 * Where instructions are of UNIT 2, bytes may read as one that ends it by
 * chance.
 */
bool jump_is_reserved(const struct arch *arch, const struct code *code,
		      uint64_t start, uint64_t offset, unsigned unit,
		      enum reservation (*kind)(const struct arch *arch,
					       const uint8_t *insn));

/* NULL if ARCH is not a machine that sdtlink knows. */
const struct jump_isa *jump_isa_find(const struct arch *arch);

extern const struct jump_isa jump_isa_aarch64, jump_isa_ppc, jump_isa_ppc64,
	jump_isa_i386, jump_isa_x86_64, jump_isa_loongarch, jump_isa_sparc64,
	jump_isa_arm, jump_isa_mips, jump_isa_riscv, jump_isa_s390x;

#endif
