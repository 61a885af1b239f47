/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Listings as JSON and as lines. */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/disassemble.h"
#include "json-document.h"
#include "listing.h"
#include "memory.h"
#include "base/text.h"
#include "sites/alternatives.h"

static void bins_json(const struct bins *bins, struct json *json)
{
	json_key(json, "bins");
	json_open(json, '{');
	json_number(json, "relocations", bins->relocations);
	json_number(json, "site", bins->site);
	json_number(json, "excluded", bins->excluded);
	json_number(json, "dead", bins->dead);
	json_number(json, "refused", bins->refused);
	json_close(json, '}');
}

/* NOTE is NULL if there is none. */
static void note_json(const struct note *note, struct json *json)
{
	if (note == NULL) {
		json_string(json, "file", NULL);
		json_string(json, "line", NULL);
		json_string(json, "arguments", NULL);
		return;
	}
	json_string(json, "file", note->file);
	json_number(json, "line", note->line);
	if (note->is_target) { /* the call has them */
		json_string(json, "arguments", NULL);
		return;
	}
	json_key(json, "arguments");
	json_open(json, '[');
	for (unsigned i = 0; i < note->nargs; i++) {
		json_open(json, '{');
		json_string(json, "name", note->names[i]);
		json_string(json, "type", note_type(note->types[i]));
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void state_json(const struct listed_site *site, struct json *json)
{
	char bytes[2 * sizeof(site->memory) + 1] = "";

	for (unsigned i = 0; i < site->nmemory; i++)
		snprintf(bytes + 2 * i, 3, "%02x", site->memory[i]);
	json_string(json, "state", memory_state_name(site->state));
	json_string(json, "bytes", site->nmemory > 0 ? bytes : NULL);
	json_hex(json, "goes_to", site->state_target != 0, site->state_target);
	json_string(json, "goes_to_function", site->state_function);
}

static void site_json(const struct listing *listing,
		      const struct listed_probe *probe,
		      const struct listed_site *site, struct json *json)
{
	json_open(json, '{');
	json_string(json, "section", site->section);
	json_hex(json, "offset", true, site->offset);
	json_hex(json, "address", site->has_address, site->address);
	json_string(json, "function", site->function);
	json_hex(json, "function_offset", site->has_function_offset,
		 site->function_offset);
	json_string(json, "kind", site->kind);
	json_string(json, "form", site->form);
	json_number(json, "length", site->length);
	json_bool(json, "one_store", site->knows_one_store, site->one_store);
	note_json(site->noted.note, json);
	if (site->operands != NULL) {
		json_string(json, "operands", site->operands);
		json_hex(json, "semaphore", site->semaphore != 0,
			 site->semaphore);
	}
	if (listing->has_source)
		source_site_json(listing, probe, site, json);
	if (listing->has_states)
		state_json(site, json);
	json_close(json, '}');
}

static void probe_json(const struct listing *listing,
		       const struct listed_probe *probe, struct report *report,
		       struct json *json)
{
	json_open(json, '{');
	json_string(json, "symbol", probe->key ? NULL : probe->symbol);
	json_string(json, "provider", probe->name.provider);
	json_string(json, "module", listing->module);
	json_string(json, "name", probe->name.name);
	json_key(json, "sites");
	json_open(json, '[');
	for (size_t i = 0; i < probe->nsites; i++) {
		site_json(listing, probe,
			  &listing->sites[probe->first_site + i], json);
		report_pour(report, listing->obj, i);
	}
	json_close(json, ']');
	json_close(json, '}');
}

/* With a sign: memory may be below. */
static void displacement_json(const struct listing *listing, struct json *json)
{
	uint64_t value = listing->memory_displacement;
	bool is_below = value >> 63;
	char text[24];

	snprintf(text, sizeof(text), "%s0x%" PRIx64, is_below ? "-" : "",
		 is_below ? -value : value);
	json_string(json, "displacement", text);
}

void listing_json(const struct listing *listing, struct report *report,
		  struct json *json)
{
	document_file(json, listing->obj->path, listing->type, listing->obj);
	bins_json(&listing->bins, json);
	if (listing->has_states) {
		displacement_json(listing, json);
		json_string(json, "space",
			    listing->is_physical ? "physical" : "virtual");
	}
	json_key(json, "probes");
	json_open(json, '[');
	for (size_t i = 0; i < listing->nprobes; i++)
		probe_json(listing, &listing->probes[i], report, json);
	json_close(json, ']');
}

/* --- Lines -------------------------------------------------------------- */

static void text_pad(struct text *text, size_t from, size_t width)
{
	for (; from < width; from++)
		text_char(text, ' ');
}

static bool is_printable(char c)
{
	return c >= 0x20 && c < 0x7f;
}

static bool is_plain(char c)
{
	return is_printable(c) && c != '\\';
}

/*
 * Writes STRING with each character that is not PLAIN as \xHH, as print_escaped
 * does.
 */
static void put_escaped(struct text *text, const char *string,
			bool (*plain)(char c))
{
	while (*(string = text_plain(text, string, plain)) != '\0')
		text_format(text, "\\x%02x", (unsigned char)*string++);
}

static void put_name(struct text *text, const char *name)
{
	put_escaped(text, name, is_plain);
}

size_t shown_length(const char *name)
{
	size_t n = 0;

	for (; *name != '\0'; name++)
		n += is_plain(*name) ? 1 : 4;
	return n;
}

/* NAME, padded to WIDTH. */
static void put_column(struct text *text, const char *name, size_t width)
{
	put_name(text, name);
	text_pad(text, shown_length(name), width);
	text_char(text, ' ');
}

/*
 * Writes the bytes of the instruction, and its text if libopcodes is available.
 */
static void put_code(struct text *text, const struct arch *arch,
		     const struct listed_site *site)
{
	char insn[128];

	for (unsigned i = 0; site->code.bytes != NULL && i < site->length; i++)
		text_format(text, " %02x",
			    site->code.bytes[site->code_offset + i]);
	if (site->code.bytes != NULL &&
	    disassemble(arch, &site->code, site->code_offset, insn,
			sizeof(insn)) > 0) {
		text_put(text, "  ");
		put_name(text, insn);
	}
	text_char(text, '\n');
}

/* Writes a line of its own: FILE:LINE, and the arguments of a call. */
static void put_note(struct text *text, const struct note *note)
{
	text_put(text, "      ");
	put_name(text, note->file);
	text_char(text, ':');
	text_decimal(text, note->line);
	for (unsigned i = 0; i < note->nargs; i++) {
		const char *type = note_type(note->types[i]);

		text_put(text, i == 0 ? " (" : ", ");
		/* A piece of source: a backslash in it is not an escape. */
		put_escaped(text, note->names[i], is_printable);
		text_put(text, ": ");
		text_put(text, type != NULL ? type : "?");
	}
	text_put(text, note->nargs > 0 ? ")\n" : "\n");
}

static void put_operands(struct text *text, const struct listed_site *site)
{
	if (site->operands[0] == '\0' && site->semaphore == 0)
		return;
	text_put(text, "      (");
	put_name(text, site->operands);
	text_char(text, ')');
	if (site->semaphore != 0) {
		text_put(text, " semaphore ");
		text_hex(text, site->semaphore);
	}
	text_char(text, '\n');
}

static size_t hex_length(uint64_t value)
{
	size_t n = 3;

	for (; value > 0xf; value >>= 4)
		n++;
	return n;
}

/*
 * If there are no function names, the place in the section is printed, too,
 * since it can be looked up.
 */
static bool has_both(const struct listing *listing,
		     const struct listed_site *site)
{
	return site->has_address && site->function == NULL &&
	       site->code.bytes != NULL && listing->obj->is_stripped;
}

static const char *shown_function(const struct listing *listing,
				  const struct listed_site *site)
{
	if (site->function != NULL)
		return site->function;
	return listing->obj->is_stripped ? "-" : "?";
}

static size_t place_length(const struct listing *listing,
			   const struct listed_site *site)
{
	if (has_both(listing, site))
		return hex_length(site->address) + shown_length(site->section) +
		       hex_length(site->code_offset) + 3;
	return site->has_address ? hex_length(site->address)
				 : shown_length(site->section) + 1 +
					   hex_length(site->offset);
}

/* Writes an address, a section and an offset, or both. */
static void put_place(struct text *text, const struct listing *listing,
		      const struct listed_site *site, size_t width)
{
	size_t n = place_length(listing, site);
	bool is_both = has_both(listing, site);

	if (site->has_address)
		text_hex(text, site->address);
	if (is_both)
		text_char(text, '(');
	if (is_both || !site->has_address) {
		put_name(text, site->section);
		text_char(text, '+');
		text_hex(text, is_both ? site->code_offset : site->offset);
	}
	if (is_both)
		text_char(text, ')');
	text_pad(text, n, width);
}

static void widen(size_t *width, size_t n)
{
	*width = n > *width ? n : *width;
}

/* Columns never get narrower from one file to the next. */
static void widen_all(const struct listing *listing, size_t id,
		      struct columns *columns)
{
	char last[24];

	widen(&columns->id,
	      snprintf(last, sizeof(last), "%zu", id + listing->nsites));
	if (listing->nsites > 0)
		widen(&columns->module, shown_length(listing->module));
	for (size_t i = 0; i < listing->nprobes; i++) {
		const struct listed_probe *probe = &listing->probes[i];

		widen(&columns->provider, shown_length(probe->name.provider));
		widen(&columns->name, shown_length(probe->name.name));
		for (size_t k = 0; k < probe->nsites; k++) {
			const struct listed_site *site =
				&listing->sites[probe->first_site + k];

			widen(&columns->function,
			      shown_length(shown_function(listing, site)));
			widen(&columns->place, place_length(listing, site));
			widen(&columns->kind, strlen(site->kind));
		}
	}
}

/* Writes " on -> function+0x4". If only the bytes are known, writes those. */
static void put_state(struct text *text, const struct listed_site *site,
		      size_t width)
{
	bool shows_bytes =
		site->state == STATE_OTHER ||
		(site->state == STATE_HALF && site->state_target == 0);
	const char *name = memory_state_name(site->state);

	text_char(text, ' ');
	text_put(text, name);
	if (site->state_target != 0) {
		text_put(text, " -> ");
		if (site->state_function != NULL)
			put_name(text, site->state_function);
		else
			text_hex(text, site->state_target);
		if (site->state_function != NULL &&
		    site->state_function_offset != 0) {
			text_char(text, '+');
			text_hex(text, site->state_function_offset);
		}
		return;
	}
	for (unsigned i = 0; shows_bytes && i < site->nmemory; i++)
		text_format(text, " %02x", site->memory[i]);
	if (!shows_bytes)
		text_pad(text, strlen(name), width);
}

/* How many of the sites are in each state. */
static void print_states(const struct listing *listing, FILE *stream)
{
	size_t counts[STATE_UNREADABLE + 1] = { 0 };

	for (size_t i = 0; i < listing->nprobes; i++)
		for (size_t k = 0; k < listing->probes[i].nsites; k++)
			counts[listing->sites[listing->probes[i].first_site + k]
				       .state]++;
	print_escaped(stream, listing->obj->path);
	fprintf(stream, ": %zu site%s", listing->nsites,
		listing->nsites == 1 ? "" : "s");
	for (int i = 0; i <= STATE_UNREADABLE; i++)
		if (counts[i] > 0)
			fprintf(stream, ", %zu %s", counts[i],
				memory_state_name(i));
	fputc('\n', stream);
}

static void put_site(struct text *text, const struct listing *listing,
		     const struct listed_probe *probe,
		     const struct listed_site *site,
		     const struct columns *columns, bool with_code, size_t id)
{
	size_t digits = 1;

	for (size_t left = id; left >= 10; left /= 10)
		digits++;
	text_pad(text, digits, columns->id);
	text_decimal(text, id);
	text_char(text, ' ');
	put_column(text, probe->name.provider, columns->provider);
	put_column(text, listing->module, columns->module);
	put_column(text, shown_function(listing, site), columns->function);
	put_column(text, probe->name.name, columns->name);
	put_place(text, listing, site, columns->place);
	text_char(text, ' ');
	text_put(text, site->kind);
	if (listing->has_states) {
		text_pad(text, strlen(site->kind), columns->kind);
		put_state(text, site, with_code ? columns->state : 0);
	}
	if (!with_code) {
		text_char(text, '\n');
		return;
	}
	if (!listing->has_states)
		text_pad(text, strlen(site->kind), columns->kind);
	put_code(text, listing->obj->arch, site);
	if (site->noted.note != NULL)
		put_note(text, site->noted.note);
	if (site->operands != NULL)
		put_operands(text, site);
}

static void put_heading(struct text *text, const struct columns *columns,
			bool with_state, bool with_code)
{
	text_pad(text, 2, columns->id);
	text_put(text, "ID ");
	put_column(text, "PROVIDER", columns->provider);
	put_column(text, "MODULE", columns->module);
	put_column(text, "FUNCTION", columns->function);
	put_column(text, "NAME", columns->name);
	put_column(text, "ADDRESS", columns->place);
	text_put(text, "KIND");
	if (with_state || with_code)
		text_pad(text, 4, columns->kind);
	if (with_state)
		text_put(text, " STATE");
	if (with_state && with_code)
		text_pad(text, 5, columns->state);
	if (with_code)
		text_put(text, " CODE");
	text_char(text, '\n');
}

void columns_init(struct columns *columns)
{
	*columns = (struct columns){ 5, 8, 6, 8, 4, 7, 4, 12 };
}

/* A site, with its probe. */
struct listed_line {
	const struct listed_probe *probe;
	const struct listed_site *site;
};

static int compare_addresses(const void *a, const void *b)
{
	const struct listed_site *x = ((const struct listed_line *)a)->site;
	const struct listed_site *y = ((const struct listed_line *)b)->site;
	int order = x->section != NULL && y->section != NULL
			    ? strcmp(x->section, y->section)
			    : 0;

	if (x->has_address)
		return x->address < y->address ? -1 : x->address > y->address;
	if (order != 0)
		return order;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int compare_functions(const void *a, const void *b)
{
	const struct listed_line *x = a, *y = b;
	int order = strcmp(x->site->function != NULL ? x->site->function : "",
			   y->site->function != NULL ? y->site->function : "");

	return order != 0 ? order : compare_addresses(a, b);
}

static int compare_names(const void *a, const void *b)
{
	const struct listed_line *x = a, *y = b;
	int order = strcmp(x->probe->name.provider, y->probe->name.provider);

	if (order == 0)
		order = strcmp(x->probe->name.name, y->probe->name.name);
	return order != 0 ? order : compare_functions(a, b);
}

/* All sites, sorted. NULL if memory ran out, diagnosed. */
static struct listed_line *
sort_sites(struct diag *d, const struct listing *listing,
	   int (*compare)(const void *, const void *))
{
	struct listed_line *lines =
		malloc((listing->nsites + 1) * sizeof(lines[0]));
	size_t n = 0;

	if (lines == NULL) {
		diag_nomem(d, listing->obj->path);
		return NULL;
	}
	for (size_t i = 0; i < listing->nprobes; i++)
		for (size_t k = 0; k < listing->probes[i].nsites; k++)
			lines[n++] = (struct listed_line){
				&listing->probes[i],
				&listing->sites[listing->probes[i].first_site +
						k]
			};
	if (n > 0)
		qsort(lines, n, sizeof(lines[0]), compare);
	return lines;
}

static void print_probes(const struct listing *listing,
			 const struct command *cmd,
			 const struct columns *columns, struct report *report,
			 struct text *text, size_t *id)
{
	for (size_t i = 0; i < listing->nprobes; i++) {
		const struct listed_probe *probe = &listing->probes[i];

		for (size_t k = 0; k < probe->nsites; k++) {
			put_site(text, listing, probe,
				 &listing->sites[probe->first_site + k],
				 columns, cmd->is_verbose, ++*id);
			report_pour(report, listing->obj, k);
		}
	}
}

static int print_sorted(struct diag *d, const struct listing *listing,
			const struct command *cmd,
			const struct columns *columns, struct report *report,
			struct text *text, size_t *id)
{
	struct listed_line *lines = sort_sites(d, listing,
					       cmd->sort == SORT_ADDRESS
						       ? compare_addresses
						       : compare_functions);

	if (lines == NULL)
		return -1;
	for (size_t i = 0; i < listing->nsites; i++) {
		put_site(text, listing, lines[i].probe, lines[i].site, columns,
			 cmd->is_verbose, ++*id);
		report_pour(report, listing->obj, i);
	}
	free(lines);
	return 0;
}

int listing_print(struct diag *d, const struct listing *listing,
		  const struct command *cmd, struct columns *columns,
		  struct report *report, size_t *id)
{
	struct text text = { .stream = report->out.stream };
	int ret = 0;

	widen_all(listing, *id, columns);
	if (*id == 0 && !cmd->is_quiet)
		put_heading(&text, columns, cmd->memory != NULL,
			    cmd->is_verbose);
	if (cmd->sort == SORT_PROBE)
		print_probes(listing, cmd, columns, report, &text, id);
	else
		ret = print_sorted(d, listing, cmd, columns, report, &text, id);
	text_flush(&text);
	if (ret == 0 && listing->has_states && !cmd->is_quiet)
		print_states(listing, report->out.stream);
	return ret;
}

/* An is-enabled probe has the name of the probe about which it asks. */
static bool is_same_name(const struct listed_line *a,
			 const struct listed_line *b)
{
	const struct probe_name *x = &a->probe->name, *y = &b->probe->name;

	return strcmp(x->provider, y->provider) == 0 &&
	       strcmp(x->name, y->name) == 0 &&
	       strcmp(a->site->function != NULL ? a->site->function : "",
		      b->site->function != NULL ? b->site->function : "") == 0;
}

int listing_print_names(struct diag *d, const struct listing *listing,
			struct report *report)
{
	struct text text = { .stream = report->out.stream };
	struct listed_line *lines = sort_sites(d, listing, compare_names);

	if (lines == NULL)
		return -1;
	for (size_t i = 0; i < listing->nsites; i++) {
		const char *function = lines[i].site->function;
		const struct probe_name *name = &lines[i].probe->name;

		if (i > 0 && is_same_name(&lines[i - 1], &lines[i]))
			continue;
		put_name(&text, name->provider);
		text_char(&text, ':');
		put_name(&text, listing->module);
		text_char(&text, ':');
		put_name(&text, function != NULL ? function : "");
		text_char(&text, ':');
		put_name(&text, name->name);
		text_char(&text, '\n');
		report_pour(report, listing->obj, i);
	}
	text_flush(&text);
	free(lines);
	return 0;
}

void print_bins(FILE *stream, const struct object *obj, const struct bins *bins)
{
	bool is_one = bins->relocations == 1;

	print_escaped(stream, obj->path);
	fprintf(stream,
		": %zu %s: %zu site%s, %zu excluded, %zu dead, %zu refused\n",
		bins->relocations,
		obj->ehdr.e_type != ET_REL
			? (is_one ? "entry" : "entries")
			: (is_one ? "relocation" : "relocations"),
		bins->site, bins->site == 1 ? "" : "s", bins->excluded,
		bins->dead, bins->refused);
}

void require_probes(struct diag *d, const struct command *cmd, const char *path,
		    size_t nsites)
{
	if (cmd->require_probes && nsites == 0)
		diag_report(d, SEVERITY_NO, &(struct place){ .file = path },
			    "no-probes",
			    "is this the right file, and the right --prefix?",
			    "no probe sites");
}

static bool matches_section(const char *glob, const struct object *partials,
			    size_t n)
{
	const struct string_list globs = { .items = &glob, .n = 1 };

	for (size_t i = 0; i < n; i++) {
		if (alternatives_present(&partials[i]) &&
		    string_list_matches(&globs, ALTERNATIVES_SECTION))
			return true;
		for (size_t s = 1; s < partials[i].nsections; s++)
			if (string_list_matches(&globs,
						partials[i].sections[s].name))
				return true;
	}
	return false;
}

void require_sections(struct diag *d, const struct command *cmd,
		      const struct object *partials, size_t n)
{
	const struct options *options = &cmd->options;
	const struct {
		const char *option;
		const struct string_list *globs;
	} given[] = {
		{ "section", &options->only_sections },
		{ "skip-section", &options->skip_sections },
		{ "refuse-section",
		  cmd->refuses_usual ? NULL : &options->refuse_sections },
	};
	enum severity severity = cmd->require_probes ? SEVERITY_NO
						     : SEVERITY_NOTE;

	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++)
		for (size_t g = 0; given[i].globs && g < given[i].globs->n; g++)
			if (!matches_section(given[i].globs->items[g], partials,
					     n))
				diag_report(d, severity,
					    &(struct place){
						    .file = partials[0].path },
					    "no-match",
					    "'readelf -SW' lists their names",
					    "no section matches --%s=%s",
					    given[i].option,
					    given[i].globs->items[g]);
}
