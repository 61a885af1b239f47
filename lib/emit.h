/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SDTLINK_EMIT_H
#define SDTLINK_EMIT_H

#include <stdio.h>

#include "layout.h"

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

/* The first word of a probe's descriptor: "SDP" and the version. */
#define SDT_PROBE_MAGIC 0x31504453

/* The symbol of one that has a stub is that of its probe function behind: */
#define SDT_PROBE_SYMBOL "__sdt_probe_"
#define SDT_NOP_PROBE_SYMBOL "__sdt_nop_probe_" /* if --nop left no stub */

/* Where the symbol's name is in it, behind magic, stub and prefix. */
#define SDT_PROBE_NAME 12

/* The section of the proposal's {probe, offset} records. */
#define SDT_LINKER_SET "set_sdt_probe_site_set"

/*
 * Checks that every name and offset of SET can be written to C and assembly.
 * Fails with a diagnostic per name that cannot.
 */
int emit_check(struct diag *d, const struct object *obj,
	       const struct options *options, const struct site_set *set);

/*
 * Writes the stubs and the table as C99 that needs no header: a function for
 * each probe function that SET's object leaves undefined, and the table that
 * OPTIONS ask for as assembly at file scope, because C has no word for the
 * distance between two symbols. Write errors stay in the stream.
 */
void emit_c(FILE *stream, const struct object *obj,
	    const struct options *options, const struct site_set *set,
	    const struct layout *layout);

/*
 * Can a script keep the sections that GLOB, of an option, names out of the
 * merged .text? It is to match plain names, or nothing that is merged.
 */
bool emit_can_keep(const char *glob);

/*
 * Writes the linker script for ld -r -T; OBJ may be NULL. Sections that
 * OPTIONS skip or refuse stay apart, so that later steps know their names.
 */
void emit_merge_script(FILE *stream, const struct options *options,
		       const struct object *obj, const struct site_set *set);

#endif
