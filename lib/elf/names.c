/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "names.h"
#include "base/table-format.h"

uint32_t names_hash(const char *name)
{
	uint64_t h = hash_bytes(name, strlen(name));

	return (h ^ h >> 32) | 1u << 31;
}

static bool is_indexed(const struct symbol *sym)
{
	return sym->shndx != SHN_UNDEF && sym->name[0] != '\0' &&
	       sym->type != STT_SECTION && sym->type != STT_FILE;
}

static uint32_t *bucket_of(const struct names *names, uint32_t h)
{
	return &names->buckets[h & (names->nbuckets - 1)];
}

int names_build(struct diag *d, const struct object *obj, struct names *names)
{
	*names = (struct names){
		.obj = obj,
		.nbuckets = 64,
		.has_probes = object_find_section(obj, SDT_PROBES_SECTION) != 0,
	};
	while (names->nbuckets < obj->nsymbols)
		names->nbuckets *= 2;
	names->buckets = memory_calloc_whole(names->nbuckets, sizeof(uint32_t));
	names->links =
		memory_calloc_whole(obj->nsymbols + 1, sizeof(names->links[0]));
	names->counts = calloc(obj->nsymbols + 1, sizeof(names->counts[0]));
	if (names->buckets == NULL || names->links == NULL ||
	    names->counts == NULL)
		return diag_nomem(d, obj->path);
	/* All hashes first: then many buckets can be fetched at once. */
	for (size_t i = 1; i < obj->nsymbols; i++) {
		struct symbol sym;

		object_fetch_name(obj, i + NAMES_AHEAD);
		object_symbol(obj, i, &sym);
		if (is_indexed(&sym))
			names->links[i].hash = names_hash(sym.name);
	}
	/* Backwards: so each chain keeps the order of the table. */
	for (size_t i = obj->nsymbols; i-- > 1;) {
		uint32_t h = names->links[i].hash;
		uint32_t *bucket = bucket_of(names, h);

		if (h == 0)
			continue;
		names->links[i].next = *bucket;
		*bucket = i;
	}
	return 0;
}

void names_free(struct names *names)
{
	free(names->buckets);
	free(names->links);
	free(names->counts);
	*names = (struct names){ 0 };
}

static bool find_next(const struct names *names, const char *name, uint32_t h,
		      uint32_t *symndx, struct symbol *sym)
{
	uint32_t i = *symndx != 0 ? names->links[*symndx].next
				  : *bucket_of(names, h);

	for (; i != 0; i = names->links[i].next) {
		if (names->links[i].hash != h)
			continue;
		object_symbol(names->obj, i, sym);
		if (strcmp(sym->name, name) == 0)
			break;
	}
	*symndx = i;
	return i != 0;
}

bool names_next(const struct names *names, const char *name, uint32_t *symndx,
		struct symbol *sym)
{
	uint32_t h = *symndx != 0 ? names->links[*symndx].hash
				  : names_hash(name);

	return find_next(names, name, h, symndx, sym);
}

bool names_find_only(const struct names *names, const char *name,
		     struct symbol *sym)
{
	uint32_t symndx = 0;
	struct symbol other;

	return names_next(names, name, &symndx, sym) &&
	       !names_next(names, name, &symndx, &other);
}

size_t names_count(const struct names *names, const char *name)
{
	struct symbol sym;
	uint32_t first = 0, symndx;
	size_t n = 0;

	if (!names_next(names, name, &first, &sym))
		return 0;
	if (names->counts[first] == 0) {
		symndx = first;
		do
			n += sym.is_defined;
		while (names_next(names, name, &symndx, &sym));
		names->counts[first] = n + 1;
	}
	return names->counts[first] - 1;
}

bool names_next_of(const struct names *names, const struct names *other,
		   uint32_t of, uint32_t *symndx, struct symbol *sym)
{
	struct symbol own;

	object_symbol(other->obj, of, &own);
	return find_next(names, own.name, other->links[of].hash, symndx, sym);
}

/*
 * From the bucket to the symbol, and from there to its name: each is fetched in
 * its own step.
 */
void names_fetch(const struct names *names, const struct names *other,
		 const uint32_t *list, size_t i, size_t n)
{
	uint32_t *bucket;

	if (i + 3 * NAMES_AHEAD < n)
		__builtin_prefetch(bucket_of(
			names, other->links[list[i + 3 * NAMES_AHEAD]].hash));
	if (i + 2 * NAMES_AHEAD < n) {
		bucket = bucket_of(
			names, other->links[list[i + 2 * NAMES_AHEAD]].hash);
		__builtin_prefetch(&names->links[*bucket]);
		object_fetch_symbol(names->obj, *bucket);
	}
	if (i + NAMES_AHEAD < n) {
		bucket = bucket_of(names,
				   other->links[list[i + NAMES_AHEAD]].hash);
		object_fetch_name(names->obj, *bucket);
		object_fetch_name(other->obj, list[i + NAMES_AHEAD]);
	}
}

bool names_next_prefixed(const struct names *names, const char *prefix,
			 const char *name, uint32_t *symndx, struct symbol *sym)
{
	char *whole = malloc(strlen(prefix) + strlen(name) + 1);
	bool found;

	/* If memory ran out, there is no index. The run fails anyway. */
	if (whole == NULL)
		return false;
	strcpy(stpcpy(whole, prefix), name);
	found = names_next(names, whole, symndx, sym);
	free(whole);
	return found;
}

bool names_is_stub(const struct names *names, const char *name)
{
	uint32_t symndx = 0;
	struct symbol sym;

	if (!names->has_probes)
		return false;
	while (names_next_prefixed(names, SDT_PROBE_SYMBOL, name, &symndx,
				   &sym))
		if (sym.is_defined &&
		    strcmp(names->obj->sections[sym.shndx].name,
			   SDT_PROBES_SECTION) == 0)
			return true;
	return false;
}

const char *names_signature(const struct object *obj, uint32_t shndx)
{
	uint32_t group = obj->sections[shndx].comdat;
	struct symbol sym;

	if (group == 0 || obj->sections[group].info >= obj->nsymbols)
		return NULL;
	object_symbol(obj, obj->sections[group].info, &sym);
	return sym.type == STT_SECTION && sym.shndx < obj->nsections
		       ? obj->sections[sym.shndx].name
		       : sym.name;
}
