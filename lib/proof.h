/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The state of a proof, for the files that verify is made of:
 *   verify.c  the driver; stubs, places, branches
 *   relaxed.c places in text that the linker may have shortened
 *   reach.c   what leads to a stub: veneers, entries of the PLT
 *   match.c   the table against the sites
 *   dead.c    sites that may be missing from the table
 *   extra.c   branches to stubs that are no sites
 */
#ifndef SDTLINK_PROOF_H
#define SDTLINK_PROOF_H

#include "image.h"
#include "place.h"
#include "table.h"
#include "verify.h"
#include "witness.h"

/* More findings than this are only counted. */
#define FINDINGS_MAX 100

struct stub {
	const char *symbol;
	uint64_t addr;
};

/* A stub, or the linker's code that goes on to it. */
struct target {
	uint64_t addr;
	unsigned size; /* of that code; 0 for the stub itself */
	const struct stub *stub;
};

/* A section of the partial in the final. */
struct placed {
	uint64_t addr;
	uint64_t size;
	uint32_t shndx;
	bool is_suspect;	      /* its bytes differ */
	struct section_relocs relocs; /* owned */
};

struct proof {
	struct diag *d;
	const struct object *partial;
	const struct options *options;
	struct verification *v;
	struct image img;
	struct placer placer;
	struct names functions; /* of the partial */
	struct witness_list list;
	struct table table;
	bool has_table;
	bool is_damaged;    /* it could not be read */
	struct stub *stubs; /* by symbol */
	size_t nstubs;
	struct stub *stubs_by_addr;
	struct target *targets; /* what leads to a stub, by address */
	size_t ntargets;
	struct placed *placed; /* by address */
	size_t nplaced;
	struct byte_range *site_ranges; /* of each witness, in its section */
	const struct witness **by_addr; /* placed witnesses */
	size_t nby_addr;
	bool has_absent;   /* a section was not found at all */
	bool keeps_locals; /* the image has local symbols of the partial */
};

void find(struct proof *p, struct finding *finding, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* A finding about a site of the partial. */
struct finding at_witness(const struct proof *p, const struct witness *w,
			  enum cause cause);

/* NULL if there is none. */
const struct stub *find_stub(const struct proof *p, const char *symbol);
const struct stub *stub_at(const struct proof *p, uint64_t addr);
const struct witness *witness_at(const struct proof *p, uint64_t addr);

/* Does code at TARGET lead to the stub: is it that, or one hop before it? */
bool reaches(const struct proof *p, uint64_t target, const struct stub *stub);

/*
 * Lists all addresses that lead to a stub, in p->targets. Due once the
 * witnesses have their addresses. Returns -1 on trouble, diagnosed.
 */
int list_targets(struct proof *p);

/* The stub that ADDR leads to, as listed, or NULL. */
const struct stub *target_at(const struct proof *p, uint64_t addr);

/* Is ADDR in code of the linker's that goes on to a stub? */
bool is_veneer(const struct proof *p, uint64_t addr);

/*
 * Places the witnesses [FIRST, END), which are in one section that relaxes.
 * Returns -1 on trouble, diagnosed.
 */
int place_relaxed(struct proof *p, size_t first, size_t end);

/* Reads the table of the image. Returns -1 on trouble, diagnosed. */
int read_table(struct proof *p);

/* Compares it with the sites. Returns -1 on trouble, diagnosed. */
int check_table(struct proof *p);

/*
 * Marks the sites in holes that nothing in the image leads to: the witness's
 * is_dead. Returns -1 on trouble, diagnosed.
 */
int mark_dead(struct proof *p);

/* Branches, and relocations that the image kept, to stubs from elsewhere. */
int check_extra(struct proof *p);

#endif
