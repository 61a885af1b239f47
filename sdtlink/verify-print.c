/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What --verify found and what it says of the final, as text and as JSON. */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "json-document.h"
#include "listing.h"
#include "source-text.h"
#include "verify-print.h"

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
	if (f->partial == NULL && !f->has_address)
		return;
	if (f->partial != NULL) {
		print_escaped(stream, f->partial);
		fputs(":(", stream);
		print_escaped(stream, f->section);
		if (f->has_offset)
			fprintf(stream, "+0x%" PRIx64, f->offset);
		fputc(')', stream);
	} else
		fprintf(stream, "0x%" PRIx64, f->address);
	if (f->partial == NULL && f->section != NULL) {
		fputs(" in section ", stream);
		print_escaped(stream, f->section);
	}
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
	bool is_person = list->report->is_person;
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
	if (is_person && list->path == verify_final_path(list->cmd))
		finding_disassembly_print(&list->code, f, stream);
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

/* What is about the final; the partial's strings live as long as that. */
static char *copy(struct finding_list *list, const char *string)
{
	char *copied = string != NULL ? strdup(string) : NULL;

	list->is_cut |= string != NULL && copied == NULL;
	return copied;
}

void finding_list_add(void *ctx, const struct finding *f)
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

void finding_list_note(void *ctx, const struct unexplained *u)
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

void finding_list_section(void *ctx, const struct verified_section *section)
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

void finding_list_free(struct finding_list *list)
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
		print_escaped(stream, verify_final_path(cmd));
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

static void flash_json(const struct command *cmd,
		       const struct judged_flash *flash, struct json *json)
{
	if (cmd->image == NULL) {
		json_string(json, "image", NULL);
		return;
	}
	json_key(json, "image");
	json_open(json, '{');
	json_string(json, "file", cmd->image);
	json_string(json, "format", flash->file.flash.format);
	if (flash->is_compared)
		json_number(json, "differing", flash->ndiffering);
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

void verify_print_json(const struct object *final, const struct verification *v,
		       const struct judged_flash *flash,
		       const struct finding_list *list, struct report *report)
{
	struct json json = { .text.stream = report->out.stream };

	document_open(&json);
	document_file(&json, verify_final_path(list->cmd), "final", final);
	json_string(&json, "partial",
		    v->is_alone ? NULL : list->cmd->inputs.items[0]);
	json_key(&json, "partials");
	json_open(&json, '[');
	for (size_t i = 0; i + 1 < list->cmd->inputs.n; i++)
		json_string(&json, NULL, list->cmd->inputs.items[i]);
	json_close(&json, ']');
	flash_json(list->cmd, flash, &json);
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

void verify_print_verdict(const struct command *cmd,
			  const struct report *report,
			  const struct verification *v,
			  const struct judged_flash *flash)
{
	bool is_proved = v->verdict == VERDICT_PROVED;
	bool is_right = is_proved || v->verdict == VERDICT_SOUND;
	/* Some read what a linker prints. */
	FILE *stream = is_right && cmd->mode != MODE_LINK ? report->out.stream
							  : report->err.stream;

	if (cmd->is_quiet ||
	    (is_proved && cmd->mode == MODE_LINK && !cmd->is_verbose))
		return;
	print_escaped(stream, verify_final_path(cmd));
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
		fprintf(stream, " (%s)", flash->file.flash.format);
	}
	if (flash->ndiffering > 0)
		fprintf(stream, ", of which %" PRIu64 " other byte%s differ%s",
			flash->ndiffering, flash->ndiffering == 1 ? "" : "s",
			flash->ndiffering == 1 ? "s" : "");
	fputc('\n', stream);
	print_unchecked(cmd, stream, v);
}
