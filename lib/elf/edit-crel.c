/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of edit_write: relocations in the compact form, which libelf does not
 * know. Each is stored as its difference from the one before. So a section of
 * them is decoded, changed and encoded as a whole, and moves to the end of the
 * file. A section without changes is copied byte for byte.
 */
#include <config.h>

#include "edit-write.h"

/*
 * Which relocations of section I are changed or removed, and which are added.
 */
struct crel_edit {
	const struct changed_reloc *changes;
	size_t nchanges;
	const struct new_reloc *more;
	size_t nmore;
};

static struct crel_edit find_edit(const struct edit *edit, uint32_t i,
				  size_t *changed)
{
	const struct section *sec = &edit->obj->sections[i];
	const struct section_tail *tail = edit_tail(edit, sec->info);
	struct crel_edit ce = { .changes = edit->relocs + *changed };

	while (*changed < edit->nrelocs && edit->relocs[*changed].relsec == i) {
		ce.nchanges++;
		++*changed;
	}
	if (tail != NULL && tail->more.relsec == i) {
		ce.more = tail->more.relocs;
		ce.nmore = tail->more.nrelocs;
	}
	return ce;
}

static bool differs(const struct edit *edit, const struct crel_edit *ce,
		    const struct crel *crel)
{
	uint32_t nlocals = edit->obj->sections[edit->obj->symtab].info;

	if (ce->nchanges > 0 || ce->nmore > 0)
		return true;
	for (size_t i = 0; edit->nlocals > 0 && i < crel->n; i++)
		if (crel->entries[i].symndx >= nlocals)
			return true;
	return false;
}

/* The changed relocations of CREL, to TO. */
static void change_entries(const struct edit *edit, const struct crel_edit *ce,
			   const struct crel *crel, struct crel *to)
{
	size_t next = 0;

	for (size_t i = 0; i < crel->n; i++) {
		const struct changed_reloc *change = NULL;
		struct reloc r = crel->entries[i];

		if (next < ce->nchanges && ce->changes[next].idx == i)
			change = &ce->changes[next++];
		if (change != NULL && change->is_dropped)
			continue;
		r.symndx = edit_symbol_index(
			edit, change != NULL ? change->symbol
					     : (struct symbol_ref){ SYMBOL_OLD,
								    r.symndx });
		if (change != NULL) {
			r.type = edit->obj->arch->reloc_none;
			r.addend = 0;
		}
		to->entries[to->n++] = r;
	}
	for (size_t i = 0; i < ce->nmore; i++)
		to->entries[to->n++] = (struct reloc){
			.offset = ce->more[i].offset,
			.type = ce->more[i].type,
			.symndx = edit_symbol_index(edit, ce->more[i].symbol),
			.addend = ce->more[i].addend,
		};
}

static int place(struct writer *w, uint32_t i, const struct crel *crel)
{
	Elf_Scn *scn = elf_getscn(w->elf, i);
	uint8_t *bytes = edit_keep(w, crel_bound(crel->n));
	GElf_Shdr sh;

	if (bytes == NULL)
		return diag_nomem(w->d, w->path);
	if (gelf_getshdr(scn, &sh) == NULL)
		return edit_elf_error(w, "read a section header");
	return edit_place_at_end(w, scn, &sh, bytes,
				 crel_encode(crel, w->obj->is_64, bytes),
				 ELF_T_BYTE);
}

int edit_rewrite_crel(struct writer *w, uint32_t i, size_t *changed)
{
	struct crel_edit ce = find_edit(w->edit, i, changed);
	const struct crel *old = &w->obj->crels[i];
	struct crel crel = { 0 };
	struct relocs relocs;

	if (object_relocs(w->d, w->obj, i, &relocs))
		return -1;
	if (!differs(w->edit, &ce, old))
		return 0;
	crel.has_addends = old->has_addends;
	crel.entries =
		edit_keep(w, (old->n + ce.nmore + 1) * sizeof(crel.entries[0]));
	if (crel.entries == NULL)
		return diag_nomem(w->d, w->path);
	change_entries(w->edit, &ce, old, &crel);
	return place(w, i, &crel);
}
