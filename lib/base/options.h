/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options that the library heeds: how it reads, judges and writes. */
#ifndef SDTLINK_OPTIONS_H
#define SDTLINK_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* A growing list of strings. The strings belong to others. */
struct string_list {
	const char **items;
	size_t n;
};

/* Returns -1 if there is no memory. */
int string_list_add(struct string_list *list, const char *item);
void string_list_free(struct string_list *list);

enum table_form {
	TABLE_AUTO,	  /* to read: the one that is there */
	TABLE_OFFSETS,	  /* sdt_table(5) */
	TABLE_ANCHORED,	  /* sdt_table(5); made by --inject */
	TABLE_LINKER_SET, /* {probe, offset} in set_sdt_probe_site_set */
};

/* The base of the entries of an anchored table. */
enum anchor {
	ANCHOR_AUTO,	/* the section's symbol; labels where text relaxes */
	ANCHOR_LABEL,	/* a local symbol at each site: always right */
	ANCHOR_SECTION, /* the section's symbol: leaves no symbol */
};

/* The form of notes for tracers that cannot read site tables. */
enum tracer_notes {
	NOTES_NONE,
	NOTES_STAPSDT, /* SystemTap's section .note.stapsdt */
};

/* What --verify checks in text that has sites. */
enum text_proof {
	TEXT_ALL,   /* that all of it is explained */
	TEXT_SITES, /* that unexplained bytes do not affect the sites */
};

struct options {
	struct string_list prefixes;	     /* of probe functions */
	struct string_list enabled_prefixes; /* of is-enabled functions */
	struct string_list symbols;	     /* globs for undefined functions */
	struct string_list only_sections;    /* globs; empty means all */
	struct string_list skip_sections;    /* globs */
	struct string_list refuse_sections;  /* globs */
	struct string_list stub_attrs;
	struct string_list stub_includes;
	const char *base;	/* a symbol, or NULL */
	const char *table_name; /* the offsets table's symbol */
	const char *sites_name; /* the anchored table's section */
	enum anchor anchor;
	enum tracer_notes notes;
	bool nop;		/* turn sites into NOPs */
	bool no_function_names; /* in the offsets table */
	bool function_names;	/* beside the anchored table */
	enum table_form table;
	enum text_proof text;
};

enum section_policy { SECTION_TAKE, SECTION_SKIP, SECTION_REFUSE };

/* The policy that the options set for a section of that name. */
enum section_policy options_section_policy(const struct options *options,
					   const char *name);

/* Does NAME match one of the globs? */
bool string_list_matches(const struct string_list *globs, const char *name);

#endif
