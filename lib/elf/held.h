/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The memory in which libelf has the sections of a file that are not loaded, for
 * who has strings of them from another library: does one end in its section?
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

/* Of ELF, or none if that is NULL. Returns -1 without memory; held_free is due
 * either way. */
int held_list(Elf *elf, struct held *held);
void held_free(struct held *held);

/* STRING, or NULL if it begins in a section and does not end there. */
const char *held_string(const struct held *held, const char *string);

#endif
