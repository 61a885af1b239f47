/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A core: the memory of a process or a machine, as gcore, QEMU's
 * dump-guest-memory and /proc/kcore present it.
 */
#ifndef SDTLINK_CORE_H
#define SDTLINK_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/diag.h"

/* What addresses refer to: the program's memory, or the machine's. */
enum core_space { CORE_VIRTUAL, CORE_PHYSICAL };

struct core_range {
	uint64_t addr[2]; /* by enum core_space */
	uint64_t offset;  /* in the file */
	uint64_t size;
};

/* A part of a file that a process had mapped. The core may lack its bytes. */
struct core_mapping {
	uint64_t start, end; /* addresses */
	uint64_t offset;     /* in the file, of START */
};

struct core {
	const char *path; /* not owned */
	int fd;
	bool is_live;		   /* the memory of this machine */
	struct stat was;	   /* when it was opened */
	int error;		   /* of reading it, or 0 */
	struct core_range *ranges; /* in the order of the file; owned */
	size_t nranges;
	const struct core_range *
		*sorted[2];	       /* by address in each space; owned */
	struct core_mapping *mappings; /* owned */
	size_t nmappings;
	bool is_64;
	bool is_big_endian;
	uint16_t machine;
	bool has_entry; /* the program's entry address, from the kernel's
			 * record */
	uint64_t entry;
	bool has_offset; /* Linux: the distance from linked to actual
			  * addresses */
	uint64_t offset;
};

/* Fails with a diagnostic if PATH is not a core. Call core_close either way. */
int core_open(struct diag *d, const char *path, struct core *core);
void core_close(struct core *core);

/*
 * Fails with a diagnostic if a read failed, or if the file is no longer the one
 * that was opened. Call it before you report anything that was read.
 */
int core_confirm(struct diag *d, const struct core *core);

/* Reads SIZE bytes at ADDR; false if not all of them are there. */
bool core_read(struct core *core, enum core_space space, uint64_t addr,
	       uint8_t *bytes, size_t size);

/* Was a file mapped at ADDR whose SIZE bytes at OFFSET are there? */
bool core_maps(const struct core *core, uint64_t addr, uint64_t size,
	       uint64_t offset);

/*
 * Searches for SIZE bytes, at most CORE_WINDOW, from OFFSET in range *RANGE on.
 * Sets *RANGE and *OFFSET to the position behind them. Returns false if the
 * rest of the core lacks them. Skips ranges whose physical address has all bits
 * set.
 */
#define CORE_WINDOW 256
bool core_find(struct core *core, const uint8_t *bytes, size_t size,
	       size_t *range, uint64_t *offset, uint64_t *at);

#endif
