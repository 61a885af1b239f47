/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "command.h"
#include "elf/object.h"
#include "report.h"

static const char *severity_name(enum severity severity)
{
	switch (severity) {
	case SEVERITY_NOTE:
		return "note";
	case SEVERITY_WARNING:
		return "warning";
	case SEVERITY_NO:
	case SEVERITY_TROUBLE:
		return "error";
	}
	return "";
}

void print_escaped(FILE *stream, const char *name)
{
	for (; *name != '\0'; name++) {
		unsigned char c = *name;

		if (c >= 0x20 && c < 0x7f && c != '\\')
			fputc(c, stream);
		else
			fprintf(stream, "\\x%02x", c);
	}
}

void print_xml(FILE *stream, const char *name)
{
	print_xml_start(stream, name, SIZE_MAX);
}

void print_xml_start(FILE *stream, const char *name, size_t n)
{
	for (; n > 0 && *name != '\0'; n--, name++) {
		if (*name < 0x20 || *name > 0x7e)
			fputc('?', stream);
		else if (strchr("<>&\"'", *name) != NULL)
			fprintf(stream, "&#%d;", *name);
		else
			fputc(*name, stream);
	}
}

static void print_place(FILE *f, const struct place *place)
{
	print_escaped(f, place->file);
	fputc(':', f);
	if (place->section == NULL)
		return;
	fputc('(', f);
	print_escaped(f, place->section);
	if (place->has_offset)
		fprintf(f, "+0x%" PRIx64, place->offset);
	fputs("):", f);
}

void report_hint(struct report *report, const char *code)
{
	if (report->hint[0] == '\0')
		snprintf(report->hint, sizeof(report->hint), "%s", code);
}

static void print_diagnostic(struct report *report, const struct diagnostic *dg)
{
	FILE *f = report->err.stream;
	bool is_error = dg->severity == SEVERITY_NO ||
			dg->severity == SEVERITY_TROUBLE;
	const char *on = is_error ? "\033[1;31m" : "\033[1;35m";

	if (is_error)
		report_hint(report, dg->code);
	fputs("sdtlink: ", f);
	print_place(f, &dg->place);
	fprintf(f, " %s%s:%s ", report->is_colored ? on : "",
		severity_name(dg->severity),
		report->is_colored ? "\033[0m" : "");
	print_escaped(f, dg->text);
	if (dg->place.function != NULL) {
		fputs(" in ", f);
		print_escaped(f, dg->place.function);
		fprintf(f, "+0x%" PRIx64, dg->place.function_offset);
	}
	if (dg->remedy != NULL) {
		fputs("; ", f);
		print_escaped(f, dg->remedy);
	}
	fputc('\n', f);
}

/* What cannot be kept is said at once. */
static void keep_diagnostic(struct report *report, const struct diagnostic *dg)
{
	if (diag_log_add(&report->kept, dg))
		print_diagnostic(report, dg);
}

static void receive(void *ctx, const struct diagnostic *dg)
{
	struct report *report = ctx;

	if (report->is_json)
		keep_diagnostic(report, dg);
	else if (dg->severity == SEVERITY_NOTE
			 ? report->is_verbose && !report->is_quiet
			 : dg->severity != SEVERITY_WARNING ||
				   !report->is_quiet)
		print_diagnostic(report, dg);
}

int report_init(struct report *report)
{
	*report = (struct report){ 0 };
	report->diag.sink = receive;
	report->diag.ctx = report;
	if (memory_stream_open(&report->out) == 0 &&
	    memory_stream_open(&report->err) == 0)
		return 0;
	fputs("sdtlink: out of memory\n", stderr);
	return -1;
}

void report_free(struct report *report)
{
	diag_log_free(&report->kept);
	memory_stream_free(&report->out);
	memory_stream_free(&report->err);
}

static void take_back(struct report *report)
{
	memory_stream_cut(&report->out, report->out_settled);
	memory_stream_cut(&report->err, report->err_settled);
	diag_log_cut(&report->kept, report->nkept_settled);
	report->hint[0] = '\0';
	if (report->nlisted > report->kept.n)
		report->nlisted = report->kept.n;
	report->diag.nno = report->nno_settled;
	report->diag.ntrouble = report->ntrouble_settled;
}

static void settle(struct report *report)
{
	report->out_settled = report->out.size;
	report->err_settled = report->err.size;
	report->nkept_settled = report->kept.n;
	report->nno_settled = report->diag.nno;
	report->ntrouble_settled = report->diag.ntrouble;
}

int report_confirm(struct report *report, const struct object *objs, size_t n)
{
	if (memory_stream_flush(&report->out) ||
	    memory_stream_flush(&report->err) || memory_has_failed()) {
		take_back(report);
		return diag_nomem(&report->diag, n > 0 && objs->path != NULL
							 ? objs->path
							 : "-");
	}
	for (size_t i = 0; i < n; i++) {
		if (object_is_unchanged(&objs[i]))
			continue;
		take_back(report);
		return object_report_change(&report->diag, &objs[i]);
	}
	settle(report);
	return 0;
}

static int give_out(struct memory_stream *held, size_t *settled, FILE *to)
{
	bool is_whole = memory_stream_flush(held) == 0;

	if (is_whole && held->size > 0)
		fwrite(held->bytes, 1, held->size, to);
	memory_stream_cut(held, 0);
	*settled = 0;
	if (is_whole)
		return fflush(to) == 0 && !ferror(to) ? 0 : -1;
	errno = ENOMEM;
	return -1;
}

/* What no document has. */
static void print_kept(struct report *report)
{
	for (; report->nlisted < report->kept.n; report->nlisted++) {
		struct diagnostic dg =
			diag_log_get(&report->kept, report->nlisted);

		print_diagnostic(report, &dg);
	}
}

static int give_out_output(struct report *report)
{
	if (report->is_lost) {
		memory_stream_cut(&report->out, 0);
		return -1;
	}
	if (give_out(&report->out, &report->out_settled, stdout) == 0)
		return 0;
	report->is_lost = true;
	report->diag.ntrouble++;
	perror("sdtlink: standard output");
	return -1;
}

/* Small beside a listing, and large beside a system call. */
#define POURED_SIZE (256 << 10)

/* So many lines are a small part of what is held. */
#define POURED_LINES 256

void report_pour(struct report *report, const struct object *obj, size_t i)
{
	/*
	 * All bytes of a file that may be written are compared: once, at the
	 * end.
	 */
	if (i % POURED_LINES != 0 || report->out.size < POURED_SIZE ||
	    obj->may_be_written)
		return;
	if (!object_is_unchanged(obj) || memory_has_failed()) {
		memory_stream_cut(&report->out, 0);
		return;
	}
	give_out_output(report);
	report->is_poured = true;
}

void report_show(struct report *report)
{
	/* Without memory, the end has its own message. */
	if (!report->is_json && !memory_has_failed())
		(void)give_out(&report->err, &report->err_settled, stderr);
}

int report_release(struct report *report)
{
	print_kept(report);
	if (!report->is_quiet && report->hint[0] != '\0')
		fprintf(report->err.stream,
			"Try 'sdtlink --explain=%s' for what that means.\n",
			report->hint);
	report->hint[0] = '\0';
	/* If standard error is closed, nobody wants to know. */
	if (give_out(&report->err, &report->err_settled, stderr) &&
	    errno == ENOMEM) {
		report->diag.ntrouble++;
		fputs("sdtlink: out of memory\n", stderr);
		return -1;
	}
	return give_out_output(report);
}

int report_status(const struct report *report)
{
	if (report->diag.ntrouble > 0)
		return EXIT_TROUBLE;
	return report->diag.nno > 0 ? EXIT_NO : EXIT_YES;
}

void report_json(struct report *report, struct json *json)
{
	json_key(json, "diagnostics");
	json_open(json, '[');
	for (; report->nlisted < report->kept.n; report->nlisted++) {
		const struct diagnostic dg =
			diag_log_get(&report->kept, report->nlisted);
		const struct place *place = &dg.place;

		json_open(json, '{');
		json_string(json, "severity", severity_name(dg.severity));
		json_string(json, "file", place->file);
		json_string(json, "section", place->section);
		json_hex(json, "offset", place->has_offset, place->offset);
		json_string(json, "function", place->function);
		json_hex(json, "function_offset", place->function != NULL,
			 place->function_offset);
		json_string(json, "code", dg.code);
		json_string(json, "text", dg.text);
		json_string(json, "remedy", dg.remedy);
		json_close(json, '}');
	}
	json_close(json, ']');
}
