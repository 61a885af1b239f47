/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --check-jump: where a jump may take the place of instructions. */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/disassemble.h"
#include "json-document.h"
#include "elf/functions.h"
#include "jump/check.h"
#include "listing.h"

enum place_kind { PLACE_FUNCTION, PLACE_ADDRESS, PLACE_SITE };

struct asked {
	enum place_kind kind;
	const char *name; /* of the probe function, or as it was given */
	uint64_t addr;	  /* as the map has it */
};

struct run {
	const struct command *cmd;
	struct report *report;
	struct listed_file file;
	struct jump_check check;
	struct names names;  /* of a partial */
	struct asked *asked; /* owned */
	size_t nasked, nyes;
};

static int ask(struct run *run, enum place_kind kind, const char *name,
	       uint64_t addr)
{
	size_t n = run->nasked;

	if ((n & (n + 1)) == 0) {
		struct asked *asked = realloc(
			run->asked, (n + 1) * 2 * sizeof(run->asked[0]));

		if (asked == NULL)
			return diag_nomem(&run->report->diag,
					  run->file.obj.path);
		run->asked = asked;
	}
	run->asked[run->nasked++] = (struct asked){ kind, name, addr };
	return 0;
}

/* --- What is asked for ---------------------------------------------------- */

/* Judges each function, behind what must stay at its start, and each site. */
static int ask_all(struct run *run)
{
	const struct listing *listing = &run->file.listing;

	for (size_t i = 0; i < run->check.nfunctions; i++) {
		const struct jump_function *f = &run->check.functions[i];

		if (ask(run, PLACE_FUNCTION, f->name,
			jump_check_entry(&run->check, f->start)))
			return -1;
	}
	for (size_t i = 0; i < listing->nprobes; i++) {
		const struct listed_probe *probe = &listing->probes[i];

		for (size_t k = 0; k < probe->nsites; k++) {
			const struct listed_site *site =
				&listing->sites[probe->first_site + k];
			uint64_t addr = site->address;

			if ((site->has_address ||
			     jump_map_address(&run->check.map, site->shndx,
					      site->offset, &addr)) &&
			    ask(run, PLACE_SITE, probe->symbol, addr))
				return -1;
		}
	}
	return 0;
}

static bool read_number(const char *text, uint64_t *value)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	*value = strtoull(text, &end, 0);
	return *end == '\0';
}

/*
 * Judges all functions called NAME. Their code begins OFFSET before the place.
 */
static int ask_function(struct run *run, const char *given, const char *name,
			bool has_offset, uint64_t offset, bool *found)
{
	const struct names *names = run->file.obj.ehdr.e_type == ET_REL
					    ? &run->names
					    : &run->file.img.names;
	struct symbol sym;
	uint32_t symndx = 0;
	uint64_t addr;

	while (names_next(names, name, &symndx, &sym)) {
		if (!symbol_is_code(&sym) ||
		    !jump_map_symbol(&run->check.map, &sym, &addr) ||
		    jump_map_find_text(&run->check.map, addr) == NULL)
			continue;
		*found = true;
		if (ask(run, has_offset ? PLACE_ADDRESS : PLACE_FUNCTION, given,
			has_offset ? addr + offset
				   : jump_check_entry(&run->check, addr)))
			return -1;
	}
	return 0;
}

/*
 * Judges FUNCTION, FUNCTION+OFFSET, SECTION+OFFSET, or an address of a final.
 */
static int ask_place(struct run *run, const char *given)
{
	const struct object *obj = &run->file.obj;
	const char *plus = strrchr(given, '+');
	uint64_t value = 0, addr;
	bool has_offset = plus != NULL && read_number(plus + 1, &value);
	bool found = false;
	char *name;
	uint32_t shndx;
	int ret;

	if (obj->ehdr.e_type != ET_REL && read_number(given, &addr))
		return ask(run, PLACE_ADDRESS, given, addr);
	name = has_offset ? strndup(given, plus - given) : strdup(given);
	if (name == NULL)
		return diag_nomem(&run->report->diag, obj->path);
	ret = ask_function(run, given, name, has_offset, value, &found);
	shndx = found || !has_offset ? 0 : object_find_section(obj, name);
	free(name);
	if (ret || found)
		return ret;
	addr = shndx != 0 ? obj->sections[shndx].addr + value : 0;
	if (shndx != 0 &&
	    (obj->ehdr.e_type != ET_REL ||
	     jump_map_address(&run->check.map, shndx, value, &addr)))
		return ask(run, PLACE_ADDRESS, given, addr);
	return diag_report(&run->report->diag, SEVERITY_TROUBLE,
			   &(struct place){ .file = obj->path }, "no-place",
			   "give a function, FUNCTION+OFFSET, SECTION+OFFSET, "
			   "or an address of a final",
			   "no place %s", given);
}

static int ask_places(struct run *run)
{
	const struct string_list *inputs = &run->cmd->inputs;

	if (inputs->n == 1)
		return ask_all(run);
	for (size_t i = 1; i < inputs->n; i++)
		if (ask_place(run, inputs->items[i]))
			return -1;
	return 0;
}

/* --- What is answered ----------------------------------------------------- */

static const char *kind_name(enum place_kind kind)
{
	switch (kind) {
	case PLACE_FUNCTION:
		return "function";
	case PLACE_ADDRESS:
		return "address";
	case PLACE_SITE:
		return "site";
	}
	return "";
}

/*
 * Converts an address of the map to the file's: an address of a final, or an
 * offset.
 */
static uint64_t in_file(const struct run *run, const struct jump_section *js,
			uint64_t addr)
{
	return run->file.obj.ehdr.e_type == ET_REL && js != NULL
		       ? addr - js->code.addr
		       : addr;
}

static void print_addr(FILE *stream, const struct run *run, uint64_t addr)
{
	const struct jump_section *js = jump_map_find(&run->check.map, addr);
	const char *name = jump_map_extern(&run->check.map, addr);

	if (name != NULL) {
		print_escaped(stream, name[0] != '\0' ? name : "elsewhere");
		return;
	}
	if (run->file.obj.ehdr.e_type == ET_REL && js != NULL) {
		print_escaped(stream, js->name);
		fputc('+', stream);
	}
	fprintf(stream, "0x%" PRIx64, in_file(run, js, addr));
}

static void print_insns(FILE *stream, const struct run *run,
			const struct jump_verdict *v)
{
	struct code code = v->section->code;
	uint64_t addr = v->addr;
	char text[128];

	code.bytes = v->section->file_bytes;
	code.addr = in_file(run, v->section, code.addr);
	for (unsigned i = 0; i < v->ninsns; i++) {
		const struct jump_insn *insn = &v->insns[i];
		uint64_t offset = addr - v->section->code.addr;

		fprintf(stream, "    +%-3u", (unsigned)(addr - v->addr));
		for (unsigned k = 0; k < insn->length; k++)
			fprintf(stream, " %02x",
				v->section->file_bytes[offset + k]);
		if (disassemble(run->file.obj.arch, &code, offset, text,
				sizeof(text)) > 0) {
			fputs("  ", stream);
			print_escaped(stream, text);
		}
		if (insn->has_operand && insn->is_fixable) {
			fputs("; copy: same target, ", stream);
			print_addr(stream, run, insn->operand);
		}
		fputc('\n', stream);
		addr += insn->length;
	}
}

static void print_verdict(const struct run *run, const struct asked *asked,
			  const struct jump_verdict *v)
{
	FILE *stream = run->report->out.stream;

	print_addr(stream, run, asked->addr);
	if (v->function != NULL) {
		fputs(" in ", stream);
		print_escaped(stream, v->function);
		fprintf(stream, "+0x%" PRIx64, v->function_offset);
	}
	if (v->rule != JUMP_YES) {
		fprintf(stream, ": no: %s: ", jump_rule_name(v->rule));
		print_escaped(stream, v->text);
		if (v->at != v->addr) {
			fputs(", ", stream);
			print_addr(stream, run, v->at);
		}
		fputc('\n', stream);
		return;
	}
	fprintf(stream,
		": yes: %u bytes, %u instruction%s, detour of %u bytes\n",
		v->length, v->ninsns, v->ninsns == 1 ? "" : "s", v->detour);
	if (run->cmd->is_verbose)
		print_insns(stream, run, v);
}

static void place_json(const struct run *run, const char *section,
		       const char *offset, const char *address, uint64_t addr,
		       struct json *json)
{
	const struct jump_section *js = jump_map_find(&run->check.map, addr);
	bool is_final = run->file.obj.ehdr.e_type != ET_REL;

	json_string(json, section, js != NULL ? js->name : NULL);
	json_hex(json, offset, js != NULL, js ? addr - js->code.addr : 0);
	json_hex(json, address, is_final, addr);
}

static void insn_json(const struct run *run, const struct jump_verdict *v,
		      const struct jump_insn *insn, uint64_t addr,
		      bool is_replaced, struct json *json)
{
	char bytes[2 * 16 + 1] = "";

	for (unsigned i = 0; i < insn->length && i < 16; i++)
		snprintf(bytes + 2 * i, 3, "%02x",
			 v->section->code
				 .bytes[addr - v->section->code.addr + i]);
	json_open(json, '{');
	json_number(json, "offset", addr - v->addr);
	json_number(json, "length", insn->length);
	json_string(json, "bytes", bytes);
	json_bool(json, "copied", true, !is_replaced);
	if (insn->has_operand && insn->is_fixable) {
		json_key(json, "fix");
		json_open(json, '{');
		json_number(json, "field", insn->field);
		place_json(run, "section", "section_offset", "address",
			   insn->operand, json);
		json_string(json, "symbol",
			    jump_map_extern(&run->check.map, insn->operand));
		json_close(json, '}');
	} else {
		json_string(json, "fix", NULL);
	}
	json_close(json, '}');
}

static void verdict_json(const struct run *run, const struct asked *asked,
			 const struct jump_verdict *v, struct json *json)
{
	uint64_t addr = v->addr;
	bool is_yes = v->rule == JUMP_YES;

	json_open(json, '{');
	json_string(json, "place", asked->name);
	json_string(json, "kind", kind_name(asked->kind));
	place_json(run, "section", "offset", "address", addr, json);
	json_string(json, "function", v->function);
	json_hex(json, "function_offset", v->function != NULL,
		 v->function_offset);
	json_bool(json, "jump", true, is_yes);
	json_string(json, "rule", is_yes ? NULL : jump_rule_name(v->rule));
	json_string(json, "text", is_yes ? NULL : v->text);
	if (is_yes) {
		json_string(json, "at_section", NULL);
		json_string(json, "at_offset", NULL);
		json_string(json, "at_address", NULL);
		json_number(json, "length", v->length);
		json_number(json, "detour", v->detour);
	} else {
		place_json(run, "at_section", "at_offset", "at_address", v->at,
			   json);
		json_string(json, "length", NULL);
		json_string(json, "detour", NULL);
	}
	json_key(json, "instructions");
	json_open(json, '[');
	for (unsigned i = 0; is_yes && i < v->ninsns; i++) {
		insn_json(run, v, &v->insns[i], addr, v->is_site && i == 0,
			  json);
		addr += v->insns[i].length;
	}
	json_close(json, ']');
	json_close(json, '}');
}

/* JSON is NULL for text. */
static void answer(struct run *run, struct json *json)
{
	for (size_t i = 0; i < run->nasked; i++) {
		const struct asked *asked = &run->asked[i];
		struct jump_verdict v;

		jump_check_address(&run->check, asked->addr,
				   asked->kind == PLACE_SITE, &v);
		run->nyes += v.rule == JUMP_YES;
		if (json != NULL)
			verdict_json(run, asked, &v, json);
		else
			print_verdict(run, asked, &v);
		report_pour(run->report, &run->file.obj, i);
	}
}

static void answer_text(struct run *run)
{
	FILE *stream = run->report->err.stream;

	answer(run, NULL);
	if (run->cmd->is_quiet || !run->cmd->is_verbose)
		return;
	print_escaped(stream, run->file.obj.path);
	fprintf(stream, ": %zu of %zu places take a jump\n", run->nyes,
		run->nasked);
}

static void answer_json(struct run *run, bool is_checked)
{
	struct json json = { .text.stream = run->report->out.stream };
	const struct listing *listing = &run->file.listing;

	document_open(&json);
	if (!is_checked) {
		json_string(&json, "file", run->cmd->inputs.items[0]);
	} else {
		document_file(&json, run->cmd->inputs.items[0], listing->type,
			      listing->obj);
		json_number(&json, "jump_length", run->check.isa->length);
		json_key(&json, "places");
		json_open(&json, '[');
		answer(run, &json);
		json_close(&json, ']');
	}
	report_json(run->report, &json);
	json_close(&json, '}');
}

static bool prepare(struct run *run)
{
	struct diag *d = &run->report->diag;

	if (listed_file_open(d, run->cmd->inputs.items[0], run->cmd,
			     &run->file))
		return false;
	/* Refused sites do not matter here, nor that there are none. */
	if (jump_check_open(d, &run->file.obj, &run->cmd->options, &run->check))
		return false;
	if (run->file.obj.ehdr.e_type == ET_REL &&
	    names_build(d, &run->file.obj, &run->names))
		return false;
	return ask_places(run) == 0;
}

int command_check_jump(const struct command *cmd, struct report *report)
{
	struct run run = { .cmd = cmd, .report = report };
	bool is_checked = prepare(&run);
	bool is_no;

	if (cmd->format == FORMAT_JSON)
		answer_json(&run, is_checked);
	else if (is_checked)
		answer_text(&run);
	is_no = cmd->inputs.n > 1 && run.nyes < run.nasked;
	free(run.asked);
	names_free(&run.names);
	jump_check_free(&run.check);
	listed_file_release(&run.file);
	if (report_confirm(report, &run.file.obj, 1) && !report->is_poured &&
	    cmd->format == FORMAT_JSON)
		answer_json(&run, false);
	listed_file_close(&run.file);
	if (report_status(report) == EXIT_YES && is_no)
		return EXIT_NO;
	return report_status(report);
}
