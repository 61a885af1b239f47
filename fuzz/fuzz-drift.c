/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --drift of a pair, see fuzz_split: an input and the final. What drift/drift.h
 * promises of the result has to hold for each. Then the mode as a whole, which
 * also draws it, or compares two finals.
 */
#include <config.h>

#include <stdlib.h>

#include "drift/drift.h"
#include "run-command.h"

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* Each byte of text is in one range, and the ranges have no gaps. */
static void check_ranges(const struct drift *drift)
{
	uint64_t nbytes[NBINS] = { 0 }, place = 0;

	for (size_t i = 0; i < drift->nranges; i++) {
		const struct drift_range *range = &drift->ranges[i];

		must(range->bin < NBINS && range->size > 0);
		must(range->place == place);
		must(i == 0 || range->addr >= range[-1].addr + range[-1].size);
		must(range->bin > BIN_CHANGED ||
		     range->section < drift->nsections);
		nbytes[range->bin] += range->size;
		place += range->size;
	}
	for (unsigned bin = 0; bin < NBINS; bin++)
		must(nbytes[bin] == drift->nbytes[bin]);
}

/* Each section has one fate, and the counts are those of the sections. */
static void check_sections(const struct drift *drift)
{
	size_t nfates[NFATES] = { 0 };

	for (size_t i = 0; i < drift->nsections; i++) {
		const struct drift_section *section = &drift->sections[i];

		must(section->fate < NFATES && section->move < NMOVES);
		must(section->other == NO_SECTION ||
		     section->other < drift->nsections);
		nfates[section->fate]++;
	}
	for (unsigned fate = 0; fate < NFATES; fate++)
		must(nfates[fate] == drift->nfates[fate]);
	must(drift->nright <= drift->nfates[FATE_PLACED]);
	must(drift->ndisplaced <= drift->nfates[FATE_PLACED]);
}

static void check_rewrites(const struct drift *drift)
{
	size_t nclasses[NREWRITE_CLASSES] = { 0 };

	for (size_t i = 0; i < drift->nrewrites; i++) {
		const struct drift_rewrite *rw = &drift->rewrites[i];

		must(rw->section < drift->nsections);
		must(rw->offset < drift->sections[rw->section].size);
		nclasses[rw->class]++;
	}
	for (unsigned class = 0; class < NREWRITE_CLASSES; class ++)
		must(nclasses[class] == drift->nclasses[class]);
}

static void compare(const struct fuzz_pair *pair)
{
	struct diag d = fuzz_diag();
	struct object input = { 0 }, final = { 0 };
	struct drift drift = { 0 };
	void *copies[2];

	for (int i = 0; i < 2; i++)
		copies[i] = fuzz_copy(pair->bytes[i], pair->size[i]);
	if (fuzz_open(&d, copies[0], pair->size[0], OBJECT_PARTIAL, &input) ==
		    0 &&
	    fuzz_open(&d, copies[1], pair->size[1], OBJECT_FINAL, &final) ==
		    0 &&
	    drift_objects(&d, &input, 1, &final, &drift) == 0) {
		check_ranges(&drift);
		check_sections(&drift);
		check_rewrites(&drift);
	}
	drift_free(&drift);
	object_close(&input);
	object_close(&final);
	free(copies[0]);
	free(copies[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct fuzz_pair pair;
	struct fuzz_command run;
	unsigned choice;

	if (fuzz_split(bytes, size, &pair))
		return 0;
	compare(&pair);
	choice = fuzz_choice(pair.bytes[0], pair.size[0]);
	fuzz_command_begin(&run, MODE_DRIFT, choice);
	if (choice & 2)
		run.cmd.format = FORMAT_SVG;
	run.cmd.is_verbose = true;
	/* Two finals, by their symbols alone or with the input. */
	if (choice & 4)
		run.cmd.against = fuzz_file(2, pair.bytes[choice >> 3 & 1],
					    pair.size[choice >> 3 & 1]);
	if (!(choice & 4) || choice & 8)
		fuzz_command_input(&run, pair.bytes[0], pair.size[0]);
	fuzz_command_input(&run, pair.bytes[1], pair.size[1]);
	command_drift(&run.cmd, &run.report);
	fuzz_command_end(&run);
	return 0;
}
