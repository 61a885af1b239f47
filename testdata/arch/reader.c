/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the site table of program.c with the runtime's reader, as it is in a
 * running program, and ends with 0 if that has all 14 sites and finds each by
 * its address. Of an anchored table with -DANCHORED, else of the other one.
 */
#include <sdt_table.h>

#include "machine.h"

enum { NSITES = 14 };

static int check(struct sdt_table *table)
{
#ifdef ANCHORED
	const struct sdt_bounds bounds = SDT_BOUNDS;

	return sdt_table_check_anchored(&bounds, table);
#else
	return sdt_table_check(sdt_table, SDT_TABLE_LIMIT, table);
#endif
}

static int count(const struct sdt_table *table, const char *glob)
{
	struct sdt_match match;
	struct sdt_site site, found;
	int n = 0;

	if (sdt_match_start(&match, table, "kernel", glob) != 0)
		exit_with(3);
	while (sdt_match_next(&match, &site)) {
		if (!sdt_table_find(table, site.addr, &found) ||
		    found.idx != site.idx || found.symbol != site.symbol)
			exit_with(4);
		n++;
	}
	return n;
}

void __attribute__((used)) start_in_c(void)
{
	struct sdt_table table;

	if (check(&table) != 0)
		exit_with(2);
	if (count(&table, "t:kernel::") != NSITES ||
	    count(&table, "t:::six") != 1 || count(&table, "t:::seven") != 0)
		exit_with(5);
	exit_with(0);
}

#ifndef START_IN_ASSEMBLY
void _start(void) { start_in_c(); }
#endif
