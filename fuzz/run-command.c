/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>

#include "run-command.h"

/* What is printed goes nowhere; libFuzzer and ASan write to stderr. */
static void drop_output(void)
{
	static bool is_dropped;

	if (!is_dropped && freopen("/dev/null", "w", stdout) == NULL)
		abort();
	is_dropped = true;
}

void fuzz_command_begin(struct fuzz_command *run, enum mode mode,
			unsigned choice)
{
	*run = (struct fuzz_command){
		.cmd = { .mode = mode,
			 .format = choice & 1 ? FORMAT_TEXT : FORMAT_JSON },
	};
	drop_output();
	if (report_init(&run->report))
		abort();
	run->report.is_json = run->cmd.format == FORMAT_JSON;
	if (!run->report.is_json)
		run->report.diag = fuzz_diag();
	fuzz_options(&run->cmd.options);
}

const char *fuzz_command_input(struct fuzz_command *run, const uint8_t *bytes,
			       size_t size)
{
	const char *name = fuzz_file(run->cmd.inputs.n, bytes, size);

	if (string_list_add(&run->cmd.inputs, name))
		abort();
	return name;
}

void fuzz_command_end(struct fuzz_command *run)
{
	string_list_free(&run->cmd.inputs);
	string_list_free(&run->cmd.kinds);
	fuzz_options_free(&run->cmd.options);
	report_free(&run->report);
}
