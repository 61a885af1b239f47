/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An index of an object's defined symbols by name. Several symbols may have one
 * name.
 */
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
	/*
	 * by index of the first symbol of a name: the number of definitions
	 * plus one; 0 until names_count is called
	 */
	uint32_t *counts;
	size_t nbuckets; /* a power of two */
	bool has_probes; /* the section of an anchored table */
};

/* The index of the bucket of symbol I, if it is indexed. */
static inline size_t names_bucket(const struct names *names, size_t i)
{
	return names->links[i].hash & (names->nbuckets - 1);
}

/* names_free is due either way. */
int names_build(struct diag *d, const struct object *obj, struct names *names);
void names_free(struct names *names);

/*
 * Steps through the symbols called NAME. Start with *SYMNDX 0. Sets SYM to the
 * symbol at *SYMNDX. Returns false after the last one.
 */
bool names_next(const struct names *names, const char *name, uint32_t *symndx,
		struct symbol *sym);

/* Finds the symbol called NAME. False if there is none, or more than one. */
bool names_find_only(const struct names *names, const char *name,
		     struct symbol *sym);

/*
 * The same as names_next for the name of symbol OF of the object of OTHER,
 * which is indexed.
 */
bool names_next_of(const struct names *names, const struct names *other,
		   uint32_t of, uint32_t *symndx, struct symbol *sym);

/*
 * For callers that ask about one symbol after the other of the N in LIST:
 * fetches into the cache what the next ones need. Call it for each index I.
 */
void names_fetch(const struct names *names, const struct names *other,
		 const uint32_t *list, size_t i, size_t n);

/*
 * The hash of NAME by which links find it. It is never 0, and differs between
 * runs.
 */
uint32_t names_hash(const char *name);

/* The number of definitions of NAME. They are counted only once. */
size_t names_count(const struct names *names, const char *name);

/* The same as names_next, for the concatenation of PREFIX and NAME. */
bool names_next_prefixed(const struct names *names, const char *prefix,
			 const char *name, uint32_t *symndx,
			 struct symbol *sym);

/*
 * Is the definition of NAME a stub that --inject made? Such a stub has the
 * probe's descriptor beside it.
 */
bool names_is_stub(const struct names *names, const char *name);

/* The signature of the COMDAT group of section SHNDX; NULL if it is in none. */
const char *names_signature(const struct object *obj, uint32_t shndx);

#endif
