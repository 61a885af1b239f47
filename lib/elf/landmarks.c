/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>

#include "landmarks.h"

static bool is_landmark(const struct symbol *sym)
{
	return sym->is_defined && sym->type != STT_SECTION &&
	       sym->type != STT_FILE && sym->type != STT_TLS &&
	       sym->name[0] != '\0' && !symbol_is_mark(sym) &&
	       !symbol_is_label(sym);
}

/* A counting sort of symbol indices by section. */
int landmarks_read(struct diag *d, const struct object *obj,
		   struct landmarks *landmarks)
{
	size_t *first = calloc(obj->nsections + 2, sizeof(first[0]));
	/* The section of each symbol; 0 if it is not a landmark. */
	uint32_t *shndx = calloc(obj->nsymbols + 1, sizeof(shndx[0]));

	landmarks->obj = obj;
	landmarks->first = first;
	landmarks->symbols = malloc(obj->nsymbols * sizeof(uint32_t));
	if (first == NULL || shndx == NULL || landmarks->symbols == NULL) {
		free(shndx);
		return diag_nomem(d, obj->path);
	}
	for (size_t i = 1; i < obj->nsymbols; i++) {
		struct symbol sym;

		object_fetch_name(obj, i + NAMES_AHEAD);
		object_symbol(obj, i, &sym);
		if (!is_landmark(&sym))
			continue;
		shndx[i] = sym.shndx;
		first[sym.shndx + 2]++;
	}
	for (size_t i = 2; i < obj->nsections + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 1; i < obj->nsymbols; i++)
		if (shndx[i] != 0)
			landmarks->symbols[first[shndx[i] + 1]++] = i;
	free(shndx);
	return 0;
}

void landmarks_free(struct landmarks *landmarks)
{
	free(landmarks->symbols);
	free(landmarks->first);
	*landmarks = (struct landmarks){ 0 };
}

const uint32_t *landmarks_list(const struct landmarks *landmarks,
			       uint32_t shndx, size_t *n)
{
	const size_t *first = &landmarks->first[shndx];

	*n = first[1] - first[0];
	return landmarks->symbols + first[0];
}

uint32_t landmarks_next(const struct landmarks *landmarks, uint32_t shndx,
			size_t *i, struct symbol *sym)
{
	size_t n;
	const uint32_t *symbols = landmarks_list(landmarks, shndx, &n);

	if (*i == n)
		return 0;
	object_symbol(landmarks->obj, symbols[*i], sym);
	return symbols[(*i)++];
}

uint64_t landmarks_first(const struct landmarks *landmarks, uint32_t shndx)
{
	uint64_t first = UINT64_MAX;
	struct symbol sym;
	size_t i = 0;

	while (landmarks_next(landmarks, shndx, &i, &sym) != 0)
		if (sym.value < first)
			first = sym.value;
	return i > 0 ? first : 0;
}
