/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: overlays, which are text that shares addresses with other
 * text. The ARM kernel has several sets of vectors, for example, and copies one
 * of them to where it runs. No site and no stub may be in an overlay. What
 * searches for branches looks at those out of one as well.
 */
#include <config.h>

#include <stdlib.h>

#include "elf/functions.h"
#include "proof.h"

static int refuse(const struct proof *p, const struct image_section *is,
		  const char *name)
{
	const struct object *final = p->run->img.obj;
	struct place place = { .file = final->path,
			       .section = final->sections[is->shndx].name };

	return diag_report(p->run->d, SEVERITY_TROUBLE, &place, "overlay",
			   "keep probe sites and stubs out of overlays",
			   "other code is loaded at addresses of this section, "
			   "and %s may be in it",
			   name);
}

void overlays_report(struct proof *p, uint64_t addr, const struct stub *stub)
{
	struct finding f = { .cause = CAUSE_EXTRA_SITE,
			     .has_address = true,
			     .address = addr };

	report_finding(p, &f, "an overlay has a way to the stub %s",
		       stub->symbol);
}

/* Does NAME stand for a section with sites? */
static bool names_sites(const struct proof *p, const char *name)
{
	struct symbol own;
	uint32_t symndx = 0;

	while (names_next(&p->functions, name, &symndx, &own))
		if (own.is_defined && lookup_has_sites(p, own.shndx))
			return true;
	return false;
}

/* The overlay that is section SHNDX of the image, or NULL. */
static const struct image_section *overlay_of(const struct image *img,
					      uint32_t shndx)
{
	for (size_t i = 0; i < img->noverlays; i++)
		if (img->sections[img->nsections + i].shndx == shndx)
			return &img->sections[img->nsections + i];
	return NULL;
}

static int check_symbols(struct proof *all, size_t n)
{
	const struct image *img = &all->run->img;

	for (size_t i = 1; img->noverlays > 0 && i < img->obj->nsymbols; i++) {
		const struct image_section *is;
		struct symbol sym;

		object_symbol(img->obj, i, &sym);
		is = overlay_of(img, sym.shndx);
		if (is == NULL || !symbol_names_text(&sym))
			continue;
		if (stub_find(all, sym.name) != NULL)
			return refuse(all, is, sym.name);
		for (size_t k = 0; k < n; k++)
			if (names_sites(&all[k], sym.name))
				return refuse(all, is, sym.name);
	}
	return 0;
}

int overlays_check(struct proof *all, size_t n)
{
	if (check_symbols(all, n))
		return -1;
	for (size_t i = 0; i < all->run->nstubs; i++)
		for (size_t k = 0; k < all->run->img.noverlays; k++) {
			const struct image_section *is =
				&all->run->img
					 .sections[all->run->img.nsections + k];

			if (all->run->stubs[i].addr - is->code.addr <
			    is->code.size)
				return refuse(all, is,
					      all->run->stubs[i].symbol);
		}
	return 0;
}

/* The search tries so many places, which takes a second. */
#define TRIES_MAX (1 << 22)

/*
 * Could the section of WANTED be in IS? Subtracts the places that it tries from
 * *NLEFT.
 */
static bool may_be_in(const struct wanted *wanted,
		      const struct image_section *is, size_t *nleft)
{
	struct proof *p = wanted->p;
	uint32_t shndx = p->list.items[wanted->s->first].shndx;
	const struct section *sec = &p->partial->sections[shndx];
	struct image_section only = *is;
	struct image view = { .obj = p->run->img.obj,
			      .sections = &only,
			      .nsections = 1 };
	struct placer placer = p->placer;

	placer.img = &view;
	/* Nobody knows how much shorter it has become. */
	if (sec->relaxes)
		return true;
	for (uint64_t at = 0; at + sec->size <= is->code.size; at++, --*nleft)
		if (*nleft == 0 ||
		    placer_fits(&placer, shndx, &wanted->s->relocs,
				is->code.addr + at))
			return true;
	return false;
}

int overlays_seek(const struct wanted *list, size_t n)
{
	size_t nleft = TRIES_MAX;

	for (size_t i = 0; i < n; i++) {
		const struct proof *p = list[i].p;
		const struct image *img = &p->run->img;
		uint32_t shndx = p->list.items[list[i].s->first].shndx;

		for (size_t k = 0; k < img->noverlays; k++) {
			const struct image_section *is =
				&img->sections[img->nsections + k];

			if (may_be_in(&list[i], is, &nleft))
				return refuse(p, is,
					      p->partial->sections[shndx].name);
		}
	}
	return 0;
}
