/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/table-format.h"
#include "arch/tracepoint.h"
#include "base/grow.h"
#include "sites/alternatives.h"
#include "sites/probe.h"
#include "sites/tracepoint.h"
#include "proof-site.h"

struct collector {
	struct diag *d;
	const struct object *obj;
	const struct options *options;
	const struct names *names;
	struct proof_site_list *list;
	enum section_policy policy; /* for the section that is read */
	struct alternatives alternatives;
	uint8_t *use; /* by symbol index: this or an enum probe_use */
};

#define NAMES_CODE 0xff /* see probe_names_code */

/*
 * Calls probe_classify for SYM, which sets *PREFIX. For --symbol, a stub that
 * --inject made still counts as undefined.
 */
static enum probe_use classify(const struct collector *c,
			       const struct symbol *sym, size_t *prefix)
{
	bool is_defined = sym->shndx != SHN_UNDEF;

	if (is_defined && c->options->symbols.n > 0)
		is_defined = !names_is_stub(c->names, sym->name);
	return probe_classify(c->options, sym->name, is_defined, prefix);
}

static int add_mentioned(struct collector *c, uint32_t symndx)
{
	struct proof_site_list *list = c->list;
	uint32_t *mentioned = grow_list(list->mentioned, list->nmentioned,
					sizeof(mentioned[0]));

	if (mentioned == NULL)
		return diag_nomem(c->d, c->obj->path);
	list->mentioned = mentioned;
	mentioned[list->nmentioned++] = symndx;
	return 0;
}

/*
 * Classifies symbols in order, which is faster than in the order of
 * relocations.
 */
static int classify_symbols(struct collector *c)
{
	const struct object *obj = c->obj;

	c->use = calloc(obj->nsymbols + 1, sizeof(c->use[0]));
	if (c->use == NULL)
		return diag_nomem(c->d, obj->path);
	for (size_t i = 1; i < obj->nsymbols; i++) {
		enum probe_use use = PROBE_NONE;
		struct symbol sym;
		size_t prefix;

		object_fetch_name(obj, i + NAMES_AHEAD);
		object_symbol(obj, i, &sym);
		if (sym.bind != STB_LOCAL)
			use = classify(c, &sym, &prefix);
		if (use != PROBE_NONE && add_mentioned(c, i))
			return -1;
		c->use[i] = symbol_is_data(&sym) && sym.is_defined ? PROBE_NONE
								   : use;
		if (c->use[i] == PROBE_NONE &&
		    probe_names_code(c->options, obj->arch, sym.name))
			c->use[i] = NAMES_CODE;
	}
	return 0;
}

static int add_site(struct collector *c, const struct proof_site *site)
{
	struct proof_site_list *list = c->list;
	struct proof_site *items =
		grow_list(list->items, list->n, sizeof(items[0]));

	if (items == NULL)
		return diag_nomem(c->d, c->obj->path);
	list->items = items;
	items[list->n++] = *site;
	return 0;
}

static void refuse(struct collector *c, uint32_t shndx, const struct reloc *r,
		   const char *symbol)
{
	struct place place = object_where(c->obj, shndx, r->offset);

	diag_report(c->d, SEVERITY_NO, &place, "not-a-branch", REMEDY_GENERATE,
		    "%s is used by something that is not a direct branch: "
		    "nothing can be proved",
		    symbol);
	c->list->nrefused++;
}

static bool is_copied(const struct collector *c, uint32_t shndx,
		      uint64_t offset)
{
	return alternatives_hold(&c->alternatives, shndx, offset);
}

/* SECTION is the policy for the whole section. */
static enum section_policy policy_at(const struct collector *c,
				     enum section_policy section,
				     uint32_t shndx, uint64_t offset)
{
	return is_copied(c, shndx, offset)
		       ? options_section_policy(c->options,
						ALTERNATIVES_SECTION)
		       : section;
}

static void refuse_section(struct collector *c, uint32_t shndx, uint64_t offset)
{
	struct place place = object_where(c->obj, shndx, offset);
	bool copied = is_copied(c, shndx, offset);

	diag_report(c->d, SEVERITY_NO, &place, "refused-section",
		    copied ? "leave it out with "
			     "--skip-section=" ALTERNATIVES_SECTION
			   : "exclude the section with --skip-section",
		    copied ? "a probe in code that is copied to where it runs"
			   : "a probe in a section that must not be patched");
	c->list->nrefused++;
}

static bool is_of_probe(const struct collector *c, const struct reloc *r)
{
	return c->use[r->symndx] != PROBE_NONE;
}

static int take_reloc(struct collector *c, uint32_t shndx,
		      const struct code *code, const struct reloc *r)
{
	const struct section *sec = &c->obj->sections[shndx];
	struct proof_site site = { .shndx = shndx };
	uint8_t use = c->use[r->symndx];
	enum section_policy policy;
	struct branch branch;
	struct symbol sym;
	size_t prefix = 0;

	object_symbol(c->obj, r->symndx, &sym);
	/* An anchored table's descriptors refer to stubs, too. */
	if (r->type == c->obj->arch->reloc_none ||
	    strcmp(sec->name, SDT_PROBES_SECTION) == 0)
		return 0;
	if (use == NAMES_CODE) {
		refuse(c, shndx, r, sym.name);
		return 0;
	}
	/* A pattern of whole names leaves no prefix, and takes long to match.
	 */
	if (use != PROBE_SYMBOL)
		classify(c, &sym, &prefix);
	site.prefix = prefix;
	policy = policy_at(c, c->policy, shndx, r->offset);
	if (policy == SECTION_REFUSE) {
		refuse_section(c, shndx, r->offset);
		return 0;
	}
	site.is_excluded = policy == SECTION_SKIP;
	c->list->has_excluded |= site.is_excluded;
	if (!section_is_text(sec) ||
	    !arch_decode_at_field(c->obj->arch, code, r->offset, &branch)) {
		if (!site.is_excluded)
			refuse(c, shndx, r, sym.name);
		return 0;
	}
	site.offset = r->offset - branch.field;
	site.symbol = sym.name;
	site.reloc = *r;
	site.field = branch.field;
	site.length = branch.length;
	site.mode = branch.mode & c->obj->mode_bits;
	site.form = branch.form;
	site.is_enabled = use == PROBE_ENABLED;
	return add_site(c, &site);
}

/* Relocations whose code is fetched into the cache: sites are some apart. */
#define CODE_AHEAD 128

static int collect_section(struct collector *c, uint32_t shndx)
{
	struct section_relocs relocs;
	struct code code = { 0 };
	int ret = -1;

	c->policy = options_section_policy(c->options,
					   c->obj->sections[shndx].name);
	if (section_relocs_read(c->d, c->obj, shndx, &relocs))
		goto done;
	if (!object_code(c->d, c->obj, shndx, &code))
		goto done;
	for (size_t i = 0; i < relocs.n; i++) {
		if (i + CODE_AHEAD < relocs.n)
			__builtin_prefetch(
				code.bytes +
				relocs.relocs[i + CODE_AHEAD].offset);
		if (is_of_probe(c, &relocs.relocs[i]) &&
		    take_reloc(c, shndx, &code, &relocs.relocs[i]))
			goto done;
	}
	ret = 0;
done:
	section_relocs_free(&relocs);
	return ret;
}

/* --- FreeBSD's tracepoints --------------------------------------------- */

/*
 * Adds a tracepoint. It is not a site, and has no entry in the table. But the
 * final must have its record, with the addresses of patchpoint and target.
 */
static int add_tracepoint(struct collector *c, const struct tracepoint *tp,
			  unsigned length)
{
	struct proof_site target = { .form = FORM_BRANCH,
				     .is_target = true,
				     .symbol = tp->probe != NULL ? tp->probe
								 : "",
				     .shndx = tp->target.shndx,
				     .offset = tp->target.offset };
	struct proof_site patchpoint = target;

	patchpoint.is_tracepoint = true;
	patchpoint.shndx = tp->patchpoint.shndx;
	patchpoint.offset = tp->patchpoint.offset;
	patchpoint.length = length;
	patchpoint.target_shndx = tp->target.shndx;
	patchpoint.target = tp->target.offset;
	c->list->ntargets += 2;
	c->list->ntracepoints++;
	return add_site(c, &patchpoint) || add_site(c, &target) ? -1 : 0;
}

static bool is_in_text(const struct collector *c, const struct spot *spot)
{
	const struct section *sec = &c->obj->sections[spot->shndx];

	return spot->shndx != 0 && section_is_text(sec) &&
	       spot->offset < sec->size;
}

/* The lint reports places outside text. */
static int collect_tracepoints(struct collector *c)
{
	struct tracepoint_set set = { 0 };
	int ret = 0;

	if (tracepoint_present(c->obj))
		ret = tracepoint_read(c->d, c->obj, NULL, &set);
	for (size_t i = 0; ret == 0 && i < set.n; i++)
		if (is_in_text(c, &set.items[i].patchpoint) &&
		    is_in_text(c, &set.items[i].target))
			ret = add_tracepoint(c, &set.items[i], set.length);
	tracepoint_set_free(&set);
	return ret;
}

/* --- The branch form --------------------------------------------------- */

static int compare_sites(const void *a, const void *b)
{
	const struct proof_site *x = a, *y = b;

	if (x->shndx != y->shndx)
		return x->shndx < y->shndx ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->is_target - y->is_target;
}

const struct proof_site *proof_site_target(const struct proof_site_list *list,
					   const struct proof_site *site)
{
	struct proof_site key = { .shndx = site->target_shndx,
				  .offset = site->target,
				  .is_target = true };

	return bsearch(&key, list->items, list->n, sizeof(key), compare_sites);
}

/* A record: words for the probe function, the site, and where to jump. */
enum { RECORD_PROBE, RECORD_SITE, RECORD_TARGET, RECORD_WORDS };

/* The place in text that R means; false if there is none. */
static bool find_place(const struct collector *c, const struct reloc *r,
		       const uint8_t *bytes, uint32_t *shndx, uint64_t *offset)
{
	const struct object *obj = c->obj;
	struct symbol sym;

	object_symbol(obj, r->symndx, &sym);
	if (!sym.is_defined || !section_is_text(&obj->sections[sym.shndx]))
		return false;
	*shndx = sym.shndx;
	*offset = sym.value + (obj->arch->uses_rela
				       ? (uint64_t)r->addend
				       : object_word(obj, bytes + r->offset));
	if (!obj->is_64)
		*offset = (uint32_t)*offset;
	return *offset < obj->sections[sym.shndx].size;
}

static int refuse_record(struct collector *c, uint32_t shndx, uint64_t offset)
{
	struct place place = object_where(c->obj, shndx, offset);

	diag_report(c->d, SEVERITY_NO, &place, "tracepoint",
		    "run sdtlink with --inject on the partial: it names the "
		    "cause",
		    "the record of a site in the branch form is damaged: "
		    "nothing can be proved");
	c->list->nrefused++;
	return 0;
}

/* RELOCS are the three of the record at OFFSET of section SHNDX. */
static int take_record(struct collector *c, uint32_t shndx,
		       const struct reloc *relocs, const uint8_t *bytes,
		       uint64_t offset)
{
	const struct tracepoint_isa *isa =
		tracepoint_isa_find(c->obj->ehdr.e_machine, c->obj->is_64, 0);
	struct proof_site site = { .form = FORM_BRANCH }, target;
	enum section_policy policy;
	struct symbol sym;
	struct code code;
	size_t prefix;
	uint8_t use;

	for (unsigned i = 0; i < RECORD_WORDS; i++)
		if (isa == NULL ||
		    relocs[i].type != tracepoint_reloc(isa, c->obj->arch) ||
		    relocs[i].offset != offset + i * (c->obj->is_64 ? 8 : 4))
			return refuse_record(c, shndx, offset);
	use = c->use[relocs[RECORD_PROBE].symndx];
	if (use == PROBE_NONE || use == NAMES_CODE)
		return 0;
	object_symbol(c->obj, relocs[RECORD_PROBE].symndx, &sym);
	classify(c, &sym, &prefix);
	site.prefix = prefix;
	if (!find_place(c, &relocs[RECORD_SITE], bytes, &site.shndx,
			&site.offset) ||
	    !find_place(c, &relocs[RECORD_TARGET], bytes, &site.target_shndx,
			&site.target))
		return refuse_record(c, shndx, offset);
	site.symbol = sym.name;
	site.is_enabled = use == PROBE_ENABLED;
	if (!object_code(c->d, c->obj, site.shndx, &code))
		return -1;
	isa = tracepoint_isa_at(c->obj->arch, &code, site.offset);
	site.mode = isa->mode;
	site.length = isa->length;
	if (code.size - site.offset < isa->length ||
	    !tracepoint_is_own_nop(isa, c->obj->is_big_endian,
				   code.bytes + site.offset))
		return refuse_record(c, shndx, offset);
	policy = policy_at(
		c,
		options_section_policy(c->options,
				       c->obj->sections[site.shndx].name),
		site.shndx, site.offset);
	if (policy == SECTION_REFUSE)
		refuse_section(c, site.shndx, site.offset);
	site.is_excluded = policy == SECTION_SKIP;
	target = (struct proof_site){ .form = FORM_BRANCH,
				      .is_target = true,
				      .symbol = sym.name,
				      .shndx = site.target_shndx,
				      .offset = site.target };
	c->list->ntargets++;
	return add_site(c, &site) || add_site(c, &target) ? -1 : 0;
}

static int collect_records(struct collector *c, uint32_t shndx)
{
	uint64_t size = RECORD_WORDS * (c->obj->is_64 ? 8 : 4);
	struct section_relocs relocs = { 0 };
	size_t nbytes, n;
	const uint8_t *bytes = object_data(c->d, c->obj, shndx, &nbytes);
	int ret = -1;

	if (bytes == NULL || section_relocs_read(c->d, c->obj, shndx, &relocs))
		goto done;
	n = nbytes / size;
	if (nbytes % size != 0 || relocs.n != n * RECORD_WORDS) {
		ret = refuse_record(c, shndx, 0);
		goto done;
	}
	for (size_t i = 0; i < n; i++)
		if (take_record(c, shndx, &relocs.relocs[i * RECORD_WORDS],
				bytes, i * size))
			goto done;
	ret = 0;
done:
	section_relocs_free(&relocs);
	return ret;
}

static int collect_branches(struct collector *c)
{
	size_t before = c->list->n;

	for (size_t i = 1; i < c->obj->nsections; i++)
		if (strcmp(c->obj->sections[i].name, TRACEPOINT_OWN_SECTION) ==
			    0 &&
		    collect_records(c, i))
			return -1;
	if (collect_tracepoints(c))
		return -1;
	if (c->list->n > before)
		qsort(c->list->items, c->list->n, sizeof(c->list->items[0]),
		      compare_sites);
	return 0;
}

/* Which sections have a relocation against a probe function? */
static int mark_sections(struct collector *c, bool *has_sites)
{
	const struct object *obj = c->obj;

	for (size_t i = 1; i < obj->nsections; i++) {
		const struct section *sec = &obj->sections[i];
		struct relocs relocs;
		struct reloc r;

		if (!section_is_relocs(sec) ||
		    !section_is_alloc(&obj->sections[sec->info]))
			continue;
		if (object_relocs(c->d, obj, i, &relocs))
			return -1;
		for (size_t k = 0; k < relocs.n && !has_sites[sec->info]; k++) {
			reloc_get(&relocs, k, &r);
			has_sites[sec->info] = is_of_probe(c, &r);
		}
	}
	return 0;
}

static int collect_sections(struct collector *c)
{
	bool *has_sites = calloc(c->obj->nsections, sizeof(has_sites[0]));
	int ret = has_sites != NULL ? mark_sections(c, has_sites)
				    : diag_nomem(c->d, c->obj->path);

	for (size_t i = 1; ret == 0 && i < c->obj->nsections; i++)
		if (has_sites[i])
			ret = collect_section(c, i);
	free(has_sites);
	return ret;
}

int proof_site_collect(struct diag *d, const struct object *partial,
		       const struct options *options, const struct names *names,
		       struct proof_site_list *list)
{
	struct collector c = { .d = d,
			       .obj = partial,
			       .options = options,
			       .names = names,
			       .list = list };
	int ret = -1;

	*list = (struct proof_site_list){ 0 };
	if (classify_symbols(&c) == 0 &&
	    alternatives_read(d, partial, &c.alternatives) == 0 &&
	    collect_sections(&c) == 0 && collect_branches(&c) == 0)
		ret = 0;
	alternatives_free(&c.alternatives);
	free(c.use);
	return ret;
}

void proof_site_free(struct proof_site_list *list)
{
	free(list->items);
	free(list->mentioned);
	free(list->uncovered);
	*list = (struct proof_site_list){ 0 };
}
