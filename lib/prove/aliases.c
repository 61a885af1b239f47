/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: code can take the address of a probe function by an alias, by
 * section and offset, or by the distance in an instruction. It may then call
 * the function through a pointer, and leaves no branch to find. So this refuses
 * such uses.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "aliases.h"
#include "base/table-format.h"
#include "base/search.h"
#include "base/sort.h"
#include "elf/descriptors.h"
#include "elf/frames.h"
#include "elf/functions.h"
#include "sites/descriptions.h"
#include "sites/tracepoint.h"

/* The code of a probe function. */
struct body {
	uint64_t start, end;
	uint64_t entry; /* where calls from its own component enter */
	uint32_t shndx;
	const char *symbol;
};

struct alias_search {
	struct diag *d;
	const struct object *obj;
	const struct options *options;
	struct proof_site_list *list;
	struct body *bodies; /* by section and start; owned */
	size_t n;
	/* Of one section: */
	uint32_t shndx;
	bool is_text;
	struct code code;
	struct section_relocs relocs;
	struct function_index functions;
};

static int compare_bodies(const void *a, const void *b)
{
	const struct body *x = a, *y = b;

	return sort_pairs(x->shndx, x->start, y->shndx, y->start);
}

static int list_bodies(struct alias_search *s)
{
	const struct arch *arch = s->obj->arch;

	s->bodies = malloc((s->list->nmentioned + 1) * sizeof(s->bodies[0]));
	if (s->bodies == NULL)
		return diag_nomem(s->d, s->obj->path);
	for (size_t i = 0; i < s->list->nmentioned; i++) {
		struct symbol sym;

		object_symbol(s->obj, s->list->mentioned[i], &sym);
		if (!sym.is_defined ||
		    !section_is_text(&s->obj->sections[sym.shndx]))
			continue;
		s->bodies[s->n++] = (struct body){
			.start = sym.value,
			.end = sym.value + sym.size,
			.entry = sym.value +
				 (arch->local_entry != NULL
					  ? arch->local_entry(sym.other)
					  : 0),
			.shndx = sym.shndx,
			.symbol = sym.name,
		};
	}
	if (s->n > 0)
		qsort(s->bodies, s->n, sizeof(s->bodies[0]), compare_bodies);
	return 0;
}

/* The last body that begins at or before OFFSET; or NULL. */
static const struct body *body_before(const struct alias_search *s,
				      uint32_t shndx, uint64_t offset)
{
	const struct body *bodies = s->bodies;
	size_t i;

	LOWER_BOUND(i, s->n,
		    bodies[i].shndx < shndx || (bodies[i].shndx == shndx &&
						bodies[i].start <= offset));
	return i > 0 && bodies[i - 1].shndx == shndx ? &bodies[i - 1] : NULL;
}

static const struct body *body_at(const struct alias_search *s, uint32_t shndx,
				  uint64_t offset)
{
	const struct body *body = body_before(s, shndx, offset);

	return body != NULL && (offset == body->start || offset == body->entry)
		       ? body
		       : NULL;
}

static void refuse(struct alias_search *s, uint64_t offset,
		   const struct body *body)
{
	struct place place = object_where(s->obj, s->shndx, offset);

	diag_report(s->d, SEVERITY_NO, &place, "local-branch", REMEDY_GENERATE,
		    "the address of %s is taken without its name: nothing can "
		    "be proved",
		    body->symbol);
	s->list->nrefused++;
}

/* --- What the assembler has resolved ----------------------------------- */

static void judge_address(void *ctx, uint64_t offset, uint64_t target)
{
	struct alias_search *s = ctx;
	const struct body *body = body_at(s, s->shndx, target);

	if (body != NULL &&
	    !section_relocs_touch(&s->relocs, s->obj->arch, offset, 4))
		refuse(s, offset, body);
}

static void search_addresses(struct alias_search *s)
{
	const struct arch *arch = s->obj->arch;

	if (s->is_text && arch->each_address != NULL)
		arch->each_address(arch, &s->code, 0, s->code.size,
				   judge_address, s);
}

/* --- Relocations ------------------------------------------------------- */

static bool is_mentioned(const struct alias_search *s, uint32_t symndx)
{
	for (size_t i = 0; i < s->list->nmentioned; i++)
		if (s->list->mentioned[i] == symndx)
			return true;
	return false;
}

/* Is R the displacement of a branch? On RISC-V, also of the upper half. */
static bool is_branch(const struct alias_search *s, const struct reloc *r)
{
	const struct arch *arch = s->obj->arch;
	struct branch branch;

	return arch_decode_at_field(arch, &s->code, r->offset, &branch) ||
	       strstr(arch_reloc_name(arch, r->type), "PCREL_LO12") != NULL;
}

/*
 * The function that R refers to by SYM: at an offset from SYM, or around one.
 */
static const struct body *body_meant(const struct alias_search *s,
				     const struct reloc *r,
				     const struct symbol *sym)
{
	const struct arch *arch = s->obj->arch;
	bool is_function = sym->type == STT_FUNC ||
			   sym->type == STT_GNU_IFUNC ||
			   (symbol_is_code(sym) && sym->bind != STB_LOCAL);
	const struct body *body = body_before(s, sym->shndx, sym->value);
	uint64_t step, size = s->obj->sections[sym->shndx].size;
	int64_t reference = arch_reloc_lead(arch, s->code.bytes, s->code.size,
					    s->is_text, arch->uses_rela, r,
					    &step);
	uint64_t offset = sym->value + reference;

	if (body != NULL &&
	    (sym->value == body->start || sym->value < body->end) &&
	    (is_function ||
	     (arch_reloc_has_slot(arch, r->type) && sym->value == body->start)))
		return body;
	if (reference == NO_LEAD)
		return NULL;
	offset = object_wrap(s->obj, offset & ~(uint64_t)s->obj->mode_bits);
	if (step == 0)
		return body_at(s, sym->shndx, offset);
	for (offset %= step, body = NULL; offset < size && body == NULL;
	     offset += step)
		body = body_at(s, sym->shndx, offset);
	return body;
}

/* Could relocation I be in a table of distances, each from its start? */
static bool may_be_jump(struct alias_search *s, size_t i)
{
	struct functions_table table;

	functions_read_table(&s->relocs, &s->code, s->is_text, i, &table);
	return functions_has_jump_table(&s->functions, table.relocs, table.n);
}

/*
 * The function that relocation I, against a symbol of section SHNDX, refers to
 * by a distance from a word before it, where a table begins.
 */
static const struct body *body_in_table(struct alias_search *s, size_t i,
					uint32_t shndx)
{
	struct functions_table table;
	const struct reloc *words;
	const struct body *body = NULL;

	if (body_before(s, shndx, UINT64_MAX) == NULL)
		return NULL;
	functions_read_table(&s->relocs, &s->code, s->is_text, i, &table);
	words = table.relocs;
	for (size_t n = table.n; n > 1 && body == NULL; n--, words++) {
		body = body_at(s, shndx,
			       functions_table_target(s->obj, words, n));
		if (body != NULL &&
		    !functions_may_be_table(&s->functions, words, n))
			body = NULL;
	}
	return body;
}

static int search_relocs(struct alias_search *s)
{
	const struct object *obj = s->obj;
	bool has_frames = frames_hold(obj->sections[s->shndx].name);
	struct frames frames = { 0 };

	if (has_frames && frames_read(s->d, obj, s->shndx, &frames))
		return -1;
	for (size_t i = 0; i < s->relocs.n; i++) {
		const struct reloc *r = &s->relocs.relocs[i];
		const struct body *body;
		struct symbol sym;

		if (arch_reloc_width(obj->arch, r->type) == 0 ||
		    (has_frames && !frames_call(&frames, r->offset)))
			continue;
		object_symbol(obj, r->symndx, &sym);
		if (!sym.is_defined)
			continue;
		descriptor_follow(obj, &sym, r->addend);
		body = body_meant(s, r, &sym);
		if (body == NULL)
			body = body_in_table(s, i, sym.shndx);
		if (body != NULL && !is_mentioned(s, r->symndx) &&
		    !(s->is_text && is_branch(s, r)) && !may_be_jump(s, i))
			refuse(s, r->offset, body);
	}
	frames_free(&frames);
	return 0;
}

static int search_section(struct alias_search *s, uint32_t shndx)
{
	int ret = -1;

	s->shndx = shndx;
	s->is_text = section_is_text(&s->obj->sections[shndx]);
	s->relocs = (struct section_relocs){ 0 };
	if (section_relocs_read(s->d, s->obj, shndx, &s->relocs) ||
	    !object_code(s->d, s->obj, shndx, &s->code))
		goto done;
	search_addresses(s);
	ret = search_relocs(s);
done:
	section_relocs_free(&s->relocs);
	return ret;
}

/* Can section SHNDX lead to code? Debugging information only describes it. */
static bool may_use(const struct alias_search *s, uint32_t shndx)
{
	const struct section *sec = &s->obj->sections[shndx];

	if (!section_is_alloc(sec) ||
	    options_section_policy(s->options, sec->name) == SECTION_SKIP)
		return false;
	return !descriptions_only_tells(s->obj, shndx);
}

int aliases_check(struct diag *d, const struct object *partial,
		  const struct options *options, struct proof_site_list *list)
{
	struct alias_search s = { .d = d,
				  .obj = partial,
				  .options = options,
				  .list = list,
				  .functions.obj = partial };
	int ret = list_bodies(&s);

	for (size_t i = 1; ret == 0 && s.n > 0 && i < partial->nsections; i++)
		if (may_use(&s, i))
			ret = search_section(&s, i);
	free(s.bodies);
	functions_index_free(&s.functions);
	return ret;
}
