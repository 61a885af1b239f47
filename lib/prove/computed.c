/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "computed.h"
#include "origin.h"

struct search {
	struct proof *p;
	struct computed *computed;
	const struct image_section *is;
	int status;
};

/*
 * Has the image something else there? It may be that which is meant: a label of
 * a linker script, such as _etext, or a function that was folded into the stub.
 */
static bool has_other_name(const struct object *final, const struct stub *stub)
{
	for (size_t i = 1; i < final->nsymbols; i++) {
		struct symbol sym;

		object_symbol(final, i, &sym);
		if (sym.value == stub->addr && sym.shndx != SHN_UNDEF &&
		    sym.type != STT_SECTION && sym.type != STT_TLS &&
		    !symbol_is_mark(&sym) && sym.name[0] != '\0' &&
		    strcmp(sym.name, stub->symbol) != 0)
			return true;
	}
	return false;
}

/* Is the code at ADDR that of a partial? */
static bool is_given(const struct proof *p, uint64_t addr)
{
	struct placed pl = { 0 };
	bool is_known = lookup_placed_at(p, addr) != NULL ||
			origin_place(p, addr, addr + 1, &pl);

	section_relocs_free(&pl.relocs);
	return is_known;
}

/*
 * Is the code at ADDR nobody's that may do so? Only stubs of --inject count:
 * the program may use a function of its own in any way.
 */
static bool is_foreign(const struct proof *p, uint64_t addr,
		       const struct stub *stub)
{
	return stub->is_hidden && stub_code_size(p, stub) != 0 &&
	       !is_given(p, addr) && !reach_is_veneer(p, addr) &&
	       !lookup_is_explained(p, addr) &&
	       !has_other_name(p->run->img.obj, stub);
}

static void report(struct search *s, uint64_t addr, const struct stub *stub)
{
	struct finding f = { .cause = CAUSE_EXTRA_SITE,
			     .has_address = true,
			     .address = addr,
			     .remedy = REMEDY_NO_POINTER };
	uint64_t *fields = grow_list(s->computed->fields, s->computed->n,
				     sizeof(fields[0]));

	if (fields == NULL) {
		s->status = diag_nomem(s->p->run->d, s->p->run->img.obj->path);
		return;
	}
	s->computed->fields = fields;
	fields[s->computed->n++] = addr;
	report_finding(s->p, &f, "text computes the address of the stub %s",
		       stub->symbol);
}

static void judge_address(void *ctx, uint64_t offset, uint64_t target)
{
	struct search *s = ctx;
	const struct image *img = &s->p->run->img;
	uint64_t addr = image_wrap(img, s->is->code.addr + offset);
	const struct stub *stub = stub_at(s->p, target);

	if (stub != NULL && is_foreign(s->p, addr, stub))
		report(s, addr, stub);
}

int computed_check(struct proof *p, struct computed *computed)
{
	const struct arch *arch = p->run->img.obj->arch;
	struct search s = { .p = p, .computed = computed };

	if (p->run->nstubs == 0 || arch->each_address == NULL)
		return 0;
	for (size_t i = 0; i < p->run->img.nsections; i++) {
		s.is = &p->run->img.sections[i];
		if (s.is->is_text && s.is->is_executable)
			arch->each_address(
				arch, &s.is->code,
				p->run->stubs_by_addr[0]->addr,
				p->run->stubs_by_addr[p->run->nstubs - 1]->addr,
				judge_address, &s);
	}
	return s.status;
}

/* The halves of an address have a relocation each. */
#define HALVES_APART 16

bool computed_has(const struct computed *computed, uint64_t addr)
{
	for (size_t i = 0; i < computed->n; i++)
		if (computed->fields[i] + HALVES_APART - addr <=
		    2 * HALVES_APART)
			return true;
	return false;
}

void computed_free(struct computed *computed)
{
	free(computed->fields);
	*computed = (struct computed){ 0 };
}
