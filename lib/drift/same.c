/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fixed bits: all bits that no relocation sets. Other bits may only differ
 * where the instruction set knows a rewrite by linkers for a relocation nearby,
 * or an instruction that they move away.
 *
 * The bits that a relocation sets say nothing about a section's place.
 * evidence.c checks that the branches among them go to the right places.
 */
#include <config.h>

#include <string.h>

#include "base/search.h"
#include "engine.h"

/* Rewrites reach this far from the field: see the hook rewrite_reach. */
#define REACH_MAX 64

struct comparison {
	const struct arch *arch;
	const struct item *item;
	const uint8_t *before, *after; /* both of SIZE bytes */
	uint64_t size;
	const struct code *code; /* of the image, with AFTER in it */
	const struct same_sink *sink;
};

static unsigned width_of(const struct comparison *c, size_t i)
{
	return arch_reloc_width(c->arch, c->item->relocs.relocs[i].type);
}

/* --- What explains a difference ---------------------------------------- */

static enum rewrite_class class_of(const struct comparison *c,
				   const struct reloc *r,
				   const struct byte_range *range)
{
	struct branch branch = { 0 };
	uint64_t base = c->after - c->code->bytes;

	if (arch_reloc_is_tls(c->arch, r->type))
		return REWRITE_TLS;
	if (!arch_reloc_has_slot(c->arch, r->type))
		return REWRITE_OTHER;
	for (uint64_t i = range->start; i < range->end; i++)
		if (c->arch->decode_branch(c->arch, c->code, base + i,
					   &branch) &&
		    branch.length <= range->end - i)
			return REWRITE_GOT_BRANCH;
	return REWRITE_GOT_LOAD;
}

static void report(const struct comparison *c, uint64_t start, uint64_t end,
		   enum rewrite_class class, const char *reloc)
{
	if (c->sink != NULL && c->sink->found != NULL)
		c->sink->found(c->sink->ctx, &(struct same_change){
						     .offset = start,
						     .to = start,
						     .size = end - start,
						     .new_size = end - start,
						     .class = class,
						     .reloc = reloc,
					     });
}

/* Did the linker only move the instruction at OFFSET away? */
static bool is_detour(const struct comparison *c, uint64_t offset,
		      uint64_t *end)
{
	struct byte_range range;

	if (!section_relocs_detour(&c->item->relocs, c->arch, c->before,
				   c->size, c->code, c->after - c->code->bytes,
				   offset, &range))
		return false;
	*end = range.end;
	report(c, range.start, range.end, REWRITE_DETOUR, NULL);
	return true;
}

/* Does a veneer run the instruction at OFFSET? */
static bool is_redirect(const struct comparison *c, uint64_t offset,
			uint64_t *end)
{
	const struct section_relocs *relocs = &c->item->relocs;
	struct code before = {
		.bytes = c->before,
		.size = c->size,
		.addr = c->code->addr + (c->after - c->code->bytes),
		.marks = c->item->code.marks,
		.nmarks = c->item->code.nmarks,
	};
	struct redirect redirect;
	bool is_right;

	if (c->arch->is_redirect == NULL ||
	    !c->arch->is_redirect(c->arch, &before, c->code, offset, &redirect))
		return false;
	*end = redirect.start + redirect.length;
	is_right = redirect.is_same;
	for (size_t i = section_relocs_reaching(relocs, redirect.start);
	     i < relocs->n && relocs->relocs[i].offset < *end; i++)
		if (relocs->relocs[i].offset == redirect.start &&
		    width_of(c, i) == redirect.length)
			is_right = true;
		else if (relocs->relocs[i].offset + width_of(c, i) >
			 redirect.start)
			return false;
	if (is_right)
		report(c, redirect.start, *end, REWRITE_REDIRECT, NULL);
	return is_right;
}

/* Do linkers make the difference at OFFSET? Sets its *END. */
static bool is_explained(const struct comparison *c, uint64_t offset,
			 uint64_t *end)
{
	const struct section_relocs *relocs = &c->item->relocs;
	struct byte_range range;
	size_t i;

	LOWER_BOUND(i, relocs->n,
		    relocs->relocs[i].offset + REACH_MAX < offset);
	for (; i < relocs->n && relocs->relocs[i].offset <= offset + REACH_MAX;
	     i++)
		if (section_relocs_rewritten(relocs, c->arch, c->before,
					     c->after, c->size, i, &range) &&
		    range.start <= offset && offset < range.end) {
			*end = range.end;
			report(c, range.start, range.end,
			       class_of(c, &relocs->relocs[i], &range),
			       arch_reloc_name(c->arch,
					       relocs->relocs[i].type));
			return true;
		}
	return is_detour(c, offset, end) || is_redirect(c, offset, end);
}

/* --- The comparison ---------------------------------------------------- */

/* Judges the difference at *OFFSET, and moves *OFFSET behind it. */
static bool judge(const struct comparison *c, uint64_t *offset, unsigned size)
{
	uint64_t at = *offset;

	if (is_explained(c, at, offset))
		return true;
	*offset = at + size;
	if (c->sink == NULL || c->sink->differs == NULL)
		return false;
	c->sink->differs(c->sink->ctx, at, size);
	return true;
}

/* Compares bytes [START, END), which contain no field. */
static bool same_plain(const struct comparison *c, uint64_t start, uint64_t end,
		       uint64_t *next)
{
	while (start < end) {
		if (memcmp(c->before + start, c->after + start, end - start) ==
		    0)
			break;
		while (c->before[start] == c->after[start])
			start++;
		if (!judge(c, &start, 1))
			return false;
	}
	*next = start > end ? start : end;
	return true;
}

/* Compares the bits of field I that its relocation does not set. */
static bool same_field(const struct comparison *c, size_t i, uint64_t *next)
{
	const struct reloc *r = &c->item->relocs.relocs[i];

	if (arch_reloc_sets_all(c->arch, r->type))
		return true;
	for (unsigned k = 0; k < width_of(c, i); k++) {
		uint64_t at = r->offset + k;
		uint8_t kept =
			~section_relocs_bits(&c->item->relocs, c->arch, at);

		if (at >= *next && at < c->size &&
		    ((c->before[at] ^ c->after[at]) & kept) != 0) {
			*next = at;
			return judge(c, next, 1);
		}
	}
	return true;
}

static bool same_rigid(const struct engine *e, const struct item *item,
		       const struct code *code, uint64_t offset,
		       const struct same_sink *sink)
{
	const struct comparison c = {
		.arch = e->arch,
		.item = item,
		.before = item->code.bytes,
		.after = code->bytes + offset,
		.size = item->code.size,
		.code = code,
		.sink = sink,
	};
	uint64_t at = 0;

	if (offset > code->size || code->size - offset < c.size)
		return false;
	for (size_t i = 0; i < item->relocs.n; i++) {
		uint64_t field = item->relocs.relocs[i].offset;
		uint64_t end = field + width_of(&c, i);

		if (end > c.size)
			end = c.size;
		if (field > at && !same_plain(&c, at, field, &at))
			return false;
		if (!same_field(&c, i, &at))
			return false;
		if (end > at)
			at = end;
	}
	return at >= c.size || same_plain(&c, at, c.size, &at);
}

bool same_at(const struct engine *e, const struct item *item,
	     const struct code *code, uint64_t offset,
	     const struct same_sink *sink)
{
	return e->arch->relax != NULL ? walk_same(e, item, code, offset, sink)
				      : same_rigid(e, item, code, offset, sink);
}

/* --- Of two inputs ----------------------------------------------------- */

/* Hashes bytes outside of fields, and fields. */
uint64_t same_hash(const struct engine *e, const struct item *item)
{
	uint64_t h = item->code.size, at = 0;

	for (size_t i = 0; i <= item->relocs.n; i++) {
		uint64_t stop = item->code.size, end = stop;

		if (i < item->relocs.n) {
			const struct reloc *r = &item->relocs.relocs[i];

			stop = r->offset;
			end = stop + arch_reloc_width(e->arch, r->type);
			h = (h ^ stop ^ (uint64_t)r->type << 32) *
			    1099511628211u;
		}
		for (; at < stop; at++)
			h = (h ^ item->code.bytes[at]) * 1099511628211u;
		if (end > at)
			at = end;
	}
	return h ^ h >> 29;
}

bool same_items(const struct engine *e, const struct item *a,
		const struct item *b)
{
	if (a->code.size != b->code.size || a->relocs.n != b->relocs.n)
		return false;
	for (size_t i = 0; i < a->relocs.n; i++)
		if (!section_relocs_alike(&a->relocs, &b->relocs, e->arch, i))
			return false;
	/* With an instruction set that rewrites what is equal: none. */
	return same_rigid(e, a, &b->code, 0, NULL);
}

/* --- The window that is searched for ----------------------------------- */

/* So many windows of a section are considered. */
#define WINDOWS_MAX 512

static unsigned distinct_bytes(const uint8_t *p, unsigned n)
{
	unsigned distinct = 0;

	for (unsigned i = 0; i < n; i++)
		distinct += memchr(p, p[i], i) == NULL;
	return distinct;
}

/*
 * Finds the best window in [START, END). Up to LOST bytes may be deleted before
 * it. *BEST is the quality of the best one so far.
 */
static void best_window(struct item *item, uint64_t start, uint64_t end,
			unsigned size, uint64_t lost, unsigned *best,
			unsigned *left)
{
	for (; start + size <= end && *left > 0; start++, --*left) {
		unsigned n = distinct_bytes(item->code.bytes + start, size);

		if (n <= *best)
			continue;
		*best = n;
		item->key_offset = start;
		item->key_size = size;
		item->key_lost = lost;
	}
}

/* A window is not used if more bytes may be deleted before it. */
#define LOST_MAX 64

/* The longest form that linkers shorten. */
#define FORM_MAX 8

/*
 * The number of bytes that a linker may delete for relocation I and behind it.
 */
static uint64_t may_lose(const struct engine *e, const struct item *item,
			 size_t i)
{
	const struct reloc *r = &item->relocs.relocs[i];

	if (e->arch->relax == NULL || !arch_reloc_relaxes(e->arch, r->type))
		return 0;
	/* Fill for alignment. */
	if (r->addend > 0)
		return r->addend;
	/* What --nop took the relocation from. */
	if (i > 0 && r[-1].offset == r->offset &&
	    r[-1].type == e->arch->reloc_none)
		return 0;
	return FORM_MAX;
}

static bool find_key(const struct engine *e, struct item *item, unsigned size)
{
	unsigned best = 0, left = WINDOWS_MAX;
	uint64_t clean = 0, lost = 0;

	for (size_t i = 0; i <= item->relocs.n; i++) {
		uint64_t start = item->code.size, end = start, reach = 0;

		if (i < item->relocs.n) {
			const struct reloc *r = &item->relocs.relocs[i];

			reach = e->arch->relax != NULL ? 0
				: e->arch->rewrite_reach != NULL
					? e->arch->rewrite_reach(e->arch,
								 r->type)
					: REACH_MAX;
			start = r->offset > reach ? r->offset - reach : 0;
			end = r->offset + arch_reloc_width(e->arch, r->type) +
			      reach;
		}
		if (clean < start)
			best_window(item, clean, start, size, lost, &best,
				    &left);
		if (end > clean)
			clean = end;
		if (i < item->relocs.n) {
			uint64_t more = may_lose(e, item, i);

			lost += more;
			if (lost > LOST_MAX)
				break;
			end = item->relocs.relocs[i].offset + more;
			if (more > 0 && end > clean)
				clean = end;
		}
	}
	return best > 0;
}

void same_key(const struct engine *e, struct item *item)
{
	uint64_t at = 0;

	item->nfixed = item->code.size;
	for (size_t i = 0; i < item->relocs.n; i++) {
		uint64_t start = item->relocs.relocs[i].offset;
		uint64_t end =
			start +
			arch_reloc_width(e->arch, item->relocs.relocs[i].type);

		start = start > at ? start : at;
		if (end > item->code.size)
			end = item->code.size;
		if (end > start)
			item->nfixed -= end - start;
		at = end > at ? end : at;
	}
	item->key_size = 0;
	if (!find_key(e, item, 8))
		find_key(e, item, 4);
}
