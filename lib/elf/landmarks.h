/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The symbols of a partial that a final can be searched for, by section: what
 * has a name and an address. Marks and the labels of assemblers are none.
 */
#ifndef SDTLINK_LANDMARKS_H
#define SDTLINK_LANDMARKS_H

#include "object.h"

struct landmarks {
	const struct object *obj;
	uint32_t *symbols; /* indices, by section and then ascending; owned */
	size_t *first;	   /* section index -> index in symbols, and behind the
			      last one how many there are; owned */
};

/* Returns -1 without memory, diagnosed; landmarks_free is due either way. */
int landmarks_read(struct diag *d, const struct object *obj,
		   struct landmarks *landmarks);
void landmarks_free(struct landmarks *landmarks);

/* Those of section SHNDX, *N of them. */
const uint32_t *landmarks_list(const struct landmarks *landmarks,
			       uint32_t shndx, size_t *n);

/* How far behind the start of section SHNDX is the first of them? 0 if it has
 * none. */
uint64_t landmarks_first(const struct landmarks *landmarks, uint32_t shndx);

/*
 * The next one of section SHNDX, of which *I were taken, which begins as 0.
 * Returns its index, or 0 behind the last.
 */
uint32_t landmarks_next(const struct landmarks *landmarks, uint32_t shndx,
			size_t *i, struct symbol *sym);

#endif
