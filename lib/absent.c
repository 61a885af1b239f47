/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: a section that symbols do not place may be in the final all
 * the same. It has none, or none is left; or its weak symbols mean another
 * object's definition, and the body that was overridden has no name. So its
 * bytes are looked for wherever a function can begin.
 */
#include <config.h>

#include <stdlib.h>

#include "proof.h"

static int add_start(struct proof *p, struct starts *starts, uint64_t addr)
{
	uint64_t *addrs = starts->addrs;

	/* Grow by doubling, at powers of two. */
	if ((starts->n & (starts->n + 1)) == 0) {
		addrs = realloc(addrs, (starts->n + 1) * 2 * sizeof(addrs[0]));
		if (addrs == NULL)
			return diag_nomem(p->d, p->img.obj->path);
		starts->addrs = addrs;
	}
	addrs[starts->n++] = addr;
	return 0;
}

/*
 * Are the sizes of functions those from before the linker shortened them? mold
 * leaves them so, and then one function reaches into the next, or into a body
 * without a name.
 */
static bool has_old_sizes(const struct proof *p)
{
	struct symbol sym, last = { 0 };

	if (p->partial->arch->relax == NULL)
		return false;
	for (size_t i = 0; i < p->img.nfunctions; i++) {
		object_symbol(p->img.obj, p->img.functions[i], &sym);
		if (sym.value > last.value &&
		    sym.value - last.value < last.size)
			return true;
		last = sym;
	}
	return false;
}

/* Those of symbols, and all that no symbol covers. */
static int list_section(struct proof *p, const struct image_section *is,
			bool has_sizes, struct starts *starts)
{
	uint64_t end = is->code.addr + is->code.size;

	for (uint64_t addr = is->code.addr; addr < end;) {
		struct symbol sym;
		bool is_covered = has_sizes &&
				  image_function(&p->img, addr, &sym) &&
				  sym.size > 0;

		if ((!is_covered || sym.value == addr) &&
		    placed_at(p, addr) == NULL && add_start(p, starts, addr))
			return -1;
		addr = is_covered && sym.value + sym.size > addr
			       ? sym.value + sym.size
			       : addr + 1;
	}
	return 0;
}

int list_starts(struct proof *p, struct starts *starts)
{
	bool has_sizes = !has_old_sizes(p);

	*starts = (struct starts){ 0 };
	for (size_t i = 0; i < p->img.nsections; i++)
		if (p->img.sections[i].is_text &&
		    list_section(p, &p->img.sections[i], has_sizes, starts))
			return -1;
	return 0;
}

int seek_section(struct proof *p, struct pending *pending,
		 const struct starts *starts)
{
	uint32_t shndx = p->list.items[pending->first].shndx;
	const struct section *sec = &p->partial->sections[shndx];
	uint64_t align = sec->align > 0 ? sec->align : 1;

	if (sec->relaxes)
		return seek_relaxed(p, pending->first, pending->end,
				    &pending->relocs, starts->addrs, starts->n,
				    &pending->pl);
	for (size_t i = 0; i < starts->n; i++)
		if (starts->addrs[i] % align == 0 &&
		    placer_fits(&p->placer, shndx, &pending->relocs,
				starts->addrs[i]) &&
		    placer_add_fit(&p->placer, &pending->pl, starts->addrs[i]))
			return -1;
	return 0;
}
