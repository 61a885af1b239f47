/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Static sites that other tools made, from the tables that they left:
 * SystemTap's notes, the Linux kernel's tables for ftrace, static keys and
 * static calls, and tables of compilers.
 */
#ifndef SDTLINK_FOREIGN_H
#define SDTLINK_FOREIGN_H

#include "elf/image.h"
#include "spot.h"

enum foreign_kind {
	FOREIGN_STAPSDT,
	FOREIGN_MCOUNT,
	FOREIGN_PATCHABLE,
	FOREIGN_XRAY,
	FOREIGN_JUMP_LABEL,
	FOREIGN_STATIC_CALL,
	FOREIGN_NKINDS,
};

#define FOREIGN_ALL ((1u << FOREIGN_NKINDS) - 1)

/* "stapsdt", "jump-label". */
const char *foreign_name(enum foreign_kind kind);

/* The kind of that name, or FOREIGN_NKINDS. */
enum foreign_kind foreign_find(const char *name);

struct foreign_site {
	enum foreign_kind kind;
	struct spot code; /* in a final an address, of section 0 */
	const char *form; /* call, tail, branch, or the name of the kind */
	/* Of stapsdt: */
	const char *provider;
	const char *operands;
	uint64_t semaphore; /* in a final; 0 if there is none */
	/*
	 * the name, of stapsdt and XRay; of keys and static calls the key's
	 * name, or NULL, and its place; else NULL
	 */
	const char *name;
	struct spot key;     /* in a final with section 0 if nothing is there */
	uint64_t key_offset; /* behind NAME */
};

struct foreign_set {
	struct foreign_site *items; /* by kind; owned */
	size_t n;
};

/*
 * The kinds of tables that OBJ has. IMG is the same file if it is a final, else
 * NULL.
 */
unsigned foreign_present(const struct object *obj, const struct image *img);

/*
 * Reads the tables of OBJ, which is checked, whose kinds are set in KINDS. If
 * one cannot be read, that is an error "foreign-table", and returns -1. Call
 * foreign_set_free either way.
 */
int foreign_read(struct diag *d, const struct object *obj,
		 const struct image *img, unsigned kinds,
		 struct foreign_set *set);
void foreign_set_free(struct foreign_set *set);

#endif
