/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the probe functions and sites of a checked partial. Each relocation
 * against a probe function is accounted for.
 */
#ifndef SDTLINK_SCAN_H
#define SDTLINK_SCAN_H

#include "arch/arch.h"
#include "elf/object.h"
#include "probe.h"

#define NO_INDEX UINT32_MAX

struct probe {
	const char *symbol; /* in the object's string table */
	uint32_t symndx;
	size_t prefix; /* its length, 0 for PROBE_SYMBOL */
	enum probe_use use;
	bool is_defined; /* its stub is in the partial already */
	bool is_code;	 /* and the symbol names the code, not the descriptor */
	struct probe_name name;
	size_t nsites;
};

/* There may be millions. This order of members leaves no gaps. */
struct site {
	uint64_t offset;	  /* of the instruction, in its section */
	uint64_t function_offset; /* of the instruction, in its function */
	const char *function;	  /* "" if it is in no known function */
	uint64_t target;	  /* only of FORM_BRANCH: where it is to jump */
	uint32_t target_shndx;
	uint32_t shndx;
	uint32_t probe; /* index in probes */
	enum site_form form : 8;
	unsigned length : 8; /* of the instruction */
	unsigned field : 7;  /* offset of the displacement in it */
	bool is_first : 1; /* of those that follow one another in a function */
	uint8_t mode;	   /* of the code: see arch.h */
};

/* Each relocation is in exactly one bin. They add up to `relocations`. */
struct bins {
	size_t relocations;
	size_t site;
	size_t excluded; /* by option */
	size_t dead;	 /* in an unnamed range */
	size_t refused;	 /* not a direct branch, or in a refused section */
};

struct site_set {
	struct probe *probes; /* sorted by symbol name */
	size_t nprobes;
	struct site *sites; /* sorted by section index, then offset */
	size_t nsites;
	struct bins bins;
};

/*
 * Fills SET, which owns the results. Each refused relocation is diagnosed, but
 * that is not a failure, so that a listing can go on: look at bins.refused.
 * Returns -1 on trouble. Call site_set_free either way.
 */
int scan_object(struct diag *d, const struct object *obj,
		const struct options *options, struct site_set *set);
void site_set_free(struct site_set *set);

/* Part of scan_object: fills set->probes. Returns -1 on trouble, diagnosed. */
int scan_probes(struct diag *d, const struct object *obj,
		const struct options *options, struct site_set *set);

/* NULL if there is none. */
const struct probe *scan_find_probe(const struct site_set *set,
				    const char *symbol);

/* The prefix of the name of PROBE's code, which is often "". */
const char *scan_probe_prefix(const struct object *obj,
			      const struct probe *probe);

/* The same for a site's function: see object_fetch_name. */
static inline void site_fetch_name(const struct site_set *set, size_t site)
{
	if (site < set->nsites)
		__builtin_prefetch(set->sites[site].function);
}

#endif
