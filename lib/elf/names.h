/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An index of an object's defined symbols by name; one name may have many. */
#ifndef SDTLINK_NAMES_H
#define SDTLINK_NAMES_H

#include "object.h"

struct name_link {
	uint32_t next; /* symbol index, 0 for none */
	uint32_t hash; /* of this one's name; 0 if it is not indexed */
};

struct names {
	const struct object *obj;
	uint32_t *buckets;	 /* first symbol index, 0 for none */
	struct name_link *links; /* by symbol index */
	/* By index of the first symbol of a name: how many are defined, plus
	 * one; 0 until somebody asks. */
	uint32_t *counts;
	size_t nbuckets; /* a power of two */
	bool has_probes; /* the section of an anchored table */
};

/* The index of the bucket that symbol I is in, if it is indexed. */
static inline size_t names_bucket(const struct names *names, size_t i)
{
	return names->links[i].hash & (names->nbuckets - 1);
}

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
 * The same for the name of symbol OF of the object of OTHER, which is indexed.
 */
bool names_next_of(const struct names *names, const struct names *other,
		   uint32_t of, uint32_t *symndx, struct symbol *sym);

/*
 * For whoever asks so for one of many symbols after the other, the N of LIST:
 * fetches into the cache what the next ones need. Due for each I of them.
 */
void names_fetch(const struct names *names, const struct names *other,
		 const uint32_t *list, size_t i, size_t n);

/* What links hold of NAME; never 0, and another in each run. */
uint32_t names_hash(const char *name);

/* How many symbols called NAME are defined: counted but once. */
size_t names_count(const struct names *names, const char *name);

/* The same as names_next for PREFIX and NAME in one. */
bool names_next_prefixed(const struct names *names, const char *prefix,
			 const char *name, uint32_t *symndx,
			 struct symbol *sym);

/*
 * Is the definition of NAME, if there is one, a stub that --inject has made?
 * The probe's descriptor is beside it.
 */
bool names_is_stub(const struct names *names, const char *name);

#endif
