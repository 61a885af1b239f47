/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists that grow by one item, without a record of how much is allocated. */
#ifndef SDTLINK_GROW_H
#define SDTLINK_GROW_H

#include <stdlib.h>

/*
 * Makes room for one more item of SIZE bytes behind the first N. It doubles the
 * memory whenever N + 1 is a power of two, so it must be called for each item.
 * Returns NULL if memory ran out; then ITEMS is unchanged.
 */
static inline void *grow_list(void *items, size_t n, size_t size)
{
	return (n & (n + 1)) == 0 ? realloc(items, (n + 1) * 2 * size) : items;
}

#endif
