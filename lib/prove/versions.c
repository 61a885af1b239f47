/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: names with a version, which .symver gives. GNU ld keeps
 * NAME@VERSION and NAME@@VERSION in .symtab. All other linkers take the version
 * off. Then the partial's names lose it here, too, before anything looks them
 * up. Two versions of one name are namesakes from then on.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "proof.h"

/* The version in the name of symbol I of the partial, if the image lacks it. */
static const char *find_lost(const struct proof *p, size_t i)
{
	struct symbol own, found;
	uint32_t symndx = 0;
	const char *at;

	object_symbol(p->partial, i, &own);
	at = strchr(own.name, '@');
	return own.is_defined && at != NULL && at > own.name &&
			       !names_next(&p->run->img.names, own.name,
					   &symndx, &found)
		       ? at
		       : NULL;
}

/* Ends each name before such a version. Was there any? */
static bool cut_names(const struct proof *p, char *strings)
{
	bool has_any = false;

	for (size_t i = 1; i < p->partial->nsymbols; i++) {
		const char *at = find_lost(p, i);

		if (at == NULL)
			continue;
		strings[at - p->partial->strings] = '\0';
		has_any = true;
	}
	return has_any;
}

int versions_drop(struct proof *p)
{
	const struct object *partial = p->partial;
	char *strings;

	if (memchr(partial->strings, '@', partial->strings_size) == NULL)
		return 0;
	strings = malloc(partial->strings_size);
	if (strings == NULL)
		return diag_nomem(p->run->d, partial->path);
	memcpy(strings, partial->strings, partial->strings_size);
	p->unversioned = *partial;
	p->unversioned.strings = p->strings = strings;
	if (!cut_names(p, strings))
		return 0;
	p->versioned = partial;
	p->partial = &p->unversioned;
	names_free(&p->functions);
	return names_build(p->run->d, p->partial, &p->functions);
}

bool versions_is_name(const struct proof *p, const struct symbol *sym,
		      const char *name)
{
	const char *full = sym->name;

	if (p->versioned != NULL)
		full = p->versioned->strings +
		       (sym->name - p->partial->strings);
	return strcmp(sym->name, name) == 0 || strcmp(full, name) == 0;
}

bool versions_same(const char *a, const char *b)
{
	size_t length = strcspn(a, "@");

	return strncmp(a, b, length) == 0 &&
	       (b[length] == '\0' || b[length] == '@');
}
