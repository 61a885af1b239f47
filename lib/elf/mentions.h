/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A look at a file that may be anything, as cheap as can be: most inputs of a
 * linker have no probes, and it is not for us to say what is wrong with them.
 */
#ifndef SDTLINK_MENTIONS_H
#define SDTLINK_MENTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* What begins the names of gcc's sections of bytecode. */
#define LTO_SECTIONS ".gnu.lto_"

enum mentions {
	MENTIONS_NONE,	   /* no relocatable ELF file, or no such name */
	MENTIONS_SYMBOL,   /* a global symbol has one */
	MENTIONS_BYTECODE, /* somewhere; and what it is in is not code yet */
};

/*
 * Has the file of SIZE bytes at BYTES a global symbol that IS_WANTED? If it is
 * bytecode, whose symbols are not read, one of the strings at WORDS will do,
 * which NULL ends.
 */
enum mentions object_mentions(void *bytes, size_t size,
			      bool (*is_wanted)(void *ctx, const char *name),
			      void *ctx, const char *const *words);

#endif
