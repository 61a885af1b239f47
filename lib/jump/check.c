/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "check.h"
#include "elf/functions.h"

#define EDGE 64 /* of all addresses, where nothing is */

/* Of each byte of text: */
enum {
	IS_BEGIN = 1,  /* an instruction begins there */
	IS_INSIDE = 2, /* it is inside one */
	IS_CODE = 4,   /* mapping symbols say so */
};

const char *jump_rule_name(enum jump_rule rule)
{
	static const char *const names[JUMP_NRULES] = {
		[JUMP_YES] = "yes",
		[JUMP_NO_CODE] = "no-function",
		[JUMP_SECTION] = "section",
		[JUMP_BLACKLIST] = "blacklist",
		[JUMP_UNDECODABLE] = "undecodable",
		[JUMP_BOUNDARY] = "boundary",
		[JUMP_TOO_SHORT] = "too-short",
		[JUMP_STAYS] = "not-movable",
		[JUMP_LANDING] = "landing",
		[JUMP_TABLE] = "table",
		[JUMP_BRANCH] = "branch",
		[JUMP_POINTER] = "pointer",
		[JUMP_INDIRECT] = "indirect",
		[JUMP_EXCEPTIONS] = "exceptions",
	};

	return names[rule];
}

static int no_memory(struct diag *d, const struct jump_check *check)
{
	return diag_nomem(d, check->map.obj->path);
}

/* --- Landings ------------------------------------------------------------- */

static int compare_landings(const void *a, const void *b)
{
	const struct landing *x = a, *y = b;

	if (x->target != y->target)
		return x->target < y->target ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->source < y->source ? -1 : x->source > y->source;
}

/*
 * The index of the first landing at or behind ADDR. A last entry marks the end.
 */
static size_t landings_below(const struct jump_check *check, uint64_t addr)
{
	size_t i;

	LOWER_BOUND(i, check->nlandings, check->landings[i].target < addr);
	return i;
}

/* Another file may branch to any symbol in text. */
static int land_symbols(struct diag *d, struct jump_check *check)
{
	const struct object *obj = check->map.obj;

	for (size_t i = 1; i < obj->nsymbols; i++) {
		struct symbol sym;
		uint64_t addr;

		object_symbol(obj, i, &sym);
		if (sym.is_defined && sym.type != STT_SECTION &&
		    sym.type != STT_FILE && sym.type != STT_TLS &&
		    sym.name[0] != '\0' && !symbol_is_mark(&sym) &&
		    jump_map_symbol(&check->map, &sym, &addr) &&
		    jump_check_land(d, check, addr, addr, LANDING_SYMBOL))
			return -1;
	}
	return 0;
}

struct finder {
	struct diag *d;
	struct jump_check *check;
	uint64_t addr; /* of the first byte that is looked at */
	const uint8_t *flags;
	int status;
};

static void land_loose(void *ctx, uint64_t offset, uint64_t target)
{
	struct finder *finder = ctx;

	if (finder->status == 0)
		finder->status = jump_check_land(finder->d, finder->check,
						 target, finder->addr + offset,
						 LANDING_LOOSE);
}

static int land_between(struct diag *d, struct jump_check *check,
			const struct jump_section *js, uint64_t start,
			uint64_t end, bool is_far)
{
	struct finder finder = { d, check, js->code.addr, js->flags, 0 };

	if (start < end)
		check->isa->each_target(
			check->map.obj->arch, &js->code, start - js->code.addr,
			end - js->code.addr, is_far, land_loose, &finder);
	return finder.status;
}

/* --- The instructions of a function --------------------------------------- */

struct sweep {
	struct diag *d;
	struct jump_check *check;
	struct jump_function *f;
	struct jump_section *js;
	uint64_t before[4]; /* offsets, the last one first */
	unsigned nbefore;
};

/* Was TARGET in TEXT, to which a table leads, seen before? */
static bool was_tabled(struct jump_section *text, uint64_t target)
{
	uint64_t offset = target - text->code.addr;
	uint8_t bit = 1 << offset % 8;
	bool ret = text->tabled[offset / 8] & bit;

	text->tabled[offset / 8] |= bit;
	return ret;
}

static bool is_in(const struct jump_section *js, uint64_t addr)
{
	return addr - js->code.addr < js->code.size;
}

/*
 * A table that compilers make for a switch: distances from its own start. The
 * function loads its address T. If T is not a table, its first word hardly
 * leads to code. Nothing marks the end, so of several tables in a row, each is
 * read to the end of the last one. That makes no difference for the places they
 * lead to.
 */
static int land_table(struct sweep *s, uint64_t addr)
{
	const struct object *obj = s->check->map.obj;
	const struct jump_section *js = jump_map_find(&s->check->map, addr);
	struct jump_section *text = NULL;

	if (js == NULL)
		return 0;
	for (uint64_t at = addr - js->code.addr; js->code.size - at >= 4;
	     at += 4) {
		int32_t word = object_word(obj, js->code.bytes + at);
		uint64_t target = addr + (int64_t)word;

		if (text == NULL || !is_in(text, target))
			text = jump_map_find_text(&s->check->map, target);
		/* The table itself may be among code, but is not code. */
		if (word == 0 || text == NULL)
			return 0;
		if ((js->is_text || !was_tabled(text, target)) &&
		    jump_check_land(s->d, s->check, target, js->code.addr + at,
				    LANDING_FORMED))
			return -1;
	}
	return 0;
}

/*
 * The number at P, in an instruction at ADDR: an address or, in
 * position-independent code of i386, a distance from the GOT.
 */
static int land_number(struct sweep *s, const uint8_t *p, uint64_t addr)
{
	const struct jump_map *map = &s->check->map;
	uint64_t value = (int64_t)(int32_t)object_word(map->obj, p);

	if (map->has_absolute &&
	    jump_check_land(s->d, s->check, value, addr, LANDING_FORMED))
		return -1;
	return jump_map_counts_from_got(map)
		       ? jump_check_land(s->d, s->check, map->got + value, addr,
					 LANDING_FORMED)
		       : 0;
}

static int land_immediates(struct sweep *s, uint64_t offset, unsigned length)
{
	const struct jump_map *map = &s->check->map;
	uint64_t addr = s->js->code.addr + offset;

	for (unsigned i = 1; i + 4 <= length; i++) {
		const uint8_t *p = s->js->code.bytes + offset + i;

		if (land_number(s, p, addr) ||
		    (i + 8 <= length && map->has_absolute &&
		     jump_check_land(s->d, s->check, object_xword(map->obj, p),
				     addr, LANDING_FORMED)))
			return -1;
	}
	return 0;
}

static bool is_thunk(const char *name)
{
	static const char prefix[] = "__x86_indirect_";

	return name != NULL && strncmp(name, prefix, sizeof(prefix) - 1) == 0;
}

/* Does a jump to TARGET go on to where a register points (retpolines)? */
static bool leads_anywhere(const struct jump_check *check, uint64_t target)
{
	const struct jump_function *f = jump_check_function(check, target);

	return is_thunk(jump_map_extern(&check->map, target)) ||
	       (f != NULL && is_thunk(f->name));
}

/* A slot that only the linker fills. */
static bool is_linkers(const struct jump_check *check, uint64_t slot)
{
	const struct jump_section *js = jump_map_find(&check->map, slot);

	return jump_map_extern(&check->map, slot) != NULL ||
	       (js != NULL && strncmp(js->name, ".got", 4) == 0);
}

/* Are the targets of the indirect jump at OFFSET known? */
static bool is_known(const struct sweep *s, const struct jump_insn *insn,
		     uint64_t offset)
{
	const struct jump_check *check = s->check;
	const struct jump_section *js;

	if (check->checks_landings && !insn->is_unchecked)
		return true;
	switch (insn->way) {
	case WAY_NONE:
	case WAY_RELATIVE:
		return true;
	case WAY_SLOT:
		return is_linkers(check, insn->slot);
	case WAY_TABLE: /* of addresses, all of which are landings */
		js = jump_map_find(&check->map, insn->slot);
		return js != NULL && !js->is_text && check->map.has_absolute;
	case WAY_UNKNOWN:
		break;
	}
	return (check->map.obj->is_64 || check->map.has_got) &&
	       check->isa->is_table_jump(check->map.obj->arch, &s->js->code,
					 s->before, s->nbefore, offset);
}

static int look_at(struct sweep *s, const struct jump_insn *insn,
		   uint64_t offset)
{
	struct jump_check *check = s->check;
	uint64_t addr = s->js->code.addr + offset;

	if (insn->has_target &&
	    jump_check_land(s->d, check, insn->target, addr, LANDING_BRANCH))
		return -1;
	if (check->isa->is_single)
		return 0;
	/* call 1f; 1: pop: its own address. */
	if (insn->is_call && insn->target == addr + insn->length &&
	    jump_check_land(s->d, check, insn->target, addr, LANDING_FORMED))
		return -1;
	if (insn->has_operand && (jump_check_land(s->d, check, insn->operand,
						  addr, LANDING_FORMED) ||
				  land_table(s, insn->operand)))
		return -1;
	if (land_immediates(s, offset, insn->length))
		return -1;
	if ((insn->way != WAY_NONE && !is_known(s, insn, offset)) ||
	    (insn->has_target && !insn->is_call &&
	     leads_anywhere(check, insn->target))) {
		s->f->has_unknown_jump = true;
		s->f->unknown_at = addr;
	}
	return 0;
}

static void not_decoded(struct jump_function *f, uint64_t at, const char *why)
{
	if (!f->is_undecodable) {
		f->is_undecodable = true;
		f->at = at;
		f->why = why;
	}
}

/* Decodes all instructions of F, one after the other. */
static int sweep_function(struct diag *d, struct jump_check *check,
			  struct jump_function *f)
{
	struct sweep s = { .d = d, .check = check, .f = f };
	uint64_t start, end;

	s.js = jump_map_find_text(&check->map, f->start);
	start = f->start - s.js->code.addr;
	end = f->end - s.js->code.addr;
	for (uint64_t at = start; at < end;) {
		struct jump_insn insn;

		if (check->isa->has_marks && !(s.js->flags[at] & IS_CODE)) {
			at += check->isa->unit;
			continue;
		}
		if (!check->isa->decode(check->map.obj->arch, &s.js->code,
					start, at, &insn) ||
		    insn.length > end - at) {
			not_decoded(f, s.js->code.addr + at,
				    "bytes that are no known instruction");
			return 0;
		}
		s.js->flags[at] |= IS_BEGIN;
		for (unsigned i = 1; i < insn.length; i++)
			s.js->flags[at + i] |= IS_INSIDE;
		if (look_at(&s, &insn, at))
			return -1;
		memmove(s.before + 1, s.before, sizeof(s.before[0]) * 3);
		s.before[0] = at;
		s.nbefore += s.nbefore < 4;
		at += insn.length;
	}
	return 0;
}

/* --- What is in no function ------------------------------------------------
 */

/*
 * The operand may mean anything: each byte of it counts as the start of an
 * instruction.
 */
static void land_operand(void *ctx, uint64_t offset, uint64_t target)
{
	struct finder *finder = ctx;
	struct sweep s = { .d = finder->d, .check = finder->check };

	if (finder->status != 0 || finder->flags[offset] != 0)
		return;
	if (jump_check_land(s.d, s.check, target, finder->addr + offset,
			    LANDING_FORMED) ||
	    land_table(&s, target))
		finder->status = -1;
}

static int land_operands(struct diag *d, struct jump_check *check,
			 struct jump_section *js)
{
	const struct arch *arch = check->map.obj->arch;
	struct finder finder = { d, check, js->code.addr, js->flags, 0 };
	struct sweep s = { .d = d, .check = check, .js = js };

	if (arch->each_operand != NULL)
		arch->each_operand(arch, &js->code, EDGE, UINT64_MAX - EDGE,
				   land_operand, &finder);
	for (uint64_t i = 0; finder.status == 0 && i + 4 < js->code.size; i++)
		if (js->flags[i] == 0)
			finder.status = land_immediates(
				&s, i, js->code.size - i < 9 ? 5 : 9);
	return finder.status;
}

/* --- Whether what was decoded can be true --------------------------------- */

/* Neither control nor a symbol may lead inside an instruction. */
static void check_arrivals(struct jump_check *check)
{
	for (size_t i = 0; i < check->nlandings; i++) {
		const struct landing *l = &check->landings[i];
		struct jump_section *js =
			jump_map_find_text(&check->map, l->target);
		const struct jump_function *f;

		if (l->kind == LANDING_LOOSE || l->kind == LANDING_FORMED ||
		    !(js->flags[l->target - js->code.addr] & IS_INSIDE))
			continue;
		f = jump_check_function(check, l->target);
		if (f != NULL)
			not_decoded((struct jump_function *)f, l->target,
				    l->kind == LANDING_SYMBOL
					    ? "a symbol inside an instruction"
				    : l->kind == LANDING_PAD
					    ? "a landing pad inside an "
					      "instruction"
					    : "a branch into an instruction");
	}
}

/* A field that the linker changes is in one instruction. */
static int check_relocs_of(struct diag *d, struct jump_check *check,
			   struct jump_section *js, uint32_t shndx)
{
	const struct object *obj = check->map.obj;
	struct relocs relocs;

	if (object_relocs(d, obj, shndx, &relocs))
		return -1;
	for (size_t i = 0; i < relocs.n; i++) {
		struct reloc r;
		unsigned width;
		const struct jump_function *f;

		reloc_get(&relocs, i, &r);
		width = arch_reloc_width(obj->arch, r.type);
		f = jump_check_function(check, js->code.addr + r.offset);
		if (f == NULL || r.offset > js->code.size ||
		    width > js->code.size - r.offset)
			continue;
		for (unsigned k = 0; k < width; k++)
			if (js->flags[r.offset + k] & IS_BEGIN)
				not_decoded((struct jump_function *)f,
					    js->code.addr + r.offset,
					    "a relocation of more than one "
					    "instruction");
	}
	return 0;
}

static int check_relocs(struct diag *d, struct jump_check *check)
{
	const struct object *obj = check->map.obj;

	/* If mapping symbols mark data, a field may begin it. */
	if (obj->ehdr.e_type != ET_REL || check->isa->has_marks)
		return 0;
	for (size_t i = 0; i < check->map.n; i++) {
		struct jump_section *js = &check->map.sections[i];
		uint32_t shndx = obj->sections[js->shndx].first_relsec;

		for (; js->is_text && shndx != 0;
		     shndx = obj->sections[shndx].next_relsec)
			if (check_relocs_of(d, check, js, shndx))
				return -1;
	}
	return 0;
}

/* --- Jumps to where nobody knows ------------------------------------------ */

/* Without .cold: both halves are one function. */
static size_t name_length(const char *name)
{
	const char *cold = strstr(name, ".cold");

	return cold != NULL && cold != name ? (size_t)(cold - name)
					    : strlen(name);
}

static int compare_names(const void *a, const void *b)
{
	const struct jump_function *x = *(struct jump_function *const *)a;
	const struct jump_function *y = *(struct jump_function *const *)b;
	size_t n = name_length(x->name), m = name_length(y->name);
	int order = strncmp(x->name, y->name, n < m ? n : m);

	return order != 0 ? order : n < m ? -1 : n > m;
}

/* A function with its other parts, for indirect jumps. */
struct family {
	bool has_unknown_jump; /* at: */
	uint64_t at;
	bool is_formed; /* an address inside it, or its start by itself */
};

static void add_jump(struct family *family, uint64_t at)
{
	family->has_unknown_jump = true;
	family->at = at;
}

/* An instruction at SOURCE forms an address in F, or jumps with it. */
static void add_formed(const struct jump_check *check,
		       const struct jump_function *f, const struct landing *l,
		       struct family *family)
{
	const struct jump_function *by = jump_check_function(check, l->source);

	if (l->target == f->start && by != f)
		return;
	family->is_formed = true;
	if (by != NULL && by->has_unknown_jump)
		add_jump(family, by->unknown_at);
	else if (by != NULL && by->is_undecodable)
		add_jump(family, l->source);
}

/* On i386, code may count from a GOT whose address is unknown. */
static bool lacks_base(const struct jump_check *check)
{
	return !check->map.obj->is_64 && !check->map.has_got;
}

static void add_function(const struct jump_check *check,
			 const struct jump_function *f, struct family *family)
{
	if (f->has_unknown_jump)
		add_jump(family, f->unknown_at);
	if (lacks_base(check))
		family->is_formed = true;
	for (size_t i = landings_below(check, f->start);
	     i < check->nlandings && check->landings[i].target < f->end; i++)
		if (check->landings[i].kind == LANDING_FORMED)
			add_formed(check, f, &check->landings[i], family);
}

/*
 * A jump goes to an address that something forms, or to a place at some
 * distance from one. If nothing in the function forms such an address, the jump
 * leaves the function: it is a tail call. And no other function jumps to a
 * place at such a distance unless it formed an address there.
 */
static int judge_jumps(struct diag *d, struct jump_check *check)
{
	struct jump_function **sorted =
		malloc((check->nfunctions + 1) * sizeof(sorted[0]));
	size_t first = 0;

	if (sorted == NULL)
		return no_memory(d, check);
	for (size_t i = 0; i < check->nfunctions; i++)
		sorted[i] = &check->functions[i];
	qsort(sorted, check->nfunctions, sizeof(sorted[0]), compare_names);
	while (first < check->nfunctions) {
		struct family family = { 0 };
		size_t i = first;

		for (; i < check->nfunctions &&
		       compare_names(&sorted[first], &sorted[i]) == 0;
		     i++)
			add_function(check, sorted[i], &family);
		for (; first < i; first++) {
			sorted[first]->is_unsafe = family.has_unknown_jump &&
						   family.is_formed;
			sorted[first]->unsafe_at = family.at;
		}
	}
	free(sorted);
	return 0;
}

/* --- The whole file ------------------------------------------------------- */

/*
 * Any byte of code that is in no function, or in one that cannot be decoded,
 * may be a target.
 */
static int land_rest(struct diag *d, struct jump_check *check,
		     const struct jump_section *js)
{
	uint64_t end = js->code.addr + js->code.size, at = js->code.addr;
	size_t i;

	if (land_between(d, check, js, at, end, true))
		return -1;
	LOWER_BOUND(i, check->nfunctions, check->functions[i].start < at);
	for (; i < check->nfunctions && check->functions[i].start < end; i++) {
		const struct jump_function *f = &check->functions[i];

		if (land_between(d, check, js, at,
				 f->is_undecodable ? f->end : f->start, false))
			return -1;
		at = f->end;
	}
	return land_between(d, check, js, at, end, false);
}

static int sweep_code(struct diag *d, struct jump_check *check)
{
	for (size_t i = 0; i < check->nfunctions; i++)
		if (sweep_function(d, check, &check->functions[i]))
			return -1;
	if (check_relocs(d, check))
		return -1;
	check_arrivals(check);
	/*
	 * If something is inconsistent, the decoded instructions do not count.
	 */
	for (size_t i = 0; i < check->nfunctions; i++) {
		const struct jump_function *f = &check->functions[i];
		struct jump_section *js =
			jump_map_find_text(&check->map, f->start);

		if (f->is_undecodable)
			memset(js->flags + (f->start - js->code.addr), 0,
			       f->end - f->start);
	}
	return 0;
}

static int look_outside(struct diag *d, struct jump_check *check)
{
	for (size_t i = 0; i < check->map.n; i++)
		if (check->map.sections[i].is_text &&
		    (land_rest(d, check, &check->map.sections[i]) ||
		     land_operands(d, check, &check->map.sections[i])))
			return -1;
	return 0;
}

/* Each mapping symbol applies up to the next one. */
static void spread_marks(struct jump_check *check)
{
	for (size_t i = 0; i < check->map.n; i++) {
		struct jump_section *js = &check->map.sections[i];
		uint8_t is_code = 0;

		for (uint64_t at = 0; js->is_text && at < js->code.size; at++) {
			if (js->flags[at] != 0)
				is_code = js->flags[at] & IS_CODE;
			js->flags[at] = is_code;
		}
	}
}

/* $d begins data, others code. Sets the flags. */
static void read_marks(struct jump_check *check)
{
	const struct object *obj = check->map.obj;

	for (size_t i = 1; i < obj->nsymbols; i++) {
		struct jump_section *js;
		struct symbol sym;
		uint64_t addr;

		object_symbol(obj, i, &sym);
		if (!sym.is_defined || !symbol_is_mark(&sym) ||
		    !jump_map_symbol(&check->map, &sym, &addr))
			continue;
		js = jump_map_find_text(&check->map, addr);
		if (js != NULL)
			js->flags[addr - js->code.addr] =
				sym.name[1] == 'd' ? IS_INSIDE : IS_CODE;
	}
	spread_marks(check);
}

int jump_check_open(struct diag *d, const struct object *obj,
		    const struct options *options, struct jump_check *check)
{
	*check = (struct jump_check){ .options = options };
	check->isa = jump_isa_find(obj->arch);
	assert(check->isa != NULL); /* each machine has one */
	if (jump_map_open(d, obj, &check->map) ||
	    jump_check_functions(d, check) || jump_check_tables(d, check))
		return -1;
	if (check->isa->has_marks)
		read_marks(check);
	if (check->isa->is_single) {
		if (check->isa->unit != check->isa->length &&
		    (land_symbols(d, check) || sweep_code(d, check) ||
		     (check->isa->each_run != NULL &&
		      jump_check_runs(d, check))))
			return -1;
		jump_check_sort_marks(check);
		return 0;
	}
	if (land_symbols(d, check) || jump_check_pads(d, check) ||
	    jump_check_data(d, check) || sweep_code(d, check) ||
	    look_outside(d, check))
		return -1;
	jump_check_sort_marks(check);
	if (check->nlandings > 0)
		qsort(check->landings, check->nlandings,
		      sizeof(check->landings[0]), compare_landings);
	return judge_jumps(d, check);
}

void jump_check_free(struct jump_check *check)
{
	jump_map_free(&check->map);
	free(check->functions);
	free(check->landings);
	free(check->marks);
	*check = (struct jump_check){ 0 };
}

/* --- A verdict ------------------------------------------------------------ */

static void no(struct jump_verdict *v, enum jump_rule rule, uint64_t at,
	       const char *format, ...) __attribute__((format(printf, 4, 5)));

static void no(struct jump_verdict *v, enum jump_rule rule, uint64_t at,
	       const char *format, ...)
{
	va_list ap;

	v->rule = rule;
	v->at = at;
	va_start(ap, format);
	vsnprintf(v->text, sizeof(v->text), format, ap);
	va_end(ap);
}

/* If there are literals among code, mapping symbols mark them. */
static bool is_code(const struct jump_check *check,
		    const struct jump_section *js, uint64_t addr)
{
	return !check->isa->has_marks ||
	       (js->flags[addr - js->code.addr] & IS_CODE) != 0;
}

static bool is_boundary(const struct jump_check *check,
			const struct jump_section *js, uint64_t addr)
{
	return check->isa->unit == check->isa->length
		       ? addr % check->isa->unit == 0
		       : (js->flags[addr - js->code.addr] & IS_BEGIN) != 0;
}

/* Is the place one that can be judged? */
static bool judge_place(const struct jump_check *check,
			const struct jump_function *f, struct jump_verdict *v)
{
	if (f == NULL)
		no(v, JUMP_NO_CODE, v->addr,
		   "it is in no function whose size a symbol tells");
	else if (options_section_policy(check->options, v->section->name) ==
			 SECTION_REFUSE ||
		 strcmp(v->section->name, ".kprobes.text") == 0)
		no(v, JUMP_SECTION, v->addr,
		   "code of section %s must not be patched", v->section->name);
	else if (f->is_blacklisted)
		no(v, JUMP_BLACKLIST, f->start,
		   "the kernel has the function among those not to be probed");
	else if (f->is_undecodable)
		no(v, JUMP_UNDECODABLE, f->at, "%s in the function", f->why);
	else if (!is_code(check, v->section, v->addr))
		no(v, JUMP_NO_CODE, v->addr,
		   "no mapping symbol says that it is code");
	else if (!is_boundary(check, v->section, v->addr))
		no(v, JUMP_BOUNDARY, v->addr, "no instruction begins there");
	else if (check->unread != NULL)
		no(v, JUMP_EXCEPTIONS,
		   check->unread_at != 0 ? check->unread_at : v->addr,
		   "where exceptions land is not known: %s", check->unread);
	return v->rule == JUMP_YES;
}

/* Takes whole instructions until the jump fits. */
static bool take_instructions(const struct jump_check *check,
			      const struct jump_function *f,
			      struct jump_verdict *v)
{
	const struct code *code = &v->section->code;

	while (v->length < check->isa->length && v->rule == JUMP_YES) {
		struct jump_insn *insn = &v->insns[v->ninsns];
		uint64_t addr = v->addr + v->length;

		if (addr >= f->end ||
		    (check->isa->is_single &&
		     f->end - addr < check->isa->unit) ||
		    !check->isa->decode(check->map.obj->arch, code,
					f->start - code->addr,
					addr - code->addr, insn) ||
		    insn->length > f->end - addr) {
			no(v, JUMP_TOO_SHORT, addr,
			   "the function ends before a jump of %u bytes does",
			   check->isa->length);
			break;
		}
		v->ninsns++;
		v->length += insn->length;
		if (check->isa->is_single && insn->length < check->isa->length)
			no(v, JUMP_TOO_SHORT, addr,
			   "an instruction of %u bytes, for a jump of %u",
			   insn->length, check->isa->length);
		else if (v->is_site && v->ninsns == 1)
			v->detour -= insn->length;
		else if (insn->is_landing)
			no(v, JUMP_LANDING, addr,
			   "indirect branches must find this instruction");
		else if (insn->stays != NULL)
			no(v, JUMP_STAYS, addr, "%s", insn->stays);
		else if (insn->has_operand && !insn->is_fixable)
			no(v, JUMP_STAYS, addr,
			   "an operand that cannot be corrected");
	}
	v->detour += v->length + check->isa->length;
	return v->rule == JUMP_YES;
}

static bool judge_tables(const struct jump_check *check, struct jump_verdict *v)
{
	uint64_t end = v->addr + v->length;
	size_t i;

	LOWER_BOUND(i, check->nmarks,
		    check->marks[i].start + check->longest_mark <= v->addr);
	for (; i < check->nmarks && check->marks[i].start < end; i++) {
		const struct jump_mark *mark = &check->marks[i];

		if (mark->end > v->addr && mark->table == NULL) {
			no(v, JUMP_STAYS, mark->source,
			   "another instruction may run this one");
			return false;
		}
		if (mark->end > v->addr) {
			no(v, JUMP_TABLE, mark->start,
			   "%s has an entry for the code there", mark->table);
			return false;
		}
	}
	return true;
}

static bool judge_landings(const struct jump_check *check,
			   struct jump_verdict *v)
{
	for (size_t i = landings_below(check, v->addr + 1);
	     i < check->nlandings &&
	     check->landings[i].target < v->addr + v->length;
	     i++) {
		const struct landing *l = &check->landings[i];
		unsigned into = l->target - v->addr;
		const struct jump_section *js =
			jump_map_find(&check->map, l->source);
		const struct jump_function *f =
			jump_check_function(check, l->source);

		if (l->kind == LANDING_SYMBOL)
			no(v, JUMP_POINTER, l->target,
			   "a symbol is %u bytes behind", into);
		else if (l->kind == LANDING_PAD)
			no(v, JUMP_EXCEPTIONS, l->source,
			   "exceptions land %u bytes behind", into);
		else if (f != NULL)
			no(v,
			   l->kind == LANDING_FORMED ? JUMP_POINTER
						     : JUMP_BRANCH,
			   l->source, "%.60s+0x%" PRIx64 " %s %u bytes behind",
			   f->name, l->source - f->start,
			   l->kind == LANDING_FORMED
				   ? "has the address"
				   : "has a branch to what is",
			   into);
		else
			no(v,
			   l->kind == LANDING_FORMED ? JUMP_POINTER
						     : JUMP_BRANCH,
			   l->source, "%.60s+0x%" PRIx64 " %s %u bytes behind",
			   js != NULL ? js->name : "?",
			   js != NULL ? l->source - js->code.addr : 0,
			   l->kind == LANDING_FORMED
				   ? "may have the address"
				   : "may have a branch to what is",
			   into);
		return false;
	}
	return true;
}

void jump_check_address(const struct jump_check *check, uint64_t addr,
			bool is_site, struct jump_verdict *v)
{
	const struct jump_function *f = jump_check_function(check, addr);

	*v = (struct jump_verdict){ .addr = addr, .is_site = is_site };
	v->section = jump_map_find_text(&check->map, addr);
	if (f != NULL) {
		v->function = f->name;
		v->function_offset = addr - f->start;
	}
	if (!judge_place(check, f, v) || !take_instructions(check, f, v) ||
	    !judge_tables(check, v) ||
	    (!check->isa->is_single && !judge_landings(check, v)))
		return;
	if (f->is_unsafe)
		no(v, JUMP_INDIRECT, f->unsafe_at,
		   "where an indirect jump goes is not known");
}

uint64_t jump_check_entry(const struct jump_check *check, uint64_t addr)
{
	const struct jump_section *js = jump_map_find_text(&check->map, addr);
	struct jump_insn insn;

	if (js != NULL && js->code.size - (addr - js->code.addr) >= 4 &&
	    check->isa->decode(check->map.obj->arch, &js->code,
			       addr - js->code.addr, addr - js->code.addr,
			       &insn) &&
	    insn.is_landing)
		return addr + insn.length;
	return addr;
}
