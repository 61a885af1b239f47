/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Listings as JSON and as lines. */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/disassemble.h"
#include "listing.h"
#include "base/text.h"

void json_head(struct json *json)
{
	json_number(json, "version", 1);
	json_string(json, "tool", PACKAGE_STRING);
}

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

static void site_json(const struct listed_site *site, struct json *json)
{
	json_open(json, '{');
	json_string(json, "section", site->section);
	json_hex(json, "offset", true, site->offset);
	json_hex(json, "address", site->has_address, site->address);
	json_string(json, "function", site->function);
	json_hex(json, "function_offset", site->function != NULL,
		 site->function_offset);
	json_string(json, "kind", site->kind);
	json_string(json, "form", site->form);
	json_number(json, "length", site->length);
	json_bool(json, "one_store", site->knows_one_store, site->one_store);
	note_json(site->noted.note, json);
	json_close(json, '}');
}

/* So many are a small part of what is held. */
#define POURED_SITES 256

static void probe_json(const struct listing *listing,
		       const struct listed_probe *probe, struct report *report,
		       struct json *json)
{
	json_open(json, '{');
	json_string(json, "symbol", probe->symbol);
	json_string(json, "provider", probe->name.provider);
	json_string(json, "module", listing->module);
	json_string(json, "name", probe->name.name);
	json_key(json, "sites");
	json_open(json, '[');
	for (size_t i = 0; i < probe->nsites; i++) {
		site_json(&listing->sites[probe->first_site + i], json);
		if (i % POURED_SITES == 0)
			report_pour(report, listing->obj);
	}
	json_close(json, ']');
	json_close(json, '}');
}

void listing_json(const struct listing *listing, struct report *report,
		  struct json *json)
{
	json_string(json, "file", listing->obj->path);
	json_string(json, "type", listing->type);
	json_string(json, "machine", listing->obj->arch->name);
	json_number(json, "class", listing->obj->is_64 ? 64 : 32);
	json_string(json, "data",
		    listing->obj->is_big_endian ? "big" : "little");
	bins_json(&listing->bins, json);
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

/* STRING with what is not PLAIN as \xHH, as print_escaped has it. */
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

/* NAME, padded to WIDTH. */
static void put_column(struct text *text, const char *name, size_t width)
{
	put_name(text, name);
	text_pad(text, strlen(name), width);
	text_char(text, ' ');
}

/* The bytes of the instruction, and what they say if libopcodes is there. */
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

/* On a line of its own: FILE:LINE, and the arguments of a call. */
static void put_note(struct text *text, const struct note *note)
{
	text_put(text, "      ");
	put_name(text, note->file);
	text_char(text, ':');
	text_decimal(text, note->line);
	for (unsigned i = 0; i < note->nargs; i++) {
		const char *type = note_type(note->types[i]);

		text_put(text, i == 0 ? " (" : ", ");
		/* A piece of source, in which a backslash is one. */
		put_escaped(text, note->names[i], is_printable);
		text_put(text, ": ");
		text_put(text, type != NULL ? type : "?");
	}
	text_put(text, note->nargs > 0 ? ")\n" : "\n");
}

/* An address, or a section and an offset, about 18 characters wide. */
static void put_place(struct text *text, const struct listed_site *site)
{
	char place[32];
	size_t n = snprintf(place, sizeof(place),
			    site->has_address ? "%#" PRIx64 : "+0x%" PRIx64,
			    site->has_address ? site->address : site->offset);

	if (!site->has_address) {
		put_name(text, site->section);
		n += strlen(site->section);
	}
	text_put(text, place);
	text_pad(text, n, 18);
}

static void put_site(struct text *text, const struct listing *listing,
		     const struct listed_probe *probe,
		     const struct listed_site *site, bool with_code, size_t id)
{
	for (size_t next = 10000; id < next && next > 1; next /= 10)
		text_char(text, ' ');
	text_decimal(text, id);
	text_char(text, ' ');
	put_column(text, probe->name.provider, 10);
	put_column(text, listing->module, 12);
	put_column(text, site->function != NULL ? site->function : "?", 24);
	put_column(text, probe->name.name, 16);
	put_place(text, site);
	text_char(text, ' ');
	text_put(text, site->kind);
	if (!with_code) {
		text_char(text, '\n');
		return;
	}
	text_pad(text, strlen(site->kind), 8);
	put_code(text, listing->obj->arch, site);
	if (site->noted.note != NULL)
		put_note(text, site->noted.note);
}

void listing_print(const struct listing *listing, bool with_code,
		   struct report *report, size_t *id)
{
	FILE *stream = report->out.stream;
	struct text text = { .stream = stream };

	if (*id == 0)
		fprintf(stream, "%5s %-10s %-12s %-24s %-16s %-18s %s\n", "ID",
			"PROVIDER", "MODULE", "FUNCTION", "NAME", "ADDRESS",
			with_code ? "KIND     CODE" : "KIND");
	for (size_t i = 0; i < listing->nprobes; i++) {
		const struct listed_probe *probe = &listing->probes[i];

		for (size_t k = 0; k < probe->nsites; k++) {
			put_site(&text, listing, probe,
				 &listing->sites[probe->first_site + k],
				 with_code, ++*id);
			if (k % POURED_SITES == 0)
				report_pour(report, listing->obj);
		}
	}
	text_flush(&text);
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
