/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --dump --source: sites as places in the source. */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "listing.h"
#include "source-text.h"

void source_end_nomem(void)
{
	static const char text[] = "sdtlink: error: out of memory\n";
	ssize_t n = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)n;
	output_abandon();
	_exit(EXIT_TROUBLE);
}

/* --- Lines -------------------------------------------------------------- */

void print_source_line(FILE *stream, const struct source_frame *frame,
		       const struct object *obj, const char *section,
		       uint64_t at)
{
	if (frame == NULL || frame->file == NULL) {
		print_escaped(stream, obj->path);
		fputs(":(", stream);
		print_escaped(stream, section != NULL ? section : "?");
		fprintf(stream, "+0x%" PRIx64 "): ", at);
		return;
	}
	print_escaped(stream, frame->file);
	fprintf(stream, ":%u:", frame->line);
	if (frame->column > 0)
		fprintf(stream, "%u:", frame->column);
	fputc(' ', stream);
}

/* Prints a line for each function into which the first frame was inlined. */
static void print_callers(FILE *stream, const struct source_chain *chain)
{
	for (size_t i = 1; i < chain->nframes; i++) {
		const struct source_frame *frame = &chain->frames[i];

		if (frame->file != NULL) {
			print_source_line(stream, frame, NULL, NULL, 0);
			fputs("  inlined into ", stream);
		} else {
			fputs("?:   inlined into ", stream);
		}
		print_escaped(stream,
			      frame->function != NULL ? frame->function : "?");
		fputc('\n', stream);
	}
}

void print_variable(FILE *stream, const struct source_variable *var)
{
	static const char *const texts[] = {
		[WHERE_CONSTANT] = "a constant",
		[WHERE_REGISTER] = "in a register",
		[WHERE_STACK] = "on the stack",
		[WHERE_MEMORY] = "in memory",
		[WHERE_COMPUTED] = "computed",
		[WHERE_PART] = "only in part",
		[WHERE_ENTRY] = "only as it was when the function was entered",
		[WHERE_ELSEWHERE] = "not here, but elsewhere in its scope",
		[WHERE_GONE] = "optimised out",
		[WHERE_UNKNOWN] = "not in the debug information",
	};

	fputs(texts[var->where], stream);
	if (var->what[0] == '\0')
		return;
	fputs(": ", stream);
	print_escaped(stream, var->what);
}

/* --- Arguments ----------------------------------------------------------- */

#define ARGS_MAX NOTE_ARGS_MAX

/* An argument of a probe, as its macro or its declaration has it. */
struct argument {
	const char *name; /* or NULL */
	const char *type; /* or NULL */
	bool has_variable;
	struct source_variable variable;
	struct source_parameter param;
};

/* The number of arguments, or -1 if it is unknown. */
static int find_arguments(const struct listing *listing,
			  const struct listed_probe *probe,
			  const struct listed_site *site,
			  struct argument args[ARGS_MAX])
{
	const struct note *note = site->noted.note;
	uint64_t at = site->has_address ? site->address : site->offset;
	struct source_spot spot = { .shndx = site->shndx, .at = at };
	struct source_parameter params[ARGS_MAX];
	int n;

	if (note == NULL) {
		n = listing->source != NULL
			    ? source_parameters(listing->source, site->shndx,
						at, probe->symbol, params,
						ARGS_MAX)
			    : -1;
		for (int i = 0; i < n && i < ARGS_MAX; i++) {
			args[i] = (struct argument){ .param = params[i] };
			args[i].name = args[i].param.name;
			args[i].type = args[i].param.type;
		}
		return n < ARGS_MAX ? n : ARGS_MAX;
	}
	if (note->is_target) /* the call has them */
		return -1;
	for (unsigned i = 0; i < note->nargs; i++) {
		struct argument *arg = &args[i];

		*arg = (struct argument){ .name = note->names[i],
					  .type = note_type(note->types[i]) };
		if (listing->source == NULL)
			continue;
		arg->has_variable = true;
		source_expression(listing->source, &spot, arg->name,
				  &arg->variable);
		if (arg->variable.type[0] != '\0')
			arg->type = arg->variable.type;
	}
	return note->nargs;
}

static void check_site(struct diag *d, const struct listing *listing,
		       const struct listed_probe *probe,
		       const struct listed_site *site)
{
	struct argument args[ARGS_MAX];
	int n = find_arguments(listing, probe, site, args);
	struct place place = { .file = listing->obj->path,
			       .section = site->section,
			       .has_offset = !site->has_address,
			       .offset = site->offset,
			       .function = site->function,
			       .function_offset = site->function_offset };

	for (int i = 0; i < n; i++)
		if (args[i].has_variable &&
		    args[i].variable.where > WHERE_AVAILABLE_MAX)
			diag_report(
				d, SEVERITY_WARNING, &place,
				"argument-variable", NULL,
				"argument %d of %s:%s, %s, is not available: %s",
				i, probe->name.provider, probe->name.name,
				args[i].name,
				source_where_name(args[i].variable.where));
}

void listing_check_arguments(struct diag *d, const struct listing *listing)
{
	for (size_t i = 0; i < listing->nprobes; i++) {
		const struct listed_probe *probe = &listing->probes[i];

		for (size_t k = 0; k < probe->nsites; k++)
			check_site(d, listing, probe,
				   &listing->sites[probe->first_site + k]);
	}
}

static void print_arguments(FILE *stream, const struct listing *listing,
			    const struct listed_probe *probe,
			    const struct listed_site *site)
{
	struct argument args[ARGS_MAX];
	int n = find_arguments(listing, probe, site, args);

	for (int i = 0; i < n; i++) {
		fprintf(stream, "    argument %d: ", i);
		if (args[i].name != NULL) {
			print_escaped(stream, args[i].name);
			fputs(": ", stream);
		}
		print_escaped(stream,
			      args[i].type != NULL ? args[i].type : "?");
		if (args[i].has_variable) {
			fputs(", ", stream);
			print_variable(stream, &args[i].variable);
		}
		fputc('\n', stream);
	}
}

/* --- Sites --------------------------------------------------------------- */

int listing_add_source(struct diag *d, const char *debug,
		       struct listing *listing)
{
	listing->has_source = true;
	return source_open(d, listing->obj, debug, source_end_nomem,
			   &listing->source);
}

/*
 * Around the sections that the probe macros write, clang (14) loses rows of the
 * line table. The macros' note is right.
 */
static void prefer_note(const struct listing *listing,
			const struct listed_site *site, uint64_t at,
			struct source_frame *frame)
{
	const struct note *note = site->noted.note;
	const char *path = NULL;

	if (note == NULL)
		return;
	if (listing->source != NULL)
		path = source_path(listing->source, site->shndx, at,
				   note->file);
	if (path == NULL)
		path = note->file;
	if (frame->file != NULL && strcmp(frame->file, path) == 0 &&
	    frame->line == note->line)
		return;
	frame->file = path;
	frame->line = note->line;
	frame->column = 0;
}

/* Finds the chain of SITE, and its first frame, even if only from symbols. */
static void find_chain(const struct listing *listing,
		       const struct listed_site *site,
		       struct source_chain *chain, struct source_frame *first)
{
	uint64_t at = site->has_address ? site->address : site->offset;
	struct source_spot spot = { .shndx = site->shndx, .at = at };

	*chain = (struct source_chain){ 0 };
	*first = (struct source_frame){ .function = site->function };
	/* Without memory, report_confirm() says so. */
	if (listing->source != NULL)
		source_find(listing->source, &spot, chain);
	if (chain->nframes > 0)
		*first = chain->frames[0];
	prefer_note(listing, site, at, first);
	if (chain->nframes == 0)
		return;
	chain->frames[0] = *first;
	/* If the compiler folded it, it has a symbol, but no description. */
	if (chain->frames[chain->nframes - 1].function == NULL)
		chain->frames[chain->nframes - 1].function = site->function;
}

static void print_site(FILE *stream, const struct listing *listing,
		       const struct listed_probe *probe,
		       const struct listed_site *site)
{
	struct source_chain chain;
	struct source_frame first;

	find_chain(listing, site, &chain, &first);
	print_source_line(stream, &first, listing->obj, site->section,
			  site->offset);
	print_escaped(stream, probe->name.provider);
	fputc(':', stream);
	print_escaped(stream, listing->module);
	fputc(':', stream);
	print_escaped(stream, site->function != NULL ? site->function : "");
	fputc(':', stream);
	print_escaped(stream, probe->name.name);
	fprintf(stream, " %s at ", site->kind);
	if (site->has_address) {
		fprintf(stream, "0x%" PRIx64, site->address);
	} else {
		print_escaped(stream, site->section);
		fprintf(stream, "+0x%" PRIx64, site->offset);
	}
	if (first.is_inlined && first.function != NULL) {
		fputs(" in ", stream);
		print_escaped(stream, first.function);
	}
	fputc('\n', stream);
	print_callers(stream, &chain);
	print_arguments(stream, listing, probe, site);
	source_chain_free(&chain);
}

void listing_print_source(const struct listing *listing, struct report *report)
{
	for (size_t i = 0; i < listing->nprobes; i++) {
		const struct listed_probe *probe = &listing->probes[i];

		for (size_t k = 0; k < probe->nsites; k++) {
			print_site(report->out.stream, listing, probe,
				   &listing->sites[probe->first_site + k]);
			report_pour(report, listing->obj, k);
		}
	}
}

/* --- JSON ---------------------------------------------------------------- */

static void number_or_null(struct json *json, const char *key, unsigned value)
{
	if (value > 0)
		json_number(json, key, value);
	else
		json_string(json, key, NULL);
}

void frames_json(const struct source_frame *frames, size_t n, struct json *json)
{
	json_key(json, "frames");
	json_open(json, '[');
	for (size_t i = 0; i < n; i++) {
		const struct source_frame *frame = &frames[i];

		json_open(json, '{');
		json_string(json, "function", frame->function);
		json_bool(json, "inlined", true, frame->is_inlined);
		json_string(json, "file", frame->file);
		number_or_null(json, "line", frame->line);
		number_or_null(json, "column", frame->column);
		json_close(json, '}');
	}
	json_close(json, ']');
}

void argument_json(const char *name, const char *type,
		   const struct source_variable *var, struct json *json)
{
	json_open(json, '{');
	json_string(json, "name", name);
	json_string(json, "type", type);
	json_string(json, "where",
		    var != NULL ? source_where_name(var->where) : NULL);
	json_string(json, "what",
		    var != NULL && var->what[0] != '\0' ? var->what : NULL);
	json_close(json, '}');
}

void source_site_json(const struct listing *listing,
		      const struct listed_probe *probe,
		      const struct listed_site *site, struct json *json)
{
	struct source_chain chain;
	struct source_frame first;
	struct argument args[ARGS_MAX];
	int n;

	json_key(json, "source");
	json_open(json, '{');
	find_chain(listing, site, &chain, &first);
	if (chain.nframes > 0)
		frames_json(chain.frames, chain.nframes, json);
	else
		frames_json(&first, first.file != NULL, json);
	source_chain_free(&chain);
	n = find_arguments(listing, probe, site, args);
	json_key(json, "arguments");
	if (n < 0) {
		json_string(json, NULL, NULL);
	} else {
		json_open(json, '[');
		for (int i = 0; i < n; i++)
			argument_json(args[i].name, args[i].type,
				      args[i].has_variable ? &args[i].variable
							   : NULL,
				      json);
		json_close(json, ']');
	}
	json_close(json, '}');
}
