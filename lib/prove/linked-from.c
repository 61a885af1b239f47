/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: was the final linked from the partials at all? It was if it
 * has a section with sites. If it has none, the linker may have dropped them
 * all, but then something else of the partials must be there.
 */
#include <config.h>

#include <stdlib.h>

#include "proof.h"

/* Bytes outside relocations; main() { return 0; } has up to 8. */
#define FIXED_MIN 10

/* Is a symbol of the partial in the final? *HAS_NAMES if one could be. */
static bool is_kin(const struct proof *p, bool *has_names)
{
	*has_names = false;
	for (size_t i = 1; i < p->partial->nsymbols; i++) {
		struct symbol sym, found;
		uint32_t symndx = 0;

		object_symbol(p->partial, i, &sym);
		if (sym.name[0] == '\0' || sym.type == STT_SECTION ||
		    sym.type == STT_FILE)
			continue;
		if (names_next(&p->run->img.names, sym.name, &symndx, &found))
			return true;
		*has_names |= sym.is_defined;
	}
	return false;
}

/* Names show what was dropped, if there are any. */
static bool is_known(const struct proof *p)
{
	return p->run->v->is_linked && p->run->img.obj->symtab != 0;
}

/*
 * Reports that the image lacks WHAT of PARTIAL, and AND_WHAT about the rest.
 * The image does not say why; but if it has local functions, it was not strip.
 */
static int report_not_linked(const struct proof *all, const char *what,
			     const char *partial, const char *and_what)
{
	const struct object *final = all[0].run->img.obj;
	bool has_names = functions_have_local(final);

	return diag_report(
		all[0].run->d, SEVERITY_TROUBLE,
		&(struct place){ .file = final->path }, "not-linked-from",
		has_names ? "if --gc-sections did, give an object of which "
			    "something is left, too"
			  : "verify what was linked from it, before strip",
		"has no %s of %s%s: the final link dropped them all, %sor it "
		"was not linked from it",
		what, partial, and_what,
		has_names ? "" : "strip took the names, ");
}

/*
 * Without a common symbol, the final was not linked from a partial. But if it
 * has symbols of other partials, the link may have dropped all of this one.
 */
int linked_from_check_names(const struct proof *all, size_t n)
{
	bool has_kin = is_known(&all[0]), has_names;

	if (all[0].run->v->is_nameless)
		return 0;
	for (size_t k = 0; k < n && !has_kin; k++)
		has_kin = is_kin(&all[k], &has_names);
	for (size_t k = 0; k < n; k++) {
		const struct proof *p = &all[k];

		if (p->list.n == 0 || is_kin(p, &has_names) || !has_names)
			continue;
		if (!has_kin)
			return report_not_linked(all, "symbol",
						 p->partial->path, "");
		diag_report(p->run->d, SEVERITY_NOTE,
			    &(struct place){ .file = p->run->img.obj->path },
			    "nothing-left", NULL, "has nothing of %s",
			    p->partial->path);
	}
	return 0;
}

/* How much other text of the partials is in the image. */
struct rest {
	uint64_t nfixed;   /* bytes that are the same */
	bool is_different; /* some are not, where a symbol says they are */
};

static int place_other(struct proof *p, uint32_t shndx, struct rest *rest)
{
	struct section_relocs relocs;
	struct placement pl = { .state = PLACEMENT_UNKNOWN };
	int ret = section_relocs_read(p->run->d, p->partial, shndx, &relocs);

	if (ret == 0 && p->partial->sections[shndx].relaxes)
		ret = relaxed_place(p, shndx, 0, 0, &relocs, &pl);
	else if (ret == 0)
		ret = placer_place(&p->placer, shndx, &relocs, &pl);
	if (ret == 0 && pl.state == PLACEMENT_PLACED)
		rest->nfixed += placer_count_fixed(&p->placer, shndx, &relocs);
	else if (ret == 0 && pl.is_pinned)
		rest->is_different = true;
	section_relocs_free(&relocs);
	free(pl.candidates);
	return ret;
}

/* A member of a COMDAT group may come from another object. */
static int place_rest(struct proof *p, struct rest *rest)
{
	int ret = 0;

	for (size_t i = 1; ret == 0 && i < p->partial->nsections; i++) {
		const struct section *sec = &p->partial->sections[i];

		if (section_is_text(sec) && sec->comdat == 0 && sec->size > 0 &&
		    !lookup_has_sites(p, i))
			ret = place_other(p, i, rest);
	}
	return ret;
}

int linked_from_check(struct proof *all, size_t n)
{
	struct rest rest = { 0 };
	size_t nsites = 0;

	for (size_t k = 0; k < n; k++) {
		nsites += all[k].list.n;
		if (all[k].nplaced > 0)
			return 0;
	}
	if (nsites == 0 || all[0].run->v->nfindings > 0 || is_known(&all[0]))
		return 0;
	for (size_t k = 0; k < n; k++)
		if (place_rest(&all[k], &rest))
			return -1;
	if (rest.nfixed >= FIXED_MIN && !rest.is_different)
		return 0;
	return report_not_linked(
		all, "function with a site", all[0].partial->path,
		rest.is_different
			? ", and other functions of it are not the same"
		: rest.nfixed > 0 ? ", and hardly anything else of it"
				  : ", and no other function of it");
}
