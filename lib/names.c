/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit.h"
#include "names.h"

/* Eight bytes at once, by the numbers of FNV-1a; never 0. */
static uint32_t hash(const char *name)
{
	size_t n = strlen(name);
	uint64_t h = 14695981039346656037u, word;

	for (; n >= 8; n -= 8, name += 8) {
		memcpy(&word, name, 8);
		h = (h ^ word) * 1099511628211u;
		h ^= h >> 32;
	}
	word = 0;
	memcpy(&word, name, n);
	h = (h ^ word) * 1099511628211u;
	return (h ^ h >> 32) | 1u << 31;
}

static bool is_indexed(const struct symbol *sym)
{
	return sym->shndx != SHN_UNDEF && sym->name[0] != '\0' &&
	       sym->type != STT_SECTION && sym->type != STT_FILE;
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
	names->buckets = calloc(names->nbuckets, sizeof(uint32_t));
	names->next = calloc(obj->nsymbols + 1, sizeof(uint32_t));
	if (names->buckets == NULL || names->next == NULL)
		return diag_nomem(d, obj->path);
	/* First the hashes: then many buckets can be fetched at once. */
	for (size_t i = 1; i < obj->nsymbols; i++) {
		struct symbol sym;

		object_symbol(obj, i, &sym);
		if (is_indexed(&sym))
			names->next[i] = hash(sym.name);
	}
	/* Backwards, so that each chain is in the order of the table. */
	for (size_t i = obj->nsymbols; i-- > 1;) {
		uint32_t h = names->next[i];
		uint32_t *bucket = &names->buckets[h & (names->nbuckets - 1)];

		if (h == 0)
			continue;
		names->next[i] = *bucket;
		*bucket = i;
	}
	return 0;
}

void names_free(struct names *names)
{
	free(names->buckets);
	free(names->next);
	*names = (struct names){ 0 };
}

bool names_next(const struct names *names, const char *name, uint32_t *symndx,
		struct symbol *sym)
{
	uint32_t i =
		*symndx ? names->next[*symndx]
			: names->buckets[hash(name) & (names->nbuckets - 1)];

	for (; i != 0; i = names->next[i]) {
		object_symbol(names->obj, i, sym);
		if (strcmp(sym->name, name) == 0)
			break;
	}
	*symndx = i;
	return i != 0;
}

bool names_is_stub(const struct names *names, const char *name)
{
	size_t length = strlen(SDT_PROBE_SYMBOL) + strlen(name) + 1;
	uint32_t symndx = 0;
	struct symbol sym;
	bool is_stub = false;
	char *descriptor;

	if (!names->has_probes)
		return false;
	descriptor = malloc(length);
	/* Without memory it has none: then its sites are missed, and told. */
	if (descriptor == NULL)
		return false;
	snprintf(descriptor, length, "%s%s", SDT_PROBE_SYMBOL, name);
	while (!is_stub && names_next(names, descriptor, &symndx, &sym))
		is_stub = sym.is_defined &&
			  strcmp(names->obj->sections[sym.shndx].name,
				 SDT_PROBES_SECTION) == 0;
	free(descriptor);
	return is_stub;
}
