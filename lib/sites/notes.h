/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the probe macros tell of the source, in the section .debug_sdt: file,
 * line, arguments. A note has the address of a label, not of a site: a call is
 * behind the label of its note, what a NOP is to jump to is before it.
 */
#ifndef SDTLINK_NOTES_H
#define SDTLINK_NOTES_H

#include "base/diag.h"
#include "elf/object.h"
#include "scan.h"

#define NOTE_ARGS_MAX 6

struct note {
	const char *probe; /* the probe function's symbol */
	const char *file;
	uint32_t line;
	bool is_target; /* of a jump of the branch form, else of a call */
	uint32_t shndx; /* of the label; in a final 0 */
	uint64_t at;	/* its offset; in a final its address */
	unsigned nargs;
	const char *names[NOTE_ARGS_MAX];
	uint8_t types[NOTE_ARGS_MAX]; /* see note_type() */
	uint32_t size;		      /* of it in the file, in bytes */
};

struct note_set {
	struct note *items;
	size_t n;
};

/* What a note is looked for: a call, or the target of a jump. */
struct noted {
	const char *probe;
	bool is_target;
	uint32_t shndx; /* as of a note */
	uint64_t at;
	const struct note *note; /* NULL if there is none, or it is not sure */
};

/*
 * Reads the notes of OBJ, which is checked. What cannot be read is a warning
 * "metadata". Returns -1 without memory; notes_free is due either way.
 */
int notes_read(struct diag *d, const struct object *obj, struct note_set *set);

/* What the note of SITE is looked for; no note is found yet. */
struct noted notes_place(const struct site_set *set, const struct site *site);

/*
 * Finds the note of each of the N items at NOTED. Where the compiler has made
 * one call of two, so that notes and calls of a probe in a function do not
 * alternate, none of them gets one. Returns -1 without memory, diagnosed.
 */
int notes_match(struct diag *d, const struct object *obj,
		const struct note_set *set, struct noted *noted, size_t n);

void notes_free(struct note_set *set);

/* The name of a type, or NULL if it is not known. */
const char *note_type(uint8_t type);

#endif
