/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: what the branches of a placed section lead to. Only the image
 * is asked, so that it is all the same which of two equal sections is where: a
 * branch enters code in the mode of that code, and what follows a call goes
 * with what is called.
 */
#include <config.h>

#include <inttypes.h>

#include "references.h"

/* A branch of a section of the partial, and what it is in the image. */
struct call {
	struct proof *p;
	const struct placed *pl;
	size_t i;		       /* its relocation */
	const struct proof_site *site; /* or NULL */
	struct branch branch;
};

/* The mode of the code at ADDR, if a symbol there says it. */
static uint8_t mode_by_symbol(const struct image *img, uint64_t addr)
{
	struct symbol sym;

	for (size_t i = 0; image_functions_next(img, addr, 1, &i, &sym);)
		if (sym.type == STT_FUNC)
			return sym.mode;
	return MODE_UNKNOWN;
}

/*
 * The mode of the code at ADDR: as the partial has it, whose section is there;
 * or else by a mark or a symbol at ADDR. A mark further down may be of a
 * veneer, as -x drops those of objects.
 */
static uint8_t mode_at(const struct proof *p, uint64_t addr)
{
	const struct placed *pl = lookup_placed_at(p, addr);
	const struct image_section *is = image_find_text(&p->run->img, addr, 1);
	struct code own;
	size_t i;

	if (pl != NULL && !pl->is_suspect && !pl->is_relaxed) {
		if (!object_code(p->run->d, p->run->proofs[pl->k].partial,
				 pl->shndx, &own))
			return MODE_UNKNOWN;
		return code_mode(&own, addr - pl->addr);
	}
	if (is == NULL)
		return MODE_UNKNOWN;
	LOWER_BOUND(i, is->code.nmarks,
		    is->code.marks[i].offset < addr - is->code.addr);
	return i < is->code.nmarks &&
			       is->code.marks[i].offset == addr - is->code.addr
		       ? code_mode(&is->code, addr - is->code.addr)
		       : mode_by_symbol(&p->run->img, addr);
}

/*
 * Does it arrive in the mode of the code there? A hop may have no mark of its
 * own, but its code is one in its mode alone.
 */
static bool enters_right(const struct call *call)
{
	const struct proof *p = call->p;
	uint8_t mode = mode_at(p, call->branch.target);
	struct branch other = call->branch;

	if (mode == other.target_mode || reach_is_hop(p, &call->branch))
		return true;
	other.target_mode ^= p->partial->mode_bits;
	return mode != other.target_mode && !reach_is_hop(p, &other);
}

/* Does it go to the linker's code? Of a site, all but the stub is. */
static bool is_hop(const struct call *call)
{
	return call->site != NULL && call->site->stub != NULL
		       ? call->branch.target != call->site->stub->entry
		       : reach_is_hop(call->p, &call->branch);
}

/* Does the instruction behind it restore what is lost on the way, and no more?
 */
static bool restores(const struct call *call)
{
	const struct object *obj = call->p->partial;
	const struct section_relocs *relocs = &call->pl->relocs;
	const struct reloc *r = &relocs->relocs[call->i];
	uint64_t end = r->offset + call->branch.length;
	struct called called = {
		.reloc = r,
		.is_hop = is_hop(call),
		.leaves = reach_leaves(call->p, call->pl->addr + r->offset,
				       &call->branch),
	};
	size_t size;

	called.before =
		object_data(call->p->run->d, obj, call->pl->shndx, &size);
	called.after = image_bytes(&call->p->run->img, call->pl->addr, size);
	called.hop = image_bytes(&call->p->run->img, call->branch.target, 4);
	if (called.before == NULL || called.after == NULL || called.hop == NULL)
		return true;
	called.before += r->offset;
	called.after += r->offset;
	called.size = size - r->offset;
	if (obj->arch->restores(obj->arch, &called))
		return true;
	for (size_t i = call->i;
	     i < relocs->n && relocs->relocs[i].offset <= end; i++) {
		called.behind = &relocs->relocs[i];
		if (called.behind->offset == end &&
		    obj->arch->restores(obj->arch, &called))
			return true;
	}
	return false;
}

static void check_call(const struct call *call)
{
	struct proof *p = call->p;
	uint64_t offset = call->pl->relocs.relocs[call->i].offset;
	struct finding f = { .cause = call->site != NULL ? CAUSE_REWRITTEN
							 : CAUSE_TEXT_DIFFERS,
			     .shndx = call->pl->shndx,
			     .has_offset = true,
			     .offset = offset,
			     .has_address = true,
			     .address = call->pl->addr + offset };

	/* Of a site, branch.c has judged where it goes. */
	if (call->site == NULL && p->partial->arch->mode_bits != 0 &&
	    !enters_right(call))
		report_finding(p, &f,
			       "the branch enters the code at 0x%" PRIx64
			       " in another mode than that of the code",
			       call->branch.target);
	else if (p->partial->arch->restores != NULL &&
		 call->branch.form == FORM_CALL && !restores(call))
		report_finding(
			p, &f,
			"the code at 0x%" PRIx64
			", to which the branch goes, saves what the "
			"instruction behind the branch does not restore, or "
			"the other way around",
			call->branch.target);
}

static void check_section(struct proof *p, const struct placed *pl)
{
	struct code own;

	if (!object_code(p->run->d, p->partial, pl->shndx, &own))
		return;
	for (size_t i = 0; i < pl->relocs.n; i++) {
		struct call call = { .p = p, .pl = pl, .i = i };
		struct reference ref = { .field = pl->relocs.relocs[i].offset };

		call.site = lookup_own_site_at(p, pl->addr + ref.field);
		if (p->partial->arch->mode_bits != 0)
			ref.mode = code_mode(&own, ref.field);
		if (ref.mode != MODE_UNKNOWN && ref.mode != MODE_DATA &&
		    !placed_is_unknown(pl, ref.field) &&
		    references_in_image(p, &ref, pl->addr, &call.branch))
			check_call(&call);
	}
}

void calls_check(struct proof *p)
{
	const struct arch *arch = p->partial->arch;

	if (arch->mode_bits == 0 && arch->restores == NULL)
		return;
	for (size_t i = 0; i < p->nplaced; i++)
		if (!p->placed[i].is_suspect && !p->placed[i].is_relaxed)
			check_section(p, &p->placed[i]);
}
