/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the names of functions beside an anchored table (--inject
 * --function-names) if neither symbols nor sections show them. They are records
 * of eight bytes. Each points to a site of the table and to a name.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/table-format.h"
#include "base/search.h"
#include "table.h"

#define RECORD_SIZE 8

struct search {
	const struct image *img;
	const struct found_tables *found;
	struct table_entry **sites; /* by address; owned */
	size_t n;
};

static int compare_sites(const void *a, const void *b)
{
	const struct table_entry *x = *(struct table_entry *const *)a;
	const struct table_entry *y = *(struct table_entry *const *)b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* The number of sites below ADDR. */
static size_t count_below(const struct search *s, uint64_t addr)
{
	size_t i;

	LOWER_BOUND(i, s->n, s->sites[i]->addr < addr);
	return i;
}

/* Entries lead to sites, too. */
static bool is_in_table(const struct search *s, uint64_t addr)
{
	for (size_t i = 0; i < s->found->n; i++)
		if (addr - s->found->items[i].addr <
		    RECORD_SIZE * s->found->items[i].nsites)
			return true;
	return false;
}

/*
 * The name to which the record at OFFSET of IS points, and its site; or NULL.
 */
static const char *read_record(const struct search *s,
			       const struct image_section *is, uint64_t offset,
			       size_t *site)
{
	uint64_t addr = image_relative(s->img, is, offset);
	const struct image_section *at;
	const char *name;
	uint64_t left;

	if (addr < s->sites[0]->addr || addr > s->sites[s->n - 1]->addr)
		return NULL;
	*site = count_below(s, addr);
	if (s->sites[*site]->addr != addr ||
	    is_in_table(s, is->code.addr + offset))
		return NULL;
	addr = image_relative(s->img, is, offset + 4);
	at = image_find(s->img, addr, 1);
	if (at == NULL)
		return NULL;
	name = (const char *)at->code.bytes + (addr - at->code.addr);
	left = at->code.size - (addr - at->code.addr);
	if (left >= 4 &&
	    object_word(s->img->obj, (const uint8_t *)name) == SDT_PROBE_MAGIC)
		return NULL;
	return memchr(name, 0, left) != NULL && table_is_name(name) ? name
								    : NULL;
}

/* Takes the N records from OFFSET on. */
static void take(const struct search *s, const struct image_section *is,
		 uint64_t offset, size_t n)
{
	for (size_t k = 0; k < n; k++, offset += RECORD_SIZE) {
		size_t i;
		const char *name = read_record(s, is, offset, &i);
		uint64_t addr = s->sites[i]->addr;

		for (; i < s->n && s->sites[i]->addr == addr; i++)
			s->sites[i]->function = name;
	}
}

/* Most sites must have one. Chance finds of records cover only a few sites. */
static bool search_section(const struct search *s,
			   const struct image_section *is)
{
	for (uint64_t i = image_first_word(is);
	     i + RECORD_SIZE <= is->code.size; i += 4) {
		uint64_t end = i;
		size_t n = 0, site;

		for (; end + RECORD_SIZE <= is->code.size &&
		       read_record(s, is, end, &site) != NULL;
		     end += RECORD_SIZE)
			n++;
		if (n > s->n / 2) {
			take(s, is, i, n);
			return true;
		}
		if (n > 0)
			i = end - 4;
	}
	return false;
}

int table_search_names(struct diag *d, const struct image *img,
		       struct table *table, const struct found_tables *found)
{
	struct search s = { .img = img, .found = found };

	s.sites = malloc((table->nentries + 1) * sizeof(s.sites[0]));
	if (s.sites == NULL)
		return diag_nomem(d, img->obj->path);
	for (size_t i = 0; i < table->nentries; i++)
		if (table->entries[i].descriptor != 0)
			s.sites[s.n++] = &table->entries[i];
	if (s.n > 0)
		qsort(s.sites, s.n, sizeof(s.sites[0]), compare_sites);
	for (size_t i = 0; s.n > 0 && i < img->nsections; i++)
		if (search_section(&s, &img->sections[i]))
			break;
	free(s.sites);
	return 0;
}
