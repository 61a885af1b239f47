/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists sites from the tables of other tools. */
#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strings.h"
#include "elf/functions.h"
#include "listing.h"

struct adder {
	struct diag *d;
	const struct image *img; /* NULL in a partial */
	const struct options *options;
	struct listing *listing;
	struct function_index functions; /* of a partial */
};

static const char *provider_of(const struct foreign_site *site)
{
	return site->provider != NULL ? site->provider
				      : foreign_name(site->kind);
}

/* --- Names --------------------------------------------------------------- */

static int compare_strings(const char *a, const char *b)
{
	return strcmp(a != NULL ? a : "", b != NULL ? b : "");
}

/* Those of one probe follow one another. */
static int compare_probes(const struct foreign_site *x,
			  const struct foreign_site *y)
{
	int order = x->kind != y->kind ? (x->kind < y->kind ? -1 : 1)
				       : strcmp(provider_of(x), provider_of(y));

	if (order == 0)
		order = compare_strings(x->name, y->name);
	if (order == 0 && x->key_offset != y->key_offset)
		order = x->key_offset < y->key_offset ? -1 : 1;
	return order == 0 && x->name == NULL ? spot_compare(&x->key, &y->key)
					     : order;
}

static int compare_sites(const void *a, const void *b)
{
	const struct foreign_site *x = *(const struct foreign_site *const *)a;
	const struct foreign_site *y = *(const struct foreign_site *const *)b;
	int order = compare_probes(x, y);

	return order != 0 ? order : spot_compare(&x->code, &y->code);
}

/* The name, or the place of a key: "__tracepoint_sched+0x8", ".bss+0x10". */
static char *name_of(const struct adder *a, const struct foreign_site *site)
{
	const struct object *obj = a->listing->obj;
	const char *name = site->name;
	uint64_t offset = site->key_offset;
	char number[24];

	if (name == NULL && site->key.shndx != 0) {
		name = obj->sections[site->key.shndx].name;
		offset = site->key.offset;
	} else if (name == NULL) {
		name = "";
		offset = site->key.offset;
	}
	snprintf(number, sizeof(number), "%s0x%" PRIx64,
		 name[0] != '\0' ? "+" : "", offset);
	return strings_join(name, offset != 0 || name[0] == '\0' ? number : "",
			    "", "");
}

static int start_probe(struct adder *a, const struct foreign_site *site)
{
	struct listing *listing = a->listing;
	struct listed_probe *probe = &listing->probes[listing->nprobes++];

	*probe = (struct listed_probe){ .first_site = listing->nsites };
	probe->name.provider = strdup(provider_of(site));
	probe->name.name = name_of(a, site);
	if (probe->name.provider != NULL && probe->name.name != NULL)
		probe->key = strings_join(foreign_name(site->kind), ":",
					  probe->name.provider,
					  probe->name.name);
	probe->symbol = probe->key;
	return probe->key != NULL ? 0 : diag_nomem(a->d, listing->obj->path);
}

/* --- Sites --------------------------------------------------------------- */

/* The length of the instruction there, or 0 if it cannot be decoded. */
static unsigned insn_length(const struct arch *arch, const struct code *code,
			    uint64_t offset)
{
	struct step step;

	if (arch->step == NULL)
		return code->size - offset >= 4 ? 4 : 0;
	return arch->step(arch, code, offset, &step) ? step.length : 0;
}

/*
 * -fpatchable-function-entry=N,M puts M of the NOPs before the function's
 * symbol, where no other function is.
 */
static bool is_before_function(const struct adder *a,
			       const struct foreign_site *from,
			       const struct listed_site *site)
{
	return site->function == NULL && !a->listing->obj->is_stripped &&
	       (from->kind == FOREIGN_PATCHABLE ||
		from->kind == FOREIGN_MCOUNT);
}

static const char *next_function(const struct image *img,
				 const struct image_section *is,
				 uint64_t offset)
{
	uint64_t next = image_next_function(img, is, offset);
	struct symbol sym;

	return next < is->code.size &&
			       image_function(img, is->code.addr + next, &sym)
		       ? sym.name
		       : NULL;
}

static int set_in_partial(struct adder *a, const struct foreign_site *from,
			  struct listed_site *site)
{
	const struct object *obj = a->listing->obj;
	struct place place = { .file = obj->path };

	if (!object_code(a->d, obj, from->code.shndx, &site->code))
		return -1;
	functions_index_locate(&a->functions, from->code.shndx,
			       from->code.offset, &place);
	site->shndx = from->code.shndx;
	site->section = obj->sections[site->shndx].name;
	site->offset = site->code_offset = from->code.offset;
	site->function = place.function;
	site->function_offset = place.function_offset;
	site->has_function_offset = place.function != NULL;
	if (is_before_function(a, from, site))
		site->function = functions_index_next(
			&a->functions, from->code.shndx, from->code.offset);
	return 0;
}

static void set_in_final(const struct adder *a, const struct foreign_site *from,
			 struct listed_site *site)
{
	uint64_t addr = from->code.offset;
	const struct image_section *is = image_find_text(a->img, addr, 1);
	struct symbol sym;

	site->has_address = true;
	site->address = addr;
	site->offset = addr - listing_text_start(a->img, a->options);
	site->section = a->listing->obj->sections[is->shndx].name;
	site->code = is->code;
	site->code_offset = addr - is->code.addr;
	if (image_function(a->img, addr, &sym)) {
		site->function = sym.name;
		site->function_offset = addr - sym.value;
		site->has_function_offset = true;
	} else if (is_before_function(a, from, site)) {
		site->function = next_function(a->img, is, site->code_offset);
	}
}

static int add_site(struct adder *a, const struct foreign_site *from)
{
	struct listing *listing = a->listing;
	struct listed_site *site = &listing->sites[listing->nsites];

	*site = (struct listed_site){
		.kind = foreign_name(from->kind),
		.form = from->form,
		.operands = from->operands,
		.semaphore = from->semaphore,
	};
	if (a->img != NULL)
		set_in_final(a, from, site);
	else if (set_in_partial(a, from, site))
		return -1;
	site->length =
		insn_length(listing->obj->arch, &site->code, site->code_offset);
	listing->nsites++;
	listing->probes[listing->nprobes - 1].nsites++;
	return 0;
}

static int compare_keys(const void *a, const void *b)
{
	return strcmp(((const struct listed_probe *)a)->symbol,
		      ((const struct listed_probe *)b)->symbol);
}

int listing_add_foreign(struct diag *d, const struct image *img,
			const struct options *options,
			const struct foreign_set *set, struct listing *listing)
{
	struct adder a = { d, img, options, listing, { .obj = listing->obj } };
	const struct foreign_site **sorted =
		malloc((set->n + 1) * sizeof(sorted[0]));
	int ret = 0;

	if (sorted == NULL || listing_grow(listing, set->n))
		ret = diag_nomem(d, listing->obj->path);
	for (size_t i = 0; ret == 0 && i < set->n; i++)
		sorted[i] = &set->items[i];
	if (ret == 0 && set->n > 0)
		qsort(sorted, set->n, sizeof(sorted[0]), compare_sites);
	for (size_t i = 0; ret == 0 && i < set->n; i++)
		if ((i == 0 || compare_probes(sorted[i - 1], sorted[i]) != 0) &&
		    start_probe(&a, sorted[i]))
			ret = -1;
		else
			ret = add_site(&a, sorted[i]);
	if (ret == 0 && listing->nprobes > 0)
		qsort(listing->probes, listing->nprobes,
		      sizeof(listing->probes[0]), compare_keys);
	functions_index_free(&a.functions);
	free(sorted);
	return ret;
}
