/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <errno.h>

#include "base/memory.h"

#undef malloc
#undef calloc
#undef realloc
#undef strdup
#undef strndup

/* Of the process, as memory is. */
static bool has_failed;

static void *look_at(void *p)
{
	has_failed |= p == NULL;
	return p;
}

/* Some C libraries give NULL for nothing. */
void *memory_malloc(size_t size)
{
	return look_at(malloc(size > 0 ? size : 1));
}

void *memory_calloc(size_t n, size_t size)
{
	return look_at(calloc(n > 0 ? n : 1, size > 0 ? size : 1));
}

void *memory_realloc(void *p, size_t size)
{
	return look_at(realloc(p, size > 0 ? size : 1));
}

char *memory_strdup(const char *string)
{
	return look_at(strdup(string));
}

char *memory_strndup(const char *string, size_t n)
{
	return look_at(strndup(string, n));
}

void memory_note(int error)
{
	has_failed |= error == ENOMEM;
}

bool memory_has_failed(void)
{
	return has_failed;
}
