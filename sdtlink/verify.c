/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --verify: the proof, and what it found. */
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
#include "finding-code.h"
#include "finding-lines.h"
#include "input.h"
#include "listing.h"
#include "sites/tracepoint.h"
#include "prove/verify.h"
#include "source-text.h"
#include "make/substitute.h"
#include "table/restore.h"
#include "table/stripped.h"
#include "table/table.h"

struct kept_finding {
	struct finding finding;
	struct source_chain chain;
};

/* Kept, since in JSON the findings come after the head. */
struct finding_list {
	const struct command *cmd;
	struct report *report;
	const char *path; /* that they are about */
	struct finding_lines lines;
	struct finding_code code;
	struct kept_finding *items;
	size_t n;
	struct unexplained *notes;
	size_t nnotes;
	struct verified_section *sections; /* with -v; owned */
	size_t nsections;
	bool is_cut; /* there was no memory for one */
};

static void print_displacement(FILE *stream, const struct finding *f)
{
	if (!f->has_displacement)
		return;
	if (f->displacement < 0)
		fprintf(stream, ", displaced by -0x%" PRIx64,
			-(uint64_t)f->displacement);
	else
		fprintf(stream, ", displaced by +0x%" PRIx64,
			(uint64_t)f->displacement);
}

/* The last input. */
static const char *final_path(const struct command *cmd)
{
	return cmd->inputs.items[cmd->inputs.n - 1];
}

static void print_line(FILE *stream, const char *before,
		       const struct source_frame *frame)
{
	fputs(before, stream);
	print_escaped(stream, frame->file);
	fprintf(stream, ":%u", frame->line);
}

/* Prints a place in a partial, or an address of the final, or nothing. */
static void print_place(FILE *stream, const struct finding *f,
			const struct source_frame *frame)
{
	if (f->section == NULL && !f->has_address)
		return;
	if (f->section != NULL) {
		print_escaped(stream, f->partial);
		fputs(":(", stream);
		print_escaped(stream, f->section);
		if (f->has_offset)
			fprintf(stream, "+0x%" PRIx64, f->offset);
		fputc(')', stream);
	} else
		fprintf(stream, "0x%" PRIx64, f->address);
	if (f->function != NULL) {
		fputs(" in ", stream);
		print_escaped(stream, f->function);
		fprintf(stream, "+0x%" PRIx64, f->function_offset);
	}
	if (frame != NULL)
		print_line(stream, " at ", frame);
	fputs(": ", stream);
}

/*
 * Prints a finding as one line. For a person, the source line comes first, as
 * in compilers, and the code below.
 */
static void print_finding(struct finding_list *list, const struct finding *f,
			  const struct source_chain *chain)
{
	FILE *stream = list->report->err.stream;
	bool is_person = list->report->gives_hint;
	const struct source_frame *frame =
		chain->nframes > 0 && chain->frames[0].file != NULL
			? chain->frames
			: NULL;

	report_hint(list->report, cause_name(f->cause));
	if (is_person && frame != NULL)
		print_line(stream, "", frame);
	else {
		fputs("sdtlink: ", stream);
		print_escaped(stream, list->path);
	}
	fprintf(stream, ": %s%s:%s %s: ",
		!list->report->is_colored ? ""
		: f->is_open		  ? "\033[1;35m"
					  : "\033[1;31m",
		f->is_open ? "not proved" : "drift",
		list->report->is_colored ? "\033[0m" : "",
		cause_name(f->cause));
	print_place(stream, f, is_person ? NULL : frame);
	print_escaped(stream, f->text);
	print_displacement(stream, f);
	fprintf(stream, "; %s\n", f->advice);
	/* The bytes of a flashed image are not available here. */
	if (is_person && list->path == final_path(list->cmd))
		finding_code_print(&list->code, f, stream);
}

static void print_unexplained(const struct finding_list *list,
			      const struct unexplained *u)
{
	FILE *stream = list->report->err.stream;

	if (list->cmd->is_quiet)
		return;
	fputs("sdtlink: ", stream);
	print_escaped(stream, list->path);
	fprintf(stream, ": %snote:%s ",
		list->report->is_colored ? "\033[1;35m" : "",
		list->report->is_colored ? "\033[0m" : "");
	print_escaped(stream, u->partial);
	fputs(":(", stream);
	print_escaped(stream, u->section);
	fprintf(stream, "+0x%" PRIx64 ")", u->offset);
	if (u->function != NULL) {
		fputs(" in ", stream);
		print_escaped(stream, u->function);
		fprintf(stream, "+0x%" PRIx64, u->function_offset);
	}
	fprintf(stream,
		": %" PRIu64 " bytes of the function, from 0x%" PRIx64
		" on, are not the partial's, and not explained\n",
		u->size, u->address);
}

static char *copy(struct finding_list *list, const char *string)
{
	char *copied = string != NULL ? strdup(string) : NULL;

	list->is_cut |= string != NULL && copied == NULL;
	return copied;
}

static void receive(void *ctx, const struct finding *f)
{
	struct finding_list *list = ctx;
	struct kept_finding *items;
	struct source_chain chain;

	finding_lines_find(&list->lines, f, &chain);
	if (list->cmd->format == FORMAT_TEXT) {
		print_finding(list, f, &chain);
		source_chain_free(&chain);
		return;
	}
	items = grow_list(list->items, list->n, sizeof(items[0]));
	if (items == NULL) {
		source_chain_free(&chain);
		list->is_cut = true;
		return;
	}
	list->items = items;
	items += list->n++;
	*items = (struct kept_finding){ *f, chain };
	items->finding.section = copy(list, f->section);
	items->finding.function = copy(list, f->function);
	items->finding.text = copy(list, f->text);
}

static void receive_note(void *ctx, const struct unexplained *u)
{
	struct finding_list *list = ctx;
	struct unexplained *items;

	if (list->cmd->format == FORMAT_TEXT) {
		print_unexplained(list, u);
		return;
	}
	items = realloc(list->notes, (list->nnotes + 1) * sizeof(items[0]));
	if (items == NULL) {
		list->is_cut = true;
		return;
	}
	list->notes = items;
	items[list->nnotes] = *u;
	items[list->nnotes].section = copy(list, u->section);
	items[list->nnotes++].function = copy(list, u->function);
}

static void receive_section(void *ctx, const struct verified_section *section)
{
	struct finding_list *list = ctx;
	struct verified_section *items =
		grow_list(list->sections, list->nsections, sizeof(items[0]));

	if (items == NULL) {
		list->is_cut = true;
		return;
	}
	list->sections = items;
	items[list->nsections++] = *section;
}

static void free_findings(struct finding_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		free((char *)list->items[i].finding.section);
		free((char *)list->items[i].finding.function);
		free((char *)list->items[i].finding.text);
		source_chain_free(&list->items[i].chain);
	}
	free(list->items);
	for (size_t i = 0; i < list->nnotes; i++) {
		free((char *)list->notes[i].section);
		free((char *)list->notes[i].function);
	}
	free(list->notes);
	free(list->sections);
	list->items = NULL;
	list->n = 0;
	list->notes = NULL;
	list->nnotes = 0;
	list->sections = NULL;
	list->nsections = 0;
}

static void finding_json(const struct kept_finding *kept, struct json *json)
{
	const struct finding *f = &kept->finding;
	char displacement[24];
	uint64_t size = f->displacement < 0 ? -(uint64_t)f->displacement
					    : (uint64_t)f->displacement;

	snprintf(displacement, sizeof(displacement), "%s0x%" PRIx64,
		 f->displacement < 0 ? "-" : "", size);
	json_open(json, '{');
	json_string(json, "cause", cause_name(f->cause));
	json_string(json, "partial", f->partial);
	json_string(json, "section", f->section);
	json_string(json, "function", f->function);
	json_hex(json, "function_offset", f->function != NULL,
		 f->function_offset);
	json_hex(json, "offset", f->has_offset, f->offset);
	json_hex(json, "address", f->has_address, f->address);
	json_string(json, "displacement",
		    f->has_displacement ? displacement : NULL);
	json_string(json, "text", f->text);
	json_string(json, "remedy", f->advice);
	frames_json(kept->chain.frames, kept->chain.nframes, json);
	json_close(json, '}');
}

static void unexplained_json(const struct unexplained *u, struct json *json)
{
	json_open(json, '{');
	json_string(json, "partial", u->partial);
	json_string(json, "section", u->section);
	json_string(json, "function", u->function);
	json_hex(json, "function_offset", u->function != NULL,
		 u->function_offset);
	json_hex(json, "offset", true, u->offset);
	json_hex(json, "address", true, u->address);
	json_number(json, "bytes", u->size);
	json_close(json, '}');
}

/* A program that knows only "proved" must not mistake one for the other. */
static const char *verdict_name(const struct verification *v)
{
	switch (v->verdict) {
	case VERDICT_PROVED:
		return v->nunexplained > 0 ? "sites-proved" : "proved";
	case VERDICT_DRIFT:
		return "drift";
	case VERDICT_PARTLY:
		return "partly-proved";
	case VERDICT_SOUND:
		return "sound";
	case VERDICT_REFUSED:
		break;
	}
	return "refused";
}

/* What a final alone does not show. */
static const char *const unchecked[NUNCHECKED][2] = {
	[UNCHECKED_SITES] = { "sites",
			      "that no site is missing with its branch or "
			      "record, its entry and its section" },
	[UNCHECKED_TEXT] = { "text",
			     "that the code is what the compiler wrote, "
			     "but for where its sites branch" },
	[UNCHECKED_ADDRESSES] = { "addresses",
				  "that no pointer or register leads to a "
				  "stub" },
	[UNCHECKED_JUMPS] = { "jumps",
			      "of sites of the branch form: their probes, "
			      "where they jump, and that none is missing" },
	[UNCHECKED_FOLDED] = { "folded",
			       "that sites with several entries are of "
			       "functions that the linker folded" },
	[UNCHECKED_FUNCTIONS] = { "functions",
				  "names of functions that the table has and "
				  "the image has not" },
};

static void print_unchecked(const struct command *cmd, FILE *stream,
			    const struct verification *v)
{
	for (unsigned i = 0; i < NUNCHECKED; i++) {
		if (!(v->unchecked >> i & 1))
			continue;
		print_escaped(stream, final_path(cmd));
		fprintf(stream, ": not checked: %s\n", unchecked[i][1]);
	}
}

static void unchecked_json(const struct verification *v, struct json *json)
{
	json_key(json, "unchecked");
	json_open(json, '[');
	for (unsigned i = 0; i < NUNCHECKED; i++) {
		if (!(v->unchecked >> i & 1))
			continue;
		json_open(json, '{');
		json_string(json, "step", unchecked[i][0]);
		json_string(json, "text", unchecked[i][1]);
		json_close(json, '}');
	}
	json_close(json, ']');
}

/*
 * The file that --image names, and how many of its bytes are not the final's.
 */
struct judged_image {
	struct flashed flashed;
	bool is_compared;    /* it has all that the proof relies on */
	uint64_t ndiffering; /* bytes, if so */
};

static void image_json(const struct command *cmd,
		       const struct judged_image *image, struct json *json)
{
	if (cmd->image == NULL) {
		json_string(json, "image", NULL);
		return;
	}
	json_key(json, "image");
	json_open(json, '{');
	json_string(json, "file", cmd->image);
	json_string(json, "format", image->flashed.flash.format);
	if (image->is_compared)
		json_number(json, "differing", image->ndiffering);
	else
		json_string(json, "differing", NULL);
	json_close(json, '}');
}

/* What can be proved of a final without symbols. */
static void entries_json(const struct verification *v, struct json *json)
{
	if (!v->is_nameless) {
		json_string(json, "entries", NULL);
		return;
	}
	json_key(json, "entries");
	json_open(json, '{');
	json_number(json, "total", v->nentries);
	json_number(json, "proved", v->nproved);
	json_close(json, '}');
}

static void print_json(const struct object *final, const struct verification *v,
		       const struct judged_image *image,
		       const struct finding_list *list, struct report *report)
{
	struct json json = { .text.stream = report->out.stream };

	json_open(&json, '{');
	json_head(&json);
	json_string(&json, "file", final_path(list->cmd));
	json_string(&json, "type", "final");
	json_string(&json, "machine", final->arch ? final->arch->name : NULL);
	if (final->arch != NULL)
		json_number(&json, "class", final->is_64 ? 64 : 32);
	else
		json_string(&json, "class", NULL);
	json_string(&json, "data",
		    final->arch == NULL	   ? NULL
		    : final->is_big_endian ? "big"
					   : "little");
	json_string(&json, "partial",
		    v->is_alone ? NULL : list->cmd->inputs.items[0]);
	json_key(&json, "partials");
	json_open(&json, '[');
	for (size_t i = 0; i + 1 < list->cmd->inputs.n; i++)
		json_string(&json, NULL, list->cmd->inputs.items[i]);
	json_close(&json, ']');
	image_json(list->cmd, image, &json);
	json_string(&json, "verdict", verdict_name(v));
	entries_json(v, &json);
	json_number(&json, "sites", v->nsites);
	json_number(&json, "probes", v->nprobes);
	json_number(&json, "sections", v->nsections);
	json_number(&json, "excluded", v->nexcluded);
	json_number(&json, "dead", v->ndead);
	json_number(&json, "dropped", v->ngone);
	json_number(&json, "folded", v->nfolded);
	json_key(&json, "unexplained");
	json_open(&json, '[');
	for (size_t i = 0; i < list->nnotes; i++)
		unexplained_json(&list->notes[i], &json);
	json_close(&json, ']');
	unchecked_json(v, &json);
	if (v->verdict != VERDICT_PROVED && v->verdict != VERDICT_SOUND) {
		json_key(&json, "findings");
		json_open(&json, '[');
		for (size_t i = 0; i < list->n; i++)
			finding_json(&list->items[i], &json);
		json_close(&json, ']');
	}
	report_json(report, &json);
	json_close(&json, '}');
}

static void print_count(FILE *stream, size_t n, const char *what,
			const char *after)
{
	fprintf(stream, "%zu %s%s%s", n, what, n == 1 ? "" : "s", after);
}

static void print_verdict(const struct command *cmd,
			  const struct report *report,
			  const struct verification *v,
			  const struct judged_image *image)
{
	bool is_proved = v->verdict == VERDICT_PROVED;
	bool is_right = is_proved || v->verdict == VERDICT_SOUND;
	/* Some read what a linker prints. */
	FILE *stream = is_right && cmd->mode != MODE_LINK ? report->out.stream
							  : report->err.stream;

	if (cmd->is_quiet ||
	    (is_proved && cmd->mode == MODE_LINK && !cmd->is_verbose))
		return;
	print_escaped(stream, final_path(cmd));
	fprintf(stream, ": %s: ", verdict_name(v));
	if (v->verdict != VERDICT_PROVED && v->nfindings > 0)
		print_count(stream, v->nfindings, "finding", ", ");
	if (v->verdict == VERDICT_PARTLY)
		fprintf(stream, "%zu of %zu entries of the table, ", v->nproved,
			v->nentries);
	print_count(stream, v->nsites, "site", " of ");
	print_count(stream, v->nprobes, "probe", " in ");
	print_count(stream, v->nsections, "section", "");
	if (v->nexcluded > 0)
		fprintf(stream, ", %zu excluded", v->nexcluded);
	if (v->ndead > 0)
		fprintf(stream, ", %zu dead", v->ndead);
	if (v->ngone > 0 && v->ngone == v->nsites)
		fputs(", none of them in the image", stream);
	else if (v->ngone > 0)
		fprintf(stream, ", %zu not in the image", v->ngone);
	if (v->nfolded > 0)
		fprintf(stream, ", %zu folded into others", v->nfolded);
	if (v->nunexplained > 0) {
		fputs(", ", stream);
		print_count(stream, v->nunexplained, "byte", " of ");
		print_count(stream, v->nunexplained_functions, "function",
			    " not explained");
	}
	if (cmd->image != NULL && is_proved) {
		fputs("; so is ", stream);
		print_escaped(stream, cmd->image);
		fprintf(stream, " (%s)", image->flashed.flash.format);
	}
	if (image->ndiffering > 0)
		fprintf(stream, ", of which %" PRIu64 " other byte%s differ%s",
			image->ndiffering, image->ndiffering == 1 ? "" : "s",
			image->ndiffering == 1 ? "s" : "");
	fputc('\n', stream);
	print_unchecked(cmd, stream, v);
}

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
			 "was given twice: give each partial once");
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

static int open_partial(struct diag *d, const struct command *cmd,
			const char *path, struct object *partial,
			struct object *final)
{
	if (object_open(d, path, partial))
		return -1;
	/* There is no partial. If the last file is one, the order is wrong. */
	if (is_linked(partial) && object_open(d, final_path(cmd), final))
		return -1;
	if (is_linked(partial) && !is_linked(final))
		return diag_file(d, path, "wrong-type",
				 "is a linked image, and the last file is "
				 "none: give the partials first, then the "
				 "final");
	return check_object(d, partial, OBJECT_PARTIAL) ||
	       restore_object(d, partial);
}

/* --- The partials, and the members of archives that have probes ----------- */

struct partials {
	struct input_list inputs;
	struct object *objects; /* owned; the final is behind them */
	size_t n;
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
					 "not a regular file");
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
	return partials->objects == NULL ? diag_nomem(d, final_path(cmd)) : 0;
}

static int open_member(struct diag *d, const struct command *cmd,
		       const struct input *input, struct partials *partials)
{
	struct object *obj = &partials->objects[partials->n];
	uint8_t *copy = input_copy(d, input);

	if (copy == NULL)
		return -1;
	if (substitute_mentions(&cmd->options, copy, input->size) ==
	    MENTIONS_NONE) {
		free(copy);
		return 0;
	}
	partials->n++;
	if (object_open_owned(d, input->name, copy, input->size, obj))
		return -1;
	obj->is_member = input->is_member;
	return check_object(d, obj, OBJECT_PARTIAL) || restore_object(d, obj);
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
	return object_open(d, final_path(cmd), final) ||
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

static int read_image(struct diag *d, const struct command *cmd,
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

	again.image = NULL;
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

static int judge_image(struct diag *d, const struct object *partials, size_t n,
		       struct finding_list *list, struct judged_image *image,
		       struct verification *v)
{
	const struct command *cmd = list->cmd;
	struct object flashed = { 0 };
	uint8_t *bytes;
	size_t size;
	int ret;

	bytes = flashed_make(&image->flashed, &size, &image->ndiffering);
	if (bytes == NULL)
		return diag_nomem(d, cmd->image);
	image->is_compared = true;
	if (image->ndiffering == 0) {
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
		     struct finding_list *list, struct judged_image *image,
		     struct verification *v)
{
	const struct object *final = &partials[n];

	if (read_image(d, list->cmd, final, &image->flashed))
		return -1;
	v->image = list->cmd->image != NULL ? &image->flashed : NULL;
	if (judge(d, list->cmd, partials, n, final, v))
		return -1;
	return v->image == NULL || v->verdict != VERDICT_PROVED
		       ? 0
		       : judge_image(d, partials, n, list, image, v);
}

/* ------------------------------------------------------------------------- */

static bool wants_drift(const struct command *cmd)
{
	return cmd->mode == MODE_VERIFY && cmd->is_verbose && !cmd->is_quiet &&
	       cmd->format == FORMAT_TEXT;
}

/* IS_OPEN: all inputs are open and checked. */
static int judge_and_print(const struct command *cmd, struct report *report,
			   struct object *partials, size_t n, bool is_open,
			   const struct names_source *names)
{
	struct diag *d = &report->diag;
	struct finding_list list = { .cmd = cmd,
				     .report = report,
				     .path = final_path(cmd),
				     .code = { .objs = partials, .n = n } };
	struct judged_image image = { .ndiffering = 0 };
	struct diag quiet = { .sink = diag_ignore };
	struct drift drift = { 0 };
	struct verification v = {
		.verdict = VERDICT_REFUSED,
		.is_linked = cmd->mode == MODE_LINK,
		.is_nameless = names->is_nameless,
		.is_alone = cmd->mode == MODE_VERIFY && cmd->inputs.n == 1,
		.sink = receive,
		.note = receive_note,
		.placed = wants_drift(cmd) ? receive_section : NULL,
		.ctx = &list,
	};
	const struct object *final = &partials[n];
	bool is_judged = is_open &&
			 finding_lines_open(d, partials, n, cmd->debug_file,
					    &list.lines) == 0 &&
			 judge_all(d, partials, n, &list, &image, &v) == 0;
	bool has_drift;
	int status;

	if (list.is_cut)
		is_judged = diag_nomem(d, final_path(cmd)) == 0;
	if (is_judged) {
		require_probes(d, cmd, cmd->inputs.items[0],
			       v.nsites - v.ngone);
		require_sections(d, cmd, partials, n);
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
		free_findings(&list);
	}
	status = exit_status(report, &v);
	if (!is_judged)
		v.verdict = VERDICT_REFUSED;
	if (cmd->format == FORMAT_JSON)
		print_json(final, &v, &image, &list, report);
	else if (is_judged)
		print_verdict(cmd, report, &v, &image);
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
	flashed_free(&image.flashed);
	free_findings(&list);
	finding_lines_close(&list.lines);
	finding_code_close(&list.code);
	return status;
}

int verify_linked(const struct command *cmd, struct report *report,
		  struct object *partials, size_t n)
{
	struct diag *d = &report->diag;
	struct object *final = &partials[n];
	bool is_open = object_open(d, final_path(cmd), final) == 0 &&
		       check_object(d, final, OBJECT_FINAL) == 0;
	const struct names_source names = { .is_nameless = false };
	int status = judge_and_print(cmd, report, partials, n, is_open, &names);

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

	if (object_open(&quiet, final_path(cmd), &obj) == 0 &&
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

int command_verify(const struct command *cmd, struct report *report)
{
	struct diag *d = &report->diag;
	struct partials partials = { .n = 0 };
	struct names_source source = { .is_nameless = false };
	int status = EXIT_TROUBLE;
	bool is_open;

	if (cmd->inputs.n == 1 && !has_table(cmd))
		return command_dump(cmd, report);
	if (list_partials(d, cmd, &partials) == 0) {
		is_open = d->ntrouble == 0 &&
			  open_all(d, cmd, &partials, &source) == 0;
		status = judge_and_print(cmd, report, partials.objects,
					 partials.n, is_open, &source);
		for (size_t i = 0; i <= partials.inputs.n; i++)
			object_close(&partials.objects[i]);
	}
	names_source_close(&source);
	free(partials.objects);
	input_list_free(&partials.inputs);
	return status;
}
