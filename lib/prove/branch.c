/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of verify: does the branch at each site of the final go to its stub? */
#include <config.h>

#include <inttypes.h>

#include "arch/tracepoint.h"
#include "proof.h"

/*
 * The form and the target do not tell the condition of a conditional branch,
 * or a prefix: all bits but the displacement must be those of the partial.
 */
static bool same_opcode(const struct proof *p, const struct witness *w)
{
	const struct arch *arch = p->partial->arch;
	const uint8_t *before, *after;
	struct byte_range range;
	size_t size;
	bool is_same = true;

	/* What a linker shortens has no condition. */
	if (p->partial->sections[w->shndx].relaxes)
		return true;
	before = object_data(p->run->d, p->partial, w->shndx, &size);
	after = image_bytes(&p->run->img, w->addr - w->offset, size);
	if (before == NULL || after == NULL)
		return false;
	for (unsigned i = 0; i < w->length; i++) {
		uint8_t kept =
			~arch_reloc_bits(arch, w->reloc.type, i - w->field);
		uint64_t at = w->offset + i;

		is_same &= ((before[at] ^ after[at]) & kept) == 0;
	}
	return is_same ||
	       (arch->is_rewrite(arch, before, after, size, &w->reloc,
				 &range) &&
		range.start <= w->offset && range.end >= w->offset + w->length);
}

static bool is_direct_branch(const struct proof *p, const struct witness *w,
			     struct branch *branch)
{
	return decode_site(p, w, branch) && branch->form == w->form &&
	       same_opcode(p, w);
}

/* In the branch form, is the one NOP there that is patched? */
static bool is_nop(const struct proof *p, const struct witness *w)
{
	const struct object *obj = p->partial;
	const struct tracepoint_isa *isa =
		tracepoint_isa_find(obj->ehdr.e_machine, obj->is_64, w->mode);
	const uint8_t *bytes = image_bytes(&p->run->img, w->addr, w->length);

	return bytes != NULL &&
	       image_find_text(&p->run->img, w->addr, w->length) &&
	       tracepoint_is_own_nop(isa, obj->is_big_endian, bytes);
}

#define SHORT_REACH 0x100000 /* no call has less */

/* Are the low bits the same, as those that a branch of short reach has? */
static bool is_cut_off(uint64_t target, uint64_t stub)
{
	return target != stub && (target - stub) % SHORT_REACH == 0;
}

static void report_target(struct proof *p, const struct witness *w,
			  const struct branch *branch, const struct stub *stub)
{
	struct finding f = at_witness(w, CAUSE_REWRITTEN);

	if (stub->is_open)
		f.remedy = REMEDY_HIDE_STUB;
	if (is_hop(p, branch)) {
		f.cause = CAUSE_THUNK;
		find(p, &f,
		     "the branch goes to a veneer or PLT entry at 0x%" PRIx64
		     ", which does not go on to the stub %s at 0x%" PRIx64,
		     branch->target, w->symbol, stub->entry);
		return;
	}
	if (!stub->is_open)
		f.remedy = REMEDY_NO_DETOUR;
	if (is_cut_off(branch->target, stub->entry))
		f.remedy = REMEDY_NEAR_STUBS;
	if (wraps(p, stub, branch->target))
		f.remedy = REMEDY_NO_WRAP;
	find(p, &f,
	     "the branch goes to 0x%" PRIx64
	     " and not to the stub %s at 0x%" PRIx64,
	     branch->target, w->symbol, stub->entry);
}

static void check_branch(struct proof *p, const struct witness *w)
{
	const struct stub *stub = w->stub;
	struct finding f = at_witness(w, CAUSE_STUB_MISSING);
	struct branch branch;

	if (w->form == FORM_BRANCH) {
		report_rewritten(p, w, w->addr);
		return;
	}
	if (stub == NULL) {
		find(p, &f, "the image defines no function %s", w->symbol);
		return;
	}
	if (!is_direct_branch(p, w, &branch)) {
		report_rewritten(p, w, w->addr);
		return;
	}
	if (reaches(p, w->addr, &branch, stub))
		return;
	report_target(p, w, &branch, stub);
}

bool is_right_branch(const struct proof *p, const struct witness *w)
{
	const struct stub *stub;
	struct branch branch;

	if (w->is_target)
		return true;
	if (w->form == FORM_BRANCH)
		return is_nop(p, w);
	stub = w->stub;
	return stub != NULL && is_direct_branch(p, w, &branch) &&
	       reaches(p, w->addr, &branch, stub);
}

/* Sites whose code is fetched into the cache before it is looked at. */
#define SITES_AHEAD 16

static void fetch_site(const struct proof *p, const struct witness *w)
{
	const uint8_t *before, *after;
	size_t size;

	before = object_data(p->run->d, p->partial, w->shndx, &size);
	after = w->is_placed ? image_bytes(&p->run->img, w->addr, 1) : NULL;
	if (before != NULL && after != NULL) {
		__builtin_prefetch(before + w->offset);
		__builtin_prefetch(after);
	}
}

void check_sites(struct proof *p)
{
	for (size_t i = 0; i < p->list.n; i++) {
		struct witness *w = &p->list.items[i];

		if (i + SITES_AHEAD < p->list.n)
			fetch_site(p, &p->list.items[i + SITES_AHEAD]);
		if (!w->is_placed || w->is_suspect || is_right_branch(p, w))
			continue;
		w->is_disabled = is_disabled(p, w);
		if (!w->is_disabled)
			check_branch(p, w);
	}
}
