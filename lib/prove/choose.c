/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: chooses which of its places each section of a class gets.
 * All choices give the same sites. This one suits what the table and the
 * image's names say about folding.
 */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "candidates.h"
#include "class.h"
#include "namesakes.h"

struct choice {
	const struct class *c;
	struct wanted *members;	   /* owned; c->n, MODEL last */
	struct class_place **own;  /* owned; of each member, by its names */
	struct class_place **heap; /* owned; all places, the best one first */
};

/* --- By what is known about the places ------------------------------------ */

/* Counts the entries that no section there accounts for. */
static size_t count_left(const struct class_place *place)
{
	size_t n = place->nothers + place->nclaims;

	return place->nentries > n ? place->nentries - n : 0;
}

/*
 * Is A a better place for the next section than B? Free places come first;
 * among these, places with confirmed sites, and then those with entries. Of the
 * places that are taken, the best has more entries than sections, or else more
 * names: sections were folded there. Of places that are alike in all this, the
 * best is the one that fewest other sections fit. The last ones are those that
 * overlap a place that was taken.
 */
static bool is_better(const struct class_place *a, const struct class_place *b)
{
	bool is_free = a->nothers + a->nclaims == 0;
	size_t x = count_left(a), y = count_left(b);

	if (a->is_cut_into != b->is_cut_into)
		return b->is_cut_into;
	if (is_free != (b->nothers + b->nclaims == 0))
		return is_free;
	if (is_free && a->is_told != b->is_told)
		return a->is_told;
	if (x != y)
		return x > y;
	x = a->nnames + b->nclaims;
	y = b->nnames + a->nclaims;
	if (x != y)
		return x > y;
	return a->nrivals != b->nrivals ? a->nrivals < b->nrivals : a < b;
}

/* Moves heap[I] down to where it belongs. */
static void sift_down(const struct choice *choice, size_t i)
{
	struct class_place **heap = choice->heap;
	size_t n = choice->c->model->pl.ncandidates;

	for (size_t best = i;; i = best) {
		struct class_place *place = heap[i];

		for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < n; k++)
			if (is_better(heap[k], heap[best]))
				best = k;
		if (best == i)
			return;
		heap[i] = heap[best];
		heap[best] = place;
	}
}

static void build_heap(const struct choice *choice)
{
	size_t n = choice->c->model->pl.ncandidates;

	for (size_t i = 0; i < n; i++)
		choice->heap[i] = &choice->c->places[i];
	for (size_t i = n / 2; i-- > 0;)
		sift_down(choice, i);
}

/* Has a section got a place that overlaps PLACE? */
static bool overlaps_taken(const struct class *c,
			   const struct class_place *place)
{
	const struct class_place *list = c->places;
	size_t n = c->model->pl.ncandidates, at = (size_t)(place - list);

	for (size_t i = at; i > 0 && list[i - 1].end > place->addr; i--)
		if (list[i - 1].nclaims > 0)
			return true;
	for (size_t i = at + 1; i < n && list[i].addr < place->end; i++)
		if (list[i].nclaims > 0)
			return true;
	return false;
}

static struct class_place *pick_place(const struct choice *choice)
{
	struct class_place *best = choice->heap[0];

	while (!best->is_cut_into && overlaps_taken(choice->c, best)) {
		best->is_cut_into = true;
		sift_down(choice, 0);
		best = choice->heap[0];
	}
	best->nclaims++;
	sift_down(choice, 0);
	return best;
}

/* --- By names ---------------------------------------------------------------
 */

/* Member or place I of a class, by its names. */
struct named {
	uint64_t names;
	size_t i;
};

static int compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return sort_pairs(x->names, x->i, y->names, y->i);
}

/* Sets OWN of each member that has a place with just its names. */
static void match_names(const struct choice *choice, struct named *members,
			struct named *places)
{
	const struct class *c = choice->c;
	struct class_place **own = choice->own;
	size_t i = 0, k = 0;

	for (size_t m = 0; m < c->n; m++) {
		const struct wanted *w = &choice->members[m];
		uint32_t shndx = w->p->list.items[w->s->first].shndx;
		const struct class_place *place = &c->places[m];

		members[m] = (struct named){ namesakes_sum(w->p, shndx), m };
		places[m] = (struct named){
			namesakes_sum_at(c->p, place->addr, place->end), m
		};
	}
	qsort(members, c->n, sizeof(members[0]), compare_named);
	qsort(places, c->n, sizeof(places[0]), compare_named);
	while (i < c->n && k < c->n) {
		if (members[i].names == places[k].names) {
			own[members[i].i] = &c->places[places[k].i];
			own[members[i++].i]->nclaims++;
			k++;
		} else if (members[i].names < places[k].names) {
			i++;
		} else {
			k++;
		}
	}
}

/*
 * Where there are more members than places or less, names do not show whose a
 * place is: sections were folded or dropped. Returns -1 without memory.
 */
static int find_own(const struct choice *choice)
{
	const struct class *c = choice->c;
	struct named *members, *places;
	int ret = -1;

	if (c->n != c->model->pl.ncandidates)
		return 0;
	members = calloc(c->n, sizeof(members[0]));
	places = calloc(c->n, sizeof(places[0]));
	if (members != NULL && places != NULL) {
		match_names(choice, members, places);
		ret = 0;
	}
	free(members);
	free(places);
	return ret;
}

/* ------------------------------------------------------------------------- */

static int compare_wanted(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	if (x->p != y->p)
		return x->p < y->p ? -1 : 1;
	return x->s < y->s ? -1 : x->s > y->s;
}

/* Lists the c->n members of the class, in order, but MODEL last. */
static struct wanted *list_members(const struct class *c)
{
	struct wanted *list = malloc((c->n + 1) * sizeof(list[0]));
	size_t n = 0;

	for (const struct open_section *other = c->first;
	     list != NULL && other < c->end; other++) {
		struct wanted next = { other->p, other->s };

		if (!class_has(c, other->p, other->s))
			continue;
		for (; next.s != NULL; next = next.s->next)
			list[n++] = next;
	}
	if (list == NULL)
		return NULL;
	qsort(list, n, sizeof(list[0]), compare_wanted);
	for (size_t i = 0; i + 1 < n; i++)
		if (list[i].s == c->model) {
			memmove(&list[i], &list[i + 1],
				(n - 1 - i) * sizeof(list[0]));
			list[n - 1] = (struct wanted){ c->p, c->model };
			break;
		}
	return list;
}

/*
 * Reports S: its bytes are at ADDR, but no symbol, branch or entry confirms
 * that.
 */
static void report_unnamed(struct proof *p, const struct pending *s,
			   uint64_t addr)
{
	struct finding f = { .cause = CAUSE_UNPLACED,
			     .shndx = p->list.items[s->first].shndx,
			     .has_address = true,
			     .address = addr,
			     .remedy = REMEDY_GIVE_TWIN };

	match_dispute(p, s, addr);
	report_finding(
		p, &f,
		"no symbol shows that the section is in the image, but its bytes "
		"are at 0x%" PRIx64,
		addr);
}

static int settle_at(const struct class *c, struct proof *p, struct pending *s,
		     const struct class_place *place)
{
	struct placement *pl = &s->pl;
	bool is_named = candidates_are_named(s);
	/* Then match.c reports that. */
	bool is_empty = p->run->has_table && p->run->table.nentries == 0;

	s->is_exchangeable = c->n > 1 || c->model->pl.ncandidates > 1;
	pl->state = PLACEMENT_PLACED;
	pl->addr = place->addr;
	if (!is_named && place->is_disabled && place->nentries == 0 &&
	    !is_empty) {
		report_unnamed(p, s, place->addr);
		pl->state = PLACEMENT_ABSENT;
	}
	return sections_settle(p, s);
}

int choose_places(struct class *c)
{
	struct choice choice = {
		.c = c,
		.members = list_members(c),
		.own = calloc(c->n + 1, sizeof(choice.own[0])),
		.heap = calloc(c->model->pl.ncandidates + 1,
			       sizeof(choice.heap[0])),
	};
	int ret = 0;

	if (c->n < c->model->pl.ncandidates)
		class_count_rivals(c);
	if (choice.members == NULL || choice.own == NULL ||
	    choice.heap == NULL || find_own(&choice))
		ret = diag_nomem(c->p->run->d, c->p->partial->path);
	else
		build_heap(&choice);
	for (size_t i = 0; ret == 0 && i < c->n; i++) {
		const struct wanted *member = &choice.members[i];

		ret = settle_at(c, member->p, member->s,
				choice.own[i] != NULL ? choice.own[i]
						      : pick_place(&choice));
	}
	free(choice.members);
	free(choice.own);
	free(choice.heap);
	return ret;
}
