/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: a branch between two sections shows where one of them is if
 * the place of the other is known. Only branches to local symbols count: a
 * global one may be another object's in the end. The other section must have
 * its place to itself: if two sections could change places, either could be the
 * one that calls, or is called. At the place of a COMDAT function may be
 * another object's copy, which calls what is local there.
 *
 * A branch that leads elsewhere denies a place, unless the linker may have sent
 * it there: by a hop, or past a function that only jumps on.
 */
#include <config.h>

#include <stdlib.h>

#include "base/grow.h"
#include "base/search.h"
#include "base/sort.h"
#include "references.h"

struct references {
	struct reference *items; /* by OWN; owned */
	size_t n;
};

static void free_references(struct proof *p)
{
	if (p->references != NULL)
		free(p->references->items);
	free(p->references);
	p->references = NULL;
}

/* --- The list ----------------------------------------------------------- */

enum { IS_OTHER, HAS_SITES, IS_OPEN };

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
		if (sections_find_open(p, sym.shndx) != NULL)
			about[i] = IS_OPEN;
		else if (lookup_has_sites(p, sym.shndx))
			about[i] = HAS_SITES;
	}
	return about;
}

/* Is a branch with the field of R in CODE, of the partial? Sets *MODE. */
static bool is_branch(const struct arch *arch, const struct code *code,
		      const struct reloc *r, uint8_t *mode)
{
	struct mark mark = { 0, 0 };
	struct code there = code_in_mode(code, &mark);
	struct branch branch;

	if (arch->mode_bits != 0)
		mark.mode = code_mode(code, r->offset);
	*mode = mark.mode;
	return mark.mode != MODE_UNKNOWN && mark.mode != MODE_DATA &&
	       arch_reloc_may_branch(arch, r->type) &&
	       arch_decode_at_field(arch, &there, r->offset, &branch);
}

bool references_decode(const struct arch *arch, const struct code *code,
		       const struct section_relocs *relocs,
		       const struct reloc *r, const struct symbol *sym,
		       struct reference *ref)
{
	uint64_t step;
	int64_t lead = arch_reloc_lead(arch, code->bytes, code->size, true,
				       relocs->is_rela, r, &step);

	*ref = (struct reference){ .field = r->offset,
				   .target = sym->value + lead };
	if (arch->local_entry != NULL)
		ref->entry = arch->local_entry(sym->other);
	return step == 0 && lead != NO_LEAD &&
	       is_branch(arch, code, r, &ref->mode);
}

/* Adds BRANCH from section FROM to section TO, for OWN, which is one of them.
 */
static int add_reference(struct proof *p, const struct reference *branch,
			 uint32_t from, uint32_t to, uint32_t own)
{
	struct references *refs = p->references;
	struct reference *items =
		grow_list(refs->items, refs->n, sizeof(items[0]));

	if (items == NULL)
		return diag_nomem(p->run->d, p->partial->path);
	refs->items = items;
	items[refs->n] = *branch;
	items[refs->n].own = own;
	items[refs->n].other = own == from ? to : from;
	items[refs->n++].is_call = own == from;
	return 0;
}

/* Does what is at the place of section FROM call the same copy of TO? */
static bool is_own_call(const struct object *obj, uint32_t from, uint32_t to)
{
	return obj->sections[from].comdat == 0 ||
	       obj->sections[from].comdat == obj->sections[to].comdat;
}

/*
 * Adds the branches that section SHNDX, which IS_OPEN or not, has to sections
 * of which one of the two is open.
 */
static int list_branches(struct proof *p, uint32_t shndx, bool is_open,
			 const struct section_relocs *relocs,
			 const uint8_t *about)
{
	const struct object *obj = p->partial;
	struct code code = { 0 };

	for (size_t i = 0; i < relocs->n; i++) {
		const struct reloc *r = &relocs->relocs[i];
		struct reference ref;
		struct symbol sym;

		if (r->symndx >= obj->nsymbols ||
		    about[r->symndx] < (is_open ? HAS_SITES : IS_OPEN))
			continue;
		object_symbol(obj, r->symndx, &sym);
		if (sym.shndx == shndx || !is_own_call(obj, shndx, sym.shndx))
			continue;
		if (code.bytes == NULL &&
		    !object_code(p->run->d, obj, shndx, &code))
			return -1;
		if (!references_decode(obj->arch, &code, relocs, r, &sym, &ref))
			continue;
		if ((is_open &&
		     add_reference(p, &ref, shndx, sym.shndx, shndx)) ||
		    (about[r->symndx] == IS_OPEN &&
		     add_reference(p, &ref, shndx, sym.shndx, sym.shndx)))
			return -1;
	}
	return 0;
}

static int compare_references(const void *a, const void *b)
{
	const struct reference *x = a, *y = b;

	if (x->own != y->own)
		return x->own < y->own ? -1 : 1;
	return sort_pairs(x->other, x->field, y->other, y->field);
}

/* At a local name may be another object's function that is alike. */
static bool is_certain(const struct placed *pl)
{
	return pl != NULL && pl->is_certain && !pl->is_suspect &&
	       !pl->is_relaxed && !pl->is_exchangeable;
}

/* Lists the branches between sections of P that are placed and those that are
 * not. */
static int list_references(struct proof *p)
{
	uint8_t *about = describe_symbols(p);
	int ret = 0;

	p->references = calloc(1, sizeof(*p->references));
	if (about == NULL || p->references == NULL)
		ret = diag_nomem(p->run->d, p->partial->path);
	for (size_t i = 0; ret == 0 && i < p->nplaced; i++)
		if (is_certain(&p->placed[i]))
			ret = list_branches(p, p->placed[i].shndx, false,
					    &p->placed[i].relocs, about);
	for (size_t i = 0; ret == 0 && i < p->npending; i++) {
		const struct pending *s = &p->pending[i];
		uint32_t shndx = p->list.items[s->first].shndx;

		if (!s->is_settled && !p->partial->sections[shndx].relaxes)
			ret = list_branches(p, shndx, true, &s->relocs, about);
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

/* Where section SHNDX certainly is; false if that is not known. */
static bool find_place(const struct proof *p, uint32_t shndx, uint64_t *addr)
{
	const struct placed *placed = lookup_placed_section(p, shndx);
	const struct pending *s = sections_find_open(p, shndx);

	if (is_certain(placed)) {
		*addr = placed->addr;
		return true;
	}
	if (s == NULL || s->model != NULL || s->n != 1 || !s->is_referenced)
		return false;
	*addr = s->pl.candidates[0];
	return true;
}

bool references_in_image(const struct proof *p, const struct reference *ref,
			 uint64_t addr, struct branch *branch)
{
	uint64_t field = addr + ref->field;
	const struct image_section *is =
		image_find_text(&p->run->img, field, 1);
	struct mark mark = { 0, ref->mode };
	struct code code;

	if (is == NULL)
		return false;
	code = code_in_mode(&is->code, &mark);
	return arch_decode_at_field(p->partial->arch, &code, field - code.addr,
				    branch);
}

/*
 * Is the own section of REF at ADDR, by that branch? Only who is called is
 * there for sure: what calls the same may be another function that is alike.
 */
static enum answer ask(const struct proof *p, const struct reference *ref,
		       uint64_t addr)
{
	struct branch branch;
	uint64_t to, other;

	if (!find_place(p, ref->other, &other) ||
	    !references_in_image(p, ref, ref->is_call ? addr : other, &branch))
		return OPEN;
	to = (ref->is_call ? other : addr) + ref->target;
	to = image_wrap(&p->run->img, to);
	if (branch.target == to || branch.target - to == ref->entry)
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

/* Does any branch from or to section SHNDX show anything? */
static bool may_tell(const struct proof *p, uint32_t shndx)
{
	const struct references *refs = p->references;
	uint64_t other;
	size_t i;

	LOWER_BOUND(i, refs->n, refs->items[i].own < shndx);
	for (; i < refs->n && refs->items[i].own == shndx; i++)
		if (find_place(p, refs->items[i].other, &other))
			return true;
	return false;
}

/* Lists those of the group of S whose branches may show where they are. */
static size_t list_tellers(struct proof *p, struct pending *s,
			   struct wanted *list)
{
	size_t n = 0;

	for (struct wanted w = { p, s }; w.s != NULL; w = w.s->next)
		if (may_tell(w.p, w.p->list.items[w.s->first].shndx))
			list[n++] = w;
	return n;
}

/*
 * The best answer that one of the N sections of LIST has for ADDR. *NAGREED
 * counts those whose branches agree.
 */
static enum answer ask_group(const struct wanted *list, size_t n, uint64_t addr,
			     size_t *nagreed)
{
	enum answer best = DENIED;

	for (size_t i = 0; i < n; i++) {
		const struct wanted *w = &list[i];
		enum answer answer = ask_all(
			w->p, w->p->list.items[w->s->first].shndx, addr);

		*nagreed += answer == AGREED;
		if (answer > best)
			best = answer;
	}
	return best;
}

/*
 * S is the model of its group. LIST has room for the group. Returns whether
 * anything has changed.
 */
static bool apply(struct proof *p, struct pending *s, struct wanted *list)
{
	struct placement *pl = &s->pl;
	size_t n = 0, nconfirmed = 0, nbefore = pl->ncandidates;
	size_t ntellers = list_tellers(p, s, list);
	bool was_referenced = s->is_referenced;

	if (ntellers == 0) {
		s->is_referenced = false;
		return was_referenced;
	}
	for (size_t i = 0; i < pl->ncandidates; i++) {
		size_t nagreed = 0;
		enum answer answer =
			ask_group(list, ntellers, pl->candidates[i], &nagreed);

		/* The others do not deny it. */
		if (answer == DENIED && ntellers == s->n)
			continue;
		pl->candidates[n++] = pl->candidates[i];
		nconfirmed += nagreed == 1;
	}
	if (n == 0)
		return false;
	pl->ncandidates = n;
	s->is_referenced = n == s->n && nconfirmed == n;
	return n < nbefore || s->is_referenced != was_referenced;
}

/* Appends the open sections that S calls to LIST, which has room for ROOM. */
static size_t list_callees(const struct proof *p, const struct pending *s,
			   struct pending **list, size_t n, size_t room)
{
	const struct references *refs = p->references;
	uint32_t shndx = p->list.items[s->first].shndx;
	size_t i;

	LOWER_BOUND(i, refs->n, refs->items[i].own < shndx);
	for (; i < refs->n && refs->items[i].own == shndx && n < room; i++) {
		struct pending *callee =
			refs->items[i].is_call
				? sections_find_open(p, refs->items[i].other)
				: NULL;

		if (callee != NULL)
			list[n++] = callee;
	}
	return n;
}

/*
 * A section that is confirmed confirms those that it calls. GROUP has room for
 * all pending sections of all partials.
 */
static int apply_all(struct proof *p, struct wanted *group, bool *has_changed)
{
	size_t room = p->npending + p->references->n;
	struct pending **list = malloc((room + 1) * sizeof(list[0]));
	size_t n = 0;

	if (list == NULL)
		return diag_nomem(p->run->d, p->partial->path);
	for (size_t i = p->npending; i-- > 0;)
		list[n++] = &p->pending[i];
	while (n > 0) {
		struct pending *s = list[--n];
		bool was_referenced = s->is_referenced;

		if (s->is_settled || s->model != NULL || s->is_misfit ||
		    s->pl.ncandidates == 0 || s->pl.is_cut)
			continue;
		*has_changed |= apply(p, s, group);
		if (!was_referenced && s->is_referenced)
			n = list_callees(p, s, list, n, room);
	}
	free(list);
	return 0;
}

static bool has_open(const struct proof *p)
{
	for (size_t i = 0; i < p->npending; i++)
		if (!p->pending[i].is_settled)
			return true;
	return false;
}

static size_t count_pending(const struct verify_run *run)
{
	size_t n = 0;

	for (size_t k = 0; k < run->nproofs; k++)
		n += run->proofs[k].npending;
	return n;
}

int references_apply(struct proof *all, size_t n, bool *has_changed)
{
	struct wanted *group =
		malloc((count_pending(all->run) + 1) * sizeof(group[0]));
	int ret = group != NULL
			  ? 0
			  : diag_nomem(all->run->d, all->run->img.obj->path);

	/* A group has sections of several partials. */
	for (size_t k = 0; ret == 0 && k < n; k++)
		if (has_open(&all[k]))
			ret = list_references(&all[k]);
	for (size_t k = 0; ret == 0 && k < n; k++)
		if (all[k].references != NULL)
			ret = apply_all(&all[k], group, has_changed);
	for (size_t k = 0; k < n; k++)
		free_references(&all[k]);
	free(group);
	return ret;
}

/* Has the image a function of known size at ADDR? It is no linker's code. */
static bool is_function(const struct proof *p, uint64_t addr)
{
	struct symbol sym;

	return image_function(&p->run->img, addr, &sym) && sym.value == addr &&
	       sym.size > 0;
}

bool references_may_pass(const struct proof *p, const struct branch *branch)
{
	return reach_is_hop(p, branch) || (may_be_passed(p, branch->target) &&
					   !is_function(p, branch->target));
}
