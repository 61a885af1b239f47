/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of scan: branches to a probe function that the input defines, without a
 * relocation against it. A compiler that need not care for another definition
 * (clang -fno-semantic-interposition) calls a local alias, .Lname$local; then
 * the assembler resolves the branch, or leaves a relocation against the
 * section. Such a site would be lost, so it is an error. Not looked for is what
 * no function covers.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "functions.h"
#include "relocated.h"
#include "unseen.h"

/* The code of a probe function. */
struct stub {
	uint32_t shndx;
	uint64_t value;
	uint32_t probe;
};

struct search {
	struct diag *d;
	const struct object *obj;
	const struct site_set *set;
	struct stub *stubs; /* by section and value; owned */
	size_t n;
	struct function_index functions;
	struct relocated relocated; /* each_branch: of the section */
	struct code code;	    /* likewise */
};

static int compare_stubs(const void *a, const void *b)
{
	const struct stub *x = a, *y = b;

	if (x->shndx != y->shndx)
		return x->shndx < y->shndx ? -1 : 1;
	return x->value < y->value ? -1 : x->value > y->value;
}

static int list_stubs(struct search *s)
{
	s->stubs = malloc((s->set->nprobes + 1) * sizeof(s->stubs[0]));
	if (s->stubs == NULL)
		return diag_nomem(s->d, s->obj->path);
	for (size_t i = 0; i < s->set->nprobes; i++) {
		const struct probe *probe = &s->set->probes[i];
		struct symbol sym;

		object_symbol(s->obj, probe->symndx, &sym);
		if (sym.is_defined &&
		    section_is_text(&s->obj->sections[sym.shndx]))
			s->stubs[s->n++] =
				(struct stub){ sym.shndx, sym.value, i };
	}
	if (s->n > 0)
		qsort(s->stubs, s->n, sizeof(s->stubs[0]), compare_stubs);
	return 0;
}

static const struct stub *stub_at(const struct search *s, uint32_t shndx,
				  uint64_t value)
{
	struct stub key = { .shndx = shndx, .value = value };

	return bsearch(&key, s->stubs, s->n, sizeof(key), compare_stubs);
}

static void refuse(struct search *s, uint32_t shndx, uint64_t offset,
		   const struct stub *stub)
{
	struct place place = { .file = s->obj->path,
			       .section = s->obj->sections[shndx].name,
			       .has_offset = true,
			       .offset = offset };

	functions_index_locate(&s->functions, shndx, offset, &place);
	diag_report(s->d, SEVERITY_NO, &place, "local-branch",
		    "compile with -fsemantic-interposition, or define the "
		    "probe functions in an object of their own",
		    "the code of probe function %s is used without a "
		    "relocation against it",
		    s->set->probes[stub->probe].symbol);
}

/* A stub that goes to its own start is a loop. */
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
	    offset - place.function_offset == stub->value ||
	    !s->obj->arch->is_boundary(s->obj->arch, &s->code,
				       offset - place.function_offset,
				       offset) ||
	    relocated_touches(&s->relocated, offset, branch->length))
		return;
	refuse(s, shndx, offset, stub);
}

/* The branches in the sections of the probe functions. */
static int search_branches(struct search *s)
{
	const struct arch *arch = s->obj->arch;

	for (size_t first = 0, end; first < s->n; first = end) {
		uint32_t shndx = s->stubs[first].shndx;

		for (end = first + 1;
		     end < s->n && s->stubs[end].shndx == shndx; end++)
			;
		if (!object_code(s->d, s->obj, shndx, &s->code))
			return -1;
		s->relocated =
			(struct relocated){ s->d, s->obj, shndx, NULL, 0 };
		arch->each_branch(arch, &s->code, s->stubs[first].value,
				  s->stubs[end - 1].value, judge_branch, s);
		relocated_free(&s->relocated);
		if (s->relocated.status != 0)
			return -1;
	}
	return 0;
}

/*
 * On RISC-V, the lower half of an address names the instruction of the upper
 * one, which may be the first of the stub.
 */
static bool names_insn(const struct object *obj, uint32_t type)
{
	return strstr(arch_reloc_name(obj->arch, type), "PCREL_LO12") != NULL;
}

/* What a relocation of the text against a local symbol, as of a section, means.
 */
static int search_relocs(struct search *s, uint32_t relsec)
{
	const struct object *obj = s->obj;
	uint32_t shndx = obj->sections[relsec].info;
	struct relocs relocs;
	const uint8_t *bytes;
	size_t size;

	bytes = object_data(s->d, obj, shndx, &size);
	if (bytes == NULL || object_relocs(s->d, obj, relsec, &relocs))
		return -1;
	for (size_t i = 0; i < relocs.n; i++) {
		const struct stub *stub;
		struct symbol sym;
		struct reloc r;

		reloc_get(&relocs, i, &r);
		object_symbol(obj, r.symndx, &sym);
		if (sym.bind != STB_LOCAL || !sym.is_defined)
			continue;
		if (!relocs.is_rela && r.offset <= size && size - r.offset >= 4)
			r.addend = (int32_t)object_word(obj, bytes + r.offset);
		stub = stub_at(s, sym.shndx,
			       sym.value + r.addend +
				       arch_reloc_bias(obj->arch, r.type));
		if (stub == NULL && arch_reloc_has_slot(obj->arch, r.type))
			stub = stub_at(s, sym.shndx, sym.value);
		if (stub != NULL && !names_insn(obj, r.type))
			refuse(s, shndx, r.offset, stub);
	}
	return 0;
}

int unseen_check(struct diag *d, const struct object *obj,
		 const struct site_set *set)
{
	struct search s = {
		.d = d, .obj = obj, .set = set, .functions.obj = obj
	};
	int ret = list_stubs(&s);

	if (ret == 0 && s.n > 0)
		ret = search_branches(&s);
	for (size_t i = 1; ret == 0 && s.n > 0 && i < obj->nsections; i++)
		if (section_is_relocs(&obj->sections[i]) &&
		    section_is_text(&obj->sections[obj->sections[i].info]))
			ret = search_relocs(&s, i);
	free(s.stubs);
	functions_index_free(&s.functions);
	return ret;
}
