/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: an archive may define a function twice, weak in one member
 * and strong in another, as musl does malloc(). A link that takes the first
 * alone has the function, and not the section of the second.
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

/* Has the image the name of a source file of P? Names are not indexed there. */
static bool has_source_file(const struct proof *p, const char *name)
{
	const struct object *img = p->run->img.obj;

	for (size_t i = 1; i < img->nsymbols; i++) {
		struct symbol sym;

		object_symbol(img, i, &sym);
		if (sym.type == STT_FILE && strcmp(sym.name, name) == 0)
			return true;
	}
	return false;
}

/*
 * Does any symbol tell that P was linked? Of an archive's member that was not,
 * there is none. Another object may have the same weak ones.
 */
static bool is_linked(struct proof *p)
{
	for (size_t i = 1; p->linked == LINKED_UNKNOWN; i++) {
		struct symbol own;

		if (i >= p->partial->nsymbols) {
			p->linked = LINKED_NO;
			break;
		}
		object_symbol(p->partial, i, &own);
		/* Of a label of the assembler's there may be many alike. */
		if (own.type == STT_FILE
			    ? has_source_file(p, own.name)
			    : own.is_defined && own.bind != STB_WEAK &&
				      (own.bind == STB_GLOBAL ||
				       own.size > 0) &&
				      has_alike(p, &own))
			p->linked = LINKED_YES;
	}
	return p->linked == LINKED_YES;
}

bool instead_is(struct proof *p, const struct symbol *sym,
		const struct symbol *found, bool relaxes)
{
	struct symbol weak = *found;

	if (found->bind != STB_LOCAL)
		return placer_is_instead(sym, found, relaxes);
	weak.bind = STB_WEAK;
	return placer_is_instead(sym, &weak, relaxes) && !is_linked(p);
}
