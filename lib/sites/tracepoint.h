/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * FreeBSD's tracepoint records. Its asm goto probes write them into the section
 * set_sdt_tracepoint_set: the probe, the patchpoint (a NOP), the target of the
 * jump when it is enabled, and a word for the kernel. The prototype,
 * set_sdt_patchpoint_set, lacks the last word. The records of our own macros,
 * which only sdtlink reads, are like the prototype's, with a probe function.
 */
#ifndef SDTLINK_TRACEPOINT_H
#define SDTLINK_TRACEPOINT_H

#include "base/diag.h"
#include "elf/image.h"
#include "elf/object.h"
#include "spot.h"

struct tracepoint {
	struct spot record;
	const char *probe; /* the symbol of its structure, or NULL */
	struct spot patchpoint;
	struct spot target;
	const char *function; /* of the patchpoint, or NULL */
	uint64_t function_offset;
	const char *target_function; /* if it is another one, or NULL */
};

struct tracepoint_set {
	struct tracepoint *items; /* in the order of the file */
	size_t n;
	unsigned length; /* of a patchpoint in bytes */
	bool is_own;	 /* the records are those of our macros */
};

/* Has OBJ such a section? */
bool tracepoint_present(const struct object *obj);

/*
 * Reads the records of OBJ, which is checked. IMG is the same file if it is a
 * final, else NULL. If a record cannot be read, that is an error "tracepoint",
 * and returns -1. Call tracepoint_set_free either way.
 */
int tracepoint_read(struct diag *d, const struct object *obj,
		    const struct image *img, struct tracepoint_set *set);

/* The same for the records of our own macros, which only a partial has. */
int tracepoint_read_own(struct diag *d, const struct object *obj,
			struct tracepoint_set *set);

/*
 * Checks the records. Each fault is an error "tracepoint". What is only unwise
 * is a warning.
 */
int tracepoint_lint(struct diag *d, const struct object *obj,
		    struct tracepoint_set *set);

/* Reports a fault of tracepoint IN, at spot AT of OBJ. Always returns -1. */
#define tracepoint_fault(d, obj, at, in, remedy, ...) \
	diag_report( \
		d, SEVERITY_NO, \
		&(struct place){ .file = (obj)->path, \
				 .section = (obj)->sections[(at).shndx].name, \
				 .function = (in)->function, \
				 .function_offset = (in)->function_offset, \
				 .has_offset = true, \
				 .offset = (at).offset }, \
		"tracepoint", remedy, __VA_ARGS__)

#define TRACEPOINT_USE_MACROS(is_own) \
	((is_own) ? "write records with the macros of sdtlink/sdt.h" \
		  : "write records with the macros of sys/sdt.h")

void tracepoint_set_free(struct tracepoint_set *set);

#endif
