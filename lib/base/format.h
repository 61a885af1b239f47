/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The names and numbers by which sdtlink's own sections and symbols are known,
 * in what it writes and in what it reads. sdt_table(5) documents them.
 */
#ifndef SDTLINK_FORMAT_H
#define SDTLINK_FORMAT_H

/* The values of the table's header; see sdt_table(5). */
#define SDT_TABLE_MAGIC 0x31544453
#define SDT_TABLE_VERSION 1
#define SDT_TABLE_HEADER_WORDS 8
#define SDT_TABLE_SECTION ".rodata.sdt_table"

/*
 * The sections of an anchored table: C identifiers, so that linkers define
 * __start_ and __stop_ symbols. The first can be renamed (--table-name).
 */
#define SDT_SITES_SECTION "sdt_sites"
#define SDT_PROBES_SECTION "sdt_probes"

/* Beside it, with --function-names: {site, name} of each. */
#define SDT_FUNCTIONS_SECTION "sdt_functions"

/* The first word of a probe's descriptor: "SDP" and the version. */
#define SDT_PROBE_MAGIC 0x31504453

/* The symbol of one that has a stub is that of its probe function behind: */
#define SDT_PROBE_SYMBOL "__sdt_probe_"
#define SDT_NOP_PROBE_SYMBOL "__sdt_nop_probe_" /* if --nop left no stub */

/* Where the symbol's name is in it, behind magic, stub and prefix. */
#define SDT_PROBE_NAME 12

/*
 * What --nop has taken from an object, for the proof: a record for each
 * relocation that it changed. Linkers put the section into an image, as debug
 * information that is not loaded.
 */
#define SDT_BEFORE_SECTION ".debug.sdt"
#define SDT_BEFORE_SIZE 40
#define SDT_BEFORE_ADDEND 8  /* behind the site's address */
#define SDT_BEFORE_TYPE 16   /* of the relocation */
#define SDT_BEFORE_FIELD 20  /* where it was in the instruction */
#define SDT_BEFORE_LENGTH 21 /* of the bytes that were changed */
#define SDT_BEFORE_BYTES 24
#define SDT_BEFORE_HASH 32 /* of the probe function's name, as stubs hold it */

/* The section of the proposal's {probe, offset} records. */
#define SDT_LINKER_SET "set_sdt_probe_site_set"

/* What the probe macros write: the records of the branch form, and metadata. */
#define TRACEPOINT_OWN_SECTION ".sdt_branches"
#define NOTES_SECTION ".debug_sdt"

/*
 * What the marker macros write. With an address, it is debug information to
 * linkers, or --gc-sections drops it.
 */
#define MARKERS_SECTION "__simple_marker.1"
#define KEPT_MARKERS_SECTION "__simple_marker.3"
#define PLACED_MARKERS_SECTION ".debug_simple_marker."

#endif
