/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SDTLINK_SEARCH_H
#define SDTLINK_SEARCH_H

#include <stddef.h>

/*
 * Binary search. Sets I, a size_t, to the number of those of N sorted items for
 * which IS_BELOW, an expression in I, is true. That is the index of the first
 * item for which it is false.
 */
#define LOWER_BOUND(i, n, is_below) \
	do { \
		size_t bound_low = 0, bound_high = (n); \
\
		while (bound_low < bound_high) { \
			(i) = bound_low + (bound_high - bound_low) / 2; \
			if (is_below) \
				bound_low = (i) + 1; \
			else \
				bound_high = (i); \
		} \
		(i) = bound_low; \
	} while (0)

#endif
