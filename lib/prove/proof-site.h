/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: lists the probe sites of a partial, without the generator's
 * code. The generator starts at a relocation and looks back for an opcode. This
 * decodes the branch forward, as in an image, and demands that its displacement
 * is the relocated field.
 */
#ifndef SDTLINK_PROOF_SITE_H
#define SDTLINK_PROOF_SITE_H

#include "arch/arch.h"
#include "base/options.h"
#include "place.h"
#include "sites/probe.h"

struct stub;

/* The generator says more of what the proof only refuses. */
#define REMEDY_GENERATE "run sdtlink -o - on the partial: it names the cause"

/* Bytes between two functions that no symbol covers, in their section. */
struct uncovered {
	uint64_t function;   /* where the symbol before them begins */
	uint64_t start, end; /* where it ends, and the next one begins */
};

/* There may be a hundred thousand: memory is most of what one costs. */
struct proof_site {
	uint64_t offset;    /* of the branch, in its section */
	uint64_t addr;	    /* in the final, if is_placed */
	const char *symbol; /* of the probe function */
	struct stub *stub;  /* of SYMBOL, or NULL; set by stubs.c */
	struct reloc reloc; /* its relocation against the probe function */
	uint64_t target;    /* FORM_BRANCH: where it jumps when it is on, */
	uint64_t function;  /* where the innermost one around it begins */
	uint32_t shndx;
	uint32_t target_shndx;	  /* in this section */
	uint32_t function_symndx; /* a symbol that begins there */
	uint32_t uncovered;	  /* if is_unnamed: index in the list's */
	uint32_t prefix;	  /* length of the symbol's prefix */
	uint32_t nfolded;	  /* how many were folded into this one */
	uint8_t field;		  /* offset of the displacement in the branch */
	uint8_t length;		  /* of the branch in the partial */
	uint8_t mode;		  /* of the branch */
	enum site_form form : 8;
	bool is_target : 1;	/* no site, but the target of one: has an
				 * address, too */
	bool is_tracepoint : 1; /* a patchpoint, or its target */
	bool is_enabled : 1;
	bool is_excluded : 1; /* by option: a branch without an entry */
	bool is_placed : 1;
	bool is_disabled : 1;  /* --nop switched it off; set by branch.c */
	bool keeps_stub : 1;   /* with --nop, too; set by stubs.c */
	bool is_unnamed : 1;   /* no symbol covers it; set by extents.c */
	bool has_function : 1; /* a symbol covers it; set by extents.c */
	bool is_suspect : 1;   /* its section differs, which is reported
				* already */
	bool is_absent : 1;    /* the final has no symbol of its section */
	bool is_folded : 1;    /* into another site of its probe */
	bool is_dead : 1;      /* the table need not have it; set by dead.c */
};

struct proof_site_list {
	struct proof_site *items; /* by section, then offset */
	size_t n;
	size_t ntargets; /* items that are no sites */
	size_t ntracepoints;
	struct uncovered *uncovered; /* owned */
	size_t nuncovered;
	size_t nrefused;     /* uses that are no sites, diagnosed */
	bool has_excluded;   /* an option excluded a use of a probe function */
	uint32_t *mentioned; /* symbol indices of probe functions; owned */
	size_t nmentioned;
};

/*
 * Lists the sites of PARTIAL. Sites in the branch form have no relocation of
 * their own: the relocations of .sdt_branches describe them. NAMES are those of
 * PARTIAL. Call proof_site_free either way.
 */
int proof_site_collect(struct diag *d, const struct object *partial,
		       const struct options *options, const struct names *names,
		       struct proof_site_list *list);
void proof_site_free(struct proof_site_list *list);

/* The item for the target of SITE, which is in the branch form. */
const struct proof_site *proof_site_target(const struct proof_site_list *list,
					   const struct proof_site *site);

#endif
