/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: judges text that a linker rewrote in an unknown way, for
 * --text=sites. The section keeps its place only if control flow still arrives
 * at its sites. So only a few whole instructions of a function may differ, and
 * the instructions behind them must begin where they did. None of them may be a
 * site, or beside a site that has a delay slot.
 */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "elf/functions.h"
#include "proof.h"

/* A linker that replaces instructions changes no more bytes in a row. */
#define UNKNOWN_MAX 16

/* A section that differs at its place. */
struct candidate {
	struct proof *p;
	const struct pending *s;
	uint32_t shndx;
	uint64_t base;	    /* where the section begins in AFTER */
	struct code before; /* the section in the partial */
	const struct code *after;
	struct differences differences;
	struct byte_range *ranges; /* the differences, in whole instructions;
				    * owned */
	size_t n;
	bool is_out_of_memory;
};

/* A function of the partial: offsets in its section. */
struct extent {
	uint64_t start, end;
};

/* The innermost function of known size around OFFSET. */
static bool find_extent(const struct candidate *c, uint64_t offset,
			struct extent *extent)
{
	const struct placer *placer = &c->p->placer;
	struct symbol sym;
	bool has_any = false;

	for (size_t i = 0;
	     landmarks_next(&placer->landmarks, c->shndx, &i, &sym) != 0;) {
		if (!symbol_is_code(&sym) || sym.value > offset ||
		    sym.size <= offset - sym.value ||
		    (has_any && sym.value < extent->start))
			continue;
		*extent = (struct extent){ sym.value, sym.value + sym.size };
		has_any = true;
	}
	return has_any && extent->end <= c->before.size;
}

/*
 * The length of one word, or of two if the first is a prefix (Power ISA 3.1,
 * 1.6).
 */
static unsigned length_in_words(const struct arch *arch,
				const struct code *code, uint64_t offset)
{
	unsigned length = arch->is_boundary(arch, code, offset, offset + 4) ? 4
									    : 8;

	return offset % 4 == 0 && code->size - offset >= length ? length : 0;
}

/*
 * The length of the instruction at OFFSET of CODE; 0 if it is none, or unknown.
 */
static unsigned length_at(const struct arch *arch, const struct code *code,
			  uint64_t offset)
{
	uint8_t mode = code_mode(code, offset);
	struct step step;

	if (mode == MODE_DATA || (arch->mode_bits != 0 && mode == MODE_UNKNOWN))
		return 0;
	/* Of the ISAs with modes, mode 0 is that of whole words. */
	if (arch->step == NULL || (arch->mode_bits != 0 && mode == 0))
		return length_in_words(arch, code, offset);
	return arch->step(arch, code, offset, &step) ? step.length : 0;
}

/* Is there an unknown difference in [START, END)? */
static bool differs(const struct candidate *c, uint64_t start, uint64_t end)
{
	const struct byte_range *ranges = c->differences.ranges;

	for (size_t i = 0; i < c->differences.n; i++)
		if (ranges[i].start < end && start < ranges[i].end)
			return true;
	return false;
}

/* Is there data inside a function at OFFSET, the same in both? */
static bool is_data(const struct candidate *c, uint64_t offset)
{
	return code_mode(&c->before, offset) == MODE_DATA &&
	       code_mode(c->after, c->base + offset) == MODE_DATA &&
	       !differs(c, offset, offset + 1);
}

/* --- What the linker put there ------------------------------------------- */

static void see_operand(void *ctx, uint64_t offset, uint64_t target)
{
	(void)offset;
	(void)target;
	*(bool *)ctx = true;
}

/* Is a number of SIZE BYTES, in either byte order, a pointer to a stub? */
static bool is_stub(const struct proof *p, const uint8_t *bytes, unsigned size)
{
	uint64_t little = 0, big = 0;

	for (unsigned i = 0; i < size; i++) {
		little |= (uint64_t)bytes[i] << 8 * i;
		big = big << 8 | bytes[i];
	}
	return stub_of_pointer(p, little) != NULL ||
	       stub_of_pointer(p, big) != NULL;
}

/* Do the SIZE bytes hold a pointer to a stub, as immediate operands do? */
static bool holds_stub(const struct proof *p, const uint8_t *bytes,
		       uint64_t size)
{
	for (uint64_t i = 0; i + 4 <= size; i++)
		if (is_stub(p, bytes + i, 4) ||
		    (i + 8 <= size && is_stub(p, bytes + i, 8)))
			return true;
	return false;
}

/* Can the address of a stub be read in [START, END) of the image's code? */
static bool names_stub(const struct candidate *c, uint64_t start, uint64_t end)
{
	const struct proof *p = c->p;
	const struct arch *arch = p->partial->arch;
	struct mark mark = { 0, code_mode(c->after, start) };
	struct code code = {
		.bytes = c->after->bytes + start,
		.size = end - start,
		.addr = c->after->addr + start,
		.marks = &mark,
		.nmarks = arch->mode_bits != 0,
	};
	bool has_any = holds_stub(p, code.bytes, code.size);

	for (size_t i = 0; arch->each_operand != NULL && i < p->run->nstubs;
	     i++)
		arch->each_operand(arch, &code, p->run->stubs[i].addr,
				   p->run->stubs[i].addr, see_operand,
				   &has_any);
	return has_any;
}

/* Is it harmless that [START, END) differs? */
static bool is_harmless(const struct candidate *c, uint64_t start, uint64_t end)
{
	const struct arch *arch = c->p->partial->arch;
	const struct section_relocs *relocs = &c->s->relocs;

	for (size_t i = 0; i < relocs->nexempt; i++)
		if (relocs->exempt[i].end + arch->delay_slot > start &&
		    relocs->exempt[i].start < end + arch->delay_slot)
			return false;
	for (uint64_t at = start; at < end;) {
		unsigned length = length_at(arch, c->after, c->base + at);

		if (length == 0)
			return false;
		at += length;
	}
	return !names_stub(c, c->base + start, c->base + end);
}

static bool add_range(struct candidate *c, uint64_t start, uint64_t end)
{
	if (end - start > UNKNOWN_MAX || !is_harmless(c, start, end))
		return false;
	/* No two of these overlap. */
	c->ranges[c->n++] = (struct byte_range){ start, end };
	return true;
}

/* --- A function ----------------------------------------------------------- */

/* Does each site of the function begin where an instruction does? */
struct site_walk {
	const struct byte_range *next, *end;
};

static struct site_walk open_sites(const struct candidate *c, uint64_t start)
{
	struct site_walk walk = { c->s->relocs.exempt, c->s->relocs.exempt };

	walk.end += c->s->relocs.nexempt;
	while (walk.next < walk.end && walk.next->start < start)
		walk.next++;
	return walk;
}

static bool pass_sites(struct site_walk *walk, uint64_t offset)
{
	while (walk->next < walk->end && walk->next->start == offset)
		walk->next++;
	return walk->next == walk->end || walk->next->start > offset;
}

/*
 * Walks through section and image side by side. If instructions begin at the
 * same offset in both, the linker replaced whole ones before it.
 */
static bool walk_function(struct candidate *c, const struct extent *function)
{
	const struct arch *arch = c->p->partial->arch;
	uint64_t before = function->start, after = before, last = before;
	struct site_walk sites = open_sites(c, before);

	while (before < function->end || after < function->end) {
		uint64_t *at = before <= after ? &before : &after;
		bool is_before = at == &before;
		unsigned length =
			is_before ? length_at(arch, &c->before, before)
				  : length_at(arch, c->after, c->base + after);

		if (before == after && is_data(c, before)) {
			last = ++before;
			after = last;
			continue;
		}
		if (length == 0)
			return false;
		*at += length;
		if (before != after)
			continue;
		if (differs(c, last, before) && !add_range(c, last, before))
			return false;
		last = before;
		if (!pass_sites(&sites, last))
			return false;
	}
	return before == function->end && after == function->end;
}

/*
 * Is any byte of [START, END) in a site, or in an unknown range from FIRST on?
 */
static bool is_counted(const struct candidate *c, size_t first, uint64_t start,
		       uint64_t end)
{
	const struct section_relocs *relocs = &c->s->relocs;

	for (size_t i = 0; i < relocs->nexempt; i++)
		if (relocs->exempt[i].start < end &&
		    start < relocs->exempt[i].end)
			return true;
	for (size_t i = first; i < c->n; i++)
		if (c->ranges[i].start < end && start < c->ranges[i].end)
			return true;
	return false;
}

/*
 * Are enough bytes of the function known, and no fewer than are unknown? Bytes
 * of sites count as known; bytes of other relocations do not count.
 */
static bool is_known_enough(const struct candidate *c, const struct extent *f,
			    size_t first)
{
	const struct section_relocs *relocs = &c->s->relocs;
	uint64_t n = f->end - f->start, nunknown = 0, other = 0;

	for (size_t i = first; i < c->n; i++)
		nunknown += c->ranges[i].end - c->ranges[i].start;
	for (size_t i = section_relocs_reaching(relocs, f->start);
	     i < relocs->n && relocs->relocs[i].offset < f->end; i++) {
		const struct reloc *r = &relocs->relocs[i];
		unsigned width = arch_reloc_width(c->p->partial->arch, r->type);

		if (!is_counted(c, first, r->offset, r->offset + width))
			other += width;
	}
	other += nunknown;
	return n > other && n - other >= ALONE_MIN && n - other >= nunknown;
}

static bool judge_function(struct candidate *c, const struct extent *function)
{
	size_t first = c->n;

	return walk_function(c, function) && c->n > first &&
	       is_known_enough(c, function, first);
}

/* Judges all functions that differ. */
static bool judge_functions(struct candidate *c)
{
	uint64_t done = 0;

	for (size_t i = 0; i < c->differences.n; i++) {
		const struct byte_range *range = &c->differences.ranges[i];
		struct extent function = { 0 };

		if (range->end <= done)
			continue;
		if (range->start < done ||
		    !find_extent(c, range->start, &function) ||
		    function.start < done || !judge_function(c, &function))
			return false;
		done = function.end;
		if (range->end > done)
			return false;
	}
	return c->differences.n > 0;
}

/* --- The section ---------------------------------------------------------- */

/* Is there one function of each of its names in all partials? */
static bool has_own_names(const struct proof *p, uint32_t shndx)
{
	const struct placer *placer = &p->placer;
	struct symbol sym;

	for (size_t i = 0;
	     landmarks_next(&placer->landmarks, shndx, &i, &sym) != 0;) {
		size_t n = 0;

		for (size_t k = 0; k < p->run->nproofs; k++)
			n += names_count(&p->run->proofs[k].functions,
					 sym.name);
		if (n > 1 || sym.bind == STB_WEAK)
			return false;
	}
	return true;
}

static bool all_branch(struct proof *p, struct pending *s, uint64_t addr)
{
	bool is_right = addresses_set(p, s, addr) == 0;

	for (size_t i = s->first; is_right && i < s->end; i++) {
		const struct proof_site *site = &p->list.items[i];

		is_right = site->is_target || (site->form != FORM_BRANCH &&
					       branch_is_right(p, site));
	}
	addresses_unset(p, s);
	return is_right;
}

/*
 * Do names pin S? A global name does, unless it is a COMDAT function's. A local
 * name that nothing else has does if the sites branch; a NOP no longer shows
 * its probe.
 */
static bool is_pinned(struct proof *p, struct pending *s)
{
	uint32_t shndx = p->list.items[s->first].shndx;

	if (p->partial->sections[shndx].comdat != 0 ||
	    p->partial->sections[shndx].relaxes)
		return false;
	return s->pl.is_pinned || (s->pl.is_sole && has_own_names(p, shndx) &&
				   all_branch(p, s, s->pl.addr));
}

static bool judge(struct candidate *c, struct pending *s)
{
	struct proof *p = c->p;
	const struct image_section *is;

	*c = (struct candidate){ .p = p,
				 .s = s,
				 .shndx = p->list.items[s->first].shndx };
	is = image_find_text(&p->run->img, s->pl.addr, s->pl.size);
	if (is == NULL || !is_pinned(p, s) || bytecode_is_source(p) ||
	    !object_code(p->run->d, p->partial, c->shndx, &c->before) ||
	    !placer_differences(&p->placer, c->shndx, &s->relocs, s->pl.addr,
				&c->differences))
		return false;
	c->after = &is->code;
	c->base = s->pl.addr - is->code.addr;
	c->ranges = calloc(DIFFERENCES_MAX, sizeof(c->ranges[0]));
	c->is_out_of_memory = c->ranges == NULL;
	return !c->is_out_of_memory && judge_functions(c);
}

int unknown_judge(struct proof *p, struct pending *s)
{
	struct candidate *c;

	if (s->pl.state != PLACEMENT_DIFFERS)
		return 0;
	c = malloc(sizeof(*c));
	if (c == NULL)
		return diag_nomem(p->run->d, p->partial->path);
	c->p = p;
	s->is_bearable = judge(c, s);
	if (s->is_bearable && p->run->options->text == TEXT_SITES) {
		s->pl.state = PLACEMENT_PLACED;
		s->unknown = c->ranges;
		s->nunknown = c->n;
		c->ranges = NULL;
	}
	free(c->ranges);
	if (c->is_out_of_memory) {
		free(c);
		return diag_nomem(p->run->d, p->partial->path);
	}
	free(c);
	return 0;
}

bool unknown_has(const struct proof *p, uint32_t shndx)
{
	for (size_t i = 0; p->run->v->nunexplained > 0 && i < p->nplaced; i++)
		if (p->placed[i].shndx == shndx && p->placed[i].nunknown > 0)
			return true;
	return false;
}

bool unknown_is_in(const struct placed *pl, uint64_t offset, uint64_t size)
{
	for (size_t i = 0; i < pl->nunknown; i++)
		if (pl->unknown[i].start < offset + size &&
		    offset < pl->unknown[i].end)
			return true;
	return false;
}

/* --- Once all are placed -------------------------------------------------- */

/* Is another section with sites there? Then the name belongs to that one. */
static bool is_occupied(const struct proof *p, const struct placed *pl)
{
	for (size_t k = 0; k < p->run->nproofs; k++)
		for (size_t i = 0; i < p->run->proofs[k].nplaced; i++) {
			const struct placed *other =
				&p->run->proofs[k].placed[i];

			if (other != pl && other->addr < pl->addr + pl->size &&
			    pl->addr < other->addr + other->size)
				return true;
		}
	return false;
}

/* Is the section elsewhere, byte for byte? Then sets *ADDR. */
static int seek_twin(struct proof *p, const struct placed *pl, bool *has_twin,
		     uint64_t *addr)
{
	struct pending s = { .first = pl->first, .end = pl->end };
	struct wanted wanted = { p, &s };
	int ret;

	s.relocs = pl->relocs; /* borrowed */
	ret = seek_sections(p->run->proofs, &wanted, 1, SEEK_ANYWHERE);
	*has_twin = s.pl.ncandidates > 0;
	if (*has_twin)
		*addr = s.pl.candidates[0];
	free(s.pl.candidates);
	return ret;
}

/*
 * Is ADDR in a section with sites, and inside an instruction? Code that enters
 * there runs other instructions, and a site may be in the middle of one.
 */
static bool splits_insn(const struct proof *p, uint64_t addr)
{
	const struct image_section *is = image_find_text(&p->run->img, addr, 1);

	return is != NULL && lookup_placed_at(p, addr) != NULL &&
	       !image_begins_insn(&p->run->img, is, addr - is->code.addr,
				  false);
}

/* The target of the direct branch at OFFSET, if it is one. */
static bool find_target(const struct arch *arch, const struct code *code,
			uint64_t offset, uint64_t *target)
{
	struct branch branch;
	struct step step;

	if (arch->step != NULL && arch->step(arch, code, offset, &step) &&
	    step.has_target) {
		*target = step.target;
		return true;
	}
	if (!arch->decode_branch(arch, code, offset, &branch))
		return false;
	*target = branch.target;
	return true;
}

/* Does an unknown instruction branch into the middle of another one? */
static bool leads_into_insn(const struct proof *p, const struct placed *pl)
{
	const struct arch *arch = p->partial->arch;
	const struct image_section *is =
		image_find_text(&p->run->img, pl->addr, pl->size);
	uint64_t base = is != NULL ? pl->addr - is->code.addr : 0, target;

	for (size_t i = 0; is != NULL && i < pl->nunknown; i++)
		for (uint64_t at = pl->unknown[i].start;
		     at < pl->unknown[i].end;
		     at += length_at(arch, &is->code, base + at))
			if (find_target(arch, &is->code, base + at, &target) &&
			    splits_insn(p, target))
				return true;
	return false;
}

static struct finding at_first(const struct proof *p, const struct placed *pl)
{
	return (struct finding){
		.cause = CAUSE_TEXT_DIFFERS,
		.shndx = pl->shndx,
		.has_offset = true,
		.offset = pl->unknown[0].start,
		.has_address = true,
		.address = image_wrap(&p->run->img,
				      pl->addr + pl->unknown[0].start),
	};
}

/* Notes how many bytes of each function are unknown. */
static void note_functions(struct proof *p, const struct placed *pl)
{
	struct verification *v = p->run->v;

	for (size_t i = 0, end; i < pl->nunknown; i = end) {
		struct place place = { 0 };
		struct unexplained u = {
			.partial = p->partial->path,
			.section = p->partial->sections[pl->shndx].name,
			.offset = pl->unknown[i].start,
			.address = image_wrap(&p->run->img,
					      pl->addr + pl->unknown[i].start),
		};

		functions_locate(p->partial, pl->shndx, u.offset, &place);
		u.function = place.function;
		u.function_offset = place.function_offset;
		for (end = i; end < pl->nunknown; end++) {
			struct place other = { 0 };

			functions_locate(p->partial, pl->shndx,
					 pl->unknown[end].start, &other);
			if (other.function != place.function)
				break;
			u.size += pl->unknown[end].end - pl->unknown[end].start;
		}
		v->nunexplained += u.size;
		v->nunexplained_functions++;
		v->note(v->ctx, &u);
	}
}

static int check_placed(struct proof *p, const struct placed *pl)
{
	struct finding f = at_first(p, pl);
	bool has_twin = false;
	uint64_t addr = 0;

	if (is_occupied(p, pl)) {
		report_finding(
			p, &f,
			"the bytes of the image are those of another section");
		return 0;
	}
	if (leads_into_insn(p, pl)) {
		report_finding(
			p, &f,
			"the bytes of the image are not those of the partial, and "
			"lead into an instruction");
		return 0;
	}
	if (seek_twin(p, pl, &has_twin, &addr))
		return -1;
	if (has_twin)
		report_finding(
			p, &f,
			"the bytes of the image are not those of the partial, "
			"which are at 0x%" PRIx64,
			addr);
	else
		note_functions(p, pl);
	return 0;
}

int unknown_check(struct proof *all, size_t n)
{
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < all[k].nplaced; i++)
			if (all[k].placed[i].nunknown > 0 &&
			    check_placed(&all[k], &all[k].placed[i]))
				return -1;
	return 0;
}
