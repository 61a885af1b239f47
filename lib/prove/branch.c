/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of verify: does the branch at each site of the final go to its stub? */
#include <config.h>

#include <inttypes.h>

#include "arch/tracepoint.h"
#include "proof.h"

/*
 * Form and target of a branch do not cover its condition or its prefixes. So
 * all bits but the displacement must be those of the partial.
 */
static bool same_opcode(const struct proof *p, const struct proof_site *site)
{
	const struct arch *arch = p->partial->arch;
	const uint8_t *before, *after;
	struct byte_range range;
	size_t size;
	bool is_same = true;

	/* A branch that a linker may shorten has no condition. */
	if (p->partial->sections[site->shndx].relaxes)
		return true;
	before = object_data(p->run->d, p->partial, site->shndx, &size);
	after = image_bytes(&p->run->img, site->addr - site->offset, size);
	if (before == NULL || after == NULL)
		return false;
	for (unsigned i = 0; i < site->length; i++) {
		uint8_t kept = ~arch_reloc_bits(arch, site->reloc.type,
						i - site->field);
		uint64_t at = site->offset + i;

		is_same &= ((before[at] ^ after[at]) & kept) == 0;
	}
	return is_same || (arch->is_rewrite(arch, before, after, size,
					    &site->reloc, &range) &&
			   range.start <= site->offset &&
			   range.end >= site->offset + site->length);
}

static bool is_direct_branch(const struct proof *p,
			     const struct proof_site *site,
			     struct branch *branch)
{
	return decode_site(p, site, branch) && branch->form == site->form &&
	       same_opcode(p, site);
}

/* Is the NOP of a site in the branch form there? */
static bool is_nop(const struct proof *p, const struct proof_site *site)
{
	const struct object *obj = p->partial;
	const struct tracepoint_isa *isa = tracepoint_isa_find(
		obj->ehdr.e_machine, obj->is_64, site->mode);
	const uint8_t *bytes =
		image_bytes(&p->run->img, site->addr, site->length);

	return bytes != NULL &&
	       image_find_text(&p->run->img, site->addr, site->length) &&
	       tracepoint_is_own_nop(isa, obj->is_big_endian, bytes);
}

#define SHORT_REACH 0x100000 /* no call has less */

/* Are the low bits the same, as those that a branch of short reach has? */
static bool is_cut_off(uint64_t target, uint64_t stub)
{
	return target != stub && (target - stub) % SHORT_REACH == 0;
}

static void report_target(struct proof *p, const struct proof_site *site,
			  const struct branch *branch, const struct stub *stub)
{
	struct finding f = report_at_site(site, CAUSE_REWRITTEN);

	if (stub->is_open)
		f.remedy = REMEDY_HIDE_STUB;
	if (reach_is_hop(p, branch)) {
		f.cause = CAUSE_THUNK;
		report_finding(
			p, &f,
			"the branch goes to a veneer or PLT entry at 0x%" PRIx64
			", which does not go on to the stub %s at 0x%" PRIx64,
			branch->target, site->symbol, stub->entry);
		return;
	}
	if (!stub->is_open)
		f.remedy = REMEDY_NO_DETOUR;
	if (is_cut_off(branch->target, stub->entry))
		f.remedy = REMEDY_NEAR_STUBS;
	if (reach_wraps(p, stub, branch->target))
		f.remedy = REMEDY_NO_WRAP;
	if (branch->target == stub->entry) {
		f.remedy = REMEDY_NO_IFUNC;
		report_finding(p, &f,
			       "the branch arrives at the stub %s at 0x%" PRIx64
			       " in another mode than that of its symbol",
			       site->symbol, stub->entry);
		return;
	}
	report_finding(p, &f,
		       "the branch goes to 0x%" PRIx64
		       " and not to the stub %s at 0x%" PRIx64,
		       branch->target, site->symbol, stub->entry);
}

static void check_branch(struct proof *p, const struct proof_site *site)
{
	const struct stub *stub = site->stub;
	struct finding f = report_at_site(site, CAUSE_STUB_MISSING);
	struct branch branch;

	if (site->form == FORM_BRANCH) {
		report_rewritten(p, site, site->addr);
		return;
	}
	if (stub == NULL) {
		report_finding(p, &f, "the image defines no function %s",
			       site->symbol);
		return;
	}
	if (!is_direct_branch(p, site, &branch)) {
		report_rewritten(p, site, site->addr);
		return;
	}
	if (reach_goes_to(p, site->addr, &branch, stub))
		return;
	report_target(p, site, &branch, stub);
}

bool branch_is_right(const struct proof *p, const struct proof_site *site)
{
	const struct stub *stub;
	struct branch branch;

	if (site->is_target)
		return true;
	if (site->form == FORM_BRANCH)
		return is_nop(p, site);
	stub = site->stub;
	return stub != NULL && is_direct_branch(p, site, &branch) &&
	       reach_goes_to(p, site->addr, &branch, stub);
}

/* Sites whose code is fetched into the cache before it is looked at. */
#define SITES_AHEAD 16

static void fetch_site(const struct proof *p, const struct proof_site *site)
{
	const uint8_t *before, *after;
	size_t size;

	before = object_data(p->run->d, p->partial, site->shndx, &size);
	after = site->is_placed ? image_bytes(&p->run->img, site->addr, 1)
				: NULL;
	if (before != NULL && after != NULL) {
		__builtin_prefetch(before + site->offset);
		__builtin_prefetch(after);
	}
}

void branch_check_sites(struct proof *p)
{
	for (size_t i = 0; i < p->list.n; i++) {
		struct proof_site *site = &p->list.items[i];

		if (i + SITES_AHEAD < p->list.n)
			fetch_site(p, &p->list.items[i + SITES_AHEAD]);
		if (!site->is_placed || site->is_suspect)
			continue;
		if (branch_is_right(p, site))
			continue;
		site->is_disabled = decode_is_disabled(p, site);
		if (!site->is_disabled)
			check_branch(p, site);
	}
}
