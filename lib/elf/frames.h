/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * .eh_frame describes code, but for one thing: the unwinder calls the
 * personality routine that a CIE holds.
 */
#ifndef SDTLINK_FRAMES_H
#define SDTLINK_FRAMES_H

#include "object.h"

struct frames {
	struct byte_range *cies; /* by offset; owned */
	size_t n;
};

bool frames_hold(const char *section);

/* Lists the CIEs of section SHNDX. Returns -1 on trouble, diagnosed. */
int frames_read(struct diag *d, const struct object *obj, uint32_t shndx,
		struct frames *frames);
void frames_free(struct frames *frames);

/*
 * Does a relocation at OFFSET lead to what the unwinder calls? True as well
 * where the bytes do not tell.
 */
bool frames_call(const struct frames *frames, uint64_t offset);

#endif
