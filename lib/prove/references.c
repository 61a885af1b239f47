/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: a branch from a section whose place is known shows where the
 * section is that it calls. Only local symbols count: a global one may be
 * another object's in the end. The caller must have its place to itself: if two
 * sections could change places, either could be the caller.
 *
 * A branch that leads elsewhere denies a place, unless the linker may have sent
 * it there: by a hop, or past a function that only jumps on.
 */
#include <config.h>

#include <stdlib.h>

#include "base/grow.h"
#include "base/search.h"
#include "references.h"

/* A branch of section FROM of a partial to section TO. */
struct reference {
	uint32_t from, to;
	uint64_t offset; /* of the branch, in FROM */
	uint64_t target; /* offset in TO */
	uint8_t mode;	 /* of the branch */
};

struct references {
	struct reference *items; /* by TO; owned */
	size_t n;
};

void references_free(struct references *references)
{
	if (references != NULL)
		free(references->items);
	free(references);
}

/* --- The list ----------------------------------------------------------- */

/* By symbol: is it local, and in a section that is not settled? Owned. */
static bool *find_wanted(const struct proof *p)
{
	bool *is_wanted =
		calloc(p->partial->nsymbols + 1, sizeof(is_wanted[0]));

	for (size_t i = 1; is_wanted != NULL && i < p->partial->nsymbols; i++) {
		struct symbol sym;
		size_t n;

		object_symbol(p->partial, i, &sym);
		if (sym.bind != STB_LOCAL || !sym.is_defined ||
		    sym.shndx >= p->partial->nsections)
			continue;
		n = p->pending_of[sym.shndx];
		is_wanted[i] = n > 0 && !p->pending[n - 1].is_settled;
	}
	return is_wanted;
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

/* Adds the branches of PL to wanted symbols. */
static int list_branches(struct proof *p, const struct placed *pl,
			 const bool *is_wanted)
{
	const struct object *obj = p->partial;
	const struct section_relocs *relocs = &pl->relocs;
	struct code code = { 0 };

	for (size_t i = 0; i < relocs->n; i++) {
		const struct reloc *r = &relocs->relocs[i];
		struct reference ref = { .from = pl->shndx };
		struct symbol sym;
		uint64_t step;
		int64_t lead;

		if (r->symndx >= obj->nsymbols || !is_wanted[r->symndx])
			continue;
		object_symbol(obj, r->symndx, &sym);
		if (sym.shndx == pl->shndx || obj->sections[sym.shndx].relaxes)
			continue;
		if (code.bytes == NULL &&
		    !object_code(p->run->d, obj, pl->shndx, &code))
			return -1;
		lead = arch_reloc_lead(obj->arch, code.bytes, code.size, true,
				       relocs->is_rela, r, &step);
		if (step != 0 || lead == NO_LEAD ||
		    !find_branch(obj->arch, &code, r, &ref.offset, &ref.mode))
			continue;
		ref.to = sym.shndx;
		ref.target = sym.value + lead;
		if (add_reference(p, &ref))
			return -1;
	}
	return 0;
}

static int compare_references(const void *a, const void *b)
{
	const struct reference *x = a, *y = b;

	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Lists the branches that P's placed sections have to sections that are not. */
static int list_references(struct proof *p)
{
	bool *is_wanted = find_wanted(p);
	int ret = 0;

	references_free(p->references);
	p->references = calloc(1, sizeof(*p->references));
	if (is_wanted == NULL || p->references == NULL)
		ret = diag_nomem(p->run->d, p->partial->path);
	for (size_t i = 0; ret == 0 && i < p->nplaced; i++) {
		const struct placed *pl = &p->placed[i];

		if (!pl->is_suspect && !pl->is_relaxed && !pl->is_exchangeable)
			ret = list_branches(p, pl, is_wanted);
	}
	free(is_wanted);
	if (ret == 0 && p->references->n > 0)
		qsort(p->references->items, p->references->n,
		      sizeof(p->references->items[0]), compare_references);
	return ret;
}

/* --- Where they lead ---------------------------------------------------- */

enum answer { DENIED, OPEN, CALLED };

/* Does the linker's code, or a function that only jumps on, begin at ADDR? */
static bool may_be_passed(const struct proof *p, uint64_t addr)
{
	struct branch branch;

	return decode_at(p, addr, &branch) && branch.form == FORM_TAIL;
}

/* Is the section that REF calls at ADDR, by the branch of its caller? */
static enum answer ask(const struct proof *p, const struct reference *ref,
		       uint64_t addr)
{
	const struct arch *arch = p->partial->arch;
	const struct placed *from = lookup_placed_section(p, ref->from);
	uint64_t target = image_wrap(&p->run->img, addr + ref->target);
	struct mark mark = { 0, ref->mode };
	const struct image_section *is;
	struct branch branch;
	struct code code;

	if (from == NULL)
		return OPEN;
	is = image_find_text(&p->run->img, from->addr + ref->offset, 1);
	if (is == NULL)
		return OPEN;
	code = code_in_mode(&is->code, &mark);
	if (!arch->decode_branch(arch, &code,
				 from->addr + ref->offset - code.addr, &branch))
		return OPEN;
	if (branch.target == target)
		return CALLED;
	return may_be_passed(p, target) || may_be_passed(p, branch.target) ||
			       reach_is_hop(p, &branch)
		       ? OPEN
		       : DENIED;
}

/* The same by all callers of section SHNDX. */
static enum answer ask_all(const struct proof *p, uint32_t shndx, uint64_t addr)
{
	const struct references *refs = p->references;
	enum answer answer = OPEN;
	size_t i;

	LOWER_BOUND(i, refs->n, refs->items[i].to < shndx);
	for (; i < refs->n && refs->items[i].to == shndx; i++) {
		enum answer next = ask(p, &refs->items[i], addr);

		if (next == DENIED)
			return DENIED;
		if (next == CALLED)
			answer = CALLED;
	}
	return answer;
}

/* --- What follows ------------------------------------------------------- */

/* The best answer that a section of the group of S has for ADDR. *NCALLED
 * counts those that are called there. */
static enum answer ask_group(struct proof *p, struct pending *s, uint64_t addr,
			     size_t *ncalled)
{
	enum answer best = DENIED;

	for (struct wanted w = { p, s }; w.s != NULL; w = w.s->next) {
		uint32_t shndx = w.p->list.items[w.s->first].shndx;
		enum answer answer = ask_all(w.p, shndx, addr);

		*ncalled += answer == CALLED;
		if (answer > best)
			best = answer;
	}
	return best;
}

/* S is the model of its group. */
static bool apply(struct proof *p, struct pending *s)
{
	struct placement *pl = &s->pl;
	size_t n = 0, ncalled = 0, nplaces = 0, nbefore = pl->ncandidates;
	bool was_referenced = s->is_referenced;

	for (size_t i = 0; i < pl->ncandidates; i++) {
		uint64_t addr = pl->candidates[i];
		size_t nhere = 0;

		if (ask_group(p, s, addr, &nhere) == DENIED)
			continue;
		pl->candidates[i] = pl->candidates[n];
		pl->candidates[n++] = addr;
		ncalled += nhere;
		nplaces += nhere == 1;
	}
	if (n == 0)
		return false;
	pl->ncandidates = n;
	s->is_referenced = n == s->n && ncalled == n && nplaces == n;
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
