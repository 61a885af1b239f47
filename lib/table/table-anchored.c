/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads an anchored table, as --inject and the final link made it. */
#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table-format.h"
#include "base/search.h"
#include "base/sort.h"
#include "table.h"

#define ENTRY_SIZE 8
#define JUMP_SIZE 8
#define WORD_ALIGN 4

#define OUTSIDE \
	"its probe is not between __start_" SDT_PROBES_SECTION \
	" and __stop_" SDT_PROBES_SECTION

struct reader {
	struct diag *d;
	const struct image *img;
	uint64_t start, stop; /* of the entries */
	/* The range of the descriptors, if has_bounds. Readers use it. */
	uint64_t probes, probes_stop;
	bool has_bounds;
};

static int damaged(const struct reader *rd, uint64_t addr, const char *what)
{
	return diag_report(rd->d, SEVERITY_NO,
			   &(struct place){ .file = rd->img->obj->path },
			   "table-mismatch",
			   "let the linker define the start and stop symbols, "
			   "or align them to 4 in the linker script; keep the "
			   "table in one piece (no --unique, SUBALIGN or "
			   "--randomize-section-padding)",
			   "the site table at 0x%" PRIx64 " is damaged at "
			   "0x%" PRIx64 ": %s",
			   rd->start, addr, what);
}

/* The address that the self-relative word at ADDR means. */
static bool read_relative(const struct image *img, uint64_t addr,
			  uint64_t *target)
{
	const uint8_t *bytes = image_bytes(img, addr, 4);

	if (bytes == NULL)
		return false;
	*target = object_relative(img->obj, bytes, addr);
	return true;
}

/* Are SIZE bytes at ADDR in the range of the descriptors? */
static bool is_inside(const struct reader *rd, uint64_t addr, uint64_t size)
{
	return !rd->has_bounds ||
	       (addr >= rd->probes && addr <= rd->probes_stop &&
		size <= rd->probes_stop - addr);
}

/* Reads the descriptor of a probe. Its name must end in the image. */
static int read_descriptor(const struct reader *rd, uint64_t at, uint64_t addr,
			   struct table_entry *entry)
{
	const struct object *obj = rd->img->obj;
	const struct image_section *is =
		image_find(rd->img, addr, SDT_PROBE_NAME);
	const uint8_t *bytes;
	size_t left;

	if (is == NULL)
		return damaged(rd, at, "its probe is not in the image");
	bytes = is->code.bytes + (addr - is->code.addr);
	left = is->code.size - (addr - is->code.addr);
	if (object_word(obj, bytes) != SDT_PROBE_MAGIC)
		return damaged(rd, at, "it points to no probe descriptor");
	if (memchr(bytes + SDT_PROBE_NAME, 0, left - SDT_PROBE_NAME) == NULL)
		return damaged(rd, at, "its probe's name does not end");
	entry->probe = (const char *)bytes + SDT_PROBE_NAME;
	entry->prefix = object_word(obj, bytes + 8);
	if (entry->prefix > strlen(entry->probe))
		return damaged(rd, at,
			       "its probe's prefix is longer than the "
			       "name");
	entry->descriptor = addr;
	entry->descriptor_size = SDT_PROBE_NAME + strlen(entry->probe) + 1;
	if (!is_inside(rd, addr, entry->descriptor_size))
		return damaged(rd, at, OUTSIDE);
	if (object_word(obj, bytes + 4) != 0)
		read_relative(rd->img, addr + 4, &entry->stub);
	return 0;
}

/*
 * In the branch form, the record at *ADDR has the jump's target and the probe.
 */
static int read_jump(const struct reader *rd, uint64_t at, uint64_t *addr,
		     struct table_entry *entry)
{
	entry->jump = *addr;
	if (!read_relative(rd->img, *addr, &entry->target) ||
	    !read_relative(rd->img, *addr + 4, addr))
		return damaged(rd, at, "its jump is not in the image");
	if (!is_inside(rd, entry->jump, JUMP_SIZE))
		return damaged(rd, at, OUTSIDE);
	if (*addr % 8 != 0)
		return damaged(rd, at, "its jump is of no probe descriptor");
	return 0;
}

static int read_entry(const struct reader *rd, uint64_t at,
		      struct table_entry *entry)
{
	uint64_t probe;

	entry->function = "";
	if (!read_relative(rd->img, at, &entry->addr) ||
	    !read_relative(rd->img, at + 4, &probe))
		return damaged(rd, at, "it is not in the image");
	entry->form = probe & 3;
	entry->is_enabled = probe & 4;
	probe &= ~(uint64_t)7;
	if (entry->form == FORM_BRANCH && read_jump(rd, at, &probe, entry))
		return -1;
	return read_descriptor(rd, at, probe, entry);
}

/*
 * The value of the symbol PREFIX NAME. If several have that name, the program's
 * counts. Returns -1 on trouble, diagnosed.
 */
static int find_limit(const struct reader *rd, const char *prefix,
		      const char *name, bool *found, uint64_t *value)
{
	char symbol[256];
	struct symbol sym;
	uint32_t symndx = 0;

	snprintf(symbol, sizeof(symbol), "%s%s", prefix, name);
	*found = names_next(&rd->img->names, symbol, &symndx, &sym);
	if (!*found)
		return 0;
	*value = sym.value;
	while (names_next(&rd->img->names, symbol, &symndx, &sym))
		if (sym.value != *value)
			return diag_file(rd->d, rd->img->obj->path,
					 "table-mismatch",
					 "more than one symbol %s: give each "
					 "table a name of its own with "
					 "--table-name",
					 symbol);
	return 0;
}

/* The entries are between the linker's two symbols, or in the section NAME. */
static int find_entries(struct reader *rd, const char *name, bool *found)
{
	const struct object *obj = rd->img->obj;
	bool has_start, has_stop;
	uint32_t shndx;

	if (find_limit(rd, "__start_", name, &has_start, &rd->start) ||
	    find_limit(rd, "__stop_", name, &has_stop, &rd->stop))
		return -1;
	*found = has_start && has_stop;
	if (*found)
		return 0;
	shndx = object_find_section(obj, name);
	*found = shndx != 0;
	if (!*found)
		return 0;
	rd->start = obj->sections[shndx].addr;
	rd->stop = rd->start + obj->sections[shndx].size;
	return 0;
}

/* Finds the range of the descriptors, by symbols or by the section. */
static int find_bounds(struct reader *rd)
{
	const struct object *obj = rd->img->obj;
	uint32_t shndx = object_find_section(obj, SDT_PROBES_SECTION);
	bool has_start, has_stop;

	if (find_limit(rd, "__start_", SDT_PROBES_SECTION, &has_start,
		       &rd->probes) ||
	    find_limit(rd, "__stop_", SDT_PROBES_SECTION, &has_stop,
		       &rd->probes_stop))
		return -1;
	if (!has_start && shndx != 0)
		rd->probes = obj->sections[shndx].addr;
	if (!has_stop && shndx != 0)
		rd->probes_stop = obj->sections[shndx].addr +
				  obj->sections[shndx].size;
	rd->has_bounds = shndx != 0 || (has_start && has_stop);
	if (rd->has_bounds && rd->probes % WORD_ALIGN != 0)
		return damaged(rd, rd->probes,
			       "__start_" SDT_PROBES_SECTION
			       " is not aligned to 4");
	if (rd->has_bounds && rd->probes_stop < rd->probes)
		return damaged(rd, rd->probes,
			       "__stop_" SDT_PROBES_SECTION
			       " is before __start_" SDT_PROBES_SECTION);
	return 0;
}

static int read_entries(const struct reader *rd, struct table *table)
{
	table->entries = memory_calloc_whole(table->nentries + 1,
					     sizeof(table->entries[0]));
	if (table->entries == NULL)
		return diag_nomem(rd->d, rd->img->obj->path);
	for (size_t i = 0; i < table->nentries; i++)
		if (read_entry(rd, rd->start + i * ENTRY_SIZE,
			       &table->entries[i]))
			return -1;
	return 0;
}

/* --- Names of functions --------------------------------------------------- */

/* The descriptor must begin and end in the range. */
static int read_name(const struct reader *rd, uint64_t at,
		     struct table_name *name)
{
	const struct image_section *is;
	size_t left, length;

	read_relative(rd->img, at, &name->addr);
	read_relative(rd->img, at + 4, &name->function_at);
	is = image_find(rd->img, name->function_at, 1);
	if (is == NULL)
		return damaged(rd, at, "its function's name is not there");
	name->function = (const char *)is->code.bytes +
			 (name->function_at - is->code.addr);
	left = is->code.size - (name->function_at - is->code.addr);
	length = strnlen(name->function, left);
	if (length == left || !is_inside(rd, name->function_at, length + 1))
		return damaged(rd, at, "its function's name does not end");
	return 0;
}

/* The name of the function of the site at ADDR; any, if there are several. */
static const char *find_name(const struct table *table, uint64_t addr)
{
	size_t i;

	LOWER_BOUND(i, table->nnames, table->names[i].addr < addr);
	return i < table->nnames && table->names[i].addr == addr
		       ? table->names[i].function
		       : "";
}

/* RD has the descriptors' bounds. */
static int read_names(const struct reader *rd, struct table *table)
{
	struct reader names = *rd;
	bool found;

	if (find_entries(&names, SDT_FUNCTIONS_SECTION, &found))
		return -1;
	if (!found || names.stop == names.start)
		return 0;
	if (names.stop < names.start || names.start % WORD_ALIGN != 0 ||
	    (names.stop - names.start) % ENTRY_SIZE != 0 ||
	    image_bytes(rd->img, names.start, names.stop - names.start) == NULL)
		return damaged(&names, names.start,
			       "these are no names of functions");
	table->names_addr = names.start;
	table->names_size = names.stop - names.start;
	table->nnames = table->names_size / ENTRY_SIZE;
	table->names = calloc(table->nnames, sizeof(table->names[0]));
	if (table->names == NULL)
		return diag_nomem(rd->d, rd->img->obj->path);
	for (size_t i = 0; i < table->nnames; i++)
		if (read_name(&names, names.start + i * ENTRY_SIZE,
			      &table->names[i]))
			return -1;
	qsort(table->names, table->nnames, sizeof(table->names[0]),
	      sort_compare_numbers);
	for (size_t i = 0; i < table->nentries; i++)
		table->entries[i].function =
			find_name(table, table->entries[i].addr);
	return 0;
}

/* -------------------------------------------------------------------------- */

int table_read_entries(struct diag *d, const struct image *img, uint64_t addr,
		       size_t n, struct table *table)
{
	const struct reader rd = { .d = d, .img = img, .start = addr };

	*table = (struct table){
		.form = TABLE_ANCHORED,
		.addr = addr,
		.size = n * ENTRY_SIZE,
		.nentries = n,
	};
	return read_entries(&rd, table);
}

int table_read_anchored(struct diag *d, const struct image *img,
			const struct options *options, struct table *table,
			bool *found)
{
	struct reader rd = { .d = d, .img = img };

	table->form = TABLE_ANCHORED;
	if (find_entries(&rd, options->sites_name, found))
		return -1;
	if (!*found)
		return 0;
	if (find_bounds(&rd))
		return -1;
	table->addr = rd.start;
	table->size = rd.stop - rd.start;
	if (rd.stop < rd.start || (rd.stop - rd.start) % ENTRY_SIZE != 0)
		return damaged(&rd, rd.stop,
			       "it is not a whole number of entries");
	if (rd.start % WORD_ALIGN != 0)
		return damaged(&rd, rd.start, "it is not aligned to 4");
	if (rd.stop > rd.start &&
	    image_bytes(img, rd.start, rd.stop - rd.start) == NULL)
		return damaged(&rd, rd.start, "it is not in the image");
	table->nentries = (rd.stop - rd.start) / ENTRY_SIZE;
	return read_entries(&rd, table) ? -1 : read_names(&rd, table);
}
