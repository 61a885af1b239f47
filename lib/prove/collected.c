/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>

#include "aliases.h"
#include "collected.h"
#include "table/table.h"

/*
 * Warns of a partial that names probe functions, but neither defines nor uses
 * any: it may have lost its relocations.
 */
static void warn_mute(struct diag *d, const struct object *partial,
		      const struct proof_site_list *list)
{
	if (list->n > 0 || list->has_excluded || list->nrefused > 0)
		return;
	for (size_t i = 0; i < list->nmentioned; i++) {
		struct symbol sym;

		object_symbol(partial, list->mentioned[i], &sym);
		if (sym.shndx != SHN_UNDEF)
			continue;
		diag_report(d, SEVERITY_WARNING,
			    &(struct place){ .file = partial->path },
			    "no-relocations",
			    "give the partial as ld -r wrote it",
			    "mentions %s and has no relocation against a probe "
			    "function: nothing shows its sites",
			    sym.name);
		return;
	}
}

/* How many entries --inject has made for these sites. */
static size_t count_included(const struct proof_site_list *list)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		n += !list->items[i].is_target && !list->items[i].is_excluded;
	return n;
}

static int collect(struct diag *d, const struct object *partial,
		   const struct options *options, struct collected *c)
{
	size_t nentries = table_count_injected(partial, options);

	c->is_injected = nentries > 0;
	if (names_build(d, partial, &c->functions) ||
	    proof_site_collect(d, partial, options, &c->functions, &c->list))
		return -1;
	if (nentries > c->list.n - c->list.ntargets)
		return diag_file(d, partial->path, "injected",
				 "was injected with --nop, or with other "
				 "options, and %zu of %zu sites are left: "
				 "give the object from before",
				 c->list.n - c->list.ntargets, nentries);
	/*
	 * ld -r may have joined objects that were injected and objects that
	 * were not.
	 */
	c->has_branches = c->is_injected && !partial->is_restored &&
			  nentries == count_included(&c->list);
	warn_mute(d, partial, &c->list);
	return aliases_check(d, partial, options, &c->list);
}

struct collected *collected_begin(struct diag *d, const struct object *partial,
				  const struct options *options)
{
	struct collected *c = calloc(1, sizeof(*c));

	if (c == NULL)
		diag_nomem(d, partial->path);
	else
		c->has_failed = collect(d, partial, options, c) != 0;
	return c;
}

void collected_end(struct diag *d, const struct object *partial,
		   struct extents *extents, struct collected *c)
{
	if (extents_mark(d, partial, extents, &c->list))
		c->has_failed = true;
}

struct collected *collected_new(struct diag *d, const struct object *partial,
				const struct options *options)
{
	struct collected *c = collected_begin(d, partial, options);
	struct extents extents = { 0 };

	if (c != NULL && !c->has_failed) {
		if (extents_list(d, partial, &extents) == 0)
			collected_end(d, partial, &extents, c);
		else
			c->has_failed = true;
		extents_free(&extents);
	}
	return c;
}

void collected_free(struct collected *collected)
{
	if (collected == NULL)
		return;
	proof_site_free(&collected->list);
	names_free(&collected->functions);
	free(collected);
}
