/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which bytes of a function are the inside of an instruction, as far as
 * control flow from its start tells: what a disassembler that follows branches
 * sees. Only where instructions differ in length.
 */
#ifndef SDTLINK_FLOW_H
#define SDTLINK_FLOW_H

#include "elf/image.h"

struct flow {
	const struct image_section *is;
	uint64_t start, end; /* offsets in it */
	uint8_t *bytes;	     /* owned: what each is; NULL before the first */
	uint64_t *queue;     /* owned */
	size_t nqueue;
	bool is_certain; /* no two instructions overlap */
};

/*
 * Follows the code at [START, END) of IS, unless FLOW is of that already.
 * Returns -1 if out of memory. flow_free is due either way; FLOW is all zeros
 * before the first.
 */
int flow_follow(struct flow *flow, const struct image *img,
		const struct image_section *is, uint64_t start, uint64_t end);
void flow_free(struct flow *flow);

/* Is the byte at OFFSET, which is in FLOW, inside an instruction for sure? */
bool flow_covers(const struct flow *flow, uint64_t offset);

/* Begins one there? */
bool flow_begins(const struct flow *flow, uint64_t offset);

#endif
