/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SDTLINK_EMIT_H
#define SDTLINK_EMIT_H

#include <stdio.h>

#include "layout.h"

/* Where stubs are: linkers without a script keep it behind other text. */
#define STUB_SECTION ".text.sdt_stubs"

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
