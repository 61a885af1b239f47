/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads what the probe macros wrote about the source into the section
 * .debug.sdt_args: file, line and arguments. A note has the address of a label,
 * not of a site. A call is behind its label. The target of a NOP is before its
 * label.
 */
#ifndef SDTLINK_NOTES_H
#define SDTLINK_NOTES_H

#include "base/diag.h"
#include "elf/packed.h"
#include "scan.h"

#define NOTE_ARGS_MAX 6

struct note {
	const char *probe; /* the probe function's symbol */
	const char *file;
	uint32_t line;
	bool is_target; /* of a jump in the branch form; otherwise of a call */
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
	struct packed packed; /* has their strings, if they were compressed */
};

/* A place that needs its note: a call, or the target of a jump. */
struct noted {
	const char *probe;
	bool is_target;
	uint32_t shndx; /* as of a note */
	uint64_t at;
	const struct note *note; /* NULL if there is none, or it is not sure */
};

/*
 * Reads the notes of OBJ, which is checked. If a note cannot be read, that is a
 * warning "metadata". Returns -1 if memory ran out. Call notes_free either way.
 */
int notes_read(struct diag *d, const struct object *obj, struct note_set *set);

/* The place of SITE's note. The note itself is not set. */
struct noted notes_place(const struct site_set *set, const struct site *site);

/*
 * Finds the note of each of the N places at NOTED. If the compiler merged two
 * calls into one, notes and calls of a probe do not alternate in that function.
 * Then none of them gets a note. Returns -1 if memory ran out, diagnosed.
 */
int notes_match(struct diag *d, const struct object *obj,
		const struct note_set *set, struct noted *noted, size_t n);

void notes_free(struct note_set *set);

/* The name of a type, or NULL if the number is unknown. */
const char *note_type(uint8_t type);

#endif
