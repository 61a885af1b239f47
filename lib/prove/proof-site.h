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

struct proof_site {
	uint64_t offset;    /* of the branch, in its section */
	uint64_t addr;	    /* in the final, if is_placed */
	const char *symbol; /* of the probe function */
	size_t prefix;	    /* length of the symbol's prefix */
	uint32_t shndx;
	struct reloc reloc; /* its relocation against the probe function */
	unsigned field;	    /* offset of the displacement in the branch */
	unsigned length;    /* of the branch in the partial */
	uint8_t mode;	    /* of the branch */
	enum site_form form;
	uint64_t target;       /* FORM_BRANCH: where it jumps when it is on, */
	uint32_t target_shndx; /* in this section */
	bool is_target; /* no site, but the target of one: has an address, too
			 */
	bool is_tracepoint; /* a patchpoint, or its target */
	bool is_enabled;
	bool is_excluded; /* by option: a branch without an entry */
	bool is_placed;
	bool is_disabled;	  /* --nop switched it off; set by branch.c */
	struct stub *stub;	  /* of SYMBOL, or NULL; set by stubs.c */
	bool keeps_stub;	  /* with --nop, too; set by stubs.c */
	bool is_unnamed;	  /* no symbol covers it */
	bool has_function;	  /* a symbol covers it */
	uint64_t function;	  /* where the innermost one begins */
	uint32_t function_symndx; /* a symbol that begins there */
	bool is_suspect; /* its section differs, which is reported already */
	bool is_absent;	 /* the final has no symbol of its section */
	bool is_folded;	 /* into another site of its probe */
	size_t nfolded;	 /* how many were folded into this one */
	bool is_dead;	 /* the table need not have it; set by dead.c */
	/* If is_unnamed: where the symbol before it ends, and the next begins;
	 */
	uint64_t range, unnamed_end;
	uint64_t unnamed_function; /* and where the symbol before it begins */
};

struct proof_site_list {
	struct proof_site *items; /* by section, then offset */
	size_t n;
	size_t ntargets; /* items that are no sites */
	size_t ntracepoints;
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
