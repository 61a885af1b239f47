/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What FreeBSD's tracepoint records need from an instruction set: the NOP of a
 * patchpoint, and the branch that it becomes. It is not part of struct arch,
 * since the instructions are another kernel's choice. It has the same for sites
 * of the branch form, on more machines.
 */
#ifndef SDTLINK_ARCH_TRACEPOINT_H
#define SDTLINK_ARCH_TRACEPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "arch.h"

#define TRACEPOINT_INSN_MAX 6

struct tracepoint_isa {
	uint16_t machine; /* EM_* */
	bool is_64;
	uint8_t mode;	       /* of the code: see arch.h */
	unsigned length;       /* of a patchpoint in bytes */
	uint32_t reloc_record; /* of a word of a record, if it is not the
				* arch's reloc_word */
	int64_t min, max;      /* of the distance from patchpoint to target */
	unsigned step;	       /* of which the distance is a multiple */
	unsigned swap_unit;    /* bytes in the data's byte order; 0:
				* instructions are always little-endian */
	uint8_t nop[TRACEPOINT_INSN_MAX]; /* the NOP that runtime/ writes,
					   * little-endian */

	/* DISTANCE is within bounds. Both are little-endian. */
	void (*encode)(int64_t distance, uint8_t *bytes);
	/* Is it an unconditional jump? */
	bool (*decode)(const uint8_t *bytes, int64_t *distance);
	/*
	 * Little-endian, too. Sets *IS_SLED if it is several instructions. NULL
	 * where FreeBSD has no tracepoints.
	 */
	bool (*is_nop)(const uint8_t *bytes, bool *is_sled);
};

/* Returns NULL if there are none. MODE is that of the code. */
const struct tracepoint_isa *tracepoint_isa_find(uint16_t machine, bool is_64,
						 uint8_t mode);

/*
 * The same for a site in the branch form at OFFSET of CODE. If no mark says the
 * mode there, the NOP or jump does: it is one in no other mode. GNU ld marks
 * code without marks as data.
 */
const struct tracepoint_isa *tracepoint_isa_at(const struct arch *arch,
					       const struct code *code,
					       uint64_t offset);

/* The length of that site. Returns 0 if it is neither a NOP nor a jump. */
unsigned tracepoint_own_length(const struct arch *arch, const struct code *code,
			       uint64_t offset);

/* The type of the relocations of a record. */
static inline uint32_t tracepoint_reloc(const struct tracepoint_isa *isa,
					const struct arch *arch)
{
	return isa->reloc_record != 0 ? isa->reloc_record : arch->reloc_word;
}

/* The distance of a jump from one address to another. */
int64_t tracepoint_distance(const struct tracepoint_isa *isa, uint64_t from,
			    uint64_t to);

/*
 * Writes the jump over DISTANCE as it is in a file. Returns false if it is too
 * far.
 */
bool tracepoint_encode(const struct tracepoint_isa *isa, bool is_big_endian,
		       int64_t distance, uint8_t *bytes);

/* Sets the distance of the jump in BYTES. Returns false if it is not a jump. */
bool tracepoint_decode(const struct tracepoint_isa *isa, bool is_big_endian,
		       const uint8_t *bytes, int64_t *distance);

/* Is it that one NOP? */
bool tracepoint_is_own_nop(const struct tracepoint_isa *isa, bool is_big_endian,
			   const uint8_t *bytes);

bool tracepoint_is_nop(const struct tracepoint_isa *isa, bool is_big_endian,
		       const uint8_t *bytes, bool *is_sled);

#endif
