/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: a section none of whose symbols is in the final may be there
 * all the same, without the name or under another. As long as its sites branch
 * to stubs, that is seen; once --nop has disabled them, nothing tells but its
 * bytes. So those are looked for wherever a function can begin.
 */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>

#include "proof.h"

/* Addresses at which a function may begin, ascending. */
struct starts {
	uint64_t *addrs;
	size_t n;
};

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

/* Those of symbols, and all that no symbol covers. */
static int list_section(struct proof *p, const struct image_section *is,
			struct starts *starts)
{
	uint64_t end = is->code.addr + is->code.size;

	for (uint64_t addr = is->code.addr; addr < end;) {
		struct symbol sym;
		bool is_covered = image_function(&p->img, addr, &sym) &&
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

static int list_starts(struct proof *p, struct starts *starts)
{
	for (size_t i = 0; i < p->img.nsections; i++)
		if (p->img.sections[i].is_text &&
		    list_section(p, &p->img.sections[i], starts))
			return -1;
	return 0;
}

/* Is the rigid section of [FIRST, END) at ADDR, with sites as they should be?
 */
static bool is_at(struct proof *p, size_t first, size_t end,
		  const struct section_relocs *relocs, uint64_t addr)
{
	bool is_right;

	if (!placer_fits(&p->placer, p->list.items[first].shndx, relocs, addr))
		return false;
	for (size_t i = first; i < end; i++)
		p->list.items[i].addr =
			image_wrap(&p->img, addr + p->list.items[i].offset);
	is_right = has_right_sites(p, first, end);
	for (size_t i = first; i < end; i++)
		p->list.items[i].addr = 0;
	return is_right;
}

static bool find_rigid(struct proof *p, size_t first, size_t end,
		       const struct section_relocs *relocs,
		       const struct starts *starts, uint64_t *found)
{
	const struct section *sec =
		&p->partial->sections[p->list.items[first].shndx];
	uint64_t align = sec->align > 0 ? sec->align : 1;

	for (size_t i = 0; i < starts->n; i++)
		if (starts->addrs[i] % align == 0 &&
		    is_at(p, first, end, relocs, starts->addrs[i])) {
			*found = starts->addrs[i];
			return true;
		}
	return false;
}

static int check_section(struct proof *p, size_t first, size_t end,
			 const struct starts *starts)
{
	uint32_t shndx = p->list.items[first].shndx;
	struct finding f = { .cause = CAUSE_UNPLACED,
			     .section = p->partial->sections[shndx].name,
			     .has_address = true };
	struct section_relocs relocs;
	bool found = false;
	int ret = placer_relocs(&p->placer, shndx, &relocs);

	relocs.exempt = p->site_ranges + first;
	relocs.nexempt = end - first;
	if (ret == 0 && p->partial->sections[shndx].relaxes)
		ret = find_relaxed(p, first, end, &relocs, starts->addrs,
				   starts->n, &found, &f.address);
	else if (ret == 0)
		found = find_rigid(p, first, end, &relocs, starts, &f.address);
	free(relocs.relocs);
	if (found)
		find(p, &f,
		     "no symbol tells that the section is in the image, but "
		     "its bytes are at 0x%" PRIx64,
		     f.address);
	return ret;
}

int check_absent(struct proof *p)
{
	struct starts starts = { 0 };
	int ret = 0;

	for (size_t first = 0, end; ret == 0 && first < p->list.n;
	     first = end) {
		const struct witness *w = &p->list.items[first];

		for (end = first;
		     end < p->list.n && p->list.items[end].shndx == w->shndx;
		     end++)
			;
		if (!w->is_absent)
			continue;
		if (starts.n == 0)
			ret = list_starts(p, &starts);
		if (ret == 0)
			ret = check_section(p, first, end, &starts);
	}
	free(starts.addrs);
	return ret;
}
