/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of verify: each entry of the table has a site, each site an entry. */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"
#include "proof.h"

static bool same_probe(const struct proof *p, const struct table_entry *entry,
		       const struct witness *w)
{
	const char *symbol = w->symbol;

	if (p->table.form == TABLE_LINKER_SET &&
	    strncmp(symbol, "__dtrace_", 9) == 0)
		symbol += 9;
	return strcmp(entry->probe, symbol) == 0;
}

/* Where the table should have the site W. */
static uint64_t entry_addr(const struct proof *p, const struct witness *w)
{
	return image_wrap(&p->img, p->table.form == TABLE_LINKER_SET
					   ? w->addr + w->field
					   : w->addr);
}

/* Does SYM begin where the function of W does? */
static bool begins_function(const struct symbol *sym, const struct witness *w)
{
	return sym->is_defined && sym->shndx == w->shndx && w->has_function &&
	       sym->value == w->function;
}

/* Is the site W in the function of the partial that the table names? */
static bool is_in_function(const struct proof *p, const char *function,
			   const struct witness *w)
{
	struct symbol sym;
	uint32_t symndx = 0;

	/* An anchored table leaves that to the image's symbols. */
	if (p->table.form != TABLE_OFFSETS)
		return true;
	if (function[0] == '\0')
		return !w->has_function || !p->table.has_functions;
	/* Nearly always there is but one. */
	object_symbol(p->partial, w->function_symndx, &sym);
	if (begins_function(&sym, w) && strcmp(sym.name, function) == 0)
		return true;
	while (names_next(&p->functions, function, &symndx, &sym))
		if (begins_function(&sym, w))
			return true;
	return false;
}

/* Says the entry where to jump, and is that where the compiler wants it? */
static const char *jump_fault(const struct proof *p,
			      const struct table_entry *entry,
			      const struct witness *w)
{
	const struct witness *target = witness_target(&p->list, w);

	if (!target->is_placed || target->is_suspect)
		return "jumps to text that is not the partial's";
	if (entry->target != target->addr)
		return "jumps to another place";
	if (!can_jump(p, w))
		return "is too far from where it jumps to";
	return NULL;
}

/* May the entry of the disabled site W have a stub? */
static bool may_have_stub(const struct proof *p, const struct witness *w)
{
	for (size_t k = 0; k < p->nall; k++) {
		const struct witness *other =
			own_witness_at(&p->all[k], w->addr);

		if (other != NULL && other->keeps_stub)
			return true;
	}
	return w->keeps_stub;
}

static const char *entry_fault(const struct proof *p,
			       const struct table_entry *entry,
			       const struct witness *w)
{
	const struct stub *stub = w->stub;

	if (!same_probe(p, entry, w))
		return "names another probe";
	if (p->table.form == TABLE_LINKER_SET)
		return NULL;
	if (entry->stub == 0 && !w->is_disabled && w->form != FORM_BRANCH)
		return "has no stub, but the site branches";
	if (entry->stub != 0 && (stub == NULL || entry->stub != stub->pointer))
		return "has another stub's address";
	if (entry->stub != 0 && w->is_disabled && !may_have_stub(p, w))
		return "has a stub, but the site is no branch";
	if (entry->prefix != w->prefix)
		return "has another prefix";
	if (entry->form != w->form || entry->is_enabled != w->is_enabled)
		return "is of another kind";
	if (!is_in_function(p, entry->function, w))
		return "names another function";
	return w->form == FORM_BRANCH ? jump_fault(p, entry, w) : NULL;
}

/*
 * The witness that entry I stands for if the table is in the order of the
 * partial: what tells a displaced table from a wrong one.
 */
static const struct witness *counterpart(const struct proof *p, size_t i)
{
	size_t n = 0;

	for (size_t k = 0; k < p->list.n; k++) {
		const struct witness *w = &p->list.items[k];

		if (w->is_excluded || w->is_in_hole || !w->is_placed ||
		    w->is_folded || w->is_target)
			continue;
		if (n++ == i)
			return w;
	}
	return NULL;
}

/* The table has not what W is. Offsets in text that relaxes are wrong. */
static enum cause mismatch_cause(const struct proof *p, const struct witness *w)
{
	return p->table.form != TABLE_ANCHORED &&
			       p->partial->sections[w->shndx].relaxes
		       ? CAUSE_RELAXATION
		       : CAUSE_TABLE_MISMATCH;
}

/* The table has W elsewhere. Only a linker set measures all from one place. */
static enum cause displacement_cause(const struct proof *p,
				     const struct witness *w)
{
	enum cause cause = mismatch_cause(p, w);

	return cause == CAUSE_TABLE_MISMATCH &&
			       p->table.form == TABLE_LINKER_SET
		       ? CAUSE_REORDER
		       : cause;
}

/* The first site of ENTRY's probe whose section is not in the image. */
static const struct witness *find_absent(const struct proof *p,
					 const struct table_entry *entry)
{
	for (size_t i = 0; i < p->list.n; i++) {
		const struct witness *w = &p->list.items[i];

		if (w->is_absent && !w->is_excluded && !w->is_target &&
		    same_probe(p, entry, w))
			return w;
	}
	return NULL;
}

/*
 * Is ENTRY left of a section that the final link dropped? Not if there is
 * such a branch: then the section may be there, and its symbols are not.
 */
static const struct witness *find_dropped(const struct proof *p,
					  const struct table_entry *entry)
{
	struct branch branch;

	if (placed_at(p, entry->addr) != NULL ||
	    (decode_at(p, entry->addr, &branch) &&
	     stub_at(p, branch.target) != NULL))
		return NULL;
	return find_absent(p, entry);
}

/*
 * May another component define what ENTRY is measured from? Then the loader
 * says where that is, or it is an entry of the PLT.
 */
static bool has_open_base(const struct proof *p,
			  const struct table_entry *entry)
{
	struct branch branch = { .target = entry->base };

	return p->table.form == TABLE_OFFSETS &&
	       (image_find_reloc(&p->img, entry->base_at) != NULL ||
		is_hop(p, &branch));
}

static void report_displaced(struct proof *p, const struct table_entry *entry,
			     const struct witness *w)
{
	struct finding f = at_witness(w, displacement_cause(p, w));

	if (has_open_base(p, entry))
		f.remedy = OPEN_BASE_REMEDY;
	f.has_displacement = true;
	f.displacement = (int64_t)(entry_addr(p, w) - entry->addr);
	find(p, &f,
	     "the table has this site of %s at 0x%" PRIx64
	     ", and it is at 0x%" PRIx64,
	     w->symbol, entry->addr, entry_addr(p, w));
}

/* Is there such a site, outside the sections with sites of the partial? */
static bool is_elsewhere(const struct proof *p, const struct table_entry *entry)
{
	const struct stub *stub = find_stub(p, entry->probe);
	struct branch branch;

	return p->table.form == TABLE_ANCHORED && stub != NULL &&
	       placed_at(p, entry->addr) == NULL &&
	       decode_at(p, entry->addr, &branch) &&
	       reaches(p, entry->addr, &branch, stub);
}

/* Defines a given partial the function of the image that ADDR is in? */
static bool has_function_of(const struct proof *p, uint64_t addr)
{
	struct symbol function, sym;
	uint32_t symndx;

	if (!image_function(&p->img, addr, &function))
		return true;
	for (size_t k = 0; k < p->nall; k++) {
		symndx = 0;
		while (names_next(&p->all[k].functions, function.name, &symndx,
				  &sym))
			if (sym.is_defined)
				return true;
	}
	return false;
}

/*
 * Is ENTRY right, as far as the image tells, and of a partial that was not
 * given? An anchored table is not displaced, and its sites may be NOPs.
 */
static bool is_foreign(const struct proof *p, const struct table_entry *entry)
{
	struct branch branch;
	struct symbol stub;

	if (placed_at(p, entry->addr) != NULL ||
	    has_function_of(p, entry->addr))
		return false;
	return p->table.form == TABLE_ANCHORED ||
	       (decode_at(p, entry->addr, &branch) &&
		image_function(&p->img, branch.target, &stub) &&
		stub.value == branch.target &&
		strcmp(stub.name, entry->probe) == 0);
}

/* One of an anchored table's functions, or all of a partial's table, once. */
static void report_foreign(struct proof *p, const struct table_entry *entry)
{
	bool is_anchored = p->table.form == TABLE_ANCHORED;
	struct finding f = { .cause = CAUSE_TABLE_MISMATCH,
			     .has_address = true,
			     .address = entry->addr };
	struct symbol function;

	image_function(&p->img, entry->addr, &function);
	if (p->foreign != NULL &&
	    (!is_anchored || strcmp(p->foreign, function.name) == 0))
		return;
	p->foreign = function.name;
	if (is_elsewhere(p, entry))
		f.cause = CAUSE_EXTRA_SITE;
	f.remedy = is_anchored ? "give --verify the object that defines this "
				 "function, too"
			       : "give --verify the partial that the table was "
				 "made from, or name this one's with "
				 "--table-name";
	find(p, &f,
	     "the table has a site of %s, in a function of none of the "
	     "partials given",
	     entry->probe);
}

/* ENTRY is about no site, nor meant for one that can be told. */
static void report_nothing(struct proof *p, const struct table_entry *entry)
{
	struct finding f = { .cause = CAUSE_TABLE_MISMATCH,
			     .has_address = true,
			     .address = entry->addr };

	/* Once: the others follow from what makes this one so. */
	if (is_untold(p, entry->addr)) {
		if (p->has_untold)
			return;
		p->has_untold = true;
		f.cause = CAUSE_UNPLACED;
		find(p, &f,
		     "the table has a site of %s, and no symbol tells whether "
		     "it is one",
		     entry->probe);
		return;
	}
	if (is_elsewhere(p, entry)) {
		f.cause = CAUSE_EXTRA_SITE;
		find(p, &f,
		     "the table has a site of %s, which is none of the partial",
		     entry->probe);
		return;
	}
	find(p, &f, "the table has a site of %s, where there is none",
	     entry->probe);
}

/* Returns the site that entry I was meant for, if that can be told. */
static const struct witness *report_stray(struct proof *p, size_t i)
{
	const struct table_entry *entry = &p->table.entries[i];
	const struct witness *w = NULL;

	if (is_explained(p, entry->addr))
		return NULL;
	if (p->v->nfindings >= FINDINGS_MAX) {
		p->v->nfindings++;
		return NULL;
	}
	w = find_dropped(p, entry);
	if (w != NULL) {
		struct finding f = at_witness(w, CAUSE_GC);

		find(p, &f,
		     "the table has this site of %s, which the final link "
		     "dropped",
		     entry->probe);
		return w;
	}
	if (is_foreign(p, entry)) {
		report_foreign(p, entry);
		return NULL;
	}
	w = counterpart(p, i);
	if (w != NULL && same_probe(p, entry, w)) {
		report_displaced(p, entry, w);
		return w;
	}
	report_nothing(p, entry);
	return NULL;
}

/* The options that say which sites count. */
#define SAME_SECTIONS \
	"give --verify the --section and --skip-section options of the run " \
	"that made the table"

static void report_excluded(struct proof *p, const struct witness *w)
{
	struct finding f = at_witness(w, CAUSE_TABLE_MISMATCH);

	f.remedy = SAME_SECTIONS;
	if (!w->is_suspect)
		find(p, &f, "the table has this site of %s, which is excluded",
		     w->symbol);
}

/* An offsets table without any of the N sites of the section of W. */
static void report_section(struct proof *p, const struct witness *w, size_t n)
{
	struct finding f = at_witness(w, CAUSE_TABLE_MISMATCH);

	f.remedy = SAME_SECTIONS;
	find(p, &f, "the table has no site of this section, which has %zu", n);
}

static void report_missing(struct proof *p, const struct witness *w)
{
	struct finding f = at_witness(w, mismatch_cause(p, w));

	find(p, &f, "this site of %s is not in the table", w->symbol);
}

/* Is a site of ENTRY's probe in a section that the image has not? */
static bool may_be_folded(const struct proof *p,
			  const struct table_entry *entry)
{
	for (size_t k = 0; k < p->nall; k++)
		if (find_absent(&p->all[k], entry) != NULL)
			return p->table.form == TABLE_ANCHORED;
	return false;
}

static void report_duplicate(struct proof *p, const struct table_entry *entry,
			     const struct witness *w)
{
	struct finding f = { .cause = mismatch_cause(p, w),
			     .has_address = true,
			     .address = entry->addr };

	if (may_be_folded(p, entry)) {
		f.cause = CAUSE_ICF;
		f.remedy = "if a function that lost its name was folded into "
			   "this one, link with --icf=safe, or without "
			   "--gc-sections";
	}
	find(p, &f, "the table has the site of %s twice", entry->probe);
}

/*
 * All N sites of the section of W are missing from an anchored table that is
 * there: its entries have a section of their own, which is not.
 */
static void report_dropped(struct proof *p, const struct witness *w, size_t n)
{
	bool is_comdat = p->partial->sections[w->shndx].group != 0;
	struct finding f = at_witness(w, is_comdat ? CAUSE_COMDAT : CAUSE_GC);

	if (is_comdat)
		find(p, &f,
		     "the image has a copy of this section without entries "
		     "in the table");
	else {
		f.remedy = "have no rules for sdt_sites but "
			   "KEEP(*(sdt_sites)), or do --gc-sections in the "
			   "partial link; if options left the section out, "
			   "give them to --verify";
		find(p, &f,
		     "the final link dropped all entries of this section, "
		     "which has %zu site%s",
		     n, n == 1 ? "" : "s");
	}
}

static bool is_missing(const struct witness *w, size_t nentries)
{
	return nentries == 0 && !w->is_target && !w->is_excluded &&
	       w->is_placed && !w->is_folded && !w->is_dead && !w->is_suspect &&
	       !w->is_absent;
}

/* The witnesses [FIRST, END) are those of one section. */
static void check_section(struct proof *p, const size_t *nentries, size_t first,
			  size_t end)
{
	const struct witness *missing = NULL;
	size_t nmissing = 0, n = 0;

	for (size_t i = first; i < end; i++) {
		const struct witness *w = &p->list.items[i];

		n += nentries[i];
		if (nentries[i] == 0 && !w->is_excluded && !w->is_folded &&
		    !w->is_target) {
			p->v->ngone += w->is_absent;
			p->v->ndead += !w->is_absent && w->is_dead;
		}
		if (is_missing(w, nentries[i]) && nmissing++ == 0)
			missing = w;
	}
	if (nmissing > 0 && n == 0 && p->table.nentries > 0) {
		if (p->table.form == TABLE_ANCHORED)
			report_dropped(p, missing, nmissing);
		else
			report_section(p, missing, nmissing);
		return;
	}
	for (size_t i = first; i < end; i++)
		if (is_missing(&p->list.items[i], nentries[i]))
			report_missing(p, &p->list.items[i]);
}

/*
 * Has the table not one entry of the partial, which has sites? Then it was
 * not injected, or the table is of another one.
 */
static bool is_unknown(struct proof *p, const size_t *nentries)
{
	const struct witness *missing = NULL;
	struct finding f;

	for (size_t i = 0; i < p->list.n; i++) {
		if (nentries[i] > 0)
			return false;
		if (missing == NULL && is_missing(&p->list.items[i], 0))
			missing = &p->list.items[i];
	}
	if (missing == NULL)
		return false;
	f = at_witness(missing, CAUSE_TABLE_MISMATCH);
	if (p->table.form == TABLE_ANCHORED)
		f.remedy = "inject this partial as well, and link again";
	find(p, &f, "the table has none of the sites");
	return true;
}

static void check_missing(struct proof *p, const size_t *nentries)
{
	if (p->table.nentries > 0 && p->table.form == TABLE_ANCHORED &&
	    is_unknown(p, nentries))
		return;
	for (size_t first = 0, end; first < p->list.n; first = end) {
		for (end = first + 1;
		     end < p->list.n &&
		     p->list.items[end].shndx == p->list.items[first].shndx;
		     end++)
			;
		check_section(p, nentries, first, end);
	}
}

/* The placed witness that ENTRY is about, or NULL. */
static const struct witness *witness_of(const struct proof *p,
					const struct table_entry *entry)
{
	const struct witness *w;

	if (p->table.form != TABLE_LINKER_SET)
		return own_witness_at(p, entry->addr);
	/* A linker set has the address of the displacement field. */
	for (unsigned back = 0; back <= 4; back++) {
		w = own_witness_at(p, entry->addr - back);
		if (w != NULL && w->field == back)
			return w;
	}
	return NULL;
}

/* Has ENTRY another address, or none yet, for a stub of W that is not hidden?
 */
static bool has_open_stub(const struct proof *p,
			  const struct table_entry *entry,
			  const struct witness *w)
{
	const struct stub *stub = w->stub;

	return same_probe(p, entry, w) && stub != NULL && stub->is_open &&
	       entry->stub != stub->pointer;
}

/* Has another partial a site of another probe where W is? */
static bool is_contested(const struct proof *p, const struct witness *w)
{
	for (size_t k = 0; k < p->nall; k++) {
		const struct witness *other =
			own_witness_at(&p->all[k], w->addr);

		if (other != NULL && strcmp(other->symbol, w->symbol) != 0)
			return true;
	}
	return false;
}

/* Was the section of W folded into that of the other site, or dropped? */
static void blame_other(const struct proof *p, const struct witness *w,
			struct finding *f)
{
	const struct placed *pl = own_placed_at(p, w->addr);

	f->cause = CAUSE_ICF;
	if (pl == NULL || !has_lost_name(p, pl))
		return;
	f->cause = CAUSE_GC;
	f->remedy = NAMESAKES_REMEDY;
}

/* Each entry has a site of its own, and each live site an entry. */
static int check_entries(struct proof *p)
{
	size_t *nentries = calloc(p->list.n + 1, sizeof(nentries[0]));

	if (nentries == NULL)
		return diag_nomem(p->d, p->partial->path);
	for (size_t i = 0; i < p->table.nentries; i++) {
		const struct table_entry *entry = &p->table.entries[i];
		const struct witness *w = witness_of(p, entry);
		const char *fault;
		struct finding f;

		/* Once, by the first, is said what is of no partial. */
		if (w == NULL &&
		    (p != p->all || witness_at(p, entry->addr) != NULL))
			continue;
		if (w != NULL && w->is_excluded) {
			report_excluded(p, w);
			continue;
		}
		if (w == NULL) {
			w = report_stray(p, i);
			if (w != NULL)
				nentries[w - p->list.items]++;
			continue;
		}
		/* Folded sites may keep an entry each. */
		if (++nentries[w - p->list.items] > count_folded(p, w) &&
		    !w->is_suspect)
			report_duplicate(p, entry, w);
		fault = entry_fault(p, entry, w);
		if (fault != NULL && !w->is_suspect) {
			f = at_witness(w, mismatch_cause(p, w));
			if (is_contested(p, w))
				blame_other(p, w, &f);
			else if (has_open_stub(p, entry, w))
				f.remedy = OPEN_REMEDY;
			find(p, &f, "the table's entry for this site of %s %s",
			     w->symbol, fault);
		}
	}
	check_missing(p, nentries);
	free(nentries);
	return 0;
}

int read_table(struct proof *p)
{
	bool found;

	if (table_read(p->d, &p->img, p->options, &p->table, &found)) {
		/* A damaged table is an answer, and diagnosed. */
		p->v->nfindings++;
		p->table.nentries = 0;
		p->is_damaged = true;
		return p->d->ntrouble > 0 ? -1 : 0;
	}
	p->has_table = found;
	return 0;
}

/* Is PROBE one of a partial that was not given? Its site is reported. */
static bool is_of_foreign(const struct proof *p, const char *probe)
{
	for (size_t i = 0; i < p->table.nentries; i++)
		if (strcmp(p->table.entries[i].probe, probe) == 0 &&
		    is_foreign(p, &p->table.entries[i]) &&
		    !is_explained(p, p->table.entries[i].addr))
			return true;
	return false;
}

/* What the table says of each probe, even of one that has no site. */
static void check_probes(struct proof *p)
{
	for (size_t i = 0; p->table.probes != NULL && i < p->table.nprobes;
	     i++) {
		const struct table_probe *probe = &p->table.probes[i];
		const struct stub *stub = find_stub(p, probe->symbol);
		struct finding f = { .cause = CAUSE_TABLE_MISMATCH };
		size_t prefix;

		if (stub == NULL) {
			if (!is_of_foreign(p, probe->symbol))
				find(p, &f,
				     "the table has a probe %s, which the "
				     "partial or the image has not",
				     probe->symbol);
			continue;
		}
		if (probe_classify(p->options, probe->symbol, false, &prefix) !=
			    PROBE_NONE &&
		    prefix == probe->prefix && stub->pointer == probe->stub)
			continue;
		find(p, &f,
		     "the table's probe %s has another prefix or "
		     "another stub",
		     probe->symbol);
	}
}

/* Has the table sites, and not one probe of those that the partial has? */
static bool is_of_another(const struct proof *p)
{
	if (p->table.form != TABLE_OFFSETS)
		return false;
	for (size_t i = 0; i < p->table.nprobes; i++)
		for (size_t k = 0; k < p->list.n; k++)
			if (strcmp(p->table.probes[i].symbol,
				   p->list.items[k].symbol) == 0)
				return false;
	return p->table.nentries > 0;
}

static void report_another(struct proof *p)
{
	struct finding f = { .cause = CAUSE_TABLE_MISMATCH,
			     .has_address = true,
			     .address = p->table.addr,
			     .remedy = "name that of this one with "
				       "--table-name, or generate it" };

	find(p, &f, "the table %s is of another partial",
	     p->options->table_name);
}

static bool has_live_sites(const struct proof *p)
{
	for (size_t k = 0; k < p->nall; k++)
		for (size_t i = 0; i < p->all[k].list.n; i++)
			if (!p->all[k].list.items[i].is_excluded &&
			    !p->all[k].list.items[i].is_absent &&
			    !p->all[k].list.items[i].is_target &&
			    !p->all[k].list.items[i].is_dead)
				return true;
	return false;
}

/* No site is in the image, and no table; then no table is to have any. */
static void check_lost_table(struct proof *p)
{
	struct finding f = { .cause = CAUSE_TABLE_MISSING,
			     .has_address = true,
			     .remedy = "verify before strip, or name the table "
				       "with --table-name" };

	if (p != p->all || p->v->nfindings > 0 ||
	    !table_find_lost(&p->img, &f.address))
		return;
	find(p, &f,
	     "the image has a site table, but neither symbol nor section of "
	     "that name");
}

int check_table(struct proof *p)
{
	struct finding f = { .cause = CAUSE_TABLE_MISSING };

	if (p->is_damaged)
		return 0;
	if (!p->has_table && p->list.n > 0 && !has_live_sites(p))
		check_lost_table(p);
	/* Only the offsets table is there if it is empty. */
	if (!p->has_table && p->options->table != TABLE_OFFSETS &&
	    !has_live_sites(p))
		return check_entries(p);
	if (!p->has_table && p != p->all)
		return 0;
	if (!p->has_table) {
		find(p, &f,
		     "the image has no site table: no symbol %s, no "
		     "section %s",
		     p->options->table_name,
		     p->options->table == TABLE_LINKER_SET
			     ? "set_sdt_probe_site_set"
			     : p->options->sites_name);
		return 0;
	}
	if (is_of_another(p)) {
		report_another(p);
		return 0;
	}
	check_probes(p);
	return check_entries(p);
}
