/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>

#include "decoy.h"
#include "base/grow.h"
#include "base/search.h"
#include "base/sort.h"
#include "origin.h"

/* A gap between two functions: offsets in its section. */
struct gap {
	uint64_t function; /* start of the one before */
	uint64_t start, end;
};

/* Functions at or below an address that are looked at. */
#define NEIGHBOURS_MAX 16

/* Larger functions are not followed. */
#define FUNCTION_MAX (1 << 24)

/*
 * Where a function at START ends that has no size: gcc gives none to
 * __x86.get_pc_thunk.bx, and assembly often none to what it has. NO_END if that
 * is not certain.
 */
static uint64_t unsized_end(struct decoys *decoys,
			    const struct image_section *is, uint64_t start)
{
	const struct image *img = &decoys->p->run->img;
	uint64_t end = image_next_function(img, is, start);

	if (end - start > FUNCTION_MAX)
		return NO_END;
	if (flow_follow(&decoys->flow, img, is, start, end) == 0)
		return flow_end(&decoys->flow);
	decoys->has_failed = true;
	return NO_END;
}

/* Finds the gap that OFFSET is in, by the sizes of functions. */
static bool find_gap(struct decoys *decoys, const struct image_section *is,
		     uint64_t offset, struct gap *gap)
{
	const struct image *img = &decoys->p->run->img;
	uint64_t base = is->code.addr, last = NO_END;
	size_t n = image_functions_below(img, base + offset + 1);
	struct symbol sym;

	gap->start = gap->function = 0;
	for (size_t i = 0; i < NEIGHBOURS_MAX && i < n; i++) {
		object_symbol(img->obj, img->functions[n - 1 - i], &sym);
		if (sym.shndx != is->shndx || sym.value < base)
			break;
		if (i == 0)
			last = sym.value - base;
		if (sym.size > is->code.size ||
		    sym.value - base + sym.size > offset)
			return false;
		if (sym.value - base + sym.size > gap->start) {
			gap->start = sym.value - base + sym.size;
			gap->function = sym.value - base;
		}
	}
	gap->end = image_next_function(img, is, offset);
	if (last == NO_END)
		return false;
	if (gap->start > last)
		return true;
	gap->function = last;
	gap->start = unsized_end(decoys, is, last);
	return gap->start <= offset; /* NO_END is not */
}

/*
 * Is BRANCH, at OFFSET, what an assembler fills the end of a section of a
 * partial with? It leads right behind that section, and no relocation says so.
 * Then it is padding whatever symbols are before it. Sets GAP to it.
 */
static bool find_section_end(const struct decoys *decoys,
			     const struct image_section *is, uint64_t offset,
			     const struct branch *branch, struct gap *gap)
{
	const struct proof *p = decoys->p;
	uint64_t addr = is->code.addr + offset, start;
	const struct placed *pl = lookup_placed_at(p, addr);
	struct placed unplaced = { 0 };
	struct symbol sym;
	bool is_end;

	if (pl == NULL && origin_place(p, addr, branch->target, &unplaced))
		pl = &unplaced;
	is_end = pl != NULL && !pl->is_relaxed && pl->addr >= is->code.addr &&
		 branch->target == pl->addr + pl->size &&
		 !unknown_is_in(pl, addr - pl->addr, branch->target - addr) &&
		 !section_relocs_touch(&pl->relocs, p->partial->arch,
				       addr - pl->addr, branch->target - addr);
	if (is_end) {
		start = pl->addr;
		if (image_function(&p->run->img, addr, &sym) &&
		    sym.value > start)
			start = sym.value;
		*gap = (struct gap){ start - is->code.addr, offset,
				     branch->target - is->code.addr };
	}
	section_relocs_free(&unplaced.relocs);
	return is_end;
}

/* Finds the gap whose padding BRANCH, at OFFSET, is in. Sets END to its end. */
static bool find_filled(struct decoys *decoys, const struct image_section *is,
			uint64_t offset, const struct branch *branch,
			struct gap *gap, uint64_t *end)
{
	const struct arch *arch = decoys->p->run->img.obj->arch;

	if (find_gap(decoys, is, offset, gap)) {
		*end = arch->padding_end(arch, &is->code, gap->start, gap->end);
		if (offset < *end)
			return true;
	}
	if (!find_section_end(decoys, is, offset, branch, gap))
		return false;
	*end = arch->padding_end(arch, &is->code, gap->start, gap->end);
	return *end == gap->end;
}

/*
 * Can padding from FROM to TO serve alignment? It is shorter than the alignment
 * of TO.
 */
static bool may_align(uint64_t from, uint64_t to)
{
	return to < from || to - from < (to & -to);
}

/*
 * Sets QUIET_RANGE to the padding that OFFSET is in. A jump in padding is real
 * if the code before it can fall through.
 */
static bool find_padding(struct decoys *decoys, const struct image_section *is,
			 uint64_t offset, const struct branch *branch,
			 struct quiet_range *quiet_range)
{
	const struct image *img = &decoys->p->run->img;
	const struct arch *arch = img->obj->arch;
	const struct code *code = &is->code;
	struct gap gap;
	uint64_t end;

	if (arch->padding_end == NULL || !is->is_text ||
	    !find_filled(decoys, is, offset, branch, &gap, &end))
		return false;
	*quiet_range = (struct quiet_range){
		.start = code->addr + gap.start,
		.end = code->addr + end,
		.is_padding = true,
		.has_jump = arch->is_boundary(arch, code, gap.start, offset),
	};
	if (!quiet_range->has_jump)
		return branch->length <= arch->chance_length;
	if (!may_align(code->addr + offset, branch->target))
		return false;
	if (arch->find_end == NULL)
		return true;
	/* NOPs at the end of a function lead to the gap. */
	end = arch->find_end(arch, code, gap.function, gap.start);
	if (end != NO_END)
		quiet_range->start = code->addr + end;
	return end != NO_END;
}

/* The longest entry of a PLT that is looked for. */
#define PLT_ENTRY_MAX 16

static bool find_plt_entry(const struct decoys *decoys,
			   const struct image_section *is, uint64_t offset,
			   uint64_t *start)
{
	const struct image *img = &decoys->p->run->img;
	const struct arch *arch = img->obj->arch;
	uint64_t slot, got = image_got(&decoys->p->run->img);

	for (uint64_t i = 1; i < PLT_ENTRY_MAX && i <= offset; i++) {
		*start = offset - i;
		if (arch->decode_plt(arch, &is->code, *start, got, &slot) &&
		    image_find_reloc(img, slot) != NULL)
			return true;
	}
	return false;
}

/*
 * Follows the function that OFFSET is in, or the PLT entry, which has no name,
 * but loads a known slot.
 */
static bool follow(struct decoys *decoys, const struct image_section *is,
		   uint64_t offset)
{
	const struct image *img = &decoys->p->run->img;
	uint64_t start, size, base = is->code.addr;
	struct symbol sym;

	if (image_function(img, base + offset, &sym)) {
		start = sym.value - base;
		size = sym.size > 0
			       ? sym.size
			       : image_next_function(img, is, offset) - start;
	} else if (find_plt_entry(decoys, is, offset, &start)) {
		size = PLT_ENTRY_MAX;
	} else {
		return false;
	}
	if (start > offset)
		return false;
	if (size > is->code.size - start)
		size = is->code.size - start;
	if (size > FUNCTION_MAX)
		return false;
	if (flow_follow(&decoys->flow, img, is, start, start + size) == 0)
		return true;
	decoys->has_failed = true;
	return false;
}

/*
 * Could BRANCH be there by chance? A long one only if it begins with the last
 * bytes of a section of a partial, which end the function that is followed.
 * mold fills the gap behind with zeros, which make a distance of 0, and no
 * instruction is in two sections.
 */
static bool is_by_chance(const struct decoys *decoys,
			 const struct image_section *is, uint64_t offset,
			 const struct branch *branch)
{
	const struct image *img = &decoys->p->run->img;
	uint64_t end = offset + branch->length;

	return branch->length <= img->obj->arch->chance_length ||
	       (end > decoys->flow.end &&
		end <= image_next_function(img, is, decoys->flow.end - 1) &&
		origin_is_cut_off(decoys->p, is->code.addr + offset,
				  is->code.addr + end));
}

bool decoys_is_inside(struct decoys *decoys, const struct image_section *is,
		      uint64_t offset)
{
	return decoys->p->run->img.obj->arch->step != NULL && is->is_text &&
	       follow(decoys, is, offset) && flow_covers(&decoys->flow, offset);
}

/* Sets QUIET_RANGE to the insides of instructions up to OFFSET, if it is one.
 */
static bool find_inside(struct decoys *decoys, const struct image_section *is,
			uint64_t offset, const struct branch *branch,
			struct quiet_range *quiet_range)
{
	const struct flow *flow = &decoys->flow;

	if (!decoys_is_inside(decoys, is, offset) ||
	    !is_by_chance(decoys, is, offset, branch))
		return false;
	*quiet_range =
		(struct quiet_range){ .start = is->code.addr + flow->start,
				      .end = is->code.addr + offset + 1 };
	if (offset - flow->start >= 32)
		quiet_range->start = quiet_range->end - 32;
	for (unsigned i = 0; i < 32 && i <= offset - flow->start; i++)
		if (flow_begins(flow, offset - i))
			quiet_range->begins |= 1u << i;
	return true;
}

bool decoys_runs(struct decoys *decoys, const struct image_section *is,
		 uint64_t offset, bool if_unsure)
{
	const struct flow *flow = &decoys->flow;

	if (decoys->p->run->img.obj->arch->step == NULL || !is->is_text ||
	    !follow(decoys, is, offset))
		return false;
	return flow->is_certain ? flow_begins(flow, offset) : if_unsure;
}

static int compare_quiet_ranges(const void *a, const void *b)
{
	const struct quiet_range *x = a, *y = b;

	return sort_pairs(x->start, x->end, y->start, y->end);
}

/* The number of quiet ranges that begin at or below ADDR. */
static size_t quiet_ranges_below(const struct decoys *decoys, uint64_t addr)
{
	size_t i;

	LOWER_BOUND(i, decoys->nquiet_ranges,
		    decoys->quiet_ranges[i].start <= addr);
	return i;
}

static struct quiet_range *find_quiet_range(const struct decoys *decoys,
					    uint64_t start, uint64_t end)
{
	for (size_t n = quiet_ranges_below(decoys, start);
	     n > 0 && decoys->quiet_ranges[n - 1].start == start; n--)
		if (decoys->quiet_ranges[n - 1].end == end)
			return &decoys->quiet_ranges[n - 1];
	return NULL;
}

/* Inserts it in order. */
static void add_quiet_range(struct decoys *decoys,
			    const struct quiet_range *quiet_range)
{
	struct quiet_range *known =
		find_quiet_range(decoys, quiet_range->start, quiet_range->end);
	struct quiet_range *quiet_ranges;
	size_t at;

	if (known != NULL) {
		known->has_jump |= quiet_range->has_jump;
		return;
	}
	quiet_ranges = grow_list(decoys->quiet_ranges, decoys->nquiet_ranges,
				 sizeof(quiet_ranges[0]));
	if (quiet_ranges == NULL) {
		decoys->has_failed = true;
		return;
	}
	decoys->quiet_ranges = quiet_ranges;
	for (at = decoys->nquiet_ranges++;
	     at > 0 &&
	     compare_quiet_ranges(&quiet_ranges[at - 1], quiet_range) > 0;
	     at--)
		quiet_ranges[at] = quiet_ranges[at - 1];
	quiet_ranges[at] = *quiet_range;
	if (quiet_range->end - quiet_range->start > decoys->longest)
		decoys->longest = quiet_range->end - quiet_range->start;
	decoys->has_changed = true;
}

static void add_branch(struct decoys *decoys, const struct image_section *is,
		       uint64_t offset, const struct branch *branch,
		       const struct stub *stub,
		       const struct quiet_range *quiet_range)
{
	struct decoy_branch *branches = grow_list(
		decoys->branches, decoys->nbranches, sizeof(branches[0]));

	if (branches == NULL) {
		decoys->has_failed = true;
		return;
	}
	decoys->branches = branches;
	branches[decoys->nbranches++] = (struct decoy_branch){
		.addr = image_wrap(&decoys->p->run->img,
				   is->code.addr + offset),
		.branch = *branch,
		.quiet_range = quiet_range->start,
		.quiet_end = quiet_range->end,
		.stub = stub,
	};
	add_quiet_range(decoys, quiet_range);
}

bool decoys_add(struct decoys *decoys, const struct image_section *is,
		uint64_t offset, const struct branch *branch,
		const struct stub *stub)
{
	struct quiet_range quiet_range;

	if (!find_padding(decoys, is, offset, branch, &quiet_range) &&
	    !find_inside(decoys, is, offset, branch, &quiet_range))
		return false;
	add_branch(decoys, is, offset, branch, stub, &quiet_range);
	return true;
}

void decoys_add_alone(struct decoys *decoys, const struct image_section *is,
		      uint64_t offset, const struct branch *branch,
		      const struct stub *stub)
{
	uint64_t addr = is->code.addr + offset;

	add_branch(decoys, is, offset, branch, stub,
		   &(struct quiet_range){ .start = addr, .end = addr + 1 });
}

/* --- What leads there -------------------------------------------------- */

/* Does code that leads to ADDR run the bytes of QUIET_RANGE as they decode? */
static bool is_entered_at(const struct quiet_range *quiet_range, uint64_t addr)
{
	uint64_t back = quiet_range->end - 1 - addr;

	if (quiet_range->is_padding && !quiet_range->has_jump &&
	    addr == quiet_range->start)
		return false;
	return addr >= quiet_range->start && addr < quiet_range->end &&
	       (back >= 32 || (quiet_range->begins >> back & 1) == 0);
}

struct reference {
	struct decoys *decoys;
	const struct image_section *is;
};

/*
 * The next quiet range that FROM enters at ADDR, and that was not reached
 * before.
 */
static struct quiet_range *next_entered(const struct decoys *decoys,
					uint64_t from, uint64_t addr, size_t *n)
{
	while (*n > 0) {
		struct quiet_range *quiet_range = &decoys->quiet_ranges[--*n];

		if (addr - quiet_range->start >= decoys->longest)
			return NULL;
		if (!quiet_range->is_reached &&
		    is_entered_at(quiet_range, addr) &&
		    (!quiet_range->is_padding || from < quiet_range->start ||
		     from >= quiet_range->end))
			return quiet_range;
	}
	return NULL;
}

/* Something at FROM leads to ADDR. */
static void reach(struct decoys *decoys, uint64_t from, uint64_t addr)
{
	size_t n = quiet_ranges_below(decoys, addr);
	struct quiet_range *quiet_range;

	while ((quiet_range = next_entered(decoys, from, addr, &n)) != NULL) {
		quiet_range->is_reached = true;
		decoys->has_changed = true;
	}
}

/* Is OFFSET in padding that nothing is known to lead to? Adds that range. */
static bool is_idle(const struct reference *reference, uint64_t offset,
		    const struct branch *branch)
{
	const struct quiet_range *known;
	struct quiet_range quiet_range;

	if (!find_padding(reference->decoys, reference->is, offset, branch,
			  &quiet_range))
		return false;
	known = find_quiet_range(reference->decoys, quiet_range.start,
				 quiet_range.end);
	if (known == NULL)
		add_quiet_range(reference->decoys, &quiet_range);
	return known == NULL || !known->is_reached;
}

/* May an instruction begin at OFFSET? */
static bool may_begin(const struct reference *reference, uint64_t offset,
		      const struct branch *branch)
{
	struct decoys *decoys = reference->decoys;
	const struct image *img = &decoys->p->run->img;

	return img->obj->arch->step == NULL ||
	       branch->length > img->obj->arch->chance_length ||
	       !follow(decoys, reference->is, offset) ||
	       !flow_covers(&decoys->flow, offset);
}

static void refer_branch(void *ctx, uint64_t offset,
			 const struct branch *branch)
{
	const struct reference *reference = ctx;
	struct decoys *decoys = reference->decoys;
	uint64_t from = reference->is->code.addr + offset;
	size_t n = quiet_ranges_below(decoys, branch->target);

	if (next_entered(decoys, from, branch->target, &n) != NULL &&
	    (branch->length > 2 || reference->is->is_text) &&
	    may_begin(reference, offset, branch) &&
	    !is_idle(reference, offset, branch))
		reach(decoys, from, branch->target);
}

static void refer_operand(void *ctx, uint64_t offset, uint64_t target)
{
	const struct reference *reference = ctx;

	reach(reference->decoys, reference->is->code.addr + offset, target);
}

/* No quiet range ends behind it. */
static uint64_t last_end(const struct decoys *decoys)
{
	return address_behind(
		decoys->quiet_ranges[decoys->nquiet_ranges - 1].start,
		decoys->longest);
}

/* Is ADDR of interest: in a quiet range, or at a jump in padding? */
static bool is_target_of(const struct decoys *decoys, uint64_t addr)
{
	for (size_t n = quiet_ranges_below(decoys, addr); n > 0; n--) {
		const struct quiet_range *quiet_range =
			&decoys->quiet_ranges[n - 1];

		if (addr - quiet_range->start >= decoys->longest)
			break;
		if (quiet_range->start == addr ||
		    (quiet_range->has_jump && addr < quiet_range->end))
			return true;
	}
	for (size_t i = 0; i < decoys->nbranches; i++)
		if (decoys->branches[i].addr == addr)
			return true;
	return false;
}

/* Removes the mode from *POINTER. False if the code there has another mode. */
static bool points_to(const struct image *img, uint64_t *pointer)
{
	uint8_t mode = *pointer & img->obj->arch->mode_bits, is_mode;
	const struct image_section *is;

	*pointer -= mode;
	is = image_find_text(img, *pointer, 1);
	if (is == NULL || img->obj->arch->mode_bits == 0)
		return is != NULL;
	is_mode = code_mode(&is->code, *pointer - is->code.addr);
	return is_mode == mode || is_mode == MODE_UNKNOWN ||
	       is_mode == MODE_DATA;
}

/*
 * Can the word at FROM be an address? If the loader may put the image anywhere,
 * it must relocate the word.
 */
static bool may_be_address(const struct image *img, uint64_t from)
{
	return img->obj->ehdr.e_type != ET_DYN || img->nrelocs == 0 ||
	       image_find_reloc(img, from) != NULL;
}

/* IS_DISTANCE: WORD is from the GOT, and the distance is at FROM. */
static void refer_word(struct decoys *decoys, uint64_t from, uint64_t word,
		       bool is_sure, bool is_distance)
{
	uint64_t low = decoys->quiet_ranges[0].start;

	word = image_wrap(&decoys->p->run->img, word);
	if (word >= low && word < last_end(decoys) &&
	    points_to(&decoys->p->run->img, &word) &&
	    (is_distance || may_be_address(&decoys->p->run->img, from)) &&
	    (is_sure || is_target_of(decoys, word)))
		reach(decoys, from, word);
}

/*
 * Finds words that hold an address. Other data looks so, too: words that are
 * not aligned to 4, words in text, and 32-bit words that may be a part of an
 * address or a distance from the GOT. Of these, only an address of interest
 * counts.
 */
static void refer_words(struct decoys *decoys, const struct image_section *is)
{
	const struct object *obj = decoys->p->run->img.obj;
	unsigned size = obj->is_64 ? 8 : 4;
	uint64_t got = image_got(&decoys->p->run->img);

	for (uint64_t i = 0; i + 4 <= is->code.size; i++) {
		const uint8_t *p = is->code.bytes + i;
		uint64_t from = is->code.addr + i;
		bool is_sure = !is->is_text && from % 4 == 0;
		uint64_t half = (int64_t)(int32_t)object_word(obj, p);

		if (i + size <= is->code.size)
			refer_word(decoys, from,
				   obj->is_64 ? object_xword(obj, p) : half,
				   is_sure, false);
		refer_word(decoys, from, half, false, false);
		refer_word(decoys, from, got + half, false, true);
	}
}

/* Somebody may use a name to lead there. */
static void refer_symbols(struct decoys *decoys)
{
	const struct object *obj = decoys->p->run->img.obj;

	for (size_t i = 1; i < obj->nsymbols; i++) {
		struct symbol sym;
		struct quiet_range *quiet_range;
		size_t n;

		object_symbol(obj, i, &sym);
		n = quiet_ranges_below(decoys, sym.value);
		if (sym.type == STT_SECTION || sym.type == STT_FILE ||
		    (sym.is_defined &&
		     !section_is_text(&obj->sections[sym.shndx])) ||
		    symbol_is_mark(&sym) || sym.name[0] == '\0')
			continue;
		while ((quiet_range = next_entered(decoys, 0, sym.value, &n)) !=
		       NULL)
			decoys->has_changed = quiet_range->is_reached = true;
	}
}

static void refer_entries(struct decoys *decoys)
{
	const struct image *img = &decoys->p->run->img;
	const char *name;

	for (unsigned i = 0; i < IMAGE_NENTRIES; i++)
		reach(decoys, 0,
		      image_entry(img, i, &name) &
			      ~(uint64_t)img->obj->arch->mode_bits);
}

static void refer_code(struct decoys *decoys, const struct image_section *is)
{
	const struct arch *arch = decoys->p->run->img.obj->arch;
	struct reference reference = { decoys, is };
	uint64_t low = decoys->quiet_ranges[0].start;
	uint64_t high = last_end(decoys);

	arch_each_reference(arch, &is->code, low, high, refer_branch,
			    refer_operand, &reference);
}

/* What leads to padding may itself be in padding, and so on. */
#define ROUNDS_MAX 64

int decoys_settle(struct decoys *decoys)
{
	const struct image *img = &decoys->p->run->img;

	for (int i = 0; decoys->nquiet_ranges > 0 && decoys->has_changed; i++) {
		decoys->has_changed = false;
		refer_symbols(decoys);
		refer_entries(decoys);
		for (size_t k = 0; k < img->nsections + img->noverlays; k++) {
			if (img->sections[k].is_executable)
				refer_code(decoys, &img->sections[k]);
			refer_words(decoys, &img->sections[k]);
		}
		for (size_t k = 0; k < img->nrelocs; k++) {
			uint64_t value = img->relocs[k].addend;

			reach(decoys, 0, value);
			if (image_reloc_value(img, &img->relocs[k], &value))
				reach(decoys, 0, value);
		}
		for (size_t k = 0; i == ROUNDS_MAX && k < decoys->nquiet_ranges;
		     k++)
			decoys->quiet_ranges[k].is_reached = true;
		if (i == ROUNDS_MAX)
			break;
	}
	if (decoys->has_failed)
		return diag_nomem(decoys->p->run->d, img->obj->path);
	return 0;
}

bool decoys_is_reached(const struct decoys *decoys,
		       const struct decoy_branch *branch)
{
	const struct quiet_range *quiet_range = find_quiet_range(
		decoys, branch->quiet_range, branch->quiet_end);

	return quiet_range == NULL || quiet_range->is_reached;
}

void decoys_free(struct decoys *decoys)
{
	flow_free(&decoys->flow);
	free(decoys->quiet_ranges);
	free(decoys->branches);
	*decoys = (struct decoys){ 0 };
}
