/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --dump, --cost and --check-jump of a file, as the command does them. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "command.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	unsigned choice = fuzz_choice(bytes, size);
	struct command cmd = {
		.mode = MODE_DUMP,
		.format = choice & 1 ? FORMAT_TEXT : FORMAT_JSON,
		/* libopcodes is not ours, and slow. */
		.is_verbose = false,
	};
	struct report report;

	fuzz_drop_output();
	if (report_init(&report))
		abort();
	report.is_json = cmd.format == FORMAT_JSON;
	if (!report.is_json)
		report.diag = fuzz_diag();
	fuzz_options(&cmd.options);
	if (choice & 2)
		cmd.options.table = TABLE_ANCHORED;
	/* What is of no format, as raw bytes. */
	cmd.flash.has_base = true;
	if (string_list_add(&cmd.inputs, fuzz_file(bytes, size)))
		abort();
	if (choice & 16) {
		command_check_jump(&cmd, &report);
	} else if (choice & 4) {
		if (choice & 8)
			cmd.against = cmd.inputs.items[0];
		command_cost(&cmd, &report);
	} else {
		command_dump(&cmd, &report);
	}
	string_list_free(&cmd.inputs);
	fuzz_options_free(&cmd.options);
	report_free(&report);
	return 0;
}
