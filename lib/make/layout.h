/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plan of an offsets table: for each section that has sites, the symbol
 * that offsets are measured from.
 *
 * Linkers move a section of a partial as one block, unless they relax, but they
 * may put it anywhere. So an offset is only right from a symbol of the same
 * section whose address the final link sets: a global symbol that no other file
 * can override.
 */
#ifndef SDTLINK_LAYOUT_H
#define SDTLINK_LAYOUT_H

#include "base/options.h"
#include "sites/scan.h"

struct base {
	uint32_t shndx;
	const char *symbol; /* NULL in a linker set: the reader knows it */
	const char *prefix; /* before the symbol, so that it means code */
	uint64_t value;	    /* of the symbol, in the section */
	uint8_t mode;	    /* of a function: its value includes this */
	size_t first_site;
	size_t nsites;
};

struct layout {
	/*
	 * In the order of the sites. The last ones are of sections without
	 * sites that sites of the branch form jump to.
	 */
	struct base *bases;
	size_t nbases;
	uint32_t *base_of; /* section index -> base index or NO_INDEX */
};

/*
 * Fails with a diagnostic for each section without a usable symbol. Call
 * layout_free either way.
 */
int layout_plan(struct diag *d, const struct object *obj,
		const struct options *options, const struct site_set *set,
		struct layout *layout);
void layout_free(struct layout *layout);

/* Can an assembler read NAME as a symbol, unquoted? */
bool layout_is_asm_symbol(const char *name);

/* Can it be in a C identifier? All names are checked with this. */
static inline bool is_symbol_char(char c)
{
	unsigned code = (unsigned char)c;

	return (code | 0x20) - 'a' < 26 || code - '0' < 10 || c == '_' ||
	       c == '.' || c == '$';
}

/*
 * Sets PLACE, of section SHNDX, to the first relocation by which the final link
 * may shorten its code.
 */
void layout_find_relaxed(const struct object *obj, uint32_t shndx,
			 struct place *place);

#endif
