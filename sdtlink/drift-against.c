/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --drift --against=OLD: how the text of two finals differs. */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "drift-report.h"
#include "elf/check.h"

/* Of what may be thousands, without -v. */
#define SHOWN_MAX 10

struct against {
	struct drift_report r;	     /* its final is the new one */
	const struct object *finals; /* old, new */
	const char *paths[2];
	struct drift drifts[2]; /* if there are inputs */
	struct comparison c;
	bool by_symbols;
};

static const struct drift *drifts_of(const struct against *a)
{
	return a->by_symbols ? NULL : a->drifts;
}

/* --- Text -------------------------------------------------------------- */

static void print_place(const struct against *a, size_t function)
{
	const struct compare_function *f = &a->c.functions[function];
	FILE *stream = a->r.stream;

	if (f->section != NO_SECTION) {
		const struct drift_section *s =
			&a->drifts[COMPARE_NEW].sections[f->section];

		print_escaped(stream, a->r.inputs[s->input].path);
		fputs(":(", stream);
		print_escaped(stream, s->name);
		if (f->name == NULL || f->offset > 0)
			fprintf(stream, "+0x%" PRIx64, f->offset);
		fputc(')', stream);
		if (f->name != NULL)
			fputs(" in ", stream);
	}
	if (f->name != NULL)
		print_escaped(stream, f->name);
}

static void print_both(FILE *stream, const char *what, uint64_t x, uint64_t y)
{
	fprintf(stream, "  %-28s %12" PRIu64 " %12" PRIu64 "%s\n", what, x, y,
		x != y ? "  *" : "");
}

static void print_table(const struct against *a)
{
	const struct comparison *c = &a->c;
	const struct drift *x = &a->drifts[COMPARE_OLD];
	const struct drift *y = &a->drifts[COMPARE_NEW];
	FILE *stream = a->r.stream;

	fprintf(stream, "  %-28s %12s %12s\n", "", "OLD", "NEW");
	print_both(stream, "functions", c->nthere[0], c->nthere[1]);
	print_both(stream,
		   a->by_symbols ? "that share a place" : "folded into others",
		   c->nfolded[0], c->nfolded[1]);
	print_both(stream, "bytes of functions", c->nsized[0], c->nsized[1]);
	if (a->by_symbols) {
		print_both(stream, "bytes without a function", c->nameless[0],
			   c->nameless[1]);
		return;
	}
	print_both(stream, "bytes of padding", x->nbytes[BIN_PADDING],
		   y->nbytes[BIN_PADDING]);
	print_both(stream, "bytes of the PLT", x->nbytes[BIN_PLT],
		   y->nbytes[BIN_PLT]);
	if (x->nbytes[BIN_GOT] + y->nbytes[BIN_GOT] > 0)
		print_both(stream, "bytes of the GOT", x->nbytes[BIN_GOT],
			   y->nbytes[BIN_GOT]);
	print_both(stream, "bytes of veneers", x->nbytes[BIN_VENEER],
		   y->nbytes[BIN_VENEER]);
	print_both(stream, "bytes that were changed", x->nbytes[BIN_CHANGED],
		   y->nbytes[BIN_CHANGED]);
	print_both(stream, "bytes unexplained", x->nbytes[BIN_UNEXPLAINED],
		   y->nbytes[BIN_UNEXPLAINED]);
	print_both(stream, "sections unexplained", x->nfates[FATE_UNKNOWN],
		   y->nfates[FATE_UNKNOWN]);
	print_both(stream, "instructions rewritten", x->nrewrites,
		   y->nrewrites);
	print_both(stream, "branches past a jump", x->nshortcuts,
		   y->nshortcuts);
	print_both(stream, "branches that lead elsewhere", x->nstrays,
		   y->nstrays);
}

static void print_counts(const struct against *a)
{
	const struct comparison *c = &a->c;
	const size_t *n = c->nbytes;
	FILE *stream = a->r.stream;

	fprintf(stream,
		"  order: %zu of %zu functions stand elsewhere among the "
		"others",
		c->nmoved, c->nboth);
	if (c->nalike > 0)
		fprintf(stream, "; %zu, that only order tells apart",
			c->nalike);
	fprintf(stream,
		"\n  size: %zu of %zu have another\n"
		"  bytes: %zu of %zu have the same",
		c->nresized, c->nboth, n[COMPARE_SAME], c->nboth);
	if (n[COMPARE_ADDRESSES] > 0)
		fprintf(stream, ", %zu but for what relocations set",
			n[COMPARE_ADDRESSES]);
	if (n[COMPARE_REWRITTEN] > 0)
		fprintf(stream, ", %zu but for instructions that linkers made",
			n[COMPARE_REWRITTEN]);
	if (n[COMPARE_OTHER] > 0)
		fprintf(stream, ", %zu have others, which addresses may be",
			n[COMPARE_OTHER]);
	if (n[COMPARE_UNKNOWN] > 0)
		fprintf(stream, ", of %zu nothing is known",
			n[COMPARE_UNKNOWN]);
	fputc('\n', stream);
	if (a->by_symbols)
		fprintf(stream,
			"  bytes without a function: %s\n"
			"  compared by symbols alone: the inputs would tell "
			"addresses from other bytes\n",
			c->is_nameless_same ? "the same" : "others");
	else if (a->drifts[0].nbytes[BIN_UNEXPLAINED] +
			 a->drifts[1].nbytes[BIN_UNEXPLAINED] >
		 0)
		fputs("  unexplained bytes are not compared: give the objects "
		      "that they come from, too\n",
		      stream);
}

static void print_verdict(const struct against *a)
{
	FILE *stream = a->r.stream;

	print_escaped(stream, a->paths[COMPARE_NEW]);
	fputs(": ", stream);
	if (compare_is_same(&a->c, drifts_of(a)))
		fprintf(stream,
			"the same: %zu functions have the order, size "
			"and instructions",
			a->c.nboth);
	else if (a->c.nboth == 0)
		fputs("differs: no function is in both; against those", stream);
	else if (a->c.ndiffering > 0)
		fprintf(stream,
			"differs: %zu of %zu functions are not as those",
			a->c.ndiffering,
			a->c.nthere[0] + a->c.nthere[1] - a->c.nboth);
	else
		fputs("differs: not in functions, but in other text from that",
		      stream);
	fputs(" of ", stream);
	print_escaped(stream, a->paths[COMPARE_OLD]);
	fputc('\n', stream);
}

static void print_sides(const struct compare_function *f, FILE *stream)
{
	const struct compare_side *x = &f->sides[COMPARE_OLD];
	const struct compare_side *y = &f->sides[COMPARE_NEW];

	if (!x->is_there || !y->is_there) {
		fprintf(stream, ": only in %s, at 0x%" PRIx64,
			x->is_there ? "OLD" : "NEW",
			x->is_there ? x->addr : y->addr);
		return;
	}
	fprintf(stream, ": at 0x%" PRIx64 " and 0x%" PRIx64, x->addr, y->addr);
	if (x->is_folded != y->is_folded)
		fprintf(stream, ", %s in %s",
			f->section == NO_SECTION ? "shares its place"
						 : "folded",
			x->is_folded ? "OLD" : "NEW");
	if (f->has_moved)
		fputs(", elsewhere among the others", stream);
	if (x->size != y->size)
		fprintf(stream, ", %" PRIu64 " and %" PRIu64 " bytes", x->size,
			y->size);
	if (f->bytes == COMPARE_REWRITTEN)
		fputs(", other instructions", stream);
	if (f->bytes == COMPARE_OTHER && x->size == y->size)
		fputs(", other bytes", stream);
	if (f->bytes == COMPARE_UNKNOWN)
		fputs(", not as in the input", stream);
}

static void print_functions(const struct against *a)
{
	size_t nshown = 0;

	for (size_t i = 0; i < a->c.nfunctions; i++) {
		const struct compare_function *f = &a->c.functions[i];

		if (!f->differs)
			continue;
		if (++nshown > SHOWN_MAX && !a->r.cmd->is_verbose)
			continue;
		fputs("    ", a->r.stream);
		print_place(a, i);
		print_sides(f, a->r.stream);
		fputc('\n', a->r.stream);
	}
	if (nshown > SHOWN_MAX && !a->r.cmd->is_verbose)
		fprintf(a->r.stream, "    and %zu more: -v lists them\n",
			nshown - SHOWN_MAX);
}

static void print_insn(const struct against *a, const struct compare_rewrite *w,
		       int i)
{
	FILE *stream = a->r.stream;

	for (unsigned k = 0; k < w->sizes[i]; k++)
		fprintf(stream, " %02x", w->bytes[i][k]);
	fprintf(stream, " in %s (%s)", i == COMPARE_OLD ? "OLD" : "NEW",
		w->sides[i] != NULL ? rewrite_class_name(w->sides[i]->class)
				    : "as in the input");
}

static void print_each_rewrite(const struct against *a)
{
	for (size_t i = 0; i < a->c.nrewrites; i++) {
		const struct compare_rewrite *w = &a->c.rewrites[i];
		const struct drift_rewrite *any =
			w->sides[0] != NULL ? w->sides[0] : w->sides[1];

		fputs("  ", a->r.stream);
		print_place(a, w->function);
		fprintf(a->r.stream, "+0x%" PRIx64 ":",
			any->offset - a->c.functions[w->function].offset);
		print_insn(a, w, COMPARE_OLD);
		fputc(',', a->r.stream);
		print_insn(a, w, COMPARE_NEW);
		if (any->reloc != NULL)
			fprintf(a->r.stream, ", %s", any->reloc);
		fputc('\n', a->r.stream);
	}
}

/* Who inserted what. */
static void print_each_range(const struct against *a)
{
	static const char *const names[] = { "OLD", "NEW" };

	for (int i = 0; i < 2; i++)
		for (size_t k = 0; k < a->drifts[i].nranges; k++) {
			const struct drift_range *range =
				&a->drifts[i].ranges[k];

			if (range->bin == BIN_SECTION ||
			    range->bin == BIN_CHANGED)
				continue;
			fprintf(a->r.stream,
				"  %s has %" PRIu64
				" byte%s of %s at 0x%" PRIx64 "\n",
				names[i], range->size,
				range->size == 1 ? "" : "s",
				drift_bin_name(range->bin), range->addr);
		}
}

static void print_text(const struct against *a)
{
	if (a->r.cmd->is_quiet)
		return;
	print_verdict(a);
	print_table(a);
	print_counts(a);
	print_functions(a);
	if (!a->r.cmd->is_verbose)
		return;
	print_each_rewrite(a);
	print_each_range(a);
}

/* --- JSON -------------------------------------------------------------- */

static void side_json(const struct compare_side *side, struct json *json)
{
	json_open(json, '{');
	json_hex(json, "address", side->is_there, side->addr);
	json_key(json, "size");
	if (side->is_there)
		json_number(json, NULL, side->size);
	else
		json_string(json, NULL, NULL);
	json_bool(json, "folded", true, side->is_folded);
	json_close(json, '}');
}

static void function_json(const struct against *a,
			  const struct compare_function *f, struct json *json)
{
	const struct drift_section *s =
		f->section != NO_SECTION
			? &a->drifts[COMPARE_NEW].sections[f->section]
			: NULL;

	json_open(json, '{');
	json_string(json, "function", f->name);
	json_string(json, "input",
		    s != NULL ? a->r.inputs[s->input].path : NULL);
	json_string(json, "section", s != NULL ? s->name : NULL);
	json_hex(json, "offset", s != NULL, f->offset);
	json_key(json, "old");
	side_json(&f->sides[COMPARE_OLD], json);
	json_key(json, "new");
	side_json(&f->sides[COMPARE_NEW], json);
	json_string(json, "bytes", compare_bytes_name(f->bytes));
	json_bool(json, "moved", true, f->has_moved);
	json_bool(json, "alike", true, f->is_alike);
	json_bool(json, "differs", true, f->differs);
	json_close(json, '}');
}

static void rewrite_json(const struct compare_rewrite *w, struct json *json)
{
	const struct drift_rewrite *any = w->sides[0] != NULL ? w->sides[0]
							      : w->sides[1];

	json_open(json, '{');
	json_number(json, "function", w->function);
	json_hex(json, "offset", true, any->offset);
	json_string(json, "relocation", any->reloc);
	for (int i = 0; i < 2; i++) {
		char hex[2 * sizeof(w->bytes[0]) + 1] = "";

		for (unsigned k = 0; k < w->sizes[i]; k++)
			snprintf(hex + 2 * k, 3, "%02x", w->bytes[i][k]);
		json_key(json, i == COMPARE_OLD ? "old" : "new");
		json_open(json, '{');
		json_string(json, "bytes", hex);
		json_string(json, "class",
			    w->sides[i] != NULL
				    ? rewrite_class_name(w->sides[i]->class)
				    : NULL);
		json_close(json, '}');
	}
	json_close(json, '}');
}

static void final_json(const struct against *a, int i, struct json *json)
{
	const struct drift *drift = &a->drifts[i];

	json_open(json, '{');
	json_string(json, "file", a->paths[i]);
	json_number(json, "functions", a->c.nthere[i]);
	json_number(json, "folded", a->c.nfolded[i]);
	json_number(json, "function_bytes", a->c.nsized[i]);
	json_key(json, "nameless");
	if (a->by_symbols)
		json_number(json, NULL, a->c.nameless[i]);
	else
		json_string(json, NULL, NULL);
	json_string(json, "verdict",
		    a->by_symbols	   ? NULL
		    : drift_is_none(drift) ? "no-drift"
					   : "drift");
	json_key(json, "inserted");
	json_open(json, '[');
	for (size_t k = 0; k < drift->nranges; k++) {
		const struct drift_range *range = &drift->ranges[k];

		if (range->bin == BIN_SECTION || range->bin == BIN_CHANGED)
			continue;
		json_open(json, '{');
		json_hex(json, "address", true, range->addr);
		json_number(json, "size", range->size);
		json_string(json, "bin", drift_bin_name(range->bin));
		json_close(json, '}');
	}
	json_close(json, ']');
	json_close(json, '}');
}

static void lists_json(const struct against *a, struct json *json)
{
	const struct comparison *c = &a->c;

	json_string(json, "by", a->by_symbols ? "symbols" : "inputs");
	json_number(json, "both", c->nboth);
	json_number(json, "moved", c->nmoved);
	json_number(json, "resized", c->nresized);
	json_number(json, "alike", c->nalike);
	json_number(json, "differing", c->ndiffering);
	json_key(json, "bytes");
	json_open(json, '{');
	for (int i = 0; i < NCOMPARE; i++)
		json_number(json, compare_bytes_name(i), c->nbytes[i]);
	json_close(json, '}');
	json_bool(json, "same_nameless", a->by_symbols, c->is_nameless_same);
	json_key(json, "old");
	final_json(a, COMPARE_OLD, json);
	json_key(json, "new");
	final_json(a, COMPARE_NEW, json);
	json_key(json, "functions");
	json_open(json, '[');
	for (size_t i = 0; i < c->nfunctions; i++)
		function_json(a, &c->functions[i], json);
	json_close(json, ']');
	json_key(json, "rewrites");
	json_open(json, '[');
	for (size_t i = 0; i < c->nrewrites; i++)
		rewrite_json(&c->rewrites[i], json);
	json_close(json, ']');
}

static void print_json(const struct against *a, bool is_judged,
		       struct report *report)
{
	struct json json = { .text.stream = a->r.stream };
	const struct object *final = a->r.final;

	drift_head_json(&json, a->paths[COMPARE_NEW], final);
	json_string(&json, "against", a->paths[COMPARE_OLD]);
	json_key(&json, "inputs");
	json_open(&json, '[');
	for (size_t i = 0; i < a->r.list.n; i++)
		json_string(&json, NULL, a->r.list.items[i].name);
	json_close(&json, ']');
	json_string(&json, "verdict",
		    !is_judged				   ? "refused"
		    : compare_is_same(&a->c, drifts_of(a)) ? "same"
							   : "differs");
	if (is_judged)
		lists_json(a, &json);
	report_json(report, &json);
	json_close(&json, '}');
}

/* --- The mode ---------------------------------------------------------- */

static int open_finals(struct diag *d, const struct against *a,
		       struct object *finals)
{
	for (int i = 0; i < 2; i++)
		if (object_open(d, a->paths[i], &finals[i]) ||
		    check_object(d, &finals[i], OBJECT_IMAGE))
			return -1;
	if (strcmp(finals[0].arch->name, finals[1].arch->name) != 0)
		return diag_file(d, a->paths[COMPARE_OLD], "wrong-type",
				 "is for %s, and %s for %s",
				 finals[0].arch->name, a->paths[COMPARE_NEW],
				 finals[1].arch->name);
	return 0;
}

static int compare(struct diag *d, struct against *a)
{
	if (a->by_symbols)
		return compare_symbols(d, a->finals, &a->c);
	for (int i = 0; i < 2; i++)
		if (drift_objects(d, a->r.inputs, a->r.list.n, &a->finals[i],
				  &a->drifts[i]))
			return -1;
	return compare_inputs(d, a->r.inputs, a->r.list.n, a->finals, a->drifts,
			      &a->c);
}

static int judge(const struct command *cmd, struct report *report,
		 struct against *a, struct object *finals)
{
	struct diag *d = &report->diag;
	bool is_judged = open_finals(d, a, finals) == 0 &&
			 drift_open_inputs(d, &a->r) == 0 && compare(d, a) == 0;
	int status;

	if (report_confirm(report, a->r.inputs, a->r.list.n + 2))
		is_judged = false;
	status = report_status(report);
	if (status == EXIT_YES && is_judged &&
	    !compare_is_same(&a->c, drifts_of(a)))
		status = EXIT_NO;
	if (cmd->format == FORMAT_JSON)
		print_json(a, is_judged, report);
	else if (!is_judged)
		return status;
	else if (cmd->format == FORMAT_TEXT)
		print_text(a);
	else if (drift_against_chart(d, &a->r, a->drifts, &a->c))
		status = EXIT_TROUBLE;
	return status;
}

int command_drift_against(const struct command *cmd, struct report *report)
{
	struct against a = {
		.r = { .cmd = cmd, .stream = report->out.stream },
		.paths = { cmd->against, cmd->inputs.items[cmd->inputs.n - 1] },
		.by_symbols = cmd->inputs.n == 1,
	};
	struct string_list paths = cmd->inputs;
	int status = EXIT_TROUBLE;

	paths.n--;
	if (input_list_make(&report->diag, &paths, &a.r.list) == 0)
		a.r.inputs = calloc(a.r.list.n + 2, sizeof(a.r.inputs[0]));
	if (a.r.inputs == NULL) {
		diag_nomem(&report->diag, a.paths[COMPARE_NEW]);
	} else {
		struct object *finals = &a.r.inputs[a.r.list.n];

		a.finals = finals;
		a.r.final = &finals[COMPARE_NEW];
		status = judge(cmd, report, &a, finals);
		for (size_t i = 0; i < a.r.list.n + 2; i++)
			object_close(&a.r.inputs[i]);
	}
	free(a.r.inputs);
	compare_free(&a.c);
	drift_free(&a.drifts[0]);
	drift_free(&a.drifts[1]);
	input_list_free(&a.r.list);
	return status;
}
