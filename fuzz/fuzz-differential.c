/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --inject and --verify against what a small linker knows: it puts functions
 * into place, folds, drops, strips and damages. A table that is not exactly the
 * sites that it placed is never proved; one that is, where nothing is missing,
 * always is. With $FUZZ_KEEP, the files of one that is not go there.
 */
#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "make/inject.h"
#include "prove/verify.h"
#include "small-program.h"

/* --- Injecting ------------------------------------------------------------ */

static FILE *open_output(void)
{
	static FILE *stream;

	if (stream == NULL) {
		int fd = memfd_create("injected", MFD_CLOEXEC);

		stream = fd < 0 ? NULL : fdopen(fd, "w+");
	}
	if (stream == NULL || ftruncate(fileno(stream), 0) != 0)
		abort();
	rewind(stream);
	return stream;
}

static void read_output(FILE *stream, struct blob *blob)
{
	uint8_t *bytes;
	struct stat st;

	if (fflush(stream) != 0 || fstat(fileno(stream), &st) != 0)
		abort();
	bytes = malloc(st.st_size);
	if (bytes == NULL ||
	    pread(fileno(stream), bytes, st.st_size, 0) != st.st_size)
		abort();
	blob->bytes = bytes;
	blob->size = st.st_size;
}

/* What cannot be, a program of a few calls is not. */
static void inject(struct unit *u, const struct options *given,
		   struct blob *blob)
{
	struct diag d = fuzz_diag();
	struct options options = *given;
	struct object obj = { 0 };
	struct site_set set = { 0 };
	struct output out = { .path = "injected", .stream = open_output() };
	struct edit edit;

	options.nop = u->is_nop;
	edit_init(&edit, &obj);
	if (fuzz_open(&d, u->bytes, u->nbytes, OBJECT_PARTIAL, &obj) ||
	    scan_object(&d, &obj, &options, &set) ||
	    inject_plan(&d, &obj, &options, &set, &edit) ||
	    edit_write(&d, &edit, &out))
		abort();
	read_output(out.stream, blob);
	edit_free(&edit);
	site_set_free(&set);
	object_close(&obj);
}

static void copy(const struct unit *u, struct blob *blob)
{
	blob->bytes = fuzz_copy(u->bytes, u->nbytes);
	blob->size = u->nbytes;
}

/* --- Judging -------------------------------------------------------------- */

static int compare(const void *x, const void *y)
{
	const struct spot *a = x, *b = y;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return a->probe < b->probe ? -1 : a->probe > b->probe;
}

/* Sorted, each once. */
static void settle(struct spots *spots)
{
	size_t n = 0;

	qsort(spots->items, spots->n, sizeof(spots->items[0]), compare);
	for (size_t i = 0; i < spots->n; i++)
		if (n == 0 ||
		    compare(&spots->items[n - 1], &spots->items[i]) != 0)
			spots->items[n++] = spots->items[i];
	spots->n = n;
}

static bool is_right(struct small_link *l)
{
	settle(&l->sites);
	settle(&l->entries);
	if (l->is_damaged || l->sites.n != l->entries.n)
		return false;
	for (size_t i = 0; i < l->sites.n; i++)
		if (compare(&l->sites.items[i], &l->entries.items[i]) != 0)
			return false;
	return true;
}

static void hear(void *ctx, const struct finding *f)
{
	(void)ctx;
	(void)f;
}

static bool is_proved(const struct program *p, const struct small_link *l,
		      const struct options *options)
{
	struct diag d = fuzz_diag();
	struct verification v = { .sink = hear };
	struct object partials[UNITS_MAX] = { 0 }, final = { 0 };
	bool failed = false;
	size_t n = 0;

	for (unsigned i = 0; i < p->nunits; i++)
		if (!p->units[i].is_foreign)
			failed |= fuzz_open(&d, p->units[i].bytes,
					    p->units[i].nbytes, OBJECT_PARTIAL,
					    &partials[n++]) != 0;
	failed = failed ||
		 fuzz_open(&d, l->bytes, l->size, OBJECT_FINAL, &final) ||
		 verify_objects(&d, partials, n, &final, options, &v);
	for (size_t i = 0; i < n; i++)
		object_close(&partials[i]);
	object_close(&final);
	return !failed && v.verdict == VERDICT_PROVED;
}

/* For whoever looks into it: the files, and what is right. */
static void keep_file(const char *folder, const char *name, const void *bytes,
		      size_t size)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "wb");
	if (f == NULL || fwrite(bytes, 1, size, f) != size || fclose(f) != 0)
		perror(path);
}

static void print_spots(const char *what, const struct spots *spots)
{
	for (size_t i = 0; i < spots->n; i++)
		fprintf(stderr, "%s 0x%" PRIx64 " of %s\n", what,
			spots->items[i].addr,
			spots->items[i].probe < NPROBES
				? probe_symbol(spots->items[i].probe)
				: "?");
}

static void keep(const struct program *p, const struct small_link *l)
{
	const char *folder = getenv("FUZZ_KEEP");
	char name[24];

	if (folder == NULL)
		return;
	for (unsigned i = 0; i < p->nunits; i++) {
		snprintf(name, sizeof(name), "%s%u.o",
			 p->units[i].is_foreign ? "foreign" : "partial", i);
		keep_file(folder, name, p->units[i].bytes, p->units[i].nbytes);
	}
	keep_file(folder, "final", l->bytes, l->size);
	print_spots("site", &l->sites);
	print_spots("entry", &l->entries);
	if (l->is_damaged)
		fputs("a site is damaged\n", stderr);
}

static void judge(const struct program *p, struct small_link *l,
		  const struct options *options)
{
	bool right = is_right(l);

	if (is_proved(p, l, options) ? !right : right && l->is_plain) {
		fprintf(stderr, "fuzz-differential: a %s table is %s\n",
			right ? "right" : "wrong",
			right ? "not proved" : "proved");
		keep(p, l);
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct choices c = { bytes, bytes + size };
	struct blob injected[UNITS_MAX];
	struct options options;
	struct program p;
	struct small_link l;
	const uint16_t one = 1;

	/* What is written here is in the order of the host. */
	if (*(const uint8_t *)&one == 0)
		return 0;
	fuzz_options(&options);
	options.table = TABLE_ANCHORED;
	program_make(&c, &p);
	for (unsigned i = 0; i < p.nunits; i++) {
		if (p.units[i].is_foreign)
			copy(&p.units[i], &injected[i]);
		else
			inject(&p.units[i], &options, &injected[i]);
	}
	if (small_link(&c, &p, injected, &l))
		judge(&p, &l, &options);
	free(l.bytes);
	for (unsigned i = 0; i < p.nunits; i++)
		free((void *)injected[i].bytes);
	program_free(&p);
	fuzz_options_free(&options);
	return 0;
}
