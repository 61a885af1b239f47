/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --inject: from a partial, or any object, to the same with its table. */
#include <config.h>

#include "elf/check.h"
#include "command.h"
#include "result.h"
#include "make/inject.h"
#include "listing.h"

int command_inject(const struct command *cmd, struct report *report)
{
	struct diag *d = &report->diag;
	struct object obj = { 0 };
	struct site_set set = { 0 };
	struct result result = { 0 };
	struct edit edit;

	edit_init(&edit, &obj);
	if (object_open(d, cmd->inputs.items[0], &obj) ||
	    check_object(d, &obj, OBJECT_PARTIAL))
		goto done;

	/* From here on, every index and range in OBJ is valid. */
	if (scan_object(d, &obj, &cmd->options, &set))
		goto done;
	require_probes(d, cmd, obj.path, set.nsites);
	require_sections(d, cmd, &obj, 1);
	/*
	 * All refused sites are reported. If there is one, nothing is written.
	 */
	if (report_status(report) != EXIT_YES || result_open(d, cmd, &result))
		goto done;
	if (result.out.temporary == NULL) {
		diag_file(d, cmd->output, "cannot-write",
			  "an object cannot be written to a pipe or device");
		goto done;
	}
	edit_begin_copy(&edit, fileno(result.out.stream));
	if (inject_plan(d, &obj, &cmd->options, &set, &edit) ||
	    report_status(report) != EXIT_YES)
		goto done;
	if (edit_write(d, &edit, &result.out) == 0)
		result_finish(d, &result);
done:
	edit_free(&edit);
	result_end(cmd, report, &obj, &set, &result);
	site_set_free(&set);
	object_close(&obj);
	return report_status(report);
}
