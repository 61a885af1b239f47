/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: a branch between two sections shows where one of them is if
 * the place of the other is known. Only branches to local symbols count: a
 * global one may be another object's in the end. The other section must have
 * its place to itself: if two sections could change places, either could be the
 * one that calls, or is called.
 *
 * A branch that leads elsewhere denies a place, unless the linker may have sent
 * it there: by a hop, or past a function that only jumps on.
 */
#include <config.h>

#include <stdlib.h>

#include "base/grow.h"
#include "base/search.h"
#include "references.h"

/* A branch between section OWN, which is not settled, and OTHER. */
struct reference {
	uint32_t own, other;
	bool is_call;	 /* from OWN to OTHER; else the other way */
	uint64_t offset; /* of the branch in the one */
	uint64_t target; /* of what it leads to in the other one */
	uint8_t mode;	 /* of the branch */
};

struct references {
	struct reference *items; /* by OWN; owned */
	size_t n;
};

void references_free(struct references *references)
{
	if (references != NULL)
		free(references->items);
	free(references);
}

/* --- The list ----------------------------------------------------------- */

/* Section SHNDX of P if it is not settled, or NULL. */
static const struct pending *find_open(const struct proof *p, uint32_t shndx)
{
	size_t n = p->pending_of[shndx];
	const struct pending *s = n > 0 ? &p->pending[n - 1] : NULL;

	return s != NULL && !s->is_settled ? s : NULL;
}

enum { HAS_SITES = 1, IS_OPEN = 2 };

/*
 * By symbol, if it is local and its text cannot be shortened: is it in a
 * section with sites, and is that not settled? Owned.
 */
static uint8_t *describe_symbols(const struct proof *p)
{
	const struct object *obj = p->partial;
	uint8_t *about = calloc(obj->nsymbols + 1, sizeof(about[0]));

	for (size_t i = 1; about != NULL && i < obj->nsymbols; i++) {
		struct symbol sym;

		object_symbol(obj, i, &sym);
		if (sym.bind != STB_LOCAL || !sym.is_defined ||
		    sym.shndx >= obj->nsections ||
		    obj->sections[sym.shndx].relaxes)
			continue;
		if (find_open(p, sym.shndx) != NULL)
			about[i] = HAS_SITES | IS_OPEN;
		else if (lookup_has_sites(p, sym.shndx))
			about[i] = HAS_SITES;
	}
	return about;
}

/* Is a branch with the field of R in CODE, of the partial? Sets *OFFSET. */
static bool find_branch(const struct arch *arch, const struct code *code,
			const struct reloc *r, uint64_t *offset, uint8_t *mode)
{
	for (unsigned back = 0; back <= 2 && back <= r->offset; back++) {
		struct mark mark = { 0, 0 };
		struct code there;
		struct branch branch;

		*offset = r->offset - back;
		if (arch->mode_bits != 0)
			mark.mode = code_mode(code, *offset);
		if (mark.mode == MODE_UNKNOWN || mark.mode == MODE_DATA)
			continue;
		*mode = mark.mode;
		there = code_in_mode(code, &mark);
		if (*offset < code->size &&
		    arch->decode_branch(arch, &there, *offset, &branch) &&
		    branch.field == back)
			return true;
	}
	return false;
}

static int add_reference(struct proof *p, const struct reference *ref)
{
	struct references *refs = p->references;
	struct reference *items =
		grow_list(refs->items, refs->n, sizeof(items[0]));

	if (items == NULL)
		return diag_nomem(p->run->d, p->partial->path);
	refs->items = items;
	items[refs->n++] = *ref;
	return 0;
}

/*
 * Adds the branches that section SHNDX has to symbols that are WANTED. Either
 * it or their section is not settled.
 */
static int list_branches(struct proof *p, uint32_t shndx,
			 const struct section_relocs *relocs,
			 const uint8_t *about, uint8_t wanted)
{
	const struct object *obj = p->partial;
	bool is_call = wanted == HAS_SITES;
	struct code code = { 0 };

	for (size_t i = 0; i < relocs->n; i++) {
		const struct reloc *r = &relocs->relocs[i];
		struct reference ref = { .is_call = is_call };
		struct symbol sym;
		uint64_t step;
		int64_t lead;

		if (r->symndx >= obj->nsymbols ||
		    (about[r->symndx] & wanted) == 0)
			continue;
		object_symbol(obj, r->symndx, &sym);
		if (sym.shndx == shndx)
			continue;
		if (code.bytes == NULL &&
		    !object_code(p->run->d, obj, shndx, &code))
			return -1;
		lead = arch_reloc_lead(obj->arch, code.bytes, code.size, true,
				       relocs->is_rela, r, &step);
		if (step != 0 || lead == NO_LEAD ||
		    !find_branch(obj->arch, &code, r, &ref.offset, &ref.mode))
			continue;
		ref.own = is_call ? shndx : sym.shndx;
		ref.other = is_call ? sym.shndx : shndx;
		ref.target = sym.value + lead;
		if (add_reference(p, &ref))
			return -1;
	}
	return 0;
}

static int compare_references(const void *a, const void *b)
{
	const struct reference *x = a, *y = b;

	if (x->own != y->own)
		return x->own < y->own ? -1 : 1;
	if (x->other != y->other)
		return x->other < y->other ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static bool is_certain(const struct placed *pl)
{
	return pl != NULL && !pl->is_suspect && !pl->is_relaxed &&
	       !pl->is_exchangeable;
}

/* Lists the branches between sections of P that are placed and those that are
 * not. */
static int list_references(struct proof *p)
{
	uint8_t *about = describe_symbols(p);
	int ret = 0;

	references_free(p->references);
	p->references = calloc(1, sizeof(*p->references));
	if (about == NULL || p->references == NULL)
		ret = diag_nomem(p->run->d, p->partial->path);
	for (size_t i = 0; ret == 0 && i < p->nplaced; i++)
		if (is_certain(&p->placed[i]))
			ret = list_branches(p, p->placed[i].shndx,
					    &p->placed[i].relocs, about,
					    IS_OPEN);
	for (size_t i = 0; ret == 0 && i < p->npending; i++) {
		const struct pending *s = &p->pending[i];
		uint32_t shndx = p->list.items[s->first].shndx;

		if (!s->is_settled && !p->partial->sections[shndx].relaxes)
			ret = list_branches(p, shndx, &s->relocs, about,
					    HAS_SITES);
	}
	free(about);
	if (ret == 0 && p->references->n > 0)
		qsort(p->references->items, p->references->n,
		      sizeof(p->references->items[0]), compare_references);
	return ret;
}

/* --- Where they lead ---------------------------------------------------- */

enum answer { DENIED, OPEN, AGREED };

/* Does the linker's code, or a function that only jumps on, begin at ADDR? */
static bool may_be_passed(const struct proof *p, uint64_t addr)
{
	struct branch branch;

	return decode_at(p, addr, &branch) && branch.form == FORM_TAIL;
}

/*
 * Is the own section of REF at ADDR, by that branch? Only who is called is
 * there for sure: what calls the same may be another function that is alike.
 */
static enum answer ask(const struct proof *p, const struct reference *ref,
		       uint64_t addr)
{
	const struct arch *arch = p->partial->arch;
	const struct placed *other = lookup_placed_section(p, ref->other);
	struct mark mark = { 0, ref->mode };
	const struct image_section *is;
	struct branch branch;
	struct code code;
	uint64_t from, to;

	if (!is_certain(other))
		return OPEN;
	from = (ref->is_call ? addr : other->addr) + ref->offset;
	to = (ref->is_call ? other->addr : addr) + ref->target;
	to = image_wrap(&p->run->img, to);
	is = image_find_text(&p->run->img, from, 1);
	if (is == NULL)
		return OPEN;
	code = code_in_mode(&is->code, &mark);
	if (!arch->decode_branch(arch, &code, from - code.addr, &branch))
		return OPEN;
	if (branch.target == to)
		return ref->is_call ? OPEN : AGREED;
	return may_be_passed(p, to) || may_be_passed(p, branch.target) ||
			       reach_is_hop(p, &branch)
		       ? OPEN
		       : DENIED;
}

/* The same by all branches from and to section SHNDX. */
static enum answer ask_all(const struct proof *p, uint32_t shndx, uint64_t addr)
{
	const struct references *refs = p->references;
	enum answer answer = OPEN;
	size_t i;

	LOWER_BOUND(i, refs->n, refs->items[i].own < shndx);
	for (; i < refs->n && refs->items[i].own == shndx; i++) {
		enum answer next = ask(p, &refs->items[i], addr);

		if (next == DENIED)
			return DENIED;
		if (next == AGREED)
			answer = AGREED;
	}
	return answer;
}

/* --- What follows ------------------------------------------------------- */

/* The best answer that a section of the group of S has for ADDR. *NAGREED
 * counts the sections whose branches agree. */
static enum answer ask_group(struct proof *p, struct pending *s, uint64_t addr,
			     size_t *nagreed)
{
	enum answer best = DENIED;

	for (struct wanted w = { p, s }; w.s != NULL; w = w.s->next) {
		uint32_t shndx = w.p->list.items[w.s->first].shndx;
		enum answer answer = ask_all(w.p, shndx, addr);

		*nagreed += answer == AGREED;
		if (answer > best)
			best = answer;
	}
	return best;
}

/* S is the model of its group. */
static bool apply(struct proof *p, struct pending *s)
{
	struct placement *pl = &s->pl;
	size_t n = 0, nagreed = 0, nplaces = 0, nbefore = pl->ncandidates;
	bool was_referenced = s->is_referenced;

	for (size_t i = 0; i < pl->ncandidates; i++) {
		uint64_t addr = pl->candidates[i];
		size_t nhere = 0;

		if (ask_group(p, s, addr, &nhere) == DENIED)
			continue;
		pl->candidates[i] = pl->candidates[n];
		pl->candidates[n++] = addr;
		nagreed += nhere;
		nplaces += nhere == 1;
	}
	if (n == 0)
		return false;
	pl->ncandidates = n;
	s->is_referenced = n == s->n && nagreed == n && nplaces == n;
	return n < nbefore || s->is_referenced != was_referenced;
}

int references_apply(struct proof *all, size_t n, bool *has_changed)
{
	bool has_open = false;

	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < all[k].npending; i++)
			has_open |= !all[k].pending[i].is_settled;
	for (size_t k = 0; has_open && k < n; k++)
		if (list_references(&all[k]))
			return -1;
	for (size_t k = 0; has_open && k < n; k++)
		for (size_t i = 0; i < all[k].npending; i++) {
			struct pending *s = &all[k].pending[i];

			if (!s->is_settled && s->model == NULL &&
			    !s->is_misfit && s->pl.ncandidates > 0 &&
			    !s->pl.is_cut)
				*has_changed |= apply(&all[k], s);
		}
	return 0;
}
