/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --cost: what probes cost, alone or beside another build. */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cost.h"
#include "json-document.h"

/* One file, or two files to compare. --against names the second one. */
struct builds {
	const struct command *cmd;
	struct report *report;
	size_t n;
	const char *paths[2];
	struct listed_file files[2];
	struct costs costs[2];
	struct cost_pair *probes; /* owned */
	size_t nprobes;
	struct cost_pair *functions; /* owned */
	size_t nfunctions;
};

static const struct column {
	const char *key;     /* in JSON */
	const char *heading; /* in text */
} columns[COST_COLUMNS] = {
	[COST_SITES] = { "sites", "SITES" },
	[COST_HOT] = { "hot", "HOT" },
	[COST_NOP] = { "nop", "NOP" },
	[COST_LINES] = { "lines", "LINES" },
	[COST_COLD] = { "out_of_line", "COLD" },
	[COST_STUB] = { "stub", "STUB" },
	[COST_TABLE] = { "table", "TABLE" },
	[COST_NOTES] = { "notes", "NOTES" },
	[COST_SIZE] = { "size", "SIZE" },
	[COST_SPLIT] = { "split", "SPLIT" },
};

static int join(struct builds *b)
{
	const struct costs *own = &b->costs[0], *other = &b->costs[1];

	b->probes =
		calloc(own->nprobes + other->nprobes + 1, sizeof(b->probes[0]));
	b->functions = calloc(own->nfunctions + other->nfunctions + 1,
			      sizeof(b->functions[0]));
	if (b->probes == NULL || b->functions == NULL)
		return diag_nomem(&b->report->diag, b->paths[0]);
	b->nprobes = cost_join(own->probes, own->nprobes, other->probes,
			       other->nprobes, b->probes);
	b->nfunctions = cost_join(own->functions, own->nfunctions,
				  other->functions, other->nfunctions,
				  b->functions);
	return 0;
}

static int measure(struct builds *b)
{
	struct diag *d = &b->report->diag;
	const struct options *options = &b->cmd->options;
	struct costs own;

	for (size_t i = 0; i < b->n; i++)
		if (listed_file_open(d, b->paths[i], b->cmd, &b->files[i]))
			return -1;
	if (costs_measure(d, &b->files[0], options, NULL, &b->costs[0]))
		return -1;
	if (b->n == 1)
		return join(b);
	/* Each with the functions of the other one. */
	if (costs_measure(d, &b->files[1], options, &b->costs[0], &b->costs[1]))
		return -1;
	own = b->costs[0];
	if (costs_measure(d, &b->files[0], options, &b->costs[1],
			  &b->costs[0])) {
		costs_free(&own);
		return -1;
	}
	costs_free(&own);
	return join(b);
}

/* --- Text --------------------------------------------------------------- */

static uint64_t bytes_of(const struct costs *costs)
{
	return costs->text + costs->data + costs->bss;
}

/* The line of size(1). */
static void print_size(FILE *stream, const char *path,
		       const struct costs *costs)
{
	fprintf(stream,
		"%7" PRIu64 "\t%7" PRIu64 "\t%7" PRIu64 "\t%7" PRIu64
		"\t%7" PRIx64 "\t",
		costs->text, costs->data, costs->bss, bytes_of(costs),
		bytes_of(costs));
	print_escaped(stream, path);
	fputc('\n', stream);
}

static void print_headings(FILE *stream, const char *what, unsigned ncolumns)
{
	fprintf(stream, "%-32s", what);
	for (unsigned i = 0; i < ncolumns; i++)
		fprintf(stream, " %7s", columns[i].heading);
	fputc('\n', stream);
}

static void print_name(FILE *stream, const struct cost *cost)
{
	size_t n;

	if (cost->probe == NULL) {
		n = strlen(cost->name);
		print_escaped(stream, cost->name);
	} else {
		n = strlen(cost->probe->name.provider) + 3 +
		    strlen(cost->probe->name.name);
		print_escaped(stream, cost->probe->name.provider);
		fputs(":::", stream);
		print_escaped(stream, cost->probe->name.name);
	}
	fprintf(stream, "%*s", n < 32 ? (int)(32 - n) : 0, "");
}

/* Prints the numbers of this build, or the differences from the other build. */
static void print_row(FILE *stream, const struct cost_pair *pair,
		      unsigned ncolumns, bool is_difference)
{
	print_name(stream, pair->own != NULL ? pair->own : pair->other);
	for (unsigned i = 0; i < ncolumns; i++) {
		if (is_difference)
			fprintf(stream, " %+7" PRId64,
				cost_difference(pair, i));
		else
			fprintf(stream, " %7" PRIu64, pair->own->column[i]);
	}
	fputc('\n', stream);
}

static void print_tables(const struct builds *b, bool is_difference)
{
	FILE *stream = b->report->out.stream;
	struct cost own = b->costs[0].total, other = b->costs[1].total;
	struct cost_pair total = { &own, &other };

	own.name = "total";
	print_headings(stream, "PROBE", COST_SIZE);
	for (size_t i = 0; i < b->nprobes; i++)
		if (is_difference || b->probes[i].own != NULL)
			print_row(stream, &b->probes[i], COST_SIZE,
				  is_difference);
	print_row(stream, &total, COST_SIZE, is_difference);
	fputc('\n', stream);
	print_headings(stream, "FUNCTION", COST_COLUMNS);
	for (size_t i = 0; i < b->nfunctions; i++)
		if (is_difference || b->functions[i].own != NULL)
			print_row(stream, &b->functions[i], COST_COLUMNS,
				  is_difference);
	fputc('\n', stream);
}

/* Prints how much text each site adds, or each additional site. */
static void print_per_site(const struct builds *b)
{
	FILE *stream = b->report->out.stream;
	const struct costs *own = &b->costs[0], *other = &b->costs[1];
	int64_t text = (int64_t)(own->text - other->text);
	int64_t sites = (int64_t)(own->total.column[COST_SITES] -
				  other->total.column[COST_SITES]);

	if (sites == 0)
		sites = own->total.column[COST_SITES];
	fprintf(stream, "text: %+" PRId64 " bytes", text);
	if (sites != 0)
		fprintf(stream, ", %.1f for each of %" PRId64 " site%s",
			(double)text / sites, sites,
			sites == 1 || sites == -1 ? "" : "s");
	fputc('\n', stream);
}

static void print_text(const struct builds *b)
{
	FILE *stream = b->report->out.stream;

	print_tables(b, false);
	if (b->n > 1) {
		fputs("More than in ", stream);
		print_escaped(stream, b->paths[1]);
		fputs(":\n", stream);
		print_tables(b, true);
		print_per_site(b);
	}
	fputs("   text\t   data\t    bss\t    dec\t    hex\tfilename\n",
	      stream);
	for (size_t i = 0; i < b->n; i++)
		print_size(stream, b->paths[i], &b->costs[i]);
}

/* --- JSON --------------------------------------------------------------- */

static void columns_json(const struct cost *cost, unsigned ncolumns,
			 struct json *json)
{
	for (unsigned i = 0; i < ncolumns; i++)
		json_number(json, columns[i].key,
			    cost != NULL ? cost->column[i] : 0);
}

/*
 * Writes the columns of the other build, or null. Without another build, writes
 * no key.
 */
static void against_json(const struct builds *b, const struct cost *cost,
			 unsigned ncolumns, struct json *json)
{
	if (b->n == 1)
		return;
	if (cost == NULL) {
		json_string(json, "against", NULL);
		return;
	}
	json_key(json, "against");
	json_open(json, '{');
	columns_json(cost, ncolumns, json);
	json_close(json, '}');
}

static void pairs_json(const struct builds *b, const char *key,
		       const struct cost_pair *pairs, size_t n,
		       unsigned ncolumns, struct json *json)
{
	json_key(json, key);
	json_open(json, '[');
	for (size_t i = 0; i < n; i++) {
		const struct cost *cost = pairs[i].own != NULL ? pairs[i].own
							       : pairs[i].other;

		json_open(json, '{');
		if (cost->probe != NULL) {
			json_string(json, "symbol", cost->name);
			json_string(json, "provider",
				    cost->probe->name.provider);
			json_string(json, "name", cost->probe->name.name);
		} else {
			json_string(json, "function", cost->name);
		}
		columns_json(pairs[i].own, ncolumns, json);
		against_json(b, pairs[i].other, ncolumns, json);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void total_json(const struct costs *costs, struct json *json)
{
	columns_json(&costs->total, COST_SIZE, json);
	json_number(json, "text", costs->text);
	json_number(json, "data", costs->data);
	json_number(json, "bss", costs->bss);
}

static void print_costs(const struct builds *b, struct json *json)
{
	const struct listing *listing = &b->files[0].listing;

	document_file(json, b->paths[0], listing->type, listing->obj);
	json_string(json, "against", b->n > 1 ? b->paths[1] : NULL);
	json_number(json, "line_size", COST_LINE);
	json_key(json, "cost");
	json_open(json, '{');
	total_json(&b->costs[0], json);
	if (b->n > 1) {
		json_key(json, "against");
		json_open(json, '{');
		total_json(&b->costs[1], json);
		json_close(json, '}');
	}
	json_close(json, '}');
	pairs_json(b, "probes", b->probes, b->nprobes, COST_SIZE, json);
	pairs_json(b, "functions", b->functions, b->nfunctions, COST_COLUMNS,
		   json);
}

static void print_json(const struct builds *b, bool is_measured)
{
	struct json json = { .text.stream = b->report->out.stream };

	document_open(&json);
	if (is_measured)
		print_costs(b, &json);
	else
		json_string(&json, "file", b->paths[0]);
	report_json(b->report, &json);
	json_close(&json, '}');
}

static void print(const struct builds *b, bool is_measured)
{
	switch (b->cmd->format) {
	case FORMAT_JSON:
		print_json(b, is_measured);
		break;
	case FORMAT_SVG:
		if (is_measured)
			cost_chart(b->report->out.stream, b->paths[0],
				   &b->costs[0], b->paths[1],
				   b->n > 1 ? &b->costs[1] : NULL, b->probes,
				   b->nprobes);
		break;
	case FORMAT_TEXT:
	case FORMAT_NAMES: /* a usage error */
		if (is_measured)
			print_text(b);
		break;
	}
}

int command_cost(const struct command *cmd, struct report *report)
{
	struct builds b = {
		.cmd = cmd,
		.report = report,
		.n = cmd->against != NULL ? 2 : 1,
		.paths = { cmd->inputs.items[0], cmd->against },
	};
	bool is_measured = measure(&b) == 0;
	struct object objs[2];

	if (is_measured)
		require_probes(&report->diag, cmd, b.paths[0],
			       b.files[0].listing.nsites);
	print(&b, is_measured);
	free(b.probes);
	free(b.functions);
	for (size_t i = 0; i < b.n; i++) {
		costs_free(&b.costs[i]);
		listed_file_release(&b.files[i]);
		objs[i] = b.files[i].obj;
	}
	if (report_confirm(report, objs, b.n) && cmd->format == FORMAT_JSON)
		print_json(&b, false);
	for (size_t i = 0; i < b.n; i++)
		listed_file_close(&b.files[i]);
	return report_status(report);
}
