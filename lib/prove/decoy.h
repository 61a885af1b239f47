/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decoys: bytes that decode as a branch to a stub, but never run as one. They
 * are inside another instruction, or in the padding between two functions. Each
 * counts as a branch if anything in the image leads to it. That is known once
 * all decoys are listed.
 */
#ifndef SDTLINK_DECOY_H
#define SDTLINK_DECOY_H

#include "flow.h"
#include "proof.h"

/* Addresses [START, END): nothing leads there as long as it is a decoy. */
struct quiet_range {
	uint64_t start, end;
	/* Bit N: an instruction begins N + 1 bytes before END, so that code may
	 * lead there. */
	uint32_t begins;
	bool is_padding;
	bool has_jump; /* code that runs into START would run it */
	bool is_reached;
};

struct decoy_branch {
	uint64_t addr;
	struct branch branch;
	uint64_t quiet_range; /* its start: quiet ranges are sorted */
	uint64_t quiet_end;
	const struct stub *stub;
};

struct decoys {
	struct proof *p;
	struct flow flow;		  /* of the last function */
	struct quiet_range *quiet_ranges; /* owned */
	size_t nquiet_ranges;
	uint64_t longest;	       /* size of the longest */
	struct decoy_branch *branches; /* owned */
	size_t nbranches;
	bool has_failed; /* out of memory */
	bool has_changed;
};

/* The bytes at OFFSET of IS decode as BRANCH to STUB. Is that a decoy, unless
 * something leads there? Then keeps it. */
bool decoys_add(struct decoys *decoys, const struct image_section *is,
		uint64_t offset, const struct branch *branch,
		const struct stub *stub);

/*
 * The same if no code of its function runs into these bytes: then only what
 * leads right to them counts.
 */
void decoys_add_alone(struct decoys *decoys, const struct image_section *is,
		      uint64_t offset, const struct branch *branch,
		      const struct stub *stub);

/*
 * Does control flow lead to an instruction at OFFSET of IS? Returns IF_UNSURE
 * where instructions overlap. (Data in text would mislead a plain walk from the
 * start of the function.)
 */
bool decoys_runs(struct decoys *decoys, const struct image_section *is,
		 uint64_t offset, bool if_unsure);

/* Is OFFSET of IS certainly inside an instruction? */
bool decoys_is_inside(struct decoys *decoys, const struct image_section *is,
		      uint64_t offset);

/* Finds what leads to quiet ranges. Returns -1 on trouble, diagnosed. */
int decoys_settle(struct decoys *decoys);

/* After that: is the decoy a branch after all? */
bool decoys_is_reached(const struct decoys *decoys,
		       const struct decoy_branch *branch);

void decoys_free(struct decoys *decoys);

#endif
