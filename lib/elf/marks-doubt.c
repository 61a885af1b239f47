/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ld -r -x drops the mapping symbols of an object. Once that is linked with
 * others, the last mark of another object seems to apply to its code. So a mark
 * is not believed where the symbol of a function says otherwise, and in code
 * between functions that has neither a symbol nor a mark: a static function may
 * be there.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/search.h"
#include "base/sort.h"
#include "functions.h"
#include "marks.h"

/* Code with a symbol: a function, or a label of assembly. */
struct named {
	uint64_t offset;
	uint64_t size;
	uint32_t shndx;
	uint8_t mode;
	bool is_function;
};

/* The marks of a section, old and new. */
struct refiner {
	const struct named *named; /* of the section, by offset */
	size_t nnamed;
	const struct mark *old;
	size_t nold;
	const struct arch *arch;
	struct code code;   /* nothing in SHT_NOBITS */
	size_t ncopied;	    /* so many old ones are among the new ones */
	struct mark *marks; /* the new ones */
	size_t n;
	uint64_t end;	 /* of the functions so far */
	bool is_endless; /* the last one has no size */
	uint8_t mode;	 /* of the last old mark */
};

static void add_mark(struct refiner *r, uint64_t offset, uint8_t mode)
{
	r->marks[r->n++] = (struct mark){ offset, mode };
}

/* Copies the old marks up to OFFSET. Is there one? */
static bool copy_marks(struct refiner *r, uint64_t offset)
{
	while (r->ncopied < r->nold && r->old[r->ncopied].offset <= offset) {
		r->mode = r->old[r->ncopied].mode;
		add_mark(r, r->old[r->ncopied++].offset, r->mode);
	}
	return r->ncopied > 0 && r->old[r->ncopied - 1].offset == offset;
}

static bool is_named(const struct refiner *r, uint64_t start, uint64_t end)
{
	size_t i;

	LOWER_BOUND(i, r->nnamed, r->named[i].offset < start);
	return i < r->nnamed && r->named[i].offset < end;
}

/*
 * Linkers fill gaps with one instruction. Code does not repeat one: of equal
 * branches, each goes elsewhere.
 */
static bool is_filled(const struct refiner *r, uint64_t start, uint64_t end)
{
	const uint8_t *p;
	uint64_t n = end - start;

	if (n < 4 || end > r->code.size)
		return false;
	p = r->code.bytes + start;
	return memcmp(p, p + 2, n - 2) == 0 ||
	       (n >= 8 && memcmp(p, p + 4, n - 4) == 0);
}

/* Is that what linkers put between sections? */
static bool is_added(const struct refiner *r, uint64_t start, uint64_t end)
{
	return is_filled(r, start, end) ||
	       (end <= r->code.size && r->arch->added_length != NULL &&
		r->arch->added_length(r->arch, &r->code, start) == end - start);
}

/*
 * GNU ld marks sections without marks as data. Only a symbol confirms that, or
 * that it fills a gap, as what lld marks behind a PLT entry of ARM.
 */
static void doubt_data(struct refiner *r, uint64_t start, uint64_t next)
{
	copy_marks(r, next - 1);
	for (size_t i = r->n; i-- > 0 && r->marks[i].offset >= start;) {
		if (r->marks[i].mode == MODE_DATA &&
		    !is_named(r, r->marks[i].offset, next) &&
		    !is_filled(r, r->marks[i].offset, next))
			r->marks[i].mode = MODE_UNKNOWN;
		next = r->marks[i].offset;
	}
}

/* From the end of the last function up to NEXT, there is none. */
static void doubt_gap(struct refiner *r, uint64_t next)
{
	uint64_t start = r->end, aligned = start + (-start & 3), mark = next;

	if (r->is_endless || start >= next)
		return;
	if (!copy_marks(r, start)) {
		if (r->ncopied < r->nold && r->old[r->ncopied].offset < next)
			mark = r->old[r->ncopied].offset;
		/* Less may be there for alignment. */
		if (mark >= aligned + 4 && !is_named(r, start, mark) &&
		    !is_added(r, aligned, mark))
			add_mark(r, start, MODE_UNKNOWN);
	}
	doubt_data(r, start, next);
}

/*
 * The function at OFFSET is of an object without marks. It begins nobody knows
 * where behind the last mark, or the last function.
 */
static void doubt_back(struct refiner *r, uint64_t offset)
{
	uint64_t last = r->ncopied > 0 ? r->old[r->ncopied - 1].offset : 0;

	if (last >= r->end && !r->is_endless && offset - last > 4)
		offset = last + 4;
	add_mark(r, offset, MODE_UNKNOWN);
}

static void take_function(struct refiner *r, const struct named *function)
{
	uint64_t offset = function->offset;
	uint8_t mode = function->mode;

	doubt_gap(r, offset);
	/*
	 * GNU ld marks code without marks as data. That is searched in all
	 * modes, but not for short branches, which mode 0 does not have.
	 */
	if (copy_marks(r, offset)) {
		if (mode != 0 && r->mode == MODE_DATA)
			r->marks[r->n - 1].mode = MODE_UNKNOWN;
	} else if (mode != r->mode && (mode != 0 || r->mode != MODE_DATA)) {
		doubt_back(r, offset);
	} else if (r->n > 0 && r->marks[r->n - 1].mode == MODE_UNKNOWN) {
		add_mark(r, offset, r->mode);
	}
	r->is_endless = function->size == 0;
	if (function->size > UINT64_MAX - offset)
		r->end = UINT64_MAX;
	else if (r->end < offset + function->size)
		r->end = offset + function->size;
}

/* Returns the number of the new marks. */
static size_t refine(struct refiner *r, uint64_t size)
{
	for (size_t i = 0; i < r->nnamed; i++)
		if (r->named[i].is_function)
			take_function(r, &r->named[i]);
	doubt_gap(r, size);
	copy_marks(r, UINT64_MAX);
	return r->n;
}

static int compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return sort_pairs(x->shndx, x->offset, y->shndx, y->offset);
}

static size_t list_named(const struct object *obj, struct named *list)
{
	size_t n = 0;

	for (size_t i = 1; i < obj->nsymbols; i++) {
		struct symbol sym;
		uint64_t base;

		object_symbol(obj, i, &sym);
		if (!symbol_is_code(&sym) ||
		    !section_is_text(&obj->sections[sym.shndx]))
			continue;
		base = obj->ehdr.e_type == ET_REL
			       ? 0
			       : obj->sections[sym.shndx].addr;
		list[n++] = (struct named){
			.offset = sym.value - base,
			.size = sym.size,
			.shndx = sym.shndx,
			.mode = sym.mode,
			.is_function = sym.type != STT_NOTYPE,
		};
	}
	qsort(list, n, sizeof(list[0]), compare_named);
	return n;
}

int marks_doubt(struct diag *d, struct object *obj)
{
	struct named *named = malloc((obj->nsymbols + 1) * sizeof(named[0]));
	size_t *first = calloc(obj->nsections + 2, sizeof(first[0]));
	struct mark *marks = NULL;
	size_t n, at = 0;
	int ret = 0;

	if (named == NULL || first == NULL)
		goto nomem;
	n = list_named(obj, named);
	marks = malloc(
		(obj->first_mark[obj->nsections] + 2 * n + obj->nsections + 1) *
		sizeof(marks[0]));
	if (marks == NULL)
		goto nomem;
	for (uint32_t i = 1; i < obj->nsections; i++) {
		struct refiner r = {
			.arch = obj->arch,
			.named = named + at,
			.old = obj->marks + obj->first_mark[i],
			.nold = obj->first_mark[i + 1] - obj->first_mark[i],
			.marks = marks + first[i],
			.mode = MODE_UNKNOWN,
		};

		while (at < n && named[at].shndx == i) {
			at++;
			r.nnamed++;
		}
		first[i + 1] = first[i];
		if (r.nold == 0)
			continue;
		r.code.bytes = object_data(d, obj, i, &r.code.size);
		if (r.code.bytes == NULL)
			ret = -1;
		else
			first[i + 1] += refine(&r, obj->sections[i].size);
	}
	free(named);
	free(obj->marks);
	free(obj->first_mark);
	obj->marks = marks;
	obj->first_mark = first;
	return ret;

nomem:
	free(named);
	free(first);
	return diag_nomem(d, obj->path);
}
