/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An index of an object's defined symbols by name; one name may have many. */
#ifndef SDTLINK_NAMES_H
#define SDTLINK_NAMES_H

#include "object.h"

struct names {
	const struct object *obj;
	uint32_t *buckets; /* first symbol index, 0 for none */
	uint32_t *next;	   /* by symbol index */
	size_t nbuckets;   /* a power of two */
	bool has_probes;   /* the section of an anchored table */
};

/* names_free is due either way. */
int names_build(struct diag *d, const struct object *obj, struct names *names);
void names_free(struct names *names);

/*
 * Steps through the symbols called NAME: start with *SYMNDX 0; false after
 * the last. SYM is the symbol at *SYMNDX.
 */
bool names_next(const struct names *names, const char *name, uint32_t *symndx,
		struct symbol *sym);

/*
 * Is the definition of NAME, if there is one, a stub that --inject has made?
 * The probe's descriptor is beside it.
 */
bool names_is_stub(const struct names *names, const char *name);

#endif
