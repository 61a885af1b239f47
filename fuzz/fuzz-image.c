/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --verify --image: a pair of the partial and a pair of the final and what is
 * flashed, see fuzz_split.
 */
#include <config.h>

#include "run-command.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct fuzz_pair pair, rest;
	struct fuzz_command run;

	if (fuzz_split(bytes, size, &pair) ||
	    fuzz_split(pair.bytes[1], pair.size[1], &rest))
		return 0;
	fuzz_command_begin(&run, MODE_VERIFY,
			   fuzz_choice(pair.bytes[0], pair.size[0]));
	fuzz_command_input(&run, pair.bytes[0], pair.size[0]);
	fuzz_command_input(&run, rest.bytes[0], rest.size[0]);
	run.cmd.image = fuzz_file(2, rest.bytes[1], rest.size[1]);
	command_verify(&run.cmd, &run.report);
	fuzz_command_end(&run);
	return 0;
}
