/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --markers: where simple markers are, and what is left of their arguments. */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/grow.h"
#include "base/table-format.h"
#include "command.h"
#include "json-document.h"
#include "elf/check.h"
#include "listing.h"
#include "source-text.h"
#include "source/markers.h"

/* Equal records are one marker, with a place for each copy. */
struct listed_marker {
	const struct marker *record;
	size_t nplaces;
	size_t first_place;
};

struct marker_place {
	size_t marker;
	uint32_t shndx;
	uint64_t at;
	const void *instance;
};

enum { WHERE_COUNT = WHERE_UNKNOWN + 1 };

struct counts {
	size_t places, lost, duplicated, arguments;
	size_t where[WHERE_COUNT];
};

struct markers {
	struct diag *d;
	const struct object *obj;
	struct source *source; /* or NULL */
	char *module;
	struct marker_set set;
	struct listed_marker *items; /* by file, line and name */
	size_t n;
	struct marker_place *places; /* by marker, then in the file's order */
	size_t nplaces;
	struct counts counts;
};

/* --- Listing ------------------------------------------------------------- */

static int compare_strings(const char *a, const char *b)
{
	return strcmp(a != NULL ? a : "", b != NULL ? b : "");
}

/*
 * Records of version 1 come last, by line, as source_find_lines() needs them.
 * Two records of version 3 may belong to one marker: one of them stays if the
 * code is dropped.
 */
static int compare_records(const struct marker *x, const struct marker *y)
{
	int order;

	if ((x->version == 1) != (y->version == 1))
		return x->version == 1 ? 1 : -1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	order = compare_strings(x->file, y->file);
	if (order == 0)
		order = strcmp(x->name, y->name);
	if (order == 0)
		order = strcmp(x->format, y->format);
	return order != 0 ? order : strcmp(x->arguments, y->arguments);
}

static int compare_for_sort(const void *a, const void *b)
{
	const struct marker *x = a, *y = b;
	int order = compare_records(x, y);

	if (order != 0)
		return order;
	if (x->is_placed != y->is_placed)
		return x->is_placed ? -1 : 1;
	if (x->shndx != y->shndx)
		return x->shndx < y->shndx ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static int add_place(struct markers *m, size_t marker, uint32_t shndx,
		     uint64_t at, const void *instance)
{
	struct marker_place *grown =
		grow_list(m->places, m->nplaces, sizeof(*grown));

	if (grown == NULL)
		return diag_nomem(m->d, m->obj->path);
	m->places = grown;
	grown[m->nplaces++] =
		(struct marker_place){ marker, shndx, at, instance };
	return 0;
}

static int list_markers(struct markers *m)
{
	struct marker *records = m->set.items;

	m->items = calloc(m->set.n + 1, sizeof(m->items[0]));
	if (m->items == NULL)
		return diag_nomem(m->d, m->obj->path);
	if (m->set.n > 0)
		qsort(records, m->set.n, sizeof(records[0]), compare_for_sort);
	for (size_t i = 0; i < m->set.n; i++)
		if (i == 0 || compare_records(&records[i - 1], &records[i]))
			m->items[m->n++].record = &records[i];
	return 0;
}

static struct source_spot spot_of(const struct marker *record, uint32_t shndx,
				  uint64_t at)
{
	return (struct source_spot){ .shndx = shndx,
				     .at = at,
				     .file = record->file,
				     .line = record->line,
				     .has_no_code = record->file == NULL };
}

/* Versions 2 and 3 contain the place. */
static int add_told_places(struct markers *m)
{
	size_t marker = 0;

	for (size_t i = 0; i < m->set.n; i++) {
		const struct marker *record = &m->set.items[i];
		struct source_spot spot =
			spot_of(record, record->shndx, record->at);
		struct source_chain chain = { 0 };
		int failed;

		if (i > 0 && compare_records(record - 1, record) != 0)
			marker++;
		if (!record->has_place)
			continue;
		if (m->source != NULL && source_find(m->source, &spot, &chain))
			return diag_nomem(m->d, m->obj->path);
		failed = add_place(m, marker, record->shndx, record->at,
				   chain.instance);
		source_chain_free(&chain);
		if (failed)
			return -1;
	}
	return 0;
}

/*
 * Reports what version 1 leaves open: no code, or several files to choose from.
 */
static void judge_file(struct markers *m, const struct marker *record,
		       const struct source_line *line)
{
	if (line->path == NULL)
		diag_report(m->d, SEVERITY_WARNING,
			    &(struct place){ .file = m->obj->path },
			    "marker-file", "compile it with -g",
			    "marker %s of %s:%" PRIu32
			    " is not found: no debug information is of that "
			    "file",
			    record->name, record->file, record->line);
	else if (line->is_ambiguous)
		diag_report(
			m->d, SEVERITY_WARNING,
			&(struct place){ .file = m->obj->path }, "marker-file",
			"name files to the compiler with their directories, "
			"or use SDT_MARKER_AT",
			"marker %s of %s:%" PRIu32
			" is not sure: several files are called so",
			record->name, record->file, record->line);
}

static int add_copies(struct markers *m, const struct source_line *lines,
		      size_t n, const struct source_copy *copies,
		      size_t ncopies)
{
	for (size_t i = 0; i < ncopies; i++) {
		const struct source_line *line = &lines[copies[i].line];

		/* Several markers may be on one line. */
		for (size_t k = copies[i].line;
		     k < n && lines[k].line == line->line &&
		     strcmp(lines[k].file, line->file) == 0;
		     k++)
			if (add_place(m, m->n - n + k, copies[i].shndx,
				      copies[i].at, copies[i].instance))
				return -1;
	}
	return 0;
}

/* Version 1 has only a line. */
static int find_places(struct markers *m)
{
	struct source_line *lines;
	struct source_copy *copies = NULL;
	size_t ncopies = 0, first = 0, n;
	int ret = -1;

	if (m->source == NULL)
		return 0;
	while (first < m->n && m->items[first].record->version != 1)
		first++;
	n = m->n - first;
	if (n == 0)
		return 0;
	lines = calloc(n, sizeof(lines[0]));
	if (lines == NULL)
		return diag_nomem(m->d, m->obj->path);
	for (size_t i = 0; i < n; i++) {
		lines[i].file = m->items[first + i].record->file;
		lines[i].line = m->items[first + i].record->line;
	}
	if (source_find_lines(m->source, lines, n, &copies, &ncopies)) {
		diag_nomem(m->d, m->obj->path);
		goto done;
	}
	if (add_copies(m, lines, n, copies, ncopies))
		goto done;
	for (size_t i = 0; i < n; i++)
		judge_file(m, m->items[first + i].record, &lines[i]);
	ret = 0;
done:
	free(lines);
	free(copies);
	return ret;
}

static int compare_places(const void *a, const void *b)
{
	const struct marker_place *x = a, *y = b;

	if (x->marker != y->marker)
		return x->marker < y->marker ? -1 : 1;
	if (x->shndx != y->shndx)
		return x->shndx < y->shndx ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->instance < y->instance ? -1 : x->instance > y->instance;
}

/* Lists each place once, whichever units contain it. */
static void lay_out_places(struct markers *m)
{
	size_t n = 0;

	if (m->nplaces == 0)
		return;
	qsort(m->places, m->nplaces, sizeof(m->places[0]), compare_places);
	for (size_t i = 0; i < m->nplaces; i++) {
		struct listed_marker *item = &m->items[m->places[i].marker];

		if (i > 0 &&
		    compare_places(&m->places[i - 1], &m->places[i]) == 0)
			continue;
		if (item->nplaces++ == 0)
			item->first_place = n;
		m->places[n++] = m->places[i];
	}
	m->nplaces = n;
}

/* --- Judging ------------------------------------------------------------- */

static void describe(const struct markers *m, const struct marker *record,
		     const struct marker_place *place, char *text, size_t size)
{
	struct source_chain chain = { 0 };

	if (record->file != NULL) {
		snprintf(text, size, "marker %s of %s:%" PRIu32, record->name,
			 record->file, record->line);
		return;
	}
	if (place != NULL && m->source != NULL)
		source_find(m->source,
			    &(struct source_spot){ .shndx = place->shndx,
						   .at = place->at },
			    &chain);
	if (chain.nframes > 0 && chain.frames[0].file != NULL)
		snprintf(text, size, "marker %s at %s:%u", record->name,
			 chain.frames[0].file, chain.frames[0].line);
	else
		snprintf(text, size, "marker %s", record->name);
	source_chain_free(&chain);
}

static void say_lost(struct markers *m, const struct listed_marker *item)
{
	const struct marker *record = item->record;
	char text[512];

	describe(m, record, NULL, text, sizeof(text));
	m->counts.lost++;
	if (!record->is_placed)
		diag_report(
			m->d, SEVERITY_WARNING,
			&(struct place){ .file = m->obj->path }, "marker-lost",
			"put it where code is reached",
			"%s has no code: the compiler dropped the statement, "
			"or the function",
			text);
	else
		diag_report(m->d, SEVERITY_WARNING,
			    &(struct place){ .file = m->obj->path },
			    "marker-lost", "keep its function",
			    "%s has no code: the linker dropped it", text);
}

static int compare_instances(const void *a, const void *b)
{
	const void *x = *(const void *const *)a, *y = *(const void *const *)b;

	return (uintptr_t)x < (uintptr_t)y ? -1 : (uintptr_t)x > (uintptr_t)y;
}

/* The number of places of ITEM that share a copy of a function with another. */
static size_t count_duplicates(const struct markers *m,
			       const struct listed_marker *item)
{
	const void **instances;
	size_t n = 0;

	if (item->nplaces < 2)
		return 0;
	/* report_confirm() reports that memory ran out. */
	instances = malloc(item->nplaces * sizeof(instances[0]));
	for (size_t i = 0; instances != NULL && i < item->nplaces; i++)
		instances[i] = m->places[item->first_place + i].instance;
	if (instances != NULL)
		qsort(instances, item->nplaces, sizeof(instances[0]),
		      compare_instances);
	for (size_t i = 1; instances != NULL && i < item->nplaces; i++)
		n += instances[i] != NULL && instances[i] == instances[i - 1];
	free(instances);
	return n;
}

static void judge_marker(struct markers *m, const struct listed_marker *item)
{
	size_t n;
	char text[512];

	/* Without debug information, nobody looked. */
	if (item->nplaces == 0) {
		if (m->source != NULL || item->record->version > 1)
			say_lost(m, item);
		return;
	}
	m->counts.places += item->nplaces;
	n = count_duplicates(m, item);
	if (n == 0)
		return;
	m->counts.duplicated++;
	describe(m, item->record, &m->places[item->first_place], text,
		 sizeof(text));
	diag_report(m->d, SEVERITY_WARNING,
		    &(struct place){ .file = m->obj->path },
		    "marker-duplicated", "trace all of them",
		    "%s is in %zu places: the compiler copied the statement",
		    text, item->nplaces);
}

/* --- Arguments ------------------------------------------------------------ */

/*
 * Takes the next argument off *TEXT, without blanks around it. Returns false at
 * the end.
 */
static bool next_argument(const char **text, char *arg, size_t size)
{
	const char *p = *text;
	const char *start, *end;
	int depth = 0;
	char quote = 0;

	p += strspn(p, " \t\n");
	if (*p == '\0')
		return false;
	for (start = p; *p != '\0' && (depth > 0 || quote || *p != ','); p++) {
		if (*p == '\\' && quote && p[1] != '\0')
			p++;
		else if (quote)
			quote = *p == quote ? 0 : quote;
		else if (*p == '"' || *p == '\'')
			quote = *p;
		else if (strchr("([{", *p))
			depth++;
		else if (strchr(")]}", *p))
			depth--;
	}
	end = p;
	while (end > start && end[-1] == ' ')
		end--;
	snprintf(arg, size, "%.*s", (int)(end - start), start);
	*text = *p == ',' ? p + 1 : p;
	return true;
}

static void judge_argument(struct markers *m, const struct listed_marker *item,
			   const struct marker_place *place, const char *arg,
			   const struct source_variable *var)
{
	char text[512];

	m->counts.arguments++;
	m->counts.where[var->where]++;
	if (var->where <= WHERE_AVAILABLE_MAX)
		return;
	describe(m, item->record, place, text, sizeof(text));
	diag_report(
		m->d, SEVERITY_WARNING,
		&(struct place){
			.file = m->obj->path,
			.section = place->shndx != 0
					   ? m->obj->sections[place->shndx].name
					   : NULL,
			.has_offset = m->obj->ehdr.e_type == ET_REL,
			.offset = place->at },
		"marker-variable", NULL, "%s: %s is not available: %s", text,
		arg, source_where_name(var->where));
}

/* --- Text and JSON ---------------------------------------------------------
 */

static const char *function_of(const struct source_chain *chain)
{
	return chain->nframes > 0 && chain->frames[chain->nframes - 1].function
		       ? chain->frames[chain->nframes - 1].function
		       : "?";
}

static void put_name(FILE *stream, const char *name, int width)
{
	print_escaped(stream, name);
	for (int n = strlen(name); n < width; n++)
		fputc(' ', stream);
	fputc(' ', stream);
}

static void print_place(struct markers *m, const struct listed_marker *item,
			const struct marker_place *place, FILE *stream)
{
	const struct marker *record = item->record;
	struct source_spot spot = spot_of(record, place->shndx, place->at);
	const char *rest = record->arguments;
	struct source_chain chain = { 0 };
	struct source_frame first;
	char arg[256];

	if (m->source != NULL)
		source_find(m->source, &spot, &chain);
	put_name(stream, m->module, 12);
	put_name(stream, function_of(&chain), 24);
	put_name(stream, record->name, 16);
	print_escaped(stream, record->format);
	if (record->arguments[0] != '\0') {
		fputs(" (", stream);
		print_escaped(stream, record->arguments);
		fputc(')', stream);
	}
	fputc('\n', stream);
	first = chain.nframes > 0 ? chain.frames[0]
				  : (struct source_frame){ 0 };
	if (record->file != NULL) {
		first.file = record->file;
		first.line = record->line;
		first.column = 0;
	}
	fputs("    ", stream);
	if (first.file != NULL) {
		print_source_line(stream, &first, NULL, NULL, 0);
	}
	if (m->obj->ehdr.e_type == ET_REL) {
		print_escaped(stream, m->obj->sections[place->shndx].name);
		fprintf(stream, "+0x%" PRIx64, place->at);
	} else {
		fprintf(stream, "0x%" PRIx64, place->at);
	}
	if (first.is_inlined && first.function != NULL) {
		fputs(" in ", stream);
		print_escaped(stream, first.function);
	}
	fputc('\n', stream);
	while (m->source != NULL && next_argument(&rest, arg, sizeof(arg))) {
		struct source_variable var;

		source_expression(m->source, &spot, arg, &var);
		judge_argument(m, item, place, arg, &var);
		fputs("    ", stream);
		print_escaped(stream, arg);
		fputs(": ", stream);
		if (var.type[0] != '\0') {
			print_escaped(stream, var.type);
			fputs(", ", stream);
		}
		print_variable(stream, &var);
		fputc('\n', stream);
	}
	source_chain_free(&chain);
}

static void print_text(struct markers *m, struct report *report)
{
	FILE *stream = report->out.stream;

	fprintf(stream, "%-12s %-24s %-16s %s\n", "MODULE", "FUNCTION", "NAME",
		"DESCRIPTION");
	for (size_t i = 0; i < m->n; i++) {
		judge_marker(m, &m->items[i]);
		for (size_t k = 0; k < m->items[i].nplaces; k++)
			print_place(m, &m->items[i],
				    &m->places[m->items[i].first_place + k],
				    stream);
	}
}

static void place_json(struct markers *m, const struct listed_marker *item,
		       const struct marker_place *place, struct json *json)
{
	bool is_partial = m->obj->ehdr.e_type == ET_REL;
	struct source_spot spot =
		spot_of(item->record, place->shndx, place->at);
	const char *rest = item->record->arguments;
	struct source_chain chain = { 0 };
	char arg[256];

	if (m->source != NULL)
		source_find(m->source, &spot, &chain);
	json_open(json, '{');
	json_string(json, "section",
		    place->shndx != 0 ? m->obj->sections[place->shndx].name
				      : NULL);
	json_hex(json, "offset", is_partial, place->at);
	json_hex(json, "address", !is_partial, place->at);
	frames_json(chain.frames, chain.nframes, json);
	source_chain_free(&chain);
	json_key(json, "arguments");
	json_open(json, '[');
	while (next_argument(&rest, arg, sizeof(arg))) {
		struct source_variable var;

		if (m->source == NULL) {
			argument_json(arg, NULL, NULL, json);
			continue;
		}
		source_expression(m->source, &spot, arg, &var);
		judge_argument(m, item, place, arg, &var);
		argument_json(arg, var.type[0] != '\0' ? var.type : NULL, &var,
			      json);
	}
	json_close(json, ']');
	json_close(json, '}');
}

static void marker_json(struct markers *m, const struct listed_marker *item,
			struct json *json)
{
	const struct marker *record = item->record;

	json_open(json, '{');
	json_string(json, "name", record->name);
	json_string(json, "module", m->module);
	json_string(json, "file", record->file);
	if (record->file != NULL)
		json_number(json, "line", record->line);
	else
		json_string(json, "line", NULL);
	json_string(json, "format", record->format);
	json_number(json, "duplicates", count_duplicates(m, item));
	json_key(json, "places");
	json_open(json, '[');
	for (size_t i = 0; i < item->nplaces; i++)
		place_json(m, item, &m->places[item->first_place + i], json);
	json_close(json, ']');
	json_close(json, '}');
}

static void print_json(struct markers *m, bool is_read, struct json *json)
{
	if (!is_read) {
		json_string(json, "file", m->obj->path);
		return;
	}
	document_file(json, m->obj->path,
		      m->obj->ehdr.e_type != ET_REL ? "final"
		      : object_is_module(m->obj)    ? "module"
						    : "partial",
		      m->obj);
	json_key(json, "markers");
	json_open(json, '[');
	for (size_t i = 0; i < m->n; i++) {
		judge_marker(m, &m->items[i]);
		marker_json(m, &m->items[i], json);
	}
	json_close(json, ']');
	json_key(json, "counts");
	json_open(json, '{');
	json_number(json, "markers", m->n);
	json_number(json, "places", m->counts.places);
	json_number(json, "lost", m->counts.lost);
	json_number(json, "duplicated", m->counts.duplicated);
	json_number(json, "arguments", m->counts.arguments);
	for (unsigned i = 0; i < WHERE_COUNT; i++)
		json_number(json, source_where_name(i), m->counts.where[i]);
	json_close(json, '}');
}

/* --- The mode ------------------------------------------------------------- */

static int read_markers(struct markers *m, const struct command *cmd,
			struct object *obj)
{
	struct diag *d = m->d;

	if (object_open(d, cmd->inputs.items[0], obj) ||
	    check_object(d, obj, OBJECT_ANY) || markers_read(d, obj, &m->set))
		return -1;
	m->module = listing_module_name(d, obj, cmd->module);
	if (m->module == NULL)
		return diag_nomem(d, obj->path);
	if (m->set.n == 0)
		diag_report(d, SEVERITY_WARNING,
			    &(struct place){ .file = obj->path }, "no-markers",
			    NULL,
			    "the file has no markers: no section %s, %s2 or "
			    "%s3",
			    MARKERS_SECTION, PLACED_MARKERS_SECTION,
			    PLACED_MARKERS_SECTION);
	if (m->set.n > 0 &&
	    source_open(d, obj, cmd->debug_file, source_end_nomem, &m->source))
		return -1;
	if (list_markers(m) || add_told_places(m) || find_places(m))
		return -1;
	lay_out_places(m);
	return 0;
}

int command_markers(const struct command *cmd, struct report *report)
{
	struct diag *d = &report->diag;
	struct object obj = { 0 };
	struct markers m = { .d = d, .obj = &obj };
	struct json json = { .text.stream = report->out.stream };
	bool is_read = read_markers(&m, cmd, &obj) == 0;

	if (cmd->format == FORMAT_JSON) {
		document_open(&json);
		obj.path = cmd->inputs.items[0];
		print_json(&m, is_read, &json);
	} else if (is_read) {
		print_text(&m, report);
	}
	if (m.source != NULL)
		source_report(d, m.source);
	source_close(m.source);
	report_confirm(report, &obj, 1);
	if (cmd->format == FORMAT_JSON) {
		report_json(report, &json);
		json_close(&json, '}');
	}
	markers_free(&m.set);
	free(m.items);
	free(m.places);
	free(m.module);
	object_close(&obj);
	return report_status(report);
}
