/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The memory in which libelf keeps the sections of a file that are not loaded.
 * Callers that got strings of them from another library ask here whether a
 * string ends in its section.
 */
#ifndef SDTLINK_HELD_H
#define SDTLINK_HELD_H

#include <libelf.h>
#include <stddef.h>

struct held {
	struct held_section {
		const char *start; /* libelf's */
		size_t size;
	} * sections; /* owned */
	size_t n;
};

/*
 * Lists the sections of ELF; none if it is NULL. Returns -1 if memory ran out.
 * Call held_free either way.
 */
int held_list(Elf *elf, struct held *held);
void held_free(struct held *held);

/* STRING, or NULL if it begins in a section and does not end there. */
const char *held_string(const struct held *held, const char *string);

#endif
