/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Small random programs and a small linker, for fuzz-differential: the bytes of
 * an input are choices, so that each input is a program that was linked. What
 * is right is known from the choices, not from what sdtlink makes or reads.
 * x86-64 only, on little-endian hosts.
 */
#ifndef SDTLINK_SMALL_PROGRAM_H
#define SDTLINK_SMALL_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNITS_MAX 3
#define FUNCTIONS_MAX 4 /* of a unit */
#define SITES_MAX 16	/* of a unit */
#define CODE_MAX 256	/* of a unit */
#define NPROBES 2

/* What is left of the input; at its end each choice is 0. */
struct choices {
	const uint8_t *at, *end;
};

/* One of 0 to N - 1. */
unsigned choose(struct choices *c, unsigned n);

/* A call at OFFSET of a section, of the function CALLEE of the unit TO, or of
 * the probe CALLEE if TO is UNITS_MAX. */
struct call {
	unsigned section;
	uint64_t offset; /* of its operand */
	unsigned to, callee;
};

struct function {
	char name[16];
	bool is_local;
	unsigned section;
	uint64_t offset, size;
};

/* An object, as a compiler writes it. */
struct unit {
	struct function functions[FUNCTIONS_MAX];
	unsigned nfunctions, nsections;
	uint8_t code[FUNCTIONS_MAX][CODE_MAX]; /* by section */
	uint64_t size[FUNCTIONS_MAX];
	struct call calls[SITES_MAX];
	unsigned ncalls;
	bool is_foreign; /* in the final alone */
	bool is_nop;	 /* injected with --nop */
	uint8_t *bytes;	 /* as ELF; owned */
	size_t nbytes;
};

struct program {
	struct unit units[UNITS_MAX];
	unsigned nunits;
	bool has_namesakes;
};

void program_make(struct choices *c, struct program *p);
void program_free(struct program *p);
/* The name of probe N's function. */
const char *probe_symbol(unsigned n);

/* A site that runs, or one that the table names. */
struct spot {
	uint64_t addr;
	unsigned probe;
};

#define SPOTS_MAX ((size_t)UNITS_MAX * SITES_MAX * 2)

struct spots {
	struct spot items[SPOTS_MAX];
	size_t n;
};

struct small_link {
	uint8_t *bytes; /* of the final; owned */
	size_t size;
	struct spots sites;   /* that the final has, by its layout */
	struct spots entries; /* that its table has */
	bool is_plain;	      /* all is there, under its name, as it was */
	bool is_damaged;      /* a site does not go to its stub */
};

/*
 * Links INJECTED, one for each unit; functions may be dropped or folded, names
 * stripped, and table or text damaged. False if it cannot be linked.
 */
struct blob {
	const uint8_t *bytes;
	size_t size;
};
bool small_link(struct choices *c, const struct program *p,
		const struct blob *injected, struct small_link *l);

/* --- ELF, as both write it ------------------------------------------------ */

struct writer;
struct writer *writer_new(unsigned type);
/* Returns the section's index. */
unsigned writer_add(struct writer *w, const char *name, unsigned type,
		    uint64_t flags, uint64_t addr, const void *bytes,
		    size_t size, unsigned link, unsigned info);
/* Adds symbols, the local ones first; returns the index. */
unsigned writer_symbol(struct writer *w, const char *name, unsigned bind,
		       unsigned type, unsigned shndx, uint64_t value,
		       uint64_t size);
/* The file; the writer is gone. */
uint8_t *writer_end(struct writer *w, size_t *size);

#endif
