/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "descriptors.h"
#include "emit.h"
#include "functions.h"
#include "scan.h"
#include "sort.h"

struct code_symbol {
	const char *name;
	uint64_t start;
	uint64_t end; /* start if its size is not known */
	uint32_t shndx;
	uint8_t rank; /* of two at one place, the higher gives the name */
};

/* Unnamed code between two symbols, behind a sized one. */
struct hole {
	uint32_t shndx;
	uint64_t function; /* where the symbol before it begins */
	uint64_t start;
	uint64_t end;
	bool is_referenced;
};

/* Offsets [start, end), of which it is empty where there are none. */
struct range {
	uint64_t start;
	uint64_t end;
};

struct attribution {
	struct diag *d;
	const struct object *obj;
	struct site_set *set;
	bool *has_sites; /* by section index */
	struct code_symbol *symbols;
	size_t nsymbols;
	size_t *open; /* sized symbols that begin before the current site */
	size_t nopen;
	struct hole *holes; /* sorted by section, then start */
	size_t nholes;
	struct range *ranges; /* by section index: of its holes */
	bool *may_refer;      /* by symbol: can it be used to refer to one? */
	uint32_t *hole_of;    /* site index -> hole index or NO_INDEX */
};

bool symbol_is_code(const struct symbol *sym)
{
	if (!sym->is_defined || sym->name[0] == '\0' || sym->name[0] == '$' ||
	    (sym->name[0] == '.' && sym->name[1] == 'L'))
		return false;
	return sym->type == STT_FUNC || sym->type == STT_NOTYPE ||
	       sym->type == STT_GNU_IFUNC;
}

static uint8_t symbol_rank(const struct symbol *sym)
{
	uint8_t rank = sym->bind == STB_GLOBAL ? 2 : sym->bind == STB_WEAK;

	return rank + (sym->type != STT_NOTYPE ? 4 : 0);
}

static uint64_t place(const void *item, void *ctx)
{
	const struct code_symbol *sym = item;

	return object_place(ctx, sym->shndx, sym->start);
}

static int compare_symbols(const void *a, const void *b, void *ctx)
{
	const struct code_symbol *x = a, *y = b;

	(void)ctx;
	if (x->shndx != y->shndx)
		return x->shndx < y->shndx ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return -strcmp(x->name, y->name);
}

static uint64_t symbol_end(const struct symbol *sym)
{
	return sym->size > UINT64_MAX - sym->value ? UINT64_MAX
						   : sym->value + sym->size;
}

/* The code symbols of the sections that have sites, sorted. */
static int collect_symbols(struct attribution *at)
{
	const struct object *obj = at->obj;
	struct symbol sym;
	/* What is too much is never touched. */
	at->symbols = malloc(obj->nsymbols * sizeof(at->symbols[0]));
	at->open = malloc(obj->nsymbols * sizeof(at->open[0]));
	if (at->symbols == NULL || at->open == NULL)
		return diag_nomem(at->d, obj->path);
	for (size_t i = 1; i < obj->nsymbols; i++) {
		object_symbol(obj, i, &sym);
		if (!sym.is_defined || !at->has_sites[sym.shndx] ||
		    !symbol_is_code(&sym))
			continue;
		at->symbols[at->nsymbols++] = (struct code_symbol){
			.name = sym.name,
			.start = sym.value,
			.end = symbol_end(&sym),
			.shndx = sym.shndx,
			.rank = symbol_rank(&sym),
		};
	}
	sort_along(at->symbols, at->nsymbols, sizeof(at->symbols[0]), place,
		   compare_symbols, (void *)obj);
	return 0;
}

/* The hole from the end of BEFORE to the symbol NEXT or the section's end. */
static int add_hole(struct attribution *at, size_t site,
		    const struct code_symbol *before, size_t next)
{
	uint32_t shndx = at->set->sites[site].shndx;
	struct hole *last = at->nholes ? &at->holes[at->nholes - 1] : NULL;
	struct hole *holes;

	if (last == NULL || last->shndx != shndx ||
	    last->start != before->end) {
		holes = realloc(at->holes, (at->nholes + 1) * sizeof(holes[0]));
		if (holes == NULL)
			return diag_nomem(at->d, at->obj->path);
		at->holes = holes;
		holes[at->nholes++] = (struct hole){
			.shndx = shndx,
			.function = before->start,
			.start = before->end,
			.end = next < at->nsymbols &&
					       at->symbols[next].shndx == shndx
				       ? at->symbols[next].start
				       : at->obj->sections[shndx].size,
		};
	}
	at->hole_of[site] = at->nholes - 1;
	return 0;
}

static void set_function(struct site *site, const struct code_symbol *sym)
{
	site->function = sym->name;
	site->function_offset = site->offset - sym->start;
}

/*
 * Walks the sites [FIRST, END) of one section along its symbols, which begin
 * at NEXT. Symbols may nest and overlap; of those that cover a site, the one
 * that begins last names it. A symbol without size reaches to the next.
 */
static int attribute_section(struct attribution *at, size_t first, size_t end,
			     size_t next)
{
	const struct code_symbol *syms = at->symbols;
	const struct code_symbol *label = NULL;
	uint32_t shndx = at->set->sites[first].shndx;
	const struct code_symbol *last = NULL; /* that ends before the site */

	at->nopen = 0;
	for (size_t i = first; i < end; i++) {
		struct site *site = &at->set->sites[i];

		for (; next < at->nsymbols && syms[next].shndx == shndx &&
		       syms[next].start <= site->offset;
		     next++) {
			if (syms[next].end > syms[next].start)
				at->open[at->nopen++] = next;
			else
				label = &syms[next];
		}
		while (at->nopen > 0 &&
		       syms[at->open[at->nopen - 1]].end <= site->offset) {
			const struct code_symbol *done =
				&syms[at->open[--at->nopen]];

			if (last == NULL || done->end > last->end)
				last = done;
		}
		if (at->nopen > 0)
			set_function(site, &syms[at->open[at->nopen - 1]]);
		else if (label != NULL &&
			 (last == NULL || label->start >= last->end))
			set_function(site, label);
		else if (last != NULL && add_hole(at, i, last, next))
			return -1;
	}
	return 0;
}

static size_t skip_section(const struct attribution *at, size_t next,
			   uint32_t shndx)
{
	while (next < at->nsymbols && at->symbols[next].shndx < shndx)
		next++;
	return next;
}

static int attribute_all(struct attribution *at)
{
	const struct site_set *set = at->set;
	size_t next = 0;

	for (size_t first = 0, end; first < set->nsites; first = end) {
		uint32_t shndx = set->sites[first].shndx;

		for (end = first;
		     end < set->nsites && set->sites[end].shndx == shndx; end++)
			at->hole_of[end] = NO_INDEX;
		next = skip_section(at, next, shndx);
		if (attribute_section(at, first, end, next))
			return -1;
	}
	return 0;
}

/* --- Holes ------------------------------------------------------------- */

/* Tables that describe code, dead or not: a reference proves nothing. */
static const char *const metadata[] = {
	".eh_frame",
	".orc_unwind",
	".gcc_except_table",
	"__mcount_loc",
	"__patchable_function_entries",
	"__bug_table",
	"__jump_table",
	"__ex_table",
	".alt",
	".parainstructions",
	".smp_locks",
	".static_call",
	".retpoline_sites",
	".return_sites",
	".call_sites",
	".ibt_endbr_seal",
	".discard",
	".stapsdt",
	".kcfi",
	"__kcfi",
	SDT_SITES_SECTION, /* what --inject added */
};

bool section_describes_code(const char *name)
{
	for (size_t i = 0; i < sizeof(metadata) / sizeof(metadata[0]); i++)
		if (strncmp(name, metadata[i], strlen(metadata[i])) == 0)
			return true;
	return false;
}

static struct hole *find_hole(const struct attribution *at, uint32_t shndx,
			      uint64_t offset)
{
	size_t low = 0, high = at->nholes;

	while (low < high) {
		size_t mid = (low + high) / 2;
		struct hole *hole = &at->holes[mid];

		if (hole->shndx < shndx ||
		    (hole->shndx == shndx && hole->end <= offset))
			low = mid + 1;
		else if (hole->shndx > shndx || hole->start > offset)
			high = mid;
		else
			return hole;
	}
	return NULL;
}

/* Marks the hole at OFFSET of section SHNDX, unless FROM lies in it. */
static void mark_hole(struct attribution *at, uint32_t shndx, uint64_t offset,
		      uint32_t from_shndx, uint64_t from)
{
	struct hole *hole = find_hole(at, shndx, offset);

	if (hole != NULL &&
	    (from_shndx != shndx || from < hole->start || from >= hole->end))
		hole->is_referenced = true;
}

/*
 * A table of distances from its own start: the addend has the entry's place
 * in the table in it, and that can be anything up to OFFSET.
 */
static void mark_distances(struct attribution *at, uint32_t shndx,
			   uint64_t target, uint64_t offset)
{
	for (size_t i = 0; i < at->nholes; i++) {
		struct hole *hole = &at->holes[i];

		if (hole->shndx == shndx && hole->start <= target &&
		    hole->end + offset > target)
			hole->is_referenced = true;
	}
}

static void mark_all(struct attribution *at)
{
	for (size_t i = 0; i < at->nholes; i++)
		at->holes[i].is_referenced = true;
}

static int mark_relocs(struct attribution *at, uint32_t relsec)
{
	const struct object *obj = at->obj;
	uint32_t shndx = obj->sections[relsec].info;
	bool is_text = section_is_text(&obj->sections[shndx]);
	struct relocs relocs;
	const uint8_t *bytes;
	size_t size;

	bytes = object_data(at->d, obj, shndx, &size);
	if (bytes == NULL || object_relocs(at->d, obj, relsec, &relocs))
		return -1;
	for (size_t i = 0; i < relocs.n; i++) {
		const struct range *range;
		struct symbol sym;
		struct reloc r;
		uint64_t target;

		reloc_get(&relocs, i, &r);
		if (!at->may_refer[r.symndx])
			continue;
		object_symbol(obj, r.symndx, &sym);
		if (descriptor_follow(obj, &sym, r.addend) &&
		    arch_reloc_is_distance(obj->arch, r.type, is_text))
			mark_all(at);
		range = &at->ranges[sym.shndx];
		if (range->end == 0)
			continue;
		if (!relocs.is_rela && r.offset <= size && size - r.offset >= 4)
			r.addend = (int32_t)object_word(obj, bytes + r.offset);
		target = sym.value + r.addend;
		if (arch_reloc_is_distance(obj->arch, r.type, is_text))
			mark_distances(at, sym.shndx, target, r.offset);
		else if (is_text)
			target += arch_reloc_bias(obj->arch, r.type);
		if (target >= range->start && target < range->end)
			mark_hole(at, sym.shndx, target, shndx, r.offset);
	}
	return 0;
}

/* A search of the section SHNDX for what has no relocation. */
struct branch_search {
	struct attribution *at;
	uint32_t shndx;
	uint8_t *relocated; /* a bit for each byte that a relocation sets */
};

static int map_relocs(struct branch_search *s)
{
	const struct object *obj = s->at->obj;

	s->relocated = calloc(obj->sections[s->shndx].size / 8 + 2, 1);
	if (s->relocated == NULL)
		return diag_nomem(s->at->d, obj->path);
	for (size_t i = 1; i < obj->nsections; i++) {
		struct relocs relocs;

		if (!section_is_relocs(&obj->sections[i]) ||
		    obj->sections[i].info != s->shndx)
			continue;
		if (object_relocs(s->at->d, obj, i, &relocs))
			return -1;
		for (size_t k = 0; k < relocs.n; k++) {
			struct reloc r;
			uint64_t end;

			reloc_get(&relocs, k, &r);
			end = r.offset + arch_reloc_width(obj->arch, r.type);
			for (uint64_t at = r.offset; at < end; at++)
				s->relocated[at / 8] |= 1u << at % 8;
		}
	}
	return 0;
}

/* Does a relocation touch the SIZE bytes at OFFSET? */
static bool is_relocated(const struct branch_search *s, uint64_t offset,
			 unsigned size)
{
	for (uint64_t at = offset; at < offset + size; at++)
		if (s->relocated[at / 8] >> at % 8 & 1)
			return true;
	return false;
}

/* What a relocated displacement says now means nothing. */
static void mark_branch(void *ctx, uint64_t offset, const struct branch *branch)
{
	const struct branch_search *s = ctx;

	if (!is_relocated(s, offset + branch->field,
			  branch->length - branch->field))
		mark_hole(s->at, s->shndx, branch->target, s->shndx, offset);
}

static void mark_operand(void *ctx, uint64_t offset, uint64_t target)
{
	const struct branch_search *s = ctx;

	if (!is_relocated(s, offset, 4))
		mark_hole(s->at, s->shndx, target, s->shndx, offset);
}

/* Searches the section of the holes [FIRST, END), if any is still open. */
static int mark_section(struct attribution *at, size_t first, size_t end)
{
	const struct arch *arch = at->obj->arch;
	struct branch_search search = { at, at->holes[first].shndx, NULL };
	struct code code;
	uint64_t low, high;
	int ret = -1;

	while (first < end && at->holes[first].is_referenced)
		first++;
	while (first < end && at->holes[end - 1].is_referenced)
		end--;
	if (first == end)
		return 0;
	low = at->holes[first].start;
	high = at->holes[end - 1].end;
	if (object_code(at->d, at->obj, search.shndx, &code) &&
	    map_relocs(&search) == 0) {
		arch->each_branch(arch, &code, low, high, mark_branch, &search);
		arch->each_operand(arch, &code, low, high, mark_operand,
				   &search);
		ret = 0;
	}
	free(search.relocated);
	return ret;
}

/* What stays inside one section has no relocation. */
static int mark_branches(struct attribution *at)
{
	for (size_t first = 0, end; first < at->nholes; first = end) {
		for (end = first + 1;
		     end < at->nholes &&
		     at->holes[end].shndx == at->holes[first].shndx;
		     end++)
			;
		if (mark_section(at, first, end))
			return -1;
	}
	return 0;
}

/*
 * Code that may run on past the end of its function runs into the hole. What
 * does nothing at that end belongs to the hole: who jumps there, too, does.
 */
static int trim_hole(struct attribution *at, struct hole *hole)
{
	const struct arch *arch = at->obj->arch;
	struct code code = { 0 };
	uint64_t end;

	if (!object_code(at->d, at->obj, hole->shndx, &code))
		return -1;
	end = arch->find_end(arch, &code, hole->function, hole->start);
	hole->is_referenced = end == NO_END;
	if (end != NO_END)
		hole->start = end;
	return 0;
}

static int find_ranges(struct attribution *at)
{
	at->ranges = calloc(at->obj->nsections, sizeof(at->ranges[0]));
	if (at->ranges == NULL)
		return diag_nomem(at->d, at->obj->path);
	for (size_t i = 0; i < at->nholes; i++) {
		struct range *range = &at->ranges[at->holes[i].shndx];

		if (range->end == 0)
			range->start = at->holes[i].start;
		range->end = at->holes[i].end;
	}
	return 0;
}

/* By a descriptor, a symbol of data refers to code. */
static int find_symbols(struct attribution *at)
{
	const struct object *obj = at->obj;
	struct symbol sym;

	at->may_refer = calloc(obj->nsymbols, sizeof(at->may_refer[0]));
	if (at->may_refer == NULL)
		return diag_nomem(at->d, obj->path);
	for (size_t i = 1; i < obj->nsymbols; i++) {
		object_symbol(obj, i, &sym);
		at->may_refer[i] = sym.is_defined &&
				   (at->ranges[sym.shndx].end > 0 ||
				    obj->ndescriptors > 0);
	}
	return 0;
}

/* What a NOP of the branch form is to jump to. */
static void mark_targets(struct attribution *at)
{
	for (size_t i = 0; i < at->set->nsites; i++) {
		const struct site *site = &at->set->sites[i];

		if (site->form == FORM_BRANCH)
			mark_hole(at, site->target_shndx, site->target,
				  site->shndx, site->offset);
	}
}

/*
 * A hole that anything but a description of code refers to is alive; a
 * function's descriptor is one.
 */
static int mark_referenced(struct attribution *at)
{
	const struct object *obj = at->obj;

	if (at->nholes == 0)
		return 0;
	if (obj->arch->each_operand == NULL) {
		mark_all(at);
		return 0;
	}
	for (size_t i = 0; i < at->nholes; i++)
		if (trim_hole(at, &at->holes[i]))
			return -1;
	if (find_ranges(at) || find_symbols(at))
		return -1;
	for (size_t i = 1; i < obj->nsections; i++) {
		const struct section *sec = &obj->sections[i];

		if (section_is_relocs(sec) &&
		    section_is_alloc(&obj->sections[sec->info]) &&
		    !descriptors_hold(obj, sec->info) &&
		    (section_is_text(&obj->sections[sec->info]) ||
		     !section_describes_code(obj->sections[sec->info].name)) &&
		    mark_relocs(at, i))
			return -1;
	}
	mark_targets(at);
	return mark_branches(at);
}

static void note_dead(struct attribution *at, const struct site *site)
{
	diag_report(
		at->d, SEVERITY_NOTE,
		&(struct place){ .file = at->obj->path,
				 .section = at->obj->sections[site->shndx].name,
				 .has_offset = true,
				 .offset = site->offset },
		"dead", NULL,
		"a site of %s in the body of an overridden function: no "
		"symbol names it and nothing refers to it",
		at->set->probes[site->probe].symbol);
}

static void drop_dead(struct attribution *at)
{
	struct site_set *set = at->set;
	size_t kept = 0;

	for (size_t i = 0; i < set->nsites; i++) {
		uint32_t hole = at->hole_of[i];

		if (hole != NO_INDEX && !at->holes[hole].is_referenced) {
			note_dead(at, &set->sites[i]);
			set->probes[set->sites[i].probe].nsites--;
			set->bins.dead++;
			continue;
		}
		set->sites[kept++] = set->sites[i];
	}
	set->nsites = kept;
}

static void mark_first(struct site_set *set)
{
	const struct site *last = NULL;

	for (size_t i = 0; i < set->nsites; i++) {
		struct site *site = &set->sites[i];

		site->is_first = last == NULL || site->shndx != last->shndx ||
				 strcmp(site->function, last->function) != 0;
		last = site;
	}
}

int functions_attribute(struct diag *d, const struct object *obj,
			struct site_set *set)
{
	struct attribution at = { .d = d, .obj = obj, .set = set };
	int ret = -1;

	if (set->nsites == 0)
		return 0;
	at.has_sites = calloc(obj->nsections, sizeof(at.has_sites[0]));
	at.hole_of = malloc(set->nsites * sizeof(at.hole_of[0]));
	if (at.has_sites == NULL || at.hole_of == NULL) {
		diag_nomem(d, obj->path);
		goto done;
	}
	for (size_t i = 0; i < set->nsites; i++)
		at.has_sites[set->sites[i].shndx] = true;
	if (collect_symbols(&at) || attribute_all(&at) || mark_referenced(&at))
		goto done;
	drop_dead(&at);
	mark_first(set);
	ret = 0;
done:
	free(at.has_sites);
	free(at.hole_of);
	free(at.symbols);
	free(at.open);
	free(at.holes);
	free(at.ranges);
	free(at.may_refer);
	return ret;
}

void functions_locate(const struct object *obj, uint32_t shndx, uint64_t offset,
		      struct place *place)
{
	uint64_t best = 0;
	uint8_t best_rank = 0;

	for (size_t i = 1; i < obj->nsymbols; i++) {
		struct symbol sym;
		uint8_t rank;

		object_symbol(obj, i, &sym);
		if (!symbol_is_code(&sym) || sym.shndx != shndx ||
		    sym.value > offset ||
		    (sym.size > 0 && symbol_end(&sym) <= offset))
			continue;
		rank = symbol_rank(&sym);
		if (place->function != NULL &&
		    (sym.value < best ||
		     (sym.value == best && rank <= best_rank)))
			continue;
		best = sym.value;
		best_rank = rank;
		place->function = sym.name;
		place->function_offset = offset - sym.value;
	}
}
