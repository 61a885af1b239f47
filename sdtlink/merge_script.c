/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --merge-script: a linker script for the partial link. */
#include <config.h>

#include "elf/check.h"
#include "command.h"
#include "result.h"
#include "make/emit.h"
#include "sites/scan.h"

int command_merge_script(const struct command *cmd, struct report *report)
{
	struct diag *d = &report->diag;
	struct object obj = { 0 };
	struct site_set set = { 0 };
	struct result result = { 0 };
	bool has_input = cmd->inputs.n > 0;

	if (has_input && (object_open(d, cmd->inputs.items[0], &obj) ||
			  check_object(d, &obj, OBJECT_PARTIAL) ||
			  scan_object(d, &obj, &cmd->options, &set)))
		goto done;
	/* A script is of no use with refused sites. */
	if (report_status(report) != EXIT_YES)
		goto done;
	if (result_open(d, cmd, &result))
		goto done;
	emit_merge_script(result.out.stream, &cmd->options,
			  has_input ? &obj : NULL, &set);
	result_finish(d, &result);
done:
	result_end(cmd, report, &obj, NULL, &result);
	site_set_free(&set);
	object_close(&obj);
	return report_status(report);
}
