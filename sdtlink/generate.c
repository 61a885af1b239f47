/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The default mode: from a partial to C. */
#include <config.h>

#include "check.h"
#include "command.h"
#include "depfile.h"
#include "emit.h"
#include "listing.h"
#include "output.h"

static int write_c(struct diag *d, const struct command *cmd,
		   const struct object *obj, const struct site_set *set,
		   const struct layout *layout)
{
	struct output out;
	int ret = -1;

	if (output_open(d, cmd->output, &out) == 0) {
		emit_c(out.stream, obj, &cmd->options, set, layout);
		ret = output_commit(d, &out);
	}
	output_close(&out);
	return ret;
}

static void require_probes(struct diag *d, const struct command *cmd,
			   const struct object *obj,
			   const struct site_set *set)
{
	if (cmd->require_probes && set->nsites == 0)
		diag_report(d, SEVERITY_NO, &(struct place){ .file = obj->path },
			    "no-probes",
			    "is this the right file, and the right --prefix?",
			    "no probe sites");
}

static void print_json(const struct object *obj, const struct command *cmd,
		       const struct site_set *set, struct report *report)
{
	struct json json = { .stream = stdout };
	struct listing listing = { 0 };

	json_open(&json, '{');
	json_head(&json);
	if (obj->arch != NULL &&
	    listing_from_partial(&report->diag, obj, &cmd->options, set,
				 &listing) == 0)
		listing_json(&listing, &json);
	else
		json_string(&json, "file", cmd->inputs.items[0]);
	report_json(report, &json);
	json_close(&json, '}');
	listing_free(&listing);
}

static void print_result(const struct object *obj, const struct command *cmd,
			 const struct site_set *set, struct report *report)
{
	if (cmd->format == FORMAT_JSON)
		print_json(obj, cmd, set, report);
	else if (cmd->is_verbose && obj->arch != NULL)
		print_bins(stderr, obj->path, &set->bins);
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
	require_probes(d, cmd, &obj, &set);
	emit_check(d, &obj, &set);
	if (report_status(report) == EXIT_YES)
		layout_plan(d, &obj, &cmd->options, &set, &layout);

	/* All bad sites are reported; nothing is written if there is one. */
	if (report_status(report) != EXIT_YES)
		goto done;
	if (write_c(d, cmd, &obj, &set, &layout) == 0 &&
	    (cmd->depfile || cmd->depfile_path != NULL))
		depfile_write(d, cmd);
done:
	print_result(&obj, cmd, &set, report);
	layout_free(&layout);
	site_set_free(&set);
	object_close(&obj);
	return report_status(report);
}
