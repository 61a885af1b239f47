/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: where a section may be as far as names tell that other
 * sections may have, too. A thousand static functions of one name have a
 * thousand places, and each may be at any: those come from a list that all
 * sections of the same names share, and only those are looked at where some
 * bytes are right that no linker changes.
 */
#ifndef SDTLINK_IMPLIED_H
#define SDTLINK_IMPLIED_H

#include "place.h"

struct implied {
	uint64_t addr;
	size_t order; /* of the first name that tells it */
	size_t votes;
	bool has_global; /* one was of a global symbol */
};

struct implied_starts {
	struct implied *items; /* in order, each address once */
	size_t n;
	size_t best;		 /* the first that has the most votes */
	struct listing *listing; /* what is shared of it; or NULL: it is not */
};

/* Some of them, in order: the next one is that of *INDICES, or the next. */
struct selection {
	const uint32_t *indices; /* NULL: all of them */
	size_t n;
};

/* Where the section begins if SYM is the final's symbol FOUND. */
uint64_t implied_start(const struct placer *placer, const struct symbol *sym,
		       const struct symbol *found);

/* What placers of one image share. Sets *LISTINGS. */
int implied_open(struct diag *d, const struct image *img,
		 struct listings **listings);
void implied_close(struct listings *listings);

/* Those of section SHNDX; implied_free is due either way. */
int implied_find(const struct placer *placer, uint32_t shndx,
		 struct implied_starts *cands);
void implied_free(struct implied_starts *cands);

/*
 * Leaves out such as a section of SIZE BYTES is not at. The selection holds
 * until the next one is made.
 */
int implied_select(const struct placer *placer,
		   const struct implied_starts *cands, const uint8_t *bytes,
		   size_t size, const struct section_relocs *relocs,
		   struct selection *selection);

#endif
