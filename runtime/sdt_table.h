/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reader of the site table that sdtlink generates, see sdt_table(5).
 * Freestanding C99: no libc, no allocation, no other header.
 *
 *	struct sdt_table table;
 *	struct sdt_match match;
 *	struct sdt_site site;
 *
 *	if (sdt_table_check(sdt_table, SDT_TABLE_NO_LIMIT, &table) != 0 ||
 *	    sdt_match_start(&match, &table, "kernel", "udp:::receive") != 0)
 *		return -1;
 *	while (sdt_match_next(&match, &site))
 *		...
 *
 * A probe's name is made of its stub's symbol behind the prefix, as sdt.h
 * spells it; a symbol x without prefix is sdt:::x.
 *
 * Nothing here writes to the table or looks at the text it speaks of.  The
 * table is read-only after the link, so any number of CPUs may read it.
 */
#ifndef SDTLINK_SDT_TABLE_H
#define SDTLINK_SDT_TABLE_H

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

/* The table of this image, unless sdtlink was told another --table-name. */
extern const sdt_u32 sdt_table[] __attribute__((__visibility__("hidden")));

/*
 * The table's shape: one head, then nsections, nsites, nprobes and nfunctions
 * records in this order, then the strings.  All words are of 32 bits, aligned
 * to 4, in the byte order of the CPU.  "Self-relative" is what
 * must be added to the address of the word itself.
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

/* An input section of the final link, in no order. */
struct sdt_table_section {
	sdt_s32 base;  /* self-relative: where the section starts */
	sdt_u32 first; /* its first site; the next section's ends it */
};

/* Sites are in ascending order of their offset within each section. */
struct sdt_table_site {
	sdt_u32 offset; /* bytes, section base to the branch's first byte */
	sdt_u32 info;	/* probe << 3 | is-enabled << 2 | form */
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

/* What sort of branch a site is in the final image. */
enum sdt_form {
	SDT_FORM_CALL = 0, /* returns behind the site */
	SDT_FORM_TAIL = 1, /* a jump: returns to the caller of the function */
	SDT_FORM_COND = 2  /* a conditional jump: likewise, if taken */
};

/* A table that was checked.  Points into the image, owns nothing. */
struct sdt_table {
	const struct sdt_table_section *sections;
	const struct sdt_table_site *sites;
	const struct sdt_table_probe *probes;
	const struct sdt_table_function *functions;
	const char *strings;
	sdt_u32 nsections;
	sdt_u32 nsites;
	sdt_u32 nprobes;
	sdt_u32 nfunctions;
};

/* All that is known about one site.  The strings stay in the table. */
struct sdt_site {
	sdt_uptr addr;	      /* of the first byte of the branch */
	sdt_uptr stub;	      /* where the branch went at the link */
	const char *symbol;   /* of the stub: __dtrace_sdt_udp___receive */
	sdt_u32 prefix;	      /* length of __dtrace_sdt_ in it; 0 for none */
	const char *function; /* that the site is in; "" if not known */
	sdt_u32 idx;
	sdt_u32 probe; /* index of the probe */
	enum sdt_form form;
	int is_enabled; /* 1: the call asks whether the probe is enabled */
};

enum sdt_table_error {
	SDT_TABLE_OK = 0,
	SDT_TABLE_UNALIGNED, /* not at a multiple of 4 */
	SDT_TABLE_NO_MAGIC,  /* not a table, or of the other byte order */
	SDT_TABLE_NEWER,     /* of a version that this reader does not know */
	SDT_TABLE_BAD_SIZE,  /* beyond the limit, or too small for its counts */
	SDT_TABLE_BAD_STRINGS, /* not the end of the table, not terminated */
	SDT_TABLE_BAD_SECTION, /* out of bounds or order */
	SDT_TABLE_BAD_SITE,    /* out of bounds or order, unknown form */
	SDT_TABLE_BAD_PROBE,   /* out of bounds or order */
	SDT_TABLE_BAD_FUNCTION /* out of bounds or order */
};

#define SDT_TABLE_NO_LIMIT (~(sdt_uptr)0)

/*
 * Fills TABLE from the bytes at RAW, of which LIMIT may be read (or as many as
 * the head says, for SDT_TABLE_NO_LIMIT).  Every count, index and order is
 * checked first, so that nothing below can leave the table.  Whether there is
 * such text is not checked here: that is sdt_patch_check()'s.
 * Returns SDT_TABLE_OK, or why the table is damaged; then TABLE is not valid.
 */
enum sdt_table_error sdt_table_check(const void *raw, sdt_uptr limit,
				     struct sdt_table *table);

/* Fills SITE from site IDX, which must be below table->nsites. */
void sdt_table_get_site(const struct sdt_table *table, sdt_u32 idx,
			struct sdt_site *site);

/*
 * Fills SITE from the site whose branch starts at PC.  A binary search in each
 * section.  Returns 1, or 0 where there is none; then SITE is unchanged.
 */
int sdt_table_find(const struct sdt_table *table, sdt_uptr pc,
		   struct sdt_site *site);

/*
 * Writes "provider:module:function:name" of SITE to BUF of SIZE bytes, cut to
 * fit and always terminated if SIZE is not 0.  Returns the length of the whole.
 */
sdt_uptr sdt_site_name(const struct sdt_site *site, const char *module,
		       char *buf, sdt_uptr size);

/* Characters from begin up to, not including, end. */
struct sdt_span {
	const char *begin;
	const char *end;
};

/* Where an iteration stands.  Owns nothing; PATTERN must outlive it. */
struct sdt_match {
	const struct sdt_table *table;
	struct sdt_span provider;
	struct sdt_span function;
	struct sdt_span name;
	sdt_u32 next; /* first site not yet looked at */
};

/*
 * Starts an iteration over the sites that PATTERN describes, is-enabled ones
 * among them: "provider:module:function:name", each a glob of * and ?, where
 * an empty field is any.  Fields may be left out from the left, as dtrace(1)
 * has it: "receive" and "udp6_receive:receive".  A function field without a
 * dot matches the parts of a function that a compiler split off, too:
 * udp_receive.cold.  MODULE is what TABLE belongs to.  Returns 0, or -1 where
 * PATTERN has more than four fields.
 */
int sdt_match_start(struct sdt_match *match, const struct sdt_table *table,
		    const char *module, const char *pattern);

/* Fills SITE from the next match and returns 1, or returns 0 at the end. */
int sdt_match_next(struct sdt_match *match, struct sdt_site *site);

#ifdef __cplusplus
}
#endif

#endif
