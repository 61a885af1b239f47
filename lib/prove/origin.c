/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: finds the partial's relocation for a branch of the image that
 * a linker has sent elsewhere.
 */
#include <config.h>

#include <string.h>

#include "origin.h"
#include "sites/probe.h"

/* The relocation of a partial whose field is a branch's displacement. */
struct origin {
	const struct proof *p; /* its partial */
	struct reloc reloc;
	struct symbol symbol;
	/* Nothing else can be there: another object's function may have the
	 * name and the bytes of a local or a weak one. */
	bool is_sure;
};

/* The relocation whose field is the N bytes at OFFSET. */
static bool find_reloc(const struct proof *p,
		       const struct section_relocs *relocs, uint64_t offset,
		       unsigned n, struct origin *origin)
{
	for (size_t i = section_relocs_reaching(relocs, offset);
	     i < relocs->n && relocs->relocs[i].offset <= offset; i++) {
		const struct reloc *r = &relocs->relocs[i];

		if (r->offset != offset ||
		    arch_reloc_width(p->partial->arch, r->type) != n)
			continue;
		origin->p = p;
		origin->reloc = *r;
		object_symbol(p->partial, r->symndx, &origin->symbol);
		return true;
	}
	return false;
}

/*
 * Sets *PL to the section of OWN, a function that the image has at FUNCTION, if
 * its bytes are there and [ADDR, END) is some of them. The caller frees
 * PL->relocs.
 */
static bool place_section(const struct proof *p, const struct symbol *own,
			  uint64_t function, uint64_t addr, uint64_t end,
			  struct placed *pl)
{
	const struct section *sec = &p->partial->sections[own->shndx];

	*pl = (struct placed){
		.addr = image_wrap(&p->run->img, function - own->value),
		.size = sec->size,
		.shndx = own->shndx,
		.k = p - p->run->proofs,
	};
	if (sec->relaxes || addr < pl->addr || end - pl->addr > sec->size)
		return false;
	if (section_relocs_read(p->run->d, p->partial, own->shndx,
				&pl->relocs) == 0 &&
	    placer_fits(&p->placer, own->shndx, &pl->relocs, pl->addr))
		return true;
	section_relocs_free(&pl->relocs);
	return false;
}

/* A function of a partial. */
struct own_function {
	size_t k; /* the partial */
	uint32_t symndx;
	struct symbol sym;
};

/* The next function NAME of a partial. Start with OWN all zeros. */
static bool next_own(const struct proof *p, const char *name,
		     struct own_function *own)
{
	if (p->run->v->is_alone)
		return false;
	for (; own->k < p->run->nproofs; own->k++, own->symndx = 0)
		while (names_next(&p->run->proofs[own->k].functions, name,
				  &own->symndx, &own->sym))
			if (own->sym.is_defined)
				return true;
	return false;
}

/*
 * Sets *PL to the next section with [ADDR, END), in FUNCTION of the image.
 * Start with OWN all zeros.
 */
static bool next_placed(const struct proof *p, const struct symbol *function,
			uint64_t addr, uint64_t end, struct own_function *own,
			struct placed *pl)
{
	while (next_own(p, function->name, own))
		if (place_section(&p->run->proofs[own->k], &own->sym,
				  function->value, addr, end, pl))
			return true;
	return false;
}

bool origin_place(const struct proof *p, uint64_t addr, uint64_t end,
		  struct placed *pl)
{
	struct own_function own = { 0 };
	struct symbol function;

	return image_function(&p->run->img, addr, &function) &&
	       next_placed(p, &function, addr, end, &own, pl);
}

bool origin_sets(const struct proof *p, uint64_t addr)
{
	struct own_function own = { 0 };
	struct symbol function;

	if (!image_function(&p->run->img, addr, &function))
		return false;
	while (next_own(p, function.name, &own))
		if (relaxed_sets(&p->run->proofs[own.k], &own.sym,
				 function.value, addr))
			return true;
	return false;
}

/* The same as find_origin, for sections that are not placed. */
static bool find_by_name(const struct proof *p, uint64_t addr, uint64_t field,
			 unsigned n, struct origin *origin)
{
	struct own_function own = { 0 };
	struct symbol function;
	struct placed pl;
	bool is_found = false;

	if (!image_function(&p->run->img, addr, &function))
		return false;
	while (!is_found &&
	       next_placed(p, &function, addr, field + n, &own, &pl)) {
		origin->is_sure = own.sym.bind == STB_GLOBAL &&
				  function.bind == STB_GLOBAL;
		is_found = find_reloc(&p->run->proofs[own.k], &pl.relocs,
				      field - pl.addr, n, origin);
		section_relocs_free(&pl.relocs);
	}
	return is_found;
}

/* The relocation for BRANCH, at ADDR; false if it is not known. */
static bool find_origin(const struct proof *p, uint64_t addr,
			const struct branch *branch, struct origin *origin)
{
	uint64_t field = addr + branch->field;
	unsigned n = branch->length - branch->field;

	for (size_t k = 0; k < p->run->nproofs; k++) {
		const struct placed *pl =
			lookup_own_placed_at(&p->run->proofs[k], addr);

		if (pl == NULL)
			continue;
		origin->is_sure = true;
		return !pl->is_relaxed &&
		       find_reloc(&p->run->proofs[k], &pl->relocs,
				  field - pl->addr, n, origin);
	}
	return find_by_name(p, addr, field, n, origin);
}

/*
 * origin_is_cut_off for the section of OWN, which the image has at FUNCTION.
 * The section may have rewrites, but these bytes must be the same.
 */
static bool cuts_off(const struct proof *p, const struct symbol *own,
		     uint64_t function, uint64_t addr, uint64_t end)
{
	uint64_t start = image_wrap(&p->run->img, function - own->value);
	uint64_t offset = addr - start;
	const uint8_t *before, *after;
	size_t size;
	struct section_relocs relocs;
	bool is_own = false;

	before = object_data(p->run->d, p->partial, own->shndx, &size);
	if (p->partial->sections[own->shndx].relaxes || before == NULL ||
	    offset >= size || end - start <= size)
		return false;
	after = image_bytes(&p->run->img, addr, size - offset);
	if (section_relocs_read(p->run->d, p->partial, own->shndx, &relocs) ==
	    0)
		is_own = after != NULL &&
			 memcmp(before + offset, after, size - offset) == 0 &&
			 !section_relocs_touch(&relocs, p->partial->arch,
					       offset, size - offset) &&
			 placer_fits(&p->placer, own->shndx, &relocs, start);
	section_relocs_free(&relocs);
	return is_own;
}

bool origin_is_cut_off(const struct proof *p, uint64_t addr, uint64_t end)
{
	struct own_function own = { 0 };
	struct symbol function;

	if (!image_function(&p->run->img, addr, &function))
		return false;
	while (next_own(p, function.name, &own))
		if (cuts_off(&p->run->proofs[own.k], &own.sym, function.value,
			     addr, end))
			return true;
	return false;
}

/* Has the image NAME, and does not define it? lld makes it local if hidden. */
static bool is_left_undefined(const struct proof *p, const char *name)
{
	const struct object *obj = p->run->img.obj;
	bool is_there = false;

	for (size_t i = 1; i < obj->nsymbols; i++) {
		struct symbol sym;

		object_symbol(obj, i, &sym);
		if (strcmp(sym.name, name) != 0)
			continue;
		if (sym.shndx != SHN_UNDEF)
			return false;
		is_there = true;
	}
	return is_there;
}

/* lld does so on ARM and AArch64, whose ABIs have it for weak references
 * (AAELF32, AAELF64), and for all with --unresolved-symbols=ignore-all. */
bool origin_goes_nowhere(const struct proof *p, uint64_t addr,
			 const struct branch *branch)
{
	struct origin origin;
	size_t prefix;

	return branch->target ==
		       image_wrap(&p->run->img, addr + branch->length) &&
	       find_origin(p, addr, branch, &origin) && origin.is_sure &&
	       origin.symbol.shndx == SHN_UNDEF &&
	       probe_classify(p->run->options, origin.symbol.name, false,
			      &prefix) == PROBE_NONE &&
	       is_left_undefined(p, origin.symbol.name);
}

/* The address that ORIGIN leads to; false if it is not known. */
static bool find_target(const struct origin *origin, uint64_t *target)
{
	const struct proof *p = origin->p;
	const struct symbol *sym = &origin->symbol;
	const struct placed *pl;
	struct symbol found;
	uint32_t symndx = 0;

	if (!p->partial->arch->uses_rela)
		return false;
	pl = sym->is_defined ? lookup_placed_section(p, sym->shndx) : NULL;
	if (pl != NULL)
		*target = pl->addr + sym->value;
	else if (names_next(&p->run->img.names, sym->name, &symndx, &found))
		*target = found.value;
	else
		return false;
	*target = image_wrap(
		&p->run->img,
		*target + origin->reloc.addend +
			arch_reloc_bias(p->partial->arch, origin->reloc.type));
	return true;
}

/* Is a jump to STUB where ORIGIN leads? */
static bool leads_to_jump(const struct origin *origin, const struct stub *stub)
{
	const struct proof *p = origin->p;
	struct branch branch;
	uint64_t target;

	return find_target(origin, &target) && decode_at(p, target, &branch) &&
	       branch.form == FORM_TAIL &&
	       reach_goes_to(p, target, &branch, stub);
}

/* Does a function begin with a tail call of STUB? */
static bool begins_function(const struct proof *p, const struct stub *stub)
{
	for (size_t i = 0; i < p->list.n; i++) {
		const struct proof_site *site = &p->list.items[i];

		if (site->form == FORM_TAIL && site->has_function &&
		    site->function == site->offset &&
		    strcmp(site->symbol, stub->symbol) == 0)
			return true;
	}
	return false;
}

/*
 * Does the object of P define STUB, and have the bytes of this branch where it
 * goes to the same code? Then the assembler has filled in the distance.
 */
static bool is_within(const struct proof *p, uint64_t addr,
		      const struct branch *branch, const struct stub *stub)
{
	const uint8_t *bytes = image_bytes(&p->run->img, addr, branch->length);
	uint32_t symndx = 0;
	struct symbol sym;
	struct code code = { 0 };
	uint64_t offset;

	if (bytes == NULL ||
	    !names_next(&p->functions, stub->symbol, &symndx, &sym) ||
	    !sym.is_defined ||
	    !object_code(p->run->d, p->partial, sym.shndx, &code))
		return false;
	offset = sym.value + (addr - stub->addr);
	return offset < code.size && code.size - offset >= branch->length &&
	       memcmp(code.bytes + offset, bytes, branch->length) == 0;
}

bool origin_is_loop(const struct proof *p, uint64_t addr,
		    const struct branch *branch, const struct stub *stub)
{
	bool is_loop = false;

	if (addr - stub->addr >= stub->size)
		return false;
	for (size_t k = 0; k < p->run->nproofs && !is_loop; k++)
		is_loop = is_within(&p->run->proofs[k], addr, branch, stub);
	return is_loop;
}

bool origin_has_no_sites(const struct proof *p, const struct stub *stub)
{
	uint32_t symndx = 0;
	struct symbol sym;
	size_t prefix;

	return names_next(&p->functions, stub->symbol, &symndx, &sym) &&
	       sym.is_defined && !names_is_stub(&p->functions, sym.name) &&
	       probe_classify(p->run->options, sym.name, true, &prefix) ==
		       PROBE_NONE;
}

/* lld 22 does this on x86-64 and AArch64, by default from -O2 on. */
enum remedy origin_remedy(const struct proof *p, uint64_t addr,
			  const struct branch *branch, const struct stub *stub)
{
	struct origin origin;

	if (find_origin(p, addr, branch, &origin))
		return leads_to_jump(&origin, stub) ? REMEDY_NO_BRANCH_TO_BRANCH
						    : REMEDY_OF_CAUSE;
	for (size_t k = 0; k < p->run->nproofs; k++)
		if (is_within(&p->run->proofs[k], addr, branch, stub))
			return REMEDY_CALL_BY_NAME;
	for (size_t k = 0; k < p->run->nproofs; k++)
		if (origin_has_no_sites(&p->run->proofs[k], stub))
			return REMEDY_DEFINE_APART;
	for (size_t k = 0; k < p->run->nproofs; k++)
		if (begins_function(&p->run->proofs[k], stub))
			return REMEDY_GIVE_CALLER;
	return REMEDY_OF_CAUSE;
}
