/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --dump --source and --markers of a file with debug information. */
#include <config.h>

#include "run-command.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	unsigned choice = fuzz_choice(bytes, size);
	struct fuzz_command run;

	fuzz_command_begin(&run, MODE_DUMP, choice);
	run.cmd.with_source = true;
	fuzz_command_input(&run, bytes, size);
	if (choice & 2)
		command_markers(&run.cmd, &run.report);
	else
		command_dump(&run.cmd, &run.report);
	fuzz_command_end(&run);
	return 0;
}
