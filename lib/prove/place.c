/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/search.h"
#include "base/sort.h"
#include "implied.h"
#include "parts.h"
#include "place.h"

int placer_open(struct diag *d, const struct names *names,
		const struct image *img, struct placer *placer)
{
	*placer = (struct placer){
		.d = d, .partial = names->obj, .names = names, .img = img
	};
	return landmarks_read(d, names->obj, &placer->landmarks);
}

void placer_close(struct placer *placer)
{
	landmarks_free(&placer->landmarks);
	free(placer->is_anothers);
	*placer = (struct placer){ 0 };
}

int placer_note_anothers(struct placer *placer, uint32_t symndx)
{
	if (placer->is_anothers == NULL)
		placer->is_anothers = calloc(placer->partial->nsymbols,
					     sizeof(placer->is_anothers[0]));
	if (placer->is_anothers == NULL)
		return diag_nomem(placer->d, placer->partial->path);
	placer->is_anothers[symndx] = true;
	return 0;
}

/* --- Bytes ------------------------------------------------------------- */

struct comparison {
	const struct placer *placer;
	const struct arch *arch;
	const struct section_relocs *relocs;
	uint32_t shndx; /* the section of the partial */
	const uint8_t *before;
	const uint8_t *after;
	size_t size;
	const struct code *code;	 /* the section of the final that AFTER
					  * is in */
	struct differences *differences; /* where to list all; or NULL */
	bool is_rewritten;		 /* something was */
};

/* The first byte in [START, END) that differs, or END. */
static uint64_t first_difference(const struct comparison *cmp, uint64_t start,
				 uint64_t end)
{
	if (memcmp(cmp->before + start, cmp->after + start, end - start) == 0)
		return end;
	while (start < end && cmp->before[start] == cmp->after[start])
		start++;
	return start;
}

static bool is_exempt(const struct section_relocs *relocs, uint64_t offset,
		      uint64_t *end)
{
	size_t i;

	LOWER_BOUND(i, relocs->nexempt, relocs->exempt[i].end <= offset);
	if (i == relocs->nexempt || relocs->exempt[i].start > offset)
		return false;
	*end = relocs->exempt[i].end;
	return true;
}

/* The section of the partial, at its address in the image. */
static struct code code_before(const struct comparison *cmp)
{
	return (struct code){
		.bytes = cmp->before,
		.size = cmp->size,
		.addr = cmp->code->addr + (cmp->after - cmp->code->bytes),
	};
}

/* Is the difference at OFFSET an instruction that the linker moved away? */
static bool is_detour(const struct comparison *cmp, uint64_t offset,
		      uint64_t *end)
{
	struct byte_range range;
	bool ret = section_relocs_detour(
		cmp->relocs, cmp->arch, cmp->before, cmp->size, cmp->code,
		cmp->after - cmp->code->bytes, offset, &range);

	if (ret)
		*end = range.end;
	return ret;
}

/* Does a global function of the section begin at OFFSET, by both files? */
static bool is_entry(const struct comparison *cmp, uint64_t offset)
{
	uint64_t addr = code_before(cmp).addr + offset;
	struct symbol found, own;

	for (size_t i = 0;
	     image_functions_next(cmp->placer->img, addr, 1, &i, &found);) {
		uint32_t symndx = 0;

		while (names_next(cmp->placer->names, found.name, &symndx,
				  &own))
			if (own.bind != STB_LOCAL && own.type == STT_FUNC &&
			    own.shndx == cmp->shndx && own.value == offset)
				return true;
	}
	return false;
}

/*
 * Has the linker moved the instruction at OFFSET into a veneer? A branch there
 * must go where it went in the partial, unless a relocation sets its target.
 */
static bool is_redirect(const struct comparison *cmp, uint64_t offset,
			uint64_t *end)
{
	const struct section_relocs *relocs = cmp->relocs;
	const struct code before = code_before(cmp);
	struct redirect redirect;

	if (cmp->arch->is_redirect == NULL ||
	    !cmp->arch->is_redirect(cmp->arch, &before, cmp->code, offset,
				    &redirect) ||
	    (redirect.is_entry && !is_entry(cmp, redirect.start)))
		return false;
	*end = redirect.start + redirect.length;
	for (size_t i = section_relocs_reaching(relocs, redirect.start);
	     i < relocs->n && relocs->relocs[i].offset < *end; i++) {
		const struct reloc *r = &relocs->relocs[i];
		unsigned width = arch_reloc_width(cmp->arch, r->type);

		if (r->offset == redirect.start && width == redirect.length)
			return true;
		if (r->offset + width > redirect.start)
			return false;
	}
	return redirect.is_same;
}

bool placer_is_defined(const struct placer *placer, const struct reloc *r)
{
	struct symbol own, found;
	uint32_t symndx = 0;

	object_symbol(placer->partial, r->symndx, &own);
	while (names_next(&placer->img->names, own.name, &symndx, &found))
		if (found.bind != STB_LOCAL && found.is_defined)
			return true;
	return false;
}

/*
 * Is what relocation R became only made for a weak symbol that nothing defines,
 * and does the image define it?
 */
static bool is_defined_after_all(const struct comparison *cmp,
				 const struct reloc *r)
{
	return cmp->arch->is_for_nowhere != NULL &&
	       cmp->arch->is_for_nowhere(cmp->arch, cmp->after + r->offset,
					 r) &&
	       placer_is_defined(cmp->placer, r);
}

/*
 * Is the difference at OFFSET part of a known rewrite? Sets *END to the end
 * of the rewritten range. AT is the first relocation not before OFFSET.
 */
static bool is_explained(struct comparison *cmp, size_t at, uint64_t offset,
			 uint64_t *end)
{
	const struct reloc *relocs = cmp->relocs->relocs;
	struct byte_range range;

	if (is_exempt(cmp->relocs, offset, end))
		return true;
	while (at > 0 && relocs[at - 1].offset + REWRITE_REACH >= offset)
		at--;
	for (;
	     at < cmp->relocs->n && relocs[at].offset <= offset + REWRITE_REACH;
	     at++)
		if (section_relocs_rewritten(cmp->relocs, cmp->arch,
					     cmp->before, cmp->after, cmp->size,
					     at, &range) &&
		    range.start <= offset && offset < range.end &&
		    !is_defined_after_all(cmp, &relocs[at])) {
			cmp->is_rewritten = true;
			*end = range.end;
			return true;
		}
	return is_detour(cmp, offset, end) || is_redirect(cmp, offset, end);
}

/* Compares the bits of the field that the relocation does not set. */
static bool same_outside_mask(const struct comparison *cmp,
			      const struct reloc *r)
{
	unsigned width = arch_reloc_width(cmp->arch, r->type);

	if (arch_reloc_sets_all(cmp->arch, r->type))
		return true;
	for (unsigned i = 0; i < width; i++) {
		uint64_t at = r->offset + i;
		uint8_t kept = ~arch_reloc_bits(cmp->arch, r->type, i);

		if (at < cmp->size &&
		    ((cmp->before[at] ^ cmp->after[at]) & kept) != 0)
			return false;
	}
	return true;
}

/*
 * Notes [START, END), a difference that nothing explains. Returns whether to
 * look for more.
 */
static bool list_difference(const struct comparison *cmp, uint64_t start,
			    uint64_t end, uint64_t *offset)
{
	struct differences *list = cmp->differences;

	*offset = start;
	if (list == NULL || list->is_cut)
		return false;
	if (list->n > 0 && list->ranges[list->n - 1].end >= start) {
		list->ranges[list->n - 1].end = end;
		return true;
	}
	list->is_cut = list->n == DIFFERENCES_MAX;
	if (!list->is_cut)
		list->ranges[list->n++] = (struct byte_range){ start, end };
	return !list->is_cut;
}

/* Does the user judge the instruction of a field at OFFSET? */
static bool is_left_out(void *ctx, uint64_t offset)
{
	const struct comparison *cmp = ctx;
	const struct differences *list = cmp->differences;
	uint64_t end;

	for (size_t i = 0; list != NULL && i < list->n; i++)
		if (list->ranges[i].start < offset + 8 &&
		    offset < list->ranges[i].end + 8)
			return true;
	return is_exempt(cmp->relocs, offset, &end);
}

/* What relocation I has become where nothing moves. */
static uint8_t ways_of(void *ctx, size_t i)
{
	const struct comparison *cmp = ctx;
	const struct reloc *r = &cmp->relocs->relocs[i];
	struct code before = { cmp->before + r->offset, cmp->size - r->offset,
			       r->offset };
	struct code after = { cmp->after + r->offset, cmp->size - r->offset,
			      code_before(cmp).addr + r->offset };

	if (is_left_out(ctx, r->offset))
		return WAYS_ANY;
	return cmp->arch->part_ways(cmp->arch, r, &before, &after, false);
}

/* Do the rewrites fit each other? Else *OFFSET is at one that does not. */
static bool same_parts(struct comparison *cmp, uint64_t *offset)
{
	struct diag *d = cmp->placer->d;
	const struct rewritten in = {
		.relocs = cmp->relocs,
		.img = cmp->placer->img,
		.before = code_before(cmp),
		.after = cmp->code,
		.is_left_out = is_left_out,
		.ctx = cmp,
	};

	return ((!cmp->is_rewritten && !cmp->arch->judges_unchanged) ||
		parts_agree(d, &in, offset)) &&
	       parts_agree_by_ways(d, cmp->relocs, ways_of, cmp, offset);
}

/*
 * Compares all bytes but relocated fields. Returns false with *OFFSET at the
 * first difference that nothing explains.
 */
static bool same_bytes(struct comparison *cmp, uint64_t *offset)
{
	const struct reloc *relocs = cmp->relocs->relocs;
	uint64_t at = 0;

	cmp->is_rewritten = false;
	for (size_t i = 0; i <= cmp->relocs->n; i++) {
		uint64_t stop = i < cmp->relocs->n ? relocs[i].offset
						   : cmp->size;

		while (at < stop) {
			uint64_t diff = first_difference(cmp, at, stop);

			if (diff == stop)
				break;
			if (is_explained(cmp, i, diff, &at))
				continue;
			at = diff + 1;
			if (!list_difference(cmp, diff, at, offset))
				return false;
		}
		if (i < cmp->relocs->n && at <= stop &&
		    !same_outside_mask(cmp, &relocs[i]) &&
		    !is_explained(cmp, i, stop, &at) &&
		    !list_difference(
			    cmp, stop,
			    stop + arch_reloc_width(cmp->arch, relocs[i].type),
			    offset))
			return false;
		if (i < cmp->relocs->n &&
		    stop + arch_reloc_width(cmp->arch, relocs[i].type) > at)
			at = stop + arch_reloc_width(cmp->arch, relocs[i].type);
	}
	return same_parts(cmp, offset);
}

/* --- Places ------------------------------------------------------------ */

bool placer_shares_section(const struct placer *placer,
			   const struct symbol *found, uint64_t addr)
{
	const struct section *sec;

	/* A descriptor is in no section of code. */
	if (!found->is_defined || found->is_descriptor)
		return true;
	sec = &placer->img->obj->sections[found->shndx];
	return found->value - sec->addr >= sec->size ||
	       addr - sec->addr < sec->size;
}

bool placer_is_alias(const struct placer *placer, const struct symbol *sym,
		     const struct symbol *found, uint64_t rest)
{
	struct symbol other, own;

	if (placer_shares_section(placer, found, rest))
		return false;
	for (size_t i = 0;
	     image_functions_next(placer->img, found->value, 1, &i, &other);) {
		uint32_t symndx = 0;

		if (other.bind == STB_GLOBAL &&
		    names_next(placer->names, other.name, &symndx, &own) &&
		    own.is_defined && own.bind == STB_GLOBAL &&
		    (own.shndx != sym->shndx || own.value != sym->value))
			return true;
	}
	return false;
}

static bool fits(const struct placer *placer, struct comparison *cmp,
		 uint64_t addr, uint64_t *offset)
{
	const struct image_section *is =
		image_find_text(placer->img, addr, cmp->size);

	*offset = 0;
	if (is == NULL)
		return false;
	cmp->code = &is->code;
	cmp->after = is->code.bytes + (addr - is->code.addr);
	return same_bytes(cmp, offset);
}

/* Does the section of CMP fit at ADDR, and can it begin there? */
static bool may_begin(const struct placer *placer, struct comparison *cmp,
		      uint64_t addr, uint64_t *offset)
{
	struct symbol sym;

	return fits(placer, cmp, addr, offset) &&
	       !image_is_inside_function(placer->img, addr, &sym);
}

/*
 * Is SYM an alias in the image, so that the section of CMP is not where SYM
 * says?
 */
static bool is_alias(const struct placer *placer, struct comparison *cmp,
		     const struct symbol *sym, const struct symbol *found,
		     uint64_t rest)
{
	uint64_t offset;

	return placer_is_alias(placer, sym, found, rest) &&
	       !fits(placer, cmp, implied_start(placer, sym, found), &offset);
}

/*
 * Places the section by its global symbols that have one namesake in the image.
 * All of them must agree, but for aliases that a linker script made. A local
 * namesake may be another object's. Linkers also name the PLT entry of an ifunc
 * so, if its address is taken.
 */
static void place_by_globals(const struct placer *placer, uint32_t shndx,
			     struct comparison *cmp, struct placement *pl)
{
	size_t n;
	const uint32_t *list = landmarks_list(&placer->landmarks, shndx, &n);
	const struct names *names = &placer->img->names;
	struct symbol told = { 0 }, named_as = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct symbol sym, found, other;
		uint32_t symndx = 0;
		uint64_t start, offset;

		names_fetch(names, placer->names, list, i, n);
		object_symbol(placer->partial, list[i], &sym);
		if (sym.bind != STB_GLOBAL || sym.type == STT_GNU_IFUNC ||
		    placer_is_anothers(placer, list[i]) ||
		    !names_next_of(names, placer->names, list[i], &symndx,
				   &found) ||
		    found.bind == STB_LOCAL || !placer_same_use(&sym, &found) ||
		    names_next(names, sym.name, &symndx, &other))
			continue;
		start = implied_start(placer, &sym, &found);
		if (placer_is_instead(&sym, &found, false) &&
		    !fits(placer, cmp, start, &offset))
			continue;
		if (pl->state == PLACEMENT_PLACED && start != pl->addr &&
		    is_alias(placer, cmp, &sym, &found, pl->addr))
			continue;
		if (pl->state == PLACEMENT_UNKNOWN ||
		    (start != pl->addr &&
		     is_alias(placer, cmp, &told, &named_as, start))) {
			pl->state = PLACEMENT_PLACED;
			pl->is_pinned = true;
			pl->addr = start;
			told = sym;
			named_as = found;
		} else if (start != pl->addr) {
			pl->state = PLACEMENT_MOVED;
			pl->symbol = sym.name;
			pl->offset = sym.value;
			pl->displacement = (int64_t)(start - pl->addr);
			return;
		}
	}
}

int placer_add_candidate(const struct placer *placer,
			 struct placement *placement, size_t nknown,
			 uint64_t addr)
{
	uint64_t *candidates;

	for (size_t i = 0; i < nknown; i++)
		if (placement->candidates[i] == addr)
			return 0;
	candidates = grow_list(placement->candidates, placement->ncandidates,
			       sizeof(candidates[0]));
	if (candidates == NULL)
		return diag_nomem(placer->d, placer->partial->path);
	placement->candidates = candidates;
	candidates[placement->ncandidates++] = addr;
	return 0;
}

/*
 * Places the section by names that others may have, too: at the one place where
 * the bytes are the same. If a global symbol, which the linker may have made
 * local, implies some of the places, the section is at none of the others.
 */
static int try_implied(const struct placer *placer,
		       const struct implied_starts *cands,
		       struct comparison *cmp, struct placement *pl)
{
	const struct implied *best = &cands->items[cands->best];
	struct selection some;
	bool has_global = false;
	uint64_t offset;

	if (implied_select(placer, cands, cmp->before, cmp->size, cmp->relocs,
			   &some))
		return -1;
	for (size_t i = 0; i < some.n; i++) {
		const struct implied *cand =
			&cands->items[some.indices != NULL ? some.indices[i]
							   : i];

		if (!may_begin(placer, cmp, cand->addr, &offset) ||
		    (has_global && !cand->has_global))
			continue;
		/* A global symbol implies this place, but not those before. */
		if (cand->has_global && !has_global)
			pl->ncandidates = 0;
		has_global = cand->has_global;
		pl->addr = cand->addr;
		/* No two candidates are the same. */
		if (placer_add_candidate(placer, pl, 0, cand->addr))
			return -1;
	}
	pl->is_sole = cands->n == 1;
	pl->state = pl->ncandidates > 1 ? PLACEMENT_AMBIGUOUS
					: PLACEMENT_PLACED;
	if (pl->ncandidates == 0) {
		pl->state = PLACEMENT_DIFFERS;
		pl->addr = best->addr;
		fits(placer, cmp, pl->addr, &pl->offset);
	}
	return 0;
}

static int place_by_implied(const struct placer *placer, uint32_t shndx,
			    struct comparison *cmp, struct placement *pl)
{
	struct implied_starts cands;
	int ret = implied_find(placer, shndx, &cands);

	pl->state = PLACEMENT_ABSENT;
	if (ret == 0 && cands.n > 0)
		ret = try_implied(placer, &cands, cmp, pl);
	implied_free(&cands);
	return ret;
}

static int open_comparison(const struct placer *placer, uint32_t shndx,
			   const struct section_relocs *relocs,
			   struct comparison *cmp)
{
	*cmp = (struct comparison){ .placer = placer,
				    .arch = placer->partial->arch,
				    .relocs = relocs,
				    .shndx = shndx };
	cmp->before =
		object_data(placer->d, placer->partial, shndx, &cmp->size);
	return cmp->before != NULL ? 0 : -1;
}

bool placer_fits(const struct placer *placer, uint32_t shndx,
		 const struct section_relocs *relocs, uint64_t addr)
{
	return placer_differences(placer, shndx, relocs, addr, NULL);
}

bool placer_differences(const struct placer *placer, uint32_t shndx,
			const struct section_relocs *relocs, uint64_t addr,
			struct differences *differences)
{
	struct comparison cmp;
	uint64_t offset;

	if (differences != NULL) {
		differences->n = 0;
		differences->is_cut = false;
	}
	/* Relocations of SHT_NOBITS have no bytes to compare. */
	if (!section_is_text(&placer->partial->sections[shndx]) ||
	    open_comparison(placer, shndx, relocs, &cmp))
		return false;
	cmp.differences = differences;
	return fits(placer, &cmp, addr, &offset);
}

static void close_placement(const struct placer *placer,
			    const struct comparison *cmp, struct placement *pl)
{
	pl->size = cmp->size;
	pl->at = image_wrap(placer->img, pl->addr + pl->offset);
}

int placer_place_pinned(const struct placer *placer, uint32_t shndx,
			const struct section_relocs *relocs,
			struct placement *placement)
{
	struct comparison cmp;

	*placement = (struct placement){ .state = PLACEMENT_UNKNOWN };
	if (open_comparison(placer, shndx, relocs, &cmp))
		return -1;
	place_by_globals(placer, shndx, &cmp, placement);
	if (placement->state == PLACEMENT_PLACED &&
	    !may_begin(placer, &cmp, placement->addr, &placement->offset))
		placement->state = PLACEMENT_DIFFERS;
	close_placement(placer, &cmp, placement);
	return 0;
}

int placer_place_unpinned(const struct placer *placer, uint32_t shndx,
			  const struct section_relocs *relocs,
			  struct placement *placement)
{
	struct comparison cmp;

	if (open_comparison(placer, shndx, relocs, &cmp) ||
	    place_by_implied(placer, shndx, &cmp, placement))
		return -1;
	close_placement(placer, &cmp, placement);
	return 0;
}

int placer_place(const struct placer *placer, uint32_t shndx,
		 const struct section_relocs *relocs,
		 struct placement *placement)
{
	if (placer_place_pinned(placer, shndx, relocs, placement))
		return -1;
	return placement->state == PLACEMENT_UNKNOWN
		       ? placer_place_unpinned(placer, shndx, relocs, placement)
		       : 0;
}

/* --- Without a name ----------------------------------------------------- */

uint64_t placer_count_fixed(const struct placer *placer, uint32_t shndx,
			    const struct section_relocs *relocs)
{
	const struct byte_range *sites = relocs->exempt;
	uint64_t set = 0, size = placer->partial->sections[shndx].size;
	size_t k = 0;

	for (size_t i = 0; i < relocs->n; i++) {
		uint64_t offset = relocs->relocs[i].offset;

		for (; k < relocs->nexempt && sites[k].end <= offset; k++)
			set += sites[k].end - sites[k].start;
		if (k == relocs->nexempt || offset < sites[k].start)
			set += arch_reloc_width(placer->partial->arch,
						relocs->relocs[i].type);
	}
	for (; k < relocs->nexempt; k++)
		set += sites[k].end - sites[k].start;
	return set < size ? size - set : 0;
}
