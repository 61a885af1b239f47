/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/table-format.h"
#include "fuzz.h"

static volatile size_t nread;

static void read_string(const char *string)
{
	nread += string != NULL ? strlen(string) : 0;
}

static void hear(void *ctx, const struct diagnostic *dg)
{
	(void)ctx;
	read_string(dg->place.file);
	read_string(dg->place.section);
	read_string(dg->place.function);
	read_string(dg->text);
	read_string(dg->remedy);
}

struct diag fuzz_diag(void)
{
	return (struct diag){ .sink = hear };
}

void fuzz_options(struct options *options)
{
	*options = (struct options){
		.table_name = "sdt_table",
		.sites_name = SDT_SITES_SECTION,
	};
	if (string_list_add(&options->prefixes, "__dtrace_sdt_") ||
	    string_list_add(&options->enabled_prefixes,
			    "__dtrace_sdt_enabled_"))
		abort();
}

void fuzz_options_free(struct options *options)
{
	string_list_free(&options->prefixes);
	string_list_free(&options->enabled_prefixes);
}

void *fuzz_copy(const uint8_t *bytes, size_t size)
{
	/* Whoever reads these has to stop at SIZE: no byte more. */
	void *copy = malloc(size);

	if (copy == NULL && size > 0)
		abort();
	if (size > 0)
		memcpy(copy, bytes, size);
	return copy;
}

unsigned fuzz_choice(const uint8_t *bytes, size_t size)
{
	return size > EI_NIDENT ? bytes[EI_NIDENT - 1] : 0;
}

int fuzz_open(struct diag *d, void *bytes, size_t size, enum object_kind kind,
	      struct object *obj)
{
	if (object_open_memory(d, "input", bytes, size, obj))
		return -1;
	return check_object(d, obj, kind);
}

int fuzz_split(const uint8_t *bytes, size_t size, struct fuzz_pair *pair)
{
	size_t length = 0, at = 0;

	for (; at < size && bytes[at] >= '0' && bytes[at] <= '9'; at++) {
		length = 10 * length + (bytes[at] - '0');
		if (length > size)
			return -1;
	}
	if (at == 0 || at >= size || bytes[at] != '\n' ||
	    length > size - at - 1)
		return -1;
	pair->bytes[0] = bytes + at + 1;
	pair->size[0] = length;
	pair->bytes[1] = bytes + at + 1 + length;
	pair->size[1] = size - at - 1 - length;
	return 0;
}

const char *fuzz_file(size_t n, const uint8_t *bytes, size_t size)
{
	static struct {
		char path[64];
		int fd; /* 0: not open */
	} files[FUZZ_FILES];

	if (n >= FUZZ_FILES)
		abort();
	if (files[n].fd == 0)
		files[n].fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (files[n].fd <= 0 || ftruncate(files[n].fd, 0) != 0 ||
	    pwrite(files[n].fd, bytes, size, 0) != (ssize_t)size)
		abort();
	snprintf(files[n].path, sizeof(files[n].path), "/proc/self/fd/%d",
		 files[n].fd);
	return files[n].path;
}
