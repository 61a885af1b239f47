/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The records that --nop made of sites before it switched them off. The final
 * has them in a section that is not loaded, with the addresses that the linker
 * gave to the sites.
 */
#ifndef SDTLINK_RECORDS_H
#define SDTLINK_RECORDS_H

#include "elf/image.h"
#include "elf/packed.h"

struct proof;
struct proof_site;

struct record {
	uint64_t addr;
	const uint8_t *bytes; /* SDT_BEFORE_SIZE bytes of the final */
};

struct records {
	struct record *items; /* by address; owned */
	size_t n;
	struct packed packed;
	bool is_compressed; /* some are, in a form that is not known */
	bool is_damaged;
};

/*
 * Reads the records of FINAL, or of its debug file: strip moves them there.
 * Returns -1 without memory, diagnosed. Call records_free either way.
 */
int records_read(struct diag *d, const struct object *final,
		 struct records *records);
void records_free(struct records *records);

/* Are there any, and were all of them read? */
bool records_are_whole(const struct records *records);

/* The index of the first record at or behind ADDR. Is record I at ADDR? */
size_t records_below(const struct records *records, uint64_t addr);
bool records_is_at(const struct records *records, size_t i, uint64_t addr);

/* How RECORD contradicts SITE, which is off; NULL if it does not. */
const char *records_fault(const struct proof *p, const struct record *record,
			  const struct proof_site *site);

/*
 * Reports each record whose site is in the image, but has no entry. Leaves out
 * the sites that P places: match.c judges these.
 */
void records_check(struct proof *p);

/* Does the image have what --nop makes of a site of SITE's form? */
bool records_is_disabled(const struct proof *p, const struct proof_site *site);

/* Is SITE off, and has no record of its probe? */
bool records_lack(const struct proof *p, const struct proof_site *site);

/*
 * Sets *MODE to that of the text at ADDR in IS, by mapping symbols or else by
 * functions. False, and 0, if neither says.
 */
bool records_mode_at(const struct image *img, const struct image_section *is,
		     uint64_t addr, uint8_t *mode);

#endif
