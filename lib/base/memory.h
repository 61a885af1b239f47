/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory, as the C library gives it; but an allocation that fails is
 * remembered, whatever becomes of it. So nobody gives out a result that has
 * less, or says no, since some helper on the way took "no memory" for "none".
 *
 * config.h includes this at its end: the library and the command have no
 * other malloc. Libraries that they call have, and what those return is looked
 * at.
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
 * The same for a library, which has no words for it: ERROR is what it left in
 * errno, and 0 if it did not fail.
 */
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
