/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: gives each section that symbols do not place one of its
 * places. The same static function in two objects has two places, and each
 * object's section fits both. If two sections agree in everything that the
 * proof compares, they may change places, and the proof stays the same. So each
 * of them gets any one place that is left.
 *
 * If there are more places than sections, one place is another object's. Sites
 * that branch show that later: extra.c finds branches that are no sites. A NOP
 * without a table entry leaves no trace. So where sites are off, this does not
 * decide, and the section is unplaced.
 *
 * A section of two equal functions also fits where the second one of it and the
 * first one of the next section are. Sections do not overlap, so such a place
 * is left when a section gets the place before or behind it.
 */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "candidates.h"
#include "class.h"
#include "entries.h"
#include "kinds.h"
#include "references.h"

/* Do callers lead to each place of the class? */
static bool is_referenced(const struct class *c)
{
	return c->model->is_referenced && c->n == c->model->n &&
	       c->n == c->model->pl.ncandidates;
}

/*
 * Do the places decide which sites the image has? With IS_SURE, there may not
 * be more of them than members. Returns 1, 0, or -1 on trouble.
 */
static int decides(struct class *c, bool is_sure)
{
	bool are_left = c->n < c->model->pl.ncandidates;

	if (is_referenced(c))
		return 1;
	if (are_left && (is_sure || c->model->pl.is_cut))
		return 0;
	if (c->is_disabled && !are_left && class_may_be_siteless(c))
		return 0;
	if (c->is_disabled && are_left && !class_others_are_siteless(c)) {
		int fills = circle_fills(c);

		if (fills <= 0)
			return fills;
	}
	/* If sections were folded, some places may be another class's. */
	return !(c->is_disabled && c->p->run->v->is_nameless &&
		 class_has_rival(c, true));
}

static uint64_t size_of(const struct open_section *c)
{
	return c->p->partial->sections[c->p->list.items[c->s->first].shndx]
		.size;
}

static int compare_sizes(const void *a, const void *b)
{
	const struct open_section *x = *(const struct open_section *const *)a;
	const struct open_section *y = *(const struct open_section *const *)b;
	uint64_t m = size_of(x), n = size_of(y);

	return m != n ? (m > n ? -1 : 1) : (x > y) - (x < y);
}

static int compare_candidates(const void *a, const void *b)
{
	const struct open_section *x = a, *y = b;

	if (x->fit != y->fit)
		return x->fit < y->fit ? -1 : 1;
	if (x->p != y->p)
		return x->p < y->p ? -1 : 1;
	return x->s < y->s ? -1 : x->s > y->s;
}

/* Lists the sections that may be in classes, by their first places. */
static size_t list_candidates(struct proof *all, size_t n,
			      const struct occupied *occupied,
			      struct open_section *list)
{
	size_t nlisted = 0;

	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < all[k].npending; i++) {
			struct pending *s = &all[k].pending[i];

			if (s->is_settled || s->model != NULL)
				continue;
			candidates_drop_occupied(&all[k], s, occupied);
			split_drop_apart(&all[k], s);
			if (!s->is_misfit && s->pl.ncandidates > 0)
				list[nlisted++] = (struct open_section){
					s->pl.candidates[0], &all[k], s
				};
		}
	if (nlisted > 0)
		qsort(list, nlisted, sizeof(list[0]), compare_candidates);
	return nlisted;
}

/* Settles the class of MODEL, an item of LIST, if its places decide. */
static int settle(const struct open_section *list, size_t n,
		  const struct open_section *model, bool is_sure)
{
	struct class c;
	int ret;

	if (lookup_has_many_additions(model->p) &&
	    lookup_sort_placed(model->p->run))
		return -1;
	ret = class_form(&c, list, n, model);
	if (ret == 0)
		ret = decides(&c, is_sure);
	if (ret > 0)
		ret = choose_places(&c);
	class_free(&c);
	return ret;
}

/*
 * Settles what it can of the N sections of LIST, the largest first: a smaller
 * one that fits a part of a larger one is not there.
 */
static int settle_list(const struct open_section *list, size_t n, bool is_sure,
		       bool *has_changed)
{
	const struct open_section **order;
	bool has_named = false;
	int ret = 0;

	if (n == 0)
		return 0;
	order = malloc(n * sizeof(order[0]));
	if (order == NULL)
		return diag_nomem(list->p->run->d, list->p->partial->path);
	for (size_t i = 0; i < n; i++)
		order[i] = &list[i];
	qsort(order, n, sizeof(order[0]), compare_sizes);
	for (size_t i = 0; ret == 0 && i < n; i++) {
		struct proof *p = order[i]->p;
		struct pending *s = order[i]->s;
		bool is_named = candidates_are_named(s);

		/* Sections without names need a list that is up to date. */
		if (s->is_settled || class_is_apart(p, s) ||
		    (has_named && !is_named))
			continue;
		if (candidates_have_part(p, s)) {
			*has_changed = true;
			continue;
		}
		ret = settle(list, n, order[i], is_sure);
		*has_changed |= s->is_settled;
		has_named |= is_named && s->is_settled;
	}
	free(order);
	return ret;
}

/*
 * Settles what it can, and says in *HAS_CHANGED if that was anything. LIST has
 * room for all pending sections.
 */
static int assign(struct proof *all, size_t n, struct open_section *list,
		  bool is_sure, bool *has_changed)
{
	struct occupied occupied = { 0 };
	size_t nlisted;

	*has_changed = false;
	if (lookup_sort_placed(all->run) ||
	    lookup_list_occupied(all, true, &occupied))
		return -1;
	nlisted = list_candidates(all, n, &occupied, list);
	free(occupied.ranges);
	return settle_list(list, nlisted, is_sure, has_changed);
}

/* --- The rest ----------------------------------------------------------- */

/*
 * Is each place of S taken, by another section with right sites or by a
 * function without sites? A place that is taken stays so; NOCCUPIED of them
 * have been checked for the group.
 */
static bool is_occupied(const struct proof *p, struct pending *s)
{
	struct pending *model = s->model != NULL ? s->model : s;
	uint64_t name = landmarks_first(&p->placer.landmarks,
					p->list.items[s->first].shndx);

	for (; model->noccupied < model->pl.ncandidates; model->noccupied++) {
		uint64_t addr = model->pl.candidates[model->noccupied];
		const struct placed *pl = lookup_placed_at(p, addr);

		if (pl != NULL ? pl->is_suspect
			       : !account_is_siteless_at(p, addr + name))
			return false;
	}
	return true;
}

/* It is open at which of its places S is. Disputes the entries there. */
static int dispute_places(struct proof *p, const struct pending *s,
			  struct pending *model)
{
	for (size_t i = 0; i < model->pl.ncandidates; i++)
		match_dispute(p, s, model->pl.candidates[i]);
	if (!model->pl.is_cut || model->is_disputing)
		return 0;
	model->is_disputing = true;
	return match_dispute_uncounted(p, s);
}

static int settle_rest(struct proof *all, struct proof *p)
{
	for (size_t i = 0; i < p->npending; i++) {
		struct pending *s = &p->pending[i];
		struct pending *model = s->model != NULL ? s->model : s;
		uint32_t shndx = p->list.items[s->first].shndx;

		if (s->is_settled)
			continue;
		if (lookup_has_many_additions(p) &&
		    lookup_sort_placed(all->run))
			return -1;
		if (model->is_misfit && model->pl.ncandidates > 0 &&
		    is_occupied(p, s)) {
			s->pl.state = PLACEMENT_ABSENT;
		} else if (model->pl.ncandidates > 0) {
			s->is_unrecorded = model->is_unrecorded;
			s->pl.state = model->is_misfit &&
						      !model->is_unrecorded &&
						      model->pl.ncandidates == 1
					      ? PLACEMENT_PLACED
					      : PLACEMENT_AMBIGUOUS;
			s->pl.addr = model->pl.candidates[0];
			if (dispute_places(p, s, model))
				return -1;
		} else if ((candidates_are_named(s) &&
			    !candidates_are_named(model)) ||
			   account_is_overridden(p, shndx))
			s->pl.state = PLACEMENT_ABSENT;
		if (sections_settle(p, s))
			return -1;
	}
	return 0;
}

static int assign_all(struct proof *all, size_t n, size_t npending)
{
	struct open_section *list = calloc(npending + 1, sizeof(list[0]));
	bool has_changed = true;
	int ret = 0;

	if (list == NULL)
		return diag_nomem(all[0].run->d, all[0].run->img.obj->path);
	ret = references_apply(all, n, &has_changed);
	while (ret == 0 && has_changed) {
		ret = assign(all, n, list, true, &has_changed);
		if (ret == 0 && !has_changed)
			ret = assign(all, n, list, false, &has_changed);
		if (ret == 0 && !has_changed)
			ret = references_apply(all, n, &has_changed);
	}
	free(list);
	return ret;
}

int assign_sections(struct proof *all, size_t n)
{
	size_t npending = 0;

	for (size_t k = 0; k < n; k++)
		npending += all[k].npending;
	if (npending == 0)
		return 0;
	if (entries_sort(all->run) || candidates_find_all(all, n, npending) ||
	    assign_all(all, n, npending))
		return -1;
	for (size_t k = 0; k < n; k++)
		if (settle_rest(all, &all[k]))
			return -1;
	return 0;
}
