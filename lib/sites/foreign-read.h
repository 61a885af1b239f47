/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of foreign_read: a table as bytes, and the meaning of its fields. In a
 * partial, relocations define it; in a final, the contents.
 */
#ifndef SDTLINK_FOREIGN_READ_H
#define SDTLINK_FOREIGN_READ_H

#include "foreign.h"

struct foreign_table {
	struct diag *d;
	const struct object *obj;
	const struct image *img; /* NULL in a partial */
	uint32_t shndx;		 /* the section that it is in, */
	uint64_t start;		 /* and from where on */
	const uint8_t *bytes;
	size_t size;
	uint64_t addr;	      /* in a final */
	struct reloc *relocs; /* of the section of a partial, by offset, with
			       * addends; owned */
	size_t nrelocs;
	char fault[80]; /* what foreign_table_field says is wrong */
};

/* What a field means. */
struct foreign_field {
	struct spot spot;   /* in a final an address, of section 0 */
	const char *symbol; /* that is defined elsewhere, or NULL */
	bool is_empty;	    /* 0: a linker may have dropped the target */
};

/*
 * Opens SIZE bytes at START of section SHNDX. D, OBJ and IMG must be set.
 * Returns -1 on trouble, diagnosed. Call foreign_table_close either way.
 */
int foreign_table_open(struct foreign_table *table, uint32_t shndx,
		       uint64_t start, uint64_t size);
void foreign_table_close(struct foreign_table *table);

/* Reports a fault at offset AT of the table. Always returns -1. */
int foreign_table_fault(const struct foreign_table *table, uint64_t at,
			const char *remedy, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Reads the address of WIDTH bytes at AT, or the distance from AT. If it is not
 * understood, returns false, and FAULT says why.
 */
bool foreign_table_address(struct foreign_table *table, uint64_t at,
			   unsigned width, struct foreign_field *field);
bool foreign_table_distance(struct foreign_table *table, uint64_t at,
			    unsigned width, struct foreign_field *field);

/* Is it code? In ISAs with modes, the spot becomes that of the code. */
bool foreign_table_is_code(const struct foreign_table *table,
			   struct foreign_field *field);

#endif
