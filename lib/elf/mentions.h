/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A quick look at a file of any kind. Most inputs of a linker have no probes.
 * If one of them is damaged, the linker says so.
 */
#ifndef SDTLINK_MENTIONS_H
#define SDTLINK_MENTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* The names of gcc's sections of bytecode begin so. */
#define LTO_SECTIONS ".gnu.lto_"

/* What to do about bytecode of each kind. */
#define LTO_REMEDY_GCC \
	"compile it with -fno-lto, or partially link with gcc -flto -r " \
	"-flinker-output=nolto-rel"
#define LTO_REMEDY_LLVM \
	"compile it with -fno-lto, or partially link with ld.lld -r"

enum mentions {
	MENTIONS_NONE,	   /* no relocatable ELF file, or no such name */
	MENTIONS_NAME,	   /* a global symbol or a section has one */
	MENTIONS_BYTECODE, /* somewhere; and what it is in is not code yet */
};

/*
 * Does the file of SIZE bytes at BYTES have a global symbol or a section with a
 * name for which IS_WANTED is true? The symbols of bytecode are not read.
 * There, one of the strings at WORDS, which NULL ends, is enough.
 */
enum mentions object_mentions(void *bytes, size_t size,
			      bool (*is_wanted)(void *ctx, const char *name),
			      void *ctx, const char *const *words);

#endif
