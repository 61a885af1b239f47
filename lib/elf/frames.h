/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads .eh_frame. It describes code, but control also comes from it in two
 * ways: the unwinder calls the personality routine of a CIE, and continues
 * where the tables of an FDE say (lib/jump/pads.c).
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
 * Reads the first record at or behind *AT of a section of SIZE BYTES, and moves
 * *AT behind it. Returns 1, 0 if there is none, or -1 if the record is damaged.
 * A damaged record extends to the end of the section.
 */
int frames_next(const struct object *obj, const uint8_t *bytes, uint64_t size,
		uint64_t *at, struct frame_record *record);

/*
 * How pointers are encoded: DW_EH_PE_* of the Linux Standard Base, Core, 10.5.
 */
enum {
	PE_FORMAT = 0x0f, /* mask: how long it is */
	PE_ABSPTR = 0,
	PE_ULEB128 = 1,
	PE_UDATA2 = 2,
	PE_UDATA4 = 3,
	PE_UDATA8 = 4,
	PE_SLEB128 = 9,
	PE_SDATA2 = 10,
	PE_SDATA4 = 11,
	PE_SDATA8 = 12,
	PE_BASE = 0xf0, /* mask: what it counts from */
	PE_PCREL = 0x10,
	PE_OMIT = 0xff,
};

/* A position in the bytes of a record, or of a table of landing pads. */
struct frame_cursor {
	const struct object *obj;
	const uint8_t *p, *end;
	bool is_bad; /* something was not there, or of no known form */
};

/*
 * Reads what is at P, and moves P behind it. Returns 0 once IS_BAD is set.
 * frames_get_number reads a number in ENCODING, without its base.
 */
uint8_t frames_get_byte(struct frame_cursor *c);
uint64_t frames_get_leb128(struct frame_cursor *c, bool is_signed);
uint64_t frames_get_number(struct frame_cursor *c, uint8_t encoding);

/* What a CIE says of its FDEs. */
struct frame_cie {
	bool is_plain; /* only addresses of code, as 32-bit DWARF has them */
	uint8_t code;  /* how they have addresses of code */
	uint8_t table; /* and of the table of landing pads, or PE_OMIT */
	uint8_t first; /* DW_CFA_* of its first instruction, or 0 */
};

/*
 * Reads the CIE at OFFSET of a section of SIZE BYTES. Returns false if the form
 * of its FDEs is unknown.
 */
bool frames_read_cie(const struct object *obj, const uint8_t *bytes,
		     uint64_t size, uint64_t offset, struct frame_cie *cie);

/*
 * Lists the code that the FDEs of section SHNDX of an image describe, by
 * address. Sets *RANGES, which the caller frees, and *N. If one FDE cannot be
 * read, the list is empty. Returns -1 on trouble, diagnosed.
 */
int frames_list_code(struct diag *d, const struct object *obj, uint32_t shndx,
		     struct byte_range **ranges, size_t *n);

/* Lists the CIEs of section SHNDX. Returns -1 on trouble, diagnosed. */
int frames_read(struct diag *d, const struct object *obj, uint32_t shndx,
		struct frames *frames);
void frames_free(struct frames *frames);

/*
 * Does a relocation at OFFSET point to code that the unwinder calls? Also true
 * if the bytes do not say.
 */
bool frames_call(const struct frames *frames, uint64_t offset);

/*
 * The form of the FDEs of an object for functions that have only begun: their
 * CIE, which describes only the frame at the entry of a function.
 */
struct frame_style {
	uint64_t cie;	/* offset in the section */
	unsigned width; /* of an address in an FDE, in bytes */
	uint32_t reloc; /* the type of its relocation */
};

/*
 * Sets STYLE to the first one of section SHNDX whose addresses are made by one
 * relocation, if another FDE can be appended to the section. Returns 1, 0 if
 * there is none, or -1 on trouble, diagnosed.
 */
int frames_find_style(struct diag *d, const struct object *obj, uint32_t shndx,
		      struct frame_style *style);

#endif
