/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of foreign_read: a table as bytes, and what its fields mean, in a
 * partial by their relocations and in a final by what they hold.
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
	struct reloc *relocs; /* of the section of a partial; owned, by offset,
				 and with all addends */
	size_t nrelocs;
	char fault[80]; /* what foreign_table_field says is wrong */
};

/* What a field means. */
struct foreign_field {
	struct spot spot;   /* in a final an address, of section 0 */
	const char *symbol; /* that is defined elsewhere, or NULL */
	bool is_empty;	    /* 0, as where a linker dropped what it was about */
};

/*
 * Opens SIZE bytes at START of section SHNDX; D, OBJ and IMG are set. Returns
 * -1 after diagnosing; foreign_table_close is due either way.
 */
int foreign_table_open(struct foreign_table *table, uint32_t shndx,
		       uint64_t start, uint64_t size);
void foreign_table_close(struct foreign_table *table);

/* Reports that what is at AT of the table is wrong; -1. */
int foreign_table_fault(const struct foreign_table *table, uint64_t at,
			const char *remedy, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * The address of WIDTH bytes at AT, or the distance from there that they hold.
 * False if it is none that is understood: then FAULT says why.
 */
bool foreign_table_address(struct foreign_table *table, uint64_t at,
			   unsigned width, struct foreign_field *field);
bool foreign_table_distance(struct foreign_table *table, uint64_t at,
			    unsigned width, struct foreign_field *field);

/* Is it code? Of ISAs with modes, the spot is then that of the code. */
bool foreign_table_is_code(const struct foreign_table *table,
			   struct foreign_field *field);

#endif
