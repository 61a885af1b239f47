/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A library to preload: allocation number $FAIL_MALLOC fails, or with
 * $FAIL_MALLOC_ON all from there on. Without, the number of all is written to
 * the file $COUNT_MALLOC. All that in the program $FAIL_MALLOC_IN, and not in
 * those that it runs.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned long nallocs, fail_at;
static int fail_on, is_ready, is_elsewhere;

/* getenv allocates nothing; dlsym may, hence the library's own names. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);

static void begin(void)
{
	const char *at = getenv("FAIL_MALLOC"), *in = getenv("FAIL_MALLOC_IN");
	char self[4096] = "";

	is_ready = 1;
	if (in != NULL && (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0 ||
			   strcmp(self, in) != 0)) {
		is_elsewhere = 1;
		return;
	}
	fail_at = at != NULL ? strtoul(at, NULL, 10) : 0;
	fail_on = getenv("FAIL_MALLOC_ON") != NULL;
}

static int fails(void)
{
	if (!is_ready)
		begin();
	nallocs++;
	if (fail_at == 0 || nallocs < fail_at ||
	    (nallocs > fail_at && !fail_on))
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	return fails() ? NULL : __libc_realloc(p, size);
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("COUNT_MALLOC");
	unsigned long n = nallocs;
	FILE *f;

	if (path == NULL || fail_at != 0 || is_elsewhere)
		return;
	f = fopen(path, "w");
	if (f != NULL) {
		fprintf(f, "%lu\n", n);
		fclose(f);
	}
}
