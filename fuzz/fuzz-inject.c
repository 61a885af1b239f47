/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --inject: what it writes must be an object again, with a table. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "make/inject.h"

/* A good file grows by what is known: more is a size that was believed. */
#define GROWTH_MAX ((off_t)1 << 26)

static FILE *open_output(void)
{
	static FILE *stream;

	if (stream == NULL) {
		int fd = memfd_create("output", MFD_CLOEXEC);

		stream = fd < 0 ? NULL : fdopen(fd, "w+");
	}
	if (stream == NULL || ftruncate(fileno(stream), 0) != 0)
		abort();
	rewind(stream);
	return stream;
}

static void reread(FILE *stream, const struct options *options, size_t nsites)
{
	struct diag d = fuzz_diag();
	struct object obj = { 0 };
	struct site_set set = { 0 };
	struct stat st;
	void *bytes;
	size_t n = 0;

	if (fstat(fileno(stream), &st) != 0 || st.st_size > GROWTH_MAX)
		abort();
	bytes = malloc(st.st_size);
	if (bytes == NULL ||
	    pread(fileno(stream), bytes, st.st_size, 0) != st.st_size ||
	    fuzz_open(&d, bytes, st.st_size, OBJECT_PARTIAL, &obj) ||
	    scan_object(&d, &obj, options, &set))
		abort();
	for (size_t i = 1; i < obj.nsections; i++)
		if (strcmp(obj.sections[i].name, options->sites_name) == 0)
			n += obj.sections[i].size / 8;
	/* What was dead may look alive now, as descriptors refer to stubs. */
	if (n != nsites || (!options->nop && set.bins.site < nsites))
		abort();
	site_set_free(&set);
	object_close(&obj);
	free(bytes);
}

static void write_object(const struct options *options, struct edit *edit,
			 size_t nsites)
{
	struct diag d = fuzz_diag();
	struct output out = { .path = "output", .stream = open_output() };

	if (edit_write(&d, edit, &out) == 0)
		reread(out.stream, options, nsites);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct diag d = fuzz_diag();
	void *copy = fuzz_copy(bytes, size);
	unsigned choice = fuzz_choice(bytes, size);
	struct options options;
	struct object obj = { 0 };
	struct site_set set = { 0 };
	struct edit edit;

	fuzz_options(&options);
	options.nop = choice & 1;
	options.anchor = (choice >> 1) % 3;
	options.notes = choice >> 3 & 1 ? NOTES_STAPSDT : NOTES_NONE;
	options.function_names = choice >> 4 & 1;
	edit_init(&edit, &obj);
	if (fuzz_open(&d, copy, size, OBJECT_PARTIAL, &obj) == 0 &&
	    scan_object(&d, &obj, &options, &set) == 0 &&
	    set.bins.refused == 0 && d.nno == 0 &&
	    inject_plan(&d, &obj, &options, &set, &edit) == 0)
		write_object(&options, &edit, set.nsites);
	edit_free(&edit);
	site_set_free(&set);
	object_close(&obj);
	fuzz_options_free(&options);
	free(copy);
	return 0;
}
