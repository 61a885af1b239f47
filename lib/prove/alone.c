/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: checks a final without partials. The table stands in for what
 * partials would say about the sites. So this proves that table, text, stubs
 * and the records of --nop agree, not that they are right. A branch shows by
 * itself which probe it is of; for a NOP, the record says so.
 */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/tracepoint.h"
#include "base/table-format.h"
#include "base/search.h"
#include "decoy.h"
#include "elf/check.h"
#include "elf/functions.h"
#include "entries.h"
#include "proof.h"

struct alone {
	struct proof *p; /* its partial is the final */
	struct decoys decoys;
	size_t nquiet;	 /* sites that are off, and have none */
	size_t nunknown; /* sites of no probe function */
};

/* --- What the table says ------------------------------------------------- */

/*
 * Does SITE, in its mode, branch to the stub of ENTRY? Or if that has none, is
 * it off?
 */
static bool fits_mode(const struct alone *alone,
		      const struct table_entry *entry,
		      const struct proof_site *site)
{
	uint8_t bits = alone->p->run->img.obj->arch->mode_bits;
	struct branch branch;

	return entry->stub != 0 ? decode_site(alone->p, site, &branch) &&
					  branch.target == (entry->stub & ~bits)
				: records_is_disabled(alone->p, site);
}

/*
 * If neither a mark nor a function says which mode the code has, ENTRY does: it
 * has the first in which SITE is as it says.
 */
static void find_mode(const struct alone *alone,
		      const struct table_entry *entry,
		      const struct image_section *is, struct proof_site *site)
{
	const struct image *img = &alone->p->run->img;

	if (records_mode_at(img, is, site->addr, &site->mode))
		return;
	for (unsigned mode = 0; mode <= img->obj->arch->mode_bits; mode++) {
		site->mode = mode;
		if (fits_mode(alone, entry, site))
			return;
	}
	site->mode = 0;
}

static void fill_site(const struct alone *alone,
		      const struct table_entry *entry, struct proof_site *site)
{
	const struct image *img = &alone->p->run->img;
	const struct image_section *is = image_find_text(img, entry->addr, 1);
	struct branch branch;

	*site = (struct proof_site){
		.addr = entry->addr,
		.symbol = entry->probe,
		.prefix = entry->prefix,
		.form = entry->form,
		.is_enabled = entry->is_enabled,
		.is_placed = is != NULL,
	};
	if (is == NULL)
		return;
	site->shndx = is->shndx;
	site->offset = entry->addr - is->code.addr;
	site->length = 1;
	find_mode(alone, entry, is, site);
	if (!decode_site(alone->p, site, &branch))
		return;
	site->length = branch.length;
	site->field = branch.field;
}

/*
 * Lists all functions with the name of a probe function, with or without a
 * site.
 */
static void list_mentioned(struct proof *p)
{
	const struct object *final = p->run->img.obj;
	struct symbol sym;
	size_t prefix;

	for (size_t i = 1; i < final->nsymbols; i++) {
		object_symbol(final, i, &sym);
		if (sym.is_defined && sym.type != STT_OBJECT &&
		    probe_classify(p->run->options, sym.name, true, &prefix) !=
			    PROBE_NONE)
			p->list.mentioned[p->list.nmentioned++] = i;
	}
}

/* Takes the sites from the table, in the order of their addresses. */
static int list_sites(struct alone *alone)
{
	struct verify_run *run = alone->p->run;
	struct proof_site_list *list = &alone->p->list;

	list->n = run->table.nentries;
	list->items = calloc(list->n + 1, sizeof(list->items[0]));
	list->mentioned =
		calloc(run->img.obj->nsymbols + 1, sizeof(list->mentioned[0]));
	alone->p->is_suspect = calloc(run->img.obj->nsections + 1,
				      sizeof(alone->p->is_suspect[0]));
	if (list->items == NULL || list->mentioned == NULL ||
	    alone->p->is_suspect == NULL)
		return diag_nomem(run->d, run->img.obj->path);
	if (entries_sort(run))
		return -1;
	for (size_t i = 0; i < list->n; i++)
		fill_site(alone, run->entries_by_addr[i], &list->items[i]);
	list_mentioned(alone->p);
	return 0;
}

/* --- The entries --------------------------------------------------------- */

/* What is wrong with the jump of an entry in the branch form, or NULL. */
static const char *jump_fault(const struct alone *alone,
			      const struct table_entry *entry,
			      const struct proof_site *site)
{
	const struct image *img = &alone->p->run->img;
	const struct tracepoint_isa *isa = tracepoint_isa_find(
		img->obj->ehdr.e_machine, img->obj->is_64, site->mode);
	const struct image_section *is = image_find_text(img, site->addr, 1);
	uint8_t jump[TRACEPOINT_INSN_MAX];

	if (isa == NULL ||
	    is->code.size - (site->addr - is->code.addr) < isa->length ||
	    !tracepoint_is_own_nop(isa, img->obj->is_big_endian,
				   is->code.bytes +
					   (site->addr - is->code.addr)))
		return "is not for the NOP of the branch form";
	if (image_find_text(img, entry->target, 1) == NULL ||
	    !tracepoint_encode(
		    isa, img->obj->is_big_endian,
		    tracepoint_distance(isa, site->addr, entry->target), jump))
		return "jumps to where it cannot";
	return NULL;
}

/* Does SITE branch as the table says? */
static bool is_branch(const struct alone *alone, const struct proof_site *site)
{
	struct branch branch;

	return site->stub != NULL && decode_site(alone->p, site, &branch) &&
	       branch.form == site->form &&
	       reach_goes_to(alone->p, site->addr, &branch, site->stub);
}

static int read_records(struct alone *alone)
{
	const struct object *final = alone->p->partial;
	struct finding f = { .cause = CAUSE_TABLE_MISMATCH };

	if (records_read(alone->p->run->d, final, &alone->p->run->records))
		return -1;
	if (alone->p->run->records.is_compressed)
		return diag_report(
			alone->p->run->d, SEVERITY_TROUBLE,
			&(struct place){ .file = final->path }, "no-records",
			"use objcopy --decompress-debug-sections",
			"the section %s is compressed", SDT_BEFORE_SECTION);
	if (alone->p->run->records.is_damaged)
		report_finding(alone->p, &f,
			       "the records of section %s are damaged",
			       SDT_BEFORE_SECTION);
	return 0;
}

static const char *disabled_fault(struct alone *alone,
				  const struct table_entry *entry,
				  const struct proof_site *site)
{
	const struct records *records = &alone->p->run->records;
	size_t i = records_below(records, site->addr);
	const char *fault = NULL;

	if (!records_is_at(records, i, site->addr)) {
		alone->nquiet++;
		return entry->stub != 0 && records->n > 0
			       ? "has a stub, and the site is not a branch"
			       : NULL;
	}
	for (; fault == NULL && records_is_at(records, i, site->addr); i++)
		fault = records_fault(alone->p, &records->items[i], site);
	return fault;
}

/* What is wrong with the probe of an entry by the options, or NULL. */
static const char *probe_fault(struct alone *alone,
			       const struct table_entry *entry,
			       const struct proof_site *site)
{
	size_t prefix;
	enum probe_use use = probe_classify(alone->p->run->options,
					    entry->probe, false, &prefix);

	if (entry->stub != 0 &&
	    (site->stub == NULL || entry->stub != site->stub->pointer))
		return "has another stub's address";
	if (use == PROBE_NONE) {
		alone->nunknown++;
		return NULL;
	}
	if (prefix != entry->prefix)
		return "has another prefix";
	return (use == PROBE_ENABLED) != entry->is_enabled
		       ? "is of another kind"
		       : NULL;
}

/* What is wrong with the function of an entry at ADDR, or NULL. */
static const char *function_fault(struct alone *alone, uint64_t addr,
				  const char *name)
{
	struct verify_run *run = alone->p->run;
	struct symbol sym, function;
	uint32_t symndx = 0;

	if (!image_function(&run->img, addr, &function))
		function = (struct symbol){ .size = 0 };
	if (name[0] == '\0')
		return function.size > 0 ? "names no function" : NULL;
	for (size_t i = 0;
	     image_functions_next(&run->img, function.value, 1, &i, &sym);)
		if (versions_same(alone->p, sym.name, name))
			return NULL;
	if (function.size > 0 ||
	    names_next(&run->img.names, name, &symndx, &sym))
		return "names another function";
	run->v->unchecked |= 1u << UNCHECKED_FUNCTIONS;
	return NULL;
}

/* llvm-bolt keeps the old text, which runs no more, under such a name. */
static bool is_left_behind(const struct alone *alone,
			   const struct proof_site *site)
{
	static const char prefix[] = ".bolt.org.";

	return strncmp(alone->p->run->img.obj->sections[site->shndx].name,
		       prefix, sizeof(prefix) - 1) == 0;
}

static const char *entry_fault(struct alone *alone,
			       const struct table_entry *entry,
			       const struct proof_site *site)
{
	bool is_anchored = alone->p->run->table.form == TABLE_ANCHORED;
	const char *fault;

	if (!site->is_placed)
		return "is for what is not code";
	if (is_left_behind(alone, site))
		return "is for code that llvm-bolt has moved away";
	if (decoys_is_inside(
		    &alone->decoys,
		    image_find_text(&alone->p->run->img, site->addr, 1),
		    site->offset))
		return "is for the inside of an instruction";
	fault = probe_fault(alone, entry, site);
	if (fault != NULL)
		return fault;
	if (site->form == FORM_BRANCH) {
		alone->p->run->v->unchecked |= 1u << UNCHECKED_JUMPS;
		fault = jump_fault(alone, entry, site);
	} else if (is_branch(alone, site)) {
		fault = entry->stub == 0 ? "has no stub, and the site branches"
					 : NULL;
	} else if (is_anchored && records_is_disabled(alone->p, site)) {
		fault = disabled_fault(alone, entry, site);
	} else {
		fault = is_anchored ? "is for no branch to its stub, and no NOP"
				    : "is for no branch to its stub";
	}
	return fault == NULL && alone->p->run->table.has_functions
		       ? function_fault(alone, entry->addr, entry->function)
		       : fault;
}

/*
 * Could both entries A and B be right? A linker that folds functions may keep
 * the entries of each. Only the objects can show that it did.
 */
static bool may_be_folded(struct verify_run *run, const struct table_entry *a,
			  const struct table_entry *b)
{
	if (run->table.form != TABLE_ANCHORED ||
	    strcmp(a->probe, b->probe) != 0)
		return false;
	run->v->unchecked |= 1u << UNCHECKED_FOLDED;
	return true;
}

static void check_entries(struct alone *alone)
{
	struct proof *p = alone->p;
	const struct table_entry *const *entries = p->run->entries_by_addr;

	for (size_t i = 0; i < p->list.n; i++) {
		const char *fault =
			entry_fault(alone, entries[i], &p->list.items[i]);
		struct finding f = { .cause = CAUSE_TABLE_MISMATCH,
				     .has_address = true,
				     .address = entries[i]->addr };

		if (fault != NULL)
			report_finding(
				p, &f,
				"the table's entry for this site of %s %s",
				entries[i]->probe, fault);
		else if (i > 0 && entries[i - 1]->addr == f.address &&
			 !may_be_folded(p->run, entries[i - 1], entries[i]))
			report_finding(p, &f,
				       "the table has the site of %s twice",
				       entries[i]->probe);
	}
}

/* Checks the names of functions beside an anchored table. */
static void check_names(struct alone *alone)
{
	struct proof *p = alone->p;
	const struct table *table = &p->run->table;

	for (size_t i = 0; i < table->nnames; i++) {
		const struct table_name *name = &table->names[i];
		struct finding f = { .cause = CAUSE_TABLE_MISMATCH,
				     .has_address = true,
				     .address = name->addr };

		if (!entries_is_at(p, entries_below(p, name->addr),
				   name->addr) ||
		    function_fault(alone, name->addr, name->function) != NULL)
			report_finding(p, &f,
				       "the table names another function: %s",
				       name->function);
	}
}

/* Checks the probes, which an offsets table also lists on their own. */
static void check_probes(struct alone *alone)
{
	struct proof *p = alone->p;
	const struct table *table = &p->run->table;

	for (size_t i = 0; table->probes != NULL && i < table->nprobes; i++) {
		const struct stub *stub = stub_find(p, table->probes[i].symbol);
		struct finding f = { .cause = CAUSE_TABLE_MISMATCH };

		if (stub == NULL || stub->pointer != table->probes[i].stub)
			report_finding(
				p, &f,
				"the table's probe %s has another stub than "
				"the image",
				table->probes[i].symbol);
	}
}

/* --- The whole ----------------------------------------------------------- */

/* Refuses an image that lacks what this check needs. */
static int check_means(const struct alone *alone)
{
	const struct verify_run *run = alone->p->run;
	const char *path = run->img.obj->path;

	if (run->table.form == TABLE_LINKER_SET)
		return diag_file(run->d, path, "no-records",
				 "has a linker set, which does not say what "
				 "its sites are: give the partial, too");
	if (run->nlost == 0)
		return 0;
	return diag_file(run->d, path, "no-symbols",
			 "has no symbol of the stub %s: run sdtlink before "
			 "strip",
			 run->lost[0]);
}

static int check_quiet(const struct alone *alone)
{
	const struct verify_run *run = alone->p->run;
	struct place place = { .file = run->img.obj->path };

	if (run->v->nfindings > 0)
		return 0;
	if (alone->nunknown > 0)
		return diag_report(
			run->d, SEVERITY_TROUBLE, &place, "no-probes",
			"give the --prefix, --enabled-prefix and --symbol that "
			"the table was made with",
			"%zu of %zu entries of its table are of no probe "
			"function",
			alone->nunknown, run->table.nentries);
	if (alone->nquiet == 0)
		return 0;
	return diag_report(run->d, SEVERITY_TROUBLE, &place, "no-records",
			   "give the objects that were linked, too, or verify "
			   "before strip",
			   "%zu of %zu sites are NOPs, and no record in %s "
			   "shows which probes they are of",
			   alone->nquiet, run->table.nentries,
			   SDT_BEFORE_SECTION);
}

static void count(struct proof *p)
{
	struct verification *v = p->run->v;
	uint32_t last = 0;

	for (size_t i = 0; i < p->list.n; i++) {
		const struct proof_site *site = &p->list.items[i];

		v->nsites += i == 0 || site->addr != site[-1].addr;
		v->nsections += site->shndx != last;
		last = site->shndx;
	}
}

static int check(struct alone *alone)
{
	struct proof *p = alone->p;
	struct verify_run *run = p->run;
	struct verification *v = run->v;
	bool found;
	int status;

	v->unchecked = 1u << UNCHECKED_SITES | 1u << UNCHECKED_TEXT |
		       1u << UNCHECKED_ADDRESSES;
	status = table_read(run->d, &run->img, run->options, &run->table,
			    &found);
	if (match_take_table(p, status, found))
		return -1;
	if (!p->run->is_damaged) {
		if (list_sites(alone) || stubs_list(p) || reach_list_gots(p) ||
		    stubs_locate(p) || overlays_check(p, 1) ||
		    check_means(alone) || lookup_sort_placed(p->run) ||
		    lookup_index_sites(p) || read_records(alone))
			return -1;
		for (size_t i = 0; i < p->list.n; i++)
			p->list.items[i].stub =
				stub_find(p, p->list.items[i].symbol);
		stubs_check_distinct(p);
		check_entries(alone);
		check_probes(alone);
		check_names(alone);
		records_check(p);
		verify_check_site_relocs(p);
		verify_check_table_relocs(p);
		stub_code_check(p);
		if (extra_check(p) || check_quiet(alone))
			return -1;
		count(p);
	}
	v->verdict = v->nfindings > 0 ? VERDICT_DRIFT : VERDICT_SOUND;
	return 0;
}

int alone_verify(struct diag *d, const struct object *final,
		 const struct options *options, struct verification *v)
{
	struct verify_run run = {
		.d = d,
		.options = options,
		.v = v,
		.proofs = calloc(1, sizeof(run.proofs[0])),
		.nproofs = 1,
	};
	struct alone alone = { .p = run.proofs, .decoys = { .p = run.proofs } };
	int ret = -1;

	v->verdict = VERDICT_REFUSED;
	if (alone.p == NULL)
		return diag_nomem(d, final->path);
	*alone.p = (struct proof){ .run = &run,
				   .partial = final,
				   .is_injected = true };
	if (check_run_time_relocs(d, final) == 0 &&
	    image_open(d, final, &run.img) == 0 &&
	    names_build(d, final, &alone.p->functions) == 0)
		ret = check(&alone);
	if (ret == 0 && alone.decoys.has_failed)
		ret = diag_nomem(d, final->path);
	decoys_free(&alone.decoys);
	verify_free(&run);
	return ret;
}
