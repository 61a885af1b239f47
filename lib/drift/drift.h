/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shows what a final link did to text: where each executable section of the
 * inputs is, what else is in the image, and what was rewritten. It needs
 * neither probes nor a table.
 *
 * Evidence comes first. A section is only placed where all its fixed bits are:
 * those that no relocation and no known rewrite may change. If several places
 * have them, names decide, then references from sections that are placed, and
 * then that no other section is left for a place. Sections that agree in all of
 * this are paired in order and marked (is_alike). Each byte of the image's text
 * is in exactly one range, and each input section has exactly one fate.
 */
#ifndef SDTLINK_DRIFT_H
#define SDTLINK_DRIFT_H

#include "arch/arch.h"
#include "elf/object.h"

enum fate {
	FATE_PLACED,  /* it is at addr, whole */
	FATE_FOLDED,  /* another section with the same bytes stands for it,
		       * at addr */
	FATE_DROPPED, /* it is not in the image */
	FATE_CHANGED, /* its name is at addr, but not its bytes */
	FATE_UNKNOWN, /* it may be in unexplained bytes, or not there at all */
	NFATES
};

/* Why a section was dropped, as far as that can be known. */
enum drop_reason {
	DROP_UNUSED,	 /* no other reason: garbage collection, or a script */
	DROP_DUPLICATE,	 /* a COMDAT group of the same name was kept */
	DROP_OVERRIDDEN, /* another section has its name */
	DROP_ALIKE,	 /* another has its bytes: dropped, or folded */
};

/* Why a placed section left the order of the inputs. */
enum move_reason {
	MOVE_NONE,    /* it is */
	MOVE_SECTION, /* it is in another section of the image than its
		       * neighbours */
	MOVE_NAME,    /* linkers group sections of such a name */
	MOVE_SORTED,  /* names are in order there */
	MOVE_OTHER,   /* none of these: perhaps a script or an ordering file */
	NMOVES
};

#define NO_SECTION SIZE_MAX

struct drift_section {
	size_t input; /* which object */
	uint32_t shndx;
	const char *name;
	uint64_t size;	   /* in the input */
	uint64_t expected; /* offset from the text start if all sections of
			    * this name were there, in the order of the
			    * inputs */
	enum fate fate;
	enum drop_reason reason;
	uint64_t addr;	   /* in the image; not set if dropped or unknown */
	uint64_t new_size; /* likewise */
	enum move_reason move;
	bool is_alike; /* one of several equal sections, paired in order */
	size_t other;  /* the section that stands for it, or has its name, or
			* NO_SECTION */
	/* If it changed: */
	uint64_t offset;      /* of the first byte that differs; or behind
			       * the first bytes that the linker deleted */
	uint64_t ndifferent;  /* bytes, where it is compared as it stands */
	const char *symbol;   /* the first symbol that moved against the
			       * others, or NULL, */
	int64_t displacement; /* and by how much */
};

/* What became of one or more instructions. */
enum rewrite_class {
	REWRITE_GOT_BRANCH, /* a branch through the GOT is a direct one */
	REWRITE_GOT_LOAD,   /* a load from the GOT became an address or a
			     * value */
	REWRITE_TLS,	    /* another model of thread-local storage */
	REWRITE_DETOUR,	    /* moved away, with a branch to it */
	REWRITE_REDIRECT,   /* a veneer does it, or split stacks want it */
	REWRITE_SHORTENED,  /* it has fewer bytes */
	REWRITE_OTHER,	    /* another instruction of the same length */
	NREWRITE_CLASSES
};

/* One or more instructions that changed in place. */
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
	const char *symbol; /* of the image, at an unexplained range; or NULL */
};

/* A branch between input sections that leads to another place. */
struct drift_stray {
	size_t section, to; /* the section that contains it, and the one that
			     * it should lead to */
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
	size_t nbranches;    /* that were followed */
	size_t nshortcuts;   /* of the shortcuts: they lead to the target of a
			      * jump at their target */
	uint64_t text_start; /* what offsets are measured from */
	/* Counts of the above. */
	size_t nfates[NFATES];
	size_t nmoves[NMOVES]; /* the first is of all others */
	size_t nclasses[NREWRITE_CLASSES];
	uint64_t nbytes[NBINS];
	size_t nalike;
	size_t nright;	      /* placed ones that are where was expected */
	size_t ndisplaced;    /* the fewest that moved: without them, the placed
			       * sections are in the order of the inputs */
	size_t nshortened;    /* placed sections in which the linker deleted
			       * code, */
	uint64_t ndeleted;    /* and how many bytes of all */
	uint64_t nwide_bytes; /* of gaps that are larger than alignment
			       * requires */
};

/*
 * Fills DRIFT for the N INPUTS, which are checked partials, and the checked
 * FINAL. Returns -1 on trouble, diagnosed. Call drift_free either way.
 */
int drift_objects(struct diag *d, const struct object *inputs, size_t n,
		  const struct object *final, struct drift *drift);
void drift_free(struct drift *drift);

/*
 * Does the final contain any of the inputs' text? Also true if they have none.
 */
bool drift_has_text(const struct drift *drift);

/* Did no text move or change inside a section, and is everything explained? */
bool drift_is_none(const struct drift *drift);

const char *rewrite_class_name(enum rewrite_class class);
const char *fate_name(enum fate fate);
const char *drop_reason_name(enum drop_reason reason);
const char *move_reason_name(enum move_reason reason);
const char *drift_bin_name(enum drift_bin bin);

#endif
