/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: sites in text that the final link may have shortened. No
 * byte and no offset can be compared there, but a linker that relaxes keeps
 * functions, and the order of what is in them. So each function of the partial
 * is looked up by name in the final, and the branches to stubs in it, in
 * order, must be those of the partial, in number, probe and form. check_extra
 * then proves that there are no others.
 */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "proof.h"

/* A function of the partial that has sites: the witnesses [first, end). */
struct function {
	const char *name;
	bool is_global;
	size_t first, end;
};

/* What is at an address of the final that could be a site. */
struct candidate {
	uint64_t addr;
	const char *symbol;
	enum site_form form;
};

struct candidate_list {
	struct proof *p;
	const struct image_section *is;
	uint64_t start; /* of the function, as an offset in IS */
	struct candidate *items;
	size_t n;
	bool is_full;	   /* no memory */
	bool is_ambiguous; /* other code reads like a disabled site */
};

static void add_candidate(struct candidate_list *list, uint64_t addr,
			  const char *symbol, enum site_form form)
{
	struct candidate *items =
		realloc(list->items, (list->n + 1) * sizeof(items[0]));

	if (items == NULL) {
		list->is_full = true;
		return;
	}
	list->items = items;
	items[list->n++] = (struct candidate){ addr, symbol, form };
}

static void add_branch(void *ctx, uint64_t offset, const struct branch *branch)
{
	struct candidate_list *list = ctx;
	const struct arch *arch = list->p->partial->arch;
	const struct stub *stub = stub_at(list->p, branch->target);

	/* OFFSET counts from the function's start. */
	if (stub != NULL &&
	    arch->is_boundary(arch, &list->is->code, list->start,
			      list->start + offset))
		add_candidate(list, list->is->code.addr + list->start + offset,
			      stub->symbol, branch->form);
}

/* Instructions in the function that read like a disabled site. */
static size_t count_lookalikes(const struct candidate_list *list, uint64_t addr,
			       uint64_t size, const uint8_t *expected,
			       unsigned length)
{
	const struct arch *arch = list->p->partial->arch;
	uint64_t start = addr - list->is->code.addr;
	size_t n = 0;

	for (uint64_t at = start; at + length <= start + size; at++)
		n += memcmp(list->is->code.bytes + at, expected, length) == 0 &&
		     arch->is_boundary(arch, &list->is->code, start, at);
	return n;
}

/* Entries in the function that are of the form of ENTRY. */
static size_t count_entries(const struct proof *p, uint64_t addr, uint64_t size,
			    const struct table_entry *entry)
{
	size_t n = 0;

	for (size_t i = 0; i < p->table.nentries; i++) {
		const struct table_entry *other = &p->table.entries[i];

		n += other->addr >= addr && other->addr - addr < size &&
		     other->form == entry->form &&
		     other->is_enabled == entry->is_enabled;
	}
	return n;
}

/* Entries of the table that point at a disabled site: --nop left no branch. */
static void add_disabled(struct candidate_list *list, uint64_t addr,
			 uint64_t size)
{
	struct proof *p = list->p;
	const struct arch *arch = p->partial->arch;

	for (size_t i = 0; i < p->table.nentries; i++) {
		const struct table_entry *entry = &p->table.entries[i];
		uint8_t expected[DISABLED_MAX];
		unsigned n;
		const uint8_t *bytes;

		if (entry->addr < addr || entry->addr - addr >= size ||
		    entry->form > FORM_COND)
			continue;
		n = arch->disable(arch, entry->form, entry->is_enabled,
				  &list->is->code,
				  entry->addr - list->is->code.addr, expected);
		bytes = image_bytes(&p->img, entry->addr, n);
		if (n == 0 || bytes == NULL || memcmp(bytes, expected, n) != 0)
			continue;
		add_candidate(list, entry->addr, entry->probe, entry->form);
		list->is_ambiguous |=
			count_lookalikes(list, addr, size, expected, n) >
			count_entries(p, addr, size, entry);
	}
}

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* All that could be a site in the function SYM of the final. */
static int list_candidates(struct proof *p, const struct symbol *sym,
			   struct candidate_list *list)
{
	const struct arch *arch = p->partial->arch;
	struct code part;

	*list = (struct candidate_list){
		.p = p,
		.is = image_find_text(&p->img, sym->value, sym->size),
	};
	if (list->is == NULL || sym->size == 0)
		return 0;
	list->start = sym->value - list->is->code.addr;
	part = (struct code){ list->is->code.bytes + list->start, sym->size,
			      sym->value };
	if (p->nstubs > 0)
		arch->each_branch(arch, &part, p->stubs_by_addr[0].addr,
				  p->stubs_by_addr[p->nstubs - 1].addr,
				  add_branch, list);
	add_disabled(list, sym->value, sym->size);
	if (list->is_full)
		return diag_nomem(p->d, p->img.obj->path);
	if (list->n > 0)
		qsort(list->items, list->n, sizeof(list->items[0]),
		      compare_candidates);
	return 0;
}

static bool same_sites(const struct proof *p, const struct function *fn,
		       const struct candidate_list *list)
{
	if (list->n != fn->end - fn->first || list->is_ambiguous)
		return false;
	for (size_t i = 0; i < list->n; i++) {
		const struct witness *w = &p->list.items[fn->first + i];

		if (w->form != list->items[i].form ||
		    strcmp(w->symbol, list->items[i].symbol) != 0)
			return false;
	}
	return true;
}

static void report_function(struct proof *p, const struct function *fn,
			    bool is_found)
{
	const struct witness *w = &p->list.items[fn->first];
	struct finding f = {
		.cause = is_found ? CAUSE_TEXT_DIFFERS : CAUSE_UNPLACED,
		.section = p->partial->sections[w->shndx].name,
		.function = fn->name,
		.has_offset = true,
		.offset = w->offset,
	};

	if (fn->name == NULL)
		find(p, &f,
		     "the sites here are in no function, and the final "
		     "link may have moved them");
	else
		find(p, &f,
		     "the branches to stubs in the image's %s are not "
		     "the %zu of the partial",
		     fn->name, fn->end - fn->first);
}

/* SYM up to the next function: mold 1.10 leaves sizes of before relaxation. */
static void cut_short(const struct proof *p, struct symbol *sym)
{
	uint64_t next = image_next_function(&p->img, sym->value);

	if (next - sym->value < sym->size)
		sym->size = next - sym->value;
}

/* Are the sites of FN in SYM? Then 1, and they are placed; -1 on trouble. */
static int try_function(struct proof *p, const struct function *fn,
			const struct symbol *sym)
{
	struct candidate_list list;
	bool fits;

	if (list_candidates(p, sym, &list))
		return -1;
	fits = same_sites(p, fn, &list);
	for (size_t i = 0; fits && i < list.n; i++) {
		p->list.items[fn->first + i].is_placed = true;
		p->list.items[fn->first + i].addr = list.items[i].addr;
	}
	free(list.items);
	return fits;
}

/*
 * Places the sites of FN in a function of the final of that name, at or
 * behind *END, which then is behind its start: the linker keeps the order.
 */
static int place_function(struct proof *p, const struct function *fn,
			  uint64_t *end)
{
	struct symbol sym;
	uint32_t symndx = 0;
	bool is_found = false;

	while (fn->name != NULL &&
	       names_next(&p->img.names, fn->name, &symndx, &sym)) {
		int fits;

		if (sym.value < *end || sym.type == STT_OBJECT)
			continue;
		is_found = true;
		fits = try_function(p, fn, &sym);
		if (fits == 0) {
			cut_short(p, &sym);
			fits = try_function(p, fn, &sym);
		}
		if (fits < 0)
			return -1;
		if (fits > 0) {
			*end = sym.value + 1;
			return 0;
		}
	}
	if (is_found || fn->name == NULL) {
		report_function(p, fn, is_found);
		return 0;
	}
	p->has_absent = true;
	if (!p->keeps_locals && !fn->is_global)
		report_function(p, fn, is_found);
	for (size_t i = fn->first; i < fn->end; i++)
		p->list.items[i].is_absent = true;
	return 0;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return x->bind < y->bind ? -1 : x->bind > y->bind;
}

/* The sized functions of section SHNDX, by offset. */
static struct symbol *list_functions(const struct proof *p, uint32_t shndx,
				     size_t *n)
{
	size_t first = p->placer.first_symbol[shndx];
	size_t end = p->placer.first_symbol[shndx + 1];
	struct symbol *symbols = malloc((end - first + 1) * sizeof(symbols[0]));

	*n = 0;
	for (size_t i = first; symbols != NULL && i < end; i++) {
		struct symbol *sym = &symbols[*n];

		object_symbol(p->partial, p->placer.by_section[i], sym);
		*n += sym->size > 0 && sym->type == STT_FUNC;
	}
	if (symbols != NULL)
		qsort(symbols, *n, sizeof(symbols[0]), compare_symbols);
	return symbols;
}

/* The function that covers W, from *NEXT on, which moves along; or NULL. */
static const struct symbol *covering(const struct symbol *symbols, size_t n,
				     size_t *next, const struct witness *w)
{
	while (*next + 1 < n && symbols[*next + 1].value <= w->offset)
		(*next)++;
	if (*next < n && symbols[*next].value <= w->offset &&
	    w->offset - symbols[*next].value < symbols[*next].size)
		return &symbols[*next];
	return NULL;
}

int place_relaxed(struct proof *p, size_t first, size_t end)
{
	uint32_t shndx = p->list.items[first].shndx;
	uint64_t placed_end = 0;
	size_t n, next = 0;
	struct symbol *symbols = list_functions(p, shndx, &n);
	int ret = 0;

	if (symbols == NULL)
		return diag_nomem(p->d, p->partial->path);
	while (ret == 0 && first < end) {
		const struct symbol *sym =
			covering(symbols, n, &next, &p->list.items[first]);
		struct function fn = { sym ? sym->name : NULL,
				       sym && sym->bind == STB_GLOBAL, first,
				       first };

		do {
			fn.end++;
		} while (fn.end < end &&
			 covering(symbols, n, &next, &p->list.items[fn.end]) ==
				 sym);
		ret = place_function(p, &fn, &placed_end);
		first = fn.end;
	}
	free(symbols);
	return ret;
}
