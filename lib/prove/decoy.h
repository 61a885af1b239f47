/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bytes that read as a branch to a stub, and that nothing runs as one: inside
 * another instruction, or in what fills the gap between two functions. They
 * are none unless something of the image leads there, which is known once all
 * are listed.
 */
#ifndef SDTLINK_DECOY_H
#define SDTLINK_DECOY_H

#include "flow.h"
#include "proof.h"

/* Addresses [START, END) that nothing may lead to. */
struct quiet_range {
	uint64_t start, end;
	/* Of the 32 bytes before END, the last one first: an instruction does
	 * begin there, and may be led to. */
	uint32_t begins;
	bool is_padding;
	bool has_jump; /* which is real for what runs in at START */
	bool is_reached;
};

struct decoy_branch {
	uint64_t addr;
	struct branch branch;
	uint64_t quiet_range; /* its start, and its end; those are sorted */
	uint64_t quiet_end;
	const struct stub *stub;
};

struct decoys {
	struct proof *p;
	struct flow flow;		  /* of the last function */
	struct quiet_range *quiet_ranges; /* owned */
	size_t nquiet_ranges;
	uint64_t longest;	       /* of them */
	struct decoy_branch *branches; /* owned */
	size_t nbranches;
	bool has_failed; /* out of memory */
	bool has_changed;
};

/* Is what reads as a branch to STUB, at OFFSET of IS, in doubt? Keeps it. */
bool decoys_add(struct decoys *decoys, const struct image_section *is,
		uint64_t offset, const struct branch *branch,
		const struct stub *stub);

/*
 * Does control flow lead to an instruction at OFFSET of IS? Where it runs over
 * itself it is IF_UNSURE. Data in text puts whoever reads on
 * from the start of a function out of step.
 */
bool decoys_runs(struct decoys *decoys, const struct image_section *is,
		 uint64_t offset, bool if_unsure);

/* Finds what leads to quiet ranges. Returns -1 on trouble, diagnosed. */
int decoys_settle(struct decoys *decoys);

/* After that: is it a branch? */
bool decoys_is_reached(const struct decoys *decoys,
		       const struct decoy_branch *branch);

void decoys_free(struct decoys *decoys);

#endif
