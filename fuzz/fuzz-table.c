/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reader of a final's table, of each form, on the host. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "table/table.h"

static volatile size_t nread;

static void read_entries(const struct table *table)
{
	for (size_t i = 0; i < table->nentries; i++) {
		const struct table_entry *entry = &table->entries[i];

		if (entry->prefix > strlen(entry->probe))
			abort();
		nread += strlen(entry->function);
	}
	for (size_t i = 0; i < table->nprobes; i++)
		nread += strlen(table->probes[i].symbol);
}

static void read_table(const struct image *img, const struct options *options)
{
	struct diag d = fuzz_diag();
	struct table table = { 0 };
	bool found;

	if (table_read(&d, img, options, &table, &found) == 0 && found)
		read_entries(&table);
	table_free(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct diag d = fuzz_diag();
	void *copy = fuzz_copy(bytes, size);
	struct options options;
	struct object obj = { 0 };
	struct image img = { 0 };

	fuzz_options(&options);
	if (fuzz_open(&d, copy, size, OBJECT_FINAL, &obj) == 0 &&
	    image_open(&d, &obj, &img) == 0) {
		read_table(&img, &options);
		options.table = TABLE_ANCHORED;
		read_table(&img, &options);
		options.table = TABLE_LINKER_SET;
		options.base = "start";
		read_table(&img, &options);
	}
	image_close(&img);
	object_close(&obj);
	fuzz_options_free(&options);
	free(copy);
	return 0;
}
