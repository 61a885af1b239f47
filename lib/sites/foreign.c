/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The forms of the tables. Nothing is guessed: a table with contents of another
 * form is an error. Entries that do not lead to code are counted.
 */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/strings.h"
#include "foreign-read.h"

struct reader {
	struct diag *d;
	const struct object *obj;
	const struct image *img;
	struct foreign_set *set;
	enum foreign_kind kind;
	struct foreign_table table;
	struct spot_names names; /* if items: of keys */
	size_t nempty, nlost;
	uint64_t first_lost;
};

static unsigned word_size(const struct reader *rd)
{
	return rd->obj->is_64 ? 8 : 4;
}

/* --- Sites --------------------------------------------------------------- */

static int add_site(struct reader *rd, struct foreign_site site)
{
	struct foreign_site *items =
		grow_list(rd->set->items, rd->set->n, sizeof(items[0]));

	if (items == NULL)
		return diag_nomem(rd->d, rd->obj->path);
	rd->set->items = items;
	site.kind = rd->kind;
	if (site.form == NULL)
		site.form = foreign_name(rd->kind);
	items[rd->set->n++] = site;
	return 0;
}

/* Adds CODE, of the entry at AT, if it is code. Otherwise counts the entry. */
static bool is_site(struct reader *rd, uint64_t at, struct foreign_field *code)
{
	if (!code->is_empty && foreign_table_is_code(&rd->table, code))
		return true;
	if (!code->is_empty && rd->nlost++ == 0)
		rd->first_lost = rd->table.start + at;
	rd->nempty += code->is_empty;
	return false;
}

static int bad_field(struct reader *rd, uint64_t at)
{
	return foreign_table_fault(&rd->table, at, NULL,
				   "the table cannot be read: %s",
				   rd->table.fault);
}

/*
 * Must the table consist of entries of SIZE bytes? Returns -1 if it does not.
 */
static int check_size(struct reader *rd, unsigned size)
{
	if (rd->table.size % size == 0)
		return 0;
	return foreign_table_fault(
		&rd->table, 0, NULL,
		"%zu bytes are no whole number of entries of %u",
		rd->table.size, size);
}

/* --- Addresses ----------------------------------------------------------- */

/* __mcount_loc, __patchable_function_entries: one word for each site. */
static int read_addresses(struct reader *rd)
{
	unsigned word = word_size(rd);

	if (check_size(rd, word))
		return -1;
	for (uint64_t at = 0; at < rd->table.size; at += word) {
		struct foreign_field code;

		if (!foreign_table_address(&rd->table, at, word, &code))
			return bad_field(rd, at);
		if (is_site(rd, at, &code) &&
		    add_site(rd, (struct foreign_site){ .code = code.spot,
							.name = "entry" }))
			return -1;
	}
	return 0;
}

/* --- XRay ---------------------------------------------------------------- */

/* The kinds of sleds of LLVM's XRay, by number. */
static const char *const sleds[] = { "entry", "exit",	      "tail",
				     "entry", "custom-event", "typed-event" };

/*
 * XRaySledEntry of LLVM: two words with distances, to the sled and to the
 * function. Then a byte each for the kind, always-instrument and the version,
 * and zeros up to four words. Up to version 1 the distances were addresses.
 */
#define XRAY_VERSION 2

static int read_xray(struct reader *rd)
{
	unsigned word = word_size(rd), size = 4 * word;

	if (check_size(rd, size))
		return -1;
	for (uint64_t at = 0; at < rd->table.size; at += size) {
		const uint8_t *tail = rd->table.bytes + at + 2 * word;
		struct foreign_field code;

		if (tail[2] != XRAY_VERSION)
			return foreign_table_fault(
				&rd->table, at, "compile with LLVM 11 or newer",
				"sleds of version %u are not known, but of 2",
				tail[2]);
		if (tail[0] >= sizeof(sleds) / sizeof(sleds[0]))
			return foreign_table_fault(
				&rd->table, at, NULL,
				"sleds of kind %u are not known", tail[0]);
		if (!foreign_table_distance(&rd->table, at, word, &code))
			return bad_field(rd, at);
		if (is_site(rd, at, &code) &&
		    add_site(rd,
			     (struct foreign_site){ .code = code.spot,
						    .name = sleds[tail[0]] }))
			return -1;
	}
	return 0;
}

/* --- Static keys and static calls ---------------------------------------- */

/* The low bits of a key's address are flags of the site. */
#define KEY_BITS 3

/* Sets the key of SITE to the meaning of FIELD. Returns the flags. */
static unsigned set_key(const struct reader *rd, struct foreign_site *site,
			const struct foreign_field *field)
{
	unsigned bits = field->spot.offset & KEY_BITS;
	const struct spot_named *holder;

	site->key = field->spot;
	site->key.offset -= bits;
	if (field->symbol != NULL) {
		site->name = field->symbol;
		site->key_offset = site->key.offset;
		return bits;
	}
	if (rd->img != NULL)
		site->key = spot_at(rd->obj, site->key.offset);
	site->name = spot_name(&rd->names, &site->key);
	if (site->name != NULL)
		return bits;
	holder = spot_holder(&rd->names, &site->key);
	if (holder != NULL) {
		site->name = holder->name;
		site->key_offset = site->key.offset - holder->spot.offset;
	}
	return bits;
}

/*
 * struct jump_entry of Linux: the address of the NOP or jump, the target, and
 * the key. Most machines have distances, the first two in 32 bits. Others have
 * addresses, in 32 bits or a word.
 */
static const struct layout {
	bool has_distances;
	bool has_words; /* the first two are words */
	bool has_long_key;
} layouts[] = {
	{ true, false, true },
	{ false, true, true },
	{ false, false, false },
};

static unsigned code_width(const struct reader *rd, const struct layout *layout)
{
	return layout->has_words ? word_size(rd) : 4;
}

static unsigned entry_size(const struct reader *rd, const struct layout *layout)
{
	return 2 * code_width(rd, layout) +
	       (layout->has_long_key ? word_size(rd) : 4);
}

static bool read_jump_label(struct reader *rd, const struct layout *layout,
			    uint64_t at, struct foreign_field fields[3])
{
	unsigned width = code_width(rd, layout);
	unsigned key_width = layout->has_long_key ? word_size(rd) : 4;
	bool (*read)(struct foreign_table * table, uint64_t at, unsigned width,
		     struct foreign_field *field) =
		layout->has_distances ? foreign_table_distance
				      : foreign_table_address;

	return read(&rd->table, at, width, &fields[0]) &&
	       read(&rd->table, at + width, width, &fields[1]) &&
	       read(&rd->table, at + 2 * width, key_width, &fields[2]);
}

/*
 * Does each entry lead to code? Read in a wrong form, not all of one table
 * would.
 */
static bool fits(struct reader *rd, const struct layout *layout)
{
	unsigned size = entry_size(rd, layout);

	if (rd->table.size % size != 0)
		return false;
	for (uint64_t at = 0; at < rd->table.size; at += size) {
		struct foreign_field fields[3];

		if (!read_jump_label(rd, layout, at, fields) ||
		    !foreign_table_is_code(&rd->table, &fields[0]) ||
		    !foreign_table_is_code(&rd->table, &fields[1]))
			return false;
	}
	return true;
}

static int read_jump_labels(struct reader *rd)
{
	const struct layout *layout = NULL;
	unsigned size;

	for (size_t i = 0;
	     layout == NULL && i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (fits(rd, &layouts[i]))
			layout = &layouts[i];
	if (layout == NULL)
		return foreign_table_fault(
			&rd->table, 0, NULL,
			"its entries are of no known form, or lead to no code");
	size = entry_size(rd, layout);
	for (uint64_t at = 0; at < rd->table.size; at += size) {
		struct foreign_site site = { .form = "branch" };
		struct foreign_field fields[3];

		read_jump_label(rd, layout, at, fields);
		foreign_table_is_code(&rd->table, &fields[0]);
		site.code = fields[0].spot;
		set_key(rd, &site, &fields[2]);
		if (add_site(rd, site))
			return -1;
	}
	return 0;
}

/*
 * struct static_call_site of Linux: distances of 32 bits to the call, and to
 * the key. In a module, the second one may lead to the called function instead.
 */
#define STATIC_CALL_TAIL 1

static const char *without_prefix(const char *name)
{
	return name != NULL && (strncmp(name, "__SCK__", 7) == 0 ||
				strncmp(name, "__SCT__", 7) == 0)
		       ? name + 7
		       : name;
}

static int read_static_calls(struct reader *rd)
{
	if (check_size(rd, 8))
		return -1;
	for (uint64_t at = 0; at < rd->table.size; at += 8) {
		struct foreign_site site = { .form = "call" };
		struct foreign_field code, key;

		if (!foreign_table_distance(&rd->table, at, 4, &code) ||
		    !foreign_table_distance(&rd->table, at + 4, 4, &key))
			return bad_field(rd, at);
		if (!is_site(rd, at, &code))
			continue;
		site.code = code.spot;
		if (set_key(rd, &site, &key) & STATIC_CALL_TAIL)
			site.form = "tail";
		site.name = without_prefix(site.name);
		if (add_site(rd, site))
			return -1;
	}
	return 0;
}

/* --- SystemTap's notes --------------------------------------------------- */

/* The three words of a note's header, and the owner with its NUL. */
#define NOTE_HEADER 12
#define NOTE_TYPE 3
#define NOTE_OWNER "stapsdt"

/* A note has three addresses, and then three strings. */
static int read_note_strings(struct reader *rd, uint64_t at, uint64_t end,
			     struct foreign_site *site)
{
	struct strings in = { rd->table.bytes, end, at };

	site->provider = strings_next(&in);
	site->name = site->provider != NULL ? strings_next(&in) : NULL;
	site->operands = site->name != NULL ? strings_next(&in) : NULL;
	if (site->operands != NULL)
		return 0;
	return foreign_table_fault(&rd->table, at, NULL,
				   "the strings of a note do not end in it");
}

/* The distance by which the image was moved after the link. */
static uint64_t moved(const struct reader *rd, uint64_t base)
{
	uint32_t shndx = object_find_section(rd->obj, ".stapsdt.base");

	return rd->img != NULL && shndx != 0 && base != 0
		       ? rd->obj->sections[shndx].addr - base
		       : 0;
}

static int read_note(struct reader *rd, uint64_t at, uint64_t end)
{
	unsigned word = word_size(rd);
	struct foreign_site site = { 0 };
	struct foreign_field code, base, semaphore;
	uint64_t by;

	if (end - at < 3 * word)
		return foreign_table_fault(&rd->table, at, NULL,
					   "a note ends within its addresses");
	if (!foreign_table_address(&rd->table, at, word, &code) ||
	    !foreign_table_address(&rd->table, at + word, word, &base) ||
	    !foreign_table_address(&rd->table, at + 2 * word, word, &semaphore))
		return bad_field(rd, at);
	if (read_note_strings(rd, at + 3 * word, end, &site))
		return -1;
	by = moved(rd, base.spot.offset);
	code.spot.offset = object_wrap(rd->obj, code.spot.offset + by);
	if (!is_site(rd, at, &code))
		return 0;
	site.code = code.spot;
	if (rd->img != NULL && !semaphore.is_empty)
		site.semaphore =
			object_wrap(rd->obj, semaphore.spot.offset + by);
	return add_site(rd, site);
}

static int read_notes(struct reader *rd)
{
	const struct foreign_table *table = &rd->table;
	uint64_t at = 0;

	while (table->size - at >= NOTE_HEADER + sizeof(NOTE_OWNER)) {
		const uint8_t *p = table->bytes + at;
		uint64_t size = object_word(rd->obj, p + 4);
		uint64_t start = at + NOTE_HEADER + sizeof(NOTE_OWNER);

		if (object_word(rd->obj, p) != sizeof(NOTE_OWNER) ||
		    object_word(rd->obj, p + 8) != NOTE_TYPE ||
		    memcmp(p + NOTE_HEADER, NOTE_OWNER, sizeof(NOTE_OWNER)))
			return foreign_table_fault(
				table, at, NULL,
				"a note is not of stapsdt, version 3");
		if (size > table->size - start)
			return foreign_table_fault(
				table, at, NULL,
				"a note is longer than its section");
		if (read_note(rd, start, start + size))
			return -1;
		at = start + (size + 3) / 4 * 4;
		if (at > table->size)
			at = table->size;
	}
	return at == table->size
		       ? 0
		       : foreign_table_fault(table, at, NULL,
					     "a note ends within its head");
}

/* --- Tables -------------------------------------------------------------- */

static const struct form {
	const char *name;
	const char *section;
	/* Linux' linker scripts put it into another section. */
	const char *start, *end;
	int (*read)(struct reader *rd);
} forms[FOREIGN_NKINDS] = {
	[FOREIGN_STAPSDT] = { "stapsdt", ".note.stapsdt", NULL, NULL,
			      read_notes },
	[FOREIGN_MCOUNT] = { "mcount", "__mcount_loc", "__start_mcount_loc",
			     "__stop_mcount_loc", read_addresses },
	[FOREIGN_PATCHABLE] = { "patchable", "__patchable_function_entries",
				NULL, NULL, read_addresses },
	[FOREIGN_XRAY] = { "xray", "xray_instr_map", NULL, NULL, read_xray },
	[FOREIGN_JUMP_LABEL] = { "jump-label", "__jump_table",
				 "__start___jump_table", "__stop___jump_table",
				 read_jump_labels },
	[FOREIGN_STATIC_CALL] = { "static-call", ".static_call_sites",
				  "__start_static_call_sites",
				  "__stop_static_call_sites",
				  read_static_calls },
};

const char *foreign_name(enum foreign_kind kind)
{
	return forms[kind].name;
}

enum foreign_kind foreign_find(const char *name)
{
	enum foreign_kind kind = 0;

	while (kind < FOREIGN_NKINDS && strcmp(forms[kind].name, name) != 0)
		kind++;
	return kind;
}

/*
 * The section that two symbols of a final enclose, and the part between them.
 */
static bool find_part(const struct image *img, const struct form *form,
		      struct spot *start, uint64_t *size)
{
	struct symbol first, behind;
	uint32_t a = 0, b = 0;

	if (img == NULL || form->start == NULL ||
	    !names_next(&img->names, form->start, &a, &first) ||
	    !names_next(&img->names, form->end, &b, &behind) ||
	    behind.value <= first.value)
		return false;
	*start = spot_at(img->obj, first.value);
	*size = behind.value - first.value;
	return start->shndx != 0 &&
	       *size <= img->obj->sections[start->shndx].size - start->offset &&
	       strcmp(img->obj->sections[start->shndx].name, form->section) !=
		       0;
}

static bool is_table(const struct section *sec, const struct form *form)
{
	return sec->size > 0 && strcmp(sec->name, form->section) == 0;
}

unsigned foreign_present(const struct object *obj, const struct image *img)
{
	unsigned kinds = 0;

	for (unsigned kind = 0; kind < FOREIGN_NKINDS; kind++) {
		const struct form *form = &forms[kind];
		struct spot start;
		uint64_t size;

		if (find_part(img, form, &start, &size))
			kinds |= 1u << kind;
		for (size_t i = 1; i < obj->nsections; i++)
			if (is_table(&obj->sections[i], form))
				kinds |= 1u << kind;
	}
	return kinds;
}

static int read_table(struct reader *rd, uint32_t shndx, uint64_t start,
		      uint64_t size)
{
	int ret;

	rd->table = (struct foreign_table){ .d = rd->d,
					    .obj = rd->obj,
					    .img = rd->img };
	ret = foreign_table_open(&rd->table, shndx, start, size) ||
			      forms[rd->kind].read(rd)
		      ? -1
		      : 0;
	foreign_table_close(&rd->table);
	return ret;
}

static void warn_lost(const struct reader *rd)
{
	struct place place = { .file = rd->obj->path,
			       .section = forms[rd->kind].section };

	if (rd->nempty > 0)
		diag_report(rd->d, SEVERITY_WARNING, &place, "foreign-table",
			    NULL,
			    "%zu entr%s 0, and no site: a linker dropped the "
			    "code",
			    rd->nempty, rd->nempty == 1 ? "y is" : "ies are");
	if (rd->nlost > 0)
		diag_report(rd->d, SEVERITY_WARNING, &place, "foreign-table",
			    NULL,
			    "%zu entr%s to no code, and %s not listed; the "
			    "first is at +0x%" PRIx64,
			    rd->nlost, rd->nlost == 1 ? "y leads" : "ies lead",
			    rd->nlost == 1 ? "is" : "are", rd->first_lost);
}

static int read_kind(struct reader *rd)
{
	const struct form *form = &forms[rd->kind];
	struct spot start;
	uint64_t size;
	int ret = 0;

	rd->nempty = rd->nlost = 0;
	if (find_part(rd->img, form, &start, &size) &&
	    read_table(rd, start.shndx, start.offset, size))
		ret = -1;
	for (uint32_t i = 1; i < rd->obj->nsections; i++)
		if (is_table(&rd->obj->sections[i], form) &&
		    read_table(rd, i, 0, rd->obj->sections[i].size))
			ret = -1;
	warn_lost(rd);
	return ret;
}

int foreign_read(struct diag *d, const struct object *obj,
		 const struct image *img, unsigned kinds,
		 struct foreign_set *set)
{
	struct reader rd = { .d = d, .obj = obj, .img = img, .set = set };
	int ret = 0;

	*set = (struct foreign_set){ 0 };
	kinds &= foreign_present(obj, img);
	if (kinds & (1u << FOREIGN_JUMP_LABEL | 1u << FOREIGN_STATIC_CALL))
		ret = spot_names_read(d, obj, &rd.names);
	for (rd.kind = 0; rd.kind < FOREIGN_NKINDS; rd.kind++)
		if ((kinds & 1u << rd.kind) && read_kind(&rd))
			ret = -1;
	spot_names_free(&rd.names);
	return ret;
}

void foreign_set_free(struct foreign_set *set)
{
	free(set->items);
	*set = (struct foreign_set){ 0 };
}
