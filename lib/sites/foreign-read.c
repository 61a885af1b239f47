/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "arch/arch.h"
#include "arch/argument.h"
#include "base/search.h"
#include "base/sort.h"
#include "foreign-read.h"

int foreign_table_fault(const struct foreign_table *table, uint64_t at,
			const char *remedy, const char *fmt, ...)
{
	char text[160];
	struct place place =
		object_where(table->obj, table->shndx, table->start + at);
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return diag_report(table->d, SEVERITY_TROUBLE, &place, "foreign-table",
			   remedy, "%s", text);
}

/* --- Relocations --------------------------------------------------------- */

static int compare_relocs(const void *a, const void *b)
{
	const struct reloc *x = a, *y = b;

	return sort_pairs(x->offset, x->type, y->offset, y->type);
}

static int add_relocs(struct foreign_table *table, const struct relocs *rs)
{
	const struct object *obj = table->obj;
	struct reloc *relocs = realloc(table->relocs, (table->nrelocs + rs->n +
						       1) * sizeof(relocs[0]));

	if (relocs == NULL)
		return diag_nomem(table->d, obj->path);
	table->relocs = relocs;
	for (size_t i = 0; i < rs->n; i++) {
		struct reloc *r = &relocs[table->nrelocs];

		reloc_get(rs, i, r);
		/*
		 * check_object has not looked at a section that is not loaded.
		 */
		if (r->symndx >= obj->nsymbols)
			return foreign_table_fault(
				table, r->offset, NULL,
				"a relocation has a symbol index past the end "
				"of the symbol table");
		r->addend = arch_reloc_addend(obj->arch, table->bytes,
					      table->size, rs->is_rela, r);
		table->nrelocs++;
	}
	return 0;
}

static int read_relocs(struct foreign_table *table)
{
	const struct object *obj = table->obj;

	for (uint32_t i = 1; i < obj->nsections; i++) {
		const struct section *sec = &obj->sections[i];
		struct relocs rs;

		if (!section_is_relocs(sec) || sec->info != table->shndx)
			continue;
		if (sec->link != obj->symtab)
			return foreign_table_fault(
				table, 0, NULL,
				"the link of its relocations is not the symbol "
				"table");
		if (object_relocs(table->d, obj, i, &rs) ||
		    add_relocs(table, &rs))
			return -1;
	}
	if (table->nrelocs > 0)
		qsort(table->relocs, table->nrelocs, sizeof(table->relocs[0]),
		      compare_relocs);
	return 0;
}

int foreign_table_open(struct foreign_table *table, uint32_t shndx,
		       uint64_t start, uint64_t size)
{
	const struct section *sec = &table->obj->sections[shndx];
	size_t all;
	const uint8_t *bytes;

	table->shndx = shndx;
	table->start = start;
	table->addr = sec->addr + start;
	if (sec->type == SHT_NOBITS || sec->flags & SHF_COMPRESSED)
		return foreign_table_fault(
			table, 0, "give the file with its contents",
			"the file does not have what is in the section");
	bytes = object_data(table->d, table->obj, shndx, &all);
	if (bytes == NULL)
		return -1;
	if (start > all || size > all - start)
		return foreign_table_fault(table, 0, NULL,
					   "the file ends within the table");
	table->bytes = bytes + start;
	table->size = size;
	return table->img == NULL ? read_relocs(table) : 0;
}

void foreign_table_close(struct foreign_table *table)
{
	free(table->relocs);
	table->relocs = NULL;
	table->nrelocs = 0;
}

/* --- Fields -------------------------------------------------------------- */

static uint64_t word_at(const struct foreign_table *table, uint64_t at,
			unsigned width)
{
	return width == 8 ? object_xword(table->obj, table->bytes + at)
			  : object_word(table->obj, table->bytes + at);
}

static bool refuse(struct foreign_table *table, uint64_t at, const char *what,
		   const char *which)
{
	snprintf(table->fault, sizeof(table->fault),
		 "at +0x%" PRIx64 " is %s%s", table->start + at, what, which);
	return false;
}

/* The N relocations of the field at AT. */
static const struct reloc *relocs_at(const struct foreign_table *table,
				     uint64_t at, size_t *n)
{
	uint64_t offset = table->start + at;
	size_t i;

	LOWER_BOUND(i, table->nrelocs, table->relocs[i].offset < offset);
	for (*n = 0;
	     i + *n < table->nrelocs && table->relocs[i + *n].offset == offset;)
		++*n;
	return table->relocs + i;
}

/* Follows the symbol and addend of R, and MORE. */
static void follow(const struct foreign_table *table, const struct reloc *r,
		   uint64_t more, struct foreign_field *field)
{
	struct symbol sym;

	object_symbol(table->obj, r->symndx, &sym);
	*field = (struct foreign_field){
		.spot = { sym.is_defined ? sym.shndx : 0,
			  object_wrap(table->obj,
				      sym.value + r->addend + more) },
		.symbol = sym.is_defined ? NULL : sym.name,
		.is_empty = r->symndx == 0,
	};
}

/*
 * Where linkers shorten code, assemblers make a distance of two relocations. It
 * counts from the symbol that is subtracted, which must be in the table, not
 * from the field.
 */
static bool follow_pair(const struct foreign_table *table, uint64_t at,
			const struct reloc *r, unsigned width,
			struct foreign_field *field)
{
	const struct arch *arch = table->obj->arch;
	bool is_swapped =
		arch_reloc_subtracts(arch, r[1].type, r[0].type, width);
	struct foreign_field from;

	if (!is_swapped &&
	    !arch_reloc_subtracts(arch, r[0].type, r[1].type, width))
		return false;
	follow(table, &r[!is_swapped], 0, &from);
	if (from.spot.shndx != table->shndx)
		return false;
	follow(table, &r[is_swapped], table->start + at - from.spot.offset,
	       field);
	return true;
}

/* Is it a distance from the field itself to the symbol itself? */
static bool is_distance_of(const struct arch *arch, uint32_t type,
			   unsigned width)
{
	return arch_reloc_width(arch, type) == width &&
	       (type == arch->reloc_pc32 ||
		(arch_reloc_is_distance(arch, type, false) &&
		 !arch_reloc_has_slot(arch, type)));
}

/* In a partial. */
static bool read_reloc(struct foreign_table *table, uint64_t at, unsigned width,
		       bool is_distance, struct foreign_field *field)
{
	const struct arch *arch = table->obj->arch;
	size_t n;
	const struct reloc *r = relocs_at(table, at, &n);

	if (n == 0) {
		*field = (struct foreign_field){ .is_empty = true };
		return word_at(table, at, width) == 0 ||
		       refuse(table, at, "a number without a relocation", "");
	}
	if (n == 1 && (is_distance ? is_distance_of(arch, r->type, width)
				   : r->type == arch->reloc_word)) {
		follow(table, r, 0, field);
		return true;
	}
	if (n == 2 && is_distance && follow_pair(table, at, r, width, field))
		return true;
	return refuse(table, at, "a relocation of type ",
		      arch_reloc_name(arch, r->type));
}

bool foreign_table_address(struct foreign_table *table, uint64_t at,
			   unsigned width, struct foreign_field *field)
{
	const struct image_reloc *r = NULL;
	uint64_t addr;

	if (table->img == NULL)
		return read_reloc(table, at, width, false, field);
	addr = word_at(table, at, width);
	if (section_is_alloc(&table->obj->sections[table->shndx]))
		r = image_find_reloc(table->img, table->addr + at);
	if (r != NULL && r->symbol[0] != '\0' && !r->is_defined)
		return refuse(table, at, "what is bound at run time to ",
			      r->symbol);
	if (r != NULL)
		addr = (r->is_known ? r->value : 0) +
		       image_addend(table->img, r);
	*field = (struct foreign_field){
		.spot = { 0, image_wrap(table->img, addr) },
		.is_empty = addr == 0,
	};
	return true;
}

bool foreign_table_distance(struct foreign_table *table, uint64_t at,
			    unsigned width, struct foreign_field *field)
{
	uint64_t distance;

	if (table->img == NULL)
		return read_reloc(table, at, width, true, field);
	distance = word_at(table, at, width);
	if (width == 4)
		distance = (int32_t)distance;
	*field = (struct foreign_field){
		.spot = { 0,
			  image_wrap(table->img, table->addr + at + distance) },
	};
	return true;
}

bool foreign_table_is_code(const struct foreign_table *table,
			   struct foreign_field *field)
{
	const struct object *obj = table->obj;
	const struct section *sec = &obj->sections[field->spot.shndx];

	field->spot.offset &= ~(uint64_t)obj->mode_bits;
	if (table->img != NULL)
		return image_find_text(table->img, field->spot.offset, 1) !=
		       NULL;
	return field->spot.shndx != 0 && section_is_text(sec) &&
	       field->spot.offset < sec->size;
}
