/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the site tables that sdtlink makes: the offsets table and the anchored
 * table.  See sdt(3) and sdt_table(5).  Freestanding C99: no libc, no
 * allocation, no other header.
 *
 *	struct sdt_table table;
 *	struct sdt_match match;
 *	struct sdt_site site;
 *
 *	if (sdt_table_check(sdt_table, SDT_TABLE_LIMIT, &table) != 0 ||
 *	    sdt_match_start(&match, &table, "kernel", "udp:::receive") != 0)
 *		return -1;
 *	while (sdt_match_next(&match, &site))
 *		...
 *
 * With an anchored table, call sdt_table_check_anchored() first instead.
 *
 * The name of a probe is the symbol of its stub without the prefix, in the
 * spelling of sdt.h.  A symbol x without a prefix is sdt:::x.
 *
 * Nothing here reads the text to which a table refers, and only
 * sdt_table_sort() writes to a table.  So any number of CPUs may read it.
 */
#ifndef SDTLINK_SDT_TABLE_H
#define SDTLINK_SDT_TABLE_H

#pragma GCC system_header

/* Not <stdint.h>: some kernels are compiled without the compiler's headers. */
typedef __UINT8_TYPE__ sdt_u8;
typedef __INT32_TYPE__ sdt_s32;
typedef __UINT32_TYPE__ sdt_u32;
typedef __UINT64_TYPE__ sdt_u64;
typedef __INTPTR_TYPE__ sdt_sptr;
typedef __UINTPTR_TYPE__ sdt_uptr;

#ifdef __cplusplus
extern "C" {
#endif

/* The table of this image, unless sdtlink got another --table-name. */
extern const sdt_u32 sdt_table[] __attribute__((__visibility__("hidden")));
extern const sdt_u8 sdt_table_end[] __attribute__((__visibility__("hidden")));

/* The bytes from its start to the end that the linker has set. */
#define SDT_TABLE_LIMIT ((sdt_uptr)sdt_table_end - (sdt_uptr)sdt_table)

/*
 * The shape of an offsets table: one head; then the records of sections,
 * sites, probes and functions, as many as the head says; then jumps up to the
 * strings; then the strings.  All words have 32 bits, are aligned to 4, and
 * have the byte order of the CPU.  A "self-relative" word is added to its own
 * address.
 */
#define SDT_TABLE_MAGIC 0x31544453u /* "SDT1" */
#define SDT_TABLE_VERSION 1u

struct sdt_table_head {
	sdt_u32 magic;
	sdt_u32 version;
	sdt_u32 size; /* bytes of the whole table with its strings */
	sdt_u32 nsections;
	sdt_u32 nsites;
	sdt_u32 nprobes;
	sdt_u32 nfunctions;
	sdt_u32 strings; /* bytes from the table's start to its strings */
};

/* An input section of the final link.  They are in no order. */
struct sdt_table_section {
	sdt_s32 base;  /* self-relative: where the section starts */
	sdt_u32 first; /* its first site; the next section's ends it */
};

/* Sites are in ascending order of offset in each section. */
struct sdt_table_site {
	sdt_u32 offset; /* bytes, section base to the branch's first byte */
	sdt_u32 info;	/* probe << 3 | is-enabled << 2 | form; in the branch
			   form, instead of the probe, the jump */
};

/* In ascending order of the symbol names. */
struct sdt_table_probe {
	sdt_s32 stub;	/* self-relative */
	sdt_u32 name;	/* bytes into the strings: the stub's symbol name */
	sdt_u32 prefix; /* length of the prefix in it, 0 for none */
};

/* In ascending order of the first site. */
struct sdt_table_function {
	sdt_u32 first; /* its first site; the next function's ends it */
	sdt_u32 name;  /* bytes into the strings; "" if not known */
};

/*
 * A site in the branch form: the target of its jump when it is on, and its
 * probe.
 */
struct sdt_table_recorded_jump {
	sdt_u32 section;
	sdt_u32 offset; /* bytes, section base to the target */
	sdt_u32 probe;
};

/*
 * An anchored table is an array of entries, between symbols that the linker
 * defines.  The descriptors of probes, in any order, are aligned to 8.
 */
struct sdt_table_entry {
	sdt_s32 site;  /* self-relative: the branch's first byte */
	sdt_s32 probe; /* self-relative: descriptor + is-enabled << 2 + form */
};

/*
 * For a site in the branch form, the entry refers to this, not to a
 * descriptor.
 */
struct sdt_table_jump {
	sdt_s32 target; /* self-relative: where the site jumps to when on */
	sdt_s32 probe;	/* self-relative: descriptor */
};

#define SDT_PROBE_MAGIC 0x31504453u /* "SDP1" */

struct sdt_table_descriptor {
	sdt_u32 magic;
	sdt_s32 stub;	/* self-relative; 0 for none */
	sdt_u32 prefix; /* length of the prefix in the name */
	/* Here follows the name: the stub's symbol, with a NUL behind it. */
};

/* The entries of this image, unless sdtlink got another --table-name. */
extern const struct sdt_table_entry __start_sdt_sites[]
	__attribute__((__visibility__("hidden")));
extern const struct sdt_table_entry __stop_sdt_sites[]
	__attribute__((__visibility__("hidden")));
extern const sdt_u64 __start_sdt_probes[]
	__attribute__((__visibility__("hidden")));
extern const sdt_u64 __stop_sdt_probes[]
	__attribute__((__visibility__("hidden")));

/* The start and end of an anchored table, and of its descriptors. */
struct sdt_bounds {
	const void *sites;
	const void *sites_end;
	const void *probes;
	const void *probes_end;
};

/* clang-format off */
#define SDT_BOUNDS { __start_sdt_sites, __stop_sdt_sites, \
		     __start_sdt_probes, __stop_sdt_probes }
/* clang-format on */

/*
 * With --function-names, an anchored table also has names of its sites'
 * functions: an array of these, in any order.  Site and name are self-
 * relative.
 */
struct sdt_table_name {
	sdt_s32 site; /* the branch's first byte */
	sdt_s32 name; /* among the descriptors, with a NUL behind it */
};

/* Those of this image. */
extern const struct sdt_table_name __start_sdt_functions[]
	__attribute__((__visibility__("hidden")));
extern const struct sdt_table_name __stop_sdt_functions[]
	__attribute__((__visibility__("hidden")));

/* The kind of branch that a site is in the final image. */
enum sdt_form {
	SDT_FORM_CALL = 0,  /* returns behind the site */
	SDT_FORM_TAIL = 1,  /* a jump: returns to the caller of the function */
	SDT_FORM_COND = 2,  /* a conditional jump: likewise, if taken */
	SDT_FORM_BRANCH = 3 /* a NOP, or a jump to code that calls the probe */
};

/*
 * A checked table.  It points into the image, and owns nothing.  An anchored
 * table has entries, an offsets table has records.
 */
struct sdt_table {
	const struct sdt_table_entry *entries;
	const void *descriptors;
	const struct sdt_table_section *sections;
	const struct sdt_table_site *sites;
	const struct sdt_table_probe *probes;
	const struct sdt_table_function *functions;
	const struct sdt_table_recorded_jump *jumps;
	const char *strings;
	sdt_u32 nsections;
	sdt_u32 nsites;
	sdt_u32 nprobes;
	sdt_u32 nfunctions;
	sdt_u32 njumps;
	int is_sorted; /* sites ascend by address over the whole table */

	/*
	 * An anchored table does not name functions.  If the host can, set this
	 * after the check.  It returns the name of the function that contains
	 * ADDR, in memory that stays, or 0. sdt_names_find() is one such
	 * function.
	 */
	const char *(*find_function)(void *cookie, sdt_uptr addr);
	void *cookie;
};

/* All that is known about one site.  The strings are in the table. */
struct sdt_site {
	sdt_uptr addr;	      /* of the first byte of the branch */
	sdt_uptr stub;	      /* where the branch went at the link; 0: off */
	sdt_uptr target;      /* SDT_FORM_BRANCH: where it goes when on */
	const char *symbol;   /* of the stub: __dtrace_sdt_udp___receive */
	sdt_u32 prefix;	      /* length of __dtrace_sdt_ in it; 0 for none */
	const char *function; /* that the site is in; "" if not known */
	sdt_u32 idx;
	sdt_u32 probe; /* same for the sites of one probe record or descriptor
			*/
	enum sdt_form form;
	int is_enabled; /* 1: the call asks whether the probe is enabled */
};

enum sdt_table_error {
	SDT_TABLE_OK = 0,
	SDT_TABLE_UNALIGNED, /* not at a multiple of 4 */
	SDT_TABLE_NO_MAGIC,  /* none, not a table, or of the other byte order */
	SDT_TABLE_NEWER,     /* of a version that this reader does not know */
	SDT_TABLE_BAD_SIZE,  /* beyond the limit, or too small for its counts */
	SDT_TABLE_BAD_STRINGS, /* not the table's end, or not terminated */
	SDT_TABLE_BAD_SECTION, /* out of bounds or order */
	SDT_TABLE_BAD_SITE,    /* out of bounds or order, unknown form */
	SDT_TABLE_BAD_PROBE,   /* out of bounds or order, no descriptor */
	SDT_TABLE_BAD_FUNCTION /* out of bounds or order */
};

#define SDT_TABLE_NO_LIMIT (~(sdt_uptr)0)

/*
 * Fills TABLE from the bytes at RAW.  At most LIMIT bytes are read; with
 * SDT_TABLE_NO_LIMIT, as many as the head says.  Checks every count, index and
 * order first, so that no function below can leave the table.  Whether its
 * text exists is not checked here, but by sdt_patch_check().  Returns
 * SDT_TABLE_OK, or why the table cannot be read; then TABLE is not valid.
 */
enum sdt_table_error sdt_table_check(const void *raw, sdt_uptr limit,
				     struct sdt_table *table);

/*
 * The same for the anchored table in BOUNDS.  The addresses of its sites are
 * not checked: only the host can judge them (sdt_patch_check()).
 */
enum sdt_table_error sdt_table_check_anchored(const struct sdt_bounds *bounds,
					      struct sdt_table *table);

/*
 * Sorts an anchored table by address, in place, for linkers that do not (gold,
 * mold, and a second ld -r).  The entries must be writable, and nobody may
 * read them meanwhile.  Needs no memory, and n log n steps.  Indices of sites
 * change.  Returns 0, or -1 and changes nothing: it is not an anchored table,
 * or its ends are too far from what the entries refer to.
 */
int sdt_table_sort(struct sdt_table *table);

/* Fills SITE from site IDX, which must be below table->nsites. */
void sdt_table_get_site(const struct sdt_table *table, sdt_u32 idx,
			struct sdt_site *site);

/*
 * Fills SITE from the site whose branch starts at PC; the first one, if there
 * are several.  Uses one binary search if the table is_sorted.  Else it
 * searches each section, or looks at all entries.  Works in a breakpoint
 * handler.  Returns 1, or 0 if there is none; then SITE is unchanged.
 */
int sdt_table_find(const struct sdt_table *table, sdt_uptr pc,
		   struct sdt_site *site);

/* Names that were checked: in sdt_names.c. */
struct sdt_names {
	const struct sdt_table_name *first;
	const struct sdt_table_name *end;
	int is_sorted; /* they ascend by site */
};

/*
 * Fills NAMES from the records in [START, END), which name functions of the
 * sites of the table in BOUNDS.  Returns SDT_TABLE_OK, or why they cannot be
 * read; then NAMES is empty.
 */
enum sdt_table_error sdt_names_check(const struct sdt_table_name *start,
				     const struct sdt_table_name *end,
				     const struct sdt_bounds *bounds,
				     struct sdt_names *names);

/*
 * For find_function, with NAMES as the cookie.  Returns the name of the
 * function of the site at ADDR, or 0.  Uses one binary search, or looks at
 * all.
 */
const char *sdt_names_find(void *names, sdt_uptr addr);

/*
 * Writes "provider:module:function:name" of SITE to BUF of SIZE bytes.  It is
 * cut to fit, and always terminated if SIZE is not 0.  Returns the uncut
 * length.
 */
sdt_uptr sdt_site_name(const struct sdt_site *site, const char *module,
		       char *buf, sdt_uptr size);

/* Characters from begin up to, not including, end. */
struct sdt_span {
	const char *begin;
	const char *end;
};

/* The state of an iteration.  Owns nothing.  PATTERN must outlive it. */
struct sdt_match {
	const struct sdt_table *table;
	struct sdt_span provider;
	struct sdt_span function;
	struct sdt_span name;
	sdt_u32 next; /* first site not yet looked at */
};

/*
 * Starts an iteration over the sites that match PATTERN, including is-enabled
 * ones.  PATTERN is "provider:module:function:name".  Each field is a glob
 * with * and ?, and an empty field matches all.  As in dtrace(1), you may omit
 * fields from the left: "receive", "udp6_receive:receive".  A function without
 * a dot also matches the parts that a compiler split off: udp_receive.cold.
 * MODULE is the module of TABLE.  Returns 0, or -1 if PATTERN has more than
 * four fields.
 */
int sdt_match_start(struct sdt_match *match, const struct sdt_table *table,
		    const char *module, const char *pattern);

/* Fills SITE from the next match and returns 1.  Returns 0 at the end. */
int sdt_match_next(struct sdt_match *match, struct sdt_site *site);

/*
 * Do these match the pattern of MATCH, without its module? If HAS_DASHES, a
 * double underscore in NAME means a dash, as in a symbol.  For hosts that list
 * probes of another origin.
 */
int sdt_match_fields(const struct sdt_match *match,
		     const struct sdt_span *provider,
		     const struct sdt_span *function,
		     const struct sdt_span *name, int has_dashes);

#ifdef __cplusplus
}
#endif

#endif
