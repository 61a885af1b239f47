/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>

#include "arch/arch.h"
#include "marks.h"

/* Does symbol SYMNDX begin code of some mode, or data in code? */
static bool get_mark(const struct object *obj, size_t symndx,
		     struct symbol *sym, struct mark *mark)
{
	object_symbol(obj, symndx, sym);
	if (sym->name[0] != '$' || sym->bind != STB_LOCAL || !sym->is_defined ||
	    /* mold's are functions. */
	    (sym->type != STT_NOTYPE && sym->type != STT_FUNC) ||
	    !section_is_text(&obj->sections[sym->shndx]) ||
	    !obj->arch->mapping_mode(sym->name, &mark->mode))
		return false;
	mark->offset = sym->value;
	if (obj->ehdr.e_type != ET_REL)
		mark->offset -= obj->sections[sym->shndx].addr;
	return true;
}

static int compare_marks(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->mode - y->mode;
}

/* Two at one place that do not agree tell nothing. */
static void resolve_ties(struct mark *marks, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (marks[i - 1].offset == marks[i].offset &&
		    marks[i - 1].mode != marks[i].mode)
			marks[i - 1].mode = marks[i].mode = MODE_UNKNOWN;
}

/* Sorts by section, counting, then each section's by offset. */
int marks_build(struct diag *d, struct object *obj)
{
	size_t *first;
	struct symbol sym;
	struct mark mark;

	if (obj->arch->mapping_mode == NULL)
		return 0;
	first = obj->first_mark = calloc(obj->nsections + 2, sizeof(first[0]));
	obj->marks = malloc((obj->nsymbols + 1) * sizeof(obj->marks[0]));
	if (first == NULL || obj->marks == NULL)
		return diag_nomem(d, obj->path);
	for (size_t i = 1; i < obj->nsymbols; i++)
		if (get_mark(obj, i, &sym, &mark))
			first[sym.shndx + 2]++;
	for (size_t i = 2; i < obj->nsections + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 1; i < obj->nsymbols; i++)
		if (get_mark(obj, i, &sym, &mark))
			obj->marks[first[sym.shndx + 1]++] = mark;
	for (size_t i = 1; i < obj->nsections; i++) {
		struct mark *marks = obj->marks + first[i];
		size_t n = first[i + 1] - first[i];

		if (n > 1)
			qsort(marks, n, sizeof(marks[0]), compare_marks);
		resolve_ties(marks, n);
	}
	/* With these, the linker had to believe them, or the code cannot run.
	 */
	if (obj->arch->swap_unit != NULL &&
	    obj->arch->swap_unit(obj->ehdr.e_flags, 0) != 1)
		return 0;
	return marks_doubt(d, obj);
}
