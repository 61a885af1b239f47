/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/search.h"
#include "base/sort.h"
#include "implied.h"
#include "fixed.h"

/* A list of no more than these is made anew each time, and tried whole. */
#define FEW 16

/* What tells of a place: all that implied starts depend on but the image. */
struct teller {
	const char *name;
	uint64_t value;
	uint8_t bind;
	uint8_t type;
	uint8_t mode;
	bool is_secure; /* of a function that has a gateway, perhaps */
};

struct tellers {
	struct teller *items; /* owned */
	size_t n;
};

/* The candidates by KEY_SIZE bytes of the image, OFFSET behind each. */
struct window {
	uint64_t offset;
	uint32_t *keys; /* ascending; owned */
	uint32_t
		*indices; /* of the candidates; ascending for each key; owned */
	size_t n;
};

/* So many windows tell nearly all apart that code does. */
#define WINDOWS_MAX 64

struct listing {
	struct listing *next; /* of the same hash */
	struct tellers tellers;
	struct implied_starts cands; /* owned */
	struct window *windows;	     /* owned */
	size_t nwindows;
	size_t ntried; /* since the last window was made */
};

#define NCHAINS 1024

struct listings {
	const struct image *img;
	enum { UNKNOWN, NO, YES } fixed_has_detours;
	struct listing *chains[NCHAINS]; /* by hash; owned, each */
};

int implied_open(struct diag *d, const struct image *img,
		 struct listings **listings)
{
	*listings = calloc(1, sizeof(**listings));
	if (*listings == NULL)
		return diag_nomem(d, img->obj->path);
	(*listings)->img = img;
	return 0;
}

static void free_listing(struct listing *listing)
{
	for (size_t i = 0; i < listing->nwindows; i++) {
		free(listing->windows[i].keys);
		free(listing->windows[i].indices);
	}
	free(listing->windows);
	free(listing->tellers.items);
	free(listing->cands.items);
	free(listing);
}

void implied_close(struct listings *listings)
{
	for (size_t i = 0; listings != NULL && i < NCHAINS; i++)
		while (listings->chains[i] != NULL) {
			struct listing *first = listings->chains[i];

			listings->chains[i] = first->next;
			free_listing(first);
		}
	free(listings);
}

/* --- What names tell ------------------------------------------------------ */

/*
 * In a shared object for ARMv4T, GNU ld gives the name of an exported Thumb
 * function to a veneer in ARM code, and renames the function to __real_NAME.
 */
static uint64_t value_of(const struct placer *placer, const struct symbol *sym,
			 const struct symbol *found)
{
	struct symbol real;
	uint32_t symndx = 0;

	return sym->mode != found->mode && found->type == STT_FUNC &&
			       names_next_prefixed(&placer->img->names,
						   "__real_", sym->name,
						   &symndx, &real) &&
			       real.bind == STB_LOCAL && real.mode == sym->mode
		       ? real.value
		       : found->value;
}

#define CMSE_PREFIX "__acle_se_"

/*
 * Has the partial another name for the function SYM of Armv8-M, with which it
 * asks for a gateway to it?
 */
static bool is_secure(const struct placer *placer, const struct symbol *sym)
{
	struct symbol own;
	uint32_t symndx = 0;

	return placer->partial->arch->decode_gateway != NULL &&
	       names_next_prefixed(placer->names, CMSE_PREFIX, sym->name,
				   &symndx, &own) &&
	       own.shndx == sym->shndx && own.value == sym->value;
}

/*
 * The function of a secure image of Armv8-M that non-secure code calls has the
 * names NAME and __acle_se_NAME. Linkers let NAME be that of a way to it.
 */
static bool is_gateway(const struct placer *placer, const struct symbol *sym,
		       const struct symbol *found, uint64_t *function)
{
	const struct arch *arch = placer->partial->arch;
	const struct image_section *is =
		image_find_text(placer->img, found->value, 1);
	struct symbol real;
	uint32_t symndx = 0;

	return arch->decode_gateway != NULL && is != NULL &&
	       arch->decode_gateway(arch, &is->code,
				    found->value - is->code.addr, function) &&
	       is_secure(placer, sym) &&
	       names_next_prefixed(&placer->img->names, CMSE_PREFIX, sym->name,
				   &symndx, &real) &&
	       real.value == *function;
}

uint64_t implied_start(const struct placer *placer, const struct symbol *sym,
		       const struct symbol *found)
{
	uint64_t value;

	if (!is_gateway(placer, sym, found, &value))
		value = value_of(placer, sym, found);
	return image_wrap(placer->img, value - sym->value);
}

static int vote(const struct placer *placer, struct implied_starts *cands,
		uint64_t addr, bool is_global)
{
	struct implied *items =
		grow_list(cands->items, cands->n, sizeof(items[0]));

	if (items == NULL)
		return diag_nomem(placer->d, placer->partial->path);
	cands->items = items;
	items[cands->n] = (struct implied){ addr, cands->n, 1, is_global };
	cands->n++;
	return 0;
}

static int compare_addrs(const void *a, const void *b)
{
	const struct implied *x = a, *y = b;

	return sort_pairs(x->addr, x->order, y->addr, y->order);
}

static int compare_orders(const void *a, const void *b)
{
	const struct implied *x = a, *y = b;

	return x->order < y->order ? -1 : 1;
}

/* Each address once. */
static void count_votes(struct implied_starts *cands)
{
	struct implied *items = cands->items;
	size_t n = 0;

	if (cands->n < 2)
		return;
	qsort(items, cands->n, sizeof(items[0]), compare_addrs);
	for (size_t i = 0; i < cands->n; i++)
		if (n > 0 && items[n - 1].addr == items[i].addr) {
			items[n - 1].votes++;
			items[n - 1].has_global |= items[i].has_global;
		} else {
			items[n++] = items[i];
		}
	cands->n = n;
	qsort(items, n, sizeof(items[0]), compare_orders);
	for (size_t i = 1; i < n; i++)
		if (items[i].votes > items[cands->best].votes)
			cands->best = i;
}

static int collect(const struct placer *placer, uint32_t shndx,
		   struct implied_starts *cands)
{
	struct symbol sym;

	for (size_t i = 0;
	     landmarks_next(&placer->landmarks, shndx, &i, &sym) != 0;) {
		struct symbol found;
		uint32_t symndx = 0;

		while (names_next(&placer->img->names, sym.name, &symndx,
				  &found))
			if (placer_is_namesake(&sym, &found) &&
			    vote(placer, cands,
				 implied_start(placer, &sym, &found),
				 sym.bind == STB_GLOBAL))
				return -1;
	}
	count_votes(cands);
	return 0;
}

/* --- Lists ---------------------------------------------------------------- */

/* The names of section SHNDX that the image has: no other tells anything. */
static int list_tellers(const struct placer *placer, uint32_t shndx,
			struct tellers *tellers)
{
	struct symbol sym;
	uint32_t own;
	size_t n;

	landmarks_list(&placer->landmarks, shndx, &n);
	tellers->n = 0;
	tellers->items = malloc((n + 1) * sizeof(tellers->items[0]));
	if (tellers->items == NULL)
		return diag_nomem(placer->d, placer->partial->path);
	for (size_t i = 0; (own = landmarks_next(&placer->landmarks, shndx, &i,
						 &sym)) != 0;) {
		struct symbol found;
		uint32_t symndx = 0;

		if (names_next_of(&placer->img->names, placer->names, own,
				  &symndx, &found))
			tellers->items[tellers->n++] = (struct teller){
				/* This name lasts as long as the image. */
				.name = found.name,
				.value = sym.value,
				.bind = sym.bind,
				.type = sym.type,
				.mode = sym.mode,
				.is_secure = is_secure(placer, &sym),
			};
	}
	return 0;
}

static bool same_tellers(const struct tellers *a, const struct tellers *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		const struct teller *x = &a->items[i], *y = &b->items[i];

		if (x->value != y->value || x->bind != y->bind ||
		    x->type != y->type || x->mode != y->mode ||
		    x->is_secure != y->is_secure ||
		    strcmp(x->name, y->name) != 0)
			return false;
	}
	return true;
}

static struct listing **chain_of(struct listings *listings,
				 const struct tellers *tellers)
{
	uint32_t h = 0;

	for (size_t i = 0; i < tellers->n; i++)
		h = h * 31 + names_hash(tellers->items[i].name);
	return &listings->chains[h % NCHAINS];
}

/* Keeps CANDS for others of TELLERS, which it takes. */
static int add_listing(const struct placer *placer, struct listing **chain,
		       struct tellers *tellers, struct implied_starts *cands)
{
	struct listing *listing = calloc(1, sizeof(*listing));

	if (listing == NULL)
		return diag_nomem(placer->d, placer->partial->path);
	cands->listing = listing;
	listing->tellers = *tellers;
	listing->cands = *cands;
	listing->next = *chain;
	*chain = listing;
	*tellers = (struct tellers){ 0 };
	return 0;
}

int implied_find(const struct placer *placer, uint32_t shndx,
		 struct implied_starts *cands)
{
	struct listing **chain, *listing;
	struct tellers tellers;
	int ret;

	*cands = (struct implied_starts){ 0 };
	if (list_tellers(placer, shndx, &tellers))
		return -1;
	chain = chain_of(placer->listings, &tellers);
	for (listing = *chain; listing != NULL; listing = listing->next)
		if (same_tellers(&listing->tellers, &tellers))
			break;
	if (listing != NULL)
		*cands = listing->cands;
	ret = listing != NULL ? 0 : collect(placer, shndx, cands);
	if (ret == 0 && listing == NULL && cands->n > FEW)
		ret = add_listing(placer, chain, &tellers, cands);
	free(tellers.items);
	return ret;
}

void implied_free(struct implied_starts *cands)
{
	if (cands->listing == NULL)
		free(cands->items);
	*cands = (struct implied_starts){ 0 };
}

/* --- Windows -------------------------------------------------------------- */

/* The section that the candidates are of, or would be. */
struct body {
	const uint8_t *bytes;
	size_t size;
	bool *is_fixed; /* owned */
};

static bool is_fixed_at(const struct body *body, uint64_t offset)
{
	if (offset + KEY_SIZE > body->size)
		return false;
	for (unsigned i = 0; i < KEY_SIZE; i++)
		if (!body->is_fixed[offset + i])
			return false;
	return true;
}

/* What the image has at ADDR, if SIZE bytes there are text. */
static const uint8_t *text_at(const struct image *img, uint64_t addr,
			      uint64_t size)
{
	const struct image_section *is = image_find_text(img, addr, size);

	return is != NULL ? is->code.bytes + (addr - is->code.addr) : NULL;
}

struct keyed {
	uint32_t key;
	uint32_t index;
};

static int compare_keyed(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	return sort_pairs(x->key, x->index, y->key, y->index);
}

static void fill_window(const struct image *img,
			const struct implied_starts *cands, struct keyed *list,
			struct window *window)
{
	for (size_t i = 0; i < cands->n; i++) {
		const uint8_t *text = text_at(img, cands->items[i].addr,
					      window->offset + KEY_SIZE);

		if (text != NULL)
			list[window->n++] =
				(struct keyed){ key_at(text + window->offset),
						i };
	}
	if (window->n > 0)
		qsort(list, window->n, sizeof(list[0]), compare_keyed);
	for (size_t i = 0; i < window->n; i++) {
		window->keys[i] = list[i].key;
		window->indices[i] = list[i].index;
	}
}

static int add_window(const struct placer *placer, struct listing *listing,
		      uint64_t offset)
{
	const struct implied_starts *cands = &listing->cands;
	struct keyed *list = malloc((cands->n + 1) * sizeof(list[0]));
	struct window *window =
		grow_list(listing->windows, listing->nwindows, sizeof(*window));

	if (window == NULL) {
		free(list);
		return diag_nomem(placer->d, placer->partial->path);
	}
	listing->windows = window;
	window += listing->nwindows++;
	*window = (struct window){ .offset = offset };
	window->keys = malloc((cands->n + 1) * sizeof(window->keys[0]));
	window->indices = malloc((cands->n + 1) * sizeof(window->indices[0]));
	if (list == NULL || window->keys == NULL || window->indices == NULL) {
		free(list);
		return diag_nomem(placer->d, placer->partial->path);
	}
	fill_window(placer->img, cands, list, window);
	free(list);
	return 0;
}

static size_t count_below(const struct window *window, uint64_t key)
{
	size_t i;

	LOWER_BOUND(i, window->n, window->keys[i] < key);
	return i;
}

/* Those that have in WINDOW what BODY has there, if they are fewer. */
static void look_through(const struct window *window, const struct body *body,
			 struct selection *selection)
{
	uint32_t key;
	size_t first, end;

	if (!is_fixed_at(body, window->offset))
		return;
	key = key_at(body->bytes + window->offset);
	first = count_below(window, key);
	end = count_below(window, (uint64_t)key + 1);
	if (end - first < selection->n)
		*selection = (struct selection){ window->indices + first,
						 end - first };
}

/* So many of a selection show which window is a good one. */
#define NSAMPLES 32

/*
 * Where fewest of those selected have what BODY has there. Returns false if
 * that is nowhere.
 */
static bool choose_window(const struct image *img,
			  const struct implied_starts *cands,
			  const struct selection *selection,
			  const struct body *body, uint64_t *offset)
{
	const uint8_t *samples[NSAMPLES];
	size_t n = 0, least;

	for (size_t i = 0; i < NSAMPLES && i < selection->n; i++) {
		size_t at = selection->n > NSAMPLES
				    ? i * (selection->n / NSAMPLES)
				    : i;
		const struct implied *cand =
			&cands->items[selection->indices != NULL
					      ? selection->indices[at]
					      : at];

		samples[n] = text_at(img, cand->addr, body->size);
		n += samples[n] != NULL;
	}
	least = n;
	for (uint64_t i = 0; i + KEY_SIZE <= body->size && least > 0; i++) {
		uint32_t key = key_at(body->bytes + i);
		size_t nsame = 0;

		if (!is_fixed_at(body, i))
			continue;
		for (size_t k = 0; k < n; k++)
			nsame += key_at(samples[k] + i) == key;
		if (nsame >= least)
			continue;
		least = nsame;
		*offset = i;
	}
	return least < n;
}

/*
 * A window costs as much as trying all does. So that is what has to be tried
 * before another one is made, which then pays for itself.
 */
static int select_some(const struct placer *placer, struct listing *listing,
		       const struct body *body, struct selection *selection)
{
	uint64_t offset = 0;

	for (size_t i = 0; i < listing->nwindows; i++)
		look_through(&listing->windows[i], body, selection);
	if (selection->n <= FEW)
		return 0;
	listing->ntried += selection->n;
	if (listing->ntried < listing->cands.n ||
	    listing->nwindows == WINDOWS_MAX)
		return 0;
	listing->ntried = 0;
	if (!choose_window(placer->img, &listing->cands, selection, body,
			   &offset))
		return 0;
	if (add_window(placer, listing, offset))
		return -1;
	look_through(&listing->windows[listing->nwindows - 1], body, selection);
	return 0;
}

/* May nothing be left out, since any instruction may be another one? */
static bool is_unfixed(const struct placer *placer)
{
	struct listings *listings = placer->listings;

	if (listings->fixed_has_detours == UNKNOWN)
		listings->fixed_has_detours =
			fixed_has_detours(placer->partial->arch, placer->img)
				? YES
				: NO;
	return listings->fixed_has_detours == YES;
}

int implied_select(const struct placer *placer,
		   const struct implied_starts *cands, const uint8_t *bytes,
		   size_t size, const struct section_relocs *relocs,
		   struct selection *selection)
{
	struct body body = { .bytes = bytes, .size = size };
	int ret;

	*selection = (struct selection){ .n = cands->n };
	if (cands->listing == NULL || is_unfixed(placer))
		return 0;
	body.is_fixed = fixed_find(placer->partial->arch, bytes, size, relocs);
	if (body.is_fixed == NULL)
		return diag_nomem(placer->d, placer->partial->path);
	ret = select_some(placer, cands->listing, &body, selection);
	free(body.is_fixed);
	return ret;
}
