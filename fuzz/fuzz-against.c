/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --dump of a file beside another: --against=OLD with --suppressions, or
 * --debug-file. It is a pair, see fuzz_split: the file, and a pair of the other
 * and the text of the suppressions, or the other alone.
 */
#include <config.h>

#include "run-command.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct fuzz_pair pair, rest;
	struct fuzz_command run;
	const char *other;
	bool has_text;
	unsigned choice;

	if (fuzz_split(bytes, size, &pair))
		return 0;
	has_text = fuzz_split(pair.bytes[1], pair.size[1], &rest) == 0;
	choice = fuzz_choice(pair.bytes[0], pair.size[0]);
	fuzz_command_begin(&run, MODE_DUMP, choice);
	fuzz_command_input(&run, pair.bytes[0], pair.size[0]);
	other = has_text ? fuzz_file(1, rest.bytes[0], rest.size[0])
			 : fuzz_file(1, pair.bytes[1], pair.size[1]);
	if (choice & 2)
		run.cmd.debug_file = other;
	else
		run.cmd.against = other;
	if (has_text && !(choice & 2))
		run.cmd.suppressions =
			fuzz_file(2, rest.bytes[1], rest.size[1]);
	command_dump(&run.cmd, &run.report);
	fuzz_command_end(&run);
	return 0;
}
