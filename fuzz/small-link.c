/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A linker of a few injected objects. It knows what sdtlink does not know: where
 * it put each function. See small-program.h.
 */
#include <config.h>

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "small-program.h"

#define SECTIONS_MAX 64
#define PART_MAX (8 << 10)
#define TEXT_ADDR UINT64_C(0x401000)
#define SITES_ADDR UINT64_C(0x501000)
#define PROBES_ADDR UINT64_C(0x601000)

enum kind { KIND_NONE, KIND_FUNCTION, KIND_STUB, KIND_SITES, KIND_PROBE };

struct part {
	enum kind kind;
	bool is_kept;
	uint64_t addr;
	unsigned folded_into; /* a section of the same unit, or 0 */
};

struct input {
	const uint8_t *bytes;
	const Elf64_Shdr *sections;
	const Elf64_Sym *symbols;
	const char *names, *strings;
	unsigned nsections, nsymbols;
	struct part parts[SECTIONS_MAX];
};

/* What is put together: text, sites, descriptors. */
struct area {
	uint8_t bytes[PART_MAX];
	uint64_t addr;
	size_t size;
};

struct state {
	struct choices *c;
	const struct program *p;
	struct input inputs[UNITS_MAX];
	struct area text, sites, probes;
	bool has_foreign;
	struct writer *w;
};

/* --- Reading -------------------------------------------------------------- */

static bool read_input(const struct blob *blob, struct input *in)
{
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)blob->bytes;

	in->bytes = blob->bytes;
	in->sections = (const Elf64_Shdr *)(blob->bytes + head->e_shoff);
	in->nsections = head->e_shnum;
	in->names = (const char *)blob->bytes +
		    in->sections[head->e_shstrndx].sh_offset;
	for (unsigned i = 1; i < in->nsections; i++) {
		const Elf64_Shdr *sh = &in->sections[i];

		if (sh->sh_type != SHT_SYMTAB)
			continue;
		in->symbols = (const Elf64_Sym *)(in->bytes + sh->sh_offset);
		in->nsymbols = sh->sh_size / sizeof(Elf64_Sym);
		in->strings = (const char *)in->bytes +
			      in->sections[sh->sh_link].sh_offset;
	}
	return in->nsections <= SECTIONS_MAX && in->symbols != NULL;
}

static void sort_parts(struct input *in)
{
	for (unsigned i = 1; i < in->nsections; i++) {
		const Elf64_Shdr *sh = &in->sections[i];
		struct part *part = &in->parts[i];
		bool is_text = sh->sh_flags & SHF_EXECINSTR;

		if (!(sh->sh_flags & SHF_ALLOC) || sh->sh_size == 0)
			continue;
		if (strcmp(in->names + sh->sh_name, "sdt_sites") == 0)
			part->kind = KIND_SITES;
		else if (sh->sh_flags & SHF_GROUP)
			part->kind = is_text ? KIND_STUB : KIND_PROBE;
		else if (is_text)
			part->kind = KIND_FUNCTION;
	}
}

/* Its definition; false if there is none. */
static bool find_global(const struct state *s, const char *name,
			unsigned *unit, unsigned *symbol)
{
	for (*unit = 0; *unit < s->p->nunits; ++*unit) {
		const struct input *in = &s->inputs[*unit];

		for (*symbol = 1; *symbol < in->nsymbols; ++*symbol) {
			const Elf64_Sym *sym = &in->symbols[*symbol];

			if (ELF64_ST_BIND(sym->st_info) != STB_LOCAL &&
			    sym->st_shndx != SHN_UNDEF &&
			    strcmp(in->strings + sym->st_name, name) == 0)
				return true;
		}
	}
	return false;
}

/* Whatever SYMBOL of UNIT means: where it is defined. */
static bool resolve(const struct state *s, unsigned *unit, unsigned *symbol)
{
	const struct input *in = &s->inputs[*unit];
	const Elf64_Sym *sym = &in->symbols[*symbol];

	return ELF64_ST_BIND(sym->st_info) == STB_LOCAL ||
	       find_global(s, in->strings + sym->st_name, unit, symbol);
}

/* --- What is kept --------------------------------------------------------- */

static const Elf64_Rela *relocs_of(const struct input *in, unsigned section,
				   size_t *n)
{
	for (unsigned i = 1; i < in->nsections; i++) {
		const Elf64_Shdr *sh = &in->sections[i];

		if (sh->sh_type != SHT_RELA || sh->sh_info != section)
			continue;
		*n = sh->sh_size / sizeof(Elf64_Rela);
		return (const Elf64_Rela *)(in->bytes + sh->sh_offset);
	}
	*n = 0;
	return NULL;
}

/* What SECTION refers to; returns whether any of it is new. */
static bool keep_references(struct state *s, unsigned unit, unsigned section)
{
	const struct input *in = &s->inputs[unit];
	size_t n;
	const Elf64_Rela *relocs = relocs_of(in, section, &n);
	bool is_new = false;

	for (size_t i = 0; i < n; i++) {
		unsigned to = unit, symbol = ELF64_R_SYM(relocs[i].r_info);
		struct part *part;

		if (!resolve(s, &to, &symbol))
			continue;
		part = &s->inputs[to]
				.parts[s->inputs[to].symbols[symbol].st_shndx];
		is_new |= !part->is_kept;
		part->is_kept = true;
	}
	return is_new;
}

static bool is_live(const struct input *in, unsigned section)
{
	const struct part *part = &in->parts[section];

	if (part->kind == KIND_SITES)
		return in->parts[in->sections[section].sh_link].is_kept;
	return part->is_kept;
}

/* As --gc-sections does. Returns whether all functions were kept. */
static bool keep(struct state *s)
{
	bool drops = choose(s->c, 3) == 1, is_all = true, is_new;

	for (unsigned i = 0; i < s->p->nunits; i++)
		for (unsigned j = 1; j < s->inputs[i].nsections; j++) {
			struct part *part = &s->inputs[i].parts[j];

			part->is_kept = part->kind == KIND_FUNCTION &&
					!(drops && choose(s->c, 2) == 1);
		}
	do {
		is_new = false;
		for (unsigned i = 0; i < s->p->nunits; i++)
			for (unsigned j = 1; j < s->inputs[i].nsections; j++)
				if (is_live(&s->inputs[i], j))
					is_new |= keep_references(s, i, j);
	} while (is_new);
	for (unsigned i = 0; i < s->p->nunits; i++)
		for (unsigned j = 1; j < s->inputs[i].nsections; j++)
			is_all &= s->inputs[i].parts[j].kind != KIND_FUNCTION ||
				  s->inputs[i].parts[j].is_kept;
	return is_all;
}

/* The table's section for SECTION, or 0. */
static unsigned sites_of(const struct input *in, unsigned section)
{
	for (unsigned i = 1; i < in->nsections; i++)
		if (in->parts[i].kind == KIND_SITES &&
		    in->sections[i].sh_link == section)
			return i;
	return 0;
}

static bool is_same_symbol(const struct input *in, unsigned a, unsigned b,
			   unsigned sa, unsigned sb)
{
	const Elf64_Sym *x = &in->symbols[a], *y = &in->symbols[b];

	return a == b || (x->st_shndx == sa && y->st_shndx == sb &&
			  x->st_value == y->st_value);
}

/* Do A and B, or their tables, have the same bytes and relocations? */
static bool is_same(const struct input *in, unsigned a, unsigned b, unsigned sa,
		    unsigned sb)
{
	const Elf64_Shdr *x = &in->sections[a], *y = &in->sections[b];
	size_t n, m;
	const Elf64_Rela *r = relocs_of(in, a, &n), *t = relocs_of(in, b, &m);

	if (x->sh_size != y->sh_size || n != m ||
	    memcmp(in->bytes + x->sh_offset, in->bytes + y->sh_offset,
		   x->sh_size) != 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (r[i].r_offset != t[i].r_offset ||
		    r[i].r_addend != t[i].r_addend ||
		    !is_same_symbol(in, ELF64_R_SYM(r[i].r_info),
				    ELF64_R_SYM(t[i].r_info), sa, sb))
			return false;
	return true;
}

/* As --icf=all does, within a unit. Returns whether any was folded. */
static bool fold(struct state *s, struct input *in)
{
	bool is_any = false;

	for (unsigned b = 1; b < in->nsections; b++)
		for (unsigned a = 1; a < b; a++) {
			unsigned x = sites_of(in, a), y = sites_of(in, b);

			if (in->parts[a].kind != KIND_FUNCTION ||
			    in->parts[b].kind != KIND_FUNCTION ||
			    !in->parts[a].is_kept || !in->parts[b].is_kept ||
			    in->parts[a].folded_into != 0 ||
			    !is_same(in, a, b, a, b) || (x == 0) != (y == 0) ||
			    (x != 0 && !is_same(in, x, y, a, b)) ||
			    choose(s->c, 4) == 1)
				continue;
			in->parts[b].folded_into = a;
			is_any = true;
			break;
		}
	return is_any;
}

/* --- Layout --------------------------------------------------------------- */

static void put(struct area *area, const struct input *in, unsigned section,
		struct part *part)
{
	const Elf64_Shdr *sh = &in->sections[section];
	uint64_t align = sh->sh_addralign > 0 ? sh->sh_addralign : 1;

	while (area->size % align != 0)
		area->bytes[area->size++] = 0xcc;
	if (sh->sh_size > PART_MAX - 64 - area->size)
		abort();
	part->addr = area->addr + area->size;
	memcpy(area->bytes + area->size, in->bytes + sh->sh_offset,
	       sh->sh_size);
	area->size += sh->sh_size;
}

static void put_kind(struct state *s, struct area *area, enum kind kind,
		     unsigned turn)
{
	for (unsigned k = 0; k < s->p->nunits; k++) {
		struct input *in = &s->inputs[(k + turn) % s->p->nunits];

		for (unsigned i = 1; i < in->nsections; i++) {
			struct part *part = &in->parts[i];
			unsigned of = kind == KIND_SITES
					      ? in->sections[i].sh_link
					      : i;

			if (part->kind == kind && in->parts[of].is_kept &&
			    in->parts[of].folded_into == 0)
				put(area, in, i, part);
		}
	}
}

/* Only the first of each group is referred to, and so kept. */
static void lay_out(struct state *s)
{
	bool is_stub_first = choose(s->c, 2) == 1;

	s->text.addr = TEXT_ADDR + 16 * choose(s->c, 256);
	s->sites.addr = SITES_ADDR;
	s->probes.addr = PROBES_ADDR;
	if (is_stub_first)
		put_kind(s, &s->text, KIND_STUB, 0);
	put_kind(s, &s->text, KIND_FUNCTION, choose(s->c, UNITS_MAX));
	if (!is_stub_first)
		put_kind(s, &s->text, KIND_STUB, 0);
	put_kind(s, &s->sites, KIND_SITES, choose(s->c, UNITS_MAX));
	put_kind(s, &s->probes, KIND_PROBE, 0);
}

static uint64_t part_addr(const struct input *in, unsigned section)
{
	const struct part *part = &in->parts[section];

	return in->parts[part->folded_into != 0 ? part->folded_into : section]
		.addr;
}

static bool apply(struct state *s, unsigned unit, unsigned section,
		  struct area *area)
{
	const struct input *in = &s->inputs[unit];
	uint64_t base = in->parts[section].addr;
	size_t n;
	const Elf64_Rela *relocs = relocs_of(in, section, &n);

	for (size_t i = 0; i < n; i++) {
		unsigned to = unit, symbol = ELF64_R_SYM(relocs[i].r_info);
		uint64_t place = base + relocs[i].r_offset, addr;
		const struct input *other;
		uint32_t word;

		/* What --nop left of a call. */
		if (ELF64_R_TYPE(relocs[i].r_info) == R_X86_64_NONE)
			continue;
		if (!resolve(s, &to, &symbol))
			return false;
		other = &s->inputs[to];
		addr = part_addr(other, other->symbols[symbol].st_shndx);
		if (addr == 0)
			return false;
		word = addr + other->symbols[symbol].st_value +
		       relocs[i].r_addend - place;
		memcpy(area->bytes + (place - area->addr), &word, sizeof(word));
	}
	return true;
}

static bool relocate(struct state *s)
{
	struct area *areas[] = { [KIND_FUNCTION] = &s->text,
				 [KIND_STUB] = &s->text,
				 [KIND_SITES] = &s->sites,
				 [KIND_PROBE] = &s->probes };

	for (unsigned i = 0; i < s->p->nunits; i++)
		for (unsigned j = 1; j < s->inputs[i].nsections; j++) {
			const struct part *part = &s->inputs[i].parts[j];

			if (part->addr != 0 &&
			    !apply(s, i, j, areas[part->kind]))
				return false;
		}
	return true;
}

/* --- The truth ------------------------------------------------------------ */

static void add_spot(struct spots *spots, uint64_t addr, unsigned probe)
{
	if (spots->n < SPOTS_MAX)
		spots->items[spots->n++] =
			(struct spot){ .addr = addr, .probe = probe };
}

/*
 * By the program, whose sections have the same numbers in what was injected.
 * Of foreign ones nothing tells but the names of the stubs that they call.
 */
static void list_sites(const struct state *s, bool has_names,
		       struct small_link *l)
{
	for (unsigned i = 0; i < s->p->nunits; i++) {
		const struct unit *u = &s->p->units[i];

		for (unsigned k = 0; k < u->ncalls; k++) {
			const struct call *call = &u->calls[k];
			uint64_t addr = part_addr(&s->inputs[i],
						  1 + 2 * call->section);

			if (call->to == UNITS_MAX && addr != 0 &&
			    (has_names || !u->is_foreign))
				add_spot(&l->sites, addr + call->offset - 1,
					 call->callee);
		}
	}
}

/* By the end of its name: that of --nop begins otherwise. */
static unsigned probe_of(const char *descriptor)
{
	size_t length = strlen(descriptor);

	for (unsigned i = 0; i < NPROBES; i++) {
		size_t n = strlen(probe_symbol(i));

		if (n <= length &&
		    strcmp(descriptor + length - n, probe_symbol(i)) == 0)
			return i;
	}
	return NPROBES;
}

/* That whose descriptor is at ADDR; the bits below are the form. */
static unsigned find_probe(const struct state *s, uint64_t addr)
{
	for (unsigned i = 0; i < s->p->nunits; i++) {
		const struct input *in = &s->inputs[i];

		for (unsigned k = 1; k < in->nsymbols; k++) {
			const Elf64_Sym *sym = &in->symbols[k];

			if (sym->st_shndx < in->nsections &&
			    in->parts[sym->st_shndx].kind == KIND_PROBE &&
			    in->parts[sym->st_shndx].addr ==
				    (addr & ~UINT64_C(7)))
				return probe_of(in->strings + sym->st_name);
		}
	}
	return NPROBES;
}

static void list_entries(const struct state *s, struct small_link *l)
{
	for (size_t at = 0; at + 8 <= s->sites.size; at += 8) {
		int32_t words[2];

		memcpy(words, s->sites.bytes + at, sizeof(words));
		add_spot(&l->entries, SITES_ADDR + at + words[0],
			 find_probe(s, SITES_ADDR + at + 4 + words[1]));
	}
}

/* --- Damage --------------------------------------------------------------- */

/* A word of an entry becomes what another means, or something near. */
static void damage_table(struct state *s)
{
	size_t n = s->sites.size / 4, a = choose(s->c, 256) % n;
	size_t b = choose(s->c, 256) % n;
	uint32_t word;

	if (choose(s->c, 2) == 1)
		b = a % 2 == 0 ? b / 2 * 2 : b | 1;
	b = b < n ? b : a;
	memcpy(&word, s->sites.bytes + 4 * b, sizeof(word));
	word += 4 * b - 4 * a;
	if (a == b)
		word += choose(s->c, 64) - 32;
	memcpy(s->sites.bytes + 4 * a, &word, sizeof(word));
}

/* The operand of a call to a stub, which then goes anywhere else: that of a
 * foreign one would be no site any more. */
static bool damage_text(struct state *s, const struct small_link *l)
{
	const struct spot *spot =
		&l->sites.items[choose(s->c, 256) % l->sites.n];
	uint8_t *code = s->text.bytes + (spot->addr - s->text.addr);

	if (code[0] != 0xe8 && code[0] != 0xe9)
		return false; /* off */
	code[1 + choose(s->c, 2)] ^= 1 + choose(s->c, 255);
	return true;
}

/* Returns whether there may be any. */
static bool damage(struct state *s, struct small_link *l)
{
	switch (choose(s->c, 6)) {
	case 1:
		if (s->sites.size > 0)
			damage_table(s);
		return true;
	case 2:
		if (l->sites.n > 0 && !s->has_foreign)
			l->is_damaged = damage_text(s, l);
		return true;
	case 3:
		/* The last entry is lost. */
		s->sites.size -= s->sites.size > 0 ? 8 : 0;
		return true;
	}
	return false;
}

/* --- The final ------------------------------------------------------------ */

/* Names of those that have a place. */
static void add_names(struct state *s, bool is_local)
{
	for (unsigned i = 0; i < s->p->nunits; i++) {
		const struct input *in = &s->inputs[i];

		for (unsigned k = 1; k < in->nsymbols; k++) {
			const Elf64_Sym *sym = &in->symbols[k];
			enum kind kind = KIND_NONE;

			if (sym->st_shndx < in->nsections)
				kind = in->parts[sym->st_shndx].kind;
			if ((ELF64_ST_BIND(sym->st_info) == STB_LOCAL) !=
				    is_local ||
			    (kind != KIND_FUNCTION && kind != KIND_STUB) ||
			    part_addr(in, sym->st_shndx) == 0 ||
			    ELF64_ST_TYPE(sym->st_info) == STT_SECTION)
				continue;
			writer_symbol(s->w, in->strings + sym->st_name,
				      ELF64_ST_BIND(sym->st_info), STT_FUNC, 1,
				      part_addr(in, sym->st_shndx) +
					      sym->st_value,
				      sym->st_size);
		}
	}
}

static void write_final(struct state *s, struct small_link *l, unsigned strip)
{
	s->w = writer_new(ET_EXEC);
	writer_add(s->w, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
		   s->text.addr, s->text.bytes, s->text.size, 0, 0);
	writer_add(s->w, "sdt_sites", SHT_PROGBITS, SHF_ALLOC, SITES_ADDR,
		   s->sites.bytes, s->sites.size, 0, 0);
	writer_add(s->w, "sdt_probes", SHT_PROGBITS, SHF_ALLOC, PROBES_ADDR,
		   s->probes.bytes, s->probes.size, 0, 0);
	if (strip < 1)
		add_names(s, true);
	if (strip < 2)
		add_names(s, false);
	writer_symbol(s->w, "__start_sdt_sites", STB_GLOBAL, STT_NOTYPE, 2,
		      SITES_ADDR, 0);
	writer_symbol(s->w, "__stop_sdt_sites", STB_GLOBAL, STT_NOTYPE, 2,
		      SITES_ADDR + s->sites.size, 0);
	writer_symbol(s->w, "__start_sdt_probes", STB_GLOBAL, STT_NOTYPE, 3,
		      PROBES_ADDR, 0);
	writer_symbol(s->w, "__stop_sdt_probes", STB_GLOBAL, STT_NOTYPE, 3,
		      PROBES_ADDR + s->probes.size, 0);
	l->bytes = writer_end(s->w, &l->size);
}

static bool link(struct state *s, struct small_link *l)
{
	/* 1: local names, 2: all, others: none. */
	unsigned strip = choose(s->c, 8);

	l->is_plain = keep(s) && (strip == 0 || strip > 2);
	for (unsigned i = 0; i < s->p->nunits; i++)
		if (choose(s->c, 4) == 1)
			l->is_plain &= !fold(s, &s->inputs[i]);
	lay_out(s);
	if (!relocate(s))
		return false;
	list_sites(s, strip != 2, l);
	l->is_plain &= !damage(s, l);
	list_entries(s, l);
	write_final(s, l, strip > 2 ? 0 : strip);
	return true;
}

bool small_link(struct choices *c, const struct program *p,
		const struct blob *injected, struct small_link *l)
{
	struct state *s = calloc(1, sizeof(*s));
	bool ret = true;

	if (s == NULL)
		abort();
	*l = (struct small_link){ 0 };
	s->c = c;
	s->p = p;
	for (unsigned i = 0; i < p->nunits; i++) {
		ret &= read_input(&injected[i], &s->inputs[i]);
		sort_parts(&s->inputs[i]);
		s->has_foreign |= p->units[i].is_foreign;
	}
	ret = ret && link(s, l);
	l->is_plain &= !s->has_foreign && !p->has_namesakes;
	free(s);
	return ret;
}
