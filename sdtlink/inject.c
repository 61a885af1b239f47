/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --inject: from a partial, or any object, to the same with its table. */
#include <config.h>

#include "check.h"
#include "command.h"
#include "depfile.h"
#include "inject.h"
#include "listing.h"

int command_inject(const struct command *cmd, struct report *report)
{
	struct diag *d = &report->diag;
	struct object obj = { 0 };
	struct site_set set = { 0 };
	struct listing listing = { 0 };
	struct result result = { 0 };
	struct edit edit;
	int failed;

	edit_init(&edit, &obj);
	if (object_open(d, cmd->inputs.items[0], &obj) ||
	    check_object(d, &obj, OBJECT_PARTIAL))
		goto done;

	/* From here on every index and range in OBJ is valid. */
	if (scan_object(d, &obj, &cmd->options, &set))
		goto done;
	require_probes(d, cmd, obj.path, set.nsites);
	if (report_status(report) == EXIT_YES)
		inject_plan(d, &obj, &cmd->options, &set, &edit);

	/* All bad sites are reported; nothing is written if there is one. */
	if (report_status(report) != EXIT_YES)
		goto done;
	if (prepare_result(d, &obj, cmd, &set, &listing) ||
	    result_open(d, cmd, &result))
		goto done;
	if (result.out.temporary == NULL) {
		diag_file(d, cmd->output, "cannot-write",
			  "an object cannot be written to a pipe or device");
		goto done;
	}
	failed = edit_write(d, &edit, &result.out);
	/* A file that changed meanwhile explains why it could not be copied. */
	if (object_recheck(d, &obj) == 0 && !failed)
		result_commit(d, &result);
done:
	result_close(&result);
	print_result(&obj, cmd, &set, &listing, report);
	listing_free(&listing);
	edit_free(&edit);
	site_set_free(&set);
	object_close(&obj);
	return report_status(report);
}
