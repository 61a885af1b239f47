/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the site table of a final, as the running program will read it. It
 * knows nothing about how the table was made.
 */
#ifndef SDTLINK_TABLE_H
#define SDTLINK_TABLE_H

#include "elf/image.h"
#include "base/options.h"

struct table_entry {
	uint64_t addr;	      /* of the instruction (linker set: see
			       * table_read) */
	const char *probe;    /* the probe function's symbol */
	size_t prefix;	      /* length of its prefix */
	const char *function; /* "" if unknown */
	uint64_t stub;	      /* the base of its offset (offsets form) */
	uint64_t base;	      /* offsets form: what it is measured from */
	uint64_t base_at;     /* and where the table says that */
	uint64_t descriptor;  /* anchored form: the address of the probe's */
	uint64_t descriptor_size;
	uint64_t target; /* FORM_BRANCH: where it is to jump */
	uint64_t jump;	 /* FORM_BRANCH: where the table says that */
	unsigned form;	 /* enum site_form */
	bool is_enabled;
	/* In a partial: sections. Then addr and target are offsets in them. */
	uint32_t shndx, target_shndx;
};

/* The name of a function, from --function-names. */
struct table_name {
	uint64_t addr; /* of the site */
	const char *function;
	uint64_t function_at; /* where the image has it */
};

/* A probe in the list of the offsets form, with or without sites. */
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
	/*
	 * Anchored form: the names of functions by address, and their section.
	 */
	struct table_name *names;
	size_t nnames;
	uint64_t names_addr, names_size;
};

/*
 * Finds and reads the table of the form that the options name. With TABLE_AUTO,
 * that is the offsets or anchored table that is there. If there is none, that
 * is no error: *FOUND is false. A damaged table is diagnosed as
 * "table-mismatch".
 *
 * A record of a linker set has the offset of a displacement field from the
 * symbol options->base, and a pointer to "struct sdt_probe". Then addr is that
 * of the field, probe is the name of the structure, and form is 0.
 */
int table_read(struct diag *d, const struct image *img,
	       const struct options *options, struct table *table, bool *found);
/* The anchored form; part of table_read. */
int table_read_anchored(struct diag *d, const struct image *img,
			const struct options *options, struct table *table,
			bool *found);

/*
 * The number of entries of an anchored table in OBJ, a partial. 0 if it was not
 * injected.
 */
size_t table_count_injected(const struct object *obj,
			    const struct options *options);

/*
 * Reads that table of OBJ, which is checked, from the relocations of its
 * entries. Sets only addr, shndx, probe, prefix, form and is_enabled of each
 * entry, and target and target_shndx for FORM_BRANCH. Call table_free either
 * way.
 */
int table_read_partial(struct diag *d, const struct object *obj,
		       const struct options *options, struct table *table);

/* Does the header at ADDR claim an offsets table with sites? */
bool table_is_offsets(const struct image *img, uint64_t addr);

/*
 * Looks everywhere for a table of either form that has sites, for images whose
 * symbols and sections do not show it. Returns false if there is none.
 */
bool table_find_lost(const struct image *img, uint64_t *addr);

/* A table that was found by what it holds. */
struct found_table {
	enum table_form form;
	uint64_t addr;
	size_t nsites;
	size_t nodd;	/* of them, those that are neither a branch nor switched
			 * off */
	size_t nabsent; /* of them, those whose code runs where the image has
			 * none, since it is copied there; it was not looked
			 * at */
};

struct found_tables {
	struct found_table *items; /* owned */
	size_t n;
	size_t nunproved; /* the longest run of words that may be entries,
			   * without a site that the image has; they are left
			   * out */
};

/*
 * Finds the tables of a final that symbols and sections do not show. Appends
 * their sites to TABLE, which is empty or was filled by table_read. What it has
 * is not found again. Whatever begins like a table is read whole. Most of its
 * sites must be a branch or a switched-off one, so similar bytes are not taken
 * for a table. In a final with very many such bytes, the search stops with an
 * error.
 */
int table_search(struct diag *d, const struct image *img, struct table *table,
		 struct found_tables *found);

/*
 * Finds the names of functions of the anchored tables in FOUND, and sets them
 * in TABLE's entries.
 */
int table_search_names(struct diag *d, const struct image *img,
		       struct table *table, const struct found_tables *found);

/* Is NAME, which ends, one of a symbol? */
bool table_is_name(const char *name);

/* Is the site of ENTRY a branch, or its switched-off form? */
bool table_is_site(const struct image *img, const struct table_entry *entry);

/* Reads the offsets table at ADDR. If it is damaged, that is diagnosed. */
int table_read_offsets(struct diag *d, const struct image *img, uint64_t addr,
		       struct table *table);

/* The same for the N entries of an anchored table at ADDR. */
int table_read_entries(struct diag *d, const struct image *img, uint64_t addr,
		       size_t n, struct table *table);

/* Of two const struct table_entry *, by address, for qsort. */
int table_compare_entries(const void *a, const void *b);

void table_free(struct table *table);

#endif
