/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: a link keeps what is referred to by what it keeps. So this
 * follows all relocations of a partial, from the sections whose global names
 * are in the image, of code and of data. If they lead to a section with sites
 * that is nowhere, the image was linked from another build of the partial.
 *
 * callers.c looks at what calls became in the image, and sees more. This needs
 * no bytes: a pointer may be anything in another build.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "callers.h"
#include "elf/descriptors.h"
#include "elf/frames.h"
#include "references.h"

struct kept_search {
	struct proof *p;
	/* By section: the one with a global name that leads there, itself if it
	 * is that, or 0; owned. */
	uint32_t *roots;
	uint32_t *queue; /* sections that are kept; owned */
	size_t n;
	bool has_locals; /* the image has names that strip -x removes */
};

/* --- What is kept --------------------------------------------------------- */

/* Has the image any symbol NAME, or one that --wrap has put before it? */
static bool has_name(const struct proof *p, const char *name)
{
	struct symbol found;
	uint32_t symndx = 0;

	if (names_next(&p->run->img.names, name, &symndx, &found))
		return true;
	symndx = 0;
	return names_next_prefixed(&p->run->img.names, "__wrap_", name, &symndx,
				   &found);
}

/* Has the image a name of section SHNDX, which may be another object's copy? */
static bool has_copy(const struct proof *p, uint32_t shndx)
{
	const char *signature = names_signature(p->partial, shndx);
	struct symbol own;

	if (signature != NULL && has_name(p, signature))
		return true;
	for (size_t i = 0;
	     landmarks_next(&p->placer.landmarks, shndx, &i, &own) != 0;)
		if (has_name(p, own.name))
			return true;
	return false;
}

/*
 * Does a reference to SYM keep the section that it is in? Not if the linker has
 * taken another definition of that name. Then the image has it, unless it was
 * made local and such names are gone. If the image has the name and it is that
 * of SYM, then the search begins there, too.
 */
static bool is_certain(const struct kept_search *search,
		       const struct symbol *sym)
{
	const struct proof *p = search->p;
	bool has_copies = object_section_has_copies(p->partial, sym->shndx);

	if (sym->bind != STB_LOCAL && has_name(p, sym->name))
		return false;
	if (!has_copies && sym->bind != STB_WEAK)
		return true;
	if (!search->has_locals && (sym->visibility != STV_DEFAULT ||
				    p->run->img.obj->ehdr.e_type != ET_EXEC))
		return false;
	return !has_copies || !has_copy(p, sym->shndx);
}

/* R_*_GNU_VTINHERIT and R_*_GNU_VTENTRY only describe. */
static bool is_reference(const struct object *obj, const struct reloc *r)
{
	return r->symndx != 0 && r->symndx < obj->nsymbols &&
	       r->type != obj->arch->reloc_none &&
	       strncmp(arch_reloc_name(obj->arch, r->type), "GNU_VT", 6) != 0;
}

/*
 * Linkers keep of .eh_frame, and of a section of function descriptors, what is
 * of functions that they keep: it keeps nothing by itself.
 */
static bool only_describes(const struct object *obj, uint32_t shndx)
{
	return frames_hold(obj->sections[shndx].name) ||
	       descriptors_hold(obj, shndx);
}

static void add_kept(struct kept_search *search, uint32_t shndx, uint32_t root)
{
	if (search->roots[shndx] != 0 ||
	    only_describes(search->p->partial, shndx))
		return;
	search->roots[shndx] = root;
	search->queue[search->n++] = shndx;
}

/*
 * Does the branch of relocation R, of section SHNDX, lead to where no code is?
 * Then the link has dropped what it leads to all the same (--noinhibit-exec).
 */
static bool leads_nowhere(const struct proof *p, uint32_t shndx,
			  const struct section_relocs *relocs,
			  const struct reloc *r, const struct symbol *sym)
{
	const struct placed *pl = lookup_placed_section(p, shndx);
	struct reference ref;
	struct branch branch;
	struct code code;

	return pl != NULL && !pl->is_relaxed && !pl->is_suspect &&
	       object_code(p->run->d, p->partial, shndx, &code) &&
	       references_decode(p->partial->arch, &code, relocs, r, sym,
				 &ref) &&
	       references_in_image(p, &ref, pl->addr, &branch) &&
	       image_find_text(&p->run->img, branch.target, 1) == NULL;
}

/* Adds what section SHNDX, which is kept, refers to. */
static int follow(struct kept_search *search, uint32_t shndx)
{
	const struct proof *p = search->p;
	const struct object *obj = p->partial;
	struct section_relocs relocs;
	int ret = section_relocs_read(p->run->d, obj, shndx, &relocs);

	for (size_t i = 0; ret == 0 && i < relocs.n; i++) {
		struct symbol sym;

		if (!is_reference(obj, &relocs.relocs[i]))
			continue;
		object_symbol(obj, relocs.relocs[i].symndx, &sym);
		descriptor_follow(obj, &sym, relocs.relocs[i].addend);
		if (sym.is_defined && sym.shndx < obj->nsections &&
		    search->roots[sym.shndx] == 0 &&
		    section_is_alloc(&obj->sections[sym.shndx]) &&
		    is_certain(search, &sym) &&
		    !leads_nowhere(p, shndx, &relocs, &relocs.relocs[i], &sym))
			add_kept(search, sym.shndx, search->roots[shndx]);
	}
	section_relocs_free(&relocs);
	return ret;
}

static int find_kept(struct kept_search *search)
{
	struct proof *p = search->p;

	search->has_locals = p->run->keeps_locals ||
			     functions_have_local(p->run->img.obj);
	/* A section with sites that is absent has another object's name. */
	for (uint32_t i = 1; i < p->partial->nsections; i++)
		if ((!lookup_has_sites(p, i) ||
		     lookup_placed_section(p, i) != NULL) &&
		    section_is_alloc(&p->partial->sections[i]) &&
		    !object_section_has_copies(p->partial, i) &&
		    callers_has_global(p, i, false))
			add_kept(search, i, i);
	for (size_t next = 0; next < search->n; next++)
		if (follow(search, search->queue[next]))
			return -1;
	return 0;
}

/* --- What is absent ------------------------------------------------------- */

/* Does S fit where another section is? Then it may have been folded. */
static bool may_be_folded(const struct proof *all, size_t n, struct proof *p,
			  struct pending *s)
{
	const struct symbol start = { .shndx = p->list.items[s->first].shndx };

	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < all[k].nplaced; i++) {
			uint64_t addr = all[k].placed[i].addr;

			if (sections_may_be_at(p, s->first, s->end, &start,
					       addr) &&
			    addresses_are_right_at(p, s, addr))
				return true;
		}
	return false;
}

/* Is S nowhere in the image, under whatever name? Returns -1 on trouble. */
static int find_absent(struct proof *all, size_t n, struct proof *p,
		       struct pending *s, bool *is_nowhere)
{
	struct wanted wanted = { p, s };
	uint32_t shndx = p->list.items[s->first].shndx;
	int ret = sections_read_relocs(p, shndx, s->first, s->end, &s->relocs);

	if (ret == 0)
		ret = seek_sections(all, &wanted, 1, SEEK_RIGHT);
	*is_nowhere = ret == 0 && s->pl.ncandidates == 0 &&
		      !may_be_folded(all, n, p, s);
	section_relocs_free(&s->relocs);
	free(s->pl.candidates);
	return ret;
}

static bool is_absent(const struct proof *p, size_t first, size_t end)
{
	while (first < end && p->list.items[first].is_target)
		first++;
	return first < end && p->list.items[first].is_absent &&
	       !p->list.items[first].is_placed &&
	       !p->list.items[first].is_excluded;
}

static int judge_absent(struct kept_search *search, struct proof *all, size_t n)
{
	struct proof *p = search->p;

	for (size_t i = 0, end; i < p->list.n; i = end) {
		const struct proof_site *site = &p->list.items[i];
		uint32_t root = search->roots[site->shndx];
		struct pending s = { .first = i };
		struct finding f = report_at_site(site, CAUSE_TEXT_DIFFERS);
		bool is_nowhere;

		s.end = end = lookup_section_end(p, i);
		if (root == 0 || !is_absent(p, i, end))
			continue;
		if (find_absent(all, n, p, &s, &is_nowhere))
			return -1;
		if (!is_nowhere)
			continue;
		report_finding(p, &f,
			       "%s is in the image and leads to the function, "
			       "which is not",
			       callers_name(p, root));
	}
	return 0;
}

/* ------------------------------------------------------------------------- */

static bool has_absent(const struct proof *p)
{
	for (size_t i = 0, end; i < p->list.n; i = end) {
		end = lookup_section_end(p, i);
		if (is_absent(p, i, end))
			return true;
	}
	return false;
}

static int check(struct proof *all, size_t n, struct proof *p)
{
	size_t nsections = p->partial->nsections;
	struct kept_search search = {
		.p = p,
		.roots = calloc(nsections, sizeof(search.roots[0])),
		.queue = calloc(nsections, sizeof(search.queue[0])),
	};
	int ret;

	if (search.roots == NULL || search.queue == NULL)
		ret = diag_nomem(p->run->d, p->partial->path);
	else
		ret = find_kept(&search);
	if (ret == 0)
		ret = judge_absent(&search, all, n);
	free(search.roots);
	free(search.queue);
	return ret;
}

int kept_check(struct proof *all, size_t n)
{
	/* What was just linked is no other build, and one finding is enough. */
	if (all->run->v->is_nameless || all->run->v->is_linked ||
	    all->run->v->nfindings > 0)
		return 0;
	for (size_t k = 0; k < n; k++)
		if (has_absent(&all[k]) && callers_was_linked(&all[k]) &&
		    check(all, n, &all[k]))
			return -1;
	return 0;
}
