/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Proves that the site table of a final names exactly the probe sites of the
 * partial it was linked from, or says what is wrong.
 *
 * It shares the ELF reader, the ISA tables and the names of probes with the
 * generator, and nothing else. It finds the sites itself, decodes the branches
 * of the final by hooks of its own, and reads the table as the running program
 * does.
 */
#ifndef SDTLINK_VERIFY_H
#define SDTLINK_VERIFY_H

#include "base/finding.h"
#include "elf/object.h"
#include "base/options.h"

struct collected;
struct flashed;

enum verdict {
	VERDICT_PROVED,
	VERDICT_DRIFT,	 /* at least one finding */
	VERDICT_PARTLY,	 /* is_nameless: only open findings, nproved > 0 */
	VERDICT_SOUND,	 /* is_alone: no finding */
	VERDICT_REFUSED, /* the partial cannot be judged, diagnosed; or
			  * is_nameless, only open findings, nproved == 0 */
};

/* What a final alone cannot show: bit numbers of verification.unchecked. */
enum unchecked {
	UNCHECKED_SITES,     /* whether a site is missing with all its traces */
	UNCHECKED_TEXT,	     /* the code around the sites */
	UNCHECKED_ADDRESSES, /* pointers to stubs */
	UNCHECKED_JUMPS,     /* the targets of sites in the branch form */
	UNCHECKED_FOLDED,    /* sites that have several entries */
	UNCHECKED_FUNCTIONS, /* names in the table that the image lacks */
	NUNCHECKED
};

/* Bytes of a function that a linker rewrote in an unknown way. */
struct unexplained {
	const char *partial, *section;
	const char *function;	  /* or NULL */
	uint64_t function_offset; /* of the first byte; valid if FUNCTION */
	uint64_t offset;	  /* of the first, in the partial's section */
	uint64_t address;	  /* of the first, in the final */
	uint64_t size;		  /* how many bytes */
};

/* What became of a section with sites in the final. */
struct verified_section {
	size_t partial; /* the number of its partial */
	uint32_t shndx;
	uint64_t addr;
	size_t nsites;
	bool is_there;	  /* the final link did not drop it */
	bool is_folded;	  /* with all its sites, into another */
	bool is_disabled; /* --nop switched off a site of it */
};

struct verification {
	enum verdict verdict;
	size_t nsites;	  /* live sites of the partial */
	size_t nprobes;	  /* probe functions that have one */
	size_t nsections; /* sections that have one */
	size_t ndead;
	size_t nexcluded;
	size_t ngone;	     /* sites that the final link dropped */
	size_t nfolded;	     /* sites that it folded into others */
	size_t ntracepoints; /* of the partial, in text */
	size_t nrecorded;    /* tracepoints whose records the final has */
	size_t nfindings;
	size_t nopen;		       /* findings that names could settle */
	size_t nentries;	       /* of the table; if is_nameless */
	size_t nproved;		       /* entries that are about a known site */
	size_t nunexplained;	       /* bytes */
	size_t nunexplained_functions; /* functions that have such bytes */
	/* Set by the caller if it saw FINAL being linked from PARTIALS. */
	bool is_linked;
	/* Set by the caller if FINAL has no names but those of stripped.h. */
	bool is_nameless;
	/*
	 * Set by the caller: what was collected of the first partials. The
	 * proof takes each, and collects what is left, or is NULL.
	 */
	struct collected **collected;
	size_t ncollected;
	/* Set by the caller: the file that is flashed, or NULL. */
	const struct flashed *flashed;
	/* Set by the caller if there are no partials. */
	bool is_alone;
	unsigned unchecked; /* 1 << enum unchecked; if is_alone */
	/* Receives each finding. Its strings are valid during the call. */
	void (*sink)(void *ctx, const struct finding *finding);
	/* Receives what --text=sites left unexplained, in the same way. */
	void (*note)(void *ctx, const struct unexplained *u);
	/* If not NULL: receives each section with sites. */
	void (*placed)(void *ctx, const struct verified_section *section);
	void *ctx;
};

/*
 * Proves that the table of FINAL has the sites of all N PARTIALS. All of these
 * are checked objects. The caller sets sink, note and ctx. Returns -1 on
 * trouble, diagnosed; else 0, and the verdict in V.
 */
int verify_objects(struct diag *d, const struct object *partials, size_t n,
		   const struct object *final, const struct options *options,
		   struct verification *v);

/*
 * Checks what FINAL itself shows: its table, its sites and stubs, all branches
 * to stubs, and the records of --nop. Sets v->unchecked, whatever it finds.
 * Contract as above.
 */
int alone_verify(struct diag *d, const struct object *final,
		 const struct options *options, struct verification *v);

#endif
