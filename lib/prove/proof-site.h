/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: the probe sites of a partial, found without the
 * generator's code. Where that starts from a relocation and looks back at an
 * opcode, this decodes the branch forward, as in an image, and demands that
 * its displacement is the relocated field.
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
	struct reloc reloc; /* the one that makes it a site */
	unsigned field;	    /* offset of the displacement in the branch */
	unsigned length;    /* of the branch in the partial */
	uint8_t mode;	    /* of the branch */
	enum site_form form;
	uint64_t target; /* FORM_BRANCH: where it is to jump, in its section */
	uint32_t target_shndx;
	bool is_target; /* that place: is no site, but has an address, too */
	bool is_tracepoint; /* a patchpoint, with a target; is_target as well */
	bool is_enabled;
	bool is_excluded; /* by option: no entry, but the branch is there */
	bool is_placed;
	bool is_disabled;	  /* by --nop: set by decode.c */
	struct stub *stub;	  /* of symbol, or NULL; set by stubs.c */
	bool keeps_stub;	  /* with --nop too: likewise */
	bool is_unnamed;	  /* no symbol covers it */
	bool has_function;	  /* a symbol covers it */
	uint64_t function;	  /* and begins there: the innermost */
	uint32_t function_symndx; /* one of those that do */
	bool is_suspect; /* its section differs: that is reported already */
	bool is_absent;	 /* none of its section's symbols is in the final */
	bool is_folded;	 /* into another one of the same probe */
	size_t nfolded;	 /* that were folded into this one */
	bool is_dead;	 /* set by dead.c: it may be missing from the table */
	/* If is_unnamed: where the last symbol ends and the next begins. */
	uint64_t range, unnamed_end;
	uint64_t unnamed_function; /* and where that symbol is */
};

struct proof_site_list {
	struct proof_site *items; /* by section, then offset */
	size_t n;
	size_t ntargets; /* of them, that are no sites */
	size_t ntracepoints;
	size_t nrefused;     /* diagnosed */
	bool has_excluded;   /* a use of a probe function, or a site */
	uint32_t *mentioned; /* symbol indices of probe functions; owned */
	size_t nmentioned;
};

/*
 * That a site in the branch form is there, the compiler's record says: the
 * relocations of .sdt_branches. NAMES are those of PARTIAL. proof_site_free is
 * due either way.
 */
int proof_site_collect(struct diag *d, const struct object *partial,
		       const struct options *options, const struct names *names,
		       const struct placer *placer,
		       struct proof_site_list *list);
void proof_site_free(struct proof_site_list *list);

/* Where SITE, of the branch form, is to jump. */
const struct proof_site *proof_site_target(const struct proof_site_list *list,
					   const struct proof_site *site);

#endif
