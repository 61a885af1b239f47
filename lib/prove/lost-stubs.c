/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: reports stubs whose names are gone from the image, although
 * they are in it. Nothing shows what else calls them.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "elf/functions.h"
#include "proof.h"

/* --- What says that a name was there ------------------------------------- */

/* Has OBJ a local symbol of code or data? After strip -x it has none. */
static bool has_local(const struct object *obj)
{
	for (size_t i = 1; i < obj->nsymbols; i++) {
		struct symbol sym;

		object_symbol(obj, i, &sym);
		/* The first global definition counts. */
		if (sym.bind != STB_LOCAL)
			return false;
		if (sym.type != STT_SECTION && sym.type != STT_FILE &&
		    sym.name[0] != '\0' && !symbol_is_mark(&sym))
			return true;
	}
	return false;
}

/* Has P a site of SYMBOL in the image that does not branch to the stub? */
static bool has_quiet_site(const struct proof *p, const char *symbol)
{
	for (size_t i = 0; i < p->list.n; i++) {
		const struct proof_site *site = &p->list.items[i];

		if (site->is_placed &&
		    (site->is_disabled || site->form == FORM_BRANCH) &&
		    strcmp(site->symbol, symbol) == 0)
			return true;
	}
	return false;
}

static bool has_quiet_sites(const struct proof *all, size_t n,
			    const char *symbol)
{
	bool has_site = false;

	for (size_t k = 0; !has_site && k < n; k++)
		has_site = has_quiet_site(&all[k], symbol);
	return has_site;
}

/* Has text of P that is in the image a local name? */
static bool has_local_name(const struct proof *p)
{
	struct symbol sym;

	for (size_t i = 0; i < p->nplaced; i++)
		for (size_t k = 0;
		     landmarks_next(&p->placer.landmarks, p->placed[i].shndx,
				    &k, &sym) != 0;)
			if (sym.bind == STB_LOCAL)
				return true;
	return false;
}

/*
 * Has strip -x removed the local symbols, such as hidden stubs? A
 * position-independent image had at least _DYNAMIC; another had the local names
 * of the text that is in it.
 */
static bool lost_locals(const struct proof *all, size_t n)
{
	const struct object *final = all[0].run->img.obj;
	bool had_locals = final->ehdr.e_type == ET_DYN;

	for (size_t k = 0; k < n && !had_locals; k++)
		had_locals = has_local_name(&all[k]);
	return had_locals && !has_local(final);
}

/*
 * A site in what --inject wrote keeps its stub in the image, even if the site
 * is off. The stub of a probe without a site in the image may be gone, or strip
 * -x removed its name. Returns the first stub whose name was there, or NULL.
 */
static const char *find_missed(const struct proof *all, size_t n)
{
	const struct verify_run *run = all->run;
	bool is_anchored = run->has_table && run->table.form == TABLE_ANCHORED;

	if (lost_locals(all, n))
		return run->lost[0];
	for (size_t i = 0; is_anchored && i < run->nlost; i++)
		if (has_quiet_sites(all, n, run->lost[i]))
			return run->lost[i];
	return NULL;
}

/* --- Its code ------------------------------------------------------------ */

/* What the stubs of SYMBOL begin with. */
struct head {
	uint8_t bytes[ARCH_STUB_MAX];
	const char *symbol;
};

struct heads {
	struct head *items; /* by their bytes */
	size_t n;
	unsigned size;	  /* of each */
	bool begins[256]; /* whether one begins with that byte */
};

static int compare_heads(const void *a, const void *b)
{
	return memcmp(((const struct head *)a)->bytes,
		      ((const struct head *)b)->bytes, ARCH_STUB_MAX);
}

static void list_heads(const struct proof *p, struct heads *heads)
{
	for (size_t i = 0; i < p->run->nlost; i++)
		for (unsigned mode = 0; mode <= p->partial->mode_bits; mode++) {
			struct head *head = &heads->items[heads->n++];

			head->symbol = p->run->lost[i];
			heads->size = stub_code_head(p, head->symbol, mode,
						     head->bytes);
			heads->begins[head->bytes[0]] = true;
		}
	qsort(heads->items, heads->n, sizeof(heads->items[0]), compare_heads);
}

/* The stub that begins with BYTES, or NULL. */
static const char *find_head(const struct heads *heads, const uint8_t *bytes)
{
	size_t i;

	LOWER_BOUND(i, heads->n,
		    memcmp(heads->items[i].bytes, bytes, heads->size) < 0);
	return i < heads->n && memcmp(heads->items[i].bytes, bytes,
				      heads->size) == 0
		       ? heads->items[i].symbol
		       : NULL;
}

static const char *find_code(const struct heads *heads, const struct code *code)
{
	const char *symbol = NULL;

	for (uint64_t at = 0; symbol == NULL && at < code->size &&
			      heads->size <= code->size - at;
	     at++)
		if (heads->begins[code->bytes[at]])
			symbol = find_head(heads, code->bytes + at);
	return symbol;
}

/*
 * A stub that --inject made holds the hash of its name: sets *SYMBOL to the
 * first one whose code is in the image, or NULL. That the name was at this code
 * does not follow: another function of that name leaves it there, uncalled.
 */
static int find_named_by_code(const struct proof *p, const char **symbol)
{
	const struct image *img = &p->run->img;
	struct heads heads = { .items = calloc(p->run->nlost * 2 + 1,
					       sizeof(struct head)) };

	*symbol = NULL;
	if (heads.items == NULL)
		return diag_nomem(p->run->d, img->obj->path);
	list_heads(p, &heads);
	for (size_t i = 0;
	     *symbol == NULL && i < img->nsections + img->noverlays; i++)
		if (img->sections[i].is_executable)
			*symbol = find_code(&heads, &img->sections[i].code);
	free(heads.items);
	return 0;
}

int lost_stubs_check(struct proof *all, size_t n)
{
	struct finding f = { .cause = CAUSE_UNPLACED };
	const char *symbol;

	if (all->run->nlost == 0)
		return 0;
	symbol = find_missed(all, n);
	if (symbol == NULL && find_named_by_code(&all[0], &symbol))
		return -1;
	if (symbol != NULL)
		report_finding(&all[0], &f,
			       "no symbol shows where the stub %s is, so "
			       "nothing shows whether it is called from "
			       "outside the partial",
			       symbol);
	return 0;
}
