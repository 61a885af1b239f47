/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: small data is in several areas, each with its own base
 * register, which the linker writes into each instruction: by the section of
 * the image in which the symbol is.
 */
#include <config.h>

#include <string.h>

#include "proof.h"

static bool is_one_of(const char *const areas[2], const char *name)
{
	return strcmp(areas[0], name) == 0 || strcmp(areas[1], name) == 0;
}

/*
 * May section NAME of a partial be in one of AREAS? Linkers put .sdata.x into
 * .sdata, if the image has that.
 */
static bool may_hold(const struct object *img, const char *const areas[2],
		     const char *name)
{
	for (uint32_t i = 1; i < img->nsections; i++) {
		size_t length = strlen(img->sections[i].name);

		if (length > 0 &&
		    strncmp(img->sections[i].name, name, length) == 0 &&
		    (name[length] == '\0' || name[length] == '.'))
			return is_one_of(areas, img->sections[i].name);
	}
	return true;
}

/*
 * Is the symbol of R in one of AREAS? Symbols of the image that have its name
 * tell; of one without a name, the section of the partial.
 */
static bool is_in(const struct proof *p, const char *const areas[2],
		  const struct reloc *r)
{
	const struct object *img = p->run->img.obj;
	struct symbol own, found;
	bool is_known = false;
	uint32_t symndx = 0;

	object_symbol(p->partial, r->symndx, &own);
	while (own.type != STT_SECTION &&
	       names_next(&p->run->img.names, own.name, &symndx, &found)) {
		if (!found.is_defined)
			continue;
		if (is_one_of(areas, img->sections[found.shndx].name))
			return true;
		is_known = true;
	}
	return !is_known &&
	       (!own.is_defined ||
		may_hold(img, areas, p->partial->sections[own.shndx].name));
}

static void check_section(struct proof *p, const struct placed *pl)
{
	for (size_t i = 0; i < pl->relocs.n; i++) {
		const struct reloc *r = &pl->relocs.relocs[i];
		const uint8_t *after =
			image_bytes(&p->run->img, pl->addr + r->offset, 1);
		const char *const *areas =
			after == NULL ? NULL
				      : p->partial->arch->areas(
						p->partial->arch, after, r);
		struct finding f = { .cause = CAUSE_TEXT_DIFFERS,
				     .shndx = pl->shndx,
				     .has_offset = true,
				     .offset = r->offset,
				     .has_address = true,
				     .address = pl->addr + r->offset };

		if (areas == NULL || placed_is_unknown(pl, r->offset) ||
		    is_in(p, areas, r))
			continue;
		report_finding(
			p, &f,
			"the instruction counts from the base of another "
			"section than that of its symbol");
	}
}

/* Where two sections may change places, so may their symbols. */
void areas_check(struct proof *p)
{
	for (size_t i = 0; p->partial->arch->areas != NULL && i < p->nplaced;
	     i++) {
		const struct placed *pl = &p->placed[i];

		if (!pl->is_suspect && !pl->is_relaxed &&
		    !pl->is_exchangeable && !pl->is_shared)
			check_section(p, pl);
	}
}
