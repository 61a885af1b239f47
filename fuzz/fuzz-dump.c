/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --dump, --cost and --check-jump of a file, as the command does them. */
#include <config.h>

#include "run-command.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	unsigned choice = fuzz_choice(bytes, size);
	struct fuzz_command run;
	const char *name;

	/* Not verbose: libopcodes is not ours, and slow. */
	fuzz_command_begin(&run, MODE_DUMP, choice);
	if (choice & 2)
		run.cmd.options.table = TABLE_ANCHORED;
	/* What is of no format, as raw bytes. */
	run.cmd.flash.has_base = run.cmd.flash.is_default = true;
	/* The tables of others as well. */
	if ((choice & 32) && string_list_add(&run.cmd.kinds, "all"))
		abort();
	name = fuzz_command_input(&run, bytes, size);
	if (choice & 16) {
		command_check_jump(&run.cmd, &run.report);
	} else if (choice & 4) {
		if (choice & 8)
			run.cmd.against = name;
		command_cost(&run.cmd, &run.report);
	} else {
		command_dump(&run.cmd, &run.report);
	}
	fuzz_command_end(&run);
	return 0;
}
