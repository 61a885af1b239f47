/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the anchored table of a partial, as --inject wrote it, before any
 * linker resolved it. A site that --nop switched off has no other trace.
 */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/table-format.h"
#include "base/search.h"
#include "elf/section-relocs.h"
#include "table.h"

#define ENTRY_SIZE 8

struct reader {
	struct diag *d;
	const struct object *obj;
	struct section_relocs *relocs; /* by section, once read; owned */
	bool *is_read;		       /* by section; owned */
};

/* A place in a section. */
struct spot {
	uint32_t shndx;
	uint64_t offset;
};

static int damaged(const struct reader *rd, const struct spot *at,
		   const char *what)
{
	struct place place = object_where(rd->obj, at->shndx, at->offset);

	return diag_report(rd->d, SEVERITY_NO, &place, "table-mismatch",
			   "inject the object again",
			   "the site table is damaged: %s", what);
}

/* Where the self-relative word AT leads. */
static int follow(struct reader *rd, const struct spot *at, struct spot *to)
{
	struct section_relocs *relocs = &rd->relocs[at->shndx];
	const struct arch *arch = rd->obj->arch;
	const uint8_t *bytes;
	struct symbol sym;
	size_t size, i;

	if (!rd->is_read[at->shndx]) {
		rd->is_read[at->shndx] = true;
		if (section_relocs_read(rd->d, rd->obj, at->shndx, relocs))
			return -1;
	}
	LOWER_BOUND(i, relocs->n, relocs->relocs[i].offset < at->offset);
	if (i == relocs->n || relocs->relocs[i].offset != at->offset ||
	    relocs->relocs[i].type != arch->reloc_pc32)
		return damaged(rd, at, "a word has no relocation");
	object_symbol(rd->obj, relocs->relocs[i].symndx, &sym);
	bytes = object_data(rd->d, rd->obj, at->shndx, &size);
	if (bytes == NULL)
		return -1;
	if (!sym.is_defined || sym.shndx == 0)
		return damaged(rd, at, "a word leads out of the file");
	to->shndx = sym.shndx;
	to->offset = object_wrap(
		rd->obj, sym.value + arch_reloc_addend(arch, bytes, size,
						       relocs->is_rela,
						       &relocs->relocs[i]));
	return 0;
}

/* The descriptor AT of the probe of ENTRY. */
static int read_descriptor(struct reader *rd, const struct spot *at,
			   struct table_entry *entry)
{
	size_t size;
	const uint8_t *bytes = object_data(rd->d, rd->obj, at->shndx, &size);

	if (bytes == NULL)
		return -1;
	if (at->offset > size || size - at->offset <= SDT_PROBE_NAME ||
	    object_word(rd->obj, bytes + at->offset) != SDT_PROBE_MAGIC)
		return damaged(rd, at, "it points to no probe descriptor");
	bytes += at->offset;
	size -= at->offset;
	if (memchr(bytes + SDT_PROBE_NAME, 0, size - SDT_PROBE_NAME) == NULL)
		return damaged(rd, at, "a probe's name does not end");
	entry->probe = (const char *)bytes + SDT_PROBE_NAME;
	entry->prefix = object_word(rd->obj, bytes + 8);
	if (entry->prefix > strlen(entry->probe))
		return damaged(rd, at,
			       "a probe's prefix is longer than the name");
	return 0;
}

static int read_entry(struct reader *rd, struct spot at,
		      struct table_entry *entry)
{
	struct spot site, what, target;

	if (follow(rd, &at, &site))
		return -1;
	at.offset += 4;
	if (follow(rd, &at, &what))
		return -1;
	if (!section_is_text(&rd->obj->sections[site.shndx]) ||
	    site.offset >= rd->obj->sections[site.shndx].size)
		return damaged(rd, &at, "a site is not in text");
	*entry = (struct table_entry){
		.shndx = site.shndx,
		.addr = site.offset,
		.function = "",
		.form = what.offset & 3,
		.is_enabled = what.offset & 4,
	};
	what.offset &= ~(uint64_t)7;
	if (entry->form == FORM_BRANCH) {
		if (follow(rd, &what, &target))
			return -1;
		entry->target_shndx = target.shndx;
		entry->target = target.offset;
		what.offset += 4;
		if (follow(rd, &what, &what))
			return -1;
	}
	return read_descriptor(rd, &what, entry);
}

static int read_section(struct reader *rd, uint32_t shndx, struct table *table)
{
	uint64_t n = rd->obj->sections[shndx].size / ENTRY_SIZE;

	for (uint64_t i = 0; i < n; i++, table->nentries++)
		if (read_entry(rd, (struct spot){ shndx, i * ENTRY_SIZE },
			       &table->entries[table->nentries]))
			return -1;
	return 0;
}

static int read_sections(struct reader *rd, const struct options *options,
			 struct table *table)
{
	size_t n = table_count_injected(rd->obj, options);

	table->entries = calloc(n + 1, sizeof(table->entries[0]));
	rd->relocs = calloc(rd->obj->nsections, sizeof(rd->relocs[0]));
	rd->is_read = calloc(rd->obj->nsections, sizeof(rd->is_read[0]));
	if (table->entries == NULL || rd->relocs == NULL || rd->is_read == NULL)
		return diag_nomem(rd->d, rd->obj->path);
	for (size_t i = 1; i < rd->obj->nsections; i++)
		if (strcmp(rd->obj->sections[i].name, options->sites_name) ==
			    0 &&
		    read_section(rd, i, table))
			return -1;
	return 0;
}

int table_read_partial(struct diag *d, const struct object *obj,
		       const struct options *options, struct table *table)
{
	struct reader rd = { .d = d, .obj = obj };
	int ret;

	*table = (struct table){ .form = TABLE_ANCHORED };
	ret = read_sections(&rd, options, table);
	for (size_t i = 1; rd.is_read != NULL && i < obj->nsections; i++)
		if (rd.is_read[i])
			section_relocs_free(&rd.relocs[i]);
	free(rd.relocs);
	free(rd.is_read);
	return ret;
}
