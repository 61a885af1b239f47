/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --drift: what the final link did to text. */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "json-document.h"
#include "drift-report.h"
#include "elf/check.h"

/* Of what may be thousands, without -v. */
#define SHOWN_MAX 10

static const char *final_path(const struct command *cmd)
{
	return cmd->inputs.items[cmd->inputs.n - 1];
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* --- Text -------------------------------------------------------------- */

static void print_section(const struct drift_report *r, size_t i)
{
	const struct drift_section *s = &r->drift->sections[i];

	print_escaped(r->stream, r->inputs[s->input].path);
	fputs(":(", r->stream);
	print_escaped(r->stream, s->name);
	fputc(')', r->stream);
}

static void print_verdict(const struct drift_report *r)
{
	const struct drift *drift = r->drift;

	print_escaped(r->stream, final_path(r->cmd));
	if (drift_is_none(drift))
		fputs(": no drift: nothing moved inside sections, and all text "
		      "is explained\n",
		      r->stream);
	else
		fprintf(r->stream, ": drift: %s\n",
			!drift_has_text(drift)
				? "the image has none of the inputs' text"
			: drift->nfates[FATE_CHANGED] > 0
				? "text inside sections is not that of the "
				  "inputs"
			: drift->nclasses[REWRITE_SHORTENED] > 0
				? "text moved inside sections"
			: drift->nstrays > 0
				? "branches lead elsewhere than in the inputs"
				: "not all text is explained");
}

/* Prints the placed sections in which the linker deleted code, most first. */
static void print_shortened(const struct drift_report *r)
{
	size_t nshown = 0;

	for (size_t i = 0; i < r->drift->nsections; i++) {
		const struct drift_section *s = &r->drift->sections[i];

		if (s->fate != FATE_PLACED || s->new_size == s->size)
			continue;
		if (++nshown > SHOWN_MAX && !r->cmd->is_verbose)
			break;
		fputs("    ", r->stream);
		print_section(r, i);
		fprintf(r->stream,
			": at 0x%" PRIx64 ", %" PRIu64 " of %" PRIu64
			" bytes are left; from offset 0x%" PRIx64
			" on, what follows is elsewhere\n",
			s->addr, s->new_size, s->size, s->offset);
	}
	if (nshown > SHOWN_MAX && !r->cmd->is_verbose)
		fprintf(r->stream, "    and %zu more: -v lists them\n",
			r->drift->nshortened - SHOWN_MAX);
}

static void print_inside(const struct drift_report *r)
{
	const struct drift *drift = r->drift;
	size_t n = 0, nshown = 0;

	for (size_t i = 0; i < drift->nsections; i++)
		n += drift->sections[i].fate == FATE_CHANGED;
	fprintf(r->stream, "  inside sections: ");
	if (n == 0 && drift->nshortened > 0) {
		fprintf(r->stream,
			"%zu of %zu moved: the linker deleted %" PRIu64
			" bytes in %zu place%s\n",
			drift->nshortened, drift->nfates[FATE_PLACED],
			drift->ndeleted, drift->nclasses[REWRITE_SHORTENED],
			plural(drift->nclasses[REWRITE_SHORTENED]));
		if (!r->is_short)
			print_shortened(r);
		return;
	}
	if (n == 0) {
		fprintf(r->stream, "nothing moved in %zu section%s\n",
			drift->nfates[FATE_PLACED],
			plural(drift->nfates[FATE_PLACED]));
		return;
	}
	fprintf(r->stream,
		"%zu of %zu are where their names are, with other bytes\n", n,
		n + drift->nfates[FATE_PLACED]);
	for (size_t i = 0; i < drift->nsections; i++) {
		const struct drift_section *s = &drift->sections[i];

		if (s->fate != FATE_CHANGED)
			continue;
		if (++nshown > SHOWN_MAX && !r->cmd->is_verbose)
			continue;
		fputs("    ", r->stream);
		print_section(r, i);
		fprintf(r->stream,
			": at 0x%" PRIx64 ", differs from offset 0x%" PRIx64
			" on",
			s->addr, s->offset);
		if (s->symbol != NULL) {
			fputs(", ", r->stream);
			print_escaped(r->stream, s->symbol);
			fprintf(r->stream, " moved by %" PRId64 " bytes",
				s->displacement);
		}
		fputc('\n', r->stream);
	}
}

static const char *const move_texts[NMOVES] = {
	[MOVE_NONE] = "not",
	[MOVE_SECTION] = "into another section of the image",
	[MOVE_NAME] = "by a name such as .text.hot",
	[MOVE_SORTED] = "in the order of names",
	[MOVE_OTHER] = "for a reason that no name shows",
};

static void print_between(const struct drift_report *r)
{
	const struct drift *drift = r->drift;
	const char *before = ":";

	fputs("  between sections: ", r->stream);
	if (drift->ndisplaced == 0)
		fputs("they are in the order of the inputs", r->stream);
	else
		fprintf(r->stream, "%zu of %zu left the order of the inputs",
			drift->ndisplaced, drift->nfates[FATE_PLACED]);
	for (int i = MOVE_NONE + 1; i < NMOVES; i++) {
		if (drift->nmoves[i] == 0)
			continue;
		fprintf(r->stream, "%s %zu %s", before, drift->nmoves[i],
			move_texts[i]);
		before = ",";
	}
	if (drift->nalike > 0)
		fprintf(r->stream,
			"; %zu, alike in all that is there, are taken to be in "
			"that order",
			drift->nalike);
	fputc('\n', r->stream);
}

static void print_rewrites(const struct drift_report *r)
{
	static const char *const texts[NREWRITE_CLASSES] = {
		[REWRITE_GOT_BRANCH] = "branches through the GOT, now direct",
		[REWRITE_GOT_LOAD] = "loads from the GOT, now of the address",
		[REWRITE_TLS] = "models of thread-local storage",
		[REWRITE_DETOUR] = "moved away for an erratum",
		[REWRITE_REDIRECT] = "done by a veneer, or for split stacks",
		[REWRITE_SHORTENED] = "shortened",
		[REWRITE_OTHER] = "other instructions",
	};
	const char *before = "";

	fputs("  rewritten: ", r->stream);
	for (int i = 0; i < NREWRITE_CLASSES; i++) {
		if (r->drift->nclasses[i] == 0)
			continue;
		fprintf(r->stream, "%s%s: %zu", before, texts[i],
			r->drift->nclasses[i]);
		before = "; ";
	}
	fputs(before[0] == '\0' ? "nothing\n" : "\n", r->stream);
}

static void print_strays(const struct drift_report *r)
{
	const struct drift *drift = r->drift;

	fprintf(r->stream,
		"  branches: %zu of %zu between sections lead where they "
		"should",
		drift->nbranches - drift->nstrays, drift->nbranches);
	if (drift->nshortcuts > 0)
		fprintf(r->stream, ", %zu past a jump that was between",
			drift->nshortcuts);
	fputc('\n', r->stream);
	for (size_t i = 0; i < drift->nstrays; i++) {
		const struct drift_stray *s = &drift->strays[i];

		if (i >= SHOWN_MAX && !r->cmd->is_verbose)
			break;
		fputs("    ", r->stream);
		print_section(r, s->section);
		fprintf(r->stream, ": the branch at 0x%" PRIx64 " to ",
			s->addr);
		print_section(r, s->to);
		fprintf(r->stream, " leads to 0x%" PRIx64 "\n", s->target);
	}
}

static void print_lost(const struct drift_report *r)
{
	static const char *const texts[] = {
		[DROP_UNUSED] = "unused",
		[DROP_DUPLICATE] = "in COMDAT groups that are there once more",
		[DROP_OVERRIDDEN] = "with the name of another",
		[DROP_ALIKE] = "with the bytes of another: dropped or folded",
	};
	const struct drift *drift = r->drift;
	size_t n[sizeof(texts) / sizeof(texts[0])] = { 0 };
	const char *before = ": ";
	size_t nunused = 0, last = SIZE_MAX;
	bool is_used = true;

	/* Those of an input follow one another. */
	for (size_t i = 0; i < drift->nsections; i++) {
		if (drift->sections[i].input != last) {
			nunused += !is_used;
			is_used = false;
		}
		last = drift->sections[i].input;
		is_used |= drift->sections[i].fate != FATE_DROPPED;
	}
	nunused += !is_used;
	for (size_t i = 0; i < drift->nsections; i++)
		if (drift->sections[i].fate == FATE_DROPPED)
			n[drift->sections[i].reason]++;
	fprintf(r->stream, "  dropped: %zu section%s",
		drift->nfates[FATE_DROPPED],
		plural(drift->nfates[FATE_DROPPED]));
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (n[i] == 0)
			continue;
		fprintf(r->stream, "%s%zu %s", before, n[i], texts[i]);
		before = ", ";
	}
	if (nunused > 0)
		fprintf(r->stream, "; all of %zu input%s", nunused,
			plural(nunused));
	fprintf(r->stream,
		"\n  folded: %zu section%s into others that have "
		"the same bytes\n",
		drift->nfates[FATE_FOLDED], plural(drift->nfates[FATE_FOLDED]));
}

static void print_range(const struct drift_report *r,
			const struct drift_range *range)
{
	fprintf(r->stream,
		"    0x%" PRIx64 "-0x%" PRIx64 ", %" PRIu64 " byte%s",
		range->addr, range->addr + range->size, range->size,
		plural(range->size));
	if (range->symbol != NULL) {
		fputs(" of ", r->stream);
		print_escaped(r->stream, range->symbol);
	}
	fputc('\n', r->stream);
}

static void print_bytes(const struct drift_report *r)
{
	const struct drift *drift = r->drift;
	size_t nshown = 0;

	fprintf(r->stream,
		"  inserted: %" PRIu64 " bytes of padding (%" PRIu64
		" more than alignment wants), %" PRIu64 " of the PLT, %" PRIu64
		" of veneers",
		drift->nbytes[BIN_PADDING], drift->nwide_bytes,
		drift->nbytes[BIN_PLT], drift->nbytes[BIN_VENEER]);
	if (drift->nbytes[BIN_GOT] > 0)
		fprintf(r->stream, ", %" PRIu64 " of the GOT",
			drift->nbytes[BIN_GOT]);
	fputc('\n', r->stream);
	fprintf(r->stream, "  unexplained: %" PRIu64 " byte%s of the image",
		drift->nbytes[BIN_UNEXPLAINED],
		plural(drift->nbytes[BIN_UNEXPLAINED]));
	if (drift->nfates[FATE_UNKNOWN] > 0)
		fprintf(r->stream,
			"; %zu section%s of the inputs may be there, or not at "
			"all",
			drift->nfates[FATE_UNKNOWN],
			plural(drift->nfates[FATE_UNKNOWN]));
	fputc('\n', r->stream);
	for (size_t i = 0; i < drift->nranges; i++)
		if (drift->ranges[i].bin == BIN_UNEXPLAINED &&
		    (++nshown <= SHOWN_MAX || r->cmd->is_verbose))
			print_range(r, &drift->ranges[i]);
	if (nshown > SHOWN_MAX && !r->cmd->is_verbose)
		fprintf(r->stream, "    and %zu more: -v lists them\n",
			nshown - SHOWN_MAX);
	if (nshown > 0)
		fputs("    give the objects that this comes from, too: those "
		      "that the compiler adds, and members of archives\n",
		      r->stream);
}

static void print_sentences(const struct drift_report *r)
{
	const struct drift *drift = r->drift;
	size_t nrewrites = drift->nrewrites;
	bool is_whole = drift_has_text(drift) &&
			drift->nfates[FATE_CHANGED] == 0 &&
			drift->nfates[FATE_UNKNOWN] == 0;

	fprintf(r->stream,
		"  offsets from the text start, 0x%" PRIx64
		", are right for %zu of %zu sections\n",
		drift->text_start, drift->nright, drift->nfates[FATE_PLACED]);
	if (!is_whole)
		fputs("  anchored tables may be wrong: not all sections are "
		      "explained\n",
		      r->stream);
	else if (drift->nshortened > 0)
		fputs("  anchored tables are right if labels anchor them, and "
		      "not sections\n",
		      r->stream);
	else
		fputs("  anchored tables are right\n", r->stream);
	if (!is_whole || drift->nshortened > 0)
		fputs("  no byte-for-byte check of text is possible\n",
		      r->stream);
	else if (nrewrites > 0)
		fprintf(r->stream,
			"  a byte-for-byte check of text is possible, outside "
			"relocations and %zu rewritten instruction%s\n",
			nrewrites, plural(nrewrites));
	else
		fputs("  a byte-for-byte check of text is possible, outside "
		      "relocations\n",
		      r->stream);
}

static void print_each_section(const struct drift_report *r)
{
	for (size_t i = 0; i < r->drift->nsections; i++) {
		const struct drift_section *s = &r->drift->sections[i];

		fputs("  ", r->stream);
		print_section(r, i);
		fprintf(r->stream, ": %s", fate_name(s->fate));
		if (s->fate == FATE_DROPPED)
			fprintf(r->stream, ", %s", drop_reason_name(s->reason));
		else if (s->fate != FATE_UNKNOWN)
			fprintf(r->stream, " at 0x%" PRIx64, s->addr);
		if (s->move != MOVE_NONE)
			fprintf(r->stream, ", moved %s", move_texts[s->move]);
		if (s->other != NO_SECTION) {
			fputs(", see ", r->stream);
			print_section(r, s->other);
		}
		fputs(s->is_alike ? ", as one of several alike\n" : "\n",
		      r->stream);
	}
}

static void print_each_rewrite(const struct drift_report *r)
{
	for (size_t i = 0; i < r->drift->nrewrites; i++) {
		const struct drift_rewrite *w = &r->drift->rewrites[i];

		fputs("  ", r->stream);
		print_section(r, w->section);
		fprintf(r->stream, "+0x%" PRIx64 " at 0x%" PRIx64 ": %s",
			w->offset, w->addr, rewrite_class_name(w->class));
		if (w->reloc != NULL)
			fprintf(r->stream, " (%s)", w->reloc);
		fputc('\n', r->stream);
	}
}

void drift_print_short(const struct drift_report *r, size_t nnops)
{
	print_inside(r);
	/* Of those with NOPs, order was not asked for. */
	if (nnops > 0)
		fprintf(r->stream,
			"  between sections: not compared: %zu section%s ha%s "
			"NOPs in the place of sites\n",
			nnops, plural(nnops), nnops == 1 ? "s" : "ve");
	else
		print_between(r);
	print_rewrites(r);
	print_lost(r);
}

static void print_text(const struct drift_report *r)
{
	if (r->cmd->is_quiet)
		return;
	print_verdict(r);
	print_inside(r);
	print_between(r);
	print_rewrites(r);
	print_strays(r);
	print_lost(r);
	print_bytes(r);
	print_sentences(r);
	if (!r->cmd->is_verbose)
		return;
	print_each_section(r);
	print_each_rewrite(r);
}

/* --- JSON -------------------------------------------------------------- */

static void section_json(const struct drift_report *r, size_t i,
			 struct json *json)
{
	const struct drift_section *s = &r->drift->sections[i];
	bool is_there = s->fate != FATE_DROPPED && s->fate != FATE_UNKNOWN;
	bool is_changed = s->fate == FATE_CHANGED;
	bool is_shortened = s->fate == FATE_PLACED && s->new_size != s->size;

	json_open(json, '{');
	json_string(json, "input", r->inputs[s->input].path);
	json_string(json, "section", s->name);
	json_number(json, "index", s->shndx);
	json_number(json, "size", s->size);
	json_key(json, "new_size");
	if (is_there)
		json_number(json, NULL, s->new_size);
	else
		json_string(json, NULL, NULL);
	json_hex(json, "expected", true, s->expected);
	json_string(json, "fate", fate_name(s->fate));
	json_string(json, "reason",
		    s->fate == FATE_DROPPED ? drop_reason_name(s->reason)
					    : NULL);
	json_hex(json, "address", is_there, s->addr);
	json_string(json, "moved",
		    s->move != MOVE_NONE ? move_reason_name(s->move) : NULL);
	json_bool(json, "alike", true, s->is_alike);
	json_key(json, "other");
	if (s->other != NO_SECTION)
		json_number(json, NULL, s->other);
	else
		json_string(json, NULL, NULL);
	json_hex(json, "offset", is_changed || is_shortened, s->offset);
	json_string(json, "symbol", s->symbol);
	json_close(json, '}');
}

static void rewrite_json(const struct drift_rewrite *w, struct json *json)
{
	json_open(json, '{');
	json_number(json, "section", w->section);
	json_hex(json, "offset", true, w->offset);
	json_hex(json, "address", true, w->addr);
	json_number(json, "size", w->size);
	json_number(json, "new_size", w->new_size);
	json_string(json, "class", rewrite_class_name(w->class));
	json_string(json, "relocation", w->reloc);
	json_close(json, '}');
}

static void range_json(const struct drift_range *range, struct json *json)
{
	json_open(json, '{');
	json_hex(json, "address", true, range->addr);
	json_number(json, "size", range->size);
	json_string(json, "bin", drift_bin_name(range->bin));
	if (range->section != NO_SECTION)
		json_number(json, "section", range->section);
	else
		json_string(json, "section", NULL);
	json_string(json, "symbol", range->symbol);
	json_close(json, '}');
}

static void lists_json(const struct drift_report *r, struct json *json)
{
	const struct drift *drift = r->drift;

	json_key(json, "sections");
	json_open(json, '[');
	for (size_t i = 0; i < drift->nsections; i++)
		section_json(r, i, json);
	json_close(json, ']');
	json_key(json, "rewrites");
	json_open(json, '[');
	for (size_t i = 0; i < drift->nrewrites; i++)
		rewrite_json(&drift->rewrites[i], json);
	json_close(json, ']');
	json_key(json, "strays");
	json_open(json, '[');
	for (size_t i = 0; i < drift->nstrays; i++) {
		const struct drift_stray *s = &drift->strays[i];

		json_open(json, '{');
		json_number(json, "section", s->section);
		json_number(json, "to", s->to);
		json_hex(json, "address", true, s->addr);
		json_hex(json, "target", true, s->target);
		json_close(json, '}');
	}
	json_close(json, ']');
	json_key(json, "ranges");
	json_open(json, '[');
	for (size_t i = 0; i < drift->nranges; i++)
		range_json(&drift->ranges[i], json);
	json_close(json, ']');
}

static void counts_json(const struct drift *drift, struct json *json)
{
	json_key(json, "fates");
	json_open(json, '{');
	for (int i = 0; i < NFATES; i++)
		json_number(json, fate_name(i), drift->nfates[i]);
	json_close(json, '}');
	json_key(json, "classes");
	json_open(json, '{');
	for (int i = 0; i < NREWRITE_CLASSES; i++)
		json_number(json, rewrite_class_name(i), drift->nclasses[i]);
	json_close(json, '}');
	json_key(json, "bytes");
	json_open(json, '{');
	for (int i = 0; i < NBINS; i++)
		json_number(json, drift_bin_name(i), drift->nbytes[i]);
	json_close(json, '}');
	json_hex(json, "text_start", true, drift->text_start);
	json_number(json, "right_offsets", drift->nright);
	json_number(json, "displaced", drift->ndisplaced);
	json_number(json, "branches", drift->nbranches);
	json_number(json, "shortcuts", drift->nshortcuts);
	json_number(json, "alike", drift->nalike);
	json_number(json, "wide_padding", drift->nwide_bytes);
	json_number(json, "shortened", drift->nshortened);
	json_number(json, "deleted", drift->ndeleted);
}

void drift_head_json(struct json *json, const char *path,
		     const struct object *final)
{
	document_open(json);
	document_file(json, path, "final", final);
}

static void print_json(const struct drift_report *r, bool is_judged,
		       struct report *report)
{
	struct json json = { .text.stream = r->stream };

	drift_head_json(&json, final_path(r->cmd), r->final);
	json_key(&json, "inputs");
	json_open(&json, '[');
	for (size_t i = 0; i < r->list.n; i++)
		json_string(&json, NULL, r->list.items[i].name);
	json_close(&json, ']');
	json_string(&json, "verdict",
		    !is_judged		      ? "refused"
		    : drift_is_none(r->drift) ? "no-drift"
					      : "drift");
	if (is_judged) {
		counts_json(r->drift, &json);
		lists_json(r, &json);
	}
	report_json(report, &json);
	json_close(&json, '}');
}

/* --- The mode ---------------------------------------------------------- */

/* Judges the open objects. The final is the last one. */
static int judge(const struct command *cmd, struct report *report,
		 struct drift_report *r)
{
	struct diag *d = &report->diag;
	size_t nobjects = r->list.n + 1; /* some may be none */
	bool is_judged =
		object_open(d, final_path(cmd), r->final) == 0 &&
		check_object(d, r->final, OBJECT_IMAGE) == 0 &&
		drift_open_inputs(d, r) == 0 &&
		drift_objects(d, r->inputs, r->list.n, r->final, r->drift) == 0;
	int status;

	if (report_confirm(report, r->inputs, nobjects))
		is_judged = false;
	status = report_status(report);
	if (status == EXIT_YES && is_judged && !drift_is_none(r->drift))
		status = EXIT_NO;
	if (cmd->format == FORMAT_JSON)
		print_json(r, is_judged, report);
	else if (is_judged && cmd->format == FORMAT_TEXT)
		print_text(r);
	else if (is_judged && drift_chart(d, r))
		status = EXIT_TROUBLE;
	return status;
}

int drift_of_list(const struct command *cmd, struct report *report,
		  struct input_list *list, enum bytecode bytecode)
{
	struct drift drift = { 0 };
	size_t nobjects = list->n + 1;
	struct drift_report r = {
		.cmd = cmd,
		.list = *list,
		.inputs = calloc(nobjects, sizeof(r.inputs[0])),
		.drift = &drift,
		.stream = report->out.stream,
		.bytecode = bytecode,
	};
	int status = EXIT_TROUBLE;

	if (r.inputs == NULL) {
		diag_nomem(&report->diag, final_path(cmd));
	} else {
		r.final = &r.inputs[list->n];
		status = judge(cmd, report, &r);
		for (size_t i = 0; i < nobjects; i++)
			object_close(&r.inputs[i]);
	}
	free(r.inputs);
	drift_free(&drift);
	*list = r.list;
	return status;
}

int command_drift(const struct command *cmd, struct report *report)
{
	struct string_list paths = cmd->inputs;
	struct input_list list;
	int status = EXIT_TROUBLE;

	if (cmd->against != NULL)
		return command_drift_against(cmd, report);
	paths.n--;
	if (input_list_make(&report->diag, &paths, &list) == 0)
		status = drift_of_list(cmd, report, &list, BYTECODE_REFUSED);
	input_list_free(&list);
	return status;
}
