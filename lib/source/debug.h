/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The debug information of a file, for the files of this room. */
#ifndef SDTLINK_DEBUG_H
#define SDTLINK_DEBUG_H

#include "elf/held.h"
#include "libdw.h"
#include "source.h"

/* A function, an inlined copy of one, or a block that has code. */
struct scope {
	Dwarf_Die die;
	uint32_t parent; /* the scope around it plus one, or 0 */
	uint32_t depth;	 /* how many are around it */
	int tag;
};

/* A range of addresses, as libdw has them. */
struct extent {
	uint64_t low, high;
	uint64_t reach; /* the highest end up to here */
	uint32_t of;	/* a unit, or a scope */
	uint32_t depth; /* of a scope */
};

/* A name outside of all functions. */
struct outer_name {
	const char *name;
	Dwarf_Die die;
};

struct unit {
	Dwarf_Die die;	/* has the lines */
	Dwarf_Die body; /* has the rest: the .dwo of a split unit */
	bool has_scopes, has_names;
	struct scope *scopes; /* in the order of the file */
	size_t nscopes;
	struct extent *extents; /* of scopes, by low */
	size_t nextents;
	struct outer_name *names; /* by name */
	size_t nnames;
};

struct source {
	const struct object *obj;
	const struct libdw *dw;
	Dwfl *dwfl;
	Dwfl_Module *module;
	Dwarf *dwarf;
	Elf *elf;	 /* libdwfl's own */
	char *copy;	 /* of a file into which it writes; owned */
	uint64_t offset; /* from addresses of ELF to those of DWARF */
	struct unit *units;
	size_t nunits;
	struct extent *extents; /* of units, by low */
	size_t nextents;
	struct held held;     /* where the strings of DWARF are */
	const char **at_zero; /* names of functions there; borrowed */
	size_t nat_zero;
	uint64_t steps; /* that are left */
	size_t nlost;	/* split units without their .dwo */
	const char *lost;
	bool is_damaged;
	bool has_no_memory;
};

/*
 * The name of DIE, or NULL. If a section has changed since libdw looked, a name
 * may not end in it. Such a name counts as none.
 */
const char *source_name(struct source *src, Dwarf_Die *die);

/*
 * Counts N steps. Returns false once there were too many; source_report says
 * so.
 */
bool source_step(struct source *src, uint64_t n);

/* libdw's address of offset AT; see source_find(). */
uint64_t source_address(struct source *src, uint32_t shndx, uint64_t at);

/*
 * The unit that contains ADDR. Sets the index of the innermost scope there plus
 * one, or 0. NULL if there is none.
 */
struct unit *source_unit(struct source *src, uint64_t addr, uint32_t *scope);

/* The same for SPOT. Its line may show that it is in an outer scope. */
struct unit *source_spot_unit(struct source *src,
			      const struct source_spot *spot, uint32_t *scope);

/* Can __FILE__ be FILE if PATH was compiled? */
bool source_is_file(const char *file, const char *path);

/* The innermost function among scope S and those around it, plus one. */
uint32_t unit_function(const struct unit *unit, uint32_t s);

/*
 * Calls VISIT for each child of DIE, until one returns other than 0. Returns
 * that value.
 */
int source_children(struct source *src, Dwarf_Die *die,
		    int (*visit)(struct source *src, Dwarf_Die *child,
				 void *ctx),
		    void *ctx);

/* The name of the function DIE in symbol tables, or NULL. */
const char *source_link_name(struct source *src, Dwarf_Die *die);

/* The type of DIE in C, cut to SIZE. */
void source_type(struct source *src, Dwarf_Die *die, char *text, size_t size);

#endif
