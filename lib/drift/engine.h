/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Between the files that place sections, each of which is one rule:
 *   fields.c    the image's text
 *   item.c      what is to be placed: sections with bytes, relocations, names
 *   same.c      which bits are fixed, and are they the same there?
 *   walk.c      the same where linkers delete code
 *   seek.c      all places at which a section's fixed bits are
 *   evidence.c  what says that one of these is its own
 *   settle.c    gives a section a place, and takes it back
 *   tile.c      how what is left fills the gaps
 *   rules.c     who gets which place, until nothing more follows
 *   leave.c     what became of those that got none
 *   ranges.c    what each byte of the image's text is
 *   moves.c     which sections left the order of the inputs, and why
 */
#ifndef SDTLINK_DRIFT_ENGINE_H
#define SDTLINK_DRIFT_ENGINE_H

#include "drift.h"
#include "elf/image.h"
#include "elf/landmarks.h"
#include "elf/section-relocs.h"

/* What became of an item's offsets if it is at ADDR; see walk.c. */
struct walked {
	bool is_known, fits;
	uint64_t addr, size;  /* in the image */
	struct shift *shifts; /* owned */
	size_t nshifts;
};

/* An executable section of an input. */
struct item {
	const struct object *obj;
	struct drift_section *to;
	struct code code;	      /* its bytes; the address is 0 */
	struct section_relocs relocs; /* owned */
	const char *group;	 /* the name of its COMDAT group, or NULL */
	const uint32_t *symbols; /* its landmarks, by index */
	size_t nsymbols;
	size_t *names; /* of each, which struct named; not owned */
	/* The window that is searched for. Nothing may change in it. */
	uint64_t key_offset;
	unsigned key_size; /* 8, 4, or 0 without one */
	unsigned key_lost; /* of key_offset: bytes that may be deleted */
	uint64_t nfixed;   /* bytes that are in no relocation's field */
	size_t kind;	   /* which struct kind */
	bool is_settled;
	struct walked walked;
};

/* Items whose fixed bits and relocations are equal. */
struct kind {
	size_t first;	      /* the item that stands for all */
	size_t *items;	      /* ascending; owned by the engine */
	size_t first_left;    /* all items before that one are settled */
	size_t nitems, nleft; /* that are not settled */
	uint64_t *addrs;      /* at which those bits are, ascending; owned */
	uint64_t *sizes;      /* by address: how large it is there; owned */
	size_t *owners;	      /* by address: the item there, or NO_SECTION */
	size_t naddrs;
};

/* An address with the bits of a kind that has a key. */
struct candidate {
	uint64_t addr;
	uint64_t reach; /* the furthest end of all up to this one */
	size_t kind;
};

/* A name that an input defines in text. */
struct definition {
	const char *name;
	uint32_t hash;
	bool is_local, is_weak;
	size_t item;
	uint32_t symndx;
	size_t *named; /* where to say which name it is */
};

/*
 * All definitions of one name: strong, weak, then local ones, each in the order
 * of the inputs.
 */
struct named {
	const struct definition *all;
	size_t n, nglobal, nstrong;
	size_t first_left;		/* rules.c: all before are settled */
	const struct definition *taken; /* of several weak ones; or NULL */
	uint64_t when;			/* nsettled when that was known */
	/*
	 * leave.c: at the place of OWNER, or NO_SECTION: the number of symbols
	 * at ADDR with this name, and of sections that are there.
	 */
	uint64_t addr;
	size_t owner, nsymbols, nknown;
};

/* Text of the image. Marks the bytes that belong to a section. */
struct field {
	const struct image_section *is;
	uint8_t *taken; /* owned */
};

struct part {
	const struct object *obj;
	struct landmarks landmarks;
	size_t *items; /* section -> item, or NO_SECTION; owned */
};

struct engine {
	struct diag *d;
	const struct arch *arch;
	struct image img;
	uint64_t got; /* what decode_plt wants to know */
	struct part *parts;
	size_t nparts;
	struct item *items;
	size_t nitems;
	struct kind *kinds;
	size_t nkinds;
	struct candidate *candidates; /* by address, largest first; owned */
	size_t ncandidates;
	size_t *members;		/* items, by kind; owned */
	struct definition *definitions; /* by hash and name */
	size_t ndefinitions;
	struct named *named; /* by hash and name; owned */
	size_t nnamed;
	size_t *names;	     /* of all items; owned */
	size_t *short_kinds; /* that have no key; owned */
	size_t nshort;
	uint64_t nsettled;    /* how often an item got a place, or lost it */
	struct field *fields; /* by address */
	size_t nfields;
	size_t *queue;	     /* settled items, in that order; owned */
	size_t nqueue, done; /* how many; whose branches were followed */
	bool is_guessing;    /* no evidence shows what is settled now */
	bool is_done;	     /* all that can be settled is */
	struct drift *drift;
};

/* fields.c; fields_free is due either way. */
int fields_open(struct engine *e);
void fields_free(struct engine *e);

/* The text that contains [ADDR, ADDR + SIZE), or NULL. */
struct field *fields_find(const struct engine *e, uint64_t addr, uint64_t size);

/* item.c. All return -1 on trouble, diagnosed. Call items_free either way. */
int items_collect(struct engine *e, const struct object *inputs, size_t n);
void items_free(struct engine *e);

/* The global definitions of NAME: the first one and their number. */
const struct definition *items_define(const struct engine *e, const char *name,
				      size_t *n);
/*
 * All definitions of NAME, with local ones behind the others. NULL if there are
 * none.
 */
struct named *items_named(const struct engine *e, const char *name);
/* The definition of NAMED that the linker took, or NULL if that is unknown. */
const struct definition *items_taken(const struct engine *e,
				     struct named *named);

/*
 * Compares items that have a place by address, for sort_with. CTX is the
 * engine.
 */
int items_compare(const void *a, const void *b, void *ctx);

/* The item of section SHNDX of PART's object, or NO_SECTION. */
static inline size_t items_of(const struct part *part, uint32_t shndx)
{
	return shndx < part->obj->nsections ? part->items[shndx] : NO_SECTION;
}

/* same.c */

/* SIZE bytes at OFFSET of the item, and what they became. */
struct same_change {
	uint64_t offset, to; /* both from where the item begins */
	unsigned size, new_size;
	enum rewrite_class class;
	const char *reloc; /* the name of its relocation, or NULL */
};

/* Receives what has become others. */
struct same_sink {
	void (*found)(void *ctx, const struct same_change *change);
	/*
	 * Called for each unexplained difference. If NULL, the comparison ends
	 * at the first.
	 */
	void (*differs)(void *ctx, uint64_t offset, uint64_t size);
	void *ctx;
};

/* Are ITEM's fixed bits at OFFSET of CODE? SINK may be NULL. */
bool same_at(const struct engine *e, const struct item *item,
	     const struct code *code, uint64_t offset,
	     const struct same_sink *sink);

/* Do both have the same fixed bits, and relocations at the same offsets? */
bool same_items(const struct engine *e, const struct item *a,
		const struct item *b);
uint64_t same_hash(const struct engine *e, const struct item *item);

/* Sets the key of ITEM. */
void same_key(const struct engine *e, struct item *item);

/*
 * walk.c: same_at where linkers delete code. Reports only the first difference.
 */
bool walk_same(const struct engine *e, const struct item *item,
	       const struct code *code, uint64_t offset,
	       const struct same_sink *sink);

/* ITEM's size at ADDR of the image, or 0 if it cannot be there. */
uint64_t walk_size(const struct engine *e, const struct item *item,
		   uint64_t addr);

/*
 * The distance from ADDR to ITEM's byte at OFFSET. Returns false if it is not
 * there.
 */
bool walk_offset(const struct engine *e, const struct item *item, uint64_t addr,
		 uint64_t offset, uint64_t *to);

/*
 * The start of ITEM if its byte at OFFSET is at ADDR. It must be a place at
 * which its bits were found. Else returns false.
 */
bool walk_start(const struct engine *e, const struct item *item,
		uint64_t offset, uint64_t addr, uint64_t *start);

/* seek.c: lists the candidates of all kinds that have a key. */
int seek_kinds(struct engine *e);

/* Adds ADDR, where KIND's bits are, to its candidates. */
int seek_add(struct engine *e, struct kind *kind, uint64_t addr);

/* The index of ADDR in the candidates of KIND, or NO_SECTION. */
size_t seek_index(const struct kind *kind, uint64_t addr);

/* The size of an item of KIND at ADDR. 0 if its bits were not found there. */
uint64_t seek_size(const struct engine *e, const struct kind *kind,
		   uint64_t addr);

/* evidence.c: where names put ITEM, and where branches lead. */

/*
 * Is the code at *OFFSET of item *TO a jump to another item? Then sets both to
 * its target: lld 20 and later let branches to a jump go to its target.
 */
bool evidence_goes_on(const struct engine *e, size_t *to, uint64_t *offset);

/* Is there code that linkers put between a branch and its target? */
bool evidence_is_between(const struct engine *e, uint64_t addr);

/* The item's address if the symbol SYM of the image is the item's. */
bool evidence_next(const struct engine *e, const struct item *item,
		   size_t *landmark, uint32_t *symndx, struct symbol *own,
		   struct symbol *found);
/*
 * The item's only place by a name that no other item has, or by the image's
 * entry. Else returns false.
 */
bool evidence_named(const struct engine *e, const struct item *item,
		    uint64_t *addr);
/* Does the image have a name at ADDR that is not ITEM's? */
bool evidence_forbids(const struct engine *e, const struct item *item,
		      uint64_t addr);

/*
 * Calls FOUND for each branch of ITEM, if that is AT, to an item of the inputs:
 * TO, which must begin at ADDR if the branch is right. The branch is FROM a
 * field to TARGET. Fields that the loader will write are left out.
 */
void evidence_branches(const struct engine *e, const struct item *item,
		       uint64_t at,
		       void (*found)(void *ctx, size_t to, uint64_t addr,
				     uint64_t target, uint64_t from),
		       void *ctx);

/* A section with fewer fixed bytes fits many places by chance. */
#define FIXED_MIN 8

/* settle.c. Is [ADDR, ADDR + SIZE) text that belongs to no section? */
bool settle_is_free(const struct engine *e, uint64_t addr, uint64_t size);

/*
 * Are the bits of KIND at ADDR? Adds the candidate if the search did not find
 * it.
 */
bool settle_has_bits(struct engine *e, struct kind *kind, uint64_t addr);

/* Would its branches lead to possible places, and does no name contradict? */
bool settle_is_right(struct engine *e, const struct item *item, uint64_t addr);

/*
 * The same. Also, is the place free, and does no other section stand for the
 * item?
 */
bool settle_is_open(struct engine *e, const struct item *item, uint64_t addr);

/* The same, and not by chance. */
bool settle_is_likely(struct engine *e, const struct item *item, uint64_t addr);

/*
 * Puts item I at ADDR, if its bits are there and the place is free. IS_GUESS:
 * other items could be there.
 */
bool settle_item(struct engine *e, size_t i, uint64_t addr, bool is_guess);

/* Draws conclusions from the branches of all settled items. */
void settle_follow(struct engine *e);

/*
 * Lets items whose places are choices exchange them, with each other or with
 * items without a place, where branches require it. Returns false if none did.
 */
bool settle_exchange(struct engine *e);

/*
 * Gives the place of the Nth settled item to item I of its kind, if its
 * branches are right there.
 */
bool settle_replace(struct engine *e, size_t n, size_t i);

/* Index of the kind's first item that is not settled; nitems if all are. */
size_t settle_first_left(const struct engine *e, struct kind *kind);

/* Takes back all but the first N settled items. */
void settle_undo(struct engine *e, size_t n);

/*
 * tile.c: fills gaps with the remaining items, so that no byte stays
 * unexplained. There must be only one way, unless MAY_GUESS. Sets *IS_NEW if it
 * filled one.
 */
int tile_gaps(struct engine *e, bool may_guess, bool *is_new);

/* rules.c: gives items their places. */
int rules_apply(struct engine *e);

/*
 * leave.c: decides what became of items without a place. leave_known judges by
 * what is there, and sorts the queue by address. leave_unknown runs once all
 * bytes of the image have a range, and judges by what may be in the unexplained
 * ones.
 */
int leave_known(struct engine *e);
void leave_unknown(struct engine *e);

/* moves.c: behind leave_known. */
int moves_list(struct engine *e);

/* In taken: bytes of an input section, and of one that changed. */
enum { TAKEN = 1, TAKEN_CHANGED = 2 };

/* ranges.c: puts each byte of the image's text into a range. */
int ranges_list(struct engine *e);

/* Is [START, END) of FIELD only fill? */
bool ranges_is_fill(struct engine *e, const struct field *field, uint64_t start,
		    uint64_t end);

/*
 * The end of the fill, or of linker-made code, at START of [START, END). START
 * if there is neither.
 */
uint64_t ranges_made_end(struct engine *e, const struct field *field,
			 uint64_t start, uint64_t end);

#endif
