/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the site table of a final: what the running program will read. Knows
 * nothing of how it was made.
 */
#ifndef SDTLINK_TABLE_H
#define SDTLINK_TABLE_H

#include "elf/image.h"
#include "base/options.h"

struct table_entry {
	uint64_t addr;	      /* of the instruction (linker set: see below) */
	const char *probe;    /* the probe function's symbol */
	size_t prefix;	      /* length of its prefix */
	const char *function; /* "" if unknown */
	uint64_t stub;	      /* the stub's address, 0 if the table has none */
	uint64_t base;	      /* offsets form: what it is measured from */
	uint64_t base_at;     /* and where the table says that */
	uint64_t descriptor;  /* anchored form: the address of the probe's */
	uint64_t descriptor_size;
	uint64_t target; /* FORM_BRANCH: where it is to jump */
	uint64_t jump;	 /* FORM_BRANCH: where the table says that */
	unsigned form;	 /* enum site_form */
	bool is_enabled;
	/* In a partial: sections; then addr and target are offsets in them. */
	uint32_t shndx, target_shndx;
};

/* A name of a function, as there may be beside an anchored table. */
struct table_name {
	uint64_t addr; /* of the site */
	const char *function;
	uint64_t function_at; /* where the image has it */
};

/* A probe as the offsets form lists it, with or without sites. */
struct table_probe {
	const char *symbol;
	size_t prefix; /* length of its prefix */
	uint64_t stub;
};

struct table {
	enum table_form form;
	uint64_t addr;		     /* of the table */
	uint64_t size;		     /* in bytes */
	struct table_entry *entries; /* in the order of the table */
	size_t nentries;
	struct table_probe *probes; /* offsets form only */
	size_t nprobes;
	bool has_functions; /* offsets form: it names functions */
	/* Anchored form only: the names, by address; and where they are. */
	struct table_name *names;
	size_t nnames;
	uint64_t names_addr, names_size;
};

/*
 * Finds and reads the table of the form that the options ask for, or with
 * TABLE_AUTO the offsets or anchored one that is there. A missing table is no
 * error: *FOUND says so. A damaged one is diagnosed as "table-mismatch".
 *
 * A record of a linker set has the offset of a displacement field from the
 * symbol options->base and a pointer to "struct sdt_probe"; addr is then that
 * of the field, probe is the structure's name, form is 0.
 */
int table_read(struct diag *d, const struct image *img,
	       const struct options *options, struct table *table, bool *found);
/* The anchored form; part of table_read. */
int table_read_anchored(struct diag *d, const struct image *img,
			const struct options *options, struct table *table,
			bool *found);

/* The entries of an anchored table in OBJ, a partial, if it was injected. */
size_t table_count_injected(const struct object *obj,
			    const struct options *options);

/*
 * Reads that table, of a checked OBJ: what the relocations of its entries say.
 * Only addr, shndx, probe, prefix, form, is_enabled and, of FORM_BRANCH, target
 * and target_shndx of an entry are set. table_free is due either way.
 */
int table_read_partial(struct diag *d, const struct object *obj,
		       const struct options *options, struct table *table);

/* Is an offsets table with sites at ADDR, as far as its header tells? */
bool table_is_offsets(const struct image *img, uint64_t addr);

/*
 * A table of either form that has sites, wherever it is: for images whose
 * symbols and sections do not tell. False if there is none.
 */
bool table_find_lost(const struct image *img, uint64_t *addr);

/* A table that was found by what it holds. */
struct found_table {
	enum table_form form;
	uint64_t addr;
	size_t nsites;
	size_t nodd; /* of them, that are no branch or switched-off one */
	size_t nabsent; /* of them, whose code runs where the image has none:
			 * it is copied there; what it is was not looked at */
};

struct found_tables {
	struct found_table *items; /* owned */
	size_t n;
	size_t nunproved; /* the most that follow one another and may be
			   * entries, none of a site that the image has; they
			   * are left out */
};

/*
 * Finds the tables of a final whose symbols and sections do not tell, and
 * appends their sites to TABLE, which table_read has filled or is empty: what
 * that has is not found again. Whatever begins like a table is read whole, and
 * most of its sites must be a branch or a switched-off one; so bytes that only
 * look like a table are none. Behind the last of a final that has very many
 * such bytes, the search ends with an error.
 */
int table_search(struct diag *d, const struct image *img, struct table *table,
		 struct found_tables *found);

/*
 * Finds the names of functions that belong to the anchored tables that
 * table_search has FOUND, and sets those of TABLE's entries.
 */
int table_search_names(struct diag *d, const struct image *img,
		       struct table *table, const struct found_tables *found);

/* Is NAME, which ends, one of a symbol? */
bool table_is_name(const char *name);

/* Is there, at the site of ENTRY, a branch, or what it is when switched off? */
bool table_is_site(const struct image *img, const struct table_entry *entry);

/* Reads the offsets table at ADDR, which is diagnosed if it is damaged. */
int table_read_offsets(struct diag *d, const struct image *img, uint64_t addr,
		       struct table *table);

/* Reads the N entries of an anchored table at ADDR, likewise. */
int table_read_entries(struct diag *d, const struct image *img, uint64_t addr,
		       size_t n, struct table *table);

void table_free(struct table *table);

#endif
