/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tiling: if the inputs can explain a whole gap between settled sections, they
 * do explain it. From the start of the gap on, a section begins there, or there
 * is fill or linker-made code. Where that leads to unexplained bytes, another
 * way is tried. If there is only one way, it is certain.
 *
 * This assumes that the inputs are all that was linked. A gap that they cannot
 * fill is left alone.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/search.h"
#include "base/sort.h"
#include "engine.h"

/* So many dead ends are tried for one gap, and for all gaps of one pass. */
#define GAP_TRIES 300000
#define ALL_TRIES 10000000

/* A position in a gap, where there may be several ways to go on. */
struct choice {
	uint64_t at;	/* offset in the field */
	size_t nqueue;	/* settled before it */
	uint64_t reach; /* behind the last of these, in the field */
	size_t kind;	/* the next to try: first candidates, then short ones */
	size_t member;	/* and which of its items */
	bool is_begun;
	size_t next; /* that was tried first, or NO_SECTION */
};

struct found {
	size_t item;
	uint64_t addr;
};

struct tiler {
	struct engine *e;
	const struct field *field;
	uint64_t start, end; /* of the gap */
	size_t nqueue;	     /* settled before it was looked at */
	size_t *settled;     /* before all gaps, by address; owned */
	size_t nsettled;
	struct choice *steps; /* owned */
	size_t nsteps;
	struct found *found; /* owned */
	size_t nfound;
	unsigned ntries, nall_tries;
	int status;
};

/* --- What can be at an offset ------------------------------------------ */

/* The Nth kind to try at ADDR, or NO_SECTION behind the last. */
static size_t nth_kind(const struct tiler *t, uint64_t addr, size_t n)
{
	const struct engine *e = t->e;
	size_t first, last;

	LOWER_BOUND(first, e->ncandidates, e->candidates[first].addr < addr);
	for (last = first;
	     last < e->ncandidates && e->candidates[last].addr == addr;)
		last++;
	if (n < last - first)
		return e->candidates[first + n].kind;
	n -= last - first;
	return n < e->nshort ? e->short_kinds[n] : NO_SECTION;
}

/*
 * Do all branches of sections settled behind the first N lead to possible
 * places?
 */
static bool is_consistent(struct engine *e, size_t n)
{
	for (size_t i = n; i < e->nqueue; i++) {
		const struct item *item = &e->items[e->queue[i]];

		if (!settle_is_right(e, item, item->to->addr))
			return false;
	}
	return true;
}

/* Settles item I at STEP, if possible, and what follows from that. */
static bool try_item(struct tiler *t, const struct choice *step, size_t i,
		     uint64_t *at)
{
	struct engine *e = t->e;
	const struct item *item = &e->items[i];
	struct kind *kind = &e->kinds[item->kind];
	uint64_t addr = t->field->is->code.addr + step->at;
	uint64_t align = item->obj->sections[item->to->shndx].align;

	if (item->is_settled || (align > 1 && addr % align != 0) ||
	    !settle_has_bits(e, kind, addr) ||
	    step->at + seek_size(e, kind, addr) > t->end ||
	    !settle_is_open(e, item, addr) || !settle_item(e, i, addr, false))
		return false;
	settle_follow(e);
	*at = step->at + item->to->new_size;
	if (is_consistent(e, step->nqueue))
		return true;
	settle_undo(e, step->nqueue);
	return false;
}

/* The item that ends where STEP begins, or before fill there; or NO_SECTION. */
static size_t item_before(const struct tiler *t, const struct choice *step)
{
	const struct engine *e = t->e;
	uint64_t addr = t->field->is->code.addr + step->at;
	size_t i;

	/* Later ones may be conclusions, at other places. */
	for (i = step->nqueue; i > t->nqueue; i--) {
		const struct drift_section *to = e->items[e->queue[i - 1]].to;

		if (to->addr + to->new_size == addr)
			return e->queue[i - 1];
		if (step->nqueue - i > 8)
			break;
	}
	LOWER_BOUND(i, t->nsettled, e->items[t->settled[i]].to->addr < addr);
	return i > 0 ? t->settled[i - 1] : NO_SECTION;
}

/*
 * Of the items that can be at STEP, the next one in the order of the inputs
 * behind the item before it: linkers keep that order.
 */
static size_t next_in_order(const struct tiler *t, const struct choice *step)
{
	const struct engine *e = t->e;
	uint64_t addr = t->field->is->code.addr + step->at;
	size_t before = item_before(t, step), next = NO_SECTION, k;

	for (size_t n = 0;
	     before != NO_SECTION && (k = nth_kind(t, addr, n)) != NO_SECTION;
	     n++) {
		const struct kind *kind = &e->kinds[k];
		size_t i;

		if (kind->nleft == 0)
			continue;
		LOWER_BOUND(i, kind->nitems, kind->items[i] <= before);
		while (i < kind->nitems && e->items[kind->items[i]].is_settled)
			i++;
		if (i < kind->nitems && kind->items[i] < next)
			next = kind->items[i];
	}
	return next;
}

/*
 * Tries the next item that can be at STEP: first the next in order, then any.
 */
static bool try_items(struct tiler *t, struct choice *step, uint64_t *at)
{
	struct engine *e = t->e;
	uint64_t addr = t->field->is->code.addr + step->at;
	size_t k;

	if (!step->is_begun) {
		step->is_begun = true;
		step->next = next_in_order(t, step);
		if (step->next != NO_SECTION &&
		    try_item(t, step, step->next, at))
			return true;
	}
	for (; (k = nth_kind(t, addr, step->kind)) != NO_SECTION;
	     step->kind++, step->member = 0) {
		struct kind *kind = &e->kinds[k];
		size_t first = settle_first_left(e, kind);

		if (step->member < first)
			step->member = first;
		while (kind->nleft > 0 && step->member < kind->nitems) {
			size_t i = kind->items[step->member++];

			if (i != step->next && try_item(t, step, i, at))
				return true;
		}
	}
	return false;
}

/* The next offset behind AT, up to END, at which a candidate begins. */
static uint64_t next_candidate(const struct tiler *t, uint64_t at, uint64_t end)
{
	const struct engine *e = t->e;
	uint64_t base = t->field->is->code.addr;
	size_t i;

	LOWER_BOUND(i, e->ncandidates, e->candidates[i].addr <= base + at);
	for (; i < e->ncandidates && e->candidates[i].addr < base + end; i++)
		if (e->kinds[e->candidates[i].kind].nleft > 0)
			return e->candidates[i].addr - base;
	return end;
}

/* Skips what belongs to no input section at STEP. */
static bool skip(struct tiler *t, const struct choice *step, uint64_t *at)
{
	uint64_t end = step->at;

	if (step->reach <= step->at)
		end = t->end;
	while (end < t->end && t->field->taken[end] == 0)
		end++;
	*at = ranges_made_end(t->e, t->field, step->at, end);
	if (*at == step->at)
		return false;
	/* A section may begin within fill. */
	for (end = next_candidate(t, step->at, *at); end < *at;
	     end = next_candidate(t, end, *at))
		if (ranges_is_fill(t->e, t->field, step->at, end)) {
			*at = end;
			break;
		}
	return true;
}

/*
 * Goes on from STEP in the next way, to *AT. Returns false if there is none
 * left.
 */
static bool go_on(struct tiler *t, struct choice *step, uint64_t *at)
{
	settle_undo(t->e, step->nqueue);
	if (step->kind == NO_SECTION)
		return false;
	if (try_items(t, step, at))
		return true;
	step->kind = NO_SECTION;
	return skip(t, step, at);
}

/* --- A gap ------------------------------------------------------------- */

/* How far into the field the sections settled since step LAST reach. */
static uint64_t reach_since(const struct tiler *t, const struct choice *last)
{
	const struct engine *e = t->e;
	const struct code *code = &t->field->is->code;
	uint64_t reach = last->reach;

	for (size_t i = last->nqueue; i < e->nqueue; i++) {
		const struct drift_section *to = e->items[e->queue[i]].to;
		uint64_t end = to->addr - code->addr + to->new_size;

		if (to->addr - code->addr < code->size && end > reach)
			reach = end;
	}
	return reach;
}

static bool add_step(struct tiler *t, uint64_t at)
{
	struct choice *steps = grow_list(t->steps, t->nsteps, sizeof(steps[0]));
	const struct choice first = { .nqueue = t->nqueue };

	if (steps == NULL) {
		t->status = diag_nomem(t->e->d, t->e->img.obj->path);
		return false;
	}
	t->steps = steps;
	steps[t->nsteps] = (struct choice){
		.at = at,
		.nqueue = t->e->nqueue,
		.reach = reach_since(t, t->nsteps > 0 ? &steps[t->nsteps - 1]
						      : &first),
	};
	t->nsteps++;
	return true;
}

/* Goes back to the last step that has another way. */
static bool go_back(struct tiler *t, uint64_t *at)
{
	while (t->nsteps > 0 && t->ntries < GAP_TRIES) {
		if (go_on(t, &t->steps[t->nsteps - 1], at))
			return true;
		t->nsteps--;
		t->ntries++;
	}
	return false;
}

/* Finds the next way through the gap, from AT on. */
static bool fill_gap(struct tiler *t, uint64_t at)
{
	for (;;) {
		while (at < t->end && t->field->taken[at] != 0)
			at++;
		if (at >= t->end)
			return true;
		if (!add_step(t, at) || !go_back(t, &at))
			return false;
	}
}

/* Keeps what was settled behind the first N. */
static bool keep_found(struct tiler *t, size_t n)
{
	const struct engine *e = t->e;
	struct found *found =
		realloc(t->found, (e->nqueue - n + 1) * sizeof(found[0]));

	if (found == NULL) {
		t->status = diag_nomem(e->d, e->img.obj->path);
		return false;
	}
	t->found = found;
	t->nfound = e->nqueue - n;
	for (size_t i = 0; i < t->nfound; i++)
		found[i] = (struct found){
			.item = e->queue[n + i],
			.addr = e->items[e->queue[n + i]].to->addr,
		};
	return true;
}

/* Fills the gap if possible: in the only way, or as MAY_GUESS allows. */
static bool tile_gap(struct tiler *t, bool may_guess)
{
	struct engine *e = t->e;
	size_t nqueue = e->nqueue;
	bool is_guess = false;
	uint64_t at;

	t->nqueue = nqueue;
	t->nsteps = 0;
	t->ntries = 0;
	t->nfound = 0;
	if (fill_gap(t, t->start) && keep_found(t, nqueue)) {
		/* There may be another way if the search takes too long. */
		is_guess = (go_back(t, &at) && fill_gap(t, at)) ||
			   t->ntries >= GAP_TRIES;
	}
	t->nall_tries += t->ntries;
	settle_undo(e, nqueue);
	if (t->nfound == 0 || t->status != 0 || (is_guess && !may_guess))
		return false;
	e->is_guessing |= is_guess;
	for (size_t i = 0; i < t->nfound; i++)
		settle_item(e, t->found[i].item, t->found[i].addr, false);
	settle_follow(e);
	return true;
}

/* --- All gaps ---------------------------------------------------------- */

static bool tile_field(struct tiler *t, const struct field *field,
		       bool may_guess)
{
	uint64_t size = field->is->code.size;
	bool is_new = false;

	t->field = field;
	for (t->start = 0; t->start < size; t->start = t->end) {
		const uint8_t *next =
			memchr(field->taken + t->start, 0, size - t->start);

		if (next == NULL)
			break;
		t->start = next - field->taken;
		next = memchr(next, TAKEN, size - t->start);
		t->end = next == NULL ? size : (uint64_t)(next - field->taken);
		if (t->nall_tries < ALL_TRIES &&
		    !ranges_is_fill(t->e, field, t->start, t->end))
			is_new |= tile_gap(t, may_guess);
	}
	return is_new;
}

int tile_gaps(struct engine *e, bool may_guess, bool *is_new)
{
	struct tiler t = { .e = e, .nsettled = e->nqueue };

	*is_new = false;
	t.settled = malloc((e->nqueue + 1) * sizeof(t.settled[0]));
	if (t.settled == NULL)
		return diag_nomem(e->d, e->img.obj->path);
	memcpy(t.settled, e->queue, e->nqueue * sizeof(t.settled[0]));
	sort_with(t.settled, t.nsettled, sizeof(t.settled[0]), items_compare,
		  e);
	for (size_t i = 0; i < e->nfields && t.status == 0; i++)
		*is_new |= tile_field(&t, &e->fields[i], may_guess);
	free(t.settled);
	free(t.steps);
	free(t.found);
	return t.status;
}
