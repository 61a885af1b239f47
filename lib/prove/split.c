/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: pairs the halves of a function with sites in the branch form,
 * if the compiler put the cold half into a section of its own. In the image, a
 * NOP stands for the jump to the cold half, but the jump back shows which
 * halves belong together.
 */
#include <config.h>

#include <stdlib.h>

#include "proof.h"

/* SHNDX and OTHER share a jump of the branch form. */
static void add_sibling(struct proof *p, uint32_t shndx, uint32_t other)
{
	uint32_t *sibling = &p->siblings[shndx];

	*sibling = *sibling == NO_SIBLING || *sibling == other ? other
							       : MANY_SIBLINGS;
}

int split_list_siblings(struct proof *p)
{
	p->siblings = calloc(p->partial->nsections, sizeof(p->siblings[0]));
	if (p->siblings == NULL)
		return diag_nomem(p->run->d, p->partial->path);
	for (size_t i = 0; p->list.ntargets > 0 && i < p->list.n; i++) {
		const struct proof_site *site = &p->list.items[i];

		if (site->form != FORM_BRANCH || site->is_target ||
		    site->shndx == site->target_shndx)
			continue;
		add_sibling(p, site->shndx, site->target_shndx);
		add_sibling(p, site->target_shndx, site->shndx);
	}
	return 0;
}

uint32_t split_find_sibling(const struct proof *p, const struct pending *s)
{
	uint32_t shndx = p->list.items[s->first].shndx;
	uint32_t sibling = p->siblings[shndx];

	if (sibling != NO_SIBLING && sibling != MANY_SIBLINGS &&
	    (p->siblings[sibling] != shndx ||
	     p->partial->sections[shndx].relaxes ||
	     p->partial->sections[sibling].relaxes))
		return MANY_SIBLINGS;
	return sibling;
}

/* One of two sections that jumps lead between, at a place. */
struct half {
	uint32_t shndx;
	uint64_t addr;
	const struct section_relocs *relocs;
};

/*
 * Do the branches of FROM into TO go there in the image? *N counts those that
 * can be read. Only where the addend is in the relocation.
 */
static bool leads_to(const struct proof *p, const struct half *from,
		     const struct half *to, size_t *n)
{
	const struct arch *arch = p->partial->arch;

	for (size_t i = 0; arch->uses_rela && i < from->relocs->n; i++) {
		const struct reloc *r = &from->relocs->relocs[i];
		struct symbol sym;

		object_symbol(p->partial, r->symndx, &sym);
		if (!sym.is_defined || sym.shndx != to->shndx)
			continue;
		for (unsigned back = 0; back <= 2 && back <= r->offset;
		     back++) {
			uint64_t target = to->addr + sym.value + r->addend +
					  arch_reloc_bias(arch, r->type);
			struct branch branch;

			if (!decode_at(p, from->addr + r->offset - back,
				       &branch) ||
			    branch.field != back)
				continue;
			if (branch.target != image_wrap(&p->run->img, target))
				return false;
			++*n;
		}
	}
	return true;
}

/* Once the sibling of S has its place, S is where the branches between them
 * say.
 */
void split_drop_apart(const struct proof *p, struct pending *s)
{
	uint32_t sibling = split_find_sibling(p, s);
	const struct placed *placed =
		sibling != NO_SIBLING ? lookup_placed_section(p, sibling)
				      : NULL;
	struct half own = { .shndx = p->list.items[s->first].shndx,
			    .relocs = &s->relocs };
	struct half other = { .shndx = sibling };
	size_t n = 0;

	if (placed == NULL)
		return;
	other.addr = placed->addr;
	other.relocs = &placed->relocs;
	for (size_t i = 0; i < s->pl.ncandidates; i++) {
		size_t nbranches = 0;

		own.addr = s->pl.candidates[i];
		if (leads_to(p, &own, &other, &nbranches) &&
		    leads_to(p, &other, &own, &nbranches) && nbranches > 0)
			s->pl.candidates[n++] = own.addr;
	}
	if (n > 0)
		s->pl.ncandidates = n;
}
