/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: a section that symbols do not place may be in the final all
 * the same. It has none, or none is left; or its weak symbols mean another
 * object's definition, and the body that was overridden has no name. So its
 * bytes are looked for wherever a function can begin.
 *
 * Where the stubs have lost their names, too, the branches do not tell whether
 * such bytes are the section. But then nothing tells that they are not.
 */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>

#include "grow.h"
#include "proof.h"

static int add_start(struct proof *p, struct starts *starts, uint64_t addr)
{
	uint64_t *addrs = grow_list(starts->addrs, starts->n, sizeof(addrs[0]));

	if (addrs == NULL)
		return diag_nomem(p->d, p->img.obj->path);
	starts->addrs = addrs;
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

/* --- Names that were stripped ------------------------------------------- */

/* A section with fewer bytes of its own fits many a place by chance. */
#define FIXED_MIN 8

uint64_t count_fixed(const struct proof *p, uint32_t shndx,
		     const struct section_relocs *relocs)
{
	const struct byte_range *site = relocs->exempt;
	const struct byte_range *end = site + relocs->nexempt;
	uint64_t set = 0, size = p->partial->sections[shndx].size;

	for (size_t i = 0; i < relocs->n; i++) {
		uint64_t offset = relocs->relocs[i].offset;

		for (; site < end && site->end <= offset; site++)
			set += site->end - site->start;
		if (site == end || offset < site->start)
			set += arch_reloc_width(p->partial->arch,
						relocs->relocs[i].type);
	}
	for (; site < end; site++)
		set += site->end - site->start;
	return set < size ? size - set : 0;
}

/* Is there no function that is known to be another one? */
static bool is_nameless(const struct proof *p, uint64_t addr)
{
	struct symbol sym;

	return !image_function(&p->img, addr, &sym) ||
	       (sym.size == 0 && sym.value != addr);
}

/* Could W be at its address, with a stub that has no name? */
static bool may_be_site(const struct proof *p, const struct witness *w)
{
	struct branch branch;

	return is_right_branch(p, w) ||
	       (!is_known_to_branch(p) && is_disabled(p, w)) ||
	       (w->form != FORM_BRANCH && find_stub(p, w->symbol) == NULL &&
		decode_site(p, w, &branch) && branch.form == w->form &&
		is_nameless(p, branch.target));
}

/* Could S, which nothing places, be at ADDR? */
static int may_be_at(struct proof *p, struct pending *s, uint64_t addr,
		     bool *may_be)
{
	*may_be = is_nameless(p, addr);
	if (*may_be && set_addresses(p, s, addr))
		return -1;
	for (size_t i = s->first; *may_be && i < s->end; i++)
		*may_be = may_be_site(p, &p->list.items[i]);
	for (size_t i = s->first; i < s->end; i++)
		p->list.items[i].is_placed = false;
	return 0;
}

static void report_nameless(struct proof *p, const struct pending *s,
			    uint64_t addr)
{
	struct finding f =
		at_witness(p, &p->list.items[s->first], CAUSE_UNPLACED);

	f.has_offset = false;
	f.has_address = true;
	f.address = addr;
	f.remedy = "verify before strip, and keep the symbols of functions "
		   "and stubs";
	find(p, &f,
	     "no symbol tells that the section is in the image, but its bytes "
	     "are at 0x%" PRIx64,
	     addr);
	p->has_absent = true;
	for (size_t i = s->first; i < s->end; i++) {
		p->list.items[i].is_absent = false;
		p->list.items[i].is_suspect = true;
	}
}

/* Code without names: all starts in it, and which follow one another. */
struct run {
	size_t first, n; /* indices of starts */
};

struct nameless {
	struct starts starts; /* owned */
	struct run *runs;     /* owned; the longest first */
	size_t nruns;
};

static int compare_runs(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return x->first < y->first ? -1 : 1;
}

static int list_runs(struct proof *p, struct nameless *code)
{
	const uint64_t *addrs;

	if (code->runs != NULL)
		return 0;
	if (list_starts(p, &code->starts))
		return -1;
	addrs = code->starts.addrs;
	code->runs = malloc((code->starts.n + 1) * sizeof(code->runs[0]));
	if (code->runs == NULL)
		return diag_nomem(p->d, p->img.obj->path);
	for (size_t i = 0; i < code->starts.n; i++) {
		if (i == 0 || addrs[i] - addrs[i - 1] != 1)
			code->runs[code->nruns++].first = i;
		code->runs[code->nruns - 1].n =
			i + 1 - code->runs[code->nruns - 1].first;
	}
	if (code->nruns > 0)
		qsort(code->runs, code->nruns, sizeof(code->runs[0]),
		      compare_runs);
	return 0;
}

/* Text that relaxes becomes shorter, but not as short as that. */
#define SHRINKS_TO 4

/* All of S is without names, or nothing. */
static int seek_runs(struct proof *p, struct pending *s,
		     const struct nameless *code)
{
	const struct section *sec =
		&p->partial->sections[p->list.items[s->first].shndx];
	uint64_t size = sec->relaxes ? sec->size / SHRINKS_TO + 1 : sec->size;

	for (size_t i = 0; i < code->nruns && code->runs[i].n >= size; i++) {
		struct starts part = { code->starts.addrs + code->runs[i].first,
				       code->runs[i].n - size + 1 };

		if (seek_section(p, s, &part))
			return -1;
	}
	return 0;
}

/* S was taken for dropped: no symbol of it is there. */
static int seek_dropped(struct proof *p, struct pending *s,
			struct nameless *code, bool *found)
{
	uint32_t shndx = p->list.items[s->first].shndx;
	bool may_be = false;

	if (placer_relocs(&p->placer, shndx, &s->relocs))
		return -1;
	s->relocs.exempt = p->site_ranges + s->first;
	s->relocs.nexempt = s->end - s->first;
	if (count_fixed(p, shndx, &s->relocs) < FIXED_MIN)
		return 0;
	if (list_runs(p, code) || seek_runs(p, s, code))
		return -1;
	for (size_t i = 0; !may_be && i < s->pl.nfits; i++) {
		if (may_be_at(p, s, s->pl.fits[i], &may_be))
			return -1;
		if (may_be)
			report_nameless(p, s, s->pl.fits[i]);
	}
	*found |= may_be;
	return 0;
}

/* The end of the witnesses that are in the section of FIRST. */
static size_t section_end(const struct proof *p, size_t first)
{
	size_t end = first;

	while (end < p->list.n &&
	       p->list.items[end].shndx == p->list.items[first].shndx)
		end++;
	return end;
}

static int check_own_dropped(struct proof *p, struct nameless *code,
			     bool *found)
{
	int ret = 0;

	for (size_t i = 0, end; ret == 0 && i < p->list.n; i = end) {
		struct pending s = { .first = i };

		s.end = end = section_end(p, i);
		if (p->list.items[i].is_absent)
			ret = seek_dropped(p, &s, code, found);
		free(s.relocs.relocs);
		free(s.pl.fits);
	}
	return ret;
}

int check_dropped(struct proof *all, size_t n)
{
	struct nameless code = { 0 };
	int ret = 0;

	/* What the table has there follows from it, and need not be said. */
	for (size_t k = 0; ret == 0 && k < n; k++)
		ret = check_own_dropped(&all[k], &code, &all[0].has_untold);
	free(code.starts.addrs);
	free(code.runs);
	return ret;
}
