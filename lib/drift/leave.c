/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides what became of a section that has no place. It was folded if one of
 * its own names or branches leads to another section's equal bytes. It was
 * changed if a name that only it has leads to text that belongs to no section.
 * Otherwise it was dropped, unless it may be in nameless bytes that are left.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/sort.h"
#include "engine.h"

/* The targets of branches from placed sections. */
struct leads {
	struct engine *e;
	uint64_t *addrs; /* by item; owned */
	bool *has;	 /* likewise */
};

static void note_lead(void *ctx, size_t to, uint64_t addr, uint64_t target,
		      uint64_t from)
{
	struct leads *leads = ctx;

	(void)target;
	(void)from;
	leads->addrs[to] = addr;
	leads->has[to] = true;
}

/*
 * The section that has ITEM's bytes at ADDR. Its kind can differ in
 * relocations: linkers fold references to folded sections.
 */
static size_t owner_at(struct engine *e, const struct item *item, uint64_t addr)
{
	struct kind *kind = &e->kinds[item->kind];
	const struct drift_section *to;
	size_t i;

	if (!settle_has_bits(e, kind, addr))
		return NO_SECTION;
	i = seek_index(kind, addr);
	if (kind->owners[i] != NO_SECTION)
		return kind->owners[i];
	LOWER_BOUND(i, e->nqueue, e->items[e->queue[i]].to->addr < addr);
	if (i == e->nqueue)
		return NO_SECTION;
	to = e->items[e->queue[i]].to;
	return to->addr == addr && to->new_size == seek_size(e, kind, addr)
		       ? e->queue[i]
		       : NO_SECTION;
}

/* The number of symbols of the image with the name and place of FOUND. */
static size_t count_names_at(const struct engine *e, const struct symbol *found)
{
	uint32_t symndx = 0;
	struct symbol sym;
	size_t n = 0;

	while (names_next(&e->img.names, found->name, &symndx, &sym))
		n += sym.is_defined && sym.value == found->value;
	return n;
}

static bool is_at(const struct engine *e, size_t i, size_t owner)
{
	const struct drift_section *to = e->items[i].to;

	return i == owner || (to->fate == FATE_FOLDED && to->other == owner);
}

/*
 * FOUND is in OWNER. Do the sections that are known to be there account for all
 * symbols of that name there, of which OWN are OWNER's? Then no other section
 * need be folded there. Each local symbol is there once for each section.
 */
static bool is_theirs(const struct engine *e, const struct symbol *own,
		      const struct symbol *found, size_t owner)
{
	struct named *named = items_named(e, own->name);

	if (own->bind != STB_LOCAL) {
		for (size_t k = 0; k < named->nglobal; k++)
			if (is_at(e, named->all[k].item, owner))
				return true;
		return false;
	}
	if (named->owner != owner || named->addr != found->value) {
		named->owner = owner;
		named->addr = found->value;
		named->nsymbols = count_names_at(e, found);
		named->nknown = 0;
		for (size_t k = 0; k < named->n; k++)
			named->nknown += is_at(e, named->all[k].item, owner);
	}
	return named->nknown > 0 && named->nknown >= named->nsymbols;
}

/* Item I is where OWNER is. */
static void note_folded(struct engine *e, size_t i, size_t owner)
{
	const struct item *item = &e->items[i];

	item->to->fate = FATE_FOLDED;
	item->to->other = owner;
	item->to->addr = e->items[owner].to->addr;
	item->to->new_size = e->items[owner].to->new_size;
	for (size_t k = 0; k < item->nsymbols; k++) {
		struct named *named = &e->named[item->names[k]];

		named->nknown += named->owner == owner;
	}
}

/*
 * The section that has the bytes of item I where one of its global names or a
 * branch leads. If MAY_BE_LOCAL, any name counts.
 */
static size_t find_folded(struct engine *e, size_t i, const struct leads *leads,
			  bool may_be_local)
{
	const struct item *item = &e->items[i];
	struct symbol own, found;
	size_t landmark = 0, owner = NO_SECTION;
	uint32_t symndx = 0;

	if (leads->has[i])
		owner = owner_at(e, item, leads->addrs[i]);
	while (owner == NO_SECTION &&
	       evidence_next(e, item, &landmark, &symndx, &own, &found)) {
		if (own.bind == STB_LOCAL && !may_be_local) {
			landmark++;
			symndx = 0;
			continue;
		}
		owner = owner_at(e, item, found.value - own.value);
		/* A namesake, which calls others. */
		if (owner != NO_SECTION &&
		    !settle_is_right(e, item, found.value - own.value))
			owner = NO_SECTION;
		if (owner != NO_SECTION && is_theirs(e, &own, &found, owner))
			owner = NO_SECTION;
	}
	return owner;
}

/* A placed section that defines a name of item I, too. */
static size_t find_rival(const struct engine *e, size_t i)
{
	const struct item *item = &e->items[i];

	for (size_t k = 0; k < item->nsymbols; k++) {
		struct symbol sym;
		const struct definition *def;
		size_t n;

		object_symbol(item->obj, item->symbols[k], &sym);
		if (sym.bind == STB_LOCAL)
			continue;
		def = items_define(e, sym.name, &n);
		for (size_t m = 0; m < n; m++)
			if (e->items[def[m].item].is_settled)
				return def[m].item;
	}
	return NO_SECTION;
}

static size_t find_alike(const struct engine *e, const struct item *item)
{
	const struct kind *kind = &e->kinds[item->kind];

	for (size_t k = 0; k < kind->naddrs; k++)
		if (kind->owners[k] != NO_SECTION)
			return kind->owners[k];
	return NO_SECTION;
}

/* --- Changed sections -------------------------------------------------- */

static void count_difference(void *ctx, uint64_t offset, uint64_t size)
{
	struct drift_section *to = ctx;

	if (to->ndifferent == 0)
		to->offset = offset;
	to->ndifferent += size;
}

static bool is_own_name(const struct engine *e, const struct symbol *own)
{
	size_t n;

	items_define(e, own->name, &n);
	return own->bind == STB_GLOBAL && n == 1 &&
	       names_count(&e->img.names, own->name) == 1;
}

/*
 * Finds where names that only ITEM has lead to text of no section. Sets its
 * address by the first, and its symbol and displacement by the first one that
 * disagrees. Returns false if there is no such name.
 */
static bool find_changed(const struct engine *e, const struct item *item)
{
	struct drift_section *to = item->to;
	struct symbol own, found;
	size_t landmark = 0;
	uint32_t symndx = 0;
	bool is_there = false;

	while (evidence_next(e, item, &landmark, &symndx, &own, &found)) {
		uint64_t addr = found.value - own.value;
		struct field *field = fields_find(e, found.value, 1);

		if (!is_own_name(e, &own) || field == NULL ||
		    field->taken[found.value - field->is->code.addr] == TAKEN)
			continue;
		if (!is_there)
			to->addr = addr;
		else if (addr != to->addr && to->symbol == NULL) {
			to->symbol = own.name;
			to->displacement = addr - to->addr;
		}
		is_there = true;
	}
	return is_there;
}

static void mark_changed(const struct engine *e, const struct item *item)
{
	struct drift_section *to = item->to;
	struct same_sink sink = { .differs = count_difference, .ctx = to };
	struct field *field = fields_find(e, to->addr, 1);
	uint64_t start, size;

	to->fate = FATE_CHANGED;
	if (field == NULL)
		return;
	start = to->addr - field->is->code.addr;
	size = field->is->code.size - start;
	same_at(e, item, &field->is->code, start, &sink);
	if (size > to->size)
		size = to->size;
	to->new_size = size;
	for (uint64_t i = start; i < start + size; i++)
		if (field->taken[i] == 0)
			field->taken[i] = TAKEN_CHANGED;
}

/* --- The rules in their order ------------------------------------------ */

static void drop(const struct engine *e, const struct item *item,
		 enum drop_reason reason, size_t other)
{
	struct drift_section *to = item->to;

	to->fate = FATE_DROPPED;
	to->reason = reason;
	to->other = other;
	to->is_alike = other != NO_SECTION &&
		       e->items[other].kind == item->kind;
}

/* First by what can only be one section's, then by local names. */
static void fold(struct engine *e, const struct leads *leads)
{
	for (int may_be_local = 0; may_be_local < 2; may_be_local++)
		for (size_t i = 0; i < e->nitems; i++) {
			size_t other;

			if (e->items[i].to->fate != FATE_UNKNOWN)
				continue;
			other = find_folded(e, i, leads, may_be_local);
			if (other != NO_SECTION)
				note_folded(e, i, other);
		}
}

static void judge(struct engine *e, size_t i)
{
	struct item *item = &e->items[i];
	size_t rival = find_rival(e, i), other = find_alike(e, item);

	if (rival != NO_SECTION && item->group != NULL)
		drop(e, item, DROP_DUPLICATE, rival);
	else if (rival != NO_SECTION && other == NO_SECTION)
		drop(e, item, DROP_OVERRIDDEN, rival);
	else if (rival == NO_SECTION && find_changed(e, item))
		mark_changed(e, item);
	else if (other != NO_SECTION)
		drop(e, item, DROP_ALIKE, other);
}

/* --- Who stands for those that are folded ------------------------------ */

static bool has_name_at(const struct engine *e, const struct item *item,
			uint64_t addr)
{
	struct symbol own, found;
	size_t landmark = 0;
	uint32_t symndx = 0;

	while (evidence_next(e, item, &landmark, &symndx, &own, &found))
		if (found.value - own.value == addr)
			return true;
	return false;
}

/* Linkers keep the first section. FIRST has room for all items. */
static void keep_first(struct engine *e, size_t *first)
{
	for (size_t i = 0; i < e->nitems; i++)
		first[i] = i;
	for (size_t i = e->nitems; i-- > 0;) {
		const struct drift_section *to = e->items[i].to;

		if (to->fate == FATE_FOLDED && i < to->other &&
		    has_name_at(e, &e->items[i], to->addr))
			first[to->other] = i;
	}
	for (size_t i = 0; i < e->nitems; i++) {
		struct drift_section *to = e->items[i].to;

		if (to->fate == FATE_FOLDED)
			to->other = first[to->other];
		if (to->fate == FATE_FOLDED && to->other == i) {
			to->fate = FATE_PLACED;
			to->other = NO_SECTION;
		} else if (first[i] != i) {
			to->fate = FATE_FOLDED;
			to->other = first[i];
		}
		if (to->fate == FATE_DROPPED && to->other != NO_SECTION)
			to->other = first[to->other];
	}
	for (size_t i = 0; i < e->nqueue; i++)
		e->queue[i] = first[e->queue[i]];
}

/* --- Who has a place that another needs ---------------------------------- */

static void find_leads(struct leads *leads)
{
	struct engine *e = leads->e;

	memset(leads->has, 0, (e->nitems + 1) * sizeof(leads->has[0]));
	for (size_t i = 0; i < e->nqueue; i++)
		evidence_branches(e, &e->items[e->queue[i]],
				  e->items[e->queue[i]].to->addr, note_lead,
				  leads);
}

/*
 * The place of the Nth settled item was a choice, and only item I has
 * references to it. Then gives it to item I.
 */
static bool hand_over(struct leads *leads, size_t n, size_t i)
{
	struct engine *e = leads->e;
	size_t owner = e->queue[n];
	const struct item *item = &e->items[owner];

	return item->to->is_alike && !leads->has[owner] &&
	       !has_name_at(e, item, item->to->addr) && settle_replace(e, n, i);
}

/*
 * The maximal number of rounds: each section with a new place leads to others.
 */
#define HANDINGS_MAX 8

/* PLACES has room for all items. */
static void hand_all_over(struct leads *leads, size_t *places)
{
	struct engine *e = leads->e;
	bool is_new = true;

	for (int k = 0; is_new && k < HANDINGS_MAX; k++) {
		find_leads(leads);
		is_new = false;
		for (size_t n = 0; n < e->nqueue; n++)
			places[e->queue[n]] = n;
		for (size_t i = 0; i < e->nitems; i++) {
			const struct item *item = &e->items[i];
			const struct kind *kind = &e->kinds[item->kind];
			size_t at = item->is_settled || !leads->has[i]
					    ? NO_SECTION
					    : seek_index(kind, leads->addrs[i]);

			if (at == NO_SECTION || kind->owners[at] == NO_SECTION)
				continue;
			at = places[kind->owners[at]];
			if (!hand_over(leads, at, i))
				continue;
			places[i] = at;
			is_new = true;
		}
	}
}

int leave_known(struct engine *e)
{
	struct leads leads = {
		.e = e,
		.addrs = calloc(e->nitems + 1, sizeof(uint64_t)),
		.has = calloc(e->nitems + 1, sizeof(bool)),
	};
	size_t *places = calloc(e->nitems + 1, sizeof(places[0]));
	int ret = 0;

	if (leads.addrs == NULL || leads.has == NULL || places == NULL)
		ret = diag_nomem(e->d, e->img.obj->path);
	if (ret == 0) {
		hand_all_over(&leads, places);
		sort_with(e->queue, e->nqueue, sizeof(e->queue[0]),
			  items_compare, e);
		fold(e, &leads);
	}
	for (size_t i = 0; ret == 0 && i < e->nitems; i++)
		if (e->items[i].to->fate == FATE_UNKNOWN)
			judge(e, i);
	if (ret == 0)
		keep_first(e, e->members); /* nobody needs these any more */
	free(places);
	free(leads.addrs);
	free(leads.has);
	return ret;
}

/* Code that begins at another section's name belongs to that section. */
static uint64_t largest_nameless(const struct drift *drift)
{
	uint64_t largest = 0;

	for (size_t i = 0; i < drift->nranges; i++)
		if (drift->ranges[i].bin == BIN_UNEXPLAINED &&
		    drift->ranges[i].symbol == NULL &&
		    drift->ranges[i].size > largest)
			largest = drift->ranges[i].size;
	return largest;
}

void leave_unknown(struct engine *e)
{
	uint64_t largest = largest_nameless(e->drift);

	for (size_t i = 0; i < e->nitems; i++) {
		struct drift_section *to = e->items[i].to;

		if (to->fate == FATE_UNKNOWN && to->size > largest)
			drop(e, &e->items[i], DROP_UNUSED, NO_SECTION);
	}
}
