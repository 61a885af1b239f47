/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sorts items that are spread about evenly along a line, as symbols are in
 * text. It divides the line into as many stretches as there are items. Nearly
 * all get one or two items, so the time is that of looking at each.
 */
#ifndef SDTLINK_SORT_H
#define SDTLINK_SORT_H

#include <stddef.h>
#include <stdint.h>

/* The same as qsort_r, which C libraries declare in three ways, or lack. */
void sort_with(void *items, size_t n, size_t size,
	       int (*compare)(const void *a, const void *b, void *ctx),
	       void *ctx);

/*
 * Sorts the N items of SIZE bytes by COMPARE, as sort_with does. PLACE is an
 * item's place on the line. It must not be less than that of an item that
 * COMPARE puts before it.
 */
void sort_along(void *items, size_t n, size_t size,
		uint64_t (*place)(const void *item, void *ctx),
		int (*compare)(const void *a, const void *b, void *ctx),
		void *ctx);

/* Sorts as qsort does, and keeps one of equal items. Returns how many. */
size_t sort_unique(void *items, size_t n, size_t size,
		   int (*compare)(const void *a, const void *b));

/* The order of two pairs of numbers, A with A2 and B with B2. */
static inline int sort_pairs(uint64_t a, uint64_t a2, uint64_t b, uint64_t b2)
{
	return a != b ? (a < b ? -1 : 1) : (a2 > b2) - (a2 < b2);
}

/* Of two uint64_t, or of what begins with one, for qsort and bsearch. */
int sort_compare_numbers(const void *a, const void *b);

#endif
