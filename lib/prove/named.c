/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>

#include "elf/functions.h"
#include "named.h"
#include "siteless.h"

/* --- By name ------------------------------------------------------------- */

/* Is a section with sites, which has that name, at FOUND of the image? */
static bool is_placed_at(const struct proof *p, const struct symbol *found)
{
	const struct placed *pl = lookup_placed_at(p, found->value);

	return pl != NULL && !pl->is_suspect &&
	       namesakes_count_own(p, found->name, pl->addr) > 0;
}

static bool has_bind(const struct proof *p, const struct namesake *ns,
		     unsigned char bind)
{
	struct symbol own;

	object_symbol(p->run->proofs[ns->k].partial, ns->symndx, &own);
	return own.bind == bind;
}

/*
 * Takes a function without sites that could be FOUND, of those called NAME that
 * are not TAKEN: the first of the same binding, or else of another one.
 */
static bool take_siteless(const struct proof *p, const char *name,
			  const struct symbol *found, bool *taken)
{
	for (int turn = 0; turn < 2; turn++) {
		const struct namesake *ns = namesakes_of(p, name);

		for (size_t i = 0; ns != NULL; ns = ns->next, i++)
			if (!taken[i] &&
			    has_bind(p, ns, found->bind) == (turn == 0) &&
			    siteless_may_be(p, ns, found)) {
				taken[i] = true;
				return true;
			}
	}
	return false;
}

static size_t count_namesakes(const struct proof *p, const char *name)
{
	size_t n = 0;

	for (const struct namesake *ns = namesakes_of(p, name); ns != NULL;
	     ns = ns->next)
		n++;
	return n;
}

/* Finds the functions NAME of the image that no given object explains. */
static int find_strangers(const struct proof *p, const char *name,
			  struct name_strangers *strangers)
{
	bool *taken = calloc(count_namesakes(p, name) + 1, sizeof(taken[0]));
	struct symbol found;
	uint32_t symndx = 0;

	if (taken == NULL)
		return diag_nomem(p->run->d, p->run->img.obj->path);
	while (names_next(&p->run->img.names, name, &symndx, &found)) {
		if (!found.is_defined || symbol_is_data(&found) ||
		    is_placed_at(p, &found) ||
		    take_siteless(p, name, &found, taken))
			continue;
		if (strangers->any == 0)
			strangers->any = symndx;
		if (found.bind == STB_GLOBAL)
			continue;
		strangers->common = symndx;
		break;
	}
	strangers->is_known = true;
	free(taken);
	return 0;
}

/* The first of these that could be SYM; 0: there is none. */
static int find_stranger(const struct proof *p, const struct symbol *sym,
			 uint32_t *symndx)
{
	struct name_strangers *strangers = namesakes_strangers(p, sym->name);

	*symndx = 0;
	if (strangers == NULL)
		return 0;
	if (!strangers->is_known && find_strangers(p, sym->name, strangers))
		return -1;
	/* A global function that overrides a weak one may be anybody's. */
	*symndx = sym->bind == STB_WEAK ? strangers->common : strangers->any;
	return 0;
}

/* --- By section ---------------------------------------------------------- */

/*
 * Are all names of section SHNDX, which is at PL, at that place? Where linkers
 * fold sections, some keep each name, and some one of them.
 */
static bool has_names(const struct proof *p, const struct placed *pl,
		      const struct symbol *sym)
{
	if (pl->is_relaxed && sym->value != 0)
		return true; /* its offset is not known */
	return namesakes_at(p, sym->name, pl->addr + sym->value) >=
	       namesakes_count_own(p, sym->name, pl->addr);
}

static void report_stranger(struct proof *p, size_t first,
			    const struct symbol *found)
{
	struct finding f =
		report_at_site(&p->list.items[first], CAUSE_TEXT_DIFFERS);

	f.has_address = true;
	f.address = found->value;
	f.remedy = REMEDY_GIVE_DEFINITION;
	report_finding(p, &f,
		       "the image has a function %s with other bytes, which is "
		       "in no object that was given",
		       found->name);
}

/*
 * Judges the section of the site FIRST, which is not at a place of its own. PL
 * is where it was folded, or NULL.
 */
static int check_section(struct proof *p, size_t first, const struct placed *pl)
{
	uint32_t shndx = p->list.items[first].shndx, stranger = 0;
	struct symbol sym, found;

	for (size_t i = 0;
	     landmarks_next(&p->placer.landmarks, shndx, &i, &sym) != 0;) {
		if (!symbol_is_code(&sym) || sym.size == 0 ||
		    (pl != NULL && has_names(p, pl, &sym)))
			continue;
		if (find_stranger(p, &sym, &stranger))
			return -1;
		if (stranger == 0)
			continue;
		/* That looks through all symbols of the image. */
		if (instead_was_linked(p)) {
			object_symbol(p->run->img.obj, stranger, &found);
			report_stranger(p, first, &found);
		}
		return 0;
	}
	return 0;
}

int named_check(struct proof *all, size_t n)
{
	/* What was just linked is no other build, and one finding is enough. */
	if (all->run->v->is_nameless || all->run->v->is_linked ||
	    all->run->v->nfindings > 0)
		return 0;
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0, end; i < all[k].list.n; i = end) {
			struct proof *p = &all[k];
			const struct proof_site *site = &p->list.items[i];
			const struct placed *pl =
				lookup_placed_section(p, site->shndx);

			end = lookup_section_end(p, i);
			if (pl != NULL
				    ? pl->is_suspect || lookup_count_placed(
								p, pl->addr) < 2
				    : !site->is_absent && !site->is_folded)
				continue;
			if (!object_section_has_copies(p->partial,
						       site->shndx) &&
			    check_section(p, i, pl))
				return -1;
		}
	return 0;
}
