/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ld -r -x drops the mapping symbols of an object. In the final, the last mark
 * of another object then seems to apply to its code. So a mark is not believed
 * where the symbol of a function says otherwise, and in code between functions
 * that has neither a symbol nor a mark: a static function may be there.
 */
#include <config.h>

#include <stdlib.h>

#include "arch/arch.h"
#include "base/search.h"
#include "functions.h"
#include "image.h"

/* The marks of a section, old and new. */
struct refiner {
	const struct code *code; /* with the old ones */
	const uint64_t *labels;	 /* addresses of other code with a name */
	size_t nlabels;
	struct mark *marks; /* the new ones; owned */
	size_t n;
	size_t nold;	 /* so many old ones are among them */
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
	const struct mark *marks = r->code->marks;

	while (r->nold < r->code->nmarks && marks[r->nold].offset <= offset) {
		r->mode = marks[r->nold].mode;
		add_mark(r, marks[r->nold++].offset, r->mode);
	}
	return r->nold > 0 && marks[r->nold - 1].offset == offset;
}

static bool has_label(const struct refiner *r, uint64_t start, uint64_t end)
{
	size_t i;

	LOWER_BOUND(i, r->nlabels, r->labels[i] < r->code->addr + start);
	return i < r->nlabels && r->labels[i] < r->code->addr + end;
}

/* From the end of the last function up to NEXT, there is none. */
static void doubt_gap(struct refiner *r, uint64_t next)
{
	uint64_t start = r->end;

	if (r->is_endless || start >= next || copy_marks(r, start))
		return;
	if (r->nold < r->code->nmarks && r->code->marks[r->nold].offset < next)
		next = r->code->marks[r->nold].offset;
	/* Less may be there for alignment. */
	if (next - start >= 4 + (-start & 3) && !has_label(r, start, next))
		add_mark(r, start, MODE_UNKNOWN);
}

/*
 * The function at OFFSET is of an object without marks. It begins nobody knows
 * where behind the last mark, or the last function.
 */
static void doubt_back(struct refiner *r, uint64_t offset)
{
	uint64_t last = r->nold > 0 ? r->code->marks[r->nold - 1].offset : 0;

	if (last >= r->end && !r->is_endless && offset - last > 4)
		offset = last + 4;
	add_mark(r, offset, MODE_UNKNOWN);
}

static void take_function(struct refiner *r, uint64_t offset,
			  const struct symbol *sym)
{
	doubt_gap(r, offset);
	/*
	 * GNU ld marks code without marks as data. That is searched in all
	 * modes, but not for short branches, which mode 0 does not have.
	 */
	if (copy_marks(r, offset)) {
		if (sym->mode != 0 && r->mode == MODE_DATA)
			r->marks[r->n - 1].mode = MODE_UNKNOWN;
	} else if (sym->mode != r->mode &&
		   (sym->mode != 0 || r->mode != MODE_DATA)) {
		doubt_back(r, offset);
	} else if (r->n > 0 && r->marks[r->n - 1].mode == MODE_UNKNOWN) {
		add_mark(r, offset, r->mode);
	}
	r->is_endless = sym->size == 0;
	if (r->end < offset + sym->size)
		r->end = offset + sym->size;
}

static struct symbol function_at(const struct image *img, size_t i)
{
	struct symbol sym;

	object_symbol(img->obj, img->functions[i], &sym);
	return sym;
}

static int refine(struct diag *d, const struct image *img,
		  struct image_section *is, const uint64_t *labels,
		  size_t nlabels)
{
	struct refiner r = { .code = &is->code,
			     .labels = labels,
			     .nlabels = nlabels,
			     .mode = MODE_UNKNOWN };
	uint64_t base = is->code.addr;
	size_t first, end;

	LOWER_BOUND(first, img->nfunctions,
		    function_at(img, first).value < base);
	LOWER_BOUND(end, img->nfunctions,
		    function_at(img, end).value < base + is->code.size);
	r.marks = malloc((is->code.nmarks + 2 * (end - first) + 1) *
			 sizeof(r.marks[0]));
	if (r.marks == NULL)
		return diag_nomem(d, img->obj->path);
	for (size_t i = first; i < end; i++) {
		struct symbol sym = function_at(img, i);

		if (sym.shndx == is->shndx)
			take_function(&r, sym.value - base, &sym);
	}
	doubt_gap(&r, is->code.size);
	copy_marks(&r, is->code.size);
	is->marks = r.marks;
	is->code.marks = r.marks;
	is->code.nmarks = r.n;
	return 0;
}

static int compare_labels(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Lists code that is not typed as a function, as assembly often is. */
static size_t list_labels(const struct object *obj, uint64_t *labels)
{
	size_t n = 0;

	for (size_t i = 1; i < obj->nsymbols; i++) {
		struct symbol sym;

		object_symbol(obj, i, &sym);
		if (symbol_is_code(&sym) && sym.type == STT_NOTYPE)
			labels[n++] = sym.value;
	}
	qsort(labels, n, sizeof(labels[0]), compare_labels);
	return n;
}

int image_doubt_marks(struct diag *d, struct image *img)
{
	uint64_t *labels;
	size_t n;
	int ret = 0;

	if (img->obj->marks == NULL)
		return 0;
	labels = malloc((img->obj->nsymbols + 1) * sizeof(labels[0]));
	if (labels == NULL)
		return diag_nomem(d, img->obj->path);
	n = list_labels(img->obj, labels);
	for (size_t i = 0; ret == 0 && i < img->nsections; i++)
		if (img->sections[i].code.nmarks > 0)
			ret = refine(d, img, &img->sections[i], labels, n);
	free(labels);
	return ret;
}
