/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: finds the stub of each probe in the final; each must be at
 * one place.
 */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/table-format.h"
#include "base/grow.h"
#include "base/search.h"
#include "base/sort.h"
#include "elf/functions.h"
#include "sites/probe.h"
#include "proof.h"

static int compare_stubs(const void *a, const void *b)
{
	return strcmp(((const struct stub *)a)->symbol,
		      ((const struct stub *)b)->symbol);
}

static int compare_stub_addrs(const void *a, const void *b)
{
	const struct stub *x = *(const struct stub *const *)a,
			  *y = *(const struct stub *const *)b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

struct stub *stub_find(const struct proof *p, const char *symbol)
{
	struct stub key = { .symbol = symbol };

	return bsearch(&key, p->run->stubs, p->run->nstubs, sizeof(key),
		       compare_stubs);
}

/* How many stubs are below ADDR. */
static size_t stubs_below(const struct proof *p, uint64_t addr)
{
	size_t i;

	LOWER_BOUND(i, p->run->nstubs, p->run->stubs_by_addr[i]->addr < addr);
	return i;
}

struct stub *stub_at(const struct proof *p, uint64_t addr)
{
	size_t n = stubs_below(p, addr);

	return n < p->run->nstubs && p->run->stubs_by_addr[n]->addr == addr
		       ? p->run->stubs_by_addr[n]
		       : NULL;
}

/* The stub that code at ADDR is an entry of, or NULL. */
static struct stub *stub_entered_at(const struct proof *p, uint64_t addr)
{
	size_t n = stubs_below(p, addr);

	if (n < p->run->nstubs && p->run->stubs_by_addr[n]->addr == addr)
		return p->run->stubs_by_addr[n];
	return n > 0 && p->run->stubs_by_addr[n - 1]->entry == addr
		       ? p->run->stubs_by_addr[n - 1]
		       : NULL;
}

struct stub *stub_of_pointer(const struct proof *p, uint64_t pointer)
{
	uint8_t mode = pointer & p->partial->mode_bits;
	struct stub *stub = stub_entered_at(p, pointer - mode);

	return stub != NULL && stub->mode == mode ? stub : NULL;
}

struct stub *stub_called(const struct proof *p, const struct image_reloc *reloc)
{
	struct stub *stub = stub_find(p, reloc->symbol);

	return stub == NULL && reloc->is_defined
		       ? stub_of_pointer(p, reloc->value)
		       : stub;
}

/* The probe functions that the partial mentions; returns how many. */
static size_t list_mentioned(const struct proof *p, struct stub *stubs)
{
	for (size_t i = 0; i < p->list.nmentioned; i++) {
		struct symbol sym;

		object_symbol(p->partial, p->list.mentioned[i], &sym);
		stubs[i] = (struct stub){ .symbol = sym.name };
	}
	return p->list.nmentioned;
}

/* The probe functions of the sites; returns how many. */
static size_t list_used(const struct proof *p, struct stub *stubs)
{
	size_t n = 0;

	for (size_t i = 0; i < p->list.n; i++) {
		const struct proof_site *site = &p->list.items[i];

		/* Neighbours are often of one probe. */
		if (!site->is_target &&
		    (n == 0 || stubs[n - 1].symbol != site->symbol))
			stubs[n++].symbol = site->symbol;
	}
	return n;
}

/*
 * Lists the stubs of objects that were not given. A stub of --inject holds the
 * hash of its name. The caller frees NAMES. Returns -1 without memory.
 */
static int list_foreign(const struct proof *p, const char ***names, size_t *n)
{
	const struct image *img = &p->run->img;

	for (size_t i = 0; i < img->nfunctions; i++) {
		const char **grown;
		struct symbol sym;

		object_symbol(img->obj, img->functions[i], &sym);
		if (sym.size > ARCH_STUB_MAX || !stub_code_is(p, &sym))
			continue;
		grown = grow_list(*names, *n, sizeof(grown[0]));
		if (grown == NULL)
			return -1;
		*names = grown;
		grown[(*n)++] = sym.name;
	}
	return 0;
}

int stubs_list(struct proof *p)
{
	const char **names = NULL;
	size_t n = 0, nforeign = 0, size = 1;

	if (list_foreign(p, &names, &nforeign)) {
		free(names);
		return diag_nomem(p->run->d, p->partial->path);
	}
	size += nforeign;
	for (size_t k = 0; k < p->run->nproofs; k++)
		size += p->run->proofs[k].list.n +
			p->run->proofs[k].list.nmentioned;
	p->run->stubs = calloc(size, sizeof(p->run->stubs[0]));
	if (p->run->stubs == NULL) {
		free(names);
		return diag_nomem(p->run->d, p->partial->path);
	}
	for (size_t k = 0; k < p->run->nproofs; k++)
		n += list_used(&p->run->proofs[k], p->run->stubs + n);
	n = sort_unique(p->run->stubs, n, sizeof(p->run->stubs[0]),
			compare_stubs);
	p->run->v->nprobes = n;
	for (size_t k = 0; k < p->run->nproofs; k++)
		n += list_mentioned(&p->run->proofs[k], p->run->stubs + n);
	for (size_t i = 0; i < nforeign; i++)
		p->run->stubs[n++].symbol = names[i];
	free(names);
	p->run->nstubs = sort_unique(p->run->stubs, n, sizeof(p->run->stubs[0]),
				     compare_stubs);
	p->run->stubs_by_addr =
		malloc((p->run->nstubs + 1) * sizeof(p->run->stubs_by_addr[0]));
	p->run->lost = malloc((p->run->nstubs + 1) * sizeof(p->run->lost[0]));
	return p->run->stubs_by_addr != NULL && p->run->lost != NULL
		       ? 0
		       : diag_nomem(p->run->d, p->partial->path);
}

/*
 * The stub may be in a ROM, at an absolute address or not, outside the image.
 */
static bool is_code(const struct symbol *sym)
{
	return !symbol_is_data(sym) &&
	       (sym->is_defined || sym->shndx == SHN_ABS);
}

/* An absolute address still includes the mode. */
static void part_mode(const struct proof *p, struct symbol *sym)
{
	if (sym->is_defined || sym->type != STT_FUNC)
		return;
	sym->mode = sym->value & p->partial->mode_bits;
	sym->value -= sym->mode;
}

/*
 * Mapping symbols have the truth about the mode. The symbol's own bit is a
 * promise.
 */
static uint8_t code_mode_at(const struct proof *p, const struct symbol *sym)
{
	const struct image_section *is =
		image_find_text(&p->run->img, sym->value, 1);
	uint8_t mode =
		is != NULL ? code_mode(&is->code, sym->value - is->code.addr)
			   : MODE_UNKNOWN;

	return mode == MODE_UNKNOWN || mode == MODE_DATA ? sym->mode : mode;
}

/* Does the loader make the descriptor of SYM that of other code? */
static bool is_redirected(const struct proof *p, const struct symbol *sym)
{
	const struct image_reloc *r =
		sym->is_descriptor
			? image_find_reloc(&p->run->img, sym->descriptor)
			: NULL;

	/* SHT_RELR has no addend, and changes no more than the base. */
	if (r == NULL || (r->symbol[0] == '\0' && !r->has_addend))
		return false;
	return !r->is_relative || (uint64_t)r->addend != sym->value;
}

/* --- Names with a version ----------------------------------------------- */

/* GNU ld writes NAME@@VERSION where the others write NAME. */
static int find_version(struct proof *p, uint32_t symndx, const char *name,
			size_t length)
{
	char *base = strndup(name, length);
	struct symbol first, sym;
	struct stub *stub;

	if (base == NULL)
		return diag_nomem(p->run->d, p->run->img.obj->path);
	stub = stub_find(p, base);
	if (stub != NULL && stub->versioned != 0) {
		object_symbol(p->run->img.obj, stub->versioned, &first);
		object_symbol(p->run->img.obj, symndx, &sym);
		stub->has_versions |= first.value != sym.value;
	} else if (stub != NULL)
		stub->versioned = symndx;
	free(base);
	return 0;
}

static int find_versions(struct proof *p)
{
	const struct object *final = p->run->img.obj;

	if (memchr(final->strings, '@', final->strings_size) == NULL)
		return 0;
	for (size_t i = 1; i < final->nsymbols; i++) {
		struct symbol sym;
		const char *at;

		object_symbol(final, i, &sym);
		at = strchr(sym.name, '@');
		if (at != NULL && sym.shndx != SHN_UNDEF &&
		    find_version(p, i, sym.name, at - sym.name))
			return -1;
	}
	return 0;
}

/* The first definition of STUB in the image. */
static bool find_definition(const struct proof *p, const struct stub *stub,
			    struct symbol *sym)
{
	uint32_t symndx = 0;

	if (names_next(&p->run->img.names, stub->symbol, &symndx, sym))
		return true;
	if (stub->versioned == 0)
		return false;
	object_symbol(p->run->img.obj, stub->versioned, sym);
	return true;
}

/* Has the image NAME, or a version of it, elsewhere than SYM is? */
static bool is_elsewhere(const struct proof *p, const struct stub *stub,
			 const struct symbol *sym)
{
	struct symbol other;
	uint32_t symndx = 0;

	while (names_next(&p->run->img.names, stub->symbol, &symndx, &other))
		if (other.value != sym->value)
			return true;
	if (stub->versioned == 0)
		return false;
	object_symbol(p->run->img.obj, stub->versioned, &other);
	return stub->has_versions || other.value != sym->value;
}

/* --- Where they are ----------------------------------------------------- */

/*
 * Is STUB at an absolute address, though the image is not? When the image is
 * loaded elsewhere, its relative branches go elsewhere, too.
 */
static bool is_left_behind(const struct proof *p, const struct stub *stub)
{
	uint32_t symndx = 0;
	struct symbol sym;

	if (p->run->img.obj->ehdr.e_type != ET_DYN)
		return false;
	while (names_next(&p->run->img.names, stub->symbol, &symndx, &sym))
		if (sym.shndx == SHN_ABS)
			return true;
	if (stub->versioned == 0)
		return false;
	object_symbol(p->run->img.obj, stub->versioned, &sym);
	return sym.shndx == SHN_ABS;
}

static void report_left_behind(struct proof *p, const struct stub *stub,
			       uint64_t addr)
{
	struct finding f = {
		.cause = CAUSE_STUB_MISSING,
		.remedy = REMEDY_FIXED_PLACE,
	};

	report_finding(
		p, &f,
		"%s is at the absolute address 0x%" PRIx64
		", and the image may be loaded anywhere: its branches would move "
		"with it",
		stub->symbol, addr);
}

/* Finds the one definition of each stub. */
static void locate(struct proof *p)
{
	const struct arch *arch = p->partial->arch;
	size_t kept = 0;

	for (size_t i = 0; i < p->run->nstubs; i++) {
		struct stub *stub = &p->run->stubs[i];
		struct symbol sym;
		struct finding f = { .cause = CAUSE_STUB_MISSING };

		/* A missing stub is reported where a site needs it. */
		if (!find_definition(p, stub, &sym) || !is_code(&sym)) {
			p->run->lost[p->run->nlost++] = stub->symbol;
			continue;
		}
		if (is_elsewhere(p, stub, &sym)) {
			report_finding(p, &f,
				       "the image defines %s more than once",
				       stub->symbol);
			continue;
		}
		if (is_redirected(p, &sym)) {
			report_finding(p, &f,
				       "a run-time relocation at 0x%" PRIx64
				       " gives %s other code",
				       sym.descriptor, stub->symbol);
			continue;
		}
		if (is_left_behind(p, stub))
			report_left_behind(p, stub, sym.value);
		part_mode(p, &sym);
		stub->addr = sym.value;
		stub->size = sym.size;
		stub->entry = sym.value;
		if (arch->local_entry != NULL)
			stub->entry += arch->local_entry(sym.other);
		stub->pointer = sym.value | sym.mode;
		stub->mode = code_mode_at(p, &sym);
		stub->is_hidden = sym.bind != STB_GLOBAL ||
				  p->run->img.obj->is_pe;
		stub->is_open = p->run->img.obj->ehdr.e_type == ET_DYN &&
				sym.bind != STB_LOCAL &&
				sym.visibility == STV_DEFAULT;
		if (!stub_has_size(p))
			stub->size = stub_code_size(p, stub);
		p->run->stubs_by_addr[kept] = &p->run->stubs[kept];
		p->run->stubs[kept++] = *stub;
	}
	p->run->nstubs = kept;
	qsort(p->run->stubs_by_addr, kept, sizeof(p->run->stubs_by_addr[0]),
	      compare_stub_addrs);
}

int stubs_locate(struct proof *p)
{
	if (find_versions(p))
		return -1;
	locate(p);
	return 0;
}

/* --- What is at an address ---------------------------------------------- */

/* Two probes at one address cannot be told apart. */
void stubs_check_distinct(struct proof *p)
{
	for (size_t i = 1; i < p->run->nstubs; i++) {
		const struct stub *a = p->run->stubs_by_addr[i - 1];
		const struct stub *b = p->run->stubs_by_addr[i];
		struct finding f = { .cause = CAUSE_STUB_FOLDED,
				     .has_address = true,
				     .address = b->addr };

		if (a->addr == b->addr)
			report_finding(p, &f,
				       "the stubs %s and %s are at one address",
				       a->symbol, b->symbol);
	}
}

/*
 * Does another function begin behind the start of STUB, up to ADDR? mold
 * shortens text, and leaves the sizes.
 */
static bool has_next(const struct proof *p, const struct stub *stub,
		     uint64_t addr)
{
	const struct image_section *is =
		image_find_text(&p->run->img, stub->addr, 1);

	return is != NULL && image_next_function(&p->run->img, is,
						 stub->addr - is->code.addr) <=
				     addr - is->code.addr;
}

const struct stub *stub_around(const struct proof *p, uint64_t addr)
{
	size_t n = stubs_below(p, addr);
	const struct stub *stub = n > 0 ? p->run->stubs_by_addr[n - 1] : NULL;

	return stub != NULL && stub->size <= GENERATED_MAX &&
			       addr - stub->addr < stub->size &&
			       !has_next(p, stub, addr)
		       ? stub
		       : NULL;
}

/* Does the partial define the function itself? */
static bool is_defined(const struct proof *p, const char *symbol)
{
	struct symbol sym;
	uint32_t symndx = 0;

	return names_next(&p->functions, symbol, &symndx, &sym);
}

/* Neighbours are often of one probe. */
static void set_stubs(struct proof *p)
{
	const struct proof_site *last = NULL;

	for (size_t i = 0; i < p->list.n; i++) {
		struct proof_site *site = &p->list.items[i];

		site->stub = last != NULL && last->symbol == site->symbol
				     ? last->stub
				     : stub_find(p, site->symbol);
		last = site;
	}
}

/*
 * --nop keeps the stubs of sites that it cannot switch off, all stubs of a
 * partial with sites that it leaves alone, and functions that are not its own
 * stubs.
 */
int stubs_mark_kept(struct proof *p)
{
	struct proof_site_list *list = &p->list;
	bool *is_kept = calloc(p->run->nstubs + 1, sizeof(is_kept[0]));
	bool keeps_all = list->has_excluded;

	set_stubs(p);
	if (is_kept == NULL)
		return diag_nomem(p->run->d, p->partial->path);
	for (size_t i = 0; i < list->n; i++)
		keeps_all |= list->items[i].is_excluded ||
			     (list->items[i].is_unnamed &&
			      !list->items[i].is_target);
	for (size_t i = 0; i < list->n; i++) {
		const struct proof_site *site = &list->items[i];

		if (site->stub != NULL && !is_kept[site->stub - p->run->stubs])
			is_kept[site->stub - p->run->stubs] =
				keeps_all || !decode_can_disable(p, site) ||
				is_defined(p, site->symbol);
	}
	for (size_t i = 0; i < list->n; i++) {
		struct proof_site *site = &list->items[i];

		site->keeps_stub = site->stub != NULL &&
				   is_kept[site->stub - p->run->stubs];
	}
	free(is_kept);
	return 0;
}
