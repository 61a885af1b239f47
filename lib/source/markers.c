/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/table-format.h"
#include "base/grow.h"
#include "base/strings.h"
#include "markers.h"

struct reader {
	struct diag *d;
	const struct object *obj;
	struct marker_set *set;
	unsigned version;
	bool is_placed; /* as in struct marker */
	uint32_t shndx;
	struct strings in; /* of the section */
	size_t next_reloc; /* where the next one is likely to be */
};

static void set_place(struct reader *rd, const struct relocs *relocs,
		      const struct reloc *r, struct marker *marker)
{
	struct symbol sym;

	/* check_object has not looked at sections that are not loaded. */
	if (r->symndx >= rd->obj->nsymbols)
		return;
	object_symbol(rd->obj, r->symndx, &sym);
	marker->has_place = sym.is_defined;
	marker->shndx = sym.shndx;
	marker->at = object_wrap(
		rd->obj,
		sym.value + arch_reloc_addend(rd->obj->arch, rd->in.bytes,
					      rd->in.size, relocs->is_rela, r));
}

/* Sets the place from the relocation at OFFSET. */
static int read_reloc(struct reader *rd, uint64_t offset, struct marker *marker)
{
	for (uint32_t i = 1; i < rd->obj->nsections; i++) {
		const struct section *sec = &rd->obj->sections[i];
		struct relocs relocs;

		if (!section_is_relocs(sec) || sec->info != rd->shndx)
			continue;
		if (object_relocs(rd->d, rd->obj, i, &relocs))
			return -1;
		for (size_t k = 0; k < relocs.n; k++) {
			struct reloc r;

			reloc_get(&relocs, (rd->next_reloc + k) % relocs.n, &r);
			if (r.offset != offset)
				continue;
			set_place(rd, &relocs, &r, marker);
			rd->next_reloc = (rd->next_reloc + k + 1) % relocs.n;
			break;
		}
	}
	return 0;
}

static bool is_text(const struct object *obj, uint64_t addr)
{
	for (uint32_t i = 1; i < obj->nsections; i++) {
		const struct section *sec = &obj->sections[i];

		if (section_is_text(sec) && addr >= sec->addr &&
		    addr - sec->addr < sec->size)
			return true;
	}
	return false;
}

static int read_place(struct reader *rd, struct marker *marker, bool *is_sound)
{
	size_t word = rd->obj->is_64 ? 8 : 4;
	uint64_t offset = (rd->in.at + word - 1) / word * word;

	*is_sound = rd->in.size > offset && rd->in.size - offset > word;
	if (!*is_sound)
		return 0;
	rd->in.at = offset + word;
	if (rd->obj->ehdr.e_type == ET_REL)
		return read_reloc(rd, offset, marker);
	/* If a linker drops the code, it resolves the address from 0. */
	marker->at = object_address(rd->obj, rd->in.bytes + offset);
	marker->has_place = is_text(rd->obj, marker->at);
	return 0;
}

static int add_marker(struct reader *rd, const struct marker *marker)
{
	struct marker *grown =
		grow_list(rd->set->items, rd->set->n, sizeof(*grown));

	if (grown == NULL)
		return diag_nomem(rd->d, rd->obj->path);
	rd->set->items = grown;
	grown[rd->set->n++] = *marker;
	return 0;
}

static int read_record(struct reader *rd, bool *is_sound)
{
	struct marker marker = { .version = rd->version,
				 .is_placed = rd->is_placed };

	*is_sound = true;
	if (rd->is_placed && read_place(rd, &marker, is_sound))
		return -1;
	if (!*is_sound)
		return 0;
	marker.name = strings_next(&rd->in);
	if (rd->version != 2) {
		marker.file = marker.name != NULL ? strings_next(&rd->in)
						  : NULL;
		*is_sound = marker.file != NULL &&
			    strings_next_line(&rd->in, &marker.line);
	}
	*is_sound = *is_sound && marker.name != NULL && marker.name[0] != '\0';
	marker.format = *is_sound ? strings_next(&rd->in) : NULL;
	marker.arguments = marker.format != NULL ? strings_next(&rd->in) : NULL;
	*is_sound = marker.arguments != NULL;
	return *is_sound ? add_marker(rd, &marker) : 0;
}

static int read_section(struct reader *rd)
{
	struct place place;
	bool is_sound = true;

	rd->in.bytes = object_data(rd->d, rd->obj, rd->shndx, &rd->in.size);
	if (rd->in.bytes == NULL)
		return -1;
	rd->next_reloc = 0;
	for (rd->in.at = 0; is_sound && rd->in.at < rd->in.size;) {
		/*
		 * Skips a NUL between records of strings. An address may begin
		 * with one.
		 */
		if (!rd->is_placed && rd->in.bytes[rd->in.at] == 0)
			rd->in.at++;
		else if (read_record(rd, &is_sound))
			return -1;
	}
	place = object_where(rd->obj, rd->shndx, rd->in.at);
	if (!is_sound)
		diag_report(rd->d, SEVERITY_WARNING, &place, "marker", NULL,
			    "the markers are damaged: the rest of them is not "
			    "read");
	return 0;
}

/* Of the section NAME; 0 if it has none. */
static unsigned marker_version(const char *name)
{
	size_t n = strlen(PLACED_MARKERS_SECTION);

	if (strcmp(name, MARKERS_SECTION) == 0)
		return 1;
	if (strcmp(name, KEPT_MARKERS_SECTION) == 0)
		return 3;
	if (strncmp(name, PLACED_MARKERS_SECTION, n) == 0 &&
	    (name[n] == '2' || name[n] == '3') && name[n + 1] == '\0')
		return name[n] - '0';
	return 0;
}

int markers_read(struct diag *d, const struct object *obj,
		 struct marker_set *set)
{
	struct reader rd = { .d = d, .obj = obj, .set = set };
	int ret = 0;

	*set = (struct marker_set){ 0 };
	for (uint32_t i = 1; ret == 0 && i < obj->nsections; i++) {
		const char *name = obj->sections[i].name;

		rd.version = marker_version(name);
		rd.is_placed = name[0] == PLACED_MARKERS_SECTION[0];
		rd.shndx = i;
		if (rd.version != 0 && obj->sections[i].type != SHT_NOBITS)
			ret = read_section(&rd);
	}
	return ret;
}

void markers_free(struct marker_set *set)
{
	free(set->items);
	*set = (struct marker_set){ 0 };
}
