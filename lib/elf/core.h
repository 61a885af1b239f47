/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A core: memory of a process or a machine, as gcore, QEMU's dump-guest-memory
 * and /proc/kcore have it.
 */
#ifndef SDTLINK_CORE_H
#define SDTLINK_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/diag.h"

/* What addresses are: of a program, or of the machine's memory. */
enum core_space { CORE_VIRTUAL, CORE_PHYSICAL };

struct core_range {
	uint64_t addr[2]; /* by enum core_space */
	uint64_t offset;  /* in the file */
	uint64_t size;
};

/* A part of a file that a process had mapped, whether or not the core has it. */
struct core_mapping {
	uint64_t start, end; /* addresses */
	uint64_t offset;     /* in the file, of START */
};

struct core {
	const char *path; /* not owned */
	int fd;
	bool is_live;	 /* the memory of this machine */
	struct stat was; /* when it was opened */
	int error;	 /* of reading it, or 0 */
	struct core_range *ranges; /* in the order of the file; owned */
	size_t nranges;
	const struct core_range *
		*sorted[2]; /* by address in each space; owned */
	struct core_mapping *mappings; /* owned */
	size_t nmappings;
	bool is_64;
	bool is_big_endian;
	uint16_t machine;
	bool has_entry; /* where the program begins, as the kernel told it */
	uint64_t entry;
	bool has_offset; /* Linux: how far the kernel is from its addresses */
	uint64_t offset;
};

/* Fails with a diagnostic if PATH is not a core. Call core_close either way. */
int core_open(struct diag *d, const char *path, struct core *core);
void core_close(struct core *core);

/*
 * Was it read without an error, and is it what was opened? If not, fails with a
 * diagnostic; due before anybody believes what was read.
 */
int core_confirm(struct diag *d, const struct core *core);

/* Reads SIZE bytes at ADDR; false if not all of them are there. */
bool core_read(struct core *core, enum core_space space, uint64_t addr,
	       uint8_t *bytes, size_t size);

/* Are the SIZE bytes at ADDR those at OFFSET of a file that was mapped there? */
bool core_maps(const struct core *core, uint64_t addr, uint64_t size,
	       uint64_t offset);

/*
 * Finds SIZE bytes, at most CORE_WINDOW, from range *RANGE and OFFSET in it on:
 * sets these to behind where they were found. False if they are nowhere. Ranges whose physical
 * address is all ones are passed over.
 */
#define CORE_WINDOW 256
bool core_find(struct core *core, const uint8_t *bytes, size_t size,
	       size_t *range, uint64_t *offset, uint64_t *at);

#endif
