/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "elf/functions.h"
#include "layout.h"

struct plan {
	struct diag *d;
	const struct object *obj;
	const struct options *options;
	const struct site_set *set;
	struct layout *layout;
	uint8_t *rank; /* of each base's symbol */
	/*
	 * by base: a function after which its COMDAT group is not named, or 0
	 */
	uint32_t *stranger;
};

bool layout_is_asm_symbol(const char *name)
{
	const char *first_of_no_name = "0123456789.$";

	if (name[0] == '\0' || strchr(first_of_no_name, name[0]) != NULL)
		return false;
	while (is_symbol_char(*name))
		name++;
	return *name == '\0';
}

/* The base of section SHNDX. Adds one if there is none. */
static struct base *base_of(struct plan *plan, uint32_t shndx, size_t first)
{
	struct layout *layout = plan->layout;

	if (layout->base_of[shndx] == NO_INDEX) {
		layout->base_of[shndx] = layout->nbases;
		layout->bases[layout->nbases++] =
			(struct base){ .shndx = shndx, .first_site = first };
	}
	return &layout->bases[layout->base_of[shndx]];
}

static int add_bases(struct plan *plan)
{
	const struct site_set *set = plan->set;
	struct layout *layout = plan->layout;
	size_t n = plan->obj->nsections;

	layout->bases = calloc(n + 1, sizeof(layout->bases[0]));
	plan->rank = calloc(n + 1, sizeof(plan->rank[0]));
	plan->stranger = calloc(n + 1, sizeof(plan->stranger[0]));
	layout->base_of = malloc((n + 1) * sizeof(uint32_t));
	if (layout->bases == NULL || plan->rank == NULL ||
	    plan->stranger == NULL || layout->base_of == NULL)
		return diag_nomem(plan->d, plan->obj->path);
	for (size_t i = 0; i < n; i++)
		layout->base_of[i] = NO_INDEX;
	for (size_t i = 0; i < set->nsites; i++)
		base_of(plan, set->sites[i].shndx, i)->nsites++;
	for (size_t i = 0; i < set->nsites; i++)
		if (set->sites[i].form == FORM_BRANCH)
			base_of(plan, set->sites[i].target_shndx, set->nsites);
	return 0;
}

/* How well the symbol can serve as a base; 0 if it cannot. */
static unsigned base_rank(const struct plan *plan, const struct symbol *sym)
{
	bool is_comdat = plan->obj->sections[sym->shndx].comdat != 0;

	if (sym->type != STT_FUNC && sym->type != STT_NOTYPE &&
	    sym->type != STT_OBJECT)
		return 0;
	if (sym->visibility == STV_INTERNAL)
		return 0;
	/*
	 * Another file's definition overrides a weak one. In a COMDAT group,
	 * both are the same function, and verify compares the bytes.
	 */
	if (sym->bind != STB_GLOBAL && !(is_comdat && sym->bind == STB_WEAK))
		return 0;
	/*
	 * Nothing can preempt a hidden symbol, not even in a shared object. A
	 * symbol of the code needs no help from the linker.
	 */
	return 1 + !sym->is_descriptor * 4 + (sym->bind == STB_GLOBAL) * 2 +
	       (sym->visibility != STV_DEFAULT);
}

static bool is_better(const struct base *base, unsigned rank, unsigned best,
		      const struct symbol *sym)
{
	if (base->symbol == NULL || rank != best)
		return base->symbol == NULL || rank > best;
	if (sym->value != base->value)
		return sym->value < base->value;
	return strcmp(sym->name, base->symbol) < 0;
}

/* Is it a global function after which the group of its section is not named? */
static bool is_stranger(const struct object *obj, const struct symbol *sym)
{
	uint32_t group = obj->sections[sym->shndx].comdat;
	struct symbol signature;

	if (group == 0 || sym->bind != STB_GLOBAL || sym->type != STT_FUNC)
		return false;
	object_symbol(obj, obj->sections[group].info, &signature);
	return strcmp(sym->name, signature.name) != 0;
}

static void choose_symbols(struct plan *plan)
{
	const struct object *obj = plan->obj;

	for (size_t i = 1; i < obj->nsymbols; i++) {
		struct symbol sym;
		struct base *base;
		unsigned rank;
		uint32_t b;

		object_symbol(obj, i, &sym);
		if (!sym.is_defined || sym.bind == STB_LOCAL)
			continue;
		b = plan->layout->base_of[sym.shndx];
		if (b == NO_INDEX)
			continue;
		if (plan->stranger[b] == 0 && is_stranger(obj, &sym))
			plan->stranger[b] = i;
		if (sym.value > obj->sections[sym.shndx].size)
			continue;
		base = &plan->layout->bases[b];
		rank = base_rank(plan, &sym);
		if (rank == 0)
			continue;
		if (plan->options->base != NULL &&
		    strcmp(sym.name, plan->options->base) == 0)
			rank = UINT8_MAX;
		if (is_better(base, rank, plan->rank[b], &sym) &&
		    layout_is_asm_symbol(sym.name)) {
			base->symbol = sym.name;
			base->prefix = sym.is_descriptor
					       ? obj->arch->descriptors->prefix
					       : "";
			base->value = sym.value;
			base->mode = sym.mode;
			plan->rank[b] = rank;
		}
	}
}

static struct place section_place(const struct plan *plan, uint32_t shndx)
{
	return (struct place){ .file = plan->obj->path,
			       .section = plan->obj->sections[shndx].name };
}

#define GROUP_REMEDY \
	"partially link with --force-group-allocation (GNU ld, or lld 19 " \
	"and later), or without a merge script"

/*
 * If a script merges sections, lld -r leaves the result in the COMDAT group of
 * one part. If another file has the same group, the final link drops the whole
 * section, with all its functions.
 */
static int check_group(struct plan *plan, uint32_t shndx)
{
	const struct object *obj = plan->obj;
	const struct section *sec = &obj->sections[shndx];
	uint32_t stranger = plan->stranger[plan->layout->base_of[shndx]];
	struct place place = section_place(plan, shndx);
	struct symbol signature, sym;

	if (sec->ngroups > 1)
		return diag_report(plan->d, SEVERITY_NO, &place, "merged-group",
				   GROUP_REMEDY,
				   "the section is in %u section groups at "
				   "once",
				   (unsigned)sec->ngroups);
	if (stranger == 0)
		return 0;
	object_symbol(obj, obj->sections[sec->group].info, &signature);
	object_symbol(obj, stranger, &sym);
	return diag_report(plan->d, SEVERITY_NO, &place, "merged-group",
			   GROUP_REMEDY,
			   "the section holds %s but is in the COMDAT group "
			   "of %s, with which the final link can drop it",
			   sym.name, signature.name);
}

void layout_find_relaxed(const struct object *obj, uint32_t shndx,
			 struct place *place)
{
	struct diag quiet = { .sink = diag_ignore };
	uint32_t i = obj->sections[shndx].first_relsec;
	uint64_t first = UINT64_MAX;
	struct relocs relocs;
	struct reloc r;

	for (; i != 0; i = obj->sections[i].next_relsec) {
		if (object_relocs(&quiet, obj, i, &relocs))
			return;
		for (size_t k = 0; k < relocs.n; k++) {
			reloc_get(&relocs, k, &r);
			if (r.offset < first &&
			    arch_reloc_relaxes(obj->arch, r.type))
				first = r.offset;
		}
	}
	if (first == UINT64_MAX)
		return;
	place->has_offset = true;
	place->offset = first;
	functions_locate(obj, shndx, first, place);
}

/* No offset is right if a linker deletes code before it. */
static int check_rigid(struct plan *plan, uint32_t shndx)
{
	struct place place = section_place(plan, shndx);

	if (!plan->obj->sections[shndx].relaxes)
		return 0;
	layout_find_relaxed(plan->obj, shndx, &place);
	return diag_report(plan->d, SEVERITY_NO, &place, "relaxation",
			   "use --inject, or compile with -mno-relax",
			   "the final link may shorten the code of this "
			   "section, here first: offsets cannot be right");
}

#define MERGE_REMEDY \
	"merge it into .text: partially link with ld -r -T and the script " \
	"that 'sdtlink --merge-script' prints"
#define SYMBOL_REMEDY \
	"give one function in it external linkage, or partially link with " \
	"ld -r -T and the script that 'sdtlink --merge-script PARTIAL' " \
	"prints, which gives it a symbol"
#define COMDAT_REMEDY \
	"take it out of its COMDAT group: partially link with the script " \
	"that 'sdtlink --merge-script' prints, and --force-group-allocation"
#define INJECT_REMEDY "use --inject, whose table needs none, or "

/* The options asked for a linker set, but --inject makes another table. */
static const char *base_remedy(const struct plan *plan, uint32_t shndx)
{
	const struct section *sec = &plan->obj->sections[shndx];
	bool is_set = plan->options->table == TABLE_LINKER_SET;

	if (sec->comdat != 0)
		return is_set ? COMDAT_REMEDY : INJECT_REMEDY COMDAT_REMEDY;
	/* What is .text was merged already. */
	if (strncmp(sec->name, ".text", 5) == 0 && sec->name[5] != '\0')
		return is_set ? MERGE_REMEDY : INJECT_REMEDY MERGE_REMEDY;
	return is_set ? SYMBOL_REMEDY : INJECT_REMEDY SYMBOL_REMEDY;
}

static int report_no_base(struct plan *plan, const struct base *base)
{
	struct place place = section_place(plan, base->shndx);

	if (base->nsites == 0)
		return diag_report(plan->d, SEVERITY_NO, &place, "no-base",
				   base_remedy(plan, base->shndx),
				   "sites of the branch form jump to the "
				   "section, which has no global symbol to "
				   "measure that from");
	return diag_report(plan->d, SEVERITY_NO, &place, "no-base",
			   base_remedy(plan, base->shndx),
			   "the section has %zu probe site%s but no global "
			   "symbol to measure %s from",
			   base->nsites, base->nsites == 1 ? "" : "s",
			   base->nsites == 1 ? "it" : "them");
}

static int check_bases(struct plan *plan)
{
	int ret = 0;

	for (size_t i = 0; i < plan->layout->nbases; i++) {
		const struct base *base = &plan->layout->bases[i];

		if (check_group(plan, base->shndx) ||
		    check_rigid(plan, base->shndx))
			ret = -1;
		else if (base->symbol == NULL)
			ret = report_no_base(plan, base);
	}
	return ret;
}

/* --base must name a symbol that measures something. */
static int check_base_option(struct plan *plan)
{
	const struct layout *layout = plan->layout;
	const char *name = plan->options->base;

	if (name == NULL || layout->nbases == 0)
		return 0;
	for (size_t i = 0; i < layout->nbases; i++)
		if (layout->bases[i].symbol != NULL &&
		    strcmp(layout->bases[i].symbol, name) == 0)
			return 0;
	return diag_report(plan->d, SEVERITY_NO,
			   &(struct place){ .file = plan->obj->path },
			   "no-base",
			   "name a global symbol of a section with probe "
			   "sites, or leave --base out",
			   "--base=%s is not a global symbol of a section that "
			   "has probe sites",
			   name);
}

/* The records of a linker set can only be offsets from one text start. */
static int check_linker_set(struct plan *plan)
{
	const struct layout *layout = plan->layout;
	int ret = 0;

	for (size_t i = 1; i < layout->nbases; i++) {
		struct place place =
			section_place(plan, layout->bases[i].shndx);

		ret = diag_report(
			plan->d, SEVERITY_NO, &place, "no-base",
			base_remedy(plan, layout->bases[i].shndx),
			"the section has %zu probe site%s, but a linker set "
			"measures all from the start of %s",
			layout->bases[i].nsites,
			layout->bases[i].nsites == 1 ? "" : "s",
			plan->obj->sections[layout->bases[0].shndx].name);
	}
	return ret;
}

static int check_plan(struct plan *plan)
{
	if (check_base_option(plan))
		return -1;
	if (plan->options->table == TABLE_LINKER_SET)
		return check_linker_set(plan);
	return check_bases(plan);
}

int layout_plan(struct diag *d, const struct object *obj,
		const struct options *options, const struct site_set *set,
		struct layout *layout)
{
	struct plan plan = {
		.d = d,
		.obj = obj,
		.options = options,
		.set = set,
		.layout = layout,
	};
	int ret = -1;

	*layout = (struct layout){ 0 };
	if (add_bases(&plan))
		goto done;
	choose_symbols(&plan);
	ret = check_plan(&plan);
done:
	free(plan.rank);
	free(plan.stranger);
	return ret;
}

void layout_free(struct layout *layout)
{
	free(layout->bases);
	free(layout->base_of);
	*layout = (struct layout){ 0 };
}
