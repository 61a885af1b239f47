/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What --nop has noted of sites that are NOPs now: the final has it in a
 * section that is not loaded, with the addresses that the linker gave them.
 */
#ifndef SDTLINK_RECORDS_H
#define SDTLINK_RECORDS_H

#include "elf/image.h"

struct proof;
struct proof_site;

struct record {
	uint64_t addr;
	const uint8_t *bytes; /* SDT_BEFORE_SIZE of them; the final's */
};

struct records {
	struct record *items; /* by address; owned */
	size_t n;
	bool is_compressed; /* there are some that were not read */
	bool is_damaged;
};

/*
 * Those of FINAL, or of its debug file, where strip leaves them. Fails with a
 * diagnostic without memory; records_free is due either way.
 */
int records_read(struct diag *d, const struct object *final,
		 struct records *records);
void records_free(struct records *records);

/* Are there any, and all that the image has? */
bool records_are_whole(const struct records *records);

/* The first one at or behind ADDR; is number I at ADDR? */
size_t records_below(const struct records *records, uint64_t addr);
bool records_is_at(const struct records *records, size_t i, uint64_t addr);

/* Does RECORD say something else of SITE, which is disabled, than the table? */
const char *records_fault(const struct proof *p, const struct record *record,
			  const struct proof_site *site);

/*
 * Each record of a site that is in the image has an entry; reports those that
 * have none, but for sites that P places, which are judged by themselves.
 */
void records_check(struct proof *p);

/* Is there what a site of SITE's form is once it is disabled? */
bool records_is_disabled(const struct proof *p, const struct proof_site *site);

/* Is SITE off, and no record of its probe tells so? */
bool records_lack(const struct proof *p, const struct proof_site *site);

/* The mode of text at ADDR in IS: symbols tell where marks do not. */
uint8_t records_mode_at(const struct image *img, const struct image_section *is,
			uint64_t addr);

#endif
