/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The default mode: from a partial to C. */
#include <config.h>

#include "check.h"
#include "command.h"
#include "depfile.h"
#include "emit.h"
#include "listing.h"
#include "output.h"

/* Both files are whole before either is put in its place. */
static int write_c(struct diag *d, const struct command *cmd,
		   const struct object *obj, const struct site_set *set,
		   const struct layout *layout)
{
	struct output out = { 0 }, rule = { 0 };
	int ret = -1;

	if (check_output(d, cmd, cmd->output) == 0 &&
	    output_open(d, cmd->output, &out) == 0 &&
	    depfile_prepare(d, cmd, &rule) == 0) {
		emit_c(out.stream, obj, &cmd->options, set, layout);
		ret = output_commit(d, &out);
		if (ret == 0 && rule.stream != NULL)
			ret = output_commit(d, &rule);
	}
	output_close(&rule);
	output_close(&out);
	return ret;
}

int command_generate(const struct command *cmd, struct report *report)
{
	struct diag *d = &report->diag;
	struct object obj = { 0 };
	struct site_set set = { 0 };
	struct layout layout = { 0 };

	if (object_open(d, cmd->inputs.items[0], &obj) ||
	    check_object(d, &obj, OBJECT_PARTIAL))
		goto done;

	/* From here on every index and range in OBJ is valid. */
	if (scan_object(d, &obj, &cmd->options, &set))
		goto done;
	require_probes(d, cmd, obj.path, set.nsites);
	emit_check(d, &obj, &set);
	if (report_status(report) == EXIT_YES)
		layout_plan(d, &obj, &cmd->options, &set, &layout);

	/* All bad sites are reported; nothing is written if there is one. */
	if (report_status(report) != EXIT_YES)
		goto done;
	write_c(d, cmd, &obj, &set, &layout);
done:
	print_result(&obj, cmd, &set, report);
	layout_free(&layout);
	site_set_free(&set);
	object_close(&obj);
	return report_status(report);
}
