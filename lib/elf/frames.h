/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * .eh_frame describes code, but for two things: the unwinder calls the
 * personality routine that a CIE holds, and continues where the tables say that
 * an FDE leads to (lib/jump/pads.c).
 */
#ifndef SDTLINK_FRAMES_H
#define SDTLINK_FRAMES_H

#include "arch/arch.h"
#include "object.h"

struct frames {
	struct byte_range *cies; /* by offset; owned */
	size_t n;
};

bool frames_hold(const char *section);

/* A CIE or an FDE; offsets in the section. */
struct frame_record {
	uint64_t start;
	uint64_t body; /* of the id, 4 bytes, which are there */
	uint64_t end;
};

/*
 * The first record at or behind AT, which is moved behind it, of the SIZE BYTES
 * of a section. Returns 1; 0 if there is none; -1 if it is damaged: then it
 * ends where the section does.
 */
int frames_next(const struct object *obj, const uint8_t *bytes, uint64_t size,
		uint64_t *at, struct frame_record *record);

/* Lists the CIEs of section SHNDX. Returns -1 on trouble, diagnosed. */
int frames_read(struct diag *d, const struct object *obj, uint32_t shndx,
		struct frames *frames);
void frames_free(struct frames *frames);

/*
 * Does a relocation at OFFSET lead to what the unwinder calls? True as well
 * where the bytes do not tell.
 */
bool frames_call(const struct frames *frames, uint64_t offset);

/*
 * How the FDEs of an object are, of functions that have but begun: their CIE,
 * which says no more than where the caller's frame is then.
 */
struct frame_style {
	uint64_t cie;	/* offset in the section */
	unsigned width; /* of an address in an FDE, in bytes */
	uint32_t reloc; /* the type of its relocation */
};

/*
 * Sets STYLE to the first one of section SHNDX that one relocation makes an
 * address in, if another FDE can be appended. Returns 1; 0 if not; -1 on
 * trouble, diagnosed.
 */
int frames_find_style(struct diag *d, const struct object *obj, uint32_t shndx,
		      struct frame_style *style);

#endif
