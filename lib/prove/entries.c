/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of verify: the entries of the table, by address. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "entries.h"
#include "base/search.h"

const struct proof_site *entries_first_site(const struct proof *p,
					    const struct pending *s)
{
	const struct proof_site *site = &p->list.items[s->first];
	const struct proof_site *end = &p->list.items[s->end - 1];

	while (site < end && (site->is_target || site->is_excluded))
		site++;
	return site;
}

int entries_sort(struct verify_run *run)
{
	const struct table *table = &run->table;
	const struct table_entry **entries;

	if (run->entries_by_addr != NULL)
		return 0;
	entries = malloc((table->nentries + 1) * sizeof(entries[0]));
	run->entries_by_addr = entries;
	if (entries == NULL)
		return diag_nomem(run->d, run->img.obj->path);
	for (size_t i = 0; i < table->nentries; i++)
		entries[i] = &table->entries[i];
	if (table->nentries > 0)
		qsort(entries, table->nentries, sizeof(entries[0]),
		      table_compare_entries);
	return 0;
}

size_t entries_below(const struct proof *p, uint64_t addr)
{
	size_t i;

	LOWER_BOUND(i, p->run->table.nentries,
		    p->run->entries_by_addr[i]->addr < addr);
	return i;
}

bool entries_is_at(const struct proof *p, size_t i, uint64_t addr)
{
	return i < p->run->table.nentries &&
	       p->run->entries_by_addr[i]->addr == addr;
}

size_t entries_count_at(const struct proof *p, uint64_t addr, const char *probe)
{
	size_t n = 0;

	for (size_t i = entries_below(p, addr); entries_is_at(p, i, addr); i++)
		n += strcmp(p->run->entries_by_addr[i]->probe, probe) == 0;
	return n;
}
