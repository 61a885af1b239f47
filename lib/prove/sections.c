/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: finds each section that has sites in the final, and reports
 * those that are not there, or differ.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "candidates.h"
#include "elf/functions.h"
#include "implied.h"
#include "kinds.h"
#include "namesakes.h"
#include "proof.h"

/*
 * A function that differs is another copy of a COMDAT function only if the
 * image has the rest of the partial.
 */
static enum cause differs_cause(const struct proof *p,
				const struct section *sec)
{
	if (p->run->v->nfindings < FINDINGS_MAX && bytecode_is_source(p))
		return CAUSE_LTO;
	if (sec->comdat == 0 || p->has_suspects)
		return CAUSE_TEXT_DIFFERS;
	return CAUSE_COMDAT;
}

static void report_moved(struct proof *p, uint32_t shndx,
			 const struct placement *pl)
{
	struct finding f = {
		.cause = differs_cause(p, &p->partial->sections[shndx]),
		.shndx = shndx,
		.has_offset = true,
		.offset = pl->offset,
		.has_displacement = true,
		.displacement = pl->displacement,
	};

	report_finding(p, &f, "%s is not where the rest of its section is",
		       pl->symbol);
}

/* The site of section SHNDX that OFFSET is in, or NULL. */
static const struct proof_site *site_at(const struct proof *p, uint32_t shndx,
					uint64_t offset)
{
	for (size_t i = 0; i < p->list.n; i++) {
		const struct proof_site *site = &p->list.items[i];

		if (site->shndx == shndx &&
		    offset - site->offset < site->length)
			return site;
	}
	return NULL;
}

/*
 * Does ADDR hold a branch to an instruction and back, as fixes of errata make
 * it?
 */
static bool is_at_detour(const struct proof *p, uint64_t addr)
{
	const struct arch *arch = p->partial->arch;
	const struct image_section *is = image_find_text(&p->run->img, addr, 1);
	struct detour detour = { 0 };

	return is != NULL && arch->decode_detour != NULL &&
	       arch->decode_detour(arch, &is->code, addr - is->code.addr,
				   &detour);
}

/* The jumps at the end of a section that lld may shorten or leave out. */
#define JUMPS_MAX 11 /* jcc and jmp of x86-64 */

/* Is OFFSET in the last jump of section SHNDX, or in the one before it? */
static bool is_in_last_jumps(const struct proof *p, uint32_t shndx,
			     uint64_t offset)
{
	uint64_t size = p->partial->sections[shndx].size;
	struct section_relocs relocs;
	const struct reloc *last;
	bool is_jump;

	if (size - offset > JUMPS_MAX ||
	    section_relocs_read(p->run->d, p->partial, shndx, &relocs))
		return false;
	last = relocs.n > 0 ? &relocs.relocs[relocs.n - 1] : NULL;
	is_jump =
		last != NULL &&
		last->offset + arch_reloc_width(p->partial->arch, last->type) ==
			size;
	section_relocs_free(&relocs);
	return is_jump;
}

/* Are all names of section SHNDX that other objects can use weak? */
static bool is_weak(const struct proof *p, uint32_t shndx)
{
	const struct placer *placer = &p->placer;
	struct symbol sym;
	bool weak = false;

	for (size_t i = 0;
	     landmarks_next(&placer->landmarks, shndx, &i, &sym) != 0;) {
		if (sym.bind == STB_GLOBAL)
			return false;
		weak |= sym.bind == STB_WEAK;
	}
	return weak;
}

static void report_differs(struct proof *p, uint32_t shndx,
			   const struct pending *s)
{
	const struct placement *pl = &s->pl;
	const struct section *sec = &p->partial->sections[shndx];
	const struct proof_site *site = site_at(p, shndx, pl->offset);
	struct finding f = {
		.cause = differs_cause(p, sec),
		.shndx = shndx,
		.has_offset = true,
		.offset = pl->offset,
		.has_address = true,
		.address = pl->at,
	};

	/* In text that does not relax, branch.c judges the sites. */
	if (site == NULL && is_at_detour(p, pl->at)) {
		f.cause = CAUSE_ERRATUM;
		report_finding(
			p, &f,
			"the linker moved this instruction away, and what it put "
			"elsewhere is another one");
		return;
	}
	if (site == NULL) {
		if (f.cause == CAUSE_TEXT_DIFFERS && s->is_bearable)
			f.remedy = REMEDY_TEXT_SITES;
		else if (f.cause == CAUSE_TEXT_DIFFERS &&
			 is_in_last_jumps(p, shndx, pl->offset))
			f.remedy = REMEDY_NO_BB_JUMPS;
		else if (f.cause == CAUSE_TEXT_DIFFERS && is_weak(p, shndx))
			f.remedy = REMEDY_ALL_OF_WEAK;
		report_finding(
			p, &f,
			"the bytes of the image are not those of the partial");
		return;
	}
	report_rewritten(p, site, pl->at - (pl->offset - site->offset));
}

/*
 * After ld -x no local symbol is left, so a missing one says nothing about its
 * section.
 */
bool sections_keep_locals(const struct proof *p)
{
	for (size_t i = 1; i < p->partial->nsymbols; i++) {
		struct symbol sym, found;
		uint32_t symndx = 0;

		object_symbol(p->partial, i, &sym);
		if (sym.bind != STB_LOCAL || !symbol_is_code(&sym))
			continue;
		while (names_next(&p->run->img.names, sym.name, &symndx,
				  &found))
			if (found.bind == STB_LOCAL)
				return true;
	}
	return false;
}

/* Has the section a symbol that ld -x keeps? */
static bool has_global(const struct proof *p, uint32_t shndx)
{
	const struct placer *placer = &p->placer;
	struct symbol sym;

	for (size_t i = 0;
	     landmarks_next(&placer->landmarks, shndx, &i, &sym) != 0;) {
		if (sym.bind != STB_LOCAL)
			return true;
	}
	return false;
}

/* Has the section any symbol that could show where it is? */
static bool has_symbols(const struct proof *p, uint32_t shndx)
{
	size_t n;

	landmarks_list(&p->placer.landmarks, shndx, &n);
	return n > 0;
}

/* No more partials than this are looked at for one name. */
#define TWINS_MAX 256

/*
 * Is a section of another partial's COMDAT group of the same signature, with
 * the symbol SYM, placed?
 */
static bool has_placed_twin(const struct proof *p, const struct symbol *sym)
{
	const char *own = names_signature(p->partial, sym->shndx), *others;
	const struct namesake *ns = namesakes_of(p, sym->name);

	for (size_t n = 0; ns != NULL && n < TWINS_MAX; ns = ns->next, n++) {
		const struct proof *other = &p->run->proofs[ns->k];
		struct symbol twin;

		object_symbol(other->partial, ns->symndx, &twin);
		if (other == p || !twin.is_defined || twin.bind == STB_LOCAL ||
		    twin.shndx >= other->partial->nsections)
			continue;
		others = names_signature(other->partial, twin.shndx);
		if (own != NULL && others != NULL && strcmp(own, others) == 0 &&
		    lookup_placed_section(other, twin.shndx) != NULL)
			return true;
	}
	return false;
}

/* Is section SHNDX in a COMDAT group, and was another partial's copy linked? */
static bool is_replaced(const struct proof *p, uint32_t shndx)
{
	struct symbol sym;

	if (p->partial->sections[shndx].comdat == 0)
		return false;
	for (size_t i = 0;
	     landmarks_next(&p->placer.landmarks, shndx, &i, &sym) != 0;)
		if (sym.bind != STB_LOCAL && has_placed_twin(p, &sym))
			return true;
	return false;
}

/*
 * The final has no symbol of section SHNDX. Was it dropped? With an anchored
 * table, the search for its bytes has shown that it is nowhere.
 */
static void judge_absent(struct proof *p, uint32_t shndx)
{
	struct finding f = { .cause = CAUSE_UNPLACED, .shndx = shndx };

	p->has_absent = true;
	if (p->run->v->is_nameless) {
		if (is_replaced(p, shndx))
			return;
		report_finding(p, &f,
			       "the section, with its sites, is nowhere in the "
			       "image: nothing shows whether the link dropped "
			       "it");
		return;
	}
	if (p->run->table.form == TABLE_ANCHORED)
		return;
	if (!p->run->keeps_locals && !has_global(p, shndx))
		report_finding(p, &f,
			       "the image has no local symbols: nothing shows "
			       "whether the section is in it");
}

static void report_ambiguous(struct proof *p, uint32_t shndx,
			     const struct pending *s)
{
	const struct placement *pl = &s->pl;
	struct finding f = {
		.cause = CAUSE_UNPLACED,
		.shndx = shndx,
		.remedy = pl->is_cut		  ? REMEDY_MAKE_ONE
			  : has_symbols(p, shndx) ? REMEDY_TELL_APART
						  : REMEDY_EXTERNAL_NAME,
	};

	if (s->is_unrecorded) {
		f.remedy = REMEDY_KEEP_RECORDS;
		report_finding(p, &f,
			       "the section only fits where a NOP has no "
			       "record of --nop");
	} else if (pl->is_cut)
		report_finding(
			p, &f,
			"the section fits more than %d places in the image",
			CANDIDATES_MAX);
	else
		report_finding(
			p, &f,
			"the section fits more than one place in the image");
}

static void report_placement(struct proof *p, uint32_t shndx,
			     const struct pending *s)
{
	const struct placement *pl = &s->pl;

	switch (pl->state) {
	case PLACEMENT_MOVED:
		report_moved(p, shndx, pl);
		break;
	case PLACEMENT_DIFFERS:
		report_differs(p, shndx, s);
		break;
	case PLACEMENT_AMBIGUOUS:
		report_ambiguous(p, shndx, s);
		break;
	case PLACEMENT_UNKNOWN:
	case PLACEMENT_ABSENT:
		judge_absent(p, shndx);
		break;
	case PLACEMENT_PLACED:
		break;
	}
}

/*
 * Has another partial a function with the name of a weak function of this
 * section, or both a global one (-z muldefs), and not as a copy of which a
 * linker keeps one? Then the image's symbol means one of the two, and the other
 * body has no name.
 */
static bool is_shared_name(const struct proof *p, uint32_t shndx)
{
	const struct placer *placer = &p->placer;
	bool is_comdat = p->partial->sections[shndx].comdat != 0;
	struct symbol sym;

	for (size_t i = 0;
	     landmarks_next(&placer->landmarks, shndx, &i, &sym) != 0;) {
		if (sym.bind == STB_GLOBAL && namesakes_strong(p, sym.name))
			return true;
		if (sym.bind == STB_WEAK &&
		    (is_comdat ? namesakes_in_other_group(p, sym.name)
			       : namesakes_weak(p, sym.name)))
			return true;
	}
	return false;
}

/*
 * Do the sites show that the place of S holds another section, with the same
 * name and the same bytes outside relocations? S itself may have been dropped.
 */
static bool is_misfit(struct proof *p, struct pending *s)
{
	bool is_right = addresses_set(p, s, s->pl.addr) == 0 &&
			addresses_are_right(p, s) &&
			!candidates_lack_records(p, s);

	addresses_unset(p, s);
	return !is_right;
}

/*
 * Has a local function of this section more namesakes in the partials than in
 * the image? Then one of them is not there, or has lost its name.
 */
static bool lacks_names(const struct proof *p, uint32_t shndx)
{
	const struct placer *placer = &p->placer;
	struct symbol sym;

	for (size_t i = 0;
	     landmarks_next(&placer->landmarks, shndx, &i, &sym) != 0;) {
		if (sym.bind == STB_LOCAL &&
		    namesakes_count(p, sym.name) >
			    names_count(&p->run->img.names, sym.name))
			return true;
	}
	return false;
}

/* Is S to be searched for where no symbol is, too? */
static bool is_wanted(struct proof *p, struct pending *s)
{
	uint32_t shndx = p->list.items[s->first].shndx;

	if ((p->run->table.form != TABLE_ANCHORED && !p->run->v->is_nameless) ||
	    s->pl.is_pinned)
		return false;
	switch (s->pl.state) {
	case PLACEMENT_AMBIGUOUS:
		return lacks_names(p, shndx);
	case PLACEMENT_ABSENT:
	case PLACEMENT_DIFFERS:
		return true;
	case PLACEMENT_PLACED:
		return is_shared_name(p, shndx) || lacks_names(p, shndx) ||
		       is_misfit(p, s);
	case PLACEMENT_UNKNOWN:
	case PLACEMENT_MOVED:
		break;
	}
	return false;
}

/* Finds the places that names allow for all sections of the kind of S. */
static int place_kind(struct proof *p, struct pending *s)
{
	struct kind *kind = kinds_find(p, s);

	if (kind == NULL)
		return -1;
	if (!kind->is_placed &&
	    placer_place_unpinned(&p->placer, p->list.items[s->first].shndx,
				  &s->relocs, &kind->pl))
		return -1;
	kind->is_placed = true;
	s->kind = kind;
	s->pl = kind->pl;
	return 0;
}

int sections_read_relocs(const struct proof *p, uint32_t shndx, size_t first,
			 size_t end, struct section_relocs *relocs)
{
	int ret = section_relocs_read(p->run->d, p->partial, shndx, relocs);

	relocs->exempt = p->site_ranges + first;
	relocs->nexempt = end - first;
	return ret;
}

bool sections_may_be_at(struct proof *p, size_t first, size_t end,
			const struct symbol *sym, uint64_t addr)
{
	struct section_relocs relocs;
	bool may_be;

	if (sections_read_relocs(p, sym->shndx, first, end, &relocs))
		return true;
	may_be = p->partial->sections[sym->shndx].relaxes
			 ? relaxed_fits(p, first, end, &relocs, sym, addr)
			 : placer_fits(
				   &p->placer, sym->shndx, &relocs,
				   image_wrap(&p->run->img, addr - sym->value));
	section_relocs_free(&relocs);
	return may_be;
}

/*
 * A global name places the section of S. Has a name that is not global one
 * namesake, by which the section may be elsewhere? Then the global name may be
 * an alias of something else. But a weak name may be that of another partial.
 */
static void find_elsewhere(const struct proof *p, struct pending *s)
{
	const struct placer *placer = &p->placer;
	uint32_t shndx = p->list.items[s->first].shndx;
	struct symbol sym;

	for (size_t i = 0;
	     landmarks_next(&placer->landmarks, shndx, &i, &sym) != 0;) {
		struct symbol found;
		uint64_t start;

		if (sym.bind == STB_GLOBAL ||
		    !names_find_only(&placer->img->names, sym.name, &found) ||
		    found.bind != sym.bind)
			continue;
		start = implied_start(placer, &sym, &found);
		if (start == s->pl.addr || namesakes_weak(p, sym.name) ||
		    !placer_fits(placer, shndx, &s->relocs, start))
			continue;
		s->pl.state = PLACEMENT_MOVED;
		s->pl.symbol = sym.name;
		s->pl.offset = sym.value;
		s->pl.displacement = (int64_t)(start - s->pl.addr);
		return;
	}
}

/*
 * Is a function NAME, which a partial defines globally, at ADDR of the image by
 * its bytes? It is not of section SHNDX of P.
 */
static bool is_given_at(const struct proof *p, uint32_t shndx, const char *name,
			uint64_t addr)
{
	const struct namesake *ns = namesakes_of(p, name);

	for (size_t n = 0; ns != NULL && n < TWINS_MAX; ns = ns->next, n++) {
		struct proof *other = &p->run->proofs[ns->k];
		struct symbol sym;

		object_symbol(other->partial, ns->symndx, &sym);
		if (sym.is_defined && sym.bind == STB_GLOBAL &&
		    sym.shndx < other->partial->nsections &&
		    section_is_text(&other->partial->sections[sym.shndx]) &&
		    (other != p || sym.shndx != shndx) &&
		    sections_may_be_at(other,
				       lookup_sites_from(other, sym.shndx),
				       lookup_sites_from(other, sym.shndx + 1),
				       &sym, addr))
			return true;
	}
	return false;
}

/*
 * A global name places the section of S. Notes those of which the image has the
 * function of another object (-z muldefs). Sets *HAS_ANY if there are any.
 */
static int note_anothers(struct proof *p, const struct pending *s,
			 bool *has_any)
{
	struct placer *placer = &p->placer;
	uint32_t shndx = p->list.items[s->first].shndx, own;
	struct symbol sym;

	for (size_t i = 0; (own = landmarks_next(&placer->landmarks, shndx, &i,
						 &sym)) != 0;) {
		struct symbol found;

		if (sym.bind != STB_GLOBAL || !namesakes_strong(p, sym.name) ||
		    !names_find_only(&placer->img->names, sym.name, &found) ||
		    found.bind == STB_LOCAL ||
		    !is_given_at(p, shndx, sym.name, found.value))
			continue;
		if (placer_note_anothers(placer, own))
			return -1;
		*has_any = true;
	}
	return 0;
}

/* Finds where the section of S is, by its symbols. */
static int find_section(struct proof *p, struct pending *s)
{
	uint32_t shndx = p->list.items[s->first].shndx;
	bool has_anothers = false;

	if (sections_read_relocs(p, shndx, s->first, s->end, &s->relocs))
		return -1;
	if (p->partial->sections[shndx].relaxes) {
		s->owns_candidates = true;
		return relaxed_place(p, shndx, s->first, s->end, &s->relocs,
				     &s->pl);
	}
	if (placer_place_pinned(&p->placer, shndx, &s->relocs, &s->pl) ||
	    (s->pl.is_pinned && p->run->table.form == TABLE_ANCHORED &&
	     note_anothers(p, s, &has_anothers)) ||
	    (has_anothers &&
	     placer_place_pinned(&p->placer, shndx, &s->relocs, &s->pl)))
		return -1;
	if (s->pl.state == PLACEMENT_PLACED)
		find_elsewhere(p, s);
	return s->pl.state == PLACEMENT_UNKNOWN ? place_kind(p, s) : 0;
}

/*
 * A section that differs keeps its place, so that the messages about it are
 * exact.
 */
static bool has_place(const struct proof *p, uint32_t shndx,
		      const struct placement *pl)
{
	return pl->state == PLACEMENT_PLACED ||
	       (!p->partial->sections[shndx].relaxes &&
		pl->state != PLACEMENT_ABSENT &&
		pl->state != PLACEMENT_UNKNOWN &&
		image_find_text(&p->run->img, pl->addr, pl->size) != NULL);
}

static void release(struct pending *s)
{
	section_relocs_free(&s->relocs);
	free(s->unknown);
	s->unknown = NULL;
	/* The candidates of a model stay until its whole group is settled. */
	if (s->n > 0 && s->model == NULL)
		return;
	if (s->owns_candidates)
		free(s->pl.candidates);
	s->pl.candidates = NULL;
	s->pl.ncandidates = 0;
}

struct pending *sections_find_open(const struct proof *p, uint32_t shndx)
{
	size_t n = p->pending_of[shndx];

	return n > 0 && !p->pending[n - 1].is_settled ? &p->pending[n - 1]
						      : NULL;
}

int sections_settle(struct proof *p, struct pending *s)
{
	uint32_t shndx = p->list.items[s->first].shndx;
	struct placement *pl = &s->pl;
	bool is_suspect;

	s->is_settled = true;
	if (unknown_judge(p, s)) {
		release(s);
		return -1;
	}
	if (has_place(p, shndx, pl) && addresses_set_placed(p, s, pl)) {
		release(s);
		return -1;
	}
	report_placement(p, shndx, s);
	is_suspect = pl->state != PLACEMENT_PLACED;
	for (size_t i = s->first; i < s->end; i++) {
		p->list.items[i].is_suspect = is_suspect;
		p->list.items[i].is_absent = pl->state == PLACEMENT_ABSENT;
	}
	if (is_suspect && pl->state != PLACEMENT_ABSENT) {
		p->is_suspect[shndx] = true;
		p->has_suspects |= p->partial->sections[shndx].comdat == 0;
	}
	if (p->list.items[s->first].is_placed) {
		struct placed placed = {
			.addr = pl->addr,
			.size = pl->size,
			.shndx = shndx,
			.first = s->first,
			.end = s->end,
			.is_relaxed = p->partial->sections[shndx].relaxes,
			.is_suspect = is_suspect,
			.is_certain = pl->is_pinned || s->is_referenced,
			.is_exchangeable = s->is_exchangeable,
			.relocs = s->relocs,
			.unknown = s->unknown,
			.nunknown = s->nunknown,
		};
		s->relocs = (struct section_relocs){ 0 };
		s->unknown = NULL;
		if (lookup_add_placed(p, &placed)) {
			release(s);
			return -1;
		}
	}
	release(s);
	return 0;
}

static int place_section(struct proof *p, size_t first, size_t end)
{
	struct pending s = { .first = first, .end = end };

	if (find_section(p, &s)) {
		release(&s);
		return -1;
	}
	s.is_wanted = is_wanted(p, &s);
	/* Other sections must be placed before one that could be anywhere. */
	if (!s.is_wanted && s.pl.state != PLACEMENT_AMBIGUOUS)
		return sections_settle(p, &s);
	p->pending[p->npending++] = s;
	p->pending_of[p->list.items[first].shndx] = p->npending;
	return 0;
}

static bool has_site(const struct proof *p, size_t first, size_t end)
{
	while (first < end && p->list.items[first].is_target)
		first++;
	return first < end;
}

/* Places the members of COMDAT groups, or all other sections. */
static int place_all(struct proof *p, bool is_comdat)
{
	for (size_t first = 0, end; first < p->list.n; first = end) {
		uint32_t shndx = p->list.items[first].shndx;

		end = lookup_section_end(p, first);
		if ((p->partial->sections[shndx].comdat != 0) != is_comdat)
			continue;
		if (place_section(p, first, end))
			return -1;
		p->run->v->nsections += has_site(p, first, end);
	}
	return 0;
}

/* A target has no bytes of its own, but may be where a site is. */
static struct byte_range site_range(const struct proof *p, size_t i)
{
	const struct proof_site *site = &p->list.items[i];

	if (i > 0 && site->is_target && site[-1].shndx == site->shndx &&
	    p->site_ranges[i - 1].end > site->offset)
		return p->site_ranges[i - 1];
	return (struct byte_range){ site->offset, site->offset + site->length };
}

int sections_open(struct proof *p)
{
	p->site_ranges = malloc((p->list.n + 1) * sizeof(p->site_ranges[0]));
	if (p->site_ranges == NULL)
		return diag_nomem(p->run->d, p->partial->path);
	for (size_t i = 0; i < p->list.n; i++)
		p->site_ranges[i] = site_range(p, i);
	return 0;
}

int sections_place(struct proof *p)
{
	p->placed = calloc(p->list.n + 1, sizeof(p->placed[0]));
	p->pending = calloc(p->list.n + 1, sizeof(p->pending[0]));
	p->is_suspect = calloc(p->partial->nsections, sizeof(bool));
	p->pending_of = calloc(p->partial->nsections, sizeof(p->pending_of[0]));
	if (p->placed == NULL || p->pending == NULL || p->is_suspect == NULL ||
	    p->pending_of == NULL)
		return diag_nomem(p->run->d, p->partial->path);
	if (split_list_siblings(p))
		return -1;
	return place_all(p, false) || place_all(p, true) ? -1 : 0;
}
