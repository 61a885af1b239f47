/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paths of source files. */
#include <config.h>

#include "source.h"

#ifdef HAVE_ELFUTILS_LIBDWFL_H

#include <string.h>

#include "debug.h"

static const char *skip_dots(const char *path)
{
	while (path[0] == '.' &&
	       (path[1] == '/' || (path[1] == '.' && path[2] == '/')))
		path += path[1] == '/' ? 2 : 3;
	return path;
}

/* The part before the last one of PATH, which begins at END. */
static const char *part_before(const char *path, const char *end)
{
	const char *start = end - 1;

	while (start > path && start[-1] != '/')
		start--;
	return start;
}

/* Is A the end of B, in whole parts? They may contain "./". */
static bool is_end(const char *a, const char *b)
{
	const char *p = a + strlen(a), *q = b + strlen(b);

	while (p > a && q > b) {
		const char *pa = part_before(a, p), *qb = part_before(b, q);
		size_t n = p - pa, m = q - qb;

		if (n == 1 && *pa == '.') {
			p = pa > a ? pa - 1 : a;
			continue;
		}
		if (m == 1 && *qb == '.') {
			q = qb > b ? qb - 1 : b;
			continue;
		}
		if (n != m || memcmp(pa, qb, n) != 0)
			return false;
		p = pa > a ? pa - 1 : a;
		q = qb > b ? qb - 1 : b;
	}
	return p == a;
}

/*
 * __FILE__ is the name that the compiler was given. In line tables, a directory
 * comes before it.
 */
bool source_is_file(const char *file, const char *path)
{
	return is_end(skip_dots(file), path) || is_end(skip_dots(path), file);
}

#endif
