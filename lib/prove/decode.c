/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: decodes the code at a site, and makes what --nop makes of it.
 */
#include <config.h>

#include <string.h>

#include "arch/tracepoint.h"
#include "proof.h"

bool decode_at(const struct proof *p, uint64_t addr, struct branch *branch)
{
	const struct image_section *is = image_find_text(&p->run->img, addr, 1);
	const struct arch *arch = p->partial->arch;

	return is != NULL && arch->decode_branch(arch, &is->code,
						 addr - is->code.addr, branch);
}

/* The mode is that of the partial, whatever the image's symbols say. */
bool decode_site(const struct proof *p, const struct proof_site *site,
		 struct branch *branch)
{
	const struct image_section *is =
		image_find_text(&p->run->img, site->addr, 1);
	const struct arch *arch = p->partial->arch;
	struct mark mark = { 0, site->mode };
	struct code code;

	if (is == NULL)
		return false;
	code = code_in_mode(&is->code, &mark);
	return arch->decode_branch(arch, &code, site->addr - code.addr, branch);
}

bool decode_can_jump(const struct proof *p, const struct proof_site *site)
{
	const struct object *obj = p->partial;
	const struct tracepoint_isa *isa = tracepoint_isa_find(
		obj->ehdr.e_machine, obj->is_64, site->mode);
	const struct proof_site *target = proof_site_target(&p->list, site);
	uint8_t bytes[TRACEPOINT_INSN_MAX];

	return tracepoint_encode(
		isa, obj->is_big_endian,
		tracepoint_distance(isa, site->addr, target->addr), bytes);
}

/* What --nop makes of SITE. Returns the size, or 0 if --nop leaves it alone. */
static unsigned disabled_form(const struct proof *p,
			      const struct proof_site *site,
			      uint8_t bytes[DISABLED_MAX])
{
	const struct arch *arch = p->partial->arch;
	struct code code = { 0 };

	if (site->form == FORM_BRANCH || site->is_excluded ||
	    !object_code(p->run->d, p->partial, site->shndx, &code))
		return 0;
	return arch->disable(arch, site->form, site->is_enabled, &code,
			     site->offset, bytes);
}

bool decode_can_disable(const struct proof *p, const struct proof_site *site)
{
	uint8_t bytes[DISABLED_MAX];

	return site->form == FORM_BRANCH || disabled_form(p, site, bytes) > 0;
}

/*
 * Was SITE injected without --nop? Not certain of a COMDAT copy: the linker may
 * have taken the copy of an object that was injected with --nop.
 */
static bool must_branch(const struct proof *p, const struct proof_site *site)
{
	bool is_shared = p->partial->sections[site->shndx].comdat != 0;

	for (size_t k = 0; is_shared && k < p->run->nproofs; k++)
		if (!p->run->proofs[k].has_branches)
			return false;
	return p->has_branches;
}

/* Only an anchored table may have sites that are off. */
unsigned decode_nops(const struct proof *p, const struct proof_site *site,
		     uint8_t bytes[DISABLED_MAX])
{
	return p->run->table.form != TABLE_ANCHORED || must_branch(p, site)
		       ? 0
		       : disabled_form(p, site, bytes);
}

bool decode_is_disabled(const struct proof *p, const struct proof_site *site)
{
	uint8_t expected[DISABLED_MAX];
	unsigned size = decode_nops(p, site, expected);
	const uint8_t *bytes;

	if (size == 0)
		return false;
	bytes = image_bytes(&p->run->img, site->addr, size);
	return bytes != NULL && memcmp(bytes, expected, size) == 0;
}
