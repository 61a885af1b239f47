/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The names and numbers of sdtlink's own sections and symbols, for the code
 * that writes and the code that reads them. See sdt_table(5).
 */
#ifndef SDTLINK_TABLE_FORMAT_H
#define SDTLINK_TABLE_FORMAT_H

/* The magic number and version of the offsets table; see sdt_table(5). */
#define SDT_TABLE_MAGIC 0x31544453
#define SDT_TABLE_VERSION 1
#define SDT_TABLE_HEADER_WORDS 8
#define SDT_TABLE_SECTION ".rodata.sdt_table"

/*
 * The sections of an anchored table. Their names are C identifiers, so linkers
 * define __start_ and __stop_ symbols. --table-name renames the first one.
 */
#define SDT_SITES_SECTION "sdt_sites"
#define SDT_PROBES_SECTION "sdt_probes"

/* With --function-names: a pair {site, name} for each site. */
#define SDT_FUNCTIONS_SECTION "sdt_functions"

/* The first word of a probe's descriptor: "SDP" and the version. */
#define SDT_PROBE_MAGIC 0x31504453

/*
 * The symbol of the descriptor of a probe that has a stub: this prefix and the
 * name of the probe function.
 */
#define SDT_PROBE_SYMBOL "__sdt_probe_"
#define SDT_NOP_PROBE_SYMBOL "__sdt_nop_probe_" /* if --nop left no stub */

/* The offset of the name in a descriptor, behind magic, stub and prefix. */
#define SDT_PROBE_NAME 12

/*
 * The records of --nop: for each relocation that it changed, what it was.
 * verify needs them. Linkers copy the section into an image that is not loaded,
 * as they do debug information.
 */
#define SDT_BEFORE_SECTION ".debug.sdt"
#define SDT_BEFORE_SIZE 40
#define SDT_BEFORE_ADDEND 8  /* behind the site's address */
#define SDT_BEFORE_TYPE 16   /* of the relocation */
#define SDT_BEFORE_FIELD 20  /* where it was in the instruction */
#define SDT_BEFORE_LENGTH 21 /* of the bytes that were changed */
#define SDT_BEFORE_BYTES 24
#define SDT_BEFORE_HASH 32 /* of the probe function's name, as in stubs */

/* The section of the proposal's {probe, offset} records. */
#define SDT_LINKER_SET "set_sdt_probe_site_set"

/*
 * Sections of the probe macros: the records of the branch form, and metadata.
 */
#define TRACEPOINT_OWN_SECTION ".sdt_branches"
#define NOTES_SECTION ".debug.sdt_args"

/*
 * The section of the marker macros. If it has an address, linkers treat it as
 * debug information, or --gc-sections drops it.
 */
#define MARKERS_SECTION "__simple_marker.1"
#define KEPT_MARKERS_SECTION "__simple_marker.3"
#define PLACED_MARKERS_SECTION ".debug_simple_marker."

#endif
