/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places in the source, as lines and as JSON. */
#ifndef SDTLINK_SOURCE_TEXT_H
#define SDTLINK_SOURCE_TEXT_H

#include <stdio.h>

#include "json.h"
#include "source/source.h"

/* For source_open(): libdw cannot go on. */
void source_end_nomem(void) __attribute__((__noreturn__));

/*
 * Prints "FILE:LINE:COLUMN: ", as editors and compilers expect. If the line is
 * unknown, or FRAME is NULL, prints "FILE:(SECTION+OFFSET): " of the object.
 */
void print_source_line(FILE *stream, const struct source_frame *frame,
		       const struct object *obj, const char *section,
		       uint64_t at);

/* "TYPE, in register WHAT" and the like. */
void print_variable(FILE *stream, const struct source_variable *var);

/* "frames": [...] */
void frames_json(const struct source_frame *frames, size_t n,
		 struct json *json);

/* Writes an argument. NAME or TYPE may be NULL, and VAR if nothing is known. */
void argument_json(const char *name, const char *type,
		   const struct source_variable *var, struct json *json);

#endif
