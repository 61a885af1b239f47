/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of each_branch: what to look for in code, and whom to call. */
#ifndef SDTLINK_BRANCH_SEARCH_H
#define SDTLINK_BRANCH_SEARCH_H

#include "arch.h"

/* The function is NULL for what is not wanted. */
struct branch_search {
	const struct arch *arch;
	const struct code *code;
	uint64_t low, high; /* where it leads to */
	void (*found)(void *ctx, uint64_t offset, const struct branch *branch);
	void (*operand)(void *ctx, uint64_t offset, uint64_t target);
	void *ctx;
};

/* Reports the branch that DECODE reads at OFFSET, if it leads to the range. */
static inline void
judge_branch(const struct branch_search *s, uint64_t offset,
	     bool (*decode)(const struct arch *arch, const struct code *code,
			    uint64_t offset, struct branch *branch))
{
	struct branch branch = { 0 };

	if (decode(s->arch, s->code, offset, &branch) &&
	    branch.target >= s->low && branch.target <= s->high)
		s->found(s->ctx, offset, &branch);
}

#endif
