/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sort.h"

static void swap(char *a, char *b, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		char c = a[i];

		a[i] = b[i];
		b[i] = c;
	}
}

/* Heap sort: it needs no memory, and no input makes it slow. */
void sort_with(void *items, size_t n, size_t size,
	       int (*compare)(const void *a, const void *b, void *ctx),
	       void *ctx)
{
	char *base = items;

	/*
	 * First each item from the middle down sinks into the heap. Then the
	 * last item takes the place of the first, which goes to the end.
	 */
	for (size_t left = n / 2, end = n; end > 1;) {
		size_t root = 0, child;

		if (left > 0)
			root = --left;
		else if (--end > 0)
			swap(base, base + end * size, size);
		while ((child = 2 * root + 1) < end) {
			if (child + 1 < end &&
			    compare(base + child * size,
				    base + (child + 1) * size, ctx) < 0)
				child++;
			if (compare(base + root * size, base + child * size,
				    ctx) >= 0)
				break;
			swap(base + root * size, base + child * size, size);
			root = child;
		}
	}
}

struct line {
	uint64_t start;
	unsigned shift; /* of the distance from START: the stretch */
};

/* The range of the N items' places, divided into at most N stretches. */
static struct line measure(const char *items, size_t n, size_t size,
			   uint64_t (*place)(const void *item, void *ctx),
			   void *ctx)
{
	struct line line = { UINT64_MAX, 0 };
	uint64_t end = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t at = place(items + i * size, ctx);

		line.start = at < line.start ? at : line.start;
		end = at > end ? at : end;
	}
	while ((end - line.start) >> line.shift >= n)
		line.shift++;
	return line;
}

void sort_along(void *items, size_t n, size_t size,
		uint64_t (*place)(const void *item, void *ctx),
		int (*compare)(const void *a, const void *b, void *ctx),
		void *ctx)
{
	char *sorted = memory_calloc_whole(n, size);
	uint32_t *ends = memory_calloc_whole(n + 1, sizeof(ends[0]));
	struct line line;

	/* Little memory is no reason to fail. */
	if (n < 2 || n > UINT32_MAX || sorted == NULL || ends == NULL) {
		if (n > 1)
			sort_with(items, n, size, compare, ctx);
		goto done;
	}
	line = measure(items, n, size, place, ctx);
	for (size_t i = 0; i < n; i++) {
		const char *item = (char *)items + i * size;

		ends[((place(item, ctx) - line.start) >> line.shift) + 1]++;
	}
	for (size_t i = 1; i <= n; i++)
		ends[i] += ends[i - 1];
	/* ENDS has the start of each stretch, and moves it to the end. */
	for (size_t i = 0; i < n; i++) {
		const char *item = (char *)items + i * size;
		uint64_t at = (place(item, ctx) - line.start) >> line.shift;

		memcpy(sorted + ends[at]++ * size, item, size);
	}
	for (size_t i = 0, first = 0; i < n; first = ends[i++])
		if (ends[i] - first > 1)
			sort_with(sorted + first * size, ends[i] - first, size,
				  compare, ctx);
	memcpy(items, sorted, n * size);
done:
	free(sorted);
	free(ends);
}

int sort_compare_numbers(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

size_t sort_unique(void *items, size_t n, size_t size,
		   int (*compare)(const void *a, const void *b))
{
	char *all = items;
	size_t kept = 0;

	if (n > 1)
		qsort(items, n, size, compare);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 ||
		    compare(all + (kept - 1) * size, all + i * size) != 0)
			memmove(all + kept++ * size, all + i * size, size);
	return kept;
}
