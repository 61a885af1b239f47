/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares two finals by the symbols of their functions. A global function is
 * known by its name, a local one by its name and file. Of the rest, two with
 * one name are the same function if each is the only one in its final. All
 * bytes count, including addresses.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "compare-order.h"
#include "elf/image.h"

/* A function of one final. */
struct named {
	const char *name, *file; /* file: "" of global ones */
	uint64_t addr, size;
	bool is_paired;
	size_t nshared; /* that are at its address */
};

struct final {
	struct image img;
	struct named *items; /* by name, file, address; owned */
	size_t n;
};

struct symbol_comparer {
	struct diag *d;
	const struct object *objs;
	struct final finals[2];
	struct comparison *c;
};

static int compare_files(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order != 0 ? order : strcmp(x->file, y->file);
}

static int compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = compare_files(a, b);

	if (order != 0)
		return order;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* --- The functions of one final ----------------------------------------- */

/* The file of each symbol. Owned; NULL if memory ran out. */
static const char **list_files(const struct object *obj)
{
	const char **files = malloc((obj->nsymbols + 1) * sizeof(files[0]));
	const char *file = "";

	for (size_t i = 1; files != NULL && i < obj->nsymbols; i++) {
		struct symbol sym;

		object_symbol(obj, i, &sym);
		if (sym.type == STT_FILE)
			file = sym.name;
		files[i] = sym.bind == STB_LOCAL ? file : "";
	}
	return files;
}

/* If the symbol has no size, its function ends at the next symbol. */
static uint64_t size_of(const struct image *img, const struct symbol *sym)
{
	const struct image_section *is = image_find_text(img, sym->value, 1);
	uint64_t offset, end;

	if (is == NULL)
		return 0;
	offset = sym->value - is->code.addr;
	end = sym->size == 0 ? image_next_function(img, is, offset)
	      : sym->size > is->code.size - offset ? is->code.size
						   : offset + sym->size;
	return end - offset;
}

static int list_functions(struct symbol_comparer *r, struct final *final,
			  const struct object *obj)
{
	const char **files;
	size_t shared = 0;

	if (image_open(r->d, obj, &final->img))
		return -1;
	files = list_files(obj);
	final->items =
		malloc((final->img.nfunctions + 1) * sizeof(final->items[0]));
	if (files == NULL || final->items == NULL) {
		free(files);
		return diag_nomem(r->d, obj->path);
	}
	for (size_t i = 0; i < final->img.nfunctions; i++) {
		uint32_t symndx = final->img.functions[i];
		struct symbol sym;
		struct named *item = &final->items[final->n];

		object_symbol(obj, symndx, &sym);
		*item = (struct named){
			.name = sym.name,
			.file = files[symndx],
			.addr = sym.value,
			.size = size_of(&final->img, &sym),
		};
		final->n += item->size > 0;
	}
	free(files);
	/* They are by address yet. */
	for (size_t i = 0; i < final->n; i++) {
		if (final->items[i].addr != final->items[shared].addr)
			shared = i;
		final->items[shared].nshared++;
	}
	for (size_t i = 1; i < final->n; i++)
		if (final->items[i].nshared == 0)
			final->items[i].nshared = final->items[i - 1].nshared;
	return 0;
}

/* --- Text without names -------------------------------------------------- */

/* A position among the bytes of text that belong to no function. */
struct gaps {
	const struct final *final;
	size_t is, item;
	uint64_t at; /* offset in the section */
	const uint8_t *bytes;
	uint64_t size;
};

/*
 * Moves to the next gap. Returns false behind the last one. Items are sorted by
 * address.
 */
static bool next_gap(struct gaps *g)
{
	const struct image *img = &g->final->img;

	for (; g->is < img->nsections; g->is++, g->at = 0) {
		const struct image_section *is = &img->sections[g->is];
		uint64_t start = g->at, end = is->code.size;

		if (!is->is_text)
			continue;
		while (start < is->code.size) {
			const struct named *item = &g->final->items[g->item];
			uint64_t offset;

			if (g->item == g->final->n ||
			    item->addr >= is->code.addr + is->code.size)
				break;
			offset = item->addr > is->code.addr
					 ? item->addr - is->code.addr
					 : 0;
			if (offset > start) {
				end = offset;
				break;
			}
			g->item++;
			if (item->addr >= is->code.addr &&
			    offset + item->size > start)
				start = offset + item->size;
		}
		if (start >= is->code.size)
			continue;
		g->bytes = is->code.bytes + start;
		g->size = end - start;
		g->at = end;
		return true;
	}
	return false;
}

/*
 * Overlays share addresses, so symbols do not say which overlay they are in.
 * Each counts as text without names, in the order of the file.
 */
static bool compare_overlays(struct symbol_comparer *r)
{
	const struct image *imgs[2] = { &r->finals[0].img, &r->finals[1].img };
	bool is_same = imgs[0]->noverlays == imgs[1]->noverlays;

	for (int i = 0; i < 2; i++)
		for (size_t k = 0; k < imgs[i]->noverlays; k++)
			r->c->nameless[i] +=
				imgs[i]->sections[imgs[i]->nsections + k]
					.code.size;
	for (size_t k = 0; is_same && k < imgs[0]->noverlays; k++) {
		const struct code *x =
			&imgs[0]->sections[imgs[0]->nsections + k].code;
		const struct code *y =
			&imgs[1]->sections[imgs[1]->nsections + k].code;

		is_same = x->addr == y->addr && x->size == y->size &&
			  memcmp(x->bytes, y->bytes, x->size) == 0;
	}
	return is_same;
}

static void compare_nameless(struct symbol_comparer *r)
{
	struct comparison *c = r->c;
	struct gaps gaps[2] = { { .final = &r->finals[0] },
				{ .final = &r->finals[1] } };

	c->is_nameless_same = compare_overlays(r);
	for (;;) {
		uint64_t n;

		for (int i = 0; i < 2; i++)
			if (gaps[i].size == 0 && next_gap(&gaps[i]))
				c->nameless[i] += gaps[i].size;
		n = gaps[0].size < gaps[1].size ? gaps[0].size : gaps[1].size;
		if (n == 0 && gaps[0].size + gaps[1].size == 0)
			return;
		/* One has more than the other. */
		c->is_nameless_same &=
			n > 0 && memcmp(gaps[0].bytes, gaps[1].bytes, n) == 0;
		for (int i = 0; i < 2; i++) {
			uint64_t gone = n > 0 ? n : gaps[i].size;

			gaps[i].bytes += gone;
			gaps[i].size -= gone;
		}
	}
}

/* --- Pairs ---------------------------------------------------------------- */

static enum compare_bytes bytes_of(const struct symbol_comparer *r,
				   const struct named *x, const struct named *y)
{
	const uint8_t *a = image_bytes(&r->finals[0].img, x->addr, x->size);
	const uint8_t *b = image_bytes(&r->finals[1].img, y->addr, y->size);

	if (a == NULL || b == NULL)
		return COMPARE_UNKNOWN;
	return x->size == y->size && memcmp(a, b, x->size) == 0 ? COMPARE_SAME
								: COMPARE_OTHER;
}

/* X and Y, one of which may be NULL. */
static void add(struct symbol_comparer *r, struct named *x, struct named *y,
		bool is_alike)
{
	struct comparison *c = r->c;
	struct named *sides[2] = { x, y };
	struct compare_function *f = &c->functions[c->nfunctions++];
	size_t most = 0;

	*f = (struct compare_function){
		.name = (x != NULL ? x : y)->name,
		.section = NO_SECTION,
		.bytes = x != NULL && y != NULL ? bytes_of(r, x, y)
						: COMPARE_NOTHING,
		.is_alike = is_alike,
	};
	for (int i = 0; i < 2; i++)
		if (sides[i] != NULL)
			most = most == 0 || sides[i]->nshared < most
				       ? sides[i]->nshared
				       : most;
	for (int i = 0; i < 2; i++) {
		if (sides[i] == NULL)
			continue;
		sides[i]->is_paired = true;
		f->sides[i] = (struct compare_side){
			.is_there = true,
			.is_folded = x != NULL && y != NULL &&
				     sides[i]->nshared > most,
			.addr = sides[i]->addr,
			.size = sides[i]->size,
		};
	}
}

/*
 * Calls PAIR for each group that COMPARE finds equal, with the first function
 * and the number of functions in each final.
 */
static void each_group(struct symbol_comparer *r,
		       int (*compare)(const void *a, const void *b),
		       void (*pair)(struct symbol_comparer *r, size_t i,
				    size_t ni, size_t k, size_t nk))
{
	const struct final *x = &r->finals[0], *y = &r->finals[1];
	size_t i = 0, k = 0;

	while (i < x->n || k < y->n) {
		int order = i == x->n	? 1
			    : k == y->n ? -1
					: compare(&x->items[i], &y->items[k]);
		size_t ni = 0, nk = 0;

		while (order <= 0 && i + ni < x->n &&
		       compare(&x->items[i], &x->items[i + ni]) == 0)
			ni++;
		while (order >= 0 && k + nk < y->n &&
		       compare(&y->items[k], &y->items[k + nk]) == 0)
			nk++;
		pair(r, i, ni, k, nk);
		i += ni;
		k += nk;
	}
}

/*
 * Pairs functions of one name and file in order, if both finals have equally
 * many.
 */
static void pair_files(struct symbol_comparer *r, size_t i, size_t ni, size_t k,
		       size_t nk)
{
	size_t n = ni < nk ? ni : nk;

	for (size_t m = 0; m < n; m++)
		add(r, &r->finals[0].items[i + m], &r->finals[1].items[k + m],
		    ni > 1 || nk > 1);
}

static int compare_only_names(const void *a, const void *b)
{
	return strcmp(((const struct named *)a)->name,
		      ((const struct named *)b)->name);
}

/*
 * Of the functions without a pair, pairs two of one name, if each is the only
 * one.
 */
static void pair_names(struct symbol_comparer *r, size_t i, size_t ni, size_t k,
		       size_t nk)
{
	struct named *lists[2] = { &r->finals[0].items[i],
				   &r->finals[1].items[k] };
	size_t counts[2] = { ni, nk }, left[2] = { 0, 0 };
	struct named *last[2] = { NULL, NULL };

	for (int s = 0; s < 2; s++)
		for (size_t m = 0; m < counts[s]; m++)
			if (!lists[s][m].is_paired) {
				last[s] = &lists[s][m];
				left[s]++;
			}
	if (left[0] == 1 && left[1] == 1) {
		add(r, last[0], last[1], ni > 1 || nk > 1);
		return;
	}
	for (size_t m = 0; m < ni; m++)
		if (!lists[0][m].is_paired)
			add(r, &lists[0][m], NULL, false);
	for (size_t m = 0; m < nk; m++)
		if (!lists[1][m].is_paired)
			add(r, NULL, &lists[1][m], false);
}

static int compare_all(struct symbol_comparer *r)
{
	for (int i = 0; i < 2; i++) {
		struct final *final = &r->finals[i];

		if (list_functions(r, final, &r->objs[i]))
			return -1;
		if (final->n == 0)
			return diag_report(
				r->d, SEVERITY_TROUBLE,
				&(struct place){ .file = r->objs[i].path },
				"no-symbols",
				"give the inputs, or the final before strip",
				"has no symbols of functions to compare by");
	}
	compare_nameless(r);
	for (int i = 0; i < 2; i++)
		qsort(r->finals[i].items, r->finals[i].n,
		      sizeof(r->finals[i].items[0]), compare_named);
	r->c->functions = malloc((r->finals[0].n + r->finals[1].n) *
				 sizeof(r->c->functions[0]));
	if (r->c->functions == NULL)
		return diag_nomem(r->d, r->objs[0].path);
	each_group(r, compare_files, pair_files);
	each_group(r, compare_only_names, pair_names);
	return compare_order(r->d, r->objs[0].path, r->c);
}

int compare_symbols(struct diag *d, const struct object *finals,
		    struct comparison *c)
{
	struct symbol_comparer r = { .d = d, .objs = finals, .c = c };
	int ret;

	*c = (struct comparison){ 0 };
	ret = compare_all(&r);
	for (int i = 0; i < 2; i++) {
		image_close(&r.finals[i].img);
		free(r.finals[i].items);
	}
	return ret;
}
