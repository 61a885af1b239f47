/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: judges sections that share an address in the final. Linkers
 * do that with --icf, and with a COMDAT function that two objects have. Their
 * sites then are one site. That is right if all are sites of one probe; an
 * anchored table has one entry for it, or one for each. If the probes differ,
 * only one of the sites can be right. Once --nop has removed the branches, only
 * the partials show that the probes differ, and even a function without sites
 * may be equal.
 *
 * mold with --gc-sections, and gold for static functions, drop the names of
 * sections that they fold. Then the table decides. Suppose that a section is
 * nowhere, and that an equal section has surplus entries, one at each site:
 * then the first was folded into the second.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "sites/probe.h"
#include "namesakes.h"
#include "entries.h"
#include "proof.h"

/* Sites of the branch form: do both jump to one place, or to one offset? */
static bool same_jump(const struct proof *p, const struct proof_site *a,
		      const struct proof *q, const struct proof_site *b)
{
	const struct proof_site *x = proof_site_target(&p->list, a);
	const struct proof_site *y = proof_site_target(&q->list, b);

	if (a->form != FORM_BRANCH || a->is_target)
		return true;
	return x->is_placed && y->is_placed &&
	       (x->addr == y->addr ||
		(x->shndx == a->shndx && y->shndx == b->shndx &&
		 x->addr - a->addr == y->addr - b->addr));
}

/* Are they the same, at the same offset in their sections? */
static bool same_site(const struct proof_site *a, const struct placed *at,
		      const struct proof_site *b, const struct placed *bt)
{
	return a->offset == b->offset &&
	       a->addr - at->addr == b->addr - bt->addr && a->form == b->form &&
	       a->length == b->length && a->is_enabled == b->is_enabled &&
	       a->is_excluded == b->is_excluded &&
	       a->is_target == b->is_target &&
	       strcmp(a->symbol, b->symbol) == 0;
}

static bool same_sites(const struct proof *p, const struct placed *a,
		       const struct proof *q, const struct placed *b)
{
	const struct proof_site *x = p->list.items + a->first;
	const struct proof_site *y = q->list.items + b->first;

	if (a->end - a->first != b->end - b->first)
		return false;
	for (size_t i = 0; i < a->end - a->first; i++)
		if (!same_site(&x[i], a, &y[i], b) ||
		    !same_jump(p, &x[i], q, &y[i]))
			return false;
	return true;
}

/* Does a partial define a global NAME? */
static bool is_defined_global(const struct proof *p, const char *name)
{
	const struct namesake *ns = namesakes_of(p, name);
	struct symbol sym;

	for (; ns != NULL; ns = ns->next) {
		object_symbol(p->run->proofs[ns->k].partial, ns->symndx, &sym);
		if (sym.is_defined && sym.bind != STB_LOCAL)
			return true;
	}
	return false;
}

/* Is SYM defined, by this partial or another, and not as a probe function? */
static bool is_ordinary(const struct proof *p, const struct symbol *sym)
{
	size_t prefix;

	return (sym->is_defined || is_defined_global(p, sym->name)) &&
	       probe_classify(p->run->options, sym->name, true, &prefix) ==
		       PROBE_NONE;
}

/* Has the image the global names X and Y, at one address? */
static bool same_global(const struct proof *p, const struct symbol *x,
			const struct symbol *y)
{
	struct symbol a, b;
	uint32_t i = 0, k = 0;

	return x->bind != STB_LOCAL && y->bind != STB_LOCAL &&
	       names_next(&p->run->img.names, x->name, &i, &a) &&
	       names_next(&p->run->img.names, y->name, &k, &b) &&
	       a.value == b.value;
}

/*
 * Are A and B the same symbol, or symbols of partials, whose functions may have
 * been folded, too? Two symbols of other objects were folded if they have one
 * address.
 */
static bool same_target(const struct proof *p, uint32_t a,
			const struct proof *q, uint32_t b)
{
	struct symbol x, y;

	if (p == q && a == b)
		return true;
	object_symbol(p->partial, a, &x);
	object_symbol(q->partial, b, &y);
	return (is_ordinary(p, &x) && is_ordinary(q, &y)) ||
	       (p != q && x.bind != STB_LOCAL && y.bind != STB_LOCAL &&
		strcmp(x.name, y.name) == 0) ||
	       same_global(p, &x, &y);
}

/*
 * The constant that R of A refers to, in a section whose constants linkers
 * merge; NULL if it is none. Sets *SIZE.
 */
static const uint8_t *find_constant(const struct proof *p,
				    const struct placed *a,
				    const struct reloc *r, uint64_t *size)
{
	const struct object *obj = p->partial;
	const uint8_t *code, *bytes;
	const struct section *sec;
	struct symbol sym;
	uint64_t offset, step;
	size_t ncode, n;

	object_symbol(obj, r->symndx, &sym);
	if (!sym.is_defined || sym.shndx >= obj->nsections)
		return NULL;
	sec = &obj->sections[sym.shndx];
	if ((sec->flags & SHF_MERGE) == 0 || sec->entsize == 0 ||
	    sec->type == SHT_NOBITS)
		return NULL;
	code = object_data(p->run->d, obj, a->shndx, &ncode);
	bytes = object_data(p->run->d, obj, sym.shndx, &n);
	if (code == NULL || bytes == NULL)
		return NULL;
	offset = sym.value + arch_reloc_lead(obj->arch, code, ncode, true,
					     a->relocs.is_rela, r, &step);
	if (step != 0 || offset >= n)
		return NULL;
	*size = (sec->flags & SHF_STRINGS) == 0 ? sec->entsize
		: sec->entsize == 1
			? strnlen((const char *)bytes + offset, n - offset) + 1
			: n;
	return *size <= n - offset ? bytes + offset : NULL;
}

/* Are X of A and Y of B of equal constants? */
static bool same_constant(const struct proof *p, const struct placed *a,
			  const struct reloc *x, const struct proof *q,
			  const struct placed *b, const struct reloc *y)
{
	uint64_t nx, ny;
	const uint8_t *cx = find_constant(p, a, x, &nx);
	const uint8_t *cy = find_constant(q, b, y, &ny);

	return cx != NULL && cy != NULL && nx == ny && memcmp(cx, cy, nx) == 0;
}

static bool same_relocs(const struct proof *p, const struct placed *a,
			const struct proof *q, const struct placed *b)
{
	if (a->relocs.n != b->relocs.n)
		return false;
	for (size_t i = 0; i < a->relocs.n; i++) {
		const struct reloc *x = &a->relocs.relocs[i];
		const struct reloc *y = &b->relocs.relocs[i];

		if (x->offset != y->offset || x->type != y->type)
			return false;
		if ((x->addend != y->addend ||
		     !same_target(p, x->symndx, q, y->symndx)) &&
		    !same_constant(p, a, x, q, b, y))
			return false;
	}
	return true;
}

/* Are A of P and B of Q the same for a linker that folds? */
static bool same_sections(const struct proof *p, const struct placed *a,
			  const struct proof *q, const struct placed *b)
{
	const uint8_t *x, *y;
	size_t nx, ny;

	x = object_data(p->run->d, p->partial, a->shndx, &nx);
	y = object_data(q->run->d, q->partial, b->shndx, &ny);
	return x != NULL && y != NULL && a->size == b->size && nx == ny &&
	       memcmp(x, y, nx) == 0 && same_relocs(p, a, q, b) &&
	       same_sites(p, a, q, b);
}

/* --- Names ------------------------------------------------------------- */

bool folded_has_lost_name(const struct proof *p, const struct placed *pl)
{
	struct symbol sym;

	for (size_t i = 0;
	     image_functions_next(&p->run->img, pl->addr, pl->size, &i, &sym);)
		if (sym.size > 0 &&
		    namesakes_at(p, sym.name, sym.value) <
			    namesakes_count_own(p, sym.name, pl->addr))
			return true;
	return false;
}

/* --- Sections with sites ------------------------------------------------ */

static void report_folded(struct proof *p, const struct placed *a,
			  const struct placed *b)
{
	struct finding f = {
		.cause = CAUSE_ICF,
		.shndx = b->shndx,
		.has_address = true,
		.address = b->addr,
	};

	if (folded_has_lost_name(p, b)) {
		f.cause = CAUSE_GC;
		f.remedy = REMEDY_TELL_APART;
		report_finding(
			p, &f,
			"is where section %s is, which has a function of the same "
			"name: one of the two was dropped, and NOPs do not show "
			"which",
			p->partial->sections[a->shndx].name);
		return;
	}
	report_finding(p, &f, "shares its address with section %s",
		       p->partial->sections[a->shndx].name);
}

/* Findings about its sites follow from this one. */
static void mark_suspect(struct proof *p, struct placed *pl)
{
	pl->is_suspect = true;
	pl->is_shared = true;
	p->is_suspect[pl->shndx] = true;
	for (size_t i = pl->first; i < pl->end; i++)
		p->list.items[i].is_suspect = true;
}

/* Folds B of Q into A: from now on, their sites are one. */
static void fold(struct proof *p, const struct placed *a, struct proof *q,
		 const struct placed *b)
{
	for (size_t i = 0; i < b->end - b->first; i++) {
		struct proof_site *site = &p->list.items[a->first + i];
		struct shared_site *shared =
			lookup_shared_sites_at(p, site->addr);

		q->list.items[b->first + i].is_folded = true;
		site->nfolded++;
		/* A target has no item there. */
		if (shared != NULL && lookup_own_site_at(p, site->addr) == site)
			shared->nfolded++;
	}
}

/* --- Functions without sites -------------------------------------------- */

/*
 * Has PL a site that is off, or of the branch form? Then the image may have
 * folded a function without sites into it.
 */
static bool has_nops(const struct proof *p, const struct placed *pl)
{
	for (size_t i = pl->first; i < pl->end; i++) {
		const struct proof_site *site = &p->list.items[i];

		if (site->form == FORM_BRANCH
			    ? !site->is_target
			    : decode_is_disabled(p, site) &&
				      !branch_is_right(p, site))
			return true;
	}
	return false;
}

/* GNU ld -z unique-symbol calls NAME NAME.0, in hexadecimal: is SYM such a name
 * of the partial's? */
static bool has_number(const struct proof *p, const struct placed *pl,
		       const struct symbol *sym)
{
	const char *dot = strrchr(sym->name, '.');
	bool is_own;
	char *name;

	if (dot == NULL || dot[1] == '\0' ||
	    dot[1 + strspn(dot + 1, "0123456789abcdef")] != '\0' ||
	    sym->bind != STB_LOCAL)
		return false;
	name = strndup(sym->name, dot - sym->name);
	is_own = name != NULL && namesakes_count_own(p, name, pl->addr) > 0;
	free(name);
	return is_own;
}

/*
 * Is SYM numbered, and are all other names of the function of the partial, too?
 */
static bool is_numbered(const struct proof *p, const struct placed *pl,
			const struct symbol *sym)
{
	struct symbol other;

	for (size_t i = 0;
	     image_functions_next(&p->run->img, sym->value, 1, &i, &other);)
		if (namesakes_count_own(p, other.name, pl->addr) == 0 &&
		    !has_number(p, pl, &other))
			return false;
	return has_number(p, pl, sym);
}

/* Has the image at ADDR a name that the partial has in PL? */
static bool has_own_name(const struct proof *p, const struct placed *pl,
			 uint64_t addr)
{
	struct symbol sym;

	for (size_t i = 0;
	     image_functions_next(&p->run->img, addr, 1, &i, &sym);)
		if (namesakes_count_own(p, sym.name, pl->addr) > 0)
			return true;
	return false;
}

static void report_foreign(struct proof *p, const struct placed *pl,
			   const struct symbol *sym)
{
	struct finding f = {
		.cause = CAUSE_ICF,
		.shndx = pl->shndx,
		.has_address = true,
		.address = sym->value,
	};

	if (has_own_name(p, pl, sym->value)) {
		report_finding(p, &f,
			       "shares its address with %s, which is not of it",
			       sym->name);
		return;
	}
	f.cause = CAUSE_TEXT_DIFFERS;
	f.remedy = REMEDY_RENAME_EARLY;
	report_finding(
		p, &f,
		"is at the address of %s, which it lacks, and none of its names "
		"is there",
		sym->name);
}

/*
 * Did mold write SYM twice? It names what --wrap renames as what takes its
 * place.
 */
static bool is_wrapper_twice(const struct proof *p, const struct placed *pl,
			     const struct symbol *sym)
{
	return strncmp(sym->name, "__wrap_", 7) == 0 &&
	       namesakes_count_own(p, sym->name, pl->addr) > 0;
}

/*
 * Is the section of SYM, a symbol of the partial, not at PL, where the image
 * has SYM, but where the image has another name of it? A linker script may say
 * NAME = OTHER.
 */
static bool is_elsewhere(struct proof *p, const struct placed *pl,
			 const struct symbol *sym)
{
	const struct placer *placer = &p->placer;
	struct symbol own, next, found;
	uint32_t symndx = 0;

	if (!names_next(&p->functions, sym->name, &symndx, &own) ||
	    !own.is_defined || own.shndx == pl->shndx ||
	    names_count(&p->functions, sym->name) > 1 ||
	    names_count(&p->run->img.names, sym->name) > 1 ||
	    sections_may_be_at(p, lookup_sites_from(p, own.shndx),
			       lookup_sites_from(p, own.shndx + 1), &own,
			       sym->value))
		return false;
	for (size_t i = 0;
	     landmarks_next(&placer->landmarks, own.shndx, &i, &next) != 0;) {
		symndx = 0;
		if (next.bind == STB_GLOBAL &&
		    names_next(&p->run->img.names, next.name, &symndx,
			       &found) &&
		    !placer_shares_section(placer, &found, pl->addr))
			return true;
	}
	return false;
}

/*
 * A function whose sites are off, or in the branch form, can equal one without
 * sites. If the linker folded the two, whoever enables the probe sees the calls
 * of both: so this reports another's name there. The linker itself adds
 * versions (name@VERSION).
 */
static void check_foreign(struct proof *p, struct placed *pl)
{
	struct symbol sym;

	for (size_t i = 0; image_functions_next(&p->run->img, pl->addr,
						pl->size, &i, &sym);) {
		if (sym.size == 0 || strchr(sym.name, '@') != NULL ||
		    namesakes_at(p, sym.name, sym.value) <=
			    namesakes_count_own(p, sym.name, pl->addr) ||
		    is_numbered(p, pl, &sym) || is_wrapper_twice(p, pl, &sym) ||
		    is_elsewhere(p, pl, &sym))
			continue;
		report_foreign(p, pl, &sym);
		mark_suspect(p, pl);
		return;
	}
}

/*
 * Has the image no name of PL there? In text that relaxes, this looks at names
 * at the start only.
 */
static bool is_nameless(const struct proof *p, const struct placed *pl)
{
	struct symbol sym;

	for (size_t i = 0;
	     landmarks_next(&p->placer.landmarks, pl->shndx, &i, &sym) != 0;)
		if ((pl->is_relaxed && sym.value != 0) ||
		    namesakes_at(p, sym.name, pl->addr + sym.value) > 0)
			return false;
	return true;
}

/*
 * A and B, which have the same sites, are at one place. Either they are equal,
 * or one of them was dropped: no name of it is left, and its bytes are those of
 * the other but for relocated fields. Either way the image has the same sites.
 */
static bool is_harmless(const struct proof *p, const struct placed *a,
			const struct placed *b)
{
	if (a->addr != b->addr)
		return false;
	return (a->size == b->size &&
		(is_nameless(p, a) || is_nameless(p, b)) &&
		same_sites(p, a, p, b)) ||
	       same_sections(p, a, p, b);
}

void folded_check(struct proof *p)
{
	struct placed *a = p->placed;

	for (size_t i = 1; i < p->nplaced; i++) {
		struct placed *b = &p->placed[i];

		if (b->addr - a->addr >= a->size) {
			a = b;
			continue;
		}
		/* Where bytes differ, that is reported. */
		if ((a->is_suspect && !a->is_shared) || b->is_suspect)
			continue;
		if (p->run->table.form == TABLE_ANCHORED && !a->is_shared &&
		    is_harmless(p, a, b)) {
			fold(p, a, p, b);
			continue;
		}
		report_folded(p, a, b);
		mark_suspect(p, a);
		mark_suspect(p, b);
		if (b->addr + b->size > a->addr + a->size)
			a = b;
	}
	for (size_t i = 0; i < p->nplaced; i++)
		if (!p->placed[i].is_suspect && has_nops(p, &p->placed[i]))
			check_foreign(p, &p->placed[i]);
}

/* --- Sections without a name --------------------------------------------- */

size_t folded_count(const struct proof *p, const struct proof_site *site)
{
	const struct shared_site *shared;

	if (p->run->table.form != TABLE_ANCHORED)
		return 1;
	shared = lookup_shared_sites_at(p, site->addr);
	return shared != NULL ? shared->nfolded : 0;
}

/*
 * How many entries more than sites has each site of PL? 0 if the sites differ
 * in that.
 */
static size_t count_surplus(const struct proof *p, const struct placed *pl)
{
	size_t nsurplus = 0, nsites = 0;

	for (size_t i = pl->first; i < pl->end; i++) {
		const struct proof_site *site = &p->list.items[i];
		size_t nentries, nfolded;

		if (site->is_target || site->is_excluded)
			continue;
		nentries = entries_count_at(p, site->addr, site->symbol);
		nfolded = nentries > 1 ? folded_count(p, site) : 1;
		if (site->is_folded || nentries <= nfolded ||
		    (nsites++ > 0 && nentries - nfolded != nsurplus))
			return 0;
		nsurplus = nentries - nfolded;
	}
	return nsurplus;
}

/* Sets the addresses of B's sites as if B were where A is, or unsets them. */
static void move_to(const struct proof *p, const struct placed *a,
		    struct proof *q, const struct placed *b, bool is_there)
{
	for (size_t i = 0; i < b->end - b->first; i++) {
		struct proof_site *site = &q->list.items[b->first + i];

		site->is_placed = is_there;
		site->addr = is_there ? p->list.items[a->first + i].addr : 0;
		site->is_absent = !is_there;
		site->is_suspect = !is_there;
	}
}

/*
 * B of Q has so few bytes that it fits by chance. But a site that branches,
 * without an entry, would be found; and a site that is off needs such bytes.
 */
static bool may_be_disabled(const struct proof *q, const struct placed *b)
{
	const struct image *img = &q->run->img;
	const struct proof_site *site = NULL;
	uint8_t nops[DISABLED_MAX];
	unsigned size = 0;

	for (size_t i = b->first; size == 0 && i < b->end; i++) {
		site = &q->list.items[i];
		size = decode_nops(q, site, nops);
	}
	if (size == 0 || q->partial->sections[b->shndx].relaxes)
		return size > 0;
	for (size_t i = 0; i < img->nsections + img->noverlays; i++) {
		const struct code *code = &img->sections[i].code;
		const uint8_t *end = code->bytes + code->size;
		const uint8_t *at = code->bytes;

		while ((at = memmem(at, end - at, nops, size)) != NULL) {
			uint64_t offset = at++ - code->bytes;

			if (offset >= site->offset &&
			    placer_fits(&q->placer, b->shndx, &b->relocs,
					code->addr + offset - site->offset))
				return true;
		}
	}
	return false;
}

/* The answer for all sections of a partial that equal one section. */
enum answer { ANSWER_NONE, ANSWER_NO, ANSWER_YES };

/*
 * Has --nop left a record of each site of the table? Then a site that is off,
 * wherever it is, has one (see records_check).
 */
static bool is_all_recorded(const struct verify_run *run)
{
	return records_are_whole(&run->records) &&
	       run->records.n >= run->table.nentries;
}

/* Can B of Q, where A is, have been folded into A? */
static bool may_be_folded(struct proof *p, const struct placed *a,
			  struct proof *q, const struct placed *b,
			  enum answer *is_disabled)
{
	if (!same_sections(p, a, q, b))
		return false;
	if (placer_count_fixed(&q->placer, b->shndx, &b->relocs) >= ALONE_MIN ||
	    is_all_recorded(p->run))
		return true;
	if (*is_disabled == ANSWER_NONE)
		*is_disabled = has_nops(p, a) || may_be_disabled(q, b)
				       ? ANSWER_YES
				       : ANSWER_NO;
	return *is_disabled == ANSWER_NO;
}

/* B of Q is not in the image: was it folded into A? */
static int try_fold(struct proof *p, const struct placed *a, struct proof *q,
		    struct placed *b, enum answer *is_disabled, bool *is_folded)
{
	*is_folded = false;
	if (a->end - a->first != b->end - b->first ||
	    p->partial->sections[a->shndx].size !=
		    q->partial->sections[b->shndx].size)
		return 0;
	b->addr = a->addr;
	b->size = a->size;
	if (sections_read_relocs(q, b->shndx, b->first, b->end, &b->relocs))
		return -1;
	move_to(p, a, q, b, true);
	*is_folded = may_be_folded(p, a, q, b, is_disabled);
	if (*is_folded)
		fold(p, a, q, b);
	else
		move_to(p, a, q, b, false);
	section_relocs_free(&b->relocs);
	return 0;
}

/*
 * Folds sections that are not in the image into A, at most NSURPLUS. Sets
 * *HAS_FOLDED if it folded one.
 */
static int fold_absent(struct proof *all, size_t n, struct proof *p,
		       const struct placed *a, size_t nsurplus,
		       bool *has_folded)
{
	for (size_t k = 0; k < n; k++) {
		enum answer is_disabled = ANSWER_NONE;
		struct proof *q = &all[k];
		size_t end;

		if (!q->has_absent)
			continue;
		for (size_t i = 0; nsurplus > 0 && i < q->list.n; i = end) {
			struct placed b = { .shndx = q->list.items[i].shndx,
					    .first = i };
			bool is_folded;

			b.end = end = lookup_section_end(q, i);
			if (!q->list.items[i].is_absent)
				continue;
			if (try_fold(p, a, q, &b, &is_disabled, &is_folded))
				return -1;
			nsurplus -= is_folded;
			*has_folded |= is_folded;
		}
	}
	return 0;
}

static int fold_all(struct proof *all, size_t n, bool *has_folded)
{
	*has_folded = false;
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < all[k].nplaced; i++) {
			const struct placed *a = &all[k].placed[i];
			size_t nsurplus =
				a->is_suspect ? 0 : count_surplus(&all[k], a);

			if (nsurplus > 0 && fold_absent(all, n, &all[k], a,
							nsurplus, has_folded))
				return -1;
		}
	return 0;
}

/* --- Sections that lost their names, at one of many places ---------------- */

/*
 * B of Q has no name in the image, or more sections of its name are at its
 * place than names. Did more sections get its place than the table has entries
 * there? Then B may be folded elsewhere, and the sites here stay the same.
 */
static bool is_to_spare(const struct proof *q, const struct placed *b)
{
	size_t nsites = 0;

	if (b->is_suspect ||
	    (!is_nameless(q, b) && !folded_has_lost_name(q, b)))
		return false;
	for (size_t i = b->first; i < b->end; i++) {
		const struct proof_site *site = &q->list.items[i];
		size_t nentries;

		if (site->is_target || site->is_excluded)
			continue;
		nentries = entries_count_at(q, site->addr, site->symbol);
		if (nentries == 0 || folded_count(q, site) <= nentries)
			return false;
		nsites++;
	}
	return nsites > 0;
}

/* B of Q counts as folded into A of P from now on. */
static void recount(struct proof *p, const struct placed *a, struct proof *q,
		    const struct placed *b)
{
	for (size_t i = 0; i < b->end - b->first; i++) {
		const struct proof_site *from = &q->list.items[b->first + i];
		const struct proof_site *to = &p->list.items[a->first + i];

		if (from->is_target)
			continue;
		lookup_shared_sites_at(q, from->addr)->nfolded--;
		lookup_shared_sites_at(p, to->addr)->nfolded++;
	}
}

/*
 * A section that is to spare, and its proof; P is NULL once it is given away.
 */
struct spare {
	struct proof *p;
	const struct placed *pl;
};

static struct spare *list_spares(struct proof *all, size_t n, size_t *nspares)
{
	struct spare *list;
	size_t room = 1;

	for (size_t k = 0; k < n; k++)
		room += all[k].nplaced;
	list = malloc(room * sizeof(list[0]));
	*nspares = 0;
	for (size_t k = 0; list != NULL && k < n; k++)
		for (size_t i = 0; i < all[k].nplaced; i++)
			if (is_to_spare(&all[k], &all[k].placed[i]))
				list[(*nspares)++] =
					(struct spare){ &all[k],
							&all[k].placed[i] };
	return list;
}

/* Gives A sections of LIST, up to END, for its NSURPLUS entries. */
static void give_spares(struct proof *p, const struct placed *a,
			size_t nsurplus, struct spare *list,
			const struct spare *end)
{
	enum answer is_disabled = ANSWER_NONE;
	const struct proof *of = NULL;

	for (; nsurplus > 0 && list < end; list++) {
		const struct placed *b = list->pl;

		if (list->p == NULL || b->addr == a->addr ||
		    b->size != a->size ||
		    b->end - b->first != a->end - a->first ||
		    !is_to_spare(list->p, b))
			continue;
		if (of != list->p)
			is_disabled = ANSWER_NONE;
		of = list->p;
		if (!may_be_folded(p, a, list->p, b, &is_disabled))
			continue;
		recount(p, a, list->p, b);
		list->p = NULL;
		nsurplus--;
	}
}

static int spare_all(struct proof *all, size_t n)
{
	size_t nspares, first = 0;
	struct spare *list = list_spares(all, n, &nspares);

	if (list == NULL)
		return diag_nomem(all->run->d, all->run->img.obj->path);
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < all[k].nplaced && first < nspares; i++) {
			const struct placed *a = &all[k].placed[i];

			if (a->is_suspect)
				continue;
			give_spares(&all[k], a, count_surplus(&all[k], a),
				    list + first, list + nspares);
			while (first < nspares && list[first].p == NULL)
				first++;
		}
	free(list);
	return 0;
}

int folded_check_nameless(struct proof *all, size_t n)
{
	bool has_folded = true;
	int ret = 0;

	if (all->run->entries_by_addr == NULL ||
	    all->run->table.form != TABLE_ANCHORED)
		return 0;
	/* A section that jumps to another one is folded after that one. */
	while (ret == 0 && has_folded)
		ret = fold_all(all, n, &has_folded);
	return ret == 0 ? spare_all(all, n) : ret;
}
