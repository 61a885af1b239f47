/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Simple markers, which the macros of <sdtlink/sdt_marker.h> leave in sections
 * that are not loaded. Version 1 has file and line, version 2 the address,
 * version 3 both. If the compiler dropped the code, version 3 is in a second
 * section, without the address.
 */
#ifndef SDTLINK_MARKERS_H
#define SDTLINK_MARKERS_H

#include "base/diag.h"
#include "elf/object.h"

struct marker {
	unsigned version;
	const char *name;
	const char *file; /* or NULL */
	uint32_t line;
	const char *format;
	const char *arguments; /* with commas between them, or "" */
	bool is_placed;	       /* its section tells places */
	bool has_place;	       /* and there is one: it was not dropped */
	uint32_t shndx;	       /* in a partial; in a final 0 */
	uint64_t at;
};

struct marker_set {
	struct marker *items; /* in the order of the file */
	size_t n;
};

/*
 * If one cannot be read, that is a warning "marker". Returns -1 if memory ran
 * out. Call markers_free either way.
 */
int markers_read(struct diag *d, const struct object *obj,
		 struct marker_set *set);
void markers_free(struct marker_set *set);

#endif
