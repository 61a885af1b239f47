/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "listing.h"
#include "arch/tracepoint.h"
#include "base/search.h"
#include "elf/functions.h"

static const char *form_name(unsigned form)
{
	static const char *const names[] = { "call", "tail", "cond", "branch" };

	return names[form & 3];
}

/* modinfo's name=, for a kernel module. */
static const char *modinfo_name(struct diag *d, const struct object *obj)
{
	uint32_t shndx = object_find_section(obj, ".modinfo");
	const char *bytes;
	size_t size, at = 0;

	if (shndx == 0)
		return NULL;
	bytes = (const char *)object_data(d, obj, shndx, &size);
	while (bytes != NULL && at < size) {
		size_t length = strnlen(bytes + at, size - at);

		if (at + length == size)
			break;
		if (strncmp(bytes + at, "name=", 5) == 0)
			return bytes + at + 5;
		at += length + 1;
	}
	return NULL;
}

/* The length of NAME, of N bytes, without its suffix; 0 if it has none. */
static size_t suffix_at(const char *name, size_t n)
{
	while (n > 0 && name[n - 1] != '.')
		n--;
	return n > 1 ? n - 1 : 0;
}

/*
 * The name of the file without directory and suffix. For an archive's member,
 * that of the member. "name.suffix.gz" is treated as "name.suffix".
 */
static char *stem(const char *path)
{
	size_t n = strlen(path), at;
	const char *name = path, *open = strrchr(path, '(');

	if (open != NULL && n > 0 && path[n - 1] == ')') {
		name = open + 1;
		n = path + n - 1 - name;
	}
	for (size_t i = n; i-- > 0;)
		if (name[i] == '/') {
			n -= i + 1;
			name += i + 1;
			break;
		}
	at = suffix_at(name, n);
	if (at > 0 && n - at == 3 && strncmp(name + at, ".gz", 3) == 0) {
		n = at;
		at = suffix_at(name, n);
	}
	return strndup(name, at > 0 ? at : n);
}

char *listing_module_name(struct diag *d, const struct object *obj,
			  const char *module)
{
	if (module == NULL && object_is_module(obj))
		module = modinfo_name(d, obj);
	return module != NULL ? strdup(module) : stem(obj->path);
}

static int set_head(struct diag *d, const struct object *obj,
		    const char *module, struct listing *listing)
{
	bool is_final = obj->ehdr.e_type != ET_REL;
	bool is_module = object_is_module(obj);

	listing->obj = obj;
	listing->type = is_final ? "final" : is_module ? "module" : "partial";
	listing->module = listing_module_name(d, obj, module);
	return listing->module != NULL ? 0 : diag_nomem(d, obj->path);
}

static int allocate(struct diag *d, struct listing *listing, size_t nprobes,
		    size_t nsites)
{
	listing->probes = calloc(nprobes + 1, sizeof(listing->probes[0]));
	listing->sites = calloc(nsites + 1, sizeof(listing->sites[0]));
	if (listing->probes == NULL || listing->sites == NULL)
		return diag_nomem(d, listing->obj->path);
	return 0;
}

/* Each probe's sites begin where those of the probe before it end. */
static void lay_out_sites(struct listing *listing)
{
	size_t next = 0;

	for (size_t i = 0; i < listing->nprobes; i++) {
		listing->probes[i].first_site = next;
		next += listing->probes[i].nsites;
		listing->probes[i].nsites = 0;
	}
}

static int compare_probes(const void *a, const void *b)
{
	return strcmp(((const struct listed_probe *)a)->symbol,
		      ((const struct listed_probe *)b)->symbol);
}

int listing_grow(struct listing *listing, size_t n)
{
	void *probes =
		realloc(listing->probes, (listing->nprobes + n + 1) *
						 sizeof(listing->probes[0]));
	void *sites = realloc(listing->sites, (listing->nsites + n +
					       1) * sizeof(listing->sites[0]));

	listing->probes = probes != NULL ? probes : listing->probes;
	listing->sites = sites != NULL ? sites : listing->sites;
	return probes != NULL && sites != NULL ? 0 : -1;
}

static struct listed_site *next_site(struct listing *listing, size_t probe)
{
	struct listed_probe *p = &listing->probes[probe];

	listing->nsites++;
	return &listing->sites[p->first_site + p->nsites++];
}

/*
 * The alignment that a place in SEC has in the final, or 0 if it is not fixed
 * yet.
 */
static uint64_t fixed_alignment(const struct section *sec)
{
	return sec->relaxes ? 0 : sec->align != 0 ? sec->align : 1;
}

int listing_from_partial(struct diag *d, const struct object *obj,
			 const char *module, const struct site_set *set,
			 struct listing *listing)
{
	*listing = (struct listing){ .bins = set->bins };
	if (set_head(d, obj, module, listing) ||
	    allocate(d, listing, set->nprobes, set->nsites))
		return -1;
	for (size_t i = 0; i < set->nprobes; i++) {
		const struct probe *probe = &set->probes[i];
		struct listed_probe *lp = &listing->probes[i];

		listing->nprobes++;
		lp->symbol = probe->symbol;
		lp->nsites = probe->nsites;
		if (probe_name_parse(probe->symbol, probe->prefix, &lp->name))
			return diag_nomem(d, obj->path);
	}
	lay_out_sites(listing);
	for (size_t i = 0; i < set->nsites; i++) {
		const struct site *site = &set->sites[i];
		const struct section *sec = &obj->sections[site->shndx];
		struct code code;
		bool is_enabled = set->probes[site->probe].use == PROBE_ENABLED;
		bool is_known = site->function[0] != '\0';

		if (!object_code(d, obj, site->shndx, &code))
			return -1;
		*next_site(listing, site->probe) = (struct listed_site){
			.shndx = site->shndx,
			.section = sec->name,
			.function = is_known ? site->function : NULL,
			.has_function_offset = site->function != NULL,
			.function_offset = site->function_offset,
			.offset = site->offset,
			.kind = is_enabled ? "enabled" : form_name(site->form),
			.form = form_name(site->form),
			.length = site->length,
			.knows_one_store = arch_one_store_is_known(
				obj->arch, site->form, is_enabled, site->mode,
				fixed_alignment(sec), site->length),
			.one_store = arch_one_store(obj->arch, site->form,
						    is_enabled, site->mode,
						    site->offset, site->length),
			.code = code,
			.code_offset = site->offset,
			.has_target = site->form == FORM_BRANCH,
			.target_shndx = site->target_shndx,
			.target = site->target,
			.noted = notes_place(set, site),
		};
	}
	return 0;
}

/* --- A final's table --------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
	return strcmp((*(const struct table_entry *const *)a)->probe,
		      (*(const struct table_entry *const *)b)->probe);
}

static const struct table_entry **sorted_entries(const struct table *table,
						 int (*compare)(const void *,
								const void *))
{
	const struct table_entry **sorted =
		malloc((table->nentries + 1) * sizeof(sorted[0]));

	if (sorted == NULL)
		return NULL;
	for (size_t i = 0; i < table->nentries; i++)
		sorted[i] = &table->entries[i];
	qsort(sorted, table->nentries, sizeof(sorted[0]), compare);
	return sorted;
}

static int add_probes(struct diag *d, const struct table *table,
		      struct listing *listing)
{
	const struct table_entry **by_name =
		sorted_entries(table, compare_names);
	int ret = -1;

	if (by_name == NULL)
		return diag_nomem(d, listing->obj->path);
	for (size_t i = 0; i < table->nentries; i++) {
		struct listed_probe *lp = &listing->probes[listing->nprobes];
		const struct table_entry *entry = by_name[i];

		if (i > 0 && compare_names(&by_name[i - 1], &by_name[i]) == 0) {
			lp[-1].nsites++;
			continue;
		}
		*lp = (struct listed_probe){ .symbol = entry->probe,
					     .nsites = 1 };
		if (probe_name_parse(entry->probe, entry->prefix, &lp->name)) {
			diag_nomem(d, listing->obj->path);
			goto done;
		}
		listing->nprobes++;
	}
	lay_out_sites(listing);
	ret = 0;
done:
	free(by_name);
	return ret;
}

static size_t find_probe(const struct listing *listing, const char *symbol)
{
	size_t i;

	LOWER_BOUND(i, listing->nprobes,
		    strcmp(listing->probes[i].symbol, symbol) < 0);
	return i;
}

/* Anchored tables do not name functions: the image's symbols do. */
static void locate_function(const struct image *img, uint64_t addr,
			    struct listed_site *site)
{
	struct symbol sym;

	if (image_function(img, addr, &sym)) {
		site->function = sym.name;
		site->function_offset = addr - sym.value;
		site->has_function_offset = true;
	}
}

/* Sets the offset of the site in the function that the table names. */
static void set_function(const struct image *img,
			 const struct table_entry *entry,
			 struct listed_site *site)
{
	struct symbol sym;
	uint32_t symndx = 0;

	if (entry->function[0] == '\0') {
		locate_function(img, entry->addr, site);
		return;
	}
	/*
	 * If thousands of functions have that name, this avoids looking at
	 * each.
	 */
	if (names_count(&img->names, entry->function) > 1) {
		locate_function(img, entry->addr, site);
		if (site->function != NULL &&
		    strcmp(site->function, entry->function) == 0)
			return;
		site->has_function_offset = false;
	}
	site->function = entry->function;
	while (names_next(&img->names, entry->function, &symndx, &sym))
		if (sym.value <= entry->addr &&
		    (sym.size == 0 || entry->addr - sym.value < sym.size)) {
			site->function_offset = entry->addr - sym.value;
			site->has_function_offset = true;
		}
}

uint64_t listing_text_start(const struct image *img,
			    const struct options *options)
{
	struct symbol sym;
	uint32_t symndx = 0;

	if (options->base != NULL &&
	    names_next(&img->names, options->base, &symndx, &sym))
		return sym.value;
	return img->text_start;
}

/* A linker set has the address of the displacement, not of the branch. */
static void find_branch(const struct image *img, struct table_entry *entry)
{
	const struct image_section *is = image_find_text(img, entry->addr, 1);
	const struct arch *arch = img->obj->arch;
	struct branch branch;

	for (unsigned back = 0; is != NULL && back <= 4; back++) {
		if (entry->addr - is->code.addr < back)
			return;
		if (!arch->decode_branch(arch, &is->code,
					 entry->addr - is->code.addr - back,
					 &branch) ||
		    branch.field != back)
			continue;
		entry->addr -= back;
		entry->form = branch.form;
		return;
	}
}

/* The length of the branch or NOP, or 0 if it is neither. */
static unsigned insn_length(const struct object *obj, const struct code *code,
			    uint64_t offset, const struct table_entry *entry)
{
	const struct arch *arch = obj->arch;
	struct branch branch;
	uint8_t disabled[DISABLED_MAX];
	unsigned n;

	if (entry->form == FORM_BRANCH)
		return tracepoint_own_length(arch, code, offset);
	n = arch->disable(arch, entry->form, entry->is_enabled, code, offset,
			  disabled);
	if (n > 0 && code->size - offset >= n &&
	    memcmp(code->bytes + offset, disabled, n) == 0)
		return n;
	return arch->decode_branch(arch, code, offset, &branch) ? branch.length
								: 0;
}

static void add_site(const struct image *img, const struct options *options,
		     const struct table_entry *entry, struct listing *listing)
{
	size_t probe = find_probe(listing, entry->probe);
	struct listed_site *site = next_site(listing, probe);
	const struct image_section *is = image_find_text(img, entry->addr, 1);

	*site = (struct listed_site){
		.offset = entry->addr - listing_text_start(img, options),
		.has_address = true,
		.address = entry->addr,
		.kind = entry->is_enabled ? "enabled" : form_name(entry->form),
		.form = form_name(entry->form),
		.form_number = entry->form,
		.is_enabled = entry->is_enabled,
		.stub = entry->stub,
		.has_target = entry->form == FORM_BRANCH,
		.target = entry->target,
		.noted = { .probe = entry->probe,
			   .is_target = entry->form == FORM_BRANCH,
			   .at = entry->form == FORM_BRANCH ? entry->target
							    : entry->addr },
	};
	set_function(img, entry, site);
	if (is == NULL)
		return;
	site->section = img->obj->sections[is->shndx].name;
	site->code = is->code;
	site->code_offset = entry->addr - is->code.addr;
	site->length =
		insn_length(img->obj, &is->code, site->code_offset, entry);
	site->knows_one_store = true;
	site->one_store =
		arch_one_store(img->obj->arch, entry->form, entry->is_enabled,
			       code_mode(&is->code, site->code_offset),
			       entry->addr, site->length);
}

int listing_from_final(struct diag *d, const struct image *img,
		       const struct command *cmd, struct table *table,
		       struct listing *listing)
{
	const struct table_entry **sorted;

	for (size_t i = 0;
	     table->form == TABLE_LINKER_SET && i < table->nentries; i++)
		find_branch(img, &table->entries[i]);

	*listing = (struct listing){ 0 };
	if (set_head(d, img->obj, cmd->module, listing) ||
	    allocate(d, listing, table->nentries, table->nentries) ||
	    add_probes(d, table, listing))
		return -1;
	sorted = sorted_entries(table, table_compare_entries);
	if (sorted == NULL)
		return diag_nomem(d, img->obj->path);
	for (size_t i = 0; i < table->nentries; i++)
		add_site(img, &cmd->options, sorted[i], listing);
	free(sorted);
	listing->bins.relocations = listing->bins.site = table->nentries;
	return 0;
}

/* --- A partial's table ------------------------------------------------- */

static int compare_sites(const void *a, const void *b)
{
	const struct site *x = *(const struct site *const *)a;
	const struct site *y = *(const struct site *const *)b;

	if (x->shndx != y->shndx)
		return x->shndx < y->shndx ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* By probe, then place. */
static int compare_injected(const void *a, const void *b)
{
	const struct table_entry *x = a, *y = b;
	int order = strcmp(x->probe, y->probe);

	if (order != 0)
		return order;
	if (x->shndx != y->shndx)
		return x->shndx < y->shndx ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Does SORTED contain a site at the place of ENTRY? */
static bool is_scanned(const struct site **sorted, size_t n,
		       const struct table_entry *entry)
{
	const struct site wanted = {
		.shndx = entry->shndx,
		.offset = entry->addr,
	};
	const struct site *key = &wanted;

	return bsearch(&key, sorted, n, sizeof(sorted[0]), compare_sites) !=
	       NULL;
}

static int add_injected(struct diag *d, struct function_index *functions,
			const struct table_entry *entry,
			struct listing *listing)
{
	const struct object *obj = listing->obj;
	const struct section *sec = &obj->sections[entry->shndx];
	struct listed_site *site = &listing->sites[listing->nsites];
	struct listed_probe *last = &listing->probes[listing->nprobes];
	struct place place = { .file = obj->path };
	struct code code;

	if (!object_code(d, obj, entry->shndx, &code))
		return -1;
	functions_index_locate(functions, entry->shndx, entry->addr, &place);
	*site = (struct listed_site){
		.shndx = entry->shndx,
		.section = sec->name,
		.function = place.function,
		.has_function_offset = place.function != NULL,
		.function_offset = place.function_offset,
		.offset = entry->addr,
		.kind = entry->is_enabled ? "enabled" : form_name(entry->form),
		.form = form_name(entry->form),
		.length = insn_length(obj, &code, entry->addr, entry),
		.code = code,
		.code_offset = entry->addr,
		.has_target = entry->form == FORM_BRANCH,
		.target_shndx = entry->target_shndx,
		.target = entry->target,
		.noted = { .probe = entry->probe,
			   .is_target = entry->form == FORM_BRANCH,
			   .shndx = entry->form == FORM_BRANCH
					    ? entry->target_shndx
					    : entry->shndx,
			   .at = entry->form == FORM_BRANCH ? entry->target
							    : entry->addr },
	};
	site->knows_one_store = arch_one_store_is_known(
		obj->arch, entry->form, entry->is_enabled,
		code_mode(&code, entry->addr), fixed_alignment(sec),
		site->length);
	site->one_store = arch_one_store(
		obj->arch, entry->form, entry->is_enabled,
		code_mode(&code, entry->addr), entry->addr, site->length);
	if (listing->nprobes > 0 &&
	    strcmp(last[-1].symbol, entry->probe) == 0 &&
	    last[-1].first_site + last[-1].nsites == listing->nsites) {
		last[-1].nsites++;
	} else {
		*last = (struct listed_probe){ .symbol = entry->probe,
					       .first_site = listing->nsites,
					       .nsites = 1 };
		if (probe_name_parse(entry->probe, entry->prefix, &last->name))
			return diag_nomem(d, obj->path);
		listing->nprobes++;
	}
	listing->nsites++;
	listing->bins.relocations++;
	listing->bins.site++;
	return 0;
}

static int compare_places(const void *a, const void *b)
{
	const struct listed_site *x = a, *y = b;

	if (x->shndx != y->shndx)
		return x->shndx < y->shndx ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Merges a probe that is listed twice, and sorts its sites. */
static int merge_probes(struct listing *listing)
{
	struct listed_site *sites =
		malloc((listing->nsites + 1) * sizeof(sites[0]));
	size_t nprobes = 0, nsites = 0;

	if (sites == NULL)
		return -1;
	qsort(listing->probes, listing->nprobes, sizeof(listing->probes[0]),
	      compare_probes);
	for (size_t i = 0; i < listing->nprobes; i++) {
		struct listed_probe probe = listing->probes[i];
		struct listed_probe *last = &listing->probes[nprobes];

		memcpy(sites + nsites, listing->sites + probe.first_site,
		       probe.nsites * sizeof(sites[0]));
		if (nprobes > 0 && compare_probes(last - 1, &probe) == 0) {
			probe_name_free(&probe.name);
			last[-1].nsites += probe.nsites;
		} else {
			*last = probe;
			last->first_site = nsites;
			nprobes++;
		}
		nsites += probe.nsites;
	}
	for (size_t i = 0; i < nprobes; i++)
		qsort(sites + listing->probes[i].first_site,
		      listing->probes[i].nsites, sizeof(sites[0]),
		      compare_places);
	listing->nprobes = nprobes;
	free(listing->sites);
	listing->sites = sites;
	return 0;
}

int listing_add_injected(struct diag *d, const struct options *options,
			 const struct site_set *set, const struct table *table,
			 struct listing *listing)
{
	struct function_index functions = { .obj = listing->obj };
	const struct site **sorted =
		malloc((set->nsites + 1) * sizeof(sorted[0]));
	int ret = 0;

	if (sorted == NULL || listing_grow(listing, table->nentries))
		ret = diag_nomem(d, listing->obj->path);
	for (size_t i = 0; ret == 0 && i < set->nsites; i++)
		sorted[i] = &set->sites[i];
	if (ret == 0) {
		qsort(sorted, set->nsites, sizeof(sorted[0]), compare_sites);
		qsort(table->entries, table->nentries,
		      sizeof(table->entries[0]), compare_injected);
	}
	for (size_t i = 0; ret == 0 && i < table->nentries; i++) {
		const struct table_entry *entry = &table->entries[i];

		if (options_section_policy(
			    options,
			    listing->obj->sections[entry->shndx].name) !=
			    SECTION_SKIP &&
		    !is_scanned(sorted, set->nsites, entry))
			ret = add_injected(d, &functions, entry, listing);
	}
	if (ret == 0 && merge_probes(listing))
		ret = diag_nomem(d, listing->obj->path);
	functions_index_free(&functions);
	free(sorted);
	return ret;
}

/* --- Tracepoint records ------------------------------------------------ */

static int compare_tracepoints(const void *a, const void *b)
{
	const struct tracepoint *x = *(const struct tracepoint *const *)a;
	const struct tracepoint *y = *(const struct tracepoint *const *)b;
	int order = strcmp(x->probe != NULL ? x->probe : "?",
			   y->probe != NULL ? y->probe : "?");

	if (order != 0)
		return order;
	if (x->patchpoint.shndx != y->patchpoint.shndx)
		return x->patchpoint.shndx < y->patchpoint.shndx ? -1 : 1;
	return x->patchpoint.offset < y->patchpoint.offset ? -1 : 1;
}

static struct listed_site tracepoint_site(const struct image *img,
					  const struct options *options,
					  const struct tracepoint_set *set,
					  const struct tracepoint *tp,
					  const struct listing *listing)
{
	const struct section *sec =
		&listing->obj->sections[tp->patchpoint.shndx];
	struct listed_site site = {
		.shndx = tp->patchpoint.shndx,
		.section = sec->name,
		.function = tp->function,
		.has_function_offset = tp->function != NULL,
		.function_offset = tp->function_offset,
		.offset = tp->patchpoint.offset,
		.form_number = FORM_BRANCH,
		.kind = "tracepoint",
		.form = "tracepoint",
		.length = set->length,
		.code_offset = tp->patchpoint.offset,
		.has_target = tp->target.shndx != 0,
		.target_shndx = tp->target.shndx,
		.target = tp->target.offset,
	};

	if (img == NULL) {
		site.knows_one_store = set->length != 4 ||
				       fixed_alignment(sec) >= 4;
		site.one_store = set->length == 4 && site.offset % 4 == 0;
		return site;
	}
	site.has_address = true;
	site.address = sec->addr + site.offset;
	site.target += listing->obj->sections[site.target_shndx].addr;
	site.offset = site.address - listing_text_start(img, options);
	site.knows_one_store = true;
	site.one_store = set->length == 4 && site.address % 4 == 0;
	return site;
}

/* The bytes, for -v, if it is a place in text. */
static int set_code(struct diag *d, const struct object *obj,
		    const struct tracepoint *tp, struct listed_site *site)
{
	const struct section *sec = &obj->sections[tp->patchpoint.shndx];

	if (!section_is_text(sec) || site->code_offset > sec->size ||
	    sec->size - site->code_offset < site->length)
		return 0;
	site->code.addr = sec->addr;
	site->code.bytes =
		object_data(d, obj, tp->patchpoint.shndx, &site->code.size);
	return site->code.bytes != NULL ? 0 : -1;
}

static int add_tracepoint(struct diag *d, const struct tracepoint *tp,
			  struct listed_site site, struct listing *listing)
{
	const char *symbol = tp->probe != NULL ? tp->probe : "?";
	struct listed_probe *last = &listing->probes[listing->nprobes];

	if (set_code(d, listing->obj, tp, &site))
		return -1;
	if (listing->nprobes > 0 && strcmp(last[-1].symbol, symbol) == 0) {
		last[-1].nsites++;
	} else {
		*last = (struct listed_probe){ .symbol = symbol,
					       .first_site = listing->nsites,
					       .nsites = 1 };
		if (probe_name_parse(symbol, 0, &last->name))
			return diag_nomem(d, listing->obj->path);
		listing->nprobes++;
	}
	listing->sites[listing->nsites++] = site;
	return 0;
}

int listing_add_tracepoints(struct diag *d, const struct image *img,
			    const struct options *options,
			    const struct tracepoint_set *set,
			    struct listing *listing)
{
	const struct tracepoint **sorted =
		malloc((set->n + 1) * sizeof(sorted[0]));
	int ret = 0;

	if (sorted == NULL || listing_grow(listing, set->n))
		ret = diag_nomem(d, listing->obj->path);
	for (size_t i = 0; ret == 0 && i < set->n; i++)
		sorted[i] = &set->items[i];
	if (ret == 0)
		qsort(sorted, set->n, sizeof(sorted[0]), compare_tracepoints);
	for (size_t i = 0; ret == 0 && i < set->n; i++)
		ret = add_tracepoint(
			d, sorted[i],
			tracepoint_site(img, options, set, sorted[i], listing),
			listing);
	qsort(listing->probes, listing->nprobes, sizeof(listing->probes[0]),
	      compare_probes);
	free(sorted);
	return ret;
}

int listing_add_notes(struct diag *d, struct listing *listing)
{
	struct noted *noted;
	int ret = -1;

	if (notes_read(d, listing->obj, &listing->notes))
		return -1;
	/* strip has left them to the debug file. */
	if (listing->notes.n == 0 && listing->obj->lender != NULL) {
		notes_free(&listing->notes);
		if (notes_read(d, listing->obj->lender, &listing->notes))
			return -1;
	}
	if (listing->notes.n == 0)
		return 0;
	noted = malloc((listing->nsites + 1) * sizeof(noted[0]));
	if (noted == NULL)
		return diag_nomem(d, listing->obj->path);
	/* A tracepoint's records are another's. */
	for (size_t i = 0; i < listing->nsites; i++) {
		noted[i] = listing->sites[i].noted;
		if (noted[i].probe == NULL)
			noted[i].probe = "";
	}
	if (notes_match(d, listing->obj, &listing->notes, noted,
			listing->nsites))
		goto done;
	for (size_t i = 0; i < listing->nsites; i++)
		listing->sites[i].noted = noted[i];
	ret = 0;
done:
	free(noted);
	return ret;
}

void listing_free_probe(struct listed_probe *probe)
{
	probe_name_free(&probe->name);
	free(probe->key);
}

void listing_free(struct listing *listing)
{
	source_close(listing->source);
	notes_free(&listing->notes);
	for (size_t i = 0; i < listing->nprobes; i++)
		listing_free_probe(&listing->probes[i]);
	free(listing->probes);
	free(listing->sites);
	free(listing->module);
	*listing = (struct listing){ 0 };
}
