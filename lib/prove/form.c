/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: whether --nop was given. Either --inject or --inject --nop
 * has made all of a partial, so one site that is the partial's for sure tells
 * it of all. The table must not tell: it is what is to be proved.
 */
#include <config.h>

#include <stdlib.h>

#include "kinds.h"
#include "proof.h"

bool is_told(const struct proof *p, const struct pending *s)
{
	uint32_t shndx = p->list.items[s->first].shndx;

	/* A section in a group may be another object's. */
	return s->pl.is_told && s->pl.state == PLACEMENT_PLACED &&
	       s->nunknown == 0 &&
	       p->partial->sections[shndx].group == 0;
}

void note_form(struct proof *p, const struct pending *s)
{
	if (!is_told(p, s))
		return;
	for (size_t i = s->first; i < s->end; i++) {
		const struct witness *w = &p->list.items[i];

		if (w->is_target || w->form == FORM_BRANCH ||
		    !can_disable(p, w))
			continue;
		p->has_branch |= is_right_branch(p, w);
		p->has_disabled |= is_disabled(p, w);
		return;
	}
}

/* --- Whose a branch must be ---------------------------------------------- */

/*
 * By stub: the one partial with sites of it that may be where no global symbol
 * tells of a section; EVERYBODY, if one of several may, or if a site branches
 * although --nop was given.
 */
struct owners {
	const struct proof **items; /* owned */
	const struct proof *everybody;
};

static void add_owner(struct owners *owners, const struct proof *p,
		      const struct witness *w)
{
	const struct proof **owner = &owners->items[w->stub - p->stubs];

	if (w->is_excluded || p->partial->sections[w->shndx].group != 0 ||
	    !can_disable(p, w) || (*owner != NULL && *owner != p))
		*owner = owners->everybody;
	else
		*owner = p;
}

/* The sites of P that no global symbol places: those of all sections but the
 * placed ones that one told. */
static int add_sites(const struct proof *p, struct owners *owners)
{
	bool *has_place = calloc(p->partial->nsections, sizeof(has_place[0]));

	if (has_place == NULL)
		return diag_nomem(p->d, p->partial->path);
	for (size_t i = 0; i < p->nplaced; i++)
		has_place[p->placed[i].shndx] = p->placed[i].is_told;
	for (size_t i = 0; i < p->list.n; i++) {
		const struct witness *w = &p->list.items[i];

		if (is_call(w) && !has_place[w->shndx])
			add_owner(owners, p, w);
	}
	free(has_place);
	return 0;
}

/* Must a branch to the stub of W be of P? */
static bool is_own(const struct proof *p, const struct owners *owners,
		   const struct witness *w)
{
	return is_call(w) && owners->items[w->stub - p->stubs] == p;
}

/* Is a branch of P, and of no other partial, where [FIRST, END) is? */
static bool has_own_branch(const struct proof *p, const struct owners *owners,
			   size_t first, size_t end)
{
	for (size_t i = first; i < end; i++) {
		const struct witness *w = &p->list.items[i];

		if (w->is_placed && is_own(p, owners, w) &&
		    is_right_branch(p, w) && !is_told_at(p, w->addr))
			return true;
	}
	return false;
}

static int judge_pending(struct proof *p, const struct owners *owners,
			 struct pending *s)
{
	bool is_due = false;

	for (size_t i = s->first; i < s->end; i++)
		is_due |= is_own(p, owners, &p->list.items[i]);
	/* All of a kind have the same places, and those of a group. */
	if (!is_due || s->model != NULL ||
	    (s->kind != NULL && s->n == 0 && s->kind->seen == p))
		return 0;
	if (s->kind != NULL)
		s->kind->seen = p;
	for (size_t i = 0; !p->has_branch && i < s->pl.nfits; i++) {
		if (set_addresses(p, s, s->pl.fits[i]))
			return -1;
		p->has_branch = has_own_branch(p, owners, s->first, s->end);
		unset_addresses(p, s);
	}
	return 0;
}

static int judge_partial(struct proof *p, const struct owners *owners)
{
	for (size_t i = 0; !p->has_branch && i < p->nplaced; i++)
		p->has_branch = !p->placed[i].is_suspect &&
				has_own_branch(p, owners, p->placed[i].first,
					       p->placed[i].end);
	for (size_t i = 0; !p->has_branch && i < p->npending; i++)
		if (judge_pending(p, owners, &p->pending[i]))
			return -1;
	return 0;
}

int note_forms(struct proof *all, size_t n)
{
	struct owners owners = { .everybody = &all[n] };
	int ret = 0;

	owners.items = calloc(all[0].nstubs + 1, sizeof(owners.items[0]));
	if (owners.items == NULL)
		return diag_nomem(all[0].d, all[0].img.obj->path);
	for (size_t k = 0; ret == 0 && k < n; k++)
		ret = add_sites(&all[k], &owners);
	for (size_t k = 0; ret == 0 && k < n; k++)
		if (!all[k].has_branch && !all[k].has_disabled)
			ret = judge_partial(&all[k], &owners);
	free(owners.items);
	return ret;
}
