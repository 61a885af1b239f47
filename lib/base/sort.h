/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A sort for what lies about evenly along some line, as symbols in text: first
 * into as many stretches of the line as there are items, nearly all of which
 * get one or two, so that the time is that of looking at each item.
 */
#ifndef SDTLINK_SORT_H
#define SDTLINK_SORT_H

#include <stddef.h>
#include <stdint.h>

/* As qsort_r, which C libraries spell in three ways, or have not. */
void sort_with(void *items, size_t n, size_t size,
	       int (*compare)(const void *a, const void *b, void *ctx),
	       void *ctx);

/*
 * Sorts the N items of SIZE bytes by COMPARE, as sort_with does. PLACE is where
 * an item is on the line: less for none that COMPARE puts behind another.
 */
void sort_along(void *items, size_t n, size_t size,
		uint64_t (*place)(const void *item, void *ctx),
		int (*compare)(const void *a, const void *b, void *ctx),
		void *ctx);

/* Of two uint64_t, for qsort and bsearch. */
int sort_compare_numbers(const void *a, const void *b);

#endif
