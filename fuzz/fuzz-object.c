/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The default mode: open, check, scan, plan, and write C to nowhere. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>

#include "make/emit.h"
#include "fuzz.h"
#include "sites/scan.h"

/* What the accounting promises, whatever the file. */
static void check_sites(const struct object *obj, const struct site_set *set)
{
	const struct bins *bins = &set->bins;

	if (bins->site + bins->excluded + bins->dead + bins->refused !=
	    bins->relocations)
		abort();
	for (size_t i = 0; i < set->nsites; i++) {
		const struct site *site = &set->sites[i];
		const struct section *sec = &obj->sections[site->shndx];

		if (site->probe >= set->nprobes || site->offset > sec->size ||
		    site->length > sec->size - site->offset)
			abort();
	}
}

static void write_c(const struct object *obj, const struct options *options,
		    const struct site_set *set, const struct layout *layout)
{
	static FILE *nowhere;

	if (nowhere == NULL)
		nowhere = fopen("/dev/null", "w");
	if (nowhere == NULL)
		abort();
	emit_c(nowhere, obj, options, set, layout);
	emit_merge_script(nowhere, options, obj, set);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct diag d = fuzz_diag();
	void *copy = fuzz_copy(bytes, size);
	struct options options;
	struct object obj = { 0 };
	struct site_set set = { 0 };
	struct layout layout = { 0 };

	fuzz_options(&options);
	if (fuzz_choice(bytes, size) & 1)
		options.table = TABLE_LINKER_SET;
	if (fuzz_open(&d, copy, size, OBJECT_PARTIAL, &obj) ||
	    scan_object(&d, &obj, &options, &set))
		goto done;
	check_sites(&obj, &set);
	if (emit_check(&d, &obj, &options, &set) == 0 &&
	    layout_plan(&d, &obj, &options, &set, &layout) == 0)
		write_c(&obj, &options, &set, &layout);
done:
	layout_free(&layout);
	site_set_free(&set);
	object_close(&obj);
	fuzz_options_free(&options);
	free(copy);
	return 0;
}
