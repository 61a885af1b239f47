/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides whether a jump can be put somewhere, so that the instructions that it
 * replaces run as copies elsewhere. Applies the rules of Linux' optimised
 * kprobes, and further rules for what only the file shows. In doubt, the answer
 * is no.
 */
#ifndef SDTLINK_JUMP_CHECK_H
#define SDTLINK_JUMP_CHECK_H

#include "arch/jump.h"
#include "base/options.h"
#include "map.h"

enum jump_rule {
	JUMP_YES,
	JUMP_NO_CODE,	  /* none, or no function of known size */
	JUMP_SECTION,	  /* one that must not be patched */
	JUMP_BLACKLIST,	  /* the function is on the kernel's list */
	JUMP_UNDECODABLE, /* the function is not all instructions */
	JUMP_BOUNDARY,	  /* no instruction begins there */
	JUMP_TOO_SHORT,	  /* the function ends before the jump would */
	JUMP_STAYS,	  /* an instruction works where it is only */
	JUMP_LANDING,	  /* indirect branches must find the instruction */
	JUMP_TABLE,	  /* a table changes the instruction, or leads to it */
	JUMP_BRANCH,	  /* a branch leads into it */
	JUMP_POINTER,	  /* an address in it is formed somewhere */
	JUMP_INDIRECT,	  /* the function has a jump to an unknown place */
	JUMP_EXCEPTIONS,  /* an exception lands in it, or its place is
			   * unknown */
	JUMP_NRULES,
};

/* A stable word, such as "branch". */
const char *jump_rule_name(enum jump_rule rule);

#define JUMP_INSNS_MAX 16

struct jump_verdict {
	enum jump_rule rule;
	char text[160]; /* what is in the way; "" if nothing */
	uint64_t at;	/* address of the reason, valid unless the rule is
			 * YES */
	uint64_t addr;	/* of the jump */
	bool is_site;
	const char *function; /* or NULL */
	uint64_t function_offset;
	struct jump_section *section; /* or NULL */
	unsigned length;	      /* of the instructions, in bytes */
	unsigned detour; /* size of their copies and of the jump back */
	unsigned ninsns;
	struct jump_insn insns[JUMP_INSNS_MAX];
};

struct jump_function {
	uint64_t start, end; /* addresses */
	const char *name;
	bool is_undecodable; /* at: */
	uint64_t at;
	const char *why;
	bool is_blacklisted;
	bool has_unknown_jump; /* at: */
	uint64_t unknown_at;
	bool is_unsafe; /* a jump may go anywhere in it; at: */
	uint64_t unsafe_at;
};

enum landing_kind {
	LANDING_BRANCH, /* of an instruction of a function */
	LANDING_PAD,	/* of an exception; from its table */
	LANDING_LOOSE,	/* an instruction that may be only bytes that read as
			 * one */
	LANDING_SYMBOL, /* others may branch to it */
	LANDING_FORMED, /* an address in code or data */
};

struct landing {
	uint64_t target, source;
	enum landing_kind kind;
};

/* Bytes to which a table of the kernel or a compiler refers. */
struct jump_mark {
	uint64_t start, end;
	const char *table; /* the section's name, or NULL: */
	uint64_t source;   /* what is here runs the instruction there */
};

struct jump_check {
	const struct options *options;
	struct jump_map map;
	const struct jump_isa *isa;
	struct jump_function *functions; /* by start; owned */
	size_t nfunctions;
	struct landing *landings; /* by target; owned */
	size_t nlandings, allocated;
	struct jump_mark *marks; /* by start; owned */
	size_t nmarks;
	uint64_t longest_mark;
	bool checks_landings; /* indirect jumps must find one */
	const char *unread;   /* why not all landing pads are known, or NULL */
	uint64_t unread_at;   /* address, or 0 */
};

/*
 * Examines all of OBJ, which is checked. Fails with a diagnostic. Call
 * jump_check_free either way.
 */
int jump_check_open(struct diag *d, const struct object *obj,
		    const struct options *options, struct jump_check *check);
void jump_check_free(struct jump_check *check);

/*
 * Judges a jump at ADDR of the map. The instruction of a probe site is not
 * copied: the jump replaces it for good.
 */
void jump_check_address(const struct jump_check *check, uint64_t addr,
			bool is_site, struct jump_verdict *verdict);

/*
 * The address behind what a function at ADDR must keep at its start for
 * indirect calls. Kernels move a probe that is set at the function there.
 */
uint64_t jump_check_entry(const struct jump_check *check, uint64_t addr);

/* The function that holds ADDR, or NULL. */
const struct jump_function *jump_check_function(const struct jump_check *check,
						uint64_t addr);

/* Parts of jump_check_open in other files. Return -1 on trouble, diagnosed. */
int jump_check_functions(struct diag *d, struct jump_check *check);
int jump_check_tables(struct diag *d, struct jump_check *check);
int jump_check_pads(struct diag *d, struct jump_check *check);
int jump_check_data(struct diag *d, struct jump_check *check);
int jump_check_runs(struct diag *d, struct jump_check *check);

/*
 * Adds a landing if TARGET is in text. Returns -1 if memory ran out, diagnosed.
 */
int jump_check_land(struct diag *d, struct jump_check *check, uint64_t target,
		    uint64_t source, enum landing_kind kind);

/* Adds a mark if START is in text. Returns -1 if memory ran out, diagnosed. */
int jump_check_mark(struct diag *d, struct jump_check *check, uint64_t start,
		    uint64_t length, const char *table);

/* The same of an instruction at ADDR that another one at SOURCE may run. */
int jump_check_mark_run(struct diag *d, struct jump_check *check, uint64_t addr,
			uint64_t source);
void jump_check_sort_marks(struct jump_check *check);

/*
 * Reads an address at offset AT of JS. It is what the loader makes of it,
 * without the load address. Returns false if there are too few bytes.
 */
bool jump_check_word(const struct jump_check *check,
		     const struct jump_section *js, uint64_t at,
		     uint64_t *addr);

#endif
