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

#include "entries.h"
#include "candidates.h"
#include "kinds.h"
#include "namesakes.h"
#include "references.h"
#include "siteless.h"
#include "base/sort.h"

/* A place that sections of a class fit. */
struct candidate_addr {
	uint64_t addr, end; /* of MODEL there */
	size_t nentries;    /* entries of the table for the first site there */
	size_t nnames;	    /* names of MODEL that the image has there */
	size_t nothers;	    /* sections that were there before */
	size_t nclaims;	    /* sections that got this place */
	bool is_disabled;   /* a site there is off */
	bool is_told;	  /* branches, or records of --nop, confirm all sites */
	bool is_cut_into; /* a section got a place that overlaps this one */
	bool is_kept;	  /* see choose_apart */
};

/* Sections that are alike and fit the same places. */
struct class
{
	struct proof *p; /* the proof of MODEL, which is one of them */
	struct pending *model;
	struct candidate_addr
		*candidate_addrs;     /* owned; one for each place of MODEL */
	struct candidate_addr **heap; /* owned; the same, the best one first */
	size_t n;		      /* sections */
	bool is_disabled;	      /* a site is off at any of the places */
	/* Sections that may be members; and all that are not settled. */
	const struct candidate *first, *end, *list, *list_end;
};

/* A pending section, the model of its group, and the first of its places. */
struct candidate {
	uint64_t fit;
	struct proof *p;
	struct pending *s;
};

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
 * fit?
 */
static bool may_change(const struct proof *p, const struct pending *s,
		       const struct proof *q, const struct pending *t)
{
	return q->run->table.form == TABLE_ANCHORED &&
	       kinds_same_sites(p, s, q, t) &&
	       (same_size(p, s, q, t) || kinds_same_text(p, s, q, t));
}

/* Are S and T alike, apart from jumps to other sections? */
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

/* Is S of P in the class of MODEL? */
static bool is_member(const struct class *c, const struct proof *p,
		      const struct pending *s)
{
	if (s->is_settled || s->is_misfit)
		return false;
	return s == c->model || (is_alike(c->p, c->model, p, s) &&
				 same_siblings(c->p, c->model, p, s));
}

/* Has S another half, and is it open where the two are together? */
static bool is_apart(const struct proof *p, const struct pending *s)
{
	uint32_t sibling = split_find_sibling(p, s);

	return sibling != NO_SIBLING && s->pl.ncandidates > 1 &&
	       unsettled_sibling(p, s) == NULL;
}

/* --- Classes ------------------------------------------------------------ */

/* If section SHNDX is at ADDR, how often has the image its first name there? */
static size_t count_names(const struct proof *p, uint32_t shndx, uint64_t addr)
{
	struct symbol sym;
	size_t i = 0;

	return landmarks_next(&p->placer.landmarks, shndx, &i, &sym) != 0
		       ? namesakes_at(p, sym.name, addr + sym.value)
		       : 0;
}

static int describe_candidate(struct class *c,
			      struct candidate_addr *candidate_addr,
			      uint64_t addr)
{
	struct proof *p = c->p;
	struct pending *s = c->model;
	const struct proof_site *first = &p->list.items[s->first];
	struct placement pl = {
		.state = PLACEMENT_PLACED,
		.addr = addr,
		.size = p->partial->sections[first->shndx].size,
	};

	*candidate_addr = (struct candidate_addr){
		.addr = addr,
		.nothers = lookup_count_placed(p, addr),
		.is_told = true
	};
	if (addresses_set_placed(p, s, &pl))
		return -1;
	candidate_addr->end = addr + pl.size;
	for (size_t i = s->first; i < s->end; i++) {
		const struct proof_site *site = &p->list.items[i];

		if (site->form != FORM_BRANCH && branch_is_right(p, site))
			continue;
		candidate_addr->is_disabled = true;
		candidate_addr->is_told &= site->form != FORM_BRANCH &&
					   !records_lack(p, site);
	}
	first = entries_first_site(p, s);
	candidate_addr->nentries =
		entries_count_at(p, first->addr, first->symbol);
	candidate_addr->nnames = count_names(p, first->shndx, addr);
	c->is_disabled |= candidate_addr->is_disabled;
	addresses_unset(p, s);
	return 0;
}

/* --- Which place is taken next ------------------------------------------- */

/* Counts the entries that no section there accounts for. */
static size_t count_left(const struct candidate_addr *addr)
{
	size_t n = addr->nothers + addr->nclaims;

	return addr->nentries > n ? addr->nentries - n : 0;
}

/*
 * Is A a better place for the next section than B? Free places come first;
 * among these, places with confirmed sites, and then those with entries. Of the
 * places that are taken, the best has more entries than sections, or else more
 * names: sections were folded there. The last ones are those that overlap a
 * place that was taken.
 */
static bool is_better(const struct candidate_addr *a,
		      const struct candidate_addr *b)
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
	return x != y ? x > y : a < b;
}

/* Moves heap[I] down to where it belongs. */
static void sift_down(const struct class *c, size_t i)
{
	struct candidate_addr **heap = c->heap;
	size_t n = c->model->pl.ncandidates;

	for (size_t best = i;; i = best) {
		struct candidate_addr *candidate_addr = heap[i];

		for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < n; k++)
			if (is_better(heap[k], heap[best]))
				best = k;
		if (best == i)
			return;
		heap[i] = heap[best];
		heap[best] = candidate_addr;
	}
}

static void build_heap(const struct class *c)
{
	size_t n = c->model->pl.ncandidates;

	for (size_t i = 0; i < n; i++)
		c->heap[i] = &c->candidate_addrs[i];
	for (size_t i = n / 2; i-- > 0;)
		sift_down(c, i);
}

/* Has a section got a place that overlaps PLACE? */
static bool overlaps_taken(const struct class *c,
			   const struct candidate_addr *place)
{
	const struct candidate_addr *list = c->candidate_addrs;
	size_t n = c->model->pl.ncandidates, at = (size_t)(place - list);

	for (size_t i = at; i > 0 && list[i - 1].end > place->addr; i--)
		if (list[i - 1].nclaims > 0)
			return true;
	for (size_t i = at + 1; i < n && list[i].addr < place->end; i++)
		if (list[i].nclaims > 0)
			return true;
	return false;
}

static struct candidate_addr *pick_candidate(const struct class *c)
{
	struct candidate_addr *best = c->heap[0];

	while (!best->is_cut_into && overlaps_taken(c, best)) {
		best->is_cut_into = true;
		sift_down(c, 0);
		best = c->heap[0];
	}
	best->nclaims++;
	sift_down(c, 0);
	return best;
}

/* Drops the places from PL, of a member, that are not kept. */
static void drop_places(const struct class *c, struct placement *pl)
{
	size_t n = 0;

	for (size_t i = 0; i < pl->ncandidates; i++)
		if (c->candidate_addrs[i].is_kept)
			pl->candidates[n++] = pl->candidates[i];
	pl->ncandidates = n;
}

/* Keeps the chosen places, for all members. */
static void keep_places(struct class *c)
{
	struct candidate_addr *list = c->candidate_addrs;
	size_t n = 0;

	for (const struct candidate *other = c->first; other < c->end; other++)
		if (other->s != c->model && is_member(c, other->p, other->s))
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
static void choose_apart(struct class *c)
{
	struct candidate_addr *list = c->candidate_addrs;
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

/*
 * Counts the members, and describes their places. Free candidate_addrs and
 * heap.
 */
static int form_class(struct class *c)
{
	const struct placement *pl = &c->model->pl;

	for (const struct candidate *other = c->first; other < c->end; other++)
		if (is_member(c, other->p, other->s))
			c->n += other->s->n;
	c->candidate_addrs =
		calloc(pl->ncandidates + 1, sizeof(c->candidate_addrs[0]));
	c->heap = calloc(pl->ncandidates + 1, sizeof(c->heap[0]));
	if (c->candidate_addrs == NULL || c->heap == NULL)
		return diag_nomem(c->p->run->d, c->p->partial->path);
	for (size_t i = 0; i < pl->ncandidates; i++)
		if (describe_candidate(c, &c->candidate_addrs[i],
				       pl->candidates[i]))
			return -1;
	choose_apart(c);
	build_heap(c);
	return 0;
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
		"no symbol tells that the section is in the image, but its bytes "
		"are at 0x%" PRIx64,
		addr);
}

/* Does a name imply a place of S? */
static bool is_named_somewhere(const struct pending *s)
{
	return s->pl.state == PLACEMENT_PLACED ||
	       s->pl.state == PLACEMENT_AMBIGUOUS;
}

static int settle_at(const struct class *c, struct proof *p, struct pending *s,
		     const struct candidate_addr *candidate_addr)
{
	struct placement *pl = &s->pl;
	bool is_named = is_named_somewhere(s);
	/* Then match.c reports that. */
	bool is_empty = p->run->has_table && p->run->table.nentries == 0;

	s->is_exchangeable = c->n > 1 || c->model->pl.ncandidates > 1;
	pl->state = PLACEMENT_PLACED;
	pl->addr = candidate_addr->addr;
	if (!is_named && candidate_addr->is_disabled &&
	    candidate_addr->nentries == 0 && !is_empty) {
		report_unnamed(p, s, candidate_addr->addr);
		pl->state = PLACEMENT_ABSENT;
	}
	return sections_settle(p, s);
}

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

	for (const struct candidate *other = c->first;
	     list != NULL && other < c->end; other++) {
		struct wanted next = { other->p, other->s };

		if (!is_member(c, other->p, other->s))
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

/* Member or place I of a class, by its names. */
struct named {
	uint64_t names;
	size_t i;
};

static int compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	if (x->names != y->names)
		return x->names < y->names ? -1 : 1;
	return x->i < y->i ? -1 : x->i > y->i;
}

/*
 * Sets OWN, by index of LIST: the place that has just the names of the member.
 * MEMBERS and PLACES have room for as many as there are of each.
 */
static void match_names(const struct class *c, const struct wanted *list,
			struct named *members, struct named *places,
			struct candidate_addr **own)
{
	size_t i = 0, k = 0;

	for (size_t m = 0; m < c->n; m++)
		members[m] = (struct named){
			namesakes_sum(
				list[m].p,
				list[m].p->list.items[list[m].s->first].shndx),
			m
		};
	for (size_t m = 0; m < c->n; m++)
		places[m] = (struct named){
			namesakes_sum_at(c->p, c->candidate_addrs[m].addr,
					 c->candidate_addrs[m].end),
			m
		};
	qsort(members, c->n, sizeof(members[0]), compare_named);
	qsort(places, c->n, sizeof(places[0]), compare_named);
	while (i < c->n && k < c->n) {
		if (members[i].names == places[k].names) {
			own[members[i].i] = &c->candidate_addrs[places[k].i];
			own[members[i++].i]->nclaims++;
			k++;
		} else if (members[i].names < places[k].names) {
			i++;
		} else {
			k++;
		}
	}
	build_heap(c);
}

/*
 * Finds the place of each member that has a place with its names: OWN, by index
 * of LIST. Where there are more members than places or less, names do not tell:
 * sections were folded or dropped.
 */
static int find_own(const struct class *c, const struct wanted *list,
		    struct candidate_addr **own)
{
	struct named *members, *places;
	int ret = -1;

	if (c->n != c->model->pl.ncandidates)
		return 0;
	members = calloc(c->n, sizeof(members[0]));
	places = calloc(c->n, sizeof(places[0]));
	if (members != NULL && places != NULL) {
		match_names(c, list, members, places, own);
		ret = 0;
	}
	free(members);
	free(places);
	return ret;
}

/* Gives each member a place. */
static int settle_class(struct class *c)
{
	struct wanted *list = list_members(c);
	struct candidate_addr **own = calloc(c->n + 1, sizeof(own[0]));
	int ret = 0;

	if (list == NULL || own == NULL || find_own(c, list, own))
		ret = diag_nomem(c->p->run->d, c->p->partial->path);
	for (size_t i = 0; ret == 0 && i < c->n; i++)
		ret = settle_at(c, list[i].p, list[i].s,
				own[i] != NULL ? own[i] : pick_candidate(c));
	free(list);
	free(own);
	return ret;
}

/* Have A and B a place in common? Their places ascend. */
static bool fits_any(const struct placement *a, const struct placement *b)
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

/*
 * Could a section outside the class be at one of its places? With OTHER_SITES,
 * one with other sites.
 */
static bool has_rival(const struct class *c, bool other_sites)
{
	const struct placement *pl = &c->model->pl;
	uint64_t last = pl->candidates[pl->ncandidates - 1];

	/* The list ascends by first places. */
	for (const struct candidate *other = c->list;
	     other < c->list_end && other->fit <= last; other++)
		if (!other->s->is_settled && fits_any(&other->s->pl, pl) &&
		    !is_member(c, other->p, other->s) &&
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

/*
 * Are the sites confirmed at as many places as there are members? And are the
 * other places, by bytes and names, those of functions without sites?
 */
static bool others_are_siteless(const struct class *c)
{
	const struct placement *pl = &c->model->pl;
	size_t n = 0;

	for (size_t i = 0; i < pl->ncandidates; i++)
		n += c->candidate_addrs[i].is_told &&
		     c->candidate_addrs[i].nothers == 0;
	if (n != c->n || has_rival(c, false))
		return false;
	n = pl->ncandidates - c->n;
	for (size_t i = 0; i < pl->ncandidates; i++)
		if (!c->candidate_addrs[i].is_told &&
		    (c->candidate_addrs[i].nnames == 0 ||
		     count_siteless(c, pl->candidates[i], n) < n))
			return false;
	return true;
}

/*
 * Could a function without sites be at a place where sites are not confirmed?
 */
static bool may_be_siteless(const struct class *c)
{
	for (size_t i = 0; i < c->model->pl.ncandidates; i++)
		if (!c->candidate_addrs[i].is_told &&
		    count_siteless(c, c->model->pl.candidates[i], 1) > 0)
			return true;
	return false;
}

/* --- Alike, with other places ------------------------------------------- */

/*
 * Sections that may change places with one another, though they do not all fit
 * the same ones: where several objects have a weak function, the image's symbol
 * is one of them, and the others fit wherever nothing has a name.
 */
struct circle {
	bool *is_in;		 /* by index of the class's list; owned */
	struct placement places; /* of all; owned */
	size_t n;		 /* sections */
};

/* Adds the places of PL to those of CIRCLE. Returns -1 without memory. */
static int add_places(struct circle *circle, const struct placement *pl)
{
	struct placement *all = &circle->places;
	size_t n = all->ncandidates + pl->ncandidates, kept = 0;
	uint64_t *places =
		realloc(all->candidates, (n + 1) * sizeof(places[0]));

	if (places == NULL)
		return -1;
	all->candidates = places;
	memcpy(places + all->ncandidates, pl->candidates,
	       pl->ncandidates * sizeof(places[0]));
	qsort(places, n, sizeof(places[0]), sort_compare_numbers);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || places[kept - 1] != places[i])
			places[kept++] = places[i];
	all->ncandidates = kept;
	return 0;
}

/*
 * Adds the sections that fit any place of CIRCLE. Sets *IS_ONE to false at one
 * that cannot change places with the others.
 */
static int widen(const struct class *c, struct circle *circle, bool *is_one)
{
	for (size_t i = 0; c->list + i < c->list_end; i++) {
		const struct candidate *other = &c->list[i];

		if (circle->is_in[i] || other->s->is_settled ||
		    !fits_any(&other->s->pl, &circle->places))
			continue;
		*is_one = !other->s->pl.is_cut &&
			  may_change(c->p, c->model, other->p, other->s) &&
			  same_siblings(c->p, c->model, other->p, other->s);
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
		struct candidate_addr place;

		if (describe_candidate(c, &place, circle->places.candidates[i]))
			return -1;
		*are_told = place.is_told && place.nothers == 0;
	}
	return 0;
}

/*
 * Sets *FILLS if the class and those that may change places with it have as
 * many sections as places, and the sites are confirmed at each. Then each place
 * has a section, and the image has the same sites, whichever it is.
 */
static int fill_places(struct class *c, bool *fills)
{
	struct circle circle = { .is_in = calloc(c->list_end - c->list + 1,
						 sizeof(bool)) };
	size_t n;
	int ret = -1;

	*fills = true;
	if (circle.is_in == NULL || add_places(&circle, &c->model->pl)) {
		diag_nomem(c->p->run->d, c->p->partial->path);
		goto done;
	}
	do {
		n = circle.n;
		ret = widen(c, &circle, fills);
	} while (ret == 0 && *fills && circle.n > n);
	*fills = *fills && circle.n == circle.places.ncandidates;
	if (ret == 0)
		ret = ask_places(c, &circle, fills);
done:
	free(circle.is_in);
	free(circle.places.candidates);
	return ret;
}

/* ------------------------------------------------------------------------- */

/* Do callers lead to each place of the class? */
static bool is_referenced(const struct class *c)
{
	return c->model->is_referenced && c->n == c->model->n &&
	       c->n == c->model->pl.ncandidates;
}

/*
 * Settles the class if its places decide. With IS_SURE, it may not have more
 * places than members.
 */
static int try_class(struct class *c, bool is_sure)
{
	size_t ncandidates = c->model->pl.ncandidates;
	bool fills;

	if (is_referenced(c))
		return settle_class(c);
	if (c->n < ncandidates) {
		if (is_sure || c->model->pl.is_cut)
			return 0;
		if (c->is_disabled && !others_are_siteless(c)) {
			if (fill_places(c, &fills))
				return -1;
			if (!fills)
				return 0;
		}
	} else if (c->is_disabled && may_be_siteless(c)) {
		return 0;
	}
	/* If sections were folded, some places may be another class's. */
	if (c->is_disabled && c->p->run->v->is_nameless && has_rival(c, true))
		return 0;
	return settle_class(c);
}

static uint64_t size_of(const struct candidate *c)
{
	return c->p->partial->sections[c->p->list.items[c->s->first].shndx]
		.size;
}

static int compare_sizes(const void *a, const void *b)
{
	const struct candidate *x = *(const struct candidate *const *)a;
	const struct candidate *y = *(const struct candidate *const *)b;
	uint64_t m = size_of(x), n = size_of(y);

	return m != n ? (m > n ? -1 : 1) : (x > y) - (x < y);
}

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->fit != y->fit)
		return x->fit < y->fit ? -1 : 1;
	if (x->p != y->p)
		return x->p < y->p ? -1 : 1;
	return x->s < y->s ? -1 : x->s > y->s;
}

/* Lists the sections that may be in classes, by their first places. */
static size_t list_candidates(struct proof *all, size_t n,
			      const struct occupied *occupied,
			      struct candidate *list)
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
				list[nlisted++] =
					(struct candidate){ s->pl.candidates[0],
							    &all[k], s };
		}
	if (nlisted > 0)
		qsort(list, nlisted, sizeof(list[0]), compare_candidates);
	return nlisted;
}

/*
 * The class of MODEL. Its members have the same places, so they are beside it
 * in LIST.
 */
static struct class class_of(const struct candidate *list, size_t n,
			     const struct candidate *model)
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

/* Settles the class C if its places decide. */
static int settle(struct class *c, bool is_sure)
{
	int ret;

	if (lookup_has_many_additions(c->p) && lookup_sort_placed(c->p->run))
		return -1;
	ret = form_class(c);
	if (ret == 0)
		ret = try_class(c, is_sure);
	free(c->candidate_addrs);
	free(c->heap);
	return ret;
}

/*
 * Settles what it can of the N sections of LIST, the largest first: a smaller
 * one that fits a part of a larger one is not there.
 */
static int settle_list(const struct candidate *list, size_t n, bool is_sure,
		       bool *has_changed)
{
	const struct candidate **order;
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
		struct class c = class_of(list, n, order[i]);
		bool is_named = is_named_somewhere(c.model);

		/* Sections without names need a list that is up to date. */
		if (c.model->is_settled || is_apart(c.p, c.model) ||
		    (has_named && !is_named))
			continue;
		if (candidates_have_part(c.p, c.model)) {
			*has_changed = true;
			continue;
		}
		ret = settle(&c, is_sure);
		*has_changed |= c.model->is_settled;
		has_named |= is_named && c.model->is_settled;
	}
	free(order);
	return ret;
}

/*
 * Settles what it can, and says in *HAS_CHANGED if that was anything. LIST has
 * room for all pending sections.
 */
static int assign(struct proof *all, size_t n, struct candidate *list,
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

/*
 * S has no name in the image. Has each of its places another section with the
 * same sites? Then S was folded into one of these, or dropped, and the image
 * has the same sites either way.
 */
static bool changes_nothing(const struct proof *p, const struct pending *s)
{
	const struct pending *model = s->model != NULL ? s->model : s;

	for (size_t i = 0; i < model->pl.ncandidates; i++) {
		uint64_t addr = model->pl.candidates[i];
		const struct placed *pl = lookup_placed_at(p, addr);
		struct pending there;

		if (pl == NULL || pl->addr != addr || pl->is_suspect)
			return false;
		there = (struct pending){ .first = pl->first, .end = pl->end };
		if (!kinds_same_sites(p, s, &p->run->proofs[pl->k], &there))
			return false;
	}
	return !model->pl.is_cut && s->pl.state == PLACEMENT_ABSENT;
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
		if (model->pl.ncandidates > 0 &&
		    (model->is_misfit ? is_occupied(p, s)
				      : changes_nothing(p, s))) {
			s->pl.state = PLACEMENT_ABSENT;
		} else if (model->pl.ncandidates > 0) {
			s->pl.state = model->is_misfit &&
						      model->pl.ncandidates == 1
					      ? PLACEMENT_PLACED
					      : PLACEMENT_AMBIGUOUS;
			s->pl.addr = model->pl.candidates[0];
			if (dispute_places(p, s, model))
				return -1;
		} else if (account_is_overridden(p, shndx))
			s->pl.state = PLACEMENT_ABSENT;
		if (sections_settle(p, s))
			return -1;
	}
	return 0;
}

static int assign_all(struct proof *all, size_t n, size_t npending)
{
	struct candidate *list = calloc(npending + 1, sizeof(list[0]));
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
	bool has_found = false;
	size_t npending = 0;

	for (size_t k = 0; k < n; k++)
		npending += all[k].npending;
	if (npending == 0)
		return 0;
	if (entries_sort(all->run) || candidates_find_all(all, n, npending) ||
	    assign_all(all, n, npending) ||
	    candidates_seek_by_entries(all, n, &has_found) ||
	    (has_found && assign_all(all, n, npending)))
		return -1;
	for (size_t k = 0; k < n; k++)
		if (settle_rest(all, &all[k]))
			return -1;
	return 0;
}
