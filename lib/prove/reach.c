/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: what leads to a stub. If the stub is too far away, in another
 * mode or in another component, the branch goes to a hop of the linker's: a
 * veneer (thunk, long-branch stub), a PLT entry, or a veneer and then a PLT
 * entry. This recognises a hop by its code, never by its name.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/search.h"
#include "base/sort.h"
#include "proof.h"

/* The address in the word at SLOT, if nothing changes it at run time. */
static bool read_slot(const struct proof *p, uint64_t slot, uint64_t *target)
{
	const struct object *obj = p->run->img.obj;
	bool is_long = obj->is_64 || p->partial->arch->slot_width == 8;
	const uint8_t *bytes = image_bytes(&p->run->img, slot, is_long ? 8 : 4);

	if (bytes == NULL || image_find_reloc(&p->run->img, slot) != NULL)
		return false;
	*target = is_long ? object_xword(obj, bytes) : object_word(obj, bytes);
	return true;
}

/*
 * The second word of the descriptor at ADDR: callers set the GOT pointer to it.
 */
static bool toc_of(const struct proof *p, uint64_t addr, uint64_t *got)
{
	const struct image_reloc *reloc =
		image_find_reloc(&p->run->img, addr + 8);

	if (reloc == NULL)
		return read_slot(p, addr + 8, got);
	*got = image_addend(&p->run->img, reloc);
	return reloc->is_relative;
}

static bool have_own_gots(const struct proof *p)
{
	return p->partial->arch->sets_got != NULL ||
	       p->partial->arch->descriptors != NULL;
}

/* The value that FUNCTION sets its GOT pointer to, if its code shows that. */
static bool own_got(const struct proof *p, const struct symbol *function,
		    uint64_t *got)
{
	const struct arch *arch = p->partial->arch;
	const struct image_section *is =
		image_find_text(&p->run->img, function->value, 1);

	if (arch->sets_got == NULL)
		return function->is_descriptor &&
		       toc_of(p, function->descriptor, got);
	return is != NULL &&
	       (arch->local_entry == NULL ||
		arch->local_entry(function->other) > 0) &&
	       arch->sets_got(arch, &is->code, function->value - is->code.addr,
			      got);
}

static int add_got(struct proof *p, uint64_t got)
{
	uint64_t *gots;

	for (size_t i = 0; i < p->run->ngots; i++)
		if (p->run->gots[i] == got)
			return 0;
	gots = grow_list(p->run->gots, p->run->ngots, sizeof(gots[0]));
	if (gots == NULL)
		return diag_nomem(p->run->d, p->run->img.obj->path);
	p->run->gots = gots;
	gots[p->run->ngots++] = got;
	return 0;
}

/* Lists the second word of each descriptor, with or without a symbol. */
static int list_tocs(struct proof *p)
{
	uint64_t own;

	for (size_t i = 0; i < p->run->img.obj->ndescriptors; i++)
		if (toc_of(p, p->run->img.obj->descriptors[i].value, &own) &&
		    add_got(p, own))
			return -1;
	return 0;
}

/*
 * Lists the values that code without a symbol sets, in front of a local entry,
 * where one look at any place shows it.
 */
static int list_nameless_gots(struct proof *p, const struct code *code)
{
	const struct arch *arch = p->partial->arch;
	uint64_t own;

	if (arch->local_entry == NULL)
		return 0;
	for (uint64_t i = 0; i < code->size; i += arch->stub_align)
		if (arch->sets_got(arch, code, i, &own) && add_got(p, own))
			return -1;
	return 0;
}

int reach_list_gots(struct proof *p)
{
	size_t n = have_own_gots(p) ? p->run->img.nfunctions : 0;
	struct symbol function;
	uint64_t own;

	for (size_t i = 0; i < n; i++) {
		object_symbol(p->run->img.obj, p->run->img.functions[i],
			      &function);
		if (own_got(p, &function, &own) && add_got(p, own))
			return -1;
	}
	if (p->run->ngots == 0)
		p->run->usual_got = image_got(&p->run->img);
	else if (p->run->ngots == 1)
		p->run->usual_got = p->run->gots[0];
	for (size_t i = 0; i < p->run->img.nsections; i++)
		if (p->run->img.sections[i].is_text &&
		    list_nameless_gots(p, &p->run->img.sections[i].code))
			return -1;
	if (list_tocs(p))
		return -1;
	return add_got(p, image_got(&p->run->img));
}

/*
 * The GOT pointer at ADDR, as the function there has set it. If that is not
 * known, the value of all other functions; 0 if they differ.
 */
static uint64_t got_at(const struct proof *p, uint64_t addr)
{
	struct symbol function;
	uint64_t own;

	if (have_own_gots(p) && image_function(&p->run->img, addr, &function) &&
	    own_got(p, &function, &own))
		return own;
	return p->run->usual_got;
}

/* The stub whose address SLOT holds once the image is loaded. */
static struct stub *stub_of_slot(const struct proof *p, uint64_t slot)
{
	const struct image_reloc *reloc = image_find_reloc(&p->run->img, slot);
	uint64_t target;

	if (reloc != NULL && reloc->is_relative)
		return stub_of_pointer(p, image_addend(&p->run->img, reloc));
	if (reloc != NULL)
		return stub_called(p, reloc);
	return read_slot(p, slot, &target) ? stub_of_pointer(p, target) : NULL;
}

/*
 * Is the function at ADDR somebody's own, and not the linker's? The linker's
 * code begins where a function without code ends.
 */
static bool is_own(const struct proof *p, uint64_t addr)
{
	struct symbol sym;

	for (size_t i = 0;
	     image_functions_next(&p->run->img, addr, 1, &i, &sym);)
		if (sym.bind != STB_LOCAL && sym.size > 0)
			return true;
	return false;
}

bool reach_wraps(const struct proof *p, const struct stub *stub, uint64_t addr)
{
	struct symbol sym;
	uint32_t symndx = 0;

	while (names_next_prefixed(&p->run->img.names, "__wrap_", stub->symbol,
				   &symndx, &sym))
		if (sym.value == addr)
			return true;
	return false;
}

/* Of section .got, or 0. */
static uint64_t got_start(const struct proof *p)
{
	const struct object *obj = p->run->img.obj;

	return obj->sections[object_find_section(obj, ".got")].addr;
}

/* mold's i386 code counts from the start of .got, and not from the symbol. */
static struct stub *stub_of_plt(const struct proof *p, const struct code *code,
				uint64_t offset, uint64_t got, uint64_t *slot)
{
	const struct arch *arch = p->partial->arch;

	if (!arch->decode_plt(arch, code, offset, got, slot) ||
	    (got != 0 && got == image_got(&p->run->img) &&
	     p->run->img.nrelocs > 0 &&
	     image_find_reloc(&p->run->img, *slot) == NULL &&
	     arch->got_symbol == NULL && arch->descriptors == NULL &&
	     !arch->decode_plt(arch, code, offset, got_start(p), slot)))
		return NULL;
	return stub_of_slot(p, *slot);
}

/*
 * The length of the veneer at OFFSET of CODE, which goes on to TARGET; 0 if the
 * linker has put none there. A function whose only call is a site can read like
 * one.
 */
static unsigned veneer_at(const struct proof *p, const struct code *code,
			  uint64_t offset, uint64_t got, uint64_t *target)
{
	const struct arch *arch = p->partial->arch;
	uint64_t addr = code->addr + offset;
	unsigned size;

	if (arch->decode_veneer == NULL || lookup_has_placed(p, addr))
		return 0;
	size = arch->decode_veneer(arch, code, offset, got, target);
	return size > 0 &&
			       image_first_reloc(&p->run->img, addr, size) ==
				       NULL &&
			       !is_own(p, addr)
		       ? size
		       : 0;
}

/*
 * The stub that a veneer with this TARGET goes on to. Between the two may be a
 * PLT entry, or one more veneer: where functions must begin with a landing pad
 * (BTI) and the stub has none, linkers put one near the stub. Sets *NEXT to
 * what is between, or leaves it.
 */
static struct stub *stub_of_veneer(const struct proof *p, uint64_t target,
				   uint64_t got, uint64_t *next)
{
	struct mark mark = { 0, target & p->partial->mode_bits };
	uint64_t addr = target - mark.mode;
	struct stub *stub = stub_of_pointer(p, target);
	const struct image_section *is = image_find_text(&p->run->img, addr, 1);
	struct code there;
	uint64_t slot;

	if (stub != NULL || is == NULL)
		return stub;
	there = code_in_mode(&is->code, &mark);
	stub = stub_of_plt(p, &there, addr - there.addr, got, &slot);
	if (stub == NULL &&
	    veneer_at(p, &there, addr - there.addr, got, &target) > 0)
		stub = stub_of_pointer(p, target);
	if (stub != NULL)
		*next = addr;
	return stub != NULL && !reach_wraps(p, stub, addr) ? stub : NULL;
}

/*
 * The stub that the linker's code at OFFSET of CODE goes on to, or NULL; sets
 * HOP to what that code is.
 */
static struct stub *stub_behind(const struct proof *p, const struct code *code,
				uint64_t offset, uint64_t got,
				struct target *hop)
{
	uint64_t slot, target;
	struct stub *stub = stub_of_plt(p, code, offset, got, &slot);
	unsigned size = 1;

	if (stub == NULL) {
		slot = 0;
		size = veneer_at(p, code, offset, got, &target);
	}
	if (size == 0)
		return NULL;
	*hop = (struct target){ .addr = code->addr + offset,
				.slot = slot,
				.size = size };
	if (stub != NULL)
		return stub;
	stub = stub_of_veneer(p, target, got, &hop->next);
	return stub != NULL && !reach_wraps(p, stub, code->addr + offset)
		       ? stub
		       : NULL;
}

/*
 * Does the loader write code at the jump slot RELOC, a branch to its symbol? In
 * the older ABI of 32-bit Power, the PLT is a section of code with no bytes in
 * the file.
 */
static bool is_written(const struct proof *p, const struct image_reloc *reloc)
{
	const struct object *obj = p->run->img.obj;

	for (size_t i = 1; reloc->is_jump_slot && i < obj->nsections; i++) {
		const struct section *sec = &obj->sections[i];

		if (sec->type == SHT_NOBITS &&
		    (sec->flags & SHF_EXECINSTR) != 0 &&
		    reloc->addr - sec->addr < sec->size)
			return true;
	}
	return false;
}

/* The jump slot of that kind at ADDR, or NULL. */
static const struct image_reloc *written_entry(const struct proof *p,
					       uint64_t addr)
{
	const struct image_reloc *reloc = image_find_reloc(&p->run->img, addr);

	return reloc != NULL && is_written(p, reloc) ? reloc : NULL;
}

/* Does BRANCH go to STUB itself, and arrive in the mode of its code? */
static bool goes_to(const struct proof *p, const struct branch *branch,
		    const struct stub *stub)
{
	return branch->target == stub->entry &&
	       (branch->target_mode & p->partial->mode_bits) == stub->mode;
}

/* Is there a jump to STUB at OFFSET, and is it no site? */
static bool is_jump(const struct proof *p, const struct code *code,
		    uint64_t offset, const struct stub *stub)
{
	const struct arch *arch = p->partial->arch;
	struct branch branch;

	return arch->decode_veneer != NULL &&
	       arch->decode_branch(arch, code, offset, &branch) &&
	       branch.form == FORM_TAIL && goes_to(p, &branch, stub) &&
	       lookup_site_at(p, code->addr + offset) == NULL &&
	       !is_own(p, code->addr + offset) &&
	       !reach_wraps(p, stub, code->addr + offset);
}

bool reach_goes_to(const struct proof *p, uint64_t addr,
		   const struct branch *branch, const struct stub *stub)
{
	struct mark mark = { 0, branch->target_mode & p->partial->mode_bits };
	const struct image_reloc *entry;
	const struct image_section *is;
	const struct stub *behind;
	struct code code;
	uint64_t offset;
	struct target hop;

	if (goes_to(p, branch, stub))
		return true;
	entry = written_entry(p, branch->target);
	if (entry != NULL)
		return stub_called(p, entry) == stub;
	is = image_find_text(&p->run->img, branch->target, 1);
	if (is == NULL)
		return false;
	/* The code runs in the mode in which the branch arrives. */
	code = code_in_mode(&is->code, &mark);
	offset = branch->target - code.addr;
	behind = stub_behind(p, &code, offset, got_at(p, addr), &hop);
	return (behind != NULL && behind->addr == stub->addr) ||
	       is_jump(p, &code, offset, stub);
}

/* The code to which BRANCH goes, in the mode in which it arrives; or none. */
static struct code code_at(const struct proof *p, const struct branch *branch,
			   struct mark *mark)
{
	const struct image_section *is =
		image_find_text(&p->run->img, branch->target, 1);

	*mark = (struct mark){ 0, branch->target_mode & p->partial->mode_bits };
	return is != NULL && !is_own(p, branch->target)
		       ? code_in_mode(&is->code, mark)
		       : (struct code){ 0 };
}

bool reach_is_hop(const struct proof *p, const struct branch *branch)
{
	const struct arch *arch = p->partial->arch;
	struct mark mark;
	struct code code = code_at(p, branch, &mark);
	uint64_t offset = branch->target - code.addr, target;
	/* Whichever: only the shape counts. */
	uint64_t got = p->run->gots[0];

	return written_entry(p, branch->target) != NULL ||
	       (code.bytes != NULL &&
		(arch->decode_plt(arch, &code, offset, got, &target) ||
		 (arch->decode_veneer != NULL &&
		  arch->decode_veneer(arch, &code, offset, got, &target) > 0)));
}

bool reach_leaves(const struct proof *p, uint64_t addr,
		  const struct branch *branch)
{
	struct mark mark;
	struct code code = code_at(p, branch, &mark);
	const struct image_reloc *reloc = NULL;
	uint64_t slot;

	if (code.bytes != NULL &&
	    p->partial->arch->decode_plt(p->partial->arch, &code,
					 branch->target - code.addr,
					 got_at(p, addr), &slot))
		reloc = image_find_reloc(&p->run->img, slot);
	return reloc != NULL && !reloc->is_relative && !reloc->is_irelative;
}

/* --- The list ---------------------------------------------------------- */

static int add_target(struct proof *p, const struct stub *stub,
		      const struct target *target)
{
	struct target *targets = grow_list(p->run->targets, p->run->ntargets,
					   sizeof(targets[0]));

	if (targets == NULL)
		return diag_nomem(p->run->d, p->run->img.obj->path);
	p->run->targets = targets;
	targets[p->run->ntargets] = *target;
	targets[p->run->ntargets++].stub = stub;
	return 0;
}

/* Adds ADDR, with linker's code of that SIZE. */
static int add_address(struct proof *p, struct stub *stub, uint64_t addr,
		       unsigned size)
{
	struct target target = { .addr = addr, .size = size };

	return add_target(p, stub, &target);
}

/* Can the image have hops? A slot needs a relocation. */
static bool has_hops(const struct proof *p)
{
	if (p->partial->arch->decode_veneer != NULL)
		return true;
	for (size_t i = 0; i < p->run->img.nrelocs; i++)
		if (stub_called(p, &p->run->img.relocs[i]) != NULL)
			return true;
	return false;
}

/* Adds what is at OFFSET of CODE, which is that of IS in one mode. */
static int add_hop(struct proof *p, const struct image_section *is,
		   const struct code *code, uint64_t offset, uint64_t got)
{
	struct target hop;
	struct stub *stub = stub_behind(p, code, offset, got, &hop);

	/* No linker puts its own code where a stub begins. */
	if (stub == NULL || stub_at(p, code->addr + offset) != NULL)
		return 0;
	if (!is->is_overlay)
		return add_target(p, stub, &hop);
	overlays_report(p, code->addr + offset, stub);
	return 0;
}

/* A veneer may go on to code that does. */
static bool may_use_got(const struct arch *arch, const struct code *code,
			uint64_t offset, uint64_t got)
{
	uint64_t target;

	return arch->uses_got == NULL || arch->uses_got(arch, code, offset) ||
	       (arch->decode_veneer != NULL &&
		arch->decode_veneer(arch, code, offset, got, &target) > 0);
}

/*
 * Reads all of IS in MODE, with each value of the GOT pointer, as any function
 * may branch there.
 */
static int add_hops(struct proof *p, const struct image_section *is,
		    uint8_t mode)
{
	struct mark mark = { 0, mode };
	struct code code = code_in_mode(&is->code, &mark);

	for (uint64_t i = 0; i < code.size; i++) {
		size_t n = p->run->ngots;

		if (n > 1 &&
		    !may_use_got(p->partial->arch, &code, i, p->run->gots[0]))
			n = 1;
		for (size_t k = 0; k < n; k++)
			if (add_hop(p, is, &code, i, p->run->gots[k]))
				return -1;
	}
	return 0;
}

/* Each mode, as not all linkers mark their code with mapping symbols. */
static int add_all_hops(struct proof *p, const struct image_section *is)
{
	for (uint8_t mode = 0; mode <= p->partial->mode_bits; mode++)
		if (add_hops(p, is, mode))
			return -1;
	return 0;
}

static int add_written_entries(struct proof *p)
{
	for (size_t i = 0; i < p->run->img.nrelocs; i++) {
		const struct image_reloc *slot = &p->run->img.relocs[i];
		struct stub *stub = is_written(p, slot) ? stub_called(p, slot)
							: NULL;

		if (stub != NULL && add_address(p, stub, slot->addr, 1))
			return -1;
	}
	return 0;
}

/* Does SITE, of any partial, reach its stub through something else? */
static bool takes_detour(const struct proof *p, const struct proof_site *site,
			 struct branch *branch)
{
	return site->stub != NULL && decode_site(p, site, branch) &&
	       !goes_to(p, branch, site->stub);
}

static int add_jump(struct proof *p, const struct proof_site *site)
{
	const struct image_section *is;
	struct branch branch;
	struct mark mark;
	struct code code;

	/* The linker made nothing inside the stub itself. */
	if (!takes_detour(p, site, &branch))
		return 0;
	is = image_find_text(&p->run->img, branch.target, 1);
	if (is == NULL)
		return 0;
	mark = (struct mark){ 0, branch.target_mode & p->partial->mode_bits };
	code = code_in_mode(&is->code, &mark);
	if (!is_jump(p, &code, branch.target - code.addr, site->stub))
		return 0;
	return add_address(p, site->stub, branch.target, 1);
}

/*
 * A plain jump to a stub is somebody's site. But if a site of a partial goes
 * through it, the linker made it.
 */
static int add_jumps(struct proof *p)
{
	for (size_t k = 0; k < p->run->nproofs; k++) {
		const struct site_index *sites = p->run->proofs[k].sites;

		for (size_t i = 0; i < sites->n; i++)
			if (add_jump(p, sites->items[i]))
				return -1;
	}
	return 0;
}

/* The number of targets at or below ADDR. */
static size_t targets_below(const struct proof *p, uint64_t addr)
{
	size_t i;

	LOWER_BOUND(i, p->run->ntargets, p->run->targets[i].addr <= addr);
	return i;
}

bool reach_has_slot(const struct proof *p, const struct stub *stub,
		    uint64_t slot)
{
	for (size_t i = 0; i < p->run->ntargets; i++) {
		const struct target *t = &p->run->targets[i];

		if ((t->is_used || p->run->v->nfindings > 0) &&
		    t->stub == stub && t->size > 0 &&
		    (t->slot == slot || (t->slot == 0 && t->addr == slot)))
			return true;
	}
	return false;
}

static bool lists_hop(const struct proof *p)
{
	for (size_t i = 0; i < p->run->ntargets; i++)
		if (p->run->targets[i].size > 0)
			return true;
	return false;
}

/* Marks the targets at ADDR, and the veneers that they go on to. */
static void mark_target(struct proof *p, uint64_t addr)
{
	for (size_t n = targets_below(p, addr);
	     n > 0 && p->run->targets[n - 1].addr == addr; n--) {
		struct target *t = &p->run->targets[n - 1];

		if (!t->is_used && t->next != 0) {
			t->is_used = true;
			mark_target(p, t->next);
		}
		t->is_used = true;
	}
}

/*
 * Marks the targets that sites go through. Code that reads like a veneer but
 * serves no site is somebody's function: "bti c; b target" can be either. A
 * stub is not a way to itself.
 */
static void mark_used(struct proof *p)
{
	if (!lists_hop(p))
		return;
	for (size_t k = 0; k < p->run->nproofs; k++) {
		const struct site_index *sites = p->run->proofs[k].sites;
		struct branch branch;

		for (size_t i = 0; i < sites->n; i++)
			if (takes_detour(p, sites->items[i], &branch))
				mark_target(p, branch.target);
	}
}

int reach_list_targets(struct proof *p)
{
	for (size_t i = 0; i < p->run->nstubs; i++) {
		struct stub *stub = &p->run->stubs[i];

		if (add_address(p, stub, stub->addr, 0) ||
		    (stub->entry != stub->addr &&
		     add_address(p, stub, stub->entry, 0)))
			return -1;
	}
	for (size_t i = 0;
	     has_hops(p) && i < p->run->img.nsections + p->run->img.noverlays;
	     i++)
		if (p->run->img.sections[i].is_text &&
		    add_all_hops(p, &p->run->img.sections[i]))
			return -1;
	if (add_written_entries(p) ||
	    (p->partial->arch->decode_veneer != NULL && add_jumps(p)))
		return -1;
	if (p->run->ntargets > 0)
		qsort(p->run->targets, p->run->ntargets,
		      sizeof(p->run->targets[0]), sort_compare_numbers);
	mark_used(p);
	return 0;
}

const struct stub *reach_target_at(const struct proof *p, uint64_t addr)
{
	size_t n = targets_below(p, addr);

	return n > 0 && p->run->targets[n - 1].addr == addr
		       ? p->run->targets[n - 1].stub
		       : NULL;
}

#define VENEER_MAX 64 /* bytes of the longest */

bool reach_is_veneer(const struct proof *p, uint64_t addr)
{
	/* The end of a veneer can read like another veneer. */
	for (size_t n = targets_below(p, addr);
	     n > 0 && addr - p->run->targets[n - 1].addr < VENEER_MAX; n--)
		if (p->run->targets[n - 1].is_used &&
		    addr - p->run->targets[n - 1].addr <
			    p->run->targets[n - 1].size)
			return true;
	return false;
}
