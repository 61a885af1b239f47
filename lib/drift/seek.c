/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Candidates: finds all addresses with the fixed bits of a section, in one pass
 * over the image's text for all sections. Sections without a run of fixed bytes
 * get none here. Names and gaps place them.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/grow.h"
#include "base/sort.h"
#include "engine.h"

/* --- Kinds ------------------------------------------------------------- */

struct hashed {
	uint64_t hash;
	size_t item;
	size_t kind;
};

static int compare_hashed(const void *a, const void *b)
{
	const struct hashed *x = a, *y = b;

	return sort_pairs(x->hash, x->item, y->hash, y->item);
}

static int compare_by_kind(const void *a, const void *b)
{
	const struct hashed *x = a, *y = b;

	return sort_pairs(x->kind, x->item, y->kind, y->item);
}

/* Gives each entry of LIST, which is sorted by hash, its kind. */
static void name_kinds(struct engine *e, struct hashed *list, size_t n)
{
	size_t start = 0; /* of those with the same hash */
	size_t first = 0; /* their first kind */

	for (size_t i = 0; i < n; i++) {
		size_t k;

		if (list[i].hash != list[start].hash) {
			start = i;
			first = e->nkinds;
		}
		for (k = first; k < e->nkinds; k++)
			if (same_items(e, &e->items[e->kinds[k].first],
				       &e->items[list[i].item]))
				break;
		if (k == e->nkinds)
			e->kinds[e->nkinds++].first = list[i].item;
		list[i].kind = k;
		e->items[list[i].item].kind = k;
		e->kinds[k].nitems++;
		e->kinds[k].nleft++;
	}
}

static int make_kinds(struct engine *e)
{
	size_t n = e->nitems, at = 0;
	struct hashed *list = malloc((n + 1) * sizeof(list[0]));

	e->kinds = calloc(n + 1, sizeof(e->kinds[0]));
	e->members = malloc((n + 1) * sizeof(e->members[0]));
	if (list == NULL || e->kinds == NULL || e->members == NULL) {
		free(list);
		return diag_nomem(e->d, e->img.obj->path);
	}
	for (size_t i = 0; i < n; i++) {
		list[i].hash = same_hash(e, &e->items[i]);
		list[i].item = i;
	}
	qsort(list, n, sizeof(list[0]), compare_hashed);
	name_kinds(e, list, n);
	qsort(list, n, sizeof(list[0]), compare_by_kind);
	for (size_t i = 0; i < n; i++)
		e->members[i] = list[i].item;
	for (size_t k = 0; k < e->nkinds; k++) {
		e->kinds[k].items = e->members + at;
		at += e->kinds[k].nitems;
	}
	free(list);
	return 0;
}

/* --- Addresses --------------------------------------------------------- */

size_t seek_index(const struct kind *kind, uint64_t addr)
{
	size_t i;

	LOWER_BOUND(i, kind->naddrs, kind->addrs[i] < addr);
	return i < kind->naddrs && kind->addrs[i] == addr ? i : NO_SECTION;
}

uint64_t seek_size(const struct engine *e, const struct kind *kind,
		   uint64_t addr)
{
	size_t k;

	if (e->arch->relax == NULL)
		return e->items[kind->first].code.size;
	k = seek_index(kind, addr);
	return k != NO_SECTION ? kind->sizes[k] : 0;
}

int seek_add(struct engine *e, struct kind *kind, uint64_t addr)
{
	uint64_t *addrs =
		grow_list(kind->addrs, kind->naddrs, sizeof(addrs[0]));
	uint64_t *sizes =
		grow_list(kind->sizes, kind->naddrs, sizeof(sizes[0]));
	size_t *owners =
		grow_list(kind->owners, kind->naddrs, sizeof(owners[0]));
	size_t i;

	kind->addrs = addrs != NULL ? addrs : kind->addrs;
	kind->sizes = sizes != NULL ? sizes : kind->sizes;
	kind->owners = owners != NULL ? owners : kind->owners;
	if (addrs == NULL || sizes == NULL || owners == NULL)
		return diag_nomem(e->d, e->img.obj->path);
	LOWER_BOUND(i, kind->naddrs, addrs[i] < addr);
	if (i < kind->naddrs && addrs[i] == addr)
		return 0;
	memmove(addrs + i + 1, addrs + i,
		(kind->naddrs - i) * sizeof(addrs[0]));
	memmove(sizes + i + 1, sizes + i,
		(kind->naddrs - i) * sizeof(sizes[0]));
	memmove(owners + i + 1, owners + i,
		(kind->naddrs - i) * sizeof(owners[0]));
	addrs[i] = addr;
	sizes[i] = walk_size(e, &e->items[kind->first], addr);
	owners[i] = NO_SECTION;
	kind->naddrs++;
	return 0;
}

/* --- The look ---------------------------------------------------------- */

#define FILTER_BITS 21

/* Kinds by their key, with a chain for each bucket. */
struct keys {
	struct engine *e;
	unsigned size;	 /* of a key */
	uint8_t *filter; /* a bit for each hash that a key has; owned */
	size_t *buckets; /* kind + 1; owned */
	size_t *next;	 /* by kind; owned */
	unsigned shift;
};

static inline uint64_t key_at(const uint8_t *p, unsigned size)
{
	uint64_t key = 0;
	uint32_t half;

	if (size == 8) {
		memcpy(&key, p, 8);
		return key;
	}
	memcpy(&half, p, 4);
	return half;
}

static inline uint64_t mix(uint64_t key)
{
	key *= 0x9e3779b97f4a7c15u;
	return key ^ key >> 32;
}

static bool is_in_filter(const struct keys *keys, uint64_t h)
{
	h &= (1u << FILTER_BITS) - 1;
	return keys->filter[h / 8] >> h % 8 & 1;
}

static void add_key(struct keys *keys, size_t kind)
{
	const struct item *item = &keys->e->items[keys->e->kinds[kind].first];
	uint64_t h =
		mix(key_at(item->code.bytes + item->key_offset, keys->size));
	uint64_t bit = h & ((1u << FILTER_BITS) - 1);
	size_t *bucket = &keys->buckets[h >> keys->shift];

	keys->filter[bit / 8] |= 1 << bit % 8;
	keys->next[kind] = *bucket;
	*bucket = kind + 1;
}

static int try_kind(struct keys *keys, size_t k, const struct code *code,
		    uint64_t at)
{
	struct kind *kind = &keys->e->kinds[k];
	const struct item *item = &keys->e->items[kind->first];

	if (key_at(item->code.bytes + item->key_offset, keys->size) !=
	    key_at(code->bytes + at, keys->size))
		return 0;
	/*
	 * In all instruction sets whose linkers delete code, lengths are even.
	 */
	for (unsigned lost = 0; lost <= item->key_lost; lost += 2) {
		uint64_t start = at - (item->key_offset - lost);

		if (at + lost >= item->key_offset &&
		    same_at(keys->e, item, code, start, NULL) &&
		    seek_add(keys->e, kind, code->addr + start))
			return -1;
	}
	return 0;
}

static int look_at(struct keys *keys, const struct code *code)
{
	for (uint64_t at = 0; at + keys->size <= code->size; at++) {
		uint64_t h = mix(key_at(code->bytes + at, keys->size));

		if (!is_in_filter(keys, h))
			continue;
		for (size_t k = keys->buckets[h >> keys->shift]; k != 0;
		     k = keys->next[k - 1])
			if (try_kind(keys, k - 1, code, at))
				return -1;
	}
	return 0;
}

static int seek_keys(struct engine *e, unsigned size)
{
	struct keys keys = { .e = e, .size = size, .shift = 44 };
	size_t nkeys = 0;
	int ret = 0;

	for (size_t k = 0; k < e->nkinds; k++)
		nkeys += e->items[e->kinds[k].first].key_size == size;
	if (nkeys == 0)
		return 0;
	keys.filter = calloc(1, (1u << FILTER_BITS) / 8);
	keys.buckets = calloc((size_t)1 << (64 - keys.shift), sizeof(size_t));
	keys.next = calloc(e->nkinds, sizeof(size_t));
	if (keys.filter == NULL || keys.buckets == NULL || keys.next == NULL)
		ret = diag_nomem(e->d, e->img.obj->path);
	for (size_t k = 0; ret == 0 && k < e->nkinds; k++)
		if (e->items[e->kinds[k].first].key_size == size)
			add_key(&keys, k);
	for (size_t i = 0; ret == 0 && i < e->nfields; i++)
		ret = look_at(&keys, &e->fields[i].is->code);
	free(keys.filter);
	free(keys.buckets);
	free(keys.next);
	return ret;
}

/* --- Candidates -------------------------------------------------------- */

static uint64_t size_of(const struct engine *e, const struct candidate *c)
{
	return seek_size(e, &e->kinds[c->kind], c->addr);
}

static int compare_candidates(const void *a, const void *b, void *ctx)
{
	const struct candidate *x = a, *y = b;
	uint64_t x_size = size_of(ctx, x);
	uint64_t y_size = size_of(ctx, y);

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x_size != y_size)
		return x_size > y_size ? -1 : 1;
	return x->kind < y->kind ? -1 : x->kind > y->kind;
}

static int list_candidates(struct engine *e)
{
	uint64_t reach = 0;
	size_t n = 0;

	for (size_t k = 0; k < e->nkinds; k++)
		n += e->kinds[k].naddrs;
	e->candidates = malloc((n + 1) * sizeof(e->candidates[0]));
	if (e->candidates == NULL)
		return diag_nomem(e->d, e->img.obj->path);
	for (size_t k = 0; k < e->nkinds; k++)
		for (size_t i = 0; i < e->kinds[k].naddrs; i++)
			e->candidates[e->ncandidates++] = (struct candidate){
				.addr = e->kinds[k].addrs[i],
				.kind = k,
			};
	sort_with(e->candidates, n, sizeof(e->candidates[0]),
		  compare_candidates, e);
	for (size_t i = 0; i < n; i++) {
		struct candidate *c = &e->candidates[i];

		if (c->addr + size_of(e, c) > reach)
			reach = c->addr + size_of(e, c);
		c->reach = reach;
	}
	return 0;
}

int seek_kinds(struct engine *e)
{
	if (make_kinds(e))
		return -1;
	e->short_kinds = malloc((e->nkinds + 1) * sizeof(e->short_kinds[0]));
	if (e->short_kinds == NULL)
		return diag_nomem(e->d, e->img.obj->path);
	for (size_t k = 0; k < e->nkinds; k++) {
		const struct kind *kind = &e->kinds[k];
		struct item *first = &e->items[kind->first];

		same_key(e, first);
		for (size_t i = 0; i < kind->nitems; i++) {
			e->items[kind->items[i]].key_size = first->key_size;
			e->items[kind->items[i]].nfixed = first->nfixed;
		}
		if (first->key_size == 0)
			e->short_kinds[e->nshort++] = k;
	}
	return seek_keys(e, 8) || seek_keys(e, 4) || list_candidates(e) ? -1
									: 0;
}
