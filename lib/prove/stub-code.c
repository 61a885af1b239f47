/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: a stub that --inject made must do nothing. If it does
 * something, its probe is on. This does not look at stubs that a compiler made
 * from the generated C, nor at a function of somebody's own in the place of a
 * stub.
 */
#include <config.h>

#include <inttypes.h>
#include <string.h>

#include "sites/probe.h"
#include "proof.h"

uint32_t stub_code_hash(const char *name)
{
	uint32_t hash = 0x811c9dc5;

	while (*name != '\0')
		hash = (hash ^ (uint8_t)*name++) * 0x01000193;
	return hash;
}

unsigned stub_code_head(const struct proof *p, const char *symbol, uint8_t mode,
			uint8_t bytes[ARCH_STUB_MAX])
{
	const struct arch *arch = p->partial->arch;
	uint32_t hash = stub_code_hash(symbol);
	uint8_t other[ARCH_STUB_MAX] = { 0 };
	unsigned size = arch->make_stub(arch, mode, false, hash, bytes), n = 0;

	arch->make_stub(arch, mode, true, hash, other);
	while (n < size && bytes[n] == other[n])
		n++;
	memset(bytes + n, 0, ARCH_STUB_MAX - n);
	return n;
}

/* Writes a stub of that HASH, in MODE, of STUB's kind; returns the size. */
static unsigned write_code(const struct proof *p, const struct stub *stub,
			   uint8_t mode, uint32_t hash,
			   uint8_t bytes[ARCH_STUB_MAX])
{
	const struct arch *arch = p->partial->arch;
	size_t prefix;
	bool is_enabled = probe_classify(p->run->options, stub->symbol, false,
					 &prefix) == PROBE_ENABLED;

	return arch->make_stub(arch, mode, is_enabled, hash, bytes);
}

/* Writes what --inject makes of STUB in MODE for the object; returns the size.
 */
static unsigned make_code(const struct proof *p, const struct stub *stub,
			  uint8_t mode, uint8_t bytes[ARCH_STUB_MAX])
{
	return write_code(p, stub, mode, stub_code_hash(stub->symbol), bytes);
}

bool stub_code_is(const struct proof *p, const struct symbol *sym)
{
	const struct arch *arch = p->partial->arch;
	uint32_t hash = stub_code_hash(sym->name);

	for (unsigned is_enabled = 0; is_enabled < 2; is_enabled++) {
		uint8_t code[ARCH_STUB_MAX];
		unsigned size = arch->make_stub(arch, sym->mode, is_enabled,
						hash, code);
		const uint8_t *bytes =
			sym->size == size
				? image_bytes(&p->run->img, sym->value, size)
				: NULL;

		if (bytes != NULL && memcmp(bytes, code, size) == 0)
			return true;
	}
	return false;
}

/* Does a relocation of the partial change any of the SIZE bytes at SYM? */
static bool is_relocated(const struct proof *p, const struct symbol *sym,
			 unsigned size)
{
	struct section_relocs relocs;
	bool is_one = section_relocs_read(p->run->d, p->partial, sym->shndx,
					  &relocs) == 0 &&
		      section_relocs_touch(&relocs, p->partial->arch,
					   sym->value, size);

	section_relocs_free(&relocs);
	return is_one;
}

/*
 * Is SYM, in what --inject wrote, somebody's own function? It is if its bytes
 * are not those of a stub, and the image has the same bytes, apart from
 * relocated ones.
 */
static bool is_no_stub(const struct proof *p, const struct stub *stub,
		       struct symbol *sym)
{
	uint8_t code[ARCH_STUB_MAX];
	const uint8_t *data, *now;
	unsigned size;
	size_t n;
	uint8_t mode;

	descriptor_resolve(p->partial, sym);
	if (sym->shndx >= p->partial->nsections)
		return false;
	mode = sym->value & p->partial->mode_bits;
	sym->value -= mode;
	size = make_code(p, stub, mode, code);
	data = object_data(p->run->d, p->partial, sym->shndx, &n);
	if (data == NULL || sym->value > n || size > n - sym->value ||
	    memcmp(data + sym->value, code, size) == 0)
		return false;
	now = image_bytes(&p->run->img, stub->addr, size);
	return is_relocated(p, sym, size) ||
	       (now != NULL && memcmp(now, data + sym->value, size) == 0);
}

/*
 * Has the object from before --inject a function of that name? For an image
 * alone, nobody knows.
 */
static bool is_own(const struct proof *p, const struct stub *stub)
{
	struct symbol sym;
	uint32_t symndx = 0;

	return p->partial != p->run->img.obj &&
	       names_next(&p->functions, stub->symbol, &symndx, &sym) &&
	       (!p->is_injected || is_no_stub(p, stub, &sym));
}

/*
 * Is a function of another name there? If a script or --defsym makes a stub an
 * alias, the linker keeps the size of the stub.
 */
static bool is_alias(const struct proof *p, const struct stub *stub)
{
	struct symbol sym;

	for (size_t i = 0;
	     image_functions_next(&p->run->img, stub->addr, 1, &i, &sym);)
		if (strcmp(sym.name, stub->symbol) != 0)
			return true;
	return false;
}

/*
 * How a stub compares to what --inject makes for the object: it is somebody's
 * own, it is not like it, it is that but for some bytes, it is that.
 */
enum likeness { LIKE_OWN, LIKE_NONE, LIKE_ALTERED, LIKE_ALL };

/*
 * Without names nobody knows how long a stub is. The symbols of PE have no
 * sizes.
 */
bool stub_has_size(const struct proof *p)
{
	return !p->run->v->is_nameless && !p->run->img.obj->is_pe;
}

/* Is any byte of the hash that --inject puts into STUB left in BYTES? */
static bool has_hash(const struct proof *p, const struct stub *stub,
		     const uint8_t *bytes)
{
	uint32_t hash = stub_code_hash(stub->symbol);
	uint8_t expected[ARCH_STUB_MAX], other[ARCH_STUB_MAX];
	unsigned size = write_code(p, stub, stub->mode, hash, expected);

	write_code(p, stub, stub->mode, ~hash, other);
	for (unsigned i = 0; i < size; i++)
		if (bytes[i] == expected[i] && bytes[i] != other[i])
			return true;
	return false;
}

/*
 * Does the code of STUB return or trap before its last instruction, as no
 * compiler's does? In doubt it does: without these hooks, arch_step does not
 * know each return.
 */
static bool ends_early(const struct proof *p, const struct stub *stub)
{
	const struct arch *arch = p->partial->arch;
	const struct image_section *is =
		image_find_text(&p->run->img, stub->addr, stub->size);
	struct step step = { .goes_on = true };
	struct mark mark = { 0, stub->mode };
	struct code code;
	uint64_t at = 0;

	if (is == NULL || (arch->step == NULL && arch->find_end == NULL))
		return true;
	code = code_in_mode(&is->code, &mark);
	while (step.goes_on && at < stub->size) {
		if (!arch_step(arch, &code, stub->addr - code.addr + at, &step))
			return true;
		at += step.length;
	}
	return at != stub->size;
}

static enum likeness compare_code(const struct proof *p,
				  const struct stub *stub)
{
	uint8_t expected[ARCH_STUB_MAX];
	unsigned size = make_code(p, stub, stub->mode, expected);
	const uint8_t *bytes;

	if (is_own(p, stub))
		return LIKE_OWN;
	bytes = image_bytes(&p->run->img, stub->addr, size);
	if (bytes == NULL || (stub->size != size && stub_has_size(p)))
		return LIKE_NONE;
	if (memcmp(bytes, expected, size) == 0)
		return LIKE_ALL;
	/* A function of somebody's own may be as long. */
	return !stub_has_size(p) || has_hash(p, stub, bytes) ||
			       ends_early(p, stub)
		       ? LIKE_ALTERED
		       : LIKE_NONE;
}

/* Objects for different versions of a machine may have different stubs. */
static enum likeness compare_all(const struct proof *p, const struct stub *stub)
{
	enum likeness best = LIKE_NONE;

	for (size_t k = 0; k < p->run->nproofs; k++) {
		enum likeness likeness = compare_code(&p->run->proofs[k], stub);

		if (likeness == LIKE_OWN)
			return LIKE_OWN;
		if (likeness > best)
			best = likeness;
	}
	return best;
}

uint64_t stub_code_size(const struct proof *p, const struct stub *stub)
{
	uint8_t code[ARCH_STUB_MAX];

	return compare_all(p, stub) == LIKE_ALL
		       ? p->partial->arch->make_stub(p->partial->arch,
						     stub->mode, false, 0, code)
		       : 0;
}

static void check_code(struct proof *p, const struct stub *stub)
{
	enum likeness likeness = LIKE_NONE;
	struct finding f = { .cause = CAUSE_REWRITTEN,
			     .has_address = true,
			     .address = stub->addr };

	if (stub->is_hidden)
		likeness = compare_all(p, stub);
	if (likeness <= LIKE_NONE || is_alias(p, stub))
		return;
	f.remedy = REMEDY_STUB_CHANGED;
	if (likeness == LIKE_ALTERED)
		report_finding(p, &f, "the stub %s is not as --inject made it",
			       stub->symbol);
	else if (image_first_reloc(&p->run->img, stub->addr, stub->size) !=
		 NULL)
		report_finding(p, &f,
			       "a run-time relocation would change the stub %s",
			       stub->symbol);
}

void stub_code_check(struct proof *p)
{
	if (!p->run->has_table || p->run->table.form != TABLE_ANCHORED)
		return;
	for (size_t i = 0; i < p->run->nstubs; i++)
		check_code(p, &p->run->stubs[i]);
}
