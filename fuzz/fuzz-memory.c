/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --dump --memory of an image and a core: see fuzz_split. */
#include <config.h>

#include "run-command.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct fuzz_command run;
	struct fuzz_pair pair;
	unsigned choice;

	if (fuzz_split(bytes, size, &pair))
		return 0;
	choice = fuzz_choice(pair.bytes[0], pair.size[0]);
	fuzz_command_begin(&run, MODE_DUMP, choice);
	run.cmd.has_displacement = choice & 2;
	fuzz_command_input(&run, pair.bytes[0], pair.size[0]);
	run.cmd.memory = fuzz_file(1, pair.bytes[1], pair.size[1]);
	command_dump(&run.cmd, &run.report);
	fuzz_command_end(&run);
	return 0;
}
