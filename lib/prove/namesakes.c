/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "namesakes.h"
#include "base/search.h"

/* All of one name, of the partials. */
struct name {
	const char *name;
	uint32_t hash;
	struct namesake *first, *last;
	size_t ndefined;
	/* The partial of the first weak one; does another have one as well? */
	uint32_t weak_k;
	bool has_weak, is_weak_several;
	size_t nstrong; /* global ones */
	/* The COMDAT group of that one, or NULL; is another in another? */
	const char *signature;
	bool has_other_group;
	struct name_strangers strangers;
};

/* A symbol by its name, of the partials or of the image, and by its place. */
struct name_place {
	uint64_t name; /* a number for it */
	uint64_t addr;
	bool has_size;
};

struct places_of_names {
	struct name_place *items; /* owned */
	size_t n;
	bool is_built;
};

struct namesakes {
	struct name *names; /* owned */
	size_t n;
	uint32_t *slots; /* by hash: index + 1, or 0; owned */
	size_t nslots;	 /* a power of two, half of which are in use at most */
	struct namesake *items; /* owned */
	bool is_built;
	struct places_of_names partials; /* of placed sections: their places */
	struct places_of_names image;
};

int namesakes_open(struct verify_run *run)
{
	run->namesakes = calloc(1, sizeof(*run->namesakes));
	if (run->namesakes == NULL)
		return diag_nomem(run->d, run->img.obj->path);
	return 0;
}

void namesakes_free(struct namesakes *namesakes)
{
	if (namesakes == NULL)
		return;
	free(namesakes->names);
	free(namesakes->slots);
	free(namesakes->items);
	free(namesakes->partials.items);
	free(namesakes->image.items);
	free(namesakes);
}

/* --- By name ------------------------------------------------------------- */

static uint32_t *slot_of(const struct namesakes *ns, const char *name,
			 uint32_t hash)
{
	for (size_t i = hash;; i++) {
		uint32_t *slot = &ns->slots[i & (ns->nslots - 1)];
		const struct name *found;

		if (*slot == 0)
			return slot;
		found = &ns->names[*slot - 1];
		if (found->hash == hash && strcmp(found->name, name) == 0)
			return slot;
	}
}

static bool same_signature(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static void note_definition(struct name *name, const struct proof *p,
			    const struct symbol *sym)
{
	uint32_t k = p - p->run->proofs;
	const char *signature;

	if (!sym->is_defined)
		return;
	name->ndefined++;
	name->nstrong += sym->bind == STB_GLOBAL;
	if (sym->bind != STB_WEAK)
		return;
	signature = sym->shndx < p->partial->nsections
			    ? names_signature(p->partial, sym->shndx)
			    : NULL;
	if (!name->has_weak) {
		name->weak_k = k;
		name->signature = signature;
	}
	name->has_weak = true;
	name->is_weak_several |= name->weak_k != k;
	name->has_other_group |= !same_signature(name->signature, signature);
}

static void add_symbol(struct namesakes *ns, struct namesake *item,
		       const struct proof *p, uint32_t symndx)
{
	uint32_t hash = p->functions.links[symndx].hash, *slot;
	struct name *name;
	struct symbol sym;

	object_symbol(p->partial, symndx, &sym);
	*item = (struct namesake){ .k = p - p->run->proofs, .symndx = symndx };
	slot = slot_of(ns, sym.name, hash);
	if (*slot == 0) {
		ns->names[ns->n++] =
			(struct name){ .name = sym.name, .hash = hash };
		*slot = ns->n;
	}
	name = &ns->names[*slot - 1];
	if (name->first == NULL)
		name->first = item;
	else
		name->last->next = item;
	name->last = item;
	note_definition(name, p, &sym);
}

/* Is it there by now? */
static bool build(const struct proof *p)
{
	struct namesakes *ns = p->run->namesakes;
	size_t n = 0;

	if (ns->is_built)
		return ns->items != NULL;
	ns->is_built = true;
	for (size_t k = 0; k < p->run->nproofs; k++)
		n += p->run->proofs[k].partial->nsymbols;
	for (ns->nslots = 64; ns->nslots < 2 * n; ns->nslots *= 2)
		;
	ns->names = malloc((n + 1) * sizeof(ns->names[0]));
	ns->slots = calloc(ns->nslots, sizeof(ns->slots[0]));
	ns->items = malloc((n + 1) * sizeof(ns->items[0]));
	if (ns->names == NULL || ns->slots == NULL || ns->items == NULL) {
		free(ns->items);
		ns->items = NULL;
		diag_nomem(p->run->d, p->run->img.obj->path);
		return false;
	}
	n = 0;
	for (size_t k = 0; k < p->run->nproofs; k++)
		for (size_t i = 1; i < p->run->proofs[k].partial->nsymbols; i++)
			if (p->run->proofs[k].functions.links[i].hash != 0)
				add_symbol(ns, &ns->items[n++],
					   &p->run->proofs[k], i);
	return true;
}

static struct name *find_name(const struct proof *p, const char *name)
{
	uint32_t slot =
		build(p) ? *slot_of(p->run->namesakes, name, names_hash(name))
			 : 0;

	return slot != 0 ? &p->run->namesakes->names[slot - 1] : NULL;
}

const struct namesake *namesakes_of(const struct proof *p, const char *name)
{
	const struct name *found = find_name(p, name);

	return found != NULL ? found->first : NULL;
}

struct name_strangers *namesakes_strangers(const struct proof *p,
					   const char *name)
{
	struct name *found = find_name(p, name);

	return found != NULL ? &found->strangers : NULL;
}

size_t namesakes_count(const struct proof *p, const char *name)
{
	const struct name *found;

	if (p->run->nproofs == 1)
		return names_count(&p->functions, name);
	found = find_name(p, name);
	return found != NULL ? found->ndefined : 0;
}

bool namesakes_weak(const struct proof *p, const char *name)
{
	const struct name *found = p->run->nproofs > 1 ? find_name(p, name)
						       : NULL;

	return found != NULL && found->has_weak &&
	       (found->is_weak_several || &p->run->proofs[found->weak_k] != p);
}

bool namesakes_strong(const struct proof *p, const char *name)
{
	const struct name *found = p->run->nproofs > 1 ? find_name(p, name)
						       : NULL;

	return found != NULL && found->nstrong > 1;
}

bool namesakes_in_other_group(const struct proof *p, const char *name)
{
	const struct name *found = p->run->nproofs > 1 ? find_name(p, name)
						       : NULL;

	return found != NULL && found->has_other_group;
}

/* --- By name and place --------------------------------------------------- */

static int compare_places(const void *a, const void *b)
{
	const struct name_place *x = a, *y = b;

	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return y->has_size - x->has_size;
}

/* How many items are before those of NAME at ADDR without a size, or all. */
static size_t count_below(const struct places_of_names *places,
			  const struct name_place *key)
{
	size_t i;

	LOWER_BOUND(i, places->n, compare_places(&places->items[i], key) < 0);
	return i;
}

static bool alloc_places(const struct proof *p, struct places_of_names *places,
			 size_t n)
{
	places->is_built = true;
	places->items = malloc((n + 1) * sizeof(places->items[0]));
	if (places->items == NULL)
		diag_nomem(p->run->d, p->run->img.obj->path);
	return places->items != NULL;
}

static void sort_places(struct places_of_names *places)
{
	if (places->n > 0)
		qsort(places->items, places->n, sizeof(places->items[0]),
		      compare_places);
}

/* A number for NAME of the image: that of the first symbol of it; or 0. */
static uint32_t image_name(const struct proof *p, const char *name)
{
	struct symbol sym;
	uint32_t symndx = 0;

	return names_next(&p->run->img.names, name, &symndx, &sym) ? symndx : 0;
}

/* More namesakes than these are not walked through, but listed by place. */
#define NAMESAKES_FEW 16

/* Counts the symbols in each bucket of names, up to one more than these. */
static uint8_t *count_in_buckets(const struct proof *p)
{
	const struct names *names = &p->run->img.names;
	uint8_t *counts = calloc(names->nbuckets, sizeof(counts[0]));

	if (counts == NULL) {
		diag_nomem(p->run->d, p->run->img.obj->path);
		return NULL;
	}
	for (size_t i = 1; i < names->obj->nsymbols; i++) {
		uint8_t *count = &counts[names_bucket(names, i)];

		*count += names->links[i].hash != 0 && *count <= NAMESAKES_FEW;
	}
	return counts;
}

/* Of the names that may have so many. */
static const struct places_of_names *image_places(const struct proof *p)
{
	struct places_of_names *places = &p->run->namesakes->image;
	const struct names *names = &p->run->img.names;
	uint8_t *counts;

	if (places->is_built || !alloc_places(p, places, names->obj->nsymbols))
		return places;
	counts = count_in_buckets(p);
	for (size_t i = 1; counts != NULL && i < names->obj->nsymbols; i++) {
		struct symbol sym;

		if (names->links[i].hash == 0 ||
		    counts[names_bucket(names, i)] <= NAMESAKES_FEW)
			continue;
		object_symbol(names->obj, i, &sym);
		places->items[places->n++] =
			(struct name_place){ image_name(p, sym.name), sym.value,
					     sym.size > 0 };
	}
	free(counts);
	sort_places(places);
	return places;
}

/* Are there any at ADDR? Those with a size, which come first, are counted. */
static bool find_at(const struct proof *p, const char *name, uint64_t addr,
		    size_t *nsized)
{
	struct name_place key = { .addr = addr, .has_size = true };
	const struct places_of_names *places;
	bool is_there = false;
	uint32_t symndx = 0;
	struct symbol sym;
	size_t n = 0, i;

	*nsized = 0;
	while (n <= NAMESAKES_FEW &&
	       names_next(&p->run->img.names, name, &symndx, &sym)) {
		if (n++ == 0)
			key.name = symndx;
		is_there |= sym.value == addr;
		*nsized += sym.value == addr && sym.size > 0;
	}
	if (n <= NAMESAKES_FEW)
		return is_there;
	places = image_places(p);
	i = count_below(places, &key);
	key.has_size = false;
	*nsized = count_below(places, &key) - i;
	return i < places->n && places->items[i].name == key.name &&
	       places->items[i].addr == addr;
}

size_t namesakes_at(const struct proof *p, const char *name, uint64_t addr)
{
	size_t nsized;

	find_at(p, name, addr, &nsized);
	return nsized;
}

bool namesakes_any_at(const struct proof *p, const char *name, uint64_t addr)
{
	size_t nsized;

	return find_at(p, name, addr, &nsized);
}

/* Each section with sites is at one place, if any. */
static int add_partial(const struct proof *p, struct places_of_names *places)
{
	const struct placed **of = calloc(p->partial->nsections, sizeof(of[0]));

	if (of == NULL)
		return diag_nomem(p->run->d, p->partial->path);
	for (size_t i = 0; i < p->nplaced; i++)
		of[p->placed[i].shndx] = &p->placed[i];
	for (size_t i = 1; i < p->partial->nsymbols; i++) {
		struct symbol sym;

		object_symbol(p->partial, i, &sym);
		if (p->functions.links[i].hash == 0 || !sym.is_defined ||
		    of[sym.shndx] == NULL)
			continue;
		places->items[places->n++] = (struct name_place){
			*slot_of(p->run->namesakes, sym.name,
				 p->functions.links[i].hash),
			of[sym.shndx]->addr, true
		};
	}
	free(of);
	return 0;
}

static const struct places_of_names *own_places(const struct proof *p)
{
	struct places_of_names *places = &p->run->namesakes->partials;
	size_t n = 0;

	if (places->is_built || !build(p))
		return places;
	for (size_t k = 0; k < p->run->nproofs; k++)
		n += p->run->proofs[k].partial->nsymbols;
	if (!alloc_places(p, places, n))
		return places;
	for (size_t k = 0; k < p->run->nproofs; k++)
		if (add_partial(&p->run->proofs[k], places))
			break;
	sort_places(places);
	return places;
}

size_t namesakes_count_own(const struct proof *p, const char *name,
			   uint64_t addr)
{
	const struct places_of_names *places = own_places(p);
	const struct name *found = find_name(p, name);
	uint64_t number = found != NULL ? found - p->run->namesakes->names + 1
					: 0;

	return found == NULL
		       ? 0
		       : count_below(places, &(struct name_place){ number, addr,
								   false }) -
				 count_below(places,
					     &(struct name_place){ number, addr,
								   true });
}

/* --- All names of a section ---------------------------------------------- */

/* Of one name. The sum does not depend on their order. */
static uint64_t spread(const char *name)
{
	return names_hash(name) * UINT64_C(0x9e3779b97f4a7c15);
}

uint64_t namesakes_sum(const struct proof *p, uint32_t shndx)
{
	struct symbol sym;
	uint64_t sum = 0;

	for (size_t i = 0;
	     landmarks_next(&p->placer.landmarks, shndx, &i, &sym) != 0;)
		if (symbol_is_code(&sym) && sym.type != STT_NOTYPE)
			sum += spread(sym.name);
	return sum;
}

uint64_t namesakes_sum_at(const struct proof *p, uint64_t addr, uint64_t end)
{
	struct symbol sym;
	uint64_t sum = 0;

	for (size_t i = 0;
	     image_functions_next(&p->run->img, addr, end - addr, &i, &sym);)
		sum += spread(sym.name);
	return sum;
}
