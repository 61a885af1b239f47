/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes types in C, as far as one line can. */
#include <config.h>

#include "source.h"

#ifdef HAVE_ELFUTILS_LIBDWFL_H

#include <stdio.h>
#include <string.h>

#include "debug.h"

/* A type that refers to itself, without a name between, never ends. */
#define DEPTH_MAX 16

struct text {
	char *at;
	size_t left;
};

static void put(struct text *text, const char *string)
{
	int n = snprintf(text->at, text->left, "%s", string);

	if (n < 0 || (size_t)n >= text->left)
		n = text->left - 1;
	text->at += n;
	text->left -= n;
}

/* False if DIE has none: that is void. */
static bool type_of(struct source *src, Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	return src->dw->dwarf_attr_integrate(die, DW_AT_type, &attr) != NULL &&
	       src->dw->dwarf_formref_die(&attr, type) != NULL;
}

static void put_type(struct source *src, Dwarf_Die *die, unsigned depth,
		     struct text *text);

/* Writes the type of DIE, with BEFORE in front and AFTER behind it. */
static void put_inner(struct source *src, Dwarf_Die *die, unsigned depth,
		      const char *before, const char *after, struct text *text)
{
	Dwarf_Die type;

	put(text, before);
	if (!type_of(src, die, &type))
		put(text, "void");
	else if (depth < DEPTH_MAX)
		put_type(src, &type, depth + 1, text);
	else
		put(text, "...");
	put(text, after);
}

static void put_named(const char *kind, const char *name, struct text *text)
{
	put(text, kind);
	put(text, name != NULL ? name : "{...}");
}

static void put_pointer(struct source *src, Dwarf_Die *die, unsigned depth,
			const char *sign, struct text *text)
{
	Dwarf_Die type;

	if (type_of(src, die, &type) &&
	    src->dw->dwarf_tag(&type) == DW_TAG_subroutine_type) {
		put_inner(src, &type, depth, "", " (*)()", text);
		return;
	}
	put_inner(src, die, depth, "", text->at[-1] == '*' ? sign + 1 : sign,
		  text);
}

static void put_type(struct source *src, Dwarf_Die *die, unsigned depth,
		     struct text *text)
{
	const char *name = source_name(src, die);

	switch (src->dw->dwarf_tag(die)) {
	case DW_TAG_structure_type:
		put_named("struct ", name, text);
		break;
	case DW_TAG_class_type:
		put_named("class ", name, text);
		break;
	case DW_TAG_union_type:
		put_named("union ", name, text);
		break;
	case DW_TAG_enumeration_type:
		put_named("enum ", name, text);
		break;
	case DW_TAG_const_type:
		put_inner(src, die, depth, "const ", "", text);
		break;
	case DW_TAG_volatile_type:
		put_inner(src, die, depth, "volatile ", "", text);
		break;
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
		put_inner(src, die, depth, "", "", text);
		break;
	case DW_TAG_pointer_type:
		put_pointer(src, die, depth, " *", text);
		break;
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		put_pointer(src, die, depth, " &", text);
		break;
	case DW_TAG_array_type:
		put_inner(src, die, depth, "", " []", text);
		break;
	case DW_TAG_subroutine_type:
		put_inner(src, die, depth, "", " ()", text);
		break;
	default:
		put(text, name != NULL ? name : "?");
		break;
	}
}

void source_type(struct source *src, Dwarf_Die *die, char *text, size_t size)
{
	struct text to = { text, size };

	put_inner(src, die, 0, "", "", &to);
}

#endif
