/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names of functions that --function-names puts beside an anchored table.
 */
#include "sdt_table.h"

static sdt_uptr self_relative(const sdt_s32 *word)
{
	return (sdt_uptr)word + (sdt_uptr)(sdt_sptr)*word;
}

/* The name must begin and end among the descriptors. */
static int is_name(const struct sdt_bounds *bounds, sdt_uptr name)
{
	sdt_uptr end = (sdt_uptr)bounds->probes_end;

	if (name < (sdt_uptr)bounds->probes)
		return 0;
	while (name < end && *(const char *)name != '\0')
		name++;
	return name < end;
}

enum sdt_table_error sdt_names_check(const struct sdt_table_name *start,
				     const struct sdt_table_name *end,
				     const struct sdt_bounds *bounds,
				     struct sdt_names *names)
{
	sdt_uptr last = 0;

	names->first = names->end = 0;
	names->is_sorted = 1;
	if ((sdt_uptr)start % sizeof(sdt_u32) != 0)
		return SDT_TABLE_UNALIGNED;
	if ((sdt_uptr)end < (sdt_uptr)start ||
	    ((sdt_uptr)end - (sdt_uptr)start) % sizeof(*start) != 0)
		return SDT_TABLE_BAD_SIZE;
	for (const struct sdt_table_name *name = start; name != end; name++) {
		sdt_uptr site = self_relative(&name->site);

		if (!is_name(bounds, self_relative(&name->name)))
			return SDT_TABLE_BAD_FUNCTION;
		names->is_sorted &= site >= last;
		last = site;
	}
	names->first = start;
	names->end = end;
	return SDT_TABLE_OK;
}

/* The first of the N from FIRST on whose site is at or behind ADDR. */
static const struct sdt_table_name *
find_sorted(const struct sdt_table_name *first, sdt_uptr n, sdt_uptr addr)
{
	while (n > 0) {
		sdt_uptr half = n / 2;

		if (self_relative(&first[half].site) < addr) {
			first += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return first;
}

const char *sdt_names_find(void *names, sdt_uptr addr)
{
	const struct sdt_names *all = names;
	const struct sdt_table_name *name = all->first;
	sdt_uptr n = ((sdt_uptr)all->end - (sdt_uptr)name) / sizeof(*name);

	if (all->is_sorted)
		name = find_sorted(name, n, addr);
	while (!all->is_sorted && name != all->end &&
	       self_relative(&name->site) != addr)
		name++;
	if (name == all->end || self_relative(&name->site) != addr)
		return 0;
	addr = self_relative(&name->name);
	return (const char *)addr;
}
