/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>

#include "base/search.h"
#include "elf/functions.h"
#include "namesakes.h"
#include "siteless.h"

struct function {
	uint64_t size;
	uint32_t k; /* its partial */
	uint32_t symndx;
};

struct siteless {
	struct function *items; /* by size; owned */
	size_t n;
};

static int compare_functions(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	if (x->k != y->k)
		return x->k < y->k ? -1 : 1;
	return (x->symndx > y->symndx) - (x->symndx < y->symndx);
}

static void add_partial(struct siteless *siteless, const struct proof *p)
{
	for (size_t i = 1; i < p->partial->nsymbols; i++) {
		struct symbol sym;

		object_symbol(p->partial, i, &sym);
		if (sym.size > 0 && symbol_is_code(&sym) &&
		    !lookup_has_sites(p, sym.shndx))
			siteless->items[siteless->n++] =
				(struct function){ sym.size, p - p->run->proofs,
						   i };
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

/* Has the image a name for a function that begins at ADDR? */
static bool is_named(const struct proof *p, uint64_t addr)
{
	struct symbol sym;

	return image_function(&p->run->img, addr, &sym) && sym.value == addr &&
	       sym.size > 0;
}

size_t siteless_count_at(const struct proof *p, uint64_t size, uint64_t addr,
			 size_t max)
{
	const struct siteless *siteless = list_all(p->run);
	bool has_name = is_named(p, addr);
	size_t i, n = 0;

	if (siteless == NULL) {
		diag_nomem(p->run->d, p->partial->path);
		return max;
	}
	LOWER_BOUND(i, siteless->n, siteless->items[i].size < size);
	for (; i < siteless->n && siteless->items[i].size == size && n < max;
	     i++) {
		struct proof *other = &p->run->proofs[siteless->items[i].k];
		struct symbol sym;

		object_symbol(other->partial, siteless->items[i].symndx, &sym);
		n += (!has_name || namesakes_any_at(p, sym.name, addr)) &&
		     sections_may_be_at(other, 0, 0, &sym, addr);
	}
	return n;
}
