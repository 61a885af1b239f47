/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What --check-jump needs from an instruction set: which instructions a jump
 * may replace, so that copies of them run elsewhere. It is not part of struct
 * arch, since nothing else needs it.
 */
#ifndef SDTLINK_ARCH_JUMP_H
#define SDTLINK_ARCH_JUMP_H

#include "arch.h"

/* How an instruction gets its target from a register or memory. */
enum jump_way {
	WAY_NONE,     /* it does not, or is a call or return */
	WAY_TABLE,    /* absolute addresses at SLOT, by index */
	WAY_SLOT,     /* the one address at SLOT */
	WAY_RELATIVE, /* distances from a table whose address is loaded */
	WAY_UNKNOWN,
};

struct jump_insn {
	unsigned length;
	const char *stays; /* why a copy of it does not work elsewhere, or
			    * NULL */
	bool is_landing;   /* indirect branches must find it here */
	bool has_target;   /* a direct branch or call, or the like */
	uint64_t target;   /* address */
	bool is_call;	   /* it has a target: the address behind it is
			    * formed */
	enum jump_way way;
	bool is_unchecked; /* it need not find a landing */
	uint64_t slot;	   /* address */
	bool has_operand;  /* it means an address relative to its own: */
	uint64_t operand;
	unsigned field;	 /* offset of the distance; 0: it is in bits of the
			  * insn */
	bool is_fixable; /* by another distance, in a copy */
};

struct jump_isa {
	uint16_t machine; /* EM_* */
	unsigned length;  /* of the jump */
	unsigned unit;	  /* instructions are aligned to it */
	/*
	 * The jump replaces a single instruction: then nothing can lead inside.
	 */
	bool is_single;
	bool has_marks;	  /* mapping symbols show what is data */
	bool has_ibt;	  /* .note.gnu.property may require that indirect
			   * jumps find landings */
	bool has_fixups;  /* sections *_fixup are ranges that a kernel
			   * rewrites */
	bool has_patches; /* sections *_patch have instructions that a kernel
			   * changes */
	/*
	 * Decodes the instruction at OFFSET of CODE. Returns false if it is not
	 * certain. START is the first one of its function.
	 */
	bool (*decode)(const struct arch *arch, const struct code *code,
		       uint64_t start, uint64_t offset, struct jump_insn *insn);
	/*
	 * For instructions of variable length: calls FOUND for each target of a
	 * branch that can be read at any byte in [START, END) of CODE. If
	 * IS_FAR, only for far ones.
	 */
	void (*each_target)(const struct arch *arch, const struct code *code,
			    uint64_t start, uint64_t end, bool is_far,
			    void (*found)(void *ctx, uint64_t offset,
					  uint64_t target),
			    void *ctx);
	/*
	 * For instructions of variable length: does the jump at OFFSET use a
	 * table of distances from the table's start, as compilers write it?
	 * COUNT instructions before it, one behind the other, begin at BEFORE,
	 * with the last one first.
	 */
	bool (*is_table_jump)(const struct arch *arch, const struct code *code,
			      const uint64_t *before, unsigned count,
			      uint64_t offset);
	/*
	 * Calls FOUND for each address whose instruction another one in [START,
	 * END) of CODE runs there, as if it stood in its own place; 0 if it may
	 * be anywhere. IS_CODE: instructions begin at START, one behind the
	 * other. Else they may begin anywhere. NULL if no instruction does
	 * that.
	 */
	void (*each_run)(const struct arch *arch, const struct code *code,
			 uint64_t start, uint64_t end, bool is_code,
			 void (*found)(void *ctx, uint64_t offset,
				       uint64_t target),
			 void *ctx);
};

/* What an instruction does with a reservation, as of ll and sc. */
enum reservation { RESERVES_NOT, RESERVES, RESERVES_NO_MORE };

/*
 * Is the word at OFFSET of CODE one that KIND knows, or between two such words?
 * A memory access there may end the reservation. The function begins at START.
 * If UNIT is 2, bytes may read by chance as an instruction that ends it.
 */
bool jump_is_reserved(const struct arch *arch, const struct code *code,
		      uint64_t start, uint64_t offset, unsigned unit,
		      enum reservation (*kind)(const struct arch *arch,
					       const uint8_t *insn));

/* Returns NULL if no --check-jump rules exist for ARCH. */
const struct jump_isa *jump_isa_find(const struct arch *arch);

extern const struct jump_isa jump_isa_aarch64, jump_isa_ppc, jump_isa_ppc64,
	jump_isa_i386, jump_isa_x86_64, jump_isa_loongarch, jump_isa_sparc64,
	jump_isa_arm, jump_isa_mips, jump_isa_riscv, jump_isa_s390x;

#endif
