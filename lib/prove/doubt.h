/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bytes that read as a branch to a stub, and that nothing runs as one: inside
 * another instruction, or in what fills the gap between two functions. They
 * are none unless something of the image leads there, which is known once all
 * are listed.
 */
#ifndef SDTLINK_DOUBT_H
#define SDTLINK_DOUBT_H

#include "flow.h"
#include "proof.h"

/* Addresses [START, END) that nothing may lead to. */
struct island {
	uint64_t start, end;
	/* Of the 32 bytes before END, the last one first: an instruction does
	 * begin there, and may be led to. */
	uint32_t begins;
	bool is_padding;
	bool has_jump; /* which is real for what runs in at START */
	bool is_reached;
};

struct doubtful_branch {
	uint64_t addr;
	struct branch branch;
	uint64_t island; /* its start, and its end; those are sorted */
	uint64_t island_end;
	const struct stub *stub;
};

struct doubts {
	struct proof *p;
	struct flow flow;	/* of the last function */
	struct island *islands; /* owned */
	size_t nislands;
	uint64_t longest;		  /* of them */
	struct doubtful_branch *branches; /* owned */
	size_t nbranches;
	bool has_failed; /* out of memory */
	bool has_changed;
};

/* Is what reads as a branch to STUB, at OFFSET of IS, in doubt? Keeps it. */
bool doubts_add(struct doubts *doubts, const struct image_section *is,
		uint64_t offset, const struct branch *branch,
		const struct stub *stub);

/*
 * Does control flow lead to an instruction at OFFSET of IS? Where it runs over
 * itself it is IF_UNSURE. Data in text puts whoever reads on
 * from the start of a function out of step.
 */
bool doubts_runs(struct doubts *doubts, const struct image_section *is,
		 uint64_t offset, bool if_unsure);

/* Finds what leads to islands. Returns -1 on trouble, diagnosed. */
int doubts_settle(struct doubts *doubts);

/* After that: is it a branch? */
bool doubts_is_reached(const struct doubts *doubts,
		       const struct doubtful_branch *branch);

void doubts_free(struct doubts *doubts);

#endif
