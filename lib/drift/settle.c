/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Settling: decides whether a section can be at a place, puts it there, follows
 * its branches, and takes it back.
 */
#include <config.h>

#include <string.h>

#include "base/search.h"
#include "engine.h"

bool settle_is_free(const struct engine *e, uint64_t addr, uint64_t size)
{
	const struct field *field = fields_find(e, addr, size);

	return field != NULL &&
	       memchr(field->taken + (addr - field->is->code.addr), 1, size) ==
		       NULL;
}

/* Of ITEM, where its bits are. */
static uint64_t size_at(const struct engine *e, const struct item *item,
			uint64_t addr)
{
	return seek_size(e, &e->kinds[item->kind], addr);
}

bool settle_has_bits(struct engine *e, struct kind *kind, uint64_t addr)
{
	const struct item *item = &e->items[kind->first];
	const struct field *field;

	if (seek_index(kind, addr) != NO_SECTION)
		return true;
	field = fields_find(e, addr,
			    e->arch->relax == NULL ? item->code.size : 0);
	return field != NULL &&
	       same_at(e, item, &field->is->code, addr - field->is->code.addr,
		       NULL) &&
	       seek_add(e, kind, addr) == 0;
}

struct doubt {
	struct engine *e;
	const struct item *item; /* if that were */
	uint64_t at;
	bool is_wrong;
};

/* Can ITEM be at ADDR, or be folded into what is there? */
static bool may_arrive(struct engine *e, const struct item *item, uint64_t addr)
{
	struct kind *kind = &e->kinds[item->kind];

	return settle_has_bits(e, kind, addr) &&
	       (settle_is_free(e, addr, size_at(e, item, addr)) ||
		kind->owners[seek_index(kind, addr)] != NO_SECTION);
}

/*
 * A section at ADDR that can exchange places with ITEM, since both places are
 * only choices. Else NO_SECTION.
 */
static size_t find_exchange(const struct engine *e, const struct item *item,
			    uint64_t addr)
{
	const struct kind *kind = &e->kinds[item->kind];
	size_t k = seek_index(kind, addr);

	if (!item->to->is_alike || k == NO_SECTION ||
	    kind->owners[k] == NO_SECTION ||
	    !e->items[kind->owners[k]].to->is_alike)
		return NO_SECTION;
	return kind->owners[k];
}

/* A branch must lead to its target, or to where that can be. */
static void doubt_branch(void *ctx, size_t to, uint64_t addr, uint64_t target,
			 uint64_t from)
{
	struct doubt *doubt = ctx;
	const struct item *item = &doubt->e->items[to];
	uint64_t offset;

	(void)from;
	if (item == doubt->item ? addr == doubt->at
	    : item->is_settled
		    ? item->to->addr == addr ||
			      find_exchange(doubt->e, item, addr) != NO_SECTION
		    : may_arrive(doubt->e, item, addr))
		return;
	offset = target - addr;
	doubt->is_wrong |= !evidence_is_between(doubt->e, target) &&
			   !evidence_goes_on(doubt->e, &to, &offset);
}

/*
 * Would a linker put ITEM at ADDR, as the next section behind a settled one?
 * Neighbours with few fixed bytes do not count.
 */
static bool is_beside(struct engine *e, const struct item *item, uint64_t addr)
{
	const struct field *field =
		fields_find(e, addr, size_at(e, item, addr));
	uint64_t align = item->obj->sections[item->to->shndx].align;
	uint64_t offset = addr - field->is->code.addr, start = offset;

	while (start > 0 && field->taken[start - 1] == 0 &&
	       offset - start < align)
		start--;
	return (start == 0 || field->taken[start - 1] != 0) &&
	       (start == offset || ranges_is_fill(e, field, start, offset));
}

/*
 * Does another input's group of the same name have a place by the symbol NAME?
 */
static bool has_rival(const struct engine *e, const struct item *item,
		      const char *name)
{
	struct named *named = items_named(e, name);

	/* None has a place. */
	if (items_taken(e, named) == NULL)
		return false;
	for (size_t i = 0; i < named->nglobal; i++) {
		const struct item *other = &e->items[named->all[i].item];

		if (other->is_settled && other->obj != item->obj &&
		    other->group != NULL &&
		    strcmp(other->group, item->group) == 0)
			return true;
	}
	return false;
}

/* Linkers keep one of several COMDAT groups of one name. */
static bool is_duplicate(const struct engine *e, const struct item *item)
{
	if (item->group == NULL)
		return false;
	if (has_rival(e, item, item->group))
		return true;
	for (size_t i = 0; i < item->nsymbols; i++) {
		struct symbol own;

		object_symbol(item->obj, item->symbols[i], &own);
		if (own.bind != STB_LOCAL && has_rival(e, item, own.name))
			return true;
	}
	return false;
}

bool settle_is_right(struct engine *e, const struct item *item, uint64_t addr)
{
	struct doubt doubt = { .e = e, .item = item, .at = addr };

	if (evidence_forbids(e, item, addr))
		return false;
	evidence_branches(e, item, addr, doubt_branch, &doubt);
	return !doubt.is_wrong;
}

bool settle_is_open(struct engine *e, const struct item *item, uint64_t addr)
{
	return settle_is_free(e, addr, size_at(e, item, addr)) &&
	       !is_duplicate(e, item) && settle_is_right(e, item, addr);
}

bool settle_is_likely(struct engine *e, const struct item *item, uint64_t addr)
{
	return settle_is_open(e, item, addr) &&
	       (item->nfixed >= FIXED_MIN || is_beside(e, item, addr));
}

static void take(struct engine *e, const struct item *item, uint8_t what)
{
	struct field *field =
		fields_find(e, item->to->addr, item->to->new_size);

	memset(field->taken + (item->to->addr - field->is->code.addr), what,
	       item->to->new_size);
}

size_t settle_first_left(const struct engine *e, struct kind *kind)
{
	while (kind->first_left < kind->nitems &&
	       e->items[kind->items[kind->first_left]].is_settled)
		kind->first_left++;
	return kind->first_left;
}

/* Item I has no place any more. */
static void unsettle(struct engine *e, size_t i)
{
	struct item *item = &e->items[i];
	struct kind *kind = &e->kinds[item->kind];
	size_t k;

	LOWER_BOUND(k, kind->first_left, kind->items[k] < i);
	kind->first_left = k;
	item->is_settled = false;
	e->nsettled++;
	item->to->fate = FATE_UNKNOWN;
	item->to->is_alike = false;
}

bool settle_item(struct engine *e, size_t i, uint64_t addr, bool is_guess)
{
	struct item *item = &e->items[i];
	struct kind *kind = &e->kinds[item->kind];

	if (item->is_settled || !settle_has_bits(e, kind, addr) ||
	    !settle_is_free(e, addr, size_at(e, item, addr)))
		return false;
	kind->owners[seek_index(kind, addr)] = i;
	kind->nleft--;
	item->is_settled = true;
	e->nsettled++;
	item->to->fate = FATE_PLACED;
	item->to->addr = addr;
	item->to->new_size = size_at(e, item, addr);
	item->to->is_alike = is_guess || e->is_guessing;
	take(e, item, TAKEN);
	e->queue[e->nqueue++] = i;
	return true;
}

void settle_undo(struct engine *e, size_t n)
{
	while (e->nqueue > n) {
		struct item *item = &e->items[e->queue[--e->nqueue]];
		struct kind *kind = &e->kinds[item->kind];

		take(e, item, 0);
		kind->owners[seek_index(kind, item->to->addr)] = NO_SECTION;
		kind->nleft++;
		unsettle(e, e->queue[e->nqueue]);
	}
	if (e->done > n)
		e->done = n;
}

struct follower {
	struct engine *e;
	const struct drift_section *from;
};

/*
 * If the section itself is one of several alike, the places of others of its
 * object are guesses, too.
 */
static void settle_target(void *ctx, size_t to, uint64_t addr, uint64_t target,
			  uint64_t from)
{
	struct follower *f = ctx;

	(void)target;
	(void)from;
	settle_item(f->e, to, addr,
		    f->from->is_alike &&
			    f->e->items[to].to->input == f->from->input);
}

void settle_follow(struct engine *e)
{
	struct follower f = { .e = e };

	while (e->done < e->nqueue) {
		const struct item *item = &e->items[e->queue[e->done++]];

		f.from = item->to;
		evidence_branches(e, item, item->to->addr, settle_target, &f);
	}
}

struct exchanger {
	struct engine *e;
	bool is_new;
};

static void exchange(void *ctx, size_t to, uint64_t addr, uint64_t target,
		     uint64_t from)
{
	struct exchanger *x = ctx;
	struct item *item = &x->e->items[to], *other;
	struct kind *kind = &x->e->kinds[item->kind];
	size_t k;

	(void)target;
	(void)from;
	if (!item->is_settled || item->to->addr == addr)
		return;
	k = find_exchange(x->e, item, addr);
	if (k == NO_SECTION)
		return;
	other = &x->e->items[k];
	kind->owners[seek_index(kind, addr)] = to;
	kind->owners[seek_index(kind, item->to->addr)] = k;
	other->to->addr = item->to->addr;
	other->to->new_size = item->to->new_size;
	item->to->addr = addr;
	item->to->new_size = size_at(x->e, item, addr);
	x->is_new = true;
}

bool settle_replace(struct engine *e, size_t n, size_t i)
{
	struct item *item = &e->items[e->queue[n]];
	struct kind *kind = &e->kinds[item->kind];
	struct drift_section *to = e->items[i].to;
	uint64_t addr = item->to->addr;

	if (e->items[i].is_settled || is_duplicate(e, &e->items[i]) ||
	    !settle_is_right(e, &e->items[i], addr))
		return false;
	unsettle(e, e->queue[n]);
	e->items[i].is_settled = true;
	to->fate = FATE_PLACED;
	to->addr = addr;
	to->new_size = item->to->new_size;
	to->is_alike = true;
	kind->owners[seek_index(kind, addr)] = i;
	e->queue[n] = i;
	return true;
}

/* Gives the place of the Nth settled section to another of its kind. */
static bool replace(struct engine *e, size_t n)
{
	struct kind *kind = &e->kinds[e->items[e->queue[n]].kind];

	for (size_t k = settle_first_left(e, kind); k < kind->nitems; k++)
		if (settle_replace(e, n, kind->items[k]))
			return true;
	return false;
}

bool settle_exchange(struct engine *e)
{
	struct exchanger x = { .e = e };

	for (size_t i = 0; i < e->nqueue; i++) {
		const struct item *item = &e->items[e->queue[i]];

		evidence_branches(e, item, item->to->addr, exchange, &x);
		if (item->to->is_alike &&
		    !settle_is_right(e, item, item->to->addr))
			x.is_new |= replace(e, i);
	}
	return x.is_new;
}
