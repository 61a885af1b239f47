/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Assignment: who gets which place. The stronger the evidence, the earlier: a
 * name that nobody else has; then branches from what is settled, whenever
 * there are new ones; then other names; then that one place is left for one
 * section. What is left of sections that are alike is paired in order.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/sort.h"
#include "engine.h"

static bool is_free(const struct engine *e, uint64_t addr, uint64_t size)
{
	const struct field *field = fields_find(e, addr, size);

	return field != NULL &&
	       memchr(field->taken + (addr - field->is->code.addr), 1, size) ==
		       NULL;
}

/* Are the bits of KIND at ADDR? Notes it, if the search did not find that. */
static bool has_bits(struct engine *e, struct kind *kind, uint64_t addr)
{
	const struct item *item = &e->items[kind->first];
	const struct field *field;

	if (seek_index(kind, addr) != NO_SECTION)
		return true;
	field = fields_find(e, addr, item->code.size);
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
		    ? item->to->addr == addr
		    : has_bits(doubt->e, &doubt->e->kinds[item->kind], addr))
		return;
	offset = target - addr;
	doubt->is_wrong |= !evidence_is_between(doubt->e, target) &&
			   !evidence_goes_on(doubt->e, &to, &offset);
}

/* What has fewer fixed bytes fits many a place by chance. */
#define FIXED_MIN 8

/*
 * Would a linker put ITEM at ADDR, as the next section behind what is settled?
 * What has few fixed bytes is not taken for placed elsewhere.
 */
static bool is_beside(struct engine *e, const struct item *item, uint64_t addr)
{
	const struct field *field = fields_find(e, addr, item->code.size);
	uint64_t align = item->obj->sections[item->to->shndx].align;
	uint64_t offset = addr - field->is->code.addr, start = offset;

	while (start > 0 && field->taken[start - 1] == 0 &&
	       offset - start < align)
		start--;
	return (start == 0 || field->taken[start - 1] != 0) &&
	       (start == offset || ranges_is_fill(e, field, start, offset));
}

/* The same, and neither a name nor a branch of the image says otherwise. */
static bool is_open(struct engine *e, const struct item *item, uint64_t addr)
{
	struct doubt doubt = { .e = e, .item = item, .at = addr };

	if (!is_free(e, addr, item->code.size) ||
	    evidence_forbids(e, item, addr) ||
	    (item->nfixed < FIXED_MIN && !is_beside(e, item, addr)))
		return false;
	evidence_branches(e, item, addr, doubt_branch, &doubt);
	return !doubt.is_wrong;
}

/* Item I is at ADDR, if its bits are, and nothing else is. */
static bool settle(struct engine *e, size_t i, uint64_t addr)
{
	struct item *item = &e->items[i];
	struct kind *kind = &e->kinds[item->kind];
	struct field *field;

	if (item->is_settled || !has_bits(e, kind, addr) ||
	    !is_free(e, addr, item->code.size))
		return false;
	field = fields_find(e, addr, item->code.size);
	memset(field->taken + (addr - field->is->code.addr), 1,
	       item->code.size);
	kind->owners[seek_index(kind, addr)] = i;
	kind->nleft--;
	item->is_settled = true;
	item->to->fate = FATE_PLACED;
	item->to->addr = addr;
	item->to->new_size = item->code.size;
	e->queue[e->nqueue++] = i;
	return true;
}

static void settle_target(void *ctx, size_t to, uint64_t addr, uint64_t target,
			  uint64_t from)
{
	struct engine *e = ctx;

	(void)target;
	(void)from;
	settle(e, to, addr);
}

/* What the branches of all that is settled say. */
static void follow_branches(struct engine *e)
{
	while (e->done < e->nqueue) {
		const struct item *item = &e->items[e->queue[e->done++]];

		evidence_branches(e, item, item->to->addr, settle_target, e);
	}
}

static void settle_named(struct engine *e)
{
	for (size_t i = 0; i < e->nitems; i++) {
		uint64_t addr;

		if (evidence_named(e, &e->items[i], &addr))
			settle(e, i, addr);
	}
	follow_branches(e);
}

/* --- Other names ------------------------------------------------------- */

/*
 * A global name that several inputs define is the first one's that fits: that
 * is the definition that linkers take.
 */
static void settle_defined(struct engine *e)
{
	for (size_t i = 0; i < e->nitems; i++) {
		const struct item *item = &e->items[i];
		struct symbol own, found;
		size_t landmark = 0;
		uint32_t symndx = 0;

		while (!item->is_settled &&
		       evidence_next(e, item, &landmark, &symndx, &own, &found))
			if (own.bind != STB_LOCAL && found.bind != STB_LOCAL)
				settle(e, i, found.value - own.value);
	}
	follow_branches(e);
}

/* The free places of KIND that names of item I tell: the first, and how many.
 */
static size_t count_named(struct engine *e, size_t i, size_t *index)
{
	const struct item *item = &e->items[i];
	struct kind *kind = &e->kinds[item->kind];
	struct symbol own, found;
	size_t landmark = 0, n = 0;
	uint32_t symndx = 0;

	while (n < 2 &&
	       evidence_next(e, item, &landmark, &symndx, &own, &found)) {
		uint64_t addr = found.value - own.value;
		size_t k;

		if (!has_bits(e, kind, addr) ||
		    !is_free(e, addr, item->code.size))
			continue;
		k = seek_index(kind, addr);
		if (n > 0 && k == *index)
			continue;
		*index = k;
		n++;
	}
	return n;
}

/* A place that a name tells one section of a kind, and no other of it. */
static bool settle_told(struct engine *e, struct kind *kind)
{
	size_t *claims =
		calloc(kind->naddrs + kind->nitems + 1, sizeof(claims[0]));
	bool is_new = false;

	/* Without memory: memory_has_failed() tells. */
	for (int pass = 0; claims != NULL && pass < 2; pass++)
		for (size_t k = 0; k < kind->nitems; k++) {
			size_t i = kind->items[k], index = 0;

			if (e->items[i].is_settled ||
			    count_named(e, i, &index) != 1)
				continue;
			if (pass == 0)
				claims[index]++;
			else if (claims[index] == 1)
				is_new |= settle(e, i, kind->addrs[index]);
		}
	free(claims);
	return is_new;
}

/* --- What is left ------------------------------------------------------ */

struct rest {
	size_t nitems, naddrs; /* not settled, and open to the first */
	size_t item, addr;     /* the first of each */
};

static struct rest rest_of(struct engine *e, const struct kind *kind)
{
	struct rest rest = { 0 };

	for (size_t k = kind->nitems; k-- > 0;)
		if (!e->items[kind->items[k]].is_settled) {
			rest.nitems++;
			rest.item = kind->items[k];
		}
	for (size_t k = kind->naddrs; rest.nitems == 1 && k-- > 0;)
		if (kind->owners[k] == NO_SECTION &&
		    is_open(e, &e->items[rest.item], kind->addrs[k])) {
			rest.naddrs++;
			rest.addr = k;
		}
	return rest;
}

/* One section, one place. */
static bool settle_last(struct engine *e, struct kind *kind)
{
	struct rest rest = rest_of(e, kind);

	return rest.nitems == 1 && rest.naddrs == 1 &&
	       settle(e, rest.item, kind->addrs[rest.addr]);
}

/* Goes on until names tell nothing more. */
static void settle_told_all(struct engine *e)
{
	bool is_new = true;

	while (is_new) {
		is_new = false;
		for (size_t k = 0; k < e->nkinds; k++)
			if (e->kinds[k].nleft > 0)
				is_new |= settle_told(e, &e->kinds[k]);
		follow_branches(e);
	}
}

/*
 * Is ADDR in a section of the image that has the name of ITEM's, or of which
 * that is a part, as .text.f is of .text?
 */
static bool is_in_namesake(const struct engine *e, const struct item *item,
			   uint64_t addr)
{
	const struct field *field = fields_find(e, addr, item->code.size);
	const char *name;
	size_t n;

	if (field == NULL || field->is->shndx == 0)
		return false;
	name = e->img.obj->sections[field->is->shndx].name;
	n = strlen(name);
	return n > 0 && strncmp(item->to->name, name, n) == 0 &&
	       (item->to->name[n] == '\0' || item->to->name[n] == '.');
}

/* Pairs what is left of KIND in order, first where sections have its name. */
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
				 is_open(e, item, kind->addrs[k]) &&
				 settle(e, kind->items[m], kind->addrs[k]))
				item->to->is_alike = is_new = true;
		}
	}
	return is_new;
}

/*
 * Sections without a run of fixed bytes: one may be where a linker puts the
 * next section behind what is settled, and nowhere else.
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
			if (is_free(e, addr, item->code.size))
				has_bits(e, kind, addr);
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

/* All kinds that have one section left, and one place for that. */
static bool settle_unique(struct engine *e, const size_t *by_size)
{
	bool is_new = false;

	/* What is short has places only beside others. */
	for (int is_short = 0; is_short < 2; is_short++)
		for (size_t i = 0; i < e->nkinds; i++) {
			struct kind *kind = &e->kinds[by_size[i]];

			if (kind->nleft == 0 ||
			    (e->items[kind->first].key_size == 0) != is_short)
				continue;
			if (is_short)
				seek_short(e, kind);
			is_new |= settle_last(e, kind);
		}
	follow_branches(e);
	return is_new;
}

/* The largest kind of which several are left: what is small fits by chance. */
static bool settle_largest(struct engine *e, const size_t *by_size)
{
	for (size_t i = 0; i < e->nkinds; i++) {
		struct kind *kind = &e->kinds[by_size[i]];

		if (kind->nleft > 0 && (settle_alike(e, kind, false) ||
					settle_alike(e, kind, true))) {
			follow_branches(e);
			return true;
		}
	}
	return false;
}

int settle_all(struct engine *e)
{
	size_t *by_size = malloc((e->nkinds + 1) * sizeof(by_size[0]));

	e->queue = malloc((e->nitems + 1) * sizeof(e->queue[0]));
	if (e->queue == NULL || by_size == NULL) {
		free(by_size);
		return diag_nomem(e->d, e->img.obj->path);
	}
	for (size_t i = 0; i < e->nkinds; i++)
		by_size[i] = i;
	sort_with(by_size, e->nkinds, sizeof(by_size[0]), compare_sizes, e);
	settle_named(e);
	settle_defined(e);
	do {
		settle_told_all(e);
		while (settle_unique(e, by_size))
			settle_told_all(e);
	} while (settle_largest(e, by_size));
	free(by_size);
	return 0;
}
