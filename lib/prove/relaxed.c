/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: finds a section that the linker may have shortened, and
 * compares it. No offset stays right in such text. But linkers change only what
 * has a relocation, and the instruction set lists the results. So this walks
 * the section and the image side by side. Bytes without a relocation must be
 * equal, and an instruction with one must have become a listed form. The walk
 * yields the address of each symbol and each site.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/search.h"
#include "namesakes.h"
#include "parts.h"
#include "proof.h"

/* So many starts are tried for a section that no global symbol places. */
#define LANDMARKS_MAX 256

struct walk {
	struct proof *p;
	const struct section_relocs *relocs;
	struct code before;   /* the section of the partial */
	struct code after;    /* the section of the image */
	struct symbol *marks; /* symbols of the section, by value; owned */
	size_t nmarks;
	size_t first, end;	/* its sites */
	uint64_t offset;	/* how far the walk is, in the section */
	uint64_t to;		/* and in the image: an offset in AFTER */
	size_t reloc;		/* the first one that the walk has not passed */
	size_t next_site, mark; /* the first ones not passed */
	uint64_t site;		/* address of the first site, once passed */
	bool is_trial;		/* note no addresses */
	bool has_failed;	/* diagnosed */
	struct placement *pl;
	struct relaxed_fields *fields; /* to be listed, or NULL */
	uint8_t *ways; /* of each relocation, see parts.h; owned, or NULL */
};

static bool has_namesake(const struct proof *p, const struct symbol *mark,
			 struct symbol *found)
{
	return names_find_only(&p->run->img.names, mark->name, found) &&
	       placer_same_use(mark, found);
}

/*
 * Is MARK a global symbol with one namesake in the image, which says where it
 * is? The namesake of an ifunc may be its PLT entry.
 */
static bool is_telling(const struct proof *p, const struct symbol *mark,
		       struct symbol *found)
{
	return mark->bind == STB_GLOBAL && mark->type != STT_GNU_IFUNC &&
	       has_namesake(p, mark, found);
}

static uint64_t addr_of(const struct walk *w, uint64_t offset)
{
	return image_wrap(&w->p->run->img,
			  w->after.addr + w->to + (offset - w->offset));
}

static bool is_moved(const struct walk *w, const struct symbol *mark,
		     uint64_t addr, struct symbol *found);

/*
 * Notes the addresses of sites and symbols in the next N bytes of the section,
 * which did not change. Returns false at a symbol that is elsewhere.
 */
static bool note(struct walk *w, uint64_t n)
{
	struct proof_site *items = w->p->list.items;
	struct symbol found;

	for (; w->next_site < w->end &&
	       items[w->next_site].offset < w->offset + n;
	     w->next_site++) {
		if (w->next_site == w->first)
			w->site = addr_of(w, items[w->next_site].offset);
		if (w->is_trial)
			continue;
		items[w->next_site].is_placed = true;
		items[w->next_site].addr =
			addr_of(w, items[w->next_site].offset);
	}
	for (; w->mark < w->nmarks && w->marks[w->mark].value < w->offset + n;
	     w->mark++) {
		const struct symbol *mark = &w->marks[w->mark];
		uint64_t addr = addr_of(w, mark->value);

		if (mark->value < w->offset || !is_moved(w, mark, addr, &found))
			continue;
		w->pl->state = PLACEMENT_MOVED;
		w->pl->symbol = mark->name;
		w->pl->offset = mark->value;
		w->pl->displacement = (int64_t)(found.value - addr);
		return false;
	}
	return true;
}

static bool stop(struct walk *w, uint64_t skipped)
{
	w->pl->state = PLACEMENT_DIFFERS;
	w->pl->offset = w->offset + skipped;
	w->pl->at = addr_of(w, w->pl->offset);
	return false;
}

static uint64_t left(const struct walk *w)
{
	return w->after.size - w->to;
}

/* Walks over the bytes up to END, which no relocation touches. */
static bool walk_plain(struct walk *w, uint64_t end)
{
	const uint8_t *before = w->before.bytes + w->offset;
	const uint8_t *after = w->after.bytes + w->to;
	uint64_t n = end - w->offset, same = 0;

	if (n <= left(w) && memcmp(before, after, n) == 0) {
		if (!note(w, n))
			return false;
		w->offset += n;
		w->to += n;
		return true;
	}
	while (same < left(w) && before[same] == after[same])
		same++;
	return stop(w, same);
}

/*
 * Walks over fields whose size did not change: all bits outside must be the
 * same.
 */
static bool walk_fields(const struct walk *w, size_t n, unsigned *length)
{
	uint64_t size = w->before.size - w->offset;

	return section_relocs_same(w->relocs, w->p->partial->arch, w->reloc, n,
				   w->before.bytes + w->offset,
				   w->after.bytes + w->to,
				   size < left(w) ? size : left(w), length);
}

/*
 * Walks over a site that --nop switched off, and that no linker then touched.
 */
static bool walk_disabled(const struct walk *w, unsigned *length)
{
	const struct proof *p = w->p;
	const struct arch *arch = p->partial->arch;
	const struct proof_site *site = &p->list.items[w->next_site];
	uint8_t expected[DISABLED_MAX];

	if (w->next_site == w->end || site->offset != w->offset ||
	    p->run->table.form != TABLE_ANCHORED || site->is_excluded ||
	    site->form == FORM_BRANCH)
		return false;
	*length = arch->disable(arch, site->form, site->is_enabled, &w->before,
				w->offset, expected);
	return *length > 0 && *length <= left(w) &&
	       memcmp(w->after.bytes + w->to, expected, *length) == 0;
}

/*
 * Linkers make another form of a call of relocation I if nothing defines its
 * weak symbol, or if that is near address 0. Is it so? AFTER is what was made.
 */
static bool may_be_from_zero(const struct walk *w, size_t i,
			     const struct code *after)
{
	const struct reloc *r = &w->relocs->relocs[i];
	const struct image *img = &w->p->run->img;
	struct branch branch;
	struct symbol own, found;
	uint32_t symndx = 0;

	if (section_relocs_may_be_nowhere(w->relocs, i) &&
	    !placer_is_defined(&w->p->placer, r))
		return true;
	if (!w->p->partial->arch->decode_branch(w->p->partial->arch, after, 0,
						&branch))
		return false;
	if (image_find_text(img, branch.target, 2) != NULL)
		return true;
	object_symbol(w->p->partial, r->symndx, &own);
	while (names_next(&img->names, own.name, &symndx, &found))
		if (image_wrap(img, found.value + r->addend) == branch.target)
			return true;
	return false;
}

/* Is AFTER no call from address 0, or where linkers make one? */
static bool is_right_call(const struct walk *w, const struct code *after)
{
	const struct arch *arch = w->p->partial->arch;
	const struct reloc *relocs = w->relocs->relocs;
	uint8_t bytes[8] = { 0 };

	if (arch->is_for_nowhere == NULL)
		return true;
	memcpy(bytes, after->bytes,
	       after->size < sizeof(bytes) ? after->size : sizeof(bytes));
	for (size_t i = w->reloc;
	     i < w->relocs->n && relocs[i].offset == relocs[w->reloc].offset;
	     i++)
		if (arch->is_for_nowhere(arch, bytes, &relocs[i]) &&
		    !may_be_from_zero(w, i, after))
			return false;
	return true;
}

/* Walks over a form that linkers are known to make. */
static bool walk_relaxed(const struct walk *w, unsigned *nbefore,
			 unsigned *nafter)
{
	const struct arch *arch = w->p->partial->arch;
	struct code before = { w->before.bytes + w->offset,
			       w->before.size - w->offset, w->offset };
	struct code after = { w->after.bytes + w->to, left(w),
			      w->after.addr + w->to };

	return arch->relax != NULL &&
	       arch->relax(arch, w->relocs->relocs + w->reloc,
			   w->relocs->n - w->reloc, &before, &after, nbefore,
			   nafter) &&
	       *nbefore <= before.size && *nafter <= after.size &&
	       is_right_call(w, &after);
}

/* Does any of the next N relocations set bytes? */
static bool sets_bytes(const struct walk *w, size_t n)
{
	const struct reloc *r = w->relocs->relocs + w->reloc;

	for (size_t i = 0; i < n; i++)
		if (arch_reloc_width(w->p->partial->arch, r[i].type) > 0)
			return true;
	return false;
}

/* Notes that a relocation sets the bytes at which the walk is. */
static void list_field(struct walk *w)
{
	struct relaxed_fields *fields = w->fields;
	uint64_t *addrs = grow_list(fields->addrs, fields->n, sizeof(addrs[0]));

	if (addrs == NULL) {
		w->has_failed = true;
		diag_nomem(w->p->run->d, w->p->partial->path);
		return;
	}
	fields->addrs = addrs;
	addrs[fields->n++] = addr_of(w, w->offset);
}

/* Notes what the parts in the next NBEFORE bytes have become. */
static void note_ways(struct walk *w, size_t n, bool is_relaxed,
		      unsigned nbefore, unsigned nafter)
{
	const struct arch *arch = w->p->partial->arch;
	const struct reloc *relocs = w->relocs->relocs;
	struct code after = { w->after.bytes + w->to,
			      is_relaxed ? nafter : left(w),
			      w->after.addr + w->to };
	struct reloc_part part;

	if (w->ways == NULL)
		return;
	for (size_t i = w->reloc;
	     i < w->reloc + n || (i < w->relocs->n && is_relaxed &&
				  relocs[i].offset < w->offset + nbefore);
	     i++) {
		struct code before = { w->before.bytes + relocs[i].offset,
				       w->before.size - relocs[i].offset,
				       relocs[i].offset };

		if (arch->find_part(arch, &relocs[i], false, &part))
			w->ways[i] = arch->part_ways(arch, &relocs[i], &before,
						     &after, nbefore > 4);
	}
}

static uint8_t ways_of(void *ctx, size_t i)
{
	const struct walk *w = ctx;

	return w->ways[i];
}

/*
 * Walks over what the relocations here may have become. A form may take more
 * of them.
 */
static bool walk_relocs(struct walk *w)
{
	const struct reloc *relocs = w->relocs->relocs;
	size_t n = section_relocs_count(w->relocs, w->reloc);
	unsigned nbefore, nafter;
	bool is_relaxed = walk_relaxed(w, &nbefore, &nafter);

	if (!is_relaxed) {
		if (!walk_fields(w, n, &nbefore) && !walk_disabled(w, &nbefore))
			return stop(w, 0);
		nafter = nbefore;
	}
	if (nbefore > 0 && !note(w, 1))
		return false;
	note_ways(w, n, is_relaxed, nbefore, nafter);
	if (w->fields != NULL && nafter > 0 && sets_bytes(w, n))
		list_field(w);
	w->reloc += n;
	w->offset += nbefore;
	w->to += nafter;
	while (is_relaxed && w->reloc < w->relocs->n &&
	       relocs[w->reloc].offset < w->offset)
		w->reloc++;
	return true;
}

/* Walks on to END, an offset in the section. */
static bool walk_to(struct walk *w, uint64_t end)
{
	while (w->offset < end) {
		uint64_t next = w->reloc < w->relocs->n
					? w->relocs->relocs[w->reloc].offset
					: end;

		if (next < w->offset)
			return stop(w, 0);
		if (next > end)
			next = end;
		if (!(next > w->offset ? walk_plain(w, next) : walk_relocs(w)))
			return false;
	}
	/* There may be symbols at the end, too. */
	return w->offset == end && (end < w->before.size || note(w, 1));
}

/* Starts the walk at OFFSET of the section and ADDR of the image. */
static bool start_at(struct walk *w, uint64_t offset, uint64_t addr)
{
	const struct image_section *is =
		image_find_text(&w->p->run->img, addr, 1);

	if (is == NULL)
		return false;
	w->after = is->code;
	w->offset = offset;
	w->to = addr - is->code.addr;
	w->reloc = w->mark = 0;
	w->next_site = w->first;
	while (w->reloc < w->relocs->n &&
	       w->relocs->relocs[w->reloc].offset < offset)
		w->reloc++;
	while (w->next_site < w->end &&
	       w->p->list.items[w->next_site].offset < offset)
		w->next_site++;
	return true;
}

/*
 * The walk went over all of the section, which is at ADDR. Have the parts
 * become what belongs together?
 */
static bool parts_fit(struct walk *w, uint64_t addr)
{
	uint64_t offset = 0;

	if (w->ways == NULL ||
	    parts_agree_by_ways(w->p->run->d, w->relocs, ways_of, w, &offset))
		return true;
	/* Back to there, for a message. */
	w->is_trial = true;
	if (start_at(w, 0, addr))
		walk_to(w, offset);
	return stop(w, 0);
}

/* Does all from MARK to the end fit at ADDR, whatever names are there? */
static bool fits_behind(const struct walk *w, const struct symbol *mark,
			uint64_t end, uint64_t addr)
{
	struct placement scratch;
	struct walk trial = *w;

	trial.is_trial = true;
	trial.pl = &scratch;
	trial.nmarks = 0;
	trial.ways = NULL;
	return start_at(&trial, mark->value, addr) && walk_to(&trial, end);
}

/* Is MARK an alias in the image, so that the section is not where MARK says? */
static bool is_alias(const struct walk *w, const struct symbol *mark,
		     const struct symbol *found, uint64_t rest)
{
	return placer_is_alias(&w->p->placer, mark, found, rest) &&
	       !fits_behind(w, mark, w->before.size, found->value);
}

/*
 * Has the image MARK elsewhere than at ADDR, where the section or the function
 * may be, too? A local symbol there may be another object's; so may a weak one,
 * if that object has the same function. If the partials have several functions
 * of a name, the symbol may be that of another one.
 */
static bool is_moved(const struct walk *w, const struct symbol *mark,
		     uint64_t addr, struct symbol *found)
{
	uint64_t end = w->before.size;

	if (!has_namesake(w->p, mark, found) || found->value == addr)
		return false;
	if (mark->bind == STB_LOCAL && mark->size > 0 &&
	    mark->size < end - mark->value)
		end = mark->value + mark->size;
	if (is_telling(w->p, mark, found))
		return !is_alias(w, mark, found, addr);
	return (mark->bind == STB_LOCAL
			? namesakes_count(w->p, mark->name) == 1
			: w->pl->is_pinned &&
				  !namesakes_weak(w->p, mark->name)) &&
	       mark->bind == found->bind && mark->type != STT_GNU_IFUNC &&
	       fits_behind(w, mark, end, found->value);
}

static bool walk_whole(struct walk *w, uint64_t addr)
{
	w->pl->addr = addr;
	return start_at(w, 0, addr) && walk_to(w, w->before.size) &&
	       parts_fit(w, addr);
}

/*
 * The text before MARK, which is at ADDR, does not fit. The symbols there, if
 * they are near, show where the difference is.
 */
static void explain_start(struct walk *w, const struct symbol *mark,
			  uint64_t addr)
{
	for (size_t i = 0; i < w->nmarks && w->marks[i].value < mark->value;
	     i++) {
		uint64_t reach = mark->value - w->marks[i].value;
		struct symbol found;
		uint32_t symndx = 0;

		while (names_next(&w->p->run->img.names, w->marks[i].name,
				  &symndx, &found))
			if (addr - found.value <= reach &&
			    start_at(w, w->marks[i].value, found.value) &&
			    !walk_to(w, mark->value))
				return;
	}
}

/*
 * Where does the function OWN of a partial end, if it is at ADDR of the image?
 * UINT64_MAX if it is not there. Lists its FIELDS unless that is NULL.
 */
static uint64_t end_of_function(struct proof *p, const struct symbol *own,
				uint64_t addr, struct relaxed_fields *fields)
{
	struct section_relocs relocs = { 0 };
	struct placement scratch;
	struct walk w = { .p = p,
			  .relocs = &relocs,
			  .first = lookup_sites_from(p, own->shndx),
			  .end = lookup_sites_from(p, own->shndx + 1),
			  .is_trial = true,
			  .pl = &scratch,
			  .fields = fields };
	uint64_t end = UINT64_MAX;

	/* Its symbols do not matter. */
	w.before.bytes =
		object_data(p->run->d, p->partial, own->shndx, &w.before.size);
	if (w.before.bytes != NULL &&
	    section_relocs_read(p->run->d, p->partial, own->shndx, &relocs) ==
		    0 &&
	    start_at(&w, own->value, addr) &&
	    walk_to(&w,
		    own->size > 0 ? own->value + own->size : w.before.size) &&
	    !w.has_failed)
		end = w.after.addr + w.to;
	section_relocs_free(&relocs);
	return end;
}

/*
 * Is ADDR inside a function of the image, by its symbol? mold leaves the sizes
 * of functions that it shortens. So if a partial has the function with that
 * size, the walk over it says where it ends.
 */
static bool is_inside_function(const struct verify_run *run, uint64_t addr)
{
	struct symbol sym, own;

	if (!image_is_inside_function(&run->img, addr, &sym))
		return false;
	for (const struct namesake *it = namesakes_of(run->proofs, sym.name);
	     it != NULL; it = it->next) {
		struct proof *p = &run->proofs[it->k];

		object_symbol(p->partial, it->symndx, &own);
		if (own.size == sym.size && own.is_defined &&
		    p->partial->sections[own.shndx].relaxes &&
		    end_of_function(p, &own, sym.value, NULL) <= addr)
			return false;
	}
	return true;
}

/* How many of the first SIZE bytes of the section must the image have? */
static uint64_t count_kept(const struct walk *w, uint64_t size)
{
	const struct arch *arch = w->p->partial->arch;
	uint64_t kept = size;

	for (size_t i = 0; i < w->relocs->n; i++) {
		const struct reloc *r = &w->relocs->relocs[i];
		uint64_t deleted;

		if (r->offset >= size)
			break;
		deleted = arch->deletes_max(r);
		kept -= deleted < kept ? deleted : kept;
	}
	return kept;
}

/*
 * Tries the starts from which the walk may come to MARK at ADDR: the text
 * before a symbol may have become shorter. A start fits if the walk comes to
 * the end. If several starts put the first site, and so all that follows, at
 * one place, the last one is enough: NOPs before it may belong to the section
 * or not.
 */
static void try_mark(struct walk *w, const struct symbol *mark, uint64_t addr)
{
	struct placement *pl = w->pl, trial, moved = { 0 }, unfit = { 0 };
	uint64_t site = 0, kept = count_kept(w, mark->value);
	bool has_site = false;

	pl->state = PLACEMENT_DIFFERS;
	pl->offset = 0;
	pl->at = addr;
	if (!start_at(w, mark->value, addr) || !walk_to(w, w->before.size))
		return;
	w->pl = &trial;
	for (uint64_t n = kept + (mark->value - kept) % 2;
	     n <= mark->value && n <= addr; n += 2) {
		bool fits;

		trial = (struct placement){ .is_pinned = pl->is_pinned };
		fits = start_at(w, 0, addr - n) && walk_to(w, mark->value) &&
		       w->after.addr + w->to == addr;
		if (fits && !parts_fit(w, addr - n)) {
			unfit = trial;
			continue;
		}
		/* That walks over a whole function, so it comes last. */
		if ((!fits && trial.state != PLACEMENT_MOVED) ||
		    is_inside_function(w->p->run, addr - n))
			continue;
		if (trial.state == PLACEMENT_MOVED)
			moved = trial;
		if (!fits || (has_site && w->site == site))
			continue;
		w->has_failed |= placer_add_candidate(&w->p->placer, pl,
						      pl->ncandidates,
						      addr - n) != 0;
		site = w->site;
		has_site = true;
	}
	w->pl = pl;
	if (pl->ncandidates == 0 && moved.state == PLACEMENT_MOVED)
		*pl = moved;
	else if (pl->ncandidates == 0 && unfit.state == PLACEMENT_DIFFERS)
		*pl = unfit;
	else if (pl->ncandidates == 0)
		explain_start(w, mark, addr);
}

/* Tries each place of local symbols, which have namesakes. */
static void try_locals(struct walk *w)
{
	size_t ntried = 0;

	for (size_t i = 0;
	     i < w->nmarks && ntried < LANDMARKS_MAX && w->pl->ncandidates == 0;
	     i++) {
		struct symbol found;
		uint32_t symndx = 0;

		while (names_next(&w->p->run->img.names, w->marks[i].name,
				  &symndx, &found)) {
			if (!placer_is_namesake(&w->marks[i], &found))
				continue;
			w->pl->is_cut = ntried++ >= LANDMARKS_MAX;
			if (w->pl->is_cut)
				return;
			try_mark(w, &w->marks[i], found.value);
		}
	}
	if (ntried == 0)
		w->pl->state = PLACEMENT_ABSENT;
}

/* Tries the place of the first global symbol that is not an alias. */
static void try_places(struct walk *w)
{
	const struct symbol *told = NULL;
	struct symbol found, named_as = { 0 };

	for (size_t i = 0; i < w->nmarks; i++) {
		if (!is_telling(w->p, &w->marks[i], &found))
			continue;
		if (told != NULL && !is_alias(w, told, &named_as, found.value))
			break;
		told = &w->marks[i];
		named_as = found;
	}
	if (told == NULL) {
		try_locals(w);
		return;
	}
	w->pl->is_pinned = true;
	try_mark(w, told, named_as.value);
	if (w->pl->ncandidates == 0 && instead_is(w->p, told, &named_as, true))
		*w->pl = (struct placement){ .state = PLACEMENT_ABSENT };
}

static int compare_marks(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

static int open_walk(struct walk *w, uint32_t shndx)
{
	size_t n;
	const uint32_t *symbols =
		landmarks_list(&w->p->placer.landmarks, shndx, &n);

	w->before.bytes = object_data(w->p->run->d, w->p->partial, shndx,
				      &w->before.size);
	w->marks = malloc((n + 1) * sizeof(w->marks[0]));
	if (w->p->partial->arch->find_part != NULL)
		w->ways = calloc(w->relocs->n + 1, sizeof(w->ways[0]));
	if (w->marks == NULL ||
	    (w->ways == NULL && w->p->partial->arch->find_part != NULL))
		return diag_nomem(w->p->run->d, w->p->partial->path);
	if (w->before.bytes == NULL)
		return -1;
	for (; w->nmarks < n; w->nmarks++)
		object_symbol(w->p->partial, symbols[w->nmarks],
			      &w->marks[w->nmarks]);
	qsort(w->marks, n, sizeof(w->marks[0]), compare_marks);
	return 0;
}

int relaxed_place(struct proof *p, uint32_t shndx, size_t first, size_t end,
		  const struct section_relocs *relocs, struct placement *pl)
{
	struct walk w = { .p = p,
			  .relocs = relocs,
			  .first = first,
			  .end = end,
			  .is_trial = true,
			  .pl = pl };
	int ret = open_walk(&w, shndx);

	*pl = (struct placement){ .state = PLACEMENT_UNKNOWN };
	if (ret == 0)
		try_places(&w);
	if (pl->ncandidates > 0) {
		pl->state = pl->ncandidates == 1 && !pl->is_cut
				    ? PLACEMENT_PLACED
				    : PLACEMENT_AMBIGUOUS;
		pl->addr = pl->candidates[0];
	}
	free(w.marks);
	free(w.ways);
	return w.has_failed ? -1 : ret;
}

bool relaxed_fits(struct proof *p, size_t first, size_t end,
		  const struct section_relocs *relocs, const struct symbol *sym,
		  uint64_t addr)
{
	struct walk w = {
		.p = p, .relocs = relocs, .first = first, .end = end
	};
	bool fits = open_walk(&w, sym->shndx) != 0 ||
		    fits_behind(&w, sym, w.before.size, addr);

	free(w.marks);
	free(w.ways);
	return fits;
}

int relaxed_follow(struct proof *p, size_t first, size_t end,
		   const struct section_relocs *relocs, struct placement *pl)
{
	struct walk w = {
		.p = p, .relocs = relocs, .first = first, .end = end, .pl = pl
	};
	int ret = open_walk(&w, p->list.items[first].shndx);

	if (ret == 0 && walk_whole(&w, pl->addr))
		pl->size = w.after.addr + w.to - pl->addr;
	free(w.marks);
	free(w.ways);
	return ret;
}

/* Lists the fields of PL anew. */
static void list_fields(struct proof *p, const struct placed *pl,
			struct relaxed_fields *fields)
{
	struct placement scratch = { .state = PLACEMENT_UNKNOWN };
	struct walk w = { .p = p,
			  .relocs = &pl->relocs,
			  .first = pl->first,
			  .end = pl->end,
			  .is_trial = true,
			  .pl = &scratch,
			  .fields = fields };

	fields->of = pl;
	fields->n = 0;
	w.before.bytes =
		object_data(p->run->d, p->partial, pl->shndx, &w.before.size);
	fields->is_whole = w.before.bytes != NULL && walk_whole(&w, pl->addr) &&
			   !w.has_failed;
}

static bool has_field(const struct relaxed_fields *fields, uint64_t addr)
{
	size_t i;

	LOWER_BOUND(i, fields->n, fields->addrs[i] < addr);
	return i < fields->n && fields->addrs[i] == addr;
}

bool relaxed_begins_field(struct proof *p, const struct placed *pl,
			  uint64_t addr, struct relaxed_fields *fields)
{
	if (fields->of != pl)
		list_fields(p, pl, fields);
	return !fields->is_whole || has_field(fields, addr);
}

bool relaxed_sets(struct proof *p, const struct symbol *own, uint64_t function,
		  uint64_t addr)
{
	struct relaxed_fields fields = { 0 };
	bool is_set = p->partial->sections[own->shndx].relaxes &&
		      end_of_function(p, own, function, &fields) !=
			      UINT64_MAX &&
		      has_field(&fields, addr);

	free(fields.addrs);
	return is_set;
}

int relaxed_seek(struct proof *p, size_t first, size_t end,
		 const struct section_relocs *relocs, const uint64_t *addrs,
		 size_t naddrs, struct placement *pl)
{
	struct placement trial = { .state = PLACEMENT_UNKNOWN };
	struct walk w = { .p = p,
			  .relocs = relocs,
			  .first = first,
			  .end = end,
			  .is_trial = true,
			  .pl = &trial };
	int ret = open_walk(&w, p->list.items[first].shndx);
	uint64_t site = 0;
	bool has_site = false;

	/* No symbol places this section, or it places another one. */
	w.nmarks = 0;
	/* The last one first, as in try_mark. */
	for (size_t i = naddrs; ret == 0 && i-- > 0;)
		if (addrs[i] % 2 == 0 && walk_whole(&w, addrs[i]) &&
		    (!has_site || w.site != site)) {
			ret = placer_add_candidate(&p->placer, pl,
						   pl->ncandidates, addrs[i]);
			site = w.site;
			has_site = true;
		}
	free(w.marks);
	free(w.ways);
	return ret;
}
