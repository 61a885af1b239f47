/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SDTLINK_EMIT_H
#define SDTLINK_EMIT_H

#include <stdio.h>

#include "layout.h"

/* The section of stubs. Without a script, linkers put it behind other text. */
#define STUB_SECTION ".text.sdt_stubs"

/*
 * Checks that every name and offset of SET can be written in C and assembly.
 * Fails with a diagnostic for each name that cannot.
 */
int emit_check(struct diag *d, const struct object *obj,
	       const struct options *options, const struct site_set *set);

/*
 * Writes the stubs and the table as C99 that needs no header. Each probe
 * function that SET's object leaves undefined gets a stub. The table that
 * OPTIONS ask for is assembly at file scope, since C cannot express the
 * distance between two symbols. The stream remembers write errors.
 */
void emit_c(FILE *stream, const struct object *obj,
	    const struct options *options, const struct site_set *set,
	    const struct layout *layout);

/*
 * Can a script keep the sections that the option GLOB names out of the merged
 * .text? GLOB must match plain names only, or nothing that is merged.
 */
bool emit_can_keep(const char *glob);

/*
 * Writes the linker script for ld -r -T. OBJ may be NULL. Sections that OPTIONS
 * skip or refuse are not merged, so later steps know their names.
 */
void emit_merge_script(FILE *stream, const struct options *options,
		       const struct object *obj, const struct site_set *set);

#endif
