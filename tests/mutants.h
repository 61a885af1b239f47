/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the parts of the program mutants share: the damage is done by
 *   mutants-table.c   to the table, of each form
 *   mutants-text.c    to text and symbols
 * with mutants-elf.c to read the files, and mutants-branch.c to aim branches.
 * None of it uses anything of sdtlink but what --verify does with two files.
 */
#ifndef TESTS_MUTANTS_H
#define TESTS_MUTANTS_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/object.h"
#include "base/options.h"

#ifndef EM_LOONGARCH
#define EM_LOONGARCH 258
#endif

#define PREFIX "__dtrace_sdt_"
#define MAX 512 /* sites, probes or functions of a table */

struct shdr {
	const char *name;
	uint64_t type, flags, addr, offset, size, info;
	size_t at; /* of the header, in the file */
};

struct symbol_row {
	const char *name;
	uint64_t value;
	uint64_t size;
	unsigned bind, type, shndx;
	size_t value_at; /* of st_value, in the file */
	/* Of st_value, where that is a descriptor's: VALUE and VALUE_AT are
	 * then those of the code's address in it. Else 0. */
	size_t descriptor_at;
};

struct relocation {
	uint64_t offset;
	const char *symbol;
	size_t symndx;
	int64_t addend; /* 0 without one */
	unsigned type;
};

struct elf {
	uint8_t *bytes;
	size_t size;
	bool is_64;
	bool is_big;
	bool is_object;	      /* no image */
	bool has_descriptors; /* the first ABI of 64-bit Power */
	unsigned machine;
	struct shdr *sections;
	size_t nsections;
	struct symbol_row *symbols;
	size_t nsymbols;
};

/* Reads; ends the program if that cannot be done. */
void read_elf(const char *path, struct elf *elf);
void free_elf(struct elf *elf);

/* An unsigned number of WIDTH bytes at AT, in the file's byte order. */
uint64_t elf_get(const struct elf *elf, size_t at, unsigned width);

/* The only definition of NAME, or NULL. */
const struct symbol_row *find_symbol(const struct elf *elf, const char *name);

/* NULL if there is none. */
const struct shdr *find_section(const struct elf *elf, const char *name);

/* Where in the file the byte at ADDR is, or 0. */
size_t file_offset(const struct elf *elf, uint64_t addr);

/* The relocations of section SHNDX; returns how many. */
size_t relocations(const struct elf *elf, size_t shndx,
		   struct relocation **out);

/*
 * Makes the branch in the instruction at BYTES, which is at ADDR, go to
 * TARGET. Returns the length of the
 * instruction, or 0 if it is not a branch that this knows.
 */
unsigned aim_branch(const struct elf *elf, uint8_t *bytes, uint64_t addr,
		    uint64_t target);

/* The name of the last mapping symbol at or below ADDR, such as $t; or "". */
const char *mark_at(const struct elf *elf, uint64_t addr);
bool is_thumb(const struct elf *elf, uint64_t addr);

/* Instructions begin at multiples of this. */
unsigned insn_step(const struct elf *elf);

bool is_probe(const char *name);
void die(const char *what);

struct kind {
	const char *name;
	size_t nmade, ntried, nallowed, nsurvived;
};

/* A section of the partial with sites, as it is in the final. */
struct text {
	uint64_t addr, size;
	struct relocation *relocs;
	size_t nrelocs;
	bool relaxes; /* the linker shortens it: its bytes are not compared */
};

/* What the table says is at an address. */
struct site_row {
	uint64_t addr;
	const char *stub; /* its symbol */
};

struct lab {
	struct elf partial, final;
	struct object partial_obj;
	struct options options;
	uint8_t *work; /* the mutant */
	struct text texts[64];
	size_t ntexts;
	const struct symbol_row *stubs[MAX];
	size_t nstubs;
	struct site_row sites[MAX];
	size_t nsites;
	size_t ndead; /* entries that may be missing */
	size_t nsurvived;
	size_t stride; /* of $SDTLINK_STRIDE mutants, one is tried */
};

/*
 * Judges the mutant in lab->work and puts the good bytes back. RULE says why
 * it may be proved; it is NULL if it may not.
 */
void try(struct lab *lab, struct kind *kind, const char *rule);

/* Prints the numbers of KIND. */
void finish(struct lab *lab, const struct kind *kind, const char *rule);

/* Words and symbols of the mutant, in the file's byte order. */
void put_word(struct lab *lab, size_t at, uint32_t value);
uint32_t get_word(const struct lab *lab, const uint8_t *p);
void set_symbol(struct lab *lab, const struct symbol_row *sym, uint64_t value);

/* The offsets table, taken apart. */
struct table_copy {
	size_t at; /* in the file */
	uint64_t addr;
	uint32_t counts[4]; /* sections, sites, probes, functions */
	uint32_t records[4][MAX][3];
	const uint8_t *strings;
	size_t nstrings;
};

/* Each fills lab->sites, too. */
void read_offsets(struct lab *lab, struct table_copy *t);
void read_entries(struct lab *lab);

/* The table T in place of the good one. */
void write_table(struct lab *lab, const struct table_copy *t);

/* Damage to a table of each form. */
void change_offsets(struct lab *lab, const struct table_copy *good);
void change_linker_set(struct lab *lab);
void change_anchored(struct lab *lab);

/* Damage to the rest; GOOD is NULL without an offsets table. */
void change_text(struct lab *lab);
void change_symbols(struct lab *lab, const struct table_copy *good);

#endif
