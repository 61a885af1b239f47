/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of a mode that writes a file. */
#include <config.h>

#include "depfile.h"
#include "document.h"
#include "listing.h"

static void print_json(const struct command *cmd, struct report *report,
		       const struct object *obj, const struct site_set *set)
{
	struct json json = { .text.stream = report->out.stream };
	struct listing listing = { 0 };

	document_open(&json);
	if (obj != NULL && obj->arch != NULL &&
	    listing_from_partial(&report->diag, obj, &cmd->options, set,
				 &listing) == 0 &&
	    listing_add_notes(&report->diag, &listing) == 0)
		listing_json(&listing, report, &json);
	else
		json_string(&json, "file", cmd->inputs.items[0]);
	report_json(report, &json);
	json_close(&json, '}');
	listing_free(&listing);
}

/* OBJ is NULL if it is not what it was. */
static void print_result(const struct command *cmd, struct report *report,
			 const struct object *obj, const struct site_set *set)
{
	if (set == NULL)
		return;
	if (cmd->format == FORMAT_JSON)
		print_json(cmd, report, obj, set);
	else if (cmd->is_verbose && !cmd->is_quiet && obj != NULL &&
		 obj->arch != NULL)
		print_bins(report->err.stream, obj, &set->bins);
}

void result_end(const struct command *cmd, struct report *report,
		const struct object *obj, const struct site_set *set,
		struct result *result)
{
	print_result(cmd, report, obj, set);
	if (report_confirm(report, obj, 1) && !report->is_poured)
		print_result(cmd, report, NULL, set);
	if (report_status(report) == EXIT_YES && report_release(report) == 0)
		result_commit(&report->diag, result);
	result_close(&report->diag, result);
}
