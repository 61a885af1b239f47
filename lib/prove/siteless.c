/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>

#include "base/search.h"
#include "base/sort.h"
#include "elf/functions.h"
#include "siteless.h"

struct function {
	uint64_t size;
	uint32_t hash; /* of its name */
	uint32_t k;    /* its partial */
	uint32_t symndx;
};

struct siteless {
	struct function *items; /* by size and hash; owned */
	size_t n;
};

static int compare_functions(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return sort_pairs(x->k, x->symndx, y->k, y->symndx);
}

static void add_partial(struct siteless *siteless, const struct proof *p)
{
	for (size_t i = 1; i < p->partial->nsymbols; i++) {
		struct symbol sym;

		object_symbol(p->partial, i, &sym);
		if (sym.size > 0 && symbol_is_code(&sym) &&
		    !lookup_has_sites(p, sym.shndx))
			siteless->items[siteless->n++] =
				(struct function){ sym.size,
						   names_hash(sym.name),
						   p - p->run->proofs, i };
	}
}

static const struct siteless *list_all(struct verify_run *run)
{
	size_t n = 0;

	if (run->siteless != NULL)
		return run->siteless;
	for (size_t k = 0; k < run->nproofs; k++)
		n += run->proofs[k].partial->nsymbols;
	run->siteless = calloc(1, sizeof(*run->siteless));
	if (run->siteless == NULL)
		return NULL;
	run->siteless->items =
		malloc((n + 1) * sizeof(run->siteless->items[0]));
	if (run->siteless->items == NULL) {
		siteless_free(run->siteless);
		return run->siteless = NULL;
	}
	for (size_t k = 0; k < run->nproofs; k++)
		add_partial(run->siteless, &run->proofs[k]);
	if (run->siteless->n > 0)
		qsort(run->siteless->items, run->siteless->n,
		      sizeof(run->siteless->items[0]), compare_functions);
	return run->siteless;
}

void siteless_free(struct siteless *siteless)
{
	if (siteless != NULL)
		free(siteless->items);
	free(siteless);
}

/*
 * How many functions of SIZE bytes, from number I on, could be at ADDR? If HASH
 * is not 0, only those with that hash.
 */
static size_t count(const struct proof *p, size_t i, uint64_t size,
		    uint32_t hash, uint64_t addr, size_t max)
{
	const struct siteless *siteless = p->run->siteless;
	size_t n = 0;

	for (; i < siteless->n && n < max; i++) {
		const struct function *item = &siteless->items[i];
		struct proof *other = &p->run->proofs[item->k];
		struct symbol sym;

		if (item->size != size || (hash != 0 && item->hash != hash))
			break;
		object_symbol(other->partial, item->symndx, &sym);
		n += sections_may_be_at(other, 0, 0, &sym, addr);
	}
	return n;
}

bool siteless_may_be(const struct proof *p, const struct namesake *ns,
		     const struct symbol *found)
{
	struct proof *other = &p->run->proofs[ns->k];
	struct symbol own;

	object_symbol(other->partial, ns->symndx, &own);
	/* Linkers make hidden names local, and never a local one global. */
	return own.is_defined &&
	       (own.bind != STB_LOCAL || found->bind == STB_LOCAL) &&
	       (own.size == found->size ||
		other->partial->sections[own.shndx].relaxes) &&
	       !lookup_has_sites(other, own.shndx) &&
	       sections_may_be_at(other, 0, 0, &own, found->value);
}

size_t siteless_count_at(const struct proof *p, uint64_t size, uint64_t addr,
			 size_t max)
{
	const struct siteless *siteless = list_all(p->run);
	bool has_name = false;
	size_t n = 0, first;
	struct symbol sym;

	if (siteless == NULL) {
		diag_nomem(p->run->d, p->partial->path);
		return max;
	}
	for (size_t i = 0; n < max && image_functions_next(&p->run->img, addr,
							   1, &i, &sym);) {
		uint32_t hash = names_hash(sym.name);

		has_name |= sym.size > 0;
		LOWER_BOUND(first, siteless->n,
			    siteless->items[first].size < size ||
				    (siteless->items[first].size == size &&
				     siteless->items[first].hash < hash));
		n += count(p, first, size, hash, addr, max - n);
	}
	if (has_name)
		return n;
	LOWER_BOUND(first, siteless->n, siteless->items[first].size < size);
	return count(p, first, size, 0, addr, max);
}
