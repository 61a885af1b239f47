/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of verify: where each probe's stub is in the final, one place for each.
 */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"
#include "proof.h"

static int compare_stubs(const void *a, const void *b)
{
	return strcmp(((const struct stub *)a)->symbol,
		      ((const struct stub *)b)->symbol);
}

static int compare_stub_addrs(const void *a, const void *b)
{
	const struct stub *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

const struct stub *find_stub(const struct proof *p, const char *symbol)
{
	struct stub key = { .symbol = symbol };

	return bsearch(&key, p->stubs, p->nstubs, sizeof(key), compare_stubs);
}

const struct stub *stub_at(const struct proof *p, uint64_t addr)
{
	struct stub key = { .addr = addr };

	if (p->nstubs == 0)
		return NULL;
	return bsearch(&key, p->stubs_by_addr, p->nstubs, sizeof(key),
		       compare_stub_addrs);
}

/* The stub that code at ADDR is an entry of, or NULL. */
static const struct stub *stub_entered_at(const struct proof *p, uint64_t addr)
{
	size_t low = 0, high = p->nstubs;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (p->stubs_by_addr[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0 || (p->stubs_by_addr[low - 1].addr != addr &&
			 p->stubs_by_addr[low - 1].entry != addr))
		return NULL;
	return &p->stubs_by_addr[low - 1];
}

const struct stub *stub_of_pointer(const struct proof *p, uint64_t pointer)
{
	uint8_t mode = pointer & p->partial->mode_bits;
	const struct stub *stub = stub_entered_at(p, pointer - mode);

	return stub != NULL && stub->mode == mode ? stub : NULL;
}

static size_t sort_unique(struct stub *stubs, size_t n)
{
	size_t kept = 0;

	qsort(stubs, n, sizeof(stubs[0]), compare_stubs);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 ||
		    compare_stubs(&stubs[kept - 1], &stubs[i]) != 0)
			stubs[kept++] = stubs[i];
	return kept;
}

/* The probe functions that the partial mentions; returns how many. */
static size_t list_mentioned(const struct proof *p, struct stub *stubs)
{
	const struct object *partial = p->partial;
	size_t n = 0;

	for (size_t i = 1; i < partial->nsymbols; i++) {
		struct symbol sym;
		size_t prefix;

		object_symbol(partial, i, &sym);
		if (sym.bind != STB_LOCAL &&
		    witness_classify(p->options, &p->functions, &sym,
				     &prefix) != PROBE_NONE)
			stubs[n++] = (struct stub){ .symbol = sym.name };
	}
	return n;
}

int list_stubs(struct proof *p)
{
	size_t n = 0, size = 1;

	for (size_t k = 0; k < p->nall; k++)
		size += p->all[k].list.n + p->all[k].partial->nsymbols;
	p->stubs = calloc(size, sizeof(p->stubs[0]));
	if (p->stubs == NULL)
		return diag_nomem(p->d, p->partial->path);
	for (size_t k = 0; k < p->nall; k++)
		for (size_t i = 0; i < p->all[k].list.n; i++)
			if (!p->all[k].list.items[i].is_target)
				p->stubs[n++].symbol =
					p->all[k].list.items[i].symbol;
	n = sort_unique(p->stubs, n);
	p->v->nprobes = n;
	for (size_t k = 0; k < p->nall; k++)
		n += list_mentioned(&p->all[k], p->stubs + n);
	p->nstubs = sort_unique(p->stubs, n);
	p->stubs_by_addr = malloc((p->nstubs + 1) * sizeof(p->stubs[0]));
	return p->stubs_by_addr != NULL ? 0
					: diag_nomem(p->d, p->partial->path);
}

static bool is_code(const struct proof *p, const struct symbol *sym)
{
	return sym->is_defined && image_find_text(&p->img, sym->value, 1);
}

/* The truth is what mapping symbols tell; a symbol's type is a promise. */
static uint8_t code_mode_at(const struct proof *p, const struct symbol *sym)
{
	const struct image_section *is =
		image_find_text(&p->img, sym->value, 1);
	uint8_t mode = code_mode(&is->code, sym->value - is->code.addr);

	return mode == MODE_UNKNOWN || mode == MODE_DATA ? sym->mode : mode;
}

/* Does the loader make the descriptor of SYM that of other code? */
static bool is_redirected(const struct proof *p, const struct symbol *sym)
{
	const struct image_reloc *r =
		sym->is_descriptor ? image_find_reloc(&p->img, sym->descriptor)
				   : NULL;

	/* SHT_RELR has no addend, and changes no more than the base. */
	if (r == NULL || (r->symbol[0] == '\0' && !r->has_addend))
		return false;
	return !r->is_relative || (uint64_t)r->addend != sym->value;
}

/* Finds the one definition of each stub. */
void locate_stubs(struct proof *p)
{
	const struct arch *arch = p->partial->arch;
	size_t kept = 0;

	for (size_t i = 0; i < p->nstubs; i++) {
		struct stub *stub = &p->stubs[i];
		struct symbol sym, other;
		uint32_t symndx = 0;
		struct finding f = { .cause = CAUSE_STUB_MISSING };

		/* Missing is reported where a site needs it. */
		if (!names_next(&p->img.names, stub->symbol, &symndx, &sym) ||
		    !is_code(p, &sym))
			continue;
		if (names_next(&p->img.names, stub->symbol, &symndx, &other)) {
			find(p, &f, "the image defines %s more than once",
			     stub->symbol);
			continue;
		}
		if (is_redirected(p, &sym)) {
			find(p, &f,
			     "a run-time relocation at 0x%" PRIx64
			     " gives %s other code",
			     sym.descriptor, stub->symbol);
			continue;
		}
		stub->addr = sym.value;
		stub->size = sym.size;
		stub->entry = sym.value;
		if (arch->local_entry != NULL)
			stub->entry += arch->local_entry(sym.other);
		stub->pointer = sym.value | sym.mode;
		stub->mode = code_mode_at(p, &sym);
		stub->is_open = p->img.obj->ehdr.e_type == ET_DYN &&
				sym.bind != STB_LOCAL &&
				sym.visibility == STV_DEFAULT;
		p->stubs[kept++] = *stub;
	}
	p->nstubs = kept;
	memcpy(p->stubs_by_addr, p->stubs, kept * sizeof(p->stubs[0]));
	qsort(p->stubs_by_addr, kept, sizeof(p->stubs[0]), compare_stub_addrs);
}

/* Two probes at one address cannot be told apart. */
void check_distinct(struct proof *p)
{
	for (size_t i = 1; i < p->nstubs; i++) {
		const struct stub *a = &p->stubs_by_addr[i - 1];
		const struct stub *b = &p->stubs_by_addr[i];
		struct finding f = { .cause = CAUSE_STUB_FOLDED,
				     .has_address = true,
				     .address = b->addr };

		if (a->addr == b->addr)
			find(p, &f, "the stubs %s and %s are at one address",
			     a->symbol, b->symbol);
	}
}

const struct stub *stub_around(const struct proof *p, uint64_t addr)
{
	size_t low = 0, high = p->nstubs;
	const struct stub *stub;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (p->stubs_by_addr[mid].addr < addr)
			low = mid + 1;
		else
			high = mid;
	}
	stub = low > 0 ? &p->stubs_by_addr[low - 1] : NULL;
	return stub != NULL && stub->size <= GENERATED_MAX &&
			       addr - stub->addr < stub->size
		       ? stub
		       : NULL;
}

/* Does the partial define the function itself? */
static bool is_defined(const struct proof *p, const char *symbol)
{
	struct symbol sym;
	uint32_t symndx = 0;

	return names_next(&p->functions, symbol, &symndx, &sym);
}

/*
 * --nop keeps the stubs of sites that it cannot disable, all those of a partial
 * with sites that it leaves alone, and what is no stub of its own.
 */
int mark_kept(struct proof *p)
{
	struct witness_list *list = &p->list;
	bool *is_kept = calloc(p->nstubs + 1, sizeof(is_kept[0]));
	bool keeps_all = list->has_excluded;

	if (is_kept == NULL)
		return diag_nomem(p->d, p->partial->path);
	for (size_t i = 0; i < list->n; i++)
		keeps_all |= list->items[i].is_excluded ||
			     (list->items[i].is_in_hole &&
			      !list->items[i].is_target);
	for (size_t i = 0; i < list->n; i++) {
		const struct witness *w = &list->items[i];
		const struct stub *stub = find_stub(p, w->symbol);

		if (stub != NULL && !is_kept[stub - p->stubs])
			is_kept[stub - p->stubs] = keeps_all ||
						   !can_disable(p, w) ||
						   is_defined(p, w->symbol);
	}
	for (size_t i = 0; i < list->n; i++) {
		struct witness *w = &list->items[i];
		const struct stub *stub = find_stub(p, w->symbol);

		w->keeps_stub = stub != NULL && is_kept[stub - p->stubs];
	}
	free(is_kept);
	return 0;
}
