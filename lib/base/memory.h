/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Malloc and its relatives, which also remember that an allocation failed. A
 * helper may take "no memory" for "none". Then the command does not print a
 * result that lacks something, or says no without a reason.
 *
 * config.h includes this at its end, so the library and the command call no
 * other malloc. For other libraries, memory_note reports a failure.
 */
#ifndef SDTLINK_MEMORY_H
#define SDTLINK_MEMORY_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *memory_malloc(size_t size);
void *memory_calloc(size_t n, size_t size);
void *memory_realloc(void *p, size_t size);
char *memory_strdup(const char *string);
char *memory_strndup(const char *string, size_t n);

/*
 * Calloc for memory all of which will be used. Where it is large, the kernel
 * provides it in one call, instead of one page for each first access: half the
 * time.
 */
void *memory_calloc_whole(size_t n, size_t size);

/* Reports a failure of a library. ERROR is the errno that it left, or 0. */
void memory_note(int error);

/* Has any of these failed? */
bool memory_has_failed(void);

#define malloc memory_malloc
#define calloc memory_calloc
#define realloc memory_realloc
#undef strdup
#define strdup memory_strdup
#undef strndup
#define strndup memory_strndup

#endif
