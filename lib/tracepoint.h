/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * FreeBSD's tracepoint records, which its asm goto probes write into the
 * section set_sdt_tracepoint_set: the probe, the patchpoint (a NOP), the target
 * that it is to jump to when enabled, and a word for the kernel. The prototype,
 * set_sdt_patchpoint_set, lacks the last.
 */
#ifndef SDTLINK_TRACEPOINT_H
#define SDTLINK_TRACEPOINT_H

#include "diag.h"
#include "image.h"
#include "object.h"

/* A place in a section. */
struct spot {
	uint32_t shndx; /* 0: in none */
	uint64_t offset;
};

struct tracepoint {
	struct spot record;
	const char *probe; /* the symbol of its structure, or NULL */
	struct spot patchpoint;
	struct spot target;
	const char *function; /* of the patchpoint, or NULL */
	uint64_t function_offset;
	const char *target_function; /* or NULL */
};

struct tracepoint_set {
	struct tracepoint *items; /* in the order of the file */
	size_t n;
	unsigned length; /* of a patchpoint in bytes */
};

/* Has OBJ such a section? */
bool tracepoint_present(const struct object *obj);

/*
 * Reads the records of OBJ, which is checked; IMG is the same if it is a final,
 * else NULL. Records that cannot be read are errors "tracepoint"; the result is
 * -1 for those, too. tracepoint_set_free is due either way.
 */
int tracepoint_read(struct diag *d, const struct object *obj,
		    const struct image *img, struct tracepoint_set *set);

/*
 * Judges what was read; each fault is an error "tracepoint". What is only
 * unwise is a warning of that code.
 */
int tracepoint_lint(struct diag *d, const struct object *obj,
		    struct tracepoint_set *set);

void tracepoint_set_free(struct tracepoint_set *set);

#endif
