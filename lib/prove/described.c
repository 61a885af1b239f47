/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>

#include "base/search.h"
#include "described.h"
#include "elf/frames.h"

struct described {
	struct byte_range *code; /* of the image, by address; owned */
	size_t n;
	/* Of each partial, by section: does a function begin with it that an
	 * FDE describes? Owned; NULL until somebody asks. */
	bool **begins;
};

void described_free(struct described *described, size_t nproofs)
{
	if (described == NULL)
		return;
	for (size_t k = 0; k < nproofs; k++)
		free(described->begins[k]);
	free(described->begins);
	free(described->code);
	free(described);
}

static int read_image(struct verify_run *run)
{
	const struct object *obj = run->img.obj;
	struct described *described = calloc(1, sizeof(*described));
	uint32_t shndx = 0;
	size_t n = 0;

	if (described != NULL)
		described->begins =
			calloc(run->nproofs + 1, sizeof(described->begins[0]));
	if (described == NULL || described->begins == NULL) {
		free(described);
		return diag_nomem(run->d, obj->path);
	}
	run->described = described;
	for (size_t i = 1; i < obj->nsections; i++)
		if (frames_hold(obj->sections[i].name)) {
			n++;
			shndx = i;
		}
	/* Several functions in a section count like a part of one. */
	return n != 1 || obj->sections[shndx].type == SHT_NOBITS
		       ? 0
		       : frames_list_code(run->d, obj, shndx, &described->code,
					  &described->n);
}

/*
 * Marks the sections that begin with a function that an FDE of SHNDX describes.
 */
static int read_frames(struct proof *p, uint32_t shndx, bool *begins)
{
	const struct object *obj = p->partial;
	struct section_relocs relocs;
	struct frame_record record;
	size_t size;
	const uint8_t *bytes = object_data(p->run->d, obj, shndx, &size);
	uint64_t at = 0;
	int ret;

	if (bytes == NULL)
		return -1;
	ret = section_relocs_read(p->run->d, obj, shndx, &relocs);
	while (ret == 0 && frames_next(obj, bytes, size, &at, &record) > 0) {
		const struct reloc *r =
			section_relocs_at(&relocs, record.body + 4);
		struct symbol sym;

		if (r == NULL || object_word(obj, bytes + record.body) == 0)
			continue;
		object_symbol(obj, r->symndx, &sym);
		if (sym.is_defined && sym.shndx < obj->nsections &&
		    sym.value + arch_reloc_addend(obj->arch, bytes, size,
						  relocs.is_rela, r) ==
			    0)
			begins[sym.shndx] = true;
	}
	section_relocs_free(&relocs);
	return ret;
}

static const bool *read_partial(struct proof *p)
{
	bool **begins = &p->run->described->begins[p - p->run->proofs];

	if (*begins != NULL)
		return *begins;
	*begins = calloc(p->partial->nsections + 1, sizeof((*begins)[0]));
	if (*begins == NULL)
		diag_nomem(p->run->d, p->partial->path);
	for (size_t i = 1; *begins != NULL && i < p->partial->nsections; i++)
		if (frames_hold(p->partial->sections[i].name) &&
		    read_frames(p, i, *begins)) {
			free(*begins);
			*begins = NULL;
		}
	return *begins;
}

/*
 * Does each section of the group of S begin with a described function? Sets
 * *IS_SO; returns -1 on trouble.
 */
static int group_begins(struct proof *p, const struct pending *s, bool *is_so)
{
	struct wanted member = { p, (struct pending *)s };

	*is_so = true;
	for (; *is_so && member.s != NULL; member = member.s->next) {
		const struct proof *q = member.p;
		const bool *begins = read_partial(member.p);

		if (begins == NULL)
			return -1;
		*is_so = begins[q->list.items[member.s->first].shndx];
	}
	return 0;
}

enum where { NOWHERE, AT_START, INSIDE };

static enum where find(const struct described *described, uint64_t addr)
{
	size_t i;

	LOWER_BOUND(i, described->n, described->code[i].start <= addr);
	if (i == 0 || addr >= described->code[i - 1].end)
		return NOWHERE;
	return described->code[i - 1].start == addr ? AT_START : INSIDE;
}

/* Drops places, for NWANTED sections that need one each. */
static void drop(const struct described *described, struct placement *pl,
		 size_t nwanted)
{
	size_t n = 0, nbegin = 0;

	for (size_t i = 0; i < pl->ncandidates; i++)
		nbegin += find(described, pl->candidates[i]) == AT_START;
	for (size_t i = 0; i < pl->ncandidates; i++) {
		enum where where = find(described, pl->candidates[i]);

		if (where == AT_START || (where == NOWHERE && nbegin < nwanted))
			pl->candidates[n++] = pl->candidates[i];
	}
	pl->ncandidates = n;
}

int described_drop(struct proof *p, struct pending *s)
{
	bool begins;

	if (s->pl.ncandidates == 0)
		return 0;
	if (p->run->described == NULL && read_image(p->run))
		return -1;
	if (p->run->described->n == 0)
		return 0;
	if (group_begins(p, s, &begins))
		return -1;
	if (begins)
		drop(p->run->described, &s->pl, s->n);
	return 0;
}
