/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Probes and sites of a partial or a final, as the user sees them: what --dump
 * prints, and the JSON of the default mode.
 */
#ifndef SDTLINK_LISTING_H
#define SDTLINK_LISTING_H

#include "arch/state.h"
#include "command.h"
#include "elf/debug-file.h"
#include "input.h"
#include "sites/foreign.h"
#include "sites/notes.h"
#include "sites/scan.h"
#include "source/source.h"
#include "table/table.h"
#include "sites/tracepoint.h"

struct listed_site {
	uint32_t shndx; /* valid in a partial */
	const char *section;
	const char *function; /* or NULL */
	bool has_function_offset;
	uint64_t function_offset;
	uint64_t offset; /* in the section; in a final, from the text start */
	bool has_address;
	uint64_t address;
	/* call, tail, cond, enabled, branch, tracepoint, foreign_name() */
	const char *kind;
	const char *form; /* the same, but for enabled */
	unsigned length;
	enum site_form form_number;
	bool is_enabled;
	uint64_t stub; /* in a final: where the branch goes, or 0 */
	bool knows_one_store;
	bool one_store;	      /* switches it; see arch.h */
	struct code code;     /* that it is in; bytes is NULL if unknown */
	uint64_t code_offset; /* valid if code.bytes */
	/* only for branch and tracepoint: where the NOP would jump to */
	bool has_target;
	uint32_t target_shndx;	    /* in a partial */
	uint64_t target;	    /* offset in it; in a final an address */
	enum site_state state;	    /* with --memory, as what is below: */
	uint64_t state_target;	    /* or 0 */
	const char *state_function; /* that is there, or NULL */
	uint64_t state_function_offset;
	uint8_t memory[8];
	unsigned nmemory;
	struct noted noted;   /* where it is for its note, which it gets */
	const char *operands; /* of stapsdt, or NULL, as what is below: */
	uint64_t semaphore;   /* or 0 */
};

struct listed_probe {
	const char *symbol;	/* or, of another's table, what it sorts by: */
	char *key;		/* owned; else NULL */
	struct probe_name name; /* owned */
	size_t first_site;	/* its sites follow one another */
	size_t nsites;
};

struct listing {
	const struct object *obj;
	const char *type; /* partial, module, final */
	char *module;	  /* owned */
	struct listed_probe *probes;
	size_t nprobes;
	struct listed_site *sites; /* by probe, then section and offset */
	size_t nsites;
	struct bins bins;
	struct note_set notes;
	bool has_source;       /* --source, and then: */
	struct source *source; /* or NULL; owned */
	bool has_states;       /* --memory: its sites have states */
	bool is_physical; /* found by the addresses of the machine's memory */
	uint64_t memory_displacement;
};

/*
 * Call listing_free either way. The entries of a linker set have the address of
 * the displacement. listing_from_final changes it to that of the branch.
 */
int listing_from_partial(struct diag *d, const struct object *obj,
			 const char *module, const struct site_set *set,
			 struct listing *listing);
int listing_from_final(struct diag *d, const struct image *img,
		       const struct command *cmd, struct table *table,
		       struct listing *listing);
/*
 * Adds those sites of TABLE, of an injected partial, that are not in SET: their
 * relocations are gone, or they were injected with other options. Skips
 * sections that OPTIONS exclude.
 */
int listing_add_injected(struct diag *d, const struct options *options,
			 const struct site_set *set, const struct table *table,
			 struct listing *listing);
/* Adds tracepoint records. IMG is as in tracepoint_read(). */
int listing_add_tracepoints(struct diag *d, const struct image *img,
			    const struct options *options,
			    const struct tracepoint_set *set,
			    struct listing *listing);
/* Adds the sites in tables of other tools. IMG is as in foreign_read(). */
int listing_add_foreign(struct diag *d, const struct image *img,
			const struct options *options,
			const struct foreign_set *set, struct listing *listing);
/* Reads what the probe macros wrote about the source, for all sites. */
int listing_add_notes(struct diag *d, struct listing *listing);
/*
 * MODULE, or if that is NULL, the name of OBJ's; for free(). NULL without
 * memory.
 */
char *listing_module_name(struct diag *d, const struct object *obj,
			  const char *module);

/* Opens the debug information, for --source. DEBUG is as in source_open(). */
int listing_add_source(struct diag *d, const char *debug,
		       struct listing *listing);
void listing_free(struct listing *listing);
void listing_free_probe(struct listed_probe *probe);

/*
 * For code that adds sites. listing_grow makes room for N more, and returns -1
 * if memory ran out. The text start is where offsets of a final count from:
 * --base, or the lowest text.
 */
int listing_grow(struct listing *listing, size_t n);
uint64_t listing_text_start(const struct image *img,
			    const struct options *options);

/* What a listing is read from. */
struct listed_file {
	struct object obj;
	struct debug_file debug; /* whose symbols it may have */
	struct site_set set;
	struct image img;
	struct table table;
	struct tracepoint_set records;
	struct foreign_set foreign;
	struct listing listing;
};

/*
 * Opens INPUT, or the file at PATH, and lists it. Returns -1 after a
 * diagnostic. Call listed_file_release either way, and listed_file_close after
 * it.
 */
int listed_input_open(struct diag *d, const struct input *input,
		      const struct command *cmd, struct listed_file *file);
int listed_file_open(struct diag *d, const char *path,
		     const struct command *cmd, struct listed_file *file);
/* Frees all but the object, which can still be checked for changes. */
void listed_file_release(struct listed_file *file);
void listed_file_close(struct listed_file *file);

/*
 * Writes `"file": ..., "type": ..., ... "probes": [...]` into an open object of
 * REPORT's document.
 */
void listing_json(const struct listing *listing, struct report *report,
		  struct json *json);

/* The widths of the columns. They grow with their contents. */
struct columns {
	size_t id, provider, module, function, name, place, kind, state;
};

void columns_init(struct columns *columns);

/*
 * Prints as dtrace -l does: a line for each site, in the order of --sort, and a
 * heading before the first unless CMD is quiet. IDs continue from *ID. If CMD
 * is verbose, prints the bytes, too, and the instruction if libopcodes is
 * available. Returns -1 if memory ran out.
 */
int listing_print(struct diag *d, const struct listing *listing,
		  const struct command *cmd, struct columns *columns,
		  struct report *report, size_t *id);

/* Prints each provider:module:function:name once, one a line. */
int listing_print_names(struct diag *d, const struct listing *listing,
			struct report *report);

/* The number of characters that NAME takes when printed. */
size_t shown_length(const char *name);

/*
 * --source: prints a line for each site, for each function into which it was
 * inlined, and for each argument. Each begins with FILE:LINE:COLUMN:.
 */
void listing_print_source(const struct listing *listing, struct report *report);

/* --source --werror: a warning for each argument that cannot be read. */
void listing_check_arguments(struct diag *d, const struct listing *listing);

/* "source", in an open object for SITE. */
void source_site_json(const struct listing *listing,
		      const struct listed_probe *probe,
		      const struct listed_site *site, struct json *json);

/* Prints the bins in words. For a final, those of its table. */
void print_bins(FILE *stream, const struct object *obj,
		const struct bins *bins);

/* --require-probes: it is an error if there are none. */
void require_probes(struct diag *d, const struct command *cmd, const char *path,
		    size_t nsites);

/*
 * Reports each glob of the user that matches no section name of the N partials.
 * That is a note, since a build uses one glob for many objects. With
 * --require-probes it is an error.
 */
void require_sections(struct diag *d, const struct command *cmd,
		      const struct object *partials, size_t n);

#endif
