/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: what a link drops, nothing calls that it keeps. So this
 * follows calls, from the functions of a partial that are in the image to its
 * sections with sites that are not. If there is such a call, the image was
 * linked from another build of the partial.
 *
 * It begins at functions with global names: at a local name may be another
 * object's function. Where text relaxes, it follows no calls, but compares
 * those functions.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/search.h"
#include "base/sort.h"
#include "callers.h"
#include "namesakes.h"
#include "proof.h"
#include "references.h"

/* A branch from one section of the partial to another. */
struct call {
	uint32_t from, to;
};

/* A section that is in the image. */
struct caller {
	uint32_t shndx;
	uint64_t addr;
};

struct call_search {
	struct proof *p;
	/* By section: the absent one to which calls lead from it, itself if it
	 * is absent, or 0; owned. */
	uint32_t *leads;
	bool *is_known;	    /* by section: listed or reported; owned */
	struct call *calls; /* owned */
	size_t ncalls;
	struct caller *callers; /* owned; each section once */
	size_t ncallers;
};

/* --- What leads to absent sections ---------------------------------------- */

/*
 * Lists the sections with sites that are not in the image. A member of a COMDAT
 * group may be another object's.
 */
static bool list_absent(struct call_search *search)
{
	const struct proof *p = search->p;
	bool has_any = false;

	for (size_t i = 0; i < p->list.n; i++) {
		const struct proof_site *site = &p->list.items[i];

		if (!site->is_absent || site->is_placed ||
		    object_section_has_copies(p->partial, site->shndx))
			continue;
		search->leads[site->shndx] = site->shndx;
		has_any = true;
	}
	return has_any;
}

/* Does section SHNDX have code that only this object can have? */
static bool is_own_text(const struct object *obj, uint32_t shndx)
{
	const struct section *sec = &obj->sections[shndx];

	return section_is_text(sec) && sec->comdat == 0 && sec->size > 0;
}

/*
 * May R be of a branch to own text? Sets SYM to what it refers to. A weak
 * function may be another object's.
 */
static bool may_call(const struct object *obj, const struct reloc *r,
		     struct symbol *sym)
{
	if (r->symndx == 0 || r->symndx >= obj->nsymbols ||
	    !arch_reloc_may_branch(obj->arch, r->type))
		return false;
	object_symbol(obj, r->symndx, sym);
	return sym->is_defined && sym->shndx < obj->nsections &&
	       sym->bind != STB_WEAK && sym->type != STT_GNU_IFUNC &&
	       is_own_text(obj, sym->shndx);
}

static int add_calls(struct call_search *search, uint32_t shndx,
		     const struct section_relocs *relocs)
{
	const struct object *obj = search->p->partial;

	for (size_t i = 0; i < relocs->n; i++) {
		struct symbol sym;
		struct call *calls;

		if (!may_call(obj, &relocs->relocs[i], &sym) ||
		    sym.shndx == shndx)
			continue;
		calls = grow_list(search->calls, search->ncalls,
				  sizeof(calls[0]));
		if (calls == NULL)
			return diag_nomem(search->p->run->d, obj->path);
		search->calls = calls;
		calls[search->ncalls++] = (struct call){ shndx, sym.shndx };
	}
	return 0;
}

static int list_calls(struct call_search *search)
{
	const struct object *obj = search->p->partial;
	int ret = 0;

	for (uint32_t i = 1; ret == 0 && i < obj->nsections; i++) {
		struct section_relocs relocs;

		if (!is_own_text(obj, i))
			continue;
		ret = section_relocs_read(search->p->run->d, obj, i, &relocs);
		if (ret == 0)
			ret = add_calls(search, i, &relocs);
		section_relocs_free(&relocs);
	}
	return ret;
}

static int compare_calls(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	return sort_pairs(x->to, x->from, y->to, y->from);
}

/* From what is called to what calls it. */
static int spread_leads(struct call_search *search)
{
	size_t nsections = search->p->partial->nsections, n = 0;
	uint32_t *leads = search->leads;
	uint32_t *queue = malloc(nsections * sizeof(queue[0]));

	if (queue == NULL)
		return diag_nomem(search->p->run->d, search->p->partial->path);
	if (search->ncalls > 0)
		qsort(search->calls, search->ncalls, sizeof(search->calls[0]),
		      compare_calls);
	for (uint32_t i = 1; i < nsections; i++)
		if (leads[i] != 0)
			queue[n++] = i;
	for (size_t next = 0; next < n; next++) {
		size_t i;

		LOWER_BOUND(i, search->ncalls,
			    search->calls[i].to < queue[next]);
		for (; i < search->ncalls && search->calls[i].to == queue[next];
		     i++) {
			uint32_t from = search->calls[i].from;

			if (leads[from] != 0)
				continue;
			leads[from] = leads[queue[next]];
			queue[n++] = from;
		}
	}
	free(queue);
	return 0;
}

/* --- What is reported ----------------------------------------------------- */

const char *callers_name(const struct proof *p, uint32_t shndx)
{
	struct symbol first;
	size_t i = 0;

	return landmarks_next(&p->placer.landmarks, shndx, &i, &first) != 0
		       ? first.name
		       : p->partial->sections[shndx].name;
}

/* CALLER calls OFFSET of section SHNDX, and what is at ADDR is not that. */
static void report_callee(struct call_search *search, uint32_t caller,
			  uint32_t shndx, uint64_t offset, uint64_t addr)
{
	struct proof *p = search->p;
	struct finding f = { .cause = CAUSE_TEXT_DIFFERS,
			     .shndx = shndx,
			     .has_offset = true,
			     .offset = offset };

	search->is_known[shndx] = true;
	if (search->leads[shndx] == shndx)
		f = report_at_site(&p->list.items[lookup_sites_from(p, shndx)],
				   CAUSE_TEXT_DIFFERS);
	f.has_address = true;
	f.address = addr;
	report_finding(p, &f,
		       "%s calls the function, and in the image that leads to "
		       "other bytes than the partial's",
		       callers_name(p, caller));
}

/* Section SHNDX is in the image, and its bytes differ. */
static void report_caller(struct call_search *search, uint32_t shndx,
			  const struct placement *pl)
{
	struct finding f = { .cause = CAUSE_TEXT_DIFFERS,
			     .shndx = shndx,
			     .has_offset = true,
			     .offset = pl->offset,
			     .has_address = true,
			     .address = pl->at,
			     .remedy = REMEDY_TEXT_SITES };

	report_finding(search->p, &f,
		       "the bytes of the image are not those of the partial, "
		       "whose calls lead to %s, and the image has no such "
		       "function",
		       callers_name(search->p, search->leads[shndx]));
}

/* --- Where the search begins ---------------------------------------------- */

/* Has another partial a definition of NAME with this binding? */
static bool is_defined_twice(const struct proof *p, const char *name,
			     uint8_t bind)
{
	for (const struct namesake *it = namesakes_of(p, name); it != NULL;
	     it = it->next) {
		const struct proof *other = &p->run->proofs[it->k];
		struct symbol sym;

		object_symbol(other->partial, it->symndx, &sym);
		if (other != p && sym.is_defined && sym.bind == bind)
			return true;
	}
	return false;
}

/*
 * The only symbol NAME of the image, or the only one that is not local: other
 * objects may have local ones. Returns its index, or 0 if there is none.
 */
static uint32_t find_sole(const struct proof *p, const char *name,
			  struct symbol *found)
{
	struct symbol sym;
	size_t n = 0, nglobal = 0;
	uint32_t sole = 0;

	for (uint32_t symndx = 0;
	     names_next(&p->run->img.names, name, &symndx, &sym);) {
		n += sym.is_defined;
		nglobal += sym.is_defined && sym.bind != STB_LOCAL;
		if (sym.is_defined && (sym.bind != STB_LOCAL || nglobal == 0)) {
			*found = sym;
			sole = symndx;
		}
	}
	return nglobal == 1 || (nglobal == 0 && n == 1) ? sole : 0;
}

bool callers_has_global(struct proof *p, uint32_t shndx, bool may_be_local)
{
	struct symbol own, found;
	uint32_t symndx, sole;

	for (size_t i = 0; (symndx = landmarks_next(&p->placer.landmarks, shndx,
						    &i, &own)) != 0;) {
		if (own.bind == STB_GLOBAL &&
		    !placer_is_anothers(&p->placer, symndx) &&
		    own.type != STT_GNU_IFUNC &&
		    (sole = find_sole(p, own.name, &found)) != 0 &&
		    (may_be_local || found.bind != STB_LOCAL ||
		     (instead_made_local(p, &own, &found, sole) &&
		      !is_defined_twice(p, own.name, STB_LOCAL))) &&
		    placer_same_use(&own, &found) &&
		    !is_defined_twice(p, own.name, STB_GLOBAL) &&
		    !instead_is(p, &own, &found,
				p->partial->sections[shndx].relaxes))
			return true;
	}
	return false;
}

static void add_caller(struct call_search *search, uint32_t shndx,
		       uint64_t addr)
{
	if (search->is_known[shndx])
		return;
	search->is_known[shndx] = true;
	search->callers[search->ncallers++] = (struct caller){ shndx, addr };
}

/* Does the image have the section of PL there, and no other one? */
static bool is_alone(const struct placed *pl)
{
	return pl != NULL && !pl->is_suspect && !pl->is_exchangeable &&
	       !pl->is_shared && !pl->is_relaxed;
}

/* Finds section SHNDX, which has no sites, by its global names. */
static int place_caller(struct call_search *search, uint32_t shndx)
{
	struct proof *p = search->p;
	bool relaxes = p->partial->sections[shndx].relaxes;
	struct placement pl = { .state = PLACEMENT_UNKNOWN };
	struct section_relocs relocs;
	int ret = section_relocs_read(p->run->d, p->partial, shndx, &relocs);

	if (ret == 0)
		ret = relaxes ? relaxed_place(p, shndx, 0, 0, &relocs, &pl)
			      : placer_place(&p->placer, shndx, &relocs, &pl);
	/* A global name may be local in the image: hidden, or by mold. */
	if (ret == 0 && pl.state == PLACEMENT_PLACED && !relaxes)
		add_caller(search, shndx, pl.addr);
	else if (ret == 0 && pl.state == PLACEMENT_DIFFERS &&
		 callers_has_global(p, shndx, false) &&
		 p->run->options->text != TEXT_SITES)
		report_caller(search, shndx, &pl);
	section_relocs_free(&relocs);
	free(pl.candidates);
	return ret;
}

static int list_callers(struct call_search *search)
{
	struct proof *p = search->p;
	int ret = 0;

	for (uint32_t i = 1; ret == 0 && i < p->partial->nsections; i++) {
		const struct placed *pl;

		if (search->leads[i] == 0 || search->leads[i] == i ||
		    !callers_has_global(p, i, true))
			continue;
		pl = lookup_placed_section(p, i);
		if (!lookup_has_sites(p, i))
			ret = place_caller(search, i);
		else if (is_alone(pl))
			add_caller(search, i, pl->addr);
	}
	return ret;
}

/* --- Where calls lead ----------------------------------------------------- */

/*
 * Has the image another definition at ADDR, which took the place of SYM: of its
 * name, or by --wrap? Linkers make hidden names local. But for a local
 * function, a local name is just another's.
 */
static bool is_overridden_at(const struct proof *p, const struct symbol *sym,
			     uint64_t addr)
{
	struct symbol found;
	uint32_t symndx = 0;

	if (sym->bind == STB_LOCAL)
		return false;
	if (namesakes_any_at(p, sym->name, addr))
		return true;
	while (names_next_prefixed(&p->run->img.names, "__wrap_", sym->name,
				   &symndx, &found))
		if (found.value == addr)
			return true;
	return false;
}

/* Does a record of --nop deny a site of [FIRST, END), a NOP? */
static bool is_denied(const struct proof *p, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		if (!branch_is_right(p, &p->list.items[i]) &&
		    records_lack(p, &p->list.items[i]))
			return true;
	return false;
}

/*
 * Do the bytes and sites of section SHNDX fit at ADDR? If it is absent, it was
 * folded there.
 */
static bool fits(struct proof *p, uint32_t shndx, uint64_t addr)
{
	struct pending s = { .first = lookup_sites_from(p, shndx),
			     .end = lookup_sites_from(p, shndx + 1) };
	const struct symbol start = { .shndx = shndx };
	bool is_right;

	if (!sections_may_be_at(p, s.first, s.end, &start, addr))
		return false;
	if (s.first == s.end)
		return true;
	is_right = addresses_set(p, &s, addr) == 0 &&
		   addresses_are_right(p, &s) && !is_denied(p, s.first, s.end);
	addresses_unset(p, &s);
	return is_right;
}

/* Is section SHNDX, to which a branch leads, at ADDR? */
static bool is_there(const struct call_search *search, uint32_t shndx,
		     uint64_t addr)
{
	struct proof *p = search->p;
	const struct placed *pl;

	if (search->leads[shndx] == shndx || !lookup_has_sites(p, shndx))
		return fits(p, shndx, addr);
	pl = lookup_placed_section(p, shndx);
	return is_alone(pl) && pl->addr == addr;
}

/* Follows the branch of REF to SYM, from CALLER. */
static void follow_call(struct call_search *search, const struct caller *caller,
			const struct reference *ref, const struct symbol *sym)
{
	struct proof *p = search->p;
	uint32_t shndx = sym->shndx;
	struct branch branch;
	uint64_t start;

	/* Where no code is, the link has dropped it (--noinhibit-exec). */
	if (!references_in_image(p, ref, caller->addr, &branch) ||
	    image_find_text(&p->run->img, branch.target, 1) == NULL ||
	    references_may_pass(p, &branch) ||
	    is_overridden_at(p, sym, branch.target))
		return;
	start = branch.target - ref->target;
	for (unsigned turn = 0; turn < 1u + (ref->entry > 0); turn++) {
		uint64_t addr = turn == 0 ? start : start - ref->entry;

		if (!is_there(search, shndx, addr))
			continue;
		if (search->leads[shndx] != shndx)
			add_caller(search, shndx, addr);
		return;
	}
	/* What is in the image elsewhere is another rule's. */
	if (search->leads[shndx] == shndx ||
	    (!lookup_has_sites(p, shndx) && sym->bind == STB_LOCAL &&
	     p->run->options->text != TEXT_SITES))
		report_callee(search, caller->shndx, shndx, ref->target,
			      branch.target);
}

static int follow_calls(struct call_search *search, const struct caller *caller)
{
	const struct object *obj = search->p->partial;
	struct section_relocs relocs;
	struct code code;
	int ret = section_relocs_read(search->p->run->d, obj, caller->shndx,
				      &relocs);

	if (ret == 0 &&
	    !object_code(search->p->run->d, obj, caller->shndx, &code))
		ret = -1;
	for (size_t i = 0; ret == 0 && i < relocs.n; i++) {
		const struct reloc *r = &relocs.relocs[i];
		struct reference ref;
		struct symbol sym;

		if (may_call(obj, r, &sym) && sym.shndx != caller->shndx &&
		    search->leads[sym.shndx] != 0 &&
		    !search->is_known[sym.shndx] &&
		    !obj->sections[sym.shndx].relaxes &&
		    references_decode(obj->arch, &code, &relocs, r, &sym, &ref))
			follow_call(search, caller, &ref, &sym);
	}
	section_relocs_free(&relocs);
	return ret;
}

/* ------------------------------------------------------------------------- */

bool callers_was_linked(const struct proof *p)
{
	if (!p->partial->is_member)
		return true;
	for (size_t i = 0; i < p->nplaced; i++)
		if (!p->placed[i].is_suspect && !p->placed[i].is_exchangeable)
			return true;
	return instead_has_source(p);
}

static int check(struct call_search *search)
{
	if (list_calls(search) || spread_leads(search) || list_callers(search))
		return -1;
	for (size_t i = 0; i < search->ncallers; i++) {
		const struct caller caller = search->callers[i];

		if (follow_calls(search, &caller))
			return -1;
	}
	return 0;
}

int callers_check(struct proof *all, size_t n)
{
	int ret = 0;

	/* What was just linked is no other build. */
	if (all->run->v->is_nameless || all->run->v->is_linked)
		return 0;
	for (size_t k = 0; ret == 0 && k < n; k++) {
		size_t nsections = all[k].partial->nsections;
		struct call_search search = {
			.p = &all[k],
			.leads = calloc(nsections, sizeof(search.leads[0])),
			.is_known =
				calloc(nsections, sizeof(search.is_known[0])),
			.callers = calloc(nsections, sizeof(search.callers[0])),
		};

		if (search.leads == NULL || search.is_known == NULL ||
		    search.callers == NULL)
			ret = diag_nomem(all[k].run->d, all[k].partial->path);
		else if (list_absent(&search) && callers_was_linked(&all[k]))
			ret = check(&search);
		free(search.leads);
		free(search.is_known);
		free(search.calls);
		free(search.callers);
	}
	return ret;
}
