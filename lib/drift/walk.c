/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where linkers delete code, walks through a section and the image side by
 * side. Bytes without a relocation must be equal. Bytes with one must be
 * unchanged, or a form that linkers are known to make of them. The walk shows
 * the size of the section in the image, and where each of its offsets is.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/search.h"
#include "engine.h"

/* Behind BEFORE bytes of the section, the image has AFTER bytes of it. */
struct shift {
	uint64_t before, after;
};

struct walk {
	const struct engine *e;
	const struct item *item;
	struct code after; /* of the image, from the section's start */
	uint64_t offset;   /* as far as we are, in the section */
	uint64_t to;	   /* and in the image */
	size_t reloc;	   /* the first one not behind us */
	const struct same_sink *sink;
	struct shift *shifts; /* if they are wanted; owned by the caller */
	size_t nshifts;
	bool wants_shifts;
};

static bool stop(const struct walk *w, uint64_t skipped)
{
	if (w->sink != NULL && w->sink->differs != NULL)
		w->sink->differs(w->sink->ctx, w->offset + skipped, 1);
	return false;
}

static uint64_t left(const struct walk *w)
{
	return w->after.size - w->to;
}

/* Compares bytes up to END, which no relocation touches. */
static bool walk_plain(struct walk *w, uint64_t end)
{
	const uint8_t *before = w->item->code.bytes + w->offset;
	const uint8_t *after = w->after.bytes + w->to;
	uint64_t n = end - w->offset, same = 0;

	if (n > left(w) || memcmp(before, after, n) != 0) {
		while (same < left(w) && before[same] == after[same])
			same++;
		return stop(w, same);
	}
	w->offset += n;
	w->to += n;
	return true;
}

/*
 * Compares N relocations whose fields have their old length: all bits outside
 * of them must be equal.
 */
static bool walk_fields(const struct walk *w, size_t n, unsigned *length)
{
	uint64_t size = w->item->code.size - w->offset;

	return section_relocs_same(&w->item->relocs, w->e->arch, w->reloc, n,
				   w->item->code.bytes + w->offset,
				   w->after.bytes + w->to,
				   size < left(w) ? size : left(w), length);
}

static bool walk_relaxed(const struct walk *w, unsigned *nbefore,
			 unsigned *nafter)
{
	const struct section_relocs *relocs = &w->item->relocs;
	const struct code before = {
		.bytes = w->item->code.bytes + w->offset,
		.size = w->item->code.size - w->offset,
		.addr = w->offset,
	};
	const struct code after = {
		.bytes = w->after.bytes + w->to,
		.size = left(w),
		.addr = w->after.addr + w->to,
	};

	return w->e->arch->relax(w->e->arch, relocs->relocs + w->reloc,
				 relocs->n - w->reloc, &before, &after, nbefore,
				 nafter) &&
	       *nbefore <= before.size && *nafter <= after.size;
}

static void report(const struct walk *w, unsigned nbefore, unsigned nafter)
{
	const struct arch *arch = w->e->arch;
	const struct reloc *r = &w->item->relocs.relocs[w->reloc];
	enum rewrite_class class = REWRITE_OTHER;

	if (w->sink == NULL || w->sink->found == NULL ||
	    (nbefore == nafter && memcmp(w->item->code.bytes + w->offset,
					 w->after.bytes + w->to, nbefore) == 0))
		return;
	if (nafter < nbefore)
		class = REWRITE_SHORTENED;
	else if (arch_reloc_is_tls(arch, r->type))
		class = REWRITE_TLS;
	else if (arch_reloc_has_slot(arch, r->type))
		class = REWRITE_GOT_LOAD;
	w->sink->found(w->sink->ctx,
		       &(struct same_change){
			       .offset = w->offset,
			       .size = nbefore,
			       .to = w->to,
			       .new_size = nafter,
			       .class = class,
			       .reloc = arch_reloc_name(arch, r->type),
		       });
}

static bool add_shift(struct walk *w)
{
	struct shift *list;

	if (!w->wants_shifts)
		return true;
	list = grow_list(w->shifts, w->nshifts, sizeof(list[0]));
	if (list == NULL)
		return false;
	w->shifts = list;
	list[w->nshifts++] = (struct shift){ w->offset, w->to };
	return true;
}

/*
 * Finds what became of the relocations here, and of those that a known form
 * covers.
 */
static bool walk_relocs(struct walk *w)
{
	const struct section_relocs *relocs = &w->item->relocs;
	size_t n = section_relocs_count(relocs, w->reloc);
	unsigned nbefore, nafter;
	bool is_relaxed = walk_relaxed(w, &nbefore, &nafter);

	if (is_relaxed) {
		report(w, nbefore, nafter);
	} else {
		if (!walk_fields(w, n, &nbefore))
			return stop(w, 0);
		nafter = nbefore;
	}
	w->reloc += n;
	w->offset += nbefore;
	w->to += nafter;
	while (is_relaxed && w->reloc < relocs->n &&
	       relocs->relocs[w->reloc].offset < w->offset)
		w->reloc++;
	return nbefore == nafter || add_shift(w);
}

static bool walk(struct walk *w)
{
	const struct section_relocs *relocs = &w->item->relocs;
	uint64_t end = w->item->code.size;

	while (w->offset < end) {
		uint64_t next = w->reloc < relocs->n
					? relocs->relocs[w->reloc].offset
					: end;

		if (next < w->offset)
			return stop(w, 0);
		if (next > end)
			next = end;
		if (!(next > w->offset ? walk_plain(w, next) : walk_relocs(w)))
			return false;
	}
	return w->offset == end;
}

static struct walk start(const struct engine *e, const struct item *item,
			 const struct code *code, uint64_t offset)
{
	return (struct walk){
		.e = e,
		.item = item,
		.after = { .bytes = code->bytes + offset,
			   .size = code->size - offset,
			   .addr = code->addr + offset },
	};
}

bool walk_same(const struct engine *e, const struct item *item,
	       const struct code *code, uint64_t offset,
	       const struct same_sink *sink)
{
	struct walk w;

	if (offset > code->size)
		return false;
	w = start(e, item, code, offset);
	w.sink = sink;
	return walk(&w);
}

/* Does ITEM fit at ADDR? Then sets its shifts for that place. */
static bool walk_to(const struct engine *e, const struct item *item,
		    uint64_t addr)
{
	struct walked *walked = &e->items[item - e->items].walked;
	const struct field *field = fields_find(e, addr, 0);
	struct walk w;

	if (walked->is_known && walked->addr == addr)
		return walked->fits;
	if (field == NULL)
		return false;
	w = start(e, item, &field->is->code, addr - field->is->code.addr);
	w.wants_shifts = true;
	free(walked->shifts);
	walked->fits = walk(&w);
	walked->is_known = true;
	walked->addr = addr;
	walked->shifts = w.shifts;
	walked->nshifts = w.nshifts;
	walked->size = w.to;
	return walked->fits;
}

uint64_t walk_size(const struct engine *e, const struct item *item,
		   uint64_t addr)
{
	if (e->arch->relax == NULL)
		return item->code.size;
	return walk_to(e, item, addr) ? item->walked.size : 0;
}

bool walk_offset(const struct engine *e, const struct item *item, uint64_t addr,
		 uint64_t offset, uint64_t *to)
{
	const struct walked *walked = &item->walked;
	size_t i;

	*to = offset;
	if (e->arch->relax == NULL)
		return true;
	if (!walk_to(e, item, addr))
		return false;
	LOWER_BOUND(i, walked->nshifts, walked->shifts[i].before <= offset);
	if (i > 0)
		*to = walked->shifts[i - 1].after +
		      (offset - walked->shifts[i - 1].before);
	return true;
}

/* If ITEM starts at START, is its byte at OFFSET at ADDR? */
static bool comes_to(const struct engine *e, const struct item *item,
		     uint64_t start, uint64_t offset, uint64_t addr)
{
	uint64_t to;

	return start <= addr && addr - start <= offset &&
	       walk_offset(e, item, start, offset, &to) && start + to == addr;
}

bool walk_start(const struct engine *e, const struct item *item,
		uint64_t offset, uint64_t addr, uint64_t *start)
{
	const struct kind *kind = &e->kinds[item->kind];
	const struct drift_section *to = item->to;
	size_t i;

	*start = addr - offset;
	if (e->arch->relax == NULL || offset == 0)
		return true;
	if ((to->fate == FATE_PLACED || to->fate == FATE_FOLDED) &&
	    comes_to(e, item, to->addr, offset, addr)) {
		*start = to->addr;
		return true;
	}
	LOWER_BOUND(i, kind->naddrs, kind->addrs[i] < addr - offset);
	for (; i < kind->naddrs && kind->addrs[i] <= addr; i++)
		if (comes_to(e, item, kind->addrs[i], offset, addr)) {
			*start = kind->addrs[i];
			return true;
		}
	return false;
}
