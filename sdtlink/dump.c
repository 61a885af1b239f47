/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --dump: lists what can be traced. */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/table-format.h"
#include "command.h"
#include "dump-against.h"
#include "json-document.h"
#include "input.h"
#include "make/emit.h"
#include "listing.h"
#include "memory.h"
#include "select.h"
#include "dump-summary.h"
#include "table/undo-nop.h"
#include "base/text.h"

/* --verify of one file, which judges its tracepoint records alone. */
static int judge(struct diag *d, const struct object *obj,
		 const struct command *cmd, struct tracepoint_set *records)
{
	if (cmd->mode != MODE_VERIFY)
		return 0;
	if (records->n == 0)
		return diag_report(
			d, SEVERITY_TROUBLE,
			&(struct place){ .file = obj->path }, "table-missing",
			obj->ehdr.e_type == ET_REL
				? "give the final, too, behind the partials"
				: "give the partials, too, before the final",
			"the file has no site table of a final, and no "
			"tracepoint records");
	/* Even faulty records are listed. */
	tracepoint_lint(d, obj, records);
	return 0;
}

static int list_foreign(struct diag *d, const struct command *cmd,
			struct listed_file *file)
{
	const struct object *obj = &file->obj;
	const struct image *img = obj->ehdr.e_type == ET_REL ? NULL
							     : &file->img;
	unsigned kinds = select_foreign(cmd);

	if (kinds == 0)
		return 0;
	return foreign_read(d, obj, img, kinds, &file->foreign) ||
			       listing_add_foreign(d, img, &cmd->options,
						   &file->foreign,
						   &file->listing)
		       ? -1
		       : 0;
}

/*
 * Sites that --nop switched off have no relocation. The table says where they
 * are.
 */
static int list_injected(struct diag *d, const struct object *obj,
			 const struct options *options,
			 const struct site_set *set, struct table *table,
			 struct listing *listing)
{
	if (table_count_injected(obj, options) == 0)
		return 0;
	return table_read_partial(d, obj, options, table) ||
			       listing_add_injected(d, options, set, table,
						    listing)
		       ? -1
		       : 0;
}

static int list_partial(struct diag *d, const struct object *obj,
			const struct command *cmd, struct site_set *set,
			struct table *table, struct tracepoint_set *records,
			struct listing *listing)
{
	if (!select_wants_own(cmd))
		return listing_from_partial(d, obj, cmd->module, set, listing);
	if (tracepoint_read(d, obj, NULL, records) ||
	    judge(d, obj, cmd, records) ||
	    scan_object(d, obj, &cmd->options, set) ||
	    listing_from_partial(d, obj, cmd->module, set, listing) ||
	    list_injected(d, obj, &cmd->options, set, table, listing))
		return -1;
	return listing_add_tracepoints(d, NULL, &cmd->options, records,
				       listing);
}

/* Does it lack symbols of its own? A debug file may have lent it some. */
static bool lacks_names(const struct object *obj)
{
	return obj->is_stripped || obj->is_bare || obj->lender != NULL;
}

/* Did the user say which table to read? */
static bool names_table(const struct options *options)
{
	return options->table != TABLE_AUTO ||
	       strcmp(options->sites_name, SDT_SITES_SECTION) != 0;
}

static void warn_no_foreign(struct diag *d, const struct image *img,
			    unsigned kinds)
{
	if ((kinds & foreign_present(img->obj, img)) == 0)
		diag_report(d, SEVERITY_WARNING,
			    &(struct place){ .file = img->obj->path },
			    "table-missing",
			    img->obj->is_bare ? "give the image with its "
						"section headers"
					      : NULL,
			    "the image has no such table: no section of its "
			    "name");
}

static void warn_missing(struct diag *d, const struct image *img,
			 const struct options *options)
{
	const struct object *obj = img->obj;
	struct place place = { .file = obj->path };

	if (foreign_present(obj, img) != 0 && !names_table(options)) {
		diag_report(d, SEVERITY_WARNING, &place, "table-missing",
			    "--kind=all lists what is in those of others",
			    "the image has no site table of sdtlink's");
		return;
	}
	if (options->table != TABLE_LINKER_SET &&
	    (lacks_names(obj) || !names_table(options))) {
		diag_report(d, SEVERITY_WARNING, &place, "table-missing",
			    "is it compressed inside, or another file?",
			    "the image has no site table: it was looked for "
			    "in all that it holds");
		return;
	}

	switch (options->table) {
	case TABLE_AUTO:
		diag_report(d, SEVERITY_WARNING, &place, "table-missing",
			    "name it with --table-name",
			    "the image has no site table: no symbol %s, no "
			    "section %s",
			    options->table_name, options->sites_name);
		break;
	case TABLE_OFFSETS:
		diag_report(d, SEVERITY_WARNING, &place, "table-missing",
			    "name it with --table-name",
			    "the image has no offsets table: no symbol %s",
			    options->table_name);
		break;
	case TABLE_ANCHORED:
		diag_report(d, SEVERITY_WARNING, &place, "table-missing",
			    "name it with --table-name",
			    "the image has no anchored table: no section %s",
			    options->sites_name);
		break;
	case TABLE_LINKER_SET:
		diag_report(d, SEVERITY_WARNING, &place, "table-missing",
			    "choose another form with --table",
			    "the image has no linker set: no section %s",
			    SDT_LINKER_SET);
		break;
	}
}

static void report_found(struct diag *d, const struct object *obj,
			 const struct found_tables *found, bool has_named)
{
	/*
	 * Beside a table, a single word that points to a probe means nothing.
	 */
	if (found->nunproved > (has_named || found->n > 0))
		diag_report(d, SEVERITY_WARNING,
			    &(struct place){ .file = obj->path }, "table-found",
			    "give --debug-file",
			    "what may be a table is not listed: the code of "
			    "all its sites runs where the image has none");
	for (size_t i = 0; i < found->n; i++) {
		const struct found_table *item = &found->items[i];

		if (item->nodd > 0)
			diag_report(d, SEVERITY_WARNING,
				    &(struct place){ .file = obj->path },
				    "table-found", NULL,
				    "%zu of the %zu sites of the table at "
				    "0x%" PRIx64
				    " are neither a branch nor one that is "
				    "switched off",
				    item->nodd, item->nsites, item->addr);
		if (item->nabsent > 0)
			diag_report(
				d, SEVERITY_WARNING,
				&(struct place){ .file = obj->path },
				"table-found", "give --debug-file",
				"%zu of the %zu sites of the table at "
				"0x%" PRIx64
				" run where the image has no code: they are "
				"listed as the table has them",
				item->nabsent, item->nsites, item->addr);
		/*
		 * Several tables were found, and nothing shows which is right.
		 */
		diag_report(
			d, found->n > 1 ? SEVERITY_WARNING : SEVERITY_NOTE,
			&(struct place){ .file = obj->path }, "table-found",
			found->n > 1 ? "give --debug-file to know which "
				       "the program reads"
				     : NULL,
			"an %s table of %zu site%s was found at "
			"0x%" PRIx64 " by what it holds",
			item->form == TABLE_OFFSETS ? "offsets" : "anchored",
			item->nsites, item->nsites == 1 ? "" : "s", item->addr);
	}
}

static bool has_same_sites(const struct table *a, const struct table *b)
{
	if (a->nentries != b->nentries)
		return false;
	for (size_t i = 0; i < a->nentries; i++)
		if (a->entries[i].addr != b->entries[i].addr)
			return false;
	return true;
}

/*
 * Two links can have equal code and different tables. If the symbols come from
 * a file of another link, they enclose another table than the image's.
 */
static int check_lender(struct diag *d, const struct image *img,
			const struct options *options,
			const struct table *table)
{
	const struct object *lender = img->obj->lender;
	struct diag quiet = { .sink = diag_ignore };
	struct image own = { 0 };
	struct table its = { 0 };
	bool found;
	int ret = 0;

	if (lender == NULL)
		return 0;
	if (image_open(&quiet, lender, &own) == 0 &&
	    table_read(&quiet, &own, options, &its, &found) == 0 && found &&
	    !has_same_sites(table, &its))
		ret = diag_file(d, lender->path, "debug-file",
				"is not the debug file of %s: its site table "
				"is another",
				img->obj->path);
	table_free(&its);
	image_close(&own);
	return ret;
}

/* Reads the table that OPTIONS name. If there are two, the anchored one. */
static int read_named(struct diag *d, const struct image *img,
		      const struct options *options, struct table *table,
		      bool *is_found)
{
	struct options one = *options;

	if (!names_table(options)) {
		one.table = TABLE_ANCHORED;
		if (table_read(d, img, &one, table, is_found))
			return -1;
		if (*is_found)
			return 0;
		one.table = TABLE_OFFSETS;
		if (table_read(d, img, &one, table, is_found))
			return -1;
		if (*is_found)
			return 0;
		one.table = TABLE_LINKER_SET;
	}
	return table_read(d, img, &one, table, is_found);
}

/*
 * Reads the table that has a name, and finds all others by their contents. If
 * the user named a table, others are only looked for if its name may be
 * missing.
 */
static int find_tables(struct diag *d, const struct image *img,
		       const struct options *options, struct table *table,
		       bool *is_found)
{
	struct found_tables found = { 0 };
	int ret;

	if (read_named(d, img, options, table, is_found) ||
	    (*is_found && check_lender(d, img, options, table)))
		return -1;
	if (options->table == TABLE_LINKER_SET ||
	    (names_table(options) && (*is_found || !lacks_names(img->obj))))
		return 0;
	ret = table_search(d, img, table, &found);
	report_found(d, img->obj, &found, *is_found);
	if (ret == 0 && found.n > 0 && table->nnames == 0)
		ret = table_search_names(d, img, table, &found);
	if (ret == 0 && !*is_found && found.n > 0)
		ret = check_lender(d, img, options, table);
	*is_found |= found.n > 0;
	free(found.items);
	return ret;
}

static int list_final(struct diag *d, const struct object *obj,
		      const struct command *cmd, struct image *img,
		      struct table *table, struct tracepoint_set *records,
		      struct listing *listing)
{
	bool found;

	if (image_open(d, obj, img))
		return -1;
	if (!select_wants_own(cmd)) {
		warn_no_foreign(d, img, select_foreign(cmd));
		return listing_from_final(d, img, cmd, table, listing);
	}
	if (find_tables(d, img, &cmd->options, table, &found) ||
	    tracepoint_read(d, obj, img, records) ||
	    judge(d, obj, cmd, records))
		return -1;
	if (!found && records->n == 0 && cmd->mode != MODE_CHECK_JUMP &&
	    !(select_foreign(cmd) & foreign_present(obj, img)))
		warn_missing(d, img, &cmd->options);
	if (listing_from_final(d, img, cmd, table, listing))
		return -1;
	return listing_add_tracepoints(d, img, &cmd->options, records, listing);
}

/* What goes on from one file to the next. */
struct output_state {
	struct columns columns;
	size_t nlines;
	struct summary summary;
};

static int print_listing(struct diag *d, const struct listing *listing,
			 const struct command *cmd, struct report *report,
			 struct json *json, struct output_state *state)
{
	if (cmd->with_source && cmd->werror)
		listing_check_arguments(d, listing);
	if (cmd->summary != SUMMARY_NONE)
		return summary_add(d, cmd, listing, &state->summary);
	if (cmd->format == FORMAT_JSON) {
		listing_json(listing, report, json);
		return 0;
	}
	if (cmd->mode == MODE_VERIFY)
		return 0;
	if (cmd->format == FORMAT_NAMES)
		return listing_print_names(d, listing, report);
	if (cmd->with_source)
		listing_print_source(listing, report);
	else if (listing_print(d, listing, cmd, &state->columns, report,
			       &state->nlines))
		return -1;
	if (cmd->is_verbose && !cmd->is_quiet)
		print_bins(report->err.stream, listing->obj, &listing->bins);
	return 0;
}

/* Prints the answer for --verify of one file. */
static void print_judgement(const char *path, const struct command *cmd,
			    const struct report *report, size_t nrecords)
{
	const struct diag *d = &report->diag;
	bool is_sound = d->nno == 0;
	FILE *stream = is_sound ? report->out.stream : report->err.stream;

	if (cmd->mode != MODE_VERIFY || cmd->format == FORMAT_JSON ||
	    cmd->is_quiet || d->ntrouble > 0)
		return;
	print_escaped(stream, path);
	fprintf(stream, ": %s: %zu tracepoint record%s\n",
		is_sound ? "sound" : "unsound", nrecords,
		nrecords == 1 ? "" : "s");
}

int listed_input_open(struct diag *d, const struct input *input,
		      const struct command *cmd, struct listed_file *file)
{
	struct object *obj = &file->obj;

	if (input_open(d, input, cmd, obj, &file->debug))
		return -1;
	/* --cost wants the NOPs. */
	if (obj->ehdr.e_type == ET_REL && cmd->mode == MODE_DUMP &&
	    undo_nop(d, obj))
		return -1;
	if (obj->ehdr.e_type == ET_REL
		    ? list_partial(d, obj, cmd, &file->set, &file->table,
				   &file->records, &file->listing)
		    : list_final(d, obj, cmd, &file->img, &file->table,
				 &file->records, &file->listing))
		return -1;
	if (listing_add_notes(d, &file->listing) || list_foreign(d, cmd, file))
		return -1;
	return cmd->with_source
		       ? listing_add_source(d, cmd->debug_file, &file->listing)
		       : 0;
}

int listed_file_open(struct diag *d, const char *path,
		     const struct command *cmd, struct listed_file *file)
{
	struct input input = input_file((char *)path);

	return listed_input_open(d, &input, cmd, file);
}

void listed_file_release(struct listed_file *file)
{
	listing_free(&file->listing);
	table_free(&file->table);
	tracepoint_set_free(&file->records);
	foreign_set_free(&file->foreign);
	image_close(&file->img);
	site_set_free(&file->set);
}

void listed_file_close(struct listed_file *file)
{
	object_close(&file->obj);
	debug_file_close(&file->debug);
}

/* Lists INPUT. FILE must be zeroed. Its object stays open. */
static void list_file(const struct input *input, const struct command *cmd,
		      struct report *report, struct listed_file *file,
		      struct json *json, struct output_state *state)
{
	struct diag *d = &report->diag;

	if (listed_input_open(d, input, cmd, file) == 0) {
		select_apply(cmd, &file->listing);
		if (cmd->memory != NULL)
			memory_look(d, cmd, file);
		print_listing(d, &file->listing, cmd, report, json, state);
		source_report(d, file->listing.source);
		require_probes(d, cmd, input->name, file->listing.nsites);
		if (file->obj.ehdr.e_type == ET_REL)
			require_sections(d, cmd, &file->obj, 1);
	} else if (json != NULL) {
		json_string(json, "file", input->name);
	}
	print_judgement(input->name, cmd, report, file->records.n);
	if (json != NULL)
		report_json(report, json);
	listed_file_release(file);
}

/*
 * The same, in an open object of JSON, if the file does not change meanwhile.
 * If it does, and a part was printed already, the document ends there, and the
 * result is -1.
 */
static int dump_json_file(const struct input *input, const struct command *cmd,
			  struct report *report, struct json *json)
{
	struct listed_file file = { 0 };
	struct json before;
	int failed;

	text_flush(&json->text);
	before = *json;
	/* What is taken back begins here. */
	report_confirm(report, NULL, 0);
	report->is_poured = false;
	list_file(input, cmd, report, &file, json, NULL);
	text_flush(&json->text);
	failed = report_confirm(report, &file.obj, 1);
	if (failed && !report->is_poured) {
		*json = before;
		json_string(json, "file", input->name);
		report_json(report, json);
		failed = 0;
	}
	listed_file_close(&file);
	return failed;
}

/* A single file is the document. Several files are a list in it. */
static void dump_json(const struct input_list *list, const struct command *cmd,
		      struct report *report)
{
	struct json json = { .text.stream = report->out.stream };

	document_open(&json);
	if (list->n == 1 && !list->is_list) {
		if (dump_json_file(&list->items[0], cmd, report, &json))
			return;
	} else {
		/*
		 * The messages so far, which belong to archives and
		 * directories.
		 */
		report_json(report, &json);
		json_key(&json, "files");
		json_open(&json, '[');
		for (size_t i = 0; i < list->n; i++) {
			json_open(&json, '{');
			if (dump_json_file(&list->items[i], cmd, report, &json))
				return;
			json_close(&json, '}');
		}
		json_close(&json, ']');
	}
	json_close(&json, '}');
}

static void dump_lines(const struct input_list *list, const struct command *cmd,
		       struct report *report, struct output_state *state)
{
	for (size_t i = 0; i < list->n; i++) {
		struct listed_file file = { 0 };
		size_t nlines = state->nlines, n = state->summary.n;

		list_file(&list->items[i], cmd, report, &file, NULL, state);
		if (report_confirm(report, &file.obj, 1)) {
			state->nlines = nlines;
			state->summary.n = n;
		}
		listed_file_close(&file);
		/* A document is whole at its end. */
		if (cmd->format != FORMAT_JSON && report_release(report))
			return;
	}
}

static void dump_summary(const struct input_list *list,
			 const struct command *cmd, struct report *report,
			 struct output_state *state)
{
	struct json json = { .text.stream = report->out.stream };

	dump_lines(list, cmd, report, state);
	if (cmd->format != FORMAT_JSON) {
		summary_print(&report->diag, cmd, &state->summary, report,
			      NULL);
		return;
	}
	document_open(&json);
	summary_print(&report->diag, cmd, &state->summary, report, &json);
	report_json(report, &json);
	json_close(&json, '}');
}

int command_dump(const struct command *cmd, struct report *report)
{
	struct output_state state = { .nlines = 0 };
	struct input_list list;

	if (cmd->against != NULL)
		return command_against(cmd, report);
	columns_init(&state.columns);
	if (input_list_make(&report->diag, &cmd->inputs, &list) == 0) {
		if (cmd->summary != SUMMARY_NONE)
			dump_summary(&list, cmd, report, &state);
		else if (cmd->format == FORMAT_JSON)
			dump_json(&list, cmd, report);
		else
			dump_lines(&list, cmd, report, &state);
	}
	summary_free(&state.summary);
	input_list_free(&list);
	return report_status(report);
}
