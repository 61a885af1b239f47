/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"

#undef malloc
#undef calloc
#undef realloc
#undef strdup
#undef strndup

/* Of the process, as memory is. */
static atomic_bool has_failed;

static void *look_at(void *p)
{
	if (p == NULL)
		has_failed = true;
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

/* Less comes from memory that is in use already. */
#define LARGE ((size_t)256 << 10)

void *memory_calloc_whole(size_t n, size_t size)
{
	void *p = memory_calloc(n, size);
#ifdef MADV_POPULATE_WRITE
	if (p != NULL && n * size >= LARGE) {
		uintptr_t page = sysconf(_SC_PAGESIZE);
		uintptr_t start = ((uintptr_t)p + page - 1) / page * page;
		uintptr_t end = ((uintptr_t)p + n * size) / page * page;

		/* Older kernels refuse. Each access does it, too. */
		(void)madvise((void *)start, end - start, MADV_POPULATE_WRITE);
	}
#endif
	return p;
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
	if (error == ENOMEM)
		has_failed = true;
}

bool memory_has_failed(void)
{
	return has_failed;
}
