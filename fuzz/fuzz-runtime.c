/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The readers of the table in the running program. The bytes are an offsets
 * table, or an anchored one behind a word on where its parts are.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "sdt_table.h"

static volatile size_t nread;

static void read_sites(const struct sdt_table *table)
{
	struct sdt_site site, found;
	char name[64];

	for (sdt_u32 i = 0; i < table->nsites && i < 1000; i++) {
		sdt_table_get_site(table, i, &site);
		if (site.prefix > strlen(site.symbol))
			abort();
		nread += strlen(site.function);
		nread += sdt_site_name(&site, "kernel", name, sizeof(name));
		/* Sections may overlap: then another site can be there. */
		if (!sdt_table_find(table, site.addr, &found) ||
		    found.addr != site.addr)
			abort();
	}
}

static void match_sites(const struct sdt_table *table, const char *pattern)
{
	struct sdt_match match;
	struct sdt_site site;

	if (sdt_match_start(&match, table, "kernel", pattern))
		return;
	for (int n = 0; n < 1000 && sdt_match_next(&match, &site); n++)
		nread += site.addr;
}

static void read_table(const struct sdt_table *table)
{
	read_sites(table);
	match_sites(table, "");
	match_sites(table, "u*p:k?rnel:*:*re*ve");
	match_sites(table, "sdt:::*-*");
}

/* Where the parts of an anchored table are, in the bytes behind this. */
struct parts {
	char magic[4];
	uint32_t sites, sites_end, probes, probes_end;
};

static void read_anchored(uint8_t *bytes, size_t size,
			  const struct parts *parts)
{
	struct sdt_bounds bounds = { bytes + parts->sites,
				     bytes + parts->sites_end,
				     bytes + parts->probes,
				     bytes + parts->probes_end };
	struct sdt_table table;

	if (parts->sites > size || parts->sites_end > size ||
	    parts->probes > size || parts->probes_end > size ||
	    /* A linker lays out no two sections at one place. */
	    (parts->sites < parts->probes_end &&
	     parts->probes < parts->sites_end) ||
	    sdt_table_check_anchored(&bounds, &table) != SDT_TABLE_OK)
		return;
	read_table(&table);
	if (sdt_table_sort(&table) != 0)
		return;
	/* Still a table, and of the same number of sites. */
	if (sdt_table_check_anchored(&bounds, &table) != SDT_TABLE_OK ||
	    !table.is_sorted)
		abort();
	read_table(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct sdt_table table;
	struct parts parts = { "", 0, 0, 0, 0 };
	void *copy;

	if (size > sizeof(parts))
		memcpy(&parts, bytes, sizeof(parts));
	if (memcmp(parts.magic, "ANCH", 4) == 0) {
		copy = fuzz_copy(bytes + sizeof(parts), size - sizeof(parts));
		read_anchored(copy, size - sizeof(parts), &parts);
	} else {
		copy = fuzz_copy(bytes, size);
		if (sdt_table_check(copy, size, &table) == SDT_TABLE_OK)
			read_table(&table);
	}
	free(copy);
	return 0;
}
