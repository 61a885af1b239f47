/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds probes and sites in a checked partial, and sorts the relocations into
 * bins. scan-probes.c reads the symbol table. find_sites reads the relocations
 * of loaded sections, and the records of the branch form. attribute.c assigns
 * sites to functions, and finds dead ones.
 */
#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/scan.h"
#include "arch/tracepoint.h"
#include "base/table-format.h"
#include "alternatives.h"
#include "attribute.h"
#include "elf/functions.h"
#include "base/grow.h"
#include "base/sort.h"
#include "scan.h"
#include "tracepoint.h"
#include "bound.h"
#include "descriptions.h"

/* Stands for the code of a probe function, if it has a name of its own. */
#define CODE_INDEX (NO_INDEX - 1)

struct scan {
	struct diag *d;
	const struct object *obj;
	const struct options *options;
	struct site_set *set;
	uint32_t *probe_of; /* symbol index -> probe index or one of these */
	size_t first_probe; /* the first symbol that has one */
	struct alternatives alternatives;
	enum section_policy copied_policy; /* of these */
	struct function_index functions;   /* of what is refused */
	bool has_table;			   /* of sdtlink's; that was reported */
};

/* In ABIs with descriptors, the code of a function may have a name, too. */
static void map_code(struct scan *scan)
{
	const struct object *obj = scan->obj;

	for (size_t i = 0; obj->arch->descriptors && i < obj->nsymbols; i++) {
		struct symbol sym;

		object_symbol(obj, i, &sym);
		if (scan->probe_of[i] == NO_INDEX &&
		    probe_names_code(scan->options, obj->arch, sym.name))
			scan->probe_of[i] = CODE_INDEX;
	}
}

/* Maps each symbol that names a probe function to its probe. */
static int map_symbols(struct scan *scan)
{
	const struct object *obj = scan->obj;
	const struct site_set *set = scan->set;
	size_t i = 0;

	scan->probe_of = malloc(obj->nsymbols * sizeof(scan->probe_of[0]) + 1);
	if (scan->probe_of == NULL)
		return diag_nomem(scan->d, obj->path);
	memset(scan->probe_of, 0xff, obj->nsymbols * sizeof(scan->probe_of[0]));
	for (size_t k = 0; k < set->nprobes; k++)
		scan->probe_of[set->probes[k].symndx] = k;
	map_code(scan);
	while (i < obj->nsymbols && scan->probe_of[i] == NO_INDEX)
		i++;
	scan->first_probe = i;
	return 0;
}

/* --- Sites ------------------------------------------------------------- */

static int add_site(struct scan *scan, const struct site *site)
{
	struct site_set *set = scan->set;
	struct site *sites =
		grow_list(set->sites, set->nsites, sizeof(sites[0]));

	if (sites == NULL)
		return diag_nomem(scan->d, scan->obj->path);
	set->sites = sites;
	sites[set->nsites] = *site;
	sites[set->nsites++].function = "";
	set->probes[site->probe].nsites++;
	return 0;
}

/*
 * The source of an object whose name says nothing: gcc makes ccXXXXXX.o where
 * it compiles and links in one command. Otherwise, or if that is not known, "".
 */
static const char *find_source(const struct object *obj)
{
	const char *slash = strrchr(obj->path, '/');
	const char *name = slash != NULL ? slash + 1 : obj->path;
	struct symbol sym;

	if (strlen(name) != 10 || strncmp(name, "cc", 2) != 0 ||
	    strcmp(name + 8, ".o") != 0)
		return "";
	for (size_t i = 1; i < obj->nsymbols; i++) {
		object_symbol(obj, i, &sym);
		if (sym.type == STT_FILE)
			return sym.name;
	}
	return "";
}

static void refuse(struct scan *scan, uint32_t shndx, uint64_t offset,
		   const char *code, const char *what, const char *remedy)
{
	const char *source = find_source(scan->obj);
	struct place place = object_where(scan->obj, shndx, offset);

	functions_index_locate(&scan->functions, shndx, offset, &place);
	diag_report(scan->d, SEVERITY_NO, &place, code, remedy, "%s%s%s",
		    source[0] != '\0' ? source : "",
		    source[0] != '\0' ? ": " : "", what);
	scan->set->bins.refused++;
}

/* One entry says it all. */
static void refuse_table(struct scan *scan, uint32_t shndx, uint64_t offset)
{
	if (!scan->has_table)
		refuse(scan, shndx, offset, "not-a-branch",
		       "the partial holds a table that sdtlink generated",
		       "leave the compiled stubs out of the partial");
	else
		scan->set->bins.refused++;
	scan->has_table = true;
}

#define RUST_REMEDY \
	"compile Rust with -C relocation-model=static, and C without -fno-plt"

/* Did rustc compile a part of it? Its options differ from gcc's. */
static bool is_rust(const struct scan *scan)
{
	for (size_t i = 1; i < scan->obj->nsections; i++) {
		const uint8_t *bytes;
		size_t size;

		if (strcmp(scan->obj->sections[i].name, ".comment") != 0)
			continue;
		bytes = object_data(scan->d, scan->obj, i, &size);
		return bytes != NULL &&
		       memmem(bytes, size, "rustc version", 13) != NULL;
	}
	return false;
}

/* Which variable is at OFFSET of a section of data? False if none has a name.
 */
static bool find_variable(const struct object *obj, uint32_t shndx,
			  uint64_t offset, struct symbol *sym)
{
	for (size_t i = 1; i < obj->nsymbols; i++) {
		object_symbol(obj, i, sym);
		if (symbol_is_data(sym) && sym->shndx == shndx &&
		    sym->value <= offset && offset < symbol_end(sym))
			return true;
	}
	return false;
}

/*
 * Is the use at OFFSET of section SHNDX one that no source has? A function that
 * names itself, and does not call itself, or what lists it is instrumented.
 */
static bool is_instrumented(const struct object *obj, uint32_t symndx,
			    uint32_t shndx, uint64_t offset)
{
	struct symbol sym;

	object_symbol(obj, symndx, &sym);
	return sym.is_defined &&
	       (descriptions_may_instrument(&obj->sections[shndx]) ||
		(sym.shndx == shndx && offset - sym.value < sym.size));
}

static void refuse_shape(struct scan *scan, uint32_t shndx, uint32_t probe,
			 const uint8_t *text, size_t size,
			 const struct reloc *r)
{
	const struct arch *arch = scan->obj->arch;
	struct refusal refusal = {
		.what = "its address is stored in data",
		.remedy = SCAN_REMEDY,
	};
	char what[512], variable[256] = "", bytes[3 * 16 + 1] = "";
	struct symbol sym;
	const char *symbol = scan->set->probes[probe].symbol;
	const struct section *sec = &scan->obj->sections[shndx];

	if (strcmp(sec->name, SDT_TABLE_SECTION) == 0) {
		refuse_table(scan, shndx, r->offset);
		return;
	}
	if (section_is_text(sec)) {
		refusal = scan_explain_refusal(arch, text, size, r);
		if (strstr(refusal.what, "through the GOT") != NULL &&
		    is_rust(scan))
			refusal.remedy = RUST_REMEDY;
	} else if (arch->pool != NULL &&
		   strcmp(sec->name, arch->pool->name) == 0) {
		refusal.what = arch->pool->what;
		refusal.remedy = arch->pool->remedy;
	} else if (find_variable(scan->obj, shndx, r->offset, &sym)) {
		snprintf(variable, sizeof(variable), ", in %s+0x%" PRIx64,
			 sym.name, r->offset - sym.value);
	}
	if (is_instrumented(scan->obj, r->symndx, shndx, r->offset))
		refusal.remedy = REMEDY_INSTRUMENTED;
	for (unsigned i = 0; i < refusal.length && i < 16; i++)
		snprintf(bytes + strlen(bytes), 4, " %02x",
			 text[r->offset - refusal.back + i]);
	snprintf(what, sizeof(what),
		 "probe site is not a direct branch to %s: %s%s (%s%s%s)",
		 symbol, refusal.what, variable, arch_reloc_name(arch, r->type),
		 bytes[0] ? ":" : "", bytes);
	refuse(scan, shndx, r->offset - refusal.back, "not-a-branch", what,
	       refusal.remedy);
}

/* The stub will be a function with a descriptor, as C has them. */
static void refuse_code(struct scan *scan, uint32_t shndx,
			const struct reloc *r)
{
	struct symbol sym;
	char what[256];

	/* An anchored table refers to its own stubs. */
	if (strcmp(scan->obj->sections[shndx].name, SDT_PROBES_SECTION) == 0)
		return;
	scan->set->bins.relocations++;
	object_symbol(scan->obj, r->symndx, &sym);
	snprintf(what, sizeof(what),
		 "probe site is not a call of a function, but of the code %s",
		 sym.name);
	refuse(scan, shndx, r->offset, "not-a-branch", what,
	       "compile without -mcall-aixdesc");
}

static enum section_policy policy_of(const struct scan *scan, uint32_t shndx)
{
	return options_section_policy(scan->options,
				      scan->obj->sections[shndx].name);
}

static bool is_copied(const struct scan *scan, uint32_t shndx, uint64_t offset)
{
	return alternatives_hold(&scan->alternatives, shndx, offset);
}

static void refuse_section(struct scan *scan, uint32_t shndx, uint64_t offset)
{
	if (is_copied(scan, shndx, offset))
		refuse(scan, shndx, offset, "refused-section",
		       "a probe in code that is copied to where it runs",
		       "move the probe out of the alternative, or leave it out "
		       "with --skip-section=" ALTERNATIVES_SECTION);
	else
		refuse(scan, shndx, offset, "refused-section",
		       "a probe in a section that must not be patched",
		       "move the probe, or exclude the section with "
		       "--skip-section");
}

/* Is R a direct branch? Sets its SHAPE. */
static bool find_site(struct scan *scan, uint32_t shndx, const uint8_t *text,
		      size_t size, const struct reloc *r,
		      struct site_shape *shape)
{
	const struct arch *arch = scan->obj->arch;
	struct place place = { 0 };
	uint64_t offset;

	*shape = (struct site_shape){ 0 };
	if (!section_is_text(&scan->obj->sections[shndx]) ||
	    !arch->scan->find_site(arch, text, size, r, shape))
		return false;
	if (!shape->is_doubtful)
		return true;
	offset = r->offset - shape->back;
	functions_index_locate(&scan->functions, shndx, offset, &place);
	return !arch->scan->is_foreign(
		&(struct code){ .bytes = text, .size = size },
		place.function != NULL ? offset - place.function_offset : 0,
		offset);
}

/* Sorts one relocation against a probe function into its bin. */
static int take_reloc(struct scan *scan, uint32_t shndx,
		      enum section_policy policy, uint32_t probe,
		      const uint8_t *text, size_t size, const struct reloc *r)
{
	struct site_shape shape;

	/* An anchored table refers to its own stubs. */
	if (strcmp(scan->obj->sections[shndx].name, SDT_PROBES_SECTION) == 0)
		return 0;
	scan->set->bins.relocations++;
	if (is_copied(scan, shndx, r->offset))
		policy = scan->copied_policy;
	switch (policy) {
	case SECTION_SKIP:
		scan->set->bins.excluded++;
		return 0;
	case SECTION_REFUSE:
		if (!find_site(scan, shndx, text, size, r, &shape))
			shape.back = 0;
		refuse_section(scan, shndx, r->offset - shape.back);
		return 0;
	case SECTION_TAKE:
		break;
	}
	if (find_site(scan, shndx, text, size, r, &shape))
		return add_site(
			scan, &(struct site){
				      .offset = r->offset - shape.back,
				      .shndx = shndx,
				      .probe = probe,
				      .form = shape.form,
				      .length = shape.length,
				      .field = shape.back,
				      .mode = shape.mode & scan->obj->mode_bits,
			      });
	refuse_shape(scan, shndx, probe, text, size, r);
	return 0;
}

/* The next relocation at or behind I that is against a probe function. */
static size_t next_of_probe(const struct scan *scan,
			    const struct relocs *relocs, size_t i)
{
	const struct reloc *plain = relocs->entries;
	const uint32_t *probe_of = scan->probe_of;
	struct reloc r;

	if (relocs->is_plain) {
		while (i < relocs->n && probe_of[plain[i].symndx] == NO_INDEX)
			i++;
		return i;
	}
	for (; i < relocs->n; i++) {
		reloc_get(relocs, i, &r);
		if (probe_of[r.symndx] != NO_INDEX)
			break;
	}
	return i;
}

/*
 * Lists the next relocations from *I on that are against probe functions, and
 * fetches the TEXT of all of them into the cache at once.
 */
enum { LIST_SIZE = 16 };

static size_t list_of_probe(const struct scan *scan,
			    const struct relocs *relocs, const uint8_t *text,
			    size_t *i, struct reloc list[LIST_SIZE])
{
	size_t n = 0;

	while (n < LIST_SIZE &&
	       (*i = next_of_probe(scan, relocs, *i)) < relocs->n) {
		reloc_get(relocs, (*i)++, &list[n]);
		/* Not a pointer: the offset is not checked yet. */
		__builtin_prefetch(
			(void *)((uintptr_t)text + list[n++].offset));
	}
	return n;
}

/* Reads the relocations of section RELSEC, whose target is loaded. */
static int scan_relocs(struct scan *scan, uint32_t relsec)
{
	uint32_t shndx = scan->obj->sections[relsec].info;
	enum section_policy policy = policy_of(scan, shndx);
	const uint32_t *probe_of = scan->probe_of;
	const uint32_t none = scan->obj->arch->reloc_none;
	const uint8_t *text;
	struct reloc list[LIST_SIZE];
	struct relocs relocs;
	size_t n, size;

	/* Most tables refer to sections and local symbols only. */
	if (scan->obj->sections[relsec].max_symndx < scan->first_probe)
		return 0;
	text = object_data(scan->d, scan->obj, shndx, &size);
	if (text == NULL || object_relocs(scan->d, scan->obj, relsec, &relocs))
		return -1;
	for (size_t i = 0;
	     (n = list_of_probe(scan, &relocs, text, &i, list)) > 0;)
		for (size_t k = 0; k < n; k++) {
			const struct reloc *r = &list[k];

			if (r->type == none)
				continue;
			if (probe_of[r->symndx] == CODE_INDEX)
				refuse_code(scan, shndx, r);
			else if (take_reloc(scan, shndx, policy,
					    probe_of[r->symndx], text, size, r))
				return -1;
		}
	return 0;
}

/* Sorts the NOP of a record into the bin of its section. */
static int take_record(struct scan *scan, const struct tracepoint *tp,
		       unsigned length)
{
	const struct site_set *set = scan->set;
	const struct probe *probe =
		scan_find_probe(set, tp->probe != NULL ? tp->probe : "");
	struct code code;

	if (probe == NULL)
		return 0;
	scan->set->bins.relocations++;
	switch (is_copied(scan, tp->patchpoint.shndx, tp->patchpoint.offset)
			? scan->copied_policy
			: policy_of(scan, tp->patchpoint.shndx)) {
	case SECTION_SKIP:
		scan->set->bins.excluded++;
		return 0;
	case SECTION_REFUSE:
		refuse_section(scan, tp->patchpoint.shndx,
			       tp->patchpoint.offset);
		return 0;
	case SECTION_TAKE:
		break;
	}
	if (!object_code(scan->d, scan->obj, tp->patchpoint.shndx, &code))
		return -1;
	return add_site(
		scan, &(struct site){
			      .mode = tracepoint_isa_at(scan->obj->arch, &code,
							tp->patchpoint.offset)
					      ->mode,
			      .offset = tp->patchpoint.offset,
			      .shndx = tp->patchpoint.shndx,
			      .probe = probe - set->probes,
			      .form = FORM_BRANCH,
			      .length = length,
			      .target = tp->target.offset,
			      .target_shndx = tp->target.shndx,
		      });
}

/* A damaged record is diagnosed. Then no site is found. */
static int take_records(struct scan *scan)
{
	struct tracepoint_set records;
	int ret = -1;

	if (tracepoint_read_own(scan->d, scan->obj, &records) ||
	    tracepoint_lint(scan->d, scan->obj, &records))
		goto done;
	for (size_t i = 0; i < records.n; i++)
		if (take_record(scan, &records.items[i], records.length))
			goto done;
	ret = 0;
done:
	tracepoint_set_free(&records);
	return ret;
}

static int compare_sites(const void *a, const void *b)
{
	const struct site *x = a, *y = b;

	return sort_pairs(x->shndx, x->offset, y->shndx, y->offset);
}

static bool is_sorted(const struct site_set *set)
{
	for (size_t i = 1; i < set->nsites; i++)
		if (compare_sites(&set->sites[i - 1], &set->sites[i]) > 0)
			return false;
	return true;
}

/* Two relocations must not be in one instruction. */
static int check_overlap(struct scan *scan)
{
	const struct site_set *set = scan->set;

	for (size_t i = 1; i < set->nsites; i++) {
		const struct site *prev = &set->sites[i - 1];
		const struct site *site = &set->sites[i];
		struct place place =
			object_where(scan->obj, site->shndx, site->offset);

		if (prev->shndx == site->shndx &&
		    site->offset - prev->offset < prev->length)
			return diag_report(scan->d, SEVERITY_TROUBLE, &place,
					   "malformed", NULL,
					   "two probe sites overlap");
	}
	return 0;
}

static int find_sites(struct scan *scan)
{
	const struct object *obj = scan->obj;
	struct site_set *set = scan->set;

	for (size_t i = 1; i < obj->nsections; i++)
		if (section_is_relocs(&obj->sections[i]) &&
		    section_is_alloc(&obj->sections[obj->sections[i].info]) &&
		    scan_relocs(scan, i))
			return -1;
	if (take_records(scan))
		return -1;
	if (!is_sorted(set))
		qsort(set->sites, set->nsites, sizeof(set->sites[0]),
		      compare_sites);
	return check_overlap(scan);
}

int scan_object(struct diag *d, const struct object *obj,
		const struct options *options, struct site_set *set)
{
	struct scan scan = {
		.d = d,
		.obj = obj,
		.options = options,
		.set = set,
		.functions.obj = obj,
		.copied_policy =
			options_section_policy(options, ALTERNATIVES_SECTION),
	};
	int ret = -1;

	*set = (struct site_set){ 0 };
	if (scan_probes(d, obj, options, set) || map_symbols(&scan) ||
	    alternatives_read(d, obj, &scan.alternatives) ||
	    find_sites(&scan) || bound_check(d, obj, options, set) ||
	    attribute_sites(d, obj, set))
		goto done;
	set->bins.site = set->nsites;
	ret = 0;
done:
	free(scan.probe_of);
	alternatives_free(&scan.alternatives);
	functions_index_free(&scan.functions);
	return ret;
}

const char *scan_probe_prefix(const struct object *obj,
			      const struct probe *probe)
{
	return obj->arch->descriptors != NULL && !probe->is_code
		       ? obj->arch->descriptors->prefix
		       : "";
}

void site_set_free(struct site_set *set)
{
	for (size_t i = 0; i < set->nprobes; i++)
		probe_name_free(&set->probes[i].name);
	free(set->probes);
	free(set->sites);
	*set = (struct site_set){ 0 };
}
