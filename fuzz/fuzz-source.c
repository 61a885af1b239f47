/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --dump --source and --markers of a file with debug information. */
#include <config.h>

#include <stdlib.h>

#include "command.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	unsigned choice = fuzz_choice(bytes, size);
	struct command cmd = {
		.mode = MODE_DUMP,
		.format = choice & 1 ? FORMAT_TEXT : FORMAT_JSON,
		.with_source = true,
	};
	struct report report;

	fuzz_drop_output();
	if (report_init(&report))
		abort();
	report.is_json = cmd.format == FORMAT_JSON;
	if (!report.is_json)
		report.diag = fuzz_diag();
	fuzz_options(&cmd.options);
	if (string_list_add(&cmd.inputs, fuzz_file(bytes, size)))
		abort();
	if (choice & 2)
		command_markers(&cmd, &report);
	else
		command_dump(&cmd, &report);
	string_list_free(&cmd.inputs);
	fuzz_options_free(&cmd.options);
	report_free(&report);
	return 0;
}
