/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --verify: opens what it is about, and runs the proof. */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/grow.h"
#include "elf/check.h"
#include "elf/debug-file.h"
#include "elf/flashed.h"
#include "command.h"
#include "drift-report.h"
#include "input.h"
#include "listing.h"
#include "sites/probe.h"
#include "sites/tracepoint.h"
#include "prove/verify.h"
#include "table/undo-nop.h"
#include "table/stripped.h"
#include "table/table.h"
#include "verify-print.h"

static int exit_status(const struct report *report,
		       const struct verification *v)
{
	int status = report_status(report);

	if (status == EXIT_YES && v->verdict != VERDICT_PROVED &&
	    v->verdict != VERDICT_SOUND)
		return EXIT_NO;
	return status;
}

static int judge_records(struct diag *d, const struct object *obj)
{
	struct tracepoint_set records = { 0 };
	struct image img = { 0 };
	bool is_final = obj->ehdr.e_type != ET_REL;
	int ret = 0;

	if (!tracepoint_present(obj))
		return 0;
	if (is_final)
		ret = image_open(d, obj, &img);
	if (ret == 0)
		ret = tracepoint_read(d, obj, is_final ? &img : NULL, &records);
	if (ret == 0)
		ret = tracepoint_lint(d, obj, &records);
	tracepoint_set_free(&records);
	image_close(&img);
	return ret;
}

/* Checks tracepoint records in both: none may get lost. */
static int judge_tracepoints(struct diag *d, const struct object *partials,
			     size_t n, const struct object *final,
			     const struct verification *v)
{
	for (size_t i = 0; i < n; i++)
		if (judge_records(d, &partials[i]))
			return -1;
	if (judge_records(d, final))
		return -1;
	if (v->nrecorded == v->ntracepoints)
		return 0;
	return diag_report(d, SEVERITY_NO,
			   &(struct place){ .file = final->path }, "tracepoint",
			   "KEEP(*(set_sdt_tracepoint_set))",
			   "%zu of the partial's %zu tracepoint records are "
			   "left",
			   v->nrecorded, v->ntracepoints);
}

static int compare_files(const void *a, const void *b)
{
	const struct object *x = *(const struct object *const *)a;
	const struct object *y = *(const struct object *const *)b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->inode != y->inode)
		return x->inode < y->inode ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int report_twice(struct diag *d, const char *path)
{
	return diag_file(d, path, "same-partial",
			 "was given twice: give each partial once, and a copy "
			 "of one that was linked twice");
}

/* One file twice would count its sites twice. */
static int check_twice(struct diag *d, const struct object *partials, size_t n)
{
	const struct object **sorted = malloc((n + 1) * sizeof(sorted[0]));
	const struct object *twice = NULL;

	if (sorted == NULL)
		return diag_nomem(d, partials->path);
	for (size_t i = 0; i < n; i++)
		sorted[i] = &partials[i];
	qsort(sorted, n, sizeof(sorted[0]), compare_files);
	for (size_t i = 1; i < n; i++)
		if (sorted[i]->inode != 0 && /* no member of an archive */
		    sorted[i]->device == sorted[i - 1]->device &&
		    sorted[i]->inode == sorted[i - 1]->inode &&
		    (twice == NULL || sorted[i] < twice))
			twice = sorted[i];
	free(sorted);
	return twice == NULL ? 0 : report_twice(d, twice->path);
}

static bool is_linked(const struct object *obj)
{
	return obj->ehdr.e_type == ET_EXEC || obj->ehdr.e_type == ET_DYN;
}

static int report_order(struct diag *d, const char *path)
{
	return diag_file(d, path, "wrong-type",
			 "is a linked image, and the last file is none: give "
			 "the partials first, then the final");
}

static int report_flashed(struct diag *d, const char *path)
{
	return diag_report(d, SEVERITY_TROUBLE, &(struct place){ .file = path },
			   "not-elf",
			   "give the objects, the final, and this file with "
			   "--image",
			   "not an ELF file");
}

/*
 * There is no partial. If the last file is one, the order is wrong. If it is no
 * ELF file, it may be what is flashed.
 */
static int refuse_first(struct diag *d, const char *path, const char *last,
			struct object *final)
{
	struct diag quiet = { .sink = diag_ignore };
	enum input_kind kind = input_file((char *)last).kind;
	bool is_flashed = kind == INPUT_FLASH || kind == INPUT_UNKNOWN;

	if (kind == INPUT_ARCHIVE)
		return report_order(d, path);
	if (object_open(is_flashed ? &quiet : d, last, final))
		return is_flashed ? report_flashed(d, last) : -1;
	return is_linked(final) ? 0 : report_order(d, path);
}

static int open_partial(struct diag *d, const struct command *cmd,
			const char *path, struct object *partial,
			struct object *final)
{
	if (object_open(d, path, partial))
		return -1;
	if (is_linked(partial) &&
	    refuse_first(d, path, verify_final_path(cmd), final))
		return -1;
	return check_object(d, partial, OBJECT_PARTIAL) || undo_nop(d, partial);
}

/* --- The partials, and the members of archives that have probes ----------- */

struct partials {
	struct input_list inputs;
	struct object *objects; /* owned; the final is behind them */
	size_t n;
	struct collected **collected; /* see verify.h */
	size_t ncollected;
};

/*
 * Was an archive given twice? Its members have no file of their own to compare.
 */
static int check_archives(struct diag *d, const struct string_list *paths)
{
	for (size_t i = 1; i < paths->n; i++) {
		const char *path = paths->items[i];
		struct stat x, y;

		if (input_file((char *)path).kind != INPUT_ARCHIVE ||
		    stat(path, &x) != 0)
			continue;
		for (size_t k = 0; k < i; k++)
			if (stat(paths->items[k], &y) == 0 &&
			    x.st_dev == y.st_dev && x.st_ino == y.st_ino)
				return report_twice(d, path);
	}
	return 0;
}

/* --dump looks in directories; a proof wants to be told what was linked. */
static int check_directories(struct diag *d, const struct string_list *paths)
{
	struct stat st;

	for (size_t i = 0; i < paths->n; i++)
		if (stat(paths->items[i], &st) == 0 && S_ISDIR(st.st_mode))
			return diag_file(d, paths->items[i], "cannot-read",
					 "is a directory: give its "
					 "files one by one");
	return 0;
}

static int list_partials(struct diag *d, const struct command *cmd,
			 struct partials *partials)
{
	struct string_list paths = cmd->inputs;

	paths.n--;
	if (check_directories(d, &paths))
		return -1;
	if (input_list_make(d, &paths, &partials->inputs))
		return -1;
	partials->objects =
		calloc(partials->inputs.n + 1, sizeof(partials->objects[0]));
	return partials->objects == NULL ? diag_nomem(d, verify_final_path(cmd))
					 : 0;
}

static int open_member(struct diag *d, const struct command *cmd,
		       const struct input *input, struct partials *partials)
{
	struct object *obj = &partials->objects[partials->n];
	uint8_t *copy = input_copy(d, input);

	if (copy == NULL)
		return -1;
	if (probe_mentions(&cmd->options, copy, input->size) == MENTIONS_NONE) {
		free(copy);
		return 0;
	}
	partials->n++;
	if (object_open_owned(d, input->name, copy, input->size, obj))
		return -1;
	obj->is_member = input->is_member;
	return check_object(d, obj, OBJECT_PARTIAL) || undo_nop(d, obj);
}

/* Their symbols would be unknown: the debug file has other numbers. */
static bool has_kept_relocs(const struct object *final)
{
	for (size_t i = 1; i < final->nsections; i++)
		if (section_is_relocs(&final->sections[i]) &&
		    !section_is_alloc(&final->sections[i]) &&
		    final->sections[i].size > 0)
			return true;
	return false;
}

/* Without names, this is what can be said. */
static int refuse_stripped(struct diag *d, const struct command *cmd,
			   const struct object *final)
{
	struct image img = { 0 };
	struct table table = { 0 };
	struct found_tables found = { 0 };
	struct place place = { .file = final->path };
	bool is_there;
	int ret = -1;

	if (image_open(d, final, &img) == 0 &&
	    table_read(d, &img, &cmd->options, &table, &is_there) == 0 &&
	    table_search(d, &img, &table, &found) == 0) {
		size_t nsites = 0;

		for (size_t i = 0; i < table.nentries; i++)
			nsites += table_is_site(&img, &table.entries[i]);
		ret = diag_report(
			d, SEVERITY_TROUBLE, &place, "no-symbols",
			"give the file that has its symbols with --debug-file, "
			"or run sdtlink before strip",
			"no symbol table: %zu of %zu entries of its table are "
			"sites, but that they are all, and which, only names "
			"can tell",
			nsites, table.nentries);
	}
	free(found.items);
	table_free(&table);
	image_close(&img);
	return ret;
}

/* Where the symbols of a stripped final come from. */
struct names_source {
	struct debug_file debug;
	struct stripped stripped;
	bool is_nameless; /* from its table alone */
};

/* Without names, only a part of the question can be answered. */
static void report_partly(struct diag *d, const struct object *final,
			  const struct names_source *source,
			  const struct verification *v)
{
	diag_report(d, SEVERITY_TROUBLE, &(struct place){ .file = final->path },
		    "no-symbols",
		    "give the file that has its symbols with --debug-file, or "
		    "run sdtlink before strip",
		    "no symbol table: %zu of the table's %zu entries are "
		    "proved; that no site is missing, %sand that nothing else "
		    "branches to a stub, only names can tell",
		    v->nproved, v->nentries,
		    source->stripped.has_no_bounds ? "where the table ends, "
						   : "");
}

static void names_source_close(struct names_source *source)
{
	debug_file_close(&source->debug);
	stripped_free(&source->stripped);
}

/* A flashed file has no names to look for. */
static int lend_names(struct diag *d, const struct command *cmd,
		      struct object *final, struct names_source *source)
{
	bool found;

	if (debug_file_lend(d, final, cmd->debug_file, BELONGS, &source->debug,
			    &found))
		return -1;
	if (found || cmd->image != NULL || cmd->inputs.n == 1)
		return found ? 0 : refuse_stripped(d, cmd, final);
	if (stripped_lend(d, final, &cmd->options, &source->stripped, &found))
		return -1;
	source->is_nameless = found;
	return found ? 0 : refuse_stripped(d, cmd, final);
}

/*
 * Checks an open final. A stripped final with the symbols of its debug file is
 * like any other. With the symbols that its table implies, a part can be
 * proved.
 */
static int check_final(struct diag *d, const struct command *cmd,
		       struct object *final, struct names_source *source)
{
	if (!is_linked(final) || final->is_bare)
		return check_object(d, final, OBJECT_FINAL);
	if (check_object(d, final, OBJECT_LISTED))
		return -1;
	if (!final->is_stripped)
		return 0;
	if (lend_names(d, cmd, final, source))
		return -1;
	if (has_kept_relocs(final))
		return diag_file(d, final->path, "no-symbols",
				 "has relocations of a symbol table that is "
				 "gone: run sdtlink before strip");
	return 0;
}

static int open_partials(struct diag *d, const struct command *cmd,
			 struct partials *partials)
{
	const struct input_list *list = &partials->inputs;

	for (size_t i = 0; i < list->n; i++) {
		const struct input *input = &list->items[i];
		struct object *obj = &partials->objects[partials->n];

		if (input->bytes != NULL) {
			if (open_member(d, cmd, input, partials))
				return -1;
			continue;
		}
		partials->n++;
		if (open_partial(d, cmd, input->name, obj,
				 &partials->objects[list->n]))
			return -1;
	}
	return 0;
}

static int open_all(struct diag *d, const struct command *cmd,
		    struct partials *partials, struct names_source *source)
{
	struct object *final;

	if (open_partials(d, cmd, partials) ||
	    check_twice(d, partials->objects, partials->n) ||
	    (partials->inputs.narchives > 1 && check_archives(d, &cmd->inputs)))
		return -1;
	if (partials->n == 0 && cmd->inputs.n > 1)
		return diag_report(
			d, SEVERITY_TROUBLE,
			&(struct place){ .file = cmd->inputs.items[0] },
			"no-probes",
			"is this the right file, and the right --prefix?",
			"no object in it has probes");
	final = &partials->objects[partials->n];
	return object_open(d, verify_final_path(cmd), final) ||
	       check_final(d, cmd, final, source);
}

static int judge(struct diag *d, const struct command *cmd,
		 const struct object *partials, size_t n,
		 const struct object *final, struct verification *v)
{
	if (v->is_alone
		    ? alone_verify(d, final, &cmd->options, v)
		    : verify_objects(d, partials, n, final, &cmd->options, v))
		return -1;
	return judge_tracepoints(d, partials, n, final, v);
}

/* --- The image as it is flashed ------------------------------------------ */

static int read_flash(struct diag *d, const struct command *cmd,
		      const struct object *final, struct flashed *flashed)
{
	uint8_t *bytes;
	size_t size;

	if (cmd->image == NULL)
		return 0;
	return input_read(d, cmd->image, &bytes, &size) ||
	       flashed_read(d, cmd->image, bytes, size, &cmd->flash, final,
			    flashed);
}

/* What was said about the final is not repeated. */
static void pass_errors(void *ctx, const struct diagnostic *dg)
{
	struct diag *d = ctx;

	if (dg->severity >= SEVERITY_NO)
		diag_report(d, dg->severity, &dg->place, dg->code, dg->remedy,
			    "%s", dg->text);
}

/*
 * Proves the final once more, with the bytes of the file. They may differ from
 * the linker's, as long as the proof holds.
 */
static int judge_bytes(struct diag *d, const struct command *cmd,
		       const struct object *partials, size_t n,
		       struct object *flashed, struct verification *v)
{
	struct diag errors = { .sink = pass_errors, .ctx = d };
	struct verification again = *v;
	struct names_source source = { .is_nameless = false };
	int ret;

	again.flashed = NULL;
	again.note = NULL;
	again.placed = NULL;
	again.nfindings = 0;
	ret = check_final(&errors, cmd, flashed, &source) ||
	      judge(&errors, cmd, partials, n, flashed, &again);
	v->verdict = again.verdict;
	v->nfindings = again.nfindings;
	names_source_close(&source);
	return ret ? -1 : 0;
}

static int judge_flash(struct diag *d, const struct object *partials, size_t n,
		       struct finding_list *list, struct judged_flash *flash,
		       struct verification *v)
{
	const struct command *cmd = list->cmd;
	struct object flashed = { 0 };
	uint8_t *bytes;
	size_t size;
	int ret;

	bytes = flashed_make(&flash->file, &size, &flash->ndiffering);
	if (bytes == NULL)
		return diag_nomem(d, cmd->image);
	flash->is_compared = true;
	if (flash->ndiffering == 0) {
		free(bytes);
		return 0;
	}
	list->path = cmd->image;
	ret = object_open_owned(d, cmd->image, bytes, size, &flashed);
	flashed.is_pe = partials[n].is_pe;
	ret = ret || judge_bytes(d, cmd, partials, n, &flashed, v);
	object_close(&flashed);
	return ret ? -1 : 0;
}

/* Judges the final. If it is proved, then the file that was made from it. */
static int judge_all(struct diag *d, const struct object *partials, size_t n,
		     struct finding_list *list, struct judged_flash *flash,
		     struct verification *v)
{
	const struct object *final = &partials[n];

	if (read_flash(d, list->cmd, final, &flash->file))
		return -1;
	v->flashed = list->cmd->image != NULL ? &flash->file : NULL;
	if (judge(d, list->cmd, partials, n, final, v))
		return -1;
	return v->flashed == NULL || v->verdict != VERDICT_PROVED
		       ? 0
		       : judge_flash(d, partials, n, list, flash, v);
}

/* ------------------------------------------------------------------------- */

static bool wants_drift(const struct command *cmd)
{
	return cmd->mode == MODE_VERIFY && cmd->is_verbose && !cmd->is_quiet &&
	       cmd->format == FORMAT_TEXT;
}

/* With --link. A linker script may drop what tracers look for. */
static void require_notes(struct diag *d, const struct command *cmd,
			  const struct object *final)
{
	if (cmd->options.notes == NOTES_STAPSDT &&
	    object_find_section(final, ".note.stapsdt") == 0)
		diag_report(d, SEVERITY_WARNING,
			    &(struct place){ .file = final->path },
			    "notes-missing",
			    "in the linker script, before /DISCARD/, write "
			    ".note.stapsdt 0 : { *(.note.stapsdt) }",
			    "no section .note.stapsdt, so tracers find no "
			    "probes");
}

/* IS_OPEN: all inputs are open and checked. */
static int judge_and_print(const struct command *cmd, struct report *report,
			   const struct partials *inputs, bool is_open,
			   const struct names_source *names)
{
	struct diag *d = &report->diag;
	struct object *partials = inputs->objects;
	size_t n = inputs->n;
	struct finding_list list = { .cmd = cmd,
				     .report = report,
				     .path = verify_final_path(cmd),
				     .code = { .objs = partials, .n = n } };
	struct judged_flash flash = { .ndiffering = 0 };
	struct diag quiet = { .sink = diag_ignore };
	struct drift drift = { 0 };
	struct verification v = {
		.verdict = VERDICT_REFUSED,
		.is_linked = cmd->mode == MODE_LINK,
		.is_nameless = names->is_nameless,
		.is_alone = cmd->mode == MODE_VERIFY && cmd->inputs.n == 1,
		.collected = inputs->collected,
		.ncollected = inputs->ncollected,
		.sink = finding_list_add,
		.note = finding_list_note,
		.placed = wants_drift(cmd) ? finding_list_section : NULL,
		.ctx = &list,
	};
	const struct object *final = &partials[n];
	bool is_judged = is_open &&
			 finding_lines_open(d, partials, n, cmd->debug_file,
					    &list.lines) == 0 &&
			 judge_all(d, partials, n, &list, &flash, &v) == 0;
	bool has_drift;
	int status;

	if (list.is_cut)
		is_judged = diag_nomem(d, verify_final_path(cmd)) == 0;
	if (is_judged) {
		require_probes(d, cmd, cmd->inputs.items[0],
			       v.nsites - v.ngone);
		require_sections(d, cmd, partials, n);
		if (v.nsites > v.ngone)
			require_notes(d, cmd, final);
	}
	has_drift = is_judged && wants_drift(cmd) &&
		    v.verdict == VERDICT_PROVED;
	if (has_drift)
		drift_objects(&quiet, partials, n, final, &drift);
	if (is_judged && names->is_nameless && d->nno + d->ntrouble == 0 &&
	    v.verdict != VERDICT_DRIFT)
		report_partly(d, final, names, &v);
	if (report_confirm(report, partials, n + 1)) {
		is_judged = false;
		finding_list_free(&list);
	}
	status = exit_status(report, &v);
	if (!is_judged)
		v.verdict = VERDICT_REFUSED;
	if (cmd->format == FORMAT_JSON)
		verify_print_json(final, &v, &flash, &list, report);
	else if (is_judged)
		verify_print_verdict(cmd, report, &v, &flash);
	if (is_judged && has_drift)
		drift_print_verified(
			&(struct drift_report){
				.cmd = cmd,
				.inputs = partials,
				.drift = &drift,
				.stream = report->out.stream,
				.is_short = true,
			},
			list.sections, list.nsections, v.nunexplained == 0);
	drift_free(&drift);
	flashed_free(&flash.file);
	finding_list_free(&list);
	finding_lines_close(&list.lines);
	finding_disassembly_close(&list.code);
	return status;
}

/* A linker may be told to write another format. PE is one to prove. */
static int open_linked(struct diag *d, const char *path, struct object *final)
{
	struct diag quiet = { .sink = diag_ignore };
	enum input_kind kind = input_file((char *)path).kind;

	if (kind != INPUT_FLASH && kind != INPUT_UNKNOWN)
		return object_open(d, path, final);
	if (object_open(&quiet, path, final) == 0)
		return 0;
	return diag_report(d, SEVERITY_TROUBLE, &(struct place){ .file = path },
			   "not-elf",
			   "link an ELF image, and make this file of it with "
			   "objcopy -O",
			   "not an ELF file");
}

int verify_linked(const struct command *cmd, struct report *report,
		  struct object *partials, size_t n,
		  struct collected **collected, size_t ncollected)
{
	struct diag *d = &report->diag;
	struct partials inputs = { .objects = partials,
				   .n = n,
				   .collected = collected,
				   .ncollected = ncollected };
	struct object *final = &partials[n];
	bool is_open = open_linked(d, verify_final_path(cmd), final) == 0 &&
		       check_object(d, final, OBJECT_FINAL) == 0;
	const struct names_source names = { .is_nameless = false };
	int status = judge_and_print(cmd, report, &inputs, is_open, &names);

	object_close(final);
	return status;
}

/*
 * Is the only input a final with a table? If not, only its tracepoint records
 * can be checked.
 */
static bool has_table(const struct command *cmd)
{
	struct diag quiet = { .sink = diag_ignore };
	struct object obj = { 0 };
	struct image img = { 0 };
	struct table table = { 0 };
	struct found_tables found = { 0 };
	bool is_there = false;

	if (object_open(&quiet, verify_final_path(cmd), &obj) == 0 &&
	    is_linked(&obj) && !obj.is_bare &&
	    check_object(&quiet, &obj, OBJECT_LISTED) == 0 &&
	    image_open(&quiet, &obj, &img) == 0 &&
	    /* A damaged one is one. */
	    table_read(&quiet, &img, &cmd->options, &table, &is_there))
		is_there = quiet.nno > 0;
	else if (img.obj != NULL && obj.is_stripped && !is_there &&
		 table_search(&quiet, &img, &table, &found) == 0)
		is_there = found.n > 0;
	free(found.items);
	table_free(&table);
	image_close(&img);
	object_close(&obj);
	return is_there;
}

/* Nobody says of several finals at once that each is right. */
static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int command_verify(const struct command *cmd, struct report *report)
{
	struct diag *d = &report->diag;
	struct partials partials = { .n = 0 };
	struct names_source source = { .is_nameless = false };
	int status = EXIT_TROUBLE;
	bool is_open;

	if (cmd->inputs.n == 1 && !is_directory(cmd->inputs.items[0]) &&
	    !has_table(cmd))
		return command_dump(cmd, report);
	if (list_partials(d, cmd, &partials) == 0) {
		is_open = d->ntrouble == 0 &&
			  open_all(d, cmd, &partials, &source) == 0;
		status = judge_and_print(cmd, report, &partials, is_open,
					 &source);
		for (size_t i = 0; i <= partials.inputs.n; i++)
			object_close(&partials.objects[i]);
	}
	names_source_close(&source);
	free(partials.objects);
	input_list_free(&partials.inputs);
	return status;
}
