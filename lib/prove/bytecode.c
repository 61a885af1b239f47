/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: was the final made from LTO bytecode, and not from the
 * partial? A compiler that generates code at the final link names the files
 * itself, so the source files' names are missing. This only explains text that
 * differs. It proves nothing.
 */
#include <config.h>

#include <string.h>

#include "proof.h"

/*
 * Is NAME really a local symbol of a file? GNU ld makes hidden symbols local,
 * too.
 */
static bool is_static(const struct proof *p, const char *name)
{
	uint32_t symndx = 0;
	struct symbol sym;

	while (names_next(&p->functions, name, &symndx, &sym))
		if (sym.bind == STB_LOCAL)
			return true;
	return false;
}

/* gcc: "<artificial>", or with GNU ld nothing; clang: "ld-temp.o". */
static bool is_generated(const struct proof *p, const struct object *obj)
{
	bool is_nameless = false;
	struct symbol sym;

	for (size_t i = 1; i < obj->nsymbols; i++) {
		object_symbol(obj, i, &sym);
		if (sym.bind != STB_LOCAL)
			continue;
		if (sym.type == STT_FILE) {
			/* The last such name is for GNU ld's own symbols. */
			if (is_nameless ||
			    strcmp(sym.name, "<artificial>") == 0 ||
			    strcmp(sym.name, "ld-temp.o") == 0)
				return true;
			is_nameless = sym.name[0] == '\0';
		}
		if (sym.type == STT_FUNC &&
		    ((is_nameless && is_static(p, sym.name)) ||
		     strstr(sym.name, ".lto_priv") != NULL))
			return true;
	}
	return false;
}

bool bytecode_is_source(const struct proof *p)
{
	struct symbol sym;

	if (!is_generated(p, p->run->img.obj) || is_generated(p, p->partial))
		return false;
	for (size_t i = 1; i < p->partial->nsymbols; i++) {
		object_symbol(p->partial, i, &sym);
		if (sym.type == STT_FILE && sym.name[0] != '\0' &&
		    !instead_has_file(p, sym.name))
			return true;
	}
	return false;
}
