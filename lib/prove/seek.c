/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: searches text for the bytes of sections that no symbol
 * places, wherever a function can begin. There may be many sections, and much
 * text. So it chooses a few fixed bytes of each section, searches for all of
 * them in one pass, and compares a section only where its bytes were found.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/search.h"
#include "base/sort.h"
#include "fixed.h"
#include "proof.h"

/* --- Where a function can begin ------------------------------------------ */

static int add_start(struct proof *p, struct starts *starts, uint64_t addr)
{
	uint64_t *addrs = grow_list(starts->addrs, starts->n, sizeof(addrs[0]));

	if (addrs == NULL)
		return diag_nomem(p->run->d, p->run->img.obj->path);
	starts->addrs = addrs;
	addrs[starts->n++] = addr;
	return 0;
}

/*
 * Has the image the sizes that functions had before the linker shortened them?
 * mold leaves them so. Then a function reaches into the next one, or into a
 * body without a name.
 */
static bool has_old_sizes(const struct proof *p)
{
	struct symbol sym, last = { 0 };

	if (p->partial->arch->relax == NULL)
		return false;
	for (size_t i = 0; i < p->run->img.nfunctions; i++) {
		object_symbol(p->run->img.obj, p->run->img.functions[i], &sym);
		if (sym.value > last.value &&
		    sym.value - last.value < last.size)
			return true;
		last = sym;
	}
	return false;
}

/* Adds the addresses from ADDR to END that no section has yet. */
static int add_range(struct proof *p, const struct occupied *occupied,
		     uint64_t addr, uint64_t end, struct starts *starts)
{
	for (; addr < end; addr++)
		if (!lookup_is_occupied(occupied, addr) &&
		    add_start(p, starts, addr))
			return -1;
	return 0;
}

/* Adds the addresses of symbols, and all addresses that no symbol covers. */
static int list_section(struct proof *p, const struct image_section *is,
			bool has_sizes, const struct occupied *occupied,
			struct starts *starts)
{
	uint64_t base = is->code.addr, end = base + is->code.size, next;

	for (uint64_t addr = base; addr < end; addr = next) {
		struct symbol sym;
		bool is_covered = has_sizes &&
				  image_function(&p->run->img, addr, &sym) &&
				  sym.size > 0;

		if (is_covered) {
			/* The sum may overflow. */
			next = sym.value + sym.size > addr
				       ? sym.value + sym.size
				       : end;
			if (sym.value == addr &&
			    add_range(p, occupied, addr, addr + 1, starts))
				return -1;
			continue;
		}
		next = end;
		if (has_sizes)
			next = base + image_next_function(&p->run->img, is,
							  addr - base);
		if (add_range(p, occupied, addr, next, starts))
			return -1;
	}
	return 0;
}

static int compare_runs(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return x->first < y->first ? -1 : 1;
}

static int list_runs(struct proof *p, struct starts *starts)
{
	const uint64_t *addrs = starts->addrs;

	starts->runs = malloc((starts->n + 1) * sizeof(starts->runs[0]));
	if (starts->runs == NULL)
		return diag_nomem(p->run->d, p->run->img.obj->path);
	for (size_t i = 0; i < starts->n; i++) {
		if (i == 0 || addrs[i] - addrs[i - 1] != 1)
			starts->runs[starts->nruns++].first = i;
		starts->runs[starts->nruns - 1].n =
			i + 1 - starts->runs[starts->nruns - 1].first;
	}
	if (starts->nruns > 0)
		qsort(starts->runs, starts->nruns, sizeof(starts->runs[0]),
		      compare_runs);
	return 0;
}

static int list_starts(struct proof *p, enum seek_where where,
		       struct starts *starts)
{
	bool has_sizes = !has_old_sizes(p);
	struct occupied occupied = { 0 };
	int ret = lookup_list_occupied(p->run->proofs, where == SEEK_RIGHT,
				       &occupied);

	for (size_t i = 0; ret == 0 && i < p->run->img.nsections; i++)
		if (p->run->img.sections[i].is_text)
			ret = list_section(p, &p->run->img.sections[i],
					   has_sizes, &occupied, starts);
	free(occupied.ranges);
	return ret != 0 ? ret : list_runs(p, starts);
}

static void free_starts(struct starts *starts)
{
	free(starts->addrs);
	free(starts->runs);
}

/* --- One section after the other ----------------------------------------- */

static const struct section *section_of(const struct wanted *wanted)
{
	const struct proof *p = wanted->p;

	return &p->partial->sections[p->list.items[wanted->s->first].shndx];
}

/*
 * The alignment of its places. A linker script can set another (SUBALIGN). But
 * bytes that are searched for at every address are found by chance.
 */
static uint64_t alignment_of(const struct wanted *wanted)
{
	const struct proof *p = wanted->p;
	uint32_t shndx = p->list.items[wanted->s->first].shndx;
	uint64_t align = p->partial->sections[shndx].align;

	return align > 1 && placer_count_fixed(&p->placer, shndx,
					       &wanted->s->relocs) < ALONE_MIN
		       ? align
		       : 1;
}

/*
 * Adds ADDR if the section fits there, and no other section is in the way. Each
 * address is tried once. Bytes alone may fit any number of places.
 */
static int try_start(const struct wanted *wanted, uint64_t addr,
		     enum seek_where where)
{
	struct proof *p = wanted->p;
	struct pending *s = wanted->s;
	uint32_t shndx = p->list.items[s->first].shndx;

	if (addr % s->align != 0 || s->pl.is_cut ||
	    !placer_fits(&p->placer, shndx, &s->relocs, addr) ||
	    (where == SEEK_RIGHT && !addresses_are_right_at(p, s, addr)))
		return 0;
	s->pl.is_cut = where != SEEK_RIGHT &&
		       s->pl.ncandidates == CANDIDATES_MAX;
	return s->pl.is_cut ? 0
			    : placer_add_candidate(&p->placer, &s->pl, 0, addr);
}

static int seek_in(const struct wanted *wanted, const uint64_t *addrs, size_t n,
		   enum seek_where where)
{
	struct pending *s = wanted->s;

	if (section_of(wanted)->relaxes)
		return relaxed_seek(wanted->p, s->first, s->end, &s->relocs,
				    addrs, n, &s->pl);
	for (size_t i = 0; i < n; i++)
		if (try_start(wanted, addrs[i], where))
			return -1;
	return 0;
}

/* Text that relaxes never becomes this many times shorter. */
#define SHRINKS_TO 4

static int seek_slowly(const struct wanted *wanted, const struct starts *starts,
		       enum seek_where where)
{
	const struct section *sec = section_of(wanted);
	uint64_t size = sec->relaxes ? sec->size / SHRINKS_TO + 1 : sec->size;

	if (where != SEEK_NAMELESS)
		return seek_in(wanted, starts->addrs, starts->n, where);
	for (size_t i = 0; i < starts->nruns && starts->runs[i].n >= size; i++)
		if (seek_in(wanted, starts->addrs + starts->runs[i].first,
			    starts->runs[i].n - size + 1, where))
			return -1;
	return 0;
}

/* --- All at once --------------------------------------------------------- */

struct pattern {
	uint32_t key;	 /* fixed bytes of the section */
	uint64_t offset; /* of these bytes in the section */
	const struct wanted *wanted;
};

#define NHASHES 65536

/* Where text that relaxes may begin. */
struct text_start {
	uint64_t addr;
	const uint8_t *bytes;
	uint64_t left; /* bytes to the end of that text */
};

struct search {
	const struct image *img;
	const struct starts *starts;
	enum seek_where where;
	struct pattern *patterns; /* by key; owned */
	size_t n;
	uint32_t *nkeys;  /* in the image, by hash; owned */
	bool has_detours; /* a key may be of an instruction that was moved */
	bool *has_key;	  /* a pattern of that hash; owned */
	/* By their first bytes; owned. NULL until one is looked for. */
	struct text_start *by_bytes;
	size_t nby_bytes;
};

static uint32_t hash(uint32_t key)
{
	return key * 2654435769u >> 16;
}

static void count_keys(struct search *search)
{
	for (size_t i = 0; i < search->img->nsections; i++) {
		const struct image_section *is = &search->img->sections[i];

		for (uint64_t k = 0;
		     is->is_text && k + KEY_SIZE <= is->code.size; k++)
			search->nkeys[hash(key_at(is->code.bytes + k))]++;
	}
}

/*
 * Chooses the fixed bytes that the image has least often. Returns false if
 * there are none. Sets *IS_ABSENT if the image lacks some of them.
 */
static bool choose_key(const struct search *search, const bool *is_fixed,
		       const uint8_t *bytes, uint64_t size,
		       struct pattern *pattern, bool *is_absent)
{
	uint32_t best = UINT32_MAX;
	uint64_t nfixed = 0;

	for (uint64_t i = 0; i < size && best > 0; i++) {
		uint64_t offset = i + 1 - KEY_SIZE;
		uint32_t n;

		nfixed = is_fixed[i] ? nfixed + 1 : 0;
		if (nfixed < KEY_SIZE)
			continue;
		n = search->nkeys[hash(key_at(bytes + offset))];
		if (n >= best)
			continue;
		best = n;
		pattern->key = key_at(bytes + offset);
		pattern->offset = offset;
	}
	*is_absent = best == 0;
	return best != UINT32_MAX;
}

/* May a section of SIZE bytes begin at ADDR? */
static bool is_start(const struct search *search, uint64_t addr, uint64_t size)
{
	const struct starts *starts = search->starts;
	size_t i;

	LOWER_BOUND(i, starts->n, starts->addrs[i] < addr);
	if (i == starts->n || starts->addrs[i] != addr)
		return false;
	return search->where != SEEK_NAMELESS ||
	       (size <= starts->n - i && size > 0 &&
		starts->addrs[i + size - 1] == addr + size - 1);
}

/* The index compares this many bytes. */
#define PREFIX_MAX 16

/* Of two texts that begin alike, the shorter one is less. */
static int compare_bytes(const struct text_start *start, const uint8_t *bytes,
			 uint64_t size)
{
	uint64_t n = start->left < size ? start->left : size;
	int order = memcmp(start->bytes, bytes, n);

	return order != 0 ? order : start->left < size ? -1 : 0;
}

static int compare_starts(const void *a, const void *b)
{
	const struct text_start *x = a, *y = b;
	uint64_t n = y->left < PREFIX_MAX ? y->left : PREFIX_MAX;
	int order = compare_bytes(x, y->bytes, n);

	if (order == 0 && n < PREFIX_MAX && x->left > n)
		order = 1;
	return order != 0 ? order : (x->addr > y->addr) - (x->addr < y->addr);
}

static int list_by_bytes(struct search *search)
{
	const struct starts *starts = search->starts;

	search->by_bytes =
		malloc((starts->n + 1) * sizeof(search->by_bytes[0]));
	if (search->by_bytes == NULL)
		return -1;
	for (size_t i = 0; i < starts->n; i++) {
		uint64_t addr = starts->addrs[i];
		const struct image_section *is =
			image_find_text(search->img, addr, 1);
		uint64_t offset = is != NULL ? addr - is->code.addr : 0;

		/* As relaxed_seek has it. */
		if (is == NULL || addr % 2 != 0)
			continue;
		search->by_bytes[search->nby_bytes++] = (struct text_start){
			.addr = addr,
			.bytes = is->code.bytes + offset,
			.left = is->code.size - offset,
		};
	}
	if (search->nby_bytes > 0)
		qsort(search->by_bytes, search->nby_bytes,
		      sizeof(search->by_bytes[0]), compare_starts);
	return 0;
}

/* Tries WANTED at each start of text that begins with the same SIZE bytes. */
static int seek_prefix(const struct search *search, const struct wanted *wanted,
		       const uint8_t *bytes, uint64_t size)
{
	const struct text_start *starts = search->by_bytes;
	uint64_t shortest = section_of(wanted)->size / SHRINKS_TO + 1;
	size_t first, end, n = 0;
	uint64_t *addrs;
	int ret;

	LOWER_BOUND(first, search->nby_bytes,
		    compare_bytes(&starts[first], bytes, size) < 0);
	LOWER_BOUND(end, search->nby_bytes,
		    compare_bytes(&starts[end], bytes, size) <= 0);
	addrs = malloc((end - first + 1) * sizeof(addrs[0]));
	if (addrs == NULL)
		return diag_nomem(wanted->p->run->d, search->img->obj->path);
	for (size_t i = first; i < end; i++)
		if (search->where != SEEK_NAMELESS ||
		    is_start(search, starts[i].addr, shortest))
			addrs[n++] = starts[i].addr;
	if (n > 0)
		qsort(addrs, n, sizeof(addrs[0]), sort_compare_numbers);
	ret = seek_in(wanted, addrs, n, search->where);
	free(addrs);
	return ret;
}

/*
 * Searches by the bytes before the first relocation, which no linker changes.
 */
static int seek_relaxed(struct search *search, const struct wanted *wanted,
			const uint8_t *bytes, uint64_t size)
{
	const struct section_relocs *relocs = &wanted->s->relocs;

	if (relocs->n > 0 && relocs->relocs[0].offset < size)
		size = relocs->relocs[0].offset;
	if (size == 0)
		return seek_slowly(wanted, search->starts, search->where);
	if (search->by_bytes == NULL && list_by_bytes(search))
		return diag_nomem(wanted->p->run->d, search->img->obj->path);
	return seek_prefix(search, wanted, bytes,
			   size < PREFIX_MAX ? size : PREFIX_MAX);
}

/* Makes a pattern for WANTED, or searches at once if there is none. */
static int add_pattern(struct search *search, const struct wanted *wanted)
{
	const struct proof *p = wanted->p;
	struct pattern pattern = { .wanted = wanted };
	bool is_absent, has_key;
	const uint8_t *bytes;
	bool *is_fixed;
	size_t size;

	bytes = object_data(p->run->d, p->partial,
			    p->list.items[wanted->s->first].shndx, &size);
	if (bytes == NULL)
		return -1;
	if (section_of(wanted)->relaxes)
		return seek_relaxed(search, wanted, bytes, size);
	is_fixed =
		fixed_find(p->partial->arch, bytes, size, &wanted->s->relocs);
	if (is_fixed == NULL)
		return diag_nomem(p->run->d, p->partial->path);
	has_key =
		choose_key(search, is_fixed, bytes, size, &pattern, &is_absent);
	free(is_fixed);
	if (!has_key)
		return seek_slowly(wanted, search->starts, search->where);
	if (is_absent && !search->has_detours)
		return 0;
	search->has_key[hash(pattern.key)] = true;
	search->patterns[search->n++] = pattern;
	return 0;
}

static int compare_patterns(const void *a, const void *b)
{
	const struct pattern *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->wanted < y->wanted ? -1 : x->wanted > y->wanted;
}

static size_t first_pattern(const struct search *search, uint32_t key)
{
	size_t i;

	LOWER_BOUND(i, search->n, search->patterns[i].key < key);
	return i;
}

/* Tries PATTERN where its key would be at ADDR of the image. */
static int try_pattern(const struct search *search,
		       const struct pattern *pattern, uint64_t addr)
{
	uint64_t start = addr - pattern->offset;

	return is_start(search, start, section_of(pattern->wanted)->size)
		       ? try_start(pattern->wanted, start, search->where)
		       : 0;
}

/* KEY is at ADDR of the image. */
static int try_patterns(const struct search *search, uint32_t key,
			uint64_t addr)
{
	for (size_t i = first_pattern(search, key);
	     i < search->n && search->patterns[i].key == key; i++)
		if (try_pattern(search, &search->patterns[i], addr))
			return -1;
	return 0;
}

static bool has_candidate(const struct pattern *pattern, uint64_t addr)
{
	const struct placement *pl = &pattern->wanted->s->pl;

	for (size_t i = 0; i < pl->ncandidates; i++)
		if (pl->candidates[i] == addr - pattern->offset)
			return true;
	return false;
}

/* The instruction of DETOUR, at ADDR, may be the key of any, or a part of it.
 */
static int try_detour(const struct search *search, uint64_t addr,
		      const struct detour *detour)
{
	for (uint64_t k = 1; k < KEY_SIZE + detour->length; k++)
		for (size_t i = 0; i < search->n; i++) {
			const struct pattern *pattern = &search->patterns[i];
			uint64_t at = addr + k - KEY_SIZE;

			if (!has_candidate(pattern, at) &&
			    try_pattern(search, pattern, at))
				return -1;
		}
	return 0;
}

static int search_detours(const struct search *search, const struct arch *arch,
			  const struct image_section *is)
{
	for (uint64_t k = 0; k < is->code.size; k += 2) {
		struct detour detour;

		/* Each byte of the detour finds it. */
		if (arch->decode_detour(arch, &is->code, k, &detour) &&
		    detour.start == k &&
		    try_detour(search, is->code.addr + k, &detour))
			return -1;
	}
	return 0;
}

static int search_section(const struct search *search,
			  const struct image_section *is)
{
	for (uint64_t i = 0; i + KEY_SIZE <= is->code.size; i++) {
		uint32_t key = key_at(is->code.bytes + i);

		if (search->has_key[hash(key)] &&
		    try_patterns(search, key, is->code.addr + i))
			return -1;
	}
	return 0;
}

static int search_all(struct search *search, const struct wanted *list,
		      size_t n)
{
	const struct arch *arch = list[0].p->partial->arch;

	search->has_detours = fixed_has_detours(arch, search->img);
	search->patterns = malloc(n * sizeof(search->patterns[0]));
	search->nkeys = calloc(NHASHES, sizeof(search->nkeys[0]));
	search->has_key = calloc(NHASHES, sizeof(search->has_key[0]));
	if (search->patterns == NULL || search->nkeys == NULL ||
	    search->has_key == NULL)
		return diag_nomem(list[0].p->run->d, search->img->obj->path);
	count_keys(search);
	for (size_t i = 0; i < n; i++)
		list[i].s->align = alignment_of(&list[i]);
	for (size_t i = 0; i < n; i++)
		if (add_pattern(search, &list[i]))
			return -1;
	if (search->n == 0)
		return 0;
	qsort(search->patterns, search->n, sizeof(search->patterns[0]),
	      compare_patterns);
	for (size_t i = 0; i < search->img->nsections; i++)
		if (search->img->sections[i].is_text &&
		    (search_section(search, &search->img->sections[i]) ||
		     (search->has_detours &&
		      search_detours(search, arch, &search->img->sections[i]))))
			return -1;
	return 0;
}

int seek_sections(struct proof *all, const struct wanted *list, size_t n,
		  enum seek_where where)
{
	struct starts starts = { 0 };
	struct search search = { .img = &all->run->img,
				 .starts = &starts,
				 .where = where };
	int ret = 0;

	if (n > 0)
		ret = list_starts(all, where, &starts);
	if (ret == 0 && n > 0)
		ret = search_all(&search, list, n);
	free(search.patterns);
	free(search.nkeys);
	free(search.has_key);
	free(search.by_bytes);
	free_starts(&starts);
	return ret;
}
