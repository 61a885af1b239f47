/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "stripped.h"
#include "table.h"

/* What is lent, as it grows. */
struct lender {
	struct diag *d;
	const struct object *obj;
	struct stripped *lent;
	size_t nsymbols;
	size_t strings_size;
};

/* The section that ADDR is in, or 0. */
static uint32_t section_at(const struct object *obj, uint64_t addr)
{
	for (size_t i = 1; i < obj->nsections; i++) {
		const struct section *sec = &obj->sections[i];

		if (section_is_alloc(sec) && !(sec->flags & SHF_TLS) &&
		    addr - sec->addr < sec->size)
			return i;
	}
	return 0;
}

/* Its name has two parts. */
static void put_symbol(struct lender *l, const char *prefix, const char *name,
		       uint64_t value, unsigned info)
{
	size_t i = l->nsymbols++;
	char *string = l->lent->strings + l->strings_size;

	if (l->obj->is_64)
		((Elf64_Sym *)l->lent->lent.symbols)[i] =
			(Elf64_Sym){ .st_name = l->strings_size,
				     .st_info = info,
				     .st_value = value };
	else
		((Elf32_Sym *)l->lent->lent.symbols)[i] =
			(Elf32_Sym){ .st_name = l->strings_size,
				     .st_info = info,
				     .st_value = value };
	lend_set_section(l->obj, &l->lent->lent, i, section_at(l->obj, value));
	l->strings_size += stpcpy(stpcpy(string, prefix), name) + 1 - string;
}

/* The symbols of .dynsym, if OBJ has any, come first. */
static int open_lender(struct lender *l, size_t nsymbols, size_t strings_size)
{
	const struct object *obj = l->obj;
	size_t each = obj->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	struct stripped *lent = l->lent;

	if (lend_alloc(l->d, obj, obj->nsymbols + nsymbols, &lent->lent))
		return -1;
	lent->strings = malloc(obj->strings_size + strings_size + 1);
	if (lent->strings == NULL)
		return diag_nomem(l->d, obj->path);
	lent->strings[0] = '\0';
	l->nsymbols = l->strings_size = 1;
	if (obj->nsymbols == 0)
		return 0;
	memcpy(lent->lent.symbols, obj->symbols, obj->nsymbols * each);
	memcpy(lent->strings, obj->strings, obj->strings_size);
	for (size_t i = 0; obj->xindex != NULL && i < obj->nsymbols; i++)
		lent->lent.xindex[i] = obj->xindex[i];
	l->nsymbols = obj->nsymbols;
	l->strings_size = obj->strings_size;
	return 0;
}

/* --- What the table says -------------------------------------------------- */

static int compare_stubs(const void *a, const void *b)
{
	const struct table_probe *x = a, *y = b;
	int order = strcmp(x->symbol, y->symbol);

	return order != 0 ? order : (x->stub > y->stub) - (x->stub < y->stub);
}

/* Lists each stub of an entry once. A probe can have two. */
static size_t list_stubs(const struct table *table, struct table_probe *stubs)
{
	size_t n = 0;

	for (size_t i = 0; i < table->nentries; i++)
		if (table->entries[i].stub != 0)
			stubs[n++] = (struct table_probe){
				.symbol = table->entries[i].probe,
				.stub = table->entries[i].stub,
			};
	for (size_t i = 0; table->probes != NULL && i < table->nprobes; i++)
		if (table->probes[i].stub != 0)
			stubs[n++] = table->probes[i];
	return sort_unique(stubs, n, sizeof(stubs[0]), compare_stubs);
}

/* Readers find the table by these. */
static void put_table(struct lender *l, const struct options *options,
		      const struct table *table)
{
	const unsigned info = ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE);

	if (table->form == TABLE_OFFSETS) {
		put_symbol(l, "", options->table_name, table->addr, info);
		return;
	}
	put_symbol(l, "__start_", options->sites_name, table->addr, info);
	put_symbol(l, "__stop_", options->sites_name, table->addr + table->size,
		   info);
}

/* The stubs of --inject are local after the link. */
static int put_all(struct lender *l, const struct options *options,
		   const struct table *table)
{
	struct table_probe *stubs =
		calloc(table->nentries + table->nprobes + 1, sizeof(stubs[0]));
	size_t size = strlen(options->table_name) + 2 * sizeof("__start_") +
		      2 * strlen(options->sites_name);
	size_t n;
	int ret;

	if (stubs == NULL)
		return diag_nomem(l->d, l->obj->path);
	n = list_stubs(table, stubs);
	for (size_t i = 0; i < n; i++)
		size += strlen(stubs[i].symbol) + 1;
	ret = open_lender(l, n + 2, size);
	if (ret == 0) {
		put_table(l, options, table);
		for (size_t i = 0; i < n; i++)
			put_symbol(l, "", stubs[i].symbol, stubs[i].stub,
				   ELF64_ST_INFO(STB_LOCAL, STT_FUNC));
	}
	free(stubs);
	return ret;
}

/* TABLE gets the only table that was found. */
static int read_found(struct diag *d, const struct image *img,
		      const struct found_table *found, struct table *table)
{
	table_free(table);
	return found->form == TABLE_OFFSETS
		       ? table_read_offsets(d, img, found->addr, table)
		       : table_read_entries(d, img, found->addr, found->nsites,
					    table);
}

/*
 * Reads the table of IMG. Sets *FOUND to false if there is none, or more than
 * one.
 */
static int read_table(struct lender *l, const struct image *img,
		      const struct options *options, struct table *table,
		      bool *found)
{
	struct found_tables tables = { 0 };
	bool is_right;
	int ret = -1;

	if (table_read(l->d, img, options, table, found) == 0 &&
	    table_search(l->d, img, table, &tables) == 0) {
		is_right = !*found && tables.n == 1 &&
			   (options->table == TABLE_AUTO ||
			    options->table == tables.items[0].form);
		ret = is_right ? read_found(l->d, img, &tables.items[0], table)
			       : 0;
		*found = is_right || (*found && tables.n == 0);
		l->lent->has_no_bounds = is_right &&
					 table->form == TABLE_ANCHORED;
	}
	free(tables.items);
	return ret;
}

static int lend(struct lender *l, struct object *obj,
		const struct options *options, const struct table *table)
{
	if (put_all(l, options, table))
		return -1;
	return lend_symbols(l->d, obj, &l->lent->lent, l->nsymbols,
			    l->lent->strings, l->strings_size);
}

int stripped_lend(struct diag *d, struct object *obj,
		  const struct options *options, struct stripped *lent,
		  bool *found)
{
	struct lender l = { .d = d, .obj = obj, .lent = lent };
	struct table table = { 0 };
	struct image img = { 0 };
	int ret = -1;

	*lent = (struct stripped){ 0 };
	*found = false;
	if (options->table == TABLE_LINKER_SET)
		return 0;
	if (image_open(d, obj, &img) == 0 &&
	    read_table(&l, &img, options, &table, found) == 0) {
		*found = *found && table.nentries > 0;
		ret = *found ? lend(&l, obj, options, &table) : 0;
	}
	table_free(&table);
	image_close(&img);
	return ret;
}

void stripped_free(struct stripped *lent)
{
	lend_free(&lent->lent);
	free(lent->strings);
	*lent = (struct stripped){ 0 };
}
