/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of inject_plan: sections .gnu.linkonce.t.NAME, which compilers made
 * before there were COMDAT groups. If a linker keeps one of several, it has no
 * rule for references to the others. So their table entries would be lost or
 * refused. The injected object has a group for NAME instead. It contains the
 * section, the other linkonce sections for NAME, and their relocations. The
 * entries join it as they join any group.
 *
 * gold reads the sections in order, and expects a group before its members. So
 * the group gets the header of the first member, and that member gets a new
 * header behind all others.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "elf/check.h"
#include "elf/names.h"
#include "injection.h"

#define ONCE ".gnu.linkonce."
#define ONCE_TEXT ONCE "t."
#define GROUP_NAME ".group"

/* The name for which SEC is linkonce, by gold's rule, or NULL. */
static const char *once_key(const struct section *sec)
{
	if (strncmp(sec->name, ONCE, strlen(ONCE)) != 0 || sec->group != 0 ||
	    (sec->type != SHT_PROGBITS && sec->type != SHT_NOBITS))
		return NULL;
	return strncmp(sec->name, ONCE_TEXT, strlen(ONCE_TEXT)) == 0
		       ? sec->name + strlen(ONCE_TEXT)
		       : strrchr(sec->name, '.') + 1;
}

static bool is_once_text(const struct section *sec)
{
	return section_is_text(sec) && once_key(sec) != NULL &&
	       strncmp(sec->name, ONCE_TEXT, strlen(ONCE_TEXT)) == 0;
}

/* Section SHNDX, which is once for KEY. */
struct member {
	const char *key;
	uint32_t shndx;
};

/* The object with groups, while it is made. */
struct regrouping {
	const struct object *obj;
	struct names names;	/* of it */
	struct member *members; /* by key, then number; owned */
	size_t nmembers;
	uint8_t *file; /* owned until it is the new object's */
	size_t size;
	uint64_t headers; /* where the headers of the sections are now */
	uint32_t *number; /* section of the original -> its number now */
	uint32_t nsections;
	uint32_t group_name; /* in the names of sections */
};

/* --- Headers ------------------------------------------------------------- */

enum field { NAME, TYPE, FLAGS, OFFSET, SIZE, LINK, INFO, ALIGN, ENTSIZE };

/* The offset and size of each member of a section header. */
static const struct {
	uint8_t at, size;
} fields_32[] = { { 0, 4 },  { 4, 4 },	{ 8, 4 },  { 16, 4 }, { 20, 4 },
		  { 24, 4 }, { 28, 4 }, { 32, 4 }, { 36, 4 } },
  fields_64[] = { { 0, 4 },  { 4, 4 },	{ 8, 8 },  { 24, 8 }, { 32, 8 },
		  { 40, 4 }, { 44, 4 }, { 48, 8 }, { 56, 8 } };

static size_t header_size(const struct object *obj)
{
	return obj->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
}

static uint8_t *header(const struct regrouping *g, uint32_t i)
{
	return g->file + g->headers + i * header_size(g->obj);
}

static void put_field(const struct regrouping *g, uint32_t i, enum field field,
		      uint64_t value)
{
	unsigned at = g->obj->is_64 ? fields_64[field].at : fields_32[field].at;
	unsigned size = g->obj->is_64 ? fields_64[field].size
				      : fields_32[field].size;

	object_put(g->obj, header(g, i) + at, value, size);
}

/* Appends SIZE bytes; NULL without memory. */
static uint8_t *append(struct regrouping *g, size_t size)
{
	size_t at = (g->size + 7) / 8 * 8;
	uint8_t *file = realloc(g->file, at + size);

	if (file == NULL)
		return NULL;
	memset(file + g->size, 0, at + size - g->size);
	g->file = file;
	g->size = at + size;
	return file + at;
}

/* --- Members -------------------------------------------------------------- */

static int compare_members(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	int order = strcmp(x->key, y->key);

	return order != 0 ? order : x->shndx < y->shndx ? -1 : 1;
}

static int list_members(struct diag *d, struct regrouping *g)
{
	const struct object *obj = g->obj;

	g->members = calloc(obj->nsections, sizeof(g->members[0]));
	if (g->members == NULL)
		return diag_nomem(d, obj->path);
	for (uint32_t i = 1; i < obj->nsections; i++) {
		const struct section *sec = &obj->sections[i];
		const char *key = once_key(section_is_relocs(sec)
						   ? &obj->sections[sec->info]
						   : sec);

		if (key != NULL)
			g->members[g->nmembers++] = (struct member){ key, i };
	}
	qsort(g->members, g->nmembers, sizeof(g->members[0]), compare_members);
	return 0;
}

/*
 * May I be an index in the link of a section of unknown type? That can be any
 * number.
 */
static bool moves(const struct regrouping *g, uint32_t i)
{
	return i < g->obj->nsections && g->number[i] != i;
}

/* The symbol called NAME, which becomes the group's signature, or 0. */
static uint32_t find_signature(const struct regrouping *g, const char *key)
{
	uint32_t symndx = 0;
	struct symbol sym;

	while (names_next(&g->names, key, &symndx, &sym))
		if (sym.type != STT_SECTION)
			return symndx;
	return 0;
}

/* Makes a group of N members, if a symbol has its name. */
static int make_group(struct diag *d, struct regrouping *g,
		      const struct member *members, size_t n)
{
	const struct object *obj = g->obj;
	uint32_t signature = find_signature(g, members[0].key);
	uint32_t first = members[0].shndx;
	uint8_t *words;

	if (signature == 0)
		return 0;
	words = append(g, 4 * (n + 1));
	if (words == NULL)
		return diag_nomem(d, obj->path);
	g->number[first] = g->nsections++;
	object_put(obj, words, GRP_COMDAT, 4);
	for (size_t i = 0; i < n; i++)
		object_put(obj, words + 4 * (i + 1),
			   g->number[members[i].shndx], 4);

	memcpy(header(g, g->number[first]), header(g, first), header_size(obj));
	memset(header(g, first), 0, header_size(obj));
	put_field(g, first, NAME, g->group_name);
	put_field(g, first, TYPE, SHT_GROUP);
	put_field(g, first, OFFSET, words - g->file);
	put_field(g, first, SIZE, 4 * (n + 1));
	put_field(g, first, LINK, obj->symtab);
	put_field(g, first, INFO, signature);
	put_field(g, first, ALIGN, 4);
	put_field(g, first, ENTSIZE, 4);
	for (size_t i = 0; i < n; i++)
		put_field(g, g->number[members[i].shndx], FLAGS,
			  obj->sections[members[i].shndx].flags | SHF_GROUP);
	return 0;
}

static bool has_sites(const struct site_set *set, uint32_t shndx)
{
	size_t i;

	LOWER_BOUND(i, set->nsites, set->sites[i].shndx < shndx);
	return i < set->nsites && set->sites[i].shndx == shndx;
}

/* Makes those that sites are in. */
static int make_groups(struct diag *d, struct regrouping *g,
		       const struct site_set *set)
{
	size_t end;

	for (size_t first = 0; first < g->nmembers; first = end) {
		const struct member *m = &g->members[first];
		bool is_wanted = false;

		for (end = first; end < g->nmembers &&
				  strcmp(g->members[end].key, m->key) == 0;
		     end++) {
			uint32_t shndx = g->members[end].shndx;

			is_wanted |= is_once_text(&g->obj->sections[shndx]) &&
				     has_sites(set, shndx);
		}
		if (is_wanted && make_group(d, g, m, end - first))
			return -1;
	}
	return 0;
}

/* --- The rest of the file ------------------------------------------------- */

/* Allocates headers for MAX more sections, and a name for groups. */
static int begin(struct diag *d, struct regrouping *g, size_t max)
{
	const struct object *obj = g->obj;
	size_t size, names, n = obj->nsections;
	const uint8_t *file = object_file(obj, &size);
	uint8_t *at;

	g->number = calloc(n, sizeof(g->number[0]));
	g->file = malloc(size);
	if (file == NULL || g->number == NULL || g->file == NULL)
		return diag_nomem(d, obj->path);
	for (uint32_t i = 0; i < n; i++)
		g->number[i] = i;
	g->nsections = n;
	g->size = size;
	memcpy(g->file, file, size);
	at = append(g, (n + max) * header_size(obj));
	if (at == NULL)
		return diag_nomem(d, obj->path);
	memcpy(at, file + obj->ehdr.e_shoff, n * header_size(obj));
	g->headers = at - g->file;

	size = obj->sections[obj->ehdr.e_shstrndx].size;
	names = size + sizeof(GROUP_NAME);
	at = append(g, names);
	if (at == NULL)
		return diag_nomem(d, obj->path);
	memcpy(at, file + obj->sections[obj->ehdr.e_shstrndx].offset, size);
	strcpy((char *)at + size, GROUP_NAME);
	put_field(g, obj->ehdr.e_shstrndx, OFFSET, at - g->file);
	put_field(g, obj->ehdr.e_shstrndx, SIZE, names);
	g->group_name = size;
	return 0;
}

/* Who names a section by its number. */
static void renumber(struct regrouping *g)
{
	const struct object *obj = g->obj;
	size_t entry = obj->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	size_t field = obj->is_64 ? offsetof(Elf64_Sym, st_shndx)
				  : offsetof(Elf32_Sym, st_shndx);
	uint8_t *symbols = g->file + obj->sections[obj->symtab].offset;

	for (size_t i = 1; i < obj->nsymbols; i++) {
		struct symbol sym;

		object_symbol(obj, i, &sym);
		if (sym.is_defined && moves(g, sym.shndx))
			object_put(obj, symbols + i * entry + field,
				   g->number[sym.shndx], 2);
	}
	for (uint32_t i = 1; i < obj->nsections; i++) {
		const struct section *sec = &obj->sections[i];

		if (moves(g, sec->link))
			put_field(g, g->number[i], LINK, g->number[sec->link]);
		if (section_is_relocs(sec) && moves(g, sec->info))
			put_field(g, g->number[i], INFO, g->number[sec->info]);
	}
}

static void finish(struct regrouping *g)
{
	bool is_64 = g->obj->is_64;

	renumber(g);
	object_put(g->obj,
		   g->file + (is_64 ? offsetof(Elf64_Ehdr, e_shoff)
				    : offsetof(Elf32_Ehdr, e_shoff)),
		   g->headers, is_64 ? 8 : 4);
	object_put(g->obj,
		   g->file + (is_64 ? offsetof(Elf64_Ehdr, e_shnum)
				    : offsetof(Elf32_Ehdr, e_shnum)),
		   g->nsections, 2);
}

/* Can the section numbers and names of OBJ grow in place? */
static bool can_regroup(const struct object *obj)
{
	return obj->nsections < SHN_LORESERVE / 2 && obj->symtab != 0 &&
	       obj->xindex == NULL && obj->ehdr.e_shstrndx < obj->nsections;
}

/* How many such sections have sites. */
static size_t count_once(const struct object *obj, const struct site_set *set)
{
	size_t n = 0;

	for (size_t i = 0; i < set->nsites; i++)
		n += (i == 0 ||
		      set->sites[i].shndx != set->sites[i - 1].shndx) &&
		     is_once_text(&obj->sections[set->sites[i].shndx]);
	return n;
}

/* Gives the bytes to an object that EDIT owns, and its sites to SET. */
static int take(struct diag *d, struct regrouping *g,
		const struct options *options, struct edit *edit,
		struct site_set *set)
{
	struct diag quiet = { .sink = diag_ignore };
	const char *path = g->obj->path;
	uint8_t *file = g->file;

	g->file = NULL;
	edit->obj = &edit->regrouped;
	if (object_open_owned(&quiet, path, file, g->size, &edit->regrouped) ||
	    check_object(&quiet, &edit->regrouped, OBJECT_PARTIAL) ||
	    scan_object(&quiet, &edit->regrouped, options, set))
		return diag_nomem(d, path);
	return 0;
}

int inject_group_linkonce(struct diag *d, const struct object *obj,
			  const struct options *options,
			  const struct site_set *set, struct edit *edit,
			  struct site_set *new_set)
{
	struct regrouping g = { .obj = obj };
	size_t max = count_once(obj, set);
	int ret = -1;

	if (max == 0 || !can_regroup(obj))
		return 0;
	if (names_build(d, obj, &g.names) || list_members(d, &g) ||
	    begin(d, &g, max) || make_groups(d, &g, set))
		goto done;
	ret = 0;
	if (g.nsections > obj->nsections) {
		finish(&g);
		ret = take(d, &g, options, edit, new_set);
	}
done:
	names_free(&g.names);
	free(g.members);
	free(g.file);
	free(g.number);
	return ret;
}
