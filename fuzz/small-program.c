/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs of a few functions. See small-program.h. */
#include <config.h>

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "small-program.h"

unsigned choose(struct choices *c, unsigned n)
{
	return c->at < c->end ? *c->at++ % n : 0;
}

const char *probe_symbol(unsigned n)
{
	static const char *const names[NPROBES] = { "__dtrace_sdt_p___a",
						    "__dtrace_sdt_p___b" };

	return names[n];
}

/* --- What is in them ------------------------------------------------------ */

static void add_code(struct unit *u, unsigned section, const void *code,
		     size_t size)
{
	memcpy(u->code[section] + u->size[section], code, size);
	u->size[section] += size;
}

/* OPCODE is that of a call or a jump, with a displacement of 4 bytes. */
static void add_call(struct unit *u, unsigned section, uint8_t opcode,
		     unsigned to, unsigned callee)
{
	const uint8_t code[] = { opcode, 0, 0, 0, 0 };

	if (u->ncalls == SITES_MAX)
		return;
	u->calls[u->ncalls++] = (struct call){ .section = section,
					       .offset = u->size[section] + 1,
					       .to = to,
					       .callee = callee };
	add_code(u, section, code, sizeof(code));
}

/* A function that UNIT can call: its own, or a global one. */
static void add_any_call(struct choices *c, struct program *p, unsigned unit,
			 unsigned section, uint8_t opcode)
{
	unsigned to = choose(c, p->nunits);
	unsigned callee = choose(c, FUNCTIONS_MAX);
	const struct unit *other = &p->units[to];

	if (callee < other->nfunctions &&
	    (to == unit || !other->functions[callee].is_local))
		add_call(&p->units[unit], section, opcode, to, callee);
}

static void add_body(struct choices *c, struct program *p, unsigned unit,
		     unsigned section)
{
	struct unit *u = &p->units[unit];
	uint8_t constant[] = { 0xb8, 0, 0, 0, 0 }, ret = 0xc3;

	for (unsigned n = choose(c, 5); n > 0; n--)
		switch (choose(c, 4)) {
		case 0:
			constant[1] = choose(c, 3);
			add_code(u, section, constant, sizeof(constant));
			break;
		case 1:
		case 2:
			add_call(u, section, 0xe8, UNITS_MAX,
				 choose(c, NPROBES));
			break;
		default:
			add_any_call(c, p, unit, section, 0xe8);
		}
	if (choose(c, 4) == 1)
		add_call(u, section, 0xe9, UNITS_MAX, choose(c, NPROBES));
	else if (choose(c, 4) == 1)
		add_any_call(c, p, unit, section, 0xe9);
	/* Or a call found no room. */
	add_code(u, section, &ret, 1);
}

static void add_functions(struct choices *c, struct program *p, unsigned unit)
{
	static const uint8_t nop = 0x90;
	struct unit *u = &p->units[unit];
	bool is_one = choose(c, 3) == 1;

	u->nsections = is_one ? 1 : u->nfunctions;
	for (unsigned i = 0; i < u->nfunctions; i++) {
		struct function *f = &u->functions[i];

		f->section = is_one ? 0 : i;
		while (u->size[f->section] % 16 != 0)
			add_code(u, f->section, &nop, 1);
		f->offset = u->size[f->section];
		add_body(c, p, unit, f->section);
		f->size = u->size[f->section] - f->offset;
	}
}

static void add_names(struct choices *c, struct program *p, unsigned unit)
{
	struct unit *u = &p->units[unit];

	u->nfunctions = 1 + choose(c, FUNCTIONS_MAX);
	for (unsigned i = 0; i < u->nfunctions; i++) {
		struct function *f = &u->functions[i];
		unsigned kind = choose(c, 4);

		f->is_local = kind >= 2;
		snprintf(f->name, sizeof(f->name),
			 kind == 3 ? "same" : "f%u_%u", unit, i);
		p->has_namesakes |= kind == 3;
	}
	u->is_foreign = unit > 0 && choose(c, 4) == 1;
	u->is_nop = choose(c, 3) == 1;
}

/* --- As an object --------------------------------------------------------- */

static unsigned add_function(struct writer *w, const struct function *f)
{
	return writer_symbol(w, f->name, f->is_local ? STB_LOCAL : STB_GLOBAL,
			     STT_FUNC, 1 + 2 * f->section, f->offset, f->size);
}

/* The symbols of one object, by what they are of; 0 is none yet. */
struct symbols {
	unsigned functions[UNITS_MAX][FUNCTIONS_MAX];
	unsigned probes[NPROBES];
};

static unsigned find_symbol(struct writer *w, const struct program *p,
			    const struct call *call, struct symbols *symbols)
{
	unsigned *known;

	if (call->to == UNITS_MAX)
		return symbols->probes[call->callee];
	known = &symbols->functions[call->to][call->callee];
	if (*known == 0)
		*known = writer_symbol(
			w, p->units[call->to].functions[call->callee].name,
			STB_GLOBAL, STT_NOTYPE, SHN_UNDEF, 0, 0);
	return *known;
}

static void add_symbols(struct writer *w, const struct program *p,
			unsigned unit, struct symbols *symbols)
{
	const struct unit *u = &p->units[unit];

	for (int local = 1; local >= 0; local--)
		for (unsigned i = 0; i < u->nfunctions; i++)
			if (u->functions[i].is_local == local)
				symbols->functions[unit][i] =
					add_function(w, &u->functions[i]);
	for (unsigned i = 0; i < NPROBES; i++)
		symbols->probes[i] =
			writer_symbol(w, probe_symbol(i), STB_GLOBAL,
				      STT_NOTYPE, SHN_UNDEF, 0, 0);
}

static void write_unit(struct program *p, unsigned unit)
{
	struct writer *w = writer_new(ET_REL);
	struct symbols symbols = { 0 };
	Elf64_Rela relocs[FUNCTIONS_MAX][SITES_MAX];
	unsigned n[FUNCTIONS_MAX] = { 0 };
	struct unit *u = &p->units[unit];

	add_symbols(w, p, unit, &symbols);
	for (unsigned i = 0; i < u->ncalls; i++) {
		const struct call *call = &u->calls[i];
		uint64_t symbol = find_symbol(w, p, call, &symbols);

		relocs[call->section][n[call->section]++] = (Elf64_Rela){
			.r_offset = call->offset,
			.r_info = ELF64_R_INFO(symbol, R_X86_64_PLT32),
			.r_addend = -4,
		};
	}
	for (unsigned i = 0; i < u->nsections; i++) {
		char name[32];

		snprintf(name, sizeof(name), ".text.%s", u->functions[i].name);
		writer_add(w, name, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0,
			   u->code[i], u->size[i], 0, 0);
		writer_add(w, ".rela", SHT_RELA, SHF_INFO_LINK, 0, relocs[i],
			   n[i] * sizeof(relocs[i][0]),
			   1 + 2 * u->nsections, 1 + 2 * i);
	}
	u->bytes = writer_end(w, &u->nbytes);
}

void program_make(struct choices *c, struct program *p)
{
	*p = (struct program){ .nunits = 1 + choose(c, UNITS_MAX) };
	for (unsigned i = 0; i < p->nunits; i++)
		add_names(c, p, i);
	for (unsigned i = 0; i < p->nunits; i++)
		add_functions(c, p, i);
	for (unsigned i = 0; i < p->nunits; i++)
		write_unit(p, i);
}

void program_free(struct program *p)
{
	for (unsigned i = 0; i < p->nunits; i++)
		free(p->units[i].bytes);
}
