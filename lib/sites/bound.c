/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of scan: finds uses of a probe function that the input itself defines,
 * other than by its name. If another definition need not be considered (clang
 * -fno-semantic-interposition), a compiler calls a local alias, .Lname$local,
 * or takes its address. Then the assembler resolves the branch or the operand,
 * or leaves a relocation against the section. Any other symbol may be an alias,
 * too. Such a site would be lost, so it is an error. Branches from code outside
 * of all functions are not looked for.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/table-format.h"
#include "base/grow.h"
#include "base/search.h"
#include "base/sort.h"
#include "elf/descriptors.h"
#include "elf/frames.h"
#include "elf/functions.h"
#include "elf/relocated.h"
#include "descriptions.h"
#include "tracepoint.h"
#include "bound.h"

/*
 * An address that means a probe function: its own, or that of a function that
 * contains one.
 */
struct stub {
	uint32_t shndx;
	uint64_t value;
	uint64_t start, end; /* of the probe function */
	uint32_t probe;
};

struct search {
	struct diag *d;
	const struct object *obj;
	const struct options *options;
	struct site_set *set;
	struct stub *stubs; /* by section and value; owned */
	size_t n;
	bool *is_probe; /* by symbol index; owned */
	struct function_index functions;
	struct relocated relocated; /* search_text: of the section */
	struct code code;	    /* likewise */
};

static int compare_stubs(const void *a, const void *b)
{
	const struct stub *x = a, *y = b;

	return sort_pairs(x->shndx, x->value, y->shndx, y->value);
}

static int add_stub(struct search *s, const struct stub *stub)
{
	struct stub *stubs = grow_list(s->stubs, s->n, sizeof(stubs[0]));

	if (stubs == NULL)
		return diag_nomem(s->d, s->obj->path);
	s->stubs = stubs;
	stubs[s->n++] = *stub;
	return 0;
}

static void sort_stubs(struct search *s)
{
	if (s->n > 0)
		qsort(s->stubs, s->n, sizeof(s->stubs[0]), compare_stubs);
}

static const struct stub *stub_at(const struct search *s, uint32_t shndx,
				  uint64_t value)
{
	struct stub key = { .shndx = shndx, .value = value };

	return s->n == 0 ? NULL
			 : bsearch(&key, s->stubs, s->n, sizeof(key),
				   compare_stubs);
}

/* Is there one in section SHNDX? */
static bool has_stub(const struct search *s, uint32_t shndx)
{
	size_t i;

	LOWER_BOUND(i, s->n, s->stubs[i].shndx < shndx);
	return i < s->n && s->stubs[i].shndx == shndx;
}

/*
 * The start of each probe function, and the entry for calls from the same
 * component.
 */
static int list_starts(struct search *s)
{
	for (size_t i = 0; i < s->set->nprobes; i++) {
		struct symbol sym;
		struct stub stub;
		unsigned entry = 0;

		s->is_probe[s->set->probes[i].symndx] = true;
		object_symbol(s->obj, s->set->probes[i].symndx, &sym);
		if (!sym.is_defined ||
		    !section_is_text(&s->obj->sections[sym.shndx]))
			continue;
		stub = (struct stub){ sym.shndx, sym.value, sym.value,
				      sym.value + sym.size, i };
		if (add_stub(s, &stub))
			return -1;
		if (s->obj->arch->local_entry != NULL)
			entry = s->obj->arch->local_entry(sym.other);
		stub.value += entry;
		if (entry > 0 && add_stub(s, &stub))
			return -1;
	}
	sort_stubs(s);
	return 0;
}

/* Of the first N stubs, the one that contains OFFSET. */
static const struct stub *stub_around(const struct search *s, size_t n,
				      uint32_t shndx, uint64_t offset)
{
	const struct stub *stubs = s->stubs;
	size_t i;

	LOWER_BOUND(i, n,
		    stubs[i].shndx < shndx || (stubs[i].shndx == shndx &&
					       stubs[i].start <= offset));
	return i > 0 && stubs[i - 1].shndx == shndx && offset < stubs[i - 1].end
		       ? &stubs[i - 1]
		       : NULL;
}

/* Whoever calls a function inside a probe function runs a part of that. */
static int list_inner(struct search *s)
{
	size_t n = s->n;

	for (size_t i = 1; n > 0 && i < s->obj->nsymbols; i++) {
		const struct stub *around;
		struct symbol sym;
		struct stub stub;

		object_symbol(s->obj, i, &sym);
		if (!symbol_is_code(&sym) || s->is_probe[i] ||
		    (sym.type == STT_NOTYPE && sym.bind == STB_LOCAL))
			continue;
		around = stub_around(s, n, sym.shndx, sym.value);
		if (around == NULL || around->start == sym.value)
			continue;
		stub = *around;
		stub.value = sym.value;
		if (add_stub(s, &stub))
			return -1;
	}
	sort_stubs(s);
	return 0;
}

static int list_stubs(struct search *s)
{
	s->is_probe = calloc(s->obj->nsymbols + 1, sizeof(s->is_probe[0]));
	if (s->is_probe == NULL)
		return diag_nomem(s->d, s->obj->path);
	return list_starts(s) || list_inner(s) ? -1 : 0;
}

static enum section_policy policy_of(const struct search *s, uint32_t shndx)
{
	return options_section_policy(s->options, s->obj->sections[shndx].name);
}

static void refuse(struct search *s, uint32_t shndx, uint64_t offset,
		   const struct stub *stub)
{
	struct place place = object_where(s->obj, shndx, offset);

	functions_index_locate(&s->functions, shndx, offset, &place);
	diag_report(s->d, SEVERITY_NO, &place, "local-branch",
		    descriptions_may_instrument(&s->obj->sections[shndx])
			    ? REMEDY_INSTRUMENTED
			    : "compile with -fsemantic-interposition, call it "
			      "by its name, or define the probe functions in "
			      "an object of their own",
		    "the code of probe function %s is used without a "
		    "relocation against it",
		    s->set->probes[stub->probe].symbol);
}

/* A branch of a stub to its own start is a loop. */
static bool is_own(const struct stub *stub, uint64_t offset, uint64_t function)
{
	return function == stub->start ||
	       (offset >= stub->start && offset < stub->end);
}

static void judge_branch(void *ctx, uint64_t offset,
			 const struct branch *branch)
{
	struct search *s = ctx;
	uint32_t shndx = s->relocated.shndx;
	const struct stub *stub = stub_at(s, shndx, branch->target);
	struct place place = { 0 };

	if (stub == NULL)
		return;
	functions_index_locate(&s->functions, shndx, offset, &place);
	if (place.function == NULL ||
	    is_own(stub, offset, offset - place.function_offset) ||
	    !s->obj->arch->is_boundary(s->obj->arch, &s->code,
				       offset - place.function_offset,
				       offset) ||
	    relocated_touches(&s->relocated, offset, branch->length))
		return;
	refuse(s, shndx, offset, stub);
}

static void judge_address(void *ctx, uint64_t offset, uint64_t target)
{
	struct search *s = ctx;
	const struct stub *stub = stub_at(s, s->relocated.shndx, target);

	if (stub != NULL && !relocated_touches(&s->relocated, offset, 4))
		refuse(s, s->relocated.shndx, offset, stub);
}

static int search_text(struct search *s, uint32_t shndx, uint64_t low,
		       uint64_t high)
{
	const struct arch *arch = s->obj->arch;

	if (!object_code(s->d, s->obj, shndx, &s->code))
		return -1;
	s->relocated = (struct relocated){ s->d, s->obj, shndx, NULL, 0 };
	arch->each_branch(arch, &s->code, low, high, judge_branch, s);
	if (arch->each_address != NULL)
		arch->each_address(arch, &s->code, low, high, judge_address, s);
	relocated_free(&s->relocated);
	return s->relocated.status;
}

/*
 * A branch without a relocation stays in its section. So only the sections of
 * probe functions are searched.
 */
static int search_texts(struct search *s)
{
	for (size_t first = 0, end; first < s->n; first = end) {
		uint32_t shndx = s->stubs[first].shndx;

		for (end = first + 1;
		     end < s->n && s->stubs[end].shndx == shndx; end++)
			;
		if (policy_of(s, shndx) != SECTION_SKIP &&
		    search_text(s, shndx, s->stubs[first].value,
				s->stubs[end - 1].value))
			return -1;
	}
	return 0;
}

/* --- Relocations ------------------------------------------------------- */

/*
 * On RISC-V, the relocation of the lower half of an address names the
 * instruction with the upper half. That may be the first of the stub.
 */
static bool names_insn(const struct object *obj, uint32_t type)
{
	return strstr(arch_reloc_name(obj->arch, type), "PCREL_LO12") != NULL;
}

/* One section. */
struct relocs_search {
	struct section_relocs relocs;
	struct code code;
	uint32_t shndx;
	bool is_text;
};

/*
 * The stub that SYM and the addend of R refer to. The addend may be off by
 * STEP.
 */
static const struct stub *stub_meant(const struct search *s,
				     const struct relocs_search *rs,
				     const struct reloc *r,
				     const struct symbol *sym)
{
	const struct stub *stub = NULL;
	uint64_t step, target;
	int64_t lead = arch_reloc_lead(s->obj->arch, rs->code.bytes,
				       rs->code.size, rs->is_text,
				       rs->relocs.is_rela, r, &step);

	if (lead == NO_LEAD)
		return NULL;
	target = object_wrap(s->obj, sym->value + lead);
	target &= ~(uint64_t)s->obj->mode_bits;
	if (step != 0)
		target %= step;
	do {
		stub = stub_at(s, sym->shndx, target);
		target += step;
	} while (stub == NULL && step != 0 &&
		 target < s->obj->sections[sym->shndx].size);
	return stub;
}

/* A symbol of a function means that function, whatever the addend is. */
static bool is_name(const struct search *s, const struct symbol *sym,
		    const struct reloc *r)
{
	return sym->type == STT_FUNC || sym->type == STT_GNU_IFUNC ||
	       arch_reloc_has_slot(s->obj->arch, r->type);
}

/* Is relocation I in a table of jumps? See functions.h. */
static bool is_jump(struct search *s, const struct relocs_search *rs, size_t i)
{
	struct functions_table table;

	functions_read_table(&rs->relocs, &rs->code, rs->is_text, i, &table);
	return functions_has_jump_table(&s->functions, table.relocs, table.n);
}

/*
 * The stub that relocation I, against a symbol of section SHNDX, refers to by a
 * distance from a word before it, where a table begins.
 */
static const struct stub *stub_in_table(struct search *s,
					const struct relocs_search *rs,
					size_t i, uint32_t shndx)
{
	struct functions_table table;
	const struct reloc *words;
	const struct stub *stub = NULL;

	if (!has_stub(s, shndx))
		return NULL;
	functions_read_table(&rs->relocs, &rs->code, rs->is_text, i, &table);
	words = table.relocs;
	for (size_t n = table.n; n > 1 && stub == NULL; n--, words++) {
		stub = stub_at(s, shndx,
			       functions_table_target(s->obj, words, n));
		if (stub != NULL &&
		    !functions_may_be_table(&s->functions, words, n))
			stub = NULL;
	}
	return stub;
}

static void judge_reloc(struct search *s, const struct relocs_search *rs,
			size_t i)
{
	const struct object *obj = s->obj;
	const struct reloc *r = &rs->relocs.relocs[i];
	const struct stub *stub;
	struct symbol sym;

	object_symbol(obj, r->symndx, &sym);
	if (!sym.is_defined || s->is_probe[r->symndx] ||
	    arch_reloc_width(obj->arch, r->type) == 0)
		return;
	descriptor_follow(obj, &sym, r->addend);
	stub = stub_meant(s, rs, r, &sym);
	if (stub == NULL && is_name(s, &sym, r))
		stub = stub_at(s, sym.shndx, sym.value);
	if (stub == NULL)
		stub = stub_in_table(s, rs, i, sym.shndx);
	if (stub == NULL || names_insn(obj, r->type) || is_jump(s, rs, i))
		return;
	s->set->bins.relocations++;
	if (policy_of(s, rs->shndx) == SECTION_SKIP) {
		s->set->bins.excluded++;
		return;
	}
	s->set->bins.refused++;
	refuse(s, rs->shndx, r->offset, stub);
}

static int search_relocs(struct search *s, uint32_t shndx)
{
	const struct object *obj = s->obj;
	struct relocs_search rs = { .shndx = shndx };
	bool has_frames = frames_hold(obj->sections[shndx].name);
	struct frames frames = { 0 };
	int ret = section_relocs_read(s->d, obj, shndx, &rs.relocs);

	rs.is_text = section_is_text(&obj->sections[shndx]);
	if (ret == 0 &&
	    (!object_code(s->d, obj, shndx, &rs.code) ||
	     (has_frames && frames_read(s->d, obj, shndx, &frames))))
		ret = -1;
	for (size_t i = 0; ret == 0 && i < rs.relocs.n; i++)
		if (!has_frames ||
		    frames_call(&frames, rs.relocs.relocs[i].offset))
			judge_reloc(s, &rs, i);
	frames_free(&frames);
	section_relocs_free(&rs.relocs);
	return ret;
}

int bound_check(struct diag *d, const struct object *obj,
		const struct options *options, struct site_set *set)
{
	struct search s = { .d = d,
			    .obj = obj,
			    .options = options,
			    .set = set,
			    .functions.obj = obj };
	int ret = list_stubs(&s);

	if (ret == 0 && s.n > 0)
		ret = search_texts(&s);
	for (size_t i = 1; ret == 0 && s.n > 0 && i < obj->nsections; i++)
		if (obj->sections[i].first_relsec != 0 &&
		    !descriptions_only_tells(obj, i))
			ret = search_relocs(&s, i);
	free(s.stubs);
	free(s.is_probe);
	functions_index_free(&s.functions);
	return ret;
}
