/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>

#include "doubt.h"
#include "base/grow.h"
#include "base/search.h"
#include "origin.h"

/* A gap between two functions: offsets in its section. */
struct gap {
	uint64_t function; /* start of the one before */
	uint64_t start, end;
};

/* Functions at or below an address that are looked at. */
#define NEIGHBOURS_MAX 16

/* Finds the gap that OFFSET is in, as far as the sizes of functions tell. */
static bool find_gap(const struct image *img, const struct image_section *is,
		     uint64_t offset, struct gap *gap)
{
	uint64_t base = is->code.addr, last = 0;
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
	/* One without a size has no end that is known. */
	return gap->start > last;
}

/* Padding from FROM to TO is shorter than the alignment that it makes. */
static bool may_align(uint64_t from, uint64_t to)
{
	return to < from || to - from < (to & -to);
}

/*
 * Sets ISLAND to the padding that OFFSET is in. A jump there is one for code
 * before it that does not end.
 */
static bool find_padding(const struct doubts *doubts,
			 const struct image_section *is, uint64_t offset,
			 const struct branch *branch, struct island *island)
{
	const struct image *img = &doubts->p->run->img;
	const struct arch *arch = img->obj->arch;
	const struct code *code = &is->code;
	struct gap gap;
	uint64_t end;

	if (arch->padding_end == NULL || !is->is_text ||
	    !find_gap(img, is, offset, &gap))
		return false;
	end = arch->padding_end(arch, code, gap.start, gap.end);
	if (offset >= end)
		return false;
	*island = (struct island){
		.start = code->addr + gap.start,
		.end = code->addr + end,
		.is_padding = true,
		.has_jump = arch->is_boundary(arch, code, gap.start, offset),
	};
	if (!island->has_jump)
		return branch->length <= arch->chance_length;
	if (!may_align(code->addr + offset, branch->target))
		return false;
	if (arch->find_end == NULL)
		return true;
	/* NOPs at the end of a function lead to the gap. */
	end = arch->find_end(arch, code, gap.function, gap.start);
	if (end != NO_END)
		island->start = code->addr + end;
	return end != NO_END;
}

/* A larger function is not followed. */
#define FUNCTION_MAX (1 << 24)

/* The longest entry of a PLT that is looked for. */
#define PLT_ENTRY_MAX 16

static bool find_plt_entry(const struct doubts *doubts,
			   const struct image_section *is, uint64_t offset,
			   uint64_t *start)
{
	const struct image *img = &doubts->p->run->img;
	const struct arch *arch = img->obj->arch;
	uint64_t slot, got = got_address(doubts->p);

	for (uint64_t i = 1; i < PLT_ENTRY_MAX && i <= offset; i++) {
		*start = offset - i;
		if (arch->decode_plt(arch, &is->code, *start, got, &slot) &&
		    image_find_reloc(img, slot) != NULL)
			return true;
	}
	return false;
}

/*
 * Follows the function that OFFSET is in, or the entry of a PLT: that has no
 * name, but is known by the slot that it loads.
 */
static bool follow(struct doubts *doubts, const struct image_section *is,
		   uint64_t offset)
{
	const struct image *img = &doubts->p->run->img;
	uint64_t start, size, base = is->code.addr;
	struct symbol sym;

	if (image_function(img, base + offset, &sym)) {
		start = sym.value - base;
		size = sym.size > 0
			       ? sym.size
			       : image_next_function(img, is, offset) - start;
	} else if (find_plt_entry(doubts, is, offset, &start)) {
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
	if (flow_follow(&doubts->flow, img, is, start, start + size) == 0)
		return true;
	doubts->has_failed = true;
	return false;
}

/*
 * May BRANCH be read there by chance? A long one only from the last bytes of a
 * section of the partial, as the partial has them, and of the function that is
 * followed: mold fills the gap behind that with zeros, which are a distance of
 * 0, and no instruction is of two sections.
 */
static bool is_by_chance(const struct doubts *doubts,
			 const struct image_section *is, uint64_t offset,
			 const struct branch *branch)
{
	const struct image *img = &doubts->p->run->img;
	uint64_t end = offset + branch->length;

	return branch->length <= img->obj->arch->chance_length ||
	       (end > doubts->flow.end &&
		end <= image_next_function(img, is, doubts->flow.end - 1) &&
		is_cut_off(doubts->p, is->code.addr + offset,
			   is->code.addr + end));
}

/* Sets ISLAND to the insides of instructions up to OFFSET, if it is one. */
static bool find_inside(struct doubts *doubts, const struct image_section *is,
			uint64_t offset, const struct branch *branch,
			struct island *island)
{
	const struct flow *flow = &doubts->flow;

	if (doubts->p->run->img.obj->arch->step == NULL || !is->is_text ||
	    !follow(doubts, is, offset) || !flow_covers(flow, offset) ||
	    !is_by_chance(doubts, is, offset, branch))
		return false;
	*island = (struct island){ .start = is->code.addr + flow->start,
				   .end = is->code.addr + offset + 1 };
	if (offset - flow->start >= 32)
		island->start = island->end - 32;
	for (unsigned i = 0; i < 32 && i <= offset - flow->start; i++)
		if (flow_begins(flow, offset - i))
			island->begins |= 1u << i;
	return true;
}

bool doubts_runs(struct doubts *doubts, const struct image_section *is,
		 uint64_t offset, bool if_unsure)
{
	const struct flow *flow = &doubts->flow;

	if (doubts->p->run->img.obj->arch->step == NULL || !is->is_text ||
	    !follow(doubts, is, offset))
		return false;
	return flow->is_certain ? flow_begins(flow, offset) : if_unsure;
}

static int compare_islands(const void *a, const void *b)
{
	const struct island *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

/* The number of islands that begin at or below ADDR. */
static size_t islands_below(const struct doubts *doubts, uint64_t addr)
{
	size_t i;

	LOWER_BOUND(i, doubts->nislands, doubts->islands[i].start <= addr);
	return i;
}

static struct island *find_island(const struct doubts *doubts, uint64_t start,
				  uint64_t end)
{
	for (size_t n = islands_below(doubts, start);
	     n > 0 && doubts->islands[n - 1].start == start; n--)
		if (doubts->islands[n - 1].end == end)
			return &doubts->islands[n - 1];
	return NULL;
}

/* Keeps the order. */
static void add_island(struct doubts *doubts, const struct island *island)
{
	struct island *known = find_island(doubts, island->start, island->end);
	struct island *islands;
	size_t at;

	if (known != NULL) {
		known->has_jump |= island->has_jump;
		return;
	}
	islands = grow_list(doubts->islands, doubts->nislands,
			    sizeof(islands[0]));
	if (islands == NULL) {
		doubts->has_failed = true;
		return;
	}
	doubts->islands = islands;
	for (at = doubts->nislands++;
	     at > 0 && compare_islands(&islands[at - 1], island) > 0; at--)
		islands[at] = islands[at - 1];
	islands[at] = *island;
	if (island->end - island->start > doubts->longest)
		doubts->longest = island->end - island->start;
	doubts->has_changed = true;
}

bool doubts_add(struct doubts *doubts, const struct image_section *is,
		uint64_t offset, const struct branch *branch,
		const struct stub *stub)
{
	struct doubtful_branch *branches;
	struct island island;

	if (!find_padding(doubts, is, offset, branch, &island) &&
	    !find_inside(doubts, is, offset, branch, &island))
		return false;
	branches = grow_list(doubts->branches, doubts->nbranches,
			     sizeof(branches[0]));
	if (branches == NULL) {
		doubts->has_failed = true;
		return true;
	}
	doubts->branches = branches;
	branches[doubts->nbranches++] = (struct doubtful_branch){
		.addr = image_wrap(&doubts->p->run->img,
				   is->code.addr + offset),
		.branch = *branch,
		.island = island.start,
		.island_end = island.end,
		.stub = stub,
	};
	add_island(doubts, &island);
	return true;
}

/* --- What leads there -------------------------------------------------- */

/* Does what leads to ADDR run the bytes of ISLAND as what they read like? */
static bool is_entered_at(const struct island *island, uint64_t addr)
{
	uint64_t back = island->end - 1 - addr;

	if (island->is_padding && !island->has_jump && addr == island->start)
		return false;
	return addr >= island->start && addr < island->end &&
	       (back >= 32 || (island->begins >> back & 1) == 0);
}

struct lead {
	struct doubts *doubts;
	const struct image_section *is;
};

/* The first of the islands that FROM leads to at ADDR and not yet reached. */
static struct island *next_entered(const struct doubts *doubts, uint64_t from,
				   uint64_t addr, size_t *n)
{
	while (*n > 0) {
		struct island *island = &doubts->islands[--*n];

		if (addr - island->start >= doubts->longest)
			return NULL;
		if (!island->is_reached && is_entered_at(island, addr) &&
		    (!island->is_padding || from < island->start ||
		     from >= island->end))
			return island;
	}
	return NULL;
}

/* Something at FROM leads to ADDR. */
static void reach(struct doubts *doubts, uint64_t from, uint64_t addr)
{
	size_t n = islands_below(doubts, addr);
	struct island *island;

	while ((island = next_entered(doubts, from, addr, &n)) != NULL) {
		island->is_reached = true;
		doubts->has_changed = true;
	}
}

/* Is OFFSET in padding that nothing is known to lead to? Lists that. */
static bool is_idle(const struct lead *lead, uint64_t offset,
		    const struct branch *branch)
{
	const struct island *known;
	struct island island;

	if (!find_padding(lead->doubts, lead->is, offset, branch, &island))
		return false;
	known = find_island(lead->doubts, island.start, island.end);
	if (known == NULL)
		add_island(lead->doubts, &island);
	return known == NULL || !known->is_reached;
}

/* May an instruction begin at OFFSET? */
static bool may_begin(const struct lead *lead, uint64_t offset,
		      const struct branch *branch)
{
	struct doubts *doubts = lead->doubts;
	const struct image *img = &doubts->p->run->img;

	return img->obj->arch->step == NULL ||
	       branch->length > img->obj->arch->chance_length ||
	       !follow(doubts, lead->is, offset) ||
	       !flow_covers(&doubts->flow, offset);
}

static void lead_branch(void *ctx, uint64_t offset, const struct branch *branch)
{
	const struct lead *lead = ctx;
	struct doubts *doubts = lead->doubts;
	uint64_t from = lead->is->code.addr + offset;
	size_t n = islands_below(doubts, branch->target);

	if (next_entered(doubts, from, branch->target, &n) != NULL &&
	    (branch->length > 2 || lead->is->is_text) &&
	    may_begin(lead, offset, branch) && !is_idle(lead, offset, branch))
		reach(doubts, from, branch->target);
}

static void lead_operand(void *ctx, uint64_t offset, uint64_t target)
{
	const struct lead *lead = ctx;

	reach(lead->doubts, lead->is->code.addr + offset, target);
}

/* No island ends behind it. */
static uint64_t last_end(const struct doubts *doubts)
{
	return doubts->islands[doubts->nislands - 1].start + doubts->longest;
}

/* Would somebody want ADDR? Padding has a jump there, or it is in doubt. */
static bool is_aim(const struct doubts *doubts, uint64_t addr)
{
	for (size_t n = islands_below(doubts, addr); n > 0; n--) {
		const struct island *island = &doubts->islands[n - 1];

		if (addr - island->start >= doubts->longest)
			break;
		if (island->start == addr ||
		    (island->has_jump && addr < island->end))
			return true;
	}
	for (size_t i = 0; i < doubts->nbranches; i++)
		if (doubts->branches[i].addr == addr)
			return true;
	return false;
}

/* Takes the mode from POINTER. False if the code there is of another one. */
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

static void lead_word(struct doubts *doubts, uint64_t from, uint64_t word,
		      bool is_sure)
{
	uint64_t low = doubts->islands[0].start;

	word = image_wrap(&doubts->p->run->img, word);
	if (word >= low && word < last_end(doubts) &&
	    points_to(&doubts->p->run->img, &word) &&
	    (is_sure || is_aim(doubts, word)))
		reach(doubts, from, word);
}

/*
 * Words that hold an address. Not at a multiple of 4, in text, or where 32 bits
 * of it or a distance from the GOT may be meant, others look so: there, only an
 * address that somebody would want counts.
 */
static void lead_words(struct doubts *doubts, const struct image_section *is)
{
	const struct object *obj = doubts->p->run->img.obj;
	unsigned size = obj->is_64 ? 8 : 4;
	uint64_t got = got_address(doubts->p);

	for (uint64_t i = 0; i + 4 <= is->code.size; i++) {
		const uint8_t *p = is->code.bytes + i;
		uint64_t from = is->code.addr + i;
		bool is_sure = !is->is_text && from % 4 == 0;
		uint64_t half = (int64_t)(int32_t)object_word(obj, p);

		if (i + size <= is->code.size)
			lead_word(doubts, from,
				  obj->is_64 ? object_xword(obj, p) : half,
				  is_sure);
		lead_word(doubts, from, half, false);
		lead_word(doubts, from, got + half, false);
	}
}

/* A name is there for somebody to lead there. */
static void lead_symbols(struct doubts *doubts)
{
	const struct object *obj = doubts->p->run->img.obj;

	for (size_t i = 1; i < obj->nsymbols; i++) {
		struct symbol sym;
		struct island *island;
		size_t n;

		object_symbol(obj, i, &sym);
		n = islands_below(doubts, sym.value);
		if (sym.type == STT_SECTION || sym.type == STT_FILE ||
		    (sym.is_defined &&
		     !section_is_text(&obj->sections[sym.shndx])) ||
		    symbol_is_mark(&sym) || sym.name[0] == '\0')
			continue;
		while ((island = next_entered(doubts, 0, sym.value, &n)) !=
		       NULL)
			doubts->has_changed = island->is_reached = true;
	}
}

static void lead_code(struct doubts *doubts, const struct image_section *is)
{
	const struct arch *arch = doubts->p->run->img.obj->arch;
	struct lead lead = { doubts, is };
	uint64_t low = doubts->islands[0].start;
	uint64_t high = last_end(doubts);

	arch_each_reference(arch, &is->code, low, high, lead_branch,
			    lead_operand, &lead);
}

/* What leads to padding may itself be in padding, and so on. */
#define ROUNDS_MAX 64

int doubts_settle(struct doubts *doubts)
{
	const struct image *img = &doubts->p->run->img;

	for (int i = 0; doubts->nislands > 0 && doubts->has_changed; i++) {
		doubts->has_changed = false;
		lead_symbols(doubts);
		reach(doubts, 0,
		      img->obj->ehdr.e_entry &
			      ~(uint64_t)img->obj->arch->mode_bits);
		for (size_t k = 0; k < img->nsections + img->noverlays; k++) {
			if (img->sections[k].is_executable)
				lead_code(doubts, &img->sections[k]);
			lead_words(doubts, &img->sections[k]);
		}
		for (size_t k = 0; k < img->nrelocs; k++)
			reach(doubts, 0, img->relocs[k].addend);
		for (size_t k = 0; i == ROUNDS_MAX && k < doubts->nislands; k++)
			doubts->islands[k].is_reached = true;
		if (i == ROUNDS_MAX)
			break;
	}
	if (doubts->has_failed)
		return diag_nomem(doubts->p->run->d, img->obj->path);
	return 0;
}

bool doubts_is_reached(const struct doubts *doubts,
		       const struct doubtful_branch *branch)
{
	const struct island *island =
		find_island(doubts, branch->island, branch->island_end);

	return island == NULL || island->is_reached;
}

void doubts_free(struct doubts *doubts)
{
	flow_free(&doubts->flow);
	free(doubts->islands);
	free(doubts->branches);
	*doubts = (struct doubts){ 0 };
}
