/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: each entry of the table must have a site, and each site an
 * entry.
 */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/table-format.h"
#include "entries.h"
#include "match.h"
#include "sites/probe.h"

/* Does SYM begin where the function of SITE does? */
static bool begins_function(const struct symbol *sym,
			    const struct proof_site *site)
{
	return sym->is_defined && sym->shndx == site->shndx &&
	       site->has_function && sym->value == site->function;
}

/* Is SITE in the function that the table names? */
static bool is_in_function(const struct proof *p, const char *function,
			   const struct proof_site *site)
{
	struct symbol sym;

	if (function[0] == '\0')
		return !site->has_function ||
		       (p->run->table.form == TABLE_OFFSETS &&
			!p->run->table.has_functions);
	/* Nearly always there is only one. */
	object_symbol(p->partial, site->function_symndx, &sym);
	if (begins_function(&sym, site) && versions_is_name(p, &sym, function))
		return true;
	for (size_t i = 0;
	     landmarks_next(&p->placer.landmarks, site->shndx, &i, &sym) != 0;)
		if (begins_function(&sym, site) &&
		    versions_is_name(p, &sym, function))
			return true;
	return false;
}

/* What is wrong with the jump target of the entry, or NULL. */
static const char *jump_fault(const struct proof *p,
			      const struct table_entry *entry,
			      const struct proof_site *site)
{
	const struct proof_site *target = proof_site_target(&p->list, site);

	if (!target->is_placed || target->is_suspect)
		return "jumps to text that is not the partial's";
	if (entry->target != target->addr)
		return "jumps to another place";
	if (!decode_can_jump(p, site))
		return "is too far from where it jumps to";
	return NULL;
}

/* May the entry of the disabled site SITE have a stub? */
static bool may_have_stub(const struct proof *p, const struct proof_site *site)
{
	const struct shared_site *shared =
		lookup_shared_sites_at(p, site->addr);

	return site->keeps_stub || (shared != NULL && shared->keeps_stub);
}

static const char *entry_fault(const struct proof *p,
			       const struct table_entry *entry,
			       const struct proof_site *site)
{
	const struct stub *stub = site->stub;

	if (!unmatched_entry_same_probe(p, entry, site))
		return "names another probe";
	if (p->run->table.form == TABLE_LINKER_SET)
		return NULL;
	if (entry->stub == 0 && !site->is_disabled && site->form != FORM_BRANCH)
		return "has no stub, but the site branches";
	if (entry->stub != 0 && (stub == NULL || entry->stub != stub->pointer))
		return "has another stub's address";
	if (entry->stub != 0 && site->is_disabled && !may_have_stub(p, site))
		return "has a stub, but the site is not a branch";
	if (entry->prefix != site->prefix)
		return "has another prefix";
	if (entry->form != site->form || entry->is_enabled != site->is_enabled)
		return "is of another kind";
	/* An anchored table has its names beside it: see match_check_names. */
	if (p->run->table.form == TABLE_OFFSETS &&
	    !is_in_function(p, entry->function, site))
		return "names another function";
	return site->form == FORM_BRANCH ? jump_fault(p, entry, site) : NULL;
}

static void report_excluded(struct proof *p, const struct proof_site *site)
{
	struct finding f = report_at_site(site, CAUSE_TABLE_MISMATCH);

	f.remedy = REMEDY_SAME_SECTIONS;
	if (!site->is_suspect)
		report_finding(
			p, &f,
			"the table has this site of %s, which is excluded",
			site->symbol);
}

/* Has ENTRY's probe a site in a section that the image lacks? */
static bool may_be_folded(const struct proof *p,
			  const struct table_entry *entry)
{
	for (size_t k = 0; k < p->run->nproofs; k++)
		if (unmatched_entry_find_dropped(&p->run->proofs[k], entry) !=
		    NULL)
			return p->run->table.form == TABLE_ANCHORED;
	return false;
}

static void report_duplicate(struct proof *p, const struct table_entry *entry,
			     const struct proof_site *site)
{
	struct finding f = { .cause = unmatched_entry_cause(p, site),
			     .has_address = true,
			     .address = entry->addr };

	if (may_be_folded(p, entry)) {
		f.cause = CAUSE_ICF;
		f.remedy = REMEDY_SAFE_ICF;
	}
	report_finding(p, &f, "the table has the site of %s twice",
		       entry->probe);
}

/* The placed site that ENTRY is about, or NULL. */
static const struct proof_site *site_of(const struct proof *p,
					const struct table_entry *entry)
{
	const struct proof_site *site;

	if (p->run->table.form != TABLE_LINKER_SET)
		return lookup_own_site_at(p, entry->addr);
	/* A linker set has the address of the displacement field. */
	for (unsigned back = 0; back <= 4; back++) {
		site = lookup_own_site_at(p, entry->addr - back);
		if (site != NULL && site->field == back)
			return site;
	}
	return NULL;
}

/*
 * The stub of SITE is not hidden: has ENTRY another address for it, or none
 * yet?
 */
static bool has_open_stub(const struct proof *p,
			  const struct table_entry *entry,
			  const struct proof_site *site)
{
	const struct stub *stub = site->stub;

	return unmatched_entry_same_probe(p, entry, site) && stub != NULL &&
	       stub->is_open && entry->stub != stub->pointer;
}

/* Has another partial a site of another probe where SITE is? */
static bool is_contested(const struct proof *p, const struct proof_site *site)
{
	const struct shared_site *shared =
		lookup_shared_sites_at(p, site->addr);

	return shared != NULL &&
	       (shared->is_mixed ||
		strcmp(shared->site->symbol, site->symbol) != 0);
}

/* Was the section of SITE folded into that of the other site, or dropped? */
static void blame_other(const struct proof *p, const struct proof_site *site,
			struct finding *f)
{
	const struct placed *pl = lookup_own_placed_at(p, site->addr);

	f->cause = CAUSE_ICF;
	if (pl == NULL || !folded_has_lost_name(p, pl))
		return;
	f->cause = CAUSE_GC;
	f->remedy = REMEDY_TELL_APART;
}

/* How many entries P looks at, and which the I-th is. */
static size_t count_own_entries(const struct proof *p)
{
	return p->run->own_entries != NULL
		       ? p->run->own_entries->ends[p - p->run->proofs + 1] -
				 p->run->own_entries->ends[p - p->run->proofs]
		       : p->run->table.nentries;
}

static size_t own_entry(const struct proof *p, size_t i)
{
	const struct own_entries *own = p->run->own_entries;

	return own != NULL ? own->items[own->ends[p - p->run->proofs] + i] : i;
}

static void set_state(struct verify_run *run, size_t i, bool is_right)
{
	uint8_t *state = run->entry_states != NULL ? &run->entry_states[i]
						   : NULL;

	if (state != NULL && *state != ENTRY_DISPUTED)
		*state = is_right ? ENTRY_PROVED : ENTRY_DISPUTED;
}

/* Is ENTRY about the site of S at OFFSET? */
static bool is_of(const struct proof *p, const struct pending *s,
		  const struct table_entry *entry, uint64_t offset)
{
	for (size_t i = s->first; i < s->end; i++)
		if (p->list.items[i].offset == offset &&
		    unmatched_entry_same_probe(p, entry, &p->list.items[i]))
			return true;
	return false;
}

void match_dispute(struct proof *p, const struct pending *s, uint64_t addr)
{
	const struct verify_run *run = p->run;
	const struct section *sec =
		&p->partial->sections[p->list.items[s->first].shndx];

	if (run->entry_states == NULL)
		return;
	for (size_t i = entries_below(p, addr); i < run->table.nentries; i++) {
		const struct table_entry *entry = run->entries_by_addr[i];

		if (entry->addr - addr >= sec->size)
			break;
		if (sec->relaxes || !is_of(p, s, entry, entry->addr - addr))
			run->entry_states[entry - run->table.entries] =
				ENTRY_DISPUTED;
	}
}

/* Is an entry at ADDR in section SHNDX, wherever that fits? */
static bool is_in_fitting(const struct proof *p, uint32_t shndx,
			  const struct section_relocs *relocs, uint64_t addr)
{
	uint64_t size = p->partial->sections[shndx].size;

	if (p->partial->sections[shndx].relaxes)
		return true;
	for (uint64_t back = 0; back < size && back <= addr; back++)
		if (placer_fits(&p->placer, shndx, relocs, addr - back))
			return true;
	return false;
}

int match_dispute_uncounted(struct proof *p, const struct pending *s)
{
	const struct verify_run *run = p->run;
	uint32_t shndx = p->list.items[s->first].shndx;
	struct section_relocs relocs;
	int ret;

	if (run->entry_states == NULL)
		return 0;
	ret = sections_read_relocs(p, shndx, s->first, s->end, &relocs);
	for (size_t i = 0; ret == 0 && i < run->table.nentries; i++)
		if (run->entry_states[i] != ENTRY_DISPUTED &&
		    is_in_fitting(p, shndx, &relocs,
				  run->table.entries[i].addr))
			run->entry_states[i] = ENTRY_DISPUTED;
	section_relocs_free(&relocs);
	return ret;
}

/* Are the sites of PL NOPs, in a section so short that it can be anywhere? */
static bool is_anywhere(const struct proof *p, const struct placed *pl)
{
	struct section_relocs relocs;
	bool ret;

	if (branch_is_right(p, &p->list.items[pl->first]))
		return false;
	ret = sections_read_relocs(p, pl->shndx, pl->first, pl->end, &relocs) ||
	      placer_count_fixed(&p->placer, pl->shndx, &relocs) < ALONE_MIN;
	section_relocs_free(&relocs);
	return ret;
}

/*
 * If a site of a section has no entry, this disputes all entries of the
 * section: its bytes match, but the table means another one. The same for the
 * entries of a section that can be anywhere.
 */
static void dispute_torn(struct proof *p)
{
	for (size_t i = 0; i < p->nplaced; i++) {
		const struct placed *pl = &p->placed[i];
		struct pending s = { .first = pl->first, .end = pl->first };
		bool is_torn = is_anywhere(p, pl);

		for (size_t k = pl->first; k < pl->end; k++)
			is_torn |= !p->list.items[k].is_excluded &&
				   !p->list.items[k].is_target &&
				   entries_count_at(p, p->list.items[k].addr,
						    p->list.items[k].symbol) ==
					   0;
		if (is_torn)
			match_dispute(p, &s, pl->addr);
	}
}

void match_count_proved(struct verify_run *run)
{
	const struct place place = { .file = run->img.obj->path };

	run->v->nentries = run->table.nentries;
	for (size_t i = 0; i < run->table.nentries; i++) {
		const struct table_entry *entry = &run->table.entries[i];

		if (run->entry_states[i] == ENTRY_PROVED)
			run->v->nproved++;
		else
			diag_report(run->d, SEVERITY_NOTE, &place,
				    "entry-not-proved", NULL,
				    "nothing shows which site of %s the "
				    "table's entry for 0x%" PRIx64 " is",
				    entry->probe, entry->addr);
	}
}

/* Each entry has a site of its own, and each live site an entry. */
static int check_entries(struct proof *p)
{
	size_t *nentries = calloc(p->list.n + 1, sizeof(nentries[0]));
	size_t n = count_own_entries(p);

	if (nentries == NULL)
		return diag_nomem(p->run->d, p->partial->path);
	for (size_t k = 0; k < n; k++) {
		size_t i = own_entry(p, k);
		const struct table_entry *entry = &p->run->table.entries[i];
		const struct proof_site *site = site_of(p, entry);
		const char *fault;
		struct finding f;
		bool is_twice;

		/* The first partial alone reports entries of no partial. */
		if (site == NULL && (p != p->run->proofs ||
				     lookup_site_at(p, entry->addr) != NULL))
			continue;
		if (site != NULL && site->is_excluded) {
			report_excluded(p, site);
			continue;
		}
		if (site == NULL) {
			site = unmatched_entry_report(p, i);
			if (site != NULL)
				nentries[site - p->list.items]++;
			continue;
		}
		/* Folded sites may keep an entry each. */
		is_twice = ++nentries[site - p->list.items] >
			   folded_count(p, site);
		if (is_twice && !site->is_suspect)
			report_duplicate(p, entry, site);
		fault = entry_fault(p, entry, site);
		set_state(p->run, i,
			  fault == NULL && !is_twice && !site->is_suspect);
		if (fault != NULL && !site->is_suspect) {
			f = report_at_site(site,
					   unmatched_entry_cause(p, site));
			if (is_contested(p, site))
				blame_other(p, site, &f);
			else if (has_open_stub(p, entry, site))
				f.remedy = REMEDY_HIDE_STUB;
			report_finding(
				p, &f,
				"the table's entry for this site of %s %s",
				site->symbol, fault);
		}
	}
	unmatched_site_check(p, nentries);
	if (p->run->entry_states != NULL)
		dispute_torn(p);
	free(nentries);
	return 0;
}

int match_take_table(struct proof *p, int status, bool found)
{
	if (status != 0) {
		/* A damaged table is an answer, and diagnosed. */
		p->run->v->nfindings++;
		p->run->table.nentries = 0;
		p->run->is_damaged = true;
		return p->run->d->ntrouble > 0 ? -1 : 0;
	}
	p->run->has_table = found;
	if (!p->run->v->is_nameless)
		return 0;
	p->run->entry_states = calloc(p->run->table.nentries + 1, 1);
	return p->run->entry_states != NULL
		       ? entries_sort(p->run)
		       : diag_nomem(p->run->d, p->run->img.obj->path);
}

/* --- Names of functions beside an anchored table -------------------------- */

/* Is a site of P that was folded into another one at ADDR in FUNCTION? */
static bool is_folded_in_function(const struct proof *p, uint64_t addr,
				  const char *function)
{
	for (size_t i = 0; i < p->list.n; i++)
		if (p->list.items[i].is_folded && p->list.items[i].is_placed &&
		    p->list.items[i].addr == addr &&
		    is_in_function(p, function, &p->list.items[i]))
			return true;
	return false;
}

/* Each site at an address may have put its function's name beside the table. */
static bool is_named_rightly(const struct proof *all,
			     const struct table_name *name)
{
	const struct verify_run *run = all->run;
	const struct shared_site *first =
		lookup_shared_sites_at(all, name->addr);

	for (size_t i = 0; first != NULL && i < first->n; i++)
		if (first[i].site->is_suspect ||
		    is_in_function(&run->proofs[first[i].k], name->function,
				   first[i].site))
			return true;
	for (size_t k = 0; run->v->nfindings < FINDINGS_MAX && k < run->nproofs;
	     k++)
		if (is_folded_in_function(&run->proofs[k], name->addr,
					  name->function))
			return true;
	/* Names would show where its section is. */
	return first == NULL &&
	       (run->v->is_nameless || lookup_is_explained(all, name->addr));
}

void match_check_names(struct proof *all)
{
	const struct table *table = &all->run->table;

	for (size_t i = 0; !all->run->is_damaged && i < table->nnames; i++) {
		struct finding f = { .cause = CAUSE_TABLE_MISMATCH,
				     .has_address = true,
				     .address = table->names[i].addr };

		if (!is_named_rightly(all, &table->names[i]))
			report_finding(all, &f,
				       "the table names another function: %s",
				       table->names[i].function);
	}
}

/* -------------------------------------------------------------------------- */

/* Is PROBE one of a partial that was not given? Its site is reported. */
static bool is_of_foreign(const struct proof *p, const char *probe)
{
	for (size_t i = 0; i < p->run->table.nentries; i++)
		if (strcmp(p->run->table.entries[i].probe, probe) == 0 &&
		    unmatched_entry_is_foreign(p, &p->run->table.entries[i]) &&
		    !lookup_is_explained(p, p->run->table.entries[i].addr))
			return true;
	return false;
}

/* Checks what the table says of each probe, even of a probe without a site. */
static void check_probes(struct proof *p)
{
	for (size_t i = 0;
	     p->run->table.probes != NULL && i < p->run->table.nprobes; i++) {
		const struct table_probe *probe = &p->run->table.probes[i];
		const struct stub *stub = stub_find(p, probe->symbol);
		struct finding f = { .cause = CAUSE_TABLE_MISMATCH };
		size_t prefix;

		if (stub == NULL) {
			if (!is_of_foreign(p, probe->symbol))
				report_finding(
					p, &f,
					"the table has a probe %s, which the "
					"partial or the image has not",
					probe->symbol);
			continue;
		}
		if (probe_classify(p->run->options, probe->symbol, false,
				   &prefix) != PROBE_NONE &&
		    prefix == probe->prefix && stub->pointer == probe->stub)
			continue;
		report_finding(p, &f,
			       "the table's probe %s has another prefix or "
			       "another stub",
			       probe->symbol);
	}
}

/* Has the table sites, but of none of the partial's probes? */
static bool is_of_another(const struct proof *p)
{
	if (p->run->table.form != TABLE_OFFSETS)
		return false;
	for (size_t i = 0; i < p->run->table.nprobes; i++)
		for (size_t k = 0; k < p->list.n; k++)
			if (strcmp(p->run->table.probes[i].symbol,
				   p->list.items[k].symbol) == 0)
				return false;
	return p->run->table.nentries > 0;
}

static void report_another(struct proof *p)
{
	struct finding f = { .cause = CAUSE_TABLE_MISMATCH,
			     .has_address = true,
			     .address = p->run->table.addr,
			     .remedy = REMEDY_OTHER_TABLE };

	report_finding(p, &f, "the table %s is of another partial",
		       p->run->options->table_name);
}

static bool has_live_sites(const struct proof *p)
{
	for (size_t k = 0; k < p->run->nproofs; k++)
		for (size_t i = 0; i < p->run->proofs[k].list.n; i++)
			if (!p->run->proofs[k].list.items[i].is_excluded &&
			    !p->run->proofs[k].list.items[i].is_absent &&
			    !p->run->proofs[k].list.items[i].is_target &&
			    !p->run->proofs[k].list.items[i].is_dead)
				return true;
	return false;
}

/* No site is in the image, and no table; then no table is to have any. */
static void check_lost_table(struct proof *p)
{
	struct finding f = { .cause = CAUSE_TABLE_MISSING,
			     .has_address = true,
			     .remedy = REMEDY_NAME_TABLE };

	if (p != p->run->proofs || p->run->v->nfindings > 0 ||
	    !table_find_lost(&p->run->img, &f.address))
		return;
	report_finding(
		p, &f,
		"the image has a site table, but neither symbol nor section of "
		"that name");
}

/* The table has no entry. A linker script may have put them elsewhere. */
static void report_empty_table(struct proof *p)
{
	struct finding f = { .cause = CAUSE_TABLE_MISSING };
	uint64_t addr = p->run->table.addr;

	if (p->run->table.form != TABLE_ANCHORED ||
	    !table_find_lost(&p->run->img, &f.address)) {
		if (p->run->v->is_linked)
			f.remedy = REMEDY_KEEP_TABLE;
		report_finding(p, &f,
			       "the site table at 0x%" PRIx64 " has no entry",
			       addr);
		return;
	}
	f.has_address = true;
	f.remedy = REMEDY_TABLE_BOUNDS;
	report_finding(p, &f,
		       "the site table at 0x%" PRIx64
		       " has no entry, but the image has one here",
		       addr);
}

/*
 * Counts the partials that have a site at ENTRY, from *FIRST on. Without any,
 * the first partial counts.
 */
static size_t count_owners(const struct proof *all,
			   const struct table_entry *entry,
			   const struct shared_site **first)
{
	*first = lookup_shared_sites_at(all, entry->addr);
	return *first != NULL ? (*first)->n : 1;
}

int match_share_entries(struct verify_run *run)
{
	const struct table *table = &run->table;
	struct own_entries *own = calloc(1, sizeof(*own));
	const struct shared_site *first;
	size_t n = 0;

	if (own == NULL)
		return diag_nomem(run->d, run->img.obj->path);
	run->own_entries = own;
	for (size_t i = 0; i < table->nentries; i++)
		n += count_owners(run->proofs, &table->entries[i], &first);
	own->ends = calloc(run->nproofs + 2, sizeof(own->ends[0]));
	own->items = malloc((n + 1) * sizeof(own->items[0]));
	if (own->ends == NULL || own->items == NULL)
		return diag_nomem(run->d, run->img.obj->path);
	for (size_t i = 0; i < table->nentries; i++) {
		n = count_owners(run->proofs, &table->entries[i], &first);
		for (size_t k = 0; k < n; k++)
			own->ends[(first != NULL ? first[k].k : 0) + 2]++;
	}
	for (size_t k = 2; k < run->nproofs + 2; k++)
		own->ends[k] += own->ends[k - 1];
	/* These are starts now, and become ends. */
	for (size_t i = 0; i < table->nentries; i++) {
		n = count_owners(run->proofs, &table->entries[i], &first);
		for (size_t k = 0; k < n; k++)
			own->items[own->ends[(first != NULL ? first[k].k : 0) +
					     1]++] = i;
	}
	return 0;
}

void match_free_own_entries(struct own_entries *own)
{
	if (own != NULL) {
		free(own->ends);
		free(own->items);
	}
	free(own);
}

/* Then the table is there, too, or the linker script has lost it. */
static bool has_descriptor(const struct verify_run *run)
{
	for (size_t i = 0; i < run->nstubs; i++) {
		const char *name = run->stubs[i].symbol;
		uint32_t symndx = 0, nop = 0;
		struct symbol sym;

		if (names_next_prefixed(&run->img.names, SDT_PROBE_SYMBOL, name,
					&symndx, &sym) ||
		    names_next_prefixed(&run->img.names, SDT_NOP_PROBE_SYMBOL,
					name, &nop, &sym))
			return true;
	}
	return false;
}

int match_table(struct proof *p)
{
	struct finding f = { .cause = CAUSE_TABLE_MISSING };

	if (p->run->is_damaged)
		return 0;
	if (!p->run->has_table && p->list.n > 0 && !has_live_sites(p))
		check_lost_table(p);
	/* Only the offsets table is there if it is empty. */
	if (!p->run->has_table && p->run->options->table != TABLE_OFFSETS &&
	    !has_live_sites(p))
		return check_entries(p);
	if (!p->run->has_table && p != p->run->proofs)
		return 0;
	if (!p->run->has_table) {
		if (has_descriptor(p->run))
			f.remedy = REMEDY_SCRIPT_LINES;
		else if (p->run->v->is_linked)
			f.remedy = REMEDY_KEEP_TABLE;
		report_finding(p, &f,
			       "the image has no site table: no symbol %s, no "
			       "section %s",
			       p->run->options->table_name,
			       p->run->options->table == TABLE_LINKER_SET
				       ? "set_sdt_probe_site_set"
				       : p->run->options->sites_name);
		return 0;
	}
	if (p->run->table.nentries == 0 && has_live_sites(p)) {
		if (p == p->run->proofs)
			report_empty_table(p);
		return 0;
	}
	if (is_of_another(p)) {
		report_another(p);
		return 0;
	}
	check_probes(p);
	return check_entries(p);
}
