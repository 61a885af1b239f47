/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From lines to the code of them. */
#include <config.h>

#include "source.h"

#ifdef HAVE_ELFUTILS_LIBDWFL_H

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/search.h"
#include "debug.h"

/* One that lines are looked for in. */
struct file {
	const char *name;
	const char *path; /* where it is, or NULL if it is not known */
	bool is_ambiguous;
};

struct search {
	struct source_line *lines;
	size_t n;
	struct file *files; /* by name */
	size_t nfiles;
	struct source_copy **copies;
	size_t *ncopies;
};

/* Writes PATH without "." and ".." to TO, which has SIZE bytes. */
static void normalize(const char *path, char *to, size_t size)
{
	size_t n = 0;

	while (*path != '\0') {
		size_t length = strcspn(path, "/");

		if (length == 2 && memcmp(path, "..", 2) == 0) {
			while (n > 0 && to[--n] != '/')
				;
		} else if (length > 0 && !(length == 1 && *path == '.') &&
			   length + 2 < size - n) {
			to[n++] = '/';
			memcpy(to + n, path, length);
			n += length;
		}
		path += length + (path[length] == '/');
	}
	to[n] = '\0';
}

static bool is_same_path(const char *a, const char *b)
{
	char x[1024], y[1024];

	if (strcmp(a, b) == 0)
		return true;
	normalize(a, x, sizeof(x));
	normalize(b, y, sizeof(y));
	return strcmp(x, y) == 0;
}

static void meet_file(struct file *file, const char *path)
{
	if (file->path == NULL)
		file->path = path;
	else if (!is_same_path(file->path, path))
		file->is_ambiguous = true;
}

/* Does the unit have code of the files that are looked for? */
static bool knows_files(struct source *src, struct unit *unit,
			struct search *search)
{
	Dwarf_Files *files;
	bool is_known = false;
	size_t n;

	if (src->dw->dwarf_getsrcfiles(&unit->die, &files, &n) != 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		const char *path = src->dw->dwarf_filesrc(files, i, NULL, NULL);

		for (size_t k = 0; path != NULL && k < search->nfiles; k++) {
			if (!source_step(src, 1))
				return false;
			if (!source_is_file(search->files[k].name, path))
				continue;
			meet_file(&search->files[k], path);
			is_known = true;
		}
	}
	return is_known;
}

/* The line that ROW is of, plus one, or 0. */
static size_t find_line(struct source *src, Dwarf_Line *row,
			struct search *search)
{
	const char *path;
	int number;
	size_t i;

	if (src->dw->dwarf_lineno(row, &number) != 0 || number <= 0)
		return 0;
	LOWER_BOUND(i, search->n, search->lines[i].line < (uint32_t)number);
	if (i == search->n || search->lines[i].line != (uint32_t)number)
		return 0;
	path = src->dw->dwarf_linesrc(row, NULL, NULL);
	for (; path != NULL && i < search->n &&
	       search->lines[i].line == (uint32_t)number;
	     i++)
		if (source_is_file(search->lines[i].file, path))
			return i + 1;
	return 0;
}

/*
 * Finds the place of libdw's ADDR in OBJ. Returns false if it is in nothing
 * that was kept.
 */
static bool find_place(struct source *src, uint64_t addr,
		       struct source_copy *copy)
{
	const struct object *obj = src->obj;
	bool is_partial = obj->ehdr.e_type == ET_REL;

	addr -= src->offset;
	for (uint32_t i = 1; i < obj->nsections; i++) {
		const struct section *sec = &obj->sections[i];
		uint64_t start = is_partial ? object_laid_out(src->elf, i)
					    : sec->addr;

		if (!section_is_text(sec) || addr < start ||
		    addr - start > sec->size)
			continue;
		/*
		 * At the end of a section there may be no code, but the next
		 * section begins.
		 */
		copy->shndx = i;
		copy->at = is_partial ? addr - start : addr;
		if (addr - start < sec->size)
			return true;
	}
	return copy->shndx != 0;
}

static int add_copy(struct source *src, size_t line, uint64_t addr,
		    struct search *search)
{
	struct source_copy copy = { .line = line }, *grown;
	struct source_spot spot = { .file = search->lines[line].file,
				    .line = search->lines[line].line };
	uint32_t scope;
	struct unit *unit;

	/* Was the code dropped, so that other code has its address now? */
	if (!find_place(src, addr, &copy))
		return 0;
	spot.shndx = copy.shndx;
	spot.at = copy.at;
	unit = source_spot_unit(src, &spot, &scope);
	if (src->has_no_memory)
		return -1;
	if (unit == NULL)
		return 0;
	scope = unit_function(unit, scope);
	if (unit->nscopes > 0 && scope == 0)
		return 0;
	copy.instance = scope != 0 ? &unit->scopes[scope - 1] : NULL;
	grown = grow_list(*search->copies, *search->ncopies, sizeof(*grown));
	if (grown == NULL)
		return -1;
	*search->copies = grown;
	grown[(*search->ncopies)++] = copy;
	return 0;
}

/*
 * A copy is a run of rows of the line, with no statement of another line
 * between them. Its place is that of the last row: earlier ones may be of
 * instructions that were moved there.
 */
struct run {
	size_t line; /* plus one, or 0 */
	uint64_t addr;
};

static int end_run(struct source *src, struct run *run, size_t next,
		   struct search *search)
{
	size_t line = run->line;

	run->line = next;
	return line != 0 ? add_copy(src, line - 1, run->addr, search) : 0;
}

static int read_row(struct source *src, Dwarf_Line *row, struct run *run,
		    struct search *search)
{
	Dwarf_Addr addr = 0;
	bool is_statement = false, is_end_of_all = false;
	size_t line;

	src->dw->dwarf_lineaddr(row, &addr);
	src->dw->dwarf_linebeginstatement(row, &is_statement);
	src->dw->dwarf_lineendsequence(row, &is_end_of_all);
	if (is_end_of_all)
		return end_run(src, run, 0, search);
	line = find_line(src, row, search);
	if (is_statement && line != run->line &&
	    end_run(src, run, line, search))
		return -1;
	if (line != 0 && line == run->line)
		run->addr = addr;
	return 0;
}

static int read_unit(struct source *src, struct unit *unit,
		     struct search *search)
{
	struct run run = { 0 };
	Dwarf_Lines *rows;
	size_t n;

	if (!knows_files(src, unit, search) ||
	    src->dw->dwarf_getsrclines(&unit->die, &rows, &n) != 0 ||
	    !source_step(src, n))
		return 0;
	for (size_t i = 0; i < n; i++)
		if (read_row(src, src->dw->dwarf_onesrcline(rows, i), &run,
			     search))
			return -1;
	return end_run(src, &run, 0, search);
}

const char *source_path(struct source *src, uint32_t shndx, uint64_t at,
			const char *file)
{
	uint32_t scope;
	struct unit *unit =
		source_unit(src, source_address(src, shndx, at), &scope);
	const char *found = NULL;
	Dwarf_Files *files;
	size_t n;

	if (unit == NULL ||
	    src->dw->dwarf_getsrcfiles(&unit->die, &files, &n) != 0)
		return NULL;
	for (size_t i = 0; i < n && source_step(src, 1); i++) {
		const char *path = src->dw->dwarf_filesrc(files, i, NULL, NULL);

		if (path == NULL || !source_is_file(file, path))
			continue;
		if (found != NULL && !is_same_path(found, path))
			return NULL;
		found = path;
	}
	return found;
}

static int compare_files(const void *a, const void *b)
{
	return strcmp(((const struct file *)a)->name,
		      ((const struct file *)b)->name);
}

static int list_files(struct search *search)
{
	size_t n = 0;

	search->files = calloc(search->n + 1, sizeof(search->files[0]));
	if (search->files == NULL)
		return -1;
	for (size_t i = 0; i < search->n; i++)
		search->files[i].name = search->lines[i].file;
	qsort(search->files, search->n, sizeof(search->files[0]),
	      compare_files);
	for (size_t i = 0; i < search->n; i++)
		if (n == 0 || compare_files(&search->files[n - 1],
					    &search->files[i]) != 0)
			search->files[n++] = search->files[i];
	search->nfiles = n;
	return 0;
}

static void tell_files(struct search *search)
{
	for (size_t i = 0; i < search->n; i++) {
		struct source_line *line = &search->lines[i];
		struct file key = { .name = line->file }, *file;

		file = bsearch(&key, search->files, search->nfiles, sizeof(key),
			       compare_files);
		line->path = file->path;
		line->is_ambiguous = file->is_ambiguous;
	}
}

int source_find_lines(struct source *src, struct source_line *lines, size_t n,
		      struct source_copy **copies, size_t *ncopies)
{
	struct search search = {
		.lines = lines, .n = n, .copies = copies, .ncopies = ncopies
	};
	int ret;

	*copies = NULL;
	*ncopies = 0;
	ret = list_files(&search);
	for (size_t i = 0; ret == 0 && i < src->nunits; i++)
		ret = read_unit(src, &src->units[i], &search);
	if (ret == 0)
		tell_files(&search);
	free(search.files);
	return ret;
}

#endif
