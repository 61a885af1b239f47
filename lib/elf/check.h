/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SDTLINK_CHECK_H
#define SDTLINK_CHECK_H

#include "object.h"

enum object_kind {
	OBJECT_PARTIAL, /* ET_REL: what ld -r writes */
	OBJECT_FINAL,	/* ET_EXEC or ET_DYN */
	OBJECT_ANY,
	/* any of these; a final may lack symbols or section headers */
	OBJECT_LISTED,
	/* a final that is only read for its symbols; it need not have code */
	OBJECT_SYMBOLS,
	OBJECT_INPUT, /* ET_REL; it may lack symbols, as crtn.o does */
	OBJECT_FAT,   /* ET_REL; of a fat LTO object, only the text counts */
	OBJECT_IMAGE, /* ET_EXEC or ET_DYN; it may be stripped */
};

/*
 * Judges OBJ before anything trusts it, and sets its arch, symbol table and
 * groups. On return 0:
 *  - the machine is one that sdtlink knows, and the file is of kind WANTED;
 *  - every section that occupies file space lies in the file;
 *  - every symbol's name and section index is valid;
 *  - every relocation section that applies to an SHF_ALLOC section has a
 *    valid target, and each relocation in it a valid symbol and, in a
 *    partial, a field that lies in the target;
 *  - a partial holds no link-time-optimisation bytecode, unless it is FAT.
 * Sections that are not loaded (DWARF) are not read.
 */
int check_object(struct diag *d, struct object *obj, enum object_kind wanted);

/* Do all relocations that the loader reads have a form that sdtlink knows? */
int check_run_time_relocs(struct diag *d, const struct object *final);

#endif
