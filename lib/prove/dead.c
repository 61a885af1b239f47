/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: finds dead sites, which the table need not have. A site is
 * dead if no symbol covers it, and nothing leads into the unnamed bytes around
 * it: no branch of the image, no operand and no relocation of the partial, and
 * no code in front of these bytes that can fall through.
 */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "elf/descriptors.h"
#include "elf/frames.h"
#include "sites/descriptions.h"
#include "proof.h"

/* Unnamed text of the partial that has sites. */
struct range {
	uint64_t start, end; /* addresses: from one symbol to the next */
	uint64_t offset;     /* of start, in the section */
	uint32_t shndx;
	bool is_reached;
	int64_t nranges; /* references that begin here, less those that end
			  * before: see mark_unnamed */
};

struct unnamed_list {
	struct range *items; /* by section and offset; they do not overlap */
	struct range **by_addr;
	size_t n;
	struct byte_range
		*spans;	  /* by section: offsets from the first unnamed range
			     to the end of the last; or end is 0 */
	bool *references; /* by symbol: it may lead to an unnamed range; owned,
			     as all */
};

/* A search for branches from one text section. */
struct search {
	const struct proof *p;
	struct unnamed_list *unnamed;
	const struct image_section *is;
};

/*
 * The same in the image, where a jump to an undefined weak function may be a
 * NOP. Text that relaxes has no such jump.
 */
static bool find_end_in_image(const struct proof *p,
			      const struct proof_site *site,
			      const struct code *before, uint64_t *end)
{
	const struct arch *arch = p->partial->arch;
	const struct uncovered *u = &p->list.uncovered[site->uncovered];
	struct code after = *before;

	if (p->partial->sections[site->shndx].relaxes)
		return true;
	after.addr = image_wrap(&p->run->img, site->addr - site->offset);
	after.bytes = image_bytes(&p->run->img, after.addr, after.size);
	if (after.bytes == NULL)
		return false;
	*end = arch->find_end(arch, &after, u->function, u->start);
	return *end != NO_END;
}

/*
 * If the code of the last symbol can fall through, it runs into the unnamed
 * range. Else the range begins behind the code that ends there.
 */
static int trim_unnamed(struct proof *p, const struct proof_site *site,
			struct range *range)
{
	const struct arch *arch = p->partial->arch;
	const struct uncovered *u = &p->list.uncovered[site->uncovered];
	struct code code = { 0 };
	uint64_t end, other = 0;

	/* The linker put unknown code there, which may go on anywhere. */
	if (unknown_has(p, site->shndx)) {
		range->is_reached = true;
		return 0;
	}
	if (!object_code(p->run->d, p->partial, site->shndx, &code))
		return -1;
	end = arch->find_end(arch, &code, u->function, u->start);
	range->is_reached = end == NO_END ||
			    !find_end_in_image(p, site, &code, &other);
	if (range->is_reached)
		return 0;
	end = other > end ? other : end;
	range->start -= u->start - end;
	range->offset = end;
	return 0;
}

static int compare_unnamed(const void *a, const void *b)
{
	const struct range *x = *(struct range *const *)a;
	const struct range *y = *(struct range *const *)b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static int list_unnamed(struct proof *p, struct unnamed_list *unnamed)
{
	unnamed->items = malloc((p->list.n + 1) * sizeof(unnamed->items[0]));
	unnamed->by_addr =
		malloc((p->list.n + 1) * sizeof(unnamed->by_addr[0]));
	if (unnamed->items == NULL || unnamed->by_addr == NULL)
		return diag_nomem(p->run->d, p->partial->path);
	for (size_t i = 0; i < p->list.n; i++) {
		const struct proof_site *site = &p->list.items[i];
		const struct uncovered *u;
		struct range *last =
			unnamed->n ? &unnamed->items[unnamed->n - 1] : NULL;

		if (!site->is_unnamed || !site->is_placed || site->is_target)
			continue;
		u = &p->list.uncovered[site->uncovered];
		if (last != NULL && last->shndx == site->shndx &&
		    last->end == site->addr + (u->end - site->offset))
			continue;
		unnamed->items[unnamed->n++] = (struct range){
			.start = site->addr - (site->offset - u->start),
			.end = site->addr + (u->end - site->offset),
			.offset = u->start,
			.shndx = site->shndx,
		};
		if (trim_unnamed(p, site, &unnamed->items[unnamed->n - 1]))
			return -1;
	}
	for (size_t i = 0; i < unnamed->n; i++)
		unnamed->by_addr[i] = &unnamed->items[i];
	qsort(unnamed->by_addr, unnamed->n, sizeof(unnamed->by_addr[0]),
	      compare_unnamed);
	return 0;
}

static uint64_t unnamed_size(const struct range *range)
{
	return range->end - range->start;
}

static int find_spans(struct proof *p, struct unnamed_list *unnamed)
{
	const struct object *obj = p->partial;

	unnamed->spans = calloc(obj->nsections, sizeof(unnamed->spans[0]));
	if (unnamed->spans == NULL)
		return diag_nomem(p->run->d, obj->path);
	for (size_t i = 0; i < unnamed->n; i++) {
		const struct range *range = &unnamed->items[i];
		struct byte_range *span = &unnamed->spans[range->shndx];
		uint64_t end = range->offset + unnamed_size(range);

		if (span->end == 0 || range->offset < span->start)
			span->start = range->offset;
		span->end = end > span->end ? end : span->end;
	}
	return 0;
}

/*
 * There are many more relocations than symbols, and few lead to an unnamed
 * range. So this finds the symbols that may.
 */
static int find_symbols(struct proof *p, struct unnamed_list *unnamed)
{
	const struct object *obj = p->partial;

	unnamed->references =
		calloc(obj->nsymbols + 1, sizeof(unnamed->references[0]));
	if (unnamed->references == NULL)
		return diag_nomem(p->run->d, obj->path);
	for (size_t i = 0; i < obj->nsymbols; i++) {
		struct symbol sym;

		object_symbol(obj, i, &sym);
		/* A descriptor leads to code in another section. */
		unnamed->references[i] = sym.is_defined &&
					 (obj->arch->descriptors != NULL ||
					  unnamed->spans[sym.shndx].end > 0);
	}
	return 0;
}

static struct range *unnamed_at(const struct unnamed_list *unnamed,
				uint64_t addr)
{
	size_t i;

	LOWER_BOUND(i, unnamed->n, unnamed->by_addr[i]->start <= addr);
	if (i == 0 || addr >= unnamed->by_addr[i - 1]->end)
		return NULL;
	return unnamed->by_addr[i - 1];
}

/*
 * Could the branch at FROM mean the unnamed range? A branch with a distance of
 * one byte hardly ever comes from another section; such bytes are there by
 * chance.
 */
static bool can_mean(const struct search *search, const struct range *range,
		     uint64_t from, const struct branch *branch)
{
	uint64_t start = range->start - range->offset;
	uint64_t size = search->p->partial->sections[range->shndx].size;

	return branch->length - branch->field > 1 || from - start < size ||
	       image_begins_insn(&search->p->run->img, search->is,
				 from - search->is->code.addr, false);
}

/*
 * Do the bytes at FROM, which decode as a branch, begin in the field of a
 * relocation that is not the branch's own? Then they are the field of another
 * instruction.
 */
static bool is_field(const struct proof *p, uint64_t from,
		     const struct branch *branch)
{
	const struct placed *pl = lookup_placed_at(p, from);
	uint64_t offset = pl != NULL ? from - pl->addr : 0;

	if (pl == NULL || pl->is_relaxed || pl->is_suspect || pl->nunknown > 0)
		return false;
	for (size_t i = section_relocs_reaching(&pl->relocs, offset);
	     i < pl->relocs.n && pl->relocs.relocs[i].offset <= offset; i++) {
		const struct reloc *r = &pl->relocs.relocs[i];

		if (r->offset + arch_reloc_width(p->partial->arch, r->type) >
			    offset &&
		    r->offset != offset + branch->field)
			return true;
	}
	return false;
}

static void reach(void *ctx, uint64_t offset, const struct branch *branch)
{
	const struct search *search = ctx;
	struct range *range = unnamed_at(search->unnamed, branch->target);
	/* A branch from inside the range does not count. */
	uint64_t from = search->is->code.addr + offset;

	if (range != NULL && !range->is_reached &&
	    (from < range->start || from >= range->end) &&
	    can_mean(search, range, from, branch) &&
	    !is_field(search->p, from, branch) &&
	    image_begins_insn(&search->p->run->img, search->is, offset, true))
		range->is_reached = true;
}

static void search_branches(struct proof *p, struct unnamed_list *unnamed)
{
	const struct arch *arch = p->run->img.obj->arch;

	for (size_t i = 0; i < p->run->img.nsections + p->run->img.noverlays;
	     i++) {
		const struct image_section *is = &p->run->img.sections[i];
		struct search search = { p, unnamed, is };

		if (is->is_text)
			arch->each_branch(arch, &is->code,
					  unnamed->by_addr[0]->start,
					  unnamed->by_addr[unnamed->n - 1]->end,
					  reach, &search);
	}
}

/* A search of one section of the partial. */
struct operand_search {
	const struct arch *arch;
	struct unnamed_list *unnamed;
	const struct section_relocs *relocs;
	uint32_t shndx;
};

/*
 * The first unnamed range of section SHNDX that ends behind OFFSET, or else of
 * the next section that has one.
 */
static size_t first_unnamed(const struct unnamed_list *unnamed, uint32_t shndx,
			    uint64_t offset)
{
	size_t i;

	LOWER_BOUND(i, unnamed->n,
		    unnamed->items[i].shndx < shndx ||
			    (unnamed->items[i].shndx == shndx &&
			     unnamed->items[i].offset +
					     unnamed_size(&unnamed->items[i]) <=
				     offset));
	return i;
}

/*
 * The unnamed range at OFFSET of section SHNDX, or NULL, which is the usual
 * case.
 */
static struct range *unnamed_of(const struct unnamed_list *unnamed,
				uint32_t shndx, uint64_t offset)
{
	const struct byte_range *span = &unnamed->spans[shndx];
	size_t i;

	if (offset < span->start || offset >= span->end)
		return NULL;
	i = first_unnamed(unnamed, shndx, offset);
	return i < unnamed->n && unnamed->items[i].shndx == shndx &&
			       unnamed->items[i].offset <= offset
		       ? &unnamed->items[i]
		       : NULL;
}

/*
 * Notes that the unnamed ranges [FIRST, END) are reached. There may be many
 * each time, so this only opens and closes a bracket.
 */
static void mark_unnamed(struct unnamed_list *unnamed, size_t first, size_t end)
{
	if (first >= end)
		return;
	unnamed->items[first].nranges++;
	if (end < unnamed->n)
		unnamed->items[end].nranges--;
}

static void resolve_ranges(struct unnamed_list *unnamed)
{
	int64_t nopen = 0;

	for (size_t i = 0; i < unnamed->n; i++) {
		nopen += unnamed->items[i].nranges;
		unnamed->items[i].is_reached |= nopen > 0;
	}
}

/* Marks the unnamed ranges of section SHNDX that touch [LOW, HIGH]. */
static void reach_range(struct unnamed_list *unnamed, uint32_t shndx,
			uint64_t low, uint64_t high)
{
	const struct byte_range *span = &unnamed->spans[shndx];
	const struct range *last;

	if (high < span->start || low >= span->end)
		return;
	last = unnamed_of(unnamed, shndx, high);
	mark_unnamed(unnamed, first_unnamed(unnamed, shndx, low),
		     last != NULL ? (size_t)(last - unnamed->items) + 1
				  : first_unnamed(unnamed, shndx, high));
}

/*
 * Marks the range that OFFSET of section FROM refers to, unless it is in that
 * range itself.
 */
static void reach_text(struct unnamed_list *unnamed, uint32_t from,
		       uint64_t offset, uint32_t shndx, uint64_t target)
{
	struct range *range = unnamed_of(unnamed, shndx, target);

	if (range != NULL &&
	    (from != shndx || offset - range->offset >= unnamed_size(range)))
		range->is_reached = true;
}

static void reach_operand(void *ctx, uint64_t offset, uint64_t target)
{
	const struct operand_search *search = ctx;

	if (!section_relocs_touch(search->relocs, search->arch, offset, 4))
		reach_text(search->unnamed, search->shndx, offset,
			   search->shndx, target);
}

/*
 * Marks ranges for an entry of a table of distances from its own start. TARGET
 * includes the entry's offset in the table, which can be anything up to OFFSET.
 */
static void reach_table(struct unnamed_list *unnamed, uint32_t shndx,
			uint64_t target, uint64_t offset)
{
	reach_range(unnamed, shndx, target > offset ? target - offset : 0,
		    target);
}

/* REL keeps the addend in the field. */
static uint64_t addend_of(const struct object *obj, const struct code *code,
			  const struct reloc *r)
{
	if (!obj->arch->uses_rela && r->offset <= code->size &&
	    code->size - r->offset >= 4)
		return (int64_t)(int32_t)object_word(obj,
						     code->bytes + r->offset);
	return r->addend;
}

/* The code of an entry of a jump table makes the jump. */
static void reach_jump(struct unnamed_list *unnamed, const struct object *obj,
		       const struct code *code, const struct reloc *entry)
{
	const struct reloc *from = &entry[JUMP_CODE];
	const struct reloc *to = &entry[JUMP_TARGET];
	struct symbol at, target;

	object_symbol(obj, from->symndx, &at);
	object_symbol(obj, to->symndx, &target);
	reach_text(unnamed, at.shndx, at.value + addend_of(obj, code, from),
		   target.shndx, target.value + addend_of(obj, code, to));
}

/*
 * Marks what the partial's bytes and relocations in section SHNDX lead to. The
 * bytes count, too: the assembler leaves no relocation for a lea within one
 * section.
 */
static int search_section(struct proof *p, struct unnamed_list *unnamed,
			  uint32_t shndx)
{
	const struct object *obj = p->partial;
	bool is_text = section_is_text(&obj->sections[shndx]);
	struct section_relocs relocs;
	struct operand_search search = { obj->arch, unnamed, &relocs, shndx };
	struct code code = { 0 };
	const struct byte_range *span = &unnamed->spans[shndx];
	bool has_jumps = descriptions_has_jumps(obj->sections[shndx].name);
	bool has_frames = frames_hold(obj->sections[shndx].name);
	struct frames frames = { 0 };
	int ret = -1;

	if (section_relocs_read(p->run->d, p->partial, shndx, &relocs) ||
	    !object_code(p->run->d, obj, shndx, &code) ||
	    (has_frames && frames_read(p->run->d, obj, shndx, &frames)))
		goto done;
	if (is_text && span->end > 0)
		obj->arch->each_operand(obj->arch, &code, span->start,
					span->end, reach_operand, &search);
	for (size_t i = 0; i < relocs.n; i++) {
		const struct reloc *r = &relocs.relocs[i];
		uint64_t target;
		struct symbol sym;

		if (i + NAMES_AHEAD < relocs.n &&
		    unnamed->references[r[NAMES_AHEAD].symndx])
			object_fetch_symbol(obj, r[NAMES_AHEAD].symndx);
		if (has_jumps && relocs.n - i >= JUMP_WORDS &&
		    descriptions_is_jump(obj, r)) {
			reach_jump(unnamed, obj, &code, r);
			i += JUMP_WORDS - 1;
			continue;
		}
		if (!unnamed->references[r->symndx] ||
		    (has_frames && !frames_call(&frames, r->offset)))
			continue;
		object_symbol(obj, r->symndx, &sym);
		if (obj->arch->descriptors != NULL &&
		    descriptor_follow(obj, &sym, r->addend) &&
		    arch_reloc_is_distance(obj->arch, r->type, is_text))
			mark_unnamed(unnamed, 0, unnamed->n);
		if (unnamed->spans[sym.shndx].end == 0)
			continue;
		if (unnamed_of(unnamed, sym.shndx, sym.value) != NULL &&
		    arch_reloc_has_slot(obj->arch, r->type))
			reach_text(unnamed, shndx, r->offset, sym.shndx,
				   sym.value);
		target = sym.value + addend_of(obj, &code, r);
		/* In .eh_frame, a distance counts from the word itself. */
		if (!has_frames &&
		    arch_reloc_is_distance(obj->arch, r->type, is_text))
			reach_table(unnamed, sym.shndx, target, r->offset);
		else if (is_text)
			reach_text(unnamed, shndx, r->offset, sym.shndx,
				   target +
					   arch_reloc_bias(obj->arch, r->type));
		else
			reach_range(unnamed, sym.shndx, target, target);
	}
	ret = 0;
done:
	frames_free(&frames);
	section_relocs_free(&relocs);
	return ret;
}

/*
 * Marks what section SHNDX of another partial leads to, by a symbol of this
 * one.
 */
static int search_other(const struct proof *p, const struct proof *other,
			struct unnamed_list *unnamed, uint32_t shndx)
{
	const struct object *obj = other->partial;
	bool is_text = section_is_text(&obj->sections[shndx]);
	struct section_relocs relocs;
	struct code code = { 0 };
	int ret = -1;

	if (section_relocs_read(other->run->d, other->partial, shndx,
				&relocs) ||
	    !object_code(p->run->d, obj, shndx, &code))
		goto done;
	for (size_t i = 0; i < relocs.n; i++) {
		const struct reloc *r = &relocs.relocs[i];
		uint64_t addend = addend_of(obj, &code, r);
		bool is_distance =
			arch_reloc_is_distance(obj->arch, r->type, is_text);
		uint32_t symndx = 0;
		struct symbol sym, own;

		if (is_text && !is_distance)
			addend += arch_reloc_bias(obj->arch, r->type);
		object_symbol(obj, r->symndx, &sym);
		while (sym.bind != STB_LOCAL && addend != 0 &&
		       names_next(&p->functions, sym.name, &symndx, &own)) {
			uint64_t target = own.value + addend;

			if (!own.is_defined) /* absolute or common */
				continue;
			if (is_distance)
				reach_table(unnamed, own.shndx, target,
					    r->offset);
			else
				reach_text(unnamed, 0, r->offset, own.shndx,
					   target);
		}
	}
	ret = 0;
done:
	section_relocs_free(&relocs);
	return ret;
}

static int search_others(const struct proof *p, struct unnamed_list *unnamed)
{
	for (size_t k = 0; k < p->run->nproofs; k++) {
		const struct proof *other = &p->run->proofs[k];

		for (size_t i = 1; i < other->partial->nsections; i++)
			if (other != p &&
			    descriptions_may_refer(other->partial, i) &&
			    search_other(p, other, unnamed, i))
				return -1;
	}
	return 0;
}

/* Marks the range where the program starts. */
static void reach_entry(const struct proof *p, struct unnamed_list *unnamed)
{
	const struct object *obj = p->run->img.obj;
	struct range *range = unnamed_at(
		unnamed, obj->ehdr.e_entry & ~(uint64_t)obj->arch->mode_bits);

	if (range != NULL)
		range->is_reached = true;
}

/* Marks the targets of sites in the branch form. */
static void reach_targets(const struct proof *p, struct unnamed_list *unnamed)
{
	for (size_t i = 0; i < p->list.n; i++) {
		const struct proof_site *site = &p->list.items[i];

		if (site->form == FORM_BRANCH && !site->is_target)
			reach_text(unnamed, site->shndx, site->offset,
				   site->target_shndx, site->target);
	}
}

int dead_mark(struct proof *p)
{
	struct unnamed_list unnamed = { 0 };
	int ret;

	if (p->partial->arch->each_operand == NULL)
		return 0;
	ret = list_unnamed(p, &unnamed);
	if (ret != 0 || unnamed.n == 0)
		goto done;
	ret = -1;
	if (find_spans(p, &unnamed) || find_symbols(p, &unnamed))
		goto done;
	search_branches(p, &unnamed);
	reach_entry(p, &unnamed);
	reach_targets(p, &unnamed);
	if (search_others(p, &unnamed))
		goto done;
	for (size_t i = 1; i < p->partial->nsections; i++)
		if (descriptions_may_refer(p->partial, i) &&
		    search_section(p, &unnamed, i))
			goto done;
	resolve_ranges(&unnamed);
	for (size_t i = 0; i < p->list.n; i++) {
		struct proof_site *site = &p->list.items[i];
		const struct range *range =
			site->is_unnamed && site->is_placed
				? unnamed_at(&unnamed, site->addr)
				: NULL;

		site->is_dead = range != NULL && !range->is_reached;
	}
	ret = 0;
done:
	free(unnamed.items);
	free(unnamed.by_addr);
	free(unnamed.spans);
	free(unnamed.references);
	return ret;
}
