/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares two finals with the same inputs, and counts differences for both
 * kinds of comparison.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/search.h"
#include "base/sort.h"
#include "compare.h"
#include "compare-order.h"
#include "elf/functions.h"
#include "elf/image.h"
#include "elf/landmarks.h"
#include "elf/section-relocs.h"

static const char *const names[NCOMPARE] = {
	[COMPARE_SAME] = "same",	   [COMPARE_ADDRESSES] = "addresses",
	[COMPARE_REWRITTEN] = "rewritten", [COMPARE_OTHER] = "other",
	[COMPARE_UNKNOWN] = "unknown",	   [COMPARE_NOTHING] = "nothing",
};

const char *compare_bytes_name(enum compare_bytes bytes)
{
	return names[bytes];
}

struct comparer {
	struct diag *d;
	const struct object *finals;
	const struct drift *drifts;
	struct image imgs[2];
	struct comparison *c;
};

/* --- Where a part of a section is -------------------------------------- */

static size_t first_rewrite(const struct drift *drift, size_t section)
{
	size_t i;

	LOWER_BOUND(i, drift->nrewrites, drift->rewrites[i].section < section);
	return i;
}

/* Where a placed SECTION has the byte that was at OFFSET, from its start. */
static uint64_t offset_in(const struct drift *drift, size_t section,
			  uint64_t offset)
{
	uint64_t lost = 0;

	for (size_t i = first_rewrite(drift, section);
	     i < drift->nrewrites && drift->rewrites[i].section == section &&
	     drift->rewrites[i].offset < offset;
	     i++) {
		const struct drift_rewrite *w = &drift->rewrites[i];
		uint64_t before = offset - w->offset;

		if (before >= w->size)
			lost += w->size - w->new_size;
		else if (before > w->new_size)
			lost += before - w->new_size;
	}
	return offset - lost;
}

static void set_side(const struct comparer *r, int side,
		     struct compare_function *f, uint64_t size)
{
	const struct drift *drift = &r->drifts[side];
	const struct drift_section *s = &drift->sections[f->section];
	struct compare_side *to = &f->sides[side];
	size_t stands = f->section;
	uint64_t start, end;

	if (s->fate == FATE_DROPPED || s->fate == FATE_UNKNOWN)
		return;
	/*
	 * If a section was folded, the one that stands for it has its offsets.
	 */
	if (s->fate == FATE_FOLDED && s->other != NO_SECTION)
		stands = s->other;
	start = offset_in(drift, stands, f->offset);
	end = offset_in(drift, stands, f->offset + size);
	*to = (struct compare_side){
		.is_there = true,
		.is_folded = s->fate == FATE_FOLDED,
		.addr = s->addr + start,
		.size = end - start,
	};
	f->is_alike |= s->is_alike;
}

/* --- Bytes -------------------------------------------------------------- */

/* Bytes of a placed section, in both images and in the input. */
struct both {
	const struct arch *arch;
	const struct section_relocs *relocs;
	const struct drift_section *sections[2];
	struct code codes[2]; /* from where the section begins */
};

/*
 * Compares bytes [START, END) of the section, outside of rewrites. Do bits
 * differ that relocations do not set?
 */
static enum compare_bytes compare_plain(const struct comparer *r,
					const struct both *b, size_t section,
					uint64_t start, uint64_t end)
{
	uint64_t at[2];
	enum compare_bytes bytes = COMPARE_SAME;

	for (int i = 0; i < 2; i++) {
		at[i] = offset_in(&r->drifts[i], section, start);
		if (at[i] > b->codes[i].size ||
		    end - start > b->codes[i].size - at[i])
			return COMPARE_UNKNOWN;
	}
	for (uint64_t k = 0; k < end - start; k++) {
		uint8_t other = b->codes[0].bytes[at[0] + k] ^
				b->codes[1].bytes[at[1] + k];

		if (other == 0)
			continue;
		bytes = COMPARE_ADDRESSES;
		if ((other & (uint8_t)~section_relocs_bits(b->relocs, b->arch,
							   start + k)) != 0)
			return COMPARE_REWRITTEN;
	}
	return bytes;
}

/*
 * Did both linkers make the same of an instruction, apart from addresses? If
 * its size changed, only a branch's address bits are known.
 */
static enum compare_bytes compare_rewritten(const struct both *b,
					    const struct drift_rewrite *x,
					    const struct drift_rewrite *y)
{
	const struct drift_rewrite *sides[2] = { x, y };
	struct branch branches[2];
	const uint8_t *bytes[2];
	bool is_same = true;

	if (x->class != y->class || x->size != y->size ||
	    x->new_size != y->new_size)
		return COMPARE_REWRITTEN;
	for (int i = 0; i < 2; i++) {
		uint64_t at = sides[i]->addr - b->sections[i]->addr;

		if (at > b->codes[i].size ||
		    sides[i]->new_size > b->codes[i].size - at)
			return COMPARE_UNKNOWN;
		bytes[i] = b->codes[i].bytes + at;
		branches[i] = (struct branch){ 0 };
		is_same &= b->arch->decode_branch(b->arch, &b->codes[i], at,
						  &branches[i]) &&
			   branches[i].length == x->new_size;
	}
	if (memcmp(bytes[0], bytes[1], x->new_size) == 0)
		return COMPARE_SAME;
	if (is_same && branches[0].form == branches[1].form)
		return COMPARE_ADDRESSES;
	for (unsigned k = 0; k < x->new_size; k++)
		if (x->new_size != x->size ||
		    ((bytes[0][k] ^ bytes[1][k]) &
		     (uint8_t)~section_relocs_bits(b->relocs, b->arch,
						   x->offset + k)) != 0)
			return COMPARE_REWRITTEN;
	return COMPARE_ADDRESSES;
}

/* The instruction on one side: SIZE bytes at OFFSET of the input. */
static void keep_bytes(const struct comparer *r, const struct both *b, int i,
		       const struct compare_function *f, uint64_t offset,
		       uint64_t size, struct compare_rewrite *w)
{
	const struct drift_rewrite *own = w->sides[i];
	uint64_t at = offset_in(&r->drifts[i], f->section, offset);

	if (own != NULL) {
		at = own->addr - b->sections[i]->addr;
		size = own->new_size;
	}
	if (size > COMPARE_BYTES)
		size = COMPARE_BYTES;
	if (at > b->codes[i].size || size > b->codes[i].size - at)
		return;
	w->sizes[i] = size;
	memcpy(w->bytes[i], b->codes[i].bytes + at, size);
}

static int add_rewrite(struct comparer *r, const struct both *b,
		       size_t function, const struct drift_rewrite *x,
		       const struct drift_rewrite *y)
{
	struct comparison *c = r->c;
	const struct drift_rewrite *any = x != NULL ? x : y;
	struct compare_rewrite *list =
		grow_list(c->rewrites, c->nrewrites, sizeof(list[0]));

	if (list == NULL)
		return diag_nomem(r->d, r->finals->path);
	c->rewrites = list;
	list += c->nrewrites++;
	*list = (struct compare_rewrite){
		.function = function,
		.sides = { x, y },
	};
	for (int i = 0; i < 2; i++)
		keep_bytes(r, b, i, &c->functions[function], any->offset,
			   any->size, list);
	return 0;
}

static void worsen(enum compare_bytes *bytes, enum compare_bytes other)
{
	if (other > *bytes)
		*bytes = other;
}

/* The next rewrite of DRIFT at or behind I, if it is in SECTION before END. */
static const struct drift_rewrite *
rewrite_at(const struct drift *drift, size_t i, size_t section, uint64_t end)
{
	const struct drift_rewrite *w = &drift->rewrites[i];

	return i < drift->nrewrites && w->section == section && w->offset < end
		       ? w
		       : NULL;
}

/*
 * Keeps the first of both rewrites, or both if they begin together. One may be
 * NULL.
 */
static void choose_first(const struct drift_rewrite **sides)
{
	if (sides[0] == NULL || sides[1] == NULL ||
	    sides[0]->offset == sides[1]->offset)
		return;
	sides[sides[0]->offset < sides[1]->offset] = NULL;
}

/* Compares function K: SIZE bytes of a section that is placed in both. */
static int compare_function(struct comparer *r, const struct both *b, size_t k,
			    uint64_t size)
{
	struct compare_function *f = &r->c->functions[k];
	uint64_t at = f->offset, end = at + size;
	size_t next[2];

	f->bytes = COMPARE_SAME;
	for (int i = 0; i < 2; i++) {
		next[i] = first_rewrite(&r->drifts[i], f->section);
		while (rewrite_at(&r->drifts[i], next[i], f->section, at))
			next[i]++;
	}
	while (at < end) {
		const struct drift_rewrite *sides[2], *first;
		enum compare_bytes bytes;
		uint64_t start = end;

		for (int i = 0; i < 2; i++)
			sides[i] = rewrite_at(&r->drifts[i], next[i],
					      f->section, end);
		choose_first(sides);
		first = sides[0] != NULL ? sides[0] : sides[1];
		if (first != NULL)
			start = first->offset;
		if (start > at)
			worsen(&f->bytes,
			       compare_plain(r, b, f->section, at, start));
		if (first == NULL)
			break;
		bytes = sides[0] != NULL && sides[1] != NULL
				? compare_rewritten(b, sides[0], sides[1])
				: COMPARE_REWRITTEN;
		worsen(&f->bytes, bytes);
		if (bytes > COMPARE_ADDRESSES &&
		    add_rewrite(r, b, k, sides[0], sides[1]))
			return -1;
		for (int i = 0; i < 2; i++)
			if (sides[i] != NULL) {
				next[i]++;
				start = sides[i]->offset + sides[i]->size;
				if (start > at)
					at = start;
			}
	}
	return 0;
}

/* --- Functions ---------------------------------------------------------- */

static int add_function(struct comparer *r, const char *name, size_t section,
			uint64_t offset, uint64_t size)
{
	struct comparison *c = r->c;
	struct compare_function *list =
		grow_list(c->functions, c->nfunctions, sizeof(list[0]));

	if (list == NULL)
		return diag_nomem(r->d, r->finals->path);
	c->functions = list;
	list[c->nfunctions] = (struct compare_function){
		.name = name,
		.section = section,
		.offset = offset,
		.bytes = COMPARE_NOTHING,
	};
	for (int i = 0; i < 2; i++)
		set_side(r, i, &list[c->nfunctions], size);
	c->nfunctions++;
	return 0;
}

struct start {
	uint64_t offset;
	uint8_t rank;
	const char *name;
};

static int compare_starts(const void *a, const void *b)
{
	const struct start *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	return strcmp(x->name, y->name);
}

/*
 * Lists where functions of the section begin, and sets *N. Owned; NULL if
 * memory ran out, diagnosed.
 */
static struct start *list_starts(struct comparer *r,
				 const struct landmarks *landmarks,
				 uint32_t shndx, size_t *n)
{
	const struct object *obj = landmarks->obj;
	size_t nall, kept = 0;
	const uint32_t *all = landmarks_list(landmarks, shndx, &nall);
	struct start *starts = malloc((nall + 1) * sizeof(starts[0]));

	*n = 0;
	if (starts == NULL) {
		diag_nomem(r->d, obj->path);
		return NULL;
	}
	for (size_t i = 0; i < nall; i++) {
		struct symbol sym;

		object_symbol(obj, all[i], &sym);
		if (symbol_names_text(&sym) &&
		    sym.value < obj->sections[shndx].size)
			starts[(*n)++] = (struct start){ sym.value,
							 symbol_rank(&sym),
							 sym.name };
	}
	qsort(starts, *n, sizeof(starts[0]), compare_starts);
	for (size_t i = 0; i < *n; i++)
		if (kept == 0 || starts[i].offset != starts[kept - 1].offset)
			starts[kept++] = starts[i];
	*n = kept;
	return starts;
}

/* Is it placed in both? Then B has where. */
static bool find_both(const struct comparer *r, size_t section, struct both *b)
{
	for (int i = 0; i < 2; i++) {
		const struct drift_section *s = &r->drifts[i].sections[section];
		const struct image_section *is;

		if (s->fate != FATE_PLACED)
			return false;
		/*
		 * In an overlay, an address does not say which overlay it is
		 * in.
		 */
		is = image_find_text(&r->imgs[i], s->addr, s->new_size);
		b->sections[i] = s;
		if (is == NULL)
			continue;
		b->codes[i] = is->code;
		b->codes[i].bytes += s->addr - is->code.addr;
		b->codes[i].size = s->new_size;
		b->codes[i].addr = s->addr;
	}
	return true;
}

static int add_section(struct comparer *r, const struct landmarks *landmarks,
		       const struct section_relocs *relocs, size_t section)
{
	const struct drift_section *s = &r->drifts[0].sections[section];
	struct both b = { .arch = r->finals->arch, .relocs = relocs };
	bool is_in_both = find_both(r, section, &b);
	size_t n, first = r->c->nfunctions;
	struct start *starts = list_starts(r, landmarks, s->shndx, &n);
	int ret = starts == NULL ? -1 : 0;

	for (size_t i = 0; ret == 0 && i <= n; i++) {
		uint64_t at = i == 0 ? 0 : starts[i - 1].offset;
		uint64_t end = i == n ? s->size : starts[i].offset;

		if (at == end)
			continue;
		ret = add_function(r, i == 0 ? NULL : starts[i - 1].name,
				   section, at, end - at);
		if (ret == 0 && is_in_both)
			ret = compare_function(r, &b, r->c->nfunctions - 1,
					       end - at);
	}
	free(starts);
	/* At least one of them is there, and differs from the input. */
	for (size_t k = first; ret == 0 && k < r->c->nfunctions; k++)
		for (int i = 0; i < 2; i++)
			if (r->drifts[i].sections[section].fate ==
				    FATE_CHANGED ||
			    r->drifts[i].sections[section].fate == FATE_UNKNOWN)
				r->c->functions[k].bytes = COMPARE_UNKNOWN;
	return ret;
}

static int add_input(struct comparer *r, const struct object *input,
		     size_t *section)
{
	const struct drift *drift = &r->drifts[0];
	size_t part = *section < drift->nsections
			      ? drift->sections[*section].input
			      : 0;
	struct landmarks landmarks = { 0 };
	int ret = landmarks_read(r->d, input, &landmarks);

	for (; ret == 0 && *section < drift->nsections &&
	       drift->sections[*section].input == part;
	     ++*section) {
		struct section_relocs relocs = { 0 };

		ret = section_relocs_read(r->d, input,
					  drift->sections[*section].shndx,
					  &relocs) ||
				      add_section(r, &landmarks, &relocs,
						  *section)
			      ? -1
			      : 0;
		section_relocs_free(&relocs);
	}
	landmarks_free(&landmarks);
	return ret;
}

/* --- Both comparisons --------------------------------------------------- */

bool compare_is_same(const struct comparison *c, const struct drift *drifts)
{
	if (c->ndiffering > 0 || c->nrewrites > 0 || c->nboth == 0)
		return false;
	if (drifts == NULL)
		return c->is_nameless_same;
	for (int i = 0; i < 2; i++)
		if (drifts[i].nfates[FATE_CHANGED] > 0 ||
		    drifts[i].nfates[FATE_UNKNOWN] > 0 ||
		    drifts[i].nbytes[BIN_CHANGED] > 0 ||
		    drifts[i].nbytes[BIN_UNEXPLAINED] > 0 ||
		    drifts[i].nstrays > 0)
			return false;
	return drifts[0].nshortcuts == drifts[1].nshortcuts &&
	       memcmp(drifts[0].nbytes, drifts[1].nbytes,
		      sizeof(drifts[0].nbytes)) == 0;
}

int compare_inputs(struct diag *d, const struct object *inputs, size_t n,
		   const struct object *finals, const struct drift *drifts,
		   struct comparison *c)
{
	struct comparer r = {
		.d = d, .finals = finals, .drifts = drifts, .c = c
	};
	const struct drift *drift = &drifts[0];
	size_t section = 0;
	int ret;

	*c = (struct comparison){ 0 };
	ret = image_open(d, &finals[0], &r.imgs[0]) ||
			      image_open(d, &finals[1], &r.imgs[1])
		      ? -1
		      : 0;
	while (ret == 0 && section < drift->nsections &&
	       drift->sections[section].input < n)
		ret = add_input(&r, &inputs[drift->sections[section].input],
				&section);
	if (ret == 0)
		ret = compare_order(d, finals->path, c);
	image_close(&r.imgs[0]);
	image_close(&r.imgs[1]);
	return ret;
}

void compare_free(struct comparison *c)
{
	free(c->functions);
	free(c->rewrites);
	*c = (struct comparison){ 0 };
}
