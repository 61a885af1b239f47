/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "class.h"
#include "entries.h"
#include "kinds.h"
#include "namesakes.h"
#include "siteless.h"

/* --- Alike -------------------------------------------------------------- */

static bool same_candidates(const struct placement *a,
			    const struct placement *b)
{
	return a->ncandidates == b->ncandidates && !a->is_cut && !b->is_cut &&
	       memcmp(a->candidates, b->candidates,
		      a->ncandidates * sizeof(a->candidates[0])) == 0;
}

/*
 * Do S and T differ at most in what relocations set? Then their sites have the
 * same addresses, whichever of the two is at a place that both fit.
 */
static bool same_size(const struct proof *p, const struct pending *s,
		      const struct proof *q, const struct pending *t)
{
	const struct section *a, *b;

	a = &p->partial->sections[p->list.items[s->first].shndx];
	b = &q->partial->sections[q->list.items[t->first].shndx];
	return a->size == b->size && !a->relaxes && !b->relaxes;
}

/*
 * Has the image the same sites, whichever of S and T is at a place that both
 * fit? Without regard to their other halves.
 */
static bool may_change(const struct proof *p, const struct pending *s,
		       const struct proof *q, const struct pending *t)
{
	return q->run->table.form == TABLE_ANCHORED &&
	       kinds_same_sites(p, s, q, t) &&
	       (same_size(p, s, q, t) || kinds_same_text(p, s, q, t));
}

/* Are S and T alike, and fit the same places? */
static bool is_alike(const struct proof *p, const struct pending *s,
		     const struct proof *q, const struct pending *t)
{
	return same_candidates(&s->pl, &t->pl) && may_change(p, s, q, t);
}

/* The sibling of S if it is not settled, either; or NULL. */
static const struct pending *unsettled_sibling(const struct proof *p,
					       const struct pending *s)
{
	uint32_t sibling = split_find_sibling(p, s);
	const struct pending *t = sibling != NO_SIBLING &&
						  sibling != MANY_SIBLINGS
					  ? sections_find_open(p, sibling)
					  : NULL;

	return t != NULL && !t->is_misfit ? t : NULL;
}

/*
 * If S and T change places, their other halves must do so, too. So either they
 * have none, or the halves are alike as well. The jumps between the halves then
 * say where they are.
 */
static bool same_siblings(const struct proof *p, const struct pending *s,
			  const struct proof *q, const struct pending *t)
{
	const struct pending *x, *y;

	if (split_find_sibling(p, s) == NO_SIBLING &&
	    split_find_sibling(q, t) == NO_SIBLING)
		return true;
	x = unsettled_sibling(p, s);
	y = unsettled_sibling(q, t);
	return x != NULL && y != NULL && is_alike(p, x, q, y);
}

bool class_may_change(const struct proof *p, const struct pending *s,
		      const struct proof *q, const struct pending *t)
{
	return may_change(p, s, q, t) && same_siblings(p, s, q, t);
}

bool class_has(const struct class *c, const struct proof *p,
	       const struct pending *s)
{
	if (s->is_settled || s->is_misfit)
		return false;
	return s == c->model || (same_candidates(&c->model->pl, &s->pl) &&
				 class_may_change(c->p, c->model, p, s));
}

bool class_is_apart(const struct proof *p, const struct pending *s)
{
	uint32_t sibling = split_find_sibling(p, s);

	return sibling != NO_SIBLING && s->pl.ncandidates > 1 &&
	       unsettled_sibling(p, s) == NULL;
}

/* --- Its places ---------------------------------------------------------- */

/* If section SHNDX is at ADDR, how often has the image its first name there? */
static size_t count_names(const struct proof *p, uint32_t shndx, uint64_t addr)
{
	struct symbol sym;
	size_t i = 0;

	return landmarks_next(&p->placer.landmarks, shndx, &i, &sym) != 0
		       ? namesakes_at(p, sym.name, addr + sym.value)
		       : 0;
}

int class_describe(struct class *c, struct class_place *place, uint64_t addr)
{
	struct proof *p = c->p;
	struct pending *s = c->model;
	const struct proof_site *first = &p->list.items[s->first];
	struct placement pl = {
		.state = PLACEMENT_PLACED,
		.addr = addr,
		.size = p->partial->sections[first->shndx].size,
	};

	*place = (struct class_place){ .addr = addr,
				       .nothers = lookup_count_placed(p, addr),
				       .is_told = true };
	if (addresses_set_placed(p, s, &pl))
		return -1;
	place->end = addr + pl.size;
	for (size_t i = s->first; i < s->end; i++) {
		const struct proof_site *site = &p->list.items[i];

		if (site->form != FORM_BRANCH && branch_is_right(p, site))
			continue;
		place->is_disabled = true;
		place->is_told &= site->form != FORM_BRANCH &&
				  !records_lack(p, site);
	}
	first = entries_first_site(p, s);
	place->nentries = entries_count_at(p, first->addr, first->symbol);
	place->nnames = count_names(p, first->shndx, addr);
	c->is_disabled |= place->is_disabled;
	addresses_unset(p, s);
	return 0;
}

/* Drops the places from PL, of a member, that are not kept. */
static void drop_places(const struct class *c, struct placement *pl)
{
	size_t n = 0;

	for (size_t i = 0; i < pl->ncandidates; i++)
		if (c->places[i].is_kept)
			pl->candidates[n++] = pl->candidates[i];
	pl->ncandidates = n;
}

/* Keeps the chosen places, for all members. */
static void keep_places(struct class *c)
{
	struct class_place *list = c->places;
	size_t n = 0;

	for (const struct open_section *other = c->first; other < c->end;
	     other++)
		if (other->s != c->model && class_has(c, other->p, other->s))
			drop_places(c, &other->s->pl);
	drop_places(c, &c->model->pl);
	for (size_t i = 0; n < c->model->pl.ncandidates; i++)
		if (list[i].is_kept)
			list[n++] = list[i];
}

/*
 * If no more places than members are free of overlaps, and there is one way to
 * choose these, keeps them alone. There is one if the lowest and the highest
 * choice agree.
 */
static void keep_apart(struct class *c)
{
	struct class_place *list = c->places;
	size_t n = c->model->pl.ncandidates, nkept = 0;
	uint64_t end = 0, start = UINT64_MAX;

	for (size_t i = 0; i < n; i++) {
		list[i].is_kept = list[i].addr >= end;
		if (list[i].is_kept) {
			end = list[i].end;
			nkept++;
		}
	}
	if (nkept == n || nkept != c->n)
		return;
	for (size_t i = n; i-- > 0;) {
		if (list[i].end > start)
			continue;
		if (!list[i].is_kept)
			return;
		start = list[i].addr;
	}
	keep_places(c);
}

/* Its members have the same places, so they are beside it in LIST. */
static struct class class_of(const struct open_section *list, size_t n,
			     const struct open_section *model)
{
	struct class c = { .p = model->p,
			   .model = model->s,
			   .first = model,
			   .end = model + 1,
			   .list = list,
			   .list_end = list + n };

	while (c.first > list && c.first[-1].fit == model->fit)
		c.first--;
	while (c.end < c.list_end && c.end->fit == model->fit)
		c.end++;
	return c;
}

int class_form(struct class *c, const struct open_section *list, size_t n,
	       const struct open_section *model)
{
	const struct placement *pl = &model->s->pl;

	*c = class_of(list, n, model);
	for (const struct open_section *other = c->first; other < c->end;
	     other++)
		if (class_has(c, other->p, other->s))
			c->n += other->s->n;
	c->places = calloc(pl->ncandidates + 1, sizeof(c->places[0]));
	if (c->places == NULL)
		return diag_nomem(c->p->run->d, c->p->partial->path);
	for (size_t i = 0; i < pl->ncandidates; i++)
		if (class_describe(c, &c->places[i], pl->candidates[i]))
			return -1;
	keep_apart(c);
	return 0;
}

void class_free(struct class *c)
{
	free(c->places);
}

/* --- What else may be there ----------------------------------------------- */

bool class_fits_any(const struct placement *a, const struct placement *b)
{
	size_t i = 0, k = 0;

	if (a->candidates[a->ncandidates - 1] < b->candidates[0])
		return false;
	while (i < a->ncandidates && k < b->ncandidates &&
	       a->candidates[i] != b->candidates[k])
		if (a->candidates[i] < b->candidates[k])
			i++;
		else
			k++;
	return a->is_cut || (i < a->ncandidates && k < b->ncandidates);
}

void class_count_rivals(struct class *c)
{
	const struct placement *pl = &c->model->pl;
	uint64_t last = pl->candidates[pl->ncandidates - 1];

	for (const struct open_section *other = c->list;
	     other < c->list_end && other->fit <= last; other++) {
		const struct placement *theirs = &other->s->pl;
		size_t i = 0;

		if (other->s->is_settled || !class_fits_any(theirs, pl) ||
		    class_has(c, other->p, other->s))
			continue;
		for (size_t k = 0; k < theirs->ncandidates; k++) {
			while (i < pl->ncandidates &&
			       pl->candidates[i] < theirs->candidates[k])
				i++;
			if (i == pl->ncandidates)
				break;
			if (pl->candidates[i] == theirs->candidates[k])
				c->places[i].nrivals += other->s->n;
		}
	}
}

bool class_has_rival(const struct class *c, bool other_sites)
{
	const struct placement *pl = &c->model->pl;
	uint64_t last = pl->candidates[pl->ncandidates - 1];

	/* The list ascends by first places. */
	for (const struct open_section *other = c->list;
	     other < c->list_end && other->fit <= last; other++)
		if (!other->s->is_settled &&
		    class_fits_any(&other->s->pl, pl) &&
		    !class_has(c, other->p, other->s) &&
		    !(other_sites &&
		      kinds_same_sites(c->p, c->model, other->p, other->s)))
			return true;
	return false;
}

/*
 * How many functions without sites could be at ADDR, a place of the class? They
 * may have the bytes of a function whose sites are off.
 */
static size_t count_siteless(const struct class *c, uint64_t addr, size_t max)
{
	uint32_t shndx = c->p->list.items[c->model->first].shndx;
	struct symbol sym;
	size_t i = 0;

	return landmarks_next(&c->p->placer.landmarks, shndx, &i, &sym) != 0
		       ? siteless_count_at(c->p, sym.size, addr + sym.value,
					   max)
		       : 0;
}

bool class_others_are_siteless(const struct class *c)
{
	const struct placement *pl = &c->model->pl;
	size_t n = 0;

	for (size_t i = 0; i < pl->ncandidates; i++)
		n += c->places[i].is_told && c->places[i].nothers == 0;
	if (n != c->n || class_has_rival(c, false))
		return false;
	n = pl->ncandidates - c->n;
	for (size_t i = 0; i < pl->ncandidates; i++)
		if (!c->places[i].is_told &&
		    (c->places[i].nnames == 0 ||
		     count_siteless(c, pl->candidates[i], n) < n))
			return false;
	return true;
}

bool class_may_be_siteless(const struct class *c)
{
	for (size_t i = 0; i < c->model->pl.ncandidates; i++)
		if (!c->places[i].is_told &&
		    count_siteless(c, c->model->pl.candidates[i], 1) > 0)
			return true;
	return false;
}
