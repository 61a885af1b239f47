/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: where the sections of a partial are in the final, and
 * whether their bytes are the same there.
 */
#ifndef SDTLINK_PLACE_H
#define SDTLINK_PLACE_H

#include "elf/image.h"
#include "elf/landmarks.h"
#include "elf/section-relocs.h"

enum placement_state {
	PLACEMENT_UNKNOWN,  /* not looked for */
	PLACEMENT_PLACED,   /* at addr, as far as symbols tell */
	PLACEMENT_ABSENT,   /* none of its symbols is in the final */
	PLACEMENT_MOVED,    /* its symbols moved by different amounts */
	PLACEMENT_DIFFERS,  /* at addr, but its bytes are others */
	PLACEMENT_AMBIGUOUS /* it fits several places */
};

/* Local symbols have many namesakes; this many places are told apart. */
#define CANDIDATES_MAX 1024

struct placement {
	enum placement_state state;
	uint64_t addr;
	uint64_t size; /* in the final */
	/* If MOVED: the first symbol that disagrees, and by how much; if
	 * DIFFERS: where the first different byte is, and its address. */
	const char *symbol;
	uint64_t offset;
	int64_t displacement;
	uint64_t at;
	bool is_pinned; /* by a global symbol; then CANDIDATES is empty */
	bool is_sole; /* else: all its names in the image tell of that place */
	/* The places that it fits; owned. */
	uint64_t *candidates;
	size_t ncandidates;
	bool is_cut; /* there may be more */
};

/* Rewrites reach this far before and behind the relocated field: one type of
 * relocation names an instruction that is some others away. */
#define REWRITE_REACH 64

struct placer {
	struct diag *d;
	const struct object *partial;
	const struct names *names; /* of it */
	const struct image *img;
	struct landmarks landmarks; /* of the partial */
	struct listings *listings;  /* shared; see implied.h */
};

/* NAMES are those of the partial. placer_close is due either way. */
int placer_open(struct diag *d, const struct names *names,
		const struct image *img, struct placer *placer);
void placer_close(struct placer *placer);

/*
 * Notes another place that fits, if it is none of the first NKNOWN. Returns -1
 * on trouble, diagnosed.
 */
int placer_add_candidate(const struct placer *placer,
			 struct placement *placement, size_t nknown,
			 uint64_t addr);

/*
 * Does FOUND, the image's SYM, name another symbol of the partial, in another
 * section of the image than REST, as after NAME = OTHER in a linker script? It
 * may be the right one for all that, and OTHER the alias.
 */
bool placer_is_alias(const struct placer *placer, const struct symbol *sym,
		     const struct symbol *found, uint64_t rest);

/* Is ADDR in the section of FOUND, or is FOUND in none? */
bool placer_shares_section(const struct placer *placer,
			   const struct symbol *found, uint64_t addr);

/*
 * Could FOUND of the image be the partial's SYM? A weak symbol stays weak:
 * what is global is another object's definition, which overrides it.
 */
static inline bool placer_is_namesake(const struct symbol *sym,
				      const struct symbol *found)
{
	return sym->bind != STB_WEAK || found->bind != STB_GLOBAL;
}

/*
 * Has FOUND another size than SYM, so that it is another definition? Of text that
 * RELAXES, linkers make less. Who changed only the binding left the size.
 */
static inline bool placer_has_other_size(const struct symbol *sym,
					 const struct symbol *found,
					 bool relaxes)
{
	return relaxes ? found->size > sym->size : found->size != sym->size;
}

/*
 * Is FOUND, where the section of SYM does not fit, another object's? A linker
 * that has both takes the strong one, so it did not have this.
 */
static inline bool placer_is_instead(const struct symbol *sym,
				     const struct symbol *found, bool relaxes)
{
	return sym->bind == STB_GLOBAL && found->bind == STB_WEAK &&
	       placer_has_other_size(sym, found, relaxes);
}

/* Is section SHNDX, which does not relax, at ADDR of the final? */
bool placer_fits(const struct placer *placer, uint32_t shndx,
		 const struct section_relocs *relocs, uint64_t addr);

/* What nothing explains, where a section is. */
#define DIFFERENCES_MAX 256

struct differences {
	struct byte_range ranges[DIFFERENCES_MAX]; /* offsets, ascending */
	size_t n;
	bool is_cut; /* there are more */
};

/*
 * Lists all differences of section SHNDX, which does not relax, if that is at
 * ADDR of the final. False if that is not text, or there are too many.
 */
bool placer_differences(const struct placer *placer, uint32_t shndx,
			const struct section_relocs *relocs, uint64_t addr,
			struct differences *differences);

/*
 * Finds section SHNDX of the partial in the final and compares every byte of
 * it outside relocated fields and the known in-place rewrites.
 * placement->fits is due to be freed either way.
 */
int placer_place(const struct placer *placer, uint32_t shndx,
		 const struct section_relocs *relocs,
		 struct placement *placement);

/*
 * The same in two steps: as far as global names tell, or else the state is
 * PLACEMENT_UNKNOWN; and then by all others.
 */
int placer_place_pinned(const struct placer *placer, uint32_t shndx,
			const struct section_relocs *relocs,
			struct placement *placement);
int placer_place_unpinned(const struct placer *placer, uint32_t shndx,
			  const struct section_relocs *relocs,
			  struct placement *placement);

/*
 * Bytes of section SHNDX outside relocations and RELOCS->exempt, at least. One
 * with fewer than ALONE_MIN of its own fits many a place by chance.
 */
#define ALONE_MIN 8
uint64_t placer_count_fixed(const struct placer *placer, uint32_t shndx,
			    const struct section_relocs *relocs);

#endif
