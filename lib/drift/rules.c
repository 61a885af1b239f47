/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Assignment: which section gets which place. First come certain conclusions:
 * from a name that only one section can have, from branches of settled
 * sections, and from a place that is the only one for the only section left.
 * Then gaps are filled where there is only one way. All later steps are
 * choices, and marked as such.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/sort.h"
#include "engine.h"

/* --- Names ------------------------------------------------------------- */

static void settle_named(struct engine *e)
{
	for (size_t i = 0; i < e->nitems; i++) {
		uint64_t addr;

		if (evidence_named(e, &e->items[i], &addr))
			settle_item(e, i, addr, false);
	}
	settle_follow(e);
}

/*
 * Can definition D be symbol FOUND of the image? Sets the place of its section.
 * A local symbol stays local, and some linkers make all symbols local.
 */
static bool can_be(struct engine *e, const struct definition *d,
		   const struct symbol *found, uint64_t *addr)
{
	const struct item *item = &e->items[d->item];
	struct symbol own;

	if (item->is_settled)
		return false;
	object_symbol(item->obj, d->symndx, &own);
	return walk_start(e, item, own.value, found->value, addr) &&
	       own.type != STT_GNU_IFUNC &&
	       (!d->is_local || found->bind == STB_LOCAL) &&
	       settle_has_bits(e, &e->kinds[item->kind], *addr) &&
	       settle_is_free(e, *addr,
			      seek_size(e, &e->kinds[item->kind], *addr));
}

/*
 * The definitions that can be FOUND: by their bits, and by their branches, too.
 */
struct claims {
	size_t n[2];
	const struct definition *firsts[2];
	bool is_one_kind[2];
};

/* If nobody MAY_CHOOSE, two are as good as more. */
static bool is_enough(const struct claims *claims, bool may_choose)
{
	return claims->n[1] > 1 && (!may_choose || !claims->is_one_kind[1] ||
				    claims->firsts[1]->is_local);
}

static void add_claim(struct engine *e, struct claims *claims,
		      const struct definition *d, const struct symbol *found)
{
	const struct item *item = &e->items[d->item];
	uint64_t addr;

	if (!can_be(e, d, found, &addr))
		return;
	for (int k = 0; k < (settle_is_open(e, item, addr) ? 2 : 1); k++) {
		if (claims->n[k]++ == 0)
			claims->firsts[k] = d;
		claims->is_one_kind[k] &=
			item->kind == e->items[claims->firsts[k]->item].kind;
	}
}

/*
 * Adds those of [START, END), which are sorted by item, that belong to item I.
 */
static void add_claims_of(struct engine *e, struct claims *claims, size_t i,
			  const struct definition *start,
			  const struct definition *end,
			  const struct symbol *found)
{
	size_t k, n = end - start;

	LOWER_BOUND(k, n, start[k].item < i);
	for (; k < n && start[k].item == i; k++)
		add_claim(e, claims, &start[k], found);
}

/* Those whose bits are where FOUND is. */
static void seek_claims(struct engine *e, const struct named *c,
			const struct symbol *found, bool may_choose,
			struct claims *claims)
{
	const struct definition *weak = c->all + c->nstrong;
	const struct definition *local = c->all + c->nglobal;
	size_t i;

	LOWER_BOUND(i, e->ncandidates, e->candidates[i].addr <= found->value);
	while (i-- > 0 && e->candidates[i].reach > found->value) {
		struct kind *kind = &e->kinds[e->candidates[i].kind];

		for (size_t k = settle_first_left(e, kind);
		     k < kind->nitems && !is_enough(claims, may_choose); k++) {
			size_t item = kind->items[k];

			add_claims_of(e, claims, item, c->all, weak, found);
			add_claims_of(e, claims, item, weak, local, found);
			add_claims_of(e, claims, item, local, c->all + c->n,
				      found);
		}
	}
}

/*
 * Counts the definitions of C that can be FOUND, and finds the first. Branches
 * decide if names do not.
 */
static size_t count_claims(struct engine *e, const struct named *c,
			   const struct symbol *found, bool may_choose,
			   const struct definition **first, bool *is_one_kind)
{
	struct claims claims = { .is_one_kind = { true, true } };
	bool by_branches;

	if (!settle_is_free(e, found->value, 1))
		return 0;
	if (c->n > 1)
		seek_claims(e, c, found, may_choose, &claims);
	if (claims.n[0] == 0)
		for (size_t i = 0; i < c->n && !is_enough(&claims, may_choose);
		     i++)
			add_claim(e, &claims, &c->all[i], found);
	by_branches = claims.n[0] > 1;
	*first = claims.firsts[by_branches];
	*is_one_kind = claims.is_one_kind[by_branches];
	return claims.n[by_branches];
}

/* Are the bits of KIND at two or more free places? */
static bool has_choice(const struct engine *e, const struct kind *kind)
{
	size_t nfree = 0;

	for (size_t k = 0; k < kind->naddrs && nfree < 2; k++)
		nfree += kind->owners[k] == NO_SECTION &&
			 settle_is_free(e, kind->addrs[k],
					seek_size(e, kind, kind->addrs[k]));
	return nfree > 1;
}

/* Counts the places at which D can be. Two are as good as more. */
static size_t count_places(struct engine *e, const struct definition *d)
{
	struct symbol found;
	uint64_t addr, last = 0;
	uint32_t symndx = 0;
	size_t n = 0;

	if (!has_choice(e, &e->kinds[e->items[d->item].kind]))
		return 1;
	while (n < 2 && names_next(&e->img.names, d->name, &symndx, &found)) {
		if (!found.is_defined || !can_be(e, d, &found, &addr) ||
		    (n > 0 && addr == last))
			continue;
		last = addr;
		n++;
	}
	return n;
}

/*
 * Settles sections that alone can be a symbol of the image with the name of C.
 * If MAY_CHOOSE, settles the first one of equal sections, which is the one that
 * linkers keep.
 */
static bool settle_claim(struct engine *e, const struct named *c,
			 bool may_choose)
{
	uint32_t symndx = 0;
	struct symbol found;
	bool is_new = false;

	while (names_next(&e->img.names, c->all->name, &symndx, &found)) {
		const struct definition *first;
		bool is_one_kind;
		uint64_t addr;
		size_t n;

		if (!found.is_defined)
			continue;
		n = count_claims(e, c, &found, may_choose, &first,
				 &is_one_kind);
		if (n == 0 ||
		    (n > 1 && !(may_choose && is_one_kind && !first->is_local)))
			continue;
		if (count_places(e, first) != 1 ||
		    !can_be(e, first, &found, &addr))
			continue;
		is_new |= settle_item(e, first->item, addr, n > 1);
	}
	return is_new;
}

/*
 * Goes through the names of all items. Judges each name once: at the first item
 * that is left with it.
 */
static bool settle_claims(struct engine *e, bool may_choose)
{
	bool is_new = false;

	for (size_t i = 0; i < e->nnamed; i++)
		e->named[i].first_left = 0;
	for (size_t i = 0; i < e->nitems; i++)
		for (size_t k = 0; k < e->items[i].nsymbols; k++) {
			struct named *claim = &e->named[e->items[i].names[k]];

			if (e->items[i].is_settled)
				break;
			while (e->items[claim->all[claim->first_left].item]
				       .is_settled)
				claim->first_left++;
			if (claim->all[claim->first_left].item == i)
				is_new |= settle_claim(e, claim, may_choose);
		}
	settle_follow(e);
	return is_new;
}

/* --- What is left ------------------------------------------------------ */

struct rest {
	size_t nitems, naddrs; /* not settled, and open to the first */
	size_t item, addr;     /* the first of each */
	bool is_guess;	       /* that the others have their places */
};

static bool is_open_to_any(struct engine *e, struct kind *kind, uint64_t addr)
{
	for (size_t k = settle_first_left(e, kind); k < kind->nitems; k++)
		if (!e->items[kind->items[k]].is_settled &&
		    settle_is_open(e, &e->items[kind->items[k]], addr))
			return true;
	return false;
}

/* Can a section without a key, which has no candidates, be at ADDR? */
static bool is_open_to_short(struct engine *e, const struct kind *but,
			     uint64_t addr)
{
	for (size_t k = 0; k < e->nshort; k++) {
		struct kind *kind = &e->kinds[e->short_kinds[k]];

		if (kind != but && kind->nleft > 0 &&
		    settle_has_bits(e, kind, addr) &&
		    is_open_to_any(e, kind, addr))
			return true;
	}
	return false;
}

/* Can a section of another kind be in [ADDR, ADDR + SIZE) instead of KIND? */
static bool is_contested(struct engine *e, const struct kind *kind,
			 uint64_t addr, uint64_t size)
{
	size_t i;

	LOWER_BOUND(i, e->ncandidates, e->candidates[i].addr < addr + size);
	while (i-- > 0 && e->candidates[i].reach > addr) {
		const struct candidate *c = &e->candidates[i];
		struct kind *other = &e->kinds[c->kind];
		uint64_t other_size = seek_size(e, other, c->addr);

		if (other == kind || other->nleft == 0 ||
		    c->addr + other_size <= addr)
			continue;
		if (is_open_to_any(e, other, c->addr))
			return true;
	}
	return e->items[kind->first].nfixed < FIXED_MIN &&
	       is_open_to_short(e, kind, addr);
}

static struct rest rest_of(struct engine *e, const struct kind *kind)
{
	struct rest rest = { 0 };

	for (size_t k = kind->nitems; k-- > 0;)
		if (!e->items[kind->items[k]].is_settled) {
			rest.nitems++;
			rest.item = kind->items[k];
		} else {
			rest.is_guess |= e->items[kind->items[k]].to->is_alike;
		}
	for (size_t k = kind->naddrs; rest.nitems == 1 && k-- > 0;)
		if (kind->owners[k] == NO_SECTION &&
		    settle_is_likely(e, &e->items[rest.item], kind->addrs[k])) {
			rest.naddrs++;
			rest.addr = k;
		}
	return rest;
}

/*
 * Settles the only section that is left at its only place, if no other can be
 * there.
 */
static bool settle_last(struct engine *e, struct kind *kind, bool may_guess)
{
	struct rest rest;
	bool is_guess;

	if (kind->nleft != 1)
		return false;
	rest = rest_of(e, kind);
	if (rest.nitems != 1 || rest.naddrs != 1)
		return false;
	is_guess = rest.is_guess ||
		   is_contested(e, kind, kind->addrs[rest.addr],
				seek_size(e, kind, kind->addrs[rest.addr]));
	return (may_guess || !is_guess) &&
	       settle_item(e, rest.item, kind->addrs[rest.addr], is_guess);
}

/*
 * Is ADDR in a section of the image with the name of ITEM's section, or with
 * the first part of that, as .text is of .text.f?
 */
static bool is_in_namesake(const struct engine *e, const struct item *item,
			   uint64_t addr)
{
	const struct field *field =
		fields_find(e, addr, seek_size(e, &e->kinds[item->kind], addr));
	const char *name;
	size_t n;

	if (field == NULL || field->is->shndx == 0)
		return false;
	name = e->img.obj->sections[field->is->shndx].name;
	n = strlen(name);
	return n > 0 && strncmp(item->to->name, name, n) == 0 &&
	       (item->to->name[n] == '\0' || item->to->name[n] == '.');
}

/*
 * Pairs the remaining sections of KIND in order, first where the image has
 * sections of their name.
 */
static bool settle_alike(struct engine *e, struct kind *kind, bool any_name)
{
	bool is_new = false;
	size_t first = 0; /* all before have owners */

	for (size_t m = 0; m < kind->nitems; m++) {
		struct item *item = &e->items[kind->items[m]];

		for (size_t k = first; !item->is_settled && k < kind->naddrs;
		     k++) {
			if (kind->owners[k] != NO_SECTION)
				first += k == first;
			else if ((any_name ||
				  is_in_namesake(e, item, kind->addrs[k])) &&
				 settle_is_likely(e, item, kind->addrs[k]) &&
				 settle_item(e, kind->items[m], kind->addrs[k],
					     true))
				is_new = true;
		}
	}
	return is_new;
}

/*
 * Finds candidates for sections without a run of fixed bytes: only where a
 * linker would put the next section behind a settled one.
 */
static void seek_short(struct engine *e, struct kind *kind)
{
	const struct item *item = &e->items[kind->first];
	uint64_t align = item->obj->sections[item->to->shndx].align;

	for (size_t i = 0; i < e->nfields; i++) {
		const struct code *code = &e->fields[i].is->code;
		const uint8_t *taken = e->fields[i].taken, *next = taken;

		while (next != NULL && next < taken + code->size) {
			uint64_t left = taken + code->size - next;
			uint64_t addr = code->addr + (next - taken);

			if (align > 1)
				addr = (addr + align - 1) / align * align;
			if (settle_is_free(e, addr,
					   e->arch->relax == NULL
						   ? item->code.size
						   : 1))
				settle_has_bits(e, kind, addr);
			/* Where the next gap begins. */
			next = memchr(next, TAKEN, left);
			if (next != NULL)
				next = memchr(next, 0,
					      taken + code->size - next);
		}
	}
}

static int compare_sizes(const void *a, const void *b, void *ctx)
{
	const struct engine *e = ctx;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	uint64_t x_size = e->items[e->kinds[x].first].code.size;
	uint64_t y_size = e->items[e->kinds[y].first].code.size;

	if (x_size != y_size)
		return x_size > y_size ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* The largest distance between neighbours. */
#define BESIDE_MAX 64

/*
 * Settles sections with few fixed bytes beside those settled behind the first
 * N, and further ones beside these.
 */
static void settle_beside(struct engine *e, size_t n)
{
	for (; n < e->nqueue; n++) {
		const struct drift_section *to = e->items[e->queue[n]].to;
		uint64_t start = to->addr, end = to->addr + to->new_size;
		size_t i, left = BESIDE_MAX;

		LOWER_BOUND(i, e->ncandidates,
			    e->candidates[i].addr < end + BESIDE_MAX);
		while (i-- > 0 && left-- > 0 &&
		       e->candidates[i].reach + BESIDE_MAX > start)
			settle_last(e, &e->kinds[e->candidates[i].kind], false);
	}
}

/* Settles all kinds that have one section and one place left. */
static bool settle_unique(struct engine *e, const size_t *by_size,
			  bool may_guess)
{
	bool is_new = false;

	/* Short sections only have places beside others. */
	for (int is_short = 0; is_short < 1 + may_guess; is_short++)
		for (size_t i = 0; i < e->nkinds; i++) {
			struct kind *kind = &e->kinds[by_size[i]];

			if (kind->nleft == 0 ||
			    (e->items[kind->first].key_size == 0) != is_short)
				continue;
			if (is_short)
				seek_short(e, kind);
			if (!settle_last(e, kind, may_guess))
				continue;
			is_new = true;
			if (!may_guess)
				settle_beside(e, e->nqueue - 1);
		}
	settle_follow(e);
	return is_new;
}

/*
 * Chooses the largest kind of which several are left: small ones fit by chance.
 */
static bool settle_largest(struct engine *e, const size_t *by_size)
{
	for (size_t i = 0; i < e->nkinds; i++) {
		struct kind *kind = &e->kinds[by_size[i]];

		if (kind->nleft > 0 && (settle_alike(e, kind, false) ||
					settle_alike(e, kind, true))) {
			settle_follow(e);
			return true;
		}
	}
	return false;
}

/* Draws all certain conclusions, until there are no more. */
static void settle_known(struct engine *e, const size_t *by_size)
{
	bool is_new = true;

	while (is_new) {
		is_new = settle_claims(e, false);
		is_new |= settle_unique(e, by_size, false);
	}
}

/* The number of rounds in which branches may exchange choices. */
#define EXCHANGES_MAX 8

static int apply(struct engine *e, const size_t *by_size)
{
	bool is_new = true;

	settle_named(e);
	settle_known(e, by_size);
	while (settle_claims(e, true))
		settle_known(e, by_size);
	while (is_new) {
		if (tile_gaps(e, false, &is_new))
			return -1;
		settle_known(e, by_size);
	}
	/* From here on nothing is known. */
	do {
		if (tile_gaps(e, true, &is_new))
			return -1;
		do
			while (settle_unique(e, by_size, true) ||
			       settle_claims(e, true))
				;
		while (settle_largest(e, by_size));
		/* Choices may contradict one another. */
		for (int i = 0; i < EXCHANGES_MAX && settle_exchange(e); i++)
			;
	} while (is_new);
	return 0;
}

int rules_apply(struct engine *e)
{
	size_t *by_size = malloc((e->nkinds + 1) * sizeof(by_size[0]));
	int ret;

	e->queue = malloc((e->nitems + 1) * sizeof(e->queue[0]));
	if (e->queue == NULL || by_size == NULL) {
		free(by_size);
		return diag_nomem(e->d, e->img.obj->path);
	}
	for (size_t i = 0; i < e->nkinds; i++)
		by_size[i] = i;
	sort_with(by_size, e->nkinds, sizeof(by_size[0]), compare_sizes, e);
	ret = apply(e, by_size);
	free(by_size);
	return ret;
}
