/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a final link did to text: where each executable section of the inputs
 * is in the image, what is in the image besides, and what was rewritten. No
 * probes and no table are needed.
 *
 * Evidence first. A section counts as placed only where all its bits are that
 * no relocation and no known rewrite may change; what says which of several
 * such places is its own is names, then references from sections that have
 * their place, and then that no other is left. Sections that are the same in
 * all that, and of which nothing tells which is where, are paired in order and
 * marked (is_alike). Each byte of the image's text ends in exactly one range,
 * and each section of the inputs has exactly one fate.
 */
#ifndef SDTLINK_DRIFT_H
#define SDTLINK_DRIFT_H

#include "arch/arch.h"
#include "elf/object.h"

enum fate {
	FATE_PLACED,  /* it is at addr, whole */
	FATE_FOLDED,  /* one that has the same bytes stands for it, at addr */
	FATE_DROPPED, /* it is not in the image */
	FATE_CHANGED, /* its name is at addr, but not its bytes */
	FATE_UNKNOWN, /* it may be in bytes that nothing explains, or not at
			 all */
	NFATES
};

/* Why a section was dropped, as far as can be told. */
enum drop_reason {
	DROP_UNUSED,	 /* nothing says more: garbage collection, a script */
	DROP_DUPLICATE,	 /* a COMDAT group of the same name was kept */
	DROP_OVERRIDDEN, /* another section has its name */
	DROP_ALIKE,	 /* another has its bytes: dropped, or folded there */
};

/* Why a placed section is not where the order of the inputs would have it. */
enum move_reason {
	MOVE_NONE,    /* it is */
	MOVE_SECTION, /* it is in another section of the image than others */
	MOVE_NAME,    /* linkers put those together that have such a name */
	MOVE_SORTED,  /* names are in order there */
	MOVE_OTHER,   /* none of these: a script or an ordering file, say */
	NMOVES
};

#define NO_SECTION SIZE_MAX

struct drift_section {
	size_t input; /* which object */
	uint32_t shndx;
	const char *name;
	uint64_t size;	   /* in the input */
	uint64_t expected; /* offset from the text start, if all sections of
			      this name were there, in the inputs' order */
	enum fate fate;
	enum drop_reason reason;
	uint64_t addr;	   /* in the image; not of dropped and unknown ones */
	uint64_t new_size; /* likewise */
	enum move_reason move;
	bool is_alike; /* of several that are the same: paired in order */
	size_t other;  /* which stands for it, or has its name; or
			  NO_SECTION */
	/* If it changed: */
	uint64_t offset;      /* of the first byte that differs; if the linker
				 deleted some, behind the first of these */
	uint64_t ndifferent;  /* bytes, where it is compared as it stands */
	const char *symbol;   /* the first that moved against the others, or
				 NULL, */
	int64_t displacement; /* and by how much */
};

/* What became of an instruction, or of a few. */
enum rewrite_class {
	REWRITE_GOT_BRANCH, /* a branch through the GOT is a direct one */
	REWRITE_GOT_LOAD,   /* a load from the GOT is an address or a value */
	REWRITE_TLS,	    /* another model of thread-local storage */
	REWRITE_DETOUR,	    /* moved away, with a branch to it */
	REWRITE_REDIRECT,   /* a veneer does it, or split stacks want it */
	REWRITE_SHORTENED,  /* it has fewer bytes */
	REWRITE_OTHER,	    /* another instruction of the same length */
	NREWRITE_CLASSES
};

/* An instruction, or a few, that became others in place. */
struct drift_rewrite {
	size_t section;
	uint64_t offset, addr;
	unsigned size, new_size;
	enum rewrite_class class;
	const char *reloc; /* the name of its relocation, or NULL */
};

enum drift_bin {
	BIN_SECTION, /* of the inputs, placed */
	BIN_CHANGED, /* of the inputs, with other bytes */
	BIN_PADDING, /* fill */
	BIN_PLT,
	BIN_GOT,    /* which a script placed in text */
	BIN_VENEER, /* what the linker put between a branch and its target */
	BIN_UNEXPLAINED,
	NBINS
};

struct drift_range {
	uint64_t addr, size;
	uint64_t place; /* bytes of all ranges before it */
	enum drift_bin bin;
	size_t section;	    /* of the first two bins */
	const char *symbol; /* of the image, in what is unexplained; or NULL */
};

/* A branch between sections of the inputs that leads elsewhere. */
struct drift_stray {
	size_t section, to; /* the one that it is in; that it should lead to */
	uint64_t addr;	    /* of the branch's field */
	uint64_t target;    /* where it does lead */
};

struct drift {
	struct drift_section *sections; /* as the inputs have them; owned */
	size_t nsections;
	struct drift_rewrite *rewrites; /* by section, then offset; owned */
	size_t nrewrites;
	struct drift_range *ranges; /* by address, without gaps; owned */
	size_t nranges;
	struct drift_stray *strays; /* by section, then address; owned */
	size_t nstrays;
	size_t nbranches;  /* that were followed */
	size_t nshortcuts; /* of them, that go where a jump at their target does
			    */
	uint64_t text_start; /* what offsets are measured from */
	/* Counts of the above. */
	size_t nfates[NFATES];
	size_t nmoves[NMOVES]; /* the first is of all others */
	size_t nclasses[NREWRITE_CLASSES];
	uint64_t nbytes[NBINS];
	size_t nalike;
	size_t nright;	   /* placed ones that are where was expected */
	size_t ndisplaced; /* the fewest that moved, so that all the other
			      placed ones are in the order of the inputs */
	size_t nshortened; /* placed ones of which the linker deleted code, */
	uint64_t ndeleted; /* and how many bytes of all */
	size_t nwide;	   /* paddings that are larger than alignment wants, */
	uint64_t nwide_bytes; /* and how large they are */
};

/*
 * Fills DRIFT for the N checked partials INPUTS and the checked FINAL.
 * drift_free is due either way. Returns -1 on trouble, diagnosed.
 */
int drift_objects(struct diag *d, const struct object *inputs, size_t n,
		  const struct object *final, struct drift *drift);
void drift_free(struct drift *drift);

/* Is any of the inputs' text in the final, if they have some? */
bool drift_has_text(const struct drift *drift);

/* Did no text move or change inside a section, and is all explained? */
bool drift_is_none(const struct drift *drift);

const char *rewrite_class_name(enum rewrite_class class);
const char *fate_name(enum fate fate);
const char *drop_reason_name(enum drop_reason reason);
const char *move_reason_name(enum move_reason reason);
const char *drift_bin_name(enum drift_bin bin);

#endif
