/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: collects the places at which a section fits if its own
 * symbols do not decide, and keeps those at which sites and table are right.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "entries.h"
#include "candidates.h"
#include "described.h"
#include "kinds.h"
#include "namesakes.h"

/*
 * Could the entries at the first site of S be about it? The entry of a site
 * that --nop switched off has no stub, unless the object keeps the stub.
 */
static bool is_own_entry(const struct proof *p, const struct pending *s)
{
	const struct proof_site *site = entries_first_site(p, s);
	size_t first = entries_below(p, site->addr), i;

	if (site->form == FORM_BRANCH || branch_is_right(p, site))
		return true;
	for (i = first; entries_is_at(p, i, site->addr); i++)
		if (p->run->entries_by_addr[i]->stub == 0 || site->keeps_stub)
			return true;
	return i == first;
}

/*
 * At the present place of S: is a site of S off that has no record of its
 * probe? If the records are complete, that NOP is not a site.
 */
bool candidates_lack_records(const struct proof *p, const struct pending *s)
{
	if (!records_are_whole(&p->run->records))
		return false;
	for (size_t i = s->first; i < s->end; i++)
		if (records_lack(p, &p->list.items[i]))
			return true;
	return false;
}

/*
 * Keeps the places at which the sites are right, if there are any; else the
 * first NNAMED, which symbols imply. If there are records of --nop, a site that
 * is off must have one. Among the places that are right, those whose entries
 * could be about S come first, and if there are such, the others are dropped.
 */
static int keep_right(struct proof *p, struct pending *s, size_t nnamed)
{
	struct placement *pl = &s->pl;
	size_t n = 0, nown = 0;

	for (size_t i = 0; i < pl->ncandidates; i++) {
		uint64_t addr = pl->candidates[i];

		if (addresses_set(p, s, addr))
			return -1;
		if (!addresses_are_right(p, s))
			continue;
		if (candidates_lack_records(p, s)) {
			s->is_unrecorded |= i < nnamed;
			continue;
		}
		pl->candidates[i] = pl->candidates[n];
		pl->candidates[n++] = addr;
		if (is_own_entry(p, s)) {
			pl->candidates[n - 1] = pl->candidates[nown];
			pl->candidates[nown++] = addr;
		}
	}
	addresses_unset(p, s);
	s->is_misfit = n == 0;
	s->is_unrecorded &= n == 0;
	pl->ncandidates = nown > 0 ? nown : n > 0 ? n : nnamed;
	return 0;
}

/* Has section SHNDX of P a function NAME? */
static bool has_function(const struct proof *p, uint32_t shndx,
			 const char *name)
{
	struct symbol sym;
	uint32_t symndx = 0;

	while (names_next(&p->functions, name, &symndx, &sym))
		if (sym.is_defined && sym.shndx == shndx)
			return true;
	return false;
}

/* No more sections than this are looked at for one address. */
#define STARTS_MAX 64

/*
 * Has a section that begins at ADDR a function NAME? True if there are too
 * many.
 */
static bool is_name_of_start(const struct proof *p, uint64_t addr,
			     const char *name)
{
	const struct placed *pl;
	size_t at = 0, n = 0;

	while ((pl = lookup_next_start(p, addr, &at)) != NULL)
		if (n++ == STARTS_MAX ||
		    has_function(&p->run->proofs[pl->k], pl->shndx, name))
			return true;
	return false;
}

/*
 * Has the image a name of S at ADDR that no section which begins there has?
 * Then S was folded into these sections.
 */
static bool has_name_left(const struct proof *p, const struct pending *s,
			  uint64_t addr)
{
	uint32_t shndx = p->list.items[s->first].shndx;
	struct symbol sym;

	if (lookup_count_placed(p, addr) == 0)
		return false;
	for (size_t i = 0;
	     landmarks_next(&p->placer.landmarks, shndx, &i, &sym) != 0;)
		if (namesakes_at(p, sym.name, addr + sym.value) > 0 &&
		    !is_name_of_start(p, addr, sym.name))
			return true;
	return false;
}

/*
 * Is there a section at ADDR that excludes another of SIZE bytes? Linkers fold
 * sections of equal size, start to start.
 */
static bool is_excluded_at(const struct proof *p, uint64_t addr, uint64_t size)
{
	const struct placed *pl = lookup_placed_at(p, addr);

	return pl != NULL && !pl->is_suspect &&
	       (pl->addr != addr || (pl->size != size && !pl->is_relaxed));
}

bool candidates_are_named(const struct pending *s)
{
	return s->pl.state == PLACEMENT_PLACED ||
	       s->pl.state == PLACEMENT_AMBIGUOUS;
}

/*
 * Are all names of section SHNDX also names of the section that is at ADDR, and
 * nowhere else? Then they do not show that section SHNDX is there.
 */
static bool has_its_names(const struct proof *p, uint32_t shndx, uint64_t addr)
{
	const struct placed *pl = lookup_placed_at(p, addr);
	struct symbol sym;

	if (pl->is_exchangeable)
		return false;
	for (size_t i = 0;
	     landmarks_next(&p->placer.landmarks, shndx, &i, &sym) != 0;)
		if (!has_function(&p->run->proofs[pl->k], pl->shndx, sym.name))
			return false;
	return true;
}

/*
 * Is place I of S a part of another section? If S has a name of its own in the
 * image, the name decides.
 */
static bool is_part(const struct proof *p, const struct pending *s, size_t i)
{
	uint32_t shndx = p->list.items[s->first].shndx;
	uint64_t addr = s->pl.candidates[i];

	return is_excluded_at(p, addr, p->partial->sections[shndx].size) &&
	       (!candidates_are_named(s) || has_its_names(p, shndx, addr));
}

bool candidates_have_part(const struct proof *p, const struct pending *s)
{
	for (size_t i = 0; i < s->pl.ncandidates; i++)
		if (is_part(p, s, i))
			return true;
	return false;
}

static void drop_parts(const struct proof *p, struct pending *s)
{
	struct placement *pl = &s->pl;
	size_t n = 0;

	for (size_t i = 0; i < pl->ncandidates; i++)
		if (!is_part(p, s, i))
			pl->candidates[n++] = pl->candidates[i];
	if (n == 0 && candidates_are_named(s))
		pl->state = PLACEMENT_ABSENT;
	pl->ncandidates = n;
}

void candidates_drop_occupied(const struct proof *p, struct pending *s,
			      const struct occupied *occupied)
{
	struct placement *pl = &s->pl;
	size_t n = 0;

	for (size_t i = 0; i < pl->ncandidates; i++) {
		uint64_t addr = pl->candidates[i];

		if (!lookup_is_occupied(occupied, addr) ||
		    has_name_left(p, s, addr)) {
			pl->candidates[i] = pl->candidates[n];
			pl->candidates[n++] = addr;
		}
	}
	if (n > 0)
		pl->ncandidates = n;
	drop_parts(p, s);
	if (pl->ncandidates > 0)
		qsort(pl->candidates, pl->ncandidates,
		      sizeof(pl->candidates[0]), sort_compare_numbers);
}

/*
 * Is NAME the name of a function of section SHNDX, or what a linker makes of
 * it, as GNU ld does with -z unique-symbol? Starts at the landmark *AT, since
 * names mostly have the order of their addresses.
 */
static bool is_own_name(const struct proof *p, uint32_t shndx, const char *name,
			size_t *at)
{
	const struct landmarks *landmarks = &p->placer.landmarks;
	struct symbol sym;
	size_t n;

	landmarks_list(landmarks, shndx, &n);
	for (size_t i = 0; i < n; i++) {
		if (*at == n)
			*at = 0;
		landmarks_next(landmarks, shndx, at, &sym);
		if (strstr(name, sym.name) != NULL)
			return true;
	}
	return false;
}

/*
 * If section SHNDX were at ADDR, would a function of another name begin in it?
 * In text that relaxes, this looks only up to its own first name.
 */
static bool is_named_otherwise(const struct proof *p, uint32_t shndx,
			       uint64_t addr)
{
	const struct section *sec = &p->partial->sections[shndx];
	uint64_t size =
		sec->relaxes ? landmarks_first(&p->placer.landmarks, shndx) + 1
			     : sec->size;
	struct symbol sym;
	size_t at = 0;

	for (size_t i = 0;
	     image_functions_next(&p->run->img, addr, size, &i, &sym);)
		if (sym.size > 0 && !is_own_name(p, shndx, sym.name, &at))
			return true;
	return false;
}

/*
 * Drops places that have the name of another function, and not that of S. strip
 * removes names, and never adds one.
 */
static void drop_named(const struct proof *p, struct pending *s, size_t nnamed)
{
	uint32_t shndx = p->list.items[s->first].shndx;
	struct placement *pl = &s->pl;
	size_t n = nnamed;

	for (size_t i = nnamed; i < pl->ncandidates; i++)
		if (!is_named_otherwise(p, shndx, pl->candidates[i]))
			pl->candidates[n++] = pl->candidates[i];
	pl->ncandidates = n;
}

/* Drops the places from the NKNOWN-th on that are also among the first ones. */
static int drop_double(const struct proof *p, struct placement *pl,
		       size_t nknown)
{
	uint64_t *known = malloc((nknown + 1) * sizeof(known[0]));
	size_t n = nknown;

	if (known == NULL)
		return diag_nomem(p->run->d, p->partial->path);
	memcpy(known, pl->candidates, nknown * sizeof(known[0]));
	qsort(known, nknown, sizeof(known[0]), sort_compare_numbers);
	for (size_t i = nknown; i < pl->ncandidates; i++)
		if (bsearch(&pl->candidates[i], known, nknown, sizeof(known[0]),
			    sort_compare_numbers) == NULL)
			pl->candidates[n++] = pl->candidates[i];
	pl->ncandidates = n;
	free(known);
	return 0;
}

static int judge_candidates(struct proof *p, struct pending *s)
{
	if (s->nnamed > 0 && s->pl.ncandidates > s->nnamed &&
	    drop_double(p, &s->pl, s->nnamed))
		return -1;
	drop_named(p, s, s->nnamed);
	return keep_right(p, s, s->nnamed) ||
			       (!s->is_misfit && described_drop(p, s))
		       ? -1
		       : 0;
}

int candidates_find_all(struct proof *all, size_t n, size_t npending)
{
	struct wanted *list = calloc(npending + 1, sizeof(list[0]));
	size_t nwanted = 0;
	int ret;

	if (list == NULL)
		return diag_nomem(all[0].run->d, all[0].run->img.obj->path);
	ret = kinds_join(all, n);
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < all[k].npending; i++) {
			struct pending *s = &all[k].pending[i];

			s->nnamed = s->pl.ncandidates;
			if (s->model == NULL && s->is_wanted)
				list[nwanted++] = (struct wanted){ &all[k], s };
		}
	if (ret == 0)
		ret = seek_sections(all, list, nwanted, SEEK_RIGHT);
	free(list);
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; ret == 0 && i < all[k].npending; i++)
			if (all[k].pending[i].model == NULL)
				ret = judge_candidates(&all[k],
						       &all[k].pending[i]);
	return ret;
}
