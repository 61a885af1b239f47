/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "depfile.h"
#include "json-document.h"
#include "listing.h"
#include "result.h"

/* --- What is written -------------------------------------------------- */

static const char *rule_path(const struct command *cmd)
{
	return cmd->depfile_path != NULL ? cmd->depfile_path
					 : cmd->default_depfile;
}

/* Looks up PATH. Sets *EXISTS. */
static int look_at(struct diag *d, const char *path, struct stat *st,
		   bool *exists)
{
	*exists = stat(path, st) == 0;
	if (*exists || errno == ENOENT || errno == ENOTDIR)
		return 0;
	return diag_file(d, path, "cannot-write", "cannot look at it: %s",
			 strerror(errno));
}

/* Sets *IS_SAME. Fails with a diagnostic if that cannot be determined. */
static int compare_files(struct diag *d, const char *a, const char *b,
			 bool *is_same)
{
	struct stat x, y;
	bool a_exists, b_exists;

	*is_same = strcmp(a, b) == 0;
	if (*is_same)
		return 0;
	if (look_at(d, a, &x, &a_exists) || look_at(d, b, &y, &b_exists))
		return -1;
	*is_same = a_exists && b_exists && x.st_dev == y.st_dev &&
		   x.st_ino == y.st_ino;
	return 0;
}

static int check_list(struct diag *d, const struct string_list *inputs,
		      const char *path)
{
	bool is_same;

	for (size_t i = 0; i < inputs->n; i++) {
		if (compare_files(d, path, inputs->items[i], &is_same))
			return -1;
		if (is_same)
			return diag_file(d, path, "output-is-input",
					 "would overwrite its input: name "
					 "another output");
	}
	return 0;
}

/* Fails with a diagnostic if PATH is one of the inputs. */
static int check_output(struct diag *d, const struct command *cmd,
			const char *path)
{
	if (check_list(d, &cmd->inputs, path))
		return -1;
	return check_list(d, &cmd->response_files, path);
}

/* Writes the rule, without putting it in place. */
static int open_rule(struct diag *d, const struct command *cmd,
		     struct output *rule)
{
	const char *path = rule_path(cmd);
	bool is_same;

	if (path == NULL)
		return diag_nomem(d, cmd->output);
	if (compare_files(d, path, cmd->output, &is_same))
		return -1;
	if (is_same)
		return diag_file(d, path, "output-is-input",
				 "would be both the output and its make rule: "
				 "name another with -MF");
	if (depfile_check(d, cmd) || check_output(d, cmd, path) ||
	    output_open(d, path, rule))
		return -1;
	depfile_put(rule->stream, cmd);
	return 0;
}

int result_open(struct diag *d, const struct command *cmd,
		struct result *result)
{
	const char *path = cmd->output != NULL ? cmd->output : "-";

	*result = (struct result){ 0 };
	if (check_output(d, cmd, path) || output_open(d, path, &result->out))
		return -1;
	if (!cmd->depfile && cmd->depfile_path == NULL)
		return 0;
	return open_rule(d, cmd, &result->rule);
}

int result_finish(struct diag *d, struct result *result)
{
	if (output_finish(d, &result->out))
		return -1;
	return result->rule.stream != NULL ? output_finish(d, &result->rule)
					   : 0;
}

/* Puts both in place, or neither: see output_commit. */
static int commit(struct diag *d, struct result *result)
{
	/* If only one of them is put in place, make must see an old output. */
	struct output *const outs[] = { &result->rule, &result->out };
	bool has_rule = result->rule.path != NULL;

	return output_commit(d, has_rule ? outs : outs + 1, has_rule ? 2 : 1);
}

static void close_both(struct diag *d, struct result *result)
{
	output_close(d, &result->rule);
	output_close(d, &result->out);
}

/* --- The end of a mode ------------------------------------------------ */

static void print_json(const struct command *cmd, struct report *report,
		       const struct object *obj, const struct site_set *set)
{
	struct json json = { .text.stream = report->out.stream };
	struct listing listing = { 0 };

	document_open(&json);
	if (obj != NULL && obj->arch != NULL &&
	    listing_from_partial(&report->diag, obj, cmd->module, set,
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
		commit(&report->diag, result);
	close_both(&report->diag, result);
}
