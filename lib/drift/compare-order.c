/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the functions that moved against the others: as few as possible, so
 * that all the rest keep their order. The rest is the longest sequence whose
 * addresses ascend in both finals.
 */
#include <config.h>

#include <stdlib.h>

#include "base/search.h"
#include "base/sort.h"
#include "compare-order.h"

struct ordered {
	size_t function;
	size_t before; /* of those that stay, the one before it */
};

static bool is_in_both(const struct compare_function *f)
{
	return f->sides[0].is_there && f->sides[1].is_there;
}

static bool is_whole_in_both(const struct compare_function *f)
{
	return is_in_both(f) && !f->sides[0].is_folded &&
	       !f->sides[1].is_folded;
}

static int compare_old(const void *a, const void *b, void *ctx)
{
	const struct comparison *c = ctx;
	const struct compare_function *x =
		&c->functions[((const struct ordered *)a)->function];
	const struct compare_function *y =
		&c->functions[((const struct ordered *)b)->function];

	for (int i = 0; i < 2; i++)
		if (x->sides[i].addr != y->sides[i].addr)
			return x->sides[i].addr < y->sides[i].addr ? -1 : 1;
	return x < y ? -1 : x > y;
}

static uint64_t new_addr(const struct comparison *c, const struct ordered *o)
{
	return c->functions[o->function].sides[COMPARE_NEW].addr;
}

/* LIST has N functions in the old order. ENDS has room for N. */
static void mark_moved(struct comparison *c, struct ordered *list, size_t n,
		       size_t *ends)
{
	size_t length = 0, at = SIZE_MAX;

	for (size_t i = 0; i < n; i++) {
		size_t k;

		LOWER_BOUND(k, length,
			    new_addr(c, &list[ends[k]]) <=
				    new_addr(c, &list[i]));
		list[i].before = k > 0 ? ends[k - 1] : SIZE_MAX;
		ends[k] = i;
		length += k == length;
	}
	for (size_t i = 0; i < n; i++)
		c->functions[list[i].function].has_moved = true;
	if (length > 0)
		at = ends[length - 1];
	for (; at != SIZE_MAX; at = list[at].before)
		c->functions[list[at].function].has_moved = false;
}

static void count(struct comparison *c, struct compare_function *f)
{
	bool is_resized = is_whole_in_both(f) &&
			  f->sides[0].size != f->sides[1].size;

	for (int i = 0; i < 2; i++) {
		c->nthere[i] += f->sides[i].is_there;
		c->nfolded[i] += f->sides[i].is_folded;
		if (f->sides[i].is_there && !f->sides[i].is_folded)
			c->nsized[i] += f->sides[i].size;
	}
	f->differs = f->sides[0].is_there != f->sides[1].is_there ||
		     f->sides[0].is_folded != f->sides[1].is_folded ||
		     is_resized || f->has_moved ||
		     f->bytes == COMPARE_REWRITTEN ||
		     f->bytes == COMPARE_OTHER || f->bytes == COMPARE_UNKNOWN;
	c->nboth += is_in_both(f);
	c->nmoved += f->has_moved;
	c->nresized += is_resized;
	c->nalike += f->is_alike;
	c->nbytes[f->bytes]++;
	c->ndiffering += f->differs;
}

int compare_order(struct diag *d, const char *path, struct comparison *c)
{
	struct ordered *list = malloc((c->nfunctions + 1) * sizeof(list[0]));
	size_t *ends = malloc((c->nfunctions + 1) * sizeof(ends[0]));
	size_t n = 0;
	int ret = 0;

	if (list == NULL || ends == NULL) {
		ret = diag_nomem(d, path);
	} else {
		for (size_t i = 0; i < c->nfunctions; i++)
			if (is_whole_in_both(&c->functions[i]))
				list[n++].function = i;
		sort_with(list, n, sizeof(list[0]), compare_old, c);
		mark_moved(c, list, n, ends);
		for (size_t i = 0; i < c->nfunctions; i++)
			count(c, &c->functions[i]);
	}
	free(list);
	free(ends);
	return ret;
}
