/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --inject: from a partial, or any object, to the same with its table. */
#include <config.h>

#include "check.h"
#include "command.h"
#include "depfile.h"
#include "inject.h"
#include "listing.h"
#include "output.h"

/* Both files are whole before either is put in its place. */
static int write_object(struct diag *d, const struct command *cmd,
			struct edit *edit)
{
	struct output out = { 0 }, rule = { 0 };
	int ret = -1;

	if (check_output(d, cmd, cmd->output) ||
	    output_open(d, cmd->output, &out) || depfile_prepare(d, cmd, &rule))
		goto done;
	if (out.temporary == NULL)
		diag_file(d, cmd->output, "cannot-write",
			  "an object cannot be written to a pipe or device");
	else if (edit_write(d, edit, &out) == 0)
		ret = output_commit(d, &out);
	if (ret == 0 && rule.stream != NULL)
		ret = output_commit(d, &rule);
done:
	output_close(&rule);
	output_close(&out);
	return ret;
}

int command_inject(const struct command *cmd, struct report *report)
{
	struct diag *d = &report->diag;
	struct object obj = { 0 };
	struct site_set set = { 0 };
	struct edit edit;

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
	write_object(d, cmd, &edit);
done:
	print_result(&obj, cmd, &set, report);
	edit_free(&edit);
	site_set_free(&set);
	object_close(&obj);
	return report_status(report);
}
