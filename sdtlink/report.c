/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "report.h"

struct kept_diagnostic {
	enum severity severity;
	bool has_offset;
	uint64_t offset;
	uint64_t function_offset;
	char *file, *section, *function, *code, *text, *remedy;
};

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

static void print_place(const struct place *place)
{
	print_escaped(stderr, place->file);
	fputc(':', stderr);
	if (place->section == NULL)
		return;
	fputc('(', stderr);
	print_escaped(stderr, place->section);
	if (place->has_offset)
		fprintf(stderr, "+0x%" PRIx64, place->offset);
	fputs("):", stderr);
}

static void print_diagnostic(const struct report *report,
			     const struct diagnostic *dg)
{
	bool is_error = dg->severity == SEVERITY_NO ||
			dg->severity == SEVERITY_TROUBLE;
	const char *on = is_error ? "\033[1;31m" : "\033[1;35m";

	fputs("sdtlink: ", stderr);
	print_place(&dg->place);
	fprintf(stderr, " %s%s:%s ", report->is_colored ? on : "",
		severity_name(dg->severity),
		report->is_colored ? "\033[0m" : "");
	print_escaped(stderr, dg->text);
	if (dg->place.function != NULL) {
		fputs(" in ", stderr);
		print_escaped(stderr, dg->place.function);
		fprintf(stderr, "+0x%" PRIx64, dg->place.function_offset);
	}
	if (dg->remedy != NULL) {
		fputs("; ", stderr);
		print_escaped(stderr, dg->remedy);
	}
	fputc('\n', stderr);
}

static char *copy(const char *string)
{
	return string != NULL ? strdup(string) : NULL;
}

static void keep_diagnostic(struct report *report, const struct diagnostic *dg)
{
	struct kept_diagnostic *kept =
		realloc(report->kept, (report->nkept + 1) * sizeof(kept[0]));

	if (kept == NULL) {
		print_diagnostic(report, dg);
		return;
	}
	report->kept = kept;
	kept[report->nkept++] = (struct kept_diagnostic){
		.severity = dg->severity,
		.has_offset = dg->place.has_offset,
		.offset = dg->place.offset,
		.function_offset = dg->place.function_offset,
		.file = copy(dg->place.file),
		.section = copy(dg->place.section),
		.function = copy(dg->place.function),
		.code = copy(dg->code),
		.text = copy(dg->text),
		.remedy = copy(dg->remedy),
	};
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

void report_init(struct report *report)
{
	*report = (struct report){ 0 };
	report->diag.sink = receive;
	report->diag.ctx = report;
}

void report_free(struct report *report)
{
	for (size_t i = 0; i < report->nkept; i++) {
		struct kept_diagnostic *dg = &report->kept[i];

		free(dg->file);
		free(dg->section);
		free(dg->function);
		free(dg->code);
		free(dg->text);
		free(dg->remedy);
	}
	free(report->kept);
	report->kept = NULL;
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
	for (; report->nlisted < report->nkept; report->nlisted++) {
		const struct kept_diagnostic *dg =
			&report->kept[report->nlisted];

		json_open(json, '{');
		json_string(json, "severity", severity_name(dg->severity));
		json_string(json, "file", dg->file);
		json_string(json, "section", dg->section);
		json_hex(json, "offset", dg->has_offset, dg->offset);
		json_string(json, "function", dg->function);
		json_hex(json, "function_offset", dg->function != NULL,
			 dg->function_offset);
		json_string(json, "code", dg->code);
		json_string(json, "text", dg->text);
		json_string(json, "remedy", dg->remedy);
		json_close(json, '}');
	}
	json_close(json, ']');
}
