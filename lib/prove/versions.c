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

/* Elf32_Verdef and Elf64_Verdef are alike: offsets and sizes in them. */
enum { VERDEF_AUX = 12, VERDEF_NEXT = 16, VERDEF_SIZE = 20, VERDAUX_SIZE = 8 };

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

/* Does entry AT of the version definitions BYTES have this name? */
static bool is_definition(const struct object *obj, const uint8_t *bytes,
			  size_t size, uint64_t at, const char *strings,
			  size_t nstrings, const char *version)
{
	uint64_t aux = at + object_word(obj, bytes + at + VERDEF_AUX);
	uint64_t name;

	if (aux > size || size - aux < VERDAUX_SIZE)
		return false;
	name = object_word(obj, bytes + aux);
	return name < nstrings && nstrings - name > strlen(version) &&
	       strcmp(strings + name, version) == 0;
}

/* Does the image define this version of its names (SHT_GNU_verdef)? */
static bool is_defined(struct diag *d, const struct object *obj,
		       const char *version)
{
	for (size_t i = 1; i < obj->nsections; i++) {
		const struct section *sec = &obj->sections[i];
		const char *strings;
		const uint8_t *bytes;
		size_t size, nstrings;

		if (sec->type != SHT_GNU_verdef || sec->link == 0 ||
		    sec->link >= obj->nsections)
			continue;
		bytes = object_data(d, obj, i, &size);
		strings =
			(const char *)object_data(d, obj, sec->link, &nstrings);
		if (bytes == NULL || strings == NULL || nstrings == 0 ||
		    strings[nstrings - 1] != '\0')
			continue;
		for (uint64_t at = 0, next = 1;
		     next > 0 && at <= size && size - at >= VERDEF_SIZE;
		     at += next) {
			if (is_definition(obj, bytes, size, at, strings,
					  nstrings, version))
				return true;
			next = object_word(obj, bytes + at + VERDEF_NEXT);
		}
	}
	return false;
}

bool versions_same(const struct proof *p, const char *a, const char *b)
{
	size_t length = strcspn(a, "@");
	const char *one = a + length, *other = b + length;

	if (strncmp(a, b, length) != 0 || (other[0] != '\0' && other[0] != '@'))
		return false;
	one += strspn(one, "@");
	other += strspn(other, "@");
	if (one[0] != '\0' && other[0] != '\0')
		return strcmp(one, other) == 0;
	if (one[0] == other[0])
		return true;
	return is_defined(p->run->d, p->run->img.obj,
			  one[0] != '\0' ? one : other);
}
