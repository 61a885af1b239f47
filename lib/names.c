/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "names.h"

/* FNV-1a. */
static uint32_t hash(const char *name)
{
	uint32_t h = 2166136261u;

	for (; *name != '\0'; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return h;
}

static bool is_indexed(const struct symbol *sym)
{
	return sym->shndx != SHN_UNDEF && sym->name[0] != '\0' &&
	       sym->type != STT_SECTION && sym->type != STT_FILE;
}

int names_build(struct diag *d, const struct object *obj, struct names *names)
{
	*names = (struct names){ .obj = obj, .nbuckets = 64 };
	while (names->nbuckets < obj->nsymbols)
		names->nbuckets *= 2;
	names->buckets = calloc(names->nbuckets, sizeof(uint32_t));
	names->next = calloc(obj->nsymbols + 1, sizeof(uint32_t));
	if (names->buckets == NULL || names->next == NULL)
		return diag_nomem(d, obj->path);
	/* Backwards, so that each chain is in the order of the table. */
	for (size_t i = obj->nsymbols; i-- > 1;) {
		struct symbol sym;
		uint32_t *bucket;

		object_symbol(obj, i, &sym);
		if (!is_indexed(&sym))
			continue;
		bucket =
			&names->buckets[hash(sym.name) & (names->nbuckets - 1)];
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
