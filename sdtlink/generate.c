/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The default mode: from a partial to C. */
#include <config.h>

#include "elf/check.h"
#include "command.h"
#include "result.h"
#include "make/emit.h"
#include "make/inject.h"
#include "listing.h"

int command_generate(const struct command *cmd, struct report *report)
{
	struct diag *d = &report->diag;
	struct object obj = { 0 };
	struct site_set set = { 0 };
	struct layout layout = { 0 };
	struct result result = { 0 };

	if (object_open(d, cmd->inputs.items[0], &obj) ||
	    check_object(d, &obj, OBJECT_PARTIAL))
		goto done;

	/* From here on, every index and range in OBJ is valid. */
	if (inject_check_fresh(d, &obj, &cmd->options))
		goto done;
	if (scan_object(d, &obj, &cmd->options, &set))
		goto done;
	require_probes(d, cmd, obj.path, set.nsites);
	require_sections(d, cmd, &obj, 1);
	emit_check(d, &obj, &cmd->options, &set);
	if (report_status(report) == EXIT_YES)
		layout_plan(d, &obj, &cmd->options, &set, &layout);

	/*
	 * All refused sites are reported. If there is one, nothing is written.
	 */
	if (report_status(report) != EXIT_YES)
		goto done;
	if (result_open(d, cmd, &result))
		goto done;
	emit_c(result.out.stream, &obj, &cmd->options, &set, &layout);
	result_finish(d, &result);
done:
	result_end(cmd, report, &obj, &set, &result);
	layout_free(&layout);
	site_set_free(&set);
	object_close(&obj);
	return report_status(report);
}
