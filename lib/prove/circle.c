/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: sections that may change places with one another, though they
 * do not all fit the same ones. Where several objects have a weak function, the
 * image's symbol is one of them, and the others fit wherever nothing has a
 * name.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "class.h"

struct circle {
	bool *is_in;		 /* by index of the class's list; owned */
	struct placement places; /* of all; owned */
	size_t n;		 /* sections */
};

/* Adds the places of PL to those of CIRCLE. Returns -1 without memory. */
static int add_places(struct circle *circle, const struct placement *pl)
{
	struct placement *all = &circle->places;
	size_t n = all->ncandidates + pl->ncandidates;
	uint64_t *places =
		realloc(all->candidates, (n + 1) * sizeof(places[0]));

	if (places == NULL)
		return -1;
	all->candidates = places;
	memcpy(places + all->ncandidates, pl->candidates,
	       pl->ncandidates * sizeof(places[0]));
	all->ncandidates =
		sort_unique(places, n, sizeof(places[0]), sort_compare_numbers);
	return 0;
}

/*
 * Adds the sections that fit any place of CIRCLE. Sets *IS_ONE to false at one
 * that cannot change places with the others.
 */
static int widen(const struct class *c, struct circle *circle, bool *is_one)
{
	for (size_t i = 0; c->list + i < c->list_end; i++) {
		const struct open_section *other = &c->list[i];

		if (circle->is_in[i] || other->s->is_settled ||
		    !class_fits_any(&other->s->pl, &circle->places))
			continue;
		*is_one = !other->s->pl.is_cut &&
			  class_may_change(c->p, c->model, other->p, other->s);
		if (!*is_one)
			return 0;
		circle->is_in[i] = true;
		circle->n += other->s->n;
		if (add_places(circle, &other->s->pl))
			return diag_nomem(c->p->run->d, c->p->partial->path);
	}
	return 0;
}

/* Are the sites of the class confirmed at each place of CIRCLE? */
static int ask_places(struct class *c, const struct circle *circle,
		      bool *are_told)
{
	for (size_t i = 0; *are_told && i < circle->places.ncandidates; i++) {
		struct class_place place;

		if (class_describe(c, &place, circle->places.candidates[i]))
			return -1;
		*are_told = place.is_told && place.nothers == 0;
	}
	return 0;
}

int circle_fills(struct class *c)
{
	struct circle circle = { .is_in = calloc(c->list_end - c->list + 1,
						 sizeof(bool)) };
	bool fills = true;
	size_t n;
	int ret = -1;

	if (circle.is_in == NULL || add_places(&circle, &c->model->pl)) {
		diag_nomem(c->p->run->d, c->p->partial->path);
		goto done;
	}
	do {
		n = circle.n;
		ret = widen(c, &circle, &fills);
	} while (ret == 0 && fills && circle.n > n);
	fills = fills && circle.n == circle.places.ncandidates;
	if (ret == 0)
		ret = ask_places(c, &circle, &fills);
done:
	free(circle.is_in);
	free(circle.places.candidates);
	return ret == 0 ? fills : ret;
}
