/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Evidence for a place: which facts show that a place with a section's bits is
 * the section's own. They are names, as far as the image has them, and the
 * branches of placed sections, which lead to where the linker put their
 * targets.
 */
#include <config.h>

#include <string.h>

#include "base/search.h"
#include "elf/functions.h"
#include "engine.h"

/* --- Names ------------------------------------------------------------- */

bool evidence_next(const struct engine *e, const struct item *item,
		   size_t *landmark, uint32_t *symndx, struct symbol *own,
		   struct symbol *found)
{
	for (; *landmark < item->nsymbols; ++*landmark, *symndx = 0) {
		object_symbol(item->obj, item->symbols[*landmark], own);
		/* That of an ifunc may be its PLT entry's. */
		if (own->type == STT_GNU_IFUNC)
			continue;
		while (names_next(&e->img.names, own->name, symndx, found))
			if (found->is_defined)
				return true;
	}
	return false;
}

/* Linkers take this symbol for the entry, unless told otherwise. */
#define ENTRY "_start"

/*
 * The place of ITEM if it has the entry of the image. If the image has the
 * name, that is used instead. With descriptors, the entry is one of them.
 */
static bool is_entered(const struct engine *e, const struct item *item,
		       uint64_t *addr)
{
	const struct object *obj = e->img.obj;
	uint64_t entry = obj->ehdr.e_entry & ~(uint64_t)obj->mode_bits;

	if (entry == 0 || e->arch->descriptors != NULL ||
	    names_count(&e->img.names, ENTRY) > 0)
		return false;
	for (size_t i = 0; i < item->nsymbols; i++) {
		struct symbol own;

		object_symbol(item->obj, item->symbols[i], &own);
		if (own.bind == STB_GLOBAL && strcmp(own.name, ENTRY) == 0 &&
		    e->named[item->names[i]].nglobal == 1)
			return walk_start(e, item, own.value, entry, addr);
	}
	return false;
}

bool evidence_named(const struct engine *e, const struct item *item,
		    uint64_t *addr)
{
	for (size_t i = 0; i < item->nsymbols; i++) {
		struct symbol own, found;
		uint32_t symndx = 0;

		object_symbol(item->obj, item->symbols[i], &own);
		/* That of an ifunc may be its PLT entry's. */
		if (own.bind == STB_GLOBAL && own.type != STT_GNU_IFUNC &&
		    e->named[item->names[i]].nglobal == 1 &&
		    names_count(&e->img.names, own.name) == 1)
			while (names_next(&e->img.names, own.name, &symndx,
					  &found))
				if (found.is_defined &&
				    walk_start(e, item, own.value, found.value,
					       addr))
					return true;
	}
	return is_entered(e, item, addr);
}

/* Is ITEM's symbol of FOUND's name where FOUND begins? */
static bool has_name(const struct item *item, const char *name, uint64_t value)
{
	for (size_t i = 0; i < item->nsymbols; i++) {
		struct symbol own;

		object_symbol(item->obj, item->symbols[i], &own);
		if (own.value == value && strcmp(own.name, name) == 0)
			return true;
	}
	return false;
}

/* Does a function of ITEM begin at its start? */
static bool has_first_name(const struct item *item)
{
	for (size_t i = 0; i < item->nsymbols; i++) {
		struct symbol own;

		object_symbol(item->obj, item->symbols[i], &own);
		if (own.value == 0 && symbol_is_code(&own))
			return true;
	}
	return false;
}

bool evidence_forbids(const struct engine *e, const struct item *item,
		      uint64_t addr)
{
	const struct image *img = &e->img;
	struct symbol sym;
	bool is_named = false;

	for (size_t i = 0; image_functions_next(img, addr, 1, &i, &sym);) {
		if (!symbol_is_code(&sym))
			continue;
		if (has_name(item, sym.name, 0))
			return false;
		is_named = true;
	}
	return is_named && has_first_name(item);
}

/* --- Branches ---------------------------------------------------------- */

/* The target of the branch in MODE whose displacement is at FIELD of IMAGE. */
static bool branch_target(const struct arch *arch, const struct code *image,
			  uint8_t mode, uint64_t field, uint64_t *target)
{
	const struct mark mark = { 0, mode };
	const struct code in_mode = code_in_mode(image, &mark);
	const struct code *code = mode == MODE_UNKNOWN ? image : &in_mode;
	struct branch branch = { 0 };

	if (mode == MODE_DATA ||
	    !arch_decode_at_field(arch, code, field, &branch))
		return false;
	*target = branch.target;
	return true;
}

/*
 * Does the image have the name of the weak definition DEF at another place?
 * Then the linker took a definition from an input that was not given.
 */
static bool is_overridden(const struct engine *e, const struct definition *def,
			  const struct symbol *own)
{
	const struct item *item = &e->items[def->item];
	uint32_t symndx = 0;
	struct symbol found;
	bool has_other = false;

	if (own->bind != STB_WEAK || (!item->is_settled && !e->is_done))
		return false;
	while (names_next(&e->img.names, own->name, &symndx, &found)) {
		if (found.is_defined && item->is_settled &&
		    found.value == item->to->addr + own->value)
			return false;
		has_other |= found.is_defined && found.bind != STB_LOCAL;
	}
	return has_other;
}

/* The distance from SYM to the entry for branches of the same component. */
static unsigned local_entry(const struct engine *e, const struct symbol *sym)
{
	return e->arch->local_entry != NULL ? e->arch->local_entry(sym->other)
					    : 0;
}

/* The item to which relocation R of ITEM refers, and the offset in it. */
static size_t item_of_reloc(const struct engine *e, const struct item *item,
			    const struct reloc *r, uint64_t *offset)
{
	const struct part *part = &e->parts[item->to->input];
	struct symbol sym;
	uint64_t step;
	int64_t lead;
	const struct definition *def;

	if (r->symndx == 0 || r->symndx >= item->obj->nsymbols)
		return NO_SECTION;
	object_symbol(item->obj, r->symndx, &sym);
	lead = arch_reloc_lead(e->arch, item->code.bytes, item->code.size, true,
			       item->relocs.is_rela, r, &step);
	/* A branch through a slot that became direct. */
	if (arch_reloc_has_slot(e->arch, r->type))
		lead = 0;
	else if (!arch_reloc_may_branch(e->arch, r->type))
		return NO_SECTION;
	if (lead == NO_LEAD || step != 0 || sym.type == STT_GNU_IFUNC)
		return NO_SECTION;
	*offset = sym.value + local_entry(e, &sym) + lead;
	if (sym.is_defined && sym.bind != STB_WEAK)
		return items_of(part, sym.shndx);
	def = items_taken(e, items_named(e, sym.name));
	/* What is weak there need not be there. */
	if (def == NULL ||
	    (sym.bind == STB_WEAK && !e->items[def->item].is_settled))
		return NO_SECTION;
	object_symbol(e->items[def->item].obj, def->symndx, &sym);
	*offset = sym.value + local_entry(e, &sym) + lead;
	return sym.type == STT_GNU_IFUNC || is_overridden(e, def, &sym)
		       ? NO_SECTION
		       : def->item;
}

bool evidence_goes_on(const struct engine *e, size_t *to, uint64_t *offset)
{
	const struct item *item = &e->items[*to];
	struct branch branch = { 0 };
	size_t i;

	if (*offset >= item->code.size ||
	    !e->arch->decode_branch(e->arch, &item->code, *offset, &branch) ||
	    branch.form != FORM_TAIL)
		return false;
	LOWER_BOUND(i, item->relocs.n,
		    item->relocs.relocs[i].offset < *offset + branch.field);
	if (i == item->relocs.n ||
	    item->relocs.relocs[i].offset != *offset + branch.field)
		return false;
	*to = item_of_reloc(e, item, &item->relocs.relocs[i], offset);
	return *to != NO_SECTION;
}

bool evidence_is_between(const struct engine *e, uint64_t addr)
{
	const struct field *field = fields_find(e, addr, 1);
	const struct code *code;
	uint64_t other, at;

	if (field == NULL)
		return false;
	code = &field->is->code;
	at = addr - code->addr;
	return (e->arch->decode_plt != NULL &&
		e->arch->decode_plt(e->arch, code, at, e->got, &other)) ||
	       (e->arch->decode_veneer != NULL &&
		e->arch->decode_veneer(e->arch, code, at, e->got, &other) > 0);
}

/*
 * Where item TO begins if its byte at OFFSET is at TARGET and ITEM is at AT.
 * Both may be the same item. Returns false if that is unknown.
 */
static bool start_of(const struct engine *e, const struct item *item,
		     uint64_t at, size_t to, uint64_t offset, uint64_t target,
		     uint64_t *start)
{
	uint64_t own;

	if (&e->items[to] == item && e->arch->relax != NULL &&
	    walk_offset(e, item, at, offset, &own) && at + own == target) {
		*start = at;
		return true;
	}
	if (walk_start(e, &e->items[to], offset, target, start))
		return true;
	/* This ignores deleted bytes, but then it would not be its place. */
	*start = target - offset;
	*start -= *start == e->items[to].to->addr;
	return e->is_done;
}

void evidence_branches(const struct engine *e, const struct item *item,
		       uint64_t at,
		       void (*found)(void *ctx, size_t to, uint64_t addr,
				     uint64_t target, uint64_t from),
		       void *ctx)
{
	const struct field *field = fields_find(e, at, walk_size(e, item, at));

	for (size_t i = 0; field != NULL && i < item->relocs.n; i++) {
		const struct reloc *r = &item->relocs.relocs[i];
		const struct code *code = &field->is->code;
		uint64_t offset, target, from, start;
		size_t to = item_of_reloc(e, item, r, &offset);
		uint8_t mode = code_mode(&item->code, r->offset);

		if (to == NO_SECTION ||
		    !walk_offset(e, item, at, r->offset, &from) ||
		    image_find_reloc(&e->img, at + from) != NULL ||
		    !branch_target(e->arch, code, mode, at + from - code->addr,
				   &target))
			continue;
		if (start_of(e, item, at, to, offset, target, &start))
			found(ctx, to, start, target, at + from);
	}
}
