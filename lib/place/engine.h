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
#ifndef SDTLINK_PLACE_ENGINE_H
#define SDTLINK_PLACE_ENGINE_H

#include "drift.h"
#include "elf/image.h"
#include "elf/landmarks.h"
#include "elf/section-relocs.h"

/* What became of an item's offsets, if it is at ADDR; see walk.c. */
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
	/* The window that is searched for: clean of what may change. */
	uint64_t key_offset;
	unsigned key_size; /* 8, 4, or 0 without one */
	unsigned key_lost; /* of key_offset: bytes that may be deleted */
	uint64_t nfixed;   /* bytes that are in no relocation's field */
	size_t kind;	   /* which struct kind */
	bool is_settled;
	struct walked walked;
};

/* Items whose fixed bits, and relocations, are the same. */
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

/* Where the bits of a kind are that has a key. */
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

/* All definitions of one name: strong ones, weak ones, local ones, each in the
 * order of inputs. */
struct named {
	const struct definition *all;
	size_t n, nglobal, nstrong;
	size_t first_left;		/* rules.c: all before are settled */
	const struct definition *taken; /* of several weak ones; or NULL */
	uint64_t when;			/* nsettled when that was known */
	/* leave.c: how many symbols at ADDR have it, and how many sections
	 * that are there; at OWNER's place, or NO_SECTION's. */
	uint64_t addr;
	size_t owner, nsymbols, nknown;
};

/* Text of the image, and which of its bytes a section has. */
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
	bool is_guessing;    /* no evidence tells what is settled now */
	bool is_done;	     /* all that can be settled is */
	struct drift *drift;
};

/* fields.c; fields_free is due either way. */
int fields_open(struct engine *e);
void fields_free(struct engine *e);

/* The text that [ADDR, ADDR + SIZE) is in, or NULL. */
struct field *fields_find(const struct engine *e, uint64_t addr, uint64_t size);

/* item.c; items_free is due either way. All return -1 on trouble, diagnosed. */
int items_collect(struct engine *e, const struct object *inputs, size_t n);
void items_free(struct engine *e);

/* Which global definitions of NAME there are: the first, and how many. */
const struct definition *items_define(const struct engine *e, const char *name,
				      size_t *n);
/* All of them, with local ones behind these; NULL if there are none. */
struct named *items_named(const struct engine *e, const char *name);
/* Which of NAMED, or NULL, the linker took, as far as that is known. */
const struct definition *items_taken(const struct engine *e,
				     struct named *named);

/* For sort_with, of items that have a place: by address. CTX is the engine. */
int items_compare(const void *a, const void *b, void *ctx);

/* The item of section SHNDX of the object of PART, or NO_SECTION. */
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
	/* Receives what nothing explains; NULL: the first is enough. */
	void (*differs)(void *ctx, uint64_t offset, uint64_t size);
	void *ctx;
};

/* Are the fixed bits of ITEM at OFFSET of CODE? SINK may be NULL. */
bool same_at(const struct engine *e, const struct item *item,
	     const struct code *code, uint64_t offset,
	     const struct same_sink *sink);

/* Have both the same fixed bits, and relocations in the same places? */
bool same_items(const struct engine *e, const struct item *a,
		const struct item *b);
uint64_t same_hash(const struct engine *e, const struct item *item);

/* walk.c: same_at where linkers delete code; only the first difference. */
bool walk_same(const struct engine *e, const struct item *item,
	       const struct code *code, uint64_t offset,
	       const struct same_sink *sink);

/* How large ITEM is at ADDR of the image; 0 if it cannot be there. */
uint64_t walk_size(const struct engine *e, const struct item *item,
		   uint64_t addr);

/* How far behind ADDR is what ITEM has at OFFSET? False if it is not there. */
bool walk_offset(const struct engine *e, const struct item *item, uint64_t addr,
		 uint64_t offset, uint64_t *to);

/* Where ITEM begins if its OFFSET is at ADDR: at one of the places at which its
 * bits were found. False if none will do. */
bool walk_start(const struct engine *e, const struct item *item,
		uint64_t offset, uint64_t addr, uint64_t *start);

/* Sets the key of ITEM. */
void same_key(const struct engine *e, struct item *item);

/*
 * Is the code at *OFFSET of item *TO a jump to another item? Then that becomes
 * both: lld 20 and later make branches to a jump go to where it does.
 */
bool evidence_goes_on(const struct engine *e, size_t *to, uint64_t *offset);

/* Is there code that linkers put between a branch and its target? */
bool evidence_is_between(const struct engine *e, uint64_t addr);

/* seek.c: fills the addresses of all kinds that have a key. */
int seek_kinds(struct engine *e);

/* Adds ADDR, at which KIND's bits are, to its addresses. */
int seek_add(struct engine *e, struct kind *kind, uint64_t addr);

/* The index of ADDR in the addresses of KIND, or NO_SECTION. */
size_t seek_index(const struct kind *kind, uint64_t addr);

/* How large an item of KIND is at ADDR: 0 if its bits were not found there. */
uint64_t seek_size(const struct engine *e, const struct kind *kind,
		   uint64_t addr);

/* evidence.c: where names say that ITEM is, and where a branch leads. */

/* The address of the item, if that name were its; SYM is the image's. */
bool evidence_next(const struct engine *e, const struct item *item,
		   size_t *landmark, uint32_t *symndx, struct symbol *own,
		   struct symbol *found);
/* The one place that a name tells that nobody else has, or the entry of the
 * image; or false. */
bool evidence_named(const struct engine *e, const struct item *item,
		    uint64_t *addr);
/* Does the image call what is at ADDR otherwise than ITEM does? */
bool evidence_forbids(const struct engine *e, const struct item *item,
		      uint64_t addr);

/*
 * Calls FOUND for each branch of ITEM, if that is AT, to an item of the inputs:
 * TO, which must begin at ADDR for that. The branch is FROM a field to TARGET.
 * What the loader will write tells nothing.
 */
void evidence_branches(const struct engine *e, const struct item *item,
		       uint64_t at,
		       void (*found)(void *ctx, size_t to, uint64_t addr,
				     uint64_t target, uint64_t from),
		       void *ctx);

/* What has fewer fixed bytes fits many a place by chance. */
#define FIXED_MIN 8

/* settle.c; is [ADDR, ADDR + SIZE) text that no section has? */
bool settle_is_free(const struct engine *e, uint64_t addr, uint64_t size);

/* Are the bits of KIND at ADDR? Notes it, if the search did not find that. */
bool settle_has_bits(struct engine *e, struct kind *kind, uint64_t addr);

/* Would its branches lead to where they can, and no name say otherwise? */
bool settle_is_right(struct engine *e, const struct item *item, uint64_t addr);

/* The same, and is the place free, and has nobody taken the item's? */
bool settle_is_open(struct engine *e, const struct item *item, uint64_t addr);

/* The same, and not by chance. */
bool settle_is_likely(struct engine *e, const struct item *item, uint64_t addr);

/*
 * Item I is at ADDR, if its bits are, and nothing else is. IS_GUESS: others
 * may be there as well.
 */
bool settle_item(struct engine *e, size_t i, uint64_t addr, bool is_guess);

/* What the branches of all that is settled say. */
void settle_follow(struct engine *e);

/*
 * Lets sections that got their places by choice change these with one another,
 * or with those that have none, where branches say so. False if none does.
 */
bool settle_exchange(struct engine *e);

/* Gives the place of the Nth that was settled to item I of its kind, if the
 * branches of that are right there. */
bool settle_replace(struct engine *e, size_t n, size_t i);

/* Which of its items is the first that is not settled; nitems if all are. */
size_t settle_first_left(const struct engine *e, struct kind *kind);

/* Takes back all but the first N that were settled. */
void settle_undo(struct engine *e, size_t n);

/*
 * tile.c: fills gaps with what is left, so that no byte stays unexplained. Only
 * where that goes in one way, unless that may be guessed. Sets *IS_NEW if it
 * could.
 */
int tile_gaps(struct engine *e, bool may_guess, bool *is_new);

/* rules.c: gives items their places. */
int rules_apply(struct engine *e);

/* leave.c: what became of items that got none, first by what is there, where it
 * sorts the queue by address; and once all bytes of the image were looked at,
 * by what may be in the rest. */
int leave_known(struct engine *e);
void leave_unknown(struct engine *e);

/* moves.c: behind leave_known. */
int moves_list(struct engine *e);

/* In taken: a section of the inputs, and one that changed. */
enum { TAKEN = 1, TAKEN_CHANGED = 2 };

/* ranges.c; is [START, END) of FIELD nothing but fill? */
int ranges_list(struct engine *e);
bool ranges_is_fill(struct engine *e, const struct field *field, uint64_t start,
		    uint64_t end);

/* Behind the fill, or the code that linkers make, at START of [START, END); or
 * START. */
uint64_t ranges_made_end(struct engine *e, const struct field *field,
			 uint64_t start, uint64_t end);

#endif
