/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists that grow one by one, without a count of what is allocated. */
#ifndef SDTLINK_GROW_H
#define SDTLINK_GROW_H

#include <stdlib.h>

/*
 * ITEMS, of SIZE bytes each, with place for one more behind the first N: twice
 * as much at each N that is one less than a power of two, so that this has to
 * be asked for each. NULL without memory; then ITEMS stand as they are.
 */
static inline void *grow_list(void *items, size_t n, size_t size)
{
	return (n & (n + 1)) == 0 ? realloc(items, (n + 1) * 2 * size) : items;
}

#endif
