/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: the same static function in a thousand objects has a thousand
 * places, and each section fits all of them. This finds these places once, not
 * a million times. They depend on the bytes of the section, on the bits that
 * its relocations may change, on its names and their offsets, and on its sites.
 *
 * Whether a linker rewrites an instruction may also depend on the old contents
 * of the field, or on the addend. So these must be equal, too, unless the
 * instruction set says that a relocation changes its field alone.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "entries.h"
#include "candidates.h"
#include "kinds.h"

struct kinds {
	struct kind **items; /* owned, each */
	size_t n;
	uint32_t *slots; /* by hash: index + 1, or 0; owned */
	size_t nslots;	 /* a power of two, of which half are in use at most */
};

/* --- Alike -------------------------------------------------------------- */

static bool same_site(const struct proof_site *a, const struct proof_site *b)
{
	return a->offset == b->offset && a->form == b->form &&
	       a->length == b->length && a->mode == b->mode &&
	       a->is_enabled == b->is_enabled &&
	       a->is_excluded == b->is_excluded && a->prefix == b->prefix &&
	       a->is_target == b->is_target && a->target == b->target &&
	       strcmp(a->symbol, b->symbol) == 0 &&
	       /*
		* What leads into one unnamed range need not lead into the
		* other.
		*/
	       !a->is_unnamed && !b->is_unnamed;
}

bool kinds_same_sites(const struct proof *p, const struct pending *s,
		      const struct proof *q, const struct pending *t)
{
	const struct proof_site *a = p->list.items + s->first;
	const struct proof_site *b = q->list.items + t->first;

	if (s->end - s->first != t->end - t->first)
		return false;
	for (size_t i = 0; i < t->end - t->first; i++)
		if (!same_site(&a[i], &b[i]))
			return false;
	return true;
}

static bool same_field(const struct arch *arch, uint32_t type, const uint8_t *a,
		       const uint8_t *b, size_t size)
{
	unsigned width = arch_reloc_width(arch, type);

	for (unsigned i = 0; i < width && i < size; i++)
		if (((a[i] ^ b[i]) & ~arch_reloc_bits(arch, type, i) & 0xff) !=
		    0)
			return false;
	return true;
}

/* Are they the same, but for bits that the same relocations set? */
static bool same_text(const struct arch *arch, const uint8_t *a,
		      const uint8_t *b, size_t size,
		      const struct section_relocs *x,
		      const struct section_relocs *y)
{
	size_t at = 0;

	if (x->n != y->n)
		return false;
	for (size_t i = 0; i < x->n; i++) {
		const struct reloc *r = &x->relocs[i];

		if (!section_relocs_alike(x, y, arch, i) || r->offset > size)
			return false;
		if (at < r->offset && memcmp(a + at, b + at, r->offset - at))
			return false;
		if (!same_field(arch, r->type, a + r->offset, b + r->offset,
				size - r->offset))
			return false;
		if (r->offset + arch_reloc_width(arch, r->type) > at)
			at = r->offset + arch_reloc_width(arch, r->type);
	}
	return at >= size || memcmp(a + at, b + at, size - at) == 0;
}

static uint32_t section_of(const struct proof *p, const struct pending *s)
{
	return p->list.items[s->first].shndx;
}

bool kinds_same_text(const struct proof *p, const struct pending *s,
		     const struct proof *q, const struct pending *t)
{
	const uint8_t *x, *y;
	size_t nx, ny;

	x = object_data(p->run->d, p->partial, section_of(p, s), &nx);
	y = object_data(q->run->d, q->partial, section_of(q, t), &ny);
	return x != NULL && y != NULL && nx == ny &&
	       same_text(q->partial->arch, x, y, nx, &s->relocs, &t->relocs);
}

/* May a rewrite depend on a field or an addend? */
static bool may_rewrite(const struct arch *arch,
			const struct section_relocs *relocs)
{
	for (size_t i = 0; i < relocs->n; i++)
		if (arch->rewrite_reach == NULL ||
		    arch->rewrite_reach(arch, relocs->relocs[i].type) > 0)
			return true;
	return arch->rewrite_reach == NULL;
}

/*
 * Have S and T the same bytes and addends? Their relocations are the same
 * otherwise.
 */
static bool same_fields(const struct proof *p, const struct pending *s,
			const struct proof *q, const struct pending *t)
{
	size_t n;
	const uint8_t *x =
		object_data(p->run->d, p->partial, section_of(p, s), &n);
	const uint8_t *y =
		object_data(q->run->d, q->partial, section_of(q, t), &n);

	for (size_t i = 0; i < s->relocs.n; i++)
		if (s->relocs.relocs[i].addend != t->relocs.relocs[i].addend)
			return false;
	return x != NULL && y != NULL && memcmp(x, y, n) == 0;
}

/*
 * The next name of section SHNDX that the image has, from its landmark *AT on.
 * Other names are of no use. With -z unique-symbol, GNU ld appends a number,
 * from 0 on, to the name of a local symbol.
 */
static bool next_name(const struct proof *p, uint32_t shndx, size_t *at,
		      struct symbol *sym)
{
	uint32_t symndx;

	while ((symndx = landmarks_next(&p->placer.landmarks, shndx, at,
					sym)) != 0) {
		struct symbol other;
		uint32_t found = 0;

		if (names_next_of(&p->run->img.names, &p->functions, symndx,
				  &found, &other) ||
		    (sym->bind == STB_LOCAL &&
		     names_next_prefixed(&p->run->img.names, sym->name, ".0",
					 &found, &other)))
			return true;
	}
	return false;
}

static bool same_name(const struct symbol *a, const struct symbol *b)
{
	return a->value == b->value && a->bind == b->bind &&
	       a->type == b->type && a->mode == b->mode &&
	       a->visibility == b->visibility && strcmp(a->name, b->name) == 0;
}

/*
 * Has the image lost a global name of section SHNDX? Linkers keep global names,
 * also of sections that they fold.
 */
static bool has_lost_global(const struct proof *p, uint32_t shndx)
{
	const struct placer *placer = &p->placer;
	struct symbol sym;
	bool has_global = false;

	for (size_t i = 0;
	     landmarks_next(&placer->landmarks, shndx, &i, &sym) != 0;) {
		struct symbol found;
		uint32_t symndx = 0;

		if (names_next(&p->run->img.names, sym.name, &symndx, &found))
			return false;
		has_global |= sym.bind == STB_GLOBAL &&
			      sym.visibility == STV_DEFAULT;
	}
	return has_global;
}

static bool same_names(const struct proof *p, uint32_t a, const struct proof *q,
		       uint32_t b)
{
	size_t at = 0, by = 0;
	struct symbol x, y;

	while (next_name(p, a, &at, &x))
		if (!next_name(q, b, &by, &y) || !same_name(&x, &y))
			return false;
	return !next_name(q, b, &by, &y) &&
	       has_lost_global(p, a) == has_lost_global(q, b);
}

static bool is_kind(const struct kind *kind, const struct proof *p,
		    const struct pending *s)
{
	const struct proof *q = kind->p;
	uint32_t a = section_of(p, s), b = section_of(q, &kind->own);
	const struct arch *arch = p->partial->arch;

	return arch == q->partial->arch &&
	       p->partial->sections[a].align == q->partial->sections[b].align &&
	       same_names(p, a, q, b) &&
	       kinds_same_sites(p, s, q, &kind->own) &&
	       kinds_same_text(p, s, q, &kind->own) &&
	       (!may_rewrite(arch, &s->relocs) ||
		same_fields(p, s, q, &kind->own));
}

/* --- By hash ------------------------------------------------------------- */

static uint64_t mix(uint64_t h, uint64_t word)
{
	h = (h ^ word) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

static uint64_t mix_bytes(uint64_t h, const uint8_t *bytes, size_t n)
{
	uint64_t word = 0;

	for (; n >= 8; n -= 8, bytes += 8) {
		memcpy(&word, bytes, 8);
		h = mix(h, word);
	}
	word = n;
	memcpy(&word, bytes, n);
	return mix(h, word);
}

/* Of no more than what is compared. */
static uint64_t hash_section(const struct proof *p, const struct pending *s,
			     const uint8_t *bytes, size_t size)
{
	uint32_t shndx = section_of(p, s);
	uint64_t h = mix(size, s->relocs.n), at = 0;
	size_t name = 0;
	struct symbol sym;

	for (size_t i = 0; i < s->relocs.n; i++) {
		const struct reloc *r = &s->relocs.relocs[i];
		uint64_t end = r->offset +
			       arch_reloc_width(p->partial->arch, r->type);

		h = mix(mix(h, r->offset), r->type);
		if (at < r->offset && r->offset <= size)
			h = mix_bytes(h, bytes + at, r->offset - at);
		at = end > at ? end : at;
	}
	if (at < size)
		h = mix_bytes(h, bytes + at, size - at);
	while (next_name(p, shndx, &name, &sym))
		h = mix_bytes(h, (const uint8_t *)sym.name, strlen(sym.name));
	for (size_t i = s->first; i < s->end; i++) {
		const char *symbol = p->list.items[i].symbol;

		h = mix_bytes(h, (const uint8_t *)symbol, strlen(symbol));
	}
	return h;
}

static int grow_slots(struct kinds *kinds)
{
	size_t n = kinds->nslots > 0 ? 2 * kinds->nslots : 64;
	uint32_t *slots = calloc(n, sizeof(slots[0]));

	if (slots == NULL)
		return -1;
	for (size_t i = 0; i < kinds->nslots; i++) {
		uint32_t kind = kinds->slots[i];
		size_t at = kind > 0 ? kinds->items[kind - 1]->hash : 0;

		if (kind == 0)
			continue;
		while (slots[at & (n - 1)] != 0)
			at++;
		slots[at & (n - 1)] = kind;
	}
	free(kinds->slots);
	kinds->slots = slots;
	kinds->nslots = n;
	return 0;
}

static struct kind *add_kind(struct kinds *kinds)
{
	struct kind **items =
		grow_list(kinds->items, kinds->n, sizeof(items[0]));

	if (items == NULL)
		return NULL;
	kinds->items = items;
	items[kinds->n] = calloc(1, sizeof(*items[0]));
	return items[kinds->n] != NULL ? items[kinds->n++] : NULL;
}

static bool has_unnamed(const struct proof *p, const struct pending *s)
{
	for (size_t i = s->first; i < s->end; i++)
		if (p->list.items[i].is_unnamed)
			return true;
	return false;
}

/* The slot of the kind of S, or the empty slot for it. */
static uint32_t *slot_of(const struct kinds *kinds, const struct proof *p,
			 const struct pending *s, uint64_t hash)
{
	for (size_t i = hash;; i++) {
		uint32_t *slot = &kinds->slots[i & (kinds->nslots - 1)];
		const struct kind *kind;

		if (*slot == 0)
			return slot;
		kind = kinds->items[*slot - 1];
		if (kind->hash == hash && is_kind(kind, p, s))
			return slot;
	}
}

static int fill_kind(struct kind *kind, const struct proof *p,
		     const struct pending *s, uint64_t hash)
{
	kind->hash = hash;
	kind->p = p;
	kind->own.first = s->first;
	kind->own.end = s->end;
	/* The relocations of S move to another owner soon. */
	return section_relocs_read(p->run->d, p->partial, section_of(p, s),
				   &kind->own.relocs);
}

struct kind *kinds_find(struct proof *p, const struct pending *s)
{
	struct kinds *kinds = p->run->kinds;
	uint32_t *slot = NULL;
	struct kind *kind;
	uint64_t hash = 0;
	const uint8_t *bytes;
	size_t size;

	bytes = object_data(p->run->d, p->partial, section_of(p, s), &size);
	if (bytes == NULL)
		return NULL;
	if (!has_unnamed(p, s)) {
		if (2 * (kinds->n + 1) > kinds->nslots && grow_slots(kinds))
			goto nomem;
		hash = hash_section(p, s, bytes, size);
		slot = slot_of(kinds, p, s, hash);
		if (*slot != 0)
			return kinds->items[*slot - 1];
	}
	kind = add_kind(kinds);
	if (kind == NULL)
		goto nomem;
	if (slot != NULL)
		*slot = kinds->n;
	return fill_kind(kind, p, s, hash) == 0 ? kind : NULL;
nomem:
	diag_nomem(p->run->d, p->partial->path);
	return NULL;
}

void kinds_free(struct kinds *kinds)
{
	for (size_t i = 0; kinds != NULL && i < kinds->n; i++) {
		section_relocs_free(&kinds->items[i]->own.relocs);
		free(kinds->items[i]->pl.candidates);
		free(kinds->items[i]->models);
		free(kinds->items[i]);
	}
	if (kinds != NULL) {
		free(kinds->items);
		free(kinds->slots);
	}
	free(kinds);
}

int kinds_open(struct verify_run *run)
{
	run->kinds = calloc(1, sizeof(*run->kinds));
	if (run->kinds == NULL)
		return diag_nomem(run->d, run->img.obj->path);
	return 0;
}

/* --- Groups -------------------------------------------------------------- */

/* Is the same known of S and T, and of their partials? */
static bool same_state(const struct proof *p, const struct pending *s,
		       const struct proof *q, const struct pending *t)
{
	return s->is_wanted == t->is_wanted && s->pl.state == t->pl.state &&
	       p->is_injected == q->is_injected &&
	       p->has_branches == q->has_branches &&
	       entries_first_site(p, s)->keeps_stub ==
		       entries_first_site(q, t)->keeps_stub;
}

/* Copies the places of FROM to S, which may change them. */
static int copy_candidates(struct proof *p, struct pending *s,
			   const struct placement *from)
{
	s->pl.candidates = NULL;
	s->pl.ncandidates = 0;
	s->pl.is_cut = from->is_cut;
	s->owns_candidates = true;
	for (size_t i = 0; i < from->ncandidates; i++)
		if (placer_add_candidate(&p->placer, &s->pl, 0,
					 from->candidates[i]))
			return -1;
	return 0;
}

static void add_member(struct pending *model, struct proof *p,
		       struct pending *s)
{
	s->model = model;
	s->pl.candidates = NULL;
	s->pl.ncandidates = 0;
	s->owns_candidates = false;
	model->last->next = (struct wanted){ p, s };
	model->last = s;
	model->n++;
}

/*
 * Must S have candidates of its own? The place of its other half depends on
 * them.
 */
static bool is_single(const struct proof *p, const struct pending *s)
{
	return s->kind == NULL || p->run->table.form != TABLE_ANCHORED ||
	       split_find_sibling(p, s) != NO_SIBLING;
}

/* Adds S to a group of its kind. */
static int join(struct proof *p, struct pending *s)
{
	struct kind *kind = s->kind;
	struct wanted *models;

	for (size_t i = 0; i < kind->nmodels; i++) {
		struct pending *model = kind->models[i].s;

		if (same_state(p, s, kind->models[i].p, model)) {
			add_member(model, p, s);
			return 0;
		}
	}
	if (copy_candidates(p, s, &kind->pl))
		return -1;
	models = grow_list(kind->models, kind->nmodels, sizeof(models[0]));
	if (models == NULL)
		return diag_nomem(p->run->d, p->partial->path);
	kind->models = models;
	models[kind->nmodels++] = (struct wanted){ p, s };
	return 0;
}

static void begin_group(struct pending *s)
{
	s->model = NULL;
	s->last = s;
	s->n = 1;
	s->next = (struct wanted){ 0 };
}

int kinds_join(struct proof *all, size_t n)
{
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < all[k].npending; i++) {
			struct proof *p = &all[k];
			struct pending *s = &p->pending[i];

			begin_group(s);
			if (!is_single(p, s) ? join(p, s)
			    : s->kind != NULL
				    ? copy_candidates(p, s, &s->kind->pl)
				    : 0)
				return -1;
		}
	return 0;
}
