/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/table-format.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/strings.h"
#include "elf/functions.h"
#include "notes.h"

/*
 * The section has parts, each aligned to 8. A part from the source has: "SDN1";
 * line, file, the name of each argument and "", as strings with a NUL behind
 * each. A part with a label follows: "SDC1" for a call or "SDB1" for a target;
 * the address of the label, aligned; line and probe function as strings; the
 * type of each argument as a byte; 0.
 */
#define PART_ALIGN 8

struct label {
	uint64_t offset; /* of the address, in the section */
	uint32_t shndx;
	uint64_t at;
};

struct reader {
	struct diag *d;
	const struct object *obj;
	struct note_set *set;
	uint32_t shndx;
	struct strings in;    /* of the section */
	struct label *labels; /* of a partial, by offset */
	size_t nlabels;
	struct note source; /* of the last such part */
	size_t source_end;  /* where it ends, rounded up */
	size_t allocated;
};

const char *note_type(uint8_t type)
{
	static const char *const names[][5] = {
		{ "uint8_t", "uint16_t", "uint32_t", "uint64_t", "uint128_t" },
		{ "int8_t", "int16_t", "int32_t", "int64_t", "int128_t" },
	};
	bool is_signed = type & 0x40;

	if (type & 0x80)
		return "void *";
	for (unsigned i = 0; i < 5; i++)
		if ((type & 0x3f) == 1u << i)
			return names[is_signed][i];
	return NULL;
}

/* --- Reading ----------------------------------------------------------- */

static void align(struct reader *rd, size_t to)
{
	size_t up = (rd->in.at + to - 1) / to * to;

	rd->in.at = up < rd->in.size ? up : rd->in.size;
}

/* Reads a part from the source. START is behind its magic. */
static bool read_source(struct reader *rd, size_t start)
{
	struct note *note = &rd->source;

	*note = (struct note){ 0 };
	if (!strings_next_line(&rd->in, &note->line))
		return false;
	note->file = strings_next(&rd->in);
	while (note->file != NULL) {
		const char *name = strings_next(&rd->in);

		if (name == NULL)
			return false;
		if (name[0] == '\0')
			break;
		if (note->nargs == NOTE_ARGS_MAX)
			return false;
		note->names[note->nargs++] = name;
	}
	align(rd, PART_ALIGN);
	rd->source_end = rd->in.at;
	note->size = rd->in.at - start;
	return note->file != NULL;
}

static bool read_label(struct reader *rd, struct note *note)
{
	size_t word = rd->obj->is_64 ? 8 : 4;
	struct label key, *label;

	align(rd, word);
	key.offset = rd->in.at;
	if (rd->in.size - rd->in.at < word)
		return false;
	rd->in.at += word;
	if (rd->obj->ehdr.e_type != ET_REL) {
		note->at = object_address(rd->obj, rd->in.bytes + key.offset);
		return true;
	}
	label = rd->nlabels > 0 ? bsearch(&key, rd->labels, rd->nlabels,
					  sizeof(key), sort_compare_numbers)
				: NULL;
	if (label == NULL)
		return false;
	note->shndx = label->shndx;
	note->at = label->at;
	return true;
}

static int add_note(struct reader *rd, const struct note *note)
{
	struct note_set *set = rd->set;

	if (set->n == rd->allocated) {
		size_t size = set->n ? set->n * 2 : 64;
		struct note *items =
			realloc(set->items, size * sizeof(items[0]));

		if (items == NULL)
			return diag_nomem(rd->d, rd->obj->path);
		set->items = items;
		rd->allocated = size;
	}
	set->items[set->n++] = *note;
	return 0;
}

/* Reads a part with a label. START is behind its magic. Sets *IS_SOUND. */
static int read_labelled(struct reader *rd, size_t start, bool is_target,
			 bool *is_sound)
{
	bool has_source = rd->source.file != NULL && rd->source_end == start;
	struct note note = rd->source;
	unsigned ntypes = 0;
	uint32_t line;

	note.is_target = is_target;
	*is_sound = read_label(rd, &note) && strings_next_line(&rd->in, &line);
	note.probe = *is_sound ? strings_next(&rd->in) : NULL;
	*is_sound = note.probe != NULL && note.probe[0] != '\0';
	while (*is_sound && rd->in.at < rd->in.size &&
	       rd->in.bytes[rd->in.at] != 0 && ntypes < NOTE_ARGS_MAX)
		note.types[ntypes++] = rd->in.bytes[rd->in.at++];
	*is_sound = *is_sound && rd->in.at < rd->in.size &&
		    rd->in.bytes[rd->in.at] == 0;
	if (!*is_sound)
		return 0;
	rd->in.at++;
	align(rd, PART_ALIGN);
	note.size += rd->in.at - start;
	/* The compiler may have parted the two. */
	if (!has_source || line != note.line || ntypes != note.nargs)
		return 0;
	return add_note(rd, &note);
}

static bool is_padding(const struct reader *rd)
{
	for (size_t i = 0; i < PART_ALIGN; i++)
		if (rd->in.bytes[rd->in.at + i] != 0)
			return false;
	return true;
}

static int read_part(struct reader *rd, bool *is_sound)
{
	const char *magic = (const char *)rd->in.bytes + rd->in.at;
	size_t start = rd->in.at;

	*is_sound = true;
	if (is_padding(rd)) {
		rd->in.at += PART_ALIGN;
		return 0;
	}
	rd->in.at += 4;
	if (memcmp(magic, "SDC1", 4) == 0)
		return read_labelled(rd, start, false, is_sound);
	if (memcmp(magic, "SDB1", 4) == 0)
		return read_labelled(rd, start, true, is_sound);
	rd->in.at++;
	*is_sound = memcmp(magic, "SDN1", 5) == 0 && read_source(rd, start);
	return 0;
}

static int add_label(struct reader *rd, const struct relocs *relocs, size_t i)
{
	struct reloc r;
	struct symbol sym;
	int64_t addend;

	reloc_get(relocs, i, &r);
	object_symbol(rd->obj, r.symndx, &sym);
	if (!sym.is_defined || r.offset > rd->in.size ||
	    rd->in.size - r.offset < 4)
		return 0;
	addend = arch_reloc_addend(rd->obj->arch, rd->in.bytes, rd->in.size,
				   relocs->is_rela, &r);
	rd->labels[rd->nlabels++] =
		(struct label){ r.offset, sym.shndx,
				object_wrap(rd->obj, sym.value + addend) };
	return 0;
}

static int read_labels(struct reader *rd)
{
	rd->nlabels = 0;
	for (uint32_t i = 1; i < rd->obj->nsections; i++) {
		const struct section *sec = &rd->obj->sections[i];
		struct label *labels;
		struct relocs relocs;

		if (!section_is_relocs(sec) || sec->info != rd->shndx)
			continue;
		if (object_relocs(rd->d, rd->obj, i, &relocs))
			return -1;
		labels = realloc(rd->labels, (rd->nlabels + relocs.n + 1) *
						     sizeof(labels[0]));
		if (labels == NULL)
			return diag_nomem(rd->d, rd->obj->path);
		rd->labels = labels;
		for (size_t k = 0; k < relocs.n; k++)
			add_label(rd, &relocs, k);
	}
	if (rd->nlabels > 0)
		qsort(rd->labels, rd->nlabels, sizeof(rd->labels[0]),
		      sort_compare_numbers);
	return 0;
}

static void warn(const struct reader *rd, const char *remedy, const char *what)
{
	diag_report(rd->d, SEVERITY_WARNING,
		    &(struct place){ .file = rd->obj->path,
				     .section = NOTES_SECTION,
				     .has_offset = true,
				     .offset = rd->in.at },
		    "metadata", remedy, "%s", what);
}

static int read_section(struct reader *rd)
{
	bool is_sound = true;

	if (packed_read(rd->d, rd->obj, rd->shndx, &rd->set->packed,
			&rd->in.bytes, &rd->in.size))
		return -1;
	if (rd->in.bytes == NULL) {
		warn(rd, "use objcopy --decompress-debug-sections",
		     "the section is compressed, and is not read");
		return 0;
	}
	if (rd->obj->ehdr.e_type == ET_REL && read_labels(rd))
		return -1;
	rd->source = (struct note){ 0 };
	for (rd->in.at = 0; is_sound && rd->in.size - rd->in.at >= PART_ALIGN;)
		if (read_part(rd, &is_sound))
			return -1;
	if (!is_sound)
		warn(rd, NULL,
		     "what the probe macros wrote is damaged: the rest of it "
		     "is not read");
	return 0;
}

int notes_read(struct diag *d, const struct object *obj, struct note_set *set)
{
	struct reader rd = { .d = d, .obj = obj, .set = set };
	int ret = 0;

	*set = (struct note_set){ 0 };
	for (uint32_t i = 1; ret == 0 && i < obj->nsections; i++) {
		const struct section *sec = &obj->sections[i];

		if (strcmp(sec->name, NOTES_SECTION) != 0 ||
		    sec->type == SHT_NOBITS)
			continue;
		rd.shndx = i;
		rd.in.at = 0;
		ret = read_section(&rd);
	}
	free(rd.labels);
	return ret;
}

void notes_free(struct note_set *set)
{
	packed_free(&set->packed);
	free(set->items);
	*set = (struct note_set){ 0 };
}

/* --- Matching ---------------------------------------------------------- */

/* The note of a NOP has the address of its target. */
struct noted notes_place(const struct site_set *set, const struct site *site)
{
	bool is_target = site->form == FORM_BRANCH;

	return (struct noted){
		.probe = set->probes[site->probe].symbol,
		.is_target = is_target,
		.shndx = is_target ? site->target_shndx : site->shndx,
		.at = is_target ? site->target : site->offset,
	};
}

struct extent {
	uint32_t shndx;
	uint64_t start, end;
};

struct extents {
	struct extent *items;
	size_t n;
};

/* A note, or what has one. */
struct entry {
	const char *probe;
	bool is_target;
	uint32_t shndx;
	size_t function; /* index of its extent; the number of extents if it
			  * is in none */
	uint64_t at;
	const struct note *note;
	struct noted *noted;
};

static int compare_extents(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;

	return sort_pairs(x->shndx, x->start, y->shndx, y->start);
}

static int list_extents(struct diag *d, const struct object *obj,
			struct extents *extents)
{
	bool is_partial = obj->ehdr.e_type == ET_REL;

	extents->items = malloc((obj->nsymbols + 1) * sizeof(struct extent));
	if (extents->items == NULL)
		return diag_nomem(d, obj->path);
	for (size_t i = 1; i < obj->nsymbols; i++) {
		struct symbol sym;

		object_symbol(obj, i, &sym);
		if (symbol_is_code(&sym) && sym.size > 0)
			extents->items[extents->n++] =
				(struct extent){ is_partial ? sym.shndx : 0,
						 sym.value,
						 sym.value + sym.size };
	}
	qsort(extents->items, extents->n, sizeof(struct extent),
	      compare_extents);
	return 0;
}

static size_t function_at(const struct extents *extents, uint32_t shndx,
			  uint64_t at)
{
	size_t i;

	LOWER_BOUND(i, extents->n,
		    extents->items[i].shndx < shndx ||
			    (extents->items[i].shndx == shndx &&
			     extents->items[i].start <= at));
	if (i == 0 || extents->items[i - 1].shndx != shndx ||
	    at >= extents->items[i - 1].end)
		return extents->n;
	return i - 1;
}

/*
 * Do both belong to one probe and function, and are both calls, or both
 * targets?
 */
static int compare_groups(const struct entry *x, const struct entry *y)
{
	int order = strcmp(x->probe, y->probe);

	if (order != 0)
		return order;
	if (x->is_target != y->is_target)
		return x->is_target ? 1 : -1;
	return sort_pairs(x->shndx, x->function, y->shndx, y->function);
}

/* At one address, a call is behind its note, and a target before it. */
static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = compare_groups(x, y);

	if (order != 0)
		return order;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return ((x->note == NULL) - (y->note == NULL)) *
	       (x->is_target ? -1 : 1);
}

/*
 * The end of the places that begin at FIRST, are of one group, and have no note
 * between them.
 */
static size_t end_of_place(const struct entry *entries, size_t first,
			   size_t end)
{
	size_t i = first;

	while (i < end && entries[i].note == NULL &&
	       entries[i].at == entries[first].at)
		i++;
	return i;
}

/* Do notes and places alternate in [FIRST, END), in the right order? */
static bool alternates(const struct entry *entries, size_t first, size_t end)
{
	bool is_target = entries[first].is_target;

	for (size_t i = first; i < end;) {
		size_t places = is_target ? i : i + 1;
		size_t after = end_of_place(entries, places, end);
		size_t note = is_target ? after : i;

		if (after == places || note >= end ||
		    entries[note].note == NULL)
			return false;
		i = is_target ? note + 1 : after;
	}
	return true;
}

static void assign(struct entry *entries, size_t first, size_t end)
{
	const struct note *note = NULL;

	for (size_t k = 0; k < end - first; k++) {
		/* A target's note is behind it: go from the end. */
		struct entry *e = entries[first].is_target
					  ? &entries[end - 1 - k]
					  : &entries[first + k];

		if (e->note != NULL)
			note = e->note;
		else
			e->noted->note = note;
	}
}

static size_t list_entries(const struct extents *extents,
			   const struct note_set *set, struct noted *noted,
			   size_t n, struct entry *entries)
{
	for (size_t i = 0; i < set->n; i++) {
		const struct note *note = &set->items[i];

		entries[i] = (struct entry){
			note->probe,
			note->is_target,
			note->shndx,
			function_at(extents, note->shndx, note->at),
			note->at,
			note,
			NULL
		};
	}
	for (size_t i = 0; i < n; i++)
		entries[set->n + i] = (struct entry){
			noted[i].probe,
			noted[i].is_target,
			noted[i].shndx,
			function_at(extents, noted[i].shndx, noted[i].at),
			noted[i].at,
			NULL,
			&noted[i]
		};
	return set->n + n;
}

int notes_match(struct diag *d, const struct object *obj,
		const struct note_set *set, struct noted *noted, size_t n)
{
	struct extents extents = { 0 };
	struct entry *entries = malloc((set->n + n + 1) * sizeof(entries[0]));
	size_t nentries;
	int ret = -1;

	if (entries == NULL) {
		diag_nomem(d, obj->path);
		goto done;
	}
	if (list_extents(d, obj, &extents))
		goto done;
	nentries = list_entries(&extents, set, noted, n, entries);
	qsort(entries, nentries, sizeof(entries[0]), compare_entries);
	for (size_t first = 0, end; first < nentries; first = end) {
		for (end = first + 1;
		     end < nentries &&
		     compare_groups(&entries[first], &entries[end]) == 0;
		     end++)
			;
		if (alternates(entries, first, end))
			assign(entries, first, end);
	}
	ret = 0;
done:
	free(entries);
	free(extents.items);
	return ret;
}
