/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: places that ambiguous names allow. If a thousand static
 * functions have one name, each may be at any of a thousand places. All
 * sections with the same names share one list of places, and only those are
 * compared at which some fixed bytes are right.
 */
#ifndef SDTLINK_IMPLIED_H
#define SDTLINK_IMPLIED_H

#include "place.h"

struct implied {
	uint64_t addr;
	size_t order; /* of the first name that implies it */
	size_t votes;
	bool has_global; /* a global symbol implies it, too */
};

struct implied_starts {
	struct implied *items; /* in order, each address once */
	size_t n;
	size_t best;		 /* the first one with the most votes */
	struct listing *listing; /* the shared list, or NULL: not shared */
};

/* Some of the items, in order. */
struct selection {
	const uint32_t *indices; /* of items; NULL: all */
	size_t n;
};

/* Where the section of SYM begins if the final's symbol FOUND is SYM. */
uint64_t implied_start(const struct placer *placer, const struct symbol *sym,
		       const struct symbol *found);

/* Makes what the placers of one image share: *LISTINGS. */
int implied_open(struct diag *d, const struct image *img,
		 struct listings **listings);
void implied_close(struct listings *listings);

/* Lists the places of section SHNDX. Call implied_free either way. */
int implied_find(const struct placer *placer, uint32_t shndx,
		 struct implied_starts *cands);
void implied_free(struct implied_starts *cands);

/*
 * Selects the places at which a section of these SIZE BYTES can be, by its
 * fixed bytes. The selection is valid until the next call.
 */
int implied_select(const struct placer *placer,
		   const struct implied_starts *cands, const uint8_t *bytes,
		   size_t size, const struct section_relocs *relocs,
		   struct selection *selection);

#endif
