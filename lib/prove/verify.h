/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Proves that the site table of a final names exactly the probe sites of the
 * partial it was linked from, or says what is wrong.
 *
 * It shares the ELF reader, the ISA tables and probe names with the
 * generator, and nothing else: it finds the sites itself, decodes the
 * branches of the final by hooks of its own, and reads the table as the
 * running program does.
 */
#ifndef SDTLINK_VERIFY_H
#define SDTLINK_VERIFY_H

#include "base/finding.h"
#include "elf/object.h"
#include "base/options.h"

struct flashed;

enum verdict {
	VERDICT_PROVED,
	VERDICT_DRIFT,	 /* a finding at least */
	VERDICT_PARTLY,	 /* is_nameless: none but open ones, nproved > 0 */
	VERDICT_SOUND,	 /* is_alone: no finding */
	VERDICT_REFUSED, /* the partial cannot be judged, diagnosed, or
			  * is_nameless and no more than open findings */
};

/* What a final alone does not show: bits of verification.unchecked. */
enum unchecked {
	UNCHECKED_SITES,     /* that no site is missing with all that it has */
	UNCHECKED_TEXT,	     /* what is around the sites */
	UNCHECKED_ADDRESSES, /* what leads to a stub, and is no branch */
	UNCHECKED_JUMPS,     /* of the branch form: all but that it is a NOP */
	UNCHECKED_FOLDED,    /* sites that have several entries */
	UNCHECKED_FUNCTIONS, /* names in the table that the image has not */
	NUNCHECKED
};

/* Bytes of a function that a linker rewrote in a way that is not known. */
struct unexplained {
	const char *partial, *section;
	const char *function;	  /* or NULL */
	uint64_t function_offset; /* of the first: valid if function */
	uint64_t offset;	  /* likewise, in the section of the partial */
	uint64_t address;	  /* likewise, in the final */
	uint64_t size;		  /* of all */
};

/* A section with sites, in the final. */
struct verified_section {
	size_t partial; /* the number of it */
	uint32_t shndx;
	uint64_t addr;
	size_t nsites;
	bool is_there;	  /* or the final link dropped it */
	bool is_folded;	  /* with all its sites, into another */
	bool is_disabled; /* a site of it is what --nop makes of one */
};

struct verification {
	enum verdict verdict;
	size_t nsites;	  /* live sites of the partial */
	size_t nprobes;	  /* probe functions that have one */
	size_t nsections; /* sections that have one */
	size_t ndead;
	size_t nexcluded;
	size_t ngone;	     /* sites that the final link dropped */
	size_t nfolded;	     /* that it made one with another */
	size_t ntracepoints; /* of the partial, in text */
	size_t nrecorded;    /* of them, whose records the final has */
	size_t nfindings;
	size_t nopen;	     /* of them, those that names could settle */
	size_t nentries;     /* of the table; if is_nameless */
	size_t nproved;	     /* of them, those of a site of the partials */
	size_t nunexplained; /* bytes */
	size_t nunexplained_functions; /* that have them */
	/* Set by the caller: it saw that FINAL was linked from PARTIALS. */
	bool is_linked;
	/* Likewise: FINAL has no names but those of stripped.h. */
	bool is_nameless;
	/* Likewise, or NULL: must have what the proof relies on. */
	const struct flashed *image;
	/* Likewise: there is nothing but FINAL. */
	bool is_alone;
	unsigned unchecked; /* 1 << enum unchecked; if is_alone */
	/* Receives each finding; its strings live for the call only. */
	void (*sink)(void *ctx, const struct finding *finding);
	/* Receives what --text=sites left unexplained, likewise. */
	void (*note)(void *ctx, const struct unexplained *u);
	/* NULL, or receives where each section with sites is. */
	void (*placed)(void *ctx, const struct verified_section *section);
	void *ctx;
};

/*
 * PARTIALS and FINAL are checked objects; the table is to have the sites of
 * all N partials. The caller sets sink, note and ctx. Returns -1 on trouble,
 * diagnosed; else 0 and the verdict.
 */
int verify_objects(struct diag *d, const struct object *partials, size_t n,
		   const struct object *final, const struct options *options,
		   struct verification *v);

/*
 * Checks what FINAL itself shows: its table, sites and stubs, all branches to
 * these, and what --nop has noted of its NOPs. Sets v->unchecked, whatever
 * that finds. The rest is as above.
 */
int alone_verify(struct diag *d, const struct object *final,
		 const struct options *options, struct verification *v);

#endif
