/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: the halves of functions with sites of the branch form, where
 * the compiler put the cold one into a section of its own. The image has a NOP
 * for the jump there, but the jump back tells where the halves belong together.
 */
#include <config.h>

#include <stdlib.h>

#include "base/search.h"
#include "proof.h"

/* SHNDX and OTHER share a jump of the branch form. */
static void add_partner(struct proof *p, uint32_t shndx, uint32_t other)
{
	uint32_t *partner = &p->partners[shndx];

	*partner = *partner == NO_PARTNER || *partner == other ? other
							       : MANY_PARTNERS;
}

int list_partners(struct proof *p)
{
	p->partners = calloc(p->partial->nsections, sizeof(p->partners[0]));
	if (p->partners == NULL)
		return diag_nomem(p->run->d, p->partial->path);
	for (size_t i = 0; p->list.ntargets > 0 && i < p->list.n; i++) {
		const struct witness *w = &p->list.items[i];

		if (w->form != FORM_BRANCH || w->is_target ||
		    w->shndx == w->target_shndx)
			continue;
		add_partner(p, w->shndx, w->target_shndx);
		add_partner(p, w->target_shndx, w->shndx);
	}
	return 0;
}

uint32_t find_mate(const struct proof *p, const struct pending *s)
{
	uint32_t shndx = p->list.items[s->first].shndx;
	uint32_t mate = p->partners[shndx];

	if (mate != NO_PARTNER && mate != MANY_PARTNERS &&
	    (p->partners[mate] != shndx ||
	     p->partial->sections[shndx].relaxes ||
	     p->partial->sections[mate].relaxes))
		return MANY_PARTNERS;
	return mate;
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

/* The first of section SHNDX, or NULL. */
static const struct witness *first_witness(const struct proof *p,
					   uint32_t shndx)
{
	size_t i;

	LOWER_BOUND(i, p->list.n, p->list.items[i].shndx < shndx);
	return i < p->list.n && p->list.items[i].shndx == shndx
		       ? &p->list.items[i]
		       : NULL;
}

/* Where section SHNDX is, which has sites or targets, if that is known. */
static const struct placed *find_placed(const struct proof *p, uint32_t shndx)
{
	const struct witness *w = first_witness(p, shndx);
	const struct placed *pl =
		w != NULL && w->is_placed ? own_placed_at(p, w->addr) : NULL;
	uint64_t addr = pl != NULL ? pl->addr : 0;

	while (pl != NULL && pl->addr == addr && pl->shndx != shndx)
		pl = pl > p->placed ? pl - 1 : NULL;
	return pl != NULL && pl->shndx == shndx && !pl->is_suspect ? pl : NULL;
}

/* Once the mate of S has its place, S is where the branches between them say.
 */
void drop_apart(const struct proof *p, struct pending *s)
{
	uint32_t mate = find_mate(p, s);
	const struct placed *placed = mate != NO_PARTNER ? find_placed(p, mate)
							 : NULL;
	struct half own = { .shndx = p->list.items[s->first].shndx,
			    .relocs = &s->relocs };
	struct half other = { .shndx = mate };
	size_t n = 0;

	if (placed == NULL)
		return;
	other.addr = placed->addr;
	other.relocs = &placed->relocs;
	for (size_t i = 0; i < s->pl.nfits; i++) {
		size_t nbranches = 0;

		own.addr = s->pl.fits[i];
		if (leads_to(p, &own, &other, &nbranches) &&
		    leads_to(p, &other, &own, &nbranches) && nbranches > 0)
			s->pl.fits[n++] = own.addr;
	}
	s->is_joined = n == 1;
	if (n > 0)
		s->pl.nfits = n;
}
