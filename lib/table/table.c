/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"
#include "base/table-format.h"

enum header_word {
	WORD_MAGIC,
	WORD_VERSION,
	WORD_SIZE,
	WORD_SECTIONS,
	WORD_SITES,
	WORD_PROBES,
	WORD_FUNCTIONS,
	WORD_STRINGS,
	HEADER_WORDS = SDT_TABLE_HEADER_WORDS,
};

/* Other records have 8 bytes. */
#define PROBE_SIZE 12ull
#define JUMP_SIZE 12ull

/* A table's bytes and the parts of it. */
struct raw_table {
	struct diag *d;
	const struct image *img;
	const uint8_t *bytes;
	uint64_t addr;
	uint32_t header[HEADER_WORDS];
	uint64_t sections, sites, probes, functions, jumps; /* offsets */
	uint64_t njumps;
};

static int damaged(const struct raw_table *raw, const char *what)
{
	return diag_report(raw->d, SEVERITY_NO,
			   &(struct place){ .file = raw->img->obj->path },
			   "table-mismatch",
			   "generate, compile and link the table again",
			   "the site table at 0x%" PRIx64 " is damaged: %s",
			   raw->addr, what);
}

static uint32_t word_at(const struct raw_table *raw, uint64_t offset)
{
	return object_word(raw->img->obj, raw->bytes + offset);
}

/* The address that the self-relative word at OFFSET means. */
static uint64_t relative_at(const struct raw_table *raw, uint64_t offset)
{
	return object_relative(raw->img->obj, raw->bytes + offset,
			       raw->addr + offset);
}

/* Reads the header. Returns what is wrong with it, or NULL. */
static const char *header_fault(struct raw_table *raw)
{
	const uint8_t *bytes =
		image_bytes(raw->img, raw->addr, HEADER_WORDS * 4);
	uint64_t end;

	if (bytes == NULL)
		return "its header is not in the image";
	if (raw->addr % 4 != 0)
		return "it is not aligned to 4";
	raw->bytes = bytes;
	for (int i = 0; i < HEADER_WORDS; i++)
		raw->header[i] = word_at(raw, i * 4);
	if (raw->header[WORD_MAGIC] != SDT_TABLE_MAGIC)
		return "wrong magic number";
	if (raw->header[WORD_VERSION] != SDT_TABLE_VERSION)
		return "unknown version";
	raw->sections = HEADER_WORDS * 4;
	raw->sites = raw->sections + 8ull * raw->header[WORD_SECTIONS];
	raw->probes = raw->sites + 8ull * raw->header[WORD_SITES];
	raw->functions = raw->probes + PROBE_SIZE * raw->header[WORD_PROBES];
	raw->jumps = raw->functions + 8ull * raw->header[WORD_FUNCTIONS];
	end = raw->header[WORD_STRINGS];
	raw->njumps = (end - raw->jumps) / JUMP_SIZE;
	if (end < raw->jumps || (end - raw->jumps) % JUMP_SIZE != 0 ||
	    raw->header[WORD_SIZE] <= end)
		return "its counts do not add up to its size";
	if (image_bytes(raw->img, raw->addr, raw->header[WORD_SIZE]) == NULL)
		return "it reaches past its section";
	if (bytes[raw->header[WORD_SIZE] - 1] != '\0')
		return "its last string does not end";
	return NULL;
}

size_t table_count_injected(const struct object *obj,
			    const struct options *options)
{
	size_t n = 0;

	for (size_t i = 1; i < obj->nsections; i++)
		if (strcmp(obj->sections[i].name, options->sites_name) == 0)
			n += obj->sections[i].size / 8;
	return n;
}

bool table_is_offsets(const struct image *img, uint64_t addr)
{
	struct raw_table raw = { .img = img, .addr = addr };

	return header_fault(&raw) == NULL && raw.header[WORD_SITES] > 0;
}

/* The string whose offset is at OFFSET, or NULL. */
static const char *string_at(const struct raw_table *raw, uint64_t offset)
{
	uint32_t at = word_at(raw, offset);

	if (at >= raw->header[WORD_SIZE] - raw->header[WORD_STRINGS])
		return NULL;
	return (const char *)raw->bytes + raw->header[WORD_STRINGS] + at;
}

/*
 * Reads the next jump record, which belongs to a site of the branch form: its
 * target and, in PROBE, the index of the probe.
 */
static int read_jump(const struct raw_table *raw, uint32_t i, uint64_t *next,
		     uint32_t *probe, struct table_entry *entry)
{
	uint64_t at = raw->jumps + JUMP_SIZE * *next;
	uint32_t section;

	if (i != *next || *next >= raw->njumps)
		return damaged(raw, "its jumps are not those of its sites");
	++*next;
	section = word_at(raw, at);
	if (section >= raw->header[WORD_SECTIONS])
		return damaged(raw, "a jump's section does not exist");
	entry->target = image_wrap(
		raw->img, relative_at(raw, raw->sections + 8ull * section) +
				  word_at(raw, at + 4));
	entry->jump = raw->addr + at;
	*probe = word_at(raw, at + 8);
	return 0;
}

static int read_site(const struct raw_table *raw, uint32_t i, uint64_t base,
		     uint64_t *next_jump, struct table_entry *entry)
{
	uint32_t info = word_at(raw, raw->sites + 8ull * i + 4);
	uint32_t idx = info >> 3;
	uint64_t probe;

	if ((info & 3) == FORM_BRANCH &&
	    read_jump(raw, idx, next_jump, &idx, entry))
		return -1;
	if (idx >= raw->header[WORD_PROBES])
		return damaged(raw, "a site's probe does not exist");
	probe = raw->probes + PROBE_SIZE * idx;
	entry->addr = image_wrap(raw->img,
				 base + word_at(raw, raw->sites + 8ull * i));
	entry->base = base;
	entry->form = info & 3;
	entry->is_enabled = info & 4;
	entry->stub = relative_at(raw, probe);
	entry->probe = string_at(raw, probe + 4);
	entry->prefix = word_at(raw, probe + 8);
	entry->function = "";
	return 0;
}

/* The end of the sites of record I, in an array of {first, ...} records. */
static uint32_t record_end(const struct raw_table *raw, uint64_t array,
			   unsigned first_at, uint32_t i, uint32_t n)
{
	if (i + 1 == n)
		return raw->header[WORD_SITES];
	return word_at(raw, array + 8ull * (i + 1) + first_at);
}

static int read_sections(const struct raw_table *raw, struct table *table)
{
	uint32_t nsections = raw->header[WORD_SECTIONS];
	uint64_t next_jump = 0;
	uint32_t next = 0;

	for (uint32_t s = 0; s < nsections; s++) {
		uint64_t at = raw->sections + 8ull * s;
		uint64_t base = relative_at(raw, at);
		uint32_t end = record_end(raw, raw->sections, 4, s, nsections);

		/* Sections without sites may only follow the last site. */
		if (word_at(raw, at + 4) != next || end < next ||
		    end > table->nentries ||
		    (end == next && next < table->nentries))
			return damaged(raw, "the sites of its sections do not "
					    "follow one another");
		for (; next < end; next++) {
			if (read_site(raw, next, base, &next_jump,
				      &table->entries[next]))
				return -1;
			table->entries[next].base_at = raw->addr + at;
			if (next > word_at(raw, at + 4) &&
			    table->entries[next].addr <=
				    table->entries[next - 1].addr)
				return damaged(raw, "its sites are not sorted");
		}
	}
	if (next != table->nentries)
		return damaged(raw, "a site is in no section");
	if (next_jump != raw->njumps)
		return damaged(raw, "its jumps are not those of its sites");
	return 0;
}

static int read_functions(const struct raw_table *raw, struct table *table)
{
	uint32_t nfunctions = raw->header[WORD_FUNCTIONS];
	uint32_t next = 0;

	for (uint32_t i = 0; i < nfunctions; i++) {
		uint64_t at = raw->functions + 8ull * i;
		uint32_t end =
			record_end(raw, raw->functions, 0, i, nfunctions);
		const char *name = string_at(raw, at + 4);

		if (word_at(raw, at) != next || end <= next ||
		    end > table->nentries || name == NULL)
			return damaged(raw, "the sites of its functions do "
					    "not follow one another");
		for (; next < end; next++)
			table->entries[next].function = name;
	}
	/* They can be left out, all of them. */
	if (next != table->nentries && nfunctions > 0)
		return damaged(raw, "a site is in no function");
	return 0;
}

static int read_probes(const struct raw_table *raw, struct table *table)
{
	for (uint32_t i = 0; i < raw->header[WORD_PROBES]; i++) {
		struct table_probe *probe = &table->probes[i];
		uint64_t at = raw->probes + PROBE_SIZE * i;

		probe->symbol = string_at(raw, at + 4);
		probe->prefix = word_at(raw, at + 8);
		probe->stub = relative_at(raw, at);
		if (probe->symbol == NULL ||
		    (i > 0 && strcmp(probe[-1].symbol, probe->symbol) >= 0))
			return damaged(raw, "its probes are not sorted");
		if (probe->prefix > strlen(probe->symbol))
			return damaged(raw, "a probe's prefix is longer than "
					    "its name");
	}
	return 0;
}

int table_read_offsets(struct diag *d, const struct image *img, uint64_t addr,
		       struct table *table)
{
	struct raw_table raw = { .d = d, .img = img, .addr = addr };
	const char *fault = header_fault(&raw);

	table->form = TABLE_OFFSETS;
	table->addr = addr;
	if (fault != NULL)
		return damaged(&raw, fault);
	table->size = raw.header[WORD_SIZE];
	table->nprobes = raw.header[WORD_PROBES];
	table->has_functions = raw.header[WORD_FUNCTIONS] > 0;
	table->nentries = raw.header[WORD_SITES];
	table->entries = memory_calloc_whole(table->nentries + 1,
					     sizeof(table->entries[0]));
	table->probes = calloc(table->nprobes + 1, sizeof(table->probes[0]));
	if (table->entries == NULL || table->probes == NULL)
		return diag_nomem(d, img->obj->path);
	if (read_probes(&raw, table) || read_sections(&raw, table))
		return -1;
	return read_functions(&raw, table);
}

/* --- The proposal's linker set ----------------------------------------- */

/*
 * The only symbol called NAME. If there is none, or several, that is diagnosed.
 */
static int find_symbol(struct diag *d, const struct image *img,
		       const char *name, uint64_t *value)
{
	struct symbol sym;
	uint32_t symndx = 0;

	bool is_there = names_next(&img->names, name, &symndx, &sym);

	if (!is_there && (img->obj->is_stripped || img->obj->is_bare))
		return diag_file(d, img->obj->path, "no-symbols",
				 "has a linker set, of which only symbols tell "
				 "the text start and the probes: give "
				 "--debug-file");
	if (!is_there)
		return diag_file(d, img->obj->path, "no-base",
				 "no symbol %s: name the text start with "
				 "--base",
				 name);
	*value = sym.value;
	if (names_next(&img->names, name, &symndx, &sym))
		return diag_file(d, img->obj->path, "no-base",
				 "more than one symbol %s", name);
	return 0;
}

/* The records are between two symbols, or in the section of that name. */
static bool find_linker_set(const struct image *img, uint64_t *start,
			    uint64_t *stop)
{
	struct symbol first, last;
	uint32_t a = 0, b = 0, shndx;

	if (names_next(&img->names, "__start_" SDT_LINKER_SET, &a, &first) &&
	    names_next(&img->names, "__stop_" SDT_LINKER_SET, &b, &last)) {
		*start = first.value;
		*stop = last.value;
		return true;
	}
	shndx = object_find_section(img->obj, SDT_LINKER_SET);
	if (shndx == 0)
		return false;
	*start = img->obj->sections[shndx].addr;
	*stop = *start + img->obj->sections[shndx].size;
	return true;
}

/* The structures of the probes, the symbols sdt_*, by address. */
struct structures {
	struct symbol *symbols;
	size_t n;
};

static int compare_values(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

static int find_structures(struct diag *d, const struct object *obj,
			   struct structures *st)
{
	st->symbols = malloc(obj->nsymbols * sizeof(st->symbols[0]));
	if (st->symbols == NULL)
		return diag_nomem(d, obj->path);
	for (size_t i = 1; i < obj->nsymbols; i++) {
		struct symbol *sym = &st->symbols[st->n];

		object_symbol(obj, i, sym);
		st->n += sym->is_defined && strncmp(sym->name, "sdt_", 4) == 0;
	}
	qsort(st->symbols, st->n, sizeof(st->symbols[0]), compare_values);
	return 0;
}

static const char *structure_at(const struct structures *st, uint64_t addr)
{
	struct symbol key = { .value = addr };
	const struct symbol *sym =
		bsearch(&key, st->symbols, st->n, sizeof(key), compare_values);

	return sym != NULL ? sym->name : NULL;
}

/* The name of the structure to which the pointer at ADDR points. */
static const char *pointed_name(const struct image *img,
				const struct structures *st, uint64_t addr,
				const uint8_t *bytes)
{
	const struct image_reloc *reloc = image_find_reloc(img, addr);
	uint64_t value = object_address(img->obj, bytes);

	if (reloc != NULL && reloc->symbol[0] != '\0')
		return reloc->symbol;
	if (reloc != NULL && reloc->has_addend)
		value = reloc->addend;
	return structure_at(st, image_wrap(img, value));
}

static int read_record(struct diag *d, const struct image *img,
		       const struct structures *st, uint64_t base,
		       uint64_t addr, const uint8_t *bytes,
		       struct table_entry *entry)
{
	size_t word = img->obj->is_64 ? 8 : 4;
	uint64_t offset = object_address(img->obj, bytes + word);

	entry->addr = image_wrap(img, base + offset);
	entry->prefix = strlen("sdt_");
	entry->function = "";
	entry->probe = pointed_name(img, st, addr, bytes);
	if (entry->probe == NULL)
		return diag_report(d, SEVERITY_NO,
				   &(struct place){ .file = img->obj->path },
				   "table-mismatch", NULL,
				   "the record at 0x%" PRIx64
				   " of " SDT_LINKER_SET " points to no probe "
				   "structure sdt_*",
				   addr);
	return 0;
}

static int read_records(struct diag *d, const struct image *img,
			const struct options *options, const uint8_t *bytes,
			struct table *table)
{
	size_t size = img->obj->is_64 ? 16 : 8;
	struct structures st = { 0 };
	uint64_t base = 0;
	int ret = -1;

	if (find_symbol(d, img, options->base ? options->base : "btext", &base))
		return -1;
	table->entries = calloc(table->nentries + 1, sizeof(table->entries[0]));
	if (table->entries == NULL)
		return diag_nomem(d, img->obj->path);
	if (find_structures(d, img->obj, &st))
		goto done;
	for (size_t i = 0; i < table->nentries; i++)
		if (read_record(d, img, &st, base, table->addr + i * size,
				bytes + i * size, &table->entries[i]))
			goto done;
	ret = 0;
done:
	free(st.symbols);
	return ret;
}

static int read_linker_set(struct diag *d, const struct image *img,
			   const struct options *options, uint64_t start,
			   uint64_t stop, struct table *table)
{
	size_t size = img->obj->is_64 ? 16 : 8;
	const uint8_t *bytes;

	table->form = TABLE_LINKER_SET;
	table->addr = start;
	if (stop < start || (stop - start) % size != 0)
		return diag_file(d, img->obj->path, "malformed",
				 SDT_LINKER_SET " is not an array of %zu-byte "
						"records",
				 size);
	bytes = image_bytes(img, start, stop - start);
	if (bytes == NULL && stop > start)
		return diag_file(d, img->obj->path, "malformed",
				 SDT_LINKER_SET " is not in the image");
	table->size = stop - start;
	table->nentries = table->size / size;
	return read_records(d, img, options, bytes, table);
}

/*
 * Is there an anchored table, too? An empty one between two symbols does not
 * count.
 */
static bool has_anchored(const struct image *img, const struct options *options)
{
	const char *name = options->sites_name;
	char start[256], stop[256];
	struct symbol a, b;
	uint32_t i = 0, k = 0;

	snprintf(start, sizeof(start), "__start_%s", name);
	snprintf(stop, sizeof(stop), "__stop_%s", name);
	return object_find_section(img->obj, name) != 0 ||
	       (names_next(&img->names, start, &i, &a) &&
		names_next(&img->names, stop, &k, &b) && a.value != b.value);
}

/* Does the next symbol leave the table its full size? Readers rely on that. */
static int check_end(struct diag *d, const struct image *img,
		     const struct options *options, const struct table *table)
{
	struct raw_table raw = { .d = d, .img = img, .addr = table->addr };
	char name[256];
	struct symbol sym;
	uint32_t symndx = 0;
	bool is_there = false;

	snprintf(name, sizeof(name), "%s_end", options->table_name);
	while (names_next(&img->names, name, &symndx, &sym)) {
		if (sym.value - table->addr >= table->size)
			return 0;
		is_there = true;
	}
	return is_there ? damaged(&raw, "the symbol of its end is before that")
			: 0;
}

/*
 * The number of symbols that may name the offsets table; SYM is the first. If
 * one is global, a local one is a static variable with the same name.
 */
static size_t find_offsets(const struct image *img, const char *name,
			   struct symbol *sym)
{
	size_t nglobals = 0, nlocals = 0;
	uint32_t symndx = 0;
	struct symbol next;

	while (names_next(&img->names, name, &symndx, &next)) {
		size_t *n = next.bind == STB_LOCAL ? &nlocals : &nglobals;

		if ((*n)++ == 0 && (n == &nglobals || nglobals == 0))
			*sym = next;
	}
	return nglobals > 0 ? nglobals : nlocals;
}

int table_read(struct diag *d, const struct image *img,
	       const struct options *options, struct table *table, bool *found)
{
	struct symbol sym = { 0 };
	uint64_t start, stop;
	size_t nsymbols;

	*table = (struct table){ .form = options->table };
	*found = true;
	if (options->table == TABLE_LINKER_SET) {
		*found = find_linker_set(img, &start, &stop);
		if (*found)
			return read_linker_set(d, img, options, start, stop,
					       table);
		return 0;
	}
	nsymbols = find_offsets(img, options->table_name, &sym);
	*found = options->table != TABLE_ANCHORED && nsymbols > 0;
	if (!*found && options->table != TABLE_OFFSETS)
		return table_read_anchored(d, img, options, table, found);
	if (!*found)
		return 0;
	/* An image with two tables is not proved if only one is read. */
	if (options->table == TABLE_AUTO && has_anchored(img, options))
		return diag_report(d, SEVERITY_TROUBLE,
				   &(struct place){ .file = img->obj->path },
				   "table-mismatch",
				   "say which with --table=offsets or "
				   "--table=anchored",
				   "the image has an offsets table, %s, and an "
				   "anchored one, %s",
				   options->table_name, options->sites_name);
	if (nsymbols > 1)
		return diag_file(d, img->obj->path, "table-mismatch",
				 "more than one symbol %s: give each table a "
				 "name of its own with --table-name",
				 options->table_name);
	if (table_read_offsets(d, img, sym.value, table))
		return -1;
	return check_end(d, img, options, table);
}

int table_compare_entries(const void *a, const void *b)
{
	const struct table_entry *x = *(const struct table_entry *const *)a;
	const struct table_entry *y = *(const struct table_entry *const *)b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

void table_free(struct table *table)
{
	free(table->entries);
	free(table->probes);
	free(table->names);
	*table = (struct table){ 0 };
}
