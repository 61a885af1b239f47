/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Instructions that others run, as ex and exrl of s390x do: in place of such a
 * one, a jump would be run there.
 */
#include <config.h>

#include "base/search.h"
#include "check.h"

struct runner {
	struct diag *d;
	struct jump_check *check;
	const struct jump_section *js;
	const struct jump_function *f; /* or NULL */
	bool is_lost;		       /* one may run anything */
	int status;
};

/* All of the function may be what the instruction at SOURCE runs. */
static void mark_function(struct runner *r, uint64_t source)
{
	for (uint64_t at = r->f->start; r->status == 0 && at < r->f->end;
	     at += r->check->isa->unit)
		r->status = jump_check_mark_run(r->d, r->check, at, source);
}

static void mark_run(void *ctx, uint64_t offset, uint64_t target)
{
	struct runner *r = ctx;
	uint64_t source = r->js->code.addr + offset;

	if (r->status != 0)
		return;
	if (target != 0) {
		r->status = jump_check_mark_run(
			r->d, r->check, object_wrap(r->check->map.obj, target),
			source);
		return;
	}
	r->is_lost = true;
	if (r->f != NULL)
		mark_function(r, source);
}

static void look(struct runner *r, uint64_t start, uint64_t end)
{
	if (start < end && r->status == 0)
		r->check->isa->each_run(r->check->map.obj->arch, &r->js->code,
					start - r->js->code.addr,
					end - r->js->code.addr, r->f != NULL,
					mark_run, r);
}

/* In functions, and in what is between them. */
static void look_at_section(struct runner *r)
{
	const struct jump_check *check = r->check;
	uint64_t at = r->js->code.addr, end = at + r->js->code.size;
	size_t i;

	LOWER_BOUND(i, check->nfunctions, check->functions[i].start < at);
	for (; i < check->nfunctions && check->functions[i].start < end; i++) {
		const struct jump_function *f = &check->functions[i];

		if (f->is_undecodable)
			continue;
		r->f = NULL;
		look(r, at, f->start);
		r->f = f;
		look(r, f->start, f->end);
		at = f->end;
	}
	r->f = NULL;
	look(r, at, end);
}

/* An instruction of another file may run what a symbol names in a function. */
static int mark_symbols(struct diag *d, struct jump_check *check)
{
	const struct object *obj = check->map.obj;

	for (size_t i = 1; i < obj->nsymbols; i++) {
		const struct jump_function *f;
		struct symbol sym;
		uint64_t addr;

		object_symbol(obj, i, &sym);
		if (!sym.is_defined || sym.bind == STB_LOCAL ||
		    !jump_map_symbol(&check->map, &sym, &addr))
			continue;
		f = jump_check_function(check, addr);
		if (f != NULL && f->start != addr &&
		    jump_check_mark_run(d, check, addr, addr))
			return -1;
	}
	return 0;
}

/* What runs anything may have read the address from data. */
static int mark_pointers(struct diag *d, struct jump_check *check)
{
	size_t n = check->nlandings;

	if (jump_check_data(d, check))
		return -1;
	for (; n < check->nlandings; n++) {
		const struct landing *l = &check->landings[n];
		const struct jump_function *f =
			jump_check_function(check, l->target);

		if (f != NULL && f->start != l->target &&
		    jump_check_mark_run(d, check, l->target, l->source))
			return -1;
	}
	return 0;
}

int jump_check_runs(struct diag *d, struct jump_check *check)
{
	struct runner r = { .d = d, .check = check };

	for (size_t i = 0; i < check->map.n; i++) {
		r.js = &check->map.sections[i];
		if (r.js->is_text)
			look_at_section(&r);
	}
	if (r.status != 0)
		return -1;
	if (check->map.obj->ehdr.e_type == ET_REL && mark_symbols(d, check))
		return -1;
	return r.is_lost ? mark_pointers(d, check) : 0;
}
