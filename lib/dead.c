/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: which sites may be missing from the table. A site that no
 * symbol covers is dead if no branch of the image and no data of the partial
 * lead from elsewhere into the bytes between the last symbol and it.
 */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"
#include "proof.h"

/* Unnamed text of the partial that has sites; sorted by address. */
struct hole {
	uint64_t start, end; /* addresses: the last symbol, the last site */
	uint64_t body_end;   /* address of the next symbol */
	uint64_t offset;     /* of start, in the section */
	uint32_t shndx;
	bool is_reached;
};

struct hole_list {
	struct hole *items;
	size_t n;
};

/* A search for branches from one text section. */
struct search {
	const struct proof *p;
	struct hole_list *holes;
	const struct image_section *is;
};

static int compare_holes(const void *a, const void *b)
{
	const struct hole *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static int list_holes(struct proof *p, struct hole_list *holes)
{
	holes->items = malloc((p->list.n + 1) * sizeof(holes->items[0]));
	if (holes->items == NULL)
		return diag_nomem(p->d, p->partial->path);
	for (size_t i = 0; i < p->list.n; i++) {
		const struct witness *w = &p->list.items[i];
		struct hole *last = holes->n ? &holes->items[holes->n - 1]
					     : NULL;

		if (!w->is_in_hole || !w->is_placed)
			continue;
		if (last != NULL && last->shndx == w->shndx &&
		    last->offset == w->hole) {
			last->end = w->addr;
			continue;
		}
		holes->items[holes->n++] = (struct hole){
			.start = w->addr - (w->offset - w->hole),
			.end = w->addr,
			.body_end = w->addr + (w->hole_end - w->offset),
			.offset = w->hole,
			.shndx = w->shndx,
		};
	}
	qsort(holes->items, holes->n, sizeof(holes->items[0]), compare_holes);
	return 0;
}

static struct hole *hole_at(const struct hole_list *holes, uint64_t addr)
{
	size_t low = 0, high = holes->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (holes->items[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0 || addr > holes->items[low - 1].end)
		return NULL;
	return &holes->items[low - 1];
}

/* In a function of known extent, only what begins an instruction counts. */
static bool is_instruction(const struct search *search, uint64_t offset)
{
	const struct proof *p = search->p;
	const struct arch *arch = p->partial->arch;
	uint64_t addr = search->is->code.addr;
	struct symbol sym;

	if (!image_function(&p->img, addr + offset, &sym) || sym.size == 0 ||
	    sym.value < addr)
		return true;
	return arch->is_boundary(arch, &search->is->code, sym.value - addr,
				 offset);
}

static void reach(void *ctx, uint64_t offset, const struct branch *branch)
{
	const struct search *search = ctx;
	struct hole *hole = hole_at(search->holes, branch->target);
	/* A branch inside the hole itself proves nothing. */
	uint64_t from = search->is->code.addr + offset;

	if (hole != NULL && !hole->is_reached &&
	    (from < hole->start || from >= hole->body_end) &&
	    is_instruction(search, offset))
		hole->is_reached = true;
}

static void search_branches(struct proof *p, struct hole_list *holes)
{
	const struct arch *arch = p->partial->arch;

	for (size_t i = 0; i < p->img.nsections; i++) {
		const struct image_section *is = &p->img.sections[i];
		struct search search = { p, holes, is };

		if (is->is_text)
			arch->each_branch(
				arch, &is->code, holes->items[0].start,
				holes->items[holes->n - 1].end, reach, &search);
	}
}

/* Pointers in data, as the partial's relocations have them. */
static int search_data(struct proof *p, struct hole_list *holes, uint32_t shndx)
{
	const struct object *obj = p->partial;
	struct section_relocs relocs;
	const uint8_t *bytes;
	size_t size;
	int ret = -1;

	bytes = object_data(p->d, obj, shndx, &size);
	if (placer_relocs(&p->placer, shndx, &relocs) || bytes == NULL)
		goto done;
	for (size_t i = 0; i < relocs.n; i++) {
		const struct reloc *r = &relocs.relocs[i];
		uint64_t target = r->addend;
		struct symbol sym;

		object_symbol(obj, r->symndx, &sym);
		if (!sym.is_defined)
			continue;
		/* REL keeps the addend in the field, and r->addend is 0. */
		if (target == 0 && r->offset <= size && size - r->offset >= 4)
			target = object_word(obj, bytes + r->offset);
		target += sym.value;
		for (size_t k = 0; k < holes->n; k++) {
			struct hole *hole = &holes->items[k];

			if (hole->shndx == sym.shndx &&
			    target >= hole->offset &&
			    target - hole->offset <= hole->end - hole->start)
				hole->is_reached = true;
		}
	}
	ret = 0;
done:
	free(relocs.relocs);
	return ret;
}

int mark_dead(struct proof *p)
{
	struct hole_list holes = { 0 };
	int ret = -1;

	if (list_holes(p, &holes))
		return -1;
	if (holes.n > 0)
		search_branches(p, &holes);
	for (size_t i = 1; holes.n > 0 && i < p->partial->nsections; i++) {
		const struct section *sec = &p->partial->sections[i];

		if (section_is_alloc(sec) && !section_is_text(sec) &&
		    !section_describes_code(sec->name) &&
		    search_data(p, &holes, i))
			goto done;
	}
	for (size_t i = 0; i < p->list.n; i++) {
		struct witness *w = &p->list.items[i];
		const struct hole *hole = w->is_in_hole && w->is_placed
						  ? hole_at(&holes, w->addr)
						  : NULL;

		w->is_dead = hole != NULL && !hole->is_reached;
	}
	ret = 0;
done:
	free(holes.items);
	return ret;
}
