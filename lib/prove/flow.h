/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Follows control flow from the start of a function, as a recursive
 * disassembler does, and notes which bytes are inside an instruction, and where
 * the last one ends. Which bytes are inside is asked only for instruction sets
 * whose instructions differ in length.
 */
#ifndef SDTLINK_FLOW_H
#define SDTLINK_FLOW_H

#include "elf/image.h"

struct flow_symbol {
	uint64_t addr;
	uint32_t shndx;
};

struct flow {
	const struct image_section *is;
	uint64_t start, end; /* offsets in it */
	uint8_t *bytes;	     /* what each byte is; owned; NULL at first */
	uint64_t *queue;     /* owned */
	size_t nqueue;
	bool is_certain;	     /* no two instructions overlap */
	bool is_open;		     /* control may reach more than was seen */
	struct flow_symbol *symbols; /* of the image, by address; owned */
	size_t nsymbols;
};

/*
 * Follows the code at [START, END) of IS, unless FLOW already has that. All
 * calls with one FLOW are for one image. Initialise it with zeros. Returns -1
 * if out of memory. Call flow_free either way.
 */
int flow_follow(struct flow *flow, const struct image *img,
		const struct image_section *is, uint64_t start, uint64_t end);
void flow_free(struct flow *flow);

/* Is the byte at OFFSET, within FLOW, certainly inside an instruction? */
bool flow_covers(const struct flow *flow, uint64_t offset);

/*
 * The end of the last instruction that control reaches; NO_END if it may reach
 * more.
 */
uint64_t flow_end(const struct flow *flow);

/* Does an instruction begin there? */
bool flow_begins(const struct flow *flow, uint64_t offset);

#endif
