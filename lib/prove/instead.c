/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: an archive may define a function twice, weak in one member
 * and strong in another, as musl does malloc(). A link that takes only the weak
 * member has the name, but not the section of the strong one.
 */
#include <config.h>

#include <string.h>

#include "proof.h"

/* Has the image a symbol of the type, the name and the size of OWN? */
static bool has_alike(const struct proof *p, const struct symbol *own)
{
	struct symbol found;
	uint32_t symndx = 0;

	while (names_next(&p->run->img.names, own->name, &symndx, &found))
		if (found.type == own->type && found.size == own->size)
			return true;
	return false;
}

static bool has_file(const struct object *obj, const char *name)
{
	for (size_t i = 1; i < obj->nsymbols; i++) {
		struct symbol sym;

		object_symbol(obj, i, &sym);
		if (sym.type == STT_FILE && strcmp(sym.name, name) == 0)
			return true;
	}
	return false;
}

bool instead_has_file(const struct proof *p, const char *name)
{
	return has_file(p->run->img.obj, name);
}

bool instead_has_source(const struct proof *p)
{
	for (size_t i = 1; i < p->partial->nsymbols; i++) {
		struct symbol own;

		object_symbol(p->partial, i, &own);
		if (own.type == STT_FILE && own.name[0] != '\0' &&
		    instead_has_file(p, own.name))
			return true;
	}
	return false;
}

/*
 * Does OWN, a symbol of P, show that P was linked? Not a weak one, nor a label
 * of the assembler, nor a local variable: another object may have the same.
 */
static bool tells(const struct proof *p, const struct symbol *own)
{
	if (own->type == STT_FILE)
		return instead_has_file(p, own->name);
	return own->is_defined && own->bind != STB_WEAK &&
	       (own->bind == STB_GLOBAL ||
		(own->size > 0 && own->type == STT_FUNC)) &&
	       has_alike(p, own);
}

bool instead_was_linked(struct proof *p)
{
	if (p->linked != LINKED_UNKNOWN)
		return p->linked == LINKED_YES;
	p->linked = LINKED_NO;
	for (size_t i = 1; i < p->partial->nsymbols; i++) {
		struct symbol own;

		object_symbol(p->partial, i, &own);
		if (tells(p, &own)) {
			p->linked = LINKED_YES;
			return true;
		}
	}
	return false;
}

bool instead_is(struct proof *p, const struct symbol *sym,
		const struct symbol *found, bool relaxes)
{
	return (found->bind != STB_LOCAL
			? placer_is_instead(sym, found, relaxes)
			: sym->bind == STB_GLOBAL &&
				  placer_has_other_size(sym, found, relaxes)) &&
	       !instead_was_linked(p);
}

/* --- Names that linkers made local ---------------------------------------- */

/* The last source file of OBJ from symbol END down to STOP, not included. */
static uint32_t find_file(const struct object *obj, uint32_t end, uint32_t stop,
			  struct symbol *file)
{
	for (; end > stop; end--) {
		object_symbol(obj, end, file);
		if (file->type == STT_FILE)
			return end;
	}
	return 0;
}

/*
 * Does the image list its symbol SYMNDX under a source file of P, or under the
 * one without a name at which GNU ld lists what it made local? What is known of
 * the last symbol holds for its neighbours.
 */
static bool is_under_own_file(struct proof *p, uint32_t symndx)
{
	struct file_range *last = &p->last_file;
	uint32_t stop = symndx > last->end ? last->end : 0, file;
	struct symbol sym;

	if (symndx > last->file && symndx <= last->end)
		return last->is_own;
	file = find_file(p->run->img.obj, symndx, stop, &sym);
	if (file != 0 || stop == 0)
		*last = (struct file_range){
			.file = file,
			.is_own = file != 0 && (sym.name[0] == '\0' ||
						has_file(p->partial, sym.name)),
		};
	last->end = symndx;
	return last->is_own;
}

bool instead_made_local(struct proof *p, const struct symbol *own,
			const struct symbol *found, uint32_t symndx)
{
	return own->bind == STB_GLOBAL && found->bind == STB_LOCAL &&
	       ((own->visibility == STV_HIDDEN &&
		 found->visibility == STV_HIDDEN) ||
		is_under_own_file(p, symndx));
}
