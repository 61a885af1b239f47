/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: finds where a section of a partial is in the final, and
 * whether its bytes are the same there.
 */
#ifndef SDTLINK_PLACE_H
#define SDTLINK_PLACE_H

#include "elf/functions.h"
#include "elf/image.h"
#include "elf/landmarks.h"
#include "elf/section-relocs.h"

enum placement_state {
	PLACEMENT_UNKNOWN,  /* not looked for */
	PLACEMENT_PLACED,   /* at addr, by its symbols */
	PLACEMENT_ABSENT,   /* none of its symbols is in the final */
	PLACEMENT_MOVED,    /* its symbols moved by different amounts */
	PLACEMENT_DIFFERS,  /* at addr, but with other bytes */
	PLACEMENT_AMBIGUOUS /* it fits several places */
};

/* Local symbols have many namesakes. No more places than this are kept. */
#define CANDIDATES_MAX 1024

struct placement {
	enum placement_state state;
	uint64_t addr;
	uint64_t size; /* in the final */
	/* If MOVED: the first symbol that disagrees, and by how much. If
	 * DIFFERS: the offset and the address of the first different byte. */
	const char *symbol;
	uint64_t offset;
	int64_t displacement;
	uint64_t at;
	bool is_pinned; /* a global symbol decides; CANDIDATES is empty */
	bool is_sole;	/* not pinned, but all its names imply one place */
	/* The places at which the section fits; owned. */
	uint64_t *candidates;
	size_t ncandidates;
	bool is_cut; /* there may be more */
};

/* A rewrite changes no byte further than this from the relocated field. One
 * type of relocation names an instruction that is several instructions away. */
#define REWRITE_REACH 64

struct placer {
	struct diag *d;
	const struct object *partial;
	const struct names *names; /* of the partial */
	const struct image *img;
	struct landmarks landmarks; /* of the partial */
	struct listings *listings;  /* shared; see implied.h */
	/* By symbol of the partial: its global name is that of another given
	 * function, and places nothing; owned. NULL: none is. */
	bool *is_anothers;
};

/* NAMES are those of the partial. Call placer_close either way. */
int placer_open(struct diag *d, const struct names *names,
		const struct image *img, struct placer *placer);
void placer_close(struct placer *placer);

/*
 * Adds ADDR to the places of PLACEMENT, unless it is one of the first NKNOWN.
 * Returns -1 on trouble, diagnosed.
 */
int placer_add_candidate(const struct placer *placer,
			 struct placement *placement, size_t nknown,
			 uint64_t addr);

/*
 * FOUND is the image's symbol of the name of SYM. Is it an alias that a linker
 * script made (NAME = OTHER)? It is if another symbol of the partial is at the
 * same address, and the address is in another section of the image than REST.
 * But NAME may be right all the same, and OTHER be the alias.
 */
bool placer_is_alias(const struct placer *placer, const struct symbol *sym,
		     const struct symbol *found, uint64_t rest);

/* Is ADDR in the section of FOUND? Also true if FOUND is in no section. */
bool placer_shares_section(const struct placer *placer,
			   const struct symbol *found, uint64_t addr);

/* Notes that the global name of symbol SYMNDX places nothing. */
int placer_note_anothers(struct placer *placer, uint32_t symndx);

static inline bool placer_is_anothers(const struct placer *placer,
				      uint32_t symndx)
{
	return placer->is_anothers != NULL && placer->is_anothers[symndx];
}

/* Linkers keep types: a variable of the same name is not the function SYM. */
static inline bool placer_same_use(const struct symbol *sym,
				   const struct symbol *found)
{
	return sym->type != STT_FUNC || !symbol_is_data(found);
}

/*
 * Could FOUND of the image be the partial's SYM? A weak symbol stays weak, so a
 * global FOUND is another object's definition, which overrides a weak SYM.
 */
static inline bool placer_is_namesake(const struct symbol *sym,
				      const struct symbol *found)
{
	return (sym->bind != STB_WEAK || found->bind != STB_GLOBAL) &&
	       placer_same_use(sym, found);
}

/*
 * Has FOUND another size than SYM? Then it is another definition. In text that
 * RELAXES, a symbol may have become shorter. (objcopy --weaken and the like
 * change the binding of a symbol, but not its size.)
 */
static inline bool placer_has_other_size(const struct symbol *sym,
					 const struct symbol *found,
					 bool relaxes)
{
	return relaxes ? found->size > sym->size : found->size != sym->size;
}

/*
 * The section of SYM does not fit at FOUND. Did another object define FOUND? If
 * FOUND is weak and SYM is not, it did: a linker that sees both takes SYM, so
 * it did not see SYM.
 */
static inline bool placer_is_instead(const struct symbol *sym,
				     const struct symbol *found, bool relaxes)
{
	return sym->bind == STB_GLOBAL && found->bind == STB_WEAK &&
	       placer_has_other_size(sym, found, relaxes);
}

/* Does the image define the symbol of R, a relocation of the partial? */
bool placer_is_defined(const struct placer *placer, const struct reloc *r);

/* Is section SHNDX, which does not relax, at ADDR of the final? */
bool placer_fits(const struct placer *placer, uint32_t shndx,
		 const struct section_relocs *relocs, uint64_t addr);

/* Differences between a section and the image that nothing explains. */
#define DIFFERENCES_MAX 256

struct differences {
	struct byte_range ranges[DIFFERENCES_MAX]; /* offsets, ascending */
	size_t n;
	bool is_cut; /* there are more */
};

/*
 * Lists all differences between section SHNDX, which does not relax, and the
 * bytes at ADDR of the final. False if there is no text, or if there are too
 * many.
 */
bool placer_differences(const struct placer *placer, uint32_t shndx,
			const struct section_relocs *relocs, uint64_t addr,
			struct differences *differences);

/*
 * Finds section SHNDX of the partial in the final. Compares each byte of it,
 * but for relocated fields and known rewrites. The caller frees
 * placement->candidates either way.
 */
int placer_place(const struct placer *placer, uint32_t shndx,
		 const struct section_relocs *relocs,
		 struct placement *placement);

/*
 * The same in two steps: first by global names, which may leave the state
 * PLACEMENT_UNKNOWN, then by all others.
 */
int placer_place_pinned(const struct placer *placer, uint32_t shndx,
			const struct section_relocs *relocs,
			struct placement *placement);
int placer_place_unpinned(const struct placer *placer, uint32_t shndx,
			  const struct section_relocs *relocs,
			  struct placement *placement);

/*
 * At least so many bytes of section SHNDX are outside relocations and
 * RELOCS->exempt. A section with fewer than ALONE_MIN fits many places by
 * chance.
 */
#define ALONE_MIN 8
uint64_t placer_count_fixed(const struct placer *placer, uint32_t shndx,
			    const struct section_relocs *relocs);

#endif
