/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: only sites of the partials may branch to a stub. This step
 * reveals a site that nobody listed.
 */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/table-format.h"
#include "decoy.h"
#include "elf/descriptors.h"
#include "elf/frames.h"
#include "origin.h"
#include "sites/descriptions.h"
#include "sites/probe.h"
#include "proof.h"

struct extra_search {
	struct proof *p;
	struct decoys *decoys;
	struct relaxed_fields *fields; /* of the last section that relaxes */
	const struct image_section *is;
	bool is_unsure; /* the last branch was none, unless something leads to
			 * it */
};

/* How a displacement of SIZE bytes meets the relocations of PL. */
enum meeting { MEETS_NONE, MEETS_PART, MEETS_FIELD };

static enum meeting meet_relocs(const struct proof *p, const struct placed *pl,
				uint64_t offset, unsigned size)
{
	const struct reloc *relocs = pl->relocs.relocs;
	enum meeting meeting = MEETS_NONE;

	for (size_t i = section_relocs_reaching(&pl->relocs, offset);
	     i < pl->relocs.n && relocs[i].offset < offset + size; i++) {
		unsigned width =
			arch_reloc_width(p->partial->arch, relocs[i].type);

		if (relocs[i].offset == offset && width == size)
			return MEETS_FIELD;
		if (relocs[i].offset + width > offset)
			meeting = MEETS_PART;
	}
	return meeting;
}

/*
 * Does an instruction begin at OFFSET? Returns IF_UNSURE if that is not known.
 */
static bool begins_insn(const struct extra_search *s, uint64_t offset,
			bool if_unsure)
{
	return image_begins_insn(&s->p->run->img, s->is, offset, if_unsure) ||
	       decoys_runs(s->decoys, s->is, offset, if_unsure);
}

/* Every other constant decodes as a short branch. */
static bool may_be_in_data(const struct branch *branch)
{
	return branch->length > 2;
}

/*
 * Do relocations of PL say that BRANCH, OFFSET bytes behind its start, is no
 * instruction? Its bytes are a part of another one, or of a constant, that has
 * the relocation. (Where code has modes, relocations are at the start of
 * instructions.)
 */
static bool is_in_other_insn(const struct proof *p, const struct placed *pl,
			     uint64_t offset, const struct branch *branch)
{
	const struct arch *arch = p->partial->arch;
	const struct reloc *r = pl->relocs.relocs;

	for (size_t i = section_relocs_reaching(&pl->relocs, offset);
	     i < pl->relocs.n && r[i].offset < offset + branch->length; i++) {
		unsigned width = arch_reloc_width(arch, r[i].type);
		uint8_t mode;

		if (width == 0 || r[i].offset + width <= offset)
			continue;
		mode = arch->relocs[r[i].type].mode;
		if (r[i].offset != offset ||
		    (mode == MODE_DATA ? !may_be_in_data(branch)
				       : mode != branch->mode))
			return true;
	}
	return false;
}

/*
 * Has BRANCH, in PL, the mode that the partial has there? A linker that drops
 * local symbols (-x) drops mapping symbols, too.
 */
static bool is_in_mode(const struct extra_search *s, const struct placed *pl,
		       uint64_t offset, const struct branch *branch)
{
	const struct object *obj = s->p->run->proofs[pl->k].partial;
	uint64_t own = s->is->code.addr + offset - pl->addr;
	struct branch other;
	struct mark mark = { 0 };
	struct code code;

	if (obj->arch->mode_bits == 0 ||
	    code_mode(&s->is->code, offset) != MODE_UNKNOWN ||
	    !object_code(s->p->run->d, obj, pl->shndx, &code))
		return true;
	mark.mode = code_mode(&code, own);
	if (mark.mode == MODE_UNKNOWN)
		return !is_in_other_insn(s->p, pl, own, branch);
	if (mark.mode == MODE_DATA)
		return may_be_in_data(branch);
	if (!obj->arch->is_boundary(obj->arch, &code, 0, own))
		return false;
	code = code_in_mode(&s->is->code, &mark);
	return obj->arch->decode_branch(obj->arch, &code, offset, &other) &&
	       other.length == branch->length;
}

/* Does an instruction begin at OFFSET, counting from the start of PL? */
static bool is_behind(const struct extra_search *s, const struct placed *pl,
		      uint64_t offset)
{
	const struct arch *arch = s->p->partial->arch;

	return pl->addr < s->is->code.addr ||
	       arch->is_boundary(arch, &s->is->code,
				 pl->addr - s->is->code.addr, offset);
}

/*
 * Bytes that decode as a branch to a stub count as one unless proved otherwise.
 * Only in the partial's own text, whose bytes and relocations are known, there
 * is such a proof: no relocation touches the displacement (then it is a
 * constant, and a constant cannot know where a stub of another section is), or
 * a relocation touches a part of it and no instruction begins there.
 */
static bool is_real_in(struct extra_search *s, const struct placed *pl,
		       uint64_t offset, const struct branch *branch)
{
	uint64_t addr = s->is->code.addr + offset;
	/*
	 * A constant can know what is in its section, and where that ends. But
	 * stubs are there, and many constants decode as a short branch to it.
	 */
	bool is_inside = pl != NULL && branch->target - pl->addr <
					       pl->size + (branch->length > 2);
	/* The linker has put code of its own there. */
	bool is_unknown = pl != NULL &&
			  unknown_is_in(pl, addr - pl->addr, branch->length);
	/* Without names, nobody knows where instructions begin. */
	bool has_names = !s->p->run->v->is_nameless;

	if (pl != NULL && !pl->is_relaxed && !is_unknown &&
	    !is_in_mode(s, pl, offset, branch))
		return false;

	/*
	 * There, the walk shows which relocation an address has. All of PL was
	 * compared, so it begins with an instruction.
	 */
	if (pl != NULL && pl->is_relaxed)
		return begins_insn(s, offset,
				   has_names && is_behind(s, pl, offset)) ||
		       relaxed_begins_field(&s->p->run->proofs[pl->k], pl, addr,
					    s->fields);
	/*
	 * Many constants decode as a short branch. On Power, so does one word
	 * in seven of .eh_frame; on SPARC and LoongArch, so do many words of
	 * strings.
	 */
	if (!s->is->is_text &&
	    (branch->length == 2 || (branch->is_short && s->is->shndx != 0)))
		return false;
	if (pl == NULL || is_inside || is_unknown) {
		if (branch->length > 2 || begins_insn(s, offset, true) ||
		    (pl == NULL && origin_sets(s->p, addr)))
			return true;
		s->is_unsure = pl == NULL && s->is->is_text;
		return false;
	}
	switch (meet_relocs(s->p, pl, addr - pl->addr + branch->field,
			    branch->length - branch->field)) {
	case MEETS_NONE:
		return false;
	case MEETS_PART:
		return begins_insn(s, offset, has_names);
	case MEETS_FIELD:
		break;
	}
	return true;
}

static bool is_real_branch(struct extra_search *s, uint64_t offset,
			   const struct branch *branch)
{
	uint64_t addr = s->is->code.addr + offset;
	const struct placed *pl = lookup_placed_at(s->p, addr);
	struct placed unplaced = { 0 };
	bool is_real;

	if (pl == NULL &&
	    origin_place(s->p, addr, addr + branch->length, &unplaced))
		pl = &unplaced;
	s->is_unsure = false;
	is_real = is_real_in(s, pl, offset, branch);
	section_relocs_free(&unplaced.relocs);
	return is_real;
}

/* No mark says which mode the code has: does its function have another? */
static bool is_in_other_mode(const struct extra_search *s, uint64_t offset,
			     const struct branch *branch)
{
	struct symbol sym;

	return code_mode(&s->is->code, offset) == MODE_UNKNOWN &&
	       image_function(&s->p->run->img, s->is->code.addr + offset,
			      &sym) &&
	       sym.mode != (branch->mode & s->p->partial->mode_bits);
}

/* In text of whole words, each word is an instruction, in a function or not. */
static bool is_insn(const struct extra_search *s, uint64_t offset)
{
	return (s->is->is_text && s->p->partial->arch->step == NULL) ||
	       begins_insn(s, offset, false);
}

/*
 * The stub that BRANCH, at OFFSET, goes to or into, or NULL. Far more bytes
 * decode as a branch into a stub than as one to its start. So a branch into a
 * stub counts only if it is certainly an instruction.
 */
static const struct stub *stub_reached(const struct extra_search *s,
				       uint64_t offset,
				       const struct branch *branch)
{
	const struct stub *stub = reach_target_at(s->p, branch->target);

	if (stub != NULL)
		return stub;
	stub = stub_around(s->p, branch->target);
	if (stub == NULL || s->is->code.addr + offset - stub->addr < stub->size)
		return NULL;
	return !is_in_other_mode(s, offset, branch) && is_insn(s, offset)
		       ? stub
		       : NULL;
}

/*
 * Has the table an entry for a branch to STUB at ADDR? match.c has reported
 * that no partial has this site.
 */
static bool is_reported(const struct proof *p, uint64_t addr,
			const struct stub *stub)
{
	for (size_t i = 0;
	     p->run->v->nfindings > 0 && i < p->run->table.nentries; i++)
		if (p->run->table.entries[i].addr == addr &&
		    strcmp(p->run->table.entries[i].probe, stub->symbol) == 0)
			return true;
	return false;
}

static void report_branch(struct proof *p, uint64_t addr,
			  const struct branch *branch, const struct stub *stub)
{
	struct finding f = {
		.cause = CAUSE_EXTRA_SITE,
		.has_address = true,
		.address = addr,
	};

	if (lookup_may_be_unnamed(p, addr))
		f.cause = CAUSE_UNPLACED;
	else if (image_find_text(&p->run->img, addr, 1) == NULL)
		f.remedy = REMEDY_GIVE_BRANCH;
	else
		f.remedy = origin_remedy(p, addr, branch, stub);
	if (f.cause == CAUSE_UNPLACED && p->has_unnamed)
		return;
	p->has_unnamed |= f.cause == CAUSE_UNPLACED;
	report_finding(p, &f, "a branch to the stub %s is not a site of %s",
		       stub->symbol, sites_owner(p->run));
}

/* The stub that ADDR leads to or into, or NULL. */
static const struct stub *stub_met(const struct proof *p, uint64_t addr)
{
	const struct stub *stub = reach_target_at(p, addr);

	return stub != NULL ? stub : stub_around(p, addr);
}

/*
 * Is ADDR in the table, or in a descriptor of one of its entries? They are
 * data, also in a segment that is executable.
 */
static bool is_own_data(const struct proof *p, uint64_t addr)
{
	const struct table *table = &p->run->table;

	if (addr - table->addr < table->size)
		return true;
	for (size_t i = 0; i < table->nentries; i++)
		if (addr - table->entries[i].descriptor <
		    table->entries[i].descriptor_size)
			return true;
	return false;
}

static void judge_branch(void *ctx, uint64_t offset,
			 const struct branch *branch)
{
	struct extra_search *s = ctx;
	struct proof *p = s->p;
	uint64_t addr = image_wrap(&p->run->img, s->is->code.addr + offset);
	const struct stub *stub;

	/* In an overlay, nothing can prove that it is no branch. */
	if (s->is->is_overlay) {
		stub = stub_met(p, branch->target);
		if (stub != NULL)
			overlays_report(p, addr, stub);
		return;
	}
	stub = stub_reached(s, offset, branch);
	if (stub == NULL || lookup_site_at(p, addr) != NULL ||
	    reach_is_veneer(p, addr) || lookup_is_explained(p, addr) ||
	    (!is_real_branch(s, offset, branch) && !s->is_unsure) ||
	    (!s->is->is_text && is_own_data(p, addr)) ||
	    is_reported(p, addr, stub) ||
	    origin_goes_nowhere(p, addr, branch) ||
	    origin_is_loop(p, addr, branch, stub))
		return;
	if (s->is_unsure)
		decoys_add_alone(s->decoys, s->is, offset, branch, stub);
	else if (!decoys_add(s->decoys, s->is, offset, branch, stub))
		report_branch(p, addr, branch, stub);
}

static int check_branches(struct proof *p)
{
	const struct arch *arch = p->run->img.obj->arch;
	struct decoys decoys = { .p = p };
	struct relaxed_fields fields = { 0 };
	int ret;

	if (p->run->nstubs == 0)
		return 0;
	if (reach_list_targets(p))
		return -1;
	for (size_t i = 0; i < p->run->img.nsections + p->run->img.noverlays;
	     i++) {
		struct extra_search s = { p, &decoys, &fields,
					  &p->run->img.sections[i], false };

		if (s.is->is_executable)
			arch->each_branch(
				arch, &s.is->code, p->run->targets[0].addr,
				address_behind(
					p->run->targets[p->run->ntargets - 1]
						.addr,
					GENERATED_MAX),
				judge_branch, &s);
	}
	ret = decoys_settle(&decoys);
	for (size_t i = 0; ret == 0 && i < decoys.nbranches; i++)
		if (decoys_is_reached(&decoys, &decoys.branches[i]))
			report_branch(p, decoys.branches[i].addr,
				      &decoys.branches[i].branch,
				      decoys.branches[i].stub);
	decoys_free(&decoys);
	free(fields.addrs);
	return ret;
}

/*
 * Is ADDR, which leads to the stub SYMBOL, in the table or in a descriptor?
 * (Both may be in a section of text.)
 */
static bool is_in_table(const struct proof *p, uint64_t addr,
			const char *symbol)
{
	struct symbol descriptor;
	uint32_t symndx = 0;

	return addr - p->run->table.addr < p->run->table.size ||
	       (names_next_prefixed(&p->run->img.names, SDT_PROBE_SYMBOL,
				    symbol, &symndx, &descriptor) &&
		addr == descriptor.value + 4);
}

/* Is a relocation of ADDR against SYMBOL that of a site's branch? */
static bool is_site_field(const struct proof *p, uint64_t addr,
			  const char *symbol)
{
	for (unsigned back = 0; back <= 4; back++) {
		const struct proof_site *site = lookup_site_at(p, addr - back);

		if (site != NULL && site->field == back &&
		    strcmp(site->symbol, symbol) == 0)
			return true;
	}
	return false;
}

/*
 * The code that POINTER leads to, through a function descriptor if the ABI has
 * them.
 */
static uint64_t code_led_to(const struct image *img, uint64_t pointer)
{
	const struct image_section *is = image_find(img, pointer, 1);
	struct symbol sym = { .value = pointer };

	if (is != NULL) {
		sym.shndx = is->shndx;
		descriptor_follow(img->obj, &sym, 0);
	}
	return sym.value;
}

static const struct stub *stub_led_to(const struct proof *p, uint64_t pointer)
{
	return stub_of_pointer(p, code_led_to(&p->run->img, pointer));
}

/*
 * The stub whose address R puts into its field: whatever its type, and whether
 * it has the stub's name, another one, or only a number.
 */
static const struct stub *stub_set(const struct proof *p,
				   const struct image_reloc *r)
{
	const struct stub *stub = stub_called(p, r);
	uint64_t value;

	return stub == NULL && image_reloc_value(&p->run->img, r, &value)
		       ? stub_led_to(p, value)
		       : stub;
}

/*
 * The stub that code reaches by R in a way that this does not decode: by a PLT
 * entry of an unknown form or of an ifunc, or by a branch that the loader
 * writes. (A PLT may be text, too.)
 */
static const struct stub *stub_by_reloc(const struct proof *p,
					const struct image_reloc *r)
{
	const struct stub *stub =
		r->is_irelative
			? stub_of_pointer(p, image_addend(&p->run->img, r))
		: r->is_jump_slot ? stub_set(p, r)
				  : stub_called(p, r);
	bool is_text = image_is_text(&p->run->img, r->addr) &&
		       reach_target_at(p, r->addr) == NULL;

	if (stub == NULL || r->is_irelative)
		return stub;
	if (r->is_jump_slot && !is_text)
		return reach_has_slot(p, stub, r->addr) ? NULL : stub;
	return is_text && !is_site_field(p, r->addr, r->symbol) ? stub : NULL;
}

/*
 * Can the program use what section SHNDX of the final refers to? Debugging
 * information only describes it.
 */
static bool may_use(const struct object *final, uint32_t shndx)
{
	return !descriptions_only_tells(final, shndx) &&
	       !frames_hold(final->sections[shndx].name);
}

/*
 * The stub that R makes a pointer to when the image is loaded, in data, in the
 * GOT or in text. Only stubs of --inject count. Compiled stubs are in lists of
 * functions (__patchable_function_entries), which linker scripts put among
 * other data.
 */
static const struct stub *stub_pointed_to(const struct proof *p,
					  const struct image_reloc *r)
{
	const struct image *img = &p->run->img;
	const struct image_section *is = image_find(img, r->addr, 1);
	const struct stub *stub;

	if (r->is_irelative || r->is_jump_slot || r->is_copy)
		return NULL;
	stub = stub_set(p, r);
	return stub != NULL && stub->is_hidden &&
			       (is == NULL || is->shndx == 0 ||
				(may_use(img->obj, is->shndx) &&
				 !descriptors_hold(img->obj, is->shndx))) &&
			       !is_site_field(p, r->addr, stub->symbol) &&
			       !is_in_table(p, r->addr, stub->symbol) &&
			       !reach_has_slot(p, stub, r->addr) &&
			       stub_code_size(p, stub) != 0
		       ? stub
		       : NULL;
}

static void report_pointer(struct proof *p, const struct stub *stub,
			   uint64_t addr, const char *teller)
{
	struct finding f = { .cause = CAUSE_EXTRA_SITE,
			     .has_address = true,
			     .address = addr,
			     .remedy = REMEDY_NO_POINTER };

	report_finding(p, &f,
		       "%s holds the address of the stub %s, as a %s says",
		       image_is_text(&p->run->img, addr) ? "text" : "data",
		       stub->symbol, teller);
}

static void check_run_time(struct proof *p)
{
	for (size_t i = 0; i < p->run->img.nrelocs; i++) {
		const struct image_reloc *r = &p->run->img.relocs[i];
		const struct stub *stub = stub_by_reloc(p, r);
		const struct stub *pointed =
			stub == NULL ? stub_pointed_to(p, r) : NULL;
		struct finding f = { .cause = CAUSE_EXTRA_SITE,
				     .has_address = true,
				     .address = r->addr };
		size_t prefix;

		if (pointed != NULL)
			report_pointer(p, pointed, r->addr,
				       "run-time relocation");
		else if (stub != NULL)
			report_finding(
				p, &f,
				"a run-time relocation makes a way to the stub "
				"%s, which no site of %s takes",
				stub->symbol, sites_owner(p->run));
		else if (r->symbol[0] != '\0' &&
			 stub_find(p, r->symbol) == NULL &&
			 probe_classify(p->run->options, r->symbol, false,
					&prefix) != PROBE_NONE)
			report_finding(
				p, &f,
				"a run-time relocation is against %s, which the "
				"image does not define",
				r->symbol);
	}
}

/* --- Relocations that the final kept (--emit-relocs) ------------------- */

/* Is the field at ADDR that of a branch to the stub? */
static bool is_branch_field(const struct proof *p, uint64_t addr,
			    const struct stub *stub)
{
	for (unsigned back = 0; back <= 4; back++) {
		struct branch branch;

		if (decode_at(p, addr - back, &branch) &&
		    branch.field == back &&
		    reach_goes_to(p, addr - back, &branch, stub))
			return true;
	}
	return false;
}

static void report_kept(struct proof *p, uint64_t addr, const struct stub *stub,
			bool is_text)
{
	struct finding f = { .cause = CAUSE_EXTRA_SITE,
			     .has_address = true,
			     .address = addr };
	bool is_branch = is_text && is_branch_field(p, addr, stub);

	if (!is_text) {
		report_pointer(p, stub, addr, "relocation that the image kept");
		return;
	}
	if (!is_branch)
		f.remedy = REMEDY_NO_EMIT_RELOCS;
	report_finding(
		p, &f,
		"the image kept a relocation against %s, which is not a site of %s%s",
		stub->symbol, sites_owner(p->run),
		is_branch ? "" : ", where no branch to it is");
}

/*
 * Another object may give a stub a second name, which the partial uses. A
 * branch is found, but an address is not. Linkers may make that name local.
 * (Labels of linker scripts are not functions.)
 */
static const struct stub *stub_alias(const struct proof *p,
				     const struct symbol *sym)
{
	const struct stub *stub = NULL;
	struct symbol found;
	uint32_t symndx = 0;

	while (stub == NULL &&
	       names_next(&p->run->img.names, sym->name, &symndx, &found))
		if (found.type == STT_FUNC || found.type == STT_GNU_IFUNC)
			stub = stub_at(p, found.value);
	return stub;
}

/*
 * The stub whose address a use of SYM in the object of OF would take, unseen
 * so far, or NULL.
 */
static const struct stub *stub_named(const struct proof *of,
				     const struct symbol *sym)
{
	bool is_defined = sym->shndx != SHN_UNDEF;
	const struct stub *stub;

	if (sym->name[0] == '\0' ||
	    (is_defined &&
	     (sym->bind == STB_LOCAL || of->run->options->symbols.n == 0)))
		return NULL;
	stub = stub_find(of, sym->name);
	if (!is_defined)
		return stub == NULL ? stub_alias(of, sym) : NULL;
	return stub != NULL && origin_has_no_sites(of, stub) ? stub : NULL;
}

static bool is_undefined(const struct object *obj, uint32_t symndx)
{
	struct symbol sym;

	object_symbol(obj, symndx, &sym);
	return sym.shndx == SHN_UNDEF;
}

static int check_named_relocs(struct proof *p, const struct proof *of,
			      uint32_t relsec, const struct stub *const *named)
{
	const struct object *obj = of->partial;
	const struct section *sec = &obj->sections[obj->sections[relsec].info];
	struct relocs relocs;
	struct code code;

	if (object_relocs(p->run->d, obj, relsec, &relocs) ||
	    !object_code(p->run->d, obj, obj->sections[relsec].info, &code))
		return -1;
	for (size_t i = 0; i < relocs.n; i++) {
		struct finding f = { .cause = CAUSE_EXTRA_SITE,
				     .remedy = REMEDY_NO_POINTER };
		struct branch branch;
		struct reloc r;

		reloc_get(&relocs, i, &r);
		if (named[r.symndx] == NULL || r.type == obj->arch->reloc_none)
			continue;
		if (!section_is_text(sec) ||
		    !arch_decode_at_field(obj->arch, &code, r.offset, &branch))
			report_finding(p, &f,
				       "%s:(%s+0x%" PRIx64
				       ") takes the address of the "
				       "stub %s%s",
				       obj->path, sec->name, r.offset,
				       named[r.symndx]->symbol,
				       is_undefined(obj, r.symndx)
					       ? " by another name"
					       : "");
	}
	return 0;
}

static int check_named(struct proof *p, const struct proof *of)
{
	const struct object *obj = of->partial;
	const struct stub **named = calloc(obj->nsymbols + 1, sizeof(*named));
	bool any = false;
	int ret = 0;

	if (named == NULL)
		return diag_nomem(p->run->d, obj->path);
	for (size_t i = 1; p->run->nstubs > 0 && i < obj->nsymbols; i++) {
		struct symbol sym;

		object_symbol(obj, i, &sym);
		named[i] = stub_named(of, &sym);
		any |= named[i] != NULL;
	}
	for (size_t i = 1; any && ret == 0 && i < obj->nsections; i++)
		if (section_is_relocs(&obj->sections[i]) &&
		    !descriptions_only_tells(obj, obj->sections[i].info))
			ret = check_named_relocs(p, of, i, named);
	free(named);
	return ret;
}

/*
 * Does the loader make the word at ADDR a pointer? Then that is reported
 * already.
 */
static bool is_pointer_to(const struct proof *p, uint64_t addr,
			  const struct stub *stub)
{
	const struct image_reloc *r = image_find_reloc(&p->run->img, addr);

	return r != NULL && stub_pointed_to(p, r) == stub;
}

/*
 * What the field of R refers to, as a distance from R's symbol. The linker has
 * put what SHT_REL had in the field together with the symbol's value.
 */
static int64_t kept_lead(const struct proof *p, const struct reloc *r,
			 bool is_text)
{
	struct reloc own = *r;
	uint64_t step;
	const struct image_section *is = image_find(&p->run->img, r->offset, 1);
	int64_t lead;

	if (is == NULL)
		return r->addend;
	own.offset -= is->code.addr;
	lead = arch_reloc_lead(p->partial->arch, is->code.bytes, is->code.size,
			       is_text, true, &own, &step);
	return lead == NO_LEAD || step != 0 ? r->addend : lead;
}

/*
 * May SYM be a name of the stub? No label of a linker script or of assembly is
 * one, such as _etext: linkers give another name of a function its type. The
 * address of a compiled stub may be in a list of functions.
 */
static bool may_name(const struct proof *p, const struct symbol *sym,
		     const struct stub *stub, bool is_text)
{
	return sym->type != STT_NOTYPE &&
	       (is_text || (stub->is_hidden && stub_code_size(p, stub) > 0));
}

/*
 * The stub whose address R, with the symbol SYM, put into its field by another
 * name, by that of a section, or in a literal pool. Branches are judged by
 * where they go, and a distance in data is not one to call.
 */
static const struct stub *stub_kept(const struct proof *p,
				    const struct reloc *r,
				    const struct symbol *sym, bool is_rela,
				    bool is_text)
{
	const struct image *img = &p->run->img;
	bool is_address = arch_reloc_is_address(img->obj->arch, r->type);
	uint64_t value = sym->value + sym->mode;
	const struct stub *stub;

	if (sym->shndx == SHN_UNDEF || sym->type == STT_TLS ||
	    (!is_text && !is_address))
		return NULL;
	if (is_rela)
		value += kept_lead(p, r, is_text);
	else if (!is_address && sym->type == STT_SECTION)
		return NULL; /* its addend is in the field, with S */
	else if (is_address)
		value = image_addend(
			img,
			&(struct image_reloc){ .addr = r->offset, .width = 4 });
	stub = stub_led_to(p, image_wrap(img, value));
	return stub != NULL && may_name(p, sym, stub, is_text) &&
			       (sym->type != STT_SECTION ||
				(stub->is_hidden &&
				 arch_reloc_width(img->obj->arch, r->type) >
					 0)) &&
			       !is_branch_field(p, r->offset, stub)
		       ? stub
		       : NULL;
}

static int check_kept_relocs(struct proof *p, uint32_t relsec)
{
	const struct object *final = p->run->img.obj;
	bool is_text =
		section_is_text(&final->sections[final->sections[relsec].info]);
	struct relocs relocs;

	if (object_relocs(p->run->d, final, relsec, &relocs))
		return -1;
	for (size_t i = 0; i < relocs.n; i++) {
		const struct stub *stub;
		struct symbol sym;
		struct reloc r;

		reloc_get(&relocs, i, &r);
		if (r.symndx >= final->nsymbols ||
		    r.type == final->arch->reloc_none)
			continue;
		object_symbol(final, r.symndx, &sym);
		stub = stub_find(p, sym.name);
		if (stub == NULL)
			stub = stub_kept(p, &r, &sym, relocs.is_rela, is_text);
		/* Linkers keep relocations of their own code, too. */
		if (stub != NULL && !is_site_field(p, r.offset, stub->symbol) &&
		    !is_in_table(p, r.offset, stub->symbol) &&
		    !reach_is_veneer(p, r.offset) &&
		    !lookup_is_explained(p, r.offset) &&
		    !is_pointer_to(p, r.offset, stub))
			report_kept(p, r.offset, stub, is_text);
	}
	return 0;
}

static int check_relocs(struct proof *p)
{
	const struct object *final = p->run->img.obj;

	for (size_t i = 1; i < final->nsections; i++) {
		const struct section *sec = &final->sections[i];

		if (section_is_relocs(sec) && !section_is_alloc(sec) &&
		    sec->link == final->symtab && sec->info != 0 &&
		    sec->info < final->nsections && may_use(final, sec->info) &&
		    check_kept_relocs(p, i))
			return -1;
	}
	return 0;
}

/* Do the partials mention the probe function NAME, or NAME@VERSION? */
static bool is_mentioned(const struct proof *p, const char *name)
{
	size_t length = strcspn(name, "@");

	for (size_t i = 0; i < p->run->nlost + p->run->nstubs; i++) {
		const char *symbol =
			i < p->run->nlost
				? p->run->lost[i]
				: p->run->stubs[i - p->run->nlost].symbol;

		if (strncmp(symbol, name, length) == 0 &&
		    symbol[length] == '\0')
			return true;
	}
	return false;
}

static bool has_placed_site(const struct proof *p, const char *symbol)
{
	for (size_t k = 0; k < p->run->nproofs; k++)
		for (size_t i = 0; i < p->run->proofs[k].list.n; i++) {
			const struct proof_site *site =
				&p->run->proofs[k].list.items[i];

			if (site->is_placed &&
			    strcmp(site->symbol, symbol) == 0)
				return true;
		}
	return false;
}

/*
 * If all sites were dropped and no stub was linked, gold keeps the name that
 * they called. With gold, a weak reference of another object would not link.
 * With mold it would, but there the name is local.
 */
static bool is_left_over(const struct proof *p, const struct symbol *sym)
{
	return !p->run->has_table && sym->bind == STB_GLOBAL &&
	       !has_placed_site(p, sym->name);
}

/*
 * Reports a probe function that the image mentions, but does not define. No
 * partial mentions it, since the stubs of all partials are linked. A call of it
 * is no branch to a stub: if the call is weak, or the link allows undefined
 * symbols, it goes to address 0, became a NOP, or is bound when the image is
 * loaded.
 */
static void check_undefined(struct proof *p)
{
	for (size_t i = 1; i < p->run->img.obj->nsymbols; i++) {
		struct finding f = { .cause = CAUSE_EXTRA_SITE };
		struct symbol sym;
		size_t prefix;

		object_symbol(p->run->img.obj, i, &sym);
		if (sym.shndx == SHN_UNDEF &&
		    probe_classify(p->run->options, sym.name, false, &prefix) !=
			    PROBE_NONE &&
		    is_mentioned(p, sym.name) && !is_left_over(p, &sym))
			report_finding(
				p, &f,
				"the image refers to %s, which nothing defines",
				sym.name);
	}
}

/*
 * Reports a jump table that leads to a stub. This does not search for the code
 * that goes through the table: some code may.
 */
static int check_jump_table(struct proof *p)
{
	const char *name = p->partial->arch->jump_table;
	uint32_t shndx =
		name != NULL ? object_find_section(p->run->img.obj, name) : 0;
	unsigned width = p->partial->arch->is_64 ? 8 : 4;
	const uint8_t *bytes;
	size_t size;

	if (shndx == 0)
		return 0;
	bytes = object_data(p->run->d, p->run->img.obj, shndx, &size);
	if (bytes == NULL && size > 0)
		return -1;
	for (size_t i = 0; i + width <= size; i += width) {
		uint64_t target = object_address(p->run->img.obj, bytes + i);
		const struct stub *stub = reach_target_at(p, target);
		struct finding f = {
			.cause = CAUSE_EXTRA_SITE,
			.has_address = true,
			.address = p->run->img.obj->sections[shndx].addr + i,
			.remedy = REMEDY_NO_TABLE_JUMPS,
		};

		if (stub != NULL)
			report_finding(
				p, &f,
				"the table of jumps leads to the stub %s",
				stub->symbol);
	}
	return 0;
}

/*
 * The stub that the code at ADDR is, or a way to it that sites take, or NULL.
 * Code that only reads like such a way is a function, whose branch counts.
 */
static const struct stub *stub_entered(const struct proof *p, uint64_t addr)
{
	const struct stub *stub = stub_at(p, addr);

	if (stub == NULL)
		stub = stub_around(p, addr);
	return stub == NULL && reach_is_veneer(p, addr)
		       ? reach_target_at(p, addr)
		       : stub;
}

/*
 * Reports a stub that the loader calls, or enters the image at, by an address
 * of the headers, or what leads there. The command of the linker gives these a
 * name (-e, -init, -fini), so that no object refers to it.
 */
static void check_entries(struct proof *p)
{
	uint64_t mode_bits = p->partial->arch->mode_bits;

	for (unsigned i = 0; i < IMAGE_NENTRIES; i++) {
		const char *name;
		uint64_t addr = image_entry(&p->run->img, i, &name);
		struct finding f = { .cause = CAUSE_EXTRA_SITE,
				     .has_address = true,
				     .address = addr,
				     .remedy = REMEDY_OTHER_ENTRY };
		const struct stub *stub = NULL;

		if (addr != 0)
			stub = stub_entered(p, code_led_to(&p->run->img, addr) &
						       ~mode_bits);
		if (stub != NULL)
			report_finding(p, &f, "%s leads to the stub %s", name,
				       stub->symbol);
	}
}

int extra_check(struct proof *p)
{
	if (check_branches(p) || check_jump_table(p))
		return -1;
	check_run_time(p);
	check_entries(p);
	check_undefined(p);
	for (size_t k = 0; k < p->run->nproofs; k++)
		if (check_named(p, &p->run->proofs[k]))
			return -1;
	return check_relocs(p);
}
