/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares the text of two finals: order, size and bytes of each function, and
 * which functions only one of them has.
 *
 * With the inputs of both, a function is a part of an input section, from one
 * name to the next. Then bits that relocations set are not compared, and the
 * linkers' rewrites are known. Without inputs, symbols define the functions,
 * and all bytes are compared, including addresses.
 */
#ifndef SDTLINK_COMPARE_H
#define SDTLINK_COMPARE_H

#include "drift.h"

enum { COMPARE_OLD, COMPARE_NEW };

enum compare_bytes {
	COMPARE_SAME,	   /* each of them */
	COMPARE_ADDRESSES, /* all but what relocations set */
	COMPARE_REWRITTEN, /* the linkers made different instructions of the
			    * same input */
	COMPARE_OTHER,	   /* without inputs; perhaps only in addresses */
	COMPARE_UNKNOWN,   /* the inputs do not explain both */
	COMPARE_NOTHING,   /* it is not in both, whole */
	NCOMPARE
};

struct compare_side {
	bool is_there;
	bool is_folded; /* another stands for it; without inputs: it shares
			 * its address with more functions than in the other
			 * final */
	uint64_t addr, size;
};

struct compare_function {
	const char *name; /* or NULL: what is before the first name */
	size_t section;	  /* of the inputs, or NO_SECTION */
	uint64_t offset;  /* in that */
	struct compare_side sides[2];
	enum compare_bytes bytes;
	bool has_moved; /* against the others that are in both */
	bool is_alike;	/* only their order tells it from others */
	bool differs;	/* in anything but its addresses */
};

#define COMPARE_BYTES 16

/* An instruction that differs between the two. */
struct compare_rewrite {
	size_t function;
	const struct drift_rewrite *sides[2]; /* of the two drifts; NULL if
					       * it is as in the input */
	uint8_t bytes[2][COMPARE_BYTES]; /* what is there, or its beginning */
	unsigned sizes[2];		 /* how many of those */
};

struct comparison {
	struct compare_function *functions; /* by section and offset, or by
					       name; owned */
	size_t nfunctions;
	struct compare_rewrite *rewrites; /* by function; owned */
	size_t nrewrites;
	/* Without inputs: bytes of text that belong to no function */
	uint64_t nameless[2];
	bool is_nameless_same;
	/* Counts of functions: */
	size_t nthere[2], nfolded[2];
	uint64_t nsized[2]; /* bytes of those that are there and not folded */
	size_t nboth, nmoved, nresized, nalike, ndiffering;
	size_t nbytes[NCOMPARE];
};

/*
 * Fills C for the N INPUTS and the results of drift_objects for the two FINALS.
 * Returns -1 on trouble, diagnosed. Call compare_free either way.
 */
int compare_inputs(struct diag *d, const struct object *inputs, size_t n,
		   const struct object *finals, const struct drift *drifts,
		   struct comparison *c);

/* The same from the symbols of the FINALS, which are checked. */
int compare_symbols(struct diag *d, const struct object *finals,
		    struct comparison *c);

void compare_free(struct comparison *c);

/* Is everything the same, and explained? Without inputs, DRIFTS is NULL. */
bool compare_is_same(const struct comparison *c, const struct drift *drifts);

const char *compare_bytes_name(enum compare_bytes bytes);

#endif
