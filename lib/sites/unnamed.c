/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/search.h"
#include "elf/descriptors.h"
#include "elf/frames.h"
#include "unnamed.h"
#include "descriptions.h"
#include "elf/relocated.h"
#include "scan.h"

/*
 * A bit for each stretch of the line of object_place, from LOW on: may it touch
 * an unnamed range? Nearly nothing leads to unnamed ranges, so this is tested
 * first.
 */
struct unnamed_map {
	uint64_t low;
	uint64_t n;
	uint8_t *bits; /* owned */
};

enum { STRETCH_SHIFT = 8 };

struct search {
	struct diag *d;
	const struct object *obj;
	const struct site_set *set;
	struct unnamed_range *unnamed;
	size_t n;
	struct unnamed_map map;
	uint64_t *place_of; /* symbol index -> place; owned */
};

/* The place of OFFSET in SHNDX. It may be past either end of the section. */
static uint64_t place_of(const struct object *obj, uint32_t shndx,
			 uint64_t offset)
{
	return obj->sections[shndx].before + offset;
}

static bool map_has(const struct unnamed_map *map, uint64_t place)
{
	uint64_t i = (place - map->low) >> STRETCH_SHIFT;

	return i < map->n && map->bits[i / 8] >> i % 8 & 1;
}

/* The bias of a relocation is at most the width of its field. */
static int make_map(struct search *s)
{
	struct unnamed_map *map = &s->map;
	const struct unnamed_range *last = &s->unnamed[s->n - 1];
	uint64_t high = place_of(s->obj, last->shndx, last->end);

	map->low = place_of(s->obj, s->unnamed[0].shndx, s->unnamed[0].start) -
		   UINT8_MAX;
	map->n = ((high - map->low) >> STRETCH_SHIFT) + 1;
	map->bits = calloc(map->n / 8 + 1, 1);
	if (map->bits == NULL)
		return diag_nomem(s->d, s->obj->path);
	for (size_t i = 0; i < s->n; i++) {
		const struct unnamed_range *range = &s->unnamed[i];
		uint64_t at = place_of(s->obj, range->shndx, range->start) -
			      UINT8_MAX - map->low;
		uint64_t end = place_of(s->obj, range->shndx, range->end) -
			       map->low;

		for (at >>= STRETCH_SHIFT; at <= end >> STRETCH_SHIFT; at++)
			map->bits[at / 8] |= 1u << at % 8;
	}
	return 0;
}

static int place_symbols(struct search *s)
{
	const struct object *obj = s->obj;
	struct symbol sym;

	s->place_of = calloc(obj->nsymbols, sizeof(s->place_of[0]));
	if (s->place_of == NULL)
		return diag_nomem(s->d, obj->path);
	for (size_t i = 1; i < obj->nsymbols; i++) {
		object_symbol(obj, i, &sym);
		if (sym.is_defined)
			s->place_of[i] = place_of(obj, sym.shndx, sym.value);
	}
	return 0;
}

/*
 * The first unnamed range that ends behind OFFSET of section SHNDX, or follows
 * it.
 */
static size_t first_unnamed(const struct search *s, uint32_t shndx,
			    uint64_t offset)
{
	size_t i;

	LOWER_BOUND(i, s->n,
		    s->unnamed[i].shndx < shndx ||
			    (s->unnamed[i].shndx == shndx &&
			     s->unnamed[i].end <= offset));
	return i;
}

/* The unnamed range at OFFSET of section SHNDX, if FROM is outside of it. */
static struct unnamed_range *unnamed_at(const struct search *s, uint32_t shndx,
					uint64_t offset, uint32_t from_shndx,
					uint64_t from)
{
	struct unnamed_range *range;
	size_t i;

	if (!map_has(&s->map, place_of(s->obj, shndx, offset)))
		return NULL;
	i = first_unnamed(s, shndx, offset);
	range = &s->unnamed[i];
	if (i == s->n || range->shndx != shndx || range->start > offset ||
	    (from_shndx == shndx && from >= range->start && from < range->end))
		return NULL;
	return range;
}

static void mark_one_unnamed(struct search *s, uint32_t shndx, uint64_t offset,
			     uint32_t from_shndx, uint64_t from)
{
	struct unnamed_range *range =
		unnamed_at(s, shndx, offset, from_shndx, from);

	if (range != NULL)
		range->is_referenced = true;
}

/* --- Relocations ------------------------------------------------------- */

/*
 * Unnamed ranges [FIRST, END) are referenced. There may be many each time. So
 * this only counts the start and the end, as with brackets.
 */
static void mark_range(struct search *s, size_t first, size_t end)
{
	if (first >= end)
		return;
	s->unnamed[first].nranges++;
	if (end < s->n)
		s->unnamed[end].nranges--;
}

static void resolve_ranges(struct search *s)
{
	int64_t nopen = 0;

	for (size_t i = 0; i < s->n; i++) {
		nopen += s->unnamed[i].nranges;
		s->unnamed[i].is_referenced |= nopen > 0;
	}
}

/*
 * In a table of distances from its own start, the addend includes the entry's
 * position in the table, which can be anything up to OFFSET.
 */
static void mark_distances(struct search *s, uint32_t shndx, uint64_t target,
			   uint64_t offset)
{
	uint64_t low = target > offset ? target - offset : 0;
	size_t end = first_unnamed(s, shndx, target);

	/* The first one behind TARGET, or the one that contains it. */
	if (end < s->n && s->unnamed[end].shndx == shndx &&
	    s->unnamed[end].start <= target)
		end++;
	mark_range(s, first_unnamed(s, shndx, low), end);
}

/* Relocations of one section. */
struct relocs_search {
	struct relocs relocs;
	uint32_t shndx; /* that they apply to */
	bool is_text;
	bool has_frames; /* which hold distances from the word itself */
	const uint8_t *bytes;
	size_t size;
};

/* The offset that R refers to. REL has the addend in the field. */
static uint64_t target_of(const struct search *s,
			  const struct relocs_search *rs, const struct reloc *r,
			  const struct symbol *sym)
{
	return sym->value + arch_reloc_addend(s->obj->arch, rs->bytes, rs->size,
					      rs->relocs.is_rela, r);
}

static void judge_reloc(struct search *s, const struct relocs_search *rs,
			const struct reloc *r)
{
	const struct object *obj = s->obj;
	bool is_distance =
		!rs->has_frames &&
		arch_reloc_is_distance(obj->arch, r->type, rs->is_text);
	struct symbol sym;
	uint64_t target;

	object_symbol(obj, r->symndx, &sym);
	if (r->symndx == 0 || !sym.is_defined)
		return;
	if (descriptor_follow(obj, &sym, r->addend) && is_distance)
		mark_range(s, 0, s->n);
	if (arch_reloc_has_slot(obj->arch, r->type))
		mark_one_unnamed(s, sym.shndx, sym.value, rs->shndx, r->offset);
	target = target_of(s, rs, r, &sym);
	if (is_distance)
		mark_distances(s, sym.shndx, target, r->offset);
	else if (rs->is_text)
		target += arch_reloc_bias(obj->arch, r->type);
	mark_one_unnamed(s, sym.shndx, target, rs->shndx, r->offset);
}

/*
 * Does an entry of a jump table begin at relocation I? Its code makes the jump.
 */
static bool judge_jump(struct search *s, const struct relocs_search *rs,
		       size_t i)
{
	struct reloc entry[JUMP_WORDS];
	struct symbol code, target;

	if (rs->relocs.n - i < JUMP_WORDS)
		return false;
	for (size_t k = 0; k < JUMP_WORDS; k++)
		reloc_get(&rs->relocs, i + k, &entry[k]);
	if (!descriptions_is_jump(s->obj, entry))
		return false;
	object_symbol(s->obj, entry[JUMP_CODE].symndx, &code);
	object_symbol(s->obj, entry[JUMP_TARGET].symndx, &target);
	mark_one_unnamed(
		s, target.shndx, target_of(s, rs, &entry[JUMP_TARGET], &target),
		code.shndx, target_of(s, rs, &entry[JUMP_CODE], &code));
	return true;
}

/*
 * The next relocation at or behind I that may lead to an unnamed range. There
 * may be millions, and nearly none does.
 */
static size_t next_lead(const struct search *s, const struct relocs_search *rs,
			const bool *is_special, size_t i)
{
	const struct reloc *r = rs->relocs.entries;
	struct unnamed_map map = s->map;

	for (; i < rs->relocs.n; i++)
		if (map_has(&map, s->place_of[r[i].symndx] + r[i].addend) ||
		    is_special[r[i].type & UINT8_MAX])
			break;
	return i;
}

/* Lists whether a type with the same low byte may mean more than S + A. */
static void list_special(const struct search *s, bool is_text,
			 bool is_special[UINT8_MAX + 1])
{
	const struct arch *arch = s->obj->arch;

	memset(is_special, 0, UINT8_MAX + 1);
	for (uint32_t i = 0; i < arch->nrelocs; i++)
		is_special[i & UINT8_MAX] |=
			arch_reloc_is_distance(arch, i, is_text) ||
			arch_reloc_has_slot(arch, i);
}

static int judge_relocs(struct search *s, uint32_t relsec)
{
	const struct object *obj = s->obj;
	struct relocs_search rs = { .shndx = obj->sections[relsec].info };
	bool has_jumps = descriptions_has_jumps(obj->sections[rs.shndx].name);
	bool is_special[UINT8_MAX + 1], is_plain;
	struct frames frames = { 0 };

	rs.has_frames = frames_hold(obj->sections[rs.shndx].name);
	rs.is_text = section_is_text(&obj->sections[rs.shndx]);
	rs.bytes = object_data(s->d, obj, rs.shndx, &rs.size);
	if (rs.bytes == NULL || object_relocs(s->d, obj, relsec, &rs.relocs) ||
	    (rs.has_frames && frames_read(s->d, obj, rs.shndx, &frames)))
		return -1;
	list_special(s, rs.is_text, is_special);
	/* There, a relocation alone shows what it leads to. */
	is_plain = rs.relocs.is_plain && obj->ndescriptors == 0 && !has_jumps;
	for (size_t i = 0; i < rs.relocs.n; i++) {
		struct reloc r;

		if (is_plain)
			i = next_lead(s, &rs, is_special, i);
		if (i == rs.relocs.n)
			break;
		reloc_get(&rs.relocs, i, &r);
		if (has_jumps && judge_jump(s, &rs, i))
			i += JUMP_WORDS - 1;
		else if (!rs.has_frames || frames_call(&frames, r.offset))
			judge_reloc(s, &rs, &r);
	}
	frames_free(&frames);
	return 0;
}

/* --- What has no relocation -------------------------------------------- */

/* A search of one section. */
struct branch_search {
	struct search *s;
	struct relocated relocated;
};

/*
 * Judges the displacement of SIZE bytes at FIELD, from OFFSET to TARGET. If it
 * is relocated, its current value means nothing.
 */
static void judge_displacement(struct branch_search *b, uint64_t offset,
			       uint64_t field, unsigned size, uint64_t target)
{
	uint32_t shndx = b->relocated.shndx;
	struct unnamed_range *range =
		unnamed_at(b->s, shndx, target, shndx, offset);

	if (range != NULL && !range->is_referenced &&
	    !relocated_touches(&b->relocated, field, size))
		range->is_referenced = true;
}

static void judge_branch(void *ctx, uint64_t offset,
			 const struct branch *branch)
{
	judge_displacement(ctx, offset, offset + branch->field,
			   branch->length - branch->field, branch->target);
}

static void judge_operand(void *ctx, uint64_t offset, uint64_t target)
{
	judge_displacement(ctx, offset, offset, 4, target);
}

/*
 * Searches the section of the unnamed ranges [FIRST, END), if one of them is
 * still undecided.
 */
static int judge_section(struct search *s, size_t first, size_t end)
{
	const struct arch *arch = s->obj->arch;
	struct branch_search search = {
		s, { s->d, s->obj, s->unnamed[first].shndx, NULL, 0 }
	};
	struct code code;
	uint64_t low, high;

	while (first < end && s->unnamed[first].is_referenced)
		first++;
	while (first < end && s->unnamed[end - 1].is_referenced)
		end--;
	if (first == end)
		return 0;
	low = s->unnamed[first].start;
	high = s->unnamed[end - 1].end;
	if (!object_code(s->d, s->obj, search.relocated.shndx, &code))
		return -1;
	arch_each_reference(arch, &code, low, high, judge_branch, judge_operand,
			    &search);
	relocated_free(&search.relocated);
	return search.relocated.status;
}

/* A reference inside one section needs no relocation. */
static int judge_branches(struct search *s)
{
	for (size_t first = 0, end; first < s->n; first = end) {
		for (end = first + 1;
		     end < s->n &&
		     s->unnamed[end].shndx == s->unnamed[first].shndx;
		     end++)
			;
		if (judge_section(s, first, end))
			return -1;
	}
	return 0;
}

/*
 * Code may run past the end of its function into the unnamed range. NOPs at
 * that end become part of the range: a jump to them runs into it, too.
 */
static int trim_unnamed(struct search *s, struct unnamed_range *range)
{
	const struct arch *arch = s->obj->arch;
	struct code code = { 0 };
	uint64_t end;

	if (!object_code(s->d, s->obj, range->shndx, &code))
		return -1;
	end = arch->find_end(arch, &code, range->function, range->start);
	range->is_referenced = end == NO_END;
	if (end != NO_END)
		range->start = end;
	return 0;
}

/* The targets of NOPs of the branch form. */
static void judge_targets(struct search *s)
{
	for (size_t i = 0; i < s->set->nsites; i++) {
		const struct site *site = &s->set->sites[i];

		if (site->form == FORM_BRANCH)
			mark_one_unnamed(s, site->target_shndx, site->target,
					 site->shndx, site->offset);
	}
}

static int judge_all(struct search *s)
{
	const struct object *obj = s->obj;

	for (size_t i = 0; i < s->n; i++)
		if (trim_unnamed(s, &s->unnamed[i]))
			return -1;
	if (make_map(s) || place_symbols(s))
		return -1;
	for (size_t i = 1; i < obj->nsections; i++)
		if (section_is_relocs(&obj->sections[i]) &&
		    descriptions_may_refer(obj, obj->sections[i].info) &&
		    judge_relocs(s, i))
			return -1;
	resolve_ranges(s);
	judge_targets(s);
	return judge_branches(s);
}

int unnamed_judge(struct diag *d, const struct object *obj,
		  const struct site_set *set, struct unnamed_range *unnamed,
		  size_t n)
{
	struct search s = { d, obj, set, unnamed, n, { 0 }, NULL };
	int ret = 0;

	if (n > 0 && obj->arch->each_operand != NULL)
		ret = judge_all(&s);
	else
		for (size_t i = 0; i < n; i++)
			unnamed[i].is_referenced = true;
	free(s.map.bits);
	free(s.place_of);
	return ret;
}
