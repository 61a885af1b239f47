/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: a missing name does not prove missing code. A section without
 * a symbol in the final may be there: it never had a symbol, or strip removed
 * it, or another object's definition overrode its weak symbols and left its
 * body without a name. So this searches for its bytes wherever a function can
 * begin.
 *
 * If the stubs have lost their names, too, the branches cannot confirm that
 * such bytes are the section. But nothing denies it, either.
 */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>

#include "entries.h"
#include "siteless.h"

/* --- Overridden --------------------------------------------------------- */

/* Is FOUND of the image a function of a partial, in a section without sites? */
static bool is_siteless(const struct proof *p, const struct symbol *found)
{
	const struct namesake *ns = namesakes_of(p, found->name);

	while (ns != NULL && !siteless_may_be(p, ns, found))
		ns = ns->next;
	return ns != NULL;
}

bool account_is_siteless_at(const struct proof *p, uint64_t addr)
{
	struct symbol sym;

	return image_function(&p->run->img, addr, &sym) && sym.value == addr &&
	       is_siteless(p, &sym);
}

bool account_is_overridden(struct proof *p, uint32_t shndx)
{
	const struct placer *placer = &p->placer;
	bool relaxes = p->partial->sections[shndx].relaxes;
	struct symbol sym;
	size_t n = 0;

	for (size_t i = 0;
	     landmarks_next(&placer->landmarks, shndx, &i, &sym) != 0;) {
		struct symbol found;
		uint32_t symndx = 0;

		while (names_next(&p->run->img.names, sym.name, &symndx,
				  &found)) {
			const struct placed *pl =
				lookup_placed_at(p, found.value);

			if (placer_is_namesake(&sym, &found) &&
			    !instead_is(p, &sym, &found, relaxes) &&
			    (pl == NULL ? !p->run->v->is_linked &&
						  !is_siteless(p, &found)
					: pl->is_suspect))
				return false;
			n++;
		}
	}
	return n > 0;
}

/* Is ADDR in no function that is known to be another one? */
static bool is_outside_functions(const struct proof *p, uint64_t addr)
{
	struct symbol sym;

	return !image_function(&p->run->img, addr, &sym) ||
	       (sym.size == 0 && sym.value != addr);
}

/* Could SITE be at its address, with a stub that has no name? */
static bool may_be_site(const struct proof *p, const struct proof_site *site)
{
	struct branch branch;

	return branch_is_right(p, site) || decode_is_disabled(p, site) ||
	       (site->form != FORM_BRANCH && site->stub == NULL &&
		decode_site(p, site, &branch) && branch.form == site->form &&
		is_outside_functions(p, branch.target));
}

/* Could S, which nothing places, be at ADDR? */
static int may_be_at(struct proof *p, struct pending *s, uint64_t addr,
		     bool *may_be)
{
	*may_be = is_outside_functions(p, addr);
	if (*may_be && addresses_set(p, s, addr))
		return -1;
	for (size_t i = s->first; *may_be && i < s->end; i++)
		*may_be = may_be_site(p, &p->list.items[i]);
	for (size_t i = s->first; i < s->end; i++)
		p->list.items[i].is_placed = false;
	return 0;
}

static void report_nameless(struct proof *p, const struct pending *s,
			    uint64_t addr)
{
	struct finding f =
		report_at_site(&p->list.items[s->first], CAUSE_UNPLACED);

	match_dispute(p, s, addr);
	f.has_offset = false;
	f.has_address = true;
	f.address = addr;
	f.remedy = REMEDY_KEEP_NAMES;
	report_finding(
		p, &f,
		"no symbol shows that the section is in the image, but its bytes "
		"are at 0x%" PRIx64,
		addr);
	p->has_absent = true;
	for (size_t i = s->first; i < s->end; i++) {
		p->list.items[i].is_absent = false;
		p->list.items[i].is_suspect = true;
	}
}

/* The sections of all partials that seem to be dropped. */
struct dropped {
	struct pending *items; /* owned, with what they own */
	struct wanted *list;   /* owned; one for each */
	size_t n;
};

/* Adds S, unless it has too few bytes for a search; NMORE are at its sites. */
static int add_dropped(struct proof *p, const struct pending *s, uint64_t nmore,
		       struct dropped *dropped)
{
	uint32_t shndx = p->list.items[s->first].shndx;
	struct pending *copy = &dropped->items[dropped->n];

	*copy = *s;
	dropped->list[dropped->n++] = (struct wanted){ p, copy };
	if (sections_read_relocs(p, shndx, s->first, s->end, &copy->relocs))
		return -1;
	if (placer_count_fixed(&p->placer, shndx, &copy->relocs) + nmore >=
	    ALONE_MIN)
		return 0;
	section_relocs_free(&copy->relocs);
	dropped->n--;
	return 0;
}

/* Lists the sections that seem dropped: the image has no symbol of them. */
static int list_dropped(struct proof *p, struct dropped *dropped)
{
	for (size_t i = 0, end; i < p->list.n; i = end) {
		struct pending s = { .first = i };

		s.end = end = lookup_section_end(p, i);
		if (p->list.items[i].is_absent &&
		    add_dropped(p, &s, 0, dropped))
			return -1;
	}
	return 0;
}

/* Is it in the image after all? Then sets *FOUND. */
static int judge_dropped(const struct wanted *wanted, bool *found)
{
	struct proof *p = wanted->p;
	struct pending *s = wanted->s;
	bool may_be = false;

	for (size_t i = 0; !may_be && i < s->pl.ncandidates; i++) {
		if (may_be_at(p, s, s->pl.candidates[i], &may_be))
			return -1;
		if (may_be)
			report_nameless(p, s, s->pl.candidates[i]);
	}
	/* Not all places were tried. */
	if (!may_be && s->pl.is_cut) {
		report_nameless(p, s, s->pl.candidates[0]);
		if (match_dispute_uncounted(p, s))
			return -1;
		may_be = true;
	}
	*found |= may_be;
	return 0;
}

static int open_dropped(const struct proof *all, size_t n,
			struct dropped *dropped)
{
	size_t nsites = 0;

	for (size_t k = 0; k < n; k++)
		nsites += all[k].list.n;
	*dropped = (struct dropped){ 0 };
	dropped->items = calloc(nsites + 1, sizeof(dropped->items[0]));
	dropped->list = calloc(nsites + 1, sizeof(dropped->list[0]));
	return dropped->items != NULL && dropped->list != NULL
		       ? 0
		       : diag_nomem(all[0].run->d, all[0].run->img.obj->path);
}

static void free_dropped(struct dropped *dropped)
{
	for (size_t i = 0; i < dropped->n; i++) {
		section_relocs_free(&dropped->items[i].relocs);
		free(dropped->items[i].pl.candidates);
	}
	free(dropped->items);
	free(dropped->list);
}

/* --- Apart ---------------------------------------------------------------- */

/* Has --nop switched off a site that the table or a partial has? */
static bool has_disabled(const struct proof *all, size_t n)
{
	for (size_t i = 0; i < all->run->table.nentries; i++)
		if (all->run->table.entries[i].stub == 0)
			return true;
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < all[k].list.n; i++) {
			const struct proof_site *site = &all[k].list.items[i];

			if (site->is_placed &&
			    decode_is_disabled(&all[k], site))
				return true;
		}
	return false;
}

/*
 * Has the image global functions? mold makes all functions of a static image
 * local.
 */
static bool has_globals(const struct object *img)
{
	for (size_t i = 1; i < img->nsymbols; i++) {
		struct symbol sym;

		object_symbol(img, i, &sym);
		if (sym.bind != STB_LOCAL && symbol_is_code(&sym))
			return true;
	}
	return false;
}

/* Has the section of SYM symbols at other offsets than SYM? */
static bool has_others(const struct proof *p, const struct symbol *sym)
{
	struct symbol other;

	for (size_t i = 0;
	     landmarks_next(&p->placer.landmarks, sym->shndx, &i, &other) != 0;)
		if (other.value != sym->value)
			return true;
	return false;
}

/*
 * Could the function of SITE, which has neither its name nor its branch, be
 * away from the rest of its section? It can if another ld -r than that of the
 * link merged sections of one name.
 */
static bool may_be_apart(const struct proof *p, const struct proof_site *site,
			 bool keeps_globals)
{
	struct symbol sym = { .shndx = site->shndx, .bind = STB_LOCAL };

	if (!site->is_absent || site->form == FORM_BRANCH)
		return false;
	if (site->has_function)
		object_symbol(p->partial, site->function_symndx, &sym);
	return (sym.bind == STB_LOCAL || !keeps_globals) &&
	       has_others(p, &sym) && decode_can_disable(p, site);
}

/*
 * Reports sections whose bytes are nowhere as a whole, if neither names nor
 * records show where their functions are. (extra.c finds a site that is a
 * branch.)
 */
static void check_apart(struct proof *all, size_t n)
{
	const struct records *records = &all->run->records;
	bool keeps_globals;
	size_t end;

	if (all->run->keeps_locals || all->run->v->is_nameless ||
	    all->run->table.form != TABLE_ANCHORED ||
	    records_are_whole(records) || !has_disabled(all, n))
		return;
	keeps_globals = has_globals(all->run->img.obj);
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < all[k].list.n; i = end) {
			struct proof *p = &all[k];
			struct finding f;

			end = lookup_section_end(p, i);
			while (i < end && !may_be_apart(p, &p->list.items[i],
							keeps_globals))
				i++;
			if (i == end)
				continue;
			f = report_at_site(&p->list.items[i], CAUSE_UNPLACED);
			f.remedy = REMEDY_KEEP_NAMES;
			report_finding(
				p, &f,
				"the image has no local symbols, and the bytes "
				"of the section are not together: nothing shows "
				"whether this function is in it");
		}
}

int account_dropped(struct proof *all, size_t n)
{
	struct dropped dropped;
	int ret = open_dropped(all, n, &dropped);

	for (size_t k = 0; ret == 0 && k < n; k++)
		ret = list_dropped(&all[k], &dropped);
	if (ret == 0)
		ret = seek_sections(all, dropped.list, dropped.n,
				    SEEK_NAMELESS);
	if (ret == 0)
		ret = overlays_seek(dropped.list, dropped.n);
	/* Entries of these sections follow from that, and are not reported. */
	for (size_t i = 0; ret == 0 && i < dropped.n; i++)
		ret = judge_dropped(&dropped.list[i], &all[0].has_unnamed);
	free_dropped(&dropped);
	if (ret == 0)
		check_apart(all, n);
	return ret;
}

/* --- Where another one is ------------------------------------------------ */

/* The bytes of the sites of S: where these are off, they do not vary. */
static uint64_t count_disabled(const struct proof *p, const struct pending *s)
{
	uint64_t n = 0;

	for (size_t i = s->first; i < s->end; i++)
		n += p->list.items[i].length;
	return n;
}

/* Are the sites of S NOPs, and counted as another section's? */
static bool is_folded_away(const struct proof *p, const struct pending *s)
{
	const struct proof_site *site = entries_first_site(p, s);

	if (!site->is_folded && (!site->is_placed || site->is_suspect ||
				 !lookup_is_another_placed_at(p, site->addr)))
		return false;
	return site->form == FORM_BRANCH ? !site->is_target
					 : decode_is_disabled(p, site);
}

/*
 * Lists the sections whose sites are off and that count as folded into another.
 */
static int list_folded(struct proof *p, struct dropped *folded)
{
	for (size_t i = 0, end; i < p->list.n; i = end) {
		struct pending s = { .first = i };

		s.end = end = lookup_section_end(p, i);
		if (is_folded_away(p, &s) &&
		    add_dropped(p, &s, count_disabled(p, &s), folded))
			return -1;
	}
	return 0;
}

/* Has the function at ADDR another name than those of the sections at PL? */
static bool is_other(const struct proof *p, uint64_t addr,
		     const struct placed *pl)
{
	struct symbol sym;

	return !is_outside_functions(p, addr) &&
	       image_function(&p->run->img, addr, &sym) &&
	       namesakes_count_own(p, sym.name, pl->addr) == 0;
}

/*
 * Are the sites of S off there, and did --nop do it if there are records? (In
 * text that relaxes, the walk has checked that.)
 */
static bool has_nops_at(const struct proof *p, const struct pending *s,
			uint64_t addr)
{
	for (size_t i = s->first; i < s->end; i++) {
		struct proof_site site = p->list.items[i];

		site.addr = image_wrap(&p->run->img, addr + site.offset);
		if (p->partial->sections[site.shndx].relaxes ||
		    branch_is_right(p, &site))
			continue;
		if (!decode_is_disabled(p, &site) ||
		    (records_are_whole(&p->run->records) &&
		     records_lack(p, &site)))
			return false;
	}
	return true;
}

static void judge_folded(const struct wanted *wanted)
{
	struct proof *p = wanted->p;
	const struct pending *s = wanted->s;
	const struct proof_site *site = &p->list.items[s->first];
	const struct placed *pl = lookup_own_placed_at(p, site->addr);
	struct finding f = { .cause = CAUSE_UNPLACED,
			     .shndx = site->shndx,
			     .has_address = true,
			     .remedy = REMEDY_BRANCHES };

	for (size_t i = 0; i < s->pl.ncandidates; i++) {
		f.address = s->pl.candidates[i];
		if (is_other(p, f.address, pl) || !has_nops_at(p, s, f.address))
			continue;
		report_finding(
			p, &f,
			"its symbols are those of another section, but its bytes "
			"are at 0x%" PRIx64 ", too",
			f.address);
		return;
	}
}

int account_folded_away(struct proof *all, size_t n)
{
	struct dropped folded;
	int ret = open_dropped(all, n, &folded);

	for (size_t k = 0; ret == 0 && k < n; k++)
		ret = list_folded(&all[k], &folded);
	if (ret == 0)
		ret = seek_sections(all, folded.list, folded.n, SEEK_ANYWHERE);
	for (size_t i = 0; ret == 0 && i < folded.n; i++)
		judge_folded(&folded.list[i]);
	free_dropped(&folded);
	return ret;
}

/* --- What is elsewhere than its section --------------------------------- */

/* Are the sites of the function of FIRST off, if the function is at ADDR? */
static bool has_nops_behind(const struct proof *p, const struct placed *pl,
			    size_t first, uint64_t addr)
{
	uint32_t symndx = p->list.items[first].function_symndx;

	for (size_t i = first; i < pl->end; i++) {
		struct proof_site site = p->list.items[i];

		if (site.function_symndx != symndx)
			break;
		site.addr = image_wrap(&p->run->img,
				       addr + (site.offset - site.function));
		if (!decode_is_disabled(p, &site) && !branch_is_right(p, &site))
			return false;
	}
	return true;
}

/*
 * Has the image a function NAME at ADDR? *NEXT is the first of its functions
 * that may be there: addresses ascend from call to call.
 */
static bool is_function_at(const struct image *img, size_t *next,
			   const char *name, uint64_t addr)
{
	struct symbol sym;

	for (size_t i = *next; i < img->nfunctions; i++) {
		object_symbol(img->obj, img->functions[i], &sym);
		if (sym.value > addr)
			return false;
		if (sym.value < addr)
			*next = i + 1;
		else if (strcmp(sym.name, name) == 0)
			return true;
	}
	return false;
}

/*
 * Is the function of FIRST where its name is, and not where the section would
 * have it? Global names have placed the section already. Another name may be
 * another object's. NEXT is that of is_function_at.
 */
static bool is_moved(const struct proof *p, const struct placed *pl,
		     size_t first, size_t *next, struct symbol *found)
{
	const struct proof_site *site = &p->list.items[first];
	uint64_t start = image_wrap(
		&p->run->img, site->addr - (site->offset - site->function));
	struct symbol sym, other;
	uint32_t symndx = 0;
	bool is_moved = false;

	object_symbol(p->partial, site->function_symndx, &sym);
	if (!site->has_function || sym.bind == STB_GLOBAL ||
	    is_function_at(&p->run->img, next, sym.name, start) ||
	    namesakes_any_at(p, sym.name, start) ||
	    names_count(&p->functions, sym.name) > 1)
		return false;
	while (names_next(&p->run->img.names, sym.name, &symndx, &other)) {
		const struct placed *there = lookup_placed_at(p, other.value);

		if (other.bind != sym.bind || other.size != sym.size ||
		    (there != NULL && there != pl) ||
		    !has_nops_behind(p, pl, first, other.value))
			continue;
		is_moved = true;
		*found = other;
	}
	return is_moved;
}

void account_moved(struct proof *p)
{
	for (size_t i = 0; i < p->nplaced; i++) {
		const struct placed *pl = &p->placed[i];
		size_t next = image_functions_below(&p->run->img, pl->addr);

		for (size_t k = pl->first, end; k < pl->end; k = end) {
			const struct proof_site *site = &p->list.items[k];
			struct finding f =
				report_at_site(site, CAUSE_TEXT_DIFFERS);
			struct symbol found;

			for (end = k;
			     end < pl->end && site[end - k].function_symndx ==
						      site->function_symndx;
			     end++)
				;
			if (pl->is_relaxed || pl->is_suspect ||
			    !is_moved(p, pl, k, &next, &found))
				continue;
			f.address = found.value;
			report_finding(
				p, &f,
				"%s is not where the rest of its section is",
				found.name);
		}
	}
}
