/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of inject_plan: writes a note for each site in the form of SystemTap's
 * <sys/sdt.h>, version 3. See that header, and "UserSpaceProbe-Implementation"
 * in SystemTap's wiki. A note has three addresses: the site, _.stapsdt.base,
 * and a counter that a tracer increments (0: none). Three strings follow:
 * provider, name, arguments.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/argument.h"
#include "base/table-format.h"
#include "base/memory-stream.h"
#include "injection.h"
#include "sites/notes.h"

#define NOTE_TYPE 3
#define NOTE_OWNER "stapsdt"
#define BASE_SECTION ".stapsdt.base"
#define BASE_SYMBOL "_.stapsdt.base"

/* Namesz, descsz, type and the owner. The addresses follow. */
#define NOTE_HEADER (12 + sizeof(NOTE_OWNER))
#define NOTE_ALIGN 4

/* Where the strings of a note begin. */
#define STRINGS(notes) (NOTE_HEADER + 3 * ((notes)->in->obj->is_64 ? 8u : 4u))

struct notes {
	struct injection *in;
	struct note_set set;
	struct noted *noted; /* by site */
	struct symbol_ref base;
	size_t nsilent; /* sites without a note */
	size_t nbare;	/* notes that lack their arguments */
};

/* --- The base ---------------------------------------------------------- */

static struct symbol_ref find_base(const struct object *obj)
{
	for (size_t i = 1; i < obj->nsymbols; i++) {
		struct symbol sym;

		object_symbol(obj, i, &sym);
		if (sym.bind != STB_LOCAL && strcmp(sym.name, BASE_SYMBOL) == 0)
			return (struct symbol_ref){ SYMBOL_OLD, i };
	}
	return (struct symbol_ref){ SYMBOL_NEW_GLOBAL, NO_EDIT };
}

/*
 * One byte that is loaded. Its offset in the file and its address in each note
 * tell a tracer by how much somebody has moved the image since. It has the same
 * group as that of <sys/sdt.h>, whose signature is the section's symbol.
 */
static int add_base(struct notes *notes)
{
	struct injection *in = notes->in;
	uint8_t byte = 0;
	struct new_symbol section = { .name = (char *)"",
				      .bind = STB_LOCAL,
				      .type = STT_SECTION };
	struct new_symbol base = { .name = (char *)BASE_SYMBOL,
				   .size = sizeof(byte),
				   .bind = STB_WEAK,
				   .type = STT_NOTYPE,
				   .visibility = STV_HIDDEN };
	uint32_t local = edit_add_local(in->edit, &section);
	uint32_t group, shndx;

	if (local == NO_EDIT)
		return inject_nomem(in);
	group = edit_add_section(
		in->edit, &(struct new_section){
				  .name = (char *)".group",
				  .type = SHT_GROUP,
				  .link = in->obj->symtab,
				  .signature = { SYMBOL_NEW_LOCAL, local },
				  .align = 4,
				  .entsize = 4,
			  });
	if (group == NO_EDIT)
		return inject_nomem(in);
	shndx = edit_add_section(in->edit,
				 &(struct new_section){
					 .name = (char *)BASE_SECTION,
					 .type = SHT_PROGBITS,
					 .flags = SHF_ALLOC | SHF_GROUP,
					 .align = 1,
					 .data = &byte,
					 .size = sizeof(byte),
					 .group = group,
				 });
	if (shndx == NO_EDIT)
		return inject_nomem(in);
	in->edit->locals[local].shndx = shndx;
	base.shndx = shndx;
	notes->base = (struct symbol_ref){ SYMBOL_NEW_GLOBAL,
					   edit_add_global(in->edit, &base) };
	return notes->base.idx == NO_EDIT ? inject_nomem(in) : 0;
}

static int choose_base(struct notes *notes)
{
	notes->base = find_base(notes->in->obj);
	return notes->base.idx == NO_EDIT ? add_base(notes) : 0;
}

/* --- Arguments --------------------------------------------------------- */

static int match_metadata(struct notes *notes)
{
	const struct injection *in = notes->in;
	const struct site_set *set = in->set;

	notes->noted = calloc(set->nsites + 1, sizeof(notes->noted[0]));
	if (notes->noted == NULL)
		return inject_nomem(in);
	if (notes_read(in->d, in->obj, &notes->set))
		return -1;
	for (size_t i = 0; i < set->nsites; i++)
		notes->noted[i] = notes_place(set, &set->sites[i]);
	return notes_match(in->d, in->obj, &notes->set, notes->noted,
			   set->nsites);
}

/*
 * The macros pass each argument as an integer of one word. The type says how
 * many of its bytes count. A wider argument is cut. If the language did not say
 * the type, the whole word counts.
 */
static void put_argument(FILE *out, const struct arch *arch,
			 enum site_form form, unsigned i, uint8_t type)
{
	unsigned word = arch->is_64 ? 8 : 4, width = type & 0x3f;
	bool is_signed = (type & 0xc0) == 0x40;
	char operand[ARGUMENT_MAX];

	if (note_type(type) == NULL || width > word)
		width = word;
	arch_argument(arch, form, i, width, operand);
	fprintf(out, "%s%s%u@%s", i > 0 ? " " : "", is_signed ? "-" : "", width,
		operand);
}

/* At the NOP of the branch form, no argument has been computed yet. */
static void put_arguments(struct notes *notes, FILE *out, size_t i,
			  const struct code *code)
{
	const struct injection *in = notes->in;
	const struct site *site = &in->set->sites[i];
	const struct note *note = notes->noted[i].note;

	if (site->form == FORM_BRANCH || note == NULL || note->nargs == 0)
		return;
	if (!arch_argument_is_set(in->obj->arch, code, site->offset,
				  site->length)) {
		notes->nbare++;
		return;
	}
	for (unsigned k = 0; k < note->nargs; k++)
		put_argument(out, in->obj->arch, site->form, k, note->types[k]);
}

/* --- Notes ------------------------------------------------------------- */

/* Is the probe hit each time the instruction of SITE runs? */
static bool is_certain(const struct injection *in, const struct site *site,
		       const struct code *code)
{
	return in->set->probes[site->probe].use != PROBE_ENABLED &&
	       site->form != FORM_COND &&
	       !arch_call_is_conditional(in->obj->arch, code, site->offset);
}

/*
 * Provider, name and arguments of site I. The name is as in the source, as in
 * <sys/sdt.h>: the tracer makes the dashes.
 */
static void put_strings(struct notes *notes, FILE *out, size_t i,
			const struct code *code)
{
	const struct site *site = &notes->in->set->sites[i];
	const struct probe *probe = &notes->in->set->probes[site->probe];
	const char *split = probe_name_split(probe->symbol, probe->prefix);

	if (split != NULL)
		fwrite(probe->symbol + probe->prefix, 1,
		       split - probe->symbol - probe->prefix, out);
	else
		fputs("sdt", out);
	putc(0, out);
	fputs(split != NULL ? split + 3 : probe->symbol + probe->prefix, out);
	putc(0, out);
	put_arguments(notes, out, i, code);
	putc(0, out);
}

static int put_note(struct notes *notes, struct memory_stream *memory, size_t i,
		    const struct code *code)
{
	FILE *out = memory->stream;

	for (size_t k = 0; k < STRINGS(notes); k++)
		putc(0, out);
	put_strings(notes, out, i, code);
	if (memory_stream_flush(memory))
		return -1;
	/* All notes before have such a size, too. */
	for (size_t k = memory->size; k % NOTE_ALIGN != 0; k++)
		putc(0, out);
	return memory_stream_flush(memory);
}

/* Writes everything before the strings of the note at DATA. */
static void put_head(const struct notes *notes, uint8_t *data)
{
	const struct object *obj = notes->in->obj;
	size_t size = STRINGS(notes) - NOTE_HEADER;

	/* Provider, name, arguments. */
	for (int i = 0; i < 3; i++)
		size += strlen((char *)data + NOTE_HEADER + size) + 1;
	object_put(obj, data, sizeof(NOTE_OWNER), 4);
	object_put(obj, data + 4, size, 4);
	object_put(obj, data + 8, NOTE_TYPE, 4);
	memcpy(data + 12, NOTE_OWNER, sizeof(NOTE_OWNER));
}

static int add_addresses(struct notes *notes, const struct site *site,
			 uint32_t shndx, uint64_t offset)
{
	struct injection *in = notes->in;
	uint32_t type = in->obj->arch->reloc_word;
	struct new_reloc where = { .offset = offset + NOTE_HEADER,
				   .type = type };
	struct new_reloc base = where;

	base.offset += in->obj->is_64 ? 8 : 4;
	base.symbol = notes->base;
	if (inject_anchor(in, site->shndx, site->offset, &where))
		return -1;
	if (edit_add_reloc(in->edit, shndx, &where) ||
	    edit_add_reloc(in->edit, shndx, &base))
		return inject_nomem(in);
	return 0;
}

#define NO_NOTE SIZE_MAX

/* Sets the offset of the note of each site in [FIRST, END), or NO_NOTE. */
static int put_notes(struct notes *notes, struct memory_stream *memory,
		     size_t first, size_t end, size_t *offsets)
{
	const struct injection *in = notes->in;
	struct code code;

	if (!object_code(in->d, in->obj, in->set->sites[first].shndx, &code))
		return -1;
	for (size_t i = first; i < end; i++) {
		offsets[i - first] = memory->size;
		if (!is_certain(in, &in->set->sites[i], &code)) {
			offsets[i - first] = NO_NOTE;
			notes->nsilent++;
			continue;
		}
		if (put_note(notes, memory, i, &code))
			return inject_nomem(notes->in);
	}
	return 0;
}

/*
 * Adds SIZE bytes of notes for the sites [FIRST, END), which are in one
 * section.
 */
static int add_section(struct notes *notes, size_t first, size_t end,
		       const size_t *offsets, char *data, size_t size)
{
	struct injection *in = notes->in;
	const struct site *sites = in->set->sites;
	uint32_t text = sites[first].shndx, shndx;
	struct new_section sec = {
		.name = (char *)".note.stapsdt",
		.type = SHT_NOTE,
		.flags = inject_flags_like(in, text, SHF_LINK_ORDER),
		.link = text,
		.align = NOTE_ALIGN,
		.group = in->obj->sections[text].group,
		.data = (uint8_t *)data,
		.size = size,
	};

	if (size == 0)
		return 0;
	for (size_t i = first; i < end; i++)
		if (offsets[i - first] != NO_NOTE)
			put_head(notes, sec.data + offsets[i - first]);
	shndx = edit_add_section(in->edit, &sec);
	if (shndx == NO_EDIT)
		return inject_nomem(in);
	for (size_t i = first; i < end; i++)
		if (offsets[i - first] != NO_NOTE &&
		    add_addresses(notes, &sites[i], shndx, offsets[i - first]))
			return -1;
	return 0;
}

static int add_notes(struct notes *notes, size_t first, size_t end)
{
	size_t *offsets = calloc(end - first, sizeof(offsets[0]));
	struct memory_stream memory;
	int ret = -1;

	if (memory_stream_open(&memory) || offsets == NULL) {
		inject_nomem(notes->in);
		goto done;
	}
	ret = put_notes(notes, &memory, first, end, offsets);
	if (ret == 0)
		ret = add_section(notes, first, end, offsets, memory.bytes,
				  memory.size);
done:
	memory_stream_free(&memory);
	free(offsets);
	return ret;
}

static void report(const struct notes *notes)
{
	const struct place place = { .file = notes->in->obj->path };

	if (notes->nsilent > 0)
		diag_report(notes->in->d, SEVERITY_NOTE, &place, "no-note",
			    NULL,
			    "no note for %zu site%s of is-enabled probes, or "
			    "that a condition decides",
			    notes->nsilent, notes->nsilent == 1 ? "" : "s");
	if (notes->nbare > 0)
		diag_report(notes->in->d, SEVERITY_NOTE, &place, "no-note",
			    "compile with -fno-delayed-branch",
			    "no arguments in %zu note%s: the delay slot behind "
			    "the site may still set them",
			    notes->nbare, notes->nbare == 1 ? "" : "s");
}

int inject_add_notes(struct injection *in)
{
	struct notes notes = { .in = in };
	const struct site_set *set = in->set;
	int ret = 0;

	if (in->options->notes == NOTES_NONE || set->nsites == 0)
		return 0;
	if (choose_base(&notes) || match_metadata(&notes))
		ret = -1;
	for (size_t first = 0, end; ret == 0 && first < set->nsites;
	     first = end) {
		for (end = first;
		     end < set->nsites &&
		     set->sites[end].shndx == set->sites[first].shndx;
		     end++)
			;
		ret = add_notes(&notes, first, end);
	}
	if (ret == 0)
		report(&notes);
	notes_free(&notes.set);
	free(notes.noted);
	return ret;
}
